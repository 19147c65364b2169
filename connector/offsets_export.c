/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_export.h"

#include "base/clock.h"
#include "base/log.h"
#include "binlog/sql_token.h"
#include "connector/connect_file.h"
#include "connector/debezium_progress.h"
#include "connector/json_text.h"
#include "connector/progress.h"
#include "connector/schema_history.h"
#include "connector/sink.h"
#include "connector/snapshots.h"
#include "connector/topic_writer.h"

#include <errno.h>
#include <stdio.h>

struct export {
    const struct config *cfg;
    const struct offsets_options *opt;
    struct offsets_store store;
    struct offset_state place; /* for the schema history */
    struct buf key;            /* as Connect has it */
    struct buf value;
};

/* ---- what is exported ---- */

static bool refuse(const struct export *e, const char *because, struct fail *why)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0, "the position of %s can't be given to Debezium: %s",
                    e->cfg->name, because);
}

static bool check_position(const struct export *e, struct fail *why)
{
    const struct offset_state *st = &e->store.state.offset;
    if (!e->store.state.has_offset)
        return refuse(e, "nothing is stored under this name", why);
    if (offset_state_is_inside(st))
        return refuse(e, "it lies inside a transaction; hint: start tidemark again and stop it when it has caught up",
                      why);
    if (!st->has_gtids && st->n_xa > 0)
        return refuse(
            e,
            "an XA transaction is prepared, and without GTIDs all since then would be told twice; hint: let it "
            "end, start tidemark again and stop it",
            why);
    return true;
}

/* An initial snapshot did not end; Debezium would begin it anew. */
static bool is_initial(const struct offset_state *st)
{
    return strcmp(st->snapshot, "INITIAL") == 0;
}

static enum incremental_shape find_shape(void *ctx, struct view db, struct view table, const struct shape **shape)
{
    const struct export *e = ctx;
    const struct state *st = &e->store.state;
    return snapshots_find_shape(e->cfg, &st->shapes, &st->offset, db, table, shape);
}

/* Debezium's members of a long snapshot are not in the offset: they would be stored with each commit. */
static bool put_snapshot(struct export *e, struct fail *why)
{
    const struct offset_state *st = &e->store.state.offset;
    struct signal_log signals;
    if (st->waiting == NULL) {
        buf_put_view(&e->place.incremental, buf_view(&st->incremental));
        return true;
    }
    signal_log_init(&signals);
    struct incremental *inc = progress_queue_new();
    bool ok = progress_load(inc, &signals, st->snapshots, st->waiting, why);
    if (ok)
        debezium_progress_print(inc, find_shape, e, &e->place.incremental);
    signal_log_fini(&signals);
    incremental_free(&inc, 0);
    return ok;
}

static bool fill_place(struct export *e, struct fail *why)
{
    const struct offset_state *st = &e->store.state.offset;
    struct offset_state *to = &e->place;
    to->pos = st->pos;
    to->has_gtids = st->has_gtids;
    gtid_set_copy(&to->gtids, &st->gtids);
    to->server_id = st->server_id;
    to->ts_sec = st->ts_sec;
    if (is_initial(st))
        memcpy(to->snapshot, st->snapshot, sizeof to->snapshot);
    offsets_print_key(e->opt->name == NULL ? e->cfg->name : e->opt->name, e->cfg->record.topic_prefix, &e->key);
    if (!put_snapshot(e, why))
        return false;
    if (!is_initial(st) && progress_has_tables(st->snapshots) && buf_size(&to->incremental) == 0)
        log_warn("offsets_export",
                 "the snapshot under way can't be told to Debezium, which knows of one table at a time and of "
                 "keys of its own: it is left out");
    offsets_print(to, &e->value);
    /* The history's positions are without, and say that this is how tables look there, not what is done next. */
    buf_clear(&to->incremental);
    snprintf(to->snapshot, sizeof to->snapshot, "INITIAL");
    return true;
}

/* ---- where to ---- */

static void put_rest(const struct export *e, struct buf *out)
{
    buf_put_literal(out, "{\"offsets\":[{\"partition\":{\"server\":");
    json_text_put_string(out, view_of(e->cfg->record.topic_prefix));
    buf_put_literal(out, "},\"offset\":");
    buf_put_view(out, buf_view(&e->value));
    buf_put_literal(out, "}]}\n");
}

static bool write_file(const char *path, struct view bytes, struct fail *why)
{
    FILE *f = fopen(path, "we");
    bool ok = f != NULL && fwrite(bytes.p, 1, bytes.n, f) == bytes.n;
    if (f != NULL)
        ok = fclose(f) == 0 && ok;
    return ok || fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "write %s: %m", path);
}

static bool write_files(const struct export *e, struct fail *why)
{
    struct buf text;
    buf_init(&text);
    bool ok = true;
    if (e->opt->to != NULL) {
        put_rest(e, &text);
        ok = write_file(e->opt->to, buf_view(&text), why);
    }
    buf_clear(&text);
    if (ok && e->opt->to_file_store != NULL) {
        connect_file_print(buf_view(&e->key), buf_view(&e->value), &text);
        ok = write_file(e->opt->to_file_store, buf_view(&text), why);
    }
    buf_fini(&text);
    return ok;
}

static bool write_topic(const struct export *e, struct fail *why)
{
    if (e->opt->to_topic == NULL)
        return true;
    struct topic_writer *w = topic_writer_open(e->cfg, e->opt->to_topic, why);
    bool ok = w != NULL && topic_writer_put(w, SINK_ANY_PARTITION, buf_view(&e->key), buf_view(&e->value), why) &&
              topic_writer_finish(w, why);
    topic_writer_close(&w);
    return ok;
}

/* ---- the schema history ---- */

static bool put_statement(const struct export *e, struct topic_writer *w, const char *db, struct view ddl,
                          struct fail *why)
{
    struct buf record;
    buf_init(&record);
    schema_history_print(e->cfg->record.topic_prefix, &e->place, clock_wall_ns() / 1000000, view_of(db), ddl, &record);
    bool ok = topic_writer_put(w, 0, VIEW_NONE, buf_view(&record), why);
    buf_fini(&record);
    return ok;
}

/* Debezium passes a CREATE TABLE by when it knows the table already: so it is dropped before. */
static bool put_table(const struct export *e, struct topic_writer *w, const struct shape_history *h, unsigned *n,
                      struct fail *why)
{
    const struct offset_state *st = &e->store.state.offset;
    const struct shape_place at = {st->has_gtids ? &st->gtids : NULL, &st->pos, st->server_uuid};
    const struct shape_version *v;
    struct buf drop;
    if (!filter_has_table(&e->cfg->filter, view_of(h->db), view_of(h->table)) ||
        shape_store_at(&e->store.state.shapes, view_of(h->db), view_of(h->table), &at, &v) != SHAPE_FOUND)
        return true;
    buf_init(&drop);
    buf_put_literal(&drop, "DROP TABLE IF EXISTS ");
    sql_put_name(&drop, view_of(h->db));
    buf_put_u8(&drop, '.');
    sql_put_name(&drop, view_of(h->table));
    bool ok = put_statement(e, w, h->db, buf_view(&drop), why) &&
              (v->ddl == NULL || put_statement(e, w, h->db, view_of(v->ddl), why));
    buf_fini(&drop);
    *n += v->ddl != NULL;
    return ok;
}

static bool write_history(const struct export *e, struct fail *why)
{
    const struct map_entry *entry;
    size_t at = 0;
    unsigned n = 0;
    if (e->opt->history_topic == NULL) {
        log_info("offsets_export",
                 "no schema history was written: Debezium goes on there with its own, if that is up to date, or "
                 "with snapshot.mode=recovery; hint: --history-topic writes the shapes at this position");
        return true;
    }
    struct topic_writer *w = topic_writer_open(e->cfg, e->opt->history_topic, why);
    bool ok = w != NULL;
    while (ok && (entry = map_next(&e->store.state.shapes.tables, &at)) != NULL)
        ok = put_table(e, w, entry->value, &n, why);
    ok = ok && topic_writer_finish(w, why);
    topic_writer_close(&w);
    if (ok)
        log_info("offsets_export", "the shapes of %u tables are in %s", n, e->opt->history_topic);
    return ok;
}

/* ---- the command ---- */

static void note_snapshots(const struct export *e)
{
    const struct offset_state *st = &e->store.state.offset;
    if (is_initial(st))
        log_warn("offsets_export", "the initial snapshot has not ended: Debezium begins it anew");
    if (st->n_xa > 0)
        log_info("offsets_export", "XA transactions are prepared: Debezium tells their rows at once");
}

/* The history first: an offset without it would be of no use. */
static bool export(struct export *e, struct buf *out, struct fail *why)
{
    if (!check_position(e, why) || !fill_place(e, why))
        return false;
    note_snapshots(e);
    if (e->opt->to == NULL && e->opt->to_file_store == NULL && e->opt->to_topic == NULL)
        put_rest(e, out);
    return e->opt->is_dry || (write_history(e, why) && write_topic(e, why) && write_files(e, why));
}

int offsets_export(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why)
{
    struct export e = {.cfg = cfg, .opt = opt};
    offset_state_init(&e.place);
    buf_init(&e.key);
    buf_init(&e.value);
    const struct offsets_access access = {.is_dry = true, .may_fence = opt->may_fence};
    bool ok = offsets_store_open(&e.store, cfg, &access, why) && export(&e, out, why);
    if (!ok)
        buf_clear(out);
    buf_fini(&e.key);
    buf_fini(&e.value);
    offset_state_fini(&e.place);
    offsets_store_close(&e.store);
    return ok ? 0 : (int)why->area;
}
