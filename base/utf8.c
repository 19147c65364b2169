/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

static bool goes_on(const uint8_t *p, size_t n, size_t at)
{
    return at < n && (p[at] & 0xc0) == 0x80;
}

static struct utf8_step malformed(uint32_t bytes)
{
    return (struct utf8_step){UTF8_REPLACEMENT, bytes, true};
}

static struct utf8_step step_three(const uint8_t *p, size_t n)
{
    if (!goes_on(p, n, 1) || (p[0] == 0xe0 && p[1] < 0xa0))
        return malformed(1);
    if (!goes_on(p, n, 2))
        return malformed(2);
    uint32_t code = (p[0] & 0xfU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU);
    if (code >= 0xd800 && code <= 0xdfff)
        return malformed(3);
    return (struct utf8_step){code, 3, false};
}

static struct utf8_step step_four(const uint8_t *p, size_t n)
{
    if (!goes_on(p, n, 1) || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return malformed(1);
    if (!goes_on(p, n, 2))
        return malformed(2);
    if (!goes_on(p, n, 3))
        return malformed(3);
    uint32_t code = (p[0] & 0x7U) << 18 | (p[1] & 0x3fU) << 12 | (p[2] & 0x3fU) << 6 | (p[3] & 0x3fU);
    return (struct utf8_step){code, 4, false};
}

struct utf8_step utf8_step(const uint8_t *p, size_t n)
{
    if (p[0] < 0x80)
        return (struct utf8_step){p[0], 1, false};
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return malformed(1);
    if (p[0] < 0xe0) {
        if (!goes_on(p, n, 1))
            return malformed(1);
        return (struct utf8_step){(p[0] & 0x1fU) << 6 | (p[1] & 0x3fU), 2, false};
    }
    return p[0] < 0xf0 ? step_three(p, n) : step_four(p, n);
}

/* The bytes up to the first malformed one. */
static size_t valid_run(struct view v)
{
    size_t at = 0;
    while (at < v.n) {
        at += utf8_ascii_run(v.p + at, v.n - at);
        if (at == v.n)
            break;
        struct utf8_step step = utf8_step(v.p + at, v.n - at);
        if (step.is_malformed)
            break;
        at += step.bytes;
    }
    return at;
}

bool utf8_is_valid(struct view v)
{
    return valid_run(v) == v.n;
}

void utf8_put(struct buf *b, uint32_t code)
{
    buf_need(b, 4);
    uint8_t *p = b->p;
    if (code < 0x80) {
        *p++ = (uint8_t)code;
    } else if (code < 0x800) {
        *p++ = (uint8_t)(0xc0 | code >> 6);
        *p++ = (uint8_t)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *p++ = (uint8_t)(0xe0 | code >> 12);
        *p++ = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        *p++ = (uint8_t)(0x80 | (code & 0x3f));
    } else {
        *p++ = (uint8_t)(0xf0 | code >> 18);
        *p++ = (uint8_t)(0x80 | (code >> 12 & 0x3f));
        *p++ = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        *p++ = (uint8_t)(0x80 | (code & 0x3f));
    }
    b->p = p;
}

void utf8_put_repaired(struct buf *b, struct view v)
{
    while (v.n > 0) {
        size_t good = valid_run(v);
        buf_put(b, v.p, good);
        v = (struct view){v.p + good, v.n - good};
        if (v.n == 0)
            break;
        struct utf8_step step = utf8_step(v.p, v.n);
        utf8_put(b, UTF8_REPLACEMENT);
        v = (struct view){v.p + step.bytes, v.n - step.bytes};
    }
}
