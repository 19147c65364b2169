/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/ddl_parse.h"

enum { SHOWN_BYTES = 40 }; /* of the statement, in an error */

void ddl_parse(struct ddl_parser *p, struct catalog *cat, const struct ddl_context *ctx, struct view sql,
               struct arena *memory, struct fail *why)
{
    *p = (struct ddl_parser){.sql = sql, .ctx = ctx, .cat = cat, .memory = memory, .why = why, .last_end = sql.p};
    sql_scan(&p->scan, sql, ctx->client_charset, (ctx->sql_mode & DDL_MODE_ANSI_QUOTES) != 0,
             (ctx->sql_mode & DDL_MODE_NO_BACKSLASH_ESCAPES) != 0, ctx->server_version);
    p->now = sql_next(&p->scan);
}

void ddl_next(struct ddl_parser *p)
{
    if (p->now.kind != SQL_END)
        p->last_end = p->now.text.p + p->now.text.n;
    p->now = sql_next(&p->scan);
}

bool ddl_expected(struct ddl_parser *p, const char *what)
{
    struct view near = p->now.text;
    if (p->now.kind == SQL_END)
        return fail_malformed(p->why, "read DDL: expected %s, found the end", what);
    near.n = near.n > SHOWN_BYTES ? SHOWN_BYTES : near.n;
    return fail_malformed(p->why, "read DDL: expected %s at byte %zu, found %s%.*s", what,
                          (size_t)(p->now.text.p - p->sql.p),
                          p->now.kind == SQL_BROKEN ? "something without its end: " : "", VIEW_ARGS(near));
}

/* ---- words */

bool ddl_is_second(const struct ddl_parser *p, const char *keyword)
{
    struct sql_scanner ahead = p->scan;
    struct sql_token t = sql_next(&ahead);
    return sql_is_word(&t, keyword);
}

bool ddl_is_any(const struct ddl_parser *p, const char *const *keywords)
{
    for (; *keywords != NULL; keywords++)
        if (ddl_is(p, *keywords))
            return true;
    return false;
}

bool ddl_accept(struct ddl_parser *p, const char *keyword)
{
    if (!ddl_is(p, keyword))
        return false;
    ddl_next(p);
    return true;
}

bool ddl_accept_two(struct ddl_parser *p, const char *first, const char *second)
{
    if (!ddl_is(p, first) || !ddl_is_second(p, second))
        return false;
    ddl_next(p);
    ddl_next(p);
    return true;
}

bool ddl_expect(struct ddl_parser *p, const char *keyword)
{
    return ddl_accept(p, keyword) || ddl_expected(p, keyword);
}

bool ddl_accept_if_exists(struct ddl_parser *p)
{
    return ddl_accept_two(p, "IF", "EXISTS");
}

bool ddl_accept_if_not_exists(struct ddl_parser *p)
{
    return ddl_accept_two(p, "IF", "NOT") && ddl_accept(p, "EXISTS");
}

/* ---- signs */

bool ddl_accept_sign(struct ddl_parser *p, char sign)
{
    if (!ddl_is_sign(p, sign))
        return false;
    ddl_next(p);
    return true;
}

bool ddl_expect_sign(struct ddl_parser *p, char sign)
{
    char what[] = {'"', sign, '"', '\0'};
    return ddl_accept_sign(p, sign) || ddl_expected(p, what);
}

bool ddl_at_end(const struct ddl_parser *p)
{
    return p->now.kind == SQL_END || ddl_is_sign(p, ';');
}

/* ---- names, values */

bool ddl_name(struct ddl_parser *p, struct view *name)
{
    if (!ddl_is_name(p))
        return ddl_expected(p, "a name");
    *name = sql_name(&p->scan, &p->now, p->memory);
    ddl_next(p);
    return true;
}

static struct view stored(const struct ddl_parser *p, struct view name)
{
    return p->cat == NULL ? name : catalog_stored_name(p->cat, name, p->memory);
}

bool ddl_database_name(struct ddl_parser *p, struct view *db)
{
    if (!ddl_name(p, db))
        return false;
    *db = stored(p, *db);
    return true;
}

bool ddl_table_name(struct ddl_parser *p, struct view *db, struct view *table)
{
    *db = stored(p, p->ctx->db);
    if (ddl_accept_sign(p, '.')) /* .t is t of the current database */
        return ddl_database_name(p, table);
    if (!ddl_database_name(p, table))
        return false;
    if (!ddl_accept_sign(p, '.'))
        return true;
    *db = *table;
    return ddl_database_name(p, table);
}

bool ddl_is_string(const struct ddl_parser *p)
{
    return p->now.kind == SQL_STRING || p->now.kind == SQL_NATIONAL;
}

const struct charset *ddl_introducer(struct ddl_parser *p)
{
    if (p->now.kind != SQL_WORD || p->now.text.n < 2 || p->now.text.p[0] != '_')
        return NULL;
    struct sql_scanner ahead = p->scan;
    struct sql_token t = sql_next(&ahead);
    if (t.kind != SQL_STRING && t.kind != SQL_HEX && t.kind != SQL_BITS)
        return NULL;
    const struct charset *cs = charset_find((struct view){p->now.text.p + 1, p->now.text.n - 1});
    if (cs != NULL)
        ddl_next(p);
    return cs;
}

/* The strings side by side, joined at once when there are several: 'a' 'b' is 'ab'. */
static struct view strings(struct ddl_parser *p, const struct charset *introducer)
{
    struct view text = sql_string(&p->scan, &p->now, introducer, p->memory);
    ddl_next(p);
    if (p->now.kind != SQL_STRING)
        return text;
    struct buf all;
    buf_init(&all);
    buf_put_view(&all, text);
    for (; p->now.kind == SQL_STRING; ddl_next(p))
        buf_put_view(&all, sql_string(&p->scan, &p->now, introducer, p->memory));
    text = arena_copy(p->memory, buf_view(&all));
    buf_fini(&all);
    return text;
}

bool ddl_string(struct ddl_parser *p, struct view *text)
{
    const struct charset *introducer = ddl_introducer(p);
    if (!ddl_is_string(p))
        return ddl_expected(p, "a string");
    *text = strings(p, introducer);
    return true;
}

bool ddl_string_and_bytes(struct ddl_parser *p, struct view *text, struct view *bytes)
{
    struct ddl_parser again = *p;
    again.scan.charset = charset_find(view_of("binary"));
    ddl_introducer(&again);
    return ddl_string(p, text) && ddl_string(&again, bytes);
}

bool ddl_number(struct ddl_parser *p, uint64_t *number)
{
    if (p->now.kind != SQL_NUMBER)
        return ddl_expected(p, "a number");
    *number = 0;
    for (size_t i = 0; i < p->now.text.n && p->now.text.p[i] >= '0' && p->now.text.p[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(p->now.text.p[i] - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    ddl_next(p);
    return true;
}

/* ---- passing over */

bool ddl_skip_group(struct ddl_parser *p)
{
    size_t depth = 0;
    if (!ddl_is_sign(p, '('))
        return ddl_expected(p, "\"(\"");
    do {
        if (p->now.kind == SQL_END || p->now.kind == SQL_BROKEN)
            return ddl_expected(p, "\")\"");
        depth += ddl_is_sign(p, '(');
        depth -= ddl_is_sign(p, ')');
        ddl_next(p);
    } while (depth > 0);
    return true;
}

/* A token as it reads without sql_mode. */
static void put_token(struct ddl_parser *p, struct buf *out)
{
    const struct sql_token *t = &p->now;
    if (t->kind == SQL_NATIONAL)
        buf_put_u8(out, 'N');
    if (t->kind == SQL_STRING || t->kind == SQL_NATIONAL)
        sql_put_string(out, sql_string(&p->scan, t, NULL, p->memory));
    else if (t->kind == SQL_NAME)
        sql_put_name(out, sql_name(&p->scan, t, p->memory));
    else
        buf_put_view(out, sql_utf8(p->scan.charset, t->text, p->memory));
}

/* Would the next token, written right behind this one, be taken for a part of it? */
static bool needs_blank(const struct sql_token *before, const struct sql_token *next)
{
    bool is_quoted = next->kind == SQL_STRING || next->kind == SQL_NATIONAL || next->kind == SQL_NAME;
    return is_quoted && before->kind != SQL_SIGN;
}

bool ddl_group_text(struct ddl_parser *p, struct view *text)
{
    struct ddl_parser inside = *p;
    struct buf out;
    if (!ddl_skip_group(p))
        return false;
    buf_init(&out);
    ddl_next(&inside);
    while (inside.now.text.p + 1 < p->last_end) {
        struct sql_token before = inside.now;
        put_token(&inside, &out);
        ddl_next(&inside);
        bool is_apart = inside.now.text.p != inside.last_end || needs_blank(&before, &inside.now);
        if (is_apart && inside.now.text.p + 1 < p->last_end)
            buf_put_u8(&out, ' ');
    }
    *text = arena_copy(p->memory, buf_view(&out));
    buf_fini(&out);
    return true;
}

bool ddl_skip_item(struct ddl_parser *p)
{
    while (!ddl_at_end(p) && !ddl_is_sign(p, ',') && !ddl_is_sign(p, ')')) {
        if (p->now.kind == SQL_BROKEN)
            return ddl_expected(p, "a token");
        if (!ddl_is_sign(p, '('))
            ddl_next(p);
        else if (!ddl_skip_group(p))
            return false;
    }
    return true;
}

void ddl_skip_rest(struct ddl_parser *p)
{
    while (p->now.kind != SQL_END && p->now.kind != SQL_BROKEN)
        ddl_next(p);
}

struct view ddl_text_since(const struct ddl_parser *p, const uint8_t *start)
{
    size_t n = p->last_end > start ? (size_t)(p->last_end - start) : 0;
    return sql_utf8(p->scan.charset, (struct view){start, n}, p->memory);
}
