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

/* What was told, a record a line: its "table", the types of its changes, its "ddl". */
struct told {
    struct buf text;
};

static void put_member(struct buf *out, struct view json, const char *name)
{
    buf_put_view(out, golden_member(json, name));
    buf_put_u8(out, ' ');
}

static bool take(void *ctx, const char *topic, bool to_partition_0, struct view key, struct view value, uint32_t events,
                 struct fail *why)
{
    struct told *told = ctx;
    (void)events;
    (void)why;
    assert_string_equal(topic, "g");
    assert_true(to_partition_0);
    assert_true(key.n > 0);
    put_member(&told->text, value, "table");
    struct view changes = golden_member(value, "tableChanges");
    put_member(&told->text, changes, "type");
    buf_put_view(&told->text, golden_member(value, "ddl"));
    buf_put_u8(&told->text, '\n');
    return true;
}

/* One statement more on tables a and b of database d, with these settings, must be told so. */
static void check_told(struct ddl_rig *rig, const struct record_settings *set, const char *sql, const char *expected)
{
    struct told told;
    struct fail why;
    const struct stream_transaction trx = {.gtid_text = "", .file = "binlog.000001"};
    RUN(rig, sql);
    const struct stream_statement st = {
        .trx = &trx, .file = "binlog.000001", .db = rig->ctx.db, .sql = view_of(sql), .effects = &rig->result};
    buf_init(&told.text);
    if (!feed_statement_tell(set, &st, take, &told, &why))
        fail_msg("%s: %s", sql, why.text);
    buf_put_u8(&told.text, 0);
    assert_string_equal((const char *)told.text.start, expected);
    buf_fini(&told.text);
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
    const struct record_settings set = rows_settings(false);
    check_told(*state, &set, "ALTER TABLE a TRUNCATE PARTITION p0",
               "\"a\" \"ALTER\" \"ALTER TABLE a TRUNCATE PARTITION p0\"\n");
    check_told(*state, &set, "ALTER TABLE a EXCHANGE PARTITION p0 WITH TABLE b",
               "\"a\" \"ALTER\" \"ALTER TABLE a EXCHANGE PARTITION p0 WITH TABLE b\"\n");
    check_told(*state, &set, "ALTER TABLE b DISCARD TABLESPACE",
               "\"b\" \"ALTER\" \"ALTER TABLE b DISCARD TABLESPACE\"\n");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(statement_that_changes_rows_alone_is_one_change_of_its_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
