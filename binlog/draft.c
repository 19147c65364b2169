/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/draft.h"

#include "base/map.h"
#include "binlog/name.h"

/* ---- making */

struct view draft_default_collation(const struct ddl_parser *p, const struct charset *charset)
{
    if (p->ctx->utf8mb4_collation.n > 0 && strcmp(charset->name, "utf8mb4") == 0)
        return p->ctx->utf8mb4_collation;
    return view_of(charset->default_collation);
}

void draft_init_server(struct draft *d, struct ddl_parser *p, struct view db)
{
    *d = (struct draft){.p = p, .db = db, .charset = p->ctx->server_charset, .database_unknown = true};
    if (d->charset == NULL)
        d->charset = charset_find(view_of("utf8mb4"));
    d->collation = p->ctx->server_collation;
    if (d->collation.n == 0)
        d->collation = draft_default_collation(p, d->charset);
}

void draft_init(struct draft *d, struct ddl_parser *p, struct view db, struct view table)
{
    draft_init_server(d, p, db);
    d->table = table;
    const struct catalog_database *known = p->cat == NULL ? NULL : catalog_find_database(p->cat, db);
    if (known == NULL)
        return;
    d->database_unknown = false;
    d->charset = known->charset;
    d->collation = arena_copy(p->memory, view_of(known->collation));
}

/* Room for one more pointer in an array of the arena. */
static void *grown(struct arena *memory, void *array, uint32_t n, uint32_t *room)
{
    if (n < *room)
        return array;
    *room = *room == 0 ? 16 : *room * 2;
    void **larger = arena_alloc(memory, *room * sizeof *larger);
    if (n > 0)
        memcpy(larger, array, n * sizeof *larger);
    return larger;
}

struct draft_column *draft_new_column(struct draft *d, struct view name)
{
    struct draft_column *col = arena_zero(d->p->memory, 1, sizeof *col);
    col->c.name = name;
    col->c.is_nullable = true;
    col->is_raw = true;
    return col;
}

void draft_add_column(struct draft *d, struct draft_column *col)
{
    d->columns = grown(d->p->memory, d->columns, d->n_columns, &d->room_columns);
    d->columns[d->n_columns++] = col;
}

struct draft_key *draft_add_key(struct draft *d)
{
    d->keys = grown(d->p->memory, d->keys, d->n_keys, &d->room_keys);
    struct draft_key *key = arena_zero(d->p->memory, 1, sizeof *key);
    key->is_new = true;
    return d->keys[d->n_keys++] = key;
}

static void add_old_key(struct draft *d, const struct shape *s, const struct table_index *x)
{
    struct draft_key *key = draft_add_key(d);
    *key = (struct draft_key){.name = x->name,
                              .old_name = x->name,
                              .is_primary = x->is_primary,
                              .is_unique = x->is_unique,
                              .is_implied = x->is_implied,
                              .n_parts = x->n_parts};
    key->parts = arena_zero(d->p->memory, x->n_parts, sizeof *key->parts);
    for (uint32_t i = 0; i < x->n_parts; i++) {
        const struct index_part *part = &x->parts[i];
        key->parts[i] = (struct draft_part){
            .prefix = part->prefix, .is_descending = part->is_descending, .is_expression = part->is_expression};
        if (part->is_expression)
            continue;
        key->parts[i].column = d->columns[part->column];
        key->parts[i].name = s->columns[part->column].name;
    }
}

void draft_from_shape(struct draft *d, struct ddl_parser *p, const struct shape *s)
{
    *d = (struct draft){.p = p,
                        .db = s->db,
                        .table = s->table,
                        .charset = s->charset,
                        .collation = s->collation,
                        .comment = s->comment,
                        .is_partitioned = s->is_partitioned};
    for (uint32_t i = 0; i < s->n_columns; i++) {
        struct draft_column *col = draft_new_column(d, s->columns[i].name);
        col->c = s->columns[i];
        col->old_name = col->c.name;
        col->old = &s->columns[i];
        col->is_raw = false;
        draft_add_column(d, col);
    }
    for (uint32_t i = 0; i < s->n_indexes; i++)
        add_old_key(d, s, &s->indexes[i]);
}

/* ---- finding */

struct draft_column *draft_find_column(const struct draft *d, struct view name)
{
    for (uint32_t i = 0; i < d->n_columns; i++)
        if (!d->columns[i]->is_dropped && name_equal(d->columns[i]->c.name, name))
            return d->columns[i];
    return NULL;
}

struct draft_column *draft_find_old_column(const struct draft *d, struct view name)
{
    for (uint32_t i = 0; i < d->n_columns; i++)
        if (d->columns[i]->old_name.n > 0 && name_equal(d->columns[i]->old_name, name))
            return d->columns[i];
    return NULL;
}

struct draft_key *draft_find_old_key(const struct draft *d, struct view name)
{
    for (uint32_t i = 0; i < d->n_keys; i++)
        if (!d->keys[i]->is_new && name_equal(d->keys[i]->old_name, name))
            return d->keys[i];
    return NULL;
}

bool draft_drop_key(struct draft *d, struct view name)
{
    struct draft_key *key = draft_find_old_key(d, name);
    bool has_unique = false;
    if (key != NULL) {
        key->is_dropped = true;
        return true;
    }
    for (uint32_t i = 0; i < d->n_keys; i++)
        has_unique |= d->keys[i]->is_unique && !d->keys[i]->is_primary && !d->keys[i]->is_new;
    return !has_unique ||
           fail_malformed(d->p->why, "read DDL: table `%.*s` has no key `%.*s`", VIEW_ARGS(d->table), VIEW_ARGS(name));
}

/* ---- finishing */

static void remove_dropped(struct draft *d)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n_columns; i++)
        if (!d->columns[i]->is_dropped)
            d->columns[n++] = d->columns[i];
    d->n_columns = n;
}

/* Two columns of one name: the server refuses that, and every later statement would mean one of them by chance. */
static bool names_differ(const struct draft *d)
{
    struct map names;
    struct buf folded;
    const struct draft_column *twin = NULL;
    map_init(&names);
    buf_init(&folded);
    for (uint32_t i = 0; i < d->n_columns && twin == NULL; i++) {
        buf_clear(&folded);
        name_fold(d->columns[i]->c.name, &folded);
        twin = map_put(&names, buf_view(&folded), d->columns[i]);
    }
    map_fini(&names, NULL);
    buf_fini(&folded);
    return twin == NULL || fail_malformed(d->p->why, "read DDL: table `%.*s` has two columns `%.*s`",
                                          VIEW_ARGS(d->table), VIEW_ARGS(twin->c.name));
}

static uint16_t place_of(const struct draft *d, const struct draft_column *col)
{
    uint32_t i = 0;
    while (i < d->n_columns && d->columns[i] != col)
        i++;
    return (uint16_t)i; /* DRAFT_COLUMNS_MAX is less */
}

static void fill_index(const struct draft *d, struct table_index *x, const struct draft_key *key, struct arena *memory)
{
    *x = (struct table_index){.name = key->name,
                              .is_primary = key->is_primary,
                              .is_unique = key->is_unique,
                              .is_implied = key->is_implied,
                              .n_parts = key->n_parts};
    x->parts = arena_zero(memory, key->n_parts, sizeof *x->parts);
    for (uint32_t i = 0; i < key->n_parts; i++) {
        const struct draft_part *part = &key->parts[i];
        x->parts[i].is_expression = part->is_expression;
        x->parts[i].prefix = part->prefix;
        x->parts[i].is_descending = part->is_descending;
        if (!part->is_expression)
            x->parts[i].column = place_of(d, part->column);
    }
}

/* A shape whose memory is the parser's: to be copied. */
static void fill_shape(const struct draft *d, struct shape *s)
{
    struct arena *memory = d->p->memory;
    *s = (struct shape){.n_columns = d->n_columns,
                        .n_indexes = d->n_keys,
                        .charset = d->charset,
                        .collation = d->collation,
                        .comment = d->comment,
                        .is_partitioned = d->is_partitioned};
    s->columns = arena_alloc(memory, d->n_columns * sizeof *s->columns);
    for (uint32_t i = 0; i < d->n_columns; i++)
        s->columns[i] = d->columns[i]->c;
    s->indexes = arena_alloc(memory, d->n_keys * sizeof *s->indexes);
    for (uint32_t i = 0; i < d->n_keys; i++)
        fill_index(d, &s->indexes[i], d->keys[i], memory);
}

struct shape *draft_finish(struct draft *d)
{
    remove_dropped(d);
    for (uint32_t i = 0; i < d->n_columns; i++) {
        if (d->columns[i]->is_raw)
            draft_resolve_column(d, d->columns[i]);
        if (d->convert != NULL)
            draft_convert_column(d, d->columns[i]);
    }
    if (d->p->ctx->implicit_timestamp_defaults)
        draft_imply_timestamps(d);
    if (!names_differ(d) || !draft_resolve_keys(d))
        return NULL;
    if (d->n_columns == 0) {
        fail_malformed(d->p->why, "read DDL: a table without columns");
        return NULL;
    }
    struct shape lent;
    fill_shape(d, &lent);
    return shape_copy(&lent, d->db, d->table);
}
