/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digits.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static void check_u64(uint64_t v, const char *want)
{
    struct buf out;
    buf_init(&out);
    digits_put_u64(&out, v);
    assert_true(view_is(buf_view(&out), want));
    buf_fini(&out);
}

static void check_i64(int64_t v, const char *want)
{
    struct buf out;
    buf_init(&out);
    digits_put_i64(&out, v);
    assert_true(view_is(buf_view(&out), want));
    buf_fini(&out);
}

static void integers_print_at_their_borders(void **state)
{
    (void)state;
    char text[32];
    uint64_t power = 1;
    for (int i = 0; i < 20; i++, power *= 10) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)power);
        check_u64(power, text);
        snprintf(text, sizeof text, "%llu", (unsigned long long)power - 1);
        check_u64(power - 1, text);
    }
    check_u64(UINT64_MAX, "18446744073709551615");
    check_i64(INT64_MIN, "-9223372036854775808");
    check_i64(INT64_MAX, "9223372036854775807");
    check_i64(-1, "-1");
    check_i64(0, "0");
}

static void padded_numbers_have_zeros_in_front(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out);
    digits_put_padded(&out, 7, 4);
    digits_put_padded(&out, 0, 1);
    digits_put_padded(&out, 123456, 6);
    assert_true(view_is(buf_view(&out), "00070123456"));
    buf_fini(&out);
}

static void check_double(double x, unsigned at_least, uint64_t digits, int exponent)
{
    struct digits d = digits_of_double(x, at_least);
    if (d.digits != digits || d.exponent != exponent)
        fail_msg("%a: %llu e %d", x, (unsigned long long)d.digits, d.exponent);
}

static void doubles_have_their_shortest_digits(void **state)
{
    (void)state;
    check_double(0.0, 1, 0, 0);
    check_double(-0.0, 2, 0, 0);
    check_double(0.1, 1, 1, -1);
    check_double(-0.1, 1, 1, -1);
    check_double(100, 2, 1, 2);
    check_double(0.3, 1, 3, -1);
    check_double(1.0 / 3, 1, 3333333333333333, -16);
    check_double(5e-324, 1, 5, -324);
    check_double(5e-324, 2, 49, -325);
    check_double(9.9e-324, 2, 99, -325);
    check_double(2e-323, 2, 2, -323);
    check_double(1.7976931348623157e308, 1, 17976931348623157, 292);
    check_double(2.2250738585072014e-308, 1, 22250738585072014, -324);
    check_double(9007199254740992, 1, 9007199254740992, 0);
    check_double(0x1p-44, 1, 5684341886080802, -29); /* nearer below a power of two */
    check_double(9.5e-322, 2, 95, -323);
}

static void floats_have_their_shortest_digits(void **state)
{
    (void)state;
    struct digits d = digits_of_float(0.1F, 2);
    assert_true(d.digits == 1 && d.exponent == -1);
    d = digits_of_float(1.4e-45F, 2);
    assert_true(d.digits == 14 && d.exponent == -46);
    d = digits_of_float(1.4e-45F, 1);
    assert_true(d.digits == 1 && d.exponent == -45);
    d = digits_of_float(3.4028235e38F, 2);
    assert_true(d.digits == 34028235 && d.exponent == 31);
    d = digits_of_float(16777216, 2);
    assert_true(d.digits == 16777216 && d.exponent == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_print_at_their_borders),
        cmocka_unit_test(padded_numbers_have_zeros_in_front),
        cmocka_unit_test(doubles_have_their_shortest_digits),
        cmocka_unit_test(floats_have_their_shortest_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
