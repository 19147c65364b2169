/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_skip: `tidemark offsets skip`: the position goes behind the next transaction, and what was in it is shown.
 *
 * The transaction is read from the log without being understood (binlog/scan.h), so one that the stream can't get past is
 * no obstacle. Its rows are told to nobody. What its statements do to tables is done to the stored shapes all the same:
 * later rows are of the new shape. A statement that can't be read leaves its tables without a stored shape, and the next
 * start takes the server's, if nothing in the log speaks against it (start.h).
 *
 * Of an XA transaction that was prepared before, its commit is skipped with its rows; the prepares of others stay open.
 *
 * Blocks. Main thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_SKIP_H
#define TIDEMARK_CONNECTOR_OFFSETS_SKIP_H

#include "connector/offsets_change.h"

/* Appends its report to out and returns the exit code; unless 0, why says what went wrong. */
int offsets_skip(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why);

#endif
