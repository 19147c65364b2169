/* SPDX-License-Identifier: Apache-2.0 */
/* Java's serialisation: what reads as a key is written to something that reads as the same; files of offsets end in order. */
#include "connector/connect_file.h"
#include "connector/java_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool see(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    size_t *bytes = ctx;
    (void)why;
    *bytes += key.n + (has_value ? value.n : 0);
    return true;
}

static void put_hex(struct view bytes, struct buf *out)
{
    for (size_t i = 0; i < bytes.n; i++)
        buf_printf(out, "%02x", bytes.p[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct java_key first;
    struct java_key second;
    struct arena memory;
    struct buf hex;
    struct buf once;
    struct buf twice;
    struct fail why;
    size_t bytes = 0;
    arena_init(&memory);
    buf_init(&hex);
    buf_init(&once);
    buf_init(&twice);
    if (connect_file_read((struct view){data, size}, see, &bytes, &why))
        ASSERT(bytes <= size * size);
    put_hex((struct view){data, size}, &hex);
    if (java_key_decode(buf_view(&hex), &memory, &first, &why)) {
        java_key_encode(&first, &once);
        ASSERT(java_key_decode(buf_view(&once), &memory, &second, &why));
        java_key_encode(&second, &twice);
        ASSERT(view_equal(buf_view(&once), buf_view(&twice)));
    }
    arena_fini(&memory);
    buf_fini(&hex);
    buf_fini(&once);
    buf_fini(&twice);
    return 0;
}
