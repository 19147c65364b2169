/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump: moves changes from the inbox to the producer, and decides when what was sent is committed.
 *
 *   RUNNING    -> DRAINING    [commit is due]        nothing more is given to the producer
 *   DRAINING   -> COMMITTING  [little is outstanding] the committer flushes, stores the position and commits
 *   COMMITTING -> RUNNING     [done]
 *   COMMITTING -> BROKEN      [done, and pump_move said where to go on]
 *   COMMITTING -> ABORTING    [the commit was refused]
 *   RUNNING, DRAINING -> ABORTING  [a delivery failed]
 *   ABORTING   -> BROKEN      [dropped]  what was sent since the last commit has to be read again
 *   any        -> BROKEN      [producer of no use, or an operator must act]
 *   BROKEN     -> RUNNING     [pump_start]
 *
 * A commit is due as rhythm.h says; and at once when the connector stops.
 *
 * Always true:
 *   P1  a position is stored only in, or after, the commit of all records before it
 *   P2  while a commit runs nothing is given to the producer; the reader goes on until the inbox is full
 *   P3  the rows of a closed window are sent without a change between them; their progress is stored, and notices of it
 *       go, with them
 *
 *   P4  the stream does not go on while a snapshot wants it to stay
 *
 * Loop thread only; never waits.
 */
#ifndef TIDEMARK_CONNECTOR_PUMP_H
#define TIDEMARK_CONNECTOR_PUMP_H

#include "base/fail.h"
#include "connector/commit.h"
#include "connector/frontier.h"
#include "connector/inbox.h"
#include "connector/shape_store.h"
#include "connector/sink.h"

#include <stdbool.h>
#include <stdint.h>

struct pump_settings {
    const char *name; /* of the connector, for the offset's key */
    const char *topic_prefix;
    int commit_interval_ms;   /* tidemark.commit.interval.ms */
    int dry_ms;               /* tidemark.commit.dry.ms */
    int pause_ms;             /* tidemark.commit.pause.ms */
    int position_interval_ms; /* tidemark.offset.interval.ms */
};

enum pump_state {
    PUMP_RUNNING,
    PUMP_DRAINING,
    PUMP_COMMITTING,
    PUMP_ABORTING,
    PUMP_BROKEN,
};

/* What the owner has to do when the pump is BROKEN. */
enum pump_need {
    PUMP_NEEDS_NOTHING,
    PUMP_NEEDS_REREAD,   /* start the reader again from pump_stored */
    PUMP_NEEDS_PRODUCER, /* the same, with a new producer */
    PUMP_NEEDS_START,    /* the same as REREAD, but nothing has failed: what is stored was moved */
    PUMP_NEEDS_STOP,     /* end the process; pump_fail says why */
};

struct pump;
struct snapshots;
struct notices;
struct misfits;

/* All lent. The store takes up shapes as they pass. */
struct pump *pump_new(const struct pump_settings *set, struct inbox *in, struct shape_store *shapes);
void pump_free(struct pump **p);

/* The re-reads that go beside the stream, what is told of them, and who knows the records that are too wide (all lent);
 * before the first pump_start. */
void pump_attach(struct pump *p, struct snapshots *sn, struct notices *notices, struct misfits *misfits);

/* What the parts around the pump may look at and add to: the state that is stored next. */
struct frontier *pump_frontier(struct pump *p);

/* Before the first pump_start: what was stored by an earlier run (copied); NULL: nothing. */
void pump_begin(struct pump *p, const struct offset_state *stored);

/* Starts, or starts again, at what is stored. The producer must be READY. */
void pump_start(struct pump *p, struct sink *sink, struct committer *committer);

/* One turn: serves the producer and the committer, moves changes. Returns in how many milliseconds it wants the next
 * turn at the latest: 0 at once (there is more to take), -1 when only a descriptor can bring news. */
int pump_turn(struct pump *p, int64_t now_ms);

/* With the reader's thread ended: forgets what it had handed over and was not taken. */
void pump_drop_inbox(struct pump *p);

/* Lets go of a dead producer: no longer used. */
void pump_forget_producer(struct pump *p);

/* The producer is of no use: BROKEN, needing another. */
void pump_renew(struct pump *p, const struct fail *why);

/* Whether pump_move may be called now: a position can be stored, and nothing is half sent. */
bool pump_may_move(const struct pump *p);

/* The stream is to go on at this place: stored at once with all that was sent, then BROKEN, needing a start. */
void pump_move(struct pump *p, const struct offset_state *place);

/* The oldest shape of a table is proven to be in force from the place on to which the pump is moved next. */
void pump_extend_shape(struct pump *p, const char *db, const char *table, const struct offset_state *place);

/* Takes nothing more and commits what was sent. pump_is_flushed says when that is done. */
void pump_finish(struct pump *p);
bool pump_is_flushed(const struct pump *p);

enum pump_state pump_state(const struct pump *p);
const char *pump_state_name(enum pump_state state);

/* Waits for changes, and not for the producer: what comes into the inbox is to wake the loop. */
bool pump_is_hungry(const struct pump *p);

enum pump_need pump_need(const struct pump *p);
const struct fail *pump_fail(const struct pump *p);

/* The stream stays where it is, for a snapshot's sake: what the reader hands over is not taken. */
bool pump_is_halted(const struct pump *p);

/* Everything that was sent is committed, and nothing is under way. */
bool pump_is_idle(const struct pump *p);

/* The reader has told that it ended. */
bool pump_saw_end(const struct pump *p);

/* The last state that was stored; what a reader starts from. NULL when there is none: a first start. */
const struct offset_state *pump_stored(const struct pump *p);

struct pump_counters {
    uint64_t records;
    uint64_t transactions;
    uint64_t commits;
    uint64_t aborts;
    int64_t last_event_ts_us; /* commit time of the newest transaction sent */
};
const struct pump_counters *pump_counters(const struct pump *p);

#endif
