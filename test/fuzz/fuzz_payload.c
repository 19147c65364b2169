/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed transactions, as they come and with a byte in front that makes them plain: every event given is whole. */
#include "binlog/payload.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENOUGH_BYTES = 4 << 20 }; /* a small input may honestly inflate to gigabytes */

static void read_all(struct payload *p, struct view body)
{
    struct fail why;
    struct view event;
    uint64_t total = 0;
    if (!payload_open(p, body, &why))
        return;
    while (total < ENOUGH_BYTES && payload_next(p, &event, &why) && event.n > 0) {
        uint32_t length;
        memcpy(&length, event.p + 9, 4);
        ASSERT(length == event.n && event.n >= 19);
        total += event.n;
        ASSERT(p->plain_at == total && total <= p->plain_bytes);
    }
    payload_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct payload p;
    payload_init(&p);
    read_all(&p, (struct view){data, size});
    read_all(&p, (struct view){data, size}); /* the same memory again */
    payload_fini(&p);
    return 0;
}
