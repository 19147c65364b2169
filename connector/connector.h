/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connector: one run, from the stored position until told to stop: wires the parts together and owns the event loop.
 *
 *   STARTING   -> RUNNING      the producer is ours, the state is read, the reader is started
 *   RUNNING    -> RESTARTING   the pump needs what was sent since the last commit again
 *   RESTARTING -> RUNNING      a new reader starts from the stored position
 *   RUNNING    -> STOPPING     a stop request, or a failure that somebody must act on
 *   STOPPING   -> ended        what was sent is committed, or 2.5 s are over
 *
 * Main thread; its parts say in their headers which threads they have.
 */
#ifndef TIDEMARK_CONNECTOR_CONNECTOR_H
#define TIDEMARK_CONNECTOR_CONNECTOR_H

#include "base/fail.h"
#include "connector/config.h"

/* Runs until SIGTERM or SIGINT (0) or a failure (its area, told in the log). Returns the exit code. */
int connector_run(const struct config *cfg);

#endif
