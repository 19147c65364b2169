/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates and times in all modes, against records that Debezium 3.6.1 emitted and by example.
 */
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

#define DAY 86400000000LL
#define HOUR 3600000000LL
#define MINUTE 60000000LL
#define SECOND 1000000LL

static void set_connect(struct record_settings *set)
{
    set->time_mode = TIME_CONNECT;
}

static void set_iso(struct record_settings *set)
{
    set->time_mode = TIME_ISOSTRING;
}

static void set_micros(struct record_settings *set)
{
    set->time_mode = TIME_MICROS;
}

static void set_nanos(struct record_settings *set)
{
    set->time_mode = TIME_NANOS;
}

/* ---- golden rows ---- */

static const char adaptive[] = "create table tm (id int primary key, d date, t0 time, t1 time(1), t3 time(3), t6 "
                               "time(6), dt0 datetime, dt1 datetime(1), "
                               "dt3 datetime(3), dt4 datetime(4), dt6 datetime(6), ts0 timestamp null, ts1 "
                               "timestamp(1) null, ts3 timestamp(3) null, "
                               "ts6 timestamp(6) null, y year)";

static void check_adaptive(unsigned nth, const struct cell *cells)
{
    rows_check_golden(&(struct rows_golden){"17-time-adaptive", "g.g_time_adaptive.tm", nth, adaptive, ROW_CREATE, NULL,
                                            cells, NULL});
}

static void adaptive_mode_counts_by_precision(void **state)
{
    (void)state;
    const int64_t longest = 838 * HOUR + 59 * MINUTE + 59 * SECOND;
    const struct cell earliest[] = {rows_int(11),
                                    rows_date(1000, 1, 1),
                                    rows_time(-longest),
                                    rows_time(-100000),
                                    rows_time(-longest),
                                    rows_time(-longest),
                                    rows_datetime(1000, 1, 1, 0, 0, 0, 0),
                                    rows_datetime(1000, 1, 1, 0, 0, 0, 100000),
                                    rows_datetime(1969, 12, 31, 23, 59, 59, 999000),
                                    rows_datetime(1969, 12, 31, 23, 59, 59, 999900),
                                    rows_datetime(1000, 1, 1, 0, 0, 0, 1),
                                    rows_timestamp(SECOND),
                                    rows_timestamp(SECOND + 500000),
                                    rows_timestamp(SECOND + 120000),
                                    rows_timestamp(SECOND + 1),
                                    rows_int(1901)};
    check_adaptive(0, earliest);
    const int64_t last = 2147483647 * SECOND;
    const struct cell latest[] = {rows_int(12),
                                  rows_date(9999, 12, 31),
                                  rows_time(longest),
                                  rows_time(DAY),
                                  rows_time(DAY - 1000),
                                  rows_time(longest - 1),
                                  rows_datetime(9999, 12, 31, 23, 59, 59, 0),
                                  rows_datetime(9999, 12, 31, 23, 59, 59, 900000),
                                  rows_datetime(9999, 12, 31, 23, 59, 59, 999000),
                                  rows_datetime(9999, 12, 31, 23, 59, 59, 999900),
                                  rows_datetime(9999, 12, 31, 23, 59, 59, 999999),
                                  rows_timestamp(last),
                                  rows_timestamp(last),
                                  rows_timestamp(last + 499000),
                                  rows_timestamp(last + 499999),
                                  rows_int(2155)};
    check_adaptive(1, latest);
}

static void years_below_100_get_their_century(void **state)
{
    (void)state;
    const int64_t y2000 = 946684800 * SECOND;
    const struct cell cells[] = {rows_int(15),
                                 rows_date(69, 5, 6),
                                 rows_time(-SECOND),
                                 rows_time(0),
                                 rows_time(1000),
                                 rows_time(1),
                                 rows_datetime(69, 5, 6, 1, 2, 3, 0),
                                 rows_datetime(70, 1, 1, 0, 0, 0, 0),
                                 rows_datetime(99, 12, 31, 0, 0, 0, 0),
                                 rows_datetime(100, 1, 1, 0, 0, 0, 0),
                                 rows_datetime(1, 1, 1, 0, 0, 0, 0),
                                 rows_timestamp(y2000),
                                 rows_timestamp(y2000),
                                 rows_timestamp(y2000),
                                 rows_timestamp(y2000),
                                 rows_int(1970)};
    check_adaptive(4, cells);
}

static void set_no_adjuster(struct record_settings *set)
{
    set->time_adjuster = false;
}

static void years_below_100_stay_without_the_adjuster(void **state)
{
    (void)state;
    rows_check_field("create table t (id int primary key, a date)", rows_date(18, 4, 1), NULL, "\"a\":17622}");
    rows_check_field("create table t (id int primary key, a date)", rows_date(18, 4, 1), set_no_adjuster,
                     "\"a\":-712863}");
}

static const char connect[] =
    "create table tm (id int primary key, d date, t0 time, t3 time(3), t6 time(6), dt0 datetime, dt3 datetime(3), "
    "dt6 datetime(6), ts0 timestamp null, ts3 timestamp(3) null, ts6 timestamp(6) null, y year)";

static void connect_and_micro_modes_count_in_their_unit(void **state)
{
    (void)state;
    const int64_t last = 946684799 * SECOND;
    const struct cell cells[] = {rows_int(11),
                                 rows_date(1999, 12, 31),
                                 rows_time(0),
                                 rows_time(12 * HOUR + 34 * MINUTE + 56 * SECOND + 789000),
                                 rows_time(DAY - 1),
                                 rows_datetime(1999, 12, 31, 23, 59, 59, 0),
                                 rows_datetime(1969, 12, 31, 23, 59, 59, 999000),
                                 rows_datetime(1969, 12, 31, 23, 59, 59, 999999),
                                 rows_timestamp(SECOND),
                                 rows_timestamp(last + 120000),
                                 rows_timestamp(last + 1),
                                 rows_int(1999)};
    rows_check_golden(&(struct rows_golden){"18-time-connect", "g.g_time_connect.tm", 0, connect, ROW_CREATE, NULL,
                                            cells, set_connect});
    rows_check_golden(
        &(struct rows_golden){"20-time-micro", "g.g_time_micro.tm", 0, connect, ROW_CREATE, NULL, cells, set_micros});
}

static void time_outside_the_day_is_lost_in_connect_mode(void **state)
{
    (void)state;
    const char create[] = "create table tx (id int primary key, t time, t6 time(6), dt datetime(6))";
    const struct cell midnight[] = {rows_int(1), rows_time(DAY), rows_time(DAY), rows_null()};
    rows_check_golden(&(struct rows_golden){"18-time-connect", "g.g_time_connect.tx", 0, create, ROW_CREATE, NULL,
                                            midnight, set_connect});
    const struct cell negative[] = {rows_int(2), rows_time(-SECOND), rows_time(-500000), rows_null()};
    rows_check_golden(&(struct rows_golden){"18-time-connect", "g.g_time_connect.tx", 1, create, ROW_CREATE, NULL,
                                            negative, set_connect});
}

static const char zero_dates[] =
    "create table zd (id int primary key, d date, dn date not null, dd date not null default '2001-02-03', t datetime, "
    "tn datetime(6) not null, td datetime default '2001-02-03 04:05:06', s timestamp null, sn timestamp not null, "
    "sd timestamp(3) not null default '2001-02-03 04:05:06')";

/* The golden table has two YEAR columns more, whose zero the reference reads as 1900. */
static void zero_dates_become_null_default_or_epoch(void **state)
{
    (void)state;
    const struct shape *shape = rows_shape("db", zero_dates);
    struct record_settings set = rows_settings(false);
    const struct cell zero = rows_datetime(0, 0, 0, 0, 0, 0, 0), zero_date = rows_date(0, 0, 0);
    const struct cell cells[] = {rows_int(11), zero_date, zero_date,         zero_date,         zero,
                                 zero,         zero,      rows_timestamp(0), rows_timestamp(0), rows_timestamp(0)};
    struct row_source src = {.snapshot = "false"};
    struct rows_result r = rows_render(shape, &set, &src, ROW_CREATE, 0, NULL, cells);
    assert_true(r.is_good);
    const char expected[] =
        "{\"before\":null,\"after\":{\"id\":11,\"d\":null,\"dn\":0,\"dd\":11356,\"t\":null,\"tn\":0,"
        "\"td\":981173106000,\"s\":null,\"sn\":\"1970-01-01T00:00:00Z\","
        "\"sd\":\"2001-02-03T04:05:06.000Z\"}";
    assert_memory_equal(rows_value(&r, 0).p, expected, sizeof expected - 1);
    rows_result_fini(&r);
    shape_free(&shape);
}

static void dates_with_one_zero_part_are_zero_dates(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a date)";
    rows_check_field(create, rows_date(2021, 0, 10), NULL, "\"a\":null");
    rows_check_field(create, rows_date(2021, 5, 0), NULL, "\"a\":null");
    rows_check_field(create, rows_date(0, 5, 5), NULL, "\"a\":null");
}

/* ---- other modes ---- */

static void iso_mode_prints_the_fewest_digits(void **state)
{
    (void)state;
    const char date[] = "create table t (id int primary key, a date)";
    rows_check_field(date, rows_date(2026, 8, 4), set_iso, "\"a\":\"2026-08-04Z\"");
    rows_check_field(date, rows_date(2026, 8, 4), set_iso, "\"name\":\"io.debezium.time.IsoDate\",\"version\":1");
    const char clock[] = "create table t (id int primary key, a time(6))";
    rows_check_field(clock, rows_time(4 * HOUR + 5 * MINUTE + 11 * SECOND + 789000), set_iso,
                     "\"a\":\"04:05:11.789Z\"");
    rows_check_field(clock, rows_time(DAY), set_iso, "\"a\":\"00:00:00Z\"");
    rows_check_field(clock, rows_time(DAY + 1), set_iso, "\"a\":null");
    rows_check_field(clock, rows_time(-1), set_iso, "\"a\":null");
    const char moment[] = "create table t (id int primary key, a datetime(6))";
    rows_check_field(moment, rows_datetime(2026, 8, 4, 9, 50, 22, 500000), set_iso, "\"a\":\"2026-08-04T09:50:22.5Z\"");
    rows_check_field(moment, rows_datetime(2026, 8, 4, 9, 50, 0, 0), set_iso, "\"a\":\"2026-08-04T09:50:00Z\"");
    rows_check_field("create table t (id int primary key, a datetime not null)", rows_datetime(0, 0, 0, 0, 0, 0, 0),
                     set_iso, "\"a\":\"1970-01-01T00:00:00Z\"");
}

static void nanosecond_mode_ends_where_64_bits_end(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a datetime(6))";
    rows_check_field(create, rows_datetime(1970, 1, 1, 0, 0, 1, 5), set_nanos, "\"a\":1000005000}");
    rows_check_field(create, rows_datetime(2262, 4, 11, 23, 47, 16, 854775), set_nanos, "\"a\":9223372036854775000}");
    rows_check_field(create, rows_datetime(2262, 4, 11, 23, 47, 16, 854776), set_nanos, "\"a\":null");
    rows_check_field(create, rows_datetime(1677, 9, 21, 0, 12, 43, 145224), set_nanos, "\"a\":null");
    rows_check_field("create table t (id int primary key, a time(6))", rows_time(-838 * HOUR), set_nanos,
                     "\"a\":-3016800000000000}");
}

static void impossible_dates_are_lost(void **state)
{
    (void)state;
    rows_check_field("create table t (id int primary key, a date)", rows_date(2021, 2, 31), NULL, "\"a\":null");
    rows_check_field("create table t (id int primary key, a date not null)", rows_date(2021, 2, 31), NULL, "\"a\":0}");
    rows_check_field("create table t (id int primary key, a datetime not null default '1970-01-02')",
                     rows_datetime(2023, 2, 29, 1, 2, 3, 0), NULL, "\"a\":86400000}");
    rows_check_field("create table t (id int primary key, a date)", rows_date(2024, 2, 29), NULL, "\"a\":19782}");
}

/* What Debezium's key headers have for Connect's own types: a java.util.Date, printed by how large it is. */
static void connect_keys_stand_as_java_dates_in_headers(void **state)
{
    (void)state;
    const struct shape *shape =
        rows_shape("db", "create table t (d date, t time(3), m datetime(3), v int, primary key (d,t,m))");
    struct record_settings set = rows_settings(false);
    set.time_mode = TIME_CONNECT;
    const struct cell before[] = {rows_date(2024, 1, 2), rows_time(1500000), rows_datetime(2024, 1, 2, 3, 4, 5, 60000),
                                  rows_int(1)};
    const struct cell after[] = {rows_date(1969, 1, 1), rows_time(DAY), rows_datetime(1970, 1, 1, 0, 0, 1, 0),
                                 rows_int(1)};
    struct row_source src = {.snapshot = "false"};
    struct rows_result r = rows_render(shape, &set, &src, ROW_UPDATE, 0, before, after);
    assert_true(r.is_good);
    assert_int_equal(r.row.n, 3);
    const char new_key[] = "{\"d\":00:00:00.000Z,\"t\":1970-01-02,\"m\":00:00:01.000Z}";
    const char old_key[] = "{\"d\":2024-01-02,\"t\":00:00:01.500Z,\"m\":2024-01-02T03:04:05.060Z}";
    assert_true(view_is(rows_header(&r, 0), new_key));
    assert_true(view_is(rows_header(&r, 2), old_key));
    rows_result_fini(&r);
    shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_mode_counts_by_precision),
        cmocka_unit_test(years_below_100_get_their_century),
        cmocka_unit_test(years_below_100_stay_without_the_adjuster),
        cmocka_unit_test(connect_and_micro_modes_count_in_their_unit),
        cmocka_unit_test(time_outside_the_day_is_lost_in_connect_mode),
        cmocka_unit_test(zero_dates_become_null_default_or_epoch),
        cmocka_unit_test(dates_with_one_zero_part_are_zero_dates),
        cmocka_unit_test(iso_mode_prints_the_fewest_digits),
        cmocka_unit_test(nanosecond_mode_ends_where_64_bits_end),
        cmocka_unit_test(impossible_dates_are_lost),
        cmocka_unit_test(connect_keys_stand_as_java_dates_in_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
