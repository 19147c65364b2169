/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_create: CREATE TABLE, from the log and from SHOW CREATE TABLE.
 *
 * Source: the manual, CREATE TABLE, CREATE TABLE … LIKE, CREATE TABLE … SELECT. With row format the server logs the
 * latter with all its columns and START TRANSACTION in place of the query; a query that is seen here was logged by
 * statement, and what its columns are only the server knows.
 */
#include "binlog/ddl_clause.h"
#include "binlog/ddl_statement.h"

static bool column(struct draft *d)
{
    struct view name;
    if (!ddl_name(d->p, &name))
        return false;
    if (d->n_columns == DRAFT_COLUMNS_MAX)
        return ddl_expected(d->p, "fewer columns");
    struct draft_column *col = draft_new_column(d, name);
    draft_add_column(d, col);
    return ddl_column_definition(d, col);
}

static bool columns_and_keys(struct draft *d)
{
    if (!ddl_expect_sign(d->p, '('))
        return false;
    do {
        if (!(ddl_is_key(d->p) ? ddl_key(d) : column(d)))
            return false;
    } while (ddl_accept_sign(d->p, ','));
    return ddl_expect_sign(d->p, ')');
}

static bool options(struct draft *d)
{
    struct ddl_parser *p = d->p;
    while (!ddl_at_end(p) && !ddl_is(p, "PARTITION") && !ddl_is_query(p)) {
        if (!ddl_table_option(d))
            return false;
        ddl_accept_sign(p, ',');
    }
    return !ddl_is(p, "PARTITION") || ddl_partitions(d);
}

/* Do columns stand here, rather than LIKE or a query in brackets? */
static bool at_columns(const struct ddl_parser *p)
{
    static const char *const others[] = {"SELECT", "WITH", "TABLE", "VALUES", "LIKE", NULL};
    if (!ddl_is_sign(p, '('))
        return false;
    struct ddl_parser inside = *p;
    while (ddl_is_sign(&inside, '('))
        ddl_next(&inside);
    return !ddl_is_any(&inside, others);
}

/* Everything behind the table's name. *has_query: the shape is not all of it. */
static bool definition(struct draft *d, bool *has_query)
{
    if (at_columns(d->p) && !columns_and_keys(d))
        return false;
    if (!options(d))
        return false;
    *has_query = !ddl_at_end(d->p);
    return !*has_query || ddl_is_query(d->p) || ddl_expected(d->p, "the end");
}

/* ---- from the log */

/* Is the definition read? For captured tables, and for what may be renamed to one. */
static bool is_wanted(struct ddl_run *run, struct view db, struct view table)
{
    return ddl_is_captured(run, db, table) || catalog_has_tables(run->p.cat, db);
}

static void unknown(struct ddl_run *run, struct ddl_effect *effect)
{
    effect->needs_shape = true;
    catalog_remove(run->p.cat, effect->db, effect->table);
}

/* LIKE source, or (LIKE source) */
static bool create_like(struct ddl_run *run, struct view db, struct view table, bool is_conditional)
{
    struct view source_db;
    struct view source;
    if (!ddl_table_name(&run->p, &source_db, &source))
        return false;
    const struct shape *s = catalog_find(run->p.cat, source_db, source);
    if (s == NULL && !ddl_is_followed(run, db, table))
        return true;
    struct ddl_effect *effect = ddl_add_effect(run, DDL_CREATE, db, table);
    effect->is_conditional = is_conditional;
    if (s == NULL)
        unknown(run, effect);
    else
        ddl_put_shape(run, effect, shape_copy(s, db, table));
    return true;
}

static bool at_like(struct ddl_parser *p)
{
    if (ddl_accept(p, "LIKE"))
        return true;
    if (!ddl_is_sign(p, '(') || !ddl_is_second(p, "LIKE"))
        return false;
    ddl_next(p);
    ddl_next(p);
    return true;
}

static bool create_by_definition(struct ddl_run *run, struct view db, struct view table, bool is_conditional)
{
    struct draft d;
    bool has_query;
    draft_init(&d, &run->p, db, table);
    if (!definition(&d, &has_query))
        return false;
    struct shape *s = has_query ? NULL : draft_finish(&d);
    if (s == NULL && !has_query)
        return false;
    struct ddl_effect *effect = ddl_add_effect(run, DDL_CREATE, db, table);
    effect->is_conditional = is_conditional;
    effect->database_unknown = d.database_unknown && !d.is_charset_written;
    if (s != NULL) {
        ddl_put_shape(run, effect, s);
        return true;
    }
    unknown(run, effect);
    ddl_add_effect(run, DDL_DATA_CHANGED, db, table);
    return true;
}

/* CREATE TABLE has been taken. */
bool ddl_create_table(struct ddl_run *run)
{
    struct view db;
    struct view table;
    bool is_conditional = ddl_accept_if_not_exists(&run->p);
    if (!ddl_target(run, &db, &table))
        return false;
    if (is_conditional && catalog_find(run->p.cat, db, table) != NULL) {
        ddl_add_effect(run, DDL_NONE, db, table)->is_conditional = true;
        return true;
    }
    if (at_like(&run->p))
        return create_like(run, db, table, is_conditional);
    if (!is_wanted(run, db, table)) {
        ddl_add_effect(run, DDL_CREATE, db, table);
        return true;
    }
    return create_by_definition(run, db, table, is_conditional);
}

/* ---- from text that only describes a table */

static struct shape *read_create(struct ddl_parser *p)
{
    struct view db;
    struct view table;
    struct draft d;
    bool has_query;
    if (!ddl_expect(p, "CREATE"))
        return NULL;
    if (!ddl_accept(p, "EXTERNAL"))
        ddl_accept(p, "TEMPORARY");
    if (!ddl_expect(p, "TABLE"))
        return NULL;
    ddl_accept_if_not_exists(p);
    if (!ddl_table_name(p, &db, &table))
        return NULL;
    draft_init(&d, p, db, table);
    if (!definition(&d, &has_query))
        return NULL;
    if (has_query) {
        ddl_expected(p, "the end");
        return NULL;
    }
    return draft_finish(&d);
}

const struct shape *ddl_read_create(struct catalog *cat, const struct ddl_context *ctx, struct view sql,
                                    struct fail *why)
{
    struct arena memory;
    struct ddl_parser p;
    arena_init(&memory);
    ddl_parse(&p, cat, ctx, sql, &memory, why);
    p.is_servers_text = true;
    struct shape *s = read_create(&p);
    arena_fini(&memory);
    return s;
}
