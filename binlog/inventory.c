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

enum { READINGS = 3 };

/* What SHOW CREATE TABLE said to a name. */
enum answer {
    ANSWER_TABLE,
    ANSWER_NO_TABLE, /* nothing of that name, or a view */
    ANSWER_GONE,     /* refused, as a view is, but there is no view of that name any more */
    ANSWER_FAILED,
};

static enum answer judge_failure(struct source *src, struct view db, struct view table, const struct fail *why)
{
    struct fail other;
    bool is_one = false;
    if (why->code == ER_NO_SUCH_TABLE || why->code == ER_BAD_DB)
        return ANSWER_NO_TABLE;
    if (why->code != ER_TABLE_ACCESS_DENIED && why->code != ER_VIEW_INVALID)
        return ANSWER_FAILED;
    if (!is_view(src, db, table, &is_one, &other))
        return ANSWER_FAILED;
    return is_one ? ANSWER_NO_TABLE : ANSWER_GONE;
}

static enum answer read_once(struct source *src, const struct server *srv, struct catalog *catalog, struct view db,
                             struct view table, const struct shape **shape, struct buf *ddl, struct fail *why)
{
    struct source_result res;
    struct buf sql;
    struct view text = VIEW_NONE;
    buf_init(&sql);
    buf_put_literal(&sql, "SHOW CREATE TABLE ");
    sql_put_name(&sql, db);
    buf_put_u8(&sql, '.');
    sql_put_name(&sql, table);
    buf_put_u8(&sql, 0);
    enum answer answer = ANSWER_NO_TABLE;
    if (!source_query_run(src, (const char *)sql.start, &res, why))
        answer = judge_failure(src, db, table, why);
    else if (source_query_next(&res))
        text = source_query_named(&res, "Create Table");
    if (text.p != NULL)
        answer = parse(srv, catalog, db, table, text, shape, why) ? ANSWER_TABLE : ANSWER_FAILED;
    if (answer == ANSWER_TABLE && ddl != NULL)
        buf_put_view(ddl, text);
    source_query_end(&res);
    buf_fini(&sql);
    return answer;
}

/* A view that is dropped between the two questions leaves a refusal behind that is nobody's: it is asked again. A table
 * that may not be read is refused each time. */
bool inventory_read_shape(struct source *src, const struct server *srv, struct catalog *catalog, struct view db,
                          struct view table, const struct shape **shape, struct buf *ddl, struct fail *why)
{
    enum answer answer = ANSWER_GONE;
    *shape = NULL;
    for (int i = 0; i < READINGS && answer == ANSWER_GONE; i++)
        answer = read_once(src, srv, catalog, db, table, shape, ddl, why);
    return answer == ANSWER_TABLE || answer == ANSWER_NO_TABLE;
}
