/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/catalog.h"

#include "base/fail.h"
#include "binlog/name.h"

#include <stdlib.h>

void catalog_init(struct catalog *cat, unsigned lower_case_table_names)
{
    map_init(&cat->shapes);
    map_init(&cat->helpers);
    map_init(&cat->databases);
    cat->folds_case = lower_case_table_names != 0;
    cat->stores_folded = lower_case_table_names == 1;
    buf_init(&cat->key);
}

static void free_shape(void *shape)
{
    const struct shape *s = shape;
    shape_free(&s);
}

static void free_database(void *database)
{
    struct catalog_database *d = database;
    free(d->given_collation);
    free(d);
}

void catalog_fini(struct catalog *cat)
{
    map_fini(&cat->shapes, free_shape);
    map_fini(&cat->helpers, NULL);
    map_fini(&cat->databases, free_database);
    buf_fini(&cat->key);
}

struct view catalog_stored_name(const struct catalog *cat, struct view name, struct arena *memory)
{
    if (!cat->stores_folded)
        return name;
    struct buf folded;
    buf_init(&folded);
    name_fold(name, &folded);
    struct view stored = arena_copy(memory, buf_view(&folded));
    buf_fini(&folded);
    return stored;
}

static void put_name(struct catalog *cat, struct view name)
{
    if (cat->folds_case)
        name_fold(name, &cat->key);
    else
        buf_put_view(&cat->key, name);
}

static struct view database_key(struct catalog *cat, struct view db)
{
    buf_clear(&cat->key);
    put_name(cat, db);
    return buf_view(&cat->key);
}

/* db NUL table: no name holds a NUL. */
static struct view table_key(struct catalog *cat, struct view db, struct view table)
{
    buf_clear(&cat->key);
    put_name(cat, db);
    buf_put_u8(&cat->key, 0);
    put_name(cat, table);
    return buf_view(&cat->key);
}

static struct catalog_database *database_of(struct catalog *cat, struct view db)
{
    return map_get(&cat->databases, database_key(cat, db));
}

/* The entry of a database, made when it is not there. */
static struct catalog_database *need_database(struct catalog *cat, struct view db)
{
    struct catalog_database *d = database_of(cat, db);
    if (d == NULL) {
        d = mem_zero(1, sizeof *d);
        map_put(&cat->databases, database_key(cat, db), d);
    }
    return d;
}

const struct shape *catalog_find(struct catalog *cat, struct view db, struct view table)
{
    return map_get(&cat->shapes, table_key(cat, db, table));
}

static void put(struct catalog *cat, const struct shape *s)
{
    const struct shape *before = map_put(&cat->shapes, table_key(cat, s->db, s->table), (void *)(uintptr_t)s);
    if (before == NULL)
        need_database(cat, s->db)->n_shapes++;
    shape_free(&before);
}

void catalog_put(struct catalog *cat, const struct shape *s)
{
    put(cat, s);
    map_remove(&cat->helpers, table_key(cat, s->db, s->table));
}

bool catalog_remove(struct catalog *cat, struct view db, struct view table)
{
    struct view key = table_key(cat, db, table);
    map_remove(&cat->helpers, key);
    const struct shape *before = map_remove(&cat->shapes, key);
    if (before == NULL)
        return false;
    database_of(cat, before->db)->n_shapes--;
    shape_free(&before);
    return true;
}

/* Which one is chance: a changer's helpers live for hours among names that are ordered by their hash. */
static void forget_helper(struct catalog *cat)
{
    size_t at = 0;
    const struct map_entry *e = map_next(&cat->helpers, &at);
    const struct shape *s = shape_hold(map_get(&cat->shapes, e->key));
    catalog_remove(cat, s->db, s->table);
    shape_free(&s);
}

void catalog_put_helper(struct catalog *cat, const struct shape *s)
{
    static char anything;
    struct view key = table_key(cat, s->db, s->table);
    if (cat->helpers.n == CATALOG_HELPERS_MAX && map_get(&cat->helpers, key) == NULL)
        forget_helper(cat);
    put(cat, s);
    map_put(&cat->helpers, table_key(cat, s->db, s->table), &anything);
}

const struct shape *catalog_next(const struct catalog *cat, size_t *at)
{
    const struct map_entry *e = map_next(&cat->shapes, at);
    return e == NULL ? NULL : e->value;
}

void catalog_put_database(struct catalog *cat, struct view db, const struct charset *charset, struct view collation)
{
    struct catalog_database *d = need_database(cat, db);
    free(d->given_collation);
    d->charset = charset;
    d->given_collation = collation.n == 0 ? NULL : view_to_string(collation);
    d->collation = d->given_collation == NULL ? charset->default_collation : d->given_collation;
}

const struct catalog_database *catalog_find_database(struct catalog *cat, struct view db)
{
    const struct catalog_database *d = database_of(cat, db);
    return d == NULL || d->charset == NULL ? NULL : d;
}

bool catalog_has_tables(struct catalog *cat, struct view db)
{
    const struct catalog_database *d = database_of(cat, db);
    return d != NULL && d->n_shapes > 0;
}

bool catalog_is_in(const struct catalog *cat, const struct shape *s, struct view db)
{
    return cat->folds_case ? name_equal(s->db, db) : view_equal(s->db, db);
}

/* The shapes of a database as a heap array with an end of NULL, each with a count: the map can change meanwhile. */
static const struct shape **shapes_in(const struct catalog *cat, struct view db, size_t n)
{
    const struct shape **found = mem_zero(n + 1, sizeof *found);
    size_t n_found = 0;
    size_t at = 0;
    for (const struct shape *s; (s = catalog_next(cat, &at)) != NULL;)
        if (catalog_is_in(cat, s, db))
            found[n_found++] = shape_hold(s);
    ASSERT(n_found == n);
    return found;
}

void catalog_remove_database(struct catalog *cat, struct view db)
{
    struct catalog_database *d = database_of(cat, db);
    if (d == NULL)
        return;
    const struct shape **gone = shapes_in(cat, db, d->n_shapes);
    for (const struct shape **s = gone; *s != NULL; s++) {
        catalog_remove(cat, (*s)->db, (*s)->table);
        shape_free(s);
    }
    free(gone);
    free_database(map_remove(&cat->databases, database_key(cat, db)));
}
