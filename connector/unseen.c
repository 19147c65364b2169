/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/unseen.h"

#include "base/log.h"
#include "connector/table_pattern.h"

#include <stdlib.h>

enum { NAMED_CASCADES = 3 };

static bool *answers_for(const struct regex_list *list)
{
    return list == NULL || list->n == 0 ? NULL : mem_zero(list->n, sizeof(bool));
}

void unseen_init(struct unseen *u, const struct filter *filter)
{
    *u = (struct unseen){.filter = filter};
    u->has_database = answers_for(filter->database_include);
    u->has_table = answers_for(filter->table_include);
}

void unseen_fini(struct unseen *u)
{
    free(u->has_database);
    free(u->has_table);
}

/* ---- tables ---- */

static void note_matches(const struct regex_list *list, bool *has, struct view subject)
{
    for (size_t i = 0; has != NULL && i < list->n; i++)
        has[i] = has[i] || regex_matches(list->items[i], subject);
}

void unseen_meet(struct unseen *u, struct view db, struct view table)
{
    struct buf id;
    if (u->has_database == NULL && u->has_table == NULL)
        return; /* there may be very many tables */
    buf_init(&id);
    table_pattern_put_id(&id, db, table);
    note_matches(u->filter->database_include, u->has_database, db);
    note_matches(u->filter->table_include, u->has_table, buf_view(&id));
    buf_fini(&id);
}

static void tell_parts(const struct source *src, const char *key, const struct regex_list *list, const bool *has)
{
    for (size_t i = 0; has != NULL && i < list->n; i++)
        if (!has[i])
            log_warn("start",
                     "%s: no table that the user can see on %s is meant by %s: there is none (yet), or the user has no "
                     "right on it; hint: compare the names, and GRANT SELECT on what is there",
                     key, source_name(src), regex_text(list->items[i]));
}

static void tell_rights(const struct source *src, const struct server *server)
{
    if (server->sees_single_tables)
        log_warn("start",
                 "the user has SELECT on single tables of %s: others beside them can't be seen, are read by no "
                 "snapshot, and end the run with their first change if they are captured; hint: GRANT SELECT on the "
                 "whole database, or capture no others",
                 source_name(src));
}

/* ---- cascades ---- */

/* Before 9.6 there is no such variable, and InnoDB does it. */
static bool ask_cascades(struct source *src, const struct server *server, bool *are_logged, struct fail *why)
{
    enum { LOGGED_FROM = 90600 };
    struct source_result res;
    bool ok = source_query_run(src, "SHOW GLOBAL VARIABLES LIKE 'innodb_native_foreign_keys'", &res, why);
    bool is_native = ok && source_query_next(&res) && view_equal_nocase(source_query_column(&res, 1), view_of("ON"));
    *are_logged = server->version >= LOGGED_FROM && !is_native;
    source_query_end(&res);
    return ok;
}

/* Names the first captured tables whose rows others change. */
static size_t list_cascades(struct source_result *res, const struct filter *filter, struct buf *names)
{
    size_t n = 0;
    while (source_query_next(res)) {
        struct view db = source_query_column(res, 0);
        struct view table = source_query_column(res, 1);
        if (!filter_has_table(filter, db, table))
            continue;
        if (n < NAMED_CASCADES)
            buf_printf(names, "%s%.*s.%.*s", n == 0 ? "" : ", ", VIEW_ARGS(db), VIEW_ARGS(table));
        n++;
    }
    if (n > NAMED_CASCADES)
        buf_printf(names, " and %zu more", n - NAMED_CASCADES);
    buf_put_u8(names, 0);
    return n;
}

static bool tell_cascades(struct source *src, const struct server *server, const struct filter *filter,
                          struct fail *why)
{
    static const char sql[] =
        "SELECT DISTINCT constraint_schema, table_name FROM information_schema.referential_constraints "
        "WHERE delete_rule NOT IN ('NO ACTION', 'RESTRICT') "
        "OR update_rule NOT IN ('NO ACTION', 'RESTRICT') ORDER BY 1, 2";
    struct source_result res;
    struct buf names;
    bool are_logged;
    if (!ask_cascades(src, server, &are_logged, why))
        return false;
    if (are_logged)
        return true;
    buf_init(&names);
    bool ok = source_query_run(src, sql, &res, why);
    if (ok && list_cascades(&res, filter, &names) > 0)
        log_warn(
            "start",
            "rows of %s are changed by foreign keys with ON DELETE or ON UPDATE, and %s does not write such changes "
            "to its log: they can't be told; hint: from MySQL 9.6 on they are, with "
            "innodb_native_foreign_keys=OFF; a snapshot of the table shows what remains",
            (const char *)names.start, source_name(src));
    source_query_end(&res);
    buf_fini(&names);
    return ok;
}

bool unseen_tell(const struct unseen *u, struct source *src, const struct server *server, struct fail *why)
{
    tell_parts(src, "database.include.list", u->filter->database_include, u->has_database);
    tell_parts(src, "table.include.list", u->filter->table_include, u->has_table);
    tell_rights(src, server);
    return tell_cascades(src, server, u->filter, why);
}
