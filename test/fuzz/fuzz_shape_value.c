/* SPDX-License-Identifier: Apache-2.0 */
/* Stored shapes: key and value, parted by a newline; what is loaded is printed to something that loads to the same. */
#include "connector/shape_store.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct shape_store *store, struct buf *key, struct buf *value)
{
    const struct map_entry *e;
    for (size_t at = 0; (e = map_next(&store->tables, &at)) != NULL;) {
        const struct shape_history *h = e->value;
        shape_store_print_key(store, view_of(h->db), view_of(h->table), key);
        ASSERT(shape_store_print(store, view_of(h->db), view_of(h->table), value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = size == 0 ? NULL : memchr(data, '\n', size);
    size_t n = newline == NULL ? size : (size_t)(newline - data);
    struct view key = {data, n}, value = {data + n, size - n};
    struct shape_store first, second;
    struct buf keys[2], values[2];
    struct fail why;
    shape_store_init(&first, "n", "p");
    shape_store_init(&second, "n", "p");
    for (int i = 0; i < 2; i++) {
        buf_init(&keys[i]);
        buf_init(&values[i]);
    }
    if (shape_store_load(&first, key, newline != NULL, value, &why) && first.tables.n == 1) {
        print_all(&first, &keys[0], &values[0]);
        ASSERT(shape_store_load(&second, buf_view(&keys[0]), true, buf_view(&values[0]), &why));
        print_all(&second, &keys[1], &values[1]);
        ASSERT(view_equal(buf_view(&values[0]), buf_view(&values[1])));
    }
    for (int i = 0; i < 2; i++) {
        buf_fini(&keys[i]);
        buf_fini(&values[i]);
    }
    shape_store_fini(&first);
    shape_store_fini(&second);
    return 0;
}
