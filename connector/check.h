/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: `tidemark check`: what is to be said about a configuration, and, when asked, what the two servers say to it.
 *
 * Changes nothing anywhere. Online it blocks, for a bounded time: the source is asked for its settings and our rights as a run
 * would, the brokers for the topic of the offsets.
 */
#ifndef TIDEMARK_CONNECTOR_CHECK_H
#define TIDEMARK_CONNECTOR_CHECK_H

#include "base/bytes.h"
#include "base/fail.h"

/* Checks the file and appends what was found to out; notes go into it as JSON, else to the log. Returns the exit code, 0 when all
 * is in order; else why has the first failure, which is also in the JSON. */
int check_file(const char *path, bool as_json, bool is_online, struct buf *out, struct fail *why);

#endif
