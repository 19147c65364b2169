/* SPDX-License-Identifier: Apache-2.0 */
/* offsets: what is printed is what Kafka Connect stores; what is read comes back byte by byte. */
#include "connector/offsets.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define U "3e11fa47-71ca-11e1-9e33-c80aa9429562"

static void check_text(struct buf *out, const char *expected)
{
    buf_put_u8(out, 0);
    assert_string_equal((const char *)out->start, expected);
    buf_fini(out);
}

static void check_prints(const struct offset_state *st, const char *expected)
{
    struct buf out;
    buf_init(&out);
    offsets_print(st, &out);
    check_text(&out, expected);
}

static void read_ok(struct offset_state *st, const char *text)
{
    struct fail why = {0};
    offset_state_init(st);
    if (!offsets_read(st, view_of(text), &why))
        fail_msg("%s: %s", text, why.text);
}

static void check_comes_back(const char *text)
{
    struct offset_state st, copy;
    read_ok(&st, text);
    check_prints(&st, text);
    offset_state_init(&copy);
    offset_state_copy(&copy, &st);
    offset_state_fini(&st);
    check_prints(&copy, text);
    offset_state_fini(&copy);
}

static void check_refused(const char *text, const char *because)
{
    struct offset_state st;
    struct fail why = {0};
    offset_state_init(&st);
    if (offsets_read(&st, view_of(text), &why))
        fail_msg("taken: %s", text);
    assert_int_equal(why.kind, FAIL_REFUSE);
    if (strstr(why.text, because) == NULL)
        fail_msg("%s is not in: %s", because, why.text);
    offset_state_fini(&st);
}

static void offsets_key_is_that_of_connect(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out);
    offsets_print_key("shop", "shop-eu", &out);
    check_text(&out, "[\"shop\",{\"server\":\"shop-eu\"}]");
    buf_init(&out);
    offsets_print_key("a\"b\\c\x01\n\xc3\xa9", "p", &out);
    check_text(&out, "[\"a\\\"b\\\\c\\u0001\\n\xc3\xa9\",{\"server\":\"p\"}]");
    buf_init(&out);
    offsets_print_key("\xf0\x9f\x9b\x92", "p", &out); /* Jackson escapes what UTF-16 needs two units for */
    check_text(&out, "[\"\\uD83D\\uDED2\",{\"server\":\"p\"}]");
}

static void offsets_print_members_in_debeziums_order(void **state)
{
    (void)state;
    struct offset_state st;
    struct fail why;
    offset_state_init(&st);
    st.ts_sec = 1700000000;
    assert_true(position_set(&st.pos, view_of("binlog.000007"), 4711, &why));
    st.has_gtids = true;
    assert_true(gtid_set_read(&st.gtids, view_of(U ":1-77"), &why));
    st.event = 2;
    st.row = 1;
    st.server_id = 223344;
    check_prints(&st, "{\"ts_sec\":1700000000,\"file\":\"binlog.000007\",\"pos\":4711,\"gtids\":\"" U
                      ":1-77\",\"row\":1,\"server_id\":223344,\"event\":2}");
    st.event = st.row = 0;
    st.has_gtids = false;
    check_prints(&st, "{\"ts_sec\":1700000000,\"file\":\"binlog.000007\",\"pos\":4711,\"server_id\":223344}");
    offset_state_fini(&st);
}

static void offsets_come_back_as_they_were(void **state)
{
    (void)state;
    check_comes_back("{\"file\":\"binlog.000001\",\"pos\":4}");
    check_comes_back("{\"file\":\"binlog.000001\",\"pos\":9007199254740992}");
    check_comes_back(
        "{\"ts_sec\":1,\"file\":\"b.1\",\"pos\":0,\"gtids\":\"\",\"server_id\":4294967295,\"snapshot\":\"BLOCKING\"}");
    check_comes_back("{\"file\":\"b.1\",\"pos\":4,\"gtids\":\"\",\"row\":7,\"event\":3,\"tidemark_inside_gtid\":\"" U
                     ":9\",\"tidemark_inside_rows\":107}");
    check_comes_back("{\"file\":\"b.1\",\"pos\":4,\"tidemark_server_uuid\":\"" U "\",\"tidemark_log_file\":\"b.2\","
                     "\"tidemark_log_made\":1796063685,\"tidemark_reached_file\":\"b.2\","
                     "\"tidemark_reached_pos\":157,\"tidemark_signal_offset\":0,\"tidemark_signal_topic\":\"2Qx0\","
                     "\"tidemark_paused\":true,"
                     "\"tidemark_snapshots\":\"[{\\\"id\\\":\\\"a\\\"}]\"}");
    check_comes_back(
        "{\"file\":\"b.1\",\"pos\":4,\"tidemark_xa\":\"[{\\\"xid\\\":\\\"X'6162',X'',1\\\",\\\"gtid\\\":\\\"" U
        ":tag:9\\\",\\\"file\\\":\\\"b.1\\\",\\\"pos\\\":4},{\\\"xid\\\":\\\"X'63',X'',1\\\",\\\"file\\\":"
        "\\\"b.1\\\",\\\"pos\\\":99,\\\"ts_sec\\\":1700000000}]\"}");
    check_comes_back(
        "{\"file\":\"b.1\",\"pos\":4,\"tidemark_xa_before\":\"[\\\"X'6162',X'',1\\\",\\\"X'63',X'',1\\\"]\","
        "\"tidemark_tables_read\":true}");
}

static void early_xa_transactions_leave_the_state_one_by_one(void **state)
{
    (void)state;
    struct offset_state st;
    offset_state_init(&st);
    offset_state_add_early_xa(&st, view_of("a"));
    offset_state_add_early_xa(&st, view_of("ab"));
    offset_state_add_early_xa(&st, view_of("b"));
    assert_false(offset_state_remove_early_xa(&st, view_of("c")));
    assert_true(offset_state_remove_early_xa(&st, view_of("ab")));
    assert_false(offset_state_remove_early_xa(&st, view_of("ab")));
    assert_true(offset_state_remove_early_xa(&st, view_of("a")));
    assert_string_equal((const char *)st.early_xa.start, "b");
    assert_true(offset_state_remove_early_xa(&st, view_of("b")));
    assert_int_equal(buf_size(&st.early_xa), 0);
    assert_false(offset_state_remove_early_xa(&st, view_of("b")));
    offset_state_fini(&st);
}

/* Taken from the offset store of Kafka Connect 4.3.1 with Debezium 3.6.1.Final and MySQL 9.7. */
static void offsets_print_the_bytes_that_debezium_stores(void **state)
{
    (void)state;
#define D "a5504676-ecec-11f1-b638-02fc00000001"
    check_comes_back("{\"ts_sec\":1796063685,\"file\":\"binlog.000001\",\"pos\":820231,\"gtids\":\"" D
                     ":1-10\",\"snapshot\":\"INITIAL\"}");
    check_comes_back("{\"ts_sec\":1796063685,\"file\":\"binlog.000001\",\"pos\":820231,\"gtids\":\"" D ":1-10\"}");
    check_comes_back("{\"ts_sec\":1796063686,\"file\":\"binlog.000001\",\"pos\":820311,\"gtids\":\"" D
                     ":1-10\",\"row\":15,\"server_id\":101,\"event\":5}");
    check_comes_back("{\"ts_sec\":1796063686,\"file\":\"binlog.000001\",\"pos\":1229298,\"gtids\":\"" D
                     ":1-11\",\"row\":1,\"server_id\":101,\"event\":2}");
}

static void offsets_keep_unknown_members_byte_by_byte(void **state)
{
    (void)state;
    check_comes_back(
        "{\"file\":\"b.1\",\"pos\":4,"
        "\"incremental_snapshot_collections\":\"[{\\\"a\\\":1,\\\"b\\\":\\\"}]\\\"}]\","
        "\"incremental_snapshot_primary_key\":\"aced000570\",\"tidemark_previous\":\"{\\\"file\\\":\\\"b.0\\\"}\","
        "\"transaction_id\":null,\"big\":12345678901234567890,\"x\":{\"y\":[1,{\"z\":\",\"}]}}");
    struct offset_state st;
    read_ok(&st, " { \"q\" : [ 1 , 2 ] ,\n \"file\" : \"b.1\" , \"pos\" : 4 , \"t\\u0061il\":\"\\\\\" } ");
    check_prints(&st, "{\"file\":\"b.1\",\"pos\":4,\"q\" : [ 1 , 2 ],\"t\\u0061il\":\"\\\\\"}");
    offset_state_fini(&st);
}

static void offsets_read_what_debezium_wrote(void **state)
{
    (void)state;
    struct offset_state st;
    read_ok(&st, "{\"transaction_id\":null,\"ts_sec\":1573472423,\"file\":\"mysql-bin.000003\",\"pos\":805,\"row\":1,"
                 "\"server_id\":223344,\"event\":2}");
    assert_int_equal(st.ts_sec, 1573472423);
    assert_string_equal(st.pos.file, "mysql-bin.000003");
    assert_int_equal(st.pos.offset, 805);
    assert_int_equal(st.row, 1);
    assert_int_equal(st.event, 2);
    assert_int_equal(st.server_id, 223344);
    assert_false(st.has_gtids);
    assert_string_equal(st.snapshot, "");
    offset_state_fini(&st);
    read_ok(&st, "{\"file\":\"b.1\",\"pos\":4,\"snapshot\":true,\"gtids\":null}");
    assert_string_equal(st.snapshot, "INITIAL");
    assert_false(st.has_gtids);
    offset_state_fini(&st);
}

static void offsets_that_are_wrong_are_refused_in_words(void **state)
{
    (void)state;
    check_refused("", "not a JSON object");
    check_refused("null", "not a JSON object");
    check_refused("[]", "not a JSON object");
    check_refused("{\"file\":\"b.1\"", "not a JSON object");
    check_refused("{\"file\":\"b.1\",\"pos\":4} x", "not a JSON object");
    check_refused("{}", "it has no file");
    check_refused("{\"pos\":4}", "it has no file");
    check_refused("{\"file\":7,\"pos\":4}", "member file");
    check_refused("{\"file\":\"b.1\",\"pos\":\"4\"}", "member pos");
    check_refused("{\"file\":\"b.1\",\"pos\":-4}", "member pos");
    check_refused("{\"file\":\"b.1\",\"pos\":4.5}", "member pos");
    check_refused("{\"file\":\"b.1\",\"pos\":1e300}", "member pos");
    check_refused("{\"file\":\"b.1\",\"pos\":4,\"server_id\":4294967296}", "member server_id");
    check_refused("{\"file\":\"b.1\",\"pos\":4,\"gtids\":\"nonsense\"}", "member gtids");
    check_refused("{\"file\":\"b.1\",\"pos\":4,\"tidemark_xa\":[]}", "member tidemark_xa");
    check_refused("{\"file\":\"b.1\",\"pos\":4,\"tidemark_xa\":\"[{}]\"}", "tidemark_xa");
    check_refused(
        "{\"file\":\"b.1\",\"pos\":4,\"tidemark_xa\":\"[{\\\"xid\\\":\\\"x\\\",\\\"file\\\":\\\"b.1\\\",\\\"pos\\\":4,"
        "\\\"gtid\\\":\\\"" U ":1-2\\\"}]\"}",
        "not one GTID");
    check_refused("{\"file\":\"b.1\",\"pos\":4,\"tidemark_paused\":1}", "tidemark_paused");
    check_refused("{\"file\":\"b.1\",\"pos\":4,\"tidemark_tables_read\":\"x\"}", "tidemark_tables_read");
    check_refused("{\"file\":\"b.1\",\"pos\":4,\"tidemark_xa_before\":\"[7]\"}", "tidemark_xa_before");
}

static void offsets_replace_what_was_read_before(void **state)
{
    (void)state;
    struct offset_state st;
    struct fail why;
    read_ok(&st,
            "{\"file\":\"b.1\",\"pos\":4,\"event\":3,\"gtids\":\"" U ":1\",\"x\":1,\"tidemark_snapshots\":\"[]\"}");
    assert_true(offsets_read(&st, view_of("{\"file\":\"b.2\",\"pos\":5}"), &why));
    check_prints(&st, "{\"file\":\"b.2\",\"pos\":5}");
    offset_state_fini(&st);
}

static void check_inside(const char *text, const char *expected)
{
    struct offset_state st;
    struct buf out;
    read_ok(&st, text);
    buf_init(&out);
    assert_true(offset_state_is_inside(&st));
    offset_state_put_inside(&st, &out);
    check_text(&out, expected);
    offset_state_leave(&st);
    assert_false(offset_state_is_inside(&st));
    offset_state_fini(&st);
}

static void offsets_say_what_is_told_in_part(void **state)
{
    (void)state;
    check_inside("{\"file\":\"b.1\",\"pos\":4,\"row\":7,\"event\":3}",
                 "a transaction: 3 of its events and 7 rows of the next are done");
    check_inside("{\"file\":\"b.1\",\"pos\":4,\"tidemark_inside_gtid\":\"" U ":9\",\"tidemark_inside_rows\":107}",
                 "transaction " U ":9: 107 of its rows are done, by another server's log");
}

static void offsets_follow_xa_transactions(void **state)
{
    (void)state;
    struct offset_state st;
    struct gtid none = {0};
    struct log_position pos = {"b.1", 100};
    offset_state_init(&st);
    st.pos = pos;
    offset_state_add_xa(&st, view_of("a"), &none, &pos, 0);
    offset_state_add_xa(&st, view_of("b"), &none, &pos, 0);
    offset_state_add_xa(&st, view_of("c"), &none, &pos, 0);
    assert_true(offset_state_remove_xa(&st, view_of("b")));
    assert_false(offset_state_remove_xa(&st, view_of("b")));
    assert_int_equal(st.n_xa, 2);
    assert_string_equal(st.xa[0].xid, "a");
    assert_string_equal(st.xa[1].xid, "c");
    assert_true(offset_state_remove_xa(&st, view_of("a")));
    assert_true(offset_state_remove_xa(&st, view_of("c")));
    check_prints(&st, "{\"file\":\"b.1\",\"pos\":100}");
    offset_state_fini(&st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_key_is_that_of_connect),
        cmocka_unit_test(offsets_print_members_in_debeziums_order),
        cmocka_unit_test(offsets_come_back_as_they_were),
        cmocka_unit_test(early_xa_transactions_leave_the_state_one_by_one),
        cmocka_unit_test(offsets_print_the_bytes_that_debezium_stores),
        cmocka_unit_test(offsets_keep_unknown_members_byte_by_byte),
        cmocka_unit_test(offsets_read_what_debezium_wrote),
        cmocka_unit_test(offsets_that_are_wrong_are_refused_in_words),
        cmocka_unit_test(offsets_replace_what_was_read_before),
        cmocka_unit_test(offsets_say_what_is_told_in_part),
        cmocka_unit_test(offsets_follow_xa_transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
