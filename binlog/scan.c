/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/scan.h"

#include "base/map.h"
#include "binlog/gtid_event.h"
#include "binlog/payload.h"
#include "binlog/rows.h"

#include <stdio.h>
#include <stdlib.h>

enum scan_state { SCAN_OUTSIDE, SCAN_NAMED, SCAN_INSIDE };

enum { FIRST_EVENT_AT = 4 };

/* A table map of the transaction under way; the table it counts for is found by its place in the list. */
struct scan_map {
    struct table_map map;
    struct rows_layout layout;
    unsigned table;
    bool is_read;
};

struct scan {
    struct source *src;
    bool has_contents;
    struct decoder decoder;
    enum scan_state state;
    struct log_position place; /* of the next event */
    uint64_t event_offset;     /* of the event under way, or of the payload around it */
    struct scan_transaction trx;
    bool has_ended;      /* with the event under way */
    struct arena memory; /* of the transaction under way */
    bool is_stale;       /* it ended: to be emptied before the next */
    unsigned tables_room;
    struct scan_statement **last_statement;
    struct map maps; /* table id as 8 bytes -> struct scan_map */
    struct payload payload;
    struct rows rows;
    struct gtid_set previous;
    bool has_previous;
    uint32_t file_time;
};

/* ---- open and close ---- */

struct scan *scan_open(struct source *src, const struct source_start *start, bool has_contents, struct fail *why)
{
    if (!source_connect_dump(src, why) || !source_dump(src, start, why)) {
        source_disconnect(src);
        return NULL;
    }
    struct scan *sc = mem_zero(1, sizeof *sc);
    sc->src = src;
    sc->has_contents = has_contents;
    decoder_init(&sc->decoder);
    decoder_set_checksum(&sc->decoder, (enum checksum_kind)SOURCE_DUMP_CHECKSUM);
    arena_init(&sc->memory);
    map_init(&sc->maps);
    payload_init(&sc->payload);
    rows_init(&sc->rows);
    gtid_set_init(&sc->previous);
    return sc;
}

void scan_close(struct scan **scan)
{
    struct scan *sc = *scan;
    if (sc == NULL)
        return;
    source_disconnect(sc->src);
    gtid_set_fini(&sc->previous);
    rows_fini(&sc->rows);
    payload_fini(&sc->payload);
    map_fini(&sc->maps, NULL);
    arena_fini(&sc->memory);
    free(sc);
    *scan = NULL;
}

const struct log_position *scan_place(const struct scan *sc)
{
    return &sc->place;
}

bool scan_is_inside(const struct scan *sc, struct log_position *begin)
{
    *begin = sc->state == SCAN_OUTSIDE ? sc->place : sc->trx.begin;
    return sc->state != SCAN_OUTSIDE;
}

const struct gtid_set *scan_previous(const struct scan *sc)
{
    return sc->has_previous ? &sc->previous : NULL;
}

uint32_t scan_file_time(const struct scan *sc)
{
    return sc->file_time;
}

/* ---- the transaction under way ---- */

static void forget_contents(struct scan *sc)
{
    if (!sc->is_stale)
        return;
    map_fini(&sc->maps, NULL);
    map_init(&sc->maps);
    arena_reset(&sc->memory);
    sc->is_stale = false;
}

static struct log_position here(const struct scan *sc)
{
    struct log_position pos = sc->place;
    pos.offset = sc->event_offset;
    return pos;
}

/* Its first event, whichever that is. */
static void begin(struct scan *sc, const struct event *ev, enum scan_state state)
{
    if (sc->state == SCAN_OUTSIDE) {
        forget_contents(sc);
        sc->trx = (struct scan_transaction){.begin = here(sc), .server_id = ev->header.server_id};
        sc->tables_room = 0;
        sc->last_statement = &sc->trx.statements;
    }
    if (sc->state != SCAN_INSIDE && state == SCAN_INSIDE)
        sc->trx.opened = here(sc);
    if (sc->trx.ts_us == 0 && state == SCAN_INSIDE)
        sc->trx.ts_us = (int64_t)ev->header.when * 1000000;
    sc->state = state;
}

static void end(struct scan *sc)
{
    sc->state = SCAN_OUTSIDE;
    sc->trx.end = sc->place;
    sc->has_ended = true;
    sc->is_stale = true;
}

static bool on_name(struct scan *sc, const struct event *ev, struct fail *why)
{
    struct gtid_event g;
    if (!gtid_event_read(ev, &g, why))
        return false;
    begin(sc, ev, SCAN_NAMED);
    sc->trx.gtid = g.gtid;
    sc->trx.ts_us = g.origin_commit_us;
    return true;
}

/* ---- what is in it ---- */

static unsigned table_of(struct scan *sc, struct view db, struct view table)
{
    struct scan_transaction *trx = &sc->trx;
    for (unsigned i = 0; i < trx->n_tables; i++)
        if (view_equal(trx->tables[i].db, db) && view_equal(trx->tables[i].table, table))
            return i;
    if (trx->n_tables == sc->tables_room) {
        sc->tables_room = sc->tables_room == 0 ? 8 : 2 * sc->tables_room;
        struct scan_table *more = arena_alloc(&sc->memory, sc->tables_room * sizeof *more);
        if (trx->n_tables > 0)
            memcpy(more, trx->tables, trx->n_tables * sizeof *more);
        trx->tables = more;
    }
    trx->tables[trx->n_tables] =
        (struct scan_table){.db = arena_copy(&sc->memory, db), .table = arena_copy(&sc->memory, table)};
    return trx->n_tables++;
}

/* A table map comes again before each statement; an equal one is kept. */
static bool on_table_map(struct scan *sc, const struct event *ev, struct fail *why)
{
    uint64_t id;
    if (!sc->has_contents)
        return true;
    if (!table_map_peek_id(ev->body, &id))
        return fail_malformed(why, "a TABLE_MAP of %zu bytes is too short", ev->body.n);
    struct view key = {(const uint8_t *)&id, sizeof id};
    struct scan_map *m = map_get(&sc->maps, key);
    if (m != NULL && m->is_read && view_equal(m->map.body, ev->body))
        return true;
    m = arena_zero(&sc->memory, 1, sizeof *m);
    if (!table_map_read(&m->map, ev->body, &sc->memory, why))
        return false;
    rows_layout_prepare_counting(&m->layout, &m->map, &sc->memory);
    m->table = table_of(sc, m->map.db, m->map.table);
    m->is_read = true;
    map_put(&sc->maps, key, m);
    return true;
}

static uint64_t *count_of(struct scan_table *t, enum rows_kind kind)
{
    return kind == ROWS_INSERT ? &t->inserts : kind == ROWS_UPDATE ? &t->updates : &t->deletes;
}

/* What can't be counted is no failure: who looks here may look because of just that. */
static void on_rows(struct scan *sc, const struct event *ev)
{
    struct rows *r = &sc->rows;
    struct fail why;
    if (!sc->has_contents || !rows_open(r, ev, &why))
        return;
    struct scan_map *m = map_get(&sc->maps, (struct view){(const uint8_t *)&r->table_id, sizeof r->table_id});
    if (m == NULL)
        return;
    struct scan_table *t = &sc->trx.tables[m->table];
    bool is_end = false;
    bool ok = rows_begin(r, &m->layout, &sc->memory, &why);
    while (ok && !is_end) {
        ok = rows_skip(r, &is_end, &why);
        if (ok && !is_end)
            ++*count_of(t, r->kind);
    }
    t->is_uncounted = t->is_uncounted || !ok;
}

static void keep_statement(struct scan *sc, const struct statement *sm)
{
    if (!sc->has_contents)
        return;
    struct scan_statement *kept = arena_zero(&sc->memory, 1, sizeof *kept);
    kept->statement = *sm;
    kept->statement.db = arena_copy(&sc->memory, sm->db);
    kept->statement.sql = arena_copy(&sc->memory, sm->sql);
    kept->statement.time_zone = arena_copy(&sc->memory, sm->time_zone);
    kept->statement.touched = arena_copy(&sc->memory, sm->touched);
    *sc->last_statement = kept;
    sc->last_statement = &kept->next;
}

/* ---- brackets ---- */

static bool starts_with(struct view sql, const char *word, struct view *rest)
{
    size_t n = strlen(word);
    if (sql.n < n || !view_equal_nocase((struct view){sql.p, n}, view_of(word)))
        return false;
    while (n < sql.n && sql.p[n] == ' ')
        n++;
    *rest = (struct view){sql.p + n, sql.n - n};
    return true;
}

static void end_xa(struct scan *sc, enum scan_kind kind, struct view xid)
{
    sc->trx.kind = kind;
    sc->trx.xid = arena_copy(&sc->memory, xid);
    end(sc);
}

static bool on_query(struct scan *sc, const struct event *ev, struct fail *why)
{
    struct statement sm;
    struct view rest;
    bool is_inside = sc->state == SCAN_INSIDE;
    if (!statement_read(ev, &sm, why))
        return false;
    begin(sc, ev, SCAN_INSIDE);
    if (view_is(sm.sql, "BEGIN") || starts_with(sm.sql, "XA START ", &rest) || starts_with(sm.sql, "XA END ", &rest))
        return true;
    if (starts_with(sm.sql, "XA COMMIT ", &rest)) {
        end_xa(sc, SCAN_XA_COMMIT, rest);
    } else if (starts_with(sm.sql, "XA ROLLBACK ", &rest)) {
        end_xa(sc, SCAN_XA_ROLLBACK, rest);
    } else if (is_inside && (view_is(sm.sql, "COMMIT") || view_is(sm.sql, "ROLLBACK"))) {
        end(sc);
    } else {
        keep_statement(sc, &sm);
        if (!is_inside)
            end(sc);
    }
    return true;
}

static bool on_prepare(struct scan *sc, const struct event *ev, struct fail *why)
{
    struct xa_prepare_event prepare;
    struct buf xid;
    if (!statement_read_xa_prepare(ev, &prepare, why))
        return false;
    if (prepare.one_phase) {
        end(sc);
        return true;
    }
    buf_init(&xid);
    statement_print_xa(&prepare, &xid);
    end_xa(sc, SCAN_XA_PREPARE, buf_view(&xid));
    buf_fini(&xid);
    return true;
}

/* ---- events ---- */

static bool handle(struct scan *sc, const struct event *ev, struct fail *why);

static bool on_payload(struct scan *sc, const struct event *ev, struct fail *why)
{
    struct view inner;
    if (!payload_open(&sc->payload, ev->body, why))
        return false;
    for (;;) {
        struct event inside;
        if (!payload_next(&sc->payload, &inner, why))
            return false;
        if (inner.n == 0)
            break;
        if (!decoder_read_inner(&sc->decoder, inner, &inside, why) || !handle(sc, &inside, why))
            return false;
    }
    payload_close(&sc->payload);
    return true;
}

static bool handle(struct scan *sc, const struct event *ev, struct fail *why)
{
    switch (ev->header.type) {
    case EVENT_GTID:
    case EVENT_GTID_TAGGED:
    case EVENT_ANONYMOUS_GTID:
        return on_name(sc, ev, why);
    case EVENT_QUERY:
    case EVENT_EXECUTE_LOAD_QUERY:
        return on_query(sc, ev, why);
    case EVENT_TABLE_MAP:
        return on_table_map(sc, ev, why);
    case EVENT_XID:
        if (sc->state == SCAN_INSIDE)
            end(sc);
        return true;
    case EVENT_XA_PREPARE:
        return on_prepare(sc, ev, why);
    case EVENT_TRANSACTION_PAYLOAD:
        return on_payload(sc, ev, why);
    case EVENT_PREVIOUS_GTIDS:
        if (sc->has_previous)
            return true;
        sc->has_previous = true;
        return gtid_set_decode(&sc->previous, ev->body, why);
    default:
        if (rows_is_type(ev->header.type))
            on_rows(sc, ev);
        return true;
    }
}

/* As the stream counts: the header has the low half of the end. */
static void advance(struct scan *sc, const struct event_header *h)
{
    uint64_t next = sc->place.offset + h->length;
    if (h->end_pos != 0) {
        next = (sc->place.offset & ~(uint64_t)UINT32_MAX) | h->end_pos;
        if (next < sc->place.offset)
            next += (uint64_t)1 << 32;
    }
    sc->event_offset = next >= h->length ? next - h->length : 0;
    sc->place.offset = next;
}

static bool on_rotate(struct scan *sc, const struct event *ev, struct fail *why)
{
    struct rotate_event rotate;
    if (!decoder_read_rotate(ev, &rotate, why))
        return false;
    if (!view_is(rotate.file, sc->place.file))
        sc->file_time = 0;
    return position_set(&sc->place, rotate.file, rotate.offset, why);
}

static void on_format(struct scan *sc, const struct event *ev)
{
    if (sc->place.offset == FIRST_EVENT_AT)
        advance(sc, &ev->header);
    sc->file_time = ev->header.when;
}

static bool on_heartbeat(struct scan *sc, const struct event *ev, struct fail *why)
{
    struct heartbeat_event beat;
    if (!decoder_read_heartbeat(ev, &beat, why))
        return false;
    if (!beat.is_low && view_is(beat.file, sc->place.file) && beat.offset > sc->place.offset)
        sc->place.offset = beat.offset;
    return true;
}

static bool feed(struct scan *sc, const struct event *ev, struct fail *why)
{
    switch (ev->header.type) {
    case EVENT_ROTATE:
        return on_rotate(sc, ev, why);
    case EVENT_FORMAT_DESCRIPTION:
        on_format(sc, ev);
        return true;
    case EVENT_HEARTBEAT:
    case EVENT_HEARTBEAT_V2:
        return on_heartbeat(sc, ev, why);
    default:
        break;
    }
    if ((ev->header.flags & EVENT_FLAG_ARTIFICIAL) != 0 && ev->header.type != EVENT_PREVIOUS_GTIDS)
        return true;
    if ((ev->header.flags & EVENT_FLAG_ARTIFICIAL) == 0)
        advance(sc, &ev->header);
    return handle(sc, ev, why);
}

bool scan_step(struct scan *sc, const struct scan_transaction **ended, struct fail *why)
{
    struct view bytes;
    struct event ev;
    *ended = NULL;
    sc->has_ended = false;
    if (!source_fetch(sc->src, &bytes, why) || !decoder_read(&sc->decoder, bytes, &ev, why))
        return false;
    if (!feed(sc, &ev, why)) {
        payload_close(&sc->payload);
        return decoder_fail_at(&sc->decoder, &ev, why);
    }
    if (sc->has_ended)
        *ended = &sc->trx;
    return true;
}

bool scan_next(struct scan *sc, const struct log_position *until, const struct scan_transaction **ended,
               struct fail *why)
{
    do {
        *ended = NULL;
        if (sc->state == SCAN_OUTSIDE && sc->place.file[0] != '\0' && position_compare(&sc->place, until) >= 0)
            return true;
        if (!scan_step(sc, ended, why))
            return false;
    } while (*ended == NULL);
    return true;
}

bool scan_find(struct scan *sc, const struct log_position *until, const struct scan_transaction **found,
               struct fail *why)
{
    const struct scan_transaction *ended = NULL;
    *found = NULL;
    while (sc->state != SCAN_INSIDE && ended == NULL) {
        if (sc->state == SCAN_OUTSIDE && sc->place.file[0] != '\0' && position_compare(&sc->place, until) >= 0)
            return true;
        if (!scan_step(sc, &ended, why))
            return false;
    }
    *found = &sc->trx;
    return true;
}
