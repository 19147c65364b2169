/* SPDX-License-Identifier: Apache-2.0 */
/* Whole configurations: what users have, in each form, gives what the parts of a run expect. */
#include "connector/config.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRED              \
    "topic.prefix=shop\n"     \
    "snapshot.mode=no_data\n" \
    "database.hostname=db1\n" \
    "database.user=cdc\n"     \
    "database.server.id=5401\n"
#define BASE REQUIRED "bootstrap.servers=k1:9092\n"

static struct config_notes notes;

static struct config *read_text(const char *text)
{
    config_notes_fini(&notes);
    return config_read(view_of(text), "test.properties", &notes);
}

static bool said(enum log_level level, const char *word)
{
    for (size_t i = 0; i < notes.n; i++)
        if (notes.items[i].level == level && strstr(notes.items[i].text, word) != NULL)
            return true;
    return false;
}

static void check_said(enum log_level level, const char *word)
{
    if (said(level, word))
        return;
    for (size_t i = 0; i < notes.n; i++)
        print_message("note: %s\n", notes.items[i].text);
    fail_msg("nothing says '%s'", word);
}

static struct config *accepted(const char *text)
{
    struct config *cfg = read_text(text);
    if (cfg == NULL)
        fail_msg("refused: %s", config_notes_first(&notes, LOG_ERROR));
    return cfg;
}

static void check_refused(const char *text, const char *reason)
{
    struct config *cfg = read_text(text);
    assert_null(cfg);
    check_said(LOG_ERROR, reason);
}

/* ---- defaults and forms ---- */

static void least_file_gives_all_defaults(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE);
    assert_int_equal(notes.n, 0);
    assert_string_equal(cfg->name, "shop");
    assert_string_equal(cfg->path, "test.properties");
    assert_string_equal(cfg->source.host, "db1");
    assert_int_equal(cfg->source.port, 3306);
    assert_string_equal(cfg->source.user, "cdc");
    assert_null(cfg->source.password);
    assert_int_equal(cfg->source.server_id, 5401);
    assert_int_equal(cfg->source.tls, SOURCE_TLS_PREFERRED);
    assert_int_equal(cfg->source.connect_timeout_ms, 30000);
    assert_int_equal(cfg->source.heartbeat_ms, 5000);
    assert_int_equal(cfg->source.silence_ms, 60000);
    assert_int_equal(cfg->source.query_timeout_ms, 600000);
    assert_string_equal(cfg->source.name, "shop");
    assert_int_equal(cfg->source.n_initial_statements, 0);

    assert_string_equal(cfg->record.topic_prefix, "shop");
    assert_string_equal(cfg->record.topic_delimiter, ".");
    assert_string_equal(cfg->record.source_version, "3.6.1.Final");
    assert_string_equal(cfg->record.task_id, "0");
    assert_int_equal(strlen(cfg->record.run_id), 36);
    assert_true(cfg->record.key_schemas && cfg->record.value_schemas);
    assert_true(cfg->record.key_null_default && cfg->record.value_null_default);
    assert_true(cfg->record.tombstones && cfg->record.headers && cfg->record.time_adjuster &&
                cfg->record.schema_changes);
    assert_false(cfg->record.include_query || cfg->record.schema_comments || cfg->record.skip_unchanged);
    assert_int_equal(cfg->record.skipped_ops, SKIP_T);
    assert_int_equal(cfg->record.decimal_mode, DECIMAL_PRECISE);
    assert_int_equal(cfg->record.bigint_mode, BIGINT_LONG);
    assert_int_equal(cfg->record.time_mode, TIME_ADAPTIVE_MICROS);
    assert_int_equal(cfg->record.binary_mode, BINARY_BYTES);
    assert_int_equal(cfg->record.converting_failure, FAILURE_WARN);
    assert_null(cfg->record.key_columns);
    assert_int_equal(cfg->processing_failure, FAILURE_FAIL);
    assert_int_equal(cfg->inconsistent_schema, FAILURE_FAIL);

    assert_string_equal(cfg->kafka.client.bootstrap, "k1:9092");
    assert_string_equal(cfg->kafka.producer.bootstrap, "k1:9092");
    assert_string_equal(cfg->kafka.signals.bootstrap, "k1:9092");
    assert_string_equal(cfg->kafka.transactional_id, "tidemark-shop");
    assert_int_equal(cfg->kafka.transaction_timeout_ms, 60000);
    assert_int_equal(cfg->kafka.message_max_bytes, 1048576);
    assert_int_equal(cfg->kafka.exactly_once, EXACTLY_ONCE_REQUESTED);
    assert_int_equal(cfg->kafka.storage, OFFSET_STORAGE_KAFKA);
    assert_string_equal(cfg->kafka.offsets_topic, "tidemark-offsets");
    assert_string_equal(cfg->kafka.shapes_topic, "tidemark-offsets-shapes");
    assert_null(cfg->kafka.offsets_file);
    assert_int_equal(cfg->kafka.state_replication, -1);
    assert_int_equal(cfg->queue_bytes, 32 << 20);
    assert_int_equal(cfg->commit_interval_ms, 100);
    assert_int_equal(cfg->commit_dry_ms, 0);
    assert_int_equal(cfg->commit_pause_ms, 5);
    assert_int_equal(cfg->position_interval_ms, 10000);
    assert_int_equal(cfg->log_level, LOG_INFO);
    assert_int_equal(cfg->log_as_json, 0);
    config_free(&cfg);
    assert_null(cfg);
}

static void values_reach_their_members(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE "name=n\n"
                                       "database.port=3307\n"
                                       "database.password=pw123\n"
                                       "database.ssl.mode=Required\n"
                                       "connect.keep.alive.interval.ms=5000\n"
                                       "database.initial.statements=SET a=1; SET b=';;' ;;\n"
                                       "tombstones.on.delete= FALSE\n"
                                       "skipped.operations=c, u,D\n"
                                       "decimal.handling.mode=string\n"
                                       "time.precision.mode=connect\n"
                                       "binary.handling.mode=base64-url-safe\n"
                                       "event.processing.failure.handling.mode=ignore\n"
                                       "key.converter.schemas.enable=false\n"
                                       "value.converter=org.apache.kafka.connect.json.JsonConverter\n"
                                       "max.queue.size.in.bytes=1000\n"
                                       "offset.storage.topic=offs\n"
                                       "exactly.once.support=required\n"
                                       "producer.override.max.request.size=20000000\n"
                                       "tidemark.log.level=debug\n"
                                       "tidemark.log.format=json\n");
    assert_string_equal(cfg->name, "n");
    assert_string_equal(cfg->kafka.transactional_id, "tidemark-n");
    assert_int_equal(cfg->source.port, 3307);
    assert_string_equal(cfg->source.password, "pw123");
    assert_int_equal(cfg->source.tls, SOURCE_TLS_REQUIRED);
    assert_int_equal(cfg->source.heartbeat_ms, 501);
    assert_int_equal(cfg->source.n_initial_statements, 2);
    assert_string_equal(cfg->source.initial_statements[0], "SET a=1");
    assert_string_equal(cfg->source.initial_statements[1], " SET b=';' ;");
    assert_false(cfg->record.tombstones);
    assert_int_equal(cfg->record.skipped_ops, SKIP_C | SKIP_U | SKIP_D);
    assert_int_equal(cfg->record.decimal_mode, DECIMAL_STRING);
    assert_int_equal(cfg->record.time_mode, TIME_CONNECT);
    assert_int_equal(cfg->record.binary_mode, BINARY_BASE64_URL_SAFE);
    assert_int_equal(cfg->processing_failure, FAILURE_SKIP);
    assert_false(cfg->record.key_schemas);
    assert_true(cfg->record.value_schemas);
    assert_int_equal(cfg->queue_bytes, 1000);
    assert_string_equal(cfg->kafka.shapes_topic, "offs-shapes");
    assert_int_equal(cfg->kafka.exactly_once, EXACTLY_ONCE_REQUIRED);
    assert_int_equal(cfg->kafka.message_max_bytes, 20000000);
    assert_int_equal(cfg->log_level, LOG_DEBUG);
    assert_int_equal(cfg->log_as_json, 1);
    config_free(&cfg);
}

static void connect_json_reads_as_the_same(void **state)
{
    (void)state;
    struct config *cfg =
        accepted("{\"name\": \"shop-cdc\", \"config\": {\n"
                 " \"connector.class\": \"io.debezium.connector.mysql.MySqlConnector\",\n"
                 " \"tasks.max\": 1,\n"
                 " \"topic.prefix\": \"shop\", \"snapshot.mode\": \"no_data\",\n"
                 " \"database.hostname\": \"db1\", \"database.port\": 3307, \"database.user\": \"cdc\",\n"
                 " \"database.server.id\": \"4294967295\",\n"
                 " \"table.include.list\": \"shop\\\\.(orders|items_[0-9]{2\\\\,4})\",\n"
                 " \"schema.history.internal.kafka.bootstrap.servers\": \"k1:9092\",\n"
                 " \"schema.history.internal.kafka.topic\": \"h\"}}");
    assert_string_equal(cfg->name, "shop-cdc");
    assert_int_equal(cfg->source.port, 3307);
    assert_int_equal(cfg->source.server_id, 4294967295u);
    assert_true(filter_has_table(&cfg->filter, view_of("shop"), view_of("items_123")));
    assert_false(filter_has_table(&cfg->filter, view_of("shop"), view_of("items_1")));
    assert_string_equal(cfg->kafka.client.bootstrap, "k1:9092");
    check_said(LOG_INFO, "brokers are taken from schema.history.internal.kafka.bootstrap.servers: k1:9092");
    config_free(&cfg);
}

static void debezium_server_form_loses_its_prefixes(void **state)
{
    (void)state;
    struct config *cfg =
        accepted("debezium.sink.type=kafka\n"
                 "debezium.sink.kafka.producer.bootstrap.servers=k1:9092,k2:9092\n"
                 "debezium.sink.kafka.producer.key.serializer=x.StringSerializer\n"
                 "debezium.sink.kafka.producer.compression.type=lz4\n"
                 "debezium.source.connector.class=io.debezium.connector.mysql.MySqlConnector\n"
                 "debezium.source.topic.prefix=shop\n"
                 "debezium.source.snapshot.mode=no_data\n"
                 "debezium.source.database.hostname=db1\n"
                 "debezium.source.database.user=${TM_CONFIG_USER:cdc}\n"
                 "debezium.source.database.server.id=5401\n"
                 "debezium.source.offset.storage=org.apache.kafka.connect.storage.FileOffsetBackingStore\n"
                 "debezium.source.offset.storage.file.filename=/var/lib/shop/offsets\n"
                 "debezium.source.offset.flush.interval.ms=0\n"
                 "debezium.format.value=json\n"
                 "debezium.format.key.schemas.enable=false\n"
                 "debezium.format.schemas.enable=true\n"
                 "quarkus.log.level=INFO\n");
    assert_string_equal(cfg->kafka.client.bootstrap, "k1:9092,k2:9092");
    assert_int_equal(cfg->kafka.producer.n_extra, 1);
    assert_string_equal(cfg->kafka.producer.extra[0].name, "compression.type");
    assert_string_equal(cfg->kafka.producer.extra[0].value, "lz4");
    assert_int_equal(cfg->kafka.client.n_extra, 0);
    assert_string_equal(cfg->source.user, "cdc");
    assert_int_equal(cfg->kafka.storage, OFFSET_STORAGE_FILE);
    assert_string_equal(cfg->kafka.offsets_file, "/var/lib/shop/offsets");
    assert_false(cfg->record.key_schemas);
    assert_true(cfg->record.value_schemas);
    check_said(LOG_INFO, "headers are written as plain text");
    assert_false(said(LOG_WARN, ""));
    config_free(&cfg);
    check_refused("debezium.source.topic.prefix=shop\ndebezium.format.value=avro\n",
                  "debezium.format.value=avro (line 2): must be one of");
    check_refused("debezium.sink.type=redis\n", "debezium.sink.type=redis (line 1): must be one of kafka");
}

/* ---- what is told ---- */

static void missing_keys_are_all_named(void **state)
{
    (void)state;
    assert_null(read_text("name=x\n"));
    check_said(LOG_ERROR, "topic.prefix is missing");
    check_said(LOG_ERROR, "database.hostname is missing");
    check_said(LOG_ERROR, "database.user is missing");
    check_said(LOG_ERROR, "database.server.id is missing");
    check_said(LOG_ERROR, "bootstrap.servers is missing");
    assert_int_equal(config_notes_count(&notes, LOG_ERROR), 5);
}

static void wrong_value_is_told_with_key_line_and_what_is_allowed(void **state)
{
    (void)state;
    check_refused(BASE "database.port=33o6\n", "database.port=33o6 (line 7): must be a whole number from 1 to 65535");
    check_refused(BASE "decimal.handling.mode=exact\n",
                  "decimal.handling.mode=exact (line 7): must be one of precise, double, string");
    check_refused(BASE "table.include.list=a,(b\n", "table.include.list=a,(b (line 7): regular expression (b");
    check_refused(BASE "snapshot.mode=configuration_based\n",
                  "snapshot.mode=configuration_based (line 7): is not offered yet");
    check_refused(BASE "snapshot.select.statement.overrides=shop.orders\n",
                  "snapshot.select.statement.overrides=shop.orders (line 7): A SELECT of one's own is not offered yet");
    check_refused(BASE "transforms=unwrap\n", "transforms=unwrap (line 7): Transforms are not offered yet");
    check_refused("{\n\"topic.prefix\":\"a b\"}", "topic.prefix=a b (line 2): must be a name");
    check_refused("a=\\u12\n", "line 1: malformed");
}

static void a_channel_that_java_alone_has_is_passed_by(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE "notification.enabled.channels=jmx,log\n");
    check_said(LOG_WARN, "there is no JMX here");
    assert_true(cfg->notifies_log && !cfg->notifies_sink);
    config_free(&cfg);
}

static void unknown_keys_are_told_in_one_line(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE "foo=1\nbar.baz=2\nproducer.override.no.such=3\n");
    check_said(LOG_WARN, "unknown keys: foo (line 7), bar.baz (line 8), producer.override.no.such (line 9)");
    assert_int_equal(notes.n, 1);
    config_free(&cfg);
    check_refused(BASE "tidemark.config.strict=true\nfoo=1\n", "unknown key: foo (line 8)");
    check_refused(BASE "tidemark.config.strict=true\nsnapshot.max.threds=2\nsignal.kafka.topicc=s\n"
                       "incremental.snapshot.chunk.sizes=9\nnotification.channels=log\noffset.storage.topics=o\n"
                       "database.includ.list=shop\n",
                  "unknown keys: snapshot.max.threds (line 8), signal.kafka.topicc (line 9), "
                  "incremental.snapshot.chunk.sizes (line 10), notification.channels (line 11), offset.storage.topics "
                  "(line 12), database.includ.list (line 13)");
}

static void keys_with_the_same_reason_share_a_line(void **state)
{
    (void)state;
    struct config *cfg =
        accepted(BASE "producer.override.linger.ms=5\nproducer.override.batch.size=1\nproducer.override.acks=1\n"
                      "driver.a=1\ndatabase.useSSL=true\n");
    check_said(LOG_INFO, "not applied: producer.override.linger.ms, producer.override.batch.size: When records leave");
    check_said(LOG_INFO, "not applied: producer.override.acks: The producer is idempotent");
    check_said(LOG_INFO, "not applied: driver.a, database.useSSL: There is no JDBC driver here");
    config_free(&cfg);
}

static void key_written_twice_counts_once_and_is_told(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE "database.port=1\ndatabase.port=2\n");
    assert_int_equal(cfg->source.port, 2);
    check_said(LOG_WARN, "database.port (line 7) is written again as database.port in line 8, which counts");
    config_free(&cfg);
}

static void old_names_are_read_as_the_new_ones(void **state)
{
    (void)state;
    struct config *cfg =
        accepted("database.server.name=shop\nsnapshot.mode=schema_only\ndatabase.hostname=db1\ndatabase.user=cdc\n"
                 "database.server.id=1\ndatabase.history.kafka.bootstrap.servers=k1:9092\n"
                 "table.whitelist=shop.a\nsanitize.field.names=true\ngtid.new.channel.position=latest\n");
    assert_string_equal(cfg->record.topic_prefix, "shop");
    assert_true(filter_has_table(&cfg->filter, view_of("shop"), view_of("a")));
    assert_false(filter_has_table(&cfg->filter, view_of("shop"), view_of("b")));
    assert_int_equal(cfg->record.field_name_adjust, ADJUST_AVRO);
    assert_string_equal(cfg->kafka.client.bootstrap, "k1:9092");
    check_said(LOG_WARN, "database.server.name (line 1) is an old name, read as topic.prefix");
    check_said(LOG_WARN, "snapshot.mode=schema_only (line 2) is an old name, read as no_data");
    check_said(LOG_WARN, "database.history.kafka.bootstrap.servers (line 6) is an old name");
    check_said(LOG_WARN, "gtid.new.channel.position (line 9) is no longer a key");
    config_free(&cfg);

    cfg = accepted(
        BASE "table.include.list=shop.b\ntable.whitelist=shop.a\n"); /* the present name counts, wherever it stands */
    assert_true(filter_has_table(&cfg->filter, view_of("shop"), view_of("b")));
    config_free(&cfg);
}

/* ---- what belongs together ---- */

static void include_and_exclude_lists_exclude_each_other(void **state)
{
    (void)state;
    check_refused(BASE "database.include.list=a\ndatabase.exclude.list=\n",
                  "database.exclude.list= (line 8): not together with");
    check_refused(BASE "table.include.list=\ntable.exclude.list=a.b\n", "not together with table.include.list");
    check_refused(BASE "column.include.list=a.b.c\ncolumn.exclude.list=a.b.d\n",
                  "not together with column.include.list");
}

static void brokers_are_taken_from_the_first_place_that_has_them(void **state)
{
    (void)state;
    struct config *cfg =
        accepted(BASE "producer.override.bootstrap.servers=k2:9092\nsignal.kafka.bootstrap.servers=k3:9092\n");
    assert_string_equal(cfg->kafka.client.bootstrap, "k2:9092");
    assert_string_equal(cfg->kafka.signals.bootstrap, "k3:9092");
    check_said(LOG_WARN, "bootstrap.servers=k1:9092 doesn't count");
    config_free(&cfg);
    cfg = accepted(REQUIRED "signal.kafka.bootstrap.servers=k3:9092\n");
    assert_string_equal(cfg->kafka.client.bootstrap, "k3:9092");
    check_said(LOG_INFO, "brokers are taken from signal.kafka.bootstrap.servers");
    config_free(&cfg);
}

static void offsets_are_in_a_topic_or_in_a_file(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE "offset.storage.file.filename=/tmp/o\n");
    assert_int_equal(cfg->kafka.storage, OFFSET_STORAGE_FILE);
    config_free(&cfg);
    cfg = accepted(BASE "offset.storage.file.filename=/tmp/o\noffset.storage.topic=t\noffset.storage=kafka\n");
    assert_int_equal(cfg->kafka.storage, OFFSET_STORAGE_KAFKA);
    assert_null(cfg->kafka.offsets_file);
    config_free(&cfg);
    check_refused(BASE "offset.storage.file.filename=/tmp/o\noffset.storage.topic=t\n", "are both set");
    check_refused(BASE "offset.storage=file\n", "offset.storage.file.filename is missing");
    check_refused(BASE "offset.storage.file.filename=/tmp/o\nexactly.once.support=required\n", "at least once");
}

static void verification_needs_a_truststore(void **state)
{
    (void)state;
    check_refused(BASE "database.ssl.mode=verify_identity\n", "needs database.ssl.truststore");
    struct config *cfg =
        accepted(BASE "database.ssl.mode=verify_ca\ndatabase.ssl.truststore=test/data/keystore/authority.p12\n"
                      "database.ssl.truststore.password=changeit\n");
    assert_string_equal(cfg->source.truststore, "test/data/keystore/authority.p12");
    assert_string_equal(cfg->source.truststore_password, "changeit");
    config_free(&cfg);
}

static void stores_that_cannot_be_read_are_told_with_their_key(void **state)
{
    (void)state;
    check_refused(BASE "database.ssl.truststore=test/data/keystore/authority.jks\n",
                  "database.ssl.truststore=test/data/keystore/authority.jks (line 7): read certificates from");
    check_refused(BASE "database.ssl.keystore=test/data/keystore/client.p12\ndatabase.ssl.keystore.password=wrong\n",
                  "the password is wrong");
    struct config *cfg = accepted(BASE "database.ssl.mode=disabled\ndatabase.ssl.truststore=/none\n");
    config_free(&cfg);
}

static void blank_password_is_none(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE "database.password=\nname= \n");
    assert_null(cfg->source.password);
    assert_string_equal(cfg->name, "shop");
    config_free(&cfg);
}

static void references_are_replaced_and_broken_ones_named(void **state)
{
    (void)state;
    setenv("TM_CONFIG_PW", "geheim77", 1);
    struct config *cfg =
        accepted(BASE "database.password=${env:TM_CONFIG_PW}\nproducer.override.client.id=a-${env:TM_CONFIG_PW}\n");
    assert_string_equal(cfg->source.password, "geheim77");
    assert_string_equal(cfg->kafka.client.client_id, "a-geheim77");
    config_free(&cfg);
    check_refused(BASE "database.password=${env:TM_CONFIG_NONE}\n",
                  "database.password=****** (line 7): ${env:TM_CONFIG_NONE}: there is no such environment variable");
    cfg = accepted(BASE "database.password=${TM_CONFIG_PW}\n");
    assert_string_equal(cfg->source.password, "${TM_CONFIG_PW}");
    check_said(LOG_WARN, "database.password (line 7) has a ${…} that is left as it is");
    config_free(&cfg);
}

static void records_ask_the_filters(void **state)
{
    (void)state;
    struct config *cfg =
        accepted(BASE "column.exclude.list=shop\\\\.users\\\\.pw\ncolumn.propagate.source.type=.*\\\\.name\n"
                      "message.key.columns=shop.users:name\n");
    const struct record_settings *set = &cfg->record;
    struct view db = view_of("shop"), users = view_of("users");
    assert_false(set->has_column(set->ctx, db, users, view_of("pw")));
    assert_true(set->has_column(set->ctx, db, users, view_of("name")));
    assert_true(set->propagates_type(set->ctx, db, users, view_of("name"), view_of("VARCHAR")));
    assert_false(set->propagates_type(set->ctx, db, users, view_of("pw"), view_of("VARCHAR")));
    struct column columns[] = {{.name = view_of("id")}, {.name = view_of("name")}};
    struct shape s = {.db = db, .table = users, .columns = columns, .n_columns = 2};
    uint16_t key;
    assert_int_equal(set->key_columns(set->ctx, &s, &key, 1), 1);
    assert_int_equal(key, 1);
    config_free(&cfg);
}

/* ---- the door with a file ---- */

static void file_is_loaded_or_refused_with_its_path(void **state)
{
    (void)state;
    char path[] = "/tmp/tidemark-config-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    struct fail why;
    assert_non_null(f);
    fputs(BASE "tidemark.log.level=error\n", f);
    fclose(f);
    struct config *cfg = config_load(path, &why);
    assert_non_null(cfg);
    assert_string_equal(cfg->path, path);
    config_free(&cfg);
    f = fopen(path, "w");
    fputs(BASE "database.port=x\n", f);
    fclose(f);
    assert_null(config_load(path, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_CONFIG);
    assert_non_null(strstr(why.text, path));
    assert_non_null(strstr(why.text, "database.port=x (line 7)"));
    remove(path);
    assert_null(config_load(path, &why));
    assert_non_null(strstr(why.text, "No such file"));
}

static void dead_letters_need_both_of_their_keys(void **state)
{
    (void)state;
    struct config *cfg = accepted(BASE "errors.tolerance=all\nerrors.deadletterqueue.topic.name=dead\n");
    assert_string_equal(cfg->kafka.dead_letter_topic, "dead");
    config_free(&cfg);
    cfg = accepted(BASE "errors.tolerance=all\n");
    check_said(LOG_WARN,
               "without errors.deadletterqueue.topic.name a record that is too wide ends the run nevertheless");
    assert_null(cfg->kafka.dead_letter_topic);
    config_free(&cfg);
    cfg = accepted(BASE "errors.deadletterqueue.topic.name=dead\n");
    check_said(LOG_WARN, "errors.deadletterqueue.topic.name=dead counts only with errors.tolerance=all");
    assert_null(cfg->kafka.dead_letter_topic);
    config_free(&cfg);
}

static int clean(void **state)
{
    (void)state;
    config_notes_fini(&notes);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_letters_need_both_of_their_keys),
        cmocka_unit_test(least_file_gives_all_defaults),
        cmocka_unit_test(values_reach_their_members),
        cmocka_unit_test(connect_json_reads_as_the_same),
        cmocka_unit_test(debezium_server_form_loses_its_prefixes),
        cmocka_unit_test(missing_keys_are_all_named),
        cmocka_unit_test(wrong_value_is_told_with_key_line_and_what_is_allowed),
        cmocka_unit_test(a_channel_that_java_alone_has_is_passed_by),
        cmocka_unit_test(unknown_keys_are_told_in_one_line),
        cmocka_unit_test(keys_with_the_same_reason_share_a_line),
        cmocka_unit_test(key_written_twice_counts_once_and_is_told),
        cmocka_unit_test(old_names_are_read_as_the_new_ones),
        cmocka_unit_test(include_and_exclude_lists_exclude_each_other),
        cmocka_unit_test(brokers_are_taken_from_the_first_place_that_has_them),
        cmocka_unit_test(offsets_are_in_a_topic_or_in_a_file),
        cmocka_unit_test(verification_needs_a_truststore),
        cmocka_unit_test(stores_that_cannot_be_read_are_told_with_their_key),
        cmocka_unit_test(blank_password_is_none),
        cmocka_unit_test(references_are_replaced_and_broken_ones_named),
        cmocka_unit_test(records_ask_the_filters),
        cmocka_unit_test(file_is_loaded_or_refused_with_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, clean);
}
