/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_parse: the little language in which the statements of ddl are written down: is it this word, take it, skip that.
 *
 * A parser stands before one token. "accept" takes it when it is the one asked for; "expect" fails when it isn't. The
 * first failure fills the parser's `why` and sticks to nothing else: who meets one returns false.
 * Depth is counted, never recursed into: brackets in brackets cost no stack. Inside ddl only.
 */
#ifndef TIDEMARK_BINLOG_DDL_PARSE_H
#define TIDEMARK_BINLOG_DDL_PARSE_H

#include "binlog/ddl.h"
#include "binlog/sql_token.h"

struct ddl_parser {
    struct sql_scanner scan; /* behind `now` */
    struct sql_token now;    /* the token to be read next */
    const uint8_t *last_end; /* where the token before it ended */
    struct view sql;
    const struct ddl_context *ctx;
    struct catalog *cat;  /* may be NULL when text is only read */
    bool is_servers_text; /* of SHOW CREATE TABLE, or a shape's own: no statement that somebody wrote */
    struct arena *memory; /* of everything that is read, until the statement is done with */
    struct fail *why;
};

void ddl_parse(struct ddl_parser *p, struct catalog *cat, const struct ddl_context *ctx, struct view sql,
               struct arena *memory, struct fail *why);

void ddl_next(struct ddl_parser *p);

/* Fills why with what was expected and where; returns false. */
bool ddl_expected(struct ddl_parser *p, const char *what);

/* ---- words */

static inline bool ddl_is(const struct ddl_parser *p, const char *keyword)
{
    return sql_is_word(&p->now, keyword);
}

/* Is the token behind the next one this word? */
bool ddl_is_second(const struct ddl_parser *p, const char *keyword);

/* Is the next token one of these words? The list ends with NULL. */
bool ddl_is_any(const struct ddl_parser *p, const char *const *keywords);

bool ddl_accept(struct ddl_parser *p, const char *keyword);

/* Both words or none. */
bool ddl_accept_two(struct ddl_parser *p, const char *first, const char *second);
MUST_USE bool ddl_expect(struct ddl_parser *p, const char *keyword);

/* IF EXISTS, IF NOT EXISTS */
bool ddl_accept_if_exists(struct ddl_parser *p);
bool ddl_accept_if_not_exists(struct ddl_parser *p);

/* ---- signs */

static inline bool ddl_is_sign(const struct ddl_parser *p, char sign)
{
    return p->now.sign == (uint8_t)sign;
}

bool ddl_accept_sign(struct ddl_parser *p, char sign);
MUST_USE bool ddl_expect_sign(struct ddl_parser *p, char sign);

/* Nothing is left, or a semicolon. */
bool ddl_at_end(const struct ddl_parser *p);

/* ---- names, values */

static inline bool ddl_is_name(const struct ddl_parser *p)
{
    return p->now.kind == SQL_WORD || p->now.kind == SQL_NAME;
}

MUST_USE bool ddl_name(struct ddl_parser *p, struct view *name);

/* Databases and tables by the names that the server keeps them under (catalog_stored_name). */
MUST_USE bool ddl_database_name(struct ddl_parser *p, struct view *db);

/* table or db.table; db is the current database when none is written. */
MUST_USE bool ddl_table_name(struct ddl_parser *p, struct view *db, struct view *table);

/* One or more strings side by side are one; a value in UTF-8. */
MUST_USE bool ddl_string(struct ddl_parser *p, struct view *text);
/* The same, and the string's bytes as they stand in the statement, for what is of charset binary. */
MUST_USE bool ddl_string_and_bytes(struct ddl_parser *p, struct view *text, struct view *bytes);

/* The same with what may stand before it: an introducer (_latin1'…') or N. Does not take x'…'. */
bool ddl_is_string(const struct ddl_parser *p);

/* The charset that an introducer names, when one is here and a literal behind it; it is taken. */
const struct charset *ddl_introducer(struct ddl_parser *p);

/* A whole number; too large ones are the largest. */
MUST_USE bool ddl_number(struct ddl_parser *p, uint64_t *number);

/* ---- passing over */

/* Brackets and all between them; the opening one is next. */
MUST_USE bool ddl_skip_group(struct ddl_parser *p);

/* As above, giving what stands between them: UTF-8, as it reads without sql_mode, and without comments. */
MUST_USE bool ddl_group_text(struct ddl_parser *p, struct view *text);

/* Up to a comma or closing bracket outside of brackets, or the end. */
MUST_USE bool ddl_skip_item(struct ddl_parser *p);

/* Up to the end. */
void ddl_skip_rest(struct ddl_parser *p);

/* The text from a token to where the parser stands, in UTF-8, without blanks and comments at its end. */
struct view ddl_text_since(const struct ddl_parser *p, const uint8_t *start);

#endif
