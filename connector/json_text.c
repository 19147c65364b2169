/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/json_text.h"

#include "base/digits.h"
#include "record/json.h"

void json_text_put_string(struct buf *out, struct view text)
{
    json_put_string(out, text);
}

void json_text_put_name(struct buf *out, const char *name)
{
    if (out->p[-1] != '{')
        buf_put_u8(out, ',');
    buf_put_u8(out, '"');
    buf_put_text(out, name);
    buf_put_literal(out, "\":");
}

void json_text_put_text_or_null(struct buf *out, const char *name, const char *text)
{
    json_text_put_name(out, name);
    if (text == NULL)
        buf_put_literal(out, "null");
    else
        json_text_put_string(out, view_of(text));
}

void json_text_put_number(struct buf *out, int64_t v)
{
    digits_put_i64(out, v);
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
