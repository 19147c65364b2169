/* SPDX-License-Identifier: Apache-2.0 */
/* What `offsets show` counts and prints. */
#include "connector/offsets_report.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define UUID "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#define OTHER "8a94f357-aab4-11df-86ab-c80aa9429563"

static struct offset_state stored;
static struct offsets_report report;

static int prepare(void **state)
{
    (void)state;
    struct fail why;
    offset_state_init(&stored);
    assert_true(position_set(&stored.pos, view_of("binlog.000007"), 4711, &why));
    stored.has_gtids = true;
    assert_true(gtid_set_read(&stored.gtids, view_of(UUID ":1-77"), &why));
    snprintf(stored.server_uuid, sizeof stored.server_uuid, "%s", UUID);
    stored.ts_sec = 1700000000;
    report = (struct offsets_report){
        .name = "shop-cdc",
        .topic_prefix = "shop",
        .place = "topic tidemark-offsets",
        .stored = &stored,
        .now_sec = 1700000012,
        .server = "db1:3306",
    };
    snprintf(report.server_uuid, sizeof report.server_uuid, "%s", UUID);
    assert_true(position_set(&report.end, view_of("binlog.000009"), 500, &why));
    return 0;
}

static int clean(void **state)
{
    (void)state;
    offset_state_fini(&stored);
    return 0;
}

static void add_files(void)
{
    offsets_report_add_file(&report, view_of("binlog.000006"), 9999);
    offsets_report_add_file(&report, view_of("binlog.000007"), 5000);
    offsets_report_add_file(&report, view_of("binlog.000008"), 1000);
    offsets_report_add_file(&report, view_of("binlog.000009"), 500);
}

static void compare(const char *executed)
{
    struct gtid_set set;
    struct fail why;
    gtid_set_init(&set);
    assert_true(gtid_set_read(&set, view_of(executed), &why));
    offsets_report_compare(&report, &set);
    gtid_set_fini(&set);
}

static bool prints(const char *text)
{
    struct buf out;
    buf_init(&out);
    offsets_report_print(&report, &out);
    buf_put_u8(&out, 0);
    bool has = strstr((const char *)out.start, text) != NULL;
    if (!has)
        print_message("%s", (const char *)out.start);
    buf_fini(&out);
    return has;
}

static bool prints_json(const char *text)
{
    struct buf out;
    buf_init(&out);
    offsets_report_print_json(&report, &out);
    buf_put_u8(&out, 0);
    bool has = strstr((const char *)out.start, text) != NULL;
    if (!has)
        print_message("%s", (const char *)out.start);
    buf_fini(&out);
    return has;
}

static void lag_is_what_the_server_has_beyond_the_position(void **state)
{
    (void)state;
    add_files();
    compare(UUID ":1-80," OTHER ":1-2");
    assert_int_equal(report.lag_bytes, 289 + 1000 + 500);
    assert_int_equal(report.lag_transactions, 5);
    assert_true(prints("position       binlog.000007:4711\ngtids          " UUID ":1-77\nof server      " UUID "\n"
                       "last change    2023-11-14T22:13:20Z, 12 s ago\n"
                       "server         db1:3306, " UUID ", its log ends at binlog.000009:500\n"
                       "lag            1789 bytes, 5 transactions\n"));
    assert_true(prints_json(
        "{\"name\":\"shop-cdc\",\"topic_prefix\":\"shop\",\"stored_in\":\"topic tidemark-offsets\",\"stored\":{"
        "\"position\":{\"file\":\"binlog.000007\",\"pos\":4711},\"event\":0,\"row\":0,"
        "\"reached\":{\"file\":\"binlog.000007\",\"pos\":4711},\"gtids\":\"" UUID ":1-77\","
        "\"server_uuid\":\"" UUID "\",\"prepared_xa\":0,\"moved_from\":null,\"ts_sec\":1700000000,\"age_sec\":12},"
        "\"server\":{\"address\":\"db1:3306\",\"fault\":null,\"server_uuid\":\"" UUID "\","
        "\"end\":{\"file\":\"binlog.000009\",\"pos\":500}},\"lag_bytes\":1789,\"lag_transactions\":5}\n"));
}

static void bytes_are_not_counted_on_another_servers_log(void **state)
{
    (void)state;
    snprintf(report.server_uuid, sizeof report.server_uuid, "%s", OTHER);
    add_files();
    assert_false(report.has_lag_bytes);
    assert_true(prints("lag            unknown: the position is of another server's log\n"));
    compare(UUID ":1-77");
    assert_true(prints("lag            0 transactions\n"));
    assert_true(prints_json("\"lag_bytes\":null,\"lag_transactions\":0}"));
}

static void purged_file_leaves_bytes_unknown(void **state)
{
    (void)state;
    offsets_report_add_file(&report, view_of("binlog.000008"), 1000);
    assert_false(report.has_lag_bytes);
    stored.has_gtids = false;
    compare(UUID ":1-80");
    assert_false(report.has_lag_transactions);
    assert_true(prints("lag            unknown: the server no longer has that log file\n"));
}

static void bytes_are_counted_from_where_the_stream_is(void **state)
{
    (void)state;
    struct fail why;
    assert_true(position_set(&stored.reached, view_of("binlog.000009"), 100, &why));
    add_files();
    assert_int_equal(report.lag_bytes, 400);
    assert_true(prints("reached        binlog.000009:100\n"));
}

static void position_inside_a_transaction_is_told(void **state)
{
    (void)state;
    stored.event = 3;
    stored.row = 12;
    assert_true(prints("inside         a transaction: 3 of its events and 12 rows of the next are done\n"));
}

static void server_that_cannot_be_asked_is_told_and_nothing_counted(void **state)
{
    (void)state;
    report.server_fault = "connect to db1:3306: \"refused\"";
    report.server_uuid[0] = '\0';
    report.end.file[0] = '\0';
    assert_true(prints("server         can't be asked: connect to db1:3306: \"refused\"\n"));
    assert_true(prints_json("\"fault\":\"connect to db1:3306: \\\"refused\\\"\",\"server_uuid\":null,\"end\":null},"
                            "\"lag_bytes\":null,\"lag_transactions\":null}"));
}

static void nothing_stored_is_said_so(void **state)
{
    (void)state;
    report.stored = NULL;
    add_files();
    compare(UUID ":1-80");
    assert_true(prints("position       none: nothing was stored under this name yet\n"));
    assert_true(prints_json("\"stored\":null,"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, prepare, clean)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lag_is_what_the_server_has_beyond_the_position),
        TEST(bytes_are_not_counted_on_another_servers_log),
        TEST(purged_file_leaves_bytes_unknown),
        TEST(bytes_are_counted_from_where_the_stream_is),
        TEST(position_inside_a_transaction_is_told),
        TEST(server_that_cannot_be_asked_is_told_and_nothing_counted),
        TEST(nothing_stored_is_said_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
