/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: the thread that waits on the wire, feeds the stream, and comes back when the connection breaks.
 *
 * It first lets its owner prepare: read what the start needs from the server, fill the catalog, say where the stream
 * begins. Then it asks for the dump, feeds event after event, and after a failure that may heal connects again, with
 * growing pauses, where the stream is then. A failure that may not heal ends it; so does reader_stop.
 *
 *   PREPARING -> STREAMING   [prepared]
 *   PREPARING, STREAMING -> WAITING  [RETRY: backoff]  WAITING -> where it came from
 *   any -> ENDED             [STOP, reader_stop]
 *
 * Owns two connections (statements, dump), the stream and the catalog. reader_start, reader_stop, reader_watch
 * and reader_free: the loop thread. The hooks are called on the reader's own thread.
 */
#ifndef TIDEMARK_BINLOG_READER_H
#define TIDEMARK_BINLOG_READER_H

#include "base/fail.h"
#include "binlog/source.h"
#include "binlog/stream.h"

#include <stdatomic.h>
#include <stdbool.h>

struct reader;

struct reader_settings {
    struct source_settings source;
    struct stream_settings stream;
    int backoff_first_ms; /* errors.retry.delay.initial.ms */
    int backoff_most_ms;  /* errors.retry.delay.max.ms */
    int max_retries;      /* errors.max.retries; -1: for ever */
    int64_t silence_ms;   /* so long may the log be silent (reader_watch); 0: for ever. That of `source` is not used. */
};

/* What the thread is at. */
enum reader_phase {
    READER_STARTING,
    READER_PREPARING,  /* statements before the stream: settings, shapes, proofs */
    READER_CONNECTING, /* the connection of the dump, until the log is asked for */
    READER_SEEKING,    /* the log is asked for: the server looks for the place, and says nothing meanwhile */
    READER_LISTENING,  /* waits for the next event */
    READER_HANDLING,   /* has an event: decodes it, reads a shape for it, waits for room in the output */
    READER_PAUSING,    /* before something is tried again */
    READER_ENDED,
};

const char *reader_phase_name(enum reader_phase phase);

/* What a start found out. Texts are copied. */
struct reader_start {
    struct stream_start stream;
    struct stream_server server;
    char server_uuid[40]; /* of the server that stream.pos is of; "": unknown */
};

struct reader_hooks {
    void *ctx;
    /* Fills the catalog and *start from the connected server. May distrust shapes in the stream. RETRY is tried again
     * from the beginning with a new connection and an empty catalog. */
    bool (*prepare)(void *ctx, struct source *src, struct catalog *catalog, struct stream *stream,
                    struct reader_start *start, struct fail *why);
    /* Reads one table's shape from the connected server, see stream_output. */
    bool (*read_shape)(void *ctx, struct source *src, struct view db, struct view table, const struct shape **shape,
                       struct log_position *as_of, struct fail *why);
    /* The thread ends; nothing is called any more. reader_result says why. */
    void (*ended)(void *ctx);
};

/* Starts the thread. `out` without read_shape, which the reader provides. */
MUST_USE struct reader *reader_start(const struct reader_settings *set, const struct reader_hooks *hooks,
                                     const struct stream_output *out, struct fail *why);

/* Tells the thread to end: connections are woken. Who may be waiting in the output is the caller's business. */
void reader_stop(struct reader *r);

/* True when the thread has ended within the time, and is joined. */
bool reader_join(struct reader *r, int timeout_ms);

/* Why it ended; after reader_join. False when it was told to. */
bool reader_result(const struct reader *r, struct fail *why);

/* Only after a successful join. */
void reader_free(struct reader **r);

/* To be called every now and then: what the reader is at, and for how long nothing has moved. A connection on which
 * no byte came for too long is ended here, so that the reader makes a new one. While the server seeks it may be silent for
 * twice as long each time, or a seek that is slower than that would never end. */
struct reader_sight {
    enum reader_phase phase;
    uint64_t steps; /* grows with whatever the reader does, and while bytes come */
    int64_t for_ms; /* since the last step */
};
struct reader_sight reader_watch(struct reader *r, int64_t now_ms);

/* Ends the dump's connection; the next one shows what the server's log has become. Any thread. */
void reader_reconnect(struct reader *r);

/* For the status: since when, and by what, the stream is interrupted. Any thread. */
bool reader_is_connected(const struct reader *r);

#endif
