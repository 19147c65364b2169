/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/feed_statement.h"

#include "binlog/ddl.h"
#include "record/notice.h"
#include "record/plan.h"
#include "record/render.h"
#include "record/topic.h"

struct teller {
    const struct record_settings *set;
    const struct filter *filter;
    const struct stream_statement *st;
    struct row_source src;
    feed_record_fn put;
    void *ctx;
    bool is_captured; /* it changes a captured table, or a captured database itself */
    struct buf names;
    struct buf key;
    struct buf value;
};

static struct row_source source_of(const struct stream_statement *st)
{
    return (struct row_source){
        .file = view_of(st->file),
        .pos = st->offset,
        .server_id = st->server_id,
        .has_thread = st->trx->has_thread,
        .thread = st->trx->thread,
        .gtid = view_of(st->trx->gtid_text),
        .ts_us = st->ts_us,
        .now_ns = st->now_ns,
        .snapshot = "false",
    };
}

/* The name was given on by a later part of the statement (RENAME of several tables), so there is no such table now. */
static bool is_given_on(const struct ddl_result *effects, const struct ddl_effect *e)
{
    const struct ddl_effect *end = effects->effects + effects->n_effects;
    for (const struct ddl_effect *later = e + 1; later < end; later++)
        if (later->old_table.n > 0 && view_equal(later->old_table, e->table) && view_equal(later->old_db, e->db))
            return true;
    return false;
}

static enum notice_change change_of(const struct ddl_result *effects, const struct ddl_effect *e)
{
    if (is_given_on(effects, e))
        return NOTICE_NO_CHANGE;
    switch (e->kind) {
    case DDL_CREATE:
        return e->shape == NULL ? NOTICE_NO_CHANGE : NOTICE_CREATE;
    case DDL_ALTER:
    case DDL_RENAME:
        return e->shape == NULL || e->is_unseen ? NOTICE_NO_CHANGE : NOTICE_ALTER;
    case DDL_DROP:
        return NOTICE_DROP;
    case DDL_TRUNCATE:
    case DDL_DATA_CHANGED:
    case DDL_DATABASE:
    case DDL_NONE:
    case DDL_ROW_STATEMENT:
    case DDL_UNREADABLE:
        return NOTICE_NO_CHANGE;
    }
    return NOTICE_NO_CHANGE;
}

/* Of objects that nobody captures nothing is told; a database's own statements always are. */
static bool is_ours(const struct ddl_effect *e)
{
    return e->is_captured || e->was_captured || e->table.n == 0;
}

/* What a statement does to rows alone is no change of a schema; its other effects are told. */
static bool is_change_of_schema(const struct ddl_effect *e)
{
    return e->kind != DDL_ROW_STATEMENT && e->kind != DDL_DATA_CHANGED;
}

/* ---- statements about others: schema.history.internal.store.only.captured.… ---- */

static bool changes_captured(const struct filter *filter, const struct ddl_effect *e)
{
    if (e->kind == DDL_NONE || e->is_unseen)
        return false;
    return e->kind == DDL_DATABASE ? filter_has_database(filter, e->db) : e->is_captured || e->was_captured;
}

static bool any_changes_captured(const struct filter *filter, const struct ddl_result *effects)
{
    for (size_t i = 0; i < effects->n_effects; i++)
        if (changes_captured(filter, &effects->effects[i]))
            return true;
    return false;
}

static struct view database_of(const struct teller *t, const struct ddl_effect *e)
{
    return e->db.n > 0 ? e->db : t->st->db;
}

/* A statement without a database, such as FLUSH TABLES, is nobody else's. */
static bool is_in_scope(const struct teller *t, const struct ddl_effect *e)
{
    struct view db = database_of(t, e);
    if (t->set->captured_databases_only && db.n > 0 && !filter_has_database(t->filter, db))
        return false;
    return !t->set->captured_tables_only || t->is_captured;
}

/* ---- records ---- */

/* The names of one database that a statement touched, each once, in its order. */
static void put_names(const struct ddl_result *effects, struct view db, struct buf *out)
{
    for (size_t i = 0; i < effects->n_effects; i++) {
        const struct ddl_effect *e = &effects->effects[i];
        bool is_known = e->table.n == 0 || !view_equal(e->db, db) || !is_ours(e) || !is_change_of_schema(e);
        for (size_t k = 0; k < i && !is_known; k++)
            is_known = view_equal(effects->effects[k].db, db) && view_equal(effects->effects[k].table, e->table);
        if (is_known)
            continue;
        if (buf_size(out) > 0)
            buf_put_u8(out, ',');
        buf_put_view(out, e->table);
    }
}

/* The tables of a database that is dropped go without a record of their own. */
static bool goes_with_database(const struct ddl_result *effects, const struct ddl_effect *e)
{
    return e->kind == DDL_DROP && effects->effects[effects->n_effects - 1].kind == DDL_DATABASE;
}

/* Statements that leave the columns and keys of every table as they were name none. */
static bool touches_table(const struct ddl_effect *e)
{
    return e->kind != DDL_NONE && e->kind != DDL_DATABASE && !e->is_unseen;
}

static bool tell_change(struct teller *t, const struct ddl_effect *e, struct fail *why)
{
    buf_clear(&t->names);
    if (touches_table(e))
        put_names(t->st->effects, e->db, &t->names);
    enum notice_change change = change_of(t->st->effects, e);
    const struct notice_schema_change notice = {
        .src = &t->src,
        .db = database_of(t, e),
        .tables = buf_view(&t->names),
        .ddl = e->text,
        .change = change,
        .change_db = e->db,
        .change_table = e->table,
        .shape = e->shape,
    };
    buf_clear(&t->key);
    buf_clear(&t->value);
    notice_put_schema_change(t->set, &notice, &t->key, &t->value);
    return t->put(t->ctx, topic_intern(view_of(t->set->topic_prefix)), true, buf_view(&t->key), buf_view(&t->value),
                  t->st->trx->events, why);
}

static bool tell_truncate(struct teller *t, const struct ddl_effect *e, struct fail *why)
{
    struct rendered_row row;
    if (!e->is_captured || e->shape == NULL || (t->set->skipped_ops & SKIP_T) != 0)
        return true;
    struct plan *plan = plan_new(e->shape, t->set, why);
    if (plan == NULL)
        return false;
    buf_clear(&t->value);
    render_truncate(plan, &t->src, &t->value, &row);
    const uint8_t *base = t->value.start;
    bool ok = true;
    for (unsigned i = 0; ok && i < row.n; i++)
        ok = t->put(t->ctx, plan_topic(plan), false, VIEW_NONE,
                    (struct view){base + row.records[i].value_at, row.records[i].value_bytes}, t->st->trx->events, why);
    plan_free(&plan);
    return ok;
}

static bool tell_effect(struct teller *t, const struct ddl_effect *e, struct fail *why)
{
    if (e->kind == DDL_TRUNCATE)
        return tell_truncate(t, e, why);
    if (!is_change_of_schema(e) || !t->set->schema_changes || !is_ours(e) || !is_in_scope(t, e) ||
        goes_with_database(t->st->effects, e))
        return true;
    return tell_change(t, e, why);
}

bool feed_statement_tell(const struct record_settings *set, const struct filter *filter,
                         const struct stream_statement *st, feed_record_fn put, void *ctx, struct fail *why)
{
    struct teller t = {
        .set = set,
        .filter = filter,
        .st = st,
        .src = source_of(st),
        .put = put,
        .ctx = ctx,
        .is_captured = any_changes_captured(filter, st->effects),
    };
    bool ok = true;
    buf_init(&t.names);
    buf_init(&t.key);
    buf_init(&t.value);
    for (size_t i = 0; ok && i < st->effects->n_effects; i++)
        ok = tell_effect(&t, &st->effects->effects[i], why);
    buf_fini(&t.names);
    buf_fini(&t.key);
    buf_fini(&t.value);
    return ok;
}
