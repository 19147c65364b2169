/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/incremental.h"

#include "base/log.h"
#include "record/table_id.h"
#include "snapshot/chunk.h"
#include "snapshot/mark.h"
#include "snapshot/mutation.h"

#include <stdlib.h>
#include <string.h>

/* A worker and the table it reads. */
struct lane {
    struct worker *worker;
    struct table_read *table; /* in the queue; NULL: free */
    bool is_withdrawn;        /* the answer that is still to come is for nobody */
    int64_t ordered_ms;
};

struct incremental {
    struct incremental_settings set;
    struct incremental_hooks hooks;
    struct table_read *first; /* the queue */
    struct table_read **last;
    uint64_t n_added;
    struct lane lanes[INCREMENTAL_THREADS_MAX];
    bool is_paused;
    unsigned n_muted;    /* so many tables of the queue are muted */
    struct block *block; /* being sent */
    struct lane *block_lane;
    int64_t next_order_ms; /* by the rate limit, not before */
};

struct incremental *incremental_new(const struct incremental_settings *set, const struct incremental_hooks *hooks)
{
    struct incremental *inc = mem_zero(1, sizeof *inc);
    inc->set = *set;
    inc->hooks = *hooks;
    inc->last = &inc->first;
    if (inc->set.threads == 0)
        inc->set.threads = 1;
    if (inc->set.threads > INCREMENTAL_THREADS_MAX)
        inc->set.threads = INCREMENTAL_THREADS_MAX;
    return inc;
}

static struct lane *lane_of(struct incremental *inc, const struct table_read *t)
{
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].table == t)
            return &inc->lanes[i];
    return NULL;
}

/* What the worker still answers is for nobody, nor is a view that it has open. */
static void withdraw_order(struct lane *lane)
{
    if (lane->worker == NULL)
        return;
    lane->is_withdrawn = !worker_is_idle(lane->worker);
    worker_withdraw(lane->worker);
}

/* Takes a table out of the queue and frees it; what its worker still answers is for nobody. */
static void take_out(struct incremental *inc, struct table_read *t)
{
    struct lane *lane = lane_of(inc, t);
    if (lane != NULL) {
        withdraw_order(lane);
        lane->table = NULL;
    }
    if (inc->block_lane == lane && lane != NULL) {
        block_let_go(&inc->block);
        inc->block_lane = NULL;
    }
    for (struct table_read **at = &inc->first; *at != NULL; at = &(*at)->next_in_queue) {
        if (*at != t)
            continue;
        *at = t->next_in_queue;
        if (inc->last == &t->next_in_queue)
            inc->last = at;
        break;
    }
    inc->n_muted -= t->is_muted;
    table_read_free(&t);
}

void incremental_reset(struct incremental *inc)
{
    while (inc->first != NULL)
        take_out(inc, inc->first);
    inc->is_paused = false;
}

bool incremental_free(struct incremental **incremental, int timeout_ms)
{
    struct incremental *inc = *incremental;
    if (inc == NULL)
        return true;
    incremental_reset(inc);
    bool ok = true;
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].worker != NULL)
            ok = worker_stop(&inc->lanes[i].worker, timeout_ms) && ok;
    if (!ok)
        return false;
    free(inc);
    *incremental = NULL;
    return true;
}

/* ---- the queue ---- */

void incremental_add(struct incremental *inc, struct table_read *t)
{
    t->next_in_queue = NULL;
    t->serial = ++inc->n_added;
    *inc->last = t;
    inc->last = &t->next_in_queue;
    inc->n_muted += t->is_muted;
}

unsigned incremental_stop(struct incremental *inc, bool (*matches)(void *ctx, const struct table_read *t), void *ctx)
{
    unsigned n = 0;
    for (struct table_read *t = inc->first, *next; t != NULL; t = next) {
        next = t->next_in_queue;
        if (!matches(ctx, t))
            continue;
        take_out(inc, t);
        n++;
    }
    if (inc->first == NULL)
        inc->is_paused = false; /* a pause is of what is there */
    if (n > 0)
        inc->hooks.progress(inc->hooks.ctx);
    return n;
}

bool incremental_pause(struct incremental *inc)
{
    if (inc->is_paused || inc->first == NULL)
        return false;
    inc->is_paused = true;
    inc->hooks.progress(inc->hooks.ctx);
    return true;
}

bool incremental_resume(struct incremental *inc)
{
    if (!inc->is_paused)
        return false;
    inc->is_paused = false;
    inc->hooks.progress(inc->hooks.ctx);
    return true;
}

bool incremental_is_paused(const struct incremental *inc)
{
    return inc->is_paused;
}

bool incremental_is_running(const struct incremental *inc)
{
    return inc->first != NULL;
}

bool incremental_has(const struct incremental *inc, enum table_read_kind kind)
{
    for (const struct table_read *t = inc->first; t != NULL; t = t->next_in_queue)
        if (t->kind == kind)
            return true;
    return false;
}

const struct table_read *incremental_failed(const struct incremental *inc)
{
    for (unsigned i = 0; i < inc->set.threads; i++) {
        const struct table_read *t = inc->lanes[i].table;
        if (t != NULL && t->kind == READ_INITIAL && t->state == TABLE_FAILED)
            return t;
    }
    return NULL;
}

void incremental_delay(struct incremental *inc, int64_t until_ms)
{
    inc->next_order_ms = until_ms;
}

const struct table_read *incremental_tables(const struct incremental *inc)
{
    return inc->first;
}

/* ---- what the stream does ---- */

void incremental_hear(struct incremental *inc, const char *table_id, struct view before_key, struct view after_key)
{
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].table != NULL && inc->lanes[i].table->id == table_id)
            table_read_hear(inc->lanes[i].table, before_key, after_key);
}

bool incremental_mutes(const struct incremental *inc, const char *id)
{
    if (inc->n_muted == 0 || mutation_is(MUTATION_NO_MUTE))
        return false;
    for (const struct table_read *t = inc->first; t != NULL; t = t->next_in_queue)
        if (t->is_muted && t->id == id)
            return true;
    return false;
}

/* In a pause the stream goes on, but for a view. */
bool incremental_halts(const struct incremental *inc, const struct log_position *stream)
{
    for (unsigned i = 0; i < inc->set.threads; i++) {
        const struct table_read *t = inc->lanes[i].table;
        if (t != NULL && (!inc->is_paused || t->has_view) && table_read_halts(t, stream))
            return true;
    }
    return false;
}

static void rewind_lane(struct lane *lane)
{
    table_read_rewind(lane->table);
    withdraw_order(lane);
}

void incremental_reshaped(struct incremental *inc, struct view db, struct view table)
{
    const char *id = table_id(db, table);
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].table != NULL && inc->lanes[i].table->id == id)
            rewind_lane(&inc->lanes[i]);
}

void incremental_rewritten(struct incremental *inc, struct view db, struct view table)
{
    incremental_reshaped(inc, db, table);
    for (struct table_read *t = inc->first; t != NULL; t = t->next_in_queue) {
        if (!table_read_is(t, db, table) || t->state != TABLE_WAITING)
            continue;
        log_info("incremental", "%s.%s: its rows are others now, it is read from the start", t->db, t->table);
        table_read_restart(t);
        inc->hooks.progress(inc->hooks.ctx);
    }
}

void incremental_other_server(struct incremental *inc)
{
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].table != NULL)
            rewind_lane(&inc->lanes[i]);
}

/* ---- orders ---- */

static void fail_table(struct table_read *t, const char *status, const char *reason)
{
    struct fail why;
    fail_set(&why, FAIL_REFUSE, FAIL_AREA_DATA, 0, "%s.%s: %s", t->db, t->table, reason);
    table_read_fail(t, status, &why);
}

/* The order it is read in; when it is another than the one that the stored key is of, all is read from the start. */
static bool choose_path(struct table_read *t, const struct shape *shape)
{
    struct chunk_path path;
    struct fail why;
    char digest[TABLE_PATH_BYTES];
    if (!chunk_choose_path(&path, shape, t->surrogate, &why)) {
        table_read_fail(t, "SKIPPED", &why);
        return false;
    }
    chunk_path_digest(&path, digest);
    if (t->path[0] != '\0' && strcmp(t->path, digest) != 0) {
        log_info("incremental", "%s.%s: its key has changed, it is read from the start", t->db, t->table);
        table_read_restart(t);
    }
    memcpy(t->path, digest, sizeof digest);
    return true;
}

const char *incremental_refusal(enum incremental_shape found, const struct shape *shape, const char **status)
{
    switch (found) {
    case INCREMENTAL_SHAPE_UNKNOWN:
        *status = "UNKNOWN_SCHEMA";
        return "there is no such table, or its shape is not known";
    case INCREMENTAL_NOT_CAPTURED:
        *status = "SKIPPED";
        return "the table is not captured; hint: table.include.list and its like decide";
    case INCREMENTAL_SHAPE_FOUND:
        break;
    }
    *status = "NO_PRIMARY_KEY";
    return shape->n_key > 0 ? NULL
                            : "it has neither a primary key nor a unique key of NOT NULL columns; hint: a BLOCKING "
                              "snapshot reads it";
}

/* Nothing of an initial snapshot is lost when a table is gone; but a new name of it is one that nobody has read. */
static void leave_table(struct table_read *t, const char *status, const char *reason)
{
    log_warn("incremental", "%s.%s: %s; hint: if it was renamed, ask for a snapshot under its new name", t->db,
             t->table, reason);
    table_read_leave(t, status, reason);
}

static void end_unread(struct table_read *t, const char *status, const char *reason)
{
    if (t->kind == READ_INITIAL)
        leave_table(t, status, reason);
    else
        fail_table(t, status, reason);
}

/* No chunk can follow its key. The place that was reached by another one means nothing now. */
static bool is_whole(const struct table_read *t, const struct shape *shape)
{
    struct chunk_path path;
    struct fail ignored;
    return t->kind != READ_INCREMENTAL && t->filter == NULL &&
           (shape->n_key == 0 || !chunk_choose_path(&path, shape, NULL, &ignored));
}

/* One that had no key when the first start began is muted until its rows are read, and nothing is told twice. */
static void note_lost_key(const struct table_read *t, const struct shape *shape)
{
    if (t->kind == READ_INITIAL && shape->n_key == 0 && !t->is_muted && !t->is_whole && t->rows_sent == 0)
        log_warn("incremental",
                 "%s.%s lost its key before its turn: what was told of it since the start is in its rows once more; "
                 "from its first row on the records add up to the table",
                 t->db, t->table);
}

static void plan_table(struct incremental *inc, struct table_read *t, const struct shape *shape, bool whole)
{
    struct fail why;
    struct plan *plan = plan_new(shape, inc->set.record, &why);
    if (plan == NULL)
        table_read_fail(t, "SQL_EXCEPTION", &why);
    else
        table_read_set_shape(t, shape, plan, whole);
}

/* Gives a waiting table its shape as the stream has it now. */
static void shape_table(struct incremental *inc, struct table_read *t)
{
    const struct shape *shape = NULL;
    const char *status;
    if (!inc->hooks.is_wanted(inc->hooks.ctx, t)) {
        log_warn("incremental", "%s.%s: it is not read, the settings leave it out now", t->db, t->table);
        table_read_leave(t, "SKIPPED", "it is not wanted any more");
        return;
    }
    enum incremental_shape found = inc->hooks.find_shape(inc->hooks.ctx, view_of(t->db), view_of(t->table), &shape);
    const char *reason = incremental_refusal(found, shape, &status);
    bool whole = found == INCREMENTAL_SHAPE_FOUND && is_whole(t, shape);
    if (whole) {
        note_lost_key(t, shape);
        table_read_restart(t);
        t->path[0] = '\0';
        plan_table(inc, t, shape, true);
    } else if (found != INCREMENTAL_SHAPE_FOUND) {
        end_unread(t, status, reason);
    } else if (reason != NULL) {
        fail_table(t, status, reason);
    } else if (choose_path(t, shape)) {
        plan_table(inc, t, shape, false);
    }
    if (shape != NULL)
        shape_free(&shape);
}

static size_t held_bytes(const struct incremental *inc)
{
    size_t n = 0;
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].table != NULL)
            n += table_read_bytes(inc->lanes[i].table);
    return n;
}

/* How large a chunk may get: a fair part of the budget, so that some can be open together. */
static size_t chunk_bytes(const struct incremental *inc)
{
    enum { LEAST_BYTES = 64 * 1024 };
    size_t part = inc->set.budget_bytes / (2 * inc->set.threads);
    return part < LEAST_BYTES ? LEAST_BYTES : part;
}

/* The rate limit spreads chunks evenly: the next one waits as long as the rows of this one may take. */
static void note_order(struct incremental *inc, int64_t now_ms)
{
    int64_t took_ms = (int64_t)((uint64_t)inc->set.chunk_size * 1000 / inc->set.rows_per_second);
    inc->next_order_ms = (now_ms > inc->next_order_ms ? now_ms : inc->next_order_ms) + took_ms;
}

static bool start_worker(struct incremental *inc, struct lane *lane, int64_t now_ms)
{
    struct fail why;
    if (lane->worker != NULL)
        return true;
    lane->worker = worker_start(&inc->set.worker, &why);
    if (lane->worker != NULL)
        return true;
    log_fail(LOG_ERROR, "incremental", &why);
    lane->table->again_at_ms = now_ms + 1000;
    return false;
}

static void order_chunk(struct incremental *inc, struct lane *lane, const struct snapshot_place *place, int64_t now_ms)
{
    struct chunk_order order;
    table_read_order(lane->table, inc->set.chunk_size, &order);
    order.max_bytes = chunk_bytes(inc);
    order.has_barrier = inc->hooks.barrier(inc->hooks.ctx, &order.barrier);
    inc->hooks.early_xa(inc->hooks.ctx, &order.early_xa);
    memcpy(order.server_uuid, place->server_uuid, strnlen(place->server_uuid, sizeof order.server_uuid - 1) + 1);
    worker_order(lane->worker, &order);
    lane->ordered_ms = now_ms;
    chunk_order_fini(&order);
    if (inc->set.rows_per_second > 0)
        note_order(inc, now_ms);
}

/* A chunk alone may be larger than the budget: it is read when nothing else is held, or when the stream waits for it. */
static bool has_room(const struct incremental *inc, const struct table_read *t)
{
    size_t held = held_bytes(inc);
    return held == 0 || held < inc->set.budget_bytes ||
           ((t->has_view || t->kind == READ_BLOCKING) && t->n_windows == 0);
}

/* A view is read to its end even in a pause: the stream waits for it. */
static bool may_order(const struct incremental *inc, const struct lane *lane)
{
    return lane->table != NULL && (!inc->is_paused || lane->table->has_view);
}

static void order_if_wanted(struct incremental *inc, struct lane *lane, const struct snapshot_place *place,
                            int64_t now_ms)
{
    if (!may_order(inc, lane) || !start_worker(inc, lane, now_ms) || !worker_is_idle(lane->worker))
        return;
    if (lane->table->state == TABLE_WAITING) {
        bool was_muted = lane->table->is_muted;
        shape_table(inc, lane->table);
        inc->n_muted -= was_muted && !lane->table->is_muted;
    }
    if (now_ms >= inc->next_order_ms && table_read_wants_chunk(lane->table, now_ms) && has_room(inc, lane->table))
        order_chunk(inc, lane, place, now_ms);
}

/* ---- answers and closings ---- */

static void take_answer(struct incremental *inc, struct lane *lane, int64_t now_ms)
{
    struct chunk_answer answer;
    if (lane->worker == NULL || !worker_take(lane->worker, &answer))
        return;
    if (lane->table != NULL && !lane->is_withdrawn) {
        bool was_begun = lane->table->is_begun;
        table_read_answer(lane->table, &answer, now_ms);
        bool is_news = lane->table->kind == READ_INCREMENTAL ? answer.n_read > 0 : !was_begun;
        if (answer.outcome == CHUNK_READ && is_news)
            inc->hooks.tell(inc->hooks.ctx, INCREMENTAL_IN_PROGRESS, lane->table);
    }
    lane->is_withdrawn = false;
    chunk_answer_fini(&answer);
}

/* No other one of its kind is to be read. */
static bool is_last_of_kind(const struct incremental *inc, const struct table_read *t)
{
    for (const struct table_read *q = inc->first; q != NULL; q = q->next_in_queue)
        if (q != t && q->kind == t->kind && q->state != TABLE_DONE)
            return false;
    return true;
}

/* Where the rows leave. Those of an initial snapshot are nobody's transaction. */
static struct row_source source_of(const struct table_read *t, const struct snapshot_place *place, int64_t now_ns)
{
    bool is_initial = t->kind == READ_INITIAL;
    return (struct row_source){
        .file = view_of(place->pos.file),
        .pos = place->pos.offset,
        .server_id = is_initial ? 0 : place->server_id,
        .gtid = is_initial ? VIEW_NONE : view_of(place->gtid),
        .ts_us = now_ns / 1000,
        .now_ns = now_ns,
    };
}

/* With the stream at the view's place: whether the view has all that the log has up to there. */
static bool prove_view(struct incremental *inc, struct lane *lane, int64_t now_ms)
{
    struct gtid_set handed_over;
    bool ok = true;
    if (!lane->table->is_whole || lane->table->is_proven)
        return true;
    gtid_set_init(&handed_over);
    inc->hooks.barrier(inc->hooks.ctx, &handed_over);
    ok = table_read_prove(lane->table, &handed_over, now_ms);
    if (!ok)
        withdraw_order(lane);
    gtid_set_fini(&handed_over);
    return ok;
}

static void close_passed(struct incremental *inc, struct lane *lane, const struct snapshot_place *place, int64_t now_ms,
                         int64_t now_ns)
{
    while (inc->block == NULL && lane->table != NULL) {
        struct table_window *w = table_read_passed(lane->table, &place->pos);
        if (w == NULL || !prove_view(inc, lane, now_ms))
            return;
        const struct row_source src = source_of(lane->table, place, now_ns);
        const struct block_marks marks = mark_rows(lane->table, w->is_final, is_last_of_kind(inc, lane->table));
        struct block *block = block_new(&w->window, lane->table->plan, lane->table->id, &src, &marks);
        inc->block = block;
        inc->block_lane = lane;
        if (block->n == 0)
            incremental_sent(inc); /* nothing is left, but the key is done */
    }
}

struct block *incremental_block(struct incremental *inc)
{
    return inc->block;
}

void incremental_sent(struct incremental *inc)
{
    struct lane *lane = inc->block_lane;
    uint32_t n = inc->block->n;
    block_let_go(&inc->block);
    inc->block_lane = NULL;
    inc->n_muted -= lane->table->is_muted;
    table_read_close(lane->table, n);
    inc->hooks.progress(inc->hooks.ctx);
}

static bool has_ended(const struct table_read *t)
{
    return t->state == TABLE_DONE || t->state == TABLE_FAILED;
}

static bool is_alone(const struct incremental *inc, const struct table_read *t)
{
    for (const struct table_read *q = inc->first; q != NULL; q = q->next_in_queue)
        if (q != t && q->kind == t->kind)
            return false;
    return true;
}

static void end_table(struct incremental *inc, struct table_read *t)
{
    bool is_last = is_alone(inc, t);
    inc->hooks.tell(inc->hooks.ctx, INCREMENTAL_TABLE_DONE, t);
    if (is_last)
        inc->hooks.tell(inc->hooks.ctx, INCREMENTAL_COMPLETED, t);
    take_out(inc, t);
    inc->hooks.progress(inc->hooks.ctx);
}

/* One that was asked for twice is read twice, but not both at once: each reading is whole by itself. */
static bool is_being_read(const struct incremental *inc, const char *id)
{
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].table != NULL && inc->lanes[i].table->id == id)
            return true;
    return false;
}

/* Tables that have ended leave the queue; the next ones get their lanes. */
static void advance_queue(struct incremental *inc)
{
    for (unsigned i = 0; i < inc->set.threads; i++) {
        struct table_read *t = inc->lanes[i].table;
        if (t != NULL && has_ended(t) && !(t->kind == READ_INITIAL && t->state == TABLE_FAILED))
            end_table(inc, t);
    }
    for (struct table_read *t = inc->first; t != NULL; t = t->next_in_queue) {
        if (is_being_read(inc, t->id))
            continue;
        struct lane *lane = lane_of(inc, NULL); /* a free one */
        if (lane == NULL)
            return;
        lane->table = t;
    }
}

/* In how many ms the lane wants a turn, -1: when news come. */
static int lane_wait_ms(const struct incremental *inc, const struct lane *lane, int64_t now_ms)
{
    const struct table_read *t = lane->table;
    if (!may_order(inc, lane) || (t->kind == READ_INITIAL && t->state == TABLE_FAILED))
        return -1;
    if (has_ended(t))
        return 0;
    if (t->again_at_ms > now_ms)
        return (int)(t->again_at_ms - now_ms);
    return inc->next_order_ms > now_ms ? (int)(inc->next_order_ms - now_ms) : -1;
}

int incremental_service(struct incremental *inc, const struct snapshot_place *place, int64_t now_ms, int64_t now_ns)
{
    int wait_ms = -1;
    for (unsigned i = 0; i < inc->set.threads; i++)
        take_answer(inc, &inc->lanes[i], now_ms);
    for (unsigned i = 0; i < inc->set.threads && inc->block == NULL; i++)
        close_passed(inc, &inc->lanes[i], place, now_ms, now_ns);
    advance_queue(inc);
    for (unsigned i = 0; i < inc->set.threads; i++) {
        order_if_wanted(inc, &inc->lanes[i], place, now_ms);
        int ms = lane_wait_ms(inc, &inc->lanes[i], now_ms);
        if (ms >= 0 && (wait_ms < 0 || ms < wait_ms))
            wait_ms = ms;
    }
    return inc->block != NULL ? 0 : wait_ms;
}

void incremental_read_ahead(struct incremental *inc, const struct snapshot_place *place, int64_t now_ms)
{
    for (unsigned i = 0; i < inc->set.threads; i++) {
        struct lane *lane = &inc->lanes[i];
        take_answer(inc, lane, now_ms);
        if (lane->table != NULL && lane->table->state == TABLE_READING)
            order_if_wanted(inc, lane, place, now_ms);
    }
}

unsigned incremental_fds(const struct incremental *inc, int *fds)
{
    unsigned n = 0;
    for (unsigned i = 0; i < inc->set.threads; i++)
        if (inc->lanes[i].worker != NULL)
            fds[n++] = worker_fd(inc->lanes[i].worker);
    return n;
}

int64_t incremental_oldest_order_ms(const struct incremental *inc, const char **db, const char **table)
{
    int64_t oldest_ms = 0;
    for (unsigned i = 0; i < inc->set.threads; i++) {
        const struct lane *lane = &inc->lanes[i];
        bool is_older = oldest_ms == 0 || lane->ordered_ms < oldest_ms;
        if (lane->table == NULL || lane->worker == NULL || !is_older || worker_is_idle(lane->worker))
            continue;
        oldest_ms = lane->ordered_ms;
        *db = lane->table->db;
        *table = lane->table->table;
    }
    return oldest_ms;
}
