/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/presence.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SLICE_MS = 20 };

struct presence {
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue;
    int fd;
    rd_kafka_resp_err_t told; /* the last error that was told */
};

char *presence_group(const char *name)
{
    struct buf text;
    buf_init(&text);
    buf_printf(&text, "tidemark-%s%c", name, 0);
    return (char *)text.start;
}

/* Whatever partition we are given, we read none. */
static void on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *partitions,
                         void *opaque)
{
    (void)partitions;
    (void)opaque;
    rd_kafka_topic_partition_list_t *none = rd_kafka_topic_partition_list_new(0);
    rd_kafka_assign(rk, err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS ? none : NULL);
    rd_kafka_topic_partition_list_destroy(none);
}

static rd_kafka_conf_t *new_conf(const struct client_settings *set, const char *name, struct fail *why)
{
    char session[16];
    char *group = presence_group(name);
    snprintf(session, sizeof session, "%d", PRESENCE_SESSION_MS);
    const struct client_setting settings[] = {
        {"group.id", group},
        {"session.timeout.ms", session},
        {"max.poll.interval.ms", "86400000"},
        {"enable.auto.commit", "false"},
        {"enable.auto.offset.store", "false"},
        {"partition.assignment.strategy", "range"},
    };
    rd_kafka_conf_t *conf = client_conf_new(set, why);
    for (size_t i = 0; conf != NULL && i < sizeof settings / sizeof *settings; i++) {
        if (client_conf_set(conf, settings[i].name, settings[i].value, why))
            continue;
        rd_kafka_conf_destroy(conf);
        conf = NULL;
    }
    free(group);
    if (conf != NULL)
        rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    return conf;
}

static bool subscribe(struct presence *p, const char *topic, struct fail *why)
{
    static const uint64_t one = 1;
    rd_kafka_poll_set_consumer(p->rk);
    p->queue = rd_kafka_queue_get_consumer(p->rk);
    rd_kafka_queue_io_event_enable(p->queue, p->fd, &one, sizeof one);
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, topic, RD_KAFKA_PARTITION_UA);
    rd_kafka_resp_err_t err = rd_kafka_subscribe(p->rk, topics);
    rd_kafka_topic_partition_list_destroy(topics);
    return err == RD_KAFKA_RESP_ERR_NO_ERROR || client_fail(why, err, NULL, "join the group that shows that we run");
}

struct presence *presence_open(const struct client_settings *set, const char *name, const char *topic, struct fail *why)
{
    rd_kafka_conf_t *conf = new_conf(set, name, why);
    rd_kafka_t *rk = conf == NULL ? NULL : client_open(RD_KAFKA_CONSUMER, conf, why);
    if (rk == NULL)
        return NULL;
    struct presence *p = mem_zero(1, sizeof *p);
    p->rk = rk;
    p->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bool ok = p->fd >= 0 || fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "make an event descriptor: %m");
    if (ok && subscribe(p, topic, why))
        return p;
    presence_close(&p, 0);
    return NULL;
}

/* A member that only vanished would count as running until its session ends. */
static void leave(struct presence *p, int timeout_ms)
{
    int64_t end_ms = clock_mono_ms() + timeout_ms;
    rd_kafka_error_t *error = rd_kafka_consumer_close_queue(p->rk, p->queue);
    while (error == NULL && !rd_kafka_consumer_closed(p->rk) && clock_mono_ms() < end_ms) {
        rd_kafka_message_t *msg = rd_kafka_consumer_poll(p->rk, SLICE_MS);
        if (msg != NULL)
            rd_kafka_message_destroy(msg);
    }
    if (error != NULL)
        rd_kafka_error_destroy(error);
}

void presence_close(struct presence **presence, int timeout_ms)
{
    struct presence *p = *presence;
    if (p == NULL)
        return;
    if (p->queue != NULL) {
        rd_kafka_queue_io_event_enable(p->queue, -1, NULL, 0);
        leave(p, timeout_ms);
        rd_kafka_queue_destroy(p->queue);
    }
    client_close(&p->rk, timeout_ms);
    if (p->fd >= 0)
        close(p->fd);
    free(p);
    *presence = NULL;
}

int presence_fd(const struct presence *p)
{
    return p->fd;
}

/* Errors of connections pass; that we may not join is told, once. */
static void take_error(struct presence *p, const rd_kafka_message_t *msg)
{
    bool is_final = !client_is_retriable(msg->err);
    if (msg->err == p->told)
        return;
    p->told = msg->err;
    log_write(is_final ? LOG_INFO : LOG_DEBUG, "presence", "other commands can't see that this instance runs: %s",
              rd_kafka_message_errstr(msg));
}

void presence_service(struct presence *p)
{
    eventfd_t count;
    rd_kafka_message_t *msg;
    eventfd_read(p->fd, &count);
    while ((msg = rd_kafka_consumer_poll(p->rk, 0)) != NULL) {
        if (msg->err != RD_KAFKA_RESP_ERR_NO_ERROR)
            take_error(p, msg);
        rd_kafka_message_destroy(msg);
    }
}
