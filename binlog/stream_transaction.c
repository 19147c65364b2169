/* SPDX-License-Identifier: Apache-2.0 */
/* Begin, commit, XA transactions, and how a transaction goes on after a reconnect: see stream.h, S1. */
#include "base/log.h"
#include "binlog/stream_state.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what was told before ---- */

void stream_add_half(struct stream *st, const struct stream_half *half)
{
    struct stream_half *added = mem_zero(1, sizeof *added);
    *added = *half;
    added->next = st->halves;
    st->halves = added;
}

static void drop_half(struct stream_half **at)
{
    struct stream_half *half = *at;
    *at = half->next;
    free(half);
}

/* The server may send the prepares of open XA transactions before a half without a name: they tell no rows, so they are not
 * asked. */
static struct stream_half **find_half(struct stream *st)
{
    struct stream_half **at = &st->halves;
    while (*at != NULL && (*at)->gtid.n > 0 &&
           !(st->trx.has_gtid && memcmp(&(*at)->gtid, &st->trx.gtid, sizeof st->trx.gtid) == 0))
        at = &(*at)->next;
    return at;
}

/* The transaction that begins may be one that was handed over in part. */
static void resume(struct stream *st)
{
    st->skip_events = 0;
    st->skip_rows = 0;
    st->skip_told = 0;
    struct stream_half **at = find_half(st);
    if (*at == NULL || !st->tells)
        return;
    const struct stream_half *half = *at;
    if (half->by_told) {
        st->skip_told = half->told;
    } else {
        st->skip_events = half->events;
        st->skip_rows = half->rows;
    }
    st->trx.told = half->told;
    st->trx.has_told = half->has_told;
    drop_half(at);
}

static void remember(struct stream *st)
{
    struct stream_half half = {.events = st->trx.events,
                               .rows = st->told_rows,
                               .has_told = st->trx.has_told,
                               .told = st->trx.told,
                               .by_told = st->skip_told > 0};
    if (st->trx.has_gtid)
        half.gtid = st->trx.gtid;
    if (half.events < st->skip_events || (half.events == st->skip_events && half.rows < st->skip_rows)) {
        half.events = st->skip_events;
        half.rows = st->skip_rows;
    }
    stream_add_half(st, &half);
}

void stream_other_server(struct stream *st)
{
    for (struct stream_half **at = &st->halves; *at != NULL;) {
        (*at)->by_told = (*at)->gtid.n > 0 && (*at)->has_told;
        if ((*at)->by_told) {
            at = &(*at)->next;
            continue;
        }
        log_warn("stream",
                 "the transaction under way is told again from its start: another server may have cut it into "
                 "other events, and its rows were not counted");
        drop_half(at);
    }
    st->safe = (struct log_position){.file = ""};
    st->file = "";
    st->offset = 0;
    stream_forget_file(st);
}

void stream_forget_file(struct stream *st)
{
    st->birth = (struct log_birth){.file = ""};
}

void stream_reconnected(struct stream *st)
{
    if (st->state == STREAM_INSIDE && st->tells)
        remember(st);
    stream_xa_forget(st);
    payload_close(&st->payload);
    stream_forget_tables(st);
    st->state = STREAM_OUTSIDE;
    st->told_rows = 0;
    st->file = stream_intern(view_of(st->safe.file));
    st->offset = st->safe.offset;
    decoder_set_checksum(&st->decoder, CHECKSUM_CRC32);
}

/* ---- begin and commit ---- */

static bool lies_behind_barrier(const struct stream *st)
{
    if (!st->has_barrier)
        return true;
    struct log_position here = {.offset = st->event_offset};
    snprintf(here.file, sizeof here.file, "%s", st->file);
    return position_compare(&here, &st->barrier) >= 0;
}

bool stream_name(struct stream *st, const struct event *ev, struct fail *why)
{
    struct gtid_event g;
    if (!gtid_event_read(ev, &g, why))
        return false;
    st->state = STREAM_NAMED;
    st->trx = (struct stream_transaction){.gtid_text = ""};
    if (g.gtid.n > 0) {
        gtid_print(&g.gtid, st->gtid_text);
        st->trx.has_gtid = true;
        st->trx.gtid = g.gtid;
        st->trx.gtid_text = st->gtid_text;
        st->trx.ts_us = g.origin_commit_us;
    }
    return true;
}

/* The transaction starts with this event, or with the statement that is all of it. */
static bool open_transaction(struct stream *st, const struct event *ev, struct fail *why)
{
    if (st->state != STREAM_NAMED)
        st->trx = (struct stream_transaction){.gtid_text = ""};
    st->trx.file = st->file;
    st->trx.offset = st->event_offset;
    st->trx.server_id = ev->header.server_id;
    if (st->trx.ts_us == 0)
        st->trx.ts_us = (int64_t)ev->header.when * 1000000;
    st->trx.events = 1;
    st->trx.has_told = true;
    st->trx.told = 0;
    st->told_rows = 0;
    st->tells = lies_behind_barrier(st);
    st->state = STREAM_INSIDE;
    buf_clear(&st->query);
    return st->out.begin(st->out.ctx, &st->trx, why);
}

bool stream_begin_transaction(struct stream *st, const struct event *ev, const struct statement *sm, struct fail *why)
{
    if (!open_transaction(st, ev, why))
        return false;
    st->trx.has_thread = true;
    st->trx.thread = sm->thread_id;
    resume(st);
    return true;
}

bool stream_open_statement(struct stream *st, const struct event *ev, struct fail *why)
{
    return open_transaction(st, ev, why);
}

void stream_count_event(struct stream *st)
{
    st->trx.events++;
    st->told_rows = 0;
}

/* What was told of it must be in this server's log too. */
static bool check_told(const struct stream *st, struct fail *why)
{
    if (st->skip_told == 0)
        return true;
    return fail_set(
        why, FAIL_STOP, FAIL_AREA_DATA, 0,
        "%u rows of transaction %s were told from another server's log, this one has only %u of them; hint: go "
        "back to that server, or see what tables are captured, filtered or missing here",
        st->trx.told, st->gtid_text, st->trx.told - st->skip_told);
}

/* A place behind the end of the transaction is none: all of it would have been passed by, and nobody knows what was told. */
static bool check_skipped(const struct stream *st, struct fail *why)
{
    if (st->trx.events >= st->skip_events)
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                    "go on behind event %u of transaction %s file=%s pos=%llu, where the stored offset lies: it has "
                    "only %u events, so the offset is not of this log or was changed; hint: tidemark offsets set to "
                    "the place before the transaction tells it again from its start, tidemark offsets skip leaves it "
                    "out",
                    st->skip_events, st->trx.gtid_text, st->trx.file, (unsigned long long)st->trx.offset,
                    st->trx.events);
}

bool stream_commit(struct stream *st, struct fail *why)
{
    if (!check_told(st, why) || !check_skipped(st, why))
        return false;
    if (!st->out.commit(st->out.ctx, &st->trx, st->file, st->offset, why))
        return false;
    if (st->has_gtids && st->trx.has_gtid)
        gtid_set_add(&st->executed, &st->trx.gtid);
    st->counters.transactions++;
    st->state = STREAM_OUTSIDE;
    st->safe = stream_place(st);
    st->skip_events = 0;
    st->skip_rows = 0;
    buf_clear(&st->query);
    return true;
}

/* ---- XA ---- */

static void xa_free(struct stream_xa *xa)
{
    if (xa == NULL)
        return;
    held_fini(&xa->events);
    free(xa->xid);
    free(xa);
}

void stream_xa_forget(struct stream *st)
{
    xa_free(st->xa_open);
    st->xa_open = NULL;
}

void stream_fini_transactions(struct stream *st)
{
    stream_xa_forget(st);
    while (st->halves != NULL)
        drop_half(&st->halves);
    while (st->xa_prepared != NULL) {
        struct stream_xa *xa = st->xa_prepared;
        st->xa_prepared = xa->next;
        xa_free(xa);
    }
}

bool stream_xa_start(struct stream *st, const struct event *ev, struct fail *why)
{
    if (!open_transaction(st, ev, why))
        return false;
    stream_xa_forget(st);
    st->xa_open = mem_zero(1, sizeof *st->xa_open);
    held_init(&st->xa_open->events, &st->xa_budget);
    if (st->trx.has_gtid)
        st->xa_open->gtid = st->trx.gtid;
    st->state = STREAM_XA;
    return true;
}

bool stream_xa_keep(struct stream *st, const struct event *ev, struct fail *why)
{
    const struct held_event held = {st->file, st->event_offset, ev->body, ev->header.type, ev->header.server_id};
    return held_put(&st->xa_open->events, &held, why);
}

/* The rows of a prepared transaction become those of the transaction under way. */
static bool tell_held(struct stream *st, struct stream_xa *xa, struct fail *why)
{
    struct held_event held;
    bool is_end;
    uint64_t here = st->event_offset;
    resume(st);
    held_rewind(&xa->events);
    while (held_next(&xa->events, &held, &is_end, why)) {
        struct event ev = {.body = held.body};
        ev.header.type = held.type;
        ev.header.server_id = held.server_id;
        ev.header.length = (uint32_t)held.body.n;
        ev.header.when = (uint32_t)(st->trx.ts_us / 1000000);
        st->event_offset = held.offset;
        bool ok = true;
        if (held.type == EVENT_TABLE_MAP) {
            ok = stream_table_map(st, &ev, why);
        } else if (held.type == EVENT_ROWS_QUERY) {
            struct view sql;
            ok = statement_read_rows_query(&ev, &sql, why);
            buf_clear(&st->query);
            buf_put_view(&st->query, sql);
        } else {
            ok = stream_rows(st, &ev, held.file, why);
        }
        if (!ok)
            return false;
        stream_count_event(st);
    }
    st->event_offset = here;
    return is_end;
}

static struct stream_xa *take_prepared(struct stream *st, struct view xid)
{
    for (struct stream_xa **at = &st->xa_prepared; *at != NULL; at = &(*at)->next) {
        struct stream_xa *xa = *at;
        if (view_is(xid, xa->xid)) {
            *at = xa->next;
            return xa;
        }
    }
    return NULL;
}

/* The last event of an XA transaction's first part: it is committed by it, or will be told later. */
bool stream_xa_prepare(struct stream *st, const struct event *ev, struct fail *why)
{
    struct xa_prepare_event prepare;
    struct buf xid;
    if (!statement_read_xa_prepare(ev, &prepare, why))
        return false;
    if (st->state != STREAM_XA)
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0, "an XA_PREPARE came without its XA START");
    struct stream_xa *xa = st->xa_open;
    st->xa_open = NULL;
    st->state = STREAM_INSIDE;
    if (prepare.one_phase) {
        bool ok = tell_held(st, xa, why) && stream_commit(st, why);
        xa_free(xa);
        return ok;
    }
    buf_init(&xid);
    statement_print_xa(&prepare, &xid);
    xa_free(take_prepared(st, buf_view(&xid)));
    xa->xid = view_to_string(buf_view(&xid));
    xa->next = st->xa_prepared;
    st->xa_prepared = xa;
    bool ok = st->out.xa(st->out.ctx, STREAM_XA_PREPARED, &xa->gtid, buf_view(&xid), why) && stream_commit(st, why);
    buf_fini(&xid);
    return ok;
}

bool stream_xa_end(struct stream *st, const struct event *ev, const struct statement *sm, bool commits, struct view xid,
                   struct fail *why)
{
    (void)sm;
    if (!open_transaction(st, ev, why))
        return false;
    struct stream_xa *xa = take_prepared(st, xid);
    if (xa == NULL) {
        static const struct gtid unknown = {.n = 0};
        enum stream_xa_step step = commits && st->tells ? STREAM_XA_LOST : STREAM_XA_FORGOTTEN;
        return st->out.xa(st->out.ctx, step, &unknown, xid, why) && stream_commit(st, why);
    }
    bool ok = (!commits || tell_held(st, xa, why)) && st->out.xa(st->out.ctx, STREAM_XA_ENDED, &xa->gtid, xid, why) &&
              stream_commit(st, why);
    xa_free(xa);
    return ok;
}
