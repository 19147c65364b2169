/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby: one of several instances of a name: waits for the lease, runs while it holds it, and waits again.
 *
 * Before it waits it has read its configuration, made the state topics and reached the source, so that it is ready.
 * A run that loses the lease, or is fenced, ends at once without a commit; all it knew is read anew by the next one.
 * Main thread.
 */
#ifndef TIDEMARK_CONNECTOR_STANDBY_H
#define TIDEMARK_CONNECTOR_STANDBY_H

#include "connector/config.h"
#include "connector/lease.h"

#include <stdatomic.h>

/* A run that ended because another instance may have taken over. */
enum { STANDBY_LOST = -1 };

/* Until *stop, or a run that ended by itself; its exit code. `run` runs once under the lease. */
int standby_run(const struct config *cfg, const atomic_bool *stop,
                int (*run)(const struct config *cfg, struct lease *lease));

#endif
