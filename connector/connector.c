/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/connector.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "binlog/reader.h"
#include "binlog/source.h"
#include "connector/feed.h"
#include "connector/inbox.h"
#include "connector/liveness.h"
#include "connector/lookout.h"
#include "connector/presence.h"
#include "connector/producer.h"
#include "connector/pump.h"
#include "connector/reload.h"
#include "connector/requests.h"
#include "connector/snapshots.h"
#include "connector/start.h"
#include "connector/state.h"
#include "connector/watchdog.h"

#include <ev.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    STOP_MS = 4000,           /* all of a stop, with a margin to the promised 5 s */
    READER_JOIN_MS = 3000,    /* a reader that was woken ends at once; only a name look-up may hold it */
    PRESENCE_CLOSE_MS = 1000, /* else its session ends by itself */
    LOOK_MS = 1000,           /* how often it is looked whether something hangs, at the least */
};

enum connector_state { CONNECTOR_STARTING, CONNECTOR_RUNNING, CONNECTOR_RESTARTING, CONNECTOR_STOPPING };

struct connector {
    const struct config *cfg;
    enum connector_state state;
    int exit_code;
    struct state stored;
    struct producer producer;
    struct inbox *inbox;
    struct feed *feed;
    struct pump *pump;
    struct snapshots *snapshots;
    struct notices *notices;
    struct requests *requests;
    struct start start;
    struct reader *reader; /* NULL: none is running */
    struct liveness liveness;
    struct watchdog *watchdog;
    struct lookout *lookout;
    int64_t stop_by_ms;        /* STOPPING: leave then in any case */
    struct backoff backoff;    /* of restarts without a commit between them */
    uint64_t restarted_at;     /* how many commits there were at the last one */
    int64_t restart_at_ms;     /* RESTARTING: not before */
    bool needs_taking;         /* RESTARTING: the new producer is not ours yet */
    bool needs_reload;         /* RESTARTING: what is stored has to be read again */
    struct presence *presence; /* NULL: a file is locked instead */
    struct reload *reload;     /* RESTARTING: what was stored is read again; NULL: not */

    struct ev_loop *loop;
    struct ev_io inbox_io, sink_io, commit_io, signal_io, reload_io, presence_io;
    struct ev_io worker_io[INCREMENTAL_THREADS_MAX]; /* started as the workers come */
    unsigned n_workers;
    struct ev_timer timer, look;
    struct ev_idle idle;
    struct ev_signal term, intr;
};

static void turn(struct connector *c);

static const char *connector_state_name(enum connector_state state)
{
    static const char *const names[] = {"starting", "running", "restarting", "stopping"};
    return names[state];
}

static void set_state(struct connector *c, enum connector_state state, const char *because)
{
    if (c->state != state)
        log_info("connector", "%s -> %s (%s)", connector_state_name(c->state), connector_state_name(state), because);
    c->state = state;
}

/* ---- watchers: translate, then call a step ---- */

static void on_inbox(struct ev_loop *loop, struct ev_io *w, int events)
{
    struct connector *c = w->data;
    (void)loop;
    (void)events;
    inbox_wake(c->inbox);
    turn(c);
}

static void on_io(struct ev_loop *loop, struct ev_io *w, int events)
{
    (void)loop;
    (void)events;
    turn(w->data);
}

static void on_timer(struct ev_loop *loop, struct ev_timer *w, int events)
{
    (void)loop;
    (void)events;
    turn(w->data);
}

static void on_idle(struct ev_loop *loop, struct ev_idle *w, int events)
{
    (void)loop;
    (void)events;
    turn(w->data);
}

static void on_presence(struct ev_loop *loop, struct ev_io *w, int events)
{
    struct connector *c = w->data;
    (void)loop;
    (void)events;
    presence_service(c->presence);
}

static void look(struct connector *c);

static void on_look(struct ev_loop *loop, struct ev_timer *w, int events)
{
    (void)loop;
    (void)events;
    look(w->data);
}

static void stop(struct connector *c, int exit_code, const char *because);

static void on_stop_request(struct ev_loop *loop, struct ev_signal *w, int events)
{
    (void)loop;
    (void)events;
    stop(w->data, 0, w->signum == SIGTERM ? "SIGTERM" : "SIGINT");
}

static void watch_producer(struct connector *c)
{
    ev_io_init(&c->sink_io, on_io, sink_fd(c->producer.sink), EV_READ);
    ev_io_init(&c->commit_io, on_io, commit_fd(c->producer.committer), EV_READ);
    c->sink_io.data = c;
    c->commit_io.data = c;
    ev_io_start(c->loop, &c->sink_io);
    ev_io_start(c->loop, &c->commit_io);
}

static void unwatch_producer(struct connector *c)
{
    ev_io_stop(c->loop, &c->sink_io);
    ev_io_stop(c->loop, &c->commit_io);
}

static void watch_presence(struct connector *c)
{
    if (c->presence == NULL)
        return;
    ev_io_init(&c->presence_io, on_presence, presence_fd(c->presence), EV_READ);
    c->presence_io.data = c;
    ev_io_start(c->loop, &c->presence_io);
}

/* Often enough to see that the log is silent for too long. */
static double look_s(const struct connector *c)
{
    int64_t silence_ms = c->cfg->source.silence_ms;
    int64_t ms = silence_ms > 0 && silence_ms / 4 < LOOK_MS ? silence_ms / 4 : LOOK_MS;
    return (ms > 50 ? ms : 50) / 1000.0;
}

static void watch(struct connector *c)
{
    c->loop = ev_default_loop(EVFLAG_AUTO);
    ev_io_init(&c->inbox_io, on_inbox, inbox_fd(c->inbox), EV_READ);
    ev_timer_init(&c->timer, on_timer, 0, 0);
    ev_timer_init(&c->look, on_look, look_s(c), look_s(c));
    ev_idle_init(&c->idle, on_idle);
    ev_signal_init(&c->term, on_stop_request, SIGTERM);
    ev_signal_init(&c->intr, on_stop_request, SIGINT);
    c->inbox_io.data = c->timer.data = c->look.data = c->idle.data = c->term.data = c->intr.data = c;
    ev_io_start(c->loop, &c->inbox_io);
    ev_signal_start(c->loop, &c->term);
    ev_signal_start(c->loop, &c->intr);
    watch_presence(c);
    ev_timer_start(c->loop, &c->look);
    watch_producer(c);
}

static void watch_workers(struct connector *c)
{
    int fds[INCREMENTAL_THREADS_MAX];
    unsigned n = incremental_fds(snapshots_incremental(c->snapshots), fds);
    for (; c->n_workers < n; c->n_workers++) {
        struct ev_io *io = &c->worker_io[c->n_workers];
        ev_io_init(io, on_io, fds[c->n_workers], EV_READ);
        io->data = c;
        ev_io_start(c->loop, io);
    }
}

/* In how many ms the next turn is wanted at the latest: 0 as soon as the others were looked at, -1 when news come. */
static void wait_for(struct connector *c, int ms)
{
    ev_timer_stop(c->loop, &c->timer);
    if (ms == 0) {
        ev_idle_start(c->loop, &c->idle);
        return;
    }
    ev_idle_stop(c->loop, &c->idle);
    if (ms < 0)
        return;
    ev_timer_set(&c->timer, ms / 1000.0, 0);
    ev_timer_start(c->loop, &c->timer);
}

/* ---- the reader ---- */

static bool start_reader(struct connector *c, struct fail *why)
{
    const struct config *cfg = c->cfg;
    const struct reader_settings set = {
        .source = cfg->source,
        .stream = {.inconsistent_schema = (enum stream_handling)cfg->inconsistent_schema,
                   .event_processing = (enum stream_handling)cfg->processing_failure,
                   .xa_memory_bytes = (size_t)cfg->queue_bytes / 4},
        .backoff_first_ms = cfg->retry_first_ms,
        .backoff_most_ms = cfg->retry_most_ms,
        .max_retries = cfg->max_retries,
        .silence_ms = cfg->source.silence_ms,
    };
    const struct reader_hooks hooks = {&c->start, start_prepare, start_read_shape, start_reader_ended};
    struct stream_output out;
    feed_output(c->feed, &out);
    start_fini(&c->start);
    start_init(&c->start);
    c->start.cfg = cfg;
    c->start.source = &cfg->source;
    c->start.shapes = &c->stored.shapes;
    c->start.from = pump_stored(c->pump);
    c->start.feed = c->feed;
    c->reader = reader_start(&set, &hooks, &out, why);
    return c->reader != NULL;
}

/* Ends the reader's thread and forgets what it had handed over. False: the thread is stuck. */
static bool end_reader(struct connector *c)
{
    if (c->reader == NULL)
        return true;
    reader_stop(c->reader);
    inbox_cancel(c->inbox); /* after the reader knows why */
    if (!reader_join(c->reader, READER_JOIN_MS)) {
        log_warn("connector", "the reader does not end, probably in a name look-up: leaving without it");
        return false;
    }
    reader_free(&c->reader);
    pump_drop_inbox(c->pump);
    return true;
}

/* ---- steps ---- */

static void stop(struct connector *c, int exit_code, const char *because)
{
    if (c->state == CONNECTOR_STOPPING)
        return;
    set_state(c, CONNECTOR_STOPPING, because);
    c->exit_code = exit_code;
    c->stop_by_ms = clock_mono_ms() + STOP_MS;
    if (c->reader != NULL)
        reader_stop(c->reader);
    inbox_cancel(c->inbox); /* after the reader knows why */
    pump_finish(c->pump);
    wait_for(c, 0);
}

static void fail_run(struct connector *c, const struct fail *why)
{
    log_fail(LOG_ERROR, "connector", why);
    stop(c, (int)why->area, "somebody must act");
}

/* Signals are read from where the stored state says, the first time from where state_find_signal_start said. */
static bool open_signals(struct connector *c, struct fail *why)
{
    struct offset_state *st = &pump_frontier(c->pump)->state;
    if (c->stored.signal_start < 0)
        return true;
    if (!st->has_signal_offset) {
        st->has_signal_offset = true;
        st->signal_offset = c->stored.signal_start;
    }
    ev_io_stop(c->loop, &c->signal_io);
    if (!requests_open(c->requests, st->signal_offset, why))
        return false;
    ev_io_init(&c->signal_io, on_io, requests_fd(c->requests), EV_READ);
    c->signal_io.data = c;
    ev_io_start(c->loop, &c->signal_io);
    return true;
}

/* The pump goes on from where it has stored, with a reader that starts there. */
static void run_from_stored(struct connector *c)
{
    struct fail why;
    pump_start(c->pump, c->producer.sink, c->producer.committer);
    notices_drop(c->notices);
    if (!snapshots_load(c->snapshots, &pump_frontier(c->pump)->state, &why) || !open_signals(c, &why) ||
        !start_reader(c, &why)) {
        fail_run(c, &why);
        return;
    }
    set_state(c, CONNECTOR_RUNNING, "the reader is started");
}

static void tell_retry(const struct connector *c, const struct fail *why)
{
    if (backoff_is_news(&c->backoff))
        log_warn("connector", "%s; trying again (try %d)", why->text, c->backoff.n);
}

/* How long to wait before reading again; -1: it was tried often enough. */
static int restart_pause_ms(struct connector *c, struct fail *why)
{
    uint64_t commits = pump_counters(c->pump)->commits;
    if (commits > c->restarted_at)
        backoff_reset(&c->backoff);
    c->restarted_at = commits;
    int ms = backoff_next_ms(&c->backoff);
    if (ms < 0) {
        why->kind = FAIL_STOP;
        fail_add(why, "given up after %d tries (errors.max.retries)", c->backoff.n);
    }
    return ms;
}

/* A new producer in place of the dead one; it is to be taken. */
static void replace_producer(struct connector *c)
{
    struct fail why;
    struct commit_settings where = state_commit_settings(&c->stored, c->cfg);
    bool is_transactional = c->producer.is_transactional;
    unwatch_producer(c);
    pump_forget_producer(c->pump);
    if (!producer_close(&c->producer, STOP_MS)) {
        log_error("connector", "the old producer does not end: leaving");
        _exit(FAIL_AREA_KAFKA); /* memory lent to it can't be freed; nothing that was not committed counts */
    }
    if (!producer_open(&c->producer, c->cfg, is_transactional, &where, &why)) {
        fail_run(c, &why);
        return;
    }
    c->needs_taking = true;
    watch_producer(c);
}

/* False: the run has failed. */
static bool pause_restart(struct connector *c, struct fail *why)
{
    int pause_ms = restart_pause_ms(c, why);
    if (pause_ms < 0) {
        fail_run(c, why);
        return false;
    }
    c->restart_at_ms = clock_mono_ms() + pause_ms;
    return true;
}

static void restart(struct connector *c)
{
    struct fail why = *pump_fail(c->pump);
    enum pump_need need = pump_need(c->pump);
    set_state(c, CONNECTOR_RESTARTING, why.text);
    if (!end_reader(c)) {
        stop(c, FAIL_AREA_SYSTEM, "the reader is stuck");
        return;
    }
    if (pause_restart(c, &why) && need == PUMP_NEEDS_PRODUCER)
        replace_producer(c);
}

/* The dead producer may have left a commit of which nobody knows whether it counted: the topics do, now that they are
 * fenced. Without transactions what we last stored is as good. */
static void start_reload(struct connector *c)
{
    struct fail why;
    c->reload = reload_start(c->cfg, &why);
    if (c->reload == NULL) {
        fail_run(c, &why);
        return;
    }
    ev_io_init(&c->reload_io, on_io, reload_fd(c->reload), EV_READ);
    c->reload_io.data = c;
    ev_io_start(c->loop, &c->reload_io);
}

static void drop_reload(struct connector *c)
{
    if (c->reload == NULL)
        return;
    ev_io_stop(c->loop, &c->reload_io);
    reload_free(&c->reload);
}

/* It has ended, well or not. */
static void finish_reload(struct connector *c)
{
    struct fail why;
    bool ok = reload_take(c->reload, &c->stored, &why);
    drop_reload(c);
    if (ok) {
        c->needs_reload = false;
        pump_begin(c->pump, c->stored.has_offset ? &c->stored.offset : NULL);
    } else if (why.kind == FAIL_RETRY) {
        if (pause_restart(c, &why))
            tell_retry(c, &why);
    } else {
        fail_run(c, &why);
    }
}

/* The new producer is ours, or may become ours by another try, or never will. */
static void finish_taking(struct connector *c, struct commit_result *taken)
{
    if (taken->outcome == COMMIT_DONE) {
        c->needs_taking = false;
        c->needs_reload = c->producer.is_transactional;
    } else if (taken->outcome == COMMIT_RENEW) {
        if (!pause_restart(c, &taken->why))
            return;
        tell_retry(c, &taken->why);
        replace_producer(c);
    } else {
        fail_run(c, &taken->why);
    }
}

/* One step after the other until the stream can start; a descriptor or the timer brings the next. */
static void restart_turn(struct connector *c, int64_t now_ms)
{
    struct commit_result taken;
    if (c->needs_taking && producer_is_taken(&c->producer, &taken))
        finish_taking(c, &taken);
    if (c->reload != NULL && reload_has_ended(c->reload))
        finish_reload(c);
    if (c->state != CONNECTOR_RESTARTING)
        return;
    if (c->needs_taking || c->reload != NULL) {
        wait_for(c, -1);
    } else if (now_ms < c->restart_at_ms) {
        wait_for(c, (int)(c->restart_at_ms - now_ms));
    } else if (c->needs_reload) {
        start_reload(c);
    } else {
        run_from_stored(c);
        wait_for(c, 0);
    }
}

/* The reader ends by itself only when somebody must act. */
static void heed_reader(struct connector *c)
{
    struct fail why;
    if (c->reader == NULL || !pump_saw_end(c->pump) || !reader_join(c->reader, READER_JOIN_MS))
        return;
    if (reader_result(c->reader, &why))
        log_fail(LOG_ERROR, "connector", &why);
    else
        why.area = FAIL_AREA_SOURCE;
    reader_free(&c->reader);
    stop(c, (int)why.area, "the reader has ended");
}

static void run_turn(struct connector *c, int64_t now_ms)
{
    /* What changes the state beside the stream: only while no commit has it. */
    if (pump_state(c->pump) == PUMP_RUNNING)
        requests_service(c->requests);
    int again_ms = pump_turn(c->pump, now_ms);
    switch (pump_need(c->pump)) {
    case PUMP_NEEDS_STOP:
        fail_run(c, pump_fail(c->pump));
        return;
    case PUMP_NEEDS_REREAD:
    case PUMP_NEEDS_PRODUCER:
        restart(c);
        wait_for(c, 0);
        return;
    case PUMP_NEEDS_NOTHING:
        break;
    }
    heed_reader(c);
    if (c->state == CONNECTOR_STOPPING)
        return;
    watch_workers(c);
    if (again_ms != 0 && pump_state(c->pump) == PUMP_RUNNING && !inbox_sleep(c->inbox))
        again_ms = 0;
    wait_for(c, again_ms);
}

static void stop_turn(struct connector *c, int64_t now_ms)
{
    int again_ms = pump_turn(c->pump, now_ms);
    if (pump_is_flushed(c->pump)) {
        ev_break(c->loop, EVBREAK_ALL);
        return;
    }
    if (now_ms >= c->stop_by_ms) {
        log_warn("connector",
                 "what was sent last could not be committed in time; it will be sent again by the next start");
        ev_break(c->loop, EVBREAK_ALL);
        return;
    }
    int left_ms = (int)(c->stop_by_ms - now_ms);
    wait_for(c, again_ms < 0 || again_ms > left_ms ? left_ms : again_ms);
}

/* ---- what hangs ---- */

/* Kafka is what is waited for. */
static bool has_backlog(const struct connector *c)
{
    const struct sink *s = c->producer.sink;
    return pump_state(c->pump) != PUMP_RUNNING || (s != NULL && sink_counts(s)->outstanding > 0);
}

static void look_at_log(struct connector *c, int64_t now_ms)
{
    if (c->reader == NULL)
        return;
    struct reader_sight sight = reader_watch(c->reader, now_ms);
    bool is_full = sight.phase == READER_HANDLING && has_backlog(c);
    bool may_be_silent = sight.phase == READER_LISTENING && c->cfg->source.silence_ms == 0;
    bool waits = sight.phase != READER_ENDED && !is_full && !may_be_silent;
    liveness_look(&c->liveness, LIVENESS_LOG, waits, sight.steps, now_ms, "the log of %s:%u; the reader is %s",
                  c->cfg->source.host, c->cfg->source.port, reader_phase_name(sight.phase));
}

/* The client mends its connections itself, and what was overdue it gives up when its transaction has timed out. Should even
 * that not happen, it is replaced; not while a new one takes its id, which is no more than waiting for a broker. */
static void look_at_kafka(struct connector *c, int64_t now_ms)
{
    const struct producer *p = &c->producer;
    if (p->sink == NULL)
        return;
    const struct sink_counts *n = sink_counts(p->sink);
    bool waits = n->outstanding > 0 || commit_is_busy(p->committer);
    uint64_t progress = n->delivered + n->failed + pump_counters(c->pump)->commits + pump_counters(c->pump)->aborts;
    int64_t for_ms = liveness_look(&c->liveness, LIVENESS_KAFKA, waits, progress, now_ms,
                                   "Kafka has not acknowledged %llu records, %llu bytes; the committer is to %s",
                                   (unsigned long long)n->outstanding, (unsigned long long)n->outstanding_bytes,
                                   commit_doing(p->committer));
    if (for_ms < c->liveness.deadline_ms + c->cfg->kafka.transaction_timeout_ms || c->state != CONNECTOR_RUNNING)
        return;
    struct fail why;
    fail_set(&why, FAIL_RETRY, FAIL_AREA_KAFKA, 0, "the Kafka client got nothing done for %lld s: a new one is made",
             (long long)(for_ms / 1000));
    pump_renew(c->pump, &why);
}

static void look_at_snapshots(struct connector *c, int64_t now_ms)
{
    const char *db = "", *table = "";
    int64_t ordered_ms = incremental_oldest_order_ms(snapshots_incremental(c->snapshots), &db, &table);
    liveness_look(&c->liveness, LIVENESS_SNAPSHOT, ordered_ms != 0, (uint64_t)ordered_ms, now_ms,
                  "a query that reads %s.%s for a snapshot", db, table);
}

/* About once a second, whatever else happens. */
static void look(struct connector *c)
{
    int64_t now_ms = clock_mono_ms();
    watchdog_feed(c->watchdog, "looking around");
    look_at_log(c, now_ms);
    look_at_kafka(c, now_ms);
    look_at_snapshots(c, now_ms);
    if (pump_stored(c->pump) != NULL)
        lookout_need(c->lookout, pump_stored(c->pump));
    if (c->presence != NULL)
        presence_service(c->presence);
    watchdog_feed(c->watchdog, "waiting for news");
    turn(c);
}

static void turn(struct connector *c)
{
    int64_t now_ms = clock_mono_ms();
    watchdog_feed(c->watchdog, connector_state_name(c->state));
    FAULT_POINT("turn");
    switch (c->state) {
    case CONNECTOR_STARTING:
        break;
    case CONNECTOR_RUNNING:
        run_turn(c, now_ms);
        break;
    case CONNECTOR_RESTARTING:
        restart_turn(c, now_ms);
        break;
    case CONNECTOR_STOPPING:
        stop_turn(c, now_ms);
        break;
    }
}

/* ---- start and end ---- */

static atomic_bool stop_requested; /* before the loop is there to be told */

static void request_stop(int number)
{
    (void)number;
    atomic_store(&stop_requested, true);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = request_stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void tell_of_snapshot(void *ctx, enum incremental_event what, const struct table_read *t)
{
    struct connector *c = ctx;
    if (what == INCREMENTAL_TABLE_DONE)
        requests_table_done(c->requests, t);
    notices_tell(c->notices, what, snapshots_incremental(c->snapshots), t);
}

/* Takes the producer and reads the state behind the fence. */
static bool take_state(struct connector *c, struct fail *why)
{
    const struct config *cfg = c->cfg;
    struct commit_result taken;
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    bool wants = !is_file && cfg->kafka.exactly_once != EXACTLY_ONCE_DISABLED;

    if (is_file && !state_load(&c->stored, cfg, &stop_requested, why))
        return false;
    struct commit_settings where = state_commit_settings(&c->stored, cfg);
    if (!producer_open(&c->producer, cfg, wants, &where, why))
        return false;
    if (!producer_wait_taken(&c->producer, &stop_requested, &taken))
        return fail_set(why, FAIL_NONE, FAIL_AREA_REFUSED, 0, "stopped while starting");
    bool is_refused = taken.outcome == COMMIT_REFUSED && cfg->kafka.exactly_once == EXACTLY_ONCE_REQUESTED;
    if (taken.outcome != COMMIT_DONE && !is_refused) {
        *why = taken.why;
        return false;
    }
    if (!is_file && !state_load(&c->stored, cfg, &stop_requested, why))
        return false;
    if (!is_refused)
        return true;
    if (c->stored.has_offset) {
        *why = taken.why;
        return fail_add(why,
                        "go on exactly once, as the stored offset was written; hint: exactly.once.support=disabled "
                        "goes on at least once");
    }
    log_warn("connector",
             "%s; going on without transactions: after a failure rows may come twice "
             "(exactly.once.support=required refuses to)",
             taken.why.text);
    return producer_close(&c->producer, STOP_MS) && producer_open(&c->producer, cfg, false, &where, why) &&
           producer_wait_taken(&c->producer, &stop_requested, &taken);
}

/* With a file its lock shows that we run. */
static bool show_presence(struct connector *c, struct fail *why)
{
    const struct config_kafka *k = &c->cfg->kafka;
    if (k->storage == OFFSET_STORAGE_FILE)
        return true;
    c->presence = presence_open(&k->client, c->cfg->name, k->offsets_topic, why);
    return c->presence != NULL;
}

/* What was read of the state, and the producer, are for nothing. */
static void forget_state(struct connector *c)
{
    if (!producer_close(&c->producer, STOP_MS)) {
        log_error("connector", "the producer does not end: leaving");
        _exit(FAIL_AREA_KAFKA);
    }
    state_fini(&c->stored);
    state_init(&c->stored, c->cfg);
}

/* Brokers may be away for a while, at a start too. */
static bool take_state_at_last(struct connector *c, struct fail *why)
{
    enum { SLICE_MS = 50 };
    while (!take_state(c, why) || !state_find_signal_start(&c->stored, c->cfg, &stop_requested, why)) {
        int ms = why->kind == FAIL_RETRY && !atomic_load(&stop_requested) ? backoff_next_ms(&c->backoff) : -1;
        if (ms < 0)
            return false;
        tell_retry(c, why);
        forget_state(c);
        for (int64_t until_ms = clock_mono_ms() + ms; clock_mono_ms() < until_ms && !atomic_load(&stop_requested);)
            poll(NULL, 0, SLICE_MS);
    }
    backoff_reset(&c->backoff);
    return true;
}

static bool open_parts(struct connector *c, struct fail *why)
{
    const struct config *cfg = c->cfg;
    const struct pump_settings set = {
        .name = cfg->name,
        .topic_prefix = cfg->record.topic_prefix,
        .commit_interval_ms = cfg->commit_interval_ms,
        .dry_ms = cfg->commit_dry_ms,
        .pause_ms = cfg->commit_pause_ms,
        .position_interval_ms = cfg->position_interval_ms,
    };
    c->inbox = inbox_new((size_t)cfg->queue_bytes / 2, why);
    if (c->inbox == NULL)
        return false;
    c->feed = feed_new(c->inbox, &cfg->record, &cfg->filter);
    c->pump = pump_new(&set, c->inbox, &c->stored.shapes);
    const struct snapshots_hooks hooks = {c, tell_of_snapshot};
    c->snapshots = snapshots_new(cfg, &c->stored.shapes, pump_frontier(c->pump), &hooks);
    c->notices = notices_new(cfg);
    pump_attach(c->pump, c->snapshots, c->notices);
    c->requests = requests_new(cfg, c->snapshots, &c->stored.shapes, pump_frontier(c->pump), c->notices);
    return take_state_at_last(c, why) && show_presence(c, why);
}

static void run_loop(struct connector *c)
{
    struct fail why;
    c->watchdog = watchdog_start(c->cfg->liveness_ms, &why);
    c->lookout = c->watchdog == NULL ? NULL : lookout_start(&c->cfg->source, c->cfg->lookout_ms, &why);
    if (c->lookout == NULL) {
        watchdog_stop(&c->watchdog);
        log_fail(LOG_ERROR, "connector", &why);
        c->exit_code = (int)why.area;
        return;
    }
    watch(c);
    if (atomic_load(&stop_requested)) {
        stop(c, 0, "a stop was requested while starting");
    } else {
        pump_begin(c->pump, c->stored.has_offset ? &c->stored.offset : NULL);
        run_from_stored(c);
        wait_for(c, 0);
    }
    ev_run(c->loop, 0);
    unwatch_producer(c);
    watchdog_stop(&c->watchdog);
}

/* Frees all, or leaves at once where a foreign thread still holds what was lent to it. */
static void close_parts(struct connector *c)
{
    int left_ms = c->stop_by_ms > 0 ? (int)(c->stop_by_ms + 500 - clock_mono_ms()) : STOP_MS;
    drop_reload(c);
    bool is_closed = end_reader(c);
    is_closed = lookout_stop(&c->lookout, READER_JOIN_MS) && is_closed;
    if (c->pump != NULL)
        pump_forget_producer(c->pump);
    is_closed = snapshots_free(&c->snapshots, left_ms < 300 ? 300 : left_ms) && is_closed;
    is_closed = producer_close(&c->producer, left_ms < 300 ? 300 : left_ms) && is_closed;
    presence_close(&c->presence, PRESENCE_CLOSE_MS);
    if (!is_closed) {
        log_info("connector", "ended with code %d", c->exit_code);
        _exit(c->exit_code);
    }
    requests_free(&c->requests);
    notices_free(&c->notices);
    start_fini(&c->start);
    feed_free(&c->feed);
    pump_free(&c->pump);
    inbox_free(&c->inbox);
    state_fini(&c->stored);
}

int connector_run(const struct config *cfg)
{
    struct connector c = {.cfg = cfg, .state = CONNECTOR_STARTING};
    c.backoff = (struct backoff){cfg->retry_first_ms, cfg->retry_most_ms, cfg->max_retries, 0};
    liveness_init(&c.liveness, cfg->liveness_ms);
    struct fail why = {.kind = FAIL_NONE};
    catch_signals();
    log_info("connector", "tidemark %s starts: name=%s source=%s:%u topic.prefix=%s", TIDEMARK_VERSION, cfg->name,
             cfg->source.host, cfg->source.port, cfg->record.topic_prefix);
    state_init(&c.stored, cfg);
    start_init(&c.start);
    if (open_parts(&c, &why)) {
        run_loop(&c);
    } else if (atomic_load(&stop_requested)) {
        log_info("connector", "stopped while starting");
    } else {
        log_fail(LOG_ERROR, "connector", &why);
        c.exit_code = (int)why.area;
    }
    close_parts(&c);
    log_info("connector", "ended with code %d", c.exit_code);
    if (source_is_anywhere_connecting())
        _exit(c.exit_code);
    return c.exit_code;
}
