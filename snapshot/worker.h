/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker: a thread with a connection of its own that reads chunks of tables in key order.
 *
 * One order at a time: wait until all that was streamed is executed on the server (LOW), read the rows behind a key,
 * then the log's end (HIGH), render the rows up to their source block, answer. The first order of a table also reads its
 * largest key. Nothing is written or locked (FOR SHARE only without GTIDs, when the settings allow it); what a user's
 * filter may do is bounded by a read-only session and a time limit.
 *
 * Orders and answers cross between the loop and the thread one by one; an order's memory is the worker's until its
 * answer is taken. worker_order, worker_take, worker_free: loop thread. Forms of the queries: chunk.h.
 */
#ifndef TIDEMARK_SNAPSHOT_WORKER_H
#define TIDEMARK_SNAPSHOT_WORKER_H

#include "base/fail.h"
#include "binlog/gtid.h"
#include "binlog/position.h"
#include "binlog/shape.h"
#include "binlog/source.h"
#include "record/settings.h"
#include "snapshot/chunk_key.h"
#include "snapshot/chunk_rows.h"

#include <stdbool.h>
#include <stdint.h>

struct worker;

struct worker_settings {
    const struct source_settings *source;
    const struct record_settings *record;
    uint32_t filter_timeout_ms; /* for queries with a user's filter; 0: none */
    bool may_lock_for_share;    /* a source without GTIDs is read FOR SHARE */
};

/* What to read. */
struct chunk_order {
    const struct shape *shape; /* counted: the order holds one */
    char *filter;              /* owned; NULL: all rows. Without parentheses around it */
    char *surrogate;           /* owned; NULL: the primary key */
    bool is_whole;             /* all rows in one view: neither filter nor keys */
    bool is_continued;         /* whole: the view is open, its next rows are wanted */
    struct chunk_key after;    /* rows behind this key; empty: from the start */
    struct chunk_key last;     /* up to this one; empty: read the largest key first */
    uint32_t limit;
    size_t max_bytes;        /* of rows: the chunk ends behind the row that goes past it; 0: none */
    bool has_barrier;        /* with GTIDs */
    struct gtid_set barrier; /* S0: all that the stream has handed over; owned */
    struct buf early_xa;     /* XA transactions that must have ended before, each ended by a zero byte; owned */
    char server_uuid[37];    /* of the stream */
};

void chunk_order_init(struct chunk_order *order);
void chunk_order_fini(struct chunk_order *order);

enum chunk_outcome {
    CHUNK_READ,
    CHUNK_AGAIN,        /* a connection broke, a lock timed out, LOW lags: order it again after a pause; why says */
    CHUNK_OTHER_SERVER, /* the connection is with another server than the stream: order it again */
    CHUNK_OTHER_SHAPE,  /* the result's columns are not the shape's: wait for the stream's DDL, order it again */
    CHUNK_REFUSED,      /* this table can't be read so: why says */
};

struct chunk_answer {
    enum chunk_outcome outcome;
    struct fail why;         /* unless READ */
    struct chunk_rows *rows; /* READ: given to the taker */
    uint32_t n_read;
    struct chunk_key next; /* READ: key of the last row, empty when there was none */
    struct chunk_key last; /* READ: the table's largest key, also when the order had it; empty: the table is empty */
    bool is_final;         /* READ: nothing is left up to `last` */
    struct log_position high;
    struct gtid_set executed; /* READ, the first of a view: what it holds at the least */
    int64_t estimated_rows;   /* of the table, with its first chunk; -1: unknown */
};

void chunk_answer_init(struct chunk_answer *answer); /* AGAIN, without a reason */
void chunk_answer_fini(struct chunk_answer *answer);

/* Starts the thread; it connects with the first order. */
MUST_USE struct worker *worker_start(const struct worker_settings *set, struct fail *why);

/* No order is under way. */
bool worker_is_idle(const struct worker *w);

/* Takes the order's contents; it is empty afterwards. */
void worker_order(struct worker *w, struct chunk_order *order);

/* Nobody goes on with what was read: an answer that is still to come comes soon, whatever it is, and a view that is open is
 * closed. The next order must begin anew. */
void worker_withdraw(struct worker *w);

/* Readable when an answer is there. */
int worker_fd(const struct worker *w);

/* True: the answer to the last order. */
MUST_USE bool worker_take(struct worker *w, struct chunk_answer *answer);

/* Ends the thread, waking its connection; false when it does not end in time (then leave the process). */
bool worker_stop(struct worker **w, int timeout_ms);

#endif
