/* SPDX-License-Identifier: Apache-2.0 */
/*
 * initial: the tables of a first snapshot, in the order in which they are read.
 *
 * That is the order of table.include.list (the first pattern that matches), within one pattern that of their names; of
 * the captured tables those that snapshot.include.collection.list names. Tables without any key are muted from the start:
 * the stream's rows of them up to the place where they are read would be there twice.
 *
 * Loop thread.
 */
#ifndef TIDEMARK_CONNECTOR_INITIAL_H
#define TIDEMARK_CONNECTOR_INITIAL_H

#include "connector/config.h"
#include "connector/shape_store.h"
#include "snapshot/incremental.h"

/* The shape of a table where the stream is, with one count. */
typedef enum incremental_shape (*initial_shape_fn)(void *ctx, struct view db, struct view table,
                                                   const struct shape **shape);

/* Appends the tables to the queue; returns how many there are. */
size_t initial_queue(struct incremental *inc, const struct config *cfg, const struct shape_store *shapes,
                     initial_shape_fn find_shape, void *ctx);

#endif
