/* SPDX-License-Identifier: Apache-2.0 */
/* One turn of the connector's loop. */
#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "connector/connector_state.h"
#include "connector/standby.h"

#include <string.h>

const char *connector_state_name(enum connector_state state)
{
    static const char *const names[] = {"starting", "running", "restarting", "stopping"};
    return names[state];
}

void connector_set_state(struct connector *c, enum connector_state state, const char *because)
{
    if (c->state != state)
        log_info("connector", "%s -> %s (%s)", connector_state_name(c->state), connector_state_name(state), because);
    c->state = state;
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
    const struct offset_state *stored = pump_stored(c->pump);
    if (stored != NULL)
        offset_state_copy(&c->start.from, stored);
    c->start.is_first = stored == NULL;
    c->start.recovers = cfg->snapshot_mode == SNAPSHOT_MODE_RECOVERY && pump_counters(c->pump)->commits == 0;
    c->start.feed = c->feed;
    c->reader = reader_start(&set, &hooks, &out, why);
    return c->reader != NULL;
}

bool connector_end_reader(struct connector *c)
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

void connector_stop(struct connector *c, int exit_code, const char *because)
{
    if (c->state == CONNECTOR_STOPPING)
        return;
    connector_set_state(c, CONNECTOR_STOPPING, because);
    c->exit_code = exit_code;
    c->stop_by_ms = clock_mono_ms() + STOP_MS;
    if (c->reader != NULL)
        reader_stop(c->reader);
    inbox_cancel(c->inbox); /* after the reader knows why */
    pump_finish(c->pump);
    connector_wait_for(c, 0);
}

void connector_leave(struct connector *c, const char *because)
{
    if (c->exit_code == STANDBY_LOST)
        return;
    connector_set_state(c, CONNECTOR_STOPPING, because);
    c->exit_code = STANDBY_LOST;
    ev_break(c->loop, EVBREAK_ALL);
}

void connector_serve_presence(struct connector *c)
{
    if (presence_service(c->presence) && pump_stored(c->pump) != NULL)
        pump_frontier(c->pump)->has_moved = true; /* stored again before long: were we fenced, we would hear of it */
}

bool connector_holds_lease(struct connector *c)
{
    struct fail why;
    if (c->lease == NULL)
        return true;
    if (!lease_service(c->lease, &why))
        connector_fail(c, &why);
    else if (!lease_is_held(c->lease))
        connector_leave(c, "the lease is lost");
    return c->exit_code != STANDBY_LOST;
}

void connector_fail(struct connector *c, const struct fail *why)
{
    if (c->lease != NULL && why->area == FAIL_AREA_FENCED) {
        log_fail(LOG_WARN, "connector", why);
        connector_leave(c, "another instance has taken over");
        return;
    }
    struct fail explained = *why;
    rights_explain(&c->cfg->kafka.producer, c->producer.sink, RIGHTS_MS, &explained);
    log_fail(LOG_ERROR, "connector", &explained);
    connector_stop(c, (int)why->area, "somebody must act");
}

/* Signals are read from where the stored state says, the first time from where state_find_signal_start said. */
static bool open_signals(struct connector *c, struct fail *why)
{
    struct offset_state *st = &pump_frontier(c->pump)->state;
    if (c->stored.signal_start < 0)
        return true;
    if (!st->has_signal_offset) {
        const struct offset_state *left = &c->stored.offset; /* behind, but for what was answered */
        st->has_signal_offset = true;
        st->signal_offset = left->has_signal_offset ? left->signal_offset : c->stored.signal_start;
        memcpy(st->signal_topic, left->signal_topic, sizeof st->signal_topic);
    }
    ev_io_stop(c->loop, &c->signal_io);
    ev_io_stop(c->loop, &c->move_io); /* until its signal comes again */
    if (!requests_open(c->requests, why))
        return false;
    ev_io_init(&c->signal_io, connector_on_io, requests_fd(c->requests), EV_READ);
    c->signal_io.data = c;
    ev_io_start(c->loop, &c->signal_io);
    return true;
}

void connector_run_from_stored(struct connector *c)
{
    struct fail why;
    pump_start(c->pump, c->producer.sink, c->producer.committer);
    notices_drop(c->notices);
    if (!snapshots_load(c->snapshots, &pump_frontier(c->pump)->state, &why) || !open_signals(c, &why) ||
        !start_reader(c, &why)) {
        connector_fail(c, &why);
        return;
    }
    connector_set_state(c, CONNECTOR_RUNNING, "the reader is started");
}

/* The reader ends by itself only when somebody must act. */
static void heed_reader(struct connector *c)
{
    struct fail why;
    if (c->reader == NULL || !pump_saw_end(c->pump) || !reader_join(c->reader, READER_JOIN_MS))
        return;
    bool has_reason = reader_result(c->reader, &why);
    reader_free(&c->reader);
    if (has_reason && connector_may_begin_anew(c, &why))
        return;
    if (has_reason)
        log_fail(LOG_ERROR, "connector", &why);
    connector_stop(c, has_reason ? (int)why.area : FAIL_AREA_SOURCE, "the reader has ended");
}

static void run_turn(struct connector *c, int64_t now_ms)
{
    /* What changes the state beside the stream: only while no commit has it, and when that ends, in the next turn. */
    bool may_change = pump_state(c->pump) == PUMP_RUNNING;
    if (may_change) {
        connector_move_turn(c);
        requests_service(c->requests);
        connector_move_turn(c);
    }
    int again_ms = pump_turn(c->pump, now_ms);
    switch (pump_need(c->pump)) {
    case PUMP_NEEDS_STOP:
        connector_fail(c, pump_fail(c->pump));
        return;
    case PUMP_NEEDS_REREAD:
    case PUMP_NEEDS_PRODUCER:
    case PUMP_NEEDS_START:
        connector_restart(c);
        connector_wait_for(c, 0);
        return;
    case PUMP_NEEDS_NOTHING:
        break;
    }
    heed_reader(c);
    connector_heed_snapshot(c);
    if (c->state == CONNECTOR_STOPPING)
        return;
    connector_begin_anew(c);
    connector_watch_workers(c);
    if (!may_change && pump_state(c->pump) == PUMP_RUNNING)
        again_ms = 0;
    if (again_ms != 0 && pump_is_hungry(c->pump) && !inbox_sleep(c->inbox))
        again_ms = 0;
    connector_wait_for(c, again_ms);
}

static void stop_turn(struct connector *c, int64_t now_ms)
{
    int again_ms = pump_turn(c->pump, now_ms);
    if (pump_is_flushed(c->pump)) {
        requests_commit(c->requests, pump_stored(c->pump));
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
    connector_wait_for(c, again_ms < 0 || again_ms > left_ms ? left_ms : again_ms);
}

void connector_turn(struct connector *c)
{
    int64_t now_ms = clock_mono_ms();
    if (c->exit_code == STANDBY_LOST)
        return;
    watchdog_feed(c->watchdog, connector_state_name(c->state));
    FAULT_POINT("turn");
    switch (c->state) {
    case CONNECTOR_STARTING:
        break;
    case CONNECTOR_RUNNING:
        run_turn(c, now_ms);
        break;
    case CONNECTOR_RESTARTING:
        connector_restart_turn(c, now_ms);
        break;
    case CONNECTOR_STOPPING:
        stop_turn(c, now_ms);
        break;
    }
}
