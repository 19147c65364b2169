/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consumer: reads the signal topic from a given place on, by assignment of its one partition.
 *
 * Where to go on is stored with the offsets of the connector; to a group it is committed for others, when asked. A topic that
 * is deleted and made again is noticed by its id, before the first of its records is given and now and then: reading begins
 * anew at its beginning, and a warning says so. The loop thread watches consumer_fd and takes record after record.
 */
#ifndef TIDEMARK_SIGNAL_CONSUMER_H
#define TIDEMARK_SIGNAL_CONSUMER_H

#include "base/bytes.h"
#include "base/fail.h"
#include "signal/topic_id.h"

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

struct consumer;

/* The offset that a group has committed for the topic's partition 0; -1 when it has none. Takes conf; blocks. */
MUST_USE bool consumer_read_committed(rd_kafka_conf_t *conf, const char *group, const char *topic, int timeout_ms,
                                      int64_t *offset, struct fail *why);

/* Texts are copied. */
struct consumer_place {
    const char *group; /* to which consumer_commit commits; NULL: none */
    const char *topic;
    const char *topic_id; /* of the topic that the offset is of; "": not known */
    int64_t offset;       /* of the first record to read */
};

/* Takes conf in any case. Does not wait for the broker. */
MUST_USE struct consumer *consumer_open(rd_kafka_conf_t *conf, const struct consumer_place *from, struct fail *why);
void consumer_close(struct consumer **c);

/* To be called every second or so: asks now and then whether it still is the same topic. */
void consumer_look(struct consumer *c);

/* The id of the topic that is read ("": not known), and the offset of what comes next there. */
const char *consumer_topic_id(const struct consumer *c);
int64_t consumer_offset(const struct consumer *c);

/* Commits that offset to the group of consumer_open, waiting no longer than that. */
MUST_USE bool consumer_commit(struct consumer *c, int64_t offset, int timeout_ms, struct fail *why);

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
