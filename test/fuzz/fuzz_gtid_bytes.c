/* SPDX-License-Identifier: Apache-2.0 */
/* GTID sets as bytes: what is decoded, encodes to bytes that decode to the same set. */
#include "binlog/gtid.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gtid_set set;
    struct gtid_set back;
    struct fail why;
    gtid_set_init(&set);
    gtid_set_init(&back);
    if (gtid_set_decode(&set, (struct view){data, size}, &why)) {
        struct buf bytes;
        buf_init(&bytes);
        gtid_set_encode(&set, &bytes);
        ASSERT(gtid_set_decode(&back, buf_view(&bytes), &why));
        ASSERT(gtid_set_equal(&set, &back));
        buf_fini(&bytes);
    }
    gtid_set_fini(&set);
    gtid_set_fini(&back);
    return 0;
}
