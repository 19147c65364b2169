/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/schema_snapshot.h"

#include "binlog/sql_token.h"
#include "record/notice.h"
#include "record/topic.h"

#include <stdlib.h>

void schema_snapshot_init(struct schema_snapshot *s)
{
    *s = (struct schema_snapshot){.n = 0};
}

void schema_snapshot_fini(struct schema_snapshot *s)
{
    for (size_t i = 0; i < s->n; i++) {
        shape_free(&s->tables[i].shape);
        free(s->tables[i].ddl);
    }
    free(s->tables);
    schema_snapshot_init(s);
}

void schema_snapshot_add(struct schema_snapshot *s, const struct shape *shape, struct view ddl)
{
    s->tables = mem_resize(s->tables, (s->n + 1) * sizeof *s->tables);
    s->tables[s->n++] = (struct schema_table){shape_hold(shape), view_to_string(ddl)};
}

/* ---- one record ---- */

struct told {
    struct view db;
    struct view table; /* empty: the statement is of no table */
    struct view ddl;
    enum notice_change change;
    const struct shape *shape;
    bool is_last; /* nothing comes behind it */
};

static bool tell(const struct schema_teller *t, const struct told *told, struct fail *why)
{
    struct buf key, value;
    const struct row_source src = {
        .file = view_of(t->at->file),
        .pos = t->at->offset,
        .ts_us = t->now_ns / 1000,
        .now_ns = t->now_ns,
        .snapshot = told->is_last ? "last" : "true",
    };
    const struct notice_schema_change notice = {
        .src = &src,
        .db = told->db,
        .tables = told->table,
        .ddl = told->ddl,
        .change = told->change,
        .change_db = told->db,
        .change_table = told->table,
        .shape = told->shape,
    };
    buf_init(&key);
    buf_init(&value);
    notice_put_schema_change(t->set, &notice, &key, &value);
    bool ok =
        t->put(t->ctx, topic_intern(view_of(t->set->topic_prefix)), true, buf_view(&key), buf_view(&value), 0, why);
    buf_fini(&key);
    buf_fini(&value);
    return ok;
}

/* A statement of no table. */
static bool tell_plain(const struct schema_teller *t, struct view db, const struct buf *sql, bool is_last,
                       struct fail *why)
{
    const struct told told = {.db = db, .ddl = buf_view(sql), .is_last = is_last};
    return tell(t, &told, why);
}

/* ---- statements ---- */

static bool tell_server(const struct schema_teller *t, bool is_last, struct fail *why)
{
    struct buf sql;
    buf_init(&sql);
    buf_printf(&sql, "SET character_set_server=%s, collation_server=%s", t->server->charset, t->server->collation);
    bool ok = tell_plain(t, VIEW_NONE, &sql, is_last, why);
    buf_fini(&sql);
    return ok;
}

static bool tell_drop(const struct schema_teller *t, struct view db, struct view table, struct fail *why)
{
    struct buf sql;
    buf_init(&sql);
    buf_put_literal(&sql, "DROP TABLE IF EXISTS ");
    sql_put_name(&sql, db);
    buf_put_u8(&sql, '.');
    sql_put_name(&sql, table);
    const struct told told = {.db = db, .table = table, .ddl = buf_view(&sql), .change = NOTICE_DROP};
    bool ok = tell(t, &told, why);
    buf_fini(&sql);
    return ok;
}

static void put_create_database(const struct schema_teller *t, struct view db, struct buf *sql)
{
    const struct catalog_database *d = catalog_find_database(t->catalog, db);
    buf_put_literal(sql, "CREATE DATABASE ");
    sql_put_name(sql, db);
    if (d != NULL && d->charset != NULL)
        buf_printf(sql, " CHARSET %s COLLATE %s", d->charset->name, d->collation);
}

static bool tell_database(const struct schema_teller *t, struct view db, struct fail *why)
{
    struct buf drop, create, use;
    buf_init(&drop);
    buf_init(&create);
    buf_init(&use);
    buf_put_literal(&drop, "DROP DATABASE IF EXISTS ");
    sql_put_name(&drop, db);
    put_create_database(t, db, &create);
    buf_put_literal(&use, "USE ");
    sql_put_name(&use, db);
    bool ok = tell_plain(t, db, &drop, false, why) && tell_plain(t, db, &create, false, why) &&
              tell_plain(t, db, &use, false, why);
    buf_fini(&drop);
    buf_fini(&create);
    buf_fini(&use);
    return ok;
}

static bool tell_create(const struct schema_teller *t, const struct shape *shape, struct view ddl, bool is_last,
                        struct fail *why)
{
    const struct told told = {shape->db, shape->table, ddl, NOTICE_CREATE, shape, is_last};
    return tell(t, &told, why);
}

/* ---- all ---- */

bool schema_snapshot_tell(const struct schema_snapshot *s, const struct schema_teller *t, struct fail *why)
{
    struct view db = VIEW_NONE;
    bool ok = tell_server(t, s->n == 0, why);
    for (size_t i = 0; ok && i < s->n; i++)
        ok = tell_drop(t, s->tables[i].shape->db, s->tables[i].shape->table, why);
    for (size_t i = 0; ok && i < s->n; i++) {
        const struct schema_table *table = &s->tables[i];
        if (!view_equal(db, table->shape->db))
            ok = tell_database(t, table->shape->db, why);
        db = table->shape->db;
        ok = ok && tell_create(t, table->shape, view_of(table->ddl), i + 1 == s->n && !t->rows_follow, why);
    }
    return ok;
}

bool schema_snapshot_tell_again(const struct schema_teller *t, struct view db, struct view table,
                                const struct shape *shape, struct view ddl, struct fail *why)
{
    return tell_drop(t, db, table, why) && (shape == NULL || tell_create(t, shape, ddl, false, why));
}
