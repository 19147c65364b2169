/* SPDX-License-Identifier: Apache-2.0 */
/* QUERY and its relatives, as a 9.7 server wrote them. */
#include "binlog/statement.h"
#include "test/support/captured.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

enum { LATIN1 = 8, UTF8MB4_0900_AI_CI = 255 };

static struct statement read_of(struct event ev)
{
    struct statement st;
    struct fail why = {0};
    if (!statement_read(&ev, &st, &why))
        fail_msg("%s", why.text);
    return st;
}

static void statement_tells_its_circumstances(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "statements");
    struct statement create = read_of(captured_event(&cap, EVENT_QUERY, 1));
    assert_true(
        view_is(create.sql, "CREATE TABLE \"o d\".t (id INT AUTO_INCREMENT PRIMARY KEY, d DATETIME(6), u INT)"));
    assert_true(view_is(create.db, "o d"));
    assert_true(create.has_sql_mode && create.has_flags2 && create.has_collations);
    assert_int_equal(create.sql_mode, 4); /* ANSI_QUOTES */
    assert_int_equal(create.client_collation, LATIN1);
    assert_int_equal(create.connection_collation, LATIN1);
    assert_int_equal(create.server_collation, UTF8MB4_0900_AI_CI);
    assert_int_equal(create.utf8mb4_collation, UTF8MB4_0900_AI_CI);
    assert_int_equal(create.error, 0);
    assert_true(create.thread_id > 0);
    assert_true(create.ddl_xid > 0);
    assert_int_equal(create.flags2 & STATEMENT_NO_FOREIGN_KEY_CHECKS, 0);

    struct statement alter = read_of(captured_event(&cap, EVENT_QUERY, 2));
    assert_int_equal(alter.flags2 & STATEMENT_NO_FOREIGN_KEY_CHECKS, STATEMENT_NO_FOREIGN_KEY_CHECKS);
    captured_free(&cap);
}

static void statement_tells_the_databases_it_touches(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "statements");
    struct statement drop = read_of(captured_event(&cap, EVENT_QUERY, 6));
    struct view names = drop.touched;
    assert_int_equal(drop.n_touched, 2);
    assert_true(view_is(statement_next_db(&names), "pd"));
    assert_true(view_is(statement_next_db(&names), "o d"));
    assert_int_equal(statement_next_db(&names).n, 0);
    captured_free(&cap);
}

static void statement_tells_time_zone_when_it_was_used(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "statements");
    struct statement begin = read_of(captured_event(&cap, EVENT_QUERY, 9));
    assert_true(view_is(begin.sql, "BEGIN"));
    assert_true(view_is(begin.time_zone, "+02:00"));
    assert_int_equal(read_of(captured_event(&cap, EVENT_QUERY, 8)).time_zone.n, 0);
    captured_free(&cap);
}

static void every_captured_statement_is_read(void **state)
{
    (void)state;
    const char *files[] = {"statements", "xa", "types", "statement_format", "partitions", "anonymous"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct captured cap;
        captured_load(&cap, files[f]);
        size_t n = 0;
        for (size_t i = 0; i < cap.n; i++)
            n += cap.events[i].p[4] == EVENT_QUERY;
        assert_true(n > 3);
        for (size_t i = 0; i < n; i++) {
            struct statement st = read_of(captured_event(&cap, EVENT_QUERY, i));
            assert_true(st.sql.n >= 5);
            assert_true(st.has_flags2 && st.has_sql_mode && st.has_collations);
        }
        captured_free(&cap);
    }
}

/* thread 1, 2 seconds, error 1062, then the status variables of the test, db "d", "SQL" */
static bool read_hex(const char *status, struct statement *out, struct buf *bytes)
{
    struct buf vars;
    struct fail why;
    buf_init(&vars);
    captured_hex(status, &vars);
    buf_clear(bytes);
    captured_hex("01000000 02000000 01 2604", bytes);
    buf_put_le(bytes, buf_size(&vars), 2);
    buf_put_view(bytes, buf_view(&vars));
    captured_hex("64 00 53514c", bytes);
    buf_fini(&vars);
    struct event ev = {.header = {.type = EVENT_QUERY}, .body = buf_view(bytes)};
    return statement_read(&ev, out, &why);
}

static void statement_walks_over_every_status_variable(void **state)
{
    (void)state;
    struct statement st;
    struct buf bytes;
    buf_init(&bytes);
    assert_true(read_hex("", &st, &bytes));
    assert_false(st.has_flags2 || st.has_collations || st.has_sql_mode || st.has_explicit_timestamp_defaults);
    assert_int_equal(st.error, 1062);
    assert_true(view_is(st.db, "d"));
    assert_true(view_is(st.sql, "SQL"));

    assert_true(read_hex("00 00000004 01 0400000000000000 02 03 737464 00 03 0100 0200 04 0800 0900 ff00"
                         "05 03 555443 06 03 737464 07 0100 08 2100 09 0100000000000000 0a 05000000"
                         "0b 01 75 02 6868 0c 02 6100 6200 0d 40420f 0e 0000000000000000 0f 0000000000000000"
                         "10 01 11 0700000000000000 12 2d00 13 01 14 00",
                         &st, &bytes));
    assert_int_equal(st.flags2, STATEMENT_NO_FOREIGN_KEY_CHECKS);
    assert_int_equal(st.connection_collation, 9);
    assert_true(view_is(st.time_zone, "UTC"));
    assert_int_equal(st.database_collation, 33);
    assert_int_equal(st.n_touched, 2);
    assert_int_equal(st.micro, 1000000);
    assert_true(st.has_explicit_timestamp_defaults && st.explicit_timestamp_defaults);
    assert_int_equal(st.ddl_xid, 7);
    assert_int_equal(st.utf8mb4_collation, 45);

    assert_true(read_hex("0c fe", &st, &bytes));
    assert_true(st.touches_too_many);
    assert_int_equal(st.n_touched, 0);
    assert_true(read_hex("00 01000000 63 0102", &st, &bytes)); /* a code of the future */
    assert_int_equal(st.flags2, 1);
    assert_false(read_hex("00 010000", &st, &bytes));
    assert_false(read_hex("0c 02 6100 62", &st, &bytes));
    assert_false(read_hex("05 04 555443", &st, &bytes));
    buf_fini(&bytes);
}

static void statement_refuses_cut_bodies(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "statements");
    struct event ev = captured_event(&cap, EVENT_QUERY, 6);
    struct statement st = read_of(ev);
    size_t head = ev.body.n - st.sql.n;
    for (size_t n = 0; n < head; n++) {
        struct event cut = ev;
        struct fail why;
        cut.body.n = n;
        assert_false(statement_read(&cut, &st, &why));
    }
    captured_free(&cap);
}

static void rows_query_gives_the_whole_text(void **state)
{
    (void)state;
    struct captured cap;
    struct view sql;
    struct fail why;
    captured_load(&cap, "statements");
    struct event ev = captured_event(&cap, EVENT_ROWS_QUERY, 0);
    assert_true(statement_read_rows_query(&ev, &sql, &why));
    assert_true(view_is(sql, "INSERT INTO t VALUES /* gr\xc3\xb6\xc3\x9f"
                             "e */ (1),(2)"));
    assert_int_equal(ev.header.flags, EVENT_FLAG_IGNORABLE);
    ev.body.n = 0;
    assert_false(statement_read_rows_query(&ev, &sql, &why));
    captured_free(&cap);
}

static void xid_is_read(void **state)
{
    (void)state;
    struct captured cap;
    uint64_t xid = 0;
    struct fail why;
    captured_load(&cap, "statements");
    struct event ev = captured_event(&cap, EVENT_XID, 0);
    assert_true(statement_read_xid(&ev, &xid, &why));
    assert_true(xid > 0);
    ev.body.n = 7;
    assert_false(statement_read_xid(&ev, &xid, &why));
    captured_free(&cap);
}

/* The name printed is the one that XA COMMIT has in the log: that of the query behind its keyword. */
static void check_xa(const struct captured *cap, size_t prepare, size_t query, const char *verb, bool one_phase)
{
    struct event ev = captured_event(cap, EVENT_XA_PREPARE, prepare);
    struct xa_prepare_event xa;
    struct fail why;
    struct buf name;
    buf_init(&name);
    assert_true(statement_read_xa_prepare(&ev, &xa, &why));
    assert_int_equal(xa.one_phase, one_phase);
    buf_put_text(&name, verb);
    statement_print_xa(&xa, &name);
    struct statement st = read_of(captured_event(cap, EVENT_QUERY, query));
    if (!view_equal(buf_view(&name), st.sql))
        fail_msg("%.*s is not %.*s", VIEW_ARGS(buf_view(&name)), VIEW_ARGS(st.sql));
    buf_fini(&name);
    for (size_t n = ev.body.n; n-- > 0;) {
        ev.body.n = n;
        assert_false(statement_read_xa_prepare(&ev, &xa, &why));
    }
}

static void xa_prepare_prints_the_name_that_its_end_has(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "xa");
    check_xa(&cap, 0, 5, "XA COMMIT ", false);
    check_xa(&cap, 1, 8, "XA ROLLBACK ", false);
    check_xa(&cap, 2, 10, "XA END ", true);
    captured_free(&cap);
}

static void pieces_of_statement_format_are_known(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "statement_format");
    size_t n = 0;
    for (size_t i = 0; i < cap.n; i++)
        n += statement_is_piece(cap.events[i].p[4]);
    assert_int_equal(n, 10); /* INTVAR 3, RAND, USER_VAR 4, BEGIN_LOAD_QUERY, EXECUTE_LOAD_QUERY */
    struct statement load = read_of(captured_event(&cap, EVENT_EXECUTE_LOAD_QUERY, 0));
    assert_int_equal(strncmp((const char *)load.sql.p, "LOAD DATA INFILE", 16), 0);
    assert_false(statement_is_piece(EVENT_QUERY));
    captured_free(&cap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statement_tells_its_circumstances),
        cmocka_unit_test(statement_tells_the_databases_it_touches),
        cmocka_unit_test(statement_tells_time_zone_when_it_was_used),
        cmocka_unit_test(every_captured_statement_is_read),
        cmocka_unit_test(statement_walks_over_every_status_variable),
        cmocka_unit_test(statement_refuses_cut_bodies),
        cmocka_unit_test(rows_query_gives_the_whole_text),
        cmocka_unit_test(xid_is_read),
        cmocka_unit_test(xa_prepare_prints_the_name_that_its_end_has),
        cmocka_unit_test(pieces_of_statement_format_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
