/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/proof.h"

#include <stdio.h>

struct proof {
    struct proof_table *tables;
    size_t n;
    const struct log_position *until;
    bool is_done;
};

/* ---- an output that listens for statements and positions only ---- */

static struct proof_table *find(const struct proof *p, struct view db, struct view table)
{
    for (size_t i = 0; i < p->n; i++)
        if (view_equal(p->tables[i].db, db) && view_equal(p->tables[i].table, table))
            return &p->tables[i];
    return NULL;
}

static bool is_captured(const void *ctx, struct view db, struct view table)
{
    return find(ctx, db, table) != NULL;
}

static bool shape_changed(void *ctx, struct view db, struct view table, const struct shape *shape, struct fail *why)
{
    struct proof_table *t = find(ctx, db, table);
    (void)shape;
    (void)why;
    if (t != NULL)
        t->has_changed = true;
    return true;
}

static bool table_rewritten(void *ctx, struct view db, struct view table, struct fail *why)
{
    (void)ctx;
    (void)db;
    (void)table;
    (void)why;
    return true;
}

/* Nothing is known of any table here: what can't be known from the log stays unknown. */
static bool read_shape(void *ctx, struct view db, struct view table, const struct shape **shape,
                       struct log_position *as_of, struct fail *why)
{
    (void)ctx;
    (void)db;
    (void)table;
    (void)why;
    *shape = NULL;
    *as_of = (struct log_position){.file = ""};
    return true;
}

static bool reach(void *ctx, const char *file, uint64_t offset, struct fail *why)
{
    struct proof *p = ctx;
    struct log_position here = {.offset = offset};
    (void)why;
    snprintf(here.file, sizeof here.file, "%s", file);
    if (position_compare(&here, p->until) >= 0)
        p->is_done = true;
    return true;
}

static bool commit(void *ctx, const struct stream_transaction *trx, const char *file, uint64_t offset, struct fail *why)
{
    (void)trx;
    return reach(ctx, file, offset, why);
}

static bool begin(void *ctx, const struct stream_transaction *trx, struct fail *why)
{
    (void)ctx;
    (void)trx;
    (void)why;
    return true;
}

static bool statement(void *ctx, const struct stream_statement *st, struct fail *why)
{
    (void)ctx;
    (void)st;
    (void)why;
    return true;
}

static bool xa(void *ctx, bool is_open, const struct gtid *prepared, struct view xid, struct fail *why)
{
    (void)ctx;
    (void)is_open;
    (void)prepared;
    (void)xid;
    (void)why;
    return true;
}

/* Never reached: no table here has a shape. */
static bool open_table(void *ctx, const struct shape *shape, void **table, struct fail *why)
{
    (void)ctx;
    (void)shape;
    (void)table;
    return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0, "rows were to be told while only statements were looked for");
}

static const struct stream_output listener = {
    .is_captured = is_captured,
    .open_table = open_table,
    .begin = begin,
    .statement = statement,
    .shape_changed = shape_changed,
    .table_rewritten = table_rewritten,
    .xa = xa,
    .commit = commit,
    .position = reach,
    .read_shape = read_shape,
};

static bool read_statements(struct source *src, struct stream *stream, const struct proof *p, struct fail *why)
{
    struct view event;
    while (!p->is_done)
        if (!source_fetch(src, &event, why) || !stream_feed(stream, event, 0, why))
            return false;
    return true;
}

bool proof_run(struct source *src, const struct source_start *start, const struct stream_server *server,
               const struct log_position *until, struct proof_table *tables, size_t n, struct fail *why)
{
    struct proof p = {tables, n, until, false};
    struct stream_output out = listener;
    const struct stream_settings set = {STREAM_SKIP, STREAM_SKIP, 0};
    struct stream_start from = {.executed = start->executed};
    struct catalog nothing;
    out.ctx = &p;
    if (start->pos != NULL)
        from.pos = *start->pos;
    catalog_init(&nothing, 0);
    struct stream *stream = stream_new(&set, &nothing, &out);
    stream_set_server(stream, server);
    stream_begin(stream, &from);
    bool ok = source_connect_dump(src, why) && source_dump(src, start, why) && read_statements(src, stream, &p, why);
    source_disconnect(src);
    stream_free(&stream);
    catalog_fini(&nothing);
    return ok || fail_add(why, "look for statements about newly captured tables up to file=%s pos=%llu", until->file,
                          (unsigned long long)until->offset);
}
