/* SPDX-License-Identifier: Apache-2.0 */
/* From a failure of the producer back to running: a pause, a new producer where the old one is dead, the state read again. */
#include "base/clock.h"
#include "base/log.h"
#include "connector/connector_state.h"

#include <unistd.h>

void connector_tell_retry(struct connector *c, const struct fail *why)
{
    if (backoff_is_news(&c->backoff, why->code))
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
    connector_unwatch_producer(c);
    pump_forget_producer(c->pump);
    if (!producer_close(&c->producer, STOP_MS)) {
        log_error("connector", "the old producer does not end: leaving");
        _exit(FAIL_AREA_KAFKA); /* memory lent to it can't be freed; nothing that was not committed counts */
    }
    if (!producer_open(&c->producer, c->cfg, is_transactional, &where, c->misfits, &why)) {
        connector_fail(c, &why);
        return;
    }
    c->needs_taking = true;
    connector_watch_producer(c);
}

/* False: the run has failed. */
static bool pause_restart(struct connector *c, struct fail *why)
{
    int pause_ms = restart_pause_ms(c, why);
    if (pause_ms < 0) {
        connector_fail(c, why);
        return false;
    }
    c->restart_at_ms = clock_mono_ms() + pause_ms;
    return true;
}

void connector_restart(struct connector *c)
{
    struct fail why = *pump_fail(c->pump);
    enum pump_need need = pump_need(c->pump);
    connector_set_state(c, CONNECTOR_RESTARTING, why.text);
    if (!connector_end_reader(c)) {
        connector_stop(c, FAIL_AREA_SYSTEM, "the reader is stuck");
        return;
    }
    if (c->cfg->kafka.storage == OFFSET_STORAGE_KAFKA && misfits_unasked(c->misfits) != NULL)
        c->needs_reload = true;
    if (need == PUMP_NEEDS_START)
        c->restart_at_ms = clock_mono_ms();
    else if (pause_restart(c, &why) && (need == PUMP_NEEDS_PRODUCER || misfits_want_producer(c->misfits) ||
                                        sink_has_lost_topic(c->producer.sink)))
        replace_producer(c);
}

/* The dead producer may have left a commit of which nobody knows whether it counted: the topics do, now that they are
 * fenced. Without transactions what we last stored is as good. On the way the limit of a topic is asked that refused a
 * record. */
static void start_reload(struct connector *c)
{
    struct fail why;
    c->reload = reload_start(c->cfg, misfits_unasked(c->misfits), &why);
    if (c->reload == NULL) {
        connector_fail(c, &why);
        return;
    }
    ev_io_init(&c->reload_io, connector_on_io, reload_fd(c->reload), EV_READ);
    c->reload_io.data = c;
    ev_io_start(c->loop, &c->reload_io);
}

void connector_drop_reload(struct connector *c)
{
    if (c->reload == NULL)
        return;
    ev_io_stop(c->loop, &c->reload_io);
    reload_free(&c->reload);
}

/* A topic of our state that was deleted, and made anew empty, must not pass for a first start. */
static bool check_kept(const struct connector *c, struct fail *why)
{
    return c->stored.has_offset || pump_stored(c->pump) == NULL ||
           fail_set(
               why, FAIL_STOP, FAIL_AREA_DATA, 0,
               "read the stored state again: %s holds no position of %s any more, though one was stored there: was "
               "the topic deleted? hint: restore it, or place the next start by tidemark offsets set",
               c->cfg->kafka.offsets_topic, c->cfg->name);
}

/* It has ended, well or not. */
static void finish_reload(struct connector *c)
{
    struct fail why;
    bool ok = reload_take(c->reload, &c->stored, &why) && check_kept(c, &why);
    if (ok && misfits_unasked(c->misfits) != NULL)
        misfits_answer(c->misfits, misfits_unasked(c->misfits), reload_limit(c->reload));
    connector_drop_reload(c);
    if (ok) {
        c->needs_reload = false;
        connector_place(c);
    } else if (why.kind == FAIL_RETRY) {
        if (pause_restart(c, &why))
            connector_tell_retry(c, &why);
    } else {
        connector_fail(c, &why);
    }
}

/* The new producer is ours, or may become ours by another try, or never will. */
static void finish_taking(struct connector *c, struct commit_result *taken)
{
    if (taken->outcome == COMMIT_DONE) {
        c->needs_taking = false;
        c->needs_reload = c->needs_reload || c->producer.is_transactional;
    } else if (taken->outcome == COMMIT_RENEW) {
        if (!pause_restart(c, &taken->why))
            return;
        connector_tell_retry(c, &taken->why);
        replace_producer(c);
    } else {
        connector_fail(c, &taken->why);
    }
}

/* One step after the other until the stream can start; a descriptor or the timer brings the next. */
void connector_restart_turn(struct connector *c, int64_t now_ms)
{
    struct commit_result taken;
    if (c->needs_taking && producer_is_taken(&c->producer, &taken))
        finish_taking(c, &taken);
    if (c->reload != NULL && reload_has_ended(c->reload))
        finish_reload(c);
    if (c->state != CONNECTOR_RESTARTING)
        return;
    if (c->needs_taking || c->reload != NULL) {
        connector_wait_for(c, -1);
    } else if (now_ms < c->restart_at_ms) {
        connector_wait_for(c, (int)(c->restart_at_ms - now_ms));
    } else if (c->needs_reload) {
        start_reload(c);
    } else {
        connector_run_from_stored(c);
        connector_wait_for(c, 0);
    }
}
