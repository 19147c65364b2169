/* SPDX-License-Identifier: Apache-2.0 */
/* 1 flag, JSON text: tidy text stays as it is when tidied again. */
#include "binlog/jsonb.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct view once, twice;
    struct fail why;
    arena_init(&a);
    if (size > 0 &&
        jsonb_tidy_text((struct view){data + 1, size - 1}, (enum jsonb_typed)(data[0] % 3), &a, &once, &why)) {
        ASSERT(once.n <= size - 1);
        if (once.n > 0) {
            ASSERT(jsonb_tidy_text(once, JSONB_TYPED_NO, &a, &twice, &why));
            ASSERT(view_equal(once, twice));
        }
    }
    arena_fini(&a);
    return 0;
}
