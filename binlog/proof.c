/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/proof.h"

#include "binlog/ddl.h"

#include <stdio.h>

struct proof {
    struct proof_table *tables;
    size_t n;
    const struct log_position *until;
    struct log_position now; /* where the transaction under way began */
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
    (void)ctx;
    (void)db;
    (void)table;
    (void)shape;
    (void)why;
    return true;
}

static bool counts(const struct proof *p, const struct proof_table *t)
{
    return (t->after == NULL || position_compare(&p->now, t->after) >= 0) &&
           (t->until == NULL || position_compare(&p->now, t->until) < 0);
}

/* Of a table that is there, as one whose statement was just executed, IF NOT EXISTS makes nothing. */
static bool makes_nothing(const struct proof_table *t, const struct ddl_effect *e)
{
    return t->after != NULL && e->kind == DDL_CREATE && e->is_conditional;
}

/* Of a rename both names are named. */
static void name_table(const struct proof *p, struct view db, struct view table, const struct ddl_effect *e)
{
    struct proof_table *t = table.n == 0 ? NULL : find(p, db, table);
    if (t == NULL || !counts(p, t) || makes_nothing(t, e))
        return;
    if (!t->has_changed)
        t->was_made = e->kind == DDL_CREATE && !e->is_conditional; /* IF NOT EXISTS is logged when it existed, too */
    t->has_changed = true;
}

static bool table_rewritten(void *ctx, struct view db, struct view table, bool is_emptied, struct fail *why)
{
    (void)is_emptied;
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

static bool prove(void *ctx, struct view db, struct view table, const struct log_position *after,
                  const struct log_position *until, bool *is_proven, struct fail *why)
{
    (void)ctx;
    (void)db;
    (void)table;
    (void)after;
    (void)until;
    (void)why;
    *is_proven = false;
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
    struct proof *p = ctx;
    (void)why;
    snprintf(p->now.file, sizeof p->now.file, "%s", trx->file);
    p->now.offset = trx->offset;
    return true;
}

static bool changes_shape(enum ddl_kind kind)
{
    return kind == DDL_CREATE || kind == DDL_ALTER || kind == DDL_RENAME || kind == DDL_DROP || kind == DDL_UNREADABLE;
}

static bool statement(void *ctx, const struct stream_statement *st, struct fail *why)
{
    (void)why;
    for (size_t i = 0; i < st->effects->n_effects; i++) {
        const struct ddl_effect *e = &st->effects->effects[i];
        if (!changes_shape(e->kind))
            continue;
        name_table(ctx, e->old_db, e->old_table, e);
        name_table(ctx, e->db, e->table, e);
    }
    return true;
}

static bool xa(void *ctx, enum stream_xa_step step, const struct gtid *prepared, struct view xid, struct fail *why)
{
    (void)ctx;
    (void)step;
    (void)prepared;
    (void)xid;
    (void)why;
    return true;
}

static bool file(void *ctx, const char *name, uint32_t made_sec, struct fail *why)
{
    (void)ctx;
    (void)name;
    (void)made_sec;
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
    .file = file,
    .begin = begin,
    .statement = statement,
    .shape_changed = shape_changed,
    .table_rewritten = table_rewritten,
    .xa = xa,
    .commit = commit,
    .position = reach,
    .read_shape = read_shape,
    .prove = prove,
};

static bool read_statements(struct source *src, struct stream *stream, const struct proof *p, struct fail *why)
{
    struct view event;
    while (!p->is_done)
        if (!source_fetch(src, &event, why) || !stream_feed(stream, event, 0, why))
            return false;
    return true;
}

void proof_settings(const struct source_settings *of, char name[PROOF_NAME_BYTES], struct source_settings *out)
{
    snprintf(name, PROOF_NAME_BYTES, "proof of %s", of->name == NULL ? "" : of->name);
    *out = *of;
    out->name = name;
    if (out->silence_ms > 0 && out->silence_ms < out->query_timeout_ms)
        out->silence_ms = out->query_timeout_ms;
}

bool proof_run(struct source *src, const struct source_start *start, const struct stream_server *server,
               const struct log_position *until, struct proof_table *tables, size_t n, struct fail *why)
{
    struct proof p = {.tables = tables, .n = n, .until = until};
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
