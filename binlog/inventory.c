/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/inventory.h"

#include "binlog/ddl.h"
#include "binlog/sql_token.h"

enum { ER_BAD_DB = 1049, ER_TABLE_ACCESS_DENIED = 1142, ER_NO_SUCH_TABLE = 1146, ER_VIEW_INVALID = 1356 };

bool inventory_walk_tables(struct source *src, inventory_table_fn each, void *ctx, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src,
                               "SELECT table_schema, table_name FROM information_schema.tables "
                               "WHERE table_type = 'BASE TABLE' ORDER BY table_schema, table_name",
                               &res, why);
    while (ok && source_query_next(&res))
        ok = each(ctx, source_query_column(&res, 0), source_query_column(&res, 1), why);
    source_query_end(&res);
    return ok;
}

bool inventory_read_databases(struct source *src, struct catalog *catalog, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src,
                               "SELECT schema_name, default_character_set_name, default_collation_name "
                               "FROM information_schema.schemata",
                               &res, why);
    while (ok && source_query_next(&res)) {
        const struct charset *cs = charset_find(source_query_column(&res, 1));
        if (cs == NULL)
            ok = fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                          "database %.*s has a character set that is not known here: %.*s",
                          VIEW_ARGS(source_query_column(&res, 0)), VIEW_ARGS(source_query_column(&res, 1)));
        else
            catalog_put_database(catalog, source_query_column(&res, 0), cs, source_query_column(&res, 2));
    }
    source_query_end(&res);
    return ok;
}

static bool parse(const struct server *srv, struct catalog *catalog, struct view db, struct view table,
                  struct view text, const struct shape **shape, struct fail *why)
{
    const struct ddl_context ctx = {
        .db = db,
        .server_version = srv->version,
        .server_charset = charset_find(view_of(srv->charset)),
        .server_collation = view_of(srv->collation),
    };
    *shape = ddl_read_create(catalog, &ctx, text, why);
    if (*shape != NULL)
        return true;
    why->kind = FAIL_STOP;
    return fail_add(why, "read the definition of %.*s.%.*s that the server shows", VIEW_ARGS(db), VIEW_ARGS(table));
}

/* A view may need a right that nobody needs for tables (SHOW VIEW), and may be broken: told by its name alone. */
static bool is_view(struct source *src, struct view db, struct view table, bool *out, struct fail *why)
{
    struct source_result res;
    struct buf sql;
    buf_init(&sql);
    buf_put_literal(&sql, "SELECT table_type FROM information_schema.tables WHERE table_schema = ");
    source_query_quote(db, &sql);
    buf_put_literal(&sql, " AND table_name = ");
    source_query_quote(table, &sql);
    buf_put_u8(&sql, 0);
    bool ok = source_query_run(src, (const char *)sql.start, &res, why);
    *out = ok && source_query_next(&res) && view_equal(source_query_column(&res, 0), view_of("VIEW"));
    source_query_end(&res);
    buf_fini(&sql);
    return ok;
}

/* What SHOW CREATE TABLE answered to a name that has no table. */
static bool excuse_failure(struct source *src, struct view db, struct view table, struct fail *why)
{
    struct fail other;
    bool is_one = false;
    if (why->code == ER_NO_SUCH_TABLE || why->code == ER_BAD_DB)
        return true;
    return (why->code == ER_TABLE_ACCESS_DENIED || why->code == ER_VIEW_INVALID) &&
           is_view(src, db, table, &is_one, &other) && is_one;
}

bool inventory_read_shape(struct source *src, const struct server *srv, struct catalog *catalog, struct view db,
                          struct view table, const struct shape **shape, struct fail *why)
{
    struct source_result res;
    struct buf sql;
    *shape = NULL;
    buf_init(&sql);
    buf_put_literal(&sql, "SHOW CREATE TABLE ");
    sql_put_name(&sql, db);
    buf_put_u8(&sql, '.');
    sql_put_name(&sql, table);
    buf_put_u8(&sql, 0);
    bool ok = source_query_run(src, (const char *)sql.start, &res, why);
    if (!ok)
        ok = excuse_failure(src, db, table, why);
    else if (source_query_next(&res) && source_query_named(&res, "Create Table").p != NULL)
        ok = parse(srv, catalog, db, table, source_query_named(&res, "Create Table"), shape, why);
    source_query_end(&res);
    buf_fini(&sql);
    return ok;
}
