/* SPDX-License-Identifier: Apache-2.0 */
/* A binary JSON document: its text is JSON that a reader takes as it is, and not out of proportion to the document; in a
 * record it is that text, as a JSON string. */
#include "binlog/jsonb.h"
#include "record/document.h"
#include "record/json.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text, expected, quoted;
    struct fail why;
    buf_init(&text);
    buf_init(&expected);
    buf_init(&quoted);
    bool is_document = jsonb_print((struct view){data, size}, &text, &why);
    ASSERT(document_put(&quoted, (struct view){data, size}) == is_document);
    if (is_document) {
        json_put_string(&expected, buf_view(&text));
        ASSERT(view_equal(buf_view(&quoted), buf_view(&expected)));
        struct arena a;
        struct view same;
        arena_init(&a);
        ASSERT(jsonb_tidy_text(buf_view(&text), JSONB_TYPED_NO, &a, &same, &why));
        ASSERT(view_equal(same, buf_view(&text)));
        arena_fini(&a);
    }
    ASSERT(buf_size(&text) <= 64 + 64 * size);
    buf_fini(&text);
    buf_fini(&expected);
    buf_fini(&quoted);
    return 0;
}
