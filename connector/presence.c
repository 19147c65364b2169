/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/presence.h"

#include "base/bytes.h"
#include "base/log.h"
#include "connector/member.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

struct presence {
    struct member member;
    rd_kafka_resp_err_t told; /* the last error that was told */
    bool has_company;         /* somebody came or went since presence_service was last asked */
};

/* Whatever partition we are given, we read none. */
static void on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *partitions,
                         void *opaque)
{
    struct presence *p = opaque;
    (void)partitions;
    p->has_company = true;
    rd_kafka_topic_partition_list_t *none = rd_kafka_topic_partition_list_new(0);
    rd_kafka_assign(rk, err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS ? none : NULL);
    rd_kafka_topic_partition_list_destroy(none);
}

static rd_kafka_conf_t *new_conf(const struct client_settings *set, const char *name, struct presence *p,
                                 struct fail *why)
{
    char session[16];
    char *group = member_group(name);
    snprintf(session, sizeof session, "%d", PRESENCE_SESSION_MS);
    const struct client_setting settings[] = {
        {"group.id", group},
        {"session.timeout.ms", session},
        {"max.poll.interval.ms", "86400000"},
        {"enable.auto.commit", "false"},
        {"enable.auto.offset.store", "false"},
        {"partition.assignment.strategy", "range"},
    };
    rd_kafka_conf_t *conf = client_conf_with(set, settings, sizeof settings / sizeof *settings, why);
    free(group);
    if (conf != NULL) {
        rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
        rd_kafka_conf_set_opaque(conf, p);
    }
    return conf;
}

struct presence *presence_open(const struct client_settings *set, const char *name, const char *topic, struct fail *why)
{
    struct presence *p = mem_zero(1, sizeof *p);
    rd_kafka_conf_t *conf = new_conf(set, name, p, why);
    if (member_open(&p->member, conf, topic, "join the group that shows that we run", why))
        return p;
    presence_close(&p, 0);
    return NULL;
}

void presence_close(struct presence **presence, int timeout_ms)
{
    struct presence *p = *presence;
    if (p == NULL)
        return;
    if (member_close(&p->member, timeout_ms)) /* else its thread may still call back */
        free(p);
    *presence = NULL;
}

int presence_fd(const struct presence *p)
{
    return p->member.fd;
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

bool presence_service(struct presence *p)
{
    eventfd_t count;
    rd_kafka_message_t *msg;
    eventfd_read(p->member.fd, &count);
    while ((msg = rd_kafka_consumer_poll(p->member.rk, 0)) != NULL) {
        if (msg->err != RD_KAFKA_RESP_ERR_NO_ERROR)
            take_error(p, msg);
        rd_kafka_message_destroy(msg);
    }
    bool has_company = p->has_company;
    p->has_company = false;
    return has_company;
}
