/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kafka_rig: a producer and a committer against librdkafka's mock cluster, with a small loop around them.
 *
 * The mock answers produce, metadata and transactions, and fails on request; it does not fence and shows aborted
 * records, so it proves nothing about exactly-once.
 */
#ifndef TIDEMARK_TEST_SUPPORT_KAFKA_RIG_H
#define TIDEMARK_TEST_SUPPORT_KAFKA_RIG_H

#include "connector/commit.h"
#include "connector/sink.h"

#include <librdkafka/rdkafka_mock.h>

enum { RIG_PRODUCE = 0, RIG_INIT_PRODUCER_ID = 22, RIG_ADD_PARTITIONS = 24, RIG_END_TXN = 26 };

struct rig {
    rd_kafka_t *owner; /* of the mock */
    rd_kafka_mock_cluster_t *mock;
    char bootstrap[256];
    struct sink *sink;
    struct committer *committer;
    unsigned ok;     /* records reported delivered */
    unsigned not_ok; /* reported failed or purged */
};

/* A test's fixture: *state is a rig with a mock cluster of one broker; the topics a, b, orders, offsets, shapes have one
 * partition. What a test leaves open is closed. */
int rig_set_up(void **state);
int rig_tear_down(void **state);

/* Settings for the mock: at-least-once, no context headers. */
struct sink_settings rig_sink(struct rig *r);

/* Opens both, with the topics offsets and shapes, or with the file. Takes the transactional id when there is one. */
void rig_open(struct rig *r, const struct sink_settings *set, struct offset_file *file);

/* The same up to the init, which the caller starts. */
void rig_open_only(struct rig *r, const struct sink_settings *set, struct offset_file *file);

/* Closes what is open; fails when it takes more than so many ms. */
void rig_close(struct rig *r, int timeout_ms);

/* Sends a record "key" -> value, the value lent for ever. Fails unless it is taken. */
void rig_send(struct rig *r, const char *topic, const char *key, const char *value);

/* Runs the loop until the job ended; its result. */
struct commit_result rig_wait(struct rig *r, int timeout_ms);
struct commit_result rig_commit(struct rig *r);
struct commit_result rig_abort(struct rig *r);

/* Runs the loop until all records are reported, or for so long. */
void rig_run(struct rig *r, int ms);

/* The next answers to that request are these errors. */
void rig_fail_next(struct rig *r, int api, int n, rd_kafka_resp_err_t err);

/* How many records the one partition has (the mock writes no transaction markers). */
int rig_count(struct rig *r, const char *topic);

/* Reads one record; the caller destroys it, then closes *rk. */
rd_kafka_message_t *rig_read(struct rig *r, const char *topic, int32_t partition, int64_t offset, rd_kafka_t **rk);

#endif
