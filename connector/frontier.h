/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frontier: which position may be stored after each change that the loop has sent.
 *
 * The changes come in the order of the log. Their marks are added up here: completed transactions go into the
 * GTID set, a transaction under way is described by its begin, and by how many of its events and rows are done.
 * A prepared XA transaction stays out of the set until it ends, so that a restart gets its rows again.
 *
 * Always true:
 *   F1  a restart from `state` repeats no record that was sent, and misses none
 *   F2  nothing may be stored before the stream was ready (the barrier of a first start)
 *   F3  between the records of one row nothing may be stored, nor between the end of an XA transaction and its commit
 *   F4  after the stream went on with another server nothing is stored before its first position is known
 *   F5  what a start brings again for open XA transactions moves nothing: their prepares, with GTIDs; without, all between
 *       the oldest of them and where the stream was
 *
 * Of another server's log a transaction that was told in part may come behind others: until it comes, its GTID and the
 * number of its rows are kept, and nothing is stored while one of those others is told in part, too.
 *
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_FRONTIER_H
#define TIDEMARK_CONNECTOR_FRONTIER_H

#include "binlog/change.h"
#include "connector/offsets.h"

#include <stdbool.h>

struct frontier {
    struct offset_state state; /* what would be stored now */
    bool is_ready;             /* F2 */
    bool is_split;             /* F3 */
    bool is_inside;            /* a transaction is under way */
    bool is_placed;            /* the state's position is its begin */
    bool is_replayed;          /* F5: it lies before where the stream was */
    bool has_place;            /* F4: the state's position is one of the server that the stream is of */
    bool has_moved;            /* the state is another than at the last frontier_stored */
    struct gtid gtid;          /* of the transaction under way; n = 0: none */
    bool keeps_gtid_out;       /* it is an XA PREPARE */
    struct log_position begun; /* where the transaction under way starts */
    int64_t begun_sec;         /* and when it was committed, or prepared */
    struct gtid_set between;   /* told in part, before one that was told in part on another server */
};

void frontier_init(struct frontier *f);
void frontier_fini(struct frontier *f);

/* Starts at what was stored (copied), or at a first start's position, for which is_ready is false. */
void frontier_start(struct frontier *f, const struct offset_state *from, bool is_ready);

/* The stream is to go on elsewhere: where it was is forgotten, with the transaction under way. */
void frontier_move(struct frontier *f, const struct offset_state *place);

/* The change was sent, or passed when it has nothing to send. */
void frontier_pass(struct frontier *f, const struct change *chg);

/* Whether the state may be stored now. */
bool frontier_is_storable(const struct frontier *f);

/* Whether windows may open and close here: the place is one of this server's, and what was handed over is known. It is not
 * while a transaction that was told in part has no name and has not begun again. */
bool frontier_has_handed_over(const struct frontier *f);

/* S0: all that was handed over, also in part: the transaction under way, and one that was told in part before a restart
 * and has not come yet. With GTIDs only. */
void frontier_copy_handed_over(const struct frontier *f, struct gtid_set *set);

/* The state was stored. */
void frontier_stored(struct frontier *f);

#endif
