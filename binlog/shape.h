/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape: one version of a table as the rows in the log are laid out by it: columns in order, keys, charsets.
 *
 * A shape is built once (by the DDL reader, from `SHOW CREATE TABLE` text or from a statement of the log) and
 * never changes; who needs another makes another. It is counted, because plans, chunks and the catalog hold
 * it at the same time and on several threads. All its memory is its own arena and goes with the last count.
 *
 * Texts are UTF-8, names as the server writes them, without quotes.
 */
#ifndef TIDEMARK_BINLOG_SHAPE_H
#define TIDEMARK_BINLOG_SHAPE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "binlog/charset.h"

#include <stdbool.h>
#include <stdint.h>

/* What a column is to SQL; how it travels is in the TABLE_MAP event. */
enum column_kind {
    COLUMN_TINYINT, /* BOOL too */
    COLUMN_SMALLINT,
    COLUMN_MEDIUMINT,
    COLUMN_INT,
    COLUMN_BIGINT,
    COLUMN_DECIMAL,
    COLUMN_FLOAT,
    COLUMN_DOUBLE, /* REAL and FLOAT(p > 24) too */
    COLUMN_BIT,
    COLUMN_CHAR,
    COLUMN_VARCHAR,
    COLUMN_TEXT, /* of the four sizes */
    COLUMN_BINARY,
    COLUMN_VARBINARY,
    COLUMN_BLOB, /* of the four sizes */
    COLUMN_DATE,
    COLUMN_TIME,
    COLUMN_DATETIME,
    COLUMN_TIMESTAMP,
    COLUMN_YEAR,
    COLUMN_ENUM,
    COLUMN_SET,
    COLUMN_JSON,
    COLUMN_GEOMETRY, /* of the kinds below */
    COLUMN_VECTOR,
};

enum geometry_kind {
    GEOMETRY_ANY,
    GEOMETRY_POINT,
    GEOMETRY_LINESTRING,
    GEOMETRY_POLYGON,
    GEOMETRY_MULTIPOINT,
    GEOMETRY_MULTILINESTRING,
    GEOMETRY_MULTIPOLYGON,
    GEOMETRY_COLLECTION,
};

enum default_kind {
    DEFAULT_NONE,       /* no DEFAULT clause */
    DEFAULT_NULL,       /* DEFAULT NULL, written or implied by a nullable column in SHOW CREATE TABLE */
    DEFAULT_LITERAL,    /* text: the value without quotes and escapes undone; number text as written */
    DEFAULT_BITS,       /* b'0101' or 0b0101: text holds the digits */
    DEFAULT_HEX,        /* x'4142' or 0x4142: text holds the digits */
    DEFAULT_NOW,        /* CURRENT_TIMESTAMP and its other names */
    DEFAULT_EXPRESSION, /* (…): text holds the expression */
};

struct column {
    struct view name;
    enum column_kind kind;
    enum geometry_kind geometry;
    bool is_unsigned; /* ZEROFILL implies it */
    bool is_zerofill;
    bool is_nullable;
    bool is_auto_increment;
    bool is_generated; /* GENERATED ALWAYS AS; stored or virtual, both are in the row image */
    bool is_invisible;
    bool has_on_update; /* ON UPDATE CURRENT_TIMESTAMP */
    bool had_now;       /* ALTER dropped its DEFAULT CURRENT_TIMESTAMP; the server still counts it as having one */
    bool has_length;    /* a length stood in the text or is implied by the type */
    bool has_scale;
    bool default_is_quoted; /* DEFAULT_LITERAL stood in quotes */
    uint8_t blob_bytes;     /* TEXT and BLOB: 1 TINY, 2, 3 MEDIUM, 4 LONG */
    uint8_t fsp;            /* TIME, DATETIME, TIMESTAMP: fraction digits, 0 to 6 */
    uint32_t length;        /* characters; bytes of binary types; bits of BIT; precision of DECIMAL and FLOAT(M,D);
                               display width; dimension of VECTOR */
    uint32_t scale;         /* digits after the point of DECIMAL, FLOAT(M,D), DOUBLE(M,D) */
    const struct charset *charset; /* of CHAR, VARCHAR, TEXT, ENUM, SET; else NULL */
    struct view collation;         /* its name, or empty when only the charset is known */
    struct view *members;          /* ENUM, SET: labels in order, unquoted, UTF-8 */
    uint32_t n_members;
    enum default_kind default_kind;
    struct view default_text; /* as default_kind says */
    struct view comment;
    struct view type_text; /* the type's words as Debezium's tableChanges name them, upper case: "INT UNSIGNED" */
    bool has_srid;
    uint32_t srid;
};

struct index_part {
    bool is_expression;
    uint16_t column; /* index into columns, unless an expression */
    uint32_t prefix; /* characters, 0: the whole column */
    bool is_descending;
};

struct table_index {
    struct view name; /* "PRIMARY" for the primary key */
    bool is_primary;
    bool is_unique;
    bool is_implied; /* made by the server for a FOREIGN KEY, as far as known; another index may replace it */
    struct index_part *parts;
    uint32_t n_parts;
};

struct shape {
    struct view db;
    struct view table;
    struct column *columns;
    uint32_t n_columns;
    struct table_index *indexes; /* in the server's order: primary, unique ones without NULL, unique ones, others */
    uint32_t n_indexes;
    uint16_t *key;  /* columns of the record key: PRIMARY, else the first UNIQUE of plain NOT NULL columns */
    uint32_t n_key; /* 0: the table has no key */
    bool key_is_primary;
    const struct charset *charset; /* the table's default */
    struct view collation;
    struct view comment;
    bool is_partitioned;
    struct arena memory;
    int counts; /* atomic */
};

/* An empty shape with one count, to be filled by its maker; names are copied. */
struct shape *shape_new(struct view db, struct view table);

/* One count more; returns s. Any thread. */
const struct shape *shape_hold(const struct shape *s);

/* One count less; the last frees. Accepts NULL inside, leaves NULL behind. Any thread. */
void shape_free(const struct shape **s);

/* A deep copy with one count that its maker may change; db and table may be renamed by passing other names. */
struct shape *shape_copy(const struct shape *s, struct view db, struct view table);

/* Sets key and key_is_primary from the indexes. */
void shape_choose_key(struct shape *s);

/* The index of the column of that name (ASCII case folded, as the server compares), or -1. */
int shape_column(const struct shape *s, struct view name);

/* The name of a kind, "TEXT": of the four sizes one, of the kinds of geometry one. */
const char *shape_kind_name(enum column_kind kind);

/* The server's name of a column's type, "MEDIUMTEXT": without length and sign. */
const char *shape_type_name(const struct column *c);

/* The shape as canonical CREATE TABLE text that ddl reads back to an equal shape; this is what is stored. */
void shape_print(const struct shape *s, struct buf *out);

/* Same columns, keys and charsets; names of table and database too. */
bool shape_equal(const struct shape *a, const struct shape *b);

#endif
