/* SPDX-License-Identifier: Apache-2.0 */
#include "record/topic.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static const struct record_settings set = {.topic_prefix = "g", .topic_delimiter = "."};

static const char *of_table(const char *db, const char *table)
{
    return topic_of_table(&set, view_of(db), view_of(table));
}

static void table_topic_has_only_legal_characters(void **state)
{
    (void)state;
    assert_string_equal(of_table("shop", "orders"), "g.shop.orders");
    assert_string_equal(of_table("g_topic_sanitise", "a$b"), "g.g_topic_sanitise.a_b");
    assert_string_equal(of_table("g_topic_sanitise", "é"), "g.g_topic_sanitise._");
    assert_string_equal(of_table("g_topic_sanitise", "щи"), "g.g_topic_sanitise.__");
    assert_string_equal(of_table("d", "\xf0\x9f\x90\xb3"), "g.d.__"); /* two UTF-16 units */
    assert_string_equal(of_table("d", "UP_low-9"), "g.d.UP_low-9");
    assert_string_equal(of_table("d", "a.b-c"), "g.d.a.b-c");
}

static void colliding_tables_share_a_pointer(void **state)
{
    (void)state;
    assert_ptr_equal(of_table("d", "a$b"), of_table("d", "a_b"));
    assert_ptr_not_equal(of_table("d", "a$b"), of_table("d", "ab"));
}

static void table_topic_is_cut_to_what_kafka_takes(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(strlen(of_table("d", name)), TOPIC_NAME_MAX);
}

static void other_topics_are_joined_by_the_delimiter(void **state)
{
    (void)state;
    const struct record_settings dashed = {.topic_prefix = "P", .topic_delimiter = "-"};
    assert_string_equal(topic_of_table(&dashed, view_of("a"), view_of("b")), "P-a-b");
    assert_string_equal(topic_of_name(&dashed, "transaction"), "P-transaction");
    assert_string_equal(topic_of_heartbeat(&dashed, NULL, "__debezium-heartbeat"), "__debezium-heartbeat-P");
    assert_string_equal(topic_of_heartbeat(&dashed, "hb", "__debezium-heartbeat"), "hb");
}

static void illegal_names_are_refused_with_their_key(void **state)
{
    (void)state;
    struct fail why;
    assert_true(topic_check(&set, &why));
    const struct record_settings blank = {.topic_prefix = "a b", .topic_delimiter = "."};
    assert_false(topic_check(&blank, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_CONFIG);
    assert_non_null(strstr(why.text, "topic.prefix"));
    const struct record_settings colon = {.topic_prefix = "a", .topic_delimiter = ":"};
    assert_false(topic_check(&colon, &why));
    assert_non_null(strstr(why.text, "topic.delimiter"));
    assert_false(topic_is_legal(""));
    assert_false(topic_is_legal(NULL));
}

static void check_adjusted(void (*put)(struct buf *, enum adjust_mode, struct view), enum adjust_mode mode,
                           const char *name, const char *expected)
{
    struct buf out;
    buf_init(&out);
    put(&out, mode, view_of(name));
    buf_put_u8(&out, 0);
    assert_string_equal((const char *)out.start, expected);
    buf_fini(&out);
}

static void names_are_adjusted_for_avro(void **state)
{
    (void)state;
    check_adjusted(topic_put_schema_name, ADJUST_NONE, "1-a.b_é", "1-a.b_é");
    check_adjusted(topic_put_schema_name, ADJUST_AVRO, "1-a.b_é", "_1_a.b__");
    check_adjusted(topic_put_field_name, ADJUST_AVRO, "1-a.b_é", "_1_a_b__");
    check_adjusted(topic_put_schema_name, ADJUST_AVRO_UNICODE, "1-a.b_é", "_u0031_u002da.b_u005f_u00e9");
    check_adjusted(topic_put_field_name, ADJUST_AVRO_UNICODE, "a.b", "a_u002eb");
    check_adjusted(topic_put_field_name, ADJUST_AVRO_UNICODE, "щ",
                   "_u449"); /* the reference fills up two digits only */
    check_adjusted(topic_put_field_name, ADJUST_AVRO_UNICODE, "潮", "_u6f6e");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_topic_has_only_legal_characters),
        cmocka_unit_test(colliding_tables_share_a_pointer),
        cmocka_unit_test(table_topic_is_cut_to_what_kafka_takes),
        cmocka_unit_test(other_topics_are_joined_by_the_delimiter),
        cmocka_unit_test(illegal_names_are_refused_with_their_key),
        cmocka_unit_test(names_are_adjusted_for_avro),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
