/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: what all our Kafka clients (producer, admin, readers of state) have in common.
 *
 * Where the brokers are and how to get in; how librdkafka's log reaches ours (told once, then counted); and what
 * one of its errors means to us: which kind of failure, in words, with a hint.
 *
 * Settings are lent and must outlive the call, not the client. Any thread.
 */
#ifndef TIDEMARK_CONNECTOR_CLIENT_H
#define TIDEMARK_CONNECTOR_CLIENT_H

#include "base/fail.h"

#include <librdkafka/rdkafka.h>
#include <stddef.h>

/* One of librdkafka's own settings, by librdkafka's own name. */
struct client_setting {
    const char *name;
    const char *value;
};

struct client_settings {
    const char *bootstrap;              /* host:port,… */
    const char *client_id;              /* NULL: "tidemark" */
    const struct client_setting *extra; /* security and the like; they win over our defaults */
    size_t n_extra;
};

/* Whether a setting of that name was given. */
bool client_has(const struct client_settings *set, const char *name);

/* A new configuration with all that is common; NULL and why (STOP, CONFIG) when a setting is refused.
 * The caller frees it or gives it to rd_kafka_new. */
MUST_USE rd_kafka_conf_t *client_conf_new(const struct client_settings *set, struct fail *why);

/* The same, with settings of the caller's own, which win. */
MUST_USE rd_kafka_conf_t *client_conf_with(const struct client_settings *set, const struct client_setting *own,
                                           size_t n_own, struct fail *why);

/* Sets one value; false and why (STOP, CONFIG), naming it. What can be secret is free text, which is never refused here. */
MUST_USE bool client_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value, struct fail *why);

/* Makes the client. Takes conf in any case. NULL and why on failure. */
MUST_USE rd_kafka_t *client_open(rd_kafka_type_t type, rd_kafka_conf_t *conf, struct fail *why);

/* Destroys the client, waiting for its threads no longer than that: a name look-up can hold one of them for long.
 * False: threads were left behind, and with them all memory lent to the client. */
bool client_close(rd_kafka_t **rk, int timeout_ms);

/* Fills why: kind and area by the error, text from the format, the error in words, and a hint where we know one.
 * `detail` is librdkafka's sentence or NULL. Returns false. */
bool client_fail(struct fail *why, rd_kafka_resp_err_t err, const char *detail, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Whether trying the same again may help. */
bool client_is_retriable(rd_kafka_resp_err_t err);

#endif
