/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_reading: what chunk_read.c and chunk_whole.c share; nobody else includes it.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_READING_H
#define TIDEMARK_SNAPSHOT_CHUNK_READING_H

#include "record/plan.h"
#include "record/render.h"
#include "snapshot/chunk.h"
#include "snapshot/query.h"
#include "snapshot/worker.h"

#include <stdatomic.h>

/* A row on its way: places in the memory that still grows. */
struct row_place {
    size_t at;
    struct rendered_read parts;
};

struct chunk_reader {
    struct worker_settings set;
    struct query *query;
    struct plan *plan; /* of the shape of the last order; NULL: none. Holds the shape */
    struct cell *cells;
    uint16_t *columns; /* that are selected, in the shape's order */
    unsigned n_columns;
    bool asks_json_typed; /* a document of this shape was met that it matters for */
    struct arena row_memory;
    struct arena key_memory; /* of one order */
    struct chunk_statement statement;
    struct row_place *places;
    size_t room;

    bool has_view; /* rows of a table that is read whole are still to come from the connection */
    bool has_row;  /* the next of them is in the cells */
    struct log_position view;
};

/* One order on its way through the steps. */
struct reading {
    struct chunk_reader *r;
    const struct chunk_order *order;
    const atomic_bool *is_unwanted;
    struct chunk_answer *answer;
    struct chunk_path path;        /* no parts: whole */
    struct chunk_key_value *after; /* NULL: from the start */
    struct chunk_key_value *last;
    bool for_share;
};

/* Ends the order with an outcome, or with the one that the failure in the answer means. Always false. */
bool chunk_give_up(struct reading *rd, enum chunk_outcome outcome);
bool chunk_give_up_for(struct reading *rd);

/* The plan of the order's shape and the columns to select; false with the reason in the answer. */
bool chunk_find_plan(struct reading *rd);

/* Each ends the order where it fails. */
bool chunk_connect(struct reading *rd);
bool chunk_wait_low(struct reading *rd);

/* For the progress that is shown; nothing depends on it. */
void chunk_estimate_rows(struct reading *rd);

/* An empty set of rows in the answer. */
struct chunk_rows *chunk_start_rows(struct reading *rd);

/* Renders the row in the cells. The order's limits say when there are enough. */
bool chunk_render(struct reading *rd, struct chunk_rows *rows);
bool chunk_is_full(const struct reading *rd, const struct chunk_rows *rows);
bool chunk_is_unwanted(struct reading *rd);

/* The memory stands still now: places become views. */
void chunk_settle(struct chunk_reader *r, struct chunk_rows *rows);

#endif
