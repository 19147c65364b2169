/* SPDX-License-Identifier: Apache-2.0 */
/* Table maps, and the rows behind them: each table map is read once and kept by its id; see stream.h, S2. */
#include "base/log.h"
#include "binlog/stream_state.h"

#include <stdlib.h>

static void table_close(struct stream *st, struct stream_table *t)
{
    if (t->handle != NULL)
        st->out.close_table(st->out.ctx, t->handle);
    t->handle = NULL;
    if (t->shape != NULL)
        shape_free(&t->shape);
}

static void table_free(struct stream *st, struct stream_table *t)
{
    table_close(st, t);
    arena_fini(&t->memory);
    free(t);
}

void stream_forget_tables(struct stream *st)
{
    for (unsigned i = 0; i < TABLE_SLOTS; i++) {
        while (st->tables[i] != NULL) {
            struct stream_table *t = st->tables[i];
            st->tables[i] = t->next;
            table_free(st, t);
        }
    }
    st->last_table = NULL;
}

/* The server gives a table a new id with each statement that changes it. */
void stream_forget_replaced_tables(struct stream *st)
{
    for (unsigned i = 0; i < TABLE_SLOTS; i++) {
        for (struct stream_table **at = &st->tables[i]; *at != NULL;) {
            struct stream_table *t = *at;
            if (t->shape == NULL || t->shape == catalog_find(st->catalog, t->map.db, t->map.table)) {
                at = &t->next;
                continue;
            }
            *at = t->next;
            table_free(st, t);
        }
    }
    st->last_table = NULL;
}

static struct stream_table *find(struct stream *st, uint64_t id)
{
    if (st->last_table != NULL && st->last_table->id == id)
        return st->last_table;
    struct stream_table *t = st->tables[id % TABLE_SLOTS];
    while (t != NULL && t->id != id)
        t = t->next;
    if (t != NULL)
        st->last_table = t;
    return t;
}

static struct stream_table *add(struct stream *st, uint64_t id)
{
    struct stream_table *t = mem_zero(1, sizeof *t);
    t->id = id;
    arena_init(&t->memory);
    t->next = st->tables[id % TABLE_SLOTS];
    st->tables[id % TABLE_SLOTS] = t;
    st->last_table = t;
    return t;
}

/* A captured table that can't be told: ends the stream, or leaves its rows out until its shape is known again. */
static bool leave_out(struct stream *st, struct stream_table *t, struct fail *why)
{
    if (st->set.inconsistent_schema == STREAM_FAIL) {
        why->kind = FAIL_STOP;
        why->area = FAIL_AREA_DATA;
        return false;
    }
    t->is_left_out = true;
    if (st->set.inconsistent_schema == STREAM_WARN)
        log_warn("stream", "rows of %.*s.%.*s are left out: %s", VIEW_ARGS(t->map.db), VIEW_ARGS(t->map.table),
                 why->text);
    return true;
}

static bool check_shape(struct stream *st, const struct stream_table *t, const struct shape *shape, struct fail *why)
{
    if (shape == NULL)
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                        "the shape of captured table %.*s.%.*s is not known here; hint: if the user had no SELECT on "
                        "it, grant that and start again; inconsistent.schema.handling.mode=warn goes on without its "
                        "rows",
                        VIEW_ARGS(t->map.db), VIEW_ARGS(t->map.table));
    /* A shape that the server told later may be another than at this place, even if it fits: two columns may have
     * changed places. Names in the log settle it. */
    if (!t->map.has_names && !stream_is_trusted(st, t->map.db, t->map.table))
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                        "the shape of %.*s.%.*s was read from the server later than this place in the log, and the "
                        "statements between don't tell it; hint: binlog_row_metadata=FULL on the source tells it with "
                        "each row; inconsistent.schema.handling.mode=warn goes on without the table's rows",
                        VIEW_ARGS(t->map.db), VIEW_ARGS(t->map.table));
    return table_map_check(&t->map, shape, why);
}

/* Looks up the shape in force and prepares for rows of it. */
static bool open_table(struct stream *st, struct stream_table *t, struct fail *why)
{
    const struct shape *shape = NULL;
    t->epoch = st->epoch;
    t->is_left_out = false;
    bool is_captured = st->out.is_captured(st->out.ctx, t->map.db, t->map.table);
    if (is_captured) {
        shape = catalog_find(st->catalog, t->map.db, t->map.table);
        if (!check_shape(st, t, shape, why)) {
            table_close(st, t);
            return leave_out(st, t, why);
        }
    }
    if (shape == t->shape && t->layout.map != NULL)
        return true;
    table_close(st, t);
    if (shape == NULL)
        return true;
    if (!st->out.open_table(st->out.ctx, shape, &t->handle, why))
        return leave_out(st, t, why);
    t->shape = shape_hold(shape);
    rows_layout_prepare(&t->layout, &t->map, shape, &t->memory);
    return true;
}

static bool read_map(struct stream *st, struct stream_table *t, struct view body, struct fail *why)
{
    table_close(st, t);
    arena_reset(&t->memory);
    t->layout = (struct rows_layout){0};
    t->map = (struct table_map){0};
    if (!table_map_read(&t->map, body, &t->memory, why))
        return false;
    return open_table(st, t, why);
}

bool stream_table_map(struct stream *st, const struct event *ev, struct fail *why)
{
    uint64_t id;
    if (!table_map_peek_id(ev->body, &id))
        return fail_malformed(why, "a TABLE_MAP of %zu bytes is too short", ev->body.n);
    if (!st->tells)
        return true; /* its shape may be of later: not even looked at */
    struct stream_table *t = find(st, id);
    if (t == NULL)
        t = add(st, id);
    if (!view_equal(t->map.body, ev->body))
        return read_map(st, t, ev->body, why);
    return t->epoch == st->epoch ? true : open_table(st, t, why);
}

/* ---- rows ---- */

static enum stream_row kind_of(const struct rows *r)
{
    return r->kind == ROWS_INSERT ? STREAM_INSERT : r->kind == ROWS_UPDATE ? STREAM_UPDATE : STREAM_DELETE;
}

/* Rows whose images lack columns can't be told: the session changed binlog_row_image. */
static bool refuse_short_image(struct stream *st, const struct stream_table *t, struct fail *why)
{
    fail_set(
        why, FAIL_STOP, FAIL_AREA_DATA, 0,
        "a row of %.*s.%.*s lacks columns: the session that wrote it had set binlog_row_image to other than FULL%s; "
        "hint: event.processing.failure.handling.mode=warn leaves such rows out",
        VIEW_ARGS(t->map.db), VIEW_ARGS(t->map.table),
        st->rows.is_partial ? " and binlog_row_value_options to PARTIAL_JSON: its documents can't be rebuilt" : "");
    if (st->set.event_processing == STREAM_FAIL)
        return false;
    if (st->set.event_processing == STREAM_WARN)
        log_warn("stream", "%s file=%s pos=%llu", why->text, st->file, (unsigned long long)st->event_offset);
    st->counters.rows_left_out++;
    return true;
}

/* The stored offset names a row that the event does not have. */
static bool refuse_row_behind_end(const struct stream *st, const struct stream_table *t, const struct stream_event *ev,
                                  uint32_t n, struct fail *why)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                    "go on behind row %u of event %u of transaction %s, where the stored offset lies: the event at "
                    "file=%s pos=%llu has only %u rows of %.*s.%.*s, so the offset is not of this log or was changed; "
                    "hint: tidemark offsets set to the place before the transaction tells it again from its start, "
                    "tidemark offsets skip leaves it out",
                    st->skip_rows, st->skip_events, st->trx.gtid_text, ev->file, (unsigned long long)ev->offset, n,
                    VIEW_ARGS(t->map.db), VIEW_ARGS(t->map.table));
}

/* Tells the rows of the event from `first` on. */
static bool tell_rows(struct stream *st, const struct stream_table *t, const struct stream_event *ev, uint32_t first,
                      struct fail *why)
{
    struct rows *r = &st->rows;
    bool is_end = false;
    enum stream_row kind = kind_of(r);
    for (uint32_t i = 0; i < first; i++) {
        if (!rows_skip(r, &is_end, why))
            return false;
        if (is_end)
            return refuse_row_behind_end(st, t, ev, i, why);
    }
    for (; st->skip_told > 0; st->skip_told--, first++) {
        if (!rows_skip(r, &is_end, why))
            return false;
        if (is_end)
            return true;
    }
    st->told_rows = first;
    for (uint32_t i = first;; i++) {
        if (!rows_next(r, &is_end, why))
            return false;
        if (is_end)
            return true;
        if (!st->out.row(st->out.ctx, t->handle, ev, kind, i, r->before, r->after, why))
            return false;
        st->counters.rows++;
        st->told_rows = i + 1;
        st->trx.told++;
    }
}

bool stream_rows(struct stream *st, const struct event *ev, const char *file, struct fail *why)
{
    struct rows *r = &st->rows;
    if (!st->tells || st->trx.events < st->skip_events)
        return true;
    if (!rows_open(r, ev, why))
        return false;
    struct stream_table *t = find(st, r->table_id);
    if (t == NULL)
        return fail_malformed(why, "rows came for table id %llu without a TABLE_MAP", (unsigned long long)r->table_id);
    if (t->handle == NULL) {
        st->counters.rows_left_out += t->is_left_out ? 1 : 0;
        return true;
    }
    if (!rows_image_is_full(r))
        return refuse_short_image(st, t, why);
    if (!rows_begin(r, &t->layout, &st->row_memory, why))
        return false;
    const struct stream_event event = {
        .trx = &st->trx,
        .file = file,
        .offset = st->event_offset,
        .bytes = ev->header.length,
        .server_id = ev->header.server_id,
        .ts_us = st->trx.has_gtid ? st->trx.ts_us : (int64_t)ev->header.when * 1000000,
        .query = buf_view(&st->query),
        .now_ns = st->now_ns,
    };
    uint32_t first = st->trx.events == st->skip_events ? st->skip_rows : 0;
    return st->out.event_begin(st->out.ctx, t->handle, &event, why) && tell_rows(st, t, &event, first, why) &&
           st->out.event_end(st->out.ctx, &event, why);
}
