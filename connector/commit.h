/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commit: ends transactions, and stores with each the state that says how far it goes.
 *
 * The loop says commit_start, a thread of the committer does what blocks (init, flush, commit, abort, fsync of the file
 * store), one thing at a time, and the loop hears of it through commit_fd and commit_service. In between the loop
 * must go on calling sink_service: the reports end the flush.
 *
 * State (shapes, then the offset) is handed in before commit_start; the committer knows where it goes and when:
 *   with transactions   both are sent at once, inside the transaction
 *   at-least-once       shapes are sent at once; the offset when all else is acknowledged
 *   file store          all records acknowledged, then the shapes file, then the offset file
 * So in each mode what is stored is never ahead of what Kafka has.
 *
 * Retriable errors are tried again for as long as it takes (the transaction times out by itself) or until commit_stop.
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_COMMIT_H
#define TIDEMARK_CONNECTOR_COMMIT_H

#include "base/bytes.h"
#include "base/fail.h"
#include "connector/sink.h"

struct committer;
struct offset_file;

enum commit_job {
    COMMIT_INIT,   /* take the transactional id, fence and abort a predecessor */
    COMMIT_COMMIT, /* flush and commit, state included */
    COMMIT_ABORT,  /* drop the transaction; unsent records come back purged */
};

enum commit_outcome {
    COMMIT_DONE,
    COMMIT_ABORT_NEEDED, /* commit_start_abort, then read again from the stored offset; why says what happened */
    COMMIT_RENEW,   /* close the sink, open a new one, and after its init read the stored offset from its topic: whether
                            this transaction was committed is unknown */
    COMMIT_STOP,    /* an operator must act */
    COMMIT_REFUSED, /* init only: the cluster definitely refuses transactions (rights, or no such feature) */
    COMMIT_INTERRUPTED, /* commit_stop came first; whether it was committed is unknown */
};

struct commit_result {
    enum commit_job job;
    enum commit_outcome outcome;
    struct fail why;  /* unless DONE */
    int64_t took_us;  /* from commit_start to the end */
    int64_t flush_us; /* of that, waiting for acknowledgements */
};

struct commit_settings {
    const char *offsets_topic; /* interned; NULL with a file store */
    const char *shapes_topic;  /* interned; NULL with a file store */
    struct offset_file *file;  /* lent; NULL: topics */
};

/* Starts the thread. The sink is lent and must be closed after the committer. */
MUST_USE struct committer *commit_open(struct sink *sink, const struct commit_settings *set, struct fail *why);

/* Ends within timeout_ms: true; false: its thread is stuck in librdkafka; leave sink and committer alone and end the
 * process. */
bool commit_close(struct committer **c, int timeout_ms);

/* Makes a running job end soon (INTERRUPTED, unless it is done first); later ones end at once. */
void commit_stop(struct committer *c);

/* Readable when commit_service has something to do. */
int commit_fd(const struct committer *c);

/* True: a job ended, out says how. False: nothing yet. */
MUST_USE bool commit_service(struct committer *c, struct commit_result *out);

bool commit_is_busy(const struct committer *c);

/* What it does, for messages: "commit", "nothing". */
const char *commit_doing(const struct committer *c);

/* Without transactions init ends at once, DONE. */
void commit_start_init(struct committer *c);

/* State for the next commit. Copied. A later offset replaces an earlier one; without has_value it is a tombstone. Not
 * while a job runs. False (STOP): it can't be stored, it is too large. A broken sink is no failure here: commit_start tells. */
MUST_USE bool commit_keep_shape(struct committer *c, struct view key, bool has_value, struct view value,
                                struct fail *why);
MUST_USE bool commit_keep_offset(struct committer *c, struct view key, bool has_value, struct view value,
                                 struct fail *why);

/* Ends the transaction with the state kept. Nothing sent and nothing kept: DONE at once. */
void commit_start(struct committer *c);

/* Drops the transaction and the state kept. Without transactions records can't be taken back: waits until they are
 * delivered. */
void commit_start_abort(struct committer *c);

#endif
