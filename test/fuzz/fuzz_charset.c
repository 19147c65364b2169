/* SPDX-License-Identifier: Apache-2.0 */
/* 1 charset, bytes: whatever they are, valid UTF-8 comes of them. */
#include "base/fail.h"
#include "binlog/charset.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct charset *cs = size > 0 ? charset_at(data[0]) : NULL;
    if (cs == NULL)
        return 0;
    struct buf utf8;
    buf_init(&utf8);
    charset_to_utf8(cs, (struct view){data + 1, size - 1}, &utf8);
    ASSERT(utf8_is_valid(buf_view(&utf8)));
    ASSERT(buf_size(&utf8) <= 3 * size);
    buf_fini(&utf8);
    return 0;
}
