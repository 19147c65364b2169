/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows: a rows event, row by row: before and after as cells.
 *
 * v1 (23–25): 6 table id, 2 flags. v2 (30–32, 39): 2 more: length of extra information with these 2, then that:
 *   1 kind: 0 NDB (1 length with these 2, 1 format, bytes); 1 partition (2 id; of updates 2 id before the change too)
 * then lenenc n columns; n bits: columns in the image (of updates two: before, after), from the low bit; rows.
 * A row image: for its columns in order bits of NULL, then the values of the others.
 * The after image of PARTIAL_UPDATE (39) starts with lenenc options; with bit 0 set a bit follows for each JSON
 * column of the table, from the low bit; of those set the value is 4 length, then diffs against the before image;
 * length 0 is "unchanged".
 *
 * A layout is the pair of table map and shape, prepared once; then a row costs one indirect call a column.
 * Cells lie by column of the shape; CELL_ABSENT where the image has no such column (binlog_row_image is not FULL).
 *
 * Cells, and what they lend, are valid until the next rows_next: they lend the event, the arena given or the
 * iterator. The arena is reset for each row. One thread at a time.
 * Source: libs/mysql/binlog/event/rows_event.cpp, sql/log_event.cc (unpack_row in rpl_record.cc).
 */
#ifndef TIDEMARK_BINLOG_ROWS_H
#define TIDEMARK_BINLOG_ROWS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/cell.h"
#include "binlog/decoder.h"
#include "binlog/shape.h"
#include "binlog/table_map.h"
#include "binlog/value.h"

#include <stdbool.h>
#include <stdint.h>

enum rows_flag {
    ROWS_FLAG_STATEMENT_END = 0x01,
    ROWS_FLAG_NO_FOREIGN_KEY_CHECKS = 0x02,
    ROWS_FLAG_NO_UNIQUE_CHECKS = 0x04,
    ROWS_FLAG_COMPLETE = 0x08,
    ROWS_FLAG_SQL_FOREIGN_KEY = 0x10, /* 9.6 and later */
};

enum rows_kind { ROWS_INSERT, ROWS_UPDATE, ROWS_DELETE };

/* How the rows of one table map are read for one shape. The shape and the table map must outlive it. */
struct rows_layout {
    const struct table_map *map;
    const struct shape *shape; /* NULL: rows are only counted */
    struct value_type *types;  /* by column */
    uint32_t n_columns;
    uint32_t n_json;
    uint32_t *json_bit;  /* by column: its bit among the JSON columns */
    struct cell *before; /* n_columns each; shared by all iterators over this layout */
    struct cell *after;
};

/* The shape was checked against the map (table_map_check). All memory is the arena's, which outlives the layout. */
void rows_layout_prepare(struct rows_layout *layout, const struct table_map *map, const struct shape *shape,
                         struct arena *a);

/* For counting rows only, by rows_skip: needs no shape. */
void rows_layout_prepare_counting(struct rows_layout *layout, const struct table_map *map, struct arena *a);

struct rows {
    enum rows_kind kind;
    bool is_partial; /* PARTIAL_UPDATE: after images may hold JSON diffs */
    uint64_t table_id;
    uint16_t flags;
    bool has_partition;
    bool has_source_partition;
    uint16_t partition;        /* of the row after an update */
    uint16_t source_partition; /* of the row before it */
    uint32_t n_columns;
    struct view before_columns; /* bits; empty when the kind has no such image */
    struct view after_columns;
    bool before_is_whole;
    bool after_is_whole;
    struct cursor c; /* what is left of the rows */

    const struct rows_layout *layout;
    struct arena *arena;
    struct buf documents;      /* JSON documents that diffs were applied to */
    uint32_t row;              /* rows that were stepped over */
    const struct cell *before; /* NULL: the kind has none */
    const struct cell *after;
};

void rows_init(struct rows *r);
void rows_fini(struct rows *r);

/* Is it a rows event that rows_open reads? */
bool rows_is_type(uint8_t type);

/* Reads what stands before the rows: enough for table_id, kind, flags and whether images are whole. The iterator's
 * memory is kept from one event to the next; the event is lent until then. */
MUST_USE bool rows_open(struct rows *r, const struct event *ev, struct fail *why);

/* Do all images hold all columns? If not, binlog_row_image was not FULL. */
bool rows_image_is_full(const struct rows *r);

/* Which layout, and where values that need new bytes go: the arena is reset for each row. Fails when the event has
 * another number of columns than the layout. */
MUST_USE bool rows_begin(struct rows *r, const struct rows_layout *layout, struct arena *arena, struct fail *why);

/* The next row, in before and after; *is_end when there is none. */
MUST_USE bool rows_next(struct rows *r, bool *is_end, struct fail *why);

/* Walks past the next row without telling it. */
MUST_USE bool rows_skip(struct rows *r, bool *is_end, struct fail *why);

#endif
