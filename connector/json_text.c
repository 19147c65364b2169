/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/json_text.h"

#include <stdio.h>

/* What can't stand in a string as it is; upper-case digits as Jackson has them. */
static void put_escaped(struct buf *out, uint8_t c)
{
    static const char hex[] = "0123456789ABCDEF";
    static const char *const shorts[0x20] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"};
    if (c >= 0x20) {
        buf_put_u8(out, '\\');
        buf_put_u8(out, c);
    } else if (shorts[c] != NULL) {
        buf_put_text(out, shorts[c]);
    } else {
        buf_put_literal(out, "\\u00");
        buf_put_u8(out, (uint8_t)hex[c >> 4]);
        buf_put_u8(out, (uint8_t)hex[c & 15]);
    }
}

static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

void json_text_put_string(struct buf *out, struct view text)
{
    buf_put_u8(out, '"');
    for (size_t at = 0; at < text.n;) {
        size_t plain = at;
        while (plain < text.n && is_plain(text.p[plain]))
            plain++;
        buf_put(out, text.p + at, plain - at);
        if (plain < text.n)
            put_escaped(out, text.p[plain++]);
        at = plain;
    }
    buf_put_u8(out, '"');
}

void json_text_put_name(struct buf *out, const char *name)
{
    if (out->p[-1] != '{')
        buf_put_u8(out, ',');
    buf_put_u8(out, '"');
    buf_put_text(out, name);
    buf_put_literal(out, "\":");
}

void json_text_put_number(struct buf *out, int64_t v)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)v);
    buf_put(out, text, (size_t)n);
}

size_t json_text_skip(struct view text, size_t at)
{
    size_t depth = 0;
    bool is_string = false;
    for (; at < text.n; at++) {
        uint8_t c = text.p[at];
        if (is_string) {
            if (c == '\\')
                at++;
            else if (c == '"')
                is_string = false;
        } else if (c == '"') {
            is_string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth-- == 0)
                break;
        } else if (c == ',' && depth == 0) {
            break;
        }
    }
    return at < text.n ? at : text.n;
}
