/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/chunk_whole.h"

#include "base/clock.h"
#include "binlog/server.h"
#include "binlog/sql_token.h"
#include "snapshot/chunk_reading.h"
#include "snapshot/chunk_rows.h"

enum { VIEW_PATIENCE_MS = 1000 }; /* the stream waits; then the order is given back, with a reason */

/* ---- the view ---- */

/* The rows that were not fetched would all come first before the connection could be used for something else. */
void chunk_whole_forget(struct chunk_reader *r)
{
    if (r->has_view)
        query_disconnect(r->query);
    r->has_view = r->has_row = false;
    arena_reset(&r->row_memory);
}

static bool begin(struct reading *rd)
{
    struct fail *why = &rd->answer->why;
    if (!rd->order->has_barrier) {
        fail_set(
            why, FAIL_REFUSE, FAIL_AREA_SOURCE, 0,
            "%.*s.%.*s has no key that chunks can follow, and without GTIDs the place of a view of it can't be known; "
            "hint: set gtid_mode=ON on the source, give it a primary key, or leave it out by "
            "snapshot.include.collection.list",
            VIEW_ARGS(rd->order->shape->db), VIEW_ARGS(rd->order->shape->table));
        return chunk_give_up(rd, CHUNK_REFUSED);
    }
    return chunk_find_plan(rd) || chunk_give_up(rd, CHUNK_REFUSED);
}

/* Looks at the table: at no row of it, or at one at the most. */
static bool touch_table(struct reading *rd, const char *limit)
{
    struct buf sql;
    buf_init(&sql);
    buf_put_literal(&sql, "SELECT 1 FROM ");
    sql_put_name(&sql, rd->order->shape->db);
    buf_put_u8(&sql, '.');
    sql_put_name(&sql, rd->order->shape->table);
    buf_put_text(&sql, limit);
    buf_put_u8(&sql, 0);
    bool ok = source_query_do(query_source(rd->r->query), (const char *)sql.start, &rd->answer->why);
    buf_fini(&sql);
    return ok;
}

/* From the first look on the name stands for the same table. No row is read by it: it takes no view. */
static bool begin_transaction(struct reading *rd)
{
    struct source *src = query_source(rd->r->query);
    struct fail *why = &rd->answer->why;
    return source_query_do(src, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", why) &&
           source_query_do(src, "START TRANSACTION READ ONLY", why) && touch_table(rd, " LIMIT 0");
}

enum opened { OPENED, OPENED_BETWEEN, OPENED_NOT };

static enum opened open_once(struct reading *rd)
{
    struct source *src = query_source(rd->r->query);
    const struct server server = {.version = source_version(src)};
    struct chunk_answer *answer = rd->answer;
    struct log_position before;
    if (!begin_transaction(rd) || !server_read_executed(src, &answer->executed, &answer->why) ||
        !server_read_end(src, &server, &before, &answer->why) || !touch_table(rd, " LIMIT 1") ||
        !server_read_end(src, &server, &answer->high, &answer->why))
        return OPENED_NOT;
    if (position_compare(&before, &answer->high) == 0)
        return OPENED;
    return source_query_do(src, "COMMIT", &answer->why) ? OPENED_BETWEEN : OPENED_NOT;
}

/* The server logs without pause at times; between two of its commits there is room for a view, sooner or later. */
static bool open_view(struct reading *rd)
{
    int64_t until_ms = clock_mono_ms() + VIEW_PATIENCE_MS;
    enum opened opened;
    do {
        opened = open_once(rd);
    } while (opened == OPENED_BETWEEN && !chunk_is_unwanted(rd) && clock_mono_ms() < until_ms);
    if (opened == OPENED)
        return true;
    if (opened == OPENED_NOT)
        return chunk_give_up_for(rd);
    fail_set(&rd->answer->why, FAIL_RETRY, FAIL_AREA_SOURCE, 0,
             "%.*s.%.*s has no key that chunks can follow, and for a view of it the log of %s must stand still for a "
             "moment, which it did not for %d ms",
             VIEW_ARGS(rd->order->shape->db), VIEW_ARGS(rd->order->shape->table),
             source_name(query_source(rd->r->query)), VIEW_PATIENCE_MS);
    return chunk_give_up(rd, CHUNK_AGAIN);
}

static bool start_select(struct reading *rd)
{
    struct chunk_reader *r = rd->r;
    const struct query_columns selected = {rd->order->shape, r->columns, r->n_columns, true};
    chunk_estimate_rows(rd);
    chunk_put_whole(&r->statement, rd->order->shape, r->columns, r->n_columns, true);
    if (!query_limit_time(r->query, 0, &rd->answer->why) ||
        !query_start(r->query, &r->statement, &selected, &rd->answer->why))
        return chunk_give_up_for(rd);
    r->has_view = true;
    r->view = rd->answer->high;
    return true;
}

static bool open_table(struct reading *rd)
{
    if (!begin(rd) || !chunk_connect(rd) || !chunk_wait_low(rd))
        return false;
    if (open_view(rd) && start_select(rd))
        return true;
    query_disconnect(rd->r->query); /* and with it a transaction that may be open */
    return false;
}

/* ---- rows ---- */

/* One row is fetched ahead, so that the last order knows that it is the last. */
static bool fetch_rows(struct reading *rd, struct chunk_rows *rows)
{
    struct chunk_reader *r = rd->r;
    struct fail *why = &rd->answer->why;
    enum query_step step = r->has_row ? QUERY_ROW : query_next(r->query, r->cells, &r->row_memory, why);
    while (step == QUERY_ROW && !chunk_is_full(rd, rows)) {
        if (chunk_is_unwanted(rd) || !chunk_render(rd, rows))
            return false;
        arena_reset(&r->row_memory);
        step = query_next(r->query, r->cells, &r->row_memory, why);
    }
    r->has_row = step == QUERY_ROW;
    rd->answer->is_final = step == QUERY_END;
    rd->answer->n_read = rows->n;
    return step != QUERY_FAILED;
}

static void end_view(struct chunk_reader *r)
{
    struct fail ignored;
    query_end(r->query);
    r->has_view = r->has_row = false;
    if (!source_query_do(query_source(r->query), "COMMIT", &ignored))
        query_disconnect(r->query);
}

void chunk_whole_read(struct reading *rd)
{
    struct chunk_reader *r = rd->r;
    if (!rd->order->is_continued && !open_table(rd))
        return;
    if (!r->has_view) {
        fail_set(&rd->answer->why, FAIL_RETRY, FAIL_AREA_SOURCE, 0, "the view of the table is gone");
        return;
    }
    struct chunk_rows *rows = chunk_start_rows(rd);
    if (!fetch_rows(rd, rows)) {
        chunk_whole_forget(r);
        chunk_give_up_for(rd);
        return;
    }
    chunk_settle(r, rows);
    rd->answer->high = r->view;
    rd->answer->outcome = CHUNK_READ;
    if (rd->answer->is_final)
        end_view(r);
}
