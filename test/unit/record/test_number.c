/* SPDX-License-Identifier: Apache-2.0 */
#include "record/number.h"
#include "test/support/fields.h"

#include <cmocka.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

static void expect(double x, const char *want)
{
    struct buf out;
    buf_init(&out);
    number_put_double(&out, x);
    if (!view_is(buf_view(&out), want))
        fail_msg("%a prints as %.*s, not %s", x, VIEW_ARGS(buf_view(&out)), want);
    buf_fini(&out);
}

static void check_float(float x, const char *want)
{
    struct buf out;
    buf_init(&out);
    number_put_float(&out, x);
    if (!view_is(buf_view(&out), want))
        fail_msg("%a prints as %.*s, not %s", (double)x, VIEW_ARGS(buf_view(&out)), want);
    buf_fini(&out);
}

static void doubles_print_as_java_prints_them(void **state)
{
    (void)state;
    expect(0.0, "0.0");
    expect(-0.0, "-0.0");
    expect(1.0, "1.0");
    expect(-2.5, "-2.5");
    expect(100.0, "100.0");
    expect(0.1, "0.1");
    expect(0.001, "0.001");
    expect(0.00099, "9.9E-4");
    expect(0.0012345, "0.0012345");
    expect(9999999.0, "9999999.0");
    expect(9999999.999, "9999999.999");
    expect(1e7, "1.0E7");
    expect(1e10, "1.0E10");
    expect(1e21, "1.0E21");
    expect(2e-9, "2.0E-9");
    expect(123456.789, "123456.789");
    expect(-0.0010000000000000009, "-0.0010000000000000009");
    expect(1.2345678901234568E17, "1.2345678901234568E17");
    expect(1.7976931348623157e308, "1.7976931348623157E308");
    expect(2.2250738585072014e-308, "2.2250738585072014E-308");
    expect(5e-324, "4.9E-324");
    expect(2e23, "2.0E23"); /* older Java printed 2.0000000000000003E23 or the like */
    expect((double)1.1F, "1.100000023841858");
}

static void floats_print_as_java_prints_them(void **state)
{
    (void)state;
    check_float(0.1F, "0.1");
    check_float(3.402823466e38F, "3.4028235E38");
    check_float(1.17549435e-38F, "1.1754944E-38"); /* Java before 19 has one digit more */
    check_float(16777216.0F, "1.6777216E7");
    check_float(1234567.0F, "1234567.0");
    check_float(0.333333333F, "0.33333334");
    check_float(1.4e-45F, "1.4E-45");
    check_float(4.5e-5F, "4.5E-5");
    check_float(-0.0F, "-0.0");
    check_float(123456.79F, "123456.79");
    check_float(9999999.0F, "9999999.0");
    check_float(1e7F, "1.0E7");
}

static void texts_are_those_of_a_java_virtual_machine(void **state)
{
    (void)state;
    struct fields in;
    unsigned n = 0;
    for (fields_open(&in, "java_floats"); fields_next(&in); n++) {
        uint64_t bits = strtoull(in.at[1], NULL, 16);
        double x;
        float f;
        memcpy(&x, &bits, sizeof x);
        memcpy(&f, &bits, sizeof f);
        if (in.at[0][0] == 'D')
            expect(x, in.at[2]);
        else
            check_float(f, in.at[2]);
    }
    fields_close(&in);
    assert_true(n > 1000);
}

static void what_is_not_finite_is_null(void **state)
{
    (void)state;
    expect(NAN, "null");
    expect(-INFINITY, "null");
    check_float(INFINITY, "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_print_as_java_prints_them),
        cmocka_unit_test(floats_print_as_java_prints_them),
        cmocka_unit_test(texts_are_those_of_a_java_virtual_machine),
        cmocka_unit_test(what_is_not_finite_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
