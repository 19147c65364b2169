/* SPDX-License-Identifier: Apache-2.0 */
/*
 * charset_encode: UTF-8 text as bytes of another set, by asking the decoder which bytes are the character.
 *
 * Slow, at up to 65,536 questions a character: for the few texts of a statement. Of several codes for one character the lowest is
 * taken.
 */
#include "binlog/charset.h"
#include "binlog/charset_tables.h"

enum { LEAST_PAIR = 0x80, EUC_PREFIX = 0x8f, LINEAR_ASTRAL = 189000 };

static bool is_code(const struct charset *cs, const uint8_t *bytes, uint32_t n, uint32_t code)
{
    struct utf8_step step = charset_step(cs, bytes, n);
    return step.bytes == n && step.code == code && !step.is_malformed;
}

static bool put_single(const struct charset *cs, uint32_t code, struct buf *out)
{
    for (unsigned i = 0; i <= UINT8_MAX; i++) {
        uint8_t byte = (uint8_t)i;
        if (!is_code(cs, &byte, 1, code))
            continue;
        buf_put_u8(out, byte);
        return true;
    }
    return false;
}

static bool put_pair(const struct charset *cs, bool has_prefix, uint32_t code, struct buf *out)
{
    uint8_t bytes[3] = {EUC_PREFIX};
    uint32_t n = has_prefix ? 3 : 2;
    for (unsigned i = LEAST_PAIR << 8; i <= UINT16_MAX; i++) {
        bytes[n - 2] = (uint8_t)(i >> 8);
        bytes[n - 1] = (uint8_t)i;
        if (!is_code(cs, bytes, n, code))
            continue;
        buf_put(out, bytes, n);
        return true;
    }
    return false;
}

/* The place of a character among the four-byte codes of GB 18030, LINEAR_ASTRAL and more beyond the basic plane. */
static bool find_linear(uint32_t code, uint32_t *at)
{
    *at = LINEAR_ASTRAL + code - 0x10000;
    if (code >= 0x10000)
        return true;
    for (unsigned i = 0; i < charset_gb18030_linear_count; i++) {
        const struct charset_linear *run = &charset_gb18030_linear[i];
        *at = run->first + code - run->code;
        if (run->code != UTF8_REPLACEMENT && code >= run->code && code - run->code < run->n)
            return true;
    }
    return false;
}

static bool put_linear(uint32_t code, struct buf *out)
{
    uint32_t at;
    if (!find_linear(code, &at))
        return false;
    const uint8_t bytes[] = {(uint8_t)(0x81 + at / 12600), (uint8_t)(0x30 + at / 1260 % 10),
                             (uint8_t)(0x81 + at / 10 % 126), (uint8_t)(0x30 + at % 10)};
    buf_put(out, bytes, sizeof bytes);
    return true;
}

static bool put_code(const struct charset *cs, uint32_t code, struct buf *out)
{
    if (put_single(cs, code, out) || (cs->wide != NULL && put_pair(cs, false, code, out)))
        return true;
    return cs->wide_8f != NULL ? put_pair(cs, true, code, out)
                               : cs->step == charset_step_gb18030 && put_linear(code, out);
}

static bool put_unit(uint32_t code, bool is_little, struct buf *out)
{
    buf_put_u8(out, (uint8_t)(is_little ? code : code >> 8));
    buf_put_u8(out, (uint8_t)(is_little ? code >> 8 : code));
    return true;
}

static bool put_utf16(uint32_t code, bool is_little, struct buf *out)
{
    if (code < 0x10000)
        return put_unit(code, is_little, out);
    put_unit(0xd800 + ((code - 0x10000) >> 10), is_little, out);
    return put_unit(0xdc00 + ((code - 0x10000) & 0x3ff), is_little, out);
}

static bool put_utf8(const struct charset *cs, uint32_t code, struct buf *out)
{
    if ((cs->max_bytes == 1 && code >= 0x80) || (cs->max_bytes == 3 && code >= 0x10000))
        return false;
    utf8_put(out, code);
    return true;
}

static bool put_character(const struct charset *cs, uint32_t code, struct buf *out)
{
    if (cs->is_utf8)
        return put_utf8(cs, code, out);
    if (cs->step == charset_step_ucs2)
        return code < 0x10000 && put_unit(code, false, out);
    if (cs->step == charset_step_utf16 || cs->step == charset_step_utf16le)
        return put_utf16(code, cs->step == charset_step_utf16le, out);
    if (cs->step == charset_step_utf32)
        return put_unit(code >> 16, false, out) && put_unit(code & 0xffff, false, out);
    return put_code(cs, code, out);
}

bool charset_from_utf8(const struct charset *cs, struct view text, struct buf *out)
{
    bool has_all = true;
    while (text.n > 0) {
        struct utf8_step step = utf8_step(text.p, text.n);
        if (!put_character(cs, step.code, out)) {
            put_character(cs, '?', out);
            has_all = false;
        }
        text = (struct view){text.p + step.bytes, text.n - step.bytes};
    }
    return has_all;
}
