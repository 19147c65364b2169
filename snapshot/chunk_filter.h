/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_filter: whether a user's condition can stand in parentheses in a chunk's SELECT.
 *
 * It is SQL and stays so; only what would change the statement around it, or do more than read, is refused: quotes,
 * comments and parentheses that do not end, a parenthesis that closes ours, a second statement, a parameter, locking
 * reads, user-level locks. What it may write is nothing, by the session; how long it may run is limited there, too.
 *
 * Reads as the session does that runs it: sql_mode without ANSI_QUOTES and NO_BACKSLASH_ESCAPES. Any thread.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_FILTER_H
#define TIDEMARK_SNAPSHOT_CHUNK_FILTER_H

#include "base/fail.h"

MUST_USE bool chunk_filter_check(const char *filter, struct fail *why);

#endif
