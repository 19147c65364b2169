/* SPDX-License-Identifier: Apache-2.0 */
/* frontier: a transaction that was told in part, and what comes before it has come again: another server, XA transactions. */
#include "connector/frontier.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct frontier front;

static const struct gtid half = {.uuid = {1}, .n = 5};
static const struct gtid before = {.uuid = {1}, .n = 6};

static void pass_mark(enum change_kind kind, const struct gtid *gtid, const char *file, uint64_t offset)
{
    struct change chg = {.kind = kind, .mark = {.gtid = gtid, .file = file, .offset = offset}};
    frontier_pass(&front, &chg);
}

static void pass_origin(const char *uuid)
{
    struct change chg = {.kind = CHANGE_ORIGIN, .mark = {.server_uuid = uuid}};
    frontier_pass(&front, &chg);
}

static void pass_row(uint32_t events, uint32_t rows, uint32_t told)
{
    struct change chg = {.kind = CHANGE_RECORD, .events = events, .rows = rows, .told = told};
    frontier_pass(&front, &chg);
}

/* Told in part on server a: 2 events, 3 rows of the next, 103 rows in all. */
static int begin_half(void **state)
{
    (void)state;
    struct offset_state stored;
    offset_state_init(&stored);
    stored.has_gtids = true;
    snprintf(stored.server_uuid, sizeof stored.server_uuid, "a");
    snprintf(stored.pos.file, sizeof stored.pos.file, "a.9");
    frontier_init(&front);
    frontier_start(&front, &stored, true);
    offset_state_fini(&stored);
    pass_mark(CHANGE_BEGIN, &half, "a.9", 100);
    pass_row(2, 3, 103);
    return 0;
}

static int end(void **state)
{
    (void)state;
    frontier_fini(&front);
    return 0;
}

static void check_hands_over(const struct gtid *gtid, bool expected)
{
    struct gtid_set set;
    gtid_set_init(&set);
    frontier_copy_handed_over(&front, &set);
    assert_true(gtid_set_has(&set, gtid) == expected);
    gtid_set_fini(&set);
}

static void the_place_inside_a_transaction_names_it(void **state)
{
    (void)state;
    assert_int_equal(front.state.event, 2);
    assert_int_equal(front.state.row, 3);
    assert_int_equal(front.state.inside.n, 5);
    assert_int_equal(front.state.inside_rows, 103);
    check_hands_over(&half, true);
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 900);
    assert_false(offset_state_is_inside(&front.state));
}

static void another_server_leaves_the_rows_and_no_place(void **state)
{
    (void)state;
    pass_origin("b");
    assert_int_equal(front.state.event, 0);
    assert_int_equal(front.state.row, 0);
    assert_int_equal(front.state.inside_rows, 103);
    assert_false(frontier_is_storable(&front));
    assert_false(frontier_has_handed_over(&front));
    check_hands_over(&half, true);
    pass_mark(CHANGE_POSITION, NULL, "b.1", 4);
    assert_true(frontier_is_storable(&front));
    assert_string_equal(front.state.pos.file, "b.1");
    assert_int_equal(front.state.inside.n, 5);
}

static void nothing_is_stored_within_what_stands_before_it(void **state)
{
    (void)state;
    pass_origin("b");
    pass_mark(CHANGE_POSITION, NULL, "b.1", 4);
    pass_mark(CHANGE_BEGIN, &before, "b.1", 4);
    pass_row(2, 1, 1);
    assert_false(frontier_is_storable(&front));
    check_hands_over(&before, true);
    pass_mark(CHANGE_COMMIT, NULL, "b.1", 200);
    assert_true(frontier_is_storable(&front));
    assert_true(gtid_set_has(&front.state.gtids, &before));
    assert_int_equal(front.state.inside_rows, 103);
    pass_mark(CHANGE_BEGIN, &half, "b.1", 200);
    assert_true(frontier_is_storable(&front)); /* its rows are skipped so far */
    pass_row(40, 2, 104);
    assert_int_equal(front.state.event, 40);
    assert_int_equal(front.state.inside_rows, 104);
    pass_mark(CHANGE_COMMIT, NULL, "b.1", 900);
    assert_false(offset_state_is_inside(&front.state));
}

static void the_same_server_keeps_its_place(void **state)
{
    (void)state;
    pass_origin("a");
    assert_int_equal(front.state.event, 2);
    assert_true(frontier_is_storable(&front));
}

/* As Debezium stores it: no GTID says which transaction it is. */
static void a_half_without_a_name_is_not_known_before_it_begins(void **state)
{
    (void)state;
    front.state.inside.n = 0;
    front.is_inside = false;
    assert_false(frontier_has_handed_over(&front));
    pass_mark(CHANGE_BEGIN, &half, "a.9", 100);
    assert_true(frontier_has_handed_over(&front));
}

static void pass_xa_prepare(const struct gtid *gtid, const char *xid, uint64_t from, uint64_t to)
{
    struct change begin = {.kind = CHANGE_BEGIN,
                           .mark = {.gtid = gtid, .file = "a.9", .offset = from, .ts_us = 7000000}};
    frontier_pass(&front, &begin);
    struct change chg = {.kind = CHANGE_XA_OPEN, .mark = {.gtid = gtid, .xid = view_of(xid)}};
    frontier_pass(&front, &chg);
    pass_mark(CHANGE_COMMIT, NULL, "a.9", to);
}

static void nothing_is_stored_between_the_end_of_xa_and_its_commit(void **state)
{
    (void)state;
    static const struct gtid prepared = {.uuid = {1}, .n = 4};
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 20);
    pass_xa_prepare(&prepared, "x", 30, 90);
    pass_mark(CHANGE_BEGIN, &half, "a.9", 100);
    pass_row(2, 1, 1);
    assert_true(frontier_is_storable(&front));
    struct change done = {.kind = CHANGE_XA_DONE, .mark = {.gtid = &prepared, .xid = view_of("x")}};
    frontier_pass(&front, &done);
    assert_false(frontier_is_storable(&front));
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 200);
    assert_true(frontier_is_storable(&front));
    assert_true(gtid_set_has(&front.state.gtids, &prepared));
    assert_int_equal(front.state.n_xa, 0);
}

/* A connection that breaks, and a third server: what was told in part is not stored before it is whole. */
static void nothing_is_stored_while_two_are_told_in_part(void **state)
{
    (void)state;
    static const struct gtid prepared = {.uuid = {1}, .n = 4};
    pass_origin("b");
    pass_mark(CHANGE_POSITION, NULL, "b.1", 4);
    pass_mark(CHANGE_BEGIN, &before, "b.1", 50);
    pass_row(2, 1, 1);
    pass_xa_prepare(&prepared, "x", 10, 40);
    assert_false(frontier_is_storable(&front));
    pass_origin("c");
    pass_mark(CHANGE_POSITION, NULL, "c.1", 4);
    assert_false(frontier_is_storable(&front));
    check_hands_over(&before, true);
    pass_mark(CHANGE_BEGIN, &before, "c.1", 50);
    pass_mark(CHANGE_COMMIT, NULL, "c.1", 200);
    assert_true(frontier_is_storable(&front));
    assert_int_equal(front.state.inside_rows, 103);
}

/* As it is after a start from there. */
static void start_again(void)
{
    struct offset_state stored;
    offset_state_init(&stored);
    offset_state_copy(&stored, &front.state);
    frontier_fini(&front);
    frontier_init(&front);
    frontier_start(&front, &stored, true);
    offset_state_fini(&stored);
    pass_origin("a");
}

static void check_is_within_half(void)
{
    assert_true(frontier_is_storable(&front));
    assert_int_equal(front.state.event, 2);
    assert_int_equal(front.state.row, 3);
    assert_int_equal(front.state.n_xa, 1);
    assert_int_equal(front.state.xa[0].ts_sec, 7);
    const struct offset_state *st = &front.state;
    const struct log_position *reached = st->reached.file[0] != '\0' ? &st->reached : &st->pos;
    assert_int_equal(reached->offset, 100);
}

/* The set does not have the prepare of an open XA transaction: it comes again, and before the half. */
static void a_prepare_that_comes_again_leaves_the_half_as_it_was(void **state)
{
    (void)state;
    static const struct gtid prepared = {.uuid = {1}, .n = 4};
    bool has_name[] = {true, false};
    for (int i = 0; i < 2; i++) {
        end(NULL);
        begin_half(NULL);
        pass_mark(CHANGE_COMMIT, NULL, "a.9", 20);
        pass_xa_prepare(&prepared, "x", 30, 90);
        pass_mark(CHANGE_BEGIN, &half, "a.9", 100);
        pass_row(2, 3, has_name[i] ? 103 : 0);
        start_again();
        pass_mark(CHANGE_POSITION, NULL, "a.9", 4);
        check_is_within_half();
        pass_xa_prepare(&prepared, "x", 30, 90);
        check_is_within_half();
        assert_false(gtid_set_has(&front.state.gtids, &prepared));
        pass_mark(CHANGE_BEGIN, &half, "a.9", 100);
        check_is_within_half();
        pass_mark(CHANGE_COMMIT, NULL, "a.9", 900);
        assert_false(offset_state_is_inside(&front.state));
        assert_int_equal(front.state.pos.offset, 900);
    }
}

/* Without GTIDs all that lies between the oldest open XA transaction and the half is read again. */
static void what_is_read_again_without_gtids_moves_nothing(void **state)
{
    (void)state;
    front.state.has_gtids = false;
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 20);
    for (int i = 0; i < 2; i++) {
        if (i > 0) {
            start_again();
            pass_mark(CHANGE_POSITION, NULL, "a.9", 30);
            check_is_within_half();
        }
        pass_xa_prepare(NULL, "x", 30, 50);
        pass_mark(CHANGE_BEGIN, NULL, "a.9", 60);
        pass_mark(CHANGE_COMMIT, NULL, "a.9", 90);
        if (i > 0)
            check_is_within_half();
        pass_mark(CHANGE_BEGIN, NULL, "a.9", 100);
        if (i == 0)
            pass_row(2, 3, 0);
        check_is_within_half();
        assert_int_equal(front.state.pos.offset, 30);
    }
    pass_row(4, 1, 0);
    assert_int_equal(front.state.event, 4);
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 900);
    assert_false(offset_state_is_inside(&front.state));
    assert_int_equal(front.state.reached.offset, 900);
}

/* A dump without GTIDs can't start behind 4 GiB of a file: it starts with the file. */
static void a_file_that_is_read_from_its_start_moves_nothing(void **state)
{
    (void)state;
    front.state.has_gtids = false;
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 900);
    start_again();
    pass_mark(CHANGE_POSITION, NULL, "a.9", 4);
    pass_mark(CHANGE_BEGIN, NULL, "a.9", 100);
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 200);
    assert_false(front.has_moved);
    assert_int_equal(front.state.pos.offset, 900);
    pass_mark(CHANGE_BEGIN, NULL, "a.9", 950);
    pass_mark(CHANGE_COMMIT, NULL, "a.9", 990);
    assert_int_equal(front.state.pos.offset, 990);
    pass_mark(CHANGE_POSITION, NULL, "b.1", 4); /* the log was given another name */
    assert_string_equal(front.state.pos.file, "b.1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_half, end)
    const struct CMUnitTest tests[] = {
        TEST(the_place_inside_a_transaction_names_it),
        TEST(another_server_leaves_the_rows_and_no_place),
        TEST(nothing_is_stored_within_what_stands_before_it),
        TEST(the_same_server_keeps_its_place),
        TEST(a_half_without_a_name_is_not_known_before_it_begins),
        TEST(nothing_is_stored_between_the_end_of_xa_and_its_commit),
        TEST(nothing_is_stored_while_two_are_told_in_part),
        TEST(a_prepare_that_comes_again_leaves_the_half_as_it_was),
        TEST(what_is_read_again_without_gtids_moves_nothing),
        TEST(a_file_that_is_read_from_its_start_moves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
