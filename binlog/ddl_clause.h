/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_clause: the clauses that CREATE TABLE and ALTER TABLE are made of, each read by one function.
 *
 * ddl_type.c reads types, ddl_column.c a column's attributes and default, ddl_key.c keys and constraints, ddl_option.c table
 * options and partitions. All of them write into a draft or a column of it. Inside ddl only.
 */
#ifndef TIDEMARK_BINLOG_DDL_CLAUSE_H
#define TIDEMARK_BINLOG_DDL_CLAUSE_H

#include "binlog/draft.h"

/* ---- types */

MUST_USE bool ddl_type(struct draft *d, struct draft_column *col);

/* Is CHARACTER SET, CHARSET or CHAR SET next? It is not taken. */
bool ddl_is_charset_clause(const struct ddl_parser *p);

/* CHARACTER SET [=] name, with the words before the name; DEFAULT gives the database's (NULL). */
MUST_USE bool ddl_charset_clause(struct ddl_parser *p, const struct charset **charset);

/* The name of a collation, and its charset. */
MUST_USE bool ddl_collation(struct ddl_parser *p, struct view *collation, const struct charset **charset);

/* ---- columns */

/* What stands behind a column's name: type, attributes, in CREATE and ALTER. Adds the keys that are written at it. */
MUST_USE bool ddl_column_definition(struct draft *d, struct draft_column *col);

/* DEFAULT has been taken. */
MUST_USE bool ddl_default(struct draft *d, struct draft_column *col);

/* ---- keys */

/* Does a key or constraint begin here, rather than a column? */
bool ddl_is_key(const struct ddl_parser *p);

MUST_USE bool ddl_key(struct draft *d);

/* The columns in brackets and what follows, for CREATE INDEX. */
MUST_USE bool ddl_key_parts(struct draft *d, struct draft_key *key);

/* REFERENCES table (…) ON DELETE … */
MUST_USE bool ddl_references(struct ddl_parser *p);

/* CHECK (…) [NOT] ENFORCED; CHECK is next. */
MUST_USE bool ddl_check(struct ddl_parser *p);

/* ---- options */

/* One table option; in ALTER TABLE, too. */
MUST_USE bool ddl_table_option(struct draft *d);

/* PARTITION BY … to its end, which may be the statement's or a SELECT. */
MUST_USE bool ddl_partitions(struct draft *d);

/* Does the query of CREATE TABLE … SELECT begin here? */
bool ddl_is_query(const struct ddl_parser *p);

#endif
