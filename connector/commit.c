/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/commit.h"

#include "base/clock.h"
#include "base/ending.h"
#include "base/fault.h"
#include "base/log.h"
#include "connector/offset_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    MAGIC = 0x5134c0a1,
    SLICE_MS = 500, /* of a blocking call: so soon is a stop heard */
    PAUSE_MS = 50,  /* before something is tried again */
    TELL_MS = 30000,
    ASK_MS = 3000, /* of waiting for records, after which their topics are asked about */
};

/* What the thread is asked to do. */
enum work { WORK_NONE, WORK_INIT, WORK_FLUSH, WORK_COMMIT, WORK_ABORT, WORK_STORE, WORK_END };

/* State that waits until the records before it are acknowledged. */
struct kept {
    enum offset_file_part part;
    bool has_value;
    struct buf key, value;
};

struct committer {
    uint32_t magic;
    struct sink *sink;
    struct commit_settings set;
    int fd;
    pthread_t thread;
    struct ending ending;
    atomic_bool is_stopped;

    /* Loop only: the job under way and what is kept for the next commit. */
    bool is_busy;
    enum work step; /* the work whose end is awaited */
    struct commit_result result;
    int64_t started_ns;
    struct kept *kept;
    size_t n_kept;
    size_t kept_room;

    /* The slot between the two threads. */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    enum work work; /* WORK_NONE: nothing to do */
    bool is_done;   /* a work ended; outcome, why and flush_us are its result */
    enum commit_outcome outcome;
    struct fail why;
    int64_t flush_us;
};

/* ---- the committer's thread ---- */

/* Says what the error means, and takes it. True: try again. */
static bool judge(struct committer *c, rd_kafka_error_t *error, const char *doing)
{
    bool may_retry = false;
    c->outcome = COMMIT_DONE;
    if (error == NULL)
        return false;
    sink_fail_transaction(c->sink, &c->why, error, doing);
    if (rd_kafka_error_is_fatal(error))
        c->outcome = c->why.kind == FAIL_RETRY ? COMMIT_RENEW : COMMIT_STOP;
    else if (rd_kafka_error_txn_requires_abort(error))
        c->outcome = COMMIT_ABORT_NEEDED;
    else if (rd_kafka_error_is_retriable(error))
        may_retry = true;
    else /* librdkafka: what is none of these is to be taken as fatal */
        c->outcome = c->why.kind == FAIL_RETRY ? COMMIT_RENEW : COMMIT_STOP;
    rd_kafka_error_destroy(error);
    return may_retry;
}

/* A call that blocks for up to so many ms; its error or NULL. */
typedef rd_kafka_error_t *(*kafka_fn)(rd_kafka_t *rk, int timeout_ms);

static bool is_interrupted(struct committer *c, const char *doing)
{
    if (!atomic_load(&c->is_stopped) && !sink_is_dead(c->sink))
        return false;
    c->outcome = COMMIT_INTERRUPTED;
    fail_set(&c->why, FAIL_RETRY, FAIL_AREA_KAFKA, 0, "%s: stopped before it was done", doing);
    return true;
}

static void pause_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

/* Tells now and then that something is still tried. */
struct patience {
    int64_t started_ms;
    int64_t told_ms;
};

static struct patience patience_begin(void)
{
    int64_t now = clock_mono_ms();
    return (struct patience){now, now};
}

static void patience_wait(struct patience *p, int ms, const struct fail *why)
{
    int64_t now = clock_mono_ms();
    if (now - p->told_ms >= TELL_MS) {
        log_warn("commit", "%s; still trying for_ms=%lld", why->text, (long long)(now - p->started_ms));
        p->told_ms = now;
    }
    pause_ms(ms);
}

/* Calls until it succeeds, fails for good, or is interrupted; the calls resume what is under way. */
static void insist(struct committer *c, kafka_fn call, const char *doing)
{
    struct patience p = patience_begin();
    while (judge(c, call(sink_kafka(c->sink), SLICE_MS), doing) && !is_interrupted(c, doing))
        patience_wait(&p, PAUSE_MS, &c->why);
}

/* The client tries on with a topic that was deleted until it asks about it, by itself every few minutes; asked, it fails the
 * records or has the topic made anew. */
static void ask_about_topics(const struct committer *c)
{
    const struct rd_kafka_metadata *answer = NULL;
    rd_kafka_resp_err_t err = rd_kafka_metadata(sink_kafka(c->sink), 0, NULL, &answer, SLICE_MS);
    if (err != RD_KAFKA_RESP_ERR_NO_ERROR)
        log_debug("commit", "ask about the topics that are waited for: %s", rd_kafka_err2str(err));
    if (answer != NULL)
        rd_kafka_metadata_destroy(answer);
}

/* Until the loop has taken every report; or, of a transaction, until one has failed: the client sends nothing more of it
 * then, and its commit says so. */
static bool flush(struct committer *c)
{
    int64_t started = clock_mono_ns(), asked_ms = started / 1000000;
    while (rd_kafka_flush(sink_kafka(c->sink), SLICE_MS) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (is_interrupted(c, "wait until Kafka has the records"))
            return false;
        if (sink_is_transactional(c->sink) && sink_has_failed(c->sink))
            break;
        if (clock_mono_ms() - asked_ms < ASK_MS)
            continue;
        ask_about_topics(c);
        asked_ms = clock_mono_ms();
    }
    c->flush_us = (clock_mono_ns() - started) / 1000;
    c->outcome = COMMIT_DONE;
    return true;
}

/* A full disk is waited for. */
static void work_store(struct committer *c)
{
    struct patience p = patience_begin();
    c->outcome = COMMIT_DONE;
    while (!offset_file_store(c->set.file, &c->why)) {
        if (c->why.kind != FAIL_RETRY)
            c->outcome = COMMIT_STOP;
        if (c->outcome == COMMIT_STOP || is_interrupted(c, "store the position"))
            return;
        if (p.told_ms == p.started_ms)
            log_fail(LOG_WARN, "commit", &c->why);
        patience_wait(&p, SLICE_MS, &c->why);
    }
}

static void do_work(struct committer *c, enum work work)
{
    if (work != WORK_INIT)
        FAULT_POINT("committer");
    switch (work) {
    case WORK_INIT:
        insist(c, rd_kafka_init_transactions, "take the transactional id");
        return;
    case WORK_FLUSH:
        flush(c);
        return;
    case WORK_COMMIT:
        if (!flush(c))
            return;
        FAULT_POINT("before-commit");
        insist(c, rd_kafka_commit_transaction, "commit the Kafka transaction");
        FAULT_POINT("after-commit");
        return;
    case WORK_ABORT:
        FAULT_POINT("before-abort");
        insist(c, rd_kafka_abort_transaction, "abort the Kafka transaction");
        return;
    case WORK_STORE:
        FAULT_POINT("before-store");
        work_store(c);
        FAULT_POINT("after-store");
        return;
    case WORK_NONE:
    case WORK_END:
        break;
    }
    ASSERT(!"work that can be done");
}

static void wake_loop(struct committer *c)
{
    uint64_t one = 1;
    ssize_t written = write(c->fd, &one, sizeof one); /* a full counter wakes as well */
    (void)written;
}

static void *thread_main(void *arg)
{
    struct committer *c = arg;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->work == WORK_NONE)
            pthread_cond_wait(&c->wake, &c->lock);
        enum work work = c->work;
        if (work == WORK_END)
            break;
        pthread_mutex_unlock(&c->lock);
        do_work(c, work);
        pthread_mutex_lock(&c->lock);
        c->is_done = true;
        if (c->work == work)
            c->work = WORK_NONE;
        wake_loop(c);
    }
    pthread_mutex_unlock(&c->lock);
    ending_tell(&c->ending);
    return NULL;
}

/* ---- open and close, on the loop ---- */

static void committer_free(struct committer *c)
{
    for (size_t i = 0; i < c->kept_room; i++) {
        buf_fini(&c->kept[i].key);
        buf_fini(&c->kept[i].value);
    }
    free(c->kept);
    if (c->fd >= 0)
        close(c->fd);
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->lock);
    ending_fini(&c->ending);
    c->magic = 0;
    free(c);
}

struct committer *commit_open(struct sink *sink, const struct commit_settings *set, struct fail *why)
{
    ASSERT(set->file != NULL || (set->offsets_topic != NULL && set->shapes_topic != NULL));
    ASSERT(set->file == NULL || !sink_is_transactional(sink));
    struct committer *c = mem_zero(1, sizeof *c);
    c->magic = MAGIC;
    c->sink = sink;
    c->set = *set;
    ending_init(&c->ending);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    c->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int err = c->fd < 0 ? errno : pthread_create(&c->thread, NULL, thread_main, c);
    if (err == 0)
        return c;
    errno = err;
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start the committer's thread: %m");
    committer_free(c);
    return NULL;
}

void commit_stop(struct committer *c)
{
    atomic_store(&c->is_stopped, true);
}

bool commit_close(struct committer **committer, int timeout_ms)
{
    struct committer *c = *committer;
    if (c == NULL)
        return true;
    ASSERT(c->magic == MAGIC);
    *committer = NULL;
    commit_stop(c);
    pthread_mutex_lock(&c->lock);
    c->work = WORK_END;
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
    if (!ending_wait(&c->ending, timeout_ms))
        return false;
    pthread_join(c->thread, NULL);
    committer_free(c);
    return true;
}

int commit_fd(const struct committer *c)
{
    return c->fd;
}

bool commit_is_busy(const struct committer *c)
{
    return c->is_busy;
}

const char *commit_doing(const struct committer *c)
{
    static const char *const names[] = {
        [WORK_NONE] = "nothing",
        [WORK_INIT] = "take the transactional id",
        [WORK_FLUSH] = "wait for acknowledgements",
        [WORK_COMMIT] = "commit",
        [WORK_ABORT] = "abort",
        [WORK_STORE] = "store the position",
        [WORK_END] = "end",
    };
    return names[c->is_busy ? c->step : WORK_NONE];
}

/* ---- state kept for the next commit ---- */

static void keep(struct committer *c, enum offset_file_part part, struct view key, bool has_value, struct view value)
{
    if (c->n_kept == c->kept_room) {
        size_t room = c->kept_room == 0 ? 4 : 2 * c->kept_room;
        c->kept = mem_resize(c->kept, room * sizeof *c->kept);
        for (size_t i = c->kept_room; i < room; i++) {
            buf_init(&c->kept[i].key);
            buf_init(&c->kept[i].value);
        }
        c->kept_room = room;
    }
    struct kept *k = &c->kept[c->n_kept++];
    k->part = part;
    k->has_value = has_value;
    buf_clear(&k->key);
    buf_clear(&k->value);
    buf_put_view(&k->key, key);
    buf_put_view(&k->value, value);
}

static bool is_broken(const struct sink *s)
{
    return sink_state(s) == SINK_ABORTABLE || sink_state(s) == SINK_DEAD;
}

static bool send_state(struct committer *c, const char *topic, struct view key, bool has_value, struct view value,
                       struct fail *why)
{
    struct sink_record rec = {
        .topic = topic,
        .has_key = true,
        .has_value = has_value,
        .is_copied = true,
        .key = key,
        .value = value,
        .partition = SINK_ANY_PARTITION,
    };
    enum sink_sent sent = sink_send(c->sink, &rec, why);
    if (sent == SINK_SENT || is_broken(c->sink))
        return true; /* a broken sink is reported by commit_start */
    if (sent == SINK_LATER)
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_KAFKA, RD_KAFKA_RESP_ERR__QUEUE_FULL,
            "send a record to %s: the client's queue is full, though it is larger than all that we can have "
            "in flight",
            topic);
    why->kind = FAIL_STOP; /* a state too large to be stored is not to be passed over */
    return false;
}

bool commit_keep_shape(struct committer *c, struct view key, bool has_value, struct view value, struct fail *why)
{
    ASSERT(!c->is_busy);
    FAULT_POINT("before-shape");
    if (c->set.file == NULL)
        return send_state(c, c->set.shapes_topic, key, has_value, value, why);
    keep(c, OFFSET_FILE_SHAPES, key, has_value, value);
    return true;
}

bool commit_keep_offset(struct committer *c, struct view key, bool has_value, struct view value, struct fail *why)
{
    ASSERT(!c->is_busy);
    FAULT_POINT("before-offset");
    if (sink_is_transactional(c->sink))
        return send_state(c, c->set.offsets_topic, key, has_value, value, why);
    keep(c, OFFSET_FILE_OFFSETS, key, has_value, value);
    return true;
}

/* ---- jobs ---- */

static void begin_job(struct committer *c, enum commit_job job)
{
    ASSERT(c->magic == MAGIC && !c->is_busy);
    if (job == COMMIT_COMMIT)
        FAULT_POINT("after-offset");
    c->is_busy = true;
    c->started_ns = clock_mono_ns();
    c->result = (struct commit_result){.job = job};
}

static void submit(struct committer *c, enum work work)
{
    c->step = work;
    pthread_mutex_lock(&c->lock);
    ASSERT(c->work == WORK_NONE && !c->is_done);
    c->outcome = COMMIT_DONE;
    c->why.kind = FAIL_NONE;
    if (is_interrupted(c, "end the transaction")) {
        c->is_done = true;
        wake_loop(c);
    } else {
        c->work = work;
        pthread_cond_signal(&c->wake);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Nothing to wait for: the result is there at the next commit_service. */
static void finish_at_once(struct committer *c, enum commit_outcome outcome, const struct fail *why)
{
    c->step = WORK_NONE;
    pthread_mutex_lock(&c->lock);
    c->outcome = outcome;
    if (why != NULL)
        c->why = *why;
    c->is_done = true;
    pthread_mutex_unlock(&c->lock);
    wake_loop(c);
}

/* What a failure kept by the sink asks for. */
static enum commit_outcome outcome_of(const struct sink *s, const struct fail *why)
{
    if (why->kind != FAIL_RETRY)
        return COMMIT_STOP;
    return sink_is_transactional(s) && sink_state(s) != SINK_DEAD ? COMMIT_ABORT_NEEDED : COMMIT_RENEW;
}

static void finish_broken(struct committer *c)
{
    struct fail why;
    ASSERT(sink_failure(c->sink, &why));
    finish_at_once(c, outcome_of(c->sink, &why), &why);
}

void commit_start_init(struct committer *c)
{
    begin_job(c, COMMIT_INIT);
    if (is_broken(c->sink))
        finish_broken(c);
    else if (sink_is_transactional(c->sink))
        submit(c, WORK_INIT);
    else
        finish_at_once(c, COMMIT_DONE, NULL);
}

void commit_start(struct committer *c)
{
    begin_job(c, COMMIT_COMMIT);
    if (is_broken(c->sink)) {
        finish_broken(c);
        return;
    }
    if (sink_state(c->sink) == SINK_READY && c->n_kept == 0) {
        finish_at_once(c, COMMIT_DONE, NULL);
        return;
    }
    sink_set_state(c->sink, SINK_ENDING);
    submit(c, sink_is_transactional(c->sink) ? WORK_COMMIT : WORK_FLUSH);
}

void commit_start_abort(struct committer *c)
{
    begin_job(c, COMMIT_ABORT);
    c->n_kept = 0;
    if (sink_state(c->sink) == SINK_READY) {
        finish_at_once(c, COMMIT_DONE, NULL);
        return;
    }
    if (sink_state(c->sink) == SINK_DEAD || (is_broken(c->sink) && !sink_is_transactional(c->sink))) {
        finish_broken(c);
        return;
    }
    sink_set_state(c->sink, SINK_ENDING);
    submit(c, sink_is_transactional(c->sink) ? WORK_ABORT : WORK_FLUSH);
}

/* ---- the end of a step ---- */

/* The kept offset follows the records it speaks for. */
static void send_kept(struct committer *c)
{
    sink_set_state(c->sink, SINK_OPEN);
    for (size_t i = 0; i < c->n_kept; i++) {
        struct kept *k = &c->kept[i];
        struct fail why;
        if (!send_state(c, c->set.offsets_topic, buf_view(&k->key), k->has_value, buf_view(&k->value), &why)) {
            sink_break(c->sink, SINK_DEAD, &why);
            break;
        }
    }
    c->n_kept = 0;
    if (is_broken(c->sink)) {
        finish_broken(c);
        return;
    }
    sink_set_state(c->sink, SINK_ENDING);
    submit(c, WORK_FLUSH);
}

static void store_kept(struct committer *c)
{
    for (size_t i = 0; i < c->n_kept; i++) {
        struct kept *k = &c->kept[i];
        offset_file_put(c->set.file, k->part, buf_view(&k->key), k->has_value, buf_view(&k->value));
    }
    c->n_kept = 0;
    submit(c, WORK_STORE);
}

/* True: another step was begun. */
static bool go_on(struct committer *c)
{
    if (c->result.outcome != COMMIT_DONE || c->step != WORK_FLUSH || sink_failure(c->sink, NULL) || c->n_kept == 0)
        return false;
    if (c->set.file != NULL)
        store_kept(c);
    else
        send_kept(c);
    return true;
}

/* Makes the outcome more precise. What the sink saw comes first: a lost record says more than the commit it spoilt. What
 * will not heal, such as a missing right, is as true after an abort, unless it is what the sink can go on without. */
static void refine(struct committer *c)
{
    struct commit_result *r = &c->result;
    struct fail first;
    bool was_done = r->outcome == COMMIT_DONE;
    bool is_lost = was_done && c->step == WORK_FLUSH; /* without transactions nothing else tells */
    bool is_dead = !was_done && sink_state(c->sink) == SINK_DEAD;
    bool can_abort = r->outcome == COMMIT_ABORT_NEEDED;
    bool is_final = can_abort && r->why.kind == FAIL_STOP;
    bool has_seen = sink_failure(c->sink, &first) && (is_lost || is_dead || can_abort);
    if (has_seen && !(is_final && first.kind == FAIL_RETRY && first.code != r->why.code))
        r->why = first;
    else if (!is_final)
        return;
    r->outcome = outcome_of(c->sink, &r->why);
}

/* The cluster says no, and will say so again. */
static bool is_refusal(int code)
{
    return code == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED ||
           code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED || code == RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE ||
           code == RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION;
}

static void settle(struct committer *c)
{
    struct commit_result *r = &c->result;
    bool can_abort = r->outcome == COMMIT_ABORT_NEEDED && r->job == COMMIT_COMMIT;
    if (r->job == COMMIT_ABORT && r->outcome == COMMIT_ABORT_NEEDED)
        r->outcome = COMMIT_RENEW; /* what can't be aborted, the next producer's init aborts */
    else
        refine(c);
    if (r->job == COMMIT_INIT && r->outcome == COMMIT_STOP && is_refusal(r->why.code))
        r->outcome = COMMIT_REFUSED;
    enum sink_state state = sink_state(c->sink);
    if (state == SINK_DEAD || state == SINK_ABORTABLE)
        return;
    if (r->outcome == COMMIT_DONE)
        sink_set_state(c->sink, SINK_READY);
    else
        sink_break(c->sink, can_abort ? SINK_ABORTABLE : SINK_DEAD, &r->why);
}

bool commit_service(struct committer *c, struct commit_result *out)
{
    ASSERT(c->magic == MAGIC);
    uint64_t n;
    ssize_t was_read = read(c->fd, &n, sizeof n);
    (void)was_read;
    pthread_mutex_lock(&c->lock);
    bool is_done = c->is_done;
    if (is_done) {
        c->is_done = false;
        c->result.outcome = c->outcome;
        c->result.why = c->why;
        c->result.flush_us += c->flush_us;
        c->flush_us = 0;
    }
    pthread_mutex_unlock(&c->lock);
    if (!is_done || go_on(c))
        return false;
    settle(c);
    c->is_busy = false;
    c->result.took_us = (clock_mono_ns() - c->started_ns) / 1000;
    *out = c->result;
    return true;
}
