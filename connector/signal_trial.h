/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signal_trial: `tidemark signal execute-snapshot --dry-run`: what a request would read, and what would be refused and why.
 *
 * The request goes the way of a signal: it is read, its tables are found among the stored shapes, and of each the source is
 * asked for its largest key, its plan and one row, as its first chunk would. Nothing is sent, stored, locked or changed.
 * Blocks.
 */
#ifndef TIDEMARK_CONNECTOR_SIGNAL_TRIAL_H
#define TIDEMARK_CONNECTOR_SIGNAL_TRIAL_H

#include "connector/signal_command.h"

/* Appends the report. Returns the exit code: 0, or 1 when something would be refused; else the area of why. */
int signal_trial(const struct config *cfg, const struct signal_request *request, bool as_json, struct buf *out,
                 struct fail *why);

#endif
