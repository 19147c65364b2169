/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/wanted.h"

#include "connector/regex.h"
#include "snapshot/chunk_filter.h"

#include <stdlib.h>
#include <string.h>

bool wanted_may_read(const struct config *cfg, bool has_gtids, struct fail *why)
{
    if (has_gtids || cfg->snapshot_for_share)
        return true;
    return fail_set(why, FAIL_REFUSE, FAIL_AREA_SOURCE, 0,
                    "the source has no GTIDs, so rows would have to be read FOR SHARE, with short row locks; hint: "
                    "tidemark.snapshot.for.share=true allows it, gtid_mode=ON on the source makes it needless");
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

void wanted_put_id(struct buf *out, struct view db, struct view table)
{
    if (db.n > 0) {
        buf_put_view(out, db);
        buf_put_u8(out, '.');
    }
    buf_put_view(out, table);
}

void wanted_put_names(const struct wanted *wanted, struct buf *out)
{
    for (size_t i = 0; i < wanted->n; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        wanted_put_id(out, wanted->items[i].db, wanted->items[i].table);
    }
}

static bool is_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* A pattern as a name: "shop\.orders" is shop.orders; "shop\.\w" is none. */
static void put_literal(struct buf *name, struct view pattern)
{
    for (size_t i = 0; i < pattern.n; i++)
        if (pattern.p[i] != '\\' || (i + 1 < pattern.n && is_word(pattern.p[i + 1])))
            buf_put_u8(name, pattern.p[i]);
}

/* A pattern that matches no table is a name: it may be of a table that is not known. */
static void add_literal(struct wanted *wanted, struct view pattern)
{
    struct buf name;
    buf_init(&name);
    put_literal(&name, pattern);
    const uint8_t *dot = memchr(name.start, '.', buf_size(&name));
    if (dot == NULL)
        add(wanted, VIEW_NONE, buf_view(&name));
    else
        add(wanted, (struct view){name.start, (size_t)(dot - name.start)},
            (struct view){dot + 1, (size_t)(name.p - dot - 1)});
    buf_fini(&name);
}

/* Whether there is such a table now. */
static bool is_there(const struct shape_history *h)
{
    return h->n > 0 && h->versions[h->n - 1].ddl != NULL;
}

/* A pattern that is a table's very name means that table alone, not Orders besides orders; false when there is none. */
static bool add_named(struct view pattern, const struct shape_history **all, size_t n, struct wanted *wanted)
{
    struct buf name, id;
    bool is_found = false;
    buf_init(&name);
    buf_init(&id);
    put_literal(&name, pattern);
    for (size_t i = 0; !is_found && i < n; i++) {
        buf_clear(&id);
        wanted_put_id(&id, view_of(all[i]->db), view_of(all[i]->table));
        is_found = is_there(all[i]) && view_equal(buf_view(&id), buf_view(&name));
        if (is_found)
            add(wanted, view_of(all[i]->db), view_of(all[i]->table));
    }
    buf_fini(&name);
    buf_fini(&id);
    return is_found;
}

static bool expand_pattern(struct view pattern, const struct shape_history **all, size_t n, struct wanted *wanted,
                           struct fail *why)
{
    if (add_named(pattern, all, n, wanted))
        return true;
    struct buf id;
    struct regex *re = regex_new(pattern, why);
    bool has_match = false;
    if (re == NULL)
        return fail_add(why, "read the pattern %.*s", VIEW_ARGS(pattern));
    buf_init(&id);
    for (size_t i = 0; i < n; i++) {
        struct view db = view_of(all[i]->db);
        struct view table = view_of(all[i]->table);
        buf_clear(&id);
        wanted_put_id(&id, db, table);
        if (!is_there(all[i]) || !regex_matches(re, buf_view(&id)))
            continue;
        has_match = true;
        add(wanted, db, table);
    }
    buf_fini(&id);
    regex_free(&re);
    if (!has_match)
        add_literal(wanted, pattern);
    return true;
}

static bool expand(const struct signal *sig, const struct shape_store *shapes, struct wanted *wanted, struct fail *why)
{
    const struct shape_history **all = shape_store_sorted(shapes);
    bool ok = true;
    for (unsigned i = 0; ok && i < sig->n_collections; i++)
        ok = expand_pattern(sig->collections[i], all, shapes->tables.n, wanted, why);
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

/* The first condition whose pattern matches the table. */
static bool find_filter(const struct signal *sig, struct arena *memory, struct wanted_table *t, struct fail *why)
{
    struct buf id;
    bool ok = true;
    buf_init(&id);
    wanted_put_id(&id, t->db, t->table);
    for (unsigned i = 0; ok && t->filter == NULL && i < sig->n_conditions; i++) {
        const struct signal_condition *cond = &sig->conditions[i];
        struct regex *re = cond->collection.p == NULL ? NULL : regex_new(cond->collection, why);
        if (cond->collection.p != NULL && re == NULL)
            ok = fail_add(why, "read the pattern %.*s of a condition", VIEW_ARGS(cond->collection));
        else if ((re == NULL || regex_matches(re, buf_view(&id))) && cond->filter.n > 0)
            t->filter = keep_text(memory, cond->filter);
        regex_free(&re);
    }
    buf_fini(&id);
    return ok && (t->filter == NULL || chunk_filter_check(t->filter, why));
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
    bool ok = expand(sig, shapes, wanted, why);
    for (size_t i = 0; ok && i < wanted->n; i++)
        ok = find_filter(sig, memory, &wanted->items[i], why) && check_lengths(sig, &wanted->items[i], why);
    return ok;
}
