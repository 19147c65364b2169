/* SPDX-License-Identifier: Apache-2.0 */
/* schema_history: statements count up to the place, as Debezium 3.6.1 wrote them. */
#include "connector/schema_history.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define U "ef85f9e6-ecf1-11f1-ae2d-02fc00000001"

/* The topic of a connector whose schema snapshot was at 1-7 and which saw two ALTERs; shortened by tableChanges. */
static const char *const records[] = {
    "{\"source\":{\"server\":\"ex\"},\"position\":{\"ts_sec\":1796065968,\"file\":\"binlog.000001\",\"pos\":2031,"
    "\"gtids\":\"" U ":1-7\",\"snapshot\":\"INITIAL\"},\"ts_ms\":1796065969507,\"databaseName\":\"\",\"ddl\":\"SET "
    "character_set_server=utf8mb4, "
    "collation_server=utf8mb4_0900_ai_ci\",\"tableChanges\":[]}",
    "{\"source\":{\"server\":\"ex\"},\"position\":{\"file\":\"binlog.000001\",\"pos\":2031,\"gtids\":\"" U
    ":1-7\",\"snapshot\":\"INITIAL\"},\"databaseName\":\"shop\",\"ddl\":\"CREATE DATABASE `shop` CHARSET "
    "latin1\",\"tableChanges\":[]}",
    "{\"source\":{\"server\":\"ex\"},\"position\":{\"file\":\"binlog.000001\",\"pos\":2031,\"gtids\":\"" U
    ":1-7\",\"snapshot\":\"INITIAL\"},\"databaseName\":\"shop\",\"ddl\":\"CREATE TABLE `t` (\\n  `id` int NOT NULL,\\n "
    " `v` "
    "char(3),\\n  PRIMARY KEY (`id`)\\n)\",\"tableChanges\":[]}",
    "{\"source\":{\"server\":\"other\"},\"position\":{\"file\":\"binlog.000001\",\"pos\":4},\"databaseName\":\"shop\","
    "\"ddl\":\"DROP TABLE t\"}",
    "{\"source\":{\"server\":\"ex\"},\"position\":{\"file\":\"binlog.000001\",\"pos\":2496,\"gtids\":\"" U
    ":1-8\",\"server_id\":101},\"databaseName\":\"shop\",\"ddl\":\"alter table t add w int\",\"tableChanges\":[]}",
    "{\"source\":{\"server\":\"ex\"},\"position\":{\"file\":\"binlog.000001\",\"pos\":2684,\"gtids\":\"" U
    ":1-9\",\"server_id\":101},\"databaseName\":\"shop\",\"ddl\":\"alter table t add x int\",\"tableChanges\":[]}",
};

struct history {
    struct config cfg;
    struct server server;
    struct offset_state place;
    struct catalog catalog;
    struct schema_history_told told;
    struct schema_history_reading reading;
};

static void begin(struct history *h, const char *place)
{
    struct fail why;
    *h = (struct history){.server = {.version = 90704, .charset = "utf8mb4", .collation = "utf8mb4_0900_ai_ci"}};
    offset_state_init(&h->place);
    assert_true(offsets_read(&h->place, view_of(place), &why));
    catalog_init(&h->catalog, 0);
    h->reading = (struct schema_history_reading){&h->cfg, &h->server, "ex", &h->place, &h->catalog, &h->told};
}

static bool take(struct history *h, const char *record, struct fail *why)
{
    return schema_history_take(&h->reading, VIEW_NONE, true, view_of(record), why);
}

static void end(struct history *h)
{
    offset_state_fini(&h->place);
    catalog_fini(&h->catalog);
}

/* How many columns shop.t has at the place; 0: it is not there. */
static uint32_t columns_at(const char *place)
{
    struct history h;
    struct fail why;
    begin(&h, place);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (!take(&h, records[i], &why))
            fail_msg("%s", why.text);
    assert_int_equal(h.told.records, 5);
    const struct shape *shape = catalog_find(&h.catalog, view_of("shop"), view_of("t"));
    uint32_t n = shape == NULL ? 0 : shape->n_columns;
    if (shape != NULL)
        assert_string_equal(shape->columns[1].charset->name, "latin1");
    end(&h);
    return n;
}

static void schema_history_counts_statements_before_the_gtids(void **state)
{
    (void)state;
    assert_int_equal(columns_at("{\"file\":\"b.1\",\"pos\":4,\"gtids\":\"" U ":1-6\"}"), 0);
    assert_int_equal(columns_at("{\"file\":\"b.1\",\"pos\":4,\"gtids\":\"" U ":1-7\"}"), 2);
    assert_int_equal(columns_at("{\"file\":\"b.1\",\"pos\":4,\"gtids\":\"" U ":1-8\"}"), 2); /* 9 is the ALTER itself */
    assert_int_equal(columns_at("{\"file\":\"b.1\",\"pos\":4,\"gtids\":\"" U ":1-9\"}"), 3);
    assert_int_equal(columns_at("{\"file\":\"b.1\",\"pos\":4,\"gtids\":\"" U ":1-10\",\"event\":2,\"row\":1}"), 4);
}

static void schema_history_counts_statements_before_the_offset(void **state)
{
    (void)state;
    assert_int_equal(columns_at("{\"file\":\"binlog.000001\",\"pos\":2030}"), 0);
    assert_int_equal(columns_at("{\"file\":\"binlog.000001\",\"pos\":2031}"), 2);
    assert_int_equal(columns_at("{\"file\":\"binlog.000001\",\"pos\":2496}"), 3);
    assert_int_equal(columns_at("{\"file\":\"binlog.000002\",\"pos\":4}"), 4);
}

static void schema_history_forgets_a_table_about_which_it_can_not_read(void **state)
{
    (void)state;
    struct history h;
    struct fail why;
    begin(&h, "{\"file\":\"b.1\",\"pos\":99}");
    assert_true(
        take(&h,
             "{\"source\":{\"server\":\"ex\"},\"position\":{\"file\":\"b.1\",\"pos\":4},\"databaseName\":\"d\",\"ddl\":"
             "\"CREATE TABLE t (id INT)\"}",
             &why));
    assert_non_null(catalog_find(&h.catalog, view_of("d"), view_of("t")));
    assert_true(
        take(&h,
             "{\"source\":{\"server\":\"ex\"},\"position\":{\"file\":\"b.1\",\"pos\":5},\"databaseName\":\"d\",\"ddl\":"
             "\"ALTER TABLE t MAKE IT BETTER\"}",
             &why));
    assert_null(catalog_find(&h.catalog, view_of("d"), view_of("t")));
    assert_int_equal(h.told.not_understood, 1);
    end(&h);
}

static void schema_history_says_which_record_is_wrong(void **state)
{
    (void)state;
    static const char *const wrong[] = {"what", "[]", "{\"source\":{\"server\":\"ex\"},\"ddl\":\"x\"}",
                                        "{\"source\":{\"server\":\"ex\"},\"ddl\":\"x\",\"position\":{\"pos\":4}}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct history h;
        struct fail why = {0};
        begin(&h, "{\"file\":\"b.1\",\"pos\":99}");
        assert_false(take(&h, wrong[i], &why));
        assert_int_equal(why.kind, FAIL_STOP);
        assert_non_null(strstr(why.text, wrong[i]));
        end(&h);
    }
}

static void schema_history_written_is_read_again(void **state)
{
    (void)state;
    struct history h;
    struct buf out;
    struct fail why;
    begin(&h, "{\"ts_sec\":1,\"file\":\"b.1\",\"pos\":99,\"gtids\":\"" U
              ":1-7\",\"server_id\":3,\"snapshot\":\"INITIAL\"}");
    buf_init(&out);
    schema_history_print("ex", &h.place, 1796065969507, view_of("d"), view_of("CREATE TABLE `d`.`t` (`id` int)"), &out);
    buf_put_u8(&out, 0);
    assert_true(take(&h, (const char *)out.start, &why));
    assert_int_equal(h.told.records, 1);
    assert_int_equal(h.told.applied, 1); /* at the place itself: so it stands in the snapshot's form */
    assert_string_equal(
        (const char *)out.start,
        "{\"source\":{\"server\":\"ex\"},\"position\":{\"ts_sec\":1,\"file\":\"b.1\",\"pos\":99,\"gtids\":\"" U
        ":1-7\",\"server_id\":3,\"snapshot\":\"INITIAL\"},\"ts_ms\":1796065969507,\"databaseName\":\"d\",\"ddl\":"
        "\"CREATE TABLE `d`.`t` "
        "(`id` int)\",\"tableChanges\":[]}");
    buf_fini(&out);
    end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_history_counts_statements_before_the_gtids),
        cmocka_unit_test(schema_history_counts_statements_before_the_offset),
        cmocka_unit_test(schema_history_forgets_a_table_about_which_it_can_not_read),
        cmocka_unit_test(schema_history_says_which_record_is_wrong),
        cmocka_unit_test(schema_history_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
