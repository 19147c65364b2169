/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin: topics asked about and created, and groups asked about, before the loop starts.
 *
 * Each call blocks for up to its timeout, in slices, and ends early when *stop becomes true (INTERRUPTED in words, RETRY).
 * One thread.
 */
#ifndef TIDEMARK_CONNECTOR_ADMIN_H
#define TIDEMARK_CONNECTOR_ADMIN_H

#include "base/fail.h"
#include "connector/client.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct admin;

/* stop may be NULL, is lent and may be set by any thread or signal handler. */
MUST_USE struct admin *admin_open(const struct client_settings *set, const atomic_bool *stop, struct fail *why);
void admin_close(struct admin **a);

/* *stop has become true. */
bool admin_is_stopped(const struct admin *a);

struct admin_topic {
    const char *name;
    int partitions;                       /* -1: the broker's default */
    int replication_factor;               /* -1: the broker's default */
    const struct client_setting *configs; /* topic settings, such as cleanup.policy */
    size_t n_configs;
};

/* *partitions: 0 when there is no such topic. */
MUST_USE bool admin_count_partitions(struct admin *a, const char *topic, int timeout_ms, int *partitions,
                                     struct fail *why);

/* Creates; a topic that is there already is no failure, *created says which. Returns when the topic can be used. */
MUST_USE bool admin_create_topic(struct admin *a, const struct admin_topic *topic, int timeout_ms, bool *created,
                                 struct fail *why);

/* The right that a user lacks who is to write to a topic. */
enum admin_right { ADMIN_RIGHT_NONE, ADMIN_RIGHT_DESCRIBE, ADMIN_RIGHT_WRITE, ADMIN_RIGHT_CREATE };

/* For each of n topics what our user lacks there, into missing[i]. CREATE: the topic is not there, and whether it could be
 * created isn't known. */
MUST_USE bool admin_missing_rights(struct admin *a, const char **topics, size_t n, int timeout_ms,
                                   enum admin_right *missing, struct fail *why);

/* One setting of a topic into value; *known is false when we may not ask. */
MUST_USE bool admin_topic_setting(struct admin *a, const char *topic, const char *setting, int timeout_ms, char *value,
                                  size_t room, bool *known, struct fail *why);

enum admin_end {
    ADMIN_END_ALL,       /* the high watermark: open transactions included */
    ADMIN_END_COMMITTED, /* where the first open transaction begins */
};

/* The end of each partition. */
MUST_USE bool admin_read_ends(struct admin *a, const char *topic, int partitions, enum admin_end which, int timeout_ms,
                              int64_t *ends, struct fail *why);

/* How many members a consumer group has; a group that is not there has none. *known is false when we may not ask. */
MUST_USE bool admin_count_members(struct admin *a, const char *group, int timeout_ms, size_t *members, bool *known,
                                  struct fail *why);

#endif
