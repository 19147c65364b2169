/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relocation: finds the place that a set-binlog-position signal asks for, while the loop goes on.
 *
 * The place is held against the server as `tidemark offsets set` does it: it is there, between two transactions, nothing
 * behind it is purged, and the captured tables have shapes there. All of that blocks, so a thread of its own does it; the
 * loop hears of its end through relocation_fd. A server or broker that is away is asked again until it answers.
 *
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_RELOCATION_H
#define TIDEMARK_CONNECTOR_RELOCATION_H

#include "connector/config.h"
#include "connector/offsets.h"
#include "signal/signals.h"

struct relocation;

/* Starts looking. REFUSED: what the signal names is no position at all. */
MUST_USE struct relocation *relocation_start(const struct config *cfg, const struct signal *sig, struct fail *why);

/* Readable when it has ended. */
int relocation_fd(const struct relocation *r);
bool relocation_has_ended(const struct relocation *r);

/* After its end: the place (lent), or NULL and why not. */
const struct offset_state *relocation_place(const struct relocation *r, struct fail *why);

/* After its end: calls each for the tables whose oldest stored shape is in force from the place on, as was proven. */
void relocation_each_shape(const struct relocation *r, void (*each)(void *ctx, const char *db, const char *table),
                           void *ctx);

/* Frees it once its thread has ended; false when that takes longer (then leave the process). */
bool relocation_free(struct relocation **r, int timeout_ms);

#endif
