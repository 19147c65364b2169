/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots: the re-reads of a run, between the pump that sends and the folder that reads.
 *
 * Gives the re-reads what they ask of the run (shapes, the set handed over, notices) and the pump what it needs of them:
 * blocks to send, progress to store. Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_SNAPSHOTS_H
#define TIDEMARK_CONNECTOR_SNAPSHOTS_H

#include "connector/config.h"
#include "connector/frontier.h"
#include "connector/progress.h"
#include "connector/shape_store.h"
#include "snapshot/incremental.h"

struct snapshots;

/* What is to be told of a snapshot; see signals.md of the format, "Notifications". */
struct snapshots_hooks {
    void *ctx;
    void (*tell)(void *ctx, enum incremental_event what, const struct table_read *t);
    /* The initial snapshot begins; it may have no tables, and then it has ended. */
    void (*begin)(void *ctx, size_t n_tables);
};

/* All lent. */
struct snapshots *snapshots_new(const struct config *cfg, struct shape_store *shapes, struct frontier *frontier,
                                const struct snapshots_hooks *hooks);
bool snapshots_free(struct snapshots **sn, int timeout_ms);

/* Forgets what is under way and takes up what is stored. The stream starts again from there, too. */
MUST_USE bool snapshots_load(struct snapshots *sn, const struct offset_state *stored, struct fail *why);

/* A list of waiting tables that is stored, in a life that does not go on from it: it is not written over before the first commit. */
void snapshots_avoid_list(struct snapshots *sn, const struct waiting_list *stored);

/* The first position of a life without one: the initial snapshot begins, if there is to be one. All shapes are in the store. */
void snapshots_begin(struct snapshots *sn);

/* The initial snapshot has not ended. */
bool snapshots_are_initial(const struct snapshots *sn);

/* A table of it can't be read, so it can't end: false, with the reason and what to do. */
MUST_USE bool snapshots_can_go_on(const struct snapshots *sn, struct fail *why);

struct incremental *snapshots_incremental(struct snapshots *sn);
struct signal_log *snapshots_signals(struct snapshots *sn);

/* The progress is another: it goes into the state that is stored next, with all that was sent before. */
void snapshots_changed(struct snapshots *sn);

/* ---- for the pump ---- */

/* A change was sent or passed. */
void snapshots_hear(struct snapshots *sn, const struct change *chg);

/* Whether a change must not be sent, though it is passed; see table_read.h. */
bool snapshots_mute(const struct snapshots *sn, const struct change *chg);

/* Whether the stream must not go on now. */
bool snapshots_halt(const struct snapshots *sn);

/* The table's shape in the store is another from here on; CHANGE_SHAPE announced it. */
void snapshots_reshaped(struct snapshots *sn, struct view db, struct view table);

/* Puts the progress into the frontier's state, which is about to be stored. */
void snapshots_store(struct snapshots *sn);

/* A turn; the stream stands where the frontier says. In how many ms it wants another, -1: when news come. */
int snapshots_service(struct snapshots *sn, int64_t now_ms);

/* The same while nothing can be sent: a commit is under way, or the producer is full. Only reads on. */
void snapshots_read_ahead(struct snapshots *sn, int64_t now_ms);

bool snapshots_are_running(const struct snapshots *sn);

/* There is progress that snapshots_store has not seen: signals should be answered soon. */
bool snapshots_have_changed(const struct snapshots *sn);

/* Whether a table is captured, exists at that place of the log, and what it looks like there; one count. */
enum incremental_shape snapshots_find_shape(const struct config *cfg, const struct shape_store *shapes,
                                            const struct offset_state *at, struct view db, struct view table,
                                            const struct shape **shape);

#endif
