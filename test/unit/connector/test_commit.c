/* SPDX-License-Identifier: Apache-2.0 */
/* commit: each way a transaction can end, made to happen by librdkafka's mock cluster. */
#include "base/clock.h"
#include "connector/commit.h"
#include "connector/offset_file.h"
#include "test/support/kafka_rig.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void open_transactional(struct rig *r, int timeout_ms)
{
    struct sink_settings set = rig_sink(r);
    set.transactional_id = "t";
    set.transaction_timeout_ms = timeout_ms;
    rig_open(r, &set, NULL);
}

static void keep_offset(struct rig *r, const char *value)
{
    struct fail why;
    if (!commit_keep_offset(r->committer, view_of("[\"n\",{\"server\":\"p\"}]"), true, view_of(value), &why))
        fail_msg("%s", why.text);
}

static void keep_shape(struct rig *r, const char *value)
{
    struct fail why;
    if (!commit_keep_shape(r->committer, view_of("[\"n\",{\"server\":\"p\"},\"d\",\"t\"]"), true, view_of(value), &why))
        fail_msg("%s", why.text);
}

static void commit_puts_state_into_the_transaction(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rig_send(r, "orders", "k", "v");
    keep_shape(r, "{\"versions\":[]}");
    keep_offset(r, "{\"file\":\"b.1\",\"pos\":4}");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(rig_count(r, "orders"), 1);
    assert_int_equal(rig_count(r, "shapes"), 1);
    assert_int_equal(rig_count(r, "offsets"), 1);
    assert_int_equal(r->ok, 1); /* state has no owner to be told */
}

static void commit_of_nothing_is_done_at_once(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE);
    assert_int_equal(sink_state(r->sink), SINK_READY);
}

static void commit_tries_retriable_errors_again(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rig_send(r, "orders", "k", "v");
    rig_fail_next(r, RIG_END_TXN, 3, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE);
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    rig_send(r, "orders", "k", "v");
    rig_fail_next(r, RIG_END_TXN, 1, RD_KAFKA_RESP_ERR__TRANSPORT);
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(rig_count(r, "orders"), 2);
}

static void commit_resumes_calls_that_took_longer_than_their_slice(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rd_kafka_mock_broker_push_request_error_rtts(r->mock, 1, RIG_END_TXN, 1, RD_KAFKA_RESP_ERR_NO_ERROR, 1800);
    rig_send(r, "orders", "k", "v");
    struct commit_result res = rig_commit(r);
    assert_int_equal(res.outcome, COMMIT_DONE);
    assert_true(res.took_us > 1500000);
    rd_kafka_mock_broker_push_request_error_rtts(r->mock, 1, RIG_PRODUCE, 1, RD_KAFKA_RESP_ERR_NO_ERROR, 1800);
    rig_send(r, "orders", "k", "v");
    res = rig_commit(r);
    assert_int_equal(res.outcome, COMMIT_DONE);
    assert_true(res.flush_us > 1500000);
    assert_int_equal(rig_count(r, "orders"), 2);
}

static void commit_that_is_refused_asks_for_an_abort(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rig_send(r, "orders", "k", "v");
    rig_fail_next(r, RIG_END_TXN, 1, RD_KAFKA_RESP_ERR_UNKNOWN);
    assert_int_equal(rig_commit(r).outcome, COMMIT_ABORT_NEEDED);
    assert_int_equal(sink_state(r->sink), SINK_ABORTABLE);
    commit_start(r->committer); /* asked again it says the same */
    assert_int_equal(rig_wait(r, 1000).outcome, COMMIT_ABORT_NEEDED);
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE);
    rig_send(r, "orders", "k", "v");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
}

static void commit_with_a_lost_record_says_its_topic_and_not_its_key(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rig_fail_next(r, RIG_PRODUCE, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    rig_send(r, "orders", "{\"id\":1}", "v");
    struct commit_result res = rig_commit(r);
    assert_int_equal(res.outcome, COMMIT_STOP);
    assert_int_equal(res.why.area, FAIL_AREA_KAFKA);
    assert_non_null(strstr(res.why.text, "orders"));
    assert_null(strstr(res.why.text, "{\"id\":1}"));
    assert_int_equal(sink_state(r->sink), SINK_ABORTABLE);
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE); /* so that nobody has to wait for its timeout */
}

static void commit_after_a_failure_that_no_report_told_asks_for_an_abort(void **state)
{
    struct rig *r = *state;
    struct fail why;
    open_transactional(r, 0);
    rig_fail_next(r, RIG_ADD_PARTITIONS, 1, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING);
    rig_send(r, "orders", "k", "v");
    usleep(300000); /* the transaction fails, and nobody looks */
    const struct sink_record rec = {.topic = "orders", .partition = SINK_ANY_PARTITION};
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_LATER);
    assert_int_equal(sink_state(r->sink), SINK_ABORTABLE);
    assert_true(sink_failure(r->sink, &why));
    assert_int_equal(why.kind, FAIL_RETRY);
    keep_offset(r, "{}"); /* is no failure by itself */
    assert_int_equal(rig_commit(r).outcome, COMMIT_ABORT_NEEDED);
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE);
    assert_int_equal(r->not_ok, 1);
    rig_send(r, "orders", "k", "v");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
}

/* The commit and a record that comes too late are both told of the right that is missing, and the abort is still to be done. */
static void commit_without_a_right_on_a_topic_stops(void **state)
{
    for (int is_late = 0; is_late < 2; is_late++) {
        struct rig *r = *state;
        struct fail why;
        open_transactional(r, 0);
        rig_fail_next(r, RIG_ADD_PARTITIONS, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
        rig_send(r, "orders", "k", "v");
        if (is_late) {
            const struct sink_record rec = {.topic = "orders", .partition = SINK_ANY_PARTITION};
            usleep(300000); /* the transaction fails, and nobody looks */
            assert_int_equal(sink_send(r->sink, &rec, &why), SINK_FAILED);
            assert_int_equal(why.code, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
        }
        struct commit_result res = rig_commit(r);
        assert_int_equal(res.outcome, COMMIT_STOP);
        assert_int_equal(res.why.code, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
        assert_int_equal(res.why.area, FAIL_AREA_KAFKA);
        assert_int_equal(sink_state(r->sink), SINK_ABORTABLE);
        assert_int_equal(rig_abort(r).outcome, COMMIT_DONE);
        rig_close(r, 5000);
    }
}

static void commit_of_a_fenced_producer_stops(void **state)
{
    struct rig *r = *state;
    struct fail why;
    open_transactional(r, 0);
    rig_send(r, "orders", "k", "v");
    rig_fail_next(r, RIG_END_TXN, 1, RD_KAFKA_RESP_ERR_PRODUCER_FENCED);
    struct commit_result res = rig_commit(r);
    assert_int_equal(res.outcome, COMMIT_STOP);
    assert_int_equal(res.why.area, FAIL_AREA_FENCED);
    assert_int_equal(sink_state(r->sink), SINK_DEAD);
    struct sink_record rec = {.topic = "orders", .partition = SINK_ANY_PARTITION};
    assert_int_equal(sink_send(r->sink, &rec, &why), SINK_FAILED);
    assert_int_equal(why.area, FAIL_AREA_FENCED);
    assert_int_equal(rig_commit(r).outcome, COMMIT_STOP);
    assert_int_equal(rig_abort(r).outcome, COMMIT_STOP);
}

static void commit_of_an_overdue_transaction_asks_for_a_new_producer(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 1000);
    rig_send(r, "orders", "k", "v");
    rig_run(r, 5000);
    usleep(1100000);
    rig_fail_next(r, RIG_END_TXN, 1, RD_KAFKA_RESP_ERR_PRODUCER_FENCED);
    struct commit_result res = rig_commit(r);
    assert_int_equal(res.outcome, COMMIT_RENEW);
    assert_int_equal(res.why.kind, FAIL_RETRY);
    assert_non_null(strstr(res.why.text, "timeout of 1000 ms"));
    assert_int_equal(sink_state(r->sink), SINK_DEAD);
    rig_close(r, 3000);
    open_transactional(r, 1000);
    rig_send(r, "orders", "k", "v");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
}

static void abort_gives_everything_back(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rd_kafka_mock_broker_set_rtt(r->mock, 1, 200);
    for (int i = 0; i < 3000; i++)
        rig_send(r, "orders", "k", "v");
    keep_offset(r, "{}");
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE);
    assert_int_equal(r->ok + r->not_ok, 3000);
    assert_int_equal(sink_counts(r->sink)->outstanding, 0);
    assert_int_equal(sink_counts(r->sink)->failed, 0); /* purged is not failed */
    assert_int_equal(sink_state(r->sink), SINK_READY);
}

static void check_refused(struct rig *r, rd_kafka_resp_err_t err, enum commit_outcome expected)
{
    struct sink_settings set = rig_sink(r);
    set.transactional_id = "t";
    rig_open_only(r, &set, NULL);
    rig_fail_next(r, RIG_INIT_PRODUCER_ID, 1, err);
    commit_start_init(r->committer);
    struct commit_result res = rig_wait(r, 10000);
    if (res.outcome != expected)
        fail_msg("%s: outcome %d: %s", rd_kafka_err2name(err), (int)res.outcome, res.why.text);
    rig_close(r, 3000);
}

static void init_tells_a_refusal_from_bad_weather(void **state)
{
    struct rig *r = *state;
    check_refused(r, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, COMMIT_REFUSED);
    check_refused(r, RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, COMMIT_REFUSED);
    check_refused(r, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, COMMIT_DONE);
    check_refused(r, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, COMMIT_DONE);
    check_refused(r, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, COMMIT_DONE);
    check_refused(r, RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, COMMIT_STOP);
}

/* Everything is to be closed within 5 s, whatever the job was. */
static void check_stops(struct rig *r)
{
    int64_t started_ms = clock_mono_ms();
    commit_stop(r->committer);
    struct commit_result res = rig_wait(r, 2000);
    assert_int_equal(res.outcome, COMMIT_INTERRUPTED);
    assert_int_equal(sink_state(r->sink), SINK_DEAD);
    rig_close(r, 3000);
    assert_true(clock_mono_ms() - started_ms < 4000);
}

static void commit_stops_in_time_when_kafka_is_dead(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rig_send(r, "orders", "k", "v");
    rig_run(r, 5000);
    rd_kafka_mock_broker_set_down(r->mock, 1);
    for (int i = 0; i < 3000; i++)
        rig_send(r, "orders", "k", "v");
    commit_start(r->committer);
    usleep(300000);
    check_stops(r);
    assert_int_equal(r->ok + r->not_ok, 3001);
    rd_kafka_mock_broker_set_up(r->mock, 1);
}

static void end_stops_in_time_when_kafka_dies_before_its_answer(void **state)
{
    struct rig *r = *state;
    open_transactional(r, 0);
    rig_send(r, "orders", "k", "v");
    rd_kafka_mock_broker_push_request_error_rtts(r->mock, 1, RIG_END_TXN, 1, RD_KAFKA_RESP_ERR_NO_ERROR, 60000);
    commit_start(r->committer);
    rig_run(r, 2000);
    usleep(300000);
    check_stops(r);
}

static void init_stops_in_time_when_kafka_is_dead(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    set.transactional_id = "t";
    rd_kafka_mock_broker_set_down(r->mock, 1);
    rig_open_only(r, &set, NULL);
    commit_start_init(r->committer);
    usleep(1200000);
    check_stops(r);
    rd_kafka_mock_broker_set_up(r->mock, 1);
}

static void commit_without_transactions_stores_the_offset_behind_the_records(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    rig_open(r, &set, NULL);
    rig_send(r, "orders", "k", "v");
    keep_offset(r, "{\"file\":\"b.1\",\"pos\":4}");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(rig_count(r, "offsets"), 1);
    rig_fail_next(r, RIG_PRODUCE, 1, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    rig_send(r, "orders", "k", "v");
    keep_offset(r, "{\"file\":\"b.1\",\"pos\":5}");
    struct commit_result res = rig_commit(r);
    assert_int_equal(res.outcome, COMMIT_STOP);
    assert_int_equal(rig_count(r, "offsets"), 1);
}

static void commit_without_transactions_waits_for_a_broker_that_is_away(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    rig_open(r, &set, NULL);
    rd_kafka_mock_broker_set_down(r->mock, 1);
    rig_send(r, "orders", "k", "v");
    keep_offset(r, "{\"file\":\"b.1\",\"pos\":4}");
    commit_start(r->committer);
    usleep(1500000);
    struct commit_result res;
    assert_false(commit_service(r->committer, &res));
    rd_kafka_mock_broker_set_up(r->mock, 1);
    assert_int_equal(rig_wait(r, 20000).outcome, COMMIT_DONE);
    assert_int_equal(rig_count(r, "orders"), 1);
    assert_int_equal(rig_count(r, "offsets"), 1);
}

static bool count_record(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    (void)key, (void)has_value, (void)value, (void)why;
    ++*(int *)ctx;
    return true;
}

static void commit_writes_the_file_behind_the_records(void **state)
{
    struct rig *r = *state;
    struct sink_settings set = rig_sink(r);
    struct fail why;
    int n = 0;
    char folder[] = "/tmp/test_commit.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/offsets", folder);
    struct offset_file *file = offset_file_open(path, &why);
    assert_non_null(file);
    rig_open(r, &set, file);
    rig_send(r, "orders", "k", "v");
    keep_shape(r, "{\"versions\":[]}");
    keep_offset(r, "{\"file\":\"b.1\",\"pos\":4}");
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    assert_int_equal(r->ok, 1);
    rig_send(r, "orders", "k", "v");
    keep_offset(r, "{\"file\":\"b.1\",\"pos\":5}");
    assert_int_equal(rig_abort(r).outcome, COMMIT_DONE); /* forgets what was kept */
    assert_int_equal(rig_commit(r).outcome, COMMIT_DONE);
    rig_close(r, 3000);
    offset_file_close(&file);
    file = offset_file_open(path, &why);
    assert_non_null(file);
    assert_true(offset_file_load(file, OFFSET_FILE_SHAPES, count_record, &n, &why));
    assert_int_equal(n, 1);
    offset_file_close(&file);
    char command[256];
    snprintf(command, sizeof command, "grep -qx '{\"key\":.*,\"value\":{\"file\":\"b.1\",\"pos\":4}}' %s && rm -r %s",
             path, folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(commit_puts_state_into_the_transaction),
        TEST(commit_of_nothing_is_done_at_once),
        TEST(commit_tries_retriable_errors_again),
        TEST(commit_resumes_calls_that_took_longer_than_their_slice),
        TEST(commit_that_is_refused_asks_for_an_abort),
        TEST(commit_with_a_lost_record_says_its_topic_and_not_its_key),
        TEST(commit_after_a_failure_that_no_report_told_asks_for_an_abort),
        TEST(commit_without_a_right_on_a_topic_stops),
        TEST(commit_of_a_fenced_producer_stops),
        TEST(commit_of_an_overdue_transaction_asks_for_a_new_producer),
        TEST(abort_gives_everything_back),
        TEST(init_tells_a_refusal_from_bad_weather),
        TEST(commit_stops_in_time_when_kafka_is_dead),
        TEST(end_stops_in_time_when_kafka_dies_before_its_answer),
        TEST(init_stops_in_time_when_kafka_is_dead),
        TEST(commit_without_transactions_stores_the_offset_behind_the_records),
        TEST(commit_without_transactions_waits_for_a_broker_that_is_away),
        TEST(commit_writes_the_file_behind_the_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
