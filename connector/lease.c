/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/lease.h"

#include "base/bytes.h"
#include "base/log.h"
#include "connector/member.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

enum {
    BEATS = 3,              /* heartbeats in a session */
    POLL_LEAST_MS = 300000, /* a loop that hangs for so long is ended by the watchdog before */
};

struct lease {
    struct member member;
    bool is_held;
    bool has_told_wait;
    rd_kafka_resp_err_t told; /* the last error that was told */
};

/* ---- assignments ---- */

static bool has_partition_0(const rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++)
        if (list->elems[i].partition == 0)
            return true;
    return false;
}

/* What is assigned is taken, so that it stays ours, and paused, so that nothing is read. */
static void take(struct lease *l, rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++)
        list->elems[i].offset = RD_KAFKA_OFFSET_END;
    rd_kafka_error_t *error = rd_kafka_incremental_assign(l->member.rk, list);
    if (error != NULL) {
        log_warn("lease", "take the lease: %s", rd_kafka_error_string(error));
        rd_kafka_error_destroy(error);
        return;
    }
    rd_kafka_pause_partitions(l->member.rk, list);
    l->is_held = l->is_held || has_partition_0(list);
}

static void give_back(struct lease *l, rd_kafka_topic_partition_list_t *list)
{
    bool is_lost = rd_kafka_assignment_lost(l->member.rk) != 0;
    if (l->is_held && (is_lost || has_partition_0(list)))
        l->is_held = false;
    rd_kafka_error_t *error = rd_kafka_incremental_unassign(l->member.rk, list);
    if (error != NULL)
        rd_kafka_error_destroy(error);
}

static void on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *list, void *opaque)
{
    struct lease *l = opaque;
    (void)rk;
    bool was_held = l->is_held;
    if (err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
        take(l, list);
    else
        give_back(l, list);
    if (l->is_held != was_held)
        log_info("lease", "%s", l->is_held ? "the lease is ours" : "the lease is no longer ours");
    if (!l->is_held && !was_held && !l->has_told_wait) {
        log_info("lease", "another instance of this name runs: waiting, ready to take over");
        l->has_told_wait = true;
    }
}

/* ---- life ---- */

static rd_kafka_conf_t *new_conf(const struct client_settings *set, const char *name, int session_ms, struct lease *l,
                                 struct fail *why)
{
    char session[16], beat[16], poll[16];
    char *group = member_group(name);
    snprintf(session, sizeof session, "%d", session_ms);
    snprintf(beat, sizeof beat, "%d", session_ms / BEATS);
    snprintf(poll, sizeof poll, "%d", session_ms > POLL_LEAST_MS ? session_ms : POLL_LEAST_MS);
    const struct client_setting settings[] = {
        {"group.id", group},
        {"session.timeout.ms", session},
        {"heartbeat.interval.ms", beat},
        {"max.poll.interval.ms", poll},
        {"enable.auto.commit", "false"},
        {"enable.auto.offset.store", "false"},
        {"partition.assignment.strategy", "cooperative-sticky"},
    };
    rd_kafka_conf_t *conf = client_conf_with(set, settings, sizeof settings / sizeof *settings, why);
    free(group);
    if (conf != NULL) {
        rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
        rd_kafka_conf_set_opaque(conf, l);
    }
    return conf;
}

struct lease *lease_open(const struct client_settings *set, const char *name, const char *topic, int session_ms,
                         struct fail *why)
{
    struct lease *l = mem_zero(1, sizeof *l);
    rd_kafka_conf_t *conf = new_conf(set, name, session_ms, l, why);
    if (member_open(&l->member, conf, topic, "join the group of the instances of this name", why))
        return l;
    lease_close(&l, 0);
    return NULL;
}

void lease_close(struct lease **lease, int timeout_ms)
{
    struct lease *l = *lease;
    if (l == NULL)
        return;
    if (member_close(&l->member, timeout_ms)) /* else its thread may still call back */
        free(l);
    *lease = NULL;
}

int lease_fd(const struct lease *l)
{
    return l->member.fd;
}

bool lease_is_held(const struct lease *l)
{
    return l->is_held;
}

/* ---- errors ---- */

/* Connections mend themselves; each other state of affairs is told once. */
static bool take_error(struct lease *l, const rd_kafka_message_t *msg, struct fail *why)
{
    const char *text = rd_kafka_message_errstr(msg);
    if (msg->err == RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL) {
        if (l->told != msg->err)
            log_warn("lease",
                     "an instance of this name runs without tidemark.standby=true: waiting until it has ended");
        l->told = msg->err;
        return true;
    }
    if (!client_is_retriable(msg->err))
        return client_fail(why, msg->err, text, "hold the lease");
    if (l->told != msg->err)
        log_debug("lease", "%s", text);
    l->told = msg->err;
    return true;
}

bool lease_service(struct lease *l, struct fail *why)
{
    eventfd_t count;
    rd_kafka_message_t *msg;
    bool ok = true;
    eventfd_read(l->member.fd, &count);
    while (ok && (msg = rd_kafka_consumer_poll(l->member.rk, 0)) != NULL) {
        if (msg->err != RD_KAFKA_RESP_ERR_NO_ERROR)
            ok = take_error(l, msg, why);
        rd_kafka_message_destroy(msg);
    }
    return ok;
}
