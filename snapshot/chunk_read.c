/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/chunk_read.h"

#include "base/clock.h"
#include "binlog/jsonb.h"
#include "binlog/server.h"
#include "snapshot/chunk_fault.h"
#include "snapshot/chunk_filter.h"
#include "snapshot/chunk_reading.h"
#include "snapshot/chunk_whole.h"
#include "snapshot/mutation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOW_PATIENCE_MS = 10000, /* then the order is given back, with a reason */
    SMALL_TABLE_ROWS = 1000,
    LOW_SLICE_MS = 200, /* so that an order that nobody wants ends soon */
};

struct chunk_reader *chunk_reader_new(const struct worker_settings *set)
{
    struct chunk_reader *r = mem_zero(1, sizeof *r);
    r->set = *set;
    r->query = query_new(set->source);
    arena_init(&r->row_memory);
    arena_init(&r->key_memory);
    chunk_statement_init(&r->statement);
    return r;
}

static void forget_plan(struct chunk_reader *r)
{
    plan_free(&r->plan);
    free(r->cells);
    free(r->columns);
    r->cells = NULL;
    r->columns = NULL;
    r->asks_json_typed = false;
}

void chunk_reader_free(struct chunk_reader **reader)
{
    struct chunk_reader *r = *reader;
    if (r == NULL)
        return;
    forget_plan(r);
    query_free(&r->query);
    arena_fini(&r->row_memory);
    arena_fini(&r->key_memory);
    chunk_statement_fini(&r->statement);
    free(r->places);
    free(r);
    *reader = NULL;
}

void chunk_reader_wake(struct chunk_reader *r)
{
    source_wake(query_source(r->query));
}

/* ---- answers ---- */

bool chunk_give_up(struct reading *rd, enum chunk_outcome outcome)
{
    rd->answer->outcome = outcome;
    return false;
}

/* By the failure in the answer. */
bool chunk_give_up_for(struct reading *rd)
{
    enum chunk_outcome outcome = chunk_fault_outcome(&rd->answer->why);
    if (chunk_fault_breaks_connection(&rd->answer->why))
        query_disconnect(rd->r->query);
    return chunk_give_up(rd, outcome);
}

static const char *table_name(const struct reading *rd, char *out, size_t n)
{
    const struct shape *shape = rd->order->shape;
    snprintf(out, n, "%.*s.%.*s", VIEW_ARGS(shape->db), VIEW_ARGS(shape->table));
    return out;
}

/* ---- the table ---- */

static bool is_part(const struct chunk_path *path, uint32_t column)
{
    for (unsigned i = 0; i < path->n; i++)
        if (path->parts[i].column == column)
            return true;
    return false;
}

bool chunk_find_plan(struct reading *rd)
{
    struct chunk_reader *r = rd->r;
    const struct shape *shape = rd->order->shape;
    if (r->plan == NULL || plan_shape(r->plan) != shape) {
        forget_plan(r);
        r->plan = plan_new(shape, r->set.record, &rd->answer->why);
        if (r->plan == NULL)
            return false;
        r->cells = mem_zero(shape->n_columns, sizeof *r->cells);
        r->columns = mem_zero(shape->n_columns, sizeof *r->columns);
    }
    r->n_columns = 0;
    for (uint32_t i = 0; i < shape->n_columns; i++) {
        r->cells[i].kind = CELL_ABSENT;
        if (plan_uses(r->plan, i) || is_part(&rd->path, i))
            r->columns[r->n_columns++] = (uint16_t)i;
    }
    if (r->n_columns == 0) /* there is no SELECT of none */
        r->columns[r->n_columns++] = 0;
    return true;
}

static bool read_key(struct reading *rd, const struct chunk_key *key, struct chunk_key_value **values)
{
    *values = NULL;
    if (chunk_key_is_empty(key))
        return true;
    *values = arena_zero(&rd->r->key_memory, rd->path.n, sizeof **values);
    return chunk_key_read(buf_view(&key->text), rd->path.n, &rd->r->key_memory, *values, &rd->answer->why);
}

/* What is to be read, or why it can't be. */
static bool begin(struct reading *rd)
{
    const struct chunk_order *order = rd->order;
    struct fail *why = &rd->answer->why;
    if (order->filter != NULL && !chunk_filter_check(order->filter, why))
        return chunk_give_up(rd, CHUNK_REFUSED);
    if (!chunk_choose_path(&rd->path, order->shape, order->surrogate, why) || !chunk_find_plan(rd) ||
        !read_key(rd, &order->after, &rd->after) || !read_key(rd, &order->last, &rd->last))
        return chunk_give_up(rd, CHUNK_REFUSED);
    if (!order->has_barrier && !rd->r->set.may_lock_for_share) {
        fail_set(
            why, FAIL_REFUSE, FAIL_AREA_SOURCE, 0,
            "without GTIDs rows would have to be read FOR SHARE; hint: tidemark.snapshot.for.share=true allows it");
        return chunk_give_up(rd, CHUNK_REFUSED);
    }
    rd->for_share = !order->has_barrier && !mutation_is(MUTATION_NO_BARRIER);
    return true;
}

/* ---- low ---- */

static void put_barrier(const struct chunk_order *order, uint32_t slice_ms, struct buf *sql)
{
    buf_put_literal(sql, "SELECT @@server_uuid");
    if (mutation_is(MUTATION_NO_BARRIER) || gtid_set_is_empty(&order->barrier)) {
        buf_put_literal(sql, ", 0");
    } else if (order->has_barrier) {
        buf_put_literal(sql, ", WAIT_FOR_EXECUTED_GTID_SET('");
        gtid_set_print(&order->barrier, sql);
        buf_printf(sql, "', %u.%03u)", slice_ms / 1000, slice_ms % 1000);
    }
    buf_put_u8(sql, 0);
}

enum low { LOW_REACHED, LOW_LAGS, LOW_ELSEWHERE, LOW_FAILED };

static enum low ask_low(struct reading *rd, const char *sql)
{
    struct source_result res;
    struct fail *why = &rd->answer->why;
    struct source *src = query_source(rd->r->query);
    enum low low = LOW_FAILED;
    if (source_query_run(src, sql, &res, why)) {
        struct view uuid = source_query_next(&res) ? source_query_column(&res, 0) : VIEW_NONE;
        if (!view_equal_nocase(uuid, view_of(rd->order->server_uuid)))
            low = LOW_ELSEWHERE;
        else if (!rd->order->has_barrier || view_is(source_query_column(&res, 1), "0"))
            low = LOW_REACHED;
        else
            low = LOW_LAGS;
        if (low == LOW_ELSEWHERE)
            fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, 0, "%s is server %.*s now, the log is that of %s",
                     source_name(src), VIEW_ARGS(uuid), rd->order->server_uuid);
    }
    source_query_end(&res);
    return low;
}

static const char *find_name(const struct buf *names, const char *name)
{
    for (const char *at = (const char *)names->start; at < (const char *)names->p; at += strlen(at) + 1)
        if (strcmp(at, name) == 0)
            return at;
    return NULL;
}

/* What they change is told by nobody: a row that is read before they end would stay as it was, for ever. The server is
 * asked, not the stream: one that changed nothing ends without an event. */
static bool wait_early_xa(struct reading *rd)
{
    const struct buf *early = &rd->order->early_xa;
    const char *open = NULL;
    char name[256];
    struct buf prepared;
    if (buf_size(early) == 0)
        return true;
    buf_init(&prepared);
    bool ok = server_read_xa(query_source(rd->r->query), &prepared, &rd->answer->why);
    const char *at = (const char *)early->start;
    for (; ok && open == NULL && at < (const char *)early->p; at += strlen(at) + 1)
        open = find_name(&prepared, at);
    if (open != NULL)
        fail_set(
            &rd->answer->why, FAIL_RETRY, FAIL_AREA_SOURCE, 0,
            "%s can't be read yet: XA transaction %s, prepared before the first start, is still open on %s; hint: XA "
            "COMMIT or XA ROLLBACK ends it",
            table_name(rd, name, sizeof name), open, source_name(query_source(rd->r->query)));
    buf_fini(&prepared);
    if (!ok)
        return chunk_give_up_for(rd);
    return open == NULL || chunk_give_up(rd, CHUNK_AGAIN);
}

/* All that the stream has handed over must be visible here before the SELECT begins, and on the same server. */
bool chunk_wait_low(struct reading *rd)
{
    struct buf sql;
    char name[256];
    int64_t until_ms = clock_mono_ms() + LOW_PATIENCE_MS;
    enum low low;
    if (!wait_early_xa(rd))
        return false;
    buf_init(&sql);
    put_barrier(rd->order, LOW_SLICE_MS, &sql);
    do {
        low = ask_low(rd, (const char *)sql.start);
    } while (low == LOW_LAGS && !atomic_load(rd->is_unwanted) && clock_mono_ms() < until_ms);
    buf_fini(&sql);
    if (low == LOW_REACHED)
        return true;
    if (low == LOW_FAILED)
        return chunk_give_up_for(rd);
    if (low == LOW_ELSEWHERE) {
        query_disconnect(rd->r->query);
        return chunk_give_up(rd, CHUNK_OTHER_SERVER);
    }
    fail_set(&rd->answer->why, FAIL_RETRY, FAIL_AREA_SOURCE, 0,
             "%s can't be read yet: a transaction that was streamed is not visible on %s (it waits for a replica's "
             "acknowledgement, or for its commit)",
             table_name(rd, name, sizeof name), source_name(query_source(rd->r->query)));
    return chunk_give_up(rd, CHUNK_AGAIN);
}

/* ---- the first chunk of a table ---- */

static bool read_largest(struct reading *rd)
{
    struct chunk_reader *r = rd->r;
    struct fail *why = &rd->answer->why;
    uint16_t columns[CHUNK_PARTS_MAX];
    for (unsigned i = 0; i < rd->path.n; i++)
        columns[i] = rd->path.parts[i].column;
    const struct query_columns selected = {rd->order->shape, columns, rd->path.n, false};
    chunk_put_largest(&r->statement, &rd->path, rd->for_share);
    if (!query_start(r->query, &r->statement, &selected, why))
        return chunk_give_up_for(rd);
    enum query_step step = query_next(r->query, r->cells, &r->row_memory, why);
    if (step == QUERY_ROW)
        chunk_key_print(&rd->answer->last, rd->order->shape, columns, rd->path.n, r->cells);
    query_end(r->query);
    arena_reset(&r->row_memory);
    if (step == QUERY_FAILED || !read_key(rd, &rd->answer->last, &rd->last))
        return chunk_give_up_for(rd);
    return true;
}

/* A plan that sorts, or reads from the first row on, would do so for each chunk. */
static bool check_plan(struct reading *rd, const struct chunk_range *range)
{
    struct chunk_reader *r = rd->r;
    struct buf plan;
    char name[256];
    struct view step = VIEW_NONE;
    buf_init(&plan);
    chunk_put_select(&r->statement, &rd->path, range);
    bool is_known = query_explain(r->query, &r->statement, &plan, &rd->answer->why);
    bool may_scan = range->after == NULL || rd->answer->estimated_rows < SMALL_TABLE_ROWS;
    bool is_good = is_known && chunk_plan_is_good(buf_view(&plan), may_scan, &step);
    if (is_known && !is_good)
        fail_set(&rd->answer->why, FAIL_REFUSE, FAIL_AREA_DATA, 0,
                 "%s can't be read in key order: the server would not scan a range of index %.*s, but: %.*s",
                 table_name(rd, name, sizeof name), VIEW_ARGS(rd->path.index), VIEW_ARGS(step));
    buf_fini(&plan);
    if (!is_known)
        return chunk_give_up_for(rd);
    return is_good || chunk_give_up(rd, CHUNK_REFUSED);
}

static bool check_plans(struct reading *rd)
{
    struct chunk_range range = {.columns = rd->r->columns, .n_columns = rd->r->n_columns, .limit = rd->order->limit};
    range.last = rd->last;
    if (!check_plan(rd, &range))
        return false;
    range.last = NULL;
    range.after = rd->last;
    return check_plan(rd, &range);
}

void chunk_estimate_rows(struct reading *rd)
{
    struct buf sql;
    struct source_result res;
    struct fail ignored;
    buf_init(&sql);
    buf_put_literal(&sql, "SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = ");
    source_query_quote(rd->order->shape->db, &sql);
    buf_put_literal(&sql, " AND TABLE_NAME = ");
    source_query_quote(rd->order->shape->table, &sql);
    buf_put_u8(&sql, 0);
    if (source_query_run(query_source(rd->r->query), (const char *)sql.start, &res, &ignored) &&
        source_query_next(&res)) {
        struct view rows = source_query_column(&res, 0);
        if (rows.p != NULL)
            rd->answer->estimated_rows = strtoll((const char *)rows.p, NULL, 10);
    }
    source_query_end(&res);
    buf_fini(&sql);
}

static bool begin_table(struct reading *rd)
{
    if (!chunk_key_is_empty(&rd->order->last)) {
        chunk_key_set(&rd->answer->last, buf_view(&rd->order->last.text));
        return true;
    }
    if (!read_largest(rd))
        return false;
    if (rd->last == NULL)
        return true; /* empty */
    chunk_estimate_rows(rd);
    return check_plans(rd);
}

/* ---- rows ---- */

bool chunk_render(struct reading *rd, struct chunk_rows *rows)
{
    struct chunk_reader *r = rd->r;
    if (rows->n == r->room) {
        r->room = r->room == 0 ? 256 : r->room * 2;
        r->places = mem_resize(r->places, r->room * sizeof *r->places);
    }
    struct row_place *place = &r->places[rows->n];
    place->at = buf_size(&rows->memory);
    if (!render_read(r->plan, r->cells, &rows->memory, &place->parts, &rd->answer->why))
        return false;
    rows->n++;
    return true;
}

void chunk_settle(struct chunk_reader *r, struct chunk_rows *rows)
{
    rows->rows = mem_zero(rows->n, sizeof *rows->rows);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct rendered_read *p = &r->places[i].parts;
        const uint8_t *base = rows->memory.start + r->places[i].at;
        rows->rows[i] = (struct chunk_row){
            .key = {base + p->exact_at, p->exact_bytes},
            .record_key = p->has_key ? (struct view){base + p->key_at, p->key_bytes} : VIEW_NONE,
            .value = {base + p->value_at, p->value_bytes},
        };
    }
}

struct chunk_rows *chunk_start_rows(struct reading *rd)
{
    struct chunk_rows *rows = mem_zero(1, sizeof *rows);
    buf_init(&rows->memory);
    rd->answer->rows = rows;
    return rows;
}

bool chunk_is_full(const struct reading *rd, const struct chunk_rows *rows)
{
    const struct chunk_order *order = rd->order;
    return rows->n == order->limit || (order->max_bytes > 0 && buf_size(&rows->memory) >= order->max_bytes);
}

bool chunk_is_unwanted(struct reading *rd)
{
    if (!atomic_load_explicit(rd->is_unwanted, memory_order_relaxed))
        return false;
    fail_set(&rd->answer->why, FAIL_RETRY, FAIL_AREA_REFUSED, 0, "nobody wants the rows any more");
    return true;
}

/* False with the reason when the rows could not be read to their end. The cells keep the last row. */
static bool fetch_rows(struct reading *rd, struct chunk_rows *rows)
{
    struct chunk_reader *r = rd->r;
    enum query_step step = QUERY_ROW;
    bool is_full = false;
    while (!is_full && (step = query_next(r->query, r->cells, &r->row_memory, &rd->answer->why)) == QUERY_ROW) {
        if (chunk_is_unwanted(rd) || !chunk_render(rd, rows))
            return false;
        is_full = chunk_is_full(rd, rows);
        arena_reset(&r->row_memory);
    }
    rd->answer->is_final = step == QUERY_END;
    return step != QUERY_FAILED;
}

/* Where the next order goes on. Without rows there is nothing behind. */
static void note_next(struct reading *rd, uint32_t n)
{
    uint16_t columns[CHUNK_PARTS_MAX];
    struct chunk_answer *answer = rd->answer;
    answer->n_read = n;
    if (n == 0)
        return;
    for (unsigned i = 0; i < rd->path.n; i++)
        columns[i] = rd->path.parts[i].column;
    chunk_key_print(&answer->next, rd->order->shape, columns, rd->path.n, rd->r->cells);
    if (view_equal(buf_view(&answer->next.text), buf_view(&answer->last.text)))
        answer->is_final = true;
}

static struct chunk_range range_of(const struct reading *rd)
{
    return (struct chunk_range){
        .columns = rd->r->columns,
        .n_columns = rd->r->n_columns,
        .after = rd->after,
        .last = rd->last,
        .filter = rd->order->filter,
        .limit = rd->order->limit,
        .for_share = rd->for_share,
        .with_json_typed = rd->r->asks_json_typed,
    };
}

/* Whether the failure vanishes without the user's filter. */
static bool is_filters_fault(struct reading *rd)
{
    struct chunk_reader *r = rd->r;
    struct chunk_range range = range_of(rd);
    const struct query_columns selected = {rd->order->shape, r->columns, r->n_columns, r->asks_json_typed};
    struct fail ignored;
    if (range.filter == NULL || !source_is_connected(query_source(r->query)))
        return false;
    range.filter = NULL;
    range.limit = 1;
    chunk_put_select(&r->statement, &rd->path, &range);
    bool is_good = query_start(r->query, &r->statement, &selected, &ignored);
    query_end(r->query);
    return is_good;
}

static bool give_up_rows(struct reading *rd)
{
    struct fail *why = &rd->answer->why;
    char name[256];
    enum chunk_outcome outcome = chunk_fault_outcome(why);
    bool is_slow = chunk_fault_is_timeout(why);
    bool may_be_filter =
        rd->order->filter != NULL && (is_slow || outcome == CHUNK_REFUSED || outcome == CHUNK_OTHER_SHAPE);
    if (!may_be_filter || (!is_slow && !is_filters_fault(rd)))
        return chunk_give_up_for(rd);
    fail_add(why, "%s with the filter %.200s%s", table_name(rd, name, sizeof name), rd->order->filter,
             is_slow ? " (a chunk took longer than database.query.timeout.ms)" : "");
    return chunk_give_up(rd, CHUNK_REFUSED);
}

static bool select_rows(struct reading *rd, struct chunk_rows *rows)
{
    struct chunk_reader *r = rd->r;
    const struct chunk_range range = range_of(rd);
    const struct query_columns selected = {rd->order->shape, r->columns, r->n_columns, r->asks_json_typed};
    chunk_put_select(&r->statement, &rd->path, &range);
    return query_start(r->query, &r->statement, &selected, &rd->answer->why) && fetch_rows(rd, rows);
}

/* Few documents hold what their text can't tell, and asking of each of them costs the server more than reading it. So it is
 * asked from the first document on that it matters for. */
static bool select_again_with_json_typed(struct reading *rd, struct chunk_rows *rows)
{
    struct chunk_reader *r = rd->r;
    if (rd->answer->why.code != JSONB_TYPED_MATTERS || r->asks_json_typed)
        return false;
    r->asks_json_typed = true;
    rows->n = 0;
    buf_clear(&rows->memory);
    arena_reset(&r->row_memory);
    query_end(r->query);
    return select_rows(rd, rows);
}

static bool read_rows(struct reading *rd)
{
    struct chunk_reader *r = rd->r;
    uint32_t limit_ms = rd->order->filter == NULL ? 0 : r->set.filter_timeout_ms;
    struct chunk_rows *rows = chunk_start_rows(rd);
    bool ok = query_limit_time(r->query, limit_ms, &rd->answer->why) &&
              (select_rows(rd, rows) || select_again_with_json_typed(rd, rows));
    if (ok)
        note_next(rd, rows->n);
    arena_reset(&r->row_memory);
    query_end(r->query);
    if (ok)
        chunk_settle(r, rows);
    return ok || give_up_rows(rd);
}

/* ---- high ---- */

static bool read_high(struct reading *rd)
{
    struct source *src = query_source(rd->r->query);
    const struct server server = {.version = source_version(src)};
    return server_read_end(src, &server, &rd->answer->high, &rd->answer->why) || chunk_give_up_for(rd);
}

/* ---- an order ---- */

bool chunk_connect(struct reading *rd)
{
    if (query_connect(rd->r->query, rd->r->set.may_lock_for_share, &rd->answer->why))
        return true;
    return chunk_give_up(rd, CHUNK_AGAIN);
}

/* An empty table still has a window, so that it is told in its turn. */
static void note_empty(struct reading *rd)
{
    chunk_start_rows(rd);
    rd->answer->is_final = true;
}

/* A chunk in key order. */
static void read_chunk(struct reading *rd)
{
    if (!begin(rd) || !chunk_connect(rd) || !chunk_wait_low(rd) || !begin_table(rd))
        return;
    if (mutation_is(MUTATION_EARLY_HIGH) && !read_high(rd))
        return;
    if (rd->last == NULL)
        note_empty(rd);
    else if (!read_rows(rd))
        return;
    if (mutation_is(MUTATION_EARLY_HIGH) || read_high(rd))
        rd->answer->outcome = CHUNK_READ;
}

void chunk_reader_do(struct chunk_reader *r, const struct chunk_order *order, const atomic_bool *is_unwanted,
                     struct chunk_answer *answer)
{
    struct reading rd = {.r = r, .order = order, .is_unwanted = is_unwanted, .answer = answer};
    chunk_answer_init(answer);
    arena_reset(&r->key_memory);
    if (!order->is_continued)
        chunk_whole_forget(r);
    if (order->is_whole)
        chunk_whole_read(&rd);
    else
        read_chunk(&rd);
}
