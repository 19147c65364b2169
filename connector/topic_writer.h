/* SPDX-License-Identifier: Apache-2.0 */
/*
 * topic_writer: a few records into a topic of somebody else, without a transaction.
 *
 * Who reads Debezium's schema history counts offsets and stumbles over the marks that transactions leave.
 * Blocks, for a bounded time. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_TOPIC_WRITER_H
#define TIDEMARK_CONNECTOR_TOPIC_WRITER_H

#include "base/bytes.h"
#include "connector/config.h"

struct topic_writer;

/* The topic is there, or why says so. */
MUST_USE struct topic_writer *topic_writer_open(const struct config *cfg, const char *topic, struct fail *why);
void topic_writer_close(struct topic_writer **w);

/* Copied. partition: SINK_ANY_PARTITION goes by the key, as Java's producer does. key.p NULL: none. */
MUST_USE bool topic_writer_put(struct topic_writer *w, int32_t partition, struct view key, struct view value,
                               struct fail *why);

/* Waits until all are acknowledged. */
MUST_USE bool topic_writer_finish(struct topic_writer *w, struct fail *why);

#endif
