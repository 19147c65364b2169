/* SPDX-License-Identifier: Apache-2.0 */
/* One value: 1 wire type, 2 metadata, 1 column kind and flags, then bytes. Decoding and walking past end at the same place. */
#include "binlog/value.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cursor c = cursor_of((struct view){data, size});
    uint8_t wire = cursor_u8(&c);
    uint16_t meta = cursor_u16(&c);
    uint8_t flags = cursor_u8(&c);
    struct column col = {
        .name = view_of("c"),
        .kind = flags & 0x80 ? COLUMN_BINARY : COLUMN_INT,
        .length = flags & 0x3f,
        .is_unsigned = (flags & 0x40) != 0,
    };
    struct value_type type;
    struct cell cell;
    struct fail why;
    struct arena a;
    arena_init(&a);
    value_prepare(&type, wire, meta, &col);
    struct cursor decoded = c, skipped = c;
    if (value_decode(&type, &decoded, &a, &cell, &why)) {
        ASSERT(value_skip(&type, &skipped));
        ASSERT(decoded.p == skipped.p);
        if (cell.kind == CELL_BYTES || cell.kind == CELL_JSON)
            for (size_t i = 0; i < cell.bytes.n; i++)
                flags ^= cell.bytes.p[i]; /* every byte can be read */
    }
    (void)value_fits(wire, meta, &col);
    arena_fini(&a);
    return 0;
}
