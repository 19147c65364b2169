/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defaults of columns: what the schema shows, and what a NULL becomes by it. The values are those the server stores.
 */
#include "test/support/golden.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

/* The field's schema ends with this. */
static void check_default(const char *type_and_default, const char *json)
{
    char create[256], expected[256];
    snprintf(create, sizeof create, "create table t (id int primary key, a %s)", type_and_default);
    snprintf(expected, sizeof expected, "\"default\":%s,\"field\":\"a\"}", json);
    rows_check_field(create, rows_null(), NULL, expected);
}

static void check_no_default(const char *type_and_default)
{
    char create[256];
    snprintf(create, sizeof create, "create table t (id int primary key, a %s)", type_and_default);
    const struct shape *shape = rows_shape("db", create);
    struct record_settings set = rows_settings(true);
    const struct cell cells[] = {rows_int(1), rows_null()};
    struct row_source src = {.snapshot = "false"};
    struct rows_result r = rows_render(shape, &set, &src, ROW_CREATE, 0, NULL, cells);
    struct view fields = rows_value(&r, 0), end = view_of("\"field\":\"before\"");
    fields.n = (size_t)((const uint8_t *)memmem(fields.p, fields.n, end.p, end.n) - fields.p);
    if (memmem(fields.p, fields.n, "\"default\"", 9) != NULL)
        fail_msg("%s has a default: %.*s", type_and_default, VIEW_ARGS(fields));
    rows_result_fini(&r);
    shape_free(&shape);
}

static void numbers_are_rounded_as_the_server_does(void **state)
{
    (void)state;
    check_default("int default 5", "5");
    check_default("int default '6'", "6");
    check_default("int default 1.7", "2");
    check_default("int default -3", "-3");
    check_default("int default +4", "4");
    check_default("int default 5e2", "500");
    check_default("tinyint unsigned default ' 28'", "28");
    check_default("bool default true", "1");
    check_default("bigint default 9007199254740993", "9007199254740993");
    check_default("bigint default -9223372036854775808", "-9223372036854775808");
    check_default("bigint unsigned default 18446744073709551615", "-1");
    check_default("int default 0x41", "65");
    check_default("decimal(8,3) default 1.5", "\"Bdw=\"");
    check_default("decimal(8,1) default '2.25'", "\"Fw==\"");
    check_default("decimal(10,2) not null default 1", "\"ZA==\"");
    check_default("decimal(10,2) default \"1.5\"", "\"AJY=\"");
    check_default("float default 0.1", "0.1");
    check_default("float(5,2) default 1.1", "1.1");
    check_default("double default 1e10", "1.0E10");
    check_default("double default '-2.5'", "-2.5");
}

static void bits_and_bytes_are_values(void **state)
{
    (void)state;
    check_default("bit default b'1'", "true");
    check_default("bit default 0", "false");
    check_default("bit(5) default 5", "\"BQ==\"");
    check_default("bit(5) default b'10101'", "\"FQ==\"");
    check_default("bit(12) default 0x0fff", "\"/w8=\"");
    check_default("binary(3) default 'ab'", "\"YWIA\"");
    check_default("varbinary(4) default 'AB'", "\"QUI=\"");
    check_default("varbinary(5) default x'4142'", "\"QUI=\"");
}

static void texts_lose_their_quotes_and_escapes(void **state)
{
    (void)state;
    check_default("varchar(20) default 'it''s \"q\"'", "\"it's \\\"q\\\"\"");
    check_default("varchar(20) default \"dq 'x'\"", "\"dq 'x'\"");
    check_default("varchar(20) default 'a\\tb\\\\c'", "\"a\\tb\\\\c\"");
    check_default("varchar(5) default 0x4142", "\"AB\"");
    check_default("varchar(5) default _utf8mb4'né'", "\"né\"");
    check_default("varchar(5) charset latin1 default 'né'", "\"né\"");
    check_default("varchar(9) default ' x '", "\" x \"");
    check_default("varchar(9) default ''", "\"\"");
    check_default("varchar(5) default 12", "\"12\"");
}

static void labels_are_found(void **state)
{
    (void)state;
    check_default("enum('x','y') default 'y'", "\"y\"");
    check_default("set('p','q','r') default 'r,p'", "\"p,r\"");
    check_default("set('p','q') default ''", "\"\"");
}

static void dates_are_read_in_all_their_forms(void **state)
{
    (void)state;
    check_default("date default '2020-01-02'", "18263");
    check_default("date default '20200102'", "18263");
    check_default("date default 20200102", "18263");
    check_default("date default '20-1-2'", "18263");
    check_default("datetime default '2020-01-02 03:04:05'", "1577934245000");
    check_default("datetime default '2020-01-02T03:04:05'", "1577934245000");
    check_default("datetime default '2020-01-01'", "1577836800000");
    check_default("datetime default 20200102030405", "1577934245000");
    check_default("datetime(6) default '2020-01-02 03:04:05.5'", "1577934245500000");
    check_default("datetime default '2020-01-02 03:04:05.5'", "1577934246000");
    check_default("timestamp not null default '2020-01-02 03:04:05'", "\"2020-01-02T03:04:05Z\"");
    check_default("timestamp(3) not null default '2001-02-03 04:05:06'", "\"2001-02-03T04:05:06.000Z\"");
    check_default("timestamp null default '2020-01-02 03:04:05+05:30'", "\"2020-01-01T21:34:05Z\"");
    check_default("time default '-12:30:00'", "-45000000000");
    check_default("time(2) default '12:30:00.25'", "45000250000");
    check_default("time default '1 01:02:03'", "90123000000");
    check_default("time default 10203", "3723000000");
    check_default("time default '11:12'", "40320000000");
    check_default("year default 2020", "2020");
    check_default("year default '20'", "2020");
    check_default("year default 0", "0");
    check_default("year default '0'", "2000");
    check_default("year default '0000'", "0");
}

static void now_and_zero_are_the_epoch_or_nothing(void **state)
{
    (void)state;
    check_default("datetime default current_timestamp", "0");
    check_default("datetime(3) not null default now(3)", "0");
    check_default("timestamp not null default current_timestamp", "\"1970-01-01T00:00:00Z\"");
    check_no_default("timestamp null default current_timestamp");
    check_default("date not null default '0000-00-00'", "0");
    check_default("datetime not null default '0000-00-00 00:00:00'", "0");
    check_default("timestamp(3) not null default '0000-00-00 00:00:00'", "\"1970-01-01T00:00:00Z\"");
    check_no_default("date default '0000-00-00'");
    check_no_default("timestamp null default '0000-00-00 00:00:00'");
}

static void expressions_and_null_show_no_default(void **state)
{
    (void)state;
    check_no_default("int");
    check_no_default("int default null");
    check_no_default("int default (1+1)");
    check_no_default("char(36) default (uuid())");
    check_no_default("json default (json_array())");
}

static void defaults_that_cannot_be_read_are_left_out_or_stop(void **state)
{
    (void)state;
    check_no_default("date default '2021-02-31'");
    check_no_default("int default 'many'");
    const struct shape *shape = rows_shape("db", "create table t (id int primary key, a int default 'many')");
    struct record_settings set = rows_settings(true);
    set.converting_failure = FAILURE_FAIL;
    struct fail why = {0};
    assert_null(plan_new(shape, &set, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_non_null(strstr(why.text, "db.t.a"));
    shape_free(&shape);
}

static void null_default_switch_is_obeyed(void **state)
{
    (void)state;
    const char create[] = "create table nd (id int primary key, a int default 5, b varchar(5) default 'x', "
                          "c datetime default current_timestamp, d timestamp null default current_timestamp)";
    const struct shape *shape = rows_shape("g_null_default_off", create);
    struct record_settings set = rows_settings(true);
    set.value_null_default = set.key_null_default = false;
    struct golden g = golden_streamed("28-null-default-off", true, "g.g_null_default_off.nd", 0);
    uint32_t row;
    struct row_source src = golden_source(&g, &row);
    const struct cell cells[] = {rows_int(11), rows_null(), rows_null(), rows_null(), rows_null()};
    struct rows_result r = rows_render(shape, &set, &src, ROW_CREATE, row, NULL, cells);
    assert_true(r.is_good);
    golden_check_equal(rows_value(&r, 0), g.value, "value");
    rows_result_fini(&r);
    shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_as_the_server_does),
        cmocka_unit_test(bits_and_bytes_are_values),
        cmocka_unit_test(texts_lose_their_quotes_and_escapes),
        cmocka_unit_test(labels_are_found),
        cmocka_unit_test(dates_are_read_in_all_their_forms),
        cmocka_unit_test(now_and_zero_are_the_epoch_or_nothing),
        cmocka_unit_test(expressions_and_null_show_no_default),
        cmocka_unit_test(defaults_that_cannot_be_read_are_left_out_or_stop),
        cmocka_unit_test(null_default_switch_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
