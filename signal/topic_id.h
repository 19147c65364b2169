/* SPDX-License-Identifier: Apache-2.0 */
/*
 * topic_id: which topic it is that has a name: one that was deleted and made again has another id, and other records.
 *
 * Asked in the background through a client that is there anyway. Brokers since 2.8 know ids; the right to DESCRIBE the
 * topic, which reading it needs too, is enough.
 */
#ifndef TIDEMARK_SIGNAL_TOPIC_ID_H
#define TIDEMARK_SIGNAL_TOPIC_ID_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

enum { TOPIC_ID_BYTES = 32 }; /* of its base64 text, with room for the zero byte */

/* The answer comes as an event of the queue, also when no broker gives one. */
void topic_id_ask(rd_kafka_t *client, const char *topic, rd_kafka_queue_t *answers);

/* Takes an answer, if one has come (true). id: "" when it can't be known now. Does not wait. */
bool topic_id_take(rd_kafka_queue_t *answers, char id[TOPIC_ID_BYTES]);

#endif
