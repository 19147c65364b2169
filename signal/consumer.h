/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consumer: reads the signal topic from a given place on, by assignment of its one partition.
 *
 * No group, no commits: where to go on is stored with the offsets of the connector. The loop thread watches
 * consumer_fd and takes record after record.
 */
#ifndef TIDEMARK_SIGNAL_CONSUMER_H
#define TIDEMARK_SIGNAL_CONSUMER_H

#include "base/bytes.h"
#include "base/fail.h"

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

struct consumer;

/* The offset that a group has committed for the topic's partition 0; -1 when it has none. Takes conf; blocks. */
MUST_USE bool consumer_read_committed(rd_kafka_conf_t *conf, const char *group, const char *topic, int timeout_ms,
                                      int64_t *offset, struct fail *why);

/* Takes conf in any case. offset: of the first record to read. Does not wait for the broker. */
MUST_USE struct consumer *consumer_open(rd_kafka_conf_t *conf, const char *topic, int64_t offset, struct fail *why);
void consumer_close(struct consumer **c);

int consumer_fd(const struct consumer *c);

struct consumer_record {
    struct view key;   /* p NULL: null */
    struct view value; /* p NULL: null */
    int64_t offset;
    void *message; /* the library's */
};

/* The next record, or false when there is none now. Errors of the library are told in the log and pass by themselves. */
MUST_USE bool consumer_next(struct consumer *c, struct consumer_record *rec);
void consumer_done(struct consumer_record *rec);

#endif
