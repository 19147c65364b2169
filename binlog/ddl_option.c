/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_option: what stands behind a table's columns: options, partitions, the beginning of a query.
 *
 * Of the options only charset, collation and comment matter. The others are passed over by their form: words, perhaps an
 * equals sign, one value.
 * Source: the manual, CREATE TABLE, "table_options" and "partition_options".
 */
#include "binlog/ddl_clause.h"

/* An option's charset; its collation is the default one until COLLATE says another. */
static bool charset_option(struct draft *d)
{
    const struct charset *charset;
    if (!ddl_charset_clause(d->p, &charset))
        return false;
    if (charset == NULL) { /* DEFAULT: the database's */
        struct draft database;
        draft_init(&database, d->p, d->db, d->table);
        d->charset = database.charset;
        d->collation = database.collation;
        return true;
    }
    d->is_charset_written = true;
    bool is_kept = d->is_collation_written && charset_of_collation(d->collation) == charset;
    d->charset = charset;
    if (!is_kept)
        d->collation = draft_default_collation(d->p, charset);
    return true;
}

static bool collate_option(struct draft *d)
{
    ddl_accept_sign(d->p, '=');
    if (!ddl_collation(d->p, &d->collation, &d->charset))
        return false;
    d->is_charset_written = d->is_collation_written = true;
    return true;
}

static bool pass_option(struct ddl_parser *p)
{
    static const char *const directories[] = {"DATA", "INDEX", NULL};
    bool is_directory = ddl_is_any(p, directories);
    if (!ddl_is_name(p))
        return ddl_expected(p, "a table option");
    ddl_next(p);
    if (is_directory && !ddl_expect(p, "DIRECTORY"))
        return false;
    ddl_accept_sign(p, '=');
    if (ddl_is_sign(p, '(')) /* UNION (…) */
        return ddl_skip_group(p);
    if (p->now.kind == SQL_SIGN || p->now.kind == SQL_BROKEN || ddl_at_end(p))
        return ddl_expected(p, "the value of a table option");
    ddl_next(p);
    return true;
}

bool ddl_table_option(struct draft *d)
{
    struct ddl_parser *p = d->p;
    ddl_accept(p, "DEFAULT");
    if (ddl_is_charset_clause(p))
        return charset_option(d);
    if (ddl_accept(p, "COLLATE"))
        return collate_option(d);
    if (ddl_accept(p, "COMMENT")) {
        ddl_accept_sign(p, '=');
        return ddl_string(p, &d->comment);
    }
    if (ddl_accept(p, "START"))
        return ddl_expect(p, "TRANSACTION");
    return pass_option(p);
}

bool ddl_is_query(const struct ddl_parser *p)
{
    static const char *const words[] = {"AS", "SELECT", "WITH", "TABLE", "VALUES", "IGNORE", "REPLACE", NULL};
    return ddl_is_any(p, words) || ddl_is_sign(p, '(');
}

/* Words and brackets, until a query or the end: the options of a partition are words that no query begins with, but for
 * VALUES, which stands inside of brackets. */
bool ddl_partitions(struct draft *d)
{
    struct ddl_parser *p = d->p;
    static const char *const ends[] = {"AS", "SELECT", "WITH", "TABLE", "IGNORE", "REPLACE", NULL};
    if (!ddl_expect(p, "PARTITION") || !ddl_expect(p, "BY"))
        return false;
    d->is_partitioned = true;
    while (!ddl_at_end(p) && !ddl_is_any(p, ends)) {
        if (p->now.kind == SQL_BROKEN)
            return ddl_expected(p, "a partition option");
        if (!ddl_is_sign(p, '('))
            ddl_next(p);
        else if (!ddl_skip_group(p))
            return false;
    }
    return true;
}
