/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/stream.h"

#include "base/log.h"
#include "binlog/stream_state.h"

#include <stdio.h>
#include <stdlib.h>

/* File names are few and outlive every stream: changes that name them may still be on their way. */
struct interned {
    struct interned *next;
    char text[];
};

static struct interned *interned; /* reader thread only */

const char *stream_intern(struct view file)
{
    for (struct interned *i = interned; i != NULL; i = i->next)
        if (view_is(file, i->text))
            return i->text;
    struct interned *fresh = mem_alloc(sizeof *fresh + file.n + 1);
    memcpy(fresh->text, file.p, file.n);
    fresh->text[file.n] = '\0';
    fresh->next = interned;
    interned = fresh;
    return fresh->text;
}

struct log_position stream_place(const struct stream *st)
{
    struct log_position pos;
    snprintf(pos.file, sizeof pos.file, "%s", st->file);
    pos.offset = st->offset;
    return pos;
}

struct stream *stream_new(const struct stream_settings *set, struct catalog *catalog, const struct stream_output *out)
{
    struct stream *st = mem_zero(1, sizeof *st);
    st->set = *set;
    st->out = *out;
    st->catalog = catalog;
    st->file = "";
    decoder_init(&st->decoder);
    gtid_set_init(&st->executed);
    map_init(&st->distrusted);
    payload_init(&st->payload);
    rows_init(&st->rows);
    arena_init(&st->row_memory);
    buf_init(&st->query);
    ddl_result_init(&st->effects);
    st->xa_budget.limit_bytes = set->xa_memory_bytes;
    return st;
}

void stream_free(struct stream **stream)
{
    struct stream *st = *stream;
    if (st == NULL)
        return;
    stream_fini_transactions(st);
    stream_fini_statements(st);
    stream_forget_tables(st);
    ddl_result_fini(&st->effects);
    buf_fini(&st->query);
    arena_fini(&st->row_memory);
    rows_fini(&st->rows);
    payload_fini(&st->payload);
    gtid_set_fini(&st->executed);
    free(st);
    *stream = NULL;
}

void stream_set_server(struct stream *st, const struct stream_server *server)
{
    st->server = *server;
}

void stream_begin(struct stream *st, const struct stream_start *start)
{
    if (start->executed != NULL) {
        gtid_set_copy(&st->executed, start->executed);
        st->has_gtids = true;
    }
    st->file = stream_intern(view_of(start->pos.file));
    st->offset = start->pos.offset;
    st->safe = start->pos;
    st->birth = start->birth;
    if (start->is_inside)
        stream_add_half(st, &(struct stream_half){.gtid = start->inside_gtid,
                                                  .by_told = start->is_recut,
                                                  .has_told = start->told > 0,
                                                  .events = start->skip_events,
                                                  .rows = start->skip_rows,
                                                  .told = start->told});
    st->has_barrier = start->has_barrier;
    st->barrier = start->barrier;
    st->early = start->early;
    st->is_ready = !start->has_barrier;
    decoder_set_checksum(&st->decoder, CHECKSUM_CRC32);
}

void stream_go_to_file_start(struct stream *st)
{
    if (!st->has_barrier) {
        st->has_barrier = true;
        st->barrier = st->safe;
        st->early = STREAM_EARLY_PASS;
    }
    st->offset = 4;
    st->safe.offset = 4;
}

struct stream_where stream_where(const struct stream *st)
{
    return (struct stream_where){&st->executed, st->has_gtids, &st->safe};
}

bool stream_is_outside(const struct stream *st)
{
    return st->state == STREAM_OUTSIDE;
}

const struct stream_counters *stream_counters(const struct stream *st)
{
    return &st->counters;
}

/* ---- position ---- */

/* Outside a transaction: all before here is done. */
static bool tell_position(struct stream *st, struct fail *why)
{
    if (st->state != STREAM_OUTSIDE)
        return true;
    st->safe = stream_place(st);
    if (!st->has_barrier || st->file[0] == '\0' || position_compare(&st->safe, &st->barrier) < 0)
        return true;
    st->has_barrier = false;
    if (st->is_ready)
        return true;
    st->is_ready = true;
    return st->out.position(st->out.ctx, st->file, st->offset, why) && st->out.ready(st->out.ctx, why);
}

static bool pass_position(struct stream *st, struct fail *why)
{
    if (st->state == STREAM_OUTSIDE && !st->out.position(st->out.ctx, st->file, st->offset, why))
        return false;
    return tell_position(st, why);
}

/* The header has the low half of the event's end: it goes on from where we are, over 4 GiB too. Servers that leave it
 * out (0) are counted by lengths. */
static void advance(struct stream *st, const struct event_header *h)
{
    uint64_t end = st->offset + h->length;
    if (h->end_pos != 0) {
        end = (st->offset & ~(uint64_t)UINT32_MAX) | h->end_pos;
        if (end < st->offset)
            end += (uint64_t)1 << 32;
    }
    st->event_offset = end >= h->length ? end - h->length : 0;
    st->offset = end;
}

static bool on_rotate(struct stream *st, const struct event *ev, struct fail *why)
{
    struct rotate_event rotate;
    if (!decoder_read_rotate(ev, &rotate, why))
        return false;
    const char *file = stream_intern(rotate.file);
    /* Table ids are the server process's own, and a new file may be the first of a new one. */
    if (strcmp(file, st->file) != 0)
        stream_forget_tables(st);
    st->file = file;
    st->offset = rotate.offset;
    return pass_position(st, why);
}

/* S4: the event's time is that of the file, also where it is sent again for a dump from the midst. */
static bool enter_file(struct stream *st, uint32_t made_sec, struct fail *why)
{
    struct log_birth *b = &st->birth;
    bool is_known = strcmp(b->file, st->file) == 0;
    if (is_known && b->sec != made_sec)
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, STREAM_OTHER_FILE,
                        "the log file %s is not the one that was read before: that was made at %u, this one at %u "
                        "(seconds since 1970)",
                        st->file, b->sec, made_sec);
    if (is_known)
        return true;
    snprintf(b->file, sizeof b->file, "%s", st->file);
    b->sec = made_sec;
    return st->out.file(st->out.ctx, st->file, made_sec, why);
}

/* The event's own bytes count only where a file was entered at its start. */
static bool on_format(struct stream *st, const struct event *ev, struct fail *why)
{
    if (st->offset == 4)
        advance(st, &ev->header);
    stream_forget_tables(st);
    return enter_file(st, ev->header.when, why);
}

/* Not in the log; tells how far transactions were left out. */
static bool on_heartbeat(struct stream *st, const struct event *ev, struct fail *why)
{
    struct heartbeat_event beat;
    if (!decoder_read_heartbeat(ev, &beat, why))
        return false;
    if (!view_is(beat.file, st->file))
        return true;
    uint64_t offset = beat.offset;
    if (beat.is_low) {
        offset |= st->offset & ~(uint64_t)UINT32_MAX;
        if (offset < st->offset)
            offset += (uint64_t)1 << 32;
    }
    if (offset > st->offset)
        st->offset = offset;
    return pass_position(st, why);
}

/* ---- events ---- */

static bool on_payload(struct stream *st, const struct event *ev, struct fail *why)
{
    struct view inner;
    if (!payload_open(&st->payload, ev->body, why))
        return false;
    for (;;) {
        struct event inside;
        if (!payload_next(&st->payload, &inner, why))
            return false;
        if (inner.n == 0)
            break;
        if (!decoder_read_inner(&st->decoder, inner, &inside, why) || !stream_handle(st, &inside, why))
            return false;
    }
    payload_close(&st->payload);
    return true;
}

static bool on_rows_query(struct stream *st, const struct event *ev, struct fail *why)
{
    struct view sql;
    if (!statement_read_rows_query(ev, &sql, why))
        return false;
    buf_clear(&st->query);
    buf_put_view(&st->query, sql);
    return true;
}

static bool on_incident(const struct event *ev, struct fail *why)
{
    struct incident_event incident;
    if (!decoder_read_incident(ev, &incident, why))
        return false;
    return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, incident.number,
                    "the server says that events are missing from its log here: \"%.*s\"; hint: the tables have to be "
                    "read again by a new snapshot",
                    VIEW_ARGS(incident.message));
}

static bool starts_with(struct view sql, const char *word)
{
    struct view w = view_of(word);
    return sql.n >= w.n && view_equal_nocase((struct view){sql.p, w.n}, w);
}

static struct view behind(struct view sql, const char *word)
{
    size_t n = strlen(word);
    while (n < sql.n && sql.p[n] == ' ')
        n++;
    return (struct view){sql.p + n, sql.n - n};
}

/* These the server writes itself, always in this form. */
static bool on_query(struct stream *st, const struct event *ev, struct fail *why)
{
    struct statement sm;
    if (!statement_read(ev, &sm, why))
        return false;
    if (view_is(sm.sql, "BEGIN"))
        return stream_begin_transaction(st, ev, &sm, why);
    if (st->state == STREAM_INSIDE && (view_is(sm.sql, "COMMIT") || view_is(sm.sql, "ROLLBACK")))
        return stream_commit(st, why);
    if (starts_with(sm.sql, "XA START "))
        return stream_xa_start(st, ev, why);
    if (starts_with(sm.sql, "XA END ")) {
        stream_count_event(st);
        return true;
    }
    if (starts_with(sm.sql, "XA COMMIT "))
        return stream_xa_end(st, ev, &sm, true, behind(sm.sql, "XA COMMIT "), why);
    if (starts_with(sm.sql, "XA ROLLBACK "))
        return stream_xa_end(st, ev, &sm, false, behind(sm.sql, "XA ROLLBACK "), why);
    return stream_statement(st, ev, &sm, why);
}

static bool handle_here(struct stream *st, const struct event *ev, struct fail *why)
{
    bool keeps = st->state == STREAM_XA;
    switch (ev->header.type) {
    case EVENT_GTID:
    case EVENT_GTID_TAGGED:
    case EVENT_ANONYMOUS_GTID:
        return stream_name(st, ev, why);
    case EVENT_QUERY:
    case EVENT_EXECUTE_LOAD_QUERY:
        return on_query(st, ev, why);
    case EVENT_TABLE_MAP:
        return keeps ? stream_xa_keep(st, ev, why) : stream_table_map(st, ev, why);
    case EVENT_ROWS_QUERY:
        return keeps ? stream_xa_keep(st, ev, why) : on_rows_query(st, ev, why);
    case EVENT_XID:
        return st->state == STREAM_INSIDE ? stream_commit(st, why) : true;
    case EVENT_XA_PREPARE:
        return stream_xa_prepare(st, ev, why);
    case EVENT_TRANSACTION_PAYLOAD:
        return on_payload(st, ev, why);
    case EVENT_INCIDENT:
        return on_incident(ev, why);
    default:
        if (rows_is_type(ev->header.type))
            return keeps ? stream_xa_keep(st, ev, why) : stream_rows(st, ev, st->file, why);
        return true;
    }
}

/* Events that stand for themselves count in their transaction; those that are a bracket don't. */
static bool counts(uint8_t type)
{
    switch (type) {
    case EVENT_GTID:
    case EVENT_GTID_TAGGED:
    case EVENT_ANONYMOUS_GTID:
    case EVENT_QUERY:
    case EVENT_TRANSACTION_PAYLOAD:
        return false;
    default:
        return true;
    }
}

bool stream_handle(struct stream *st, const struct event *ev, struct fail *why)
{
    st->counters.events++;
    if (!handle_here(st, ev, why))
        return false;
    if (st->state == STREAM_INSIDE && counts(ev->header.type))
        stream_count_event(st);
    return true;
}

static bool feed(struct stream *st, const struct event *ev, struct fail *why)
{
    switch (ev->header.type) {
    case EVENT_ROTATE:
        return on_rotate(st, ev, why);
    case EVENT_FORMAT_DESCRIPTION:
        return on_format(st, ev, why);
    case EVENT_HEARTBEAT:
    case EVENT_HEARTBEAT_V2:
        return on_heartbeat(st, ev, why);
    default:
        break;
    }
    if ((ev->header.flags & EVENT_FLAG_ARTIFICIAL) != 0)
        return true;
    advance(st, &ev->header);
    bool was_outside = st->state == STREAM_OUTSIDE;
    if (!stream_handle(st, ev, why))
        return false;
    /* What lies between transactions moves the position alone; a transaction's end has told it. */
    if (st->state != STREAM_OUTSIDE)
        return true;
    return was_outside ? pass_position(st, why) : tell_position(st, why);
}

bool stream_feed(struct stream *st, struct view bytes, int64_t now_ns, struct fail *why)
{
    struct event ev;
    st->now_ns = now_ns;
    if (!decoder_read(&st->decoder, bytes, &ev, why))
        return false;
    if (feed(st, &ev, why))
        return true;
    payload_close(&st->payload);
    return decoder_fail_at(&st->decoder, &ev, why);
}
