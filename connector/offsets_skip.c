/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_skip.h"

#include "base/log.h"
#include "binlog/inventory.h"
#include "binlog/scan.h"
#include "binlog/statement_ddl.h"
#include "binlog/temporal.h"
#include "connector/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_EVENT_AT = 4, MICROS = 1000000, STATEMENT_SHOWN = 200 };

/* ---- finding it ---- */

static bool check_stored(const struct offsets_change *c, struct fail *why)
{
    const struct offset_state *st = &c->store.state.offset;
    bool is_other = st->server_uuid[0] != '\0' && strcmp(st->server_uuid, c->server.uuid) != 0;
    if (!c->store.state.has_offset)
        return fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0, "nothing is stored under the name %s", c->cfg->name);
    if (st->has_gtids && c->server.gtid_mode != SERVER_GTID_ON)
        return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                        "the stored position is a GTID set, but gtid_mode is not ON on %s", source_name(c->src));
    if (!st->has_gtids && is_other)
        return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                        "the stored position is of server %s, but %s is server %s, and there are no GTIDs",
                        st->server_uuid, source_name(c->src), c->server.uuid);
    return true;
}

/* Where the stream goes on: of an XA transaction that waits, not where it was prepared. */
static const struct log_position *going_on(const struct offset_state *st)
{
    return st->reached.file[0] != '\0' ? &st->reached : &st->pos;
}

/* By GTIDs a place inside a transaction is of no use: its GTID event lies before. Without, what can't be asked for is
 * reached from the file's start. */
static struct source_start start_of(const struct offsets_change *c, struct log_position *pos)
{
    const struct offset_state *st = &c->store.state.offset;
    bool is_same = strcmp(st->server_uuid, c->server.uuid) == 0;
    *pos = *going_on(st);
    if (!st->has_gtids && pos->offset > UINT32_MAX)
        pos->offset = FIRST_EVENT_AT;
    if (!st->has_gtids)
        return (struct source_start){.pos = pos};
    bool has_place = is_same && st->n_xa == 0 && !offset_state_is_inside(st);
    return (struct source_start){.executed = &st->gtids, .pos = has_place ? pos : NULL, .pos_uuid = st->server_uuid};
}

/* A prepare that the server sends again, or what was passed on the way from the file's start. */
static bool is_passed(const struct offset_state *st, const struct scan_transaction *trx)
{
    if (!st->has_gtids)
        return position_compare(&trx->end, going_on(st)) <= 0;
    for (uint32_t i = 0; i < st->n_xa; i++)
        if (trx->gtid.n > 0 && memcmp(&st->xa[i].gtid, &trx->gtid, sizeof trx->gtid) == 0)
            return true;
    return false;
}

static bool find_next(struct offsets_change *c, struct scan *sc, const struct scan_transaction **trx, struct fail *why)
{
    struct log_position end;
    if (!server_read_end(c->src, &c->server, &end, why))
        return false;
    do {
        if (!scan_next(sc, &end, trx, why))
            return false;
    } while (*trx != NULL && is_passed(&c->store.state.offset, *trx));
    return *trx != NULL || fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0,
                                    "there is nothing to skip: no transaction comes behind %s:%llu on %s",
                                    going_on(&c->store.state.offset)->file,
                                    (unsigned long long)going_on(&c->store.state.offset)->offset, source_name(c->src));
}

/* ---- going behind it ---- */

static void end_xa(struct offset_state *st, struct view xid)
{
    for (uint32_t i = 0; i < st->n_xa; i++)
        if (view_is(xid, st->xa[i].xid) && st->xa[i].gtid.n > 0)
            gtid_set_add(&st->gtids, &st->xa[i].gtid);
    offset_state_remove_xa(st, xid);
}

static void pass(struct offsets_change *c, const struct scan_transaction *trx)
{
    struct offset_state *st = &c->next;
    offset_state_leave(st);
    st->ts_sec = trx->ts_us / MICROS;
    st->server_id = trx->server_id;
    snprintf(st->server_uuid, sizeof st->server_uuid, "%s", c->server.uuid);
    if (trx->kind == SCAN_XA_COMMIT || trx->kind == SCAN_XA_ROLLBACK)
        end_xa(st, trx->xid);
    if (st->has_gtids && trx->gtid.n > 0)
        gtid_set_add(&st->gtids, &trx->gtid);
    bool waits = !st->has_gtids && st->n_xa > 0;
    st->pos = waits ? st->xa[0].pos : trx->end;
    st->reached = waits ? trx->end : (struct log_position){.file = ""};
}

/* ---- what its statements do ---- */

static bool is_captured(const void *arg, struct view db, struct view table)
{
    return filter_has_table(arg, db, table);
}

/* The shapes in force at the stored position. */
static bool fill_catalog(struct offsets_change *c, struct catalog *catalog, struct fail *why)
{
    const struct offset_state *st = &c->store.state.offset;
    const struct shape_place at = {st->has_gtids ? &st->gtids : NULL, &st->pos, st->server_uuid};
    const struct map_entry *e;
    size_t i = 0;
    if (!inventory_read_databases(c->src, catalog, why))
        return false;
    while ((e = map_next(&c->store.state.shapes.tables, &i)) != NULL) {
        const struct shape_history *h = e->value;
        const struct shape_version *v;
        const struct ddl_context ctx = {.db = view_of(h->db),
                                        .server_charset = charset_find(view_of(c->server.charset))};
        if (shape_store_at(&c->store.state.shapes, view_of(h->db), view_of(h->table), &at, &v) != SHAPE_FOUND ||
            v->ddl == NULL)
            continue;
        const struct shape *shape = ddl_read_create(catalog, &ctx, view_of(v->ddl), why);
        if (shape == NULL)
            return fail_add(why, "read the stored shape of %s.%s", h->db, h->table);
        catalog_put(catalog, shape);
    }
    return true;
}

static void store_shape(struct offsets_change *c, struct view db, struct view table, const struct shape *shape,
                        const char *how)
{
    const struct offset_state *st = &c->next;
    const struct shape_place at = {st->has_gtids ? &st->gtids : NULL, going_on(st), st->server_uuid};
    struct buf text;
    buf_init(&text);
    if (shape != NULL)
        shape_print(shape, &text);
    shape_store_append(&c->store.state.shapes, db, table, &at, shape == NULL ? VIEW_NONE : buf_view(&text));
    offsets_store_shape_changed(&c->store, db, table);
    offsets_change_note(c, "shape          %.*s.%.*s: %s", VIEW_ARGS(db), VIEW_ARGS(table), how);
    buf_fini(&text);
}

static void take_effect(struct offsets_change *c, struct catalog *catalog, const struct ddl_effect *e)
{
    const struct shape *shape = e->table.n == 0 ? NULL : catalog_find(catalog, e->db, e->table);
    bool is_unknown = e->kind == DDL_UNREADABLE || e->needs_shape;
    switch (e->kind) {
    case DDL_CREATE:
    case DDL_ALTER:
    case DDL_RENAME:
    case DDL_DROP:
    case DDL_UNREADABLE:
        if (e->was_captured && e->old_table.n > 0)
            store_shape(c, e->old_db, e->old_table, NULL, "gone, under this name");
        if (e->is_captured && e->table.n > 0)
            store_shape(c, e->db, e->table, is_unknown ? NULL : shape,
                        is_unknown      ? "not known behind the statement; the next start takes the server's"
                        : shape == NULL ? "gone"
                                        : "stored as the statement left it");
        break;
    case DDL_TRUNCATE:
    case DDL_DATA_CHANGED:
    case DDL_DATABASE:
    case DDL_NONE:
    case DDL_ROW_STATEMENT:
        break;
    }
}

static bool take_statements(struct offsets_change *c, const struct scan_transaction *trx, struct fail *why)
{
    const struct stream_server server = server_of_stream(&c->server);
    struct catalog catalog;
    struct ddl_result effects;
    struct fail unread;
    catalog_init(&catalog, c->server.lower_case_table_names);
    ddl_result_init(&effects);
    bool ok = trx->statements == NULL || fill_catalog(c, &catalog, why);
    for (const struct scan_statement *s = trx->statements; ok && s != NULL; s = s->next) {
        struct ddl_context ctx = statement_ddl_context(&s->statement, &server);
        ctx.is_captured = is_captured;
        ctx.arg = &c->cfg->filter;
        if (!ddl_apply(&catalog, &ctx, s->statement.sql, &effects, &unread))
            offsets_change_note(c, "not understood %s", unread.text);
        for (size_t i = 0; i < effects.n_effects; i++)
            take_effect(c, &catalog, &effects.effects[i]);
    }
    ddl_result_fini(&effects);
    catalog_fini(&catalog);
    return ok;
}

/* ---- showing it ---- */

static const char *const kind_names[] = {"changes", "xa prepare", "xa commit", "xa rollback"};

static void print_time(int64_t us, char out[32])
{
    struct cell_date d = temporal_of_micros(us);
    snprintf(out, 32, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ", d.year % 10000u, d.month % 100u, d.day % 100u,
             d.hour % 100u, d.minute % 100u, d.second % 100u, d.micro % 1000000u);
}

static void note_transaction(struct offsets_change *c, const struct scan_transaction *trx)
{
    char gtid[GTID_TEXT_BYTES] = "no GTID";
    char when[32];
    if (trx->gtid.n > 0)
        gtid_print(&trx->gtid, gtid);
    print_time(trx->ts_us, when);
    offsets_change_note(c, "skipped        %s (%s), from %s:%" PRIu64 " to %" PRIu64 ", committed %s", gtid,
                        kind_names[trx->kind], trx->begin.file, trx->begin.offset, trx->end.offset, when);
    for (unsigned i = 0; i < trx->n_tables; i++) {
        const struct scan_table *t = &trx->tables[i];
        bool has_table = filter_has_table(&c->cfg->filter, t->db, t->table);
        offsets_change_note(
            c, "  rows         %.*s.%.*s: %" PRIu64 " inserted, %" PRIu64 " updated, %" PRIu64 " deleted%s%s",
            VIEW_ARGS(t->db), VIEW_ARGS(t->table), t->inserts, t->updates, t->deletes,
            t->is_uncounted ? ", and more that can't be counted" : "", has_table ? "" : " (not captured)");
    }
    for (const struct scan_statement *s = trx->statements; s != NULL; s = s->next) {
        struct view sql = s->statement.sql;
        bool is_long = sql.n > STATEMENT_SHOWN;
        offsets_change_note(c, "  statement    %.*s%s", (int)(is_long ? STATEMENT_SHOWN : sql.n), (const char *)sql.p,
                            is_long ? "…" : "");
    }
}

static void put_text(struct buf *out, const char *name, struct view text)
{
    json_text_put_name(out, name);
    json_text_put_string(out, text);
}

static void put_place(struct buf *out, const char *name, const struct log_position *pos)
{
    json_text_put_name(out, name);
    buf_put_u8(out, '{');
    put_text(out, "file", view_of(pos->file));
    buf_printf(out, ",\"pos\":%" PRIu64 "}", pos->offset);
}

static void put_tables(const struct offsets_change *c, const struct scan_transaction *trx, struct buf *out)
{
    buf_put_literal(out, ",\"tables\":[");
    for (unsigned i = 0; i < trx->n_tables; i++) {
        const struct scan_table *t = &trx->tables[i];
        buf_put_text(out, i == 0 ? "{" : ",{");
        put_text(out, "db", t->db);
        put_text(out, "table", t->table);
        buf_printf(out,
                   ",\"is_captured\":%s,\"inserts\":%" PRIu64 ",\"updates\":%" PRIu64 ",\"deletes\":%" PRIu64
                   ",\"is_counted\":%s}",
                   filter_has_table(&c->cfg->filter, t->db, t->table) ? "true" : "false", t->inserts, t->updates,
                   t->deletes, t->is_uncounted ? "false" : "true");
    }
    buf_put_u8(out, ']');
}

static void put_transaction(struct offsets_change *c, const struct scan_transaction *trx)
{
    struct buf *out = &c->members;
    char gtid[GTID_TEXT_BYTES];
    char when[32];
    buf_put_literal(out, ",\"skipped\":{");
    put_text(out, "kind", view_of(kind_names[trx->kind]));
    if (trx->gtid.n > 0) {
        gtid_print(&trx->gtid, gtid);
        put_text(out, "gtid", view_of(gtid));
    }
    if (trx->xid.n > 0)
        put_text(out, "xid", trx->xid);
    print_time(trx->ts_us, when);
    put_text(out, "committed", view_of(when));
    put_place(out, "begin", &trx->begin);
    put_place(out, "end", &trx->end);
    put_tables(c, trx, out);
    buf_put_literal(out, ",\"statements\":[");
    for (const struct scan_statement *s = trx->statements; s != NULL; s = s->next) {
        if (s != trx->statements)
            buf_put_u8(out, ',');
        json_text_put_string(out, s->statement.sql);
    }
    buf_put_literal(out, "]}");
}

/* ---- the command ---- */

static bool skip(struct offsets_change *c, struct source *dump, struct buf *out, struct fail *why)
{
    struct log_position pos;
    const struct scan_transaction *trx;
    const struct source_start start = start_of(c, &pos);
    struct scan *sc = scan_open(dump, &start, true, why);
    bool ok = sc != NULL && find_next(c, sc, &trx, why);
    if (ok) {
        note_transaction(c, trx);
        put_transaction(c, trx);
        pass(c, trx);
        ok = take_statements(c, trx, why) && offsets_change_finish(c, out, why);
    }
    scan_close(&sc);
    return ok;
}

int offsets_skip(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why)
{
    struct offsets_change c;
    bool ok = offsets_change_open(&c, cfg, opt, why) && offsets_change_ask_server(&c, why) && check_stored(&c, why);
    if (ok) {
        struct source *dump = source_new(&cfg->source);
        ok = skip(&c, dump, out, why);
        source_free(&dump);
    }
    offsets_change_close(&c);
    return ok ? 0 : (int)why->area;
}
