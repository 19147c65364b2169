/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell: one column of one row, decoded but not yet interpreted for any output.
 *
 * The same value gives the same cell whether it came from a rows event or from the binary result of a SELECT;
 * so what renders cells can't tell the difference. Bytes are lent by the event, the result or the row's arena.
 */
#ifndef TIDEMARK_BINLOG_CELL_H
#define TIDEMARK_BINLOG_CELL_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum cell_kind {
    CELL_ABSENT, /* not in the image (short row image) */
    CELL_NULL,
    CELL_INT,     /* signed integers; YEAR as its number (0 for 0000) */
    CELL_UINT,    /* unsigned integers; BIT; ENUM index; SET mask */
    CELL_FLOAT,   /* f */
    CELL_DOUBLE,  /* d */
    CELL_DECIMAL, /* decimal */
    CELL_BYTES,   /* CHAR to BLOB in the column's charset; BINARY padded to its length; GEOMETRY and VECTOR as stored */
    CELL_JSON,    /* bytes: MySQL's binary JSON */
    CELL_JSON_TEXT, /* bytes: JSON text in UTF-8 (a SELECT sends this) */
    CELL_DATE,      /* date, time parts 0 */
    CELL_DATETIME,  /* date */
    CELL_TIME,      /* i: microseconds, signed */
    CELL_TIMESTAMP, /* i: microseconds since 1970 UTC; 0 is the zero timestamp */
};

/* A calendar reading as stored; any part may be 0, and the day may not exist. */
struct cell_date {
    uint16_t year;
    uint8_t month;
    uint8_t day;
    uint8_t hour;
    uint8_t minute;
    uint8_t second;
    uint32_t micro;
};

/* value = (-1)^is_negative * (limb[3]·2^192 + … + limb[0]) / 10^scale of the column; up to 65 digits fit. */
struct cell_decimal {
    bool is_negative;
    bool is_small; /* limb[1..3] are 0 */
    uint64_t limb[4];
};

struct cell {
    enum cell_kind kind;
    union {
        int64_t i;
        uint64_t u;
        float f;
        double d;
        struct view bytes;
        struct cell_date date;
        struct cell_decimal decimal;
    };
};

#endif
