/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connector_state: what the files of the connector share; nobody else includes it.
 *
 *   connector.c          the parts of a run: made, closed
 *   connector_begin.c    what snapshot.mode makes of the stored position
 *   connector_turn.c     one turn of the loop: running, stopping
 *   connector_restart.c  from a failure of the producer back to running
 *   connector_move.c     the stream goes on at another place, as a signal asked
 *   connector_look.c     once a second: does something hang, is the lease still ours
 *   connector_loop.c     descriptors, timers and signals
 */
#ifndef TIDEMARK_CONNECTOR_CONNECTOR_STATE_H
#define TIDEMARK_CONNECTOR_CONNECTOR_STATE_H

#include "base/backoff.h"
#include "binlog/reader.h"
#include "connector/connector.h"
#include "connector/feed.h"
#include "connector/inbox.h"
#include "connector/lease.h"
#include "connector/liveness.h"
#include "connector/lookout.h"
#include "connector/presence.h"
#include "connector/producer.h"
#include "connector/pump.h"
#include "connector/reload.h"
#include "connector/requests.h"
#include "connector/rights.h"
#include "connector/snapshots.h"
#include "connector/start.h"
#include "connector/state.h"
#include "connector/watchdog.h"

#include <ev.h>

enum {
    STOP_MS = 2500,   /* of a stop, until what was sent is given up; closing takes up to 2 s more, 5 s are promised */
    RIGHTS_MS = 1000, /* to hear which right is missing */
    READER_JOIN_MS = 3000, /* a reader that was woken ends at once; only a name look-up may hold it */
};

enum connector_state { CONNECTOR_STARTING, CONNECTOR_RUNNING, CONNECTOR_RESTARTING, CONNECTOR_STOPPING };

struct connector {
    const struct config *cfg;
    enum connector_state state;
    int exit_code;
    struct state stored;
    struct producer producer;
    struct inbox *inbox;
    struct feed *feed;
    struct pump *pump;
    struct snapshots *snapshots;
    struct notices *notices;
    struct misfits *misfits;
    struct requests *requests;
    struct start start;
    struct reader *reader; /* NULL: none is running */
    struct liveness liveness;
    struct watchdog *watchdog;
    struct lookout *lookout;
    int64_t stop_by_ms;        /* STOPPING: leave then in any case */
    struct backoff backoff;    /* of restarts without a commit between them */
    uint64_t restarted_at;     /* how many commits there were at the last one */
    int64_t restart_at_ms;     /* RESTARTING: not before */
    bool needs_taking;         /* RESTARTING: the new producer is not ours yet */
    bool begins_anew;          /* what is stored is left behind; until the first commit of the new life */
    bool needs_reload;         /* RESTARTING: what is stored has to be read again */
    struct presence *presence; /* NULL: a file is locked, or a lease is held instead */
    struct lease *lease;       /* lent; NULL: not as one of several */
    struct reload *reload;     /* RESTARTING: what was stored is read again; NULL: not */

    struct ev_loop *loop;
    struct ev_io inbox_io, sink_io, commit_io, signal_io, reload_io, presence_io, lease_io, move_io;
    struct ev_io worker_io[INCREMENTAL_THREADS_MAX]; /* started as the workers come */
    unsigned n_workers;
    struct ev_timer timer, look;
    struct ev_idle idle;
    struct ev_signal term, intr;
};

const char *connector_state_name(enum connector_state state);
void connector_set_state(struct connector *c, enum connector_state state, const char *because);

/* ---- the loop ---- */

void connector_watch(struct connector *c);
void connector_unwatch(struct connector *c);
void connector_watch_producer(struct connector *c);
void connector_unwatch_producer(struct connector *c);
void connector_watch_workers(struct connector *c);
/* Of an eventfd: drains it and takes a turn. */
void connector_on_io(struct ev_loop *loop, struct ev_io *w, int events);

/* In how many ms the next turn is wanted at the latest: 0 as soon as the others were looked at, -1 when news come. */
void connector_wait_for(struct connector *c, int ms);

/* ---- steps ---- */

void connector_turn(struct connector *c);
void connector_look(struct connector *c);

/* Where the run begins, from what is stored. False: it can't. */
MUST_USE bool connector_begin(struct connector *c, struct fail *why);

/* Gives the pump the place that connector_begin chose, also after the state was read again. */
void connector_place(struct connector *c);

/* The reader has ended for that reason: whether a new snapshot is to be taken; connector_begin_anew does it when it can. */
bool connector_may_begin_anew(struct connector *c, const struct fail *why);
void connector_begin_anew(struct connector *c);

/* Ends the run when the initial snapshot can't go on, or when it was all there is to do. */
void connector_heed_snapshot(struct connector *c);

/* Looks after a set-binlog-position signal, if there is one. */
void connector_move_turn(struct connector *c);

/* Commits what was sent and ends the run. */
void connector_stop(struct connector *c, int exit_code, const char *because);
void connector_fail(struct connector *c, const struct fail *why);

/* Serves the presence, which is there. When others came or went, makes sure that we hear of it if one has fenced us. */
void connector_serve_presence(struct connector *c);

/* Serves the lease, if there is one. False: it is not ours any more, the run ends. */
bool connector_holds_lease(struct connector *c);

/* Another instance may have taken over: ends the run at once, nothing more is sent or committed. */
void connector_leave(struct connector *c, const char *because);

/* The pump goes on from where it has stored, with a reader that starts there. */
void connector_run_from_stored(struct connector *c);

/* Ends the reader's thread and forgets what it had handed over. False: the thread is stuck. */
bool connector_end_reader(struct connector *c);

void connector_restart(struct connector *c);
void connector_restart_turn(struct connector *c, int64_t now_ms);
void connector_drop_reload(struct connector *c);
void connector_tell_retry(struct connector *c, const struct fail *why);

#endif
