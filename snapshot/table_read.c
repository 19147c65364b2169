/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/table_read.h"

#include "base/log.h"
#include "record/table_id.h"
#include "snapshot/chunk_fault.h"
#include "snapshot/mutation.h"

#include <stdlib.h>

enum {
    AGAIN_FIRST_MS = 20, /* a shape that changed is told soon */
    AGAIN_MOST_MS = 2000,
    PATIENCE_MS = 10000, /* then a person is told what is waited for */
};

struct table_read *table_read_new(struct view db, struct view table)
{
    struct table_read *t = mem_zero(1, sizeof *t);
    t->db = view_to_string(db);
    t->table = view_to_string(table);
    t->id = table_id(db, table);
    t->estimated_rows = -1;
    gtid_set_init(&t->executed);
    chunk_key_init(&t->done);
    chunk_key_init(&t->read);
    chunk_key_init(&t->last);
    for (unsigned i = 0; i < WINDOWS_AHEAD; i++) {
        window_init(&t->windows[i].window);
        chunk_key_init(&t->windows[i].next);
    }
    return t;
}

static void forget_shape(struct table_read *t)
{
    plan_free(&t->plan);
    if (t->shape != NULL)
        shape_free(&t->shape);
}

void table_read_free(struct table_read **read)
{
    struct table_read *t = *read;
    if (t == NULL)
        return;
    forget_shape(t);
    for (unsigned i = 0; i < WINDOWS_AHEAD; i++) {
        window_fini(&t->windows[i].window);
        chunk_key_fini(&t->windows[i].next);
    }
    chunk_key_fini(&t->done);
    chunk_key_fini(&t->read);
    chunk_key_fini(&t->last);
    gtid_set_fini(&t->executed);
    free(t->db);
    free(t->table);
    free(t->filter);
    free(t->surrogate);
    free(t->signal_id);
    free(t);
    *read = NULL;
}

static void set_state(struct table_read *t, enum table_read_state state, const char *because)
{
    static const char *const names[] = {"waiting", "reading", "done", "failed"};
    if (t->state != state)
        log_debug("table_read", "%s.%s: %s -> %s (%s)", t->db, t->table, names[t->state], names[state], because);
    t->state = state;
}

/* Nothing of the view is left, and of what was read in it. */
static void drop_view(struct table_read *t)
{
    t->has_view = t->is_proven = false;
    t->rows_read = t->rows_done = 0;
    t->is_read = false;
}

/* What was sent of a table without a place to go on from is sent again. */
static void note_whole(struct table_read *t)
{
    if (t->rows_sent == 0)
        return;
    log_warn(
        "table_read",
        "%s.%s: its reading broke off after %llu rows and begins anew, since it has no key to go on from: rows come "
        "twice",
        t->db, t->table, (unsigned long long)t->rows_sent);
    t->rows_sent = 0;
}

void table_read_set_shape(struct table_read *t, const struct shape *shape, struct plan *plan, bool is_whole)
{
    forget_shape(t);
    t->had_turn = true;
    t->is_whole = is_whole;
    if (is_whole) {
        drop_view(t);
        note_whole(t);
    } else {
        t->is_muted = false; /* its windows hear what it says */
    }
    t->shape = shape_hold(shape);
    t->plan = plan;
    set_state(t, TABLE_READING, "its shape is known");
}

/* ---- windows ---- */

static struct table_window *window_at(struct table_read *t, unsigned n)
{
    return &t->windows[(t->first_window + n) % WINDOWS_AHEAD];
}

/* The newest: the one the worker is reading for, if any. */
static struct table_window *newest(struct table_read *t)
{
    return t->n_windows == 0 ? NULL : window_at(t, t->n_windows - 1);
}

bool table_read_wants_chunk(const struct table_read *t, int64_t now_ms)
{
    return t->state == TABLE_READING && !t->is_read && t->n_windows < WINDOWS_AHEAD && now_ms >= t->again_at_ms;
}

void table_read_order(struct table_read *t, uint32_t limit, struct chunk_order *order)
{
    struct table_window *w = window_at(t, t->n_windows++);
    window_begin(&w->window);
    w->is_ordered = true;
    chunk_order_init(order);
    order->is_whole = t->is_whole;
    order->is_continued = t->has_view;
    order->shape = shape_hold(t->shape);
    order->filter = t->filter == NULL ? NULL : mem_strdup(t->filter);
    order->surrogate = t->surrogate == NULL ? NULL : mem_strdup(t->surrogate);
    chunk_key_set(&order->after, buf_view(&t->read.text));
    if (t->has_last)
        chunk_key_set(&order->last, buf_view(&t->last.text));
    t->limit = t->rows_fit > 0 && t->rows_fit < limit ? t->rows_fit : limit;
    order->limit = t->limit;
}

/* The order came to nothing: its window is closed again. */
static void withdraw(struct table_read *t)
{
    struct table_window *w = newest(t);
    window_drop(&w->window);
    w->is_ordered = false;
    t->n_windows--;
}

static const char *hint_of(const struct fail *why)
{
    if (chunk_fault_outcome(why) != CHUNK_OTHER_SHAPE)
        return "";
    return "; hint: the statement that changed the table is waited for; was it kept out of the log, a start with "
           "snapshot.mode=recovery takes the server's definition, and stop-snapshot gives the table up";
}

/* It will be ordered anew, after a pause that grows. */
static void note_failure(struct table_read *t, const struct fail *why, int64_t now_ms)
{
    int64_t pause_ms = AGAIN_FIRST_MS << (t->n_failed < 7 ? t->n_failed : 7);
    t->n_failed++;
    t->again_at_ms = now_ms + (pause_ms < AGAIN_MOST_MS ? pause_ms : AGAIN_MOST_MS);
    log_debug("table_read", "%s.%s: chunk is read again: %s", t->db, t->table, why->text);
    if (t->failing_since_ms == 0)
        t->failing_since_ms = now_ms;
    if (t->is_told || now_ms - t->failing_since_ms < PATIENCE_MS)
        return;
    t->is_told = true;
    log_warn("table_read", "the snapshot of %s.%s waits: %s%s", t->db, t->table, why->text, hint_of(why));
}

static void try_again(struct table_read *t, const struct fail *why, int64_t now_ms)
{
    withdraw(t);
    note_failure(t, why, now_ms);
}

static void note_success(struct table_read *t)
{
    if (t->is_told)
        log_info("table_read", "the snapshot of %s.%s goes on", t->db, t->table);
    t->is_told = false;
    t->failing_since_ms = 0;
    t->n_failed = 0;
}

/* A chunk that was cut at its bytes says how many rows fit; when they are smaller again, more are tried. */
static void adapt_limit(struct table_read *t, const struct chunk_answer *answer)
{
    if (answer->n_read < t->limit && !answer->is_final)
        t->rows_fit = answer->n_read;
    else if (t->rows_fit > 0)
        t->rows_fit = t->rows_fit > UINT32_MAX / 2 ? 0 : t->rows_fit * 2;
}

static void take_view(struct table_read *t, const struct chunk_answer *answer)
{
    if (t->has_view)
        return;
    t->has_view = true;
    t->view = answer->high;
    gtid_set_copy(&t->executed, &answer->executed);
}

static void take_rows(struct table_read *t, struct chunk_answer *answer)
{
    struct table_window *w = newest(t);
    note_success(t);
    t->is_begun = true;
    if (t->is_whole)
        take_view(t, answer);
    adapt_limit(t, answer);
    w->is_ordered = false;
    w->is_final = answer->is_final;
    w->n_read = answer->n_read;
    chunk_key_set(&w->next, buf_view(&answer->next.text));
    if (!chunk_key_is_empty(&answer->next))
        chunk_key_set(&t->read, buf_view(&answer->next.text));
    if (!t->has_last) {
        chunk_key_set(&t->last, buf_view(&answer->last.text));
        t->has_last = true;
        t->estimated_rows = answer->estimated_rows;
    }
    t->is_read = answer->is_final;
    t->rows_read += answer->n_read;
    window_fill(&w->window, answer->rows, &answer->high);
    answer->rows = NULL;
}

void table_read_answer(struct table_read *t, struct chunk_answer *answer, int64_t now_ms)
{
    struct table_window *w = newest(t);
    if (w == NULL || !w->is_ordered)
        return; /* rewound since */
    switch (answer->outcome) {
    case CHUNK_READ:
        take_rows(t, answer);
        break;
    case CHUNK_AGAIN:
    case CHUNK_OTHER_SERVER:
    case CHUNK_OTHER_SHAPE:
        if (t->has_view)
            table_read_rewind(t);
        else
            try_again(t, &answer->why, now_ms);
        break;
    case CHUNK_REFUSED:
        withdraw(t);
        table_read_fail(t, "SQL_EXCEPTION", &answer->why);
        break;
    }
}

/* The rows of a view leave where the view is: nothing up to there is newer. */
void table_read_hear(struct table_read *t, struct view before_key, struct view after_key)
{
    if (t->is_whole)
        return;
    for (unsigned i = 0; i < t->n_windows; i++)
        window_hear(&window_at(t, i)->window, before_key, after_key);
}

struct table_window *table_read_passed(struct table_read *t, const struct log_position *stream)
{
    if (t->state != TABLE_READING || t->n_windows == 0)
        return NULL;
    struct table_window *w = window_at(t, 0);
    return window_is_passed(&w->window, stream) ? w : NULL;
}

void table_read_close(struct table_read *t, uint32_t n_sent)
{
    struct table_window *w = window_at(t, 0);
    window_end(&w->window);
    if (!chunk_key_is_empty(&w->next))
        chunk_key_set(&t->done, buf_view(mutation_is(MUTATION_ANY_ORDER) ? &t->read.text : &w->next.text));
    t->rows_sent += n_sent;
    t->is_muted = false; /* a view: the stream stands at its place */
    t->rows_done += w->n_read;
    bool was_final = w->is_final;
    t->first_window = (t->first_window + 1) % WINDOWS_AHEAD;
    t->n_windows--;
    if (!was_final)
        return;
    t->status = t->rows_read == 0 ? "EMPTY" : "SUCCEEDED";
    set_state(t, TABLE_DONE, "the last window has closed");
}

void table_read_rewind(struct table_read *t)
{
    for (unsigned i = 0; i < t->n_windows; i++) {
        window_drop(&window_at(t, i)->window);
        window_at(t, i)->is_ordered = false;
    }
    t->n_windows = 0;
    if (t->is_whole)
        drop_view(t);
    chunk_key_set(&t->read, buf_view(&t->done.text));
    t->rows_read = t->rows_done;
    t->is_read = false;
    forget_shape(t);
    if (t->state == TABLE_READING)
        set_state(t, TABLE_WAITING, "back to the last closed key");
}

bool table_read_prove(struct table_read *t, const struct gtid_set *handed_over, int64_t now_ms)
{
    struct fail why;
    if (!t->is_whole || t->is_proven)
        return true;
    t->is_proven = gtid_set_contains(&t->executed, handed_over);
    if (t->is_proven)
        return true;
    fail_set(&why, FAIL_RETRY, FAIL_AREA_SOURCE, 0,
             "a transaction was in the log and not yet visible when its rows were looked at");
    table_read_rewind(t);
    note_failure(t, &why, now_ms);
    return false;
}

/* Something that failed may need the stream to go on: its shape, say. */
static bool halts_between_windows(const struct table_read *t)
{
    bool is_open = t->state == TABLE_WAITING || t->state == TABLE_READING;
    return is_open && (t->has_view || (t->kind == READ_BLOCKING && t->n_failed == 0));
}

bool table_read_halts(const struct table_read *t, const struct log_position *stream)
{
    if (mutation_is(MUTATION_NO_HALT) || (!t->is_whole && t->kind != READ_BLOCKING))
        return false;
    if (t->n_windows == 0)
        return halts_between_windows(t);
    const struct window *oldest = &t->windows[t->first_window].window;
    return oldest->state == WINDOW_READING || window_is_passed(oldest, stream);
}

void table_read_leave(struct table_read *t, const char *status, const char *reason)
{
    t->status = status;
    set_state(t, TABLE_DONE, reason);
}

void table_read_restart(struct table_read *t)
{
    buf_clear(&t->done.text);
    buf_clear(&t->read.text);
    buf_clear(&t->last.text);
    t->has_last = false;
    t->rows_read = t->rows_done = 0;
}

void table_read_fail(struct table_read *t, const char *status, const struct fail *why)
{
    table_read_rewind(t);
    t->status = status;
    t->why = *why;
    set_state(t, TABLE_FAILED, why->text);
}

bool table_read_is(const struct table_read *t, struct view db, struct view table)
{
    return view_is(db, t->db) && view_is(table, t->table);
}

bool table_read_is_fresh(const struct table_read *t)
{
    return t->state == TABLE_WAITING && !t->had_turn && t->path[0] == '\0' && t->rows_done == 0 && t->rows_sent == 0 &&
           chunk_key_is_empty(&t->done) && !t->has_last;
}

size_t table_read_bytes(const struct table_read *t)
{
    size_t n = 0;
    for (unsigned i = 0; i < WINDOWS_AHEAD; i++)
        if (t->windows[i].window.rows != NULL)
            n += buf_size(&t->windows[i].window.rows->memory);
    return n;
}
