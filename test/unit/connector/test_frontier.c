/* SPDX-License-Identifier: Apache-2.0 */
/* frontier: a transaction that was told in part, and a switch to another server before it has come again. */
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_half, end)
    const struct CMUnitTest tests[] = {
        TEST(the_place_inside_a_transaction_names_it),
        TEST(another_server_leaves_the_rows_and_no_place),
        TEST(nothing_is_stored_within_what_stands_before_it),
        TEST(the_same_server_keeps_its_place),
        TEST(a_half_without_a_name_is_not_known_before_it_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
