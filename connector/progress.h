/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress: what is stored of the re-reads under way, and of the signals that asked for them.
 *
 *   {"tables":[{"db":"shop","table":"orders","filter":"id > 7","surrogate":null,"id":"s1","path":"9f…","done":[1024],"last":[90000],
 *               "rows_read":1024,"rows_sent":1020,"estimated":90000}],
 *    "signals":[{"id":"s0","offset":16,"outcome":"done"}]}
 *
 * Of a long queue the tables whose turn has not come are in a list beside the offset (waiting_list.h), and the text says
 * which, and how many of its first tables are not waiting any more: {"tables":[…],"version":2,"waiting":{"list":7,"from":120},"signals":[…]}.
 * Those that wait come behind the others.
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

struct waiting_list;

enum { PROGRESS_SIGNALS = 100 };

enum { PROGRESS_LACKS_LIST = 1 }; /* fail.code of progress_load: all but the list is loaded */

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

/* What of the queue is left to a list. */
struct waiting_place {
    uint64_t list; /* its number; 0: none */
    uint32_t from; /* so many of its first tables are not waiting any more */
};

/* The text, with its NUL; the caller frees it. NULL when there is nothing to store. */
char *progress_print(const struct incremental *inc, const struct signal_log *log, const struct waiting_place *left);

/* Appends one table. */
void progress_print_table(const struct table_read *t, struct buf *out);

/* What a stored text (NULL: none) leaves to a list. */
struct waiting_place progress_waiting(const char *text);

/* Whether a stored text (NULL: none) has tables. */
bool progress_has_tables(const char *text);

/* Takes a stored text up: adds the tables, fills the log. list: the one that the text means, or NULL. Malformed, or without a
 * list that it needs: STOP, naming what is wrong. */
MUST_USE bool progress_load(struct incremental *inc, struct signal_log *log, const char *text,
                            const struct waiting_list *list, struct fail *why);

/* A queue to load into for looking at it; nothing is read by it. incremental_free ends it. */
struct incremental *progress_queue_new(void);

#endif
