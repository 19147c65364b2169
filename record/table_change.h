/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_change: a table as the tableChanges of a schema-change record describe it.
 *
 *   {"defaultCharsetName":…,"primaryKeyColumnNames":[…],"columns":[{"name":…,"jdbcType":…,…}],"comment":…}
 *
 * Types are named by the words of the statement and numbered as java.sql.Types does. Texts out of SQL literals (labels,
 * defaults, comments) stand as they would between quotes in SQL: it''s.
 * Any thread.
 */
#ifndef TIDEMARK_RECORD_TABLE_CHANGE_H
#define TIDEMARK_RECORD_TABLE_CHANGE_H

#include "base/bytes.h"
#include "binlog/shape.h"

/* Comments are null unless they are wanted (include.schema.comments). */
void table_change_put_table(const struct shape *shape, bool with_comments, struct buf *out);

/* The schema of the table struct, as a field named "table". */
void table_change_put_schema(struct buf *out);

/* A text as it stands between the quotes of an SQL literal. */
void table_change_put_sql(struct buf *out, struct view text);

#endif
