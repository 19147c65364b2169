/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/start.h"

#include "base/clock.h"
#include "base/log.h"
#include "binlog/ddl.h"
#include "binlog/inventory.h"
#include "binlog/lack.h"
#include "binlog/lost.h"
#include "binlog/proof.h"
#include "connector/gtid_switch.h"
#include "connector/unseen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void start_init(struct start *s)
{
    *s = (struct start){.is_first = true};
    offset_state_init(&s->from);
    gtid_set_init(&s->executed);
    schema_snapshot_init(&s->schemas);
}

void start_fini(struct start *s)
{
    offset_state_fini(&s->from);
    gtid_set_fini(&s->executed);
    schema_snapshot_fini(&s->schemas);
}

/* ---- tables ---- */

struct names {
    struct table_name {
        char *db;
        char *table;
    } *items;
    size_t n;
    struct unseen unseen;
};

static bool add_name(void *ctx, struct view db, struct view table, struct fail *why)
{
    struct names *names = ctx;
    (void)why;
    unseen_meet(&names->unseen, db, table);
    if (!filter_has_table(names->unseen.filter, db, table))
        return true;
    names->items = mem_resize(names->items, (names->n + 1) * sizeof *names->items);
    names->items[names->n++] = (struct table_name){view_to_string(db), view_to_string(table)};
    return true;
}

static void names_fini(struct names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        free(names->items[i].db);
        free(names->items[i].table);
    }
    free(names->items);
    unseen_fini(&names->unseen);
}

/* The captured tables that are there; tells what can't be seen. */
static bool names_read(struct names *names, struct start *s, struct source *src, struct fail *why)
{
    *names = (struct names){.n = 0};
    unseen_init(&names->unseen, &s->cfg->filter);
    return inventory_walk_tables(src, add_name, names, why) && unseen_tell(&names->unseen, src, &s->server, why);
}

/* Reads the table's shape from the server into the catalog, and lets it be stored. */
static bool adopt_table(struct start *s, struct source *src, struct catalog *catalog, const struct table_name *name,
                        struct fail *why)
{
    const struct shape *shape;
    struct buf ddl;
    buf_init(&ddl);
    bool ok =
        inventory_read_shape(src, &s->server, catalog, view_of(name->db), view_of(name->table), &shape, &ddl, why);
    if (ok && shape != NULL) { /* else it was dropped since it was listed */
        schema_snapshot_add(&s->schemas, shape, buf_view(&ddl));
        ok = feed_shape(s->feed, shape, why);
        catalog_put(catalog, shape);
    }
    buf_fini(&ddl);
    return ok;
}

/* ---- what is told of them ---- */

static bool reads_rows(const struct start *s)
{
    return s->cfg->snapshot_mode != SNAPSHOT_MODE_NO_DATA && s->cfg->snapshot_mode != SNAPSHOT_MODE_RECOVERY;
}

static struct schema_teller teller_of(struct start *s, const struct log_position *at)
{
    return (struct schema_teller){
        .set = &s->cfg->record,
        .server = &s->server,
        .catalog = s->catalog,
        .at = at,
        .rows_follow = reads_rows(s),
        .now_ns = clock_wall_ns(),
        .put = feed_schema,
        .ctx = s->feed,
    };
}

static bool tell_schemas(struct start *s, const struct log_position *at, struct fail *why)
{
    const struct schema_teller t = teller_of(s, at);
    bool ok = !s->cfg->record.schema_changes || schema_snapshot_tell(&s->schemas, &t, why);
    schema_snapshot_fini(&s->schemas);
    return ok;
}

/* ---- first start ---- */

/* Their rows lie before the place where the stream begins: no table may be read before they have ended. */
static bool find_open_xa(struct start *s, struct source *src, struct fail *why)
{
    struct buf names;
    if (!s->server.may_recover_xa) {
        log_warn(
            "start",
            "without the right XA_RECOVER_ADMIN it can't be known whether XA transactions are prepared now: should "
            "one commit later, its rows can't be told, and once tables were read again that ends the program");
        return true;
    }
    buf_init(&names);
    bool ok = server_read_xa(src, &names, why);
    for (size_t at = 0; ok && at < buf_size(&names); at += strlen((char *)names.start + at) + 1) {
        const char *xid = (char *)names.start + at;
        log_warn("start",
                 "XA transaction %s was prepared before the start: its rows are not told when it commits, and "
                 "no table is read again before it has ended",
                 xid);
        ok = feed_early_xa(s->feed, view_of(xid), why);
    }
    buf_fini(&names);
    return ok;
}

static bool read_all_tables(struct start *s, struct source *src, struct catalog *catalog, size_t *n, struct fail *why)
{
    struct names names;
    bool ok = names_read(&names, s, src, why);
    for (size_t i = 0; ok && i < names.n; i++)
        ok = adopt_table(s, src, catalog, &names.items[i], why);
    *n = names.n;
    names_fini(&names);
    return ok;
}

static bool first_start(struct start *s, struct source *src, struct catalog *catalog, struct reader_start *out,
                        struct fail *why)
{
    struct log_position begin;
    size_t n_tables;
    bool has_gtids = s->server.gtid_mode == SERVER_GTID_ON;
    if (!has_gtids && reads_rows(s) && !s->cfg->snapshot_for_share)
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
            "%s has no GTIDs (gtid_mode is not ON), so the rows of an initial snapshot would have to be read FOR "
            "SHARE, with short row locks; hint: set gtid_mode=ON there, allow it by "
            "tidemark.snapshot.for.share=true, or read no rows by snapshot.mode=no_data",
            source_name(src));
    if (has_gtids && !server_read_executed(src, &s->executed, why))
        return false;
    if (!server_read_end(src, &s->server, &begin, why) ||
        !feed_origin(s->feed, s->server.uuid, &begin, has_gtids ? &s->executed : NULL, why))
        return false;
    if (!find_open_xa(s, src, why) || !read_all_tables(s, src, catalog, &n_tables, why) ||
        !server_read_end(src, &s->server, &out->stream.barrier, why) || !tell_schemas(s, &out->stream.barrier, why))
        return false;
    out->stream.executed = has_gtids ? &s->executed : NULL;
    if (!has_gtids)
        out->stream.pos = begin;
    out->stream.has_barrier = true;
    out->stream.early = STREAM_EARLY_READ_AGAIN;
    if (n_tables == 0)
        log_warn("start",
                 "no table of %s is captured: none that is there and that we may SELECT from matches the include "
                 "and exclude lists; one that is made later may",
                 source_name(src));
    log_info("start", "first start: %zu tables, streaming from file=%s pos=%llu", n_tables, out->stream.barrier.file,
             (unsigned long long)out->stream.barrier.offset);
    return true;
}

/* ---- going on ---- */

static bool put_stored_shape(struct start *s, struct catalog *catalog, const struct shape_history *history,
                             const struct shape_version *version, struct fail *why)
{
    const struct ddl_context ctx = {
        .db = view_of(history->db),
        .server_charset = charset_find(view_of(s->server.charset)),
        .server_collation = view_of(s->server.collation),
    };
    const struct shape *shape = ddl_read_create(catalog, &ctx, view_of(version->ddl), why);
    if (shape == NULL) {
        why->kind = FAIL_STOP;
        return fail_add(why, "read the stored shape of %s.%s", history->db, history->table);
    }
    catalog_put(catalog, shape);
    return true;
}

static bool put_stored_shapes(struct start *s, struct catalog *catalog, struct fail *why)
{
    const struct shape_place place = {s->from.has_gtids ? &s->from.gtids : NULL, &s->from.pos, s->from.server_uuid};
    const struct map_entry *e;
    size_t at = 0;
    while ((e = map_next(&s->shapes->tables, &at)) != NULL) {
        const struct shape_history *history = e->value;
        const struct shape_version *version;
        struct view db = view_of(history->db);
        struct view table = view_of(history->table);
        if (!filter_has_table(&s->cfg->filter, db, table))
            continue;
        switch (shape_store_at(s->shapes, db, table, &place, &version)) {
        case SHAPE_FOUND:
            if (version->ddl != NULL && !put_stored_shape(s, catalog, history, version, why))
                return false;
            break;
        case SHAPE_TOO_OLD:
        case SHAPE_INCOMPARABLE:
        case SHAPE_UNKNOWN:
            break; /* as a table that is not in the store */
        }
    }
    return true;
}

/* Moves the names that the catalog has no shape for to the front; reads those shapes. */
static bool adopt_unknown_tables(struct start *s, struct source *src, struct catalog *catalog, struct names *names,
                                 size_t *n_new, struct fail *why)
{
    *n_new = 0;
    for (size_t i = 0; i < names->n; i++) {
        struct table_name name = names->items[i];
        if (catalog_find(catalog, view_of(name.db), view_of(name.table)) != NULL)
            continue;
        if (!adopt_table(s, src, catalog, &name, why))
            return false;
        names->items[i] = names->items[*n_new];
        names->items[(*n_new)++] = name;
    }
    return true;
}

/* Looks in the log from the stored position on for statements about these tables; those that have some are trusted only
 * from as_of on, where the server showed their shapes. */
static bool prove_tables(struct start *s, struct stream *stream, const struct reader_start *out,
                         const struct names *names, size_t n, const struct log_position *as_of, struct fail *why)
{
    const struct source_start from = {
        .executed = out->stream.executed,
        .pos = out->stream.pos.file[0] == '\0' ? NULL : &out->stream.pos,
        .pos_uuid = out->server_uuid,
    };
    struct source_settings patient;
    char proof_name[PROOF_NAME_BYTES];
    proof_settings(s->source, proof_name, &patient);
    struct proof_table *tables = mem_zero(n, sizeof *tables);
    struct source *src = source_new(&patient);
    for (size_t i = 0; i < n; i++)
        tables[i] = (struct proof_table){.db = view_of(names->items[i].db), .table = view_of(names->items[i].table)};
    bool ok = proof_run(src, &from, &out->server, as_of, tables, n, why);
    for (size_t i = 0; ok && i < n; i++)
        if (tables[i].has_changed)
            stream_distrust_before(stream, tables[i].db, tables[i].table, as_of);
    source_free(&src);
    free(tables);
    return ok;
}

/* Tables that are captured now and have no shape at the stored position were included or made since. */
static bool add_new_tables(struct start *s, struct source *src, struct catalog *catalog, struct stream *stream,
                           const struct reader_start *out, struct fail *why)
{
    struct names names;
    struct log_position as_of;
    size_t n_new = 0;
    bool ok = names_read(&names, s, src, why) && adopt_unknown_tables(s, src, catalog, &names, &n_new, why);
    if (ok && n_new > 0) {
        log_info("start",
                 "%zu captured tables have no shape at the stored position: the log is searched for statements "
                 "about them",
                 n_new);
        ok = server_read_end(src, &s->server, &as_of, why) && prove_tables(s, stream, out, &names, n_new, &as_of, why);
        if (!ok)
            lost_explain(src, out->stream.executed, &s->from.pos, why);
    }
    names_fini(&names);
    return ok;
}

static bool check_stored(const struct start *s, struct fail *why)
{
    const struct offset_state *from = &s->from;
    if (strcmp(from->snapshot, "INITIAL") == 0 && !reads_rows(s))
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_DATA, 0,
            "the stored offset of %s is of an initial snapshot that did not end; hint: snapshot.mode=initial "
            "lets it end, tidemark offsets reset gives it up",
            s->cfg->name);
    if (from->has_gtids && s->server.gtid_mode != SERVER_GTID_ON)
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
            "the stored offset of %s is a GTID set, but gtid_mode is not ON on %s; hint: set gtid_mode=ON there",
            s->cfg->name, s->cfg->source.host);
    bool is_other = from->server_uuid[0] != '\0' && strcmp(from->server_uuid, s->server.uuid) != 0;
    if (!from->has_gtids && is_other)
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
            "the stored position file=%s pos=%llu is of server %s, but %s is server %s, and without GTIDs a "
            "position can't be carried over; hint: connect to the old server",
            from->pos.file, (unsigned long long)from->pos.offset, from->server_uuid, s->cfg->source.host,
            s->server.uuid);
    return true;
}

static void place_stream(struct start *s, struct reader_start *out)
{
    const struct offset_state *from = &s->from;
    struct stream_start *st = &out->stream;
    bool is_same = from->server_uuid[0] == '\0' || strcmp(from->server_uuid, s->server.uuid) == 0;
    st->is_inside = offset_state_is_inside(from);
    st->inside_gtid = from->inside;
    st->told = (uint32_t)from->inside_rows;
    st->is_recut = st->is_inside && from->inside.n > 0 && (!is_same || (from->event == 0 && from->row == 0));
    st->skip_events = (uint32_t)from->event;
    st->skip_rows = (uint32_t)from->row;
    if (is_same)
        st->birth = from->birth;
    if (from->has_gtids) {
        gtid_set_copy(&s->executed, &from->gtids);
        st->executed = &s->executed;
    }
    if (!is_same && st->is_inside && !st->is_recut) {
        log_warn("start",
                 "the stored offset lies inside a transaction of server %s, this is server %s, which may have cut it "
                 "into other events: the transaction is told again from its start",
                 from->server_uuid, s->server.uuid);
        st->is_inside = false;
    }
    /* With GTIDs only the set brings again what lies before the position: an open XA transaction's prepare, and the GTID of
     * a transaction whose BEGIN is stored. */
    if (!from->has_gtids || (is_same && from->n_xa == 0 && !st->is_inside && from->server_uuid[0] != '\0'))
        st->pos = from->pos;
    if (!from->has_gtids && from->reached.file[0] != '\0') {
        st->has_barrier = true;
        st->barrier = from->reached;
        st->early = STREAM_EARLY_APPLY;
    }
}

/* The loop gets what the server has become: its uuid, and the position's GTIDs where it had none. */
static bool tell_origin(struct start *s, struct source *src, struct fail *why)
{
    bool has_gtids;
    return gtid_switch(src, s->cfg, &s->server, &s->from, &has_gtids, why) &&
           feed_origin(s->feed, s->server.uuid, NULL, has_gtids ? &s->from.gtids : NULL, why);
}

static bool go_on(struct start *s, struct source *src, struct catalog *catalog, struct stream *stream,
                  struct reader_start *out, struct fail *why)
{
    if (!check_stored(s, why) || !tell_origin(s, src, why) || (!s->recovers && !put_stored_shapes(s, catalog, why)))
        return false;
    place_stream(s, out);
    bool is_other =
        s->from.has_gtids && s->from.server_uuid[0] != '\0' && strcmp(s->from.server_uuid, s->server.uuid) != 0;
    if (is_other && !lack_tell(src, &s->executed, why))
        return false;
    if (!add_new_tables(s, src, catalog, stream, out, why) || (s->recovers && !tell_schemas(s, &s->from.pos, why)))
        return false;
    schema_snapshot_fini(&s->schemas); /* tables that were included later are not told of */
    log_info("start", "going on from file=%s pos=%llu event=%llu row=%llu", s->from.pos.file,
             (unsigned long long)s->from.pos.offset, (unsigned long long)s->from.event,
             (unsigned long long)s->from.row);
    return true;
}

bool start_prepare(void *ctx, struct source *src, struct catalog *catalog, struct stream *stream,
                   struct reader_start *out, struct fail *why)
{
    struct start *s = ctx;
    if (!server_check(src, s->source, &s->server, why))
        return false;
    log_info("start", "connected to %s: MySQL %s, server_id=%u, server_uuid=%s, gtid_mode=%s", source_name(src),
             s->server.version_text, s->server.server_id, s->server.uuid,
             s->server.gtid_mode == SERVER_GTID_ON ? "ON" : "not ON");
    s->catalog = catalog;
    schema_snapshot_fini(&s->schemas);
    catalog_fini(catalog);
    catalog_init(catalog, s->server.lower_case_table_names);
    if (!inventory_read_databases(src, catalog, why))
        return false;
    out->server = server_of_stream(&s->server);
    snprintf(out->server_uuid, sizeof out->server_uuid, "%s", s->server.uuid);
    return s->is_first ? first_start(s, src, catalog, out, why) : go_on(s, src, catalog, stream, out, why);
}

/* A statement between the reading of the tables and the stream's beginning: what was told of this one is out of date. */
static bool tell_again(struct start *s, struct view db, struct view table, const struct shape *shape, struct view ddl,
                       const struct log_position *as_of, struct fail *why)
{
    if (!s->is_first || feed_is_ready(s->feed) || !s->cfg->record.schema_changes)
        return true;
    const struct schema_teller t = teller_of(s, as_of);
    return schema_snapshot_tell_again(&t, db, table, shape, ddl, why);
}

bool start_read_shape(void *ctx, struct source *src, struct view db, struct view table, const struct shape **shape,
                      struct log_position *as_of, struct fail *why)
{
    struct start *s = ctx;
    struct buf ddl;
    buf_init(&ddl);
    /* The database defaults are not needed: SHOW CREATE TABLE names every charset. */
    bool ok = inventory_read_shape(src, &s->server, NULL, db, table, shape, &ddl, why);
    bool was_read = ok;
    ok = ok && server_read_end(src, &s->server, as_of, why) &&
         tell_again(s, db, table, *shape, buf_view(&ddl), as_of, why);
    if (was_read && !ok && *shape != NULL)
        shape_free(shape);
    buf_fini(&ddl);
    return ok;
}

void start_reader_ended(void *ctx)
{
    struct start *s = ctx;
    feed_end(s->feed);
}
