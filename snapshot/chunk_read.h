/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_read: what a worker's thread does for one order, on its connection.
 *
 *   low     all that was streamed is executed here, on the stream's own server
 *   path    with a table's first chunk: its largest key, and a look at the plan of its query
 *   rows    one SELECT, each row rendered up to its source block
 *   high    the log's end
 *
 * Always true:
 *   C1  LOW was reached before the SELECT began, and HIGH was read after its last row
 *   C2  rows are in key order; the next order goes on behind the last of them
 *
 * The worker's thread only. The outcome says what the loop should do; `why` says it to people.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_READ_H
#define TIDEMARK_SNAPSHOT_CHUNK_READ_H

#include "snapshot/worker.h"

#include <stdatomic.h>

struct chunk_reader;

struct chunk_reader *chunk_reader_new(const struct worker_settings *set);
void chunk_reader_free(struct chunk_reader **r);

/* Ends for good what it waits for. Any thread. */
void chunk_reader_wake(struct chunk_reader *r);

/* Does the order, which stays the caller's. *is_unwanted: nobody waits for the answer any more. */
void chunk_reader_do(struct chunk_reader *r, const struct chunk_order *order, const atomic_bool *is_unwanted,
                     struct chunk_answer *answer);

#endif
