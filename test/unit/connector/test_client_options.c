/* SPDX-License-Identifier: Apache-2.0 */
/* Java's client settings: what librdkafka gets for them, and what is refused with the key that was written. */
#include "connector/client_options.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct outcome {
    struct arena memory;
    struct client_settings common, own;
    struct config_notes notes;
    bool ok;
};

/* Names and values in turn, NULL behind the last. */
static void translate(struct outcome *o, enum client_role role, const char *const *pairs)
{
    struct client_given given[20];
    size_t n = 0;
    *o = (struct outcome){0};
    arena_init(&o->memory);
    for (; pairs[2 * n] != NULL; n++)
        given[n] = (struct client_given){pairs[2 * n], pairs[2 * n + 1], pairs[2 * n], (unsigned)n + 1};
    o->ok = client_options_translate(given, n, role, &o->memory, &o->common, &o->own, &o->notes);
}

static void fini(struct outcome *o)
{
    arena_fini(&o->memory);
    config_notes_fini(&o->notes);
}

static const char *get(const struct client_settings *set, const char *name)
{
    for (size_t i = 0; i < set->n_extra; i++)
        if (strcmp(set->extra[i].name, name) == 0)
            return set->extra[i].value;
    return NULL;
}

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL, NULL})

static void check_refused(const char *const *pairs, const char *reason)
{
    struct outcome o;
    translate(&o, CLIENT_ROLE_PRODUCER, pairs);
    assert_false(o.ok);
    if (config_notes_first(&o.notes, LOG_ERROR) == NULL ||
        strstr(config_notes_first(&o.notes, LOG_ERROR), reason) == NULL)
        fail_msg("'%s' should say '%s'", config_notes_first(&o.notes, LOG_ERROR), reason);
    fini(&o);
}

static void login_line_gives_user_and_password_to_all_clients(void **state)
{
    (void)state;
    struct outcome o;
    translate(&o, CLIENT_ROLE_PRODUCER,
              PAIRS("security.protocol", "SASL_SSL", "sasl.mechanism", "SCRAM-SHA-512", "sasl.jaas.config",
                    "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"shop\" "
                    "password=\"pw9\\\"x\";"));
    assert_true(o.ok);
    assert_string_equal(get(&o.common, "security.protocol"), "SASL_SSL");
    assert_string_equal(get(&o.common, "sasl.mechanisms"), "SCRAM-SHA-512");
    assert_string_equal(get(&o.common, "sasl.username"), "shop");
    assert_string_equal(get(&o.common, "sasl.password"), "pw9\"x");
    assert_string_equal(get(&o.own, "sasl.password"), "pw9\"x");
    fini(&o);
}

static void token_endpoint_is_asked_by_librdkafka_itself(void **state)
{
    (void)state;
    struct outcome o;
    translate(&o, CLIENT_ROLE_PRODUCER,
              PAIRS("sasl.mechanism", "OAUTHBEARER", "sasl.oauthbearer.token.endpoint.url", "https://id/token",
                    "sasl.login.callback.handler.class",
                    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler", "sasl.jaas.config",
                    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId=\"a\" "
                    "clientSecret=\"geheim\" scope=\"s\";"));
    assert_true(o.ok);
    assert_string_equal(get(&o.common, "sasl.oauthbearer.method"), "oidc");
    assert_string_equal(get(&o.common, "sasl.oauthbearer.client.id"), "a");
    assert_string_equal(get(&o.common, "sasl.oauthbearer.client.secret"), "geheim");
    assert_string_equal(get(&o.common, "sasl.oauthbearer.scope"), "s");
    fini(&o);
    check_refused(PAIRS("sasl.mechanism", "OAUTHBEARER"), "needs sasl.oauthbearer.token.endpoint.url");
}

static void producer_settings_are_not_for_other_clients(void **state)
{
    (void)state;
    struct outcome o;
    translate(&o, CLIENT_ROLE_PRODUCER,
              PAIRS("compression.type", "zstd", "compression.zstd.level", "7", "compression.gzip.level", "2", "retries",
                    "2147483647", "client.id", "me", "send.buffer.bytes", "-1", "receive.buffer.bytes", "70000",
                    "auto.offset.reset", "earliest"));
    assert_true(o.ok);
    assert_string_equal(get(&o.own, "compression.type"), "zstd");
    assert_string_equal(get(&o.own, "compression.level"), "7");
    assert_string_equal(get(&o.own, "retries"), "2147483647");
    assert_null(get(&o.common, "compression.type"));
    assert_null(get(&o.own, "auto.offset.reset"));
    assert_null(get(&o.own, "socket.send.buffer.bytes"));
    assert_string_equal(get(&o.common, "socket.receive.buffer.bytes"), "70000");
    assert_string_equal(o.common.client_id, "me");
    assert_string_equal(o.own.client_id, "me");
    fini(&o);
}

static void consumer_settings_are_for_the_consumer(void **state)
{
    (void)state;
    struct outcome o;
    translate(&o, CLIENT_ROLE_CONSUMER,
              PAIRS("auto.offset.reset", "earliest", "fetch.max.wait.ms", "50", "compression.type", "lz4"));
    assert_true(o.ok);
    assert_string_equal(get(&o.own, "auto.offset.reset"), "earliest");
    assert_string_equal(get(&o.own, "fetch.wait.max.ms"), "50");
    assert_int_equal(o.own.n_extra, 2);
    fini(&o);
}

static void stores_in_every_form_become_paths_of_pem(void **state)
{
    (void)state;
    struct outcome o;
    translate(&o, CLIENT_ROLE_PRODUCER,
              PAIRS("ssl.truststore.location", "test/data/keystore/authority.p12", "ssl.truststore.password",
                    "changeit", "ssl.truststore.type", "PKCS12", "ssl.keystore.location",
                    "test/data/keystore/client.p12", "ssl.keystore.password", "changeit",
                    "ssl.endpoint.identification.algorithm", ""));
    assert_true(o.ok);
    assert_non_null(strstr(get(&o.common, "ssl.ca.location"), "/proc/self/fd/"));
    assert_non_null(strstr(get(&o.common, "ssl.certificate.location"), "/proc/self/fd/"));
    assert_non_null(strstr(get(&o.common, "ssl.key.location"), "/proc/self/fd/"));
    assert_string_equal(get(&o.common, "ssl.endpoint.identification.algorithm"), "none");
    struct fail why = {0};
    o.common.bootstrap = "localhost:1";
    rd_kafka_conf_t *conf = client_conf_new(&o.common, &why);
    assert_non_null(conf);
    assert_true(client_conf_set(conf, "security.protocol", "ssl", &why));
    rd_kafka_t *rk = client_open(RD_KAFKA_PRODUCER, conf, &why); /* reads the certificates */
    if (rk == NULL)
        fail_msg("%s", why.text);
    assert_true(client_close(&rk, 5000));
    fini(&o);
}

static void stores_that_cannot_be_read_are_told_with_their_key(void **state)
{
    (void)state;
    check_refused(
        PAIRS("ssl.truststore.location", "test/data/keystore/authority.jks"),
        "ssl.truststore.location (line 1): read certificates from test/data/keystore/authority.jks: a Java keystore");
    check_refused(PAIRS("ssl.keystore.location", "test/data/keystore/client.p12", "ssl.keystore.password", "geheim"),
                  "the password is wrong");
}

static void java_classes_are_refused(void **state)
{
    (void)state;
    check_refused(PAIRS("partitioner.class", "com.example.P"), "partitioner.class (line 1): It names a Java class");
    check_refused(PAIRS("interceptor.classes", "com.example.I"), "Java class");
    check_refused(PAIRS("sasl.login.callback.handler.class", "com.example.H"), "Java class");
    check_refused(PAIRS("sasl.mechanism", "AWS_MSK_IAM"), "sasl.mechanism (line 1): it needs a Java class");
    check_refused(PAIRS("sasl.jaas.config", "software.amazon.msk.auth.iam.IAMLoginModule required;"),
                  "others are Java classes");
    check_refused(PAIRS("sasl.jaas.config", "a.PlainLoginModule required username=\"x\";"), "needs username");
}

static void wrong_value_is_told_by_librdkafka_with_the_key_written(void **state)
{
    (void)state;
    check_refused(PAIRS("compression.type", "rar"), "compression.type (line 1): ");
    check_refused(PAIRS("client.rack", "r", "security.protocol", "TLS"), "security.protocol (line 2): ");
    check_refused(PAIRS("retries", "-5"), "retries (line 1): ");
}

static void what_is_not_applied_is_told_by_reason(void **state)
{
    (void)state;
    struct outcome o;
    translate(
        &o, CLIENT_ROLE_PRODUCER,
        PAIRS("linger.ms", "5", "acks", "1", "batch.size", "1", "enable.idempotence", "false", "key.serializer", "x"));
    assert_true(o.ok);
    assert_int_equal(o.own.n_extra, 0);
    assert_int_equal(o.notes.n, 2);
    assert_non_null(strstr(o.notes.items[0].text, "not applied: linger.ms, batch.size: "));
    assert_non_null(strstr(o.notes.items[1].text, "not applied: acks, enable.idempotence: "));
    fini(&o);
}

static void names_are_known_or_not(void **state)
{
    (void)state;
    assert_true(client_options_know("security.protocol"));
    assert_true(client_options_know("metrics.num.samples"));
    assert_false(client_options_know("security.protokoll"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(login_line_gives_user_and_password_to_all_clients),
        cmocka_unit_test(token_endpoint_is_asked_by_librdkafka_itself),
        cmocka_unit_test(producer_settings_are_not_for_other_clients),
        cmocka_unit_test(consumer_settings_are_for_the_consumer),
        cmocka_unit_test(stores_in_every_form_become_paths_of_pem),
        cmocka_unit_test(stores_that_cannot_be_read_are_told_with_their_key),
        cmocka_unit_test(java_classes_are_refused),
        cmocka_unit_test(wrong_value_is_told_by_librdkafka_with_the_key_written),
        cmocka_unit_test(what_is_not_applied_is_told_by_reason),
        cmocka_unit_test(names_are_known_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
