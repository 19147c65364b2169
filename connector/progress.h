/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress: what is stored of the re-reads under way, and of the signals that asked for them.
 *
 *   {"tables":[{"db":"shop","table":"orders","filter":"id > 7","surrogate":null,"id":"s1","path":"9f…","done":[1024],"last":[90000],
 *               "rows_read":1024,"rows_sent":1020,"estimated":90000}],
 *    "signals":[{"id":"s0","offset":16,"outcome":"done"}]}
 *
 * A table of an initial or blocking snapshot has "kind":"initial" or "blocking" besides; "first":true is the first one of it, "muted":true says that what
 * the stream tells of it is not sent yet (table_read.h).
 *
 * It stands as text in the offset's member tidemark_snapshots, so that it goes with the rows in one Kafka transaction.
 * Tables come in the order of the queue. `signals` has the last PROGRESS_SIGNALS that were answered.
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_PROGRESS_H
#define TIDEMARK_CONNECTOR_PROGRESS_H

#include "base/fail.h"
#include "snapshot/incremental.h"

enum { PROGRESS_SIGNALS = 100 };

enum signal_outcome { OUTCOME_RUNNING, OUTCOME_DONE, OUTCOME_STOPPED, OUTCOME_REFUSED };

struct signal_record {
    char *id; /* owned; "" when none was given */
    int64_t offset;
    enum signal_outcome outcome;
    enum signal_outcome then; /* RUNNING: what it will end with, as far as known */
    char *why;                /* owned; NULL: nothing to say */
};

/* The newest last. */
struct signal_log {
    struct signal_record items[PROGRESS_SIGNALS];
    unsigned n;
};

void signal_log_init(struct signal_log *log);
void signal_log_fini(struct signal_log *log);

/* Adds; the oldest goes when it is full. */
void signal_log_add(struct signal_log *log, struct view id, int64_t offset, enum signal_outcome outcome,
                    const char *why);

/* One table of the newest signal with this id that is RUNNING was stopped or refused: so will the signal. The first one's
 * reason stays. */
void signal_log_note(struct signal_log *log, struct view id, enum signal_outcome then, const char *why);

/* All tables of the newest signal with this id that is RUNNING have ended. */
void signal_log_end(struct signal_log *log, struct view id);

const char *signal_outcome_name(enum signal_outcome outcome);

/* The text, with its NUL; the caller frees it. NULL when there is nothing to store. */
char *progress_print(const struct incremental *inc, const struct signal_log *log);

/* Takes a stored text up: adds the tables, fills the log. Malformed: STOP, naming what is wrong. */
MUST_USE bool progress_load(struct incremental *inc, struct signal_log *log, const char *text, struct fail *why);

#endif
