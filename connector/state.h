/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: what a restart must find: the offset and the shapes, in Kafka's topics or in a file.
 *
 * Opened once at start, before the loop: preparing and reading the topics blocks, for a bounded time, and ends early
 * when *stop becomes true. Topics must be read after the predecessor was fenced, or rows would repeat.
 * Main thread.
 */
#ifndef TIDEMARK_CONNECTOR_STATE_H
#define TIDEMARK_CONNECTOR_STATE_H

#include "connector/commit.h"
#include "connector/config.h"
#include "connector/offset_file.h"
#include "connector/offset_found.h"
#include "connector/shape_store.h"
#include "connector/waiting_list.h"

#include <stdatomic.h>

struct state {
    bool has_offset; /* false: nothing was ever stored under this name */
    struct offset_state offset;
    struct shape_store shapes;
    struct waiting_found waiting; /* while it is read */
    struct offset_found found;    /* the offset as it stands there */
    bool may_be_unreadable;   /* set before reading: an offset that can't be read counts as none, for who replaces it */
    int64_t signal_start;     /* where the signal topic is read from, unless the offset says it; -1: no signals */
    struct offset_file *file; /* with a file store; else NULL */
};

void state_init(struct state *st, const struct config *cfg);
void state_fini(struct state *st);

/* Makes the topics where they are missing, and checks them. */
MUST_USE bool state_prepare(const struct config *cfg, const atomic_bool *stop, struct fail *why);

/* Makes the topics where they are missing, then reads all that is ours; or opens and reads the files. stop may be NULL. */
MUST_USE bool state_load(struct state *st, const struct config *cfg, const atomic_bool *stop, struct fail *why);

/* Reads the same for looking only: makes no topic, takes no lock. */
MUST_USE bool state_look(struct state *st, const struct config *cfg, struct fail *why);

/* Makes the signal topic where it is missing, and finds where its reading starts. Before anybody is told that we are ready. */
MUST_USE bool state_find_signal_start(struct state *st, const struct config *cfg, const atomic_bool *stop,
                                      struct fail *why);

/* Where the committer puts it. */
struct commit_settings state_commit_settings(const struct state *st, const struct config *cfg);

#endif
