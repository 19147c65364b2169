/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start: where a run begins: at the stored position, or for the first time.
 *
 * A first start tells the schema changes of all tables it finds before anything else (schema_snapshot.h).
 *
 * First start: the executed set G is read, then the shapes of all captured tables, then the log's end P0. The stream is
 * asked for all but G, and tells no row from at or below P0: the shapes speak from there on. What is between G and P0
 * is passed, so nothing that was logged but not yet visible is missed or told twice.
 *
 * Going on: the shapes in force at the stored position come from the shapes store. A captured table that is not in
 * it (included since, or made since) is read from the server, and trusted at once if no statement from the stored position
 * on names it, else from the log's end on (proof.h).
 *
 * Recovering (snapshot.mode=recovery) goes on so without what is in the store: all captured tables are read from the server.
 *
 * Runs on the reader thread, before the stream's first event; the loop does not touch the store meanwhile.
 */
#ifndef TIDEMARK_CONNECTOR_START_H
#define TIDEMARK_CONNECTOR_START_H

#include "binlog/reader.h"
#include "binlog/server.h"
#include "connector/config.h"
#include "connector/feed.h"
#include "connector/offsets.h"
#include "connector/schema_snapshot.h"
#include "connector/shape_store.h"

struct start {
    const struct config *cfg;
    const struct source_settings *source;
    const struct shape_store *shapes;
    bool is_first;            /* nothing is stored */
    struct offset_state from; /* what is; a copy, for the loop may store more while the reader prepares */
    bool recovers;            /* what the store says of shapes does not count */
    struct feed *feed;
    struct server server;           /* as found */
    struct catalog *catalog;        /* the reader's */
    struct schema_snapshot schemas; /* what is told of the tables that were read */

    /* what reader_start points to */
    struct gtid_set executed;
};

void start_init(struct start *s);
void start_fini(struct start *s);

/* The reader's hooks; ctx is the start. */
bool start_prepare(void *ctx, struct source *src, struct catalog *catalog, struct stream *stream,
                   struct reader_start *out, struct fail *why);
bool start_read_shape(void *ctx, struct source *src, struct view db, struct view table, const struct shape **shape,
                      struct log_position *as_of, struct fail *why);
void start_reader_ended(void *ctx);

#endif
