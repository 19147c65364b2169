/* SPDX-License-Identifier: Apache-2.0 */
#include "record/document.h"

#include "base/utf8.h"
#include "binlog/jsonb.h"
#include "binlog/jsonb_string.h"
#include "record/json.h"

#include <stdlib.h>

enum { SMALL_TEXT = 4096, ESCAPE_MAX = 6 };

/* The text that stands at the buffer's end from `at` on is escaped there. A small one is first moved so far back that what
 * becomes of it can't reach it, a large one is worth an allocation. */
static void escape_in_place(struct buf *out, size_t at)
{
    size_t n = buf_size(out) - at;
    if (n > SMALL_TEXT) {
        uint8_t *copy = mem_alloc(n);
        memcpy(copy, out->start + at, n);
        out->p = out->start + at;
        json_put_escaped(out, (struct view){copy, n});
        free(copy);
        return;
    }
    size_t room = ESCAPE_MAX * n;
    buf_need(out, room);
    uint8_t *moved = memmove(out->start + at + room, out->start + at, n);
    out->p = out->start + at;
    json_put_escaped(out, (struct view){moved, n});
}

/* A string of the document: its quotes are escaped, and whatever in it is escaped already is so twice. */
static void put_string(struct buf *out, struct view text)
{
    buf_need(out, text.n + 4);
    uint8_t *p = out->p;
    p[0] = '\\';
    p[1] = '"';
    if (utf8_json_copy(p + 2, text.p, text.n, true) == text.n) {
        p += text.n;
        p[2] = '\\';
        p[3] = '"';
        out->p = p + 4;
        return;
    }
    size_t at = buf_size(out);
    jsonb_put_string(out, text);
    escape_in_place(out, at);
}

bool document_put(struct buf *out, struct view doc)
{
    static const struct jsonb_strings strings = {put_string, {(const uint8_t *)"\\\"", 2}};
    buf_put_u8(out, '"');
    if (!jsonb_print_inside(doc, &strings, out, NULL))
        return false;
    buf_put_u8(out, '"');
    return true;
}
