/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/initial.h"

#include <stdlib.h>
#include <string.h>

struct candidate {
    size_t rank; /* in table.include.list */
    size_t name; /* among all names */
    struct table_read *table;
};

static int by_rank(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* NULL: not there any more, or not captured. */
static struct table_read *table_of(const struct shape_history *history, initial_shape_fn find_shape, void *ctx)
{
    struct view db = view_of(history->db);
    struct view table = view_of(history->table);
    const struct shape *shape = NULL;
    if (find_shape(ctx, db, table, &shape) != INCREMENTAL_SHAPE_FOUND)
        return NULL;
    struct table_read *t = table_read_new(db, table);
    t->kind = READ_INITIAL;
    t->is_muted = shape->n_key == 0;
    shape_free(&shape);
    return t;
}

size_t initial_queue(struct incremental *inc, const struct config *cfg, const struct shape_store *shapes,
                     initial_shape_fn find_shape, void *ctx)
{
    const struct shape_history **all = shape_store_sorted(shapes);
    struct candidate *found = mem_zero(shapes->tables.n, sizeof *found);
    size_t n = 0;
    for (size_t i = 0; i < shapes->tables.n; i++) {
        struct view db = view_of(all[i]->db);
        struct view table = view_of(all[i]->table);
        if (!filter_snapshots_table(&cfg->filter, db, table))
            continue;
        struct table_read *t = table_of(all[i], find_shape, ctx);
        if (t != NULL)
            found[n++] = (struct candidate){filter_table_rank(&cfg->filter, db, table), i, t};
    }
    qsort(found, n, sizeof *found, by_rank);
    for (size_t i = 0; i < n; i++) {
        found[i].table->is_first = i == 0;
        incremental_add(inc, found[i].table);
    }
    free(found);
    free(all);
    return n;
}
