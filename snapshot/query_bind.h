/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_bind: values on their way into a prepared statement and out of its result.
 *
 *   kind of column           parameter                       result
 *   integers, YEAR           64 bits, signed as the column   in its own width
 *   BIT                      unsigned number                 bytes, big-endian
 *   FLOAT, DOUBLE            double                          in its own width
 *   DECIMAL                  text                            text
 *   DATE … TIMESTAMP, TIME   text                            parts
 *   text, binary             bytes                           bytes
 *   ENUM, SET                (written into the SQL)          unsigned number
 *
 * A result's bytes come into a buffer that grows when a value is longer. Same thread as its query.
 */
#ifndef TIDEMARK_SNAPSHOT_QUERY_BIND_H
#define TIDEMARK_SNAPSHOT_QUERY_BIND_H

#include "binlog/value.h"
#include "snapshot/chunk.h"

#include <mysql.h>

/* ---- parameters ---- */

struct query_param {
    unsigned long length;
    union {
        uint64_t integer;
        double real;
    };
};

/* Points bind at the value, by way of memory that must live as long as bind. */
void query_bind_param(MYSQL_BIND *bind, struct query_param *memory, const struct chunk_param *param);

/* ---- results ---- */

/* Where one column of the row arrives. */
struct query_slot {
    const struct column *column;
    unsigned long length;
    bool is_null;
    bool is_cut;
    uint8_t *bytes; /* of room bytes, for values without a fixed size */
    size_t room;
    union {
        uint64_t integer;
        float single;
        double real;
        MYSQL_TIME time;
    };
};

/* For this column from now on; its buffer, if it has one, stays. A slot starts zeroed. */
void query_slot_set(struct query_slot *slot, const struct column *col);
void query_slot_fini(struct query_slot *slot);

/* Points bind at the slot; again after its buffer has grown. */
void query_bind_slot(MYSQL_BIND *bind, struct query_slot *slot);

/* Makes room for a value that was cut; false when the value has a fixed size and can't be cut. */
bool query_slot_grow(struct query_slot *slot);

/* What came, as value_from_result takes it. */
void query_slot_take(const struct query_slot *slot, struct value_input *in);

/* Whether a result's field is what the column says. */
bool query_field_fits(const MYSQL_FIELD *field, const struct column *col);

#endif
