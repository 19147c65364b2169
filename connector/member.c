/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/member.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SLICE_MS = 20 };

char *member_group(const char *name)
{
    struct buf text;
    buf_init(&text);
    buf_printf(&text, "tidemark-%s%c", name, 0);
    return (char *)text.start;
}

static bool subscribe(struct member *m, const char *topic, const char *aim, struct fail *why)
{
    static const uint64_t one = 1;
    rd_kafka_poll_set_consumer(m->rk);
    m->queue = rd_kafka_queue_get_consumer(m->rk);
    rd_kafka_queue_io_event_enable(m->queue, m->fd, &one, sizeof one);
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, topic, RD_KAFKA_PARTITION_UA);
    rd_kafka_resp_err_t err = rd_kafka_subscribe(m->rk, topics);
    rd_kafka_topic_partition_list_destroy(topics);
    return err == RD_KAFKA_RESP_ERR_NO_ERROR || client_fail(why, err, NULL, "%s", aim);
}

bool member_open(struct member *m, rd_kafka_conf_t *conf, const char *topic, const char *aim, struct fail *why)
{
    *m = (struct member){.fd = -1};
    if (conf == NULL)
        return false;
    m->rk = client_open(RD_KAFKA_CONSUMER, conf, why);
    if (m->rk == NULL)
        return false;
    m->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (m->fd < 0)
        return fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "make an event descriptor: %m");
    return subscribe(m, topic, aim, why);
}

/* A member that only vanished would count as running until its session ends. Revocations come through the same queue. */
static void leave(struct member *m, int timeout_ms)
{
    int64_t end_ms = clock_mono_ms() + timeout_ms;
    rd_kafka_error_t *error = rd_kafka_consumer_close_queue(m->rk, m->queue);
    while (error == NULL && !rd_kafka_consumer_closed(m->rk) && clock_mono_ms() < end_ms) {
        rd_kafka_message_t *msg = rd_kafka_consumer_poll(m->rk, SLICE_MS);
        if (msg != NULL)
            rd_kafka_message_destroy(msg);
    }
    if (error != NULL)
        rd_kafka_error_destroy(error);
}

bool member_close(struct member *m, int timeout_ms)
{
    int64_t end_ms = clock_mono_ms() + timeout_ms;
    if (m->queue != NULL) {
        rd_kafka_queue_io_event_enable(m->queue, -1, NULL, 0);
        leave(m, timeout_ms);
        rd_kafka_queue_destroy(m->queue);
    }
    int64_t left_ms = end_ms - clock_mono_ms();
    bool is_closed = client_close(&m->rk, left_ms > 0 ? (int)left_ms : 0);
    if (m->fd >= 0)
        close(m->fd);
    return is_closed;
}
