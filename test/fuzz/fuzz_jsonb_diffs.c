/* SPDX-License-Identifier: Apache-2.0 */
/* 2 length of a document, the document, differences. What comes of it can be taken apart again: no differences copy it. */
#include "binlog/jsonb.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cursor c = cursor_of((struct view){data, size});
    struct view before = cursor_view(&c, cursor_u16(&c));
    struct view diffs = cursor_view(&c, cursor_left(&c));
    struct buf after, again, text;
    struct fail why;
    buf_init(&after);
    buf_init(&again);
    buf_init(&text);
    if (jsonb_apply_diffs(before, diffs, &after, &why)) {
        ASSERT(buf_size(&after) <= 64 + 64 * size);
        ASSERT(jsonb_apply_diffs(buf_view(&after), VIEW_NONE, &again, &why));
        bool before_prints = jsonb_print(before, &text, &why);
        bool after_prints = jsonb_print(buf_view(&after), &text, &why);
        ASSERT(after_prints || !before_prints || diffs.n > 0);
    }
    buf_fini(&after);
    buf_fini(&again);
    buf_fini(&text);
    return 0;
}
