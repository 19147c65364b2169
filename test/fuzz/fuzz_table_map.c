/* SPDX-License-Identifier: Apache-2.0 */
/* Table maps: what is read has as many columns, names and members as it says, and can be checked against a definition. */
#include "binlog/table_map.h"
#include "binlog/value.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t seen;

static void look(struct view v)
{
    for (size_t i = 0; i < v.n; i++)
        seen += v.p[i];
}

static void look_at_columns(const struct table_map *tm)
{
    for (uint32_t i = 0; i < tm->n_columns; i++) {
        const struct table_map_column *col = &tm->columns[i];
        look(col->name);
        for (uint32_t m = 0; m < col->n_members; m++)
            look(col->members[m]);
    }
    for (uint32_t k = 0; k < tm->n_key; k++)
        ASSERT(tm->key[k].column < tm->n_columns);
}

/* A definition of as many columns, each of another kind: nearly all differ, and each difference is put into words. */
static void check_against(const struct table_map *tm, struct arena *a, unsigned shift)
{
    struct shape shape = {.db = tm->db, .table = tm->table, .n_columns = tm->n_columns};
    struct fail why;
    struct view members[2] = {view_of("a"), view_of("b")};
    shape.columns = arena_zero(a, tm->n_columns, sizeof *shape.columns);
    for (uint32_t i = 0; i < tm->n_columns; i++) {
        struct column *col = &shape.columns[i];
        col->name = view_of("c");
        col->kind = (enum column_kind)((i + shift) % (COLUMN_VECTOR + 1));
        col->is_nullable = tm->columns[i].is_nullable;
        col->members = members;
        col->n_members = 2;
    }
    seen += table_map_check(tm, &shape, &why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table_map tm;
    struct arena a;
    struct fail why;
    uint64_t id;
    arena_init(&a);
    bool has_id = table_map_peek_id((struct view){data, size}, &id);
    if (table_map_read(&tm, (struct view){data, size}, &a, &why)) {
        ASSERT(has_id && id == tm.id);
        look_at_columns(&tm);
        for (unsigned shift = 0; shift <= COLUMN_VECTOR; shift++)
            check_against(&tm, &a, shift);
    }
    arena_fini(&a);
    return 0;
}
