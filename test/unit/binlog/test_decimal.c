/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/decimal.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

static struct cell_decimal read(const char *text, unsigned scale)
{
    struct cell_decimal d;
    if (!decimal_read(view_of(text), scale, &d))
        fail_msg("%s was refused", text);
    return d;
}

static void expect_print(const char *text, unsigned scale, const char *want)
{
    struct cell_decimal d = read(text, scale);
    struct buf out;
    buf_init(&out);
    decimal_print(&d, scale, &out);
    if (!view_is(buf_view(&out), want))
        fail_msg("%s prints as %.*s", text, VIEW_ARGS(buf_view(&out)));
    buf_fini(&out);
}

#define NINES_65 "99999999999999999999999999999999999999999999999999999999999999999"

static void decimal_keeps_scale_of_negative_fraction(void **state)
{
    (void)state;
    expect_print("-0.05", 4, "-0.0500");
    expect_print("-0.0000000001", 10, "-0.0000000001");
    expect_print("5", 2, "5.00");
    expect_print("1000000", 0, "1000000");
    expect_print("0", 0, "0");
    expect_print("0", 3, "0.000");
    expect_print(NINES_65, 0, NINES_65);
    expect_print("-" NINES_65, 0, "-" NINES_65);
    expect_print("18446744073709551616", 0, "18446744073709551616");
    expect_print("100000000000000000000000000000000000000", 0, "100000000000000000000000000000000000000");
}

static void text_is_rounded_half_up_to_the_scale(void **state)
{
    (void)state;
    expect_print("0.005", 2, "0.01");
    expect_print("-0.005", 2, "-0.01");
    expect_print("0.0049", 2, "0.00");
    expect_print("9.995", 2, "10.00");
    expect_print("0.4", 0, "0");
    expect_print("0.5", 0, "1");
    expect_print("99999999999999999999.5", 0, "100000000000000000000");
}

static void text_may_have_exponent_sign_and_blanks(void **state)
{
    (void)state;
    expect_print(" +1.5e3 ", 1, "1500.0");
    expect_print("1e-3", 3, "0.001");
    expect_print("5e-1", 0, "1");
    expect_print("4e-2", 0, "0");
    expect_print("12.", 1, "12.0");
    expect_print(".5", 1, "0.5");
    expect_print("0000001", 0, "1");
    expect_print("0e99999999", 0, "0");
    expect_print("1e-99999999999", 5, "0.00000");
    expect_print("123e20", 0, "12300000000000000000000");
}

static void text_that_is_no_decimal_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   " ",   ".",   "-",    "1.2.3", "abc",
                                      "1e", "1e+", "1 2", "0x10", "1e66",  ("1" NINES_65)};
    struct cell_decimal d;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (decimal_read(view_of(bad[i]), 0, &d))
            fail_msg("%s was taken", bad[i]);
    assert_false(decimal_read(view_of(NINES_65 ".5"), 0, &d)); /* rounds to 66 digits */
    assert_false(decimal_read(view_of("1e64"), 1, &d));
}

static void zero_is_never_negative(void **state)
{
    (void)state;
    expect_print("-0.00", 2, "0.00");
    expect_print("-0.001", 2, "0.00");
    struct cell_decimal d;
    struct cursor c = cursor_of((struct view){(const uint8_t *)"\x7f\xff", 2}); /* minus zero, packed */
    assert_true(decimal_decode(&c, 4, 2, &d));
    assert_false(d.is_negative);
}

static void expect_complement(const char *text, const char *bytes, unsigned n)
{
    struct cell_decimal d = read(text, 0);
    uint8_t out[DECIMAL_COMPLEMENT_MAX];
    if (decimal_complement(&d, out) != n || memcmp(out, bytes, n) != 0)
        fail_msg("%s has other bytes", text);
}

static void complement_has_the_fewest_bytes_that_hold_the_sign(void **state)
{
    (void)state;
    expect_complement("0", "\0", 1);
    expect_complement("127", "\x7f", 1);
    expect_complement("128", "\0\x80", 2);
    expect_complement("-128", "\x80", 1);
    expect_complement("-129", "\xff\x7f", 2);
    expect_complement("255", "\0\xff", 2);
    expect_complement("-256", "\xff\0", 2);
    expect_complement("-1", "\xff", 1);
    expect_complement("9223372036854775808", "\0\x80\0\0\0\0\0\0\0", 9);
    expect_complement("-9223372036854775808", "\x80\0\0\0\0\0\0\0", 8);
    expect_complement("18446744073709551615", "\0\xff\xff\xff\xff\xff\xff\xff\xff", 9);
    expect_complement("-18446744073709551616", "\xff\0\0\0\0\0\0\0\0", 9);
    expect_complement(NINES_65,
                      "\x00\xf3\x16\x27\x1c\x7f\xc3\x90\x8a\x8b\xef\x46\x4e\x39\x45\xef\x7a\x25\x36\x09"
                      "\xff\xff\xff\xff\xff\xff\xff\xff",
                      28);
}

static void doubles_are_the_nearest(void **state)
{
    (void)state;
    struct cell_decimal d = read("0.1", 1);
    assert_true(decimal_to_double(&d, 1) == 0.1);
    d = read("-123456789.987654321", 9);
    assert_true(decimal_to_double(&d, 9) == -123456789.987654321);
    d = read("9007199254740993", 0);
    assert_true(decimal_to_double(&d, 0) == 9007199254740992.0);
    d = read(NINES_65, 0);
    assert_true(decimal_to_double(&d, 0) == 1e65);
    d = read("0.000000000000000000000000000001", 30);
    assert_true(decimal_to_double(&d, 30) == 1e-30);
    d = read("0", 5);
    assert_true(decimal_to_double(&d, 5) == 0.0);
}

static void packed_bytes_that_hold_no_number_are_refused(void **state)
{
    (void)state;
    struct cell_decimal d;
    struct cursor c = cursor_of((struct view){(const uint8_t *)"\x80\x64", 2}); /* .100 in two digits */
    assert_false(decimal_decode(&c, 4, 2, &d));
    c = cursor_of((struct view){(const uint8_t *)"\x80", 1});
    assert_false(decimal_decode(&c, 4, 2, &d));
    uint8_t wide[36]; /* 81 nines are beyond 256 bits */
    for (int i = 0; i < 36; i += 4)
        memcpy(wide + i, "\x3b\x9a\xc9\xff", 4);
    wide[0] ^= 0x80;
    c = cursor_of((struct view){wide, sizeof wide});
    assert_false(decimal_decode(&c, 81, 0, &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_keeps_scale_of_negative_fraction),
        cmocka_unit_test(text_is_rounded_half_up_to_the_scale),
        cmocka_unit_test(text_may_have_exponent_sign_and_blanks),
        cmocka_unit_test(text_that_is_no_decimal_is_refused),
        cmocka_unit_test(zero_is_never_negative),
        cmocka_unit_test(complement_has_the_fewest_bytes_that_hold_the_sign),
        cmocka_unit_test(doubles_are_the_nearest),
        cmocka_unit_test(packed_bytes_that_hold_no_number_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
