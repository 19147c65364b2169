/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/ddl.h"

#include "base/utf8.h"
#include "binlog/ddl_statement.h"

/* ---- results */

void ddl_result_init(struct ddl_result *r)
{
    *r = (struct ddl_result){.effects = NULL};
    arena_init(&r->memory);
}

static void drop_effects(struct ddl_result *r)
{
    for (size_t i = 0; i < r->n_effects; i++)
        shape_free(&r->effects[i].shape);
    r->effects = NULL;
    r->n_effects = r->room = 0;
}

void ddl_result_fini(struct ddl_result *r)
{
    drop_effects(r);
    arena_fini(&r->memory);
}

static struct ddl_effect *grow(struct ddl_result *r)
{
    if (r->n_effects == r->room) {
        r->room = r->room == 0 ? 4 : r->room * 2;
        struct ddl_effect *larger = arena_alloc(&r->memory, r->room * sizeof *larger);
        if (r->n_effects > 0)
            memcpy(larger, r->effects, r->n_effects * sizeof *larger);
        r->effects = larger;
    }
    return &r->effects[r->n_effects++];
}

/* The statement from its first word to its end, without a semicolon. */
static struct view whole_text(const struct ddl_run *run)
{
    struct view text = run->p.sql;
    while (text.n > 0 && (text.p[text.n - 1] == ';' || text.p[text.n - 1] <= ' '))
        text.n--;
    return sql_utf8(run->p.ctx->client_charset, text, run->p.memory);
}

struct ddl_effect *ddl_add_effect(struct ddl_run *run, enum ddl_kind kind, struct view db, struct view table)
{
    struct ddl_effect *effect = grow(run->out);
    *effect = (struct ddl_effect){.kind = kind, .db = db, .table = table, .text = whole_text(run)};
    effect->is_captured = table.n > 0 && ddl_is_captured(run, db, table);
    return effect;
}

bool ddl_add_none(struct ddl_run *run)
{
    ddl_add_effect(run, DDL_NONE, run->p.ctx->db, VIEW_NONE);
    return true;
}

void ddl_put_shape(struct ddl_run *run, struct ddl_effect *effect, struct shape *s)
{
    effect->shape = shape_hold(s);
    if (effect->is_captured)
        catalog_put(run->p.cat, s);
    else
        catalog_put_helper(run->p.cat, s);
}

void ddl_move_shape(struct ddl_run *run, struct ddl_effect *effect)
{
    struct catalog *cat = run->p.cat;
    const struct shape *s = catalog_find(cat, effect->old_db, effect->old_table);
    effect->was_captured = ddl_is_captured(run, effect->old_db, effect->old_table);
    if (s == NULL) {
        effect->needs_shape = effect->is_captured;
        catalog_remove(cat, effect->db, effect->table);
        return;
    }
    struct shape *moved = shape_copy(s, effect->db, effect->table);
    catalog_remove(cat, effect->old_db, effect->old_table);
    ddl_put_shape(run, effect, moved);
}

/* ---- whom it concerns */

bool ddl_is_captured(const struct ddl_run *run, struct view db, struct view table)
{
    const struct ddl_context *ctx = run->p.ctx;
    return ctx->is_captured == NULL || ctx->is_captured(ctx->arg, db, table);
}

bool ddl_is_followed(struct ddl_run *run, struct view db, struct view table)
{
    return ddl_is_captured(run, db, table) || catalog_find(run->p.cat, db, table) != NULL;
}

bool ddl_target(struct ddl_run *run, struct view *db, struct view *table)
{
    if (!ddl_table_name(&run->p, db, table))
        return false;
    run->has_target = true;
    run->target_db = *db;
    run->target_table = *table;
    return true;
}

/* ---- statements by their first words */

static bool pass(struct ddl_run *run)
{
    (void)run;
    return true;
}

/* CREATE, ALTER, DROP of something else: of events, servers and tablespaces people are told; of views, routines,
 * triggers, users and roles not. What is made stands behind OR REPLACE, DEFINER and the like. */
static bool other_object(struct ddl_run *run)
{
    enum { WORDS_MAX = 32 };
    static const char *const quiet[] = {"VIEW", "FUNCTION", "PROCEDURE", "TRIGGER", "USER",
                                        "ROLE", "LIBRARY",  "PREPARE",   NULL};
    static const char *const told[] = {"EVENT",     "SERVER",   "TABLESPACE", "LOGFILE",
                                       "REFERENCE", "RESOURCE", "INSTANCE",   NULL};
    for (int i = 0; i < WORDS_MAX && !ddl_at_end(&run->p); i++) {
        if (ddl_is_any(&run->p, quiet))
            return true;
        if (ddl_is_any(&run->p, told))
            return ddl_add_none(run);
        ddl_next(&run->p);
    }
    return ddl_expected(&run->p, "a kind of object");
}

static bool create(struct ddl_run *run)
{
    struct ddl_parser *p = &run->p;
    if (ddl_is(p, "EXTERNAL") && ddl_is_second(p, "TABLE"))
        ddl_next(p);
    if (ddl_accept(p, "TEMPORARY"))
        return pass(run);
    if (ddl_accept(p, "TABLE"))
        return ddl_create_table(run);
    if (ddl_accept(p, "DATABASE") || ddl_accept(p, "SCHEMA"))
        return ddl_create_database(run);
    if (ddl_accept_two(p, "UNIQUE", "INDEX"))
        return ddl_create_index(run, true);
    if (ddl_accept(p, "INDEX") || ddl_accept_two(p, "FULLTEXT", "INDEX") || ddl_accept_two(p, "SPATIAL", "INDEX"))
        return ddl_create_index(run, false);
    return other_object(run);
}

static bool alter(struct ddl_run *run)
{
    struct ddl_parser *p = &run->p;
    if (ddl_accept(p, "TABLE"))
        return ddl_alter_table(run);
    if (ddl_accept(p, "DATABASE") || ddl_accept(p, "SCHEMA"))
        return ddl_alter_database(run);
    return other_object(run);
}

static bool drop(struct ddl_run *run)
{
    struct ddl_parser *p = &run->p;
    if (ddl_accept(p, "TEMPORARY"))
        return pass(run);
    if (ddl_accept(p, "TABLE") || ddl_accept(p, "TABLES"))
        return ddl_drop_table(run);
    if (ddl_accept(p, "DATABASE") || ddl_accept(p, "SCHEMA"))
        return ddl_drop_database(run);
    if (ddl_accept(p, "INDEX"))
        return ddl_drop_index(run);
    return other_object(run);
}

static bool rename(struct ddl_run *run)
{
    struct ddl_parser *p = &run->p;
    if (ddl_accept(p, "TABLE") || ddl_accept(p, "TABLES"))
        return ddl_rename_table(run);
    return ddl_add_none(run); /* RENAME USER */
}

static bool truncate(struct ddl_run *run)
{
    ddl_accept(&run->p, "TABLE");
    return ddl_truncate_table(run);
}

static bool optimize(struct ddl_run *run)
{
    return ddl_accept(&run->p, "TABLE") || ddl_accept(&run->p, "TABLES") ? ddl_optimize_table(run) : pass(run);
}

/* All of them are told but FLUSH RELAY LOGS, by the reference's filter. */
static bool flush(struct ddl_run *run)
{
    static const char *const quiet[] = {"LOCAL", "NO_WRITE_TO_BINLOG", NULL};
    if (ddl_is_any(&run->p, quiet))
        ddl_next(&run->p);
    return ddl_is(&run->p, "RELAY") ? pass(run) : ddl_add_none(run);
}

/* SET DEFAULT ROLE is told; of variables nothing is. */
static bool set(struct ddl_run *run)
{
    return ddl_accept_two(&run->p, "DEFAULT", "ROLE") ? ddl_add_none(run) : pass(run);
}

struct statement {
    const char *word;
    bool (*read)(struct ddl_run *run);
};

static const struct statement statements[] = {
    {"CREATE", create},     {"ALTER", alter},       {"DROP", drop},   {"RENAME", rename},
    {"TRUNCATE", truncate}, {"OPTIMIZE", optimize}, {"FLUSH", flush}, {"SET", set},
};

/* All others that the server knows: they change no table. */
static const char *const passed_words[] = {
    "ANALYZE",    "BEGIN",    "BINLOG",    "CACHE",  "CHANGE",   "CHECK",     "CHECKSUM", "CLONE",    "COMMIT",
    "DEALLOCATE", "DESC",     "DESCRIBE",  "END",    "EXECUTE",  "EXPLAIN",   "GET",      "GRANT",    "HANDLER",
    "HELP",       "IMPORT",   "INSTALL",   "KILL",   "LOCK",     "PREPARE",   "PURGE",    "RELEASE",  "REPAIR",
    "RESET",      "RESIGNAL", "RESTART",   "REVOKE", "ROLLBACK", "SAVEPOINT", "SHOW",     "SHUTDOWN", "SIGNAL",
    "START",      "STOP",     "UNINSTALL", "UNLOCK", "USE",      "XA",        NULL,
};

static bool read_statement(struct ddl_run *run)
{
    struct ddl_parser *p = &run->p;
    if (ddl_at_end(p) || ddl_is_any(p, passed_words))
        return true;
    if (ddl_is_row_statement(p))
        return ddl_row_statement(run);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (ddl_accept(p, statements[i].word))
            return statements[i].read(run);
    return ddl_expected(p, "a statement");
}

/* ---- what couldn't be read */

static bool report_unreadable(struct ddl_run *run)
{
    drop_effects(run->out);
    if (run->has_target && !ddl_add_effect(run, DDL_UNREADABLE, run->target_db, run->target_table)->is_captured)
        catalog_remove(run->p.cat, run->target_db, run->target_table); /* a helper, of which nothing is known now */
    ddl_add_named(run, DDL_UNREADABLE);
    if (run->out->n_effects == 0)
        ddl_add_effect(run, DDL_UNREADABLE, run->p.ctx->db, VIEW_NONE);
    for (size_t i = 0; i < run->out->n_effects; i++)
        if (run->out->effects[i].is_captured)
            return fail_add(run->p.why, "`%.*s`.`%.*s`", VIEW_ARGS(run->out->effects[i].db),
                            VIEW_ARGS(run->out->effects[i].table));
    return true;
}

/* ---- statements the server wrote itself */

static bool accept(struct cursor *c, const char *text)
{
    size_t n = strlen(text);
    if (cursor_left(c) < n || memcmp(c->p, text, n) != 0)
        return false;
    cursor_take(c, n);
    return true;
}

/* For CREATE TABLE … SELECT, for a LIKE of a temporary table and for one that gets a hidden primary key the log has a
 * text of the server's own, laid out as by SHOW CREATE TABLE: in UTF-8 whatever the client's charset, and with backslash
 * escapes whatever sql_mode. A client's text of the same layout is taken for one only if it is UTF-8, too. */
static bool is_server_made(struct view sql)
{
    struct cursor c = cursor_of(sql);
    if (!accept(&c, "CREATE TABLE ") || cursor_left(&c) == 0)
        return false;
    accept(&c, "IF NOT EXISTS ");
    uint8_t quote = cursor_u8(&c);
    if (quote != '`' && quote != '"')
        return false;
    while (cursor_left(&c) > 0 && *c.p != '\n')
        cursor_take(&c, 1);
    return c.p > sql.p + 3 && memcmp(c.p - 3, (const uint8_t[]){quote, ' ', '('}, 3) == 0 && accept(&c, "\n  ") &&
           cursor_u8(&c) == quote && utf8_is_valid(sql);
}

bool ddl_apply(struct catalog *cat, const struct ddl_context *ctx, struct view sql, struct ddl_result *out,
               struct fail *why)
{
    drop_effects(out);
    arena_reset(&out->memory);
    struct ddl_run run = {.out = out};
    struct ddl_context own = *ctx;
    if (is_server_made(sql)) {
        own.client_charset = NULL;
        own.sql_mode &= ~(uint64_t)DDL_MODE_NO_BACKSLASH_ESCAPES;
    }
    ddl_parse(&run.p, cat, &own, sql, &out->memory, why);
    run.start = run.p.now.text.p;
    return read_statement(&run) || report_unreadable(&run);
}
