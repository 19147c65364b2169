/* SPDX-License-Identifier: Apache-2.0 */
#include "record/json.h"

#include "base/base64.h"
#include "base/utf8.h"

/* ---- strings ---- */

/* The letter of a short escape of a byte that must be escaped; 0: there is none. */
static uint8_t short_escape(uint32_t code)
{
    switch (code) {
    case '"':
    case '\\':
        return (uint8_t)code;
    case '\b':
        return 'b';
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\f':
        return 'f';
    case '\r':
        return 'r';
    default:
        return 0;
    }
}

static void put_unit(struct buf *out, uint32_t unit)
{
    static const char hex[] = "0123456789ABCDEF";
    uint8_t text[6] = {'\\',
                       'u',
                       (uint8_t)hex[unit >> 12 & 15],
                       (uint8_t)hex[unit >> 8 & 15],
                       (uint8_t)hex[unit >> 4 & 15],
                       (uint8_t)hex[unit & 15]};
    buf_put(out, text, sizeof text);
}

static void put_escape(struct buf *out, uint32_t code)
{
    uint8_t letter = short_escape(code);
    if (letter != 0) {
        buf_need(out, 2);
        *out->p++ = '\\';
        *out->p++ = letter;
    } else if (code < 0x10000) {
        put_unit(out, code);
    } else {
        put_unit(out, 0xd800 + ((code - 0x10000) >> 10));
        put_unit(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
    }
}

/* One code point that is not plain ASCII: copied, escaped or replaced. */
static void put_code(struct buf *out, uint32_t code)
{
    if (code >= 0x10000 || code < 0x20 || code == '"' || code == '\\')
        put_escape(out, code);
    else
        utf8_put(out, code);
}

enum { PIECE_BYTES = 512, ESCAPE_MAX = 6 }; /* of input, for which room is made at once; of output, for a byte */

/* Puts one code point that is not plain ASCII, or must be escaped; returns its bytes. Most of them are quotes. */
static inline size_t put_special(struct buf *out, const uint8_t *p, size_t n)
{
    if (*p == '"' || *p == '\\') {
        out->p[0] = '\\';
        out->p[1] = *p;
        out->p += 2;
        return 1;
    }
    size_t run = utf8_middle_run(p, n);
    if (run > 0) {
        buf_put(out, p, run);
        return run;
    }
    struct utf8_step step = utf8_step(p, n);
    put_code(out, step.code);
    return step.bytes;
}

/* A character may reach behind the piece; returns where the next one starts. */
static size_t put_piece(struct buf *out, const uint8_t *p, size_t n, size_t piece)
{
    size_t at = 0;
    for (;;) {
        size_t run = utf8_json_copy(out->p, p + at, piece - at, true);
        out->p += run;
        at += run;
        if (at >= piece)
            return at;
        at += put_special(out, p + at, n - at);
        if (at >= piece)
            return at;
    }
}

void json_put_escaped(struct buf *out, struct view utf8)
{
    for (size_t at = 0; at < utf8.n;) {
        size_t left = utf8.n - at;
        size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
        buf_need(out, ESCAPE_MAX * piece);
        at += put_piece(out, utf8.p + at, left, piece);
    }
}

void json_put_string(struct buf *out, struct view utf8)
{
    buf_put_u8(out, '"');
    json_put_escaped(out, utf8);
    buf_put_u8(out, '"');
}

static void put_decoded(struct buf *out, const struct charset *cs, struct view bytes)
{
    size_t at = 0;
    while (at < bytes.n) {
        if (cs->is_ascii) {
            size_t run = utf8_json_run(bytes.p + at, bytes.n - at, true);
            buf_put(out, bytes.p + at, run);
            at += run;
            if (at == bytes.n)
                break;
        }
        struct utf8_step step = charset_step(cs, bytes.p + at, bytes.n - at);
        put_code(out, step.code);
        at += step.bytes;
    }
}

void json_put_column_text(struct buf *out, const struct charset *cs, struct view bytes)
{
    buf_put_u8(out, '"');
    if (cs == NULL || cs->is_utf8 || cs->is_binary)
        json_put_escaped(out, bytes);
    else
        put_decoded(out, cs, bytes);
    buf_put_u8(out, '"');
}

/* ---- bytes ---- */

void json_put_base64(struct buf *out, struct view bytes)
{
    buf_put_u8(out, '"');
    base64_put(out, bytes);
    buf_put_u8(out, '"');
}

void json_put_base64_url(struct buf *out, struct view bytes)
{
    buf_put_u8(out, '"');
    base64_put_url(out, bytes);
    buf_put_u8(out, '"');
}

void json_put_hex(struct buf *out, struct view bytes)
{
    static const char hex[] = "0123456789abcdef";
    buf_need(out, bytes.n * 2 + 2);
    uint8_t *p = out->p;
    *p++ = '"';
    for (size_t at = 0; at < bytes.n; at++) {
        *p++ = (uint8_t)hex[bytes.p[at] >> 4];
        *p++ = (uint8_t)hex[bytes.p[at] & 15];
    }
    *p++ = '"';
    out->p = p;
}
