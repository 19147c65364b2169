/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/admin.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SLICE_MS = 100, /* so soon is a stop heard */
    PAUSE_MS = 100, /* before something is asked again */
    CLOSE_MS = 1000,
};

struct admin {
    rd_kafka_t *rk;
    const atomic_bool *stop;
};

struct admin *admin_open(const struct client_settings *set, const atomic_bool *stop, struct fail *why)
{
    rd_kafka_conf_t *conf = client_conf_new(set, why);
    if (conf == NULL)
        return NULL;
    rd_kafka_t *rk = client_open(RD_KAFKA_PRODUCER, conf, why); /* the kind needs no group */
    if (rk == NULL)
        return NULL;
    struct admin *a = mem_zero(1, sizeof *a);
    a->rk = rk;
    a->stop = stop;
    return a;
}

void admin_close(struct admin **a)
{
    if (*a == NULL)
        return;
    client_close(&(*a)->rk, CLOSE_MS);
    free(*a);
    *a = NULL;
}

bool admin_is_stopped(const struct admin *a)
{
    return a->stop != NULL && atomic_load(a->stop);
}

/* ---- one request ---- */

/* Sends a request whose result comes to the queue. */
typedef void (*ask_fn)(struct admin *a, const rd_kafka_AdminOptions_t *options, rd_kafka_queue_t *queue,
                       const void *arg);

struct question {
    rd_kafka_admin_op_t op;
    ask_fn ask;
    const void *arg;
    const char *doing; /* for messages */
    const char *topic;
    bool asks_rights;       /* the answer is to say what our user may do */
    bool is_committed_only; /* of offsets: as a read_committed consumer sees them */
};

static rd_kafka_event_t *wait_event(struct admin *a, rd_kafka_queue_t *queue, int timeout_ms)
{
    int64_t end = clock_mono_ms() + timeout_ms + SLICE_MS; /* librdkafka itself answers at the timeout */
    while (!admin_is_stopped(a) && clock_mono_ms() < end) {
        rd_kafka_event_t *ev = rd_kafka_queue_poll(queue, SLICE_MS);
        if (ev != NULL)
            return ev;
    }
    return NULL;
}

/* The answer, or NULL and why. A queue for each question: an answer that comes too late meets no later one. */
static rd_kafka_event_t *ask(struct admin *a, const struct question *q, int timeout_ms, struct fail *why)
{
    char text[512];
    rd_kafka_queue_t *queue = rd_kafka_queue_new(a->rk);
    rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new(a->rk, q->op);
    if (q->asks_rights)
        rd_kafka_error_destroy(rd_kafka_AdminOptions_set_include_authorized_operations(options, 1));
    if (q->is_committed_only)
        rd_kafka_error_destroy(
            rd_kafka_AdminOptions_set_isolation_level(options, RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED));
    if (rd_kafka_AdminOptions_set_request_timeout(options, timeout_ms, text, sizeof text) == 0)
        q->ask(a, options, queue, q->arg);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_event_t *ev = wait_event(a, queue, timeout_ms);
    rd_kafka_queue_destroy(queue);
    if (ev == NULL) {
        if (admin_is_stopped(a))
            fail_set(why, FAIL_RETRY, FAIL_AREA_KAFKA, 0, "%s %s: stopped", q->doing, q->topic);
        else
            client_fail(why, RD_KAFKA_RESP_ERR__TIMED_OUT, NULL, "%s %s", q->doing, q->topic);
        return NULL;
    }
    if (rd_kafka_event_error(ev) == RD_KAFKA_RESP_ERR_NO_ERROR)
        return ev;
    client_fail(why, rd_kafka_event_error(ev), rd_kafka_event_error_string(ev), "%s %s", q->doing, q->topic);
    rd_kafka_event_destroy(ev);
    return NULL;
}

/* ---- describing a topic ---- */

struct topic_names {
    const char **names;
    size_t n;
};

static void ask_topics(struct admin *a, const rd_kafka_AdminOptions_t *options, rd_kafka_queue_t *queue,
                       const void *arg)
{
    const struct topic_names *asked = arg;
    rd_kafka_TopicCollection_t *topics = rd_kafka_TopicCollection_of_topic_names(asked->names, asked->n);
    rd_kafka_DescribeTopics(a->rk, topics, options, queue);
    rd_kafka_TopicCollection_destroy(topics);
}

static bool has_leaders(const rd_kafka_TopicDescription_t *topic, size_t *n)
{
    const rd_kafka_TopicPartitionInfo_t **parts = rd_kafka_TopicDescription_partitions(topic, n);
    for (size_t i = 0; i < *n; i++)
        if (rd_kafka_TopicPartitionInfo_leader(parts[i]) == NULL)
            return false;
    return *n > 0;
}

/* *partitions is 0 when there is no such topic, *is_usable when each partition has a leader. */
static bool describe(struct admin *a, const char *name, int timeout_ms, int *partitions, bool *is_usable,
                     struct fail *why)
{
    const char *names[] = {name};
    const struct topic_names arg = {names, 1};
    const struct question q = {
        .op = RD_KAFKA_ADMIN_OP_DESCRIBETOPICS,
        .ask = ask_topics,
        .arg = &arg,
        .doing = "ask Kafka for the topic",
        .topic = name,
    };
    size_t n = 0;
    bool ok = false;
    *partitions = 0;
    *is_usable = false;
    rd_kafka_event_t *ev = ask(a, &q, timeout_ms, why);
    if (ev == NULL)
        return false;
    const rd_kafka_TopicDescription_t **topics =
        rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(ev), &n);
    const rd_kafka_error_t *error = n == 1 ? rd_kafka_TopicDescription_error(topics[0]) : NULL;
    rd_kafka_resp_err_t err = error == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
    if (n == 1 && err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        *is_usable = has_leaders(topics[0], &n);
        *partitions = (int)n;
        ok = true;
    } else if (err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
        ok = true;
    } else {
        client_fail(why, err, error == NULL ? "no answer" : rd_kafka_error_string(error), "%s %s", q.doing, name);
    }
    rd_kafka_event_destroy(ev);
    return ok;
}

bool admin_count_partitions(struct admin *a, const char *topic, int timeout_ms, int *partitions, struct fail *why)
{
    bool is_usable;
    return describe(a, topic, timeout_ms, partitions, &is_usable, why);
}

/* ---- creating ---- */

static void ask_create(struct admin *a, const rd_kafka_AdminOptions_t *options, rd_kafka_queue_t *queue,
                       const void *arg)
{
    rd_kafka_NewTopic_t *topic = (rd_kafka_NewTopic_t *)(uintptr_t)arg;
    rd_kafka_CreateTopics(a->rk, &topic, 1, options, queue);
}

static rd_kafka_NewTopic_t *new_topic(const struct admin_topic *t, struct fail *why)
{
    char text[512];
    rd_kafka_NewTopic_t *topic =
        rd_kafka_NewTopic_new(t->name, t->partitions, t->replication_factor, text, sizeof text);
    if (topic == NULL) {
        fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "create the topic %s: %s", t->name, text);
        return NULL;
    }
    for (size_t i = 0; i < t->n_configs; i++)
        rd_kafka_NewTopic_set_config(topic, t->configs[i].name, t->configs[i].value);
    return topic;
}

static bool read_created(rd_kafka_event_t *ev, const char *name, bool *created, struct fail *why)
{
    size_t n;
    const rd_kafka_topic_result_t **topics =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(ev), &n);
    rd_kafka_resp_err_t err = n == 1 ? rd_kafka_topic_result_error(topics[0]) : RD_KAFKA_RESP_ERR__BAD_MSG;
    *created = err == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (*created || err == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
        return true;
    return client_fail(why, err, n == 1 ? rd_kafka_topic_result_error_string(topics[0]) : NULL, "create the topic %s",
                       name);
}

static void pause_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

/* The brokers hear of a new topic one after the other. */
static bool wait_usable(struct admin *a, const char *name, int64_t end_ms, struct fail *why)
{
    for (;;) {
        int partitions;
        bool is_usable;
        int64_t left_ms = end_ms - clock_mono_ms();
        if (left_ms <= 0)
            return client_fail(why, RD_KAFKA_RESP_ERR__TIMED_OUT, NULL, "wait for the new topic %s", name);
        if (!describe(a, name, (int)left_ms, &partitions, &is_usable, why))
            return false;
        if (is_usable)
            return true;
        pause_ms(PAUSE_MS);
    }
}

bool admin_create_topic(struct admin *a, const struct admin_topic *t, int timeout_ms, bool *created, struct fail *why)
{
    int64_t end_ms = clock_mono_ms() + timeout_ms;
    rd_kafka_NewTopic_t *topic = new_topic(t, why);
    if (topic == NULL)
        return false;
    const struct question q = {
        .op = RD_KAFKA_ADMIN_OP_CREATETOPICS,
        .ask = ask_create,
        .arg = topic,
        .doing = "create the topic",
        .topic = t->name,
    };
    rd_kafka_event_t *ev = ask(a, &q, timeout_ms, why);
    rd_kafka_NewTopic_destroy(topic);
    if (ev == NULL)
        return false;
    bool ok = read_created(ev, t->name, created, why);
    rd_kafka_event_destroy(ev);
    return ok && wait_usable(a, t->name, end_ms, why);
}

/* ---- settings of a topic ---- */

static void ask_settings(struct admin *a, const rd_kafka_AdminOptions_t *options, rd_kafka_queue_t *queue,
                         const void *arg)
{
    rd_kafka_ConfigResource_t *res = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, arg);
    rd_kafka_DescribeConfigs(a->rk, &res, 1, options, queue);
    rd_kafka_ConfigResource_destroy(res);
}

static bool find_setting(const rd_kafka_ConfigResource_t *res, const char *setting, char *value, size_t room)
{
    size_t n;
    const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(res, &n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rd_kafka_ConfigEntry_name(entries[i]), setting) != 0)
            continue;
        const char *text = rd_kafka_ConfigEntry_value(entries[i]);
        snprintf(value, room, "%s", text == NULL ? "" : text);
        return true;
    }
    return false;
}

static bool is_no_right(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED || err == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

bool admin_topic_setting(struct admin *a, const char *topic, const char *setting, int timeout_ms, char *value,
                         size_t room, bool *known, struct fail *why)
{
    const struct question q = {
        .op = RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS,
        .ask = ask_settings,
        .arg = topic,
        .doing = "read the settings of",
        .topic = topic,
    };
    size_t n;
    rd_kafka_event_t *ev = ask(a, &q, timeout_ms, why);
    if (ev == NULL)
        return false;
    const rd_kafka_ConfigResource_t **res =
        rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(ev), &n);
    rd_kafka_resp_err_t err = n == 1 ? rd_kafka_ConfigResource_error(res[0]) : RD_KAFKA_RESP_ERR__BAD_MSG;
    bool ok = err == RD_KAFKA_RESP_ERR_NO_ERROR || is_no_right(err);
    *known = err == RD_KAFKA_RESP_ERR_NO_ERROR && find_setting(res[0], setting, value, room);
    if (!ok)
        client_fail(why, err, n == 1 ? rd_kafka_ConfigResource_error_string(res[0]) : NULL, "%s %s", q.doing, topic);
    rd_kafka_event_destroy(ev);
    return ok;
}

/* ---- ends ---- */

static void ask_ends(struct admin *a, const rd_kafka_AdminOptions_t *options, rd_kafka_queue_t *queue, const void *arg)
{
    rd_kafka_ListOffsets(a->rk, (rd_kafka_topic_partition_list_t *)(uintptr_t)arg, options, queue);
}

static bool take_end(const rd_kafka_topic_partition_t *part, int partitions, int64_t *ends, struct fail *why)
{
    if (part->err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return client_fail(why, part->err, NULL, "ask for the end of %s partition %d", part->topic, part->partition);
    if (part->partition < 0 || part->partition >= partitions || part->offset < 0)
        return client_fail(why, RD_KAFKA_RESP_ERR__BAD_MSG, NULL, "ask for the end of %s", part->topic);
    ends[part->partition] = part->offset;
    return true;
}

static bool take_ends(rd_kafka_event_t *ev, int partitions, int64_t *ends, struct fail *why)
{
    size_t n;
    const rd_kafka_ListOffsetsResultInfo_t **infos =
        rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(ev), &n);
    for (size_t i = 0; i < n; i++)
        if (!take_end(rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]), partitions, ends, why))
            return false;
    for (int i = 0; i < partitions; i++)
        if (ends[i] < 0)
            return client_fail(why, RD_KAFKA_RESP_ERR__PARTIAL, NULL, "ask for the end of partition %d", i);
    return true;
}

static bool read_ends_once(struct admin *a, const char *topic, int partitions, enum admin_end which, int timeout_ms,
                           int64_t *ends, struct fail *why)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
    for (int i = 0; i < partitions; i++) {
        rd_kafka_topic_partition_list_add(list, topic, i)->offset = RD_KAFKA_OFFSET_SPEC_LATEST;
        ends[i] = -1;
    }
    const struct question q = {
        .op = RD_KAFKA_ADMIN_OP_LISTOFFSETS,
        .ask = ask_ends,
        .arg = list,
        .doing = "ask for the end of",
        .topic = topic,
        .is_committed_only = which == ADMIN_END_COMMITTED,
    };
    rd_kafka_event_t *ev = ask(a, &q, timeout_ms, why);
    rd_kafka_topic_partition_list_destroy(list);
    if (ev == NULL)
        return false;
    bool ok = take_ends(ev, partitions, ends, why);
    rd_kafka_event_destroy(ev);
    return ok;
}

/* A topic that was just made, or whose broker went, has a leader soon. */
bool admin_read_ends(struct admin *a, const char *topic, int partitions, enum admin_end which, int timeout_ms,
                     int64_t *ends, struct fail *why)
{
    int64_t until_ms = clock_mono_ms() + timeout_ms;
    while (!read_ends_once(a, topic, partitions, which, timeout_ms, ends, why)) {
        bool may_heal = why->kind == FAIL_RETRY && why->code != RD_KAFKA_RESP_ERR__TIMED_OUT;
        if (!may_heal || admin_is_stopped(a) || clock_mono_ms() >= until_ms)
            return false;
        pause_ms(PAUSE_MS);
    }
    return true;
}

/* ---- rights ---- */

static bool may(const rd_kafka_TopicDescription_t *topic, rd_kafka_AclOperation_t wanted)
{
    size_t n = 0;
    const rd_kafka_AclOperation_t *allowed = rd_kafka_TopicDescription_authorized_operations(topic, &n);
    for (size_t i = 0; i < n; i++)
        if (allowed[i] == wanted)
            return true;
    return allowed == NULL; /* a cluster without rights doesn't tell */
}

static enum admin_right missing_right(const rd_kafka_TopicDescription_t *topic)
{
    const rd_kafka_error_t *error = rd_kafka_TopicDescription_error(topic);
    switch (error == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error)) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        return ADMIN_RIGHT_DESCRIBE;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        return ADMIN_RIGHT_CREATE;
    case RD_KAFKA_RESP_ERR_NO_ERROR:
        return may(topic, RD_KAFKA_ACL_OPERATION_WRITE) ? ADMIN_RIGHT_NONE : ADMIN_RIGHT_WRITE;
    default:
        return ADMIN_RIGHT_NONE;
    }
}

bool admin_missing_rights(struct admin *a, const char **topics, size_t n, int timeout_ms, enum admin_right *missing,
                          struct fail *why)
{
    const struct topic_names arg = {topics, n};
    const struct question q = {
        .op = RD_KAFKA_ADMIN_OP_DESCRIBETOPICS,
        .ask = ask_topics,
        .arg = &arg,
        .doing = "ask Kafka for our rights on",
        .topic = "its topics",
        .asks_rights = true,
    };
    size_t n_told;
    rd_kafka_event_t *ev = ask(a, &q, timeout_ms, why);
    if (ev == NULL)
        return false;
    const rd_kafka_TopicDescription_t **told =
        rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(ev), &n_told);
    for (size_t i = 0; i < n; i++)
        missing[i] = ADMIN_RIGHT_NONE;
    for (size_t i = 0; i < n_told; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(topics[k], rd_kafka_TopicDescription_name(told[i])) == 0)
                missing[k] = missing_right(told[i]);
    rd_kafka_event_destroy(ev);
    return true;
}

/* ---- members of a group ---- */

static void ask_group(struct admin *a, const rd_kafka_AdminOptions_t *options, rd_kafka_queue_t *queue, const void *arg)
{
    const char *groups[] = {arg};
    rd_kafka_DescribeConsumerGroups(a->rk, groups, 1, options, queue);
}

static bool may_not_see_group(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED || is_no_right(err);
}

static bool take_group(rd_kafka_event_t *ev, const struct question *q, size_t *members, bool *known, struct fail *why)
{
    size_t n;
    const rd_kafka_ConsumerGroupDescription_t **groups =
        rd_kafka_DescribeConsumerGroups_result_groups(rd_kafka_event_DescribeConsumerGroups_result(ev), &n);
    const rd_kafka_error_t *error = n == 1 ? rd_kafka_ConsumerGroupDescription_error(groups[0]) : NULL;
    rd_kafka_resp_err_t err = error == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
    *known = !may_not_see_group(err);
    *members = n == 1 && error == NULL ? rd_kafka_ConsumerGroupDescription_member_count(groups[0]) : 0;
    return err == RD_KAFKA_RESP_ERR_NO_ERROR || err == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND || !*known ||
           client_fail(why, err, rd_kafka_error_string(error), "%s %s", q->doing, q->topic);
}

bool admin_count_members(struct admin *a, const char *group, int timeout_ms, size_t *members, bool *known,
                         struct fail *why)
{
    const struct question q = {
        .op = RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS,
        .ask = ask_group,
        .arg = group,
        .doing = "ask who is in the group",
        .topic = group,
    };
    rd_kafka_event_t *ev = ask(a, &q, timeout_ms, why);
    if (ev == NULL)
        return false;
    bool ok = take_group(ev, &q, members, known, why);
    rd_kafka_event_destroy(ev);
    return ok;
}
