/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notices: tells users how their snapshots go: notifications in a topic, in the log, or both.
 *
 * They wait here, rendered, until the producer takes them: nothing waits for them. Fields and values are those of
 * Debezium's notifications. Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_NOTICES_H
#define TIDEMARK_CONNECTOR_NOTICES_H

#include "connector/config.h"
#include "connector/sink.h"
#include "snapshot/incremental.h"

struct notices;

struct notices *notices_new(const struct config *cfg);
void notices_free(struct notices **n);

/* Of the re-reads; t is the table, or NULL. The queue is what is left. */
void notices_tell(struct notices *n, enum incremental_event what, const struct incremental *inc,
                  const struct table_read *t);

/* Of an initial or blocking snapshot as a whole. */
enum initial_event { INITIAL_STARTED, INITIAL_COMPLETED, INITIAL_SKIPPED };
void notices_tell_initial(struct notices *n, enum initial_event what);

/* Of a signal: the tables it begins or ends with, joined by commas; reason may be NULL. */
void notices_tell_signal(struct notices *n, enum incremental_event what, struct view id, struct view tables,
                         const char *reason);

/* Tables of a blocking snapshot, joined by commas, were given up by the signal of that id. */
void notices_tell_blocking_aborted(struct notices *n, struct view id, struct view tables);

/* Gives what waits to the producer; false when it can't take all now (why->kind is NONE) or never (why says). */
bool notices_send(struct notices *n, struct sink *sink, struct fail *why);

bool notices_are_sent(const struct notices *n);

/* What waits is dropped: it will be told again by what is read again. */
void notices_drop(struct notices *n);

#endif
