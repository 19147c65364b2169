/* SPDX-License-Identifier: Apache-2.0 */
/* Stored offsets: what is read is printed to something that reads to the same again. */
#include "connector/offsets.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct offset_state first, second;
    struct buf once, twice;
    struct fail why;
    offset_state_init(&first);
    offset_state_init(&second);
    buf_init(&once);
    buf_init(&twice);
    if (offsets_read(&first, (struct view){data, size}, &why)) {
        offsets_print(&first, &once);
        ASSERT(offsets_read(&second, buf_view(&once), &why));
        offsets_print(&second, &twice);
        ASSERT(view_equal(buf_view(&once), buf_view(&twice)));
    }
    buf_fini(&once);
    buf_fini(&twice);
    offset_state_fini(&first);
    offset_state_fini(&second);
    return 0;
}
