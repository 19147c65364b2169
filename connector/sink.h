/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink: the producer: takes records, lends their bytes to librdkafka, and tells when they are back.
 *
 * Values are not copied: the chunk they sit in comes back, record by record, through on_delivered. So what is in
 * flight is bounded by who owns the chunks, and librdkafka's own limits are set so high that they never speak first.
 * With a transactional id every record belongs to a transaction: the first one sent opens it, commit.h ends it.
 *
 * Always true:
 *   S1  each record that was sent is reported exactly once: delivered, failed, or purged by an abort or close
 *   S2  reports are given on the loop thread only, inside sink_service
 *   S3  the first failed delivery is kept until the transaction is aborted (or the sink closed)
 *   S4  between the start of a commit or an abort and its end nothing can be sent: it is "later"
 *
 *   STARTING -> READY     [commit_service]      the transactional id is ours (without one: at once)
 *   READY    -> OPEN      [sink_send]           a transaction is under way, or records are not yet flushed
 *   OPEN     -> ENDING    [commit_start, commit_start_abort]
 *   READY    -> ENDING    [commit_start]        nothing was sent: ends at once
 *   ENDING   -> READY     [commit_service]      committed or aborted
 *   ENDING   -> OPEN      [commit_service]      flushed, the offset is still to be sent (at-least-once only)
 *   ENDING   -> ABORTABLE [commit_service]      the commit was refused; only an abort helps
 *   ABORTABLE-> ENDING    [commit_start_abort]
 *   any      -> DEAD      [commit_service, sink_service]  fenced or fatal: close it
 *
 * Loop thread only, except sink_kafka's handle (the committer's thread).
 */
#ifndef TIDEMARK_CONNECTOR_SINK_H
#define TIDEMARK_CONNECTOR_SINK_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/change.h"
#include "connector/client.h"

#include <stdbool.h>
#include <stdint.h>

struct sink;

enum sink_state {
    SINK_STARTING,  /* the transactional id is being taken */
    SINK_READY,     /* nothing sent since the last commit */
    SINK_OPEN,      /* records were sent that are not committed */
    SINK_ENDING,    /* the committer has it */
    SINK_ABORTABLE, /* the transaction can only be aborted */
    SINK_DEAD,      /* this producer can do nothing more */
};

struct sink_header {
    const char *name;
    const char *value;
};

enum { SINK_ANY_PARTITION = -1 };

struct sink_settings {
    struct client_settings client;
    const char *transactional_id;      /* NULL: at-least-once */
    int transaction_timeout_ms;        /* 0: 60,000 */
    size_t message_max_bytes;          /* largest record we send; 0: librdkafka's 1,000,000 */
    size_t batch_bytes;                /* of records that travel together; 0: SINK_BATCH_BYTES */
    size_t pool_bytes;                 /* what the owner of the values may have in flight */
    const struct sink_header *context; /* headers that are the same on every record of a table; copied */
    size_t n_context;                  /* at most SINK_CONTEXT_MAX */
    /* A record with an opaque is back: its bytes are no longer used. ok: the broker has it. */
    void (*on_delivered)(void *ctx, void *opaque, bool ok);
    /* A topic refused a record for the size of its batch: whether it can be gone on with once what was sent is read again
     * (RETRY), or not (STOP). NULL: not. */
    bool (*on_too_wide)(void *ctx, const char *topic, size_t bytes);
    void *ctx;
    /* Topics that hold our state, lent; NULL: none. One of them that is deleted ends the run (STOP): what was in it can't be
     * written again. Of any other the brokers make a new one (RETRY, by a new producer: sink_has_lost_topic). */
    const char *state_topics[2];
};

enum {
    SINK_CONTEXT_MAX = 8,
    SINK_BATCH_BYTES = 1000000,
};

struct sink_record {
    const char *topic; /* interned: one address per topic for the life of the process */
    bool has_key;
    bool has_value;
    bool has_context;               /* with the context headers */
    bool is_copied;                 /* key and value are copied at once, nothing is lent */
    enum change_header header;      /* stands before the context headers */
    struct view header_value;       /* copied */
    const struct sink_header *more; /* behind the context headers; copied */
    size_t n_more;
    struct view key;   /* copied */
    struct view value; /* lent until on_delivered(opaque), unless is_copied */
    int32_t partition; /* SINK_ANY_PARTITION: by the key, murmur2 */
    void *opaque;      /* owner of the value; NULL: no report wanted */
};

enum sink_sent {
    SINK_SENT,
    SINK_LATER, /* not now: a commit runs, the queue is full, or the transaction has to be dropped (sink_failure says so);
                    nothing was taken */
    SINK_FAILED, /* REFUSE: not this record; STOP: an operator must act; nothing was taken */
};

MUST_USE struct sink *sink_open(const struct sink_settings *set, struct fail *why);

/* Purges what is still queued (reported as not ok, within this call) and closes, waiting no longer than timeout_ms.
 * False: librdkafka did not end in time and still holds lent memory, unreported: leave it alone and end the process. */
bool sink_close(struct sink **s, int timeout_ms);

/* Record larger than message_max_bytes: REFUSE, area DATA, naming topic and sizes; never the key, which is a row's data. */
MUST_USE enum sink_sent sink_send(struct sink *s, const struct sink_record *rec, struct fail *why);

/* Readable when sink_service has something to do. */
int sink_fd(const struct sink *s);

/* Handles reports and errors that have come, calling on_delivered. Returns how many records came back. */
unsigned sink_service(struct sink *s);

enum sink_state sink_state(const struct sink *s);
const char *sink_state_name(enum sink_state state);
bool sink_is_transactional(const struct sink *s);

/* A topic was deleted: only a new producer asks for it anew. */
bool sink_has_lost_topic(const struct sink *s);

struct sink_counts {
    uint64_t outstanding;       /* records sent and not yet reported */
    uint64_t outstanding_bytes; /* their keys and values */
    uint64_t sent;              /* since sink_open */
    uint64_t sent_bytes;
    uint64_t delivered;
    uint64_t failed;          /* without the purged */
    int64_t last_delivery_ms; /* clock_mono_ms of the last report; 0: none yet */
    int64_t opened_ms;        /* clock_mono_ms when the transaction under way began; 0: none */
};

const struct sink_counts *sink_counts(const struct sink *s);

/* The stepwise commit: after the last record was sent at since_ms, 0 when the flush may start: no full request is on its
 * way, or its answer did not come for 100 ms; where that is not known (pace.h), less than a batch is outstanding, or
 * nothing came back for 5 ms. Else in how many ms to ask again at the latest. */
int sink_drain_ms(const struct sink *s, int64_t since_ms, int64_t now_ms);

/* A commit now would cost more than one a few records later (pace_is_uneven). */
bool sink_is_uneven(const struct sink *s);

/* The first failed delivery of this transaction, or what killed the producer; false when there is none. The kinds:
 * RETRY abort (or, when DEAD, make a new producer) and read again from the stored offset; STOP an operator must act. */
bool sink_failure(const struct sink *s, struct fail *why);

/* ---- for commit and tests ---- */

rd_kafka_t *sink_kafka(const struct sink *s);

/* The names of the topics that were written to, lent, at most room of them; returns how many there are. */
size_t sink_topics(const struct sink *s, const char **names, size_t room);
void sink_set_state(struct sink *s, enum sink_state state);

/* Becomes ABORTABLE or DEAD for that reason, unless an earlier one stands. */
void sink_break(struct sink *s, enum sink_state state, const struct fail *why);

/* state is SINK_DEAD; any thread. */
bool sink_is_dead(const struct sink *s);

/* A delivery of the transaction under way has failed; any thread. */
bool sink_has_failed(const struct sink *s);

/* As client_fail, with what only the sink knows: _FENCED is another instance (STOP, FENCED) unless our own transaction
 * was open for longer than its timeout (RETRY). */
bool sink_fail(const struct sink *s, struct fail *why, rd_kafka_resp_err_t err, const char *detail, const char *doing);

/* The same of a call about the transaction as a whole: a topic of it that is missing was deleted under our hands, and may be
 * made anew (RETRY, sink_has_lost_topic). Any thread. */
void sink_fail_transaction(struct sink *s, struct fail *why, const rd_kafka_error_t *error, const char *doing);

#endif
