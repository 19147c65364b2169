/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_topic: a compacted topic that holds what a restart must know: made when missing, checked, read to its end.
 *
 * The end is the high watermark, asked for when reading starts; call it after init_transactions, so that nothing of a
 * predecessor can come behind it. Reading is read_committed: records of a transaction still open (another connector may
 * write to the same topic) hold us back until it ends, for a bounded time. The end may be a transaction marker or an
 * aborted record, which are never delivered: the partition's EOF tells that they were passed.
 *
 * Blocks; before the loop starts. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_STATE_TOPIC_H
#define TIDEMARK_CONNECTOR_STATE_TOPIC_H

#include "base/bytes.h"
#include "connector/admin.h"

enum { STATE_TOPIC_TIMEOUT_MS = 90000 }; /* above the usual transaction timeout */

/* Creates the topic (compacted, one partition) when it is missing; refuses (STOP, KAFKA) one whose cleanup.policy is
 * not compact, saying how to mend it. replication_factor: -1 is the broker's default. */
MUST_USE bool state_topic_prepare(struct admin *a, const char *topic, int replication_factor, struct fail *why);

/* The same of one that is there, without making any. */
MUST_USE bool state_topic_check(struct admin *a, const char *topic, struct fail *why);

/* One record; has_value false is a tombstone. Lent for the call. Returning false ends the reading with that failure. */
typedef bool (*state_topic_fn)(void *ctx, struct view key, bool has_value, struct view value, struct fail *why);

/* Hands over each committed record of all partitions, those of a partition in order: the last of a key counts.
 * A missing topic has no records. */
MUST_USE bool state_topic_read(struct admin *a, const struct client_settings *set, const char *topic, int timeout_ms,
                               state_topic_fn on_record, void *ctx, struct fail *why);

/* The same without waiting for a transaction that is open now, as of an instance that was killed: what is committed. */
MUST_USE bool state_topic_look(struct admin *a, const struct client_settings *set, const char *topic, int timeout_ms,
                               state_topic_fn on_record, void *ctx, struct fail *why);

/* As state_topic_read of a topic that must exist, with an admin of its own: false and why (STOP, REFUSED) when it is missing. */
MUST_USE bool state_topic_read_existing(const struct client_settings *set, const char *topic, state_topic_fn on_record,
                                        void *ctx, struct fail *why);

#endif
