/* SPDX-License-Identifier: Apache-2.0 */
/*
 * producer: sink and committer as one thing that is opened, taken, and replaced when it has died.
 *
 * Taking means: the transactional id is ours, a predecessor is fenced, its open transaction is aborted. Without
 * transactions nothing has to be taken. Loop thread (or main thread before the loop).
 */
#ifndef TIDEMARK_CONNECTOR_PRODUCER_H
#define TIDEMARK_CONNECTOR_PRODUCER_H

#include "connector/commit.h"
#include "connector/config.h"
#include "connector/misfits.h"
#include "connector/sink.h"

#include <stdatomic.h>

struct producer {
    struct sink *sink;
    struct committer *committer;
    bool is_transactional;
};

/* Opens, and starts to take. The opaque of each record is a struct loan, which is told when the record is back. misfits is
 * lent and told of refused records; NULL: those are final. */
MUST_USE bool producer_open(struct producer *p, const struct config *cfg, bool is_transactional,
                            const struct commit_settings *where, struct misfits *misfits, struct fail *why);

/* Whether taking has ended; out says how. */
MUST_USE bool producer_is_taken(struct producer *p, struct commit_result *out);

/* Waits for that; false when *stop (may be NULL) became true before. For the start only. */
MUST_USE bool producer_wait_taken(struct producer *p, const atomic_bool *stop, struct commit_result *out);

/* Purges, closes both. False: a thread of the client library is stuck; the process must end without freeing what it
 * was lent. */
bool producer_close(struct producer *p, int timeout_ms);

#endif
