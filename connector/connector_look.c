/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs, once a second; see liveness.h. */
#include "base/clock.h"
#include "connector/connector_state.h"

#include <malloc.h>

/* Kafka is what is waited for, or a snapshot. */
static bool has_backlog(const struct connector *c)
{
    const struct sink *s = c->producer.sink;
    return pump_is_halted(c->pump) || pump_state(c->pump) != PUMP_RUNNING ||
           (s != NULL && sink_counts(s)->outstanding > 0);
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

/* Memory of a burst that is over goes back to the system: the allocator keeps it otherwise, in the arena of each thread. */
static void give_memory_back(struct connector *c)
{
    if (inbox_trim(c->inbox) > 0)
        malloc_trim(0);
}

/* About once a second, whatever else happens. */
void connector_look(struct connector *c)
{
    int64_t now_ms = clock_mono_ms();
    watchdog_feed(c->watchdog, "looking around");
    look_at_log(c, now_ms);
    look_at_kafka(c, now_ms);
    look_at_snapshots(c, now_ms);
    give_memory_back(c);
    requests_look(c->requests);
    if (pump_stored(c->pump) != NULL)
        lookout_need(c->lookout, pump_stored(c->pump));
    if (lookout_take_other_log(c->lookout) && c->reader != NULL)
        reader_reconnect(c->reader);
    if (c->presence != NULL)
        connector_serve_presence(c);
    watchdog_feed(c->watchdog, "waiting for news");
    if (connector_holds_lease(c))
        connector_turn(c);
}
