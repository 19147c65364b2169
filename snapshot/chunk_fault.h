/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_fault: what a failure of a chunk's statements means for its order, and what a plan says about its speed.
 *
 *   the world may heal (connection, lock, view too old)   order it again
 *   the table is another than the shape says              wait for the stream to tell, order it again
 *   all else                                              this table can't be read so
 *
 * Any thread.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_FAULT_H
#define TIDEMARK_SNAPSHOT_CHUNK_FAULT_H

#include "snapshot/worker.h"

enum chunk_outcome chunk_fault_outcome(const struct fail *why);

/* The connection is gone or of no use. */
bool chunk_fault_breaks_connection(const struct fail *why);

/* The statement ran longer than it was allowed to. */
bool chunk_fault_is_timeout(const struct fail *why);

/* Whether a plan (EXPLAIN FORMAT=TREE) reads only the range it was asked for, in the order of the index. Else *step is
 * the step of it that does not. may_scan: reading the index from its start does no harm, as it is the range or is small. */
bool chunk_plan_is_good(struct view plan, bool may_scan, struct view *step);

#endif
