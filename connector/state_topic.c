/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/state_topic.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>

enum {
    ASK_MS = 30000,
    LOOK_MS = 10000, /* a command's first question: nobody waits long for a wrong address */
    SLICE_MS = 100,
    CLOSE_MS = 2000,
};

/* ---- making and checking ---- */

/* Small segments: only the last one is not compacted, and that is what a start has to read in vain. */
static const struct client_setting topic_settings[] = {
    {"cleanup.policy", "compact"},
    {"segment.bytes", "16777216"},
    {"min.cleanable.dirty.ratio", "0.1"},
    {"max.message.bytes", "10485760"},
};

static bool create(struct admin *a, const char *topic, int replication_factor, struct fail *why)
{
    bool created;
    const struct admin_topic t = {
        .name = topic,
        .partitions = 1,
        .replication_factor = replication_factor,
        .configs = topic_settings,
        .n_configs = sizeof topic_settings / sizeof *topic_settings,
    };
    if (!admin_create_topic(a, &t, ASK_MS, &created, why))
        return false;
    if (created)
        log_info("state_topic", "created %s cleanup.policy=compact partitions=1", topic);
    return true;
}

bool state_topic_check(struct admin *a, const char *topic, struct fail *why)
{
    char policy[64];
    bool known;
    if (!admin_topic_setting(a, topic, "cleanup.policy", ASK_MS, policy, sizeof policy, &known, why))
        return false;
    if (!known) {
        log_warn(
            "state_topic",
            "may not ask whether %s is compacted: if it is not, the position is lost one day; grant DESCRIBE_CONFIGS "
            "on it",
            topic);
        return true;
    }
    if (strcmp(policy, "compact") == 0)
        return true;
    return fail_set(
        why, FAIL_STOP, FAIL_AREA_KAFKA, 0,
        "the topic %s keeps our state, but Kafka deletes from it: cleanup.policy is %s; hint: "
        "kafka-configs.sh --bootstrap-server ... --alter --entity-type topics --entity-name %s --add-config "
        "cleanup.policy=compact",
        topic, policy, topic);
}

bool state_topic_prepare(struct admin *a, const char *topic, int replication_factor, struct fail *why)
{
    int partitions;
    if (!admin_count_partitions(a, topic, ASK_MS, &partitions, why))
        return false;
    if (partitions == 0 && !create(a, topic, replication_factor, why))
        return false;
    return state_topic_check(a, topic, why); /* of a new one too: another may have been quicker */
}

/* ---- reading ---- */

struct reading {
    struct admin *admin;
    const char *topic;
    enum admin_end end;
    rd_kafka_t *rk;
    rd_kafka_topic_t *rkt;
    rd_kafka_queue_t *queue;
    int partitions;
    int64_t *ends;
    int64_t *at; /* the next offset of each partition, as far as it is known; -1: nothing came yet */
    int left;    /* partitions not yet read to their end */
    state_topic_fn on_record;
    void *ctx;
};

static bool is_at_end(const struct reading *r, int partition)
{
    return r->at[partition] >= r->ends[partition];
}

/* The partition was read up to that offset. */
static void pass(struct reading *r, int partition, int64_t offset)
{
    if (partition < 0 || partition >= r->partitions || is_at_end(r, partition))
        return;
    if (offset > r->at[partition])
        r->at[partition] = offset;
    if (is_at_end(r, partition))
        r->left--;
}

static bool take_message(struct reading *r, const rd_kafka_message_t *msg, struct fail *why)
{
    if (msg->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        pass(r, msg->partition, msg->offset);
        return true;
    }
    if (msg->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        client_fail(why, msg->err, rd_kafka_message_errstr(msg), "read %s", r->topic);
        if (why->kind == FAIL_RETRY)
            log_warn("state_topic", "%s; trying on", why->text);
        return why->kind == FAIL_RETRY;
    }
    struct view key = {msg->key, msg->key_len}, value = {msg->payload, msg->len};
    bool ok = msg->offset >= r->ends[msg->partition] || r->on_record(r->ctx, key, msg->payload != NULL, value, why);
    pass(r, msg->partition, msg->offset + 1);
    return ok;
}

/* What stands between us and the end. */
static bool fail_stuck(const struct reading *r, int timeout_ms, struct fail *why)
{
    for (int i = 0; i < r->partitions; i++) {
        if (is_at_end(r, i))
            continue;
        if (r->at[i] < 0)
            return client_fail(why, RD_KAFKA_RESP_ERR__TIMED_OUT, NULL, "read %s partition %d", r->topic, i);
        return fail_set(why, FAIL_RETRY, FAIL_AREA_KAFKA, RD_KAFKA_RESP_ERR__TIMED_OUT,
                        "read %s partition %d: at offset %lld of %lld nothing came for %d ms; a transaction of another "
                        "producer is open there; hint: kafka-transactions.sh --bootstrap-server ... find-hanging "
                        "--topic %s",
                        r->topic, i, (long long)r->at[i], (long long)r->ends[i], timeout_ms, r->topic);
    }
    return true;
}

static bool read_on(struct reading *r, int timeout_ms, struct fail *why)
{
    int64_t moved_ms = clock_mono_ms();
    while (r->left > 0) {
        if (admin_is_stopped(r->admin))
            return fail_set(why, FAIL_RETRY, FAIL_AREA_KAFKA, 0, "read %s: stopped", r->topic);
        if (clock_mono_ms() - moved_ms > timeout_ms)
            return fail_stuck(r, timeout_ms, why);
        rd_kafka_poll(r->rk, 0);
        rd_kafka_message_t *msg = rd_kafka_consume_queue(r->queue, SLICE_MS);
        if (msg == NULL)
            continue;
        if (msg->err == RD_KAFKA_RESP_ERR_NO_ERROR)
            moved_ms = clock_mono_ms();
        bool ok = take_message(r, msg, why);
        rd_kafka_message_destroy(msg);
        if (!ok)
            return false;
    }
    return true;
}

/* Read without a group: no rights on one are needed, and nothing is committed. */
static bool reader_open(struct reading *r, const struct client_settings *set, struct fail *why)
{
    static const struct client_setting settings[] = {
        {"isolation.level", "read_committed"}, {"enable.partition.eof", "true"}, {"enable.auto.commit", "false"},
        {"auto.offset.reset", "earliest"},     {"fetch.wait.max.ms", "100"},     {"queued.max.messages.kbytes", "8192"},
        {"fetch.max.bytes", "8388608"},        {"check.crcs", "true"},
    };
    rd_kafka_conf_t *conf = client_conf_with(set, settings, sizeof settings / sizeof *settings, why);
    if (conf == NULL)
        return false;
    r->rk = client_open(RD_KAFKA_CONSUMER, conf, why);
    if (r->rk == NULL)
        return false;
    r->rkt = rd_kafka_topic_new(r->rk, r->topic, NULL);
    r->queue = rd_kafka_queue_new(r->rk);
    return r->rkt != NULL || client_fail(why, rd_kafka_last_error(), NULL, "read %s", r->topic);
}

static void reader_close(struct reading *r)
{
    for (int i = 0; r->rkt != NULL && i < r->partitions; i++)
        if (r->ends[i] > 0)
            rd_kafka_consume_stop(r->rkt, i);
    if (r->queue != NULL)
        rd_kafka_queue_destroy(r->queue);
    if (r->rkt != NULL)
        rd_kafka_topic_destroy(r->rkt);
    client_close(&r->rk, CLOSE_MS);
}

/* From offset 0: the real beginning, should it lie behind that, is found by auto.offset.reset, and needs no question. */
static bool start(struct reading *r, struct fail *why)
{
    for (int i = 0; i < r->partitions; i++) {
        if (r->ends[i] == 0)
            continue;
        if (rd_kafka_consume_start_queue(r->rkt, i, 0, r->queue) != 0)
            return client_fail(why, rd_kafka_last_error(), NULL, "read %s partition %d", r->topic, i);
        r->left++;
    }
    return true;
}

static bool read_all(struct reading *r, const struct client_settings *set, int timeout_ms, struct fail *why)
{
    if (!admin_read_ends(r->admin, r->topic, r->partitions, r->end, ASK_MS, r->ends, why))
        return false;
    bool ok = reader_open(r, set, why) && start(r, why) && read_on(r, timeout_ms, why);
    reader_close(r);
    return ok;
}

static bool read_topic(struct reading *r, const struct client_settings *set, int timeout_ms, struct fail *why)
{
    if (!admin_count_partitions(r->admin, r->topic, ASK_MS, &r->partitions, why))
        return false;
    if (r->partitions == 0)
        return true;
    r->ends = mem_zero((size_t)r->partitions, sizeof *r->ends);
    r->at = mem_zero((size_t)r->partitions, sizeof *r->at);
    for (int i = 0; i < r->partitions; i++)
        r->at[i] = -1;
    bool ok = read_all(r, set, timeout_ms, why);
    free(r->ends);
    free(r->at);
    return ok;
}

bool state_topic_read(struct admin *a, const struct client_settings *set, const char *topic, int timeout_ms,
                      state_topic_fn on_record, void *ctx, struct fail *why)
{
    struct reading r = {.admin = a, .topic = topic, .end = ADMIN_END_ALL, .on_record = on_record, .ctx = ctx};
    return read_topic(&r, set, timeout_ms, why);
}

bool state_topic_look(struct admin *a, const struct client_settings *set, const char *topic, int timeout_ms,
                      state_topic_fn on_record, void *ctx, struct fail *why)
{
    struct reading r = {.admin = a, .topic = topic, .end = ADMIN_END_COMMITTED, .on_record = on_record, .ctx = ctx};
    return read_topic(&r, set, timeout_ms, why);
}

bool state_topic_read_existing(const struct client_settings *set, const char *topic, state_topic_fn on_record,
                               void *ctx, struct fail *why)
{
    int partitions = 0;
    struct admin *admin = admin_open(set, NULL, why);
    if (admin == NULL)
        return false;
    bool ok = admin_count_partitions(admin, topic, LOOK_MS, &partitions, why);
    if (ok && partitions == 0)
        ok = fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0, "there is no topic %s", topic);
    ok = ok && state_topic_read(admin, set, topic, STATE_TOPIC_TIMEOUT_MS, on_record, ctx, why);
    admin_close(&admin);
    return ok;
}
