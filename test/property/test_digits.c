/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digits of floats: they read back as the same float, fewer never do, and no others as short lie nearer.
 *
 * The C library reads and prints exactly, so it is the judge. The seed is printed; SEED=n repeats a run, ROUNDS=n makes
 * it longer.
 */
#include "base/digits.h"
#include "test/support/random.h"

#include <cmocka.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned count(uint64_t digits)
{
    uint8_t text[DIGITS_MAX];
    return digits_write(text, digits);
}

static void print(char text[40], struct digits d)
{
    snprintf(text, 40, "%llue%d", (unsigned long long)d.digits, d.exponent);
}

/* The library's nearest text of n digits, as digits. */
static struct digits nearest(double x, unsigned n)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", (int)n - 1, x);
    struct digits d = {0};
    char *at = text;
    for (; *at != 'e'; at++)
        if (*at != '.')
            d.digits = d.digits * 10 + (uint64_t)(*at - '0');
    d.exponent = atoi(at + 1) - (int)(n - 1);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

static void check(double x)
{
    char text[40];
    x = fabs(x);
    if (!isfinite(x) || x == 0)
        return;
    struct digits d = digits_of_double(x, 1);
    print(text, d);
    if (strtod(text, NULL) != x)
        fail_msg("%a reads back from %s as another", x, text);
    unsigned n = count(d.digits);
    if (n > 1) {
        struct digits fewer = nearest(x, n - 1);
        print(text, fewer);
        if (strtod(text, NULL) == x)
            fail_msg("%a has a shorter text %s", x, text);
    }
    struct digits other = nearest(x, n);
    print(text, other);
    if (strtod(text, NULL) == x && (other.digits != d.digits || other.exponent != d.exponent))
        fail_msg("%a has a nearer text %s", x, text);

    struct digits two = digits_of_double(x, 2);
    print(text, two);
    if (strtod(text, NULL) != x)
        fail_msg("%a reads back from %s as another", x, text);
    if (n > 1 && (two.digits != d.digits || two.exponent != d.exponent) && count(two.digits) != 2)
        fail_msg("%a has other digits when two are asked for", x);
}

static void check_float(float x)
{
    char text[40];
    x = fabsf(x);
    if (!isfinite(x) || x == 0)
        return;
    struct digits d = digits_of_float(x, 1);
    print(text, d);
    if (strtof(text, NULL) != x)
        fail_msg("%a reads back from %s as another", (double)x, text);
    unsigned n = count(d.digits);
    if (n > 1) {
        print(text, nearest((double)x, n - 1));
        if (strtof(text, NULL) == x)
            fail_msg("%a has a shorter text %s", (double)x, text);
    }
}

static void check_around(double x)
{
    check(nextafter(x, 0));
    check(x);
    check(nextafter(x, INFINITY));
}

static void digits_are_exact_and_shortest(void **state)
{
    (void)state;
    int rounds = random_begin(20000);
    for (int e = -1074; e <= 1023; e++)
        check_around(ldexp(1, e));
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        check_around(strtod(text, NULL));
    }
    for (int i = 1; i < 500; i++)
        check(i * 4.9e-324);
    for (int i = 0; i < rounds; i++) {
        uint64_t bits = random_word();
        double x;
        float f;
        memcpy(&x, &bits, sizeof x);
        memcpy(&f, &bits, sizeof f);
        check(x);
        check_float(f);
        check((double)(int64_t)bits);
        check((double)(bits % 10000000) / 100);
        check_float((float)(bits % 10000000) / 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_exact_and_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
