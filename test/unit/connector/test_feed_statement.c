/* SPDX-License-Identifier: Apache-2.0 */
/* Which records a statement causes. */
#include "connector/feed_statement.h"
#include "test/support/ddl_rig.h"
#include "test/support/golden.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

static void put_member(struct buf *out, struct view json, const char *name)
{
    buf_put_view(out, golden_member(json, name));
    buf_put_u8(out, ' ');
}

/* Puts a line for a record: its "table", the type of its change, its "ddl". */
static bool take(void *ctx, const char *topic, bool to_partition_0, struct view key, struct view value, uint32_t events,
                 struct fail *why)
{
    struct buf *lines = ctx;
    (void)events;
    (void)why;
    assert_string_equal(topic, "g");
    assert_true(to_partition_0);
    assert_true(key.n > 0);
    put_member(lines, value, "table");
    put_member(lines, golden_member(value, "tableChanges"), "type");
    buf_put_view(lines, golden_member(value, "ddl"));
    buf_put_u8(lines, '\n');
    return true;
}

/* What is told of the statement that was applied last. Database d is captured. */
static void tell(struct ddl_rig *rig, const struct record_settings *set, struct buf *lines)
{
    struct fail why;
    struct filter filter = {.database_include = regex_list_new(view_of("d"), &why)};
    const struct stream_transaction trx = {.gtid_text = "", .file = "binlog.000001"};
    const struct stream_statement st = {
        .trx = &trx, .file = "binlog.000001", .db = rig->ctx.db, .effects = &rig->result};
    assert_non_null(filter.database_include);
    assert_true(feed_statement_tell(set, &filter, &st, take, lines, &why));
    filter_fini(&filter);
}

static void check_told(struct ddl_rig *rig, const char *sql, const char *expected)
{
    const struct record_settings set = rows_settings(false);
    struct buf lines;
    buf_init(&lines);
    RUN(rig, sql);
    tell(rig, &set, &lines);
    buf_put_u8(&lines, 0);
    assert_string_equal((const char *)lines.start, expected);
    buf_fini(&lines);
}

static bool is_told(struct ddl_rig *rig, bool of_captured_databases, bool of_captured_tables)
{
    struct record_settings set = rows_settings(false);
    struct buf lines;
    set.captured_databases_only = of_captured_databases;
    set.captured_tables_only = of_captured_tables;
    buf_init(&lines);
    tell(rig, &set, &lines);
    bool is = buf_size(&lines) > 0;
    buf_fini(&lines);
    return is;
}

static int set_up(void **state)
{
    struct ddl_rig *rig = mem_zero(1, sizeof *rig);
    ddl_rig_init(rig);
    RUN(rig, "CREATE TABLE a (id INT PRIMARY KEY) PARTITION BY HASH(id) PARTITIONS 2",
        "CREATE TABLE b (id INT PRIMARY KEY)");
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    ddl_rig_fini(*state);
    free(*state);
    return 0;
}

static void statement_that_changes_rows_alone_is_one_change_of_its_table(void **state)
{
    check_told(*state, "ALTER TABLE a TRUNCATE PARTITION p0",
               "\"a\" \"ALTER\" \"ALTER TABLE a TRUNCATE PARTITION p0\"\n");
    check_told(*state, "ALTER TABLE a EXCHANGE PARTITION p0 WITH TABLE b",
               "\"a\" \"ALTER\" \"ALTER TABLE a EXCHANGE PARTITION p0 WITH TABLE b\"\n");
    check_told(*state, "ALTER TABLE b DISCARD TABLESPACE", "\"b\" \"ALTER\" \"ALTER TABLE b DISCARD TABLESPACE\"\n");
}

static void tables_of_a_dropped_database_have_no_records_of_their_own(void **state)
{
    check_told(*state, "DROP DATABASE d", "null  \"DROP DATABASE d\"\n");
}

static void names_told_are_those_of_one_database(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.is_captured = NULL; /* all are */
    RUN(rig, "CREATE TABLE e.x (id INT)");
    check_told(rig, "DROP TABLE b, e.x, a",
               "\"b,a\" \"DROP\" \"DROP TABLE `d`.`b`\"\n\"x\" \"DROP\" \"DROP TABLE `e`.`x`\"\n"
               "\"b,a\" \"DROP\" \"DROP TABLE `d`.`a`\"\n");
}

static void statements_about_others_are_told_unless_they_are_left_out(void **state)
{
    static const struct {
        const char *sql;
        bool is_of_captured_database;
        bool changes_captured;
    } known[] = {
        {"CREATE DATABASE other", false, false},
        {"DROP DATABASE other", false, false},
        {"CREATE DATABASE IF NOT EXISTS d", true, true},
        {"ALTER DATABASE d CHARACTER SET latin1", true, false},
        {"CREATE TABLE IF NOT EXISTS a (x INT)", true, false},
        {"CREATE INDEX i ON a (id)", true, false},
        {"FLUSH TABLES", true, false},
        {"ALTER TABLE a ADD x INT", true, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        RUN(*state, known[i].sql);
        assert_true(is_told(*state, false, false));
        if (is_told(*state, true, false) != known[i].is_of_captured_database)
            fail_msg("%s: only of captured databases", known[i].sql);
        if (is_told(*state, false, true) != known[i].changes_captured)
            fail_msg("%s: only of captured tables", known[i].sql);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(statement_that_changes_rows_alone_is_one_change_of_its_table),
        TEST(tables_of_a_dropped_database_have_no_records_of_their_own),
        TEST(names_told_are_those_of_one_database),
        TEST(statements_about_others_are_told_unless_they_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
