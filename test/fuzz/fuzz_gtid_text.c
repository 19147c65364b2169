/* SPDX-License-Identifier: Apache-2.0 */
/* GTID sets as text: what is read, prints to a text that reads to the same set. */
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
    if (gtid_set_read(&set, (struct view){data, size}, &why)) {
        struct buf text;
        buf_init(&text);
        gtid_set_print(&set, &text);
        ASSERT(gtid_set_read(&back, buf_view(&text), &why));
        ASSERT(gtid_set_equal(&set, &back));
        buf_fini(&text);
    }
    gtid_set_fini(&set);
    gtid_set_fini(&back);
    return 0;
}
