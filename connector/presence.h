/* SPDX-License-Identifier: Apache-2.0 */
/*
 * presence: lets the commands that move the position see whether an instance runs.
 *
 * A running instance is a member of the consumer group "tidemark-<name>", without reading anything: Kafka knows its
 * members, and drops one that is silent for PRESENCE_SESSION_MS. It is a courtesy, so that nobody fences an instance
 * without wanting to: what keeps two of them apart is the transactional id. Without the right to the group (READ) the
 * instance runs all the same, says so once, and can't be seen.
 *
 * Loop thread.
 */
#ifndef TIDEMARK_CONNECTOR_PRESENCE_H
#define TIDEMARK_CONNECTOR_PRESENCE_H

#include "base/fail.h"
#include "connector/client.h"

enum {
    PRESENCE_SESSION_MS = 10000,
    PRESENCE_SERVICE_MS = 60000, /* presence_service is called at least so often */
};

struct presence;

/* Joins, in the background. topic: one that exists, none of its partitions are read. */
MUST_USE struct presence *presence_open(const struct client_settings *set, const char *name, const char *topic,
                                        struct fail *why);

/* Leaves, waiting no longer than that. */
void presence_close(struct presence **p, int timeout_ms);

/* Readable when presence_service has something to do. */
int presence_fd(const struct presence *p);

/* True: the members of the group have changed: another instance may have taken over. */
MUST_USE bool presence_service(struct presence *p);

#endif
