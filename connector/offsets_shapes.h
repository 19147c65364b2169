/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_shapes: sees to it that at a new place the captured tables have shapes, or says which have none.
 *
 * After a rewind the versions in the store are asked. A table whose oldest version is younger than the place is proven
 * (binlog/proof.h): named by no statement between, it had that shape all along, and the version is stamped earlier; made
 * by the first statement that names it, it did not exist; else the rewind is refused, since its rows can't be read.
 *
 * At a place that comes from elsewhere the store knows nothing. What the server shows now is proven the same way; where a
 * statement has named the table since, the shape comes from the schema history that was given, if it knows the table.
 *
 * Blocks for as long as the server takes to send that part of the log. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_SHAPES_H
#define TIDEMARK_CONNECTOR_OFFSETS_SHAPES_H

#include "binlog/catalog.h"
#include "binlog/server.h"
#include "connector/offsets_store.h"

/* STOP, DATA, naming the first table without a shape there and how many there are. */
MUST_USE bool offsets_shapes_check(struct offsets_store *store, const struct server *server,
                                   const struct offset_state *place, struct fail *why);

struct offsets_shapes_told {
    unsigned proven;
    unsigned from_history;
    unsigned unknown;
    struct buf names; /* of the unknown: "db.table, db.table" */
};

/* Stores a shape for each captured table that has one there. history: the shapes of the schema history; NULL: none. told is
 * initialised here. */
MUST_USE bool offsets_shapes_adopt(struct offsets_store *store, struct source *src, const struct server *server,
                                   const struct offset_state *place, struct catalog *history,
                                   struct offsets_shapes_told *told, struct fail *why);

#endif
