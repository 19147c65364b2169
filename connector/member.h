/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member: an instance's membership of the consumer group "tidemark-<name>", of which nothing is read.
 *
 * What being a member means, and what is done with the partitions that are given, is its users': presence and lease.
 *
 * One thread at a time.
 */
#ifndef TIDEMARK_CONNECTOR_MEMBER_H
#define TIDEMARK_CONNECTOR_MEMBER_H

#include "base/fail.h"
#include "connector/client.h"

struct member {
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue;
    int fd; /* readable when there is something to poll; -1: none */
};

/* "tidemark-<name>"; the caller frees it. */
char *member_group(const char *name);

/* Joins, in the background; `aim` says what for ("hold …") in errors. The topic exists. Takes conf in any case; NULL
 * stands for one that failed, with why set. To be closed also after a failure. */
MUST_USE bool member_open(struct member *m, rd_kafka_conf_t *conf, const char *topic, const char *aim,
                          struct fail *why);

/* Leaves, waiting no longer than that. False: the client's thread goes on, and may still call back. */
bool member_close(struct member *m, int timeout_ms);

#endif
