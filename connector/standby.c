/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/standby.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "binlog/server.h"
#include "connector/state.h"

#include <poll.h>

enum {
    SLICE_MS = 100,  /* so soon is a stop heard */
    LEAVE_MS = 2000, /* for giving the lease back; else its session times out */
};

struct standby {
    const struct config *cfg;
    const atomic_bool *stop;
    struct backoff backoff; /* of what failed before the lease, and of runs that lost it */
};

/* False: to be stopped. */
static bool pause_for(const struct standby *s, int ms)
{
    for (int64_t until_ms = clock_mono_ms() + ms; clock_mono_ms() < until_ms && !atomic_load(s->stop);)
        poll(NULL, 0, SLICE_MS);
    return !atomic_load(s->stop);
}

/* ---- ready ---- */

static bool reach_source(const struct standby *s, struct fail *why)
{
    struct server server;
    struct source *src = source_new(&s->cfg->source);
    bool ok = source_connect(src, why) && server_check(src, &s->cfg->source, &server, why);
    if (ok)
        log_info("standby", "ready: %s is reached, MySQL %s", source_name(src), server.version_text);
    source_free(&src);
    return ok;
}

static bool make_ready(const struct standby *s, struct fail *why)
{
    return reach_source(s, why) && state_prepare(s->cfg, s->stop, why);
}

/* An instance that can't reach what it would need does not ask for the lease. False: stopped, or why. */
static bool make_ready_at_last(struct standby *s, struct fail *why)
{
    why->kind = FAIL_NONE;
    while (!make_ready(s, why)) {
        int ms = why->kind == FAIL_RETRY ? backoff_next_ms(&s->backoff) : -1;
        if (atomic_load(s->stop) || ms < 0)
            return false;
        if (backoff_is_news(&s->backoff, why->code))
            log_warn("standby", "%s; trying again before asking for the lease", why->text);
        if (!pause_for(s, ms))
            return false;
    }
    return true;
}

/* ---- the lease ---- */

/* False: stopped, or why. */
static bool wait_for_lease(const struct standby *s, struct lease *lease, struct fail *why)
{
    why->kind = FAIL_NONE;
    while (!lease_is_held(lease)) {
        struct pollfd one = {lease_fd(lease), POLLIN, 0};
        poll(&one, 1, SLICE_MS);
        if (atomic_load(s->stop) || !lease_service(lease, why))
            return false;
    }
    return true;
}

/* One time with the lease; its exit code. False: stopped before, or why. */
static bool run_with_lease(struct standby *s, int (*run)(const struct config *cfg, struct lease *lease), int *code,
                           struct fail *why)
{
    const struct config_kafka *k = &s->cfg->kafka;
    if (!make_ready_at_last(s, why))
        return false;
    struct lease *lease = lease_open(&k->client, s->cfg->name, k->offsets_topic, s->cfg->standby_session_ms, why);
    if (lease == NULL)
        return false;
    bool ok = wait_for_lease(s, lease, why);
    if (ok)
        *code = run(s->cfg, lease);
    lease_close(&lease, LEAVE_MS);
    return ok;
}

int standby_run(const struct config *cfg, const atomic_bool *stop,
                int (*run)(const struct config *cfg, struct lease *lease))
{
    const struct backoff pauses = {.first_ms = cfg->retry_first_ms, .most_ms = cfg->retry_most_ms, .max_tries = -1};
    struct standby s = {cfg, stop, pauses};
    int code = STANDBY_LOST;
    struct fail why;
    while (run_with_lease(&s, run, &code, &why)) {
        if (code != STANDBY_LOST)
            return code;
        log_info("standby", "this instance waits again");
        if (!pause_for(&s, backoff_next_ms(&s.backoff)))
            return 0;
    }
    if (why.kind == FAIL_NONE || atomic_load(stop)) {
        log_info("standby", "stopped while waiting");
        return 0;
    }
    log_fail(LOG_ERROR, "standby", &why);
    return (int)why.area;
}
