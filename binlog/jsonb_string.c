/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/jsonb_string.h"

#include "base/utf8.h"

static const char shorts[] = "\"\"\\\\//b\bf\fn\nr\rt\t"; /* letter behind the backslash, what it stands for */

void jsonb_put_escape(struct buf *out, uint8_t byte)
{
    static const char hex[] = "0123456789ABCDEF";
    buf_need(out, 6);
    *out->p++ = '\\';
    for (const char *pair = shorts; *pair != '\0'; pair += 2) {
        if ((uint8_t)pair[1] == byte) {
            *out->p++ = (uint8_t)pair[0];
            return;
        }
    }
    buf_put_literal(out, "u00");
    *out->p++ = (uint8_t)hex[byte >> 4];
    *out->p++ = (uint8_t)hex[byte & 15];
}

void jsonb_put_string(struct buf *out, struct view text)
{
    buf_put_u8(out, '"');
    for (size_t at = 0;;) {
        buf_need(out, text.n - at);
        size_t run = utf8_json_copy(out->p, text.p + at, text.n - at, false);
        out->p += run;
        at += run;
        if (at == text.n)
            break;
        jsonb_put_escape(out, text.p[at++]);
    }
    buf_put_u8(out, '"');
}

static bool take_unit(struct cursor *c, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t letter = cursor_u8(c);
        if (letter >= '0' && letter <= '9')
            *unit = *unit << 4 | (letter - '0');
        else if ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'f')
            *unit = *unit << 4 | ((letter | 0x20) - 'a' + 10U);
        else
            return false;
    }
    return true;
}

/* The four digits behind \u, and a second escape when they are the first half of a pair. */
static bool take_code(struct cursor *c, struct buf *out)
{
    uint32_t code, low;
    if (!take_unit(c, &code))
        return false;
    if (code >= 0xd800 && code <= 0xdfff) {
        if (code >= 0xdc00 || cursor_u8(c) != '\\' || cursor_u8(c) != 'u' || !take_unit(c, &low) || low < 0xdc00 ||
            low > 0xdfff)
            return false;
        code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
    }
    utf8_put(out, code);
    return true;
}

static bool take_escape(struct cursor *c, struct buf *out)
{
    uint8_t letter = cursor_u8(c);
    if (letter == 'u')
        return take_code(c, out);
    for (const char *pair = shorts; *pair != '\0'; pair += 2) {
        if ((uint8_t)pair[0] == letter) {
            buf_put_u8(out, (uint8_t)pair[1]);
            return true;
        }
    }
    return false;
}

bool jsonb_read_string(struct view inside, struct buf *out)
{
    struct cursor c = cursor_of(inside);
    while (cursor_left(&c) > 0) {
        size_t run = utf8_json_run(c.p, cursor_left(&c), false);
        buf_put(out, c.p, run);
        c.p += run;
        if (cursor_left(&c) > 0 && (cursor_u8(&c) != '\\' || !take_escape(&c, out)))
            return false;
    }
    return true;
}
