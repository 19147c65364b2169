/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost_xa: what an XA COMMIT means whose rows are in no part of the log that was told.
 *
 * Known since the first start: no table was read before it, so nothing in the topics speaks of its rows yet; they are told
 * by whoever asks for its tables. Unknown, with no table read yet: the same. Unknown, and tables were read: a row of
 * them may be older than this commit, and nothing would ever correct it. That is for a person to decide.
 *
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_LOST_XA_H
#define TIDEMARK_CONNECTOR_LOST_XA_H

#include "connector/frontier.h"

/* Before the frontier passes it. False: STOP, DATA. */
MUST_USE bool lost_xa_pass(const struct frontier *f, struct view xid, struct fail *why);

#endif
