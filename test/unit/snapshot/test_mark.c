/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What source.snapshot says of the rows of a block.
 */
#include "snapshot/mark.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static void check(const struct table_read *t, bool ends_table, bool is_last_table, const char *only, const char *first,
                  const char *last)
{
    struct block_marks marks = mark_rows(t, ends_table, is_last_table);
    assert_string_equal(marks.only, only);
    assert_string_equal(marks.first, first);
    assert_string_equal(marks.last, last);
    assert_string_equal(marks.between, t->kind == READ_INITIAL ? "true" : "incremental");
}

static void rows_of_a_signal_are_incremental(void **state)
{
    (void)state;
    struct table_read *t = table_read_new(view_of("db"), view_of("t"));
    check(t, true, true, "incremental", "incremental", "incremental");
    table_read_free(&t);
}

static void first_and_last_rows_of_a_snapshot_are_told(void **state)
{
    (void)state;
    struct table_read *t = table_read_new(view_of("db"), view_of("t"));
    t->kind = READ_INITIAL;
    t->is_first = true;
    check(t, false, false, "first", "first", "true");
    check(t, true, false, "first", "first", "last_in_data_collection");
    check(t, true, true, "last", "first", "last");
    t->rows_sent = 5;
    check(t, false, false, "true", "true", "true");
    check(t, true, false, "last_in_data_collection", "true", "last_in_data_collection");
    table_read_free(&t);
}

static void first_and_last_rows_of_a_later_table_are_told(void **state)
{
    (void)state;
    struct table_read *t = table_read_new(view_of("db"), view_of("t"));
    t->kind = READ_INITIAL;
    check(t, false, false, "first_in_data_collection", "first_in_data_collection", "true");
    check(t, true, false, "last_in_data_collection", "first_in_data_collection", "last_in_data_collection");
    check(t, true, true, "last", "first_in_data_collection", "last");
    table_read_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_signal_are_incremental),
        cmocka_unit_test(first_and_last_rows_of_a_snapshot_are_told),
        cmocka_unit_test(first_and_last_rows_of_a_later_table_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
