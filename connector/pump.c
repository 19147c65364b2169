/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/pump.h"

#include "base/clock.h"
#include "base/log.h"
#include "binlog/shape.h"
#include "connector/lost_xa.h"
#include "connector/misfits.h"
#include "connector/notices.h"
#include "connector/rhythm.h"
#include "connector/snapshots.h"
#include "connector/waiting_list.h"

#include <stdlib.h>

enum {
    TURN_CHANGES = 4000, /* then the loop looks at its other watchers */
    FULL_LOOK_MS = 10,   /* the producer is full: its reports come by themselves, this is for what they don't tell */
    CLOCK_EVERY_CHANGES = 64, /* how often a turn under load looks whether a commit is due */
};

/* A shape that waits for the end of its transaction, from which on it is in force. */
struct waiting_shape {
    struct waiting_shape *next;
    char *db;
    char *table;
    const struct shape *shape; /* NULL: dropped */
};

struct pump {
    const char *name, *topic_prefix; /* the connector's; lent */
    struct inbox *in;
    struct shape_store *shapes;
    struct snapshots *snapshots; /* NULL: none */
    struct notices *notices;     /* NULL: none */
    struct misfits *misfits;
    struct sink *sink;
    struct committer *committer;
    enum pump_state state;
    enum pump_need need;
    struct fail why;
    struct frontier frontier;
    struct offset_state stored;
    bool has_stored;
    struct waiting_shape *first_shape; /* in order */
    struct waiting_shape **last_shape;
    bool keeps_shapes; /* shapes go with the next commit */
    bool is_finishing;
    bool is_halted; /* by a snapshot */
    bool is_moving; /* nothing more is taken; the frontier stands where the next start goes on */
    bool is_full;   /* the producer took nothing more when it was last tried: its reports wake the loop */
    bool saw_end;
    struct rhythm rhythm;
    int64_t drained_from_ms;
    struct buf offset_key;
    struct buf scratch;
    struct pump_counters counters;
};

const char *pump_state_name(enum pump_state state)
{
    static const char *const names[] = {"running", "draining", "committing", "aborting", "broken"};
    return names[state];
}

static void set_state(struct pump *p, enum pump_state state, const char *because)
{
    if (p->state != state)
        log_debug("pump", "%s -> %s (%s)", pump_state_name(p->state), pump_state_name(state), because);
    p->state = state;
}

/* Before leaving, an open transaction is dropped: else its records hold up readers until it times out. */
static void break_down(struct pump *p, enum pump_need need, const struct fail *why)
{
    p->need = need;
    p->why = *why;
    set_state(p, PUMP_BROKEN, why->text);
    bool is_open = sink_state(p->sink) == SINK_OPEN || sink_state(p->sink) == SINK_ABORTABLE;
    if (need == PUMP_NEEDS_STOP && is_open && !commit_is_busy(p->committer))
        commit_start_abort(p->committer);
}

struct pump *pump_new(const struct pump_settings *set, struct inbox *in, struct shape_store *shapes)
{
    struct pump *p = mem_zero(1, sizeof *p);
    p->rhythm = (struct rhythm){.interval_ms = set->commit_interval_ms,
                                .dry_ms = set->dry_ms,
                                .pause_ms = set->pause_ms,
                                .position_interval_ms = set->position_interval_ms};
    p->name = set->name;
    p->topic_prefix = set->topic_prefix;
    p->in = in;
    p->shapes = shapes;
    p->state = PUMP_BROKEN;
    p->last_shape = &p->first_shape;
    frontier_init(&p->frontier);
    offset_state_init(&p->stored);
    buf_init(&p->offset_key);
    buf_init(&p->scratch);
    offsets_print_key(set->name, set->topic_prefix, &p->offset_key);
    return p;
}

static void drop_shapes(struct pump *p)
{
    while (p->first_shape != NULL) {
        struct waiting_shape *w = p->first_shape;
        p->first_shape = w->next;
        shape_free(&w->shape);
        free(w->db);
        free(w->table);
        free(w);
    }
    p->last_shape = &p->first_shape;
}

void pump_free(struct pump **p)
{
    struct pump *pump = *p;
    if (pump == NULL)
        return;
    drop_shapes(pump);
    frontier_fini(&pump->frontier);
    offset_state_fini(&pump->stored);
    buf_fini(&pump->offset_key);
    buf_fini(&pump->scratch);
    free(pump);
    *p = NULL;
}

void pump_attach(struct pump *p, struct snapshots *sn, struct notices *notices, struct misfits *misfits)
{
    p->snapshots = sn;
    p->notices = notices;
    p->misfits = misfits;
}

struct frontier *pump_frontier(struct pump *p)
{
    return &p->frontier;
}

void pump_begin(struct pump *p, const struct offset_state *stored)
{
    p->has_stored = stored != NULL;
    offset_state_fini(&p->stored);
    offset_state_init(&p->stored);
    if (stored != NULL)
        offset_state_copy(&p->stored, stored);
}

void pump_start(struct pump *p, struct sink *sink, struct committer *committer)
{
    drop_shapes(p);
    frontier_start(&p->frontier, &p->stored, p->has_stored);
    p->sink = sink;
    p->committer = committer;
    p->need = PUMP_NEEDS_NOTHING;
    p->saw_end = false;
    p->is_halted = false;
    p->keeps_shapes = false;
    p->is_moving = false;
    rhythm_wet(&p->rhythm);
    rhythm_stored(&p->rhythm, sink_counts(sink)->sent_bytes, clock_mono_ms());
    set_state(p, PUMP_RUNNING, "started");
}

void pump_forget_producer(struct pump *p)
{
    p->sink = NULL;
    p->committer = NULL;
}

void pump_renew(struct pump *p, const struct fail *why)
{
    break_down(p, PUMP_NEEDS_PRODUCER, why);
}

/* ---- sending ---- */

/* What a change owns beside its chunk. */
static void change_fini(const struct change *chg)
{
    if (chg->kind == CHANGE_ORIGIN && chg->mark.executed != NULL) {
        gtid_set_fini(chg->mark.executed);
        free(chg->mark.executed);
    }
    if (chg->kind == CHANGE_SHAPE) {
        const struct shape *shape = chg->mark.shape;
        shape_free(&shape);
    }
}

/* Sends the record, or its dead letter where it is too wide. */
static enum sink_sent send_fitting(struct pump *p, const struct sink_record *rec, const struct misfit_place *at,
                                   struct fail *why)
{
    if (!misfits_has(p->misfits, rec))
        return sink_send(p->sink, rec, why);
    char gtid[GTID_TEXT_BYTES] = "";
    struct misfit_place place = *at;
    const struct frontier *f = &p->frontier;
    place.pos = f->is_inside ? &f->begun : &f->state.pos;
    place.gtid = gtid;
    if (at->event > 0 && f->gtid.n > 0)
        gtid_print(&f->gtid, gtid);
    struct sink_record letter;
    if (!misfits_set_aside(p->misfits, rec, &place, &letter, why))
        return SINK_FAILED;
    enum sink_sent sent = sink_send(p->sink, &letter, why);
    if (sent == SINK_SENT)
        misfits_told(p->misfits);
    return sent;
}

static enum sink_sent send_record(struct pump *p, const struct change *chg, struct inbox_chunk *chunk)
{
    struct loan *loan = inbox_lend(chunk);
    const struct sink_record rec = {
        .topic = chg->record.topic,
        .has_key = chg->has_key,
        .has_value = chg->has_value,
        .has_context = true,
        .header = (enum change_header)chg->header,
        .header_value = chg->record.header_value,
        .key = chg->record.key,
        .value = chg->record.value,
        .partition = chg->to_partition_0 ? 0 : SINK_ANY_PARTITION,
        .opaque = loan,
    };
    const struct misfit_place at = {
        .table = chg->record.table, .event = chg->events, .row = chg->rows > 0 ? chg->rows - 1 : 0};
    struct fail why;
    enum sink_sent sent = send_fitting(p, &rec, &at, &why);
    if (sent == SINK_SENT) {
        p->counters.records++;
        return sent;
    }
    loan->back(loan);
    if (sent == SINK_FAILED)
        break_down(p, PUMP_NEEDS_STOP, &why);
    return sent;
}

static void wait_shape(struct pump *p, const struct change_mark *mark)
{
    struct waiting_shape *w = mem_zero(1, sizeof *w);
    w->db = view_to_string(mark->db);
    w->table = view_to_string(mark->table);
    w->shape = mark->shape; /* its count came with the change */
    *p->last_shape = w;
    p->last_shape = &w->next;
}

static struct shape_place shape_place_of(const struct offset_state *st)
{
    return (struct shape_place){st->has_gtids ? &st->gtids : NULL, &st->pos, st->server_uuid};
}

/* What the store says of the table goes with the next commit. */
static bool keep_history(struct pump *p, struct view db, struct view table, struct fail *why)
{
    struct buf value;
    buf_init(&value);
    buf_clear(&p->scratch);
    shape_store_print_key(p->shapes, db, table, &p->scratch);
    bool has_value = shape_store_print(p->shapes, db, table, &value);
    bool ok = commit_keep_shape(p->committer, buf_view(&p->scratch), has_value, buf_view(&value), why);
    buf_fini(&value);
    p->keeps_shapes = true;
    return ok;
}

static bool keep_shape(struct pump *p, const struct waiting_shape *w, struct fail *why)
{
    const struct shape_place place = shape_place_of(&p->frontier.state);
    struct view ddl = VIEW_NONE;
    buf_clear(&p->scratch);
    if (w->shape != NULL) {
        shape_print(w->shape, &p->scratch);
        ddl = buf_view(&p->scratch);
    }
    shape_store_append(p->shapes, view_of(w->db), view_of(w->table), &place, ddl);
    return keep_history(p, view_of(w->db), view_of(w->table), why);
}

/* The transaction that changed the shapes has ended: they are stored with the position behind it. */
static void keep_shapes(struct pump *p)
{
    struct fail why;
    for (const struct waiting_shape *w = p->first_shape; w != NULL; w = w->next) {
        if (!keep_shape(p, w, &why)) {
            fail_add(&why, "store the shape of %s.%s", w->db, w->table);
            break_down(p, PUMP_NEEDS_STOP, &why);
            return;
        }
        if (p->snapshots != NULL)
            snapshots_reshaped(p->snapshots, view_of(w->db), view_of(w->table));
    }
    drop_shapes(p);
}

static bool is_muted(const struct pump *p, const struct change *chg)
{
    return p->snapshots != NULL && snapshots_mute(p->snapshots, chg);
}

static bool pass_lost_xa(struct pump *p, struct view xid)
{
    struct fail why;
    if (lost_xa_pass(&p->frontier, xid, &why))
        return true;
    break_down(p, PUMP_NEEDS_STOP, &why);
    return false;
}

/* False when the change could not be sent now. */
static bool pass_change(struct pump *p, const struct change *chg, struct inbox_chunk *chunk)
{
    bool is_first = chg->kind == CHANGE_READY && !p->frontier.is_ready;
    if (chg->kind == CHANGE_RECORD) {
        if (!is_muted(p, chg) && send_record(p, chg, chunk) != SINK_SENT)
            return false;
    } else if (chg->kind == CHANGE_SHAPE) {
        wait_shape(p, &chg->mark);
    } else if (chg->kind == CHANGE_XA_LOST) {
        if (!pass_lost_xa(p, chg->mark.xid))
            return false;
    } else if (chg->kind == CHANGE_BEGIN) {
        p->counters.last_event_ts_us = chg->mark.ts_us;
        p->counters.transactions++;
    } else if (chg->kind == CHANGE_END) {
        p->saw_end = true;
    }
    frontier_pass(&p->frontier, chg);
    if (p->snapshots != NULL)
        snapshots_hear(p->snapshots, chg);
    if (chg->kind == CHANGE_ORIGIN)
        change_fini(chg);
    bool ends_shapes = chg->kind == CHANGE_COMMIT || chg->kind == CHANGE_READY;
    if (ends_shapes && p->frontier.is_ready && p->first_shape != NULL)
        keep_shapes(p);
    if (is_first && p->snapshots != NULL)
        snapshots_begin(p->snapshots);
    return true;
}

/* ---- rows of snapshots ---- */

/* Gives the block's rows to the producer; false when not all could be given now. */
static bool send_block(struct pump *p, struct block *block)
{
    const struct block_record *row;
    while ((row = block_next(block)) != NULL) {
        const struct sink_record rec = {
            .topic = block->topic,
            .has_key = row->key.p != NULL,
            .has_value = true,
            .has_context = true,
            .key = row->key,
            .value = row->value,
            .partition = SINK_ANY_PARTITION,
            .opaque = block_lend(block),
        };
        const struct misfit_place at = {.table = block->table};
        struct fail why;
        enum sink_sent sent = send_fitting(p, &rec, &at, &why);
        if (sent == SINK_SENT) {
            p->counters.records++;
            block_step(block);
            continue;
        }
        block->loan.back(&block->loan);
        if (sent == SINK_FAILED)
            break_down(p, PUMP_NEEDS_STOP, &why);
        return false;
    }
    return true;
}

/* Gives the re-reads their turn where the stream stands. False while a block could not be sent whole: then nothing else
 * may be sent. *wait_ms: when they want another turn. */
static bool serve_snapshots(struct pump *p, int64_t now_ms, int *wait_ms)
{
    *wait_ms = -1;
    if (p->snapshots == NULL || p->frontier.is_split || p->is_moving)
        return true;
    p->is_halted = false;
    if (!snapshots_are_running(p->snapshots))
        return true;
    struct incremental *inc = snapshots_incremental(p->snapshots);
    for (;;) {
        struct block *block = incremental_block(inc);
        if (block != NULL) {
            if (!send_block(p, block))
                return false;
            incremental_sent(inc);
        } else if (p->is_finishing) {
            return true; /* what is under way now is read again by the next start */
        }
        *wait_ms = snapshots_service(p->snapshots, now_ms);
        p->is_halted = snapshots_halt(p->snapshots);
        if (incremental_block(inc) == NULL)
            return true;
    }
}

/* Notices of what was sent go with it. False when they can't be sent now. */
static bool send_notices(struct pump *p)
{
    struct fail why;
    if (p->notices == NULL || p->frontier.is_split || notices_send(p->notices, p->sink, &why))
        return true;
    if (why.kind != FAIL_NONE)
        break_down(p, PUMP_NEEDS_STOP, &why);
    return false;
}

static bool serve(struct pump *p, int64_t now_ms, int *wait_ms)
{
    return serve_snapshots(p, now_ms, wait_ms) && send_notices(p);
}

static bool is_storable(const struct pump *p)
{
    bool has_half_block = p->snapshots != NULL && incremental_block(snapshots_incremental(p->snapshots)) != NULL;
    bool is_told = p->notices == NULL || notices_are_sent(p->notices);
    return frontier_is_storable(&p->frontier) && !has_half_block && is_told;
}

/* ---- committing ---- */

static bool has_records(const struct pump *p)
{
    return sink_state(p->sink) == SINK_OPEN;
}

/* More rows of snapshots are on their way: the input is not dry, though the log may be. */
static bool is_reading_tables(const struct pump *p)
{
    return p->snapshots != NULL && snapshots_are_running(p->snapshots) &&
           !incremental_is_paused(snapshots_incremental(p->snapshots));
}

static int64_t records_due_ms(const struct pump *p)
{
    const struct rhythm_sent sent = {
        .opened_ms = sink_counts(p->sink)->opened_ms,
        .all_bytes = sink_counts(p->sink)->sent_bytes,
        .is_inside = p->frontier.is_inside,
        .has_more = is_reading_tables(p),
        .is_uneven = sink_is_uneven(p->sink),
    };
    return rhythm_due_ms(&p->rhythm, &sent);
}

/* In how many ms a commit is due, were nothing more to come; 0 now, -1 never. */
static int commit_due_ms(const struct pump *p, int64_t now_ms)
{
    if (!is_storable(p))
        return -1;
    if (!has_records(p) && !p->frontier.has_moved && !p->keeps_shapes)
        return -1;
    if (p->is_finishing || p->is_moving || !p->has_stored)
        return 0; /* a first start is told as ready when its position is stored */
    bool has_progress = p->snapshots != NULL && snapshots_have_changed(p->snapshots);
    bool is_awaited = has_records(p) || p->keeps_shapes || has_progress;
    int64_t due = is_awaited ? records_due_ms(p) : rhythm_position_due_ms(&p->rhythm);
    return due <= now_ms ? 0 : (int)(due - now_ms);
}

static bool keep_part(struct pump *p, const struct waiting_list *list, uint32_t part, struct fail *why)
{
    struct buf key;
    buf_init(&key);
    buf_clear(&p->scratch);
    waiting_list_print_key(list, part, p->name, p->topic_prefix, &key);
    waiting_list_print(list, part, &p->scratch);
    bool ok = commit_keep_shape(p->committer, buf_view(&key), true, buf_view(&p->scratch), why);
    buf_fini(&key);
    return ok;
}

/* A list of waiting tables that the stored offset does not mean yet. */
static bool keep_waiting(struct pump *p, struct fail *why)
{
    const struct waiting_list *list = p->frontier.state.waiting, *stored = p->stored.waiting;
    bool ok = true;
    if (list == NULL || (stored != NULL && stored->number == list->number))
        return true;
    for (uint32_t i = 0; ok && i < list->n_parts; i++)
        ok = keep_part(p, list, i, why);
    return ok || fail_add(why, "store the tables that wait for a snapshot");
}

static void start_commit(struct pump *p)
{
    struct fail why;
    if (p->snapshots != NULL)
        snapshots_store(p->snapshots);
    if (!keep_waiting(p, &why)) {
        break_down(p, PUMP_NEEDS_STOP, &why);
        return;
    }
    buf_clear(&p->scratch);
    offsets_print(&p->frontier.state, &p->scratch);
    if (!commit_keep_offset(p->committer, buf_view(&p->offset_key), true, buf_view(&p->scratch), &why)) {
        break_down(p, PUMP_NEEDS_STOP, &why);
        return;
    }
    set_state(p, PUMP_COMMITTING, "little is outstanding");
    commit_start(p->committer);
}

static void start_abort(struct pump *p, const struct fail *why)
{
    log_warn("pump", "what was sent since the last commit is dropped and will be read again: %s", why->text);
    p->why = *why;
    p->counters.aborts++;
    set_state(p, PUMP_ABORTING, why->text);
    commit_start_abort(p->committer);
}

static void committed(struct pump *p, int64_t now_ms)
{
    offset_state_fini(&p->stored);
    offset_state_init(&p->stored);
    offset_state_copy(&p->stored, &p->frontier.state);
    if (!p->has_stored)
        log_info("pump", "ready: all that is committed from now on is told, also after a kill; stored file=%s pos=%llu",
                 p->stored.pos.file, (unsigned long long)p->stored.pos.offset);
    p->has_stored = true;
    rhythm_stored(&p->rhythm, sink_counts(p->sink)->sent_bytes, now_ms);
    p->keeps_shapes = false;
    p->counters.commits++;
    frontier_stored(&p->frontier);
    if (p->is_moving) {
        struct fail moved;
        fail_set(&moved, FAIL_NONE, FAIL_AREA_REFUSED, 0, "the position was moved by a signal");
        break_down(p, PUMP_NEEDS_START, &moved);
        return;
    }
    set_state(p, PUMP_RUNNING, "committed");
}

static void take_result(struct pump *p, const struct commit_result *r, int64_t now_ms)
{
    if (p->state == PUMP_BROKEN)
        return; /* only dropped something on the way out */
    switch (r->outcome) {
    case COMMIT_DONE:
        if (r->job == COMMIT_COMMIT)
            committed(p, now_ms);
        else
            break_down(p, PUMP_NEEDS_REREAD, &p->why);
        break;
    case COMMIT_ABORT_NEEDED:
        start_abort(p, &r->why);
        break;
    case COMMIT_RENEW:
        break_down(p, PUMP_NEEDS_PRODUCER, &r->why);
        break;
    case COMMIT_STOP:
    case COMMIT_REFUSED:
    case COMMIT_INTERRUPTED:
        break_down(p, PUMP_NEEDS_STOP, &r->why);
        break;
    }
}

static void heed_failures(struct pump *p)
{
    struct fail why;
    if (p->state == PUMP_BROKEN || p->state == PUMP_COMMITTING || p->state == PUMP_ABORTING)
        return; /* the running job reports it */
    if (!sink_failure(p->sink, &why))
        return;
    if (why.kind == FAIL_STOP)
        break_down(p, PUMP_NEEDS_STOP, &why);
    else if (sink_state(p->sink) == SINK_DEAD)
        break_down(p, PUMP_NEEDS_PRODUCER, &why);
    else
        start_abort(p, &why);
}

/* ---- a turn ---- */

static int sooner(int a_ms, int b_ms)
{
    return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

/* Places where windows may close: the marks that move the stream's place. */
static bool moves_place(const struct change *chg)
{
    return chg->kind == CHANGE_COMMIT || chg->kind == CHANGE_POSITION || chg->kind == CHANGE_BEGIN ||
           chg->kind == CHANGE_READY;
}

static const struct change *next_change(struct pump *p, struct inbox_chunk **chunk)
{
    /* When finishing only the rest of a row that was begun is still sent. */
    if (((p->is_finishing || p->is_halted) && !p->frontier.is_split) || p->is_moving)
        return NULL;
    return inbox_take(p->in, chunk);
}

/* Moves changes until the inbox is dry, the producer is full, a commit is due or the turn was long enough. False when
 * something could not be sent now. */
static bool move_some(struct pump *p, int64_t *now_ms, int *wait_ms)
{
    if (!serve(p, *now_ms, wait_ms))
        return false;
    for (int n = 0; n < TURN_CHANGES && p->state == PUMP_RUNNING; n++) {
        struct inbox_chunk *chunk = NULL;
        const struct change *chg = next_change(p, &chunk);
        if (chg == NULL) {
            rhythm_dry(&p->rhythm, *now_ms);
            return true;
        }
        rhythm_wet(&p->rhythm);
        if (!pass_change(p, chg, chunk)) {
            inbox_untake(p->in);
            return false;
        }
        if (n % CLOCK_EVERY_CHANGES == 0)
            *now_ms = clock_mono_ms();
        if (moves_place(chg) && p->snapshots != NULL && !serve(p, *now_ms, wait_ms))
            return false;
        if (!p->frontier.is_split && commit_due_ms(p, *now_ms) == 0)
            return true;
    }
    return true;
}

static int move_changes(struct pump *p, int64_t now_ms)
{
    int wait_ms = -1;
    p->is_full = !move_some(p, &now_ms, &wait_ms);
    if (p->state != PUMP_RUNNING)
        return -1;
    int due_ms = commit_due_ms(p, now_ms);
    if (due_ms == 0) {
        p->drained_from_ms = now_ms;
        set_state(p, PUMP_DRAINING, "commit is due");
        return 0;
    }
    if (p->is_full)
        return sooner(due_ms, FULL_LOOK_MS);
    return p->rhythm.dry_since_ms == 0 ? 0 : sooner(due_ms, wait_ms);
}

/* While nothing can be sent tables are read on, so that their rows are there when it goes on. */
static void read_ahead(struct pump *p, int64_t now_ms)
{
    bool waits = (p->state == PUMP_RUNNING && p->is_full) || p->state == PUMP_DRAINING || p->state == PUMP_COMMITTING;
    bool may_read = p->snapshots != NULL && !p->frontier.is_split && !p->is_moving && !p->is_finishing;
    if (waits && may_read && snapshots_are_running(p->snapshots))
        snapshots_read_ahead(p->snapshots, now_ms);
}

static int turn(struct pump *p, int64_t now_ms)
{
    struct commit_result result;
    sink_service(p->sink);
    while (commit_service(p->committer, &result))
        take_result(p, &result, now_ms);
    heed_failures(p);
    if (p->state == PUMP_RUNNING) {
        int again_ms = move_changes(p, now_ms);
        if (p->state != PUMP_DRAINING)
            return again_ms;
    }
    if (p->state == PUMP_DRAINING) {
        int wait_ms = sink_drain_ms(p->sink, p->drained_from_ms, now_ms);
        if (wait_ms > 0)
            return wait_ms;
        start_commit(p);
    }
    return -1;
}

int pump_turn(struct pump *p, int64_t now_ms)
{
    if (p->sink == NULL)
        return -1;
    int again_ms = turn(p, now_ms);
    read_ahead(p, now_ms);
    return again_ms;
}

void pump_drop_inbox(struct pump *p)
{
    inbox_reset(p->in, change_fini);
}

/* ---- going on elsewhere ---- */

bool pump_may_move(const struct pump *p)
{
    return p->state == PUMP_RUNNING && !p->is_moving && is_storable(p);
}

void pump_move(struct pump *p, const struct offset_state *place)
{
    ASSERT(pump_may_move(p));
    frontier_move(&p->frontier, place);
    p->is_moving = true;
}

void pump_extend_shape(struct pump *p, const char *db, const char *table, const struct offset_state *place)
{
    const struct shape_place at = shape_place_of(place);
    struct fail why;
    if (shape_store_find(p->shapes, view_of(db), view_of(table)) == NULL)
        return; /* dropped since, and nothing of it is needed any more */
    shape_store_extend(p->shapes, view_of(db), view_of(table), &at);
    if (keep_history(p, view_of(db), view_of(table), &why))
        return;
    fail_add(&why, "store the shape of %s.%s", db, table);
    break_down(p, PUMP_NEEDS_STOP, &why);
}

void pump_finish(struct pump *p)
{
    p->is_finishing = true;
}

bool pump_is_flushed(const struct pump *p)
{
    if (p->sink == NULL)
        return true;
    if (p->state == PUMP_BROKEN)
        return !commit_is_busy(p->committer);
    return p->state == PUMP_RUNNING && !p->frontier.is_split && !has_records(p) &&
           (!p->frontier.has_moved || !frontier_is_storable(&p->frontier));
}

enum pump_state pump_state(const struct pump *p)
{
    return p->state;
}

bool pump_is_hungry(const struct pump *p)
{
    return p->state == PUMP_RUNNING && !p->is_full && !p->is_halted;
}

enum pump_need pump_need(const struct pump *p)
{
    return p->state == PUMP_BROKEN ? p->need : PUMP_NEEDS_NOTHING;
}

const struct fail *pump_fail(const struct pump *p)
{
    return &p->why;
}

bool pump_is_halted(const struct pump *p)
{
    return p->is_halted;
}

bool pump_is_idle(const struct pump *p)
{
    return p->state == PUMP_RUNNING && !has_records(p) && !p->keeps_shapes;
}

bool pump_saw_end(const struct pump *p)
{
    return p->saw_end;
}

const struct offset_state *pump_stored(const struct pump *p)
{
    return p->has_stored ? &p->stored : NULL;
}

const struct pump_counters *pump_counters(const struct pump *p)
{
    return &p->counters;
}
