/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/snapshots.h"

#include "base/clock.h"
#include "base/log.h"
#include "binlog/ddl.h"
#include "connector/debezium_progress.h"
#include "connector/initial.h"
#include "connector/waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct snapshots {
    const struct config *cfg;
    struct shape_store *shapes;
    struct frontier *frontier;
    struct snapshots_hooks hooks;
    struct incremental *inc;
    struct signal_log signals;
    struct waiting waiting;
    bool has_changed;      /* the frontier's state does not have the progress as it is */
    bool waits_for_shapes; /* what Debezium left is not taken up yet */
};

/* ---- what the re-reads ask ---- */

enum incremental_shape snapshots_find_shape(const struct config *cfg, const struct shape_store *shapes,
                                            const struct offset_state *st, struct view db, struct view table,
                                            const struct shape **shape)
{
    const struct shape_place place = {st->has_gtids ? &st->gtids : NULL, &st->pos, st->server_uuid};
    const struct shape_version *version;
    struct fail why;
    if (!filter_has_table(&cfg->filter, db, table))
        return INCREMENTAL_NOT_CAPTURED;
    if (shape_store_at(shapes, db, table, &place, &version) != SHAPE_FOUND || version->ddl == NULL)
        return INCREMENTAL_SHAPE_UNKNOWN;
    const struct ddl_context ctx = {.db = db};
    *shape = ddl_read_create(NULL, &ctx, view_of(version->ddl), &why);
    if (*shape != NULL)
        return INCREMENTAL_SHAPE_FOUND;
    log_error("snapshots", "the stored shape of %.*s.%.*s can't be read: %s", VIEW_ARGS(db), VIEW_ARGS(table),
              why.text);
    return INCREMENTAL_SHAPE_UNKNOWN;
}

/* A table that was in the way may have been left out since the first start. */
static bool is_wanted(void *ctx, const struct table_read *t)
{
    const struct snapshots *sn = ctx;
    return t->kind != READ_INITIAL || filter_snapshots_table(&sn->cfg->filter, view_of(t->db), view_of(t->table));
}

static enum incremental_shape find_shape(void *ctx, struct view db, struct view table, const struct shape **shape)
{
    const struct snapshots *sn = ctx;
    return snapshots_find_shape(sn->cfg, sn->shapes, &sn->frontier->state, db, table, shape);
}

static bool barrier(void *ctx, struct gtid_set *set)
{
    const struct snapshots *sn = ctx;
    sn->frontier->state.has_read_tables = true; /* stored before, or with, the first row that is read */
    if (!sn->frontier->state.has_gtids)
        return false;
    frontier_copy_handed_over(sn->frontier, set);
    return true;
}

static void early_xa(void *ctx, struct buf *names)
{
    const struct snapshots *sn = ctx;
    buf_put_view(names, buf_view(&sn->frontier->state.early_xa));
}

static void tell(void *ctx, enum incremental_event what, const struct table_read *t)
{
    struct snapshots *sn = ctx;
    if (what == INCREMENTAL_TABLE_DONE) {
        log_info("snapshots", "%s.%s: %s, %llu rows read, %llu sent", t->db, t->table, t->status,
                 (unsigned long long)t->rows_read, (unsigned long long)t->rows_sent);
        if (t->state == TABLE_FAILED)
            log_warn("snapshots", "%s", t->why.text);
    }
    if (what == INCREMENTAL_COMPLETED && t->kind == READ_INITIAL)
        log_info("snapshots", "the initial snapshot has ended");
    sn->hooks.tell(sn->hooks.ctx, what, t);
}

static void progress(void *ctx)
{
    snapshots_changed(ctx);
}

/* ---- life ---- */

struct snapshots *snapshots_new(const struct config *cfg, struct shape_store *shapes, struct frontier *frontier,
                                const struct snapshots_hooks *hooks)
{
    struct snapshots *sn = mem_zero(1, sizeof *sn);
    sn->cfg = cfg;
    sn->shapes = shapes;
    sn->frontier = frontier;
    sn->hooks = *hooks;
    signal_log_init(&sn->signals);
    waiting_init(&sn->waiting);
    const struct incremental_settings set = {
        .worker = {.source = &cfg->source,
                   .record = &cfg->record,
                   .filter_timeout_ms = cfg->source.query_timeout_ms,
                   .may_lock_for_share = cfg->snapshot_for_share},
        .record = &cfg->record,
        .chunk_size = (uint32_t)cfg->chunk_size,
        .threads = (unsigned)cfg->snapshot_threads,
        .budget_bytes = (size_t)cfg->queue_bytes / 4,
        .rows_per_second = (uint64_t)cfg->snapshot_rows_per_second,
    };
    const struct incremental_hooks inc_hooks = {sn, is_wanted, find_shape, barrier, early_xa, tell, progress};
    sn->inc = incremental_new(&set, &inc_hooks);
    return sn;
}

bool snapshots_free(struct snapshots **snapshots, int timeout_ms)
{
    struct snapshots *sn = *snapshots;
    if (sn == NULL)
        return true;
    if (!incremental_free(&sn->inc, timeout_ms))
        return false;
    signal_log_fini(&sn->signals);
    waiting_fini(&sn->waiting);
    free(sn);
    *snapshots = NULL;
    return true;
}

/* What Debezium left under way, when it wrote last. Its keys can be read when the shapes are there, which at a first start of
 * ours come with the stream. */
static void load_debeziums(struct snapshots *sn)
{
    struct fail why;
    char *id = NULL;
    sn->waits_for_shapes = false;
    if (!debezium_progress_load(sn->inc, buf_view(&sn->frontier->state.incremental), find_shape, sn, &id, &why)) {
        log_error("snapshots", "%s; hint: ask for the snapshot again", why.text);
        incremental_reset(sn->inc);
    }
    if (incremental_is_running(sn->inc))
        signal_log_add(&sn->signals, view_of(id == NULL ? "" : id), -1, OUTCOME_RUNNING, NULL);
    free(id);
    if (sn->frontier->state.is_paused)
        incremental_pause(sn->inc);
    snapshots_changed(sn);
}

/* In recovery, for which shapes may have been lost, a list that is lost with them is no reason to stop. */
static bool load_progress(struct snapshots *sn, const struct offset_state *stored, struct fail *why)
{
    struct waiting_list *list = stored->waiting;
    bool ok = progress_load(sn->inc, &sn->signals, stored->snapshots, list, why);
    if (!ok && why->code == PROGRESS_LACKS_LIST && sn->cfg->snapshot_mode == SNAPSHOT_MODE_RECOVERY) {
        log_warn("snapshots", "%s; they are left out", why->text);
        list = NULL;
        ok = true;
    }
    if (ok)
        waiting_take_up(&sn->waiting, list, progress_waiting(stored->snapshots).from, sn->inc);
    return ok;
}

void snapshots_avoid_list(struct snapshots *sn, const struct waiting_list *stored)
{
    waiting_avoid(&sn->waiting, stored);
}

bool snapshots_load(struct snapshots *sn, const struct offset_state *stored, struct fail *why)
{
    incremental_reset(sn->inc);
    sn->has_changed = false;
    signal_log_fini(&sn->signals);
    signal_log_init(&sn->signals);
    if (!load_progress(sn, stored, why))
        return false;
    sn->waits_for_shapes = stored->snapshots == NULL && buf_size(&stored->incremental) > 0;
    if (stored->is_paused)
        incremental_pause(sn->inc);
    return true;
}

void snapshots_begin(struct snapshots *sn)
{
    enum snapshot_mode mode = sn->cfg->snapshot_mode;
    size_t n = 0;
    if (mode != SNAPSHOT_MODE_NO_DATA && mode != SNAPSHOT_MODE_RECOVERY) {
        n = initial_queue(sn->inc, sn->cfg, sn->shapes, find_shape, sn);
        incremental_delay(sn->inc, clock_mono_ms() + sn->cfg->snapshot_delay_ms);
        log_info("snapshots", "the initial snapshot begins: %zu tables are read beside the stream", n);
        snapshots_changed(sn);
    }
    sn->hooks.begin(sn->hooks.ctx, n);
}

bool snapshots_are_initial(const struct snapshots *sn)
{
    return incremental_has(sn->inc, READ_INITIAL);
}

bool snapshots_can_go_on(const struct snapshots *sn, struct fail *why)
{
    const struct table_read *t = incremental_failed(sn->inc);
    if (t == NULL)
        return true;
    *why = t->why;
    why->kind = FAIL_STOP;
    return fail_add(
        why,
        "read %s.%s for the initial snapshot, which goes on with it at the next start; hint: leave it out by "
        "snapshot.include.collection.list or table.exclude.list if its rows are not needed",
        t->db, t->table);
}

struct incremental *snapshots_incremental(struct snapshots *sn)
{
    return sn->inc;
}

struct signal_log *snapshots_signals(struct snapshots *sn)
{
    return &sn->signals;
}

void snapshots_changed(struct snapshots *sn)
{
    sn->has_changed = true;
    sn->frontier->has_moved = true;
}

/* What Debezium would do with the offset: read all from the start, or stream. */
static void store_mark(const struct snapshots *sn, struct offset_state *st)
{
    bool was_initial = strcmp(st->snapshot, "INITIAL") == 0;
    if (snapshots_are_initial(sn))
        snprintf(st->snapshot, sizeof st->snapshot, "INITIAL");
    else if (was_initial)
        st->snapshot[0] = '\0';
}

void snapshots_store(struct snapshots *sn)
{
    struct offset_state *st = &sn->frontier->state;
    if (!sn->has_changed || sn->waits_for_shapes)
        return;
    waiting_follow(&sn->waiting, sn->inc);
    const struct waiting_list *list = sn->waiting.list;
    const struct waiting_place left = {list == NULL ? 0 : list->number, sn->waiting.from};
    waiting_list_free(&st->waiting);
    st->waiting = waiting_list_hold(sn->waiting.list);
    free(st->snapshots);
    st->snapshots = progress_print(sn->inc, &sn->signals, &left);
    buf_clear(&st->incremental);
    if (list == NULL) /* Debezium has all tables in its offset */
        debezium_progress_print(sn->inc, find_shape, sn, &st->incremental);
    store_mark(sn, st);
    st->is_paused = incremental_is_paused(sn->inc);
    sn->has_changed = false;
}

/* ---- the pump ---- */

/* A change that is not sent is no newer truth for the topic: the row that was read stays, as if it had been read before.
 * But what was deleted must not come back. */
static void hear_unsent(struct snapshots *sn, const struct change_record *rec)
{
    if (rec->after_key.n == 0)
        incremental_hear(sn->inc, rec->table, rec->before_key, VIEW_NONE);
}

void snapshots_reshaped(struct snapshots *sn, struct view db, struct view table)
{
    incremental_reshaped(sn->inc, db, table);
}

void snapshots_hear(struct snapshots *sn, const struct change *chg)
{
    switch (chg->kind) {
    case CHANGE_RECORD:
        if (chg->record.table != NULL && chg->record.before_key.n + chg->record.after_key.n > 0)
            incremental_hear(sn->inc, chg->record.table, chg->record.before_key, chg->record.after_key);
        break;
    case CHANGE_UNSENT:
        hear_unsent(sn, &chg->record);
        break;
    case CHANGE_SHAPE:
    case CHANGE_EMPTIED:
        snapshots_reshaped(sn, chg->mark.db, chg->mark.table);
        break;
    case CHANGE_REWRITE:
        incremental_rewritten(sn->inc, chg->mark.db, chg->mark.table);
        break;
    case CHANGE_ORIGIN:
        incremental_other_server(sn->inc);
        break;
    case CHANGE_BEGIN:
    case CHANGE_POSITION:
        if (sn->waits_for_shapes) /* shapes come before all else */
            load_debeziums(sn);
        break;
    default:
        break;
    }
}

/* The start of the transaction under way, else where the next one starts. */
static const struct log_position *place_of(const struct frontier *f)
{
    if (f->is_inside)
        return &f->begun;
    return f->state.reached.file[0] != '\0' ? &f->state.reached : &f->state.pos;
}

/* Whether it is known where the stream stands, and what it has handed over. */
static bool is_placed(const struct frontier *f)
{
    return f->is_ready && frontier_has_handed_over(f);
}

/* gtid keeps the text that the place lends. */
static struct snapshot_place place_now(const struct frontier *f, char gtid[GTID_TEXT_BYTES])
{
    gtid[0] = '\0';
    if (f->gtid.n > 0)
        gtid_print(&f->gtid, gtid);
    return (struct snapshot_place){
        .pos = *place_of(f),
        .gtid = gtid,
        .server_id = f->state.server_id,
        .server_uuid = f->state.server_uuid,
    };
}

int snapshots_service(struct snapshots *sn, int64_t now_ms)
{
    char gtid[GTID_TEXT_BYTES];
    if (!is_placed(sn->frontier))
        return -1;
    const struct snapshot_place place = place_now(sn->frontier, gtid);
    return incremental_service(sn->inc, &place, now_ms, clock_wall_ns());
}

void snapshots_read_ahead(struct snapshots *sn, int64_t now_ms)
{
    char gtid[GTID_TEXT_BYTES];
    if (!is_placed(sn->frontier))
        return;
    const struct snapshot_place place = place_now(sn->frontier, gtid);
    incremental_read_ahead(sn->inc, &place, now_ms);
}

bool snapshots_mute(const struct snapshots *sn, const struct change *chg)
{
    return chg->record.table != NULL && incremental_mutes(sn->inc, chg->record.table);
}

bool snapshots_halt(const struct snapshots *sn)
{
    return is_placed(sn->frontier) && incremental_halts(sn->inc, place_of(sn->frontier));
}

bool snapshots_have_changed(const struct snapshots *sn)
{
    return sn->has_changed;
}

bool snapshots_are_running(const struct snapshots *sn)
{
    return incremental_is_running(sn->inc);
}
