/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/consumer.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    SAME_ERROR_MS = 30000,
    LOOK_MS = 10000, /* how often the topic is asked about while nothing comes */
    HELD_MOST = 64,  /* messages that one answer is for */
};

struct consumer {
    rd_kafka_t *client;
    rd_kafka_queue_t *queue;
    rd_kafka_queue_t *answers; /* about the topic's id */
    int fd;
    char *topic;
    char id[TOPIC_ID_BYTES]; /* of the topic that `next` is of; "": not known */
    int64_t next;            /* offset of the record that is to be given next */
    bool is_assigned;
    bool is_asking;
    int64_t answered_ms; /* 0: never */
    /* Messages, oldest first. The topic may have been made again before any of them came: only those that were here when it was
     * asked about are known to be of the topic of the answer. */
    rd_kafka_message_t *held[HELD_MOST];
    unsigned n_held;
    unsigned n_asked; /* of them, when it was asked last */
    unsigned n_sure;  /* of them that may be given */
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

static rd_kafka_topic_partition_list_t *list_of(const struct consumer *c, int64_t offset)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, c->topic, 0)->offset = offset;
    return list;
}

/* What fails is tried again with the next answer. */
static void assign(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = list_of(c, c->next);
    rd_kafka_resp_err_t err = rd_kafka_assign(c->client, list);
    rd_kafka_topic_partition_list_destroy(list);
    c->is_assigned = err == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (!c->is_assigned)
        log_warn("consumer", "read signals from topic %s: %s; trying on", c->topic, rd_kafka_err2str(err));
}

/* ---- which topic it is ---- */

static void ask(struct consumer *c)
{
    if (c->is_asking)
        return;
    c->is_asking = true;
    c->n_asked = c->n_held;
    topic_id_ask(c->client, c->topic, c->answers);
}

static void drop_held(struct consumer *c)
{
    for (unsigned i = 0; i < c->n_held; i++)
        rd_kafka_message_destroy(c->held[i]);
    c->n_held = c->n_asked = c->n_sure = 0;
}

/* Another topic of the same name: its offsets say nothing about the records of the one before. */
static void begin_anew(struct consumer *c, const char *id)
{
    log_warn(
        "consumer",
        "the signal topic %s is another one than before (id %s, not %s): it was deleted and made again. Its signals "
        "are executed from its beginning on, not from offset %lld",
        c->topic, id, c->id, (long long)c->next);
    drop_held(c);
    c->next = 0;
    c->is_assigned = false;
}

static void heed_answer(struct consumer *c)
{
    char id[TOPIC_ID_BYTES];
    if (!topic_id_take(c->answers, id))
        return;
    c->is_asking = false;
    c->answered_ms = clock_mono_ms();
    c->n_sure = c->n_asked;
    if (id[0] != '\0' && c->id[0] != '\0' && strcmp(id, c->id) != 0)
        begin_anew(c, id);
    if (id[0] != '\0')
        memcpy(c->id, id, sizeof c->id);
    if (!c->is_assigned)
        assign(c);
}

void consumer_look(struct consumer *c)
{
    if (c->n_held == 0 && clock_mono_ms() - c->answered_ms >= LOOK_MS)
        ask(c);
}

/* ---- open and close ---- */

struct consumer *consumer_open(rd_kafka_conf_t *conf, const struct consumer_place *from, struct fail *why)
{
    char text[256];
    /* A group id is asked for by the library; nothing is stored under it but by consumer_commit. */
    if (!set(conf, "group.id", from->group == NULL ? "tidemark-signals" : from->group, why) ||
        !set(conf, "enable.auto.commit", "false", why) || !set(conf, "enable.auto.offset.store", "false", why) ||
        !set(conf, "auto.offset.reset", "earliest", why)) {
        rd_kafka_conf_destroy(conf);
        return NULL;
    }
    struct consumer *c = mem_zero(1, sizeof *c);
    c->topic = mem_strdup(from->topic);
    c->next = from->offset;
    snprintf(c->id, sizeof c->id, "%s", from->topic_id);
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
    c->answers = rd_kafka_queue_new(c->client);
    static const uint64_t one = 1;
    rd_kafka_queue_io_event_enable(c->queue, c->fd, &one, sizeof one);
    rd_kafka_queue_io_event_enable(c->answers, c->fd, &one, sizeof one);
    ask(c); /* its answer assigns */
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
    drop_held(c);
    rd_kafka_queue_t *const queues[] = {c->queue, c->answers};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        if (queues[i] == NULL)
            continue;
        rd_kafka_queue_io_event_enable(queues[i], -1, NULL, 0);
        rd_kafka_queue_destroy(queues[i]);
    }
    if (c->client != NULL) {
        rd_kafka_assign(c->client, NULL);
        rd_kafka_destroy_flags(c->client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    }
    if (c->fd >= 0)
        close(c->fd);
    free(c->topic);
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

/* Takes what has come. */
static void hold(struct consumer *c)
{
    rd_kafka_message_t *message;
    while (c->n_held < HELD_MOST && (message = rd_kafka_consumer_poll(c->client, 0)) != NULL) {
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            c->held[c->n_held++] = message;
            continue;
        }
        tell_error(c, message);
        rd_kafka_message_destroy(message);
    }
}

static rd_kafka_message_t *take_held(struct consumer *c)
{
    rd_kafka_message_t *message = c->held[0];
    c->n_held--;
    c->n_sure--;
    memmove(c->held, c->held + 1, c->n_held * sizeof *c->held);
    return message;
}

/* Where ids are not known, or the new one was not asked for yet, this is what shows it: the library goes to the beginning when
 * the place is behind the end. The id comes with the next answer, and is no news then. */
static void heed_lower(struct consumer *c, int64_t offset)
{
    if (offset >= c->next)
        return;
    log_warn("consumer",
             "the signal topic %s ends before offset %lld, where it was to be read on: it was deleted and made "
             "again, or cut. Its signals are executed from offset %lld on",
             c->topic, (long long)c->next, (long long)offset);
    c->id[0] = '\0';
}

bool consumer_next(struct consumer *c, struct consumer_record *rec)
{
    eventfd_t count;
    eventfd_read(c->fd, &count);
    heed_answer(c);
    if (!c->is_assigned)
        return false;
    if (c->n_sure == 0) {
        hold(c);
        if (c->n_held > 0)
            ask(c);
        return false;
    }
    rd_kafka_message_t *message = take_held(c);
    heed_lower(c, message->offset);
    c->next = message->offset + 1;
    *rec = (struct consumer_record){
        {message->key, message->key_len}, {message->payload, message->len}, message->offset, message};
    return true;
}

const char *consumer_topic_id(const struct consumer *c)
{
    return c->id;
}

int64_t consumer_offset(const struct consumer *c)
{
    return c->next;
}

bool consumer_commit(struct consumer *c, int64_t offset, int timeout_ms, struct fail *why)
{
    rd_kafka_topic_partition_list_t *list = list_of(c, offset);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(c->client);
    rd_kafka_resp_err_t err = rd_kafka_commit_queue(c->client, list, queue, NULL, NULL);
    rd_kafka_event_t *event = err == RD_KAFKA_RESP_ERR_NO_ERROR ? rd_kafka_queue_poll(queue, timeout_ms) : NULL;
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
        err = event == NULL ? RD_KAFKA_RESP_ERR__TIMED_OUT : rd_kafka_event_error(event);
    if (event != NULL)
        rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_topic_partition_list_destroy(list);
    return err == RD_KAFKA_RESP_ERR_NO_ERROR ||
           fail_set(why, FAIL_RETRY, FAIL_AREA_KAFKA, err, "commit offset %lld of topic %s to the group: %s",
                    (long long)offset, c->topic, rd_kafka_err2str(err));
}

void consumer_done(struct consumer_record *rec)
{
    rd_kafka_message_destroy(rec->message);
    rec->message = NULL;
}
