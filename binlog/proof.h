/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof: whether the shapes that the server shows now were already true at an earlier place in its log.
 *
 * A table that was captured only since has no stored shape. That the server's shape fits the rows proves nothing: two
 * columns may have changed places. So the log from the earlier place on is read once more beforehand, for statements
 * only: a table that none of them names has had its shape all along.
 *
 * Blocks for as long as the server takes to send that part of the log; the thread of the source it is given.
 */
#ifndef TIDEMARK_BINLOG_PROOF_H
#define TIDEMARK_BINLOG_PROOF_H

#include "binlog/source.h"
#include "binlog/stream.h"

struct proof_table {
    struct view db; /* lent */
    struct view table;
    const struct log_position
        *after; /* where the table is there: statements of transactions that began before don't count;
                                         NULL: all do; lent */
    const struct log_position *until; /* nor those from there on; lent */
    /* set by proof_run */
    bool has_changed; /* a statement names it */
    bool was_made;    /* and the first that does is its CREATE TABLE: before, there was no such table */
};

enum { PROOF_NAME_BYTES = 256 };

/* Settings for the source of a proof: as patient while the server looks for the place as with a statement, and with a name
 * of its own, kept in `name`: a second dump of the same name would end the first. */
void proof_settings(const struct source_settings *of, char name[PROOF_NAME_BYTES], struct source_settings *out);

/* Reads from `start` up to `until`. The source must not be connected; it is disconnected again. */
MUST_USE bool proof_run(struct source *src, const struct source_start *start, const struct stream_server *server,
                        const struct log_position *until, struct proof_table *tables, size_t n, struct fail *why);

#endif
