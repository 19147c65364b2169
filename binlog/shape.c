/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/shape.h"

#include "base/fail.h"
#include "binlog/name.h"

#include <stdlib.h>

struct shape *shape_new(struct view db, struct view table)
{
    struct shape *s = mem_zero(1, sizeof *s);
    arena_init(&s->memory);
    s->db = arena_copy(&s->memory, db);
    s->table = arena_copy(&s->memory, table);
    s->counts = 1;
    return s;
}

const struct shape *shape_hold(const struct shape *s)
{
    __atomic_add_fetch(&((struct shape *)(uintptr_t)s)->counts, 1, __ATOMIC_RELAXED);
    return s;
}

void shape_free(const struct shape **s)
{
    struct shape *gone = (struct shape *)(uintptr_t)*s;
    *s = NULL;
    if (gone == NULL || __atomic_sub_fetch(&gone->counts, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    arena_fini(&gone->memory);
    free(gone);
}

static struct column copy_column(struct arena *memory, const struct column *from)
{
    struct column c = *from;
    c.name = arena_copy(memory, from->name);
    c.collation = arena_copy(memory, from->collation);
    c.default_text = arena_copy(memory, from->default_text);
    c.comment = arena_copy(memory, from->comment);
    c.type_text = arena_copy(memory, from->type_text);
    c.members = arena_alloc(memory, from->n_members * sizeof *c.members);
    for (uint32_t i = 0; i < from->n_members; i++)
        c.members[i] = arena_copy(memory, from->members[i]);
    return c;
}

static struct table_index copy_index(struct arena *memory, const struct table_index *from)
{
    struct table_index x = *from;
    x.name = arena_copy(memory, from->name);
    x.parts = arena_alloc(memory, from->n_parts * sizeof *x.parts);
    memcpy(x.parts, from->parts, from->n_parts * sizeof *x.parts);
    return x;
}

struct shape *shape_copy(const struct shape *from, struct view db, struct view table)
{
    struct shape *s = shape_new(db, table);
    struct arena *memory = &s->memory;
    s->n_columns = from->n_columns;
    s->columns = arena_alloc(memory, from->n_columns * sizeof *s->columns);
    for (uint32_t i = 0; i < from->n_columns; i++)
        s->columns[i] = copy_column(memory, &from->columns[i]);
    s->n_indexes = from->n_indexes;
    s->indexes = arena_alloc(memory, from->n_indexes * sizeof *s->indexes);
    for (uint32_t i = 0; i < from->n_indexes; i++)
        s->indexes[i] = copy_index(memory, &from->indexes[i]);
    s->charset = from->charset;
    s->collation = arena_copy(memory, from->collation);
    s->comment = arena_copy(memory, from->comment);
    s->is_partitioned = from->is_partitioned;
    shape_choose_key(s);
    return s;
}

/* Can its columns be the record key? Prefixes are allowed: what differs in its beginning differs. */
static bool is_key(const struct shape *s, const struct table_index *x, bool *has_prefix)
{
    *has_prefix = false;
    if (!x->is_unique || x->n_parts == 0)
        return false;
    for (uint32_t i = 0; i < x->n_parts; i++) {
        if (x->parts[i].is_expression || s->columns[x->parts[i].column].is_nullable)
            return false;
        *has_prefix |= x->parts[i].prefix > 0;
    }
    return true;
}

/* PRIMARY, else the first unique one without prefixes, else the first with: the order the server keeps them in. */
static const struct table_index *key_index(const struct shape *s)
{
    const struct table_index *second_best = NULL;
    for (uint32_t i = 0; i < s->n_indexes; i++) {
        const struct table_index *x = &s->indexes[i];
        bool has_prefix;
        if (x->is_primary)
            return x;
        if (!is_key(s, x, &has_prefix))
            continue;
        if (!has_prefix)
            return x;
        if (second_best == NULL)
            second_best = x;
    }
    return second_best;
}

void shape_choose_key(struct shape *s)
{
    const struct table_index *x = key_index(s);
    s->key = NULL;
    s->n_key = 0;
    s->key_is_primary = x != NULL && x->is_primary;
    if (x == NULL)
        return;
    s->key = arena_alloc(&s->memory, x->n_parts * sizeof *s->key);
    for (uint32_t i = 0; i < x->n_parts; i++)
        s->key[i] = x->parts[i].column;
    s->n_key = x->n_parts;
}

int shape_column(const struct shape *s, struct view name)
{
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (view_equal(s->columns[i].name, name))
            return (int)i;
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (name_equal(s->columns[i].name, name))
            return (int)i;
    return -1;
}

static bool same_members(const struct column *a, const struct column *b)
{
    if (a->n_members != b->n_members)
        return false;
    for (uint32_t i = 0; i < a->n_members; i++)
        if (!view_equal(a->members[i], b->members[i]))
            return false;
    return true;
}

static bool same_default(const struct column *a, const struct column *b)
{
    /* A nullable column without DEFAULT has NULL for one. */
    enum default_kind x = a->default_kind == DEFAULT_NULL ? DEFAULT_NONE : a->default_kind;
    enum default_kind y = b->default_kind == DEFAULT_NULL ? DEFAULT_NONE : b->default_kind;
    if (x != y || a->has_on_update != b->has_on_update)
        return false;
    return x == DEFAULT_NONE || x == DEFAULT_NOW ||
           (a->default_is_quoted == b->default_is_quoted && view_equal(a->default_text, b->default_text));
}

static bool same_type(const struct column *a, const struct column *b)
{
    return a->kind == b->kind && a->geometry == b->geometry && a->is_unsigned == b->is_unsigned &&
           a->is_zerofill == b->is_zerofill && a->blob_bytes == b->blob_bytes && a->fsp == b->fsp &&
           a->length == b->length && a->scale == b->scale && a->has_length == b->has_length &&
           a->has_scale == b->has_scale && a->charset == b->charset && view_equal(a->collation, b->collation) &&
           a->has_srid == b->has_srid && a->srid == b->srid && view_equal(a->type_text, b->type_text) &&
           same_members(a, b);
}

static bool same_column(const struct column *a, const struct column *b)
{
    return view_equal(a->name, b->name) && same_type(a, b) && a->is_nullable == b->is_nullable &&
           a->is_auto_increment == b->is_auto_increment && a->is_generated == b->is_generated &&
           a->is_invisible == b->is_invisible && same_default(a, b) && view_equal(a->comment, b->comment);
}

static bool same_index(const struct table_index *a, const struct table_index *b)
{
    if (!view_equal(a->name, b->name) || a->is_primary != b->is_primary || a->is_unique != b->is_unique ||
        a->n_parts != b->n_parts)
        return false;
    for (uint32_t i = 0; i < a->n_parts; i++) {
        const struct index_part *x = &a->parts[i];
        const struct index_part *y = &b->parts[i];
        if (x->is_expression != y->is_expression || x->column != y->column || x->prefix != y->prefix ||
            x->is_descending != y->is_descending)
            return false;
    }
    return true;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
    if (!view_equal(a->db, b->db) || !view_equal(a->table, b->table) || a->n_columns != b->n_columns ||
        a->n_indexes != b->n_indexes || a->charset != b->charset || !view_equal(a->collation, b->collation) ||
        !view_equal(a->comment, b->comment) || a->is_partitioned != b->is_partitioned)
        return false;
    for (uint32_t i = 0; i < a->n_columns; i++)
        if (!same_column(&a->columns[i], &b->columns[i]))
            return false;
    for (uint32_t i = 0; i < a->n_indexes; i++)
        if (!same_index(&a->indexes[i], &b->indexes[i]))
            return false;
    return true;
}
