/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft: a table on its way to being a shape: columns and keys can still come, go and move.
 *
 * Keys name their columns by pointer, so moving a column disturbs none. A column that was read from a statement is raw
 * until draft_finish: its charset may depend on an option behind it, its nullability on a key. draft_finish then does
 * what the server does to every definition, in the server's order: charsets, sizes, names of unnamed keys, NOT NULL
 * of primary keys, the order of keys.
 *
 * Everything lives in the parser's memory or is lent by the shape the draft was made from. Inside ddl only.
 * Source of the rules: the manual on CREATE TABLE and ALTER TABLE; trials on a 9.7 server.
 */
#ifndef TIDEMARK_BINLOG_DRAFT_H
#define TIDEMARK_BINLOG_DRAFT_H

#include "binlog/ddl_parse.h"

struct draft_label {
    struct view bytes; /* between the quotes, or the digits of x'…' */
    bool is_hex;
};

struct draft_column {
    struct column c;
    struct view old_name;     /* in the table that is altered; empty: new */
    const struct column *old; /* there; NULL: new */
    bool is_raw;              /* read from this statement: resolved when the draft is finished */
    bool is_dropped;
    bool is_default_set;     /* by ALTER … SET DEFAULT */
    bool is_default_dropped; /* by ALTER … DROP DEFAULT */
    /* of raw columns */
    const struct charset *charset; /* written at the type, or of the written COLLATE */
    struct view collation;         /* written */
    bool is_charset_written;       /* at the type */
    bool is_bin;                   /* BINARY stood at the type: the _bin collation of its charset */
    bool is_national;
    bool is_null_written;
    struct draft_label *labels;            /* of c.members, in the bytes of the statement; NULL: none */
    struct view default_bytes;             /* a string DEFAULT in the bytes of the statement, for binary columns */
    const struct charset *default_charset; /* written in front of x'…' or b'…' */
    /* placing */
    bool is_placed;
    bool is_first;
    struct view after;
};

struct draft_part {
    struct view name;
    struct draft_column *column; /* NULL until resolved, and for expressions */
    uint32_t prefix;
    bool is_descending;
    bool is_expression;
};

struct draft_key {
    struct view name;     /* empty: still to be made */
    struct view old_name; /* before this statement */
    bool is_primary;
    bool is_unique;
    bool is_fulltext;
    bool is_new;
    bool is_dropped;
    bool is_implied; /* made for a FOREIGN KEY; gives way to one that serves as well */
    struct draft_part *parts;
    uint32_t n_parts;
};

struct draft {
    struct ddl_parser *p;
    struct view db;
    struct view table;
    struct draft_column **columns;
    uint32_t n_columns;
    uint32_t room_columns;
    struct draft_key **keys;
    uint32_t n_keys;
    uint32_t room_keys;
    const struct charset *charset;
    struct view collation;
    struct view comment;
    const struct charset *convert; /* CONVERT TO CHARACTER SET */
    struct view convert_collation;
    bool is_partitioned;
    bool is_rewritten;       /* an altered table whose columns the server defines again, those too that nothing names */
    bool is_charset_written; /* by an option of this statement, or by its COLLATE */
    bool is_collation_written;
    bool database_unknown;
};

/* An empty table with the defaults of its database. */
void draft_init(struct draft *d, struct ddl_parser *p, struct view db, struct view table);

/* The same with the defaults of the server, for a database that is made. */
void draft_init_server(struct draft *d, struct ddl_parser *p, struct view db);

/* The table as it is; s must outlive the draft. */
void draft_from_shape(struct draft *d, struct ddl_parser *p, const struct shape *s);

enum { DRAFT_COLUMNS_MAX = 4096 }; /* the server's, too */

struct draft_column *draft_new_column(struct draft *d, struct view name);
void draft_add_column(struct draft *d, struct draft_column *col);
struct draft_key *draft_add_key(struct draft *d);

/* By the name it has now; NULL when there is none. */
struct draft_column *draft_find_column(const struct draft *d, struct view name);

/* By the name it had before this statement; NULL when there is none. */
struct draft_column *draft_find_old_column(const struct draft *d, struct view name);
struct draft_key *draft_find_old_key(const struct draft *d, struct view name);

/* The collation of a charset that is named without one. */
struct view draft_default_collation(const struct ddl_parser *p, const struct charset *charset);

/* Marks the key of that name as dropped. A key that isn't there is not known by its right name: that matters, and fails,
 * only when the table has unique keys besides the primary one. */
MUST_USE bool draft_drop_key(struct draft *d, struct view name);

/* Fills in what a raw column takes from its table; what the server makes of its type (draft_resolve.c). */
void draft_resolve_column(struct draft *d, struct draft_column *col);

/* A string default that was just read: text, or the bytes of a binary column. */
void draft_resolve_default(struct draft *d, struct draft_column *col);

/* How many characters a column can hold. */
uint64_t draft_room_of(const struct column *c);

/* CONVERT TO CHARACTER SET for one column, resolved. */
void draft_convert_column(struct draft *d, struct draft_column *col);

/* What a session with explicit_defaults_for_timestamp OFF makes of TIMESTAMP columns (draft_timestamp.c). */
void draft_imply_timestamps(struct draft *d);

/* Finds the columns of new keys, names what has no name, drops what is implied and not needed, and puts all in the
 * server's order (draft_key.c). */
MUST_USE bool draft_resolve_keys(struct draft *d);

/* The shape, with one count; NULL when two columns have one name, or a key names a column that isn't there. */
MUST_USE struct shape *draft_finish(struct draft *d);

#endif
