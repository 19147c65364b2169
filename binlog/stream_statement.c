/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of the log: what they do to the shapes, and what is to be told of them; see stream.h, S2 and S3. */
#include "base/log.h"
#include "binlog/statement_ddl.h"
#include "binlog/stream_state.h"

#include <stdlib.h>

/* ---- shapes that speak only from some place on ---- */

static struct view name_key(struct buf *key, struct view db, struct view table)
{
    buf_init(key);
    buf_put_view(key, db);
    buf_put_u8(key, 0);
    buf_put_view(key, table);
    return buf_view(key);
}

void stream_distrust_before(struct stream *st, struct view db, struct view table, const struct log_position *from)
{
    struct buf key;
    struct log_position *place = mem_alloc(sizeof *place);
    *place = *from;
    free(map_put(&st->distrusted, name_key(&key, db, table), place));
    buf_fini(&key);
}

static void trust(struct stream *st, struct view db, struct view table)
{
    struct buf key;
    free(map_remove(&st->distrusted, name_key(&key, db, table)));
    buf_fini(&key);
}

bool stream_is_trusted(const struct stream *st, struct view db, struct view table)
{
    struct buf key;
    if (st->distrusted.n == 0)
        return true;
    const struct log_position *from = map_get(&st->distrusted, name_key(&key, db, table));
    buf_fini(&key);
    if (from == NULL)
        return true;
    struct log_position here = stream_place(st);
    here.offset = st->event_offset;
    return position_compare(&here, from) >= 0;
}

void stream_fini_statements(struct stream *st)
{
    map_fini(&st->distrusted, free);
}

/* ---- reading a shape from the server ---- */

/* The log does not tell this table's shape any more: the server does, from its log's end on. */
static bool read_again(struct stream *st, struct view db, struct view table, struct log_position *as_of,
                       struct fail *why)
{
    const struct shape *shape = NULL;
    if (!st->out.read_shape(st->out.read_ctx, db, table, &shape, as_of, why))
        return fail_add(why, "read the shape of %.*s.%.*s again", VIEW_ARGS(db), VIEW_ARGS(table));
    if (shape == NULL)
        catalog_remove(st->catalog, db, table);
    else
        catalog_put(st->catalog, shape);
    st->epoch++;
    return true;
}

/* At or below the barrier the catalog is ahead of the log: who is named by a statement is read again, and the
 * barrier moves behind that reading. */
static bool pass_early_statement(struct stream *st, struct fail *why)
{
    for (size_t i = 0; i < st->effects.n_effects; i++) {
        const struct ddl_effect *e = &st->effects.effects[i];
        struct log_position as_of;
        if (!e->is_captured || e->table.n == 0)
            continue;
        if (!read_again(st, e->db, e->table, &as_of, why))
            return false;
        if (position_compare(&as_of, &st->barrier) > 0)
            st->barrier = as_of;
        const struct shape *shape = catalog_find(st->catalog, e->db, e->table);
        if (!st->out.shape_changed(st->out.ctx, e->db, e->table, shape, why))
            return false;
    }
    return true;
}

/* ---- effects ---- */

/* A row change that the log has only as a statement is a lost change, if the table is ours. */
static bool refuse_row_statement(struct stream *st, const struct ddl_effect *e, struct view sql, struct fail *why)
{
    if (!e->is_captured)
        return true;
    fail_set(
        why, FAIL_STOP, FAIL_AREA_DATA, 0,
        "rows of %.*s.%.*s were changed by a statement that the log holds without its rows (binlog_format=STATEMENT in "
        "that session): %.*s; hint: event.processing.failure.handling.mode=warn goes on, the rows have to be read "
        "again",
        VIEW_ARGS(e->db), VIEW_ARGS(e->table), (int)(sql.n > 100 ? 100 : sql.n), (const char *)sql.p);
    if (st->set.event_processing == STREAM_FAIL)
        return false;
    if (st->set.event_processing == STREAM_WARN)
        log_warn("stream", "%s file=%s pos=%llu", why->text, st->file, (unsigned long long)st->event_offset);
    st->counters.statements_left_out++;
    return true;
}

/* What the server shows is of later, but for a table that no statement between names. */
static bool settle_trust(struct stream *st, struct view db, struct view table, const struct log_position *as_of,
                         struct fail *why)
{
    struct log_position here = stream_place(st);
    bool is_proven = false;
    if (catalog_find(st->catalog, db, table) != NULL &&
        !st->out.prove(st->out.read_ctx, db, table, &here, as_of, &is_proven, why))
        return false;
    if (is_proven)
        trust(st, db, table);
    else
        stream_distrust_before(st, db, table, as_of);
    return true;
}

/* The shape after a statement is not in the log: the server's own. */
static bool adopt_server_shape(struct stream *st, const struct ddl_effect *e, struct fail *why)
{
    struct log_position as_of;
    if (!e->is_captured)
        return true;
    log_write(st->set.inconsistent_schema == STREAM_SKIP ? LOG_DEBUG : LOG_WARN, "stream",
              "the shape of %.*s.%.*s does not follow from the log, it is read from the server file=%s pos=%llu",
              VIEW_ARGS(e->db), VIEW_ARGS(e->table), st->file, (unsigned long long)st->event_offset);
    return read_again(st, e->db, e->table, &as_of, why) && settle_trust(st, e->db, e->table, &as_of, why);
}

static bool tell_shape(struct stream *st, struct view db, struct view table, struct fail *why)
{
    return st->out.shape_changed(st->out.ctx, db, table, catalog_find(st->catalog, db, table), why);
}

/* The table came from another name whose shape follows from the log; what the server shows under the new one is later. */
static bool comes_from_trusted_name(const struct stream *st, const struct ddl_effect *e)
{
    return e->old_table.n > 0 && !e->needs_shape && stream_is_trusted(st, e->old_db, e->old_table);
}

/* What the table holds now is in no row event: that of a partition exchanged, or of the table that took its name. */
static bool tell_other_rows(struct stream *st, const struct ddl_effect *e, struct view sql, struct fail *why)
{
    if (!e->is_captured)
        return true;
    if (st->tells && e->kind == DDL_DATA_CHANGED)
        log_warn(
            "stream",
            "rows of %.*s.%.*s came or went by a statement, of which the log does not hold the rows: %.*s; hint: have "
            "the table read again; what went is told by nobody file=%s pos=%llu",
            VIEW_ARGS(e->db), VIEW_ARGS(e->table), (int)(sql.n > 100 ? 100 : sql.n), (const char *)sql.p, st->file,
            (unsigned long long)st->event_offset);
    return st->out.table_rewritten(st->out.ctx, e->db, e->table, false, why);
}

/* CREATE TABLE IF NOT EXISTS of a table whose shape is of later: it was there, or it is there from here on. */
static bool take_condition(struct stream *st, const struct ddl_effect *e, struct fail *why)
{
    if (!e->is_conditional || !e->is_captured || stream_is_trusted(st, e->db, e->table))
        return true;
    return adopt_server_shape(st, e, why) && tell_shape(st, e->db, e->table, why);
}

static bool take_effect(struct stream *st, const struct ddl_effect *e, struct view sql, struct fail *why)
{
    switch (e->kind) {
    case DDL_ROW_STATEMENT:
        return refuse_row_statement(st, e, sql, why);
    case DDL_UNREADABLE:
        return adopt_server_shape(st, e, why) && (!e->is_captured || tell_shape(st, e->db, e->table, why));
    case DDL_CREATE:
    case DDL_ALTER:
    case DDL_RENAME:
    case DDL_DROP:
        /* A new table is known from here on. What changes a shape that is of later must not change it again. */
        if (e->kind == DDL_CREATE || e->kind == DDL_DROP || comes_from_trusted_name(st, e))
            trust(st, e->db, e->table);
        if ((e->needs_shape || !stream_is_trusted(st, e->db, e->table)) && !adopt_server_shape(st, e, why))
            return false;
        if (e->was_captured && e->old_table.n > 0 && !tell_shape(st, e->old_db, e->old_table, why))
            return false;
        if (e->is_captured && !tell_shape(st, e->db, e->table, why))
            return false;
        return e->old_table.n == 0 || tell_other_rows(st, e, sql, why);
    case DDL_TRUNCATE:
        return !e->is_captured || st->out.table_rewritten(st->out.ctx, e->db, e->table, true, why);
    case DDL_DATA_CHANGED:
        return tell_other_rows(st, e, sql, why);
    case DDL_NONE:
        return take_condition(st, e, why);
    case DDL_DATABASE:
        return true;
    }
    return true;
}

static bool apply(struct stream *st, const struct statement *sm, struct fail *why)
{
    struct ddl_context ctx = statement_ddl_context(sm, &st->server);
    ctx.is_captured = st->out.is_captured;
    ctx.arg = st->out.ctx;
    if (ddl_apply(st->catalog, &ctx, sm->sql, &st->effects, why))
        return true;
    /* Not understood: its effects say whom it concerns, and the server's word is taken instead. */
    log_warn("stream", "%s", why->text);
    return true;
}

static bool tell_statement(struct stream *st, const struct event *ev, const struct statement *sm, struct fail *why)
{
    const struct stream_statement told = {
        .trx = &st->trx,
        .file = st->file,
        .offset = st->event_offset,
        .server_id = ev->header.server_id,
        .ts_us = st->trx.has_gtid ? st->trx.ts_us : (int64_t)ev->header.when * 1000000,
        .now_ns = st->now_ns,
        .db = sm->db,
        .sql = sm->sql,
        .effects = &st->effects,
    };
    return st->out.statement(st->out.ctx, &told, why);
}

static bool take_each_effect(struct stream *st, const struct event *ev, const struct statement *sm, struct fail *why)
{
    if (!st->tells && st->early == STREAM_EARLY_READ_AGAIN)
        return pass_early_statement(st, why);
    /* After a reconnect inside the transaction it was told before; its shapes are told again, which does no harm. */
    bool was_told = st->trx.events < st->skip_events || st->skip_told > 0;
    for (size_t i = 0; i < st->effects.n_effects; i++)
        if (!take_effect(st, &st->effects.effects[i], sm->sql, why))
            return false;
    return !st->tells || was_told || tell_statement(st, ev, sm, why);
}

static bool take_effects(struct stream *st, const struct event *ev, const struct statement *sm, struct fail *why)
{
    if (st->effects.n_effects == 0)
        return true;
    st->epoch++;
    if (!take_each_effect(st, ev, sm, why))
        return false;
    stream_forget_replaced_tables(st);
    return true;
}

bool stream_statement(struct stream *st, const struct event *ev, const struct statement *sm, struct fail *why)
{
    bool is_alone = st->state != STREAM_INSIDE && st->state != STREAM_XA;
    if (is_alone && !stream_open_statement(st, ev, why))
        return false;
    bool is_passed = !st->tells && st->early == STREAM_EARLY_PASS;
    if (!is_passed && (!apply(st, sm, why) || !take_effects(st, ev, sm, why)))
        return false;
    if (is_alone)
        return stream_commit(st, why);
    stream_count_event(st);
    return true;
}
