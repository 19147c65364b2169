/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl: what a statement does to the tables: one reader for SHOW CREATE TABLE text and for the statements of the log.
 *
 * A statement is read to its end before anything changes, so it changes the catalog wholly or not at all. What it
 * did comes back as effects, in order, one per object: DROP TABLE a, b has two. A statement that names no table of
 * interest is known by its first words and not read further. What the server does without being asked is done here
 * too: NOT NULL by PRIMARY KEY, sizes of TEXT(n), charsets from table and database, names of unnamed indexes.
 *
 * Tables of interest are those that is_captured says yes to, those that are in the catalog already, and those made
 * from such by CREATE TABLE … LIKE or in a database that has one: the helpers of online schema changers, whose shape
 * is needed when they are renamed into place.
 *
 * Source of the grammar: the MySQL 9.7 manual, chapter "SQL Statements"; of the implied rules: its pages on CREATE
 * TABLE ("Silent Column Specification Changes"), TIMESTAMP initialisation, and trials on a 9.7 server.
 * One thread at a time. Everything in a result is its own or lent by the statement's text.
 */
#ifndef TIDEMARK_BINLOG_DDL_H
#define TIDEMARK_BINLOG_DDL_H

#include "base/fail.h"
#include "binlog/catalog.h"

/* Bits of sql_mode, as in the status variables of a QUERY event, that change how a statement reads. */
enum {
    DDL_MODE_REAL_AS_FLOAT = 1 << 0,
    DDL_MODE_ANSI_QUOTES = 1 << 2,
    DDL_MODE_NO_BACKSLASH_ESCAPES = 1 << 20,
};

/* One more, beyond what an int holds: the default of a CHAR has blanks up to its length. */
#define DDL_MODE_PAD_CHAR_TO_FULL_LENGTH (UINT64_C(1) << 31)

struct ddl_context {
    struct view db;          /* the current database of the session, empty when none */
    uint64_t sql_mode;       /* of the event; 0 for text we printed or SHOW CREATE TABLE of our own session */
    uint32_t server_version; /* 90704: executable comments up to it are read; 0: all are */
    const struct charset *client_charset; /* of the statement's bytes; NULL: UTF-8 */
    const struct charset *server_charset; /* for a database that names none; NULL: utf8mb4 */
    struct view server_collation;         /* empty: the charset's own */
    struct view utf8mb4_collation;        /* of utf8mb4 without COLLATE; empty: utf8mb4_0900_ai_ci */
    bool implicit_timestamp_defaults;     /* explicit_defaults_for_timestamp is OFF */
    bool (*is_captured)(const void *arg, struct view db, struct view table); /* NULL: all are */
    const void *arg;
};

enum ddl_kind {
    DDL_CREATE,        /* the table is new: shape */
    DDL_ALTER,         /* it has another shape, or another name too: old_db, old_table */
    DDL_RENAME,        /* as ALTER, by RENAME TABLE */
    DDL_DROP,          /* it is gone */
    DDL_TRUNCATE,      /* its rows are gone */
    DDL_DATA_CHANGED,  /* rows came or went without row events: partitions, tablespaces, CREATE … SELECT by statement */
    DDL_DATABASE,      /* a database was made, changed or dropped; table is empty. Its tables come as DROPs before it */
    DDL_NONE,          /* read, and nothing of ours changed: IF NOT EXISTS of a table that is there, FLUSH TABLES, … */
    DDL_ROW_STATEMENT, /* INSERT, UPDATE, DELETE, … in statement format: rows that the log doesn't hold */
    DDL_UNREADABLE,    /* not understood; db and table say whom it concerns, as far as names could be found */
};

struct ddl_effect {
    enum ddl_kind kind;
    struct view db;
    struct view table;
    struct view old_db; /* of a rename, else empty */
    struct view old_table;
    struct view text; /* this object's part of the statement in UTF-8, for the schema-change record */
    bool is_captured;
    bool was_captured;     /* under its old name */
    bool needs_shape;      /* the new shape can't be known from the log: an ALTER, LIKE or rename of a table that isn't
                              in the catalog; the catalog has none for it now */
    bool is_conditional;   /* IF NOT EXISTS or IF EXISTS stood there */
    bool is_unseen;        /* the reference sees no change in it: an ALTER that was DROP INDEX, or a CREATE INDEX that
                              can't be a key (not unique, of an expression, of a table that has one); ALTER DATABASE */
    bool database_unknown; /* a charset was to come from a database that isn't in the catalog; the server's was taken */
    const struct shape *shape; /* in force after it, held by the result; NULL when there is none. A later effect of the
                                  same statement may have moved it on (RENAME of three names in a swap) */
};

struct ddl_result {
    struct ddl_effect *effects; /* none at all: a statement nobody is told of (views, routines, users, BEGIN, …) */
    size_t n_effects;
    size_t room;
    struct arena memory;
};

void ddl_result_init(struct ddl_result *r);
void ddl_result_fini(struct ddl_result *r);

/*
 * Reads one statement of the log and brings the catalog up to date. The result, which was initialised, is emptied first.
 * Fails (REFUSE) when the statement can't be read and concerns a captured table; its effects are then UNREADABLE, and
 * the catalog still has the shapes from before: they are no longer true.
 */
MUST_USE bool ddl_apply(struct catalog *cat, const struct ddl_context *ctx, struct view sql, struct ddl_result *out,
                        struct fail *why);

/*
 * The shape that the text of SHOW CREATE TABLE, or shape_print's, describes, with one count; NULL and why when it can't be
 * read. A table name without a database is taken to be in ctx->db. cat (for the charset of the database) may be NULL.
 */
MUST_USE const struct shape *ddl_read_create(struct catalog *cat, const struct ddl_context *ctx, struct view sql,
                                             struct fail *why);

#endif
