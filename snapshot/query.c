/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/query.h"

#include "snapshot/query_bind.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>

struct query {
    const struct source_settings *set;
    struct source *src;
    MYSQL_STMT *stmt; /* NULL: none is prepared */
    struct buf sql;   /* of the prepared one */
    bool is_open;     /* rows are under way */
    uint32_t timeout_ms;
    struct query_columns columns;
    struct query_slot *slots;
    MYSQL_BIND *results;
    unsigned n_used;  /* of the slots: the columns, then the numbers behind them */
    unsigned n_slots; /* that there is memory for */
    struct query_param *param_memory;
    MYSQL_BIND *params;
    unsigned n_params; /* that there is memory for */
};

/* ---- life ---- */

struct query *query_new(const struct source_settings *set)
{
    struct query *q = mem_zero(1, sizeof *q);
    q->set = set;
    q->src = source_new(set);
    buf_init(&q->sql);
    return q;
}

static void close_statement(struct query *q)
{
    if (q->stmt != NULL)
        mysql_stmt_close(q->stmt);
    q->stmt = NULL;
    q->is_open = false;
    buf_clear(&q->sql);
}

void query_free(struct query **query)
{
    struct query *q = *query;
    if (q == NULL)
        return;
    query_disconnect(q);
    source_free(&q->src);
    buf_fini(&q->sql);
    for (unsigned i = 0; i < q->n_slots; i++)
        query_slot_fini(&q->slots[i]);
    free(q->slots);
    free(q->results);
    free(q->param_memory);
    free(q->params);
    free(q);
    *query = NULL;
}

struct source *query_source(struct query *q)
{
    return q->src;
}

void query_disconnect(struct query *q)
{
    close_statement(q);
    source_disconnect(q->src);
}

/* ---- the session ---- */

/* What values look like and what statements may do. A server that does not know a variable has not what it is about. */
static const char *const settings[] = {
    "SET SESSION time_zone='+00:00'",
    "SET SESSION sql_mode='ALLOW_INVALID_DATES'", /* a key may be a date that does not exist */
    "SET SESSION character_set_results=NULL",     /* text comes in the column's own charset */
    "SET SESSION max_execution_time=0",
    "SET SESSION lock_wait_timeout=30",
    "SET SESSION innodb_lock_wait_timeout=1", /* what a chunk has locked so far holds up writers meanwhile */
    "SET SESSION show_gipk_in_create_table_and_information_schema=ON",
};

static bool prepare_session(struct query *q, bool locks_for_share, struct fail *why)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!source_query_do(q->src, settings[i], why) && why->code != ER_UNKNOWN_SYSTEM_VARIABLE)
            return false;
    return source_query_do(q->src,
                           locks_for_share ? "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY"
                                           : "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                           why);
}

bool query_connect(struct query *q, bool locks_for_share, struct fail *why)
{
    if (source_is_connected(q->src))
        return true;
    close_statement(q);
    q->timeout_ms = 0;
    if (source_connect(q->src, why) && prepare_session(q, locks_for_share, why))
        return true;
    query_disconnect(q);
    return false;
}

bool query_limit_time(struct query *q, uint32_t timeout_ms, struct fail *why)
{
    char sql[64];
    if (q->timeout_ms == timeout_ms)
        return true;
    snprintf(sql, sizeof sql, "SET SESSION max_execution_time=%u", timeout_ms);
    if (!source_query_do(q->src, sql, why))
        return false;
    q->timeout_ms = timeout_ms;
    return true;
}

/* ---- preparing ---- */

static bool fail_statement(struct query *q, const char *doing, struct fail *why)
{
    source_explain(q->set, q->stmt == NULL ? 0 : mysql_stmt_errno(q->stmt),
                   q->stmt == NULL ? "" : mysql_stmt_error(q->stmt), doing, why);
    close_statement(q);
    return false;
}

static bool prepare(struct query *q, struct view sql, struct fail *why)
{
    if (q->stmt != NULL && view_equal(buf_view(&q->sql), sql))
        return true;
    close_statement(q);
    q->stmt = mysql_stmt_init(source_mysql(q->src));
    ASSERT(q->stmt != NULL);
    if (mysql_stmt_prepare(q->stmt, (const char *)sql.p, (unsigned long)sql.n) != 0)
        return fail_statement(q, "prepare a SELECT", why);
    buf_put_view(&q->sql, sql);
    return true;
}

static bool bind_params(struct query *q, const struct chunk_statement *st, struct fail *why)
{
    if (mysql_stmt_param_count(q->stmt) != st->n_params) {
        fail_set(why, FAIL_REFUSE, FAIL_AREA_REFUSED, ER_PARSE_ERROR,
                 "the statement has %lu parameters instead of %u: a question mark stands in the filter",
                 mysql_stmt_param_count(q->stmt), st->n_params);
        close_statement(q);
        return false;
    }
    if (q->n_params < st->n_params) {
        q->n_params = st->n_params;
        q->params = mem_resize(q->params, st->n_params * sizeof *q->params);
        q->param_memory = mem_resize(q->param_memory, st->n_params * sizeof *q->param_memory);
    }
    for (unsigned i = 0; i < st->n_params; i++)
        query_bind_param(&q->params[i], &q->param_memory[i], &st->params[i]);
    if (st->n_params > 0 && mysql_stmt_bind_param(q->stmt, q->params))
        return fail_statement(q, "give a SELECT its values", why);
    return true;
}

static bool fail_columns(struct query *q, const struct column *col, struct fail *why)
{
    const struct shape *shape = q->columns.shape;
    fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, QUERY_OTHER_COLUMNS,
             "%.*s.%.*s has other columns now than its shape, %s%.*s", VIEW_ARGS(shape->db), VIEW_ARGS(shape->table),
             col == NULL ? "in number" : "such as ", col == NULL ? 0 : (int)col->name.n,
             col == NULL ? "" : (const char *)col->name.p);
    close_statement(q);
    return false;
}

/* How many numbers stand behind the columns. */
static unsigned count_typed(const struct query_columns *c)
{
    unsigned n = 0;
    for (unsigned i = 0; c->with_json_typed && i < c->n; i++)
        n += c->shape->columns[c->columns[i]].kind == COLUMN_JSON;
    return n;
}

/* The server prepares anew by itself after a DDL: what comes is told only by the columns of this execution. */
static bool check_columns(struct query *q, struct fail *why)
{
    const struct query_columns *c = &q->columns;
    MYSQL_RES *fields = mysql_stmt_result_metadata(q->stmt);
    if (fields == NULL)
        return fail_statement(q, "look at the columns of a SELECT", why);
    const struct column *bad = NULL;
    bool fits = mysql_num_fields(fields) == c->n + count_typed(c);
    for (unsigned i = 0; fits && i < c->n; i++) {
        const struct column *col = &c->shape->columns[c->columns[i]];
        fits = query_field_fits(mysql_fetch_field_direct(fields, i), col);
        bad = fits ? NULL : col;
    }
    mysql_free_result(fields);
    return fits || fail_columns(q, bad, why);
}

static bool bind_slots(struct query *q, struct fail *why)
{
    for (unsigned i = 0; i < q->n_used; i++)
        query_bind_slot(&q->results[i], &q->slots[i]);
    return !mysql_stmt_bind_result(q->stmt, q->results) || fail_statement(q, "read the rows of a SELECT", why);
}

static void set_slots(struct query *q)
{
    static const struct column typed = {.kind = COLUMN_BIGINT};
    const struct query_columns *c = &q->columns;
    q->n_used = c->n + count_typed(c);
    if (q->n_slots < q->n_used) {
        q->slots = mem_resize(q->slots, q->n_used * sizeof *q->slots);
        q->results = mem_resize(q->results, q->n_used * sizeof *q->results);
        memset(q->slots + q->n_slots, 0, (q->n_used - q->n_slots) * sizeof *q->slots);
        q->n_slots = q->n_used;
    }
    for (unsigned i = 0; i < q->n_used; i++)
        query_slot_set(&q->slots[i], i < c->n ? &c->shape->columns[c->columns[i]] : &typed);
}

bool query_start(struct query *q, const struct chunk_statement *st, const struct query_columns *columns,
                 struct fail *why)
{
    struct view sql = {st->sql.start, buf_size(&st->sql) - 1};
    query_end(q);
    if (!prepare(q, sql, why) || !bind_params(q, st, why))
        return false;
    if (mysql_stmt_execute(q->stmt) != 0)
        return fail_statement(q, "read rows", why);
    q->is_open = true;
    q->columns = *columns;
    if (!check_columns(q, why))
        return false;
    set_slots(q);
    return bind_slots(q, why);
}

/* ---- rows ---- */

/* Values that were longer than their buffers are fetched once more; the next rows find the larger ones. */
static bool fetch_cut(struct query *q, struct fail *why)
{
    for (unsigned i = 0; i < q->columns.n; i++) {
        struct query_slot *slot = &q->slots[i];
        if (!slot->is_cut || slot->is_null)
            continue;
        if (!query_slot_grow(slot)) {
            fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, QUERY_OTHER_COLUMNS,
                     "a value of column %.*s does not fit its type", VIEW_ARGS(slot->column->name));
            close_statement(q);
            return false;
        }
        query_bind_slot(&q->results[i], slot);
        if (mysql_stmt_fetch_column(q->stmt, &q->results[i], i, 0) != 0)
            return fail_statement(q, "read a long value", why);
    }
    return bind_slots(q, why);
}

static bool take_row(struct query *q, struct cell *cells, struct arena *memory, struct fail *why)
{
    struct value_input in;
    const struct query_slot *typed = &q->slots[q->columns.n];
    for (unsigned i = 0; i < q->columns.n; i++) {
        const struct query_slot *slot = &q->slots[i];
        query_slot_take(slot, &in);
        if (q->columns.with_json_typed && slot->column->kind == COLUMN_JSON)
            in.json_typed = typed++->integer != 0 ? JSONB_TYPED_YES : JSONB_TYPED_NO;
        if (!value_from_result(slot->column, &in, memory, &cells[q->columns.columns[i]], why))
            return false;
    }
    return true;
}

enum query_step query_next(struct query *q, struct cell *cells, struct arena *memory, struct fail *why)
{
    int rc = mysql_stmt_fetch(q->stmt);
    if (rc == MYSQL_NO_DATA)
        return QUERY_END;
    if (rc == MYSQL_DATA_TRUNCATED && !fetch_cut(q, why))
        return QUERY_FAILED;
    if (rc != 0 && rc != MYSQL_DATA_TRUNCATED) {
        fail_statement(q, "read rows", why);
        return QUERY_FAILED;
    }
    return take_row(q, cells, memory, why) ? QUERY_ROW : QUERY_FAILED;
}

void query_end(struct query *q)
{
    if (q->is_open && q->stmt != NULL && mysql_stmt_free_result(q->stmt))
        close_statement(q);
    q->is_open = false;
}

/* ---- plans ---- */

bool query_explain(struct query *q, const struct chunk_statement *st, struct buf *plan, struct fail *why)
{
    struct buf sql;
    struct query_slot slot = {0};
    MYSQL_BIND bind;
    static const struct column text = {.kind = COLUMN_TEXT};
    query_end(q);
    buf_init(&sql);
    buf_put_literal(&sql, "EXPLAIN FORMAT=TREE ");
    buf_put(&sql, st->sql.start, buf_size(&st->sql) - 1);
    query_slot_set(&slot, &text);
    bool ok = prepare(q, buf_view(&sql), why) && bind_params(q, st, why);
    ok = ok && (mysql_stmt_execute(q->stmt) == 0 || fail_statement(q, "explain a SELECT", why));
    query_bind_slot(&bind, &slot);
    ok = ok && (!mysql_stmt_bind_result(q->stmt, &bind) || fail_statement(q, "explain a SELECT", why));
    int rc = 0;
    while (ok && (rc = mysql_stmt_fetch(q->stmt)) != MYSQL_NO_DATA) {
        if (rc == MYSQL_DATA_TRUNCATED && query_slot_grow(&slot)) {
            query_bind_slot(&bind, &slot);
            rc = mysql_stmt_fetch_column(q->stmt, &bind, 0, 0);
        }
        ok = rc == 0 || fail_statement(q, "explain a SELECT", why);
        if (ok)
            buf_put(plan, slot.bytes, slot.length);
    }
    if (ok)
        close_statement(q);
    query_slot_fini(&slot);
    buf_fini(&sql);
    return ok;
}
