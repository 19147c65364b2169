/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease: which of several instances of one name may run.
 *
 * All of them are members of the consumer group "tidemark-<name>", subscribed to the offsets topic, of which nothing is read.
 * Kafka gives its partition 0 to one of them: that is the lease. The assignment is sticky, so a member that joins takes
 * nothing from the one that holds it; a member that is silent for the session timeout, or leaves, loses it.
 *
 * The lease says who may begin. What makes two that both think they hold it (one was stopped for a while, or cut off)
 * harmless is the transactional id: the younger one's producer fences the older one's.
 *
 *   ABSENT -> WAITING  [joined, somebody else has it]     WAITING, ABSENT -> HELD  [assigned]
 *   HELD   -> ABSENT   [revoked, session timed out, closed]
 *
 * One thread at a time.
 */
#ifndef TIDEMARK_CONNECTOR_LEASE_H
#define TIDEMARK_CONNECTOR_LEASE_H

#include "base/fail.h"
#include "connector/client.h"

struct lease;

/* Joins, in the background. The topic exists. */
MUST_USE struct lease *lease_open(const struct client_settings *set, const char *name, const char *topic,
                                  int session_ms, struct fail *why);

/* Readable when lease_service has something to do. */
int lease_fd(const struct lease *l);

/* To be called when it is, and about once a second. False: an operator must act. */
MUST_USE bool lease_service(struct lease *l, struct fail *why);

bool lease_is_held(const struct lease *l);

/* Gives it back, so that another need not wait for the session timeout. */
void lease_close(struct lease **l, int timeout_ms);

#endif
