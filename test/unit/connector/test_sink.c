/* SPDX-License-Identifier: Apache-2.0 */
/* sink: records out, reports back, against librdkafka's mock cluster. */
#include "connector/sink.h"
#include "test/support/kafka_rig.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sink_reports_each_record_once(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    rig_open(r, &set, NULL);
    for (int i = 0; i < 1000; i++)
        rig_send(r, i % 2 == 0 ? "a" : "b", "key", "value");
    assert_int_equal(sink_counts(r->sink)->outstanding, 1000);
    assert_int_equal(sink_counts(r->sink)->outstanding_bytes, 8000);
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(r->ok, 1000);
    assert_int_equal(r->not_ok, 0);
    assert_int_equal(sink_counts(r->sink)->outstanding, 0);
    assert_int_equal(sink_counts(r->sink)->outstanding_bytes, 0);
    assert_int_equal(sink_counts(r->sink)->delivered, 1000);
}

static void sink_opens_a_transaction_with_its_first_record(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    set.transactional_id = "t";
    rig_open(r, &set, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sink_counts(r->sink)->opened_ms, 0);
        rig_send(r, "a", "key", "value");
        assert_int_equal(sink_state(r->sink), SINK_OPEN);
        assert_true(sink_counts(r->sink)->opened_ms > 0);
        struct commit_result res = rig_commit(r);
        assert_int_equal(res.outcome, COMMIT_DONE);
        assert_true(res.took_us >= res.flush_us);
        assert_int_equal(sink_state(r->sink), SINK_READY);
    }
    assert_int_equal(r->ok, 3);
}

static void sink_takes_nothing_while_a_commit_runs(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    struct sink_record rec = {.topic = "a", .partition = SINK_ANY_PARTITION};
    struct fail why;
    set.transactional_id = "t";
    rig_open(r, &set, NULL);
    rig_send(r, "a", "key", "value");
    commit_start(r->committer);
    assert_int_equal(sink_state(r->sink), SINK_ENDING);
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_LATER);
    assert_int_equal(rig_wait(r, 10000).outcome, COMMIT_DONE);
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
}

static void sink_refuses_a_record_that_is_too_large_and_goes_on(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    struct fail why;
    char *large = mem_zero(1, 5000);
    set.transactional_id = "t";
    set.message_max_bytes = 4000;
    rig_open(r, &set, NULL);
    const struct sink_record rec = {
        .topic = "orders",
        .has_key = true,
        .has_value = true,
        .key = view_of("{\"id\":7}"),
        .value = {(const uint8_t *)large, 5000},
        .partition = SINK_ANY_PARTITION,
        .opaque = r,
    };
    rig_send(r, "orders", "key", "value");
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_FAILED);
    assert_int_equal(why.kind, FAIL_REFUSE);
    assert_int_equal(why.area, FAIL_AREA_DATA);
    assert_non_null(strstr(why.text, "orders"));
    assert_null(strstr(why.text, "{\"id\":7}")); /* a row's data has no place in a log */
    assert_non_null(strstr(why.text, "5008"));
    assert_non_null(strstr(why.text, "4000"));
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(r->ok, 1);
    free(large);
}

static void sink_keeps_the_first_failed_delivery(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    struct fail why;
    set.transactional_id = "t";
    rig_open(r, &set, NULL);
    rig_fail_next(r, RIG_PRODUCE, 1, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    rig_send(r, "orders", "{\"id\":1}", "value");
    rig_run(r, 5000);
    assert_int_equal(r->not_ok, 1);
    assert_int_equal(sink_state(r->sink), SINK_ABORTABLE);
    assert_true(sink_failure(r->sink, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.code, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    assert_non_null(strstr(why.text, "orders"));
    assert_non_null(strstr(why.text, "13 bytes to orders, partition "));
    assert_null(strstr(why.text, "{\"id\":1}"));
    struct sink_record rec = {.topic = "orders", .partition = SINK_ANY_PARTITION};
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_FAILED);
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE);
    assert_false(sink_failure(r->sink, &why));
    /* librdkafka leaves a hole in the sequence numbers, which costs one more transaction */
    rig_send(r, "orders", "{\"id\":1}", "value");
    assert_int_equal(rig_commit(r).outcome, COMMIT_ABORT_NEEDED);
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE);
    rig_send(r, "orders", "{\"id\":1}", "value");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
}

static void check_header(const rd_kafka_headers_t *hdrs, size_t at, const char *name, const char *value)
{
    const char *n;
    const void *v;
    size_t size;
    assert_int_equal(rd_kafka_header_get_all(hdrs, at, &n, &v, &size), 0);
    assert_string_equal(n, name);
    assert_int_equal(size, strlen(value));
    assert_memory_equal(v, value, size);
}

static void sink_puts_the_key_change_before_the_context(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    static const struct sink_header context[] = {{"__debezium.context.connectorLogicalName", "shop"},
                                                 {"__debezium.context.taskId", "0"}};
    struct fail why;
    struct sink_record rec = {
        .topic = "orders",
        .has_key = true,
        .key = view_of("k"),
        .has_context = true,
        .partition = 0,
        .header = CHANGE_HEADER_NEWKEY,
        .header_value = view_of("{\"id\":2}"),
        .opaque = r,
    };
    set.context = context;
    set.n_context = 2;
    rig_open(r, &set, NULL);
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
    rec.header = CHANGE_HEADER_NONE;
    rec.has_value = true; /* empty, not null */
    rec.value = (struct view){(const uint8_t *)"", 0};
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
    rec.has_context = false;
    rec.has_key = false;
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);

    rd_kafka_headers_t *hdrs;
    rd_kafka_t *rk;
    rd_kafka_message_t *msg = rig_read(r, "orders", 0, 0, &rk);
    assert_null(msg->payload);
    assert_int_equal(rd_kafka_message_headers(msg, &hdrs), 0);
    assert_int_equal(rd_kafka_header_cnt(hdrs), 3);
    check_header(hdrs, 0, "__debezium.newkey", "{\"id\":2}");
    check_header(hdrs, 1, "__debezium.context.connectorLogicalName", "shop");
    check_header(hdrs, 2, "__debezium.context.taskId", "0");
    rd_kafka_message_destroy(msg);
    client_close(&rk, 5000);

    msg = rig_read(r, "orders", 0, 1, &rk);
    assert_non_null(msg->payload);
    assert_int_equal(msg->len, 0);
    assert_int_equal(rd_kafka_message_headers(msg, &hdrs), 0);
    assert_int_equal(rd_kafka_header_cnt(hdrs), 2);
    rd_kafka_message_destroy(msg);
    client_close(&rk, 5000);

    msg = rig_read(r, "orders", 0, 2, &rk);
    assert_null(msg->key);
    assert_int_not_equal(rd_kafka_message_headers(msg, &hdrs), 0);
    rd_kafka_message_destroy(msg);
    client_close(&rk, 5000);
}

/* Hashes as in the tests of Kafka's Java client; its default partitioner takes them modulo, without the sign. */
/* librdkafka gives the headers of a reported record back, and the next one takes them. */
static void sink_puts_the_same_context_on_every_record(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    static const struct sink_header context[] = {{"__debezium.context.connectorLogicalName", "shop"},
                                                 {"__debezium.context.taskId", "0"}};
    struct fail why;
    const struct sink_record rec = {
        .topic = "orders", .has_key = true, .key = view_of("k"), .has_context = true, .partition = 0, .opaque = r};
    set.context = context;
    set.n_context = 2;
    rig_open(r, &set, NULL);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++)
            assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
        assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    }
    for (int64_t offset = 0; offset < 6; offset++) {
        rd_kafka_headers_t *hdrs;
        rd_kafka_t *rk;
        rd_kafka_message_t *msg = rig_read(r, "orders", 0, offset, &rk);
        assert_int_equal(rd_kafka_message_headers(msg, &hdrs), 0);
        assert_int_equal(rd_kafka_header_cnt(hdrs), 2);
        check_header(hdrs, 0, "__debezium.context.connectorLogicalName", "shop");
        check_header(hdrs, 1, "__debezium.context.taskId", "0");
        rd_kafka_message_destroy(msg);
        client_close(&rk, 5000);
    }
}

/* What a partition can't be sent yet waits with us, and comes later. */
static void sink_gives_a_partition_no_more_than_two_batches(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    static uint8_t bytes[10000];
    struct fail why;
    const struct sink_record rec = {.topic = "orders",
                                    .has_value = true,
                                    .value = {bytes, sizeof bytes},
                                    .partition = SINK_ANY_PARTITION,
                                    .opaque = r};
    rig_open(r, &set, NULL);
    rig_send(r, "orders", "key", "value"); /* so that its partitions are known */
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    for (int n = 0, waits = 0; n < 1000; n++) {
        while (sink_send(r->sink, &rec, &why) == SINK_LATER) {
            assert_true(sink_counts(r->sink)->outstanding_bytes > 1000000);
            assert_true(++waits < 10000);
            rig_run(r, 1);
        }
        assert_true(sink_counts(r->sink)->outstanding_bytes <= 2 * 1000000);
    }
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(r->ok, 1001);
}

static void sink_places_keys_as_the_java_producer_does(void **state)
{
    struct rig *r = *state;
    static const struct {
        const char *key;
        int32_t hash;
    } known[] = {
        {"21", -973932308},
        {"foobar", -790332482},
        {"a-little-bit-long-string", -985981536},
        {"a-little-bit-longer-string", -1486304829},
        {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
    };
    enum { PARTITIONS = 97 };
    struct sink_settings set = rig_sink(r);
    assert_int_equal(rd_kafka_mock_topic_create(r->mock, "many", PARTITIONS, 1), 0);
    rig_open(r, &set, NULL);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        rig_send(r, "many", known[i].key, "value");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        rd_kafka_t *rk;
        rd_kafka_message_t *msg = rig_read(r, "many", (known[i].hash & 0x7fffffff) % PARTITIONS, 0, &rk);
        assert_int_equal(msg->key_len, strlen(known[i].key));
        assert_memory_equal(msg->key, known[i].key, msg->key_len);
        rd_kafka_message_destroy(msg);
        client_close(&rk, 5000);
    }
}

static void sink_close_gives_everything_back(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    set.transactional_id = "t";
    rig_open(r, &set, NULL);
    rig_send(r, "a", "key", "value");
    rig_run(r, 5000);
    rd_kafka_mock_broker_set_down(r->mock, 1);
    for (int i = 0; i < 5000; i++)
        rig_send(r, "a", "key", "value");
    rig_close(r, 3000);
    assert_int_equal(r->ok + r->not_ok, 5001);
    rd_kafka_mock_broker_set_up(r->mock, 1);
}

static void sink_waits_for_a_batch_or_for_silence_before_the_flush(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    struct fail why;
    static uint8_t large[900000];
    struct sink_record rec = {.topic = "a", .has_value = true, .value = {large, 100}, .partition = 0};
    struct sink_record elsewhere = {.topic = "b", .has_value = true, .value = {large, sizeof large}, .partition = -1};
    rig_open(r, &set, NULL);
    rd_kafka_mock_broker_set_down(r->mock, 1);
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1000), 0);
    /* without a key: where they go is not known */
    assert_int_equal(sink_send(r->sink, &elsewhere, &why), SINK_SENT);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1000), 0);
    assert_int_equal(sink_send(r->sink, &elsewhere, &why), SINK_SENT);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1000), 5);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1003), 2);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1005), 0);
    rec.value.n = sizeof large;
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_SENT);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1000), 100);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1099), 1);
    assert_int_equal(sink_drain_ms(r->sink, 1000, 1100), 0);
    rd_kafka_mock_broker_set_up(r->mock, 1);
}

static void sink_takes_no_wrong_setting(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    struct fail why;
    const struct client_setting wrong[] = {{"compression.type", "best"}};
    const struct client_setting unknown[] = {{"no.such.setting", "1"}};
    set.client.n_extra = 1;
    set.client.extra = wrong;
    assert_null(sink_open(&set, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_CONFIG);
    assert_non_null(strstr(why.text, "compression.type"));
    set.client.extra = unknown;
    assert_null(sink_open(&set, &why));
    assert_non_null(strstr(why.text, "no.such.setting"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sink_reports_each_record_once),
        TEST(sink_opens_a_transaction_with_its_first_record),
        TEST(sink_takes_nothing_while_a_commit_runs),
        TEST(sink_refuses_a_record_that_is_too_large_and_goes_on),
        TEST(sink_keeps_the_first_failed_delivery),
        TEST(sink_puts_the_key_change_before_the_context),
        TEST(sink_puts_the_same_context_on_every_record),
        TEST(sink_gives_a_partition_no_more_than_two_batches),
        TEST(sink_places_keys_as_the_java_producer_does),
        TEST(sink_close_gives_everything_back),
        TEST(sink_waits_for_a_batch_or_for_silence_before_the_flush),
        TEST(sink_takes_no_wrong_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
