/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mark: what source.snapshot says of rows that are read.
 *
 *   incremental   asked for by a signal
 *   of an initial or blocking snapshot, the first that is true:
 *     last                       the last row of the last table
 *     first                      the first row of the first table
 *     last_in_data_collection    the last row of a table
 *     first_in_data_collection   the first row of a table
 *     true                       any other
 *
 * The last row is the last one left in the table's final chunk: when the stream had newer truth of all of them there is
 * none, since no row waits for what comes behind it. Loop thread.
 */
#ifndef TIDEMARK_SNAPSHOT_MARK_H
#define TIDEMARK_SNAPSHOT_MARK_H

#include "snapshot/block.h"
#include "snapshot/table_read.h"

/* For the rows that leave now. ends_table: with the table's final chunk; is_last_table: no other one of the snapshot is left. */
struct block_marks mark_rows(const struct table_read *t, bool ends_table, bool is_last_table);

#endif
