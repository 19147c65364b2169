/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_database: CREATE, ALTER and DROP DATABASE: the default charset of tables, and tables that go all at once.
 *
 * Source: the manual, the pages of these names.
 */
#include "binlog/ddl_clause.h"
#include "binlog/ddl_statement.h"

/* Reads the options into a draft, which is used for its charset only. */
static bool options(struct draft *d)
{
    struct ddl_parser *p = d->p;
    while (!ddl_at_end(p)) {
        ddl_accept(p, "DEFAULT");
        if (ddl_accept(p, "READ")) { /* READ ONLY [=] 1 */
            if (!ddl_expect(p, "ONLY"))
                return false;
            ddl_accept_sign(p, '=');
            ddl_next(p);
        } else if (!ddl_table_option(d)) {
            return false;
        }
    }
    return true;
}

bool ddl_create_database(struct ddl_run *run)
{
    struct view db;
    struct draft d;
    bool is_conditional = ddl_accept_if_not_exists(&run->p);
    if (!ddl_database_name(&run->p, &db))
        return false;
    ddl_add_effect(run, DDL_DATABASE, db, VIEW_NONE)->is_conditional = is_conditional;
    if (is_conditional && catalog_find_database(run->p.cat, db) != NULL)
        return true;
    draft_init_server(&d, &run->p, db);
    if (!options(&d))
        return false;
    catalog_put_database(run->p.cat, db, d.charset, d.collation);
    return true;
}

/* The name may be missing; the words of options are no names, unless quoted. */
static bool at_option(const struct ddl_parser *p)
{
    static const char *const words[] = {"DEFAULT", "COLLATE", "ENCRYPTION", "READ", NULL};
    return ddl_is_any(p, words) || ddl_is_charset_clause(p);
}

bool ddl_alter_database(struct ddl_run *run)
{
    struct view db = run->p.ctx->db;
    struct draft d;
    if (!at_option(&run->p) && !ddl_database_name(&run->p, &db))
        return false;
    draft_init(&d, &run->p, db, VIEW_NONE);
    if (!options(&d))
        return false;
    ddl_add_effect(run, DDL_DATABASE, db, VIEW_NONE)->is_unseen = true;
    if (d.is_charset_written) /* else nothing makes an unknown database known */
        catalog_put_database(run->p.cat, db, d.charset, d.collation);
    return true;
}

/* Each table that is followed comes as a DROP of its own before the database's effect. */
bool ddl_drop_database(struct ddl_run *run)
{
    struct view db;
    bool is_conditional = ddl_accept_if_exists(&run->p);
    if (!ddl_database_name(&run->p, &db))
        return false;
    size_t at = 0;
    for (const struct shape *s; (s = catalog_next(run->p.cat, &at)) != NULL;)
        if (catalog_is_in(run->p.cat, s, db))
            ddl_add_effect(run, DDL_DROP, arena_copy(run->p.memory, s->db), arena_copy(run->p.memory, s->table));
    catalog_remove_database(run->p.cat, db);
    ddl_add_effect(run, DDL_DATABASE, db, VIEW_NONE)->is_conditional = is_conditional;
    return true;
}
