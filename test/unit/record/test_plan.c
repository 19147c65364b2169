/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan makes of names and settings; the records themselves: test_render, test_field.
 */
#include "record/plan.h"
#include "test/support/golden.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static struct rows_result insert(const char *create, const struct record_settings *set)
{
    const struct shape *shape = rows_shape("db-1", create);
    const struct cell cells[] = {rows_int(1), rows_int(2)};
    struct row_source src = {.snapshot = "false"};
    struct rows_result r = rows_render(shape, set, &src, ROW_CREATE, 0, NULL, cells);
    assert_true(r.is_good);
    shape_free(&shape);
    return r;
}

static void check_has(struct view json, const char *expected)
{
    if (memmem(json.p, json.n, expected, strlen(expected)) == NULL)
        fail_msg("no %s in %.*s", expected, VIEW_ARGS(json));
}

static void names_are_those_of_the_table(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(true);
    struct rows_result r = insert("create table `t$1` (`i d` int primary key, `é\"` int)", &set);
    check_has(rows_key(&r, 0), "\"name\":\"g.db-1.t_1.Key\"},\"payload\":{\"i d\":1}}");
    check_has(rows_value(&r, 0), "\"name\":\"g.db-1.t_1.Value\"");
    check_has(rows_value(&r, 0), "\"name\":\"g.db-1.t_1.Envelope\",\"version\":2}");
    check_has(rows_value(&r, 0), "\"after\":{\"i d\":1,\"é\\\"\":2},\"source\"");
    check_has(rows_value(&r, 0), "\"db\":\"db-1\",\"sequence\":null");
    check_has(rows_value(&r, 0), "\"table\":\"t$1\"");
    rows_result_fini(&r);
}

static void names_are_adjusted_where_it_is_wanted(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(true);
    set.schema_name_adjust = set.field_name_adjust = ADJUST_AVRO;
    struct rows_result r = insert("create table t (`1 id` int primary key, `é.x` int)", &set);
    check_has(rows_key(&r, 0),
              "\"field\":\"_1_id\"}],\"optional\":false,\"name\":\"g.db_1.t.Key\"},\"payload\":{\"_1_id\":1}}");
    check_has(rows_value(&r, 0), "\"after\":{\"_1_id\":1,\"__x\":2},\"source\"");
    check_has(rows_value(&r, 0), "\"name\":\"g.db_1.t.Envelope\"");
    rows_result_fini(&r);
}

static void names_that_become_the_same_are_refused(void **state)
{
    (void)state;
    const struct shape *shape = rows_shape("db", "create table t (`a-b` int primary key, `a$b` int)");
    struct record_settings set = rows_settings(false);
    struct fail why = {0};
    set.field_name_adjust = ADJUST_AVRO;
    assert_null(plan_new(shape, &set, &why));
    assert_non_null(strstr(why.text, "two columns of db.t have the field name a_b"));
    shape_free(&shape);
}

static bool propagates(void *ctx, struct view db, struct view table, struct view column, struct view type)
{
    (void)ctx;
    assert_true(view_is(db, "db-1") && view_is(table, "t"));
    return view_is(column, "v") && view_is(type, "INT UNSIGNED");
}

static void source_types_are_told_of_chosen_columns(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(true);
    set.propagates_type = propagates;
    set.schema_comments = true;
    struct rows_result r =
        insert("create table t (v int unsigned primary key comment 'it''s', w int unsigned comment '\"w\"')", &set);
    check_has(rows_value(&r, 0),
              "{\"type\":\"int64\",\"optional\":false,\"doc\":\"it''s\",\"parameters\":{"
              "\"__debezium.source.column.type\":\"INT UNSIGNED\",\"__debezium.source.column.comment\":\"it''s\","
              "\"__debezium.source.column.name\":\"v\"},\"field\":\"v\"},"
              "{\"type\":\"int64\",\"optional\":true,\"doc\":\"\\\"w\\\"\",\"field\":\"w\"}");
    check_has(rows_key(&r, 0), "{\"type\":\"int64\",\"optional\":false,\"doc\":\"it''s\",\"field\":\"v\"}");
    rows_result_fini(&r);
}

static void plan_holds_its_shape(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    const struct shape *shape = rows_shape("shop", "create table orders (id int primary key)");
    struct fail why;
    struct plan *plan = plan_new(shape, &set, &why);
    shape_free(&shape);
    assert_true(view_is(plan_shape(plan)->table, "orders"));
    assert_string_equal(plan_topic(plan), "g.shop.orders");
    plan_free(&plan);
    assert_null(plan);
    plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_the_table),
        cmocka_unit_test(names_are_adjusted_where_it_is_wanted),
        cmocka_unit_test(names_that_become_the_same_are_refused),
        cmocka_unit_test(source_types_are_told_of_chosen_columns),
        cmocka_unit_test(plan_holds_its_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
