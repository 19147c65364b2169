/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights: which right on which topic is missing, when Kafka says only that one is.
 *
 * A producer in a transaction hears that a topic was refused, not which one and not what for. The broker is asked what
 * the user of the producer may do with each topic that was written to.
 */
#ifndef TIDEMARK_CONNECTOR_RIGHTS_H
#define TIDEMARK_CONNECTOR_RIGHTS_H

#include "connector/client.h"
#include "connector/sink.h"

/* Puts the topic and the operation in front of a failure for want of a right on a topic; any other, and one that Kafka says
 * no more about, stays as it is. Blocks for up to timeout_ms: for the end of a run. */
void rights_explain(const struct client_settings *set, const struct sink *sink, int timeout_ms, struct fail *why);

#endif
