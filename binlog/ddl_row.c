/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_row: statements that change rows: in the log of a server in row format they stand only when a session chose
 * statement format, and the rows they changed are nowhere else.
 *
 * INSERT and REPLACE change the table they name first, and read the others. Which tables the rest change is found by
 * names, not by grammar: every name that is a table of the catalog counts.
 */
#include "binlog/ddl_statement.h"

/* SELECT, DO and CALL are logged for the functions they call. */
static const char *const row_words[] = {"INSERT", "REPLACE", "UPDATE", "DELETE", "LOAD",   "WITH",
                                        "SELECT", "DO",      "CALL",   "TABLE",  "VALUES", NULL};

bool ddl_is_row_statement(const struct ddl_parser *p)
{
    return ddl_is_any(p, row_words) || ddl_is_sign(p, '(');
}

/* Was the table added by this kind already? */
static bool is_added(const struct ddl_run *run, enum ddl_kind kind, const struct shape *s)
{
    for (size_t i = 0; i < run->out->n_effects; i++) {
        const struct ddl_effect *e = &run->out->effects[i];
        if (e->kind == kind && view_equal(e->db, s->db) && view_equal(e->table, s->table))
            return true;
    }
    return false;
}

static void add_if_known(struct ddl_run *run, enum ddl_kind kind, struct view db, struct view table)
{
    const struct shape *s = catalog_find(run->p.cat, db, table);
    if (s == NULL || !ddl_is_captured(run, s->db, s->table) || is_added(run, kind, s))
        return;
    ddl_add_effect(run, kind, arena_copy(run->p.memory, s->db), arena_copy(run->p.memory, s->table));
}

void ddl_add_named(struct ddl_run *run, enum ddl_kind kind)
{
    struct ddl_parser p;
    struct view before = VIEW_NONE; /* the name in front of a dot */
    ddl_parse(&p, run->p.cat, run->p.ctx, run->p.sql, run->p.memory, NULL);
    while (p.now.kind != SQL_END && p.now.kind != SQL_BROKEN) {
        if (!ddl_is_name(&p)) {
            ddl_next(&p);
            before = VIEW_NONE;
            continue;
        }
        struct view name = sql_name(&p.scan, &p.now, p.memory);
        add_if_known(run, kind, before.n > 0 ? before : p.ctx->db, name);
        ddl_next(&p);
        before = ddl_accept_sign(&p, '.') ? name : VIEW_NONE;
    }
}

/* INSERT [LOW_PRIORITY | DELAYED | HIGH_PRIORITY] [IGNORE] [INTO] table. False: not so. */
static bool add_target(struct ddl_run *run)
{
    static const char *const before_target[] = {"INSERT",        "REPLACE", "LOW_PRIORITY", "DELAYED",
                                                "HIGH_PRIORITY", "IGNORE",  "INTO",         NULL};
    struct view db, table;
    struct ddl_parser p;
    if (!ddl_is(&run->p, "INSERT") && !ddl_is(&run->p, "REPLACE"))
        return false;
    ddl_parse(&p, run->p.cat, run->p.ctx, run->p.sql, run->p.memory, NULL);
    while (ddl_is_any(&p, before_target))
        ddl_next(&p);
    if (!ddl_table_name(&p, &db, &table))
        return false;
    add_if_known(run, DDL_ROW_STATEMENT, db, table);
    return true;
}

bool ddl_row_statement(struct ddl_run *run)
{
    if (ddl_is(&run->p, "LOAD") && ddl_is_second(&run->p, "INDEX")) /* LOAD INDEX INTO CACHE */
        return true;
    if (!add_target(run))
        ddl_add_named(run, DDL_ROW_STATEMENT);
    if (run->out->n_effects == 0)
        ddl_add_effect(run, DDL_ROW_STATEMENT, run->p.ctx->db, VIEW_NONE);
    return true;
}
