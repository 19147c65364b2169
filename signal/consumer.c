/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/consumer.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SAME_ERROR_MS = 30000 };

struct consumer {
    rd_kafka_t *client;
    rd_kafka_queue_t *queue;
    int fd;
    rd_kafka_resp_err_t last_error;
    int64_t last_error_ms;
};

static bool set(rd_kafka_conf_t *conf, const char *name, const char *value, struct fail *why)
{
    char text[256];
    if (rd_kafka_conf_set(conf, name, value, text, sizeof text) == RD_KAFKA_CONF_OK)
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "set %s of the client that reads signals: %s", name, text);
}

static bool assign(struct consumer *c, const char *topic, int64_t offset, struct fail *why)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, 0)->offset = offset;
    rd_kafka_resp_err_t err = rd_kafka_assign(c->client, list);
    rd_kafka_topic_partition_list_destroy(list);
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_KAFKA, err, "read signals from topic %s: %s", topic,
                    rd_kafka_err2str(err));
}

struct consumer *consumer_open(rd_kafka_conf_t *conf, const char *topic, int64_t offset, struct fail *why)
{
    char text[256];
    /* A group id is asked for by the library; without commits nothing is stored under it. */
    if (!set(conf, "group.id", "tidemark-signals", why) || !set(conf, "enable.auto.commit", "false", why) ||
        !set(conf, "enable.auto.offset.store", "false", why) || !set(conf, "auto.offset.reset", "earliest", why) ||
        !set(conf, "fetch.wait.max.ms", "500", why)) {
        rd_kafka_conf_destroy(conf);
        return NULL;
    }
    struct consumer *c = mem_zero(1, sizeof *c);
    c->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (c->fd < 0) {
        fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "make an eventfd for the client that reads signals: %m");
        rd_kafka_conf_destroy(conf);
        consumer_close(&c);
        return NULL;
    }
    c->client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, text, sizeof text);
    if (c->client == NULL) {
        rd_kafka_conf_destroy(conf);
        fail_set(why, FAIL_STOP, FAIL_AREA_KAFKA, 0, "make the client that reads signals: %s", text);
        consumer_close(&c);
        return NULL;
    }
    rd_kafka_poll_set_consumer(c->client);
    c->queue = rd_kafka_queue_get_consumer(c->client);
    static const uint64_t one = 1;
    rd_kafka_queue_io_event_enable(c->queue, c->fd, &one, sizeof one);
    if (!assign(c, topic, offset, why))
        consumer_close(&c);
    return c;
}

bool consumer_read_committed(rd_kafka_conf_t *conf, const char *group, const char *topic, int timeout_ms,
                             int64_t *offset, struct fail *why)
{
    char text[256];
    *offset = -1;
    if (!set(conf, "group.id", group, why)) {
        rd_kafka_conf_destroy(conf);
        return false;
    }
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, text, sizeof text);
    if (client == NULL) {
        rd_kafka_conf_destroy(conf);
        return fail_set(why, FAIL_STOP, FAIL_AREA_KAFKA, 0, "make the client that reads signals: %s", text);
    }
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, 0);
    rd_kafka_resp_err_t err = rd_kafka_committed(client, list, timeout_ms);
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
        err = list->elems[0].err;
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR && list->elems[0].offset >= 0)
        *offset = list->elems[0].offset;
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
        return true;
    return fail_set(why, FAIL_RETRY, FAIL_AREA_KAFKA, err, "read the offset of group %s for topic %s: %s", group, topic,
                    rd_kafka_err2str(err));
}

void consumer_close(struct consumer **consumer)
{
    struct consumer *c = *consumer;
    if (c == NULL)
        return;
    if (c->queue != NULL) {
        rd_kafka_queue_io_event_enable(c->queue, -1, NULL, 0);
        rd_kafka_queue_destroy(c->queue);
    }
    if (c->client != NULL) {
        rd_kafka_assign(c->client, NULL);
        rd_kafka_destroy_flags(c->client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    }
    if (c->fd >= 0)
        close(c->fd);
    free(c);
    *consumer = NULL;
}

int consumer_fd(const struct consumer *c)
{
    return c->fd;
}

static void tell_error(struct consumer *c, const rd_kafka_message_t *message)
{
    int64_t now_ms = clock_mono_ms();
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF)
        return;
    if (message->err == c->last_error && now_ms - c->last_error_ms < SAME_ERROR_MS)
        return;
    c->last_error = message->err;
    c->last_error_ms = now_ms;
    log_warn("consumer", "signals can't be read now, trying on: %s", rd_kafka_message_errstr(message));
}

bool consumer_next(struct consumer *c, struct consumer_record *rec)
{
    eventfd_t count;
    eventfd_read(c->fd, &count);
    for (;;) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(c->client, 0);
        if (message == NULL)
            return false;
        if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            tell_error(c, message);
            rd_kafka_message_destroy(message);
            continue;
        }
        *rec = (struct consumer_record){
            {message->key, message->key_len}, {message->payload, message->len}, message->offset, message};
        return true;
    }
}

void consumer_done(struct consumer_record *rec)
{
    rd_kafka_message_destroy(rec->message);
    rec->message = NULL;
}
