/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/lookout.h"

#include "base/clock.h"
#include "base/ending.h"
#include "base/log.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BEHIND_SEC = 60,     /* less is not worth a line */
    NEED_WAIT_MS = 5000, /* how long the loop may take to say what is stored */
    SECONDS_OF_HOUR = 3600,
};

struct lookout {
    const struct source_settings *set;
    int every_ms;
    struct source *src;
    pthread_t thread;
    struct ending ending;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool must_end;
    bool has_need;
    struct lookout_need need; /* given by the loop */
    atomic_bool wants_need;
    atomic_bool has_other_log; /* for the loop */

    /* the thread's own: what was seen and told */
    enum lookout_danger seen, told;
    int64_t told_lag_sec; /* 0: we were not behind */
};

/* ---- what is needed ---- */

void lookout_need_of(const struct offset_state *stored, struct lookout_need *need)
{
    *need = (struct lookout_need){.pos = stored->pos, .ts_sec = stored->ts_sec, .has_gtids = stored->has_gtids};
    memcpy(need->server_uuid, stored->server_uuid, sizeof need->server_uuid);
    gtid_set_init(&need->gtids);
    gtid_set_copy(&need->gtids, &stored->gtids);
    if (stored->n_xa == 0 || position_compare(&stored->xa[0].pos, &stored->pos) > 0)
        return;
    need->pos = stored->xa[0].pos;
    need->ts_sec = stored->xa[0].ts_sec;
    need->xid = mem_strdup(stored->xa[0].xid);
}

void lookout_need_fini(struct lookout_need *need)
{
    gtid_set_fini(&need->gtids);
    free(need->xid);
    need->xid = NULL;
}

/* ---- the judgement ---- */

static bool is_same_log(const struct lookout_need *need, const struct outlook *out)
{
    return need->server_uuid[0] == '\0' || strcmp(need->server_uuid, out->server_uuid) == 0;
}

static bool is_lost(const struct lookout_need *need, const struct outlook *out)
{
    struct log_position oldest = {.offset = 0};
    if (need->has_gtids)
        return !gtid_set_contains(&need->gtids, &out->purged);
    memcpy(oldest.file, out->oldest, sizeof oldest.file);
    return is_same_log(need, out) && !out->has_file && position_compare(&need->pos, &oldest) < 0;
}

enum lookout_danger lookout_judge(const struct lookout_need *need, const struct outlook *out)
{
    if (is_lost(need, out))
        return LOOKOUT_LOST;
    bool is_kept = out->expire_sec == 0 || !out->has_file || strcmp(need->pos.file, out->newest) == 0;
    if (is_kept || !is_same_log(need, out) || need->ts_sec == 0)
        return LOOKOUT_SAFE;
    int64_t age_sec = out->now_sec - need->ts_sec;
    if (age_sec >= out->expire_sec / 20 * 19)
        return LOOKOUT_CLOSE;
    if (age_sec >= out->expire_sec / 5 * 4)
        return LOOKOUT_FOUR_FIFTHS;
    return age_sec >= out->expire_sec / 2 ? LOOKOUT_HALF : LOOKOUT_SAFE;
}

/* ---- what is told ---- */

static void tell_lost(const struct lookout *l, const struct lookout_need *need, const struct outlook *out)
{
    log_error("lookout",
              "%s no longer has the log that a restart would need: stored is file=%s pos=%" PRIu64
              ", its log begins with file=%s; as long as this run lasts nothing is missing; hint: let it catch up "
              "before it is "
              "stopped, and raise binlog_expire_logs_seconds",
              source_name(l->src), need->pos.file, need->pos.offset, out->oldest);
}

static void tell_close(const struct lookout *l, const struct lookout_need *need, const struct outlook *out)
{
    int64_t age_sec = out->now_sec - need->ts_sec;
    int64_t left_sec = out->expire_sec > age_sec ? out->expire_sec - age_sec : 0;
    char held[400] = "";
    if (need->xid != NULL)
        snprintf(held, sizeof held, ", where the XA transaction %.300s is prepared and not ended", need->xid);
    log_warn("lookout",
             "%s may delete the log that we still need in %.1f hours: file=%s pos=%" PRIu64
             "%s, %.1f hours old, and binlog_expire_logs_seconds=%" PRId64 "; hint: %sraise binlog_expire_logs_seconds",
             source_name(l->src), (double)left_sec / SECONDS_OF_HOUR, need->pos.file, need->pos.offset, held,
             (double)age_sec / SECONDS_OF_HOUR, out->expire_sec,
             need->xid != NULL ? "commit or roll back that transaction, or " : "see what holds us up, or ");
}

/* Twice in a row: a file that was begun between two commits is no danger. */
static void tell_danger(struct lookout *l, const struct lookout_need *need, const struct outlook *out)
{
    enum lookout_danger now = lookout_judge(need, out);
    enum lookout_danger sure = now < l->seen ? now : l->seen;
    l->seen = now;
    if (now == LOOKOUT_SAFE) {
        if (l->told != LOOKOUT_SAFE)
            log_info("lookout", "%s has the log that we need, and keeps it for long enough", source_name(l->src));
        l->told = LOOKOUT_SAFE;
    }
    if (sure <= l->told)
        return;
    l->told = sure;
    if (sure == LOOKOUT_LOST)
        tell_lost(l, need, out);
    else
        tell_close(l, need, out);
}

/* By time where the reader stands, not where an XA transaction was prepared. */
static void tell_lag(struct lookout *l, const struct lookout_need *need, const struct outlook *out)
{
    if (need->xid != NULL || !out->has_file || !is_same_log(need, out))
        return;
    int64_t lag_sec = out->bytes_behind > 0 && need->ts_sec > 0 ? out->now_sec - need->ts_sec : 0;
    if (lag_sec < BEHIND_SEC) {
        if (l->told_lag_sec > 0)
            log_info("lookout", "caught up with %s", source_name(l->src));
        l->told_lag_sec = 0;
        return;
    }
    if (l->told_lag_sec > 0 && lag_sec < 2 * l->told_lag_sec && 2 * lag_sec > l->told_lag_sec)
        return;
    l->told_lag_sec = lag_sec;
    log_info("lookout", "behind %s by bytes=%" PRIu64 " seconds=%" PRId64, source_name(l->src), out->bytes_behind,
             lag_sec);
}

static void tell_other_log(struct lookout *l, const struct lookout_need *need, const struct outlook *out)
{
    if (!is_same_log(need, out) || !out->ends_before)
        return;
    log_warn("lookout", "the log of %s ends before file=%s pos=%" PRIu64 ", which is stored: it is asked for anew",
             source_name(l->src), need->pos.file, need->pos.offset);
    atomic_store(&l->has_other_log, true);
}

/* ---- the thread ---- */

static void look(struct lookout *l, const struct lookout_need *need)
{
    struct outlook out;
    struct fail why;
    outlook_init(&out);
    if (source_connect(l->src, &why) && outlook_read(l->src, &need->pos, &out, &why)) {
        tell_danger(l, need, &out);
        tell_lag(l, need, &out);
        tell_other_log(l, need, &out);
    } else {
        log_debug("lookout", "%s", why.text); /* the reader tells of a server that can't be reached */
    }
    source_disconnect(l->src);
    outlook_fini(&out);
}

/* With the lock; false: it is to end. */
static bool wait_for(struct lookout *l, int ms, const bool *until)
{
    struct timespec deadline = clock_deadline(ms);
    while (!l->must_end && !(until != NULL && *until) && clock_cond_wait(&l->changed, &l->lock, &deadline) == 0)
        ;
    return !l->must_end;
}

static void *run(void *arg)
{
    struct lookout *l = arg;
    struct lookout_need need;
    pthread_mutex_lock(&l->lock);
    while (wait_for(l, l->every_ms, NULL)) {
        l->has_need = false;
        atomic_store(&l->wants_need, true);
        if (!wait_for(l, NEED_WAIT_MS, &l->has_need))
            break;
        if (!l->has_need)
            continue; /* nothing is stored yet */
        need = l->need;
        l->need = (struct lookout_need){.xid = NULL};
        gtid_set_init(&l->need.gtids);
        pthread_mutex_unlock(&l->lock);
        look(l, &need);
        lookout_need_fini(&need);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    ending_tell(&l->ending);
    return NULL;
}

/* ---- the loop's side ---- */

struct lookout *lookout_start(const struct source_settings *source, int every_ms, struct fail *why)
{
    struct lookout *l = mem_zero(1, sizeof *l);
    l->set = source;
    l->every_ms = every_ms;
    l->src = source_new(source);
    gtid_set_init(&l->need.gtids);
    ending_init(&l->ending);
    pthread_mutex_init(&l->lock, NULL);
    clock_cond_init(&l->changed);
    int err = every_ms == 0 ? 0 : pthread_create(&l->thread, NULL, run, l);
    if (err == 0)
        return l;
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start a thread that looks at the server's log: %s", strerror(err));
    l->every_ms = 0;
    if (!lookout_stop(&l, 0))
        ASSERT(!"a thread that was not started is stuck");
    return NULL;
}

void lookout_need(struct lookout *l, const struct offset_state *stored)
{
    if (!atomic_load(&l->wants_need))
        return;
    struct lookout_need need;
    lookout_need_of(stored, &need);
    pthread_mutex_lock(&l->lock);
    lookout_need_fini(&l->need);
    l->need = need;
    l->has_need = true;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
    atomic_store(&l->wants_need, false);
}

bool lookout_take_other_log(struct lookout *l)
{
    return l != NULL && atomic_exchange(&l->has_other_log, false);
}

bool lookout_stop(struct lookout **lookout, int timeout_ms)
{
    struct lookout *l = *lookout;
    if (l == NULL)
        return true;
    pthread_mutex_lock(&l->lock);
    l->must_end = true;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
    source_wake(l->src);
    if (l->every_ms > 0) {
        if (!ending_wait(&l->ending, timeout_ms))
            return false;
        pthread_join(l->thread, NULL);
    }
    lookout_need_fini(&l->need);
    source_free(&l->src);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    ending_fini(&l->ending);
    free(l);
    *lookout = NULL;
    return true;
}
