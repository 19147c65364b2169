/* SPDX-License-Identifier: Apache-2.0 */
/* A binary JSON document: its text is JSON that a reader takes as it is, and not out of proportion to the document. */
#include "binlog/jsonb.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text;
    struct fail why;
    buf_init(&text);
    if (jsonb_print((struct view){data, size}, &text, &why)) {
        struct arena a;
        struct view same;
        arena_init(&a);
        ASSERT(jsonb_tidy_text(buf_view(&text), false, &a, &same, &why));
        ASSERT(view_equal(same, buf_view(&text)));
        arena_fini(&a);
    }
    ASSERT(buf_size(&text) <= 64 + 64 * size);
    buf_fini(&text);
    return 0;
}
