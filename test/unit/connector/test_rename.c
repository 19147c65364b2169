/* SPDX-License-Identifier: Apache-2.0 */
/* Names of other forms and times: what each becomes, and which of several settings of a key counts. */
#include "connector/rename.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

/* Reads, renames, drops doubles and compares with "key=value|…". */
static void check(const char *text, const char *expected, size_t n_notes)
{
    struct arena memory;
    struct properties p;
    struct settings s;
    struct config_notes notes = {0};
    struct fail why;
    struct buf got;
    arena_init(&memory);
    buf_init(&got);
    assert_true(properties_read(view_of(text), &p, &why));
    rename_settings(&p, &memory, &s, &notes);
    rename_drop_doubles(&s, &notes);
    for (size_t i = 0; i < s.n; i++)
        buf_printf(&got, "%s%s=%s", i > 0 ? "|" : "", s.items[i].key, s.items[i].value);
    buf_put_u8(&got, 0);
    assert_string_equal((const char *)got.start, expected);
    assert_int_equal(notes.n, n_notes);
    buf_fini(&got);
    config_notes_fini(&notes);
    settings_fini(&s);
    properties_fini(&p);
    arena_fini(&memory);
}

static void keys_of_the_present_stay_as_they_are(void **state)
{
    (void)state;
    check("topic.prefix=a\nfoo=1", "topic.prefix=a|foo=1", 0);
    check("debezium.format.key=json", "debezium.format.key=json",
          0); /* without a source or sink it isn't the server's form */
}

static void server_prefixes_are_taken_off(void **state)
{
    (void)state;
    check("debezium.source.topic.prefix=a\ndebezium.sink.kafka.producer.acks=1\ndebezium.sink.type=kafka",
          "topic.prefix=a|producer.override.acks=1|debezium.sink.type=kafka", 0);
    check("debezium.source.x=1\ndebezium.transforms=a\ndebezium.transforms.a.type=b\ndebezium.predicates.p.type=c",
          "x=1|transforms=a|transforms.a.type=b|predicates.p.type=c", 0);
    check("debezium.source.x=1\ndebezium.source.=2\ntidemark.log.level=debug",
          "x=1|debezium.source.=2|tidemark.log.level=debug", 0);
}

static void server_formats_become_converters(void **state)
{
    (void)state;
    check("debezium.source.x=1\ndebezium.format.key=json\ndebezium.format.value=avro",
          "x=1|key.converter=org.apache.kafka.connect.json.JsonConverter|value.converter=avro", 0);
    check("debezium.source.x=1\ndebezium.format.value.schemas.enable=true\ndebezium.format.schemas.enable=false",
          "x=1|value.converter.schemas.enable=true|key.converter.schemas.enable=false|header.converter.schemas.enable="
          "false",
          0);
}

static void old_names_get_their_successors_with_a_warning(void **state)
{
    (void)state;
    check("database.server.name=a", "topic.prefix=a", 1);
    check("database.history=x\ndatabase.history.kafka.topic=t",
          "schema.history.internal=x|schema.history.internal.kafka.topic=t", 2);
    check("column.blacklist=a", "column.exclude.list=a", 1);
    check("sanitize.field.names=FALSE", "field.name.adjustment.mode=none", 1);
    check("snapshot.new.tables=parallel", "", 1);
    check("debezium.source.database.whitelist=a", "database.include.list=a", 1);
    check("snapshot.mode=SCHEMA_ONLY_RECOVERY", "snapshot.mode=recovery", 1);
    check("offsets.storage.topic=t", "offset.storage.topic=t", 0);
}

static void name_of_the_present_beats_an_old_one_wherever_it_stands(void **state)
{
    (void)state;
    check("topic.prefix=new\ndatabase.server.name=old", "topic.prefix=new", 1);
    check("database.server.name=old\ntopic.prefix=new", "topic.prefix=new", 1);
}

static void last_of_several_counts_and_is_told(void **state)
{
    (void)state;
    check("a=1\nb=2\na=3", "b=2|a=3", 1);
    check("a=1\na=2\na=3", "a=3", 2);
    check("debezium.source.a=1\na=2", "a=2", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_the_present_stay_as_they_are),
        cmocka_unit_test(server_prefixes_are_taken_off),
        cmocka_unit_test(server_formats_become_converters),
        cmocka_unit_test(old_names_get_their_successors_with_a_warning),
        cmocka_unit_test(name_of_the_present_beats_an_old_one_wherever_it_stands),
        cmocka_unit_test(last_of_several_counts_and_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
