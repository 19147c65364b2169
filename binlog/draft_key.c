/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft_key: the keys of a table as the server keeps them: with columns, names and its own order.
 *
 * New keys name columns as they are after the whole statement. A key without a name gets its first column's, with _2,
 * _3, … when that is taken. The key that a FOREIGN KEY needs is made unless one serves as well. The order is: primary,
 * unique without NULL, unique without prefixes, unique, others; within each as they were made. It matters, because the
 * first unique key without NULL is the record key of a table without a primary one.
 *
 * Source: the manual, CREATE TABLE and "FOREIGN KEY Constraints"; trials on a 9.7 server.
 */
#include "binlog/draft.h"
#include "binlog/name.h"

enum { KEYS_MAX = 512 }; /* the server's are 64 */

/* ---- columns */

static bool find_columns(struct draft *d, struct draft_key *key)
{
    for (uint32_t i = 0; i < key->n_parts; i++) {
        struct draft_part *part = &key->parts[i];
        if (part->is_expression || part->column != NULL)
            continue;
        part->column = draft_find_column(d, part->name);
        if (part->column == NULL)
            return fail_malformed(d->p->why, "read DDL: a key names column `%.*s` that table `%.*s` doesn't have",
                                  VIEW_ARGS(part->name), VIEW_ARGS(d->table));
    }
    return true;
}

/* A key loses its dropped columns, and goes with the last. */
static void leave_dropped_columns(struct draft_key *key)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < key->n_parts; i++)
        if (key->parts[i].column == NULL || !key->parts[i].column->is_dropped)
            key->parts[n++] = key->parts[i];
    key->n_parts = n;
    key->is_dropped |= n == 0;
}

static bool is_string(enum column_kind kind)
{
    return kind == COLUMN_CHAR || kind == COLUMN_VARCHAR || kind == COLUMN_BINARY || kind == COLUMN_VARBINARY;
}

static bool is_blob(enum column_kind kind)
{
    return kind == COLUMN_TEXT || kind == COLUMN_BLOB;
}

/* The server takes the stored bytes of an ENUM or SET in a key for a prefix when the column becomes a string. */
static void imply_prefix(const struct draft_key *key, struct draft_part *part)
{
    const struct column *old = part->column->old;
    if (key->is_new || part->prefix > 0 || old == NULL || (old->kind != COLUMN_ENUM && old->kind != COLUMN_SET))
        return;
    uint64_t stored = old->kind == COLUMN_ENUM ? 1 + (old->n_members > UINT8_MAX) : (old->n_members + 7u) / 8;
    if (old->kind == COLUMN_SET && stored > 4)
        stored = 8;
    if (stored != draft_room_of(old) * old->charset->max_bytes)
        part->prefix = (uint32_t)(stored / old->charset->max_bytes);
}

/* A prefix that is not less than the column, or of a type that knows none, is no prefix. */
static void settle_prefixes(struct draft_key *key)
{
    for (uint32_t i = 0; i < key->n_parts; i++) {
        struct draft_part *part = &key->parts[i];
        if (part->column == NULL)
            continue;
        const struct column *c = &part->column->c;
        imply_prefix(key, part);
        if (!is_blob(c->kind) && !(is_string(c->kind) && part->prefix < c->length))
            part->prefix = 0;
    }
}

static void require_columns(struct draft_key *key)
{
    for (uint32_t i = 0; i < key->n_parts; i++) {
        struct draft_column *col = key->parts[i].column;
        if (col == NULL)
            continue;
        col->c.is_nullable = false;
        if (col->c.default_kind == DEFAULT_NULL)
            col->c.default_kind = DEFAULT_NONE;
    }
}

/* ---- keys implied by foreign keys */

static bool same_column(const struct draft_part *a, const struct draft_part *b)
{
    return a->column != NULL && a->column == b->column && b->prefix == 0;
}

/* Does `other` begin with the columns of the implied key? */
static bool serves(const struct draft_key *implied, const struct draft_key *other)
{
    if (other == implied || other->is_dropped || other->is_fulltext || other->n_parts < implied->n_parts)
        return false;
    for (uint32_t i = 0; i < implied->n_parts; i++)
        if (!same_column(&implied->parts[i], &other->parts[i]))
            return false;
    return !other->is_implied || other->n_parts > implied->n_parts || !other->is_new || implied->is_new;
}

static void drop_served(struct draft *d, struct draft_key *implied)
{
    for (uint32_t i = 0; i < d->n_keys && !implied->is_dropped; i++)
        implied->is_dropped = serves(implied, d->keys[i]);
}

/* ---- names */

/* Is the name taken by one of the keys before the n-th, or is it the primary key's? */
static bool is_taken(const struct draft *d, uint32_t n, struct view name)
{
    if (view_equal_nocase(name, view_of("PRIMARY")))
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (!d->keys[i]->is_dropped && name_equal(d->keys[i]->name, name))
            return true;
    return false;
}

static bool has_expression(const struct draft_key *key)
{
    for (uint32_t i = 0; i < key->n_parts; i++)
        if (key->parts[i].is_expression)
            return true;
    return false;
}

static void give_name(struct draft *d, uint32_t n)
{
    struct draft_key *key = d->keys[n];
    struct view stem = has_expression(key) ? view_of("functional_index") : key->parts[0].column->c.name;
    key->name = stem;
    struct buf name;
    buf_init(&name);
    for (unsigned i = 2; is_taken(d, n, key->name); i++) {
        buf_clear(&name);
        buf_put_view(&name, stem);
        buf_printf(&name, "_%u", i);
        key->name = buf_view(&name);
    }
    key->name = arena_copy(d->p->memory, key->name);
    buf_fini(&name);
}

/* ---- order */

static unsigned rank(const struct draft_key *key)
{
    bool has_null = false;
    bool has_prefix = false;
    if (key->is_primary)
        return 0;
    if (!key->is_unique)
        return key->is_fulltext ? 5 : 4;
    for (uint32_t i = 0; i < key->n_parts; i++) {
        has_null |= key->parts[i].column == NULL || key->parts[i].column->c.is_nullable;
        has_prefix |= key->parts[i].prefix > 0;
    }
    return has_null ? (has_prefix ? 3 : 2) : 1;
}

/* Those of each rank in turn: few keys, few ranks. */
static void put_in_order(struct draft *d)
{
    struct draft_key **sorted = arena_alloc(d->p->memory, (d->n_keys + 1) * sizeof(struct draft_key *));
    uint32_t n = 0;
    for (unsigned r = 0; r <= 5; r++)
        for (uint32_t i = 0; i < d->n_keys; i++)
            if (!d->keys[i]->is_dropped && rank(d->keys[i]) == r)
                sorted[n++] = d->keys[i];
    d->keys = sorted;
    d->n_keys = d->room_keys = n;
}

bool draft_resolve_keys(struct draft *d)
{
    if (d->n_keys > KEYS_MAX)
        return fail_malformed(d->p->why, "read DDL: a table of %u keys", (unsigned)d->n_keys);
    for (uint32_t i = 0; i < d->n_keys; i++) {
        struct draft_key *key = d->keys[i];
        if (key->is_dropped)
            continue;
        if (!find_columns(d, key))
            return false;
        leave_dropped_columns(key);
        settle_prefixes(key);
        if (key->is_primary && !key->is_dropped)
            require_columns(key);
    }
    for (uint32_t i = 0; i < d->n_keys; i++)
        if (d->keys[i]->is_implied && !d->keys[i]->is_dropped)
            drop_served(d, d->keys[i]);
    for (uint32_t i = 0; i < d->n_keys; i++)
        if (!d->keys[i]->is_dropped && d->keys[i]->name.n == 0)
            give_name(d, i);
    put_in_order(d);
    return true;
}
