/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value: one column's bytes become one cell, whether they come from a rows event or from the result of a SELECT.
 *
 * A table is prepared once: value_prepare turns wire type, metadata and column into a struct value_type that holds
 * the decoder and its constants. A row then costs one indirect call a column. The same value gives the same cell
 * through either door; what a cell holds of it is said in cell.h, and below where the wire leaves a choice.
 *
 * Wire types and metadata are those of TABLE_MAP as value_read_meta reads them. Type 254 (STRING) hides ENUM, SET
 * and lengths above 255 in its metadata; that is resolved here, callers pass it as it stands.
 * Source: libbinlogevents/src/table_map_event (metadata), sql/log_event.cc and sql/field.cc (value bytes).
 *
 * Nothing is kept: cells borrow the event's bytes or the row's arena. A struct value_type borrows its column.
 * Any thread.
 */
#ifndef TIDEMARK_BINLOG_VALUE_H
#define TIDEMARK_BINLOG_VALUE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/cell.h"
#include "binlog/jsonb.h"
#include "binlog/shape.h"

/* Column types as TABLE_MAP numbers them (field_types.h of the server). */
enum wire_type {
    WIRE_DECIMAL = 0, /* pre-5.0 text decimal: refused */
    WIRE_TINY = 1,
    WIRE_SHORT = 2,
    WIRE_LONG = 3,
    WIRE_FLOAT = 4,
    WIRE_DOUBLE = 5,
    WIRE_NULL = 6,
    WIRE_TIMESTAMP = 7, /* 4 bytes, before 5.6 */
    WIRE_LONGLONG = 8,
    WIRE_INT24 = 9,
    WIRE_DATE = 10,
    WIRE_TIME = 11,     /* 3 bytes, before 5.6 */
    WIRE_DATETIME = 12, /* 8 bytes, before 5.6 */
    WIRE_YEAR = 13,
    WIRE_NEWDATE = 14, /* the same 3 bytes as DATE */
    WIRE_VARCHAR = 15,
    WIRE_BIT = 16,
    WIRE_TIMESTAMP2 = 17,
    WIRE_DATETIME2 = 18,
    WIRE_TIME2 = 19,
    WIRE_VECTOR = 242,
    WIRE_JSON = 245,
    WIRE_NEWDECIMAL = 246,
    WIRE_ENUM = 247,
    WIRE_SET = 248,
    WIRE_TINY_BLOB = 249,
    WIRE_MEDIUM_BLOB = 250,
    WIRE_LONG_BLOB = 251,
    WIRE_BLOB = 252,
    WIRE_VAR_STRING = 253,
    WIRE_STRING = 254,
    WIRE_GEOMETRY = 255,
};

struct value_type {
    bool (*decode)(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out, struct fail *why);
    bool (*skip)(const struct value_type *t, struct cursor *c);
    const struct column *column; /* NULL: only to be skipped, or decoded as signed and unpadded */
    uint8_t wire;                /* the real type: ENUM, SET resolved */
    uint16_t meta;
    uint8_t size;      /* bytes of a fixed-size value, else bytes of its length prefix */
    uint8_t fsp;       /* fraction digits of the temporal types */
    uint8_t precision; /* of DECIMAL */
    uint8_t scale;     /* of DECIMAL */
    uint32_t pad_to;   /* BINARY: zero bytes are put back up to this length; 0: none */
    bool is_unsigned;
};

/* The metadata of one column from TABLE_MAP's metadata block; a type without any takes no bytes. */
uint16_t value_read_meta(uint8_t wire, struct cursor *c);

/* The type behind the one in TABLE_MAP: ENUM and SET hide behind STRING. */
uint8_t value_real_type(uint8_t wire, uint16_t meta);

/* Can a column of this definition have this wire type and metadata? What the shape check of a TABLE_MAP asks. */
bool value_fits(uint8_t wire, uint16_t meta, const struct column *col);

/* Fills t. The column gives signedness, padding of BINARY and the kind; NULL is allowed. A wire type that no server
 * sends (or the pre-5.0 DECIMAL) prepares to a type whose decode and skip fail. */
void value_prepare(struct value_type *t, uint8_t wire, uint16_t meta, const struct column *col);

/* Reads the value of a column that is present and not NULL; the cursor ends behind it. Fails on malformed bytes. */
MUST_USE static inline bool value_decode(const struct value_type *t, struct cursor *c, struct arena *a,
                                         struct cell *out, struct fail *why)
{
    return t->decode(t, c, a, out, why);
}

/* Walks past the value of a column that is present and not NULL; false when the event ends before. */
MUST_USE static inline bool value_skip(const struct value_type *t, struct cursor *c)
{
    return t->skip(t, c);
}

/* ---- the other door: one column of a result row ---- */

enum value_input_kind {
    VALUE_INPUT_NULL,
    VALUE_INPUT_INTEGER, /* integer types, YEAR; ENUM and SET by CAST(column AS UNSIGNED) */
    VALUE_INPUT_FLOAT,
    VALUE_INPUT_DOUBLE,
    VALUE_INPUT_BYTES, /* text, bytes, BIT (big-endian), DECIMAL text, JSON text, GEOMETRY, VECTOR, labels */
    VALUE_INPUT_PARTS, /* temporal types */
};

/* A calendar or clock reading as the client library has it (MYSQL_TIME). */
struct value_parts {
    bool is_negative;
    uint32_t year, month, day; /* of TIME: day may be set, hours then count from there */
    uint32_t hour, minute, second;
    uint32_t micro;
};

/* What came for one column: text in the column's own charset (character_set_results NULL), TIMESTAMP as a reading in
 * UTC (time_zone '+00:00'). Bytes are lent until the cell is dropped. */
struct value_input {
    enum value_input_kind kind;
    union {
        uint64_t integer; /* two's complement of signed columns */
        float f;
        double d;
        struct view bytes;
        struct value_parts parts;
    };
    enum jsonb_typed json_typed; /* JSON: see jsonb_tidy_text */
};

/* The cell that the log would have given for the same value. ENUM and SET are best asked for as numbers: by label the
 * error value 0 of an ENUM cannot be told from a member ''. (column+0 is wrong for the 64th member of a SET.) Fails when
 * the input cannot belong to the column. */
MUST_USE bool value_from_result(const struct column *col, const struct value_input *in, struct arena *a,
                                struct cell *out, struct fail *why);

#endif
