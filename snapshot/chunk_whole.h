/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_whole: reads a table without a usable key: all of it, in one view, of which the place in the log is known.
 *
 *   E   gtid_executed
 *   P   the log's end
 *       START TRANSACTION WITH CONSISTENT SNAPSHOT
 *   P'  the log's end again; P' != P: something was logged meanwhile, all of it anew
 *       SELECT … FROM t       its rows are fetched order by order
 *
 * Why P is the view's place: what the view sees was logged before P' = P. And what was logged up to P is in the view if it
 * was executed before, which is what E is for: the loop knows what the log holds up to P when the stream is there, and
 * gives the view up when E lacks any of it (table_read_prove).
 *
 * The transaction is read only, locks nothing, and lives as long as the reading of this one table. The worker's thread.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_WHOLE_H
#define TIDEMARK_SNAPSHOT_CHUNK_WHOLE_H

struct chunk_reader;
struct reading;

/* Opens the view and reads its first rows, or goes on in it. */
void chunk_whole_read(struct reading *rd);

/* The rows of an open view are not wanted any more. */
void chunk_whole_forget(struct chunk_reader *r);

#endif
