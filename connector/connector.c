/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/connector.h"

#include "base/clock.h"
#include "base/log.h"
#include "binlog/source.h"
#include "connector/connector_state.h"
#include "connector/standby.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { PRESENCE_CLOSE_MS = 1000 /* else its session ends by itself */ };

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

static void begin_of_snapshot(void *ctx, size_t n_tables)
{
    struct connector *c = ctx;
    notices_tell_initial(c->notices, INITIAL_STARTED);
    if (n_tables == 0)
        notices_tell_initial(c->notices, INITIAL_COMPLETED);
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
    if (!producer_open(&c->producer, cfg, wants, &where, c->misfits, why))
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
    return producer_close(&c->producer, STOP_MS) && producer_open(&c->producer, cfg, false, &where, c->misfits, why) &&
           producer_wait_taken(&c->producer, &stop_requested, &taken);
}

/* With a file its lock shows that we run, with a lease our membership. */
static bool show_presence(struct connector *c, struct fail *why)
{
    const struct config_kafka *k = &c->cfg->kafka;
    if (k->storage == OFFSET_STORAGE_FILE || c->lease != NULL)
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
        connector_tell_retry(c, why);
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
    const struct snapshots_hooks hooks = {c, tell_of_snapshot, begin_of_snapshot};
    c->snapshots = snapshots_new(cfg, &c->stored.shapes, pump_frontier(c->pump), &hooks);
    c->notices = notices_new(cfg);
    const struct misfit_settings misfit_set = {
        .name = cfg->name,
        .most_bytes = (size_t)cfg->kafka.message_max_bytes,
        .is_compressed = client_has(&cfg->kafka.producer, "compression.type"),
        .dead_letter_topic = cfg->kafka.dead_letter_topic,
    };
    c->misfits = misfits_new(&misfit_set);
    pump_attach(c->pump, c->snapshots, c->notices, c->misfits);
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
    connector_watch(c);
    if (atomic_load(&stop_requested)) {
        connector_stop(c, 0, "a stop was requested while starting");
    } else if (!connector_begin(c, &why)) {
        connector_fail(c, &why);
    } else if (connector_holds_lease(c)) {
        connector_run_from_stored(c);
        if (pump_stored(c->pump) != NULL && !snapshots_are_initial(c->snapshots))
            notices_tell_initial(c->notices, INITIAL_SKIPPED);
        connector_wait_for(c, 0);
    }
    ev_run(c->loop, 0);
    connector_unwatch(c);
    catch_signals();
    watchdog_stop(&c->watchdog);
}

/* Frees all, or leaves at once where a foreign thread still holds what was lent to it. */
static void close_parts(struct connector *c)
{
    int left_ms = c->stop_by_ms > 0 ? (int)(c->stop_by_ms + 500 - clock_mono_ms()) : STOP_MS;
    connector_drop_reload(c);
    bool is_closed = connector_end_reader(c);
    if (c->requests != NULL)
        is_closed = requests_forget_relocation(c->requests, READER_JOIN_MS) && is_closed;
    is_closed = lookout_stop(&c->lookout, READER_JOIN_MS) && is_closed;
    if (c->pump != NULL)
        pump_forget_producer(c->pump);
    is_closed = snapshots_free(&c->snapshots, left_ms < 300 ? 300 : left_ms) && is_closed;
    is_closed = producer_close(&c->producer, left_ms < 300 ? 300 : left_ms) && is_closed;
    presence_close(&c->presence, PRESENCE_CLOSE_MS);
    if (!is_closed) {
        int code = c->exit_code == STANDBY_LOST ? FAIL_AREA_FENCED : c->exit_code;
        log_info("connector", "ended with code %d", code);
        _exit(code);
    }
    requests_free(&c->requests);
    notices_free(&c->notices);
    start_fini(&c->start);
    feed_free(&c->feed);
    pump_free(&c->pump);
    misfits_free(&c->misfits);
    inbox_free(&c->inbox);
    state_fini(&c->stored);
}

/* One run, from the parts' making to their end; its exit code, or STANDBY_LOST. */
static int run_once(const struct config *cfg, struct lease *lease)
{
    struct connector c = {.cfg = cfg, .state = CONNECTOR_STARTING, .lease = lease};
    struct fail why = {.kind = FAIL_NONE};
    c.backoff =
        (struct backoff){.first_ms = cfg->retry_first_ms, .most_ms = cfg->retry_most_ms, .max_tries = cfg->max_retries};
    liveness_init(&c.liveness, cfg->liveness_ms);
    state_init(&c.stored, cfg);
    start_init(&c.start);
    if (open_parts(&c, &why)) {
        run_loop(&c);
    } else if (atomic_load(&stop_requested)) {
        log_info("connector", "stopped while starting");
    } else {
        log_fail(LOG_ERROR, "connector", &why);
        c.exit_code = lease != NULL && why.area == FAIL_AREA_FENCED ? STANDBY_LOST : (int)why.area;
    }
    close_parts(&c);
    return c.exit_code;
}

int connector_run(const struct config *cfg)
{
    catch_signals();
    log_info("connector", "tidemark %s starts: name=%s source=%s:%u topic.prefix=%s", TIDEMARK_VERSION, cfg->name,
             cfg->source.host, cfg->source.port, cfg->record.topic_prefix);
    int code = cfg->is_standby ? standby_run(cfg, &stop_requested, run_once) : run_once(cfg, NULL);
    log_info("connector", "ended with code %d", code);
    if (source_is_anywhere_connecting())
        _exit(code);
    return code;
}
