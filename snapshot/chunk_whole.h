/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_whole: reads a table without a usable key: all of it, in one view, of which the place in the log is known.
 *
 *       START TRANSACTION READ ONLY; SELECT 1 FROM t LIMIT 0
 *   E   gtid_executed
 *   P   the log's end
 *       SELECT 1 FROM t LIMIT 1      this takes the view
 *   P'  the log's end again; P' != P: something was logged meanwhile, all of it anew
 *       SELECT … FROM t              its rows are fetched order by order
 *
 * Why P is the view's place: what the view sees was logged before P' = P. And what was logged up to P is in the view if it
 * was executed before, which is what E is for: the loop knows what the log holds up to P when the stream is there, and
 * gives the view up when E lacks any of it (table_read_prove).
 *
 * Why the table is looked at before: a view is of rows, not of names. Were another table renamed to this one's name, or a
 * partition exchanged, behind P, the view would show that one's rows, and the stream would tell of it only after they
 * left. As with every SELECT in a transaction, changes of the table's definition wait until it ends; what was changed
 * before lies below P, and is heard on the way there.
 *
 * The transaction is read only, locks no row, and lives as long as the reading of this one table. The worker's thread.
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
