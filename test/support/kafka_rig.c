/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/kafka_rig.h"

#include "base/clock.h"

#include <cmocka.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool ok, const struct fail *why)
{
    if (!ok)
        fail_msg("%s", why->text);
}

static rd_kafka_t *client_of(struct rig *r, rd_kafka_type_t type)
{
    struct fail why;
    struct client_settings set = {.bootstrap = r->bootstrap};
    rd_kafka_conf_t *conf = client_conf_new(&set, &why);
    must(conf != NULL, &why);
    rd_kafka_t *rk = client_open(type, conf, &why);
    must(rk != NULL, &why);
    return rk;
}

static void start(struct rig *r)
{
    static const char *const single[] = {"a", "b", "orders", "offsets", "shapes"};
    struct fail why;
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    must(client_conf_set(conf, "test.mock.num.brokers", "1", &why), &why);
    must(client_conf_set(conf, "log_level", "2", &why), &why);
    r->owner = client_open(RD_KAFKA_PRODUCER, conf, &why);
    must(r->owner != NULL, &why);
    r->mock = rd_kafka_handle_mock_cluster(r->owner);
    assert_non_null(r->mock);
    snprintf(r->bootstrap, sizeof r->bootstrap, "%s", rd_kafka_mock_cluster_bootstraps(r->mock));
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        assert_int_equal(rd_kafka_mock_topic_create(r->mock, single[i], 1, 1), 0);
}

int rig_set_up(void **state)
{
    struct rig *r = mem_zero(1, sizeof *r);
    start(r);
    *state = r;
    return 0;
}

int rig_tear_down(void **state)
{
    struct rig *r = *state;
    if (r->sink != NULL)
        rig_close(r, 5000);
    assert_true(client_close(&r->owner, 10000));
    free(r);
    return 0;
}

static void on_delivered(void *ctx, void *opaque, bool ok)
{
    struct rig *r = ctx;
    assert_ptr_equal(opaque, r);
    if (ok)
        r->ok++;
    else
        r->not_ok++;
}

struct sink_settings rig_sink(struct rig *r)
{
    return (struct sink_settings){
        .client = {.bootstrap = r->bootstrap, .client_id = "rig"},
        .pool_bytes = 16 << 20,
        .on_delivered = on_delivered,
        .ctx = r,
    };
}

void rig_open_only(struct rig *r, const struct sink_settings *set, struct offset_file *file)
{
    struct fail why;
    const struct commit_settings commit = {
        .offsets_topic = file == NULL ? "offsets" : NULL,
        .shapes_topic = file == NULL ? "shapes" : NULL,
        .file = file,
    };
    r->sink = sink_open(set, &why);
    must(r->sink != NULL, &why);
    r->committer = commit_open(r->sink, &commit, &why);
    must(r->committer != NULL, &why);
}

void rig_open(struct rig *r, const struct sink_settings *set, struct offset_file *file)
{
    rig_open_only(r, set, file);
    commit_start_init(r->committer);
    struct commit_result res = rig_wait(r, 10000);
    assert_int_equal(res.job, COMMIT_INIT);
    if (res.outcome != COMMIT_DONE)
        fail_msg("%s", res.why.text);
    assert_int_equal(sink_state(r->sink), SINK_READY);
}

void rig_close(struct rig *r, int timeout_ms)
{
    int64_t started_ms = clock_mono_ms();
    assert_true(commit_close(&r->committer, timeout_ms));
    assert_true(sink_close(&r->sink, timeout_ms));
    int64_t took_ms = clock_mono_ms() - started_ms;
    if (took_ms > timeout_ms)
        fail_msg("closing took %lld ms", (long long)took_ms);
}

void rig_send(struct rig *r, const char *topic, const char *key, const char *value)
{
    struct fail why;
    const struct sink_record rec = {
        .topic = topic,
        .has_key = true,
        .has_value = value != NULL,
        .key = view_of(key),
        .value = view_of(value),
        .partition = SINK_ANY_PARTITION,
        .opaque = r,
    };
    enum sink_sent sent = sink_send(r->sink, &rec, &why);
    if (sent != SINK_SENT)
        fail_msg("not sent: %s", sent == SINK_LATER ? "later" : why.text);
}

static void wait_news(struct rig *r, int ms)
{
    struct pollfd fds[] = {{sink_fd(r->sink), POLLIN, 0}, {commit_fd(r->committer), POLLIN, 0}};
    poll(fds, 2, ms);
    sink_service(r->sink);
}

struct commit_result rig_wait(struct rig *r, int timeout_ms)
{
    struct commit_result res;
    int64_t end_ms = clock_mono_ms() + timeout_ms;
    while (!commit_service(r->committer, &res)) {
        if (clock_mono_ms() > end_ms)
            fail_msg("the job did not end in %d ms", timeout_ms);
        wait_news(r, 100);
    }
    assert_false(commit_is_busy(r->committer));
    return res;
}

struct commit_result rig_commit(struct rig *r)
{
    commit_start(r->committer);
    return rig_wait(r, 20000);
}

struct commit_result rig_abort(struct rig *r)
{
    commit_start_abort(r->committer);
    return rig_wait(r, 20000);
}

void rig_run(struct rig *r, int ms)
{
    int64_t end_ms = clock_mono_ms() + ms;
    while (sink_counts(r->sink)->outstanding > 0 && clock_mono_ms() < end_ms)
        wait_news(r, 10);
}

void rig_fail_next(struct rig *r, int api, int n, rd_kafka_resp_err_t err)
{
    rd_kafka_resp_err_t errs[16];
    assert_true(n <= 16);
    for (int i = 0; i < n; i++)
        errs[i] = err;
    rd_kafka_mock_push_request_errors_array(r->mock, (int16_t)api, (size_t)n, errs);
}

int rig_count(struct rig *r, const char *topic)
{
    int64_t low = 0, high = 0;
    rd_kafka_t *rk = client_of(r, RD_KAFKA_PRODUCER);
    rd_kafka_resp_err_t err = rd_kafka_query_watermark_offsets(rk, topic, 0, &low, &high, 5000);
    assert_true(client_close(&rk, 5000));
    assert_int_equal(err, RD_KAFKA_RESP_ERR_NO_ERROR);
    return (int)(high - low);
}

rd_kafka_message_t *rig_read(struct rig *r, const char *topic, int32_t partition, int64_t offset, rd_kafka_t **rk)
{
    *rk = client_of(r, RD_KAFKA_CONSUMER);
    rd_kafka_topic_t *rkt = rd_kafka_topic_new(*rk, topic, NULL);
    assert_int_equal(rd_kafka_consume_start(rkt, partition, offset), 0);
    rd_kafka_message_t *msg = rd_kafka_consume(rkt, partition, 5000);
    if (msg == NULL || msg->err != RD_KAFKA_RESP_ERR_NO_ERROR)
        fail_msg("%s/%d has no record at %lld: %s", topic, partition, (long long)offset,
                 msg == NULL ? "timeout" : rd_kafka_message_errstr(msg));
    rd_kafka_consume_stop(rkt, partition);
    rd_kafka_topic_destroy(rkt);
    return msg;
}
