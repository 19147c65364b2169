/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_rows: the rows of one chunk, read and rendered, waiting in a window.
 *
 * A value is rendered up to the source block: what comes behind it names the event that closes the window, is the same
 * for all rows that leave together, and is put behind each when they leave.
 * Made by a worker, then the loop's. All memory is its own.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_ROWS_H
#define TIDEMARK_SNAPSHOT_CHUNK_ROWS_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct chunk_row {
    struct view key;        /* primary-key bytes as record/key.h makes them; lent by memory */
    struct view record_key; /* of the Kafka record; empty p: null */
    struct view value;      /* of the record, up to the source block */
};

struct chunk_rows {
    struct chunk_row *rows;
    uint32_t n;
    struct buf memory; /* what the views point into */
};

/* NULL-safe; leaves NULL behind. */
void chunk_rows_free(struct chunk_rows **rows);

#endif
