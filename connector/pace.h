/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pace: gives each partition no more than it can be sent, so that librdkafka's broker thread may sleep.
 *
 * With idempotence a partition has one request on its way. While a second one stands ready behind it, the broker thread
 * polls without a pause until the answer comes (librdkafka 2.14: rd_kafka_broker_producer_serve, by what
 * rd_kafka_msgq_allow_wakeup_at says), and takes the processor from the broker that is to answer. So a partition gets what
 * its request under way holds, and a little less than another one beside it; the answer lets the next records in.
 *
 * Which partition a record goes to is known because librdkafka asks pace_partition. For a topic whose partitions it does
 * not know yet it asks later, on a thread of its own; for records without a key never. Counts are about speed alone; they
 * are right again whenever nothing is outstanding.
 *
 * Loop thread only, except for pace_partition.
 */
#ifndef TIDEMARK_CONNECTOR_PACE_H
#define TIDEMARK_CONNECTOR_PACE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

struct pace_lane {
    uint64_t round;         /* of which bytes are counted */
    uint64_t bytes;         /* keys and values sent and not reported */
    uint64_t request_bytes; /* of keys and values in its last full request */
    bool is_under_way;      /* a full request of it is on its way, or about to be */
    bool is_uneven;         /* what is behind that needs more than one request */
};

/* Of one topic. */
struct pace_topic {
    struct pace_lane *lanes; /* by partition, up to the highest that was heard of */
    int32_t n_lanes;
};

/* Of one producer. */
struct pace {
    uint64_t batch_bytes; /* batch.size */
    uint64_t round;
    uint64_t bytes;         /* all that is counted */
    uint64_t unknown_bytes; /* of these, what went to topics whose partitions were not known */
    unsigned n_under_way;   /* lanes */
    unsigned n_uneven;
    const struct pace_topic *full; /* the topic of a partition that has enough; NULL: none has */
    int32_t full_partition;
};

enum {
    PACE_UNKNOWN = -1,   /* which partition it went to, or will go to */
    PACE_UNCOUNTED = -2, /* the same, and no report will come soon that says how much can be sent */
};

void pace_init(struct pace *p, uint64_t batch_bytes);
void pace_topic_fini(struct pace_topic *t);

/* May anything be sent? One full partition stops all: the order of records is that of the log. */
bool pace_allows(struct pace *p);

/* Around a produce call: the answer of pace_partition meanwhile, PACE_UNKNOWN when it was not asked. */
void pace_listen(void);
int32_t pace_heard(void);

/* So many bytes went to the partition; so many were reported, in one report. */
void pace_sent(struct pace *p, struct pace_topic *t, int32_t partition, uint64_t bytes);
void pace_reported(struct pace *p, struct pace_topic *t, int32_t partition, uint64_t bytes);

/* Does any partition have a full request on its way? */
bool pace_is_under_way(const struct pace *p);

/* Would a flush, when that is answered, need more than one request for some partition? While the first of them is on its
 * way the thread polls without a pause again. */
bool pace_is_uneven(const struct pace *p);

/* Nothing is outstanding. */
void pace_reset(struct pace *p);

/* As the setting partitioner=murmur2_random. Any thread. */
int32_t pace_partition(const rd_kafka_topic_t *rkt, const void *key, size_t key_bytes, int32_t n, void *topic_opaque,
                       void *opaque);

#endif
