/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload: reads the stored state again while the loop goes on.
 *
 * Needed when a producer died with a commit under way: only the topics know whether it counted. Reading blocks, so a
 * thread of its own does it; the loop hears of its end through reload_fd. Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_RELOAD_H
#define TIDEMARK_CONNECTOR_RELOAD_H

#include "connector/config.h"
#include "connector/state.h"

struct reload;

/* Starts reading. limit_of: a topic whose max.message.bytes is asked besides (lent), or NULL. */
MUST_USE struct reload *reload_start(const struct config *cfg, const char *limit_of, struct fail *why);

/* Readable when it has ended. */
int reload_fd(const struct reload *r);
bool reload_has_ended(const struct reload *r);

/* After its end: gives the state (to which the caller's is replaced) or the failure. */
MUST_USE bool reload_take(struct reload *r, struct state *st, struct fail *why);

/* After a good end: the limit that was asked for; 0: it can't be known. */
size_t reload_limit(const struct reload *r);

/* Ends the reading early if it still runs, waits for the thread, frees. */
void reload_free(struct reload **r);

#endif
