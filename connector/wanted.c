/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/wanted.h"

#include "connector/table_pattern.h"
#include "snapshot/chunk_filter.h"

#include <stdlib.h>
#include <string.h>

bool wanted_may_read(const struct config *cfg, bool has_gtids, struct fail *why)
{
    if (has_gtids || cfg->snapshot_for_share)
        return true;
    return fail_set(why, FAIL_REFUSE, FAIL_AREA_SOURCE, 0,
                    "the source has no GTIDs, so rows would have to be read FOR SHARE, with short row locks; hint: "
                    "tidemark.snapshot.for.share=true allows it, gtid_mode=ON on the source, and a start after "
                    "that, makes it needless");
}

/* ---- names ---- */

static void add(struct wanted *wanted, struct view db, struct view table)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (view_equal(wanted->items[i].db, db) && view_equal(wanted->items[i].table, table))
            return;
    if (wanted->n == wanted->room) {
        wanted->room = wanted->room == 0 ? 16 : wanted->room * 2;
        struct wanted_table *items = arena_zero(wanted->memory, wanted->room, sizeof *items);
        if (wanted->n > 0)
            memcpy(items, wanted->items, wanted->n * sizeof *items);
        wanted->items = items;
    }
    wanted->items[wanted->n++] =
        (struct wanted_table){arena_copy(wanted->memory, db), arena_copy(wanted->memory, table), NULL};
}

void wanted_put_names(const struct wanted *wanted, struct buf *out)
{
    for (size_t i = 0; i < wanted->n; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        table_pattern_put_id(out, wanted->items[i].db, wanted->items[i].table);
    }
}

/* A pattern that means no table is a name: it may be of a table that is not known. */
static void add_literal(struct wanted *wanted, const struct table_pattern *pattern)
{
    struct view name = buf_view(&pattern->name);
    const uint8_t *dot = pattern->is_quoted ? name.p + pattern->db_bytes : memchr(name.p, '.', name.n);
    if (dot == NULL)
        add(wanted, VIEW_NONE, name);
    else
        add(wanted, (struct view){name.p, (size_t)(dot - name.p)},
            (struct view){dot + 1, name.n - (size_t)(dot + 1 - name.p)});
}

/* A pattern that is no table's name. */
static void expand_matches(const struct table_pattern *pattern, const struct shape_history **all, size_t n,
                           struct wanted *wanted)
{
    bool has_some = false;
    for (size_t i = 0; i < n; i++) {
        struct view db = view_of(all[i]->db), table = view_of(all[i]->table);
        if (!shape_history_is_there(all[i]) || !table_pattern_means(pattern, db, table))
            continue;
        has_some = true;
        add(wanted, db, table);
    }
    if (!has_some)
        add_literal(wanted, pattern);
}

static bool expand_pattern(struct view text, const struct shape_store *shapes, const struct shape_history **all,
                           struct wanted *wanted, struct fail *why)
{
    struct table_pattern pattern;
    bool ok = table_pattern_init(&pattern, text, shapes, why);
    if (ok && pattern.named != NULL)
        add(wanted, view_of(pattern.named->db), view_of(pattern.named->table));
    else if (ok)
        expand_matches(&pattern, all, shapes->tables.n, wanted);
    table_pattern_fini(&pattern);
    return ok;
}

static bool expand(const struct signal *sig, const struct shape_store *shapes, struct wanted *wanted, struct fail *why)
{
    const struct shape_history **all = shape_store_sorted(shapes);
    bool ok = true;
    for (unsigned i = 0; ok && i < sig->n_collections; i++)
        ok = expand_pattern(sig->collections[i], shapes, all, wanted, why);
    free(all);
    return ok;
}

/* ---- rows ---- */

static const char *keep_text(struct arena *memory, struct view text)
{
    char *copy = arena_zero(memory, text.n + 1, 1);
    memcpy(copy, text.p, text.n);
    return copy;
}

/* Gives the condition to the tables it means that have none yet: the first one counts. One that means no table of the
 * signal was to keep rows back that would now be sent. */
static bool apply_condition(const struct signal_condition *cond, const struct shape_store *shapes,
                            struct wanted *wanted, struct fail *why)
{
    struct table_pattern pattern;
    bool is_for_all = cond->collection.p == NULL, means_some = is_for_all;
    if (!is_for_all && !table_pattern_init(&pattern, cond->collection, shapes, why)) {
        table_pattern_fini(&pattern);
        return fail_add(why, "read a condition");
    }
    for (size_t i = 0; i < wanted->n; i++) {
        struct wanted_table *t = &wanted->items[i];
        if (!is_for_all && !table_pattern_means(&pattern, t->db, t->table))
            continue;
        means_some = true;
        if (t->filter == NULL && cond->filter.n > 0)
            t->filter = keep_text(wanted->memory, cond->filter);
    }
    if (!is_for_all)
        table_pattern_fini(&pattern);
    return means_some ||
           fail_set(why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0,
                    "the condition for %.*s is for none of the tables that were asked for, which would be sent whole; "
                    "hint: its data-collection is to be one of data-collections",
                    VIEW_ARGS(cond->collection));
}

static bool apply_conditions(const struct signal *sig, const struct shape_store *shapes, struct wanted *wanted,
                             struct fail *why)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < sig->n_conditions; i++)
        ok = apply_condition(&sig->conditions[i], shapes, wanted, why);
    for (size_t i = 0; ok && i < wanted->n; i++)
        ok = wanted->items[i].filter == NULL || chunk_filter_check(wanted->items[i].filter, why);
    return ok;
}

static bool check_length(const char *what, struct view text, size_t most, struct fail *why)
{
    return text.n <= most || fail_set(why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0,
                                      "%s has %zu bytes, %zu is the most: %.100s…", what, text.n, most, text.p);
}

static bool check_lengths(const struct signal *sig, const struct wanted_table *t, struct fail *why)
{
    return check_length("a database's name", t->db, WANTED_NAME_BYTES, why) &&
           check_length("a table's name", t->table, WANTED_NAME_BYTES, why) &&
           check_length("surrogate-key", sig->surrogate, WANTED_NAME_BYTES, why) &&
           (t->filter == NULL || check_length("a condition", view_of(t->filter), WANTED_FILTER_BYTES, why));
}

bool wanted_find(const struct signal *sig, const struct shape_store *shapes, struct arena *memory,
                 struct wanted *wanted, struct fail *why)
{
    *wanted = (struct wanted){.memory = memory};
    bool ok = expand(sig, shapes, wanted, why) && apply_conditions(sig, shapes, wanted, why);
    for (size_t i = 0; ok && i < wanted->n; i++)
        ok = check_lengths(sig, &wanted->items[i], why);
    return ok;
}
