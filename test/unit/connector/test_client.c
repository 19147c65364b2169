/* SPDX-License-Identifier: Apache-2.0 */
/* client: what librdkafka's errors mean to us, and how often its lines are told. */
#include "base/clock.h"
#include "connector/client.h"

#include <cmocka.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_means(rd_kafka_resp_err_t err, enum fail_kind kind, enum fail_area area, const char *hint)
{
    struct fail why;
    assert_false(client_fail(&why, err, NULL, "do %s", "something"));
    assert_int_equal(why.kind, kind);
    assert_int_equal(why.area, area);
    assert_int_equal(why.code, err);
    assert_int_equal(strncmp(why.text, "do something: ", 14), 0);
    assert_non_null(strstr(why.text, rd_kafka_err2name(err)));
    if (strstr(why.text, hint) == NULL)
        fail_msg("%s is not in: %s", hint, why.text);
    assert_int_equal(client_is_retriable(err), kind == FAIL_RETRY);
}

static void client_tells_who_has_to_act(void **state)
{
    (void)state;
    check_means(RD_KAFKA_RESP_ERR__FENCED, FAIL_STOP, FAIL_AREA_FENCED, "another instance");
    check_means(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, FAIL_STOP, FAIL_AREA_KAFKA, "DESCRIBE and WRITE");
    check_means(RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, FAIL_STOP, FAIL_AREA_KAFKA,
                "exactly.once.support=disabled");
    check_means(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, FAIL_STOP, FAIL_AREA_KAFKA, "max.message.bytes");
    check_means(RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, FAIL_STOP, FAIL_AREA_KAFKA, "create the topic");
    check_means(RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, FAIL_RETRY, FAIL_AREA_KAFKA, "");
    check_means(RD_KAFKA_RESP_ERR__TRANSPORT, FAIL_RETRY, FAIL_AREA_KAFKA, "");
    check_means(RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, FAIL_RETRY, FAIL_AREA_KAFKA, "");
    check_means(RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, FAIL_RETRY, FAIL_AREA_KAFKA, "");
}

static rd_kafka_t *open_one(void)
{
    struct fail why;
    const struct client_settings set = {.bootstrap = "127.0.0.1:1"}; /* nobody listens there */
    rd_kafka_conf_t *conf = client_conf_new(&set, &why);
    assert_non_null(conf);
    rd_kafka_t *rk = client_open(RD_KAFKA_PRODUCER, conf, &why);
    assert_non_null(rk);
    return rk;
}

static int count_lines(const char *path, const char *with)
{
    char line[2048];
    int n = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        n += strstr(line, with) != NULL;
    fclose(file);
    return n;
}

/* Runs with standard error in a file. */
static void connect_in_vain(const char *path)
{
    int saved = dup(STDERR_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    for (int i = 0; i < 5; i++) {
        const struct rd_kafka_metadata *meta;
        rd_kafka_t *rk = open_one();
        assert_int_not_equal(rd_kafka_metadata(rk, 1, NULL, &meta, 200), RD_KAFKA_RESP_ERR_NO_ERROR);
        assert_true(client_close(&rk, 5000));
        assert_null(rk);
    }
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    close(fd);
}

static void client_tells_a_repeated_line_once(void **state)
{
    (void)state;
    char path[] = "/tmp/test_client.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    connect_in_vain(path);
    assert_int_equal(count_lines(path, "Connection refused"), 1);
    assert_int_equal(count_lines(path, "warn  kafka: FAIL: "), 1);
    unlink(path);
}

static void client_close_waits_no_longer_than_told(void **state)
{
    (void)state;
    rd_kafka_t *rk = open_one();
    int64_t started_ms = clock_mono_ms();
    client_close(&rk, 0); /* goes on behind us */
    assert_true(clock_mono_ms() - started_ms < 500);
    assert_null(rk);
    assert_true(client_close(&rk, 0));
    assert_int_equal(rd_kafka_wait_destroyed(5000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(client_tells_who_has_to_act),
        cmocka_unit_test(client_tells_a_repeated_line_once),
        cmocka_unit_test(client_close_waits_no_longer_than_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
