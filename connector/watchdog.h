/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchdog: ends the process when its loop stands still.
 *
 * Everything is decided on the loop, so nobody on it can notice that it hangs. A thread of its own counts its own
 * seconds without a sign of life: a process that was stopped as a whole (SIGSTOP, a suspended machine) does not count
 * them either. At the limit it writes one line and leaves with the code of a failure of this machine: a restart
 * is safe at any moment.
 */
#ifndef TIDEMARK_CONNECTOR_WATCHDOG_H
#define TIDEMARK_CONNECTOR_WATCHDOG_H

#include "base/fail.h"

#include <stdint.h>

struct watchdog;

/* Starts the thread. */
MUST_USE struct watchdog *watchdog_start(int64_t limit_ms, struct fail *why);

/* The loop is alive; `step` (a constant) is what it is at from here on. */
void watchdog_feed(struct watchdog *dog, const char *step);

void watchdog_stop(struct watchdog **dog);

#endif
