/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query: one connection that reads tables: a session whose settings decide what values look like, and one prepared
 * statement at a time whose rows become cells.
 *
 * Rows are streamed, never stored whole. Integers, floats and times come in their own binary form, all else as bytes
 * in the column's own charset, so that a cell is the same as the log gives for the same value. The columns of each
 * execution are compared with the shape: what comes after an ALTER is never taken for what the shape says.
 *
 * The prepared statement is kept as long as the SQL text is the same. After any error it is closed, so that the
 * connection can be used on. Nothing is written or locked; the session is read-only.
 *
 * One thread at a time, but for source_wake of its source. Source: MySQL manual "C API Prepared Statement Interface".
 */
#ifndef TIDEMARK_SNAPSHOT_QUERY_H
#define TIDEMARK_SNAPSHOT_QUERY_H

#include "base/arena.h"
#include "base/fail.h"
#include "binlog/cell.h"
#include "binlog/shape.h"
#include "binlog/source.h"
#include "snapshot/chunk.h"

#include <stdbool.h>
#include <stdint.h>

struct query;

/* fail.code when the result's columns are not those of the shape; else the server's or the library's number. */
enum { QUERY_OTHER_COLUMNS = 200001 };

struct query *query_new(const struct source_settings *set);
void query_free(struct query **q);

/* For the small statements beside it; connected after query_connect. */
struct source *query_source(struct query *q);

/* Connects and prepares the session, unless it is connected. Rows are read at READ COMMITTED when they are locked for
 * share: then only the rows themselves are locked, not the gaps between them. */
MUST_USE bool query_connect(struct query *q, bool locks_for_share, struct fail *why);
void query_disconnect(struct query *q);

/* How long a statement may run from now on; 0: for ever. */
MUST_USE bool query_limit_time(struct query *q, uint32_t timeout_ms, struct fail *why);

/* What a statement selects: columns of the shape, in order, and with_json_typed what a chunk's range says of it. Without
 * it the first document that it matters for ends the result with JSONB_TYPED_MATTERS. */
struct query_columns {
    const struct shape *shape;
    const uint16_t *columns;
    unsigned n;
    bool with_json_typed;
};

/* Executes; its rows are to be fetched next. The statement's values and the columns' shape are lent until query_end. */
MUST_USE bool query_start(struct query *q, const struct chunk_statement *st, const struct query_columns *columns,
                          struct fail *why);

enum query_step { QUERY_ROW, QUERY_END, QUERY_FAILED };

/* The next row: sets the cells of the selected columns, by their index in the shape. Bytes in them are lent until the
 * next call, or are the arena's. */
enum query_step query_next(struct query *q, struct cell *cells, struct arena *memory, struct fail *why);

/* Passes over what is left of the result. Also after a failure. */
void query_end(struct query *q);

/* The plan of a statement as text, a line for each step (EXPLAIN FORMAT=TREE). */
MUST_USE bool query_explain(struct query *q, const struct chunk_statement *st, struct buf *plan, struct fail *why);

#endif
