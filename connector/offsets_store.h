/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_store: the stored state in the hands of a command: read, changed, written back as one.
 *
 * Before anything else it is asked whether an instance of that name runs: the lock of the file store, the members of
 * the group that presence.h describes. If one runs, or Kafka doesn't tell, the command is refused unless its user said
 * that the instance may be fenced. The file store has no fence: there a held lock is final.
 *
 * Writing takes the transactional id (whoever still had it is fenced by that, and his open transaction aborted), reads the
 * state again behind the fence, refuses when it is another than before, and commits offset and shapes in one
 * transaction; nothing is written otherwise.
 *
 * Blocks, for a bounded time but for an unreachable cluster. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_STORE_H
#define TIDEMARK_CONNECTOR_OFFSETS_STORE_H

#include "connector/config.h"
#include "connector/state.h"

struct offsets_store {
    const struct config *cfg;
    struct state state;              /* as read; its shapes are what is changed */
    struct table_name_list *changed; /* shapes to be written */
    bool is_dry;
};

struct offsets_access {
    bool is_dry;            /* nothing will be written */
    bool may_fence;         /* an instance that runs is no reason to stop */
    bool may_be_unreadable; /* an offset that can't be read is no reason to stop: it counts as none */
};

/* Asks and reads. */
MUST_USE bool offsets_store_open(struct offsets_store *store, const struct config *cfg,
                                 const struct offsets_access *access, struct fail *why);

/* Reads for looking only, as a part of the instance that runs. Nothing is written by it. */
MUST_USE bool offsets_store_look(struct offsets_store *store, const struct config *cfg, struct fail *why);
void offsets_store_close(struct offsets_store *store);

/* The shapes of that table were changed in the store: they are written, too. */
void offsets_store_shape_changed(struct offsets_store *store, struct view db, struct view table);

/* Calls each for the tables whose shapes were changed. */
void offsets_store_each_changed(const struct offsets_store *store,
                                void (*each)(void *ctx, const char *db, const char *table), void *ctx);

/* Writes the offset (NULL: a tombstone) with the changed shapes. Not when it was opened dry. */
MUST_USE bool offsets_store_write(struct offsets_store *store, const struct offset_state *offset, struct fail *why);

#endif
