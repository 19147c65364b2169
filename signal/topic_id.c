/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/topic_id.h"

#include "base/log.h"

#include <stdio.h>

enum { ANSWER_MS = 5000 };

void topic_id_ask(rd_kafka_t *client, const char *topic, rd_kafka_queue_t *answers)
{
    char text[256];
    rd_kafka_TopicCollection_t *topics = rd_kafka_TopicCollection_of_topic_names(&topic, 1);
    rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS);
    if (rd_kafka_AdminOptions_set_request_timeout(options, ANSWER_MS, text, sizeof text) != RD_KAFKA_RESP_ERR_NO_ERROR)
        log_debug("topic_id", "%s", text);
    rd_kafka_DescribeTopics(client, topics, options, answers);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_TopicCollection_destroy(topics);
}

static void read_answer(rd_kafka_event_t *event, char id[TOPIC_ID_BYTES])
{
    size_t n = 0;
    const rd_kafka_DescribeTopics_result_t *result = rd_kafka_event_DescribeTopics_result(event);
    if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR || result == NULL) {
        log_debug("topic_id", "%s", rd_kafka_event_error_string(event));
        return;
    }
    const rd_kafka_TopicDescription_t **topics = rd_kafka_DescribeTopics_result_topics(result, &n);
    if (n != 1 || rd_kafka_error_code(rd_kafka_TopicDescription_error(topics[0])) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return;
    const rd_kafka_Uuid_t *uuid = rd_kafka_TopicDescription_topic_id(topics[0]);
    if (rd_kafka_Uuid_most_significant_bits(uuid) != 0 || rd_kafka_Uuid_least_significant_bits(uuid) != 0)
        snprintf(id, TOPIC_ID_BYTES, "%s", rd_kafka_Uuid_base64str(uuid));
}

bool topic_id_take(rd_kafka_queue_t *answers, char id[TOPIC_ID_BYTES])
{
    rd_kafka_event_t *event = rd_kafka_queue_poll(answers, 0);
    id[0] = '\0';
    if (event == NULL)
        return false;
    read_answer(event, id);
    rd_kafka_event_destroy(event);
    return true;
}
