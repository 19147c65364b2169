/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_map: how the rows behind it are laid out, and what the server tells of the table beside it.
 *
 *   0  6 table id   6  2 flags   8  1 length, database, zero byte   then 1 length, table, zero byte
 *   lenenc n; n types of one byte; lenenc bytes of metadata, metadata of each type that has some;
 *   (n+7)/8 bytes: bit set, the column may be NULL (from the low bit)
 *   then, from 8.0.1 on, fields of 1 type, lenenc length, value:
 *   1 signedness of the numeric columns, from the high bit     8 columns of the primary key
 *   2, 3 collations of the character columns                   9 the same with prefix lengths
 *   4 names                                                   10, 11 collations of ENUM and SET columns
 *   5, 6 members of SET, of ENUM columns                      12 visibility, from the high bit
 *   7 geometry kinds                                          13 dimensions of VECTOR columns
 *   Fields not known are passed by. binlog_row_metadata=MINIMAL gives 1, 2 or 3, 7 and 13; FULL all.
 *
 *   Numeric: the integer types, YEAR, DECIMAL, FLOAT, DOUBLE; not BIT.
 *   Character: CHAR, VARCHAR, BINARY, VARBINARY, the TEXT and BLOB types, VECTOR; not JSON, GEOMETRY, ENUM, SET.
 *   Fields 2 and 10: a default, then pairs (index among those columns, collation); 3 and 11: one for each.
 *
 * Whether a shape fits is asked once per pair of table map and shape. Everything is in the arena given, nothing
 * lends the event. Any thread.
 * Source: libs/mysql/binlog/event/rows_event.cpp, sql/log_event.cc (Table_map_log_event).
 */
#ifndef TIDEMARK_BINLOG_TABLE_MAP_H
#define TIDEMARK_BINLOG_TABLE_MAP_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/shape.h"

#include <stdbool.h>
#include <stdint.h>

struct table_map_column {
    uint8_t wire;  /* the type as it stands there: enum wire_type; ENUM and SET hide behind STRING */
    uint8_t real;  /* the type meant: value_real_type */
    uint16_t meta; /* value_read_meta */
    bool is_nullable;
    bool is_unsigned;     /* when has_signedness, of numeric columns */
    bool is_visible;      /* when has_visibility */
    uint32_t collation;   /* of character columns when has_collations, of ENUM and SET when has_member_collations */
    uint32_t geometry;    /* when has_geometry: 0 any, 1 point, … as in enum geometry_kind */
    uint32_t dimension;   /* when has_dimensions */
    struct view name;     /* when has_names, UTF-8 */
    struct view *members; /* ENUM when has_enum_members, SET when has_set_members; in the column's charset */
    uint32_t n_members;
};

struct table_map_key_part {
    uint32_t column;
    uint32_t prefix; /* characters, 0: whole */
};

struct table_map {
    uint64_t id;
    uint16_t flags;
    struct view db;
    struct view table;
    uint32_t n_columns;
    struct table_map_column *columns;
    bool has_signedness;
    bool has_collations;
    bool has_member_collations;
    bool has_names;
    bool has_set_members;
    bool has_enum_members;
    bool has_geometry;
    bool has_key;
    bool has_visibility;
    bool has_dimensions;
    struct table_map_key_part *key; /* primary key, else first unique NOT NULL key, in key order */
    uint32_t n_key;
    struct view body; /* a copy of all of it: an equal body is an equal table map */
};

/* The id without reading the rest: of TABLE_MAP and of all ROWS bodies. False when the body is too short. */
MUST_USE bool table_map_peek_id(struct view body, uint64_t *id);

/* Reads a body into the arena. */
MUST_USE bool table_map_read(struct table_map *tm, struct view body, struct arena *a, struct fail *why);

/* Can rows under this table map be told by this shape? Compares number, types, lengths, scales, members' sizes and
 * nullability, and as far as the server tells: signs, charsets, names, members, dimensions, key. Fails (STOP, area
 * DATA) naming table, column and both sides of the first difference. */
MUST_USE bool table_map_check(const struct table_map *tm, const struct shape *shape, struct fail *why);

#endif
