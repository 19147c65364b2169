/* SPDX-License-Identifier: Apache-2.0 */
#include "record/key.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static bool is_same(struct cell a, struct cell b)
{
    const uint16_t columns[] = {0};
    struct buf x, y;
    buf_init(&x);
    buf_init(&y);
    key_put_exact(columns, 1, &a, &x);
    key_put_exact(columns, 1, &b, &y);
    bool same = view_equal(buf_view(&x), buf_view(&y));
    buf_fini(&x);
    buf_fini(&y);
    return same;
}

static void equal_values_have_equal_bytes(void **state)
{
    (void)state;
    assert_true(is_same(rows_int(-1), rows_int(-1)));
    assert_true(is_same(rows_text("a"), rows_text("a")));
    assert_true(is_same(rows_decimal("1.5", 2), rows_decimal("1.50", 2)));
    assert_true(is_same(rows_datetime(0, 0, 0, 0, 0, 0, 5), rows_datetime(0, 0, 0, 0, 0, 0, 5)));
    assert_true(is_same(rows_null(), rows_null()));
}

static void unequal_values_have_unequal_bytes(void **state)
{
    (void)state;
    assert_false(is_same(rows_int(1), rows_int(2)));
    assert_false(is_same(rows_text("a"), rows_text("A")));
    assert_false(is_same(rows_text("a"), rows_text("a ")));
    assert_false(is_same(rows_decimal("1.5", 2), rows_decimal("-1.50", 2)));
    assert_false(is_same(rows_date(2021, 0, 0), rows_date(0, 0, 0))); /* the record key is 0 for both */
    assert_false(is_same(rows_datetime(2021, 1, 1, 0, 0, 0, 5), rows_datetime(2021, 1, 1, 0, 0, 0, 6)));
    assert_false(is_same(rows_null(), rows_text("")));
    assert_false(is_same(rows_double(0.0), rows_double(-0.0)));
}

static void parts_cannot_run_into_each_other(void **state)
{
    (void)state;
    const uint16_t columns[] = {1, 0};
    const struct cell one[] = {rows_text("b"), rows_text("aa")}, other[] = {rows_text("ab"), rows_text("a")};
    struct buf x, y;
    buf_init(&x);
    buf_init(&y);
    key_put_exact(columns, 2, one, &x);
    key_put_exact(columns, 2, other, &y);
    assert_false(view_equal(buf_view(&x), buf_view(&y)));
    assert_int_equal(buf_size(&x), 5 + 2 + 5 + 1);
    buf_fini(&x);
    buf_fini(&y);
}

static unsigned none_listed(void *ctx, const struct shape *s, uint16_t *columns, unsigned room)
{
    (void)ctx;
    (void)s;
    (void)columns;
    (void)room;
    return 0;
}

static void the_tables_own_key_counts_when_none_is_listed(void **state)
{
    (void)state;
    const struct shape *shape = rows_shape("db", "create table t (a int, b int, c int, primary key (c, a))");
    struct record_settings set = rows_settings(false);
    set.key_columns = none_listed;
    struct arena memory;
    arena_init(&memory);
    unsigned n;
    const uint16_t *columns = key_choose(&set, shape, &memory, &n);
    assert_int_equal(n, 2);
    assert_int_equal(columns[0], 2);
    assert_int_equal(columns[1], 0);
    shape_free(&shape);
    shape = rows_shape("db", "create table t (a int, b int)");
    assert_null(key_choose(&set, shape, &memory, &n));
    assert_int_equal(n, 0);
    shape_free(&shape);
    arena_fini(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_have_equal_bytes),
        cmocka_unit_test(unequal_values_have_unequal_bytes),
        cmocka_unit_test(parts_cannot_run_into_each_other),
        cmocka_unit_test(the_tables_own_key_counts_when_none_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
