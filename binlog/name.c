/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/name.h"

/* Capitals from first to last, each step apart, lie delta below their small letters. */
struct capitals {
    uint32_t first;
    uint32_t last;
    uint32_t step;
    int32_t delta;
};

static const struct capitals capitals[] = {
    /* Latin */
    {0xc0, 0xd6, 1, 32},
    {0xd8, 0xde, 1, 32},
    {0x100, 0x12e, 2, 1},
    {0x130, 0x130, 1, 0x69 - 0x130},
    {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1},
    {0x14a, 0x176, 2, 1},
    {0x178, 0x178, 1, 0xff - 0x178},
    {0x179, 0x17d, 2, 1},
    {0x1a0, 0x1a4, 2, 1},
    {0x1af, 0x1af, 1, 1},
    {0x1cd, 0x1db, 2, 1},
    {0x1de, 0x1ee, 2, 1},
    {0x1f8, 0x21e, 2, 1},
    {0x222, 0x232, 2, 1},
    /* Greek */
    {0x386, 0x386, 1, 38},
    {0x388, 0x38a, 1, 37},
    {0x38c, 0x38c, 1, 64},
    {0x38e, 0x38f, 1, 63},
    {0x391, 0x3a1, 1, 32},
    {0x3a3, 0x3ab, 1, 32},
    /* Cyrillic */
    {0x400, 0x40f, 1, 80},
    {0x410, 0x42f, 1, 32},
    {0x460, 0x480, 2, 1},
    {0x48a, 0x4be, 2, 1},
    {0x4c1, 0x4cd, 2, 1},
    {0x4d0, 0x4f8, 2, 1},
    /* Armenian */
    {0x531, 0x556, 1, 48},
    /* Latin with the marks of Vietnamese and others; full width */
    {0x1e00, 0x1e94, 2, 1},
    {0x1ea0, 0x1ef8, 2, 1},
    {0xff21, 0xff3a, 1, 32},
};

static uint32_t small_letter(uint32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    for (size_t i = 0; i < sizeof capitals / sizeof *capitals && capitals[i].first <= c; i++)
        if (c <= capitals[i].last && (c - capitals[i].first) % capitals[i].step == 0)
            return (uint32_t)((int32_t)c + capitals[i].delta);
    return c;
}

/* The next letter in lower case. What is not UTF-8 of two or three bytes passes byte by byte, above all letters. */
static uint32_t next_letter(struct cursor *c)
{
    uint32_t lead = cursor_u8(c);
    size_t more = lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : 0;
    if (lead < 0x80)
        return small_letter(lead);
    if (more == 0 || cursor_left(c) < more)
        return lead | 0x80000000u;
    uint32_t letter = more == 1 ? lead & 0x1f : lead & 0x0f;
    for (size_t i = 0; i < more; i++) {
        if ((c->p[i] & 0xc0) != 0x80)
            return lead | 0x80000000u;
        letter = letter << 6 | (c->p[i] & 0x3f);
    }
    cursor_take(c, more);
    return small_letter(letter);
}

bool name_equal(struct view a, struct view b)
{
    struct cursor x = cursor_of(a);
    struct cursor y = cursor_of(b);
    while (cursor_left(&x) > 0 && cursor_left(&y) > 0)
        if (next_letter(&x) != next_letter(&y))
            return false;
    return cursor_left(&x) == 0 && cursor_left(&y) == 0;
}

static void put_letter(struct buf *out, uint32_t c)
{
    buf_need(out, 3);
    if (c < 0x80 || c >= 0x80000000u) {
        *out->p++ = (uint8_t)c;
    } else if (c < 0x800) {
        *out->p++ = (uint8_t)(0xc0 | c >> 6);
        *out->p++ = (uint8_t)(0x80 | (c & 0x3f));
    } else {
        *out->p++ = (uint8_t)(0xe0 | c >> 12);
        *out->p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *out->p++ = (uint8_t)(0x80 | (c & 0x3f));
    }
}

void name_fold(struct view name, struct buf *out)
{
    struct cursor c = cursor_of(name);
    while (cursor_left(&c) > 0)
        put_letter(out, next_letter(&c));
}
