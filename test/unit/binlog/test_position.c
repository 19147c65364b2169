/* SPDX-License-Identifier: Apache-2.0 */
/* Positions: how files order, and which names are taken. */
#include "binlog/position.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct log_position at(const char *file, uint64_t offset)
{
    struct log_position pos = {.offset = offset};
    snprintf(pos.file, sizeof pos.file, "%s", file);
    return pos;
}

static void check_before(struct log_position a, struct log_position b)
{
    assert_true(position_compare(&a, &b) < 0);
    assert_true(position_compare(&b, &a) > 0);
    assert_int_equal(position_compare(&a, &a), 0);
}

static void position_orders_by_file_number_then_offset(void **state)
{
    (void)state;
    check_before(at("binlog.000002", 4), at("binlog.000010", 4));
    check_before(at("binlog.999999", 900), at("binlog.1000000", 4));
    check_before(at("binlog.000002", 4), at("binlog.000002", 5));
    check_before(at("binlog.000002", 4294967295), at("binlog.000002", 4294967296));
    check_before(at("my.host-bin.000007", 4), at("my.host-bin.000008", 4));
}

static void position_of_nothing_lies_before_all_others(void **state)
{
    (void)state;
    check_before(at("", 0), at("binlog.000001", 4));
    check_before(at("binlog", 9), at("binlog.000001", 4));
}

static void position_file_number_is_what_stands_behind_the_last_dot(void **state)
{
    (void)state;
    uint64_t n = 0;
    assert_true(position_file_number("binlog.000001", &n));
    assert_int_equal(n, 1);
    assert_true(position_file_number("a.7.1000000", &n));
    assert_int_equal(n, 1000000);
    assert_false(position_file_number("binlog", &n));
    assert_false(position_file_number("binlog.", &n));
    assert_false(position_file_number("binlog.00x", &n));
    assert_false(position_file_number("binlog.99999999999999999999", &n));
}

static void position_set_refuses_names_that_cannot_be(void **state)
{
    (void)state;
    struct log_position pos = at("old.000001", 3);
    struct fail why;
    char longest[LOG_FILE_BYTES];
    memset(longest, 'x', sizeof longest);
    assert_true(position_set(&pos, (struct view){(uint8_t *)longest, LOG_FILE_BYTES - 1}, 5, &why));
    assert_int_equal(strlen(pos.file), LOG_FILE_BYTES - 1);
    assert_false(position_set(&pos, (struct view){(uint8_t *)longest, LOG_FILE_BYTES}, 5, &why));
    assert_int_equal(why.kind, FAIL_REFUSE);
    assert_false(position_set(&pos, VIEW_NONE, 5, &why));
    assert_false(position_set(&pos, (struct view){(const uint8_t *)"a\0b", 3}, 5, &why));
    assert_int_equal(pos.offset, 5);
    assert_int_equal(strlen(pos.file), LOG_FILE_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(position_orders_by_file_number_then_offset),
        cmocka_unit_test(position_of_nothing_lies_before_all_others),
        cmocka_unit_test(position_file_number_is_what_stands_behind_the_last_dot),
        cmocka_unit_test(position_set_refuses_names_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
