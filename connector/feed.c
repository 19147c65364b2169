/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/feed.h"

#include "binlog/ddl.h"
#include "connector/feed_statement.h"
#include "record/plan.h"
#include "record/render.h"
#include "record/table_id.h"
#include "record/topic.h"

#include <stdlib.h>

enum { LARGE_EVENT_BYTES = 64 * 1024 };

struct feed {
    struct inbox *in;
    const struct record_settings *set;
    const struct filter *filter;
    struct render_event event;
    bool is_ready; /* past the barrier of a first start */
};

struct feed *feed_new(struct inbox *in, const struct record_settings *set, const struct filter *filter)
{
    struct feed *f = mem_zero(1, sizeof *f);
    f->in = in;
    f->set = set;
    f->filter = filter;
    render_event_init(&f->event);
    return f;
}

void feed_free(struct feed **feed)
{
    struct feed *f = *feed;
    if (f == NULL)
        return;
    render_event_fini(&f->event);
    free(f);
    *feed = NULL;
}

static bool cancelled(struct fail *why)
{
    return fail_set(why, FAIL_RETRY, FAIL_AREA_REFUSED, 0, "the reader was told to end");
}

/* ---- marks ---- */

static bool push_mark(struct feed *f, const struct change *chg, struct fail *why)
{
    if (!inbox_start(f->in, 0, 1))
        return cancelled(why);
    inbox_push(f->in, chg);
    inbox_publish(f->in);
    return true;
}

/* Puts a copy behind what was appended since inbox_start; returns its offset from there. Aligned for a struct. */
static size_t put_copy(struct feed *f, const void *bytes, size_t n)
{
    struct buf *out = inbox_buf(f->in);
    buf_need(out, n + 8);
    while ((uintptr_t)out->p % 8 != 0)
        *out->p++ = 0;
    size_t at = (size_t)(out->p - inbox_base(f->in));
    buf_put(out, bytes, n);
    return at;
}

static bool begin(void *ctx, const struct stream_transaction *trx, struct fail *why)
{
    struct feed *f = ctx;
    struct change chg = {.kind = CHANGE_BEGIN, .events = 1};
    chg.mark.file = trx->file;
    chg.mark.offset = trx->offset;
    chg.mark.ts_us = trx->ts_us;
    chg.mark.server_id = trx->server_id;
    if (!inbox_start(f->in, sizeof trx->gtid + 8, 1))
        return cancelled(why);
    if (trx->has_gtid) {
        size_t at = put_copy(f, &trx->gtid, sizeof trx->gtid);
        chg.mark.gtid = (const struct gtid *)(inbox_base(f->in) + at);
    }
    inbox_push(f->in, &chg);
    return true;
}

bool feed_origin(struct feed *f, const char *server_uuid, const struct log_position *pos,
                 const struct gtid_set *executed, struct fail *why)
{
    struct change chg = {.kind = CHANGE_ORIGIN};
    f->is_ready = pos == NULL;
    if (!inbox_start(f->in, 0, 1))
        return cancelled(why);
    chg.mark.server_uuid = topic_intern(view_of(server_uuid));
    if (pos != NULL) {
        chg.mark.file = topic_intern(view_of(pos->file));
        chg.mark.offset = pos->offset;
    }
    if (executed != NULL) {
        chg.mark.executed = mem_alloc(sizeof *chg.mark.executed);
        gtid_set_init(chg.mark.executed);
        gtid_set_copy(chg.mark.executed, executed);
    }
    inbox_push(f->in, &chg);
    inbox_publish(f->in);
    return true;
}

bool feed_is_ready(const struct feed *f)
{
    return f->is_ready;
}

static bool server(void *ctx, const char *server_uuid, struct fail *why)
{
    return feed_origin(ctx, server_uuid, NULL, NULL, why);
}

static bool file(void *ctx, const char *name, uint32_t made_sec, struct fail *why)
{
    struct change chg = {.kind = CHANGE_FILE};
    chg.mark.file = name;
    chg.mark.ts_us = (int64_t)made_sec * 1000000;
    return push_mark(ctx, &chg, why);
}

static bool commit(void *ctx, const struct stream_transaction *trx, const char *file, uint64_t offset, struct fail *why)
{
    struct change chg = {.kind = CHANGE_COMMIT, .events = trx->events};
    chg.mark.file = file;
    chg.mark.offset = offset;
    chg.mark.ts_us = trx->ts_us;
    return push_mark(ctx, &chg, why);
}

static bool position(void *ctx, const char *file, uint64_t offset, struct fail *why)
{
    struct change chg = {.kind = CHANGE_POSITION};
    chg.mark.file = file;
    chg.mark.offset = offset;
    return push_mark(ctx, &chg, why);
}

static bool ready(void *ctx, struct fail *why)
{
    struct feed *f = ctx;
    f->is_ready = true;
    const struct change chg = {.kind = CHANGE_READY};
    return push_mark(f, &chg, why);
}

static bool push_xa(struct feed *f, enum change_kind kind, const struct gtid *prepared, struct view xid,
                    struct fail *why)
{
    struct change chg = {.kind = kind};
    if (!inbox_start(f->in, sizeof *prepared + xid.n + 16, 1))
        return cancelled(why);
    size_t gtid_at = put_copy(f, prepared, sizeof *prepared);
    size_t xid_at = put_copy(f, xid.p, xid.n);
    if (prepared->n > 0)
        chg.mark.gtid = (const struct gtid *)(inbox_base(f->in) + gtid_at);
    chg.mark.xid = (struct view){inbox_base(f->in) + xid_at, xid.n};
    inbox_push(f->in, &chg);
    inbox_publish(f->in);
    return true;
}

static bool xa(void *ctx, enum stream_xa_step step, const struct gtid *prepared, struct view xid, struct fail *why)
{
    static const enum change_kind kinds[] = {
        [STREAM_XA_PREPARED] = CHANGE_XA_OPEN,
        [STREAM_XA_ENDED] = CHANGE_XA_DONE,
        [STREAM_XA_LOST] = CHANGE_XA_LOST,
        [STREAM_XA_FORGOTTEN] = CHANGE_XA_DONE,
    };
    return push_xa(ctx, kinds[step], prepared, xid, why);
}

bool feed_early_xa(struct feed *f, struct view xid, struct fail *why)
{
    static const struct gtid unknown = {.n = 0};
    return push_xa(f, CHANGE_XA_EARLY, &unknown, xid, why);
}

/* A mark about a table; a shape is counted for the loop. */
static bool push_table_mark(struct feed *f, enum change_kind kind, struct view db, struct view table,
                            const struct shape *shape, struct fail *why)
{
    struct change chg = {.kind = kind};
    if (!inbox_start(f->in, db.n + table.n + 16, 1))
        return cancelled(why);
    size_t db_at = put_copy(f, db.p, db.n);
    size_t table_at = put_copy(f, table.p, table.n);
    chg.mark.db = (struct view){inbox_base(f->in) + db_at, db.n};
    chg.mark.table = (struct view){inbox_base(f->in) + table_at, table.n};
    chg.mark.shape = shape == NULL ? NULL : shape_hold(shape);
    inbox_push(f->in, &chg);
    inbox_publish(f->in);
    return true;
}

static bool shape_changed(void *ctx, struct view db, struct view table, const struct shape *shape, struct fail *why)
{
    return push_table_mark(ctx, CHANGE_SHAPE, db, table, shape, why);
}

static bool table_rewritten(void *ctx, struct view db, struct view table, bool is_emptied, struct fail *why)
{
    return push_table_mark(ctx, is_emptied ? CHANGE_EMPTIED : CHANGE_REWRITE, db, table, NULL, why);
}

bool feed_shape(struct feed *f, const struct shape *shape, struct fail *why)
{
    return push_table_mark(f, CHANGE_SHAPE, shape->db, shape->table, shape, why);
}

void feed_end(struct feed *f)
{
    struct fail ignored; /* after a cancel nobody waits for this mark */
    const struct change chg = {.kind = CHANGE_END};
    if (!push_mark(f, &chg, &ignored))
        inbox_publish(f->in);
}

/* ---- tables and rows ---- */

static bool is_captured(const void *ctx, struct view db, struct view table)
{
    const struct feed *f = ctx;
    return filter_has_table(f->filter, db, table);
}

/* What rows of one table version need. */
struct feed_table {
    struct plan *plan;
    const char *id;
};

static bool open_table(void *ctx, const struct shape *shape, void **table, struct fail *why)
{
    struct feed *f = ctx;
    struct plan *plan = plan_new(shape, f->set, why);
    if (plan == NULL)
        return false;
    struct feed_table *t = mem_alloc(sizeof *t);
    *t = (struct feed_table){plan, table_id(shape->db, shape->table)};
    *table = t;
    return true;
}

static void close_table(void *ctx, void *table)
{
    struct feed_table *t = table;
    (void)ctx;
    plan_free(&t->plan);
    free(t);
}

static bool event_begin(void *ctx, void *table, const struct stream_event *ev, struct fail *why)
{
    struct feed *f = ctx;
    const struct feed_table *t = table;
    const struct row_source src = {
        .file = view_of(ev->file),
        .pos = ev->offset,
        .server_id = ev->server_id,
        .has_thread = ev->trx->has_thread,
        .thread = ev->trx->thread,
        .gtid = view_of(ev->trx->gtid_text),
        .query = f->set->include_query ? ev->query : VIEW_NONE,
        .ts_us = ev->ts_us,
        .now_ns = ev->now_ns,
        .snapshot = "false",
    };
    (void)why;
    render_event_begin(&f->event, t->plan, &src);
    return true;
}

static void set_exact_keys(struct change *chg, const uint8_t *base, const struct rendered_row *row)
{
    chg->record.before_key = (struct view){base + row->before_key_at, row->before_key_bytes};
    chg->record.after_key = (struct view){base + row->after_key_at, row->after_key_bytes};
}

/* Adds what was rendered since inbox_start, where `base` is now. */
static void push_rendered(struct feed *f, const struct feed_table *t, const struct rendered_row *row,
                          const struct stream_transaction *trx, uint32_t rows)
{
    uint32_t told = trx->has_told ? trx->told + 1 : 0;
    const uint8_t *base = inbox_base(f->in);
    for (unsigned i = 0; i < row->n; i++) {
        const struct rendered *r = &row->records[i];
        bool is_last = i + 1 == row->n;
        struct change chg = {
            .kind = CHANGE_RECORD,
            .header = r->header,
            .has_key = r->has_key,
            .has_value = r->has_value,
            .is_part = !is_last,
            .events = trx->events,
            .rows = rows,
            .told = told,
        };
        chg.record.topic = plan_topic(t->plan);
        chg.record.table = t->id;
        chg.record.key = (struct view){base + r->key_at, r->key_bytes};
        chg.record.value = (struct view){base + r->value_at, r->value_bytes};
        chg.record.header_value = (struct view){base + r->header_at, r->header_bytes};
        if (i == 0)
            set_exact_keys(&chg, base, row);
        inbox_push(f->in, &chg);
    }
    if (row->n == 0 && row->before_key_bytes + row->after_key_bytes > 0) {
        struct change chg = {.kind = CHANGE_UNSENT, .events = trx->events, .rows = rows, .told = told};
        chg.record.table = t->id;
        set_exact_keys(&chg, base, row);
        inbox_push(f->in, &chg);
    }
}

/* Base64 is a third longer; a large event has one row, since the server cuts events at some kilobytes. */
static size_t expected_bytes(const struct stream_event *ev)
{
    return ev->bytes < LARGE_EVENT_BYTES ? 0 : (size_t)ev->bytes / 2 * 3;
}

static bool row(void *ctx, void *table, const struct stream_event *ev, enum stream_row kind, uint32_t row_index,
                const struct cell *before, const struct cell *after, struct fail *why)
{
    static const enum row_op ops[] = {ROW_CREATE, ROW_UPDATE, ROW_DELETE};
    struct feed *f = ctx;
    const struct feed_table *t = table;
    struct rendered_row res;
    if (!inbox_start(f->in, expected_bytes(ev), RENDERED_MAX))
        return cancelled(why);
    if (!render_row(t->plan, &f->event, ops[kind], row_index, before, after, inbox_buf(f->in), &res, why)) {
        inbox_undo(f->in);
        return false;
    }
    push_rendered(f, t, &res, ev->trx, row_index + 1);
    return true;
}

static bool event_end(void *ctx, const struct stream_event *ev, struct fail *why)
{
    struct feed *f = ctx;
    (void)ev;
    (void)why;
    inbox_publish(f->in);
    return true;
}

/* ---- statements ---- */

static bool push_record(struct feed *f, const char *topic, bool to_partition_0, struct view key, struct view value,
                        uint32_t events, bool is_part, struct fail *why)
{
    if (!inbox_start(f->in, key.n + value.n, 1))
        return cancelled(why);
    struct buf *out = inbox_buf(f->in);
    buf_put_view(out, key);
    buf_put_view(out, value);
    struct change chg = {.kind = CHANGE_RECORD,
                         .has_key = key.n > 0,
                         .has_value = true,
                         .to_partition_0 = to_partition_0,
                         .is_part = is_part,
                         .events = events};
    chg.record.topic = topic;
    chg.record.key = (struct view){inbox_base(f->in), key.n};
    chg.record.value = (struct view){inbox_base(f->in) + key.n, value.n};
    inbox_push(f->in, &chg);
    inbox_publish(f->in);
    return true;
}

bool feed_schema(void *ctx, const char *topic, bool to_partition_0, struct view key, struct view value, uint32_t events,
                 struct fail *why)
{
    return push_record(ctx, topic, to_partition_0, key, value, events, false, why);
}

/* The place behind a statement's record is that of its transaction's end, or of the row that follows: no restart could
 * tell that it was sent. */
static bool push_statement(void *ctx, const char *topic, bool to_partition_0, struct view key, struct view value,
                           uint32_t events, struct fail *why)
{
    return push_record(ctx, topic, to_partition_0, key, value, events, true, why);
}

static bool statement(void *ctx, const struct stream_statement *st, struct fail *why)
{
    struct feed *f = ctx;
    return feed_statement_tell(f->set, f->filter, st, push_statement, f, why);
}

void feed_output(struct feed *f, struct stream_output *out)
{
    *out = (struct stream_output){
        .ctx = f,
        .is_captured = is_captured,
        .open_table = open_table,
        .close_table = close_table,
        .server = server,
        .file = file,
        .begin = begin,
        .event_begin = event_begin,
        .row = row,
        .event_end = event_end,
        .statement = statement,
        .shape_changed = shape_changed,
        .table_rewritten = table_rewritten,
        .xa = xa,
        .commit = commit,
        .position = position,
        .ready = ready,
    };
}
