/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/reader.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/ending.h"
#include "base/log.h"
#include "binlog/lack.h"
#include "binlog/lost.h"
#include "binlog/proof.h"
#include "binlog/server.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LARGE_BUFFER_BYTES = 16 << 20,
    DAMAGED_READS = 3, /* of one place with a wrong checksum */
    PHASE_BITS = 8,
    PATIENCE_MOST = 10, /* doublings */
    GOOD_CONNECTION_MS = 30000,
};

struct reader {
    struct reader_settings set;
    struct source_settings dump_settings; /* the same, but for who watches over the silence */
    struct source_settings proof_settings;
    char proof_name[PROOF_NAME_BYTES];
    struct reader_hooks hooks;
    struct source *statements;
    struct source *dump;
    struct source *proof;
    struct catalog catalog;
    struct stream *stream;
    struct stream_output output;
    struct reader_start start;
    struct fail result;
    struct backoff backoff;      /* of failures in a row */
    int64_t connected_ms;        /* when the connection of the dump gave its first event; 0: it has not */
    uint64_t connected_at;       /* how many transactions there were then */
    struct log_position damaged; /* where a checksum was wrong last */
    int n_damaged;               /* so often in a row there */
    bool has_lost_file;          /* the server does not know the file where we are: it is to search by GTIDs */
    pthread_t thread;
    struct ending ending;
    pthread_mutex_t lock;
    pthread_cond_t stop_told;
    atomic_bool must_stop;
    atomic_bool is_connected;

    uint64_t n_steps;
    _Atomic uint64_t doing;    /* phase, and above it how many steps were done */
    atomic_int n_silent_seeks; /* in a row */

    /* reader_watch's own */
    uint64_t seen;
    uint64_t received;   /* bytes */
    uint64_t n_received; /* looks that found more bytes than the one before */
    int64_t seen_ms;
};

/* ---- what it is at ---- */

const char *reader_phase_name(enum reader_phase phase)
{
    static const char *const names[] = {
        "starting",  "preparing", "connecting", "waiting until the server has found the place",
        "listening", "handling",  "pausing",    "ended"};
    return names[phase];
}

/* Costs a store: no clock is read for it, reader_watch has one. */
static void now_at(struct reader *r, enum reader_phase phase)
{
    r->n_steps++;
    atomic_store_explicit(&r->doing, r->n_steps << PHASE_BITS | phase, memory_order_relaxed);
}

/* How long that phase may be silent; 0: for as long as it takes. */
static int64_t patience_ms(const struct reader *r, enum reader_phase phase)
{
    int doublings = atomic_load(&r->n_silent_seeks);
    if (phase == READER_LISTENING || phase == READER_CONNECTING)
        return r->set.silence_ms;
    if (phase == READER_SEEKING)
        return r->set.silence_ms << (doublings < PATIENCE_MOST ? doublings : PATIENCE_MOST);
    return 0;
}

/* An event is told when all of it is there: of one that is large, or comes slowly, the wire alone tells that it comes. */
static void look_at_wire(struct reader *r, int64_t now_ms)
{
    uint64_t received = source_received(r->dump);
    if (received == r->received)
        return;
    r->received = received;
    r->n_received++;
    r->seen_ms = now_ms;
}

struct reader_sight reader_watch(struct reader *r, int64_t now_ms)
{
    uint64_t doing = atomic_load_explicit(&r->doing, memory_order_relaxed);
    if (doing != r->seen || r->seen_ms == 0) {
        r->seen = doing;
        r->seen_ms = now_ms;
    }
    look_at_wire(r, now_ms);
    struct reader_sight sight = {
        .phase = (enum reader_phase)(doing & ((1 << PHASE_BITS) - 1)),
        .steps = (doing >> PHASE_BITS) + r->n_received,
        .for_ms = now_ms - r->seen_ms,
    };
    int64_t limit_ms = patience_ms(r, sight.phase);
    if (limit_ms == 0 || sight.for_ms < limit_ms)
        return sight;
    if (sight.phase == READER_SEEKING)
        atomic_fetch_add(&r->n_silent_seeks, 1);
    source_cut(r->dump, sight.for_ms);
    r->seen_ms = now_ms;
    return sight;
}

/* ---- waiting ---- */

/* Sleeps, but not past a stop. */
static void pause_for(struct reader *r, int ms)
{
    struct timespec until = clock_deadline(ms);
    pthread_mutex_lock(&r->lock);
    while (!atomic_load(&r->must_stop) && clock_cond_wait(&r->stop_told, &r->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&r->lock);
}

/* After a failure: true when it is to be tried again, after a pause. */
static bool may_retry(struct reader *r, struct fail *why)
{
    atomic_store(&r->is_connected, false);
    if (atomic_load(&r->must_stop) || why->kind != FAIL_RETRY)
        return false;
    int ms = backoff_next_ms(&r->backoff);
    if (ms < 0) {
        why->kind = FAIL_STOP;
        fail_add(why, "given up after %d tries (errors.max.retries)", r->backoff.n);
        return false;
    }
    /* Each cause is told once in full, then all are counted. */
    bool is_news = backoff_is_news(&r->backoff, why->code);
    if (r->backoff.n == 1)
        log_warn("reader", "%s; trying again", why->text);
    else if (is_news)
        log_warn("reader", "still failing after %d tries: %s", r->backoff.n, why->text);
    else
        log_debug("reader", "%s; try %d in %d ms", why->text, r->backoff.n, ms);
    now_at(r, READER_PAUSING);
    pause_for(r, ms);
    return !atomic_load(&r->must_stop);
}

/* ---- shapes from the server, in the midst of the stream ---- */

static bool read_shape_once(struct reader *r, struct view db, struct view table, const struct shape **shape,
                            struct log_position *as_of, struct fail *why)
{
    if (!source_is_connected(r->statements) && !source_connect(r->statements, why))
        return false;
    if (r->hooks.read_shape(r->hooks.ctx, r->statements, db, table, shape, as_of, why))
        return true;
    source_disconnect(r->statements);
    return false;
}

/* Tries until it is there: a statement that is half applied can't be taken back. */
static bool read_shape(void *ctx, struct view db, struct view table, const struct shape **shape,
                       struct log_position *as_of, struct fail *why)
{
    struct reader *r = ctx;
    struct backoff had = r->backoff;
    while (!read_shape_once(r, db, table, shape, as_of, why))
        if (!may_retry(r, why))
            return false;
    r->backoff = had;
    return true;
}

/* Where a dump has to start that goes on with the stream. Lent. */
static struct source_start where_to_go_on(const struct reader *r)
{
    struct stream_where where = stream_where(r->stream);
    return (struct source_start){
        .executed = where.has_gtids ? where.executed : NULL,
        .pos = where.pos->file[0] == '\0' || r->has_lost_file ? NULL : where.pos,
        .pos_uuid = r->start.server_uuid,
    };
}

static bool prove_once(struct reader *r, struct proof_table *table, const struct log_position *until, struct fail *why)
{
    const struct source_start start = where_to_go_on(r);
    now_at(r, READER_PREPARING);
    return proof_run(r->proof, &start, &r->start.server, until, table, 1, why);
}

/* A log that can't be read twice proves nothing. */
static bool prove(void *ctx, struct view db, struct view table, const struct log_position *after,
                  const struct log_position *until, bool *is_proven, struct fail *why)
{
    struct reader *r = ctx;
    struct backoff had = r->backoff;
    struct proof_table t = {.db = db, .table = table, .after = after};
    bool ok;
    while (!(ok = prove_once(r, &t, until, why)) && may_retry(r, why))
        ;
    now_at(r, READER_HANDLING);
    if (!ok && atomic_load(&r->must_stop))
        return false;
    if (!ok)
        log_warn("reader", "%s", why->text);
    *is_proven = ok && !t.has_changed;
    r->backoff = had;
    return true;
}

/* ---- the thread ---- */

static bool prepare(struct reader *r, struct fail *why)
{
    now_at(r, READER_PREPARING);
    catalog_fini(&r->catalog);
    catalog_init(&r->catalog, 0);
    if (!source_connect(r->statements, why))
        return false;
    r->start = (struct reader_start){.server_uuid = ""};
    if (!r->hooks.prepare(r->hooks.ctx, r->statements, &r->catalog, r->stream, &r->start, why))
        return false;
    stream_set_server(r->stream, &r->start.server);
    stream_begin(r->stream, &r->start.stream);
    return true;
}

static bool prepare_until_done(struct reader *r)
{
    struct fail why = {.kind = FAIL_NONE};
    while (!prepare(r, &why)) {
        source_disconnect(r->statements);
        if (!may_retry(r, &why)) {
            r->result = why;
            return false;
        }
    }
    source_disconnect(r->statements); /* seldom needed from here on */
    backoff_reset(&r->backoff);
    return true;
}

/* Positions mean nothing on another server; GTIDs do. */
static bool heed_server(struct reader *r, struct fail *why)
{
    char uuid[37];
    if (!server_read_uuid(r->dump, uuid, why))
        return false;
    if (strcmp(uuid, r->start.server_uuid) == 0)
        return true;
    bool is_news = r->start.server_uuid[0] != '\0';
    if (is_news && !stream_where(r->stream).has_gtids)
        return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                        "%s is another server (%s) than the one the position is of (%s), and without GTIDs a position "
                        "can't be carried over; hint: connect to the old one, or set a new position",
                        source_name(r->dump), uuid, r->start.server_uuid);
    if (is_news) {
        log_warn("reader", "%s is another server now: %s, was %s; going on by GTIDs", source_name(r->dump), uuid,
                 r->start.server_uuid);
        stream_other_server(r->stream);
        if (!lack_tell(r->dump, stream_where(r->stream).executed, why))
            return false;
    }
    snprintf(r->start.server_uuid, sizeof r->start.server_uuid, "%s", uuid);
    return r->output.server(r->output.ctx, r->start.server_uuid, why);
}

static bool open_dump(struct reader *r, struct fail *why)
{
    now_at(r, READER_CONNECTING);
    if (!source_connect_dump(r->dump, why) || !heed_server(r, why))
        return false;
    struct stream_where where = stream_where(r->stream);
    if (!where.has_gtids && where.pos->offset > UINT32_MAX) {
        log_warn("reader",
                 "without GTIDs a stream can't start behind 4 GiB of a file: it is read from its start, which "
                 "takes a while file=%s",
                 where.pos->file);
        stream_go_to_file_start(r->stream);
        where = stream_where(r->stream);
    }
    const struct source_start start = where_to_go_on(r);
    if (!source_dump(r->dump, &start, why))
        return false;
    now_at(r, READER_SEEKING);
    log_info("reader", "reading the log of %s from file=%s pos=%llu", source_name(r->dump), where.pos->file,
             (unsigned long long)where.pos->offset);
    return true;
}

/* A wrong checksum: the wire's fault heals by reading again, the file's doesn't. */
static void judge_damage(struct reader *r, struct fail *why)
{
    const struct log_position *pos = stream_where(r->stream).pos;
    if (why->code != DECODER_BAD_CHECKSUM)
        return;
    r->n_damaged = position_compare(pos, &r->damaged) == 0 ? r->n_damaged + 1 : 1;
    r->damaged = *pos;
    if (r->n_damaged < DAMAGED_READS)
        why->kind = FAIL_RETRY;
}

/* A log that began anew under other names, or was cut short: the GTIDs still say what comes next, if they mean the same. */
static void go_by_gtids(struct reader *r, bool is_other_file, struct fail *why)
{
    struct stream_where where = stream_where(r->stream);
    const struct lost_place place = {r->start.server_uuid, where.executed, where.pos, is_other_file};
    if (lost_is_other_log(r->statements, &place, why))
        return;
    log_warn("reader", "%s; the server is asked to search by GTIDs", why->text);
    stream_forget_file(r->stream);
    r->has_lost_file = true;
    why->kind = FAIL_NONE;
}

/* The server refused the place. */
static void judge_position(struct reader *r, struct fail *why)
{
    bool is_of_position = why->code == SOURCE_REFUSED_NO_FILE || why->code == SOURCE_REFUSED_POSITION;
    struct stream_where where = stream_where(r->stream);
    if (is_of_position && where.has_gtids && !r->has_lost_file)
        go_by_gtids(r, false, why);
    else
        lost_explain(r->statements, where.has_gtids ? where.executed : NULL, where.pos, why);
}

/* It took the place, in a file that has the name of ours alone. */
static void judge_file(struct reader *r, struct fail *why)
{
    if (why->code != STREAM_OTHER_FILE)
        return;
    if (stream_where(r->stream).has_gtids) {
        go_by_gtids(r, true, why);
        return;
    }
    struct fail seen = *why;
    fail_set(why, FAIL_STOP, FAIL_AREA_DATA, SOURCE_OTHER_LOG,
             "the log of %s has begun anew: %s; without GTIDs nothing says what of it was told; hint: "
             "snapshot.mode=when_needed begins anew by itself, tidemark offsets reset by hand",
             source_name(r->dump), seen.text);
}

/* After a seek that took longer than the connection lived. */
static void tell_of_seek(const struct reader *r)
{
    int n = atomic_load(&r->n_silent_seeks);
    if (n > 0)
        log_warn("reader", "%s did not find the place in its log within %lld ms; next time it has twice as long",
                 source_name(r->dump),
                 (long long)(r->set.silence_ms << (n - 1 < PATIENCE_MOST ? n - 1 : PATIENCE_MOST)));
}

/* The first event: the server has found the place. */
static bool fetch_first(struct reader *r, struct view *event, struct fail *why)
{
    if (!source_fetch(r->dump, event, why)) {
        judge_position(r, why);
        tell_of_seek(r);
        return false;
    }
    atomic_store(&r->n_silent_seeks, 0);
    r->has_lost_file = false;
    r->connected_ms = clock_mono_ms();
    r->connected_at = stream_counters(r->stream)->transactions;
    atomic_store(&r->is_connected, true);
    return true;
}

/* Until the connection breaks or somebody must act. */
static bool read_log(struct reader *r, struct fail *why)
{
    struct view event;
    if (!open_dump(r, why) || !fetch_first(r, &event, why))
        return false;
    for (;;) {
        now_at(r, READER_HANDLING);
        if (!stream_feed(r->stream, event, clock_wall_ns(), why)) {
            judge_damage(r, why);
            judge_file(r, why);
            return false;
        }
        /* The library's buffer never shrinks: after a giant start afresh, between two transactions. */
        if (event.n < LARGE_BUFFER_BYTES / 16 && source_buffer_bytes(r->dump) > LARGE_BUFFER_BYTES &&
            stream_is_outside(r->stream)) {
            log_debug("reader", "connecting again to give back a buffer of %zu bytes", source_buffer_bytes(r->dump));
            return fail_set(why, FAIL_NONE, FAIL_AREA_SOURCE, 0, "the buffer had grown large");
        }
        now_at(r, READER_LISTENING);
        if (!source_fetch(r->dump, &event, why))
            return false;
    }
}

/* A connection that brought something, or lived for a while, ends a row of failures; one that breaks at once, again and
 * again at the same place, does not. */
static void judge_connection(struct reader *r)
{
    bool is_good = r->connected_ms != 0 && (stream_counters(r->stream)->transactions > r->connected_at ||
                                            clock_mono_ms() - r->connected_ms >= GOOD_CONNECTION_MS);
    if (is_good)
        backoff_reset(&r->backoff);
    r->connected_ms = 0;
}

static void stream_until_end(struct reader *r)
{
    struct fail why = {.kind = FAIL_NONE};
    for (;;) {
        if (read_log(r, &why))
            return;
        source_disconnect(r->dump);
        stream_reconnected(r->stream);
        judge_connection(r);
        if (why.kind != FAIL_NONE && !may_retry(r, &why)) {
            r->result = why;
            return;
        }
    }
}

static void *run(void *arg)
{
    struct reader *r = arg;
    if (prepare_until_done(r))
        stream_until_end(r);
    now_at(r, READER_ENDED);
    atomic_store(&r->is_connected, false);
    source_disconnect(r->statements);
    source_disconnect(r->dump);
    r->hooks.ended(r->hooks.ctx);
    ending_tell(&r->ending);
    return NULL;
}

struct reader *reader_start(const struct reader_settings *set, const struct reader_hooks *hooks,
                            const struct stream_output *out, struct fail *why)
{
    struct reader *r = mem_zero(1, sizeof *r);
    r->set = *set;
    r->hooks = *hooks;
    r->backoff = (struct backoff){
        .first_ms = set->backoff_first_ms, .most_ms = set->backoff_most_ms, .max_tries = set->max_retries};
    r->statements = source_new(&r->set.source);
    r->dump_settings = set->source;
    r->dump_settings.silence_ms = 0;
    r->dump = source_new(&r->dump_settings);
    proof_settings(&set->source, r->proof_name, &r->proof_settings);
    r->proof = source_new(&r->proof_settings);
    catalog_init(&r->catalog, 0);
    pthread_mutex_init(&r->lock, NULL);
    clock_cond_init(&r->stop_told);
    ending_init(&r->ending);
    r->output = *out;
    r->output.read_shape = read_shape;
    r->output.prove = prove;
    r->output.read_ctx = r;
    r->stream = stream_new(&r->set.stream, &r->catalog, &r->output);
    int err = pthread_create(&r->thread, NULL, run, r);
    if (err == 0)
        return r;
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start the reader's thread: %s", strerror(err));
    reader_free(&r);
    return NULL;
}

void reader_stop(struct reader *r)
{
    pthread_mutex_lock(&r->lock);
    atomic_store(&r->must_stop, true);
    pthread_cond_broadcast(&r->stop_told);
    pthread_mutex_unlock(&r->lock);
    source_wake(r->statements);
    source_wake(r->dump);
    source_wake(r->proof);
}

bool reader_join(struct reader *r, int timeout_ms)
{
    return ending_wait(&r->ending, timeout_ms) && pthread_join(r->thread, NULL) == 0;
}

bool reader_result(const struct reader *r, struct fail *why)
{
    if (atomic_load(&r->must_stop) || r->result.kind == FAIL_NONE)
        return false;
    *why = r->result;
    return true;
}

void reader_free(struct reader **reader)
{
    struct reader *r = *reader;
    if (r == NULL)
        return;
    stream_free(&r->stream);
    catalog_fini(&r->catalog);
    source_free(&r->statements);
    source_free(&r->dump);
    source_free(&r->proof);
    ending_fini(&r->ending);
    pthread_cond_destroy(&r->stop_told);
    pthread_mutex_destroy(&r->lock);
    free(r);
    *reader = NULL;
}

void reader_reconnect(struct reader *r)
{
    source_cut(r->dump, SOURCE_CUT_ANEW);
}

bool reader_is_connected(const struct reader *r)
{
    return atomic_load_explicit(&r->is_connected, memory_order_relaxed);
}
