/* SPDX-License-Identifier: Apache-2.0 */
/* What snapshot.mode makes of the stored position: gone on from, or left behind for a snapshot of everything. */
#include "base/log.h"
#include "connector/connector_state.h"

#include <string.h>

static bool reads_rows(const struct connector *c)
{
    return c->cfg->snapshot_mode != SNAPSHOT_MODE_NO_DATA && c->cfg->snapshot_mode != SNAPSHOT_MODE_RECOVERY;
}

/* Of an unfinished one of ours the progress is stored beside it. */
static bool is_debeziums_unfinished(const struct offset_state *st)
{
    return strcmp(st->snapshot, "INITIAL") == 0 && st->snapshots == NULL;
}

/* Why the stored position is left behind; NULL: it is not. */
static const char *reason_to_leave(const struct connector *c)
{
    if (c->cfg->snapshot_mode == SNAPSHOT_MODE_ALWAYS)
        return "snapshot.mode is always";
    if (reads_rows(c) && is_debeziums_unfinished(&c->stored.offset))
        return "it is of an initial snapshot that Debezium did not end, and begins anew";
    return NULL;
}

bool connector_begin(struct connector *c, struct fail *why)
{
    const char *reason = c->stored.has_offset ? reason_to_leave(c) : NULL;
    if (!c->stored.has_offset && c->cfg->snapshot_mode == SNAPSHOT_MODE_RECOVERY)
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_DATA, 0,
            "snapshot.mode=recovery goes on from a stored position, and none is stored under the name %s; hint: "
            "snapshot.mode=initial or no_data begins without one",
            c->cfg->name);
    c->begins_anew = reason != NULL;
    if (reason != NULL)
        log_info("connector", "the stored position file=%s pos=%llu is left: %s", c->stored.offset.pos.file,
                 (unsigned long long)c->stored.offset.pos.offset, reason);
    connector_place(c);
    return true;
}

void connector_place(struct connector *c)
{
    bool goes_on = c->stored.has_offset && !c->begins_anew;
    snapshots_avoid_list(c->snapshots, c->stored.offset.waiting);
    pump_begin(c->pump, goes_on ? &c->stored.offset : NULL);
}

static bool is_lost(const struct fail *why)
{
    return why->code == SOURCE_REFUSED_PURGED || why->code == SOURCE_REFUSED_NO_FILE ||
           why->code == SOURCE_REFUSED_AHEAD || why->code == SOURCE_OTHER_LOG;
}

bool connector_may_begin_anew(struct connector *c, const struct fail *why)
{
    if (c->cfg->snapshot_mode != SNAPSHOT_MODE_WHEN_NEEDED || !is_lost(why))
        return false;
    log_warn("connector",
             "%s; snapshot.mode=when_needed: a new snapshot is taken, what was deleted meanwhile is not told",
             why->text);
    c->begins_anew = true;
    return true;
}

/* When all that was sent before is committed. */
void connector_begin_anew(struct connector *c)
{
    if (!c->begins_anew || c->reader != NULL || !pump_is_idle(c->pump))
        return;
    connector_place(c);
    connector_run_from_stored(c);
}

/* The first commit of a new life: from here on it is gone on with, whatever happens. */
static void note_begun(struct connector *c)
{
    if (c->begins_anew && c->reader != NULL && pump_stored(c->pump) != NULL)
        c->begins_anew = false;
}

void connector_heed_snapshot(struct connector *c)
{
    struct fail why;
    const struct offset_state *stored = pump_stored(c->pump);
    note_begun(c);
    if (!snapshots_can_go_on(c->snapshots, &why)) {
        connector_fail(c, &why);
        return;
    }
    bool is_ended = stored != NULL && !snapshots_are_initial(c->snapshots) && strcmp(stored->snapshot, "INITIAL") != 0;
    if (c->cfg->snapshot_mode == SNAPSHOT_MODE_INITIAL_ONLY && is_ended)
        connector_stop(c, 0, "snapshot.mode=initial_only: the initial snapshot has ended");
}
