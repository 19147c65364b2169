/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debezium_progress: an incremental snapshot under way as Debezium keeps it in its offset.
 *
 *   incremental_snapshot_collections      JSON text: [{"incremental_snapshot_collections_id":"shop.orders",
 *                                         "…_additional_condition":"(id > 7)","…_surrogate_key":null},…], the head is read
 *   incremental_snapshot_primary_key      its last key that was sent     } hex, java_key.h
 *   incremental_snapshot_maximum_key      its largest key                }
 *   incremental_snapshot_correlation_id   of the latest signal
 *
 * Ours (progress.h) says more and counts when it is there. Debezium can say one thing only: that the first table is read
 * up to a key and the others not at all. So these members are written only while that is true. Of an initial snapshot it says
 * that it has not ended ("snapshot":"INITIAL"), and reads all of it again. Of a blocking one it
 * keeps nothing.
 *
 * Loop thread.
 */
#ifndef TIDEMARK_CONNECTOR_DEBEZIUM_PROGRESS_H
#define TIDEMARK_CONNECTOR_DEBEZIUM_PROGRESS_H

#include "base/fail.h"
#include "snapshot/incremental.h"

/* The shape of a table where the stream is, with one count. */
typedef enum incremental_shape (*debezium_shape_fn)(void *ctx, struct view db, struct view table,
                                                    const struct shape **shape);

/* Appends the members, each with a comma before it; nothing when there is no snapshot, or none that Debezium could take up. */
void debezium_progress_print(const struct incremental *inc, debezium_shape_fn find_shape, void *ctx, struct buf *out);

/* Takes such members up: adds the tables. A key that can't be carried over is told, its table is read from the start. *id
 * is the signal's, given to the caller; NULL: none. Malformed: STOP. */
MUST_USE bool debezium_progress_load(struct incremental *inc, struct view members, debezium_shape_fn find_shape,
                                     void *ctx, char **id, struct fail *why);

#endif
