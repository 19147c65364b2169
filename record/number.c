/* SPDX-License-Identifier: Apache-2.0 */
#include "record/number.h"

#include "base/digits.h"

#include <math.h>

enum {
    PLAIN_MIN = -3,  /* 1e-3 is the smallest number in decimal notation */
    PLAIN_MAX = 7,   /* 1e7 the first above it */
    FLOAT_TEXT = 32, /* -2.2250738585072014E-308 takes 24 */
};

static uint8_t *put_zeros(uint8_t *p, int n)
{
    for (; n > 0; n--)
        *p++ = '0';
    return p;
}

/* text holds n digits, the point stands after `point` of them (which may be none, or more than there are). */
static uint8_t *put_plain(uint8_t *p, const uint8_t *text, int n, int point)
{
    if (point <= 0) {
        *p++ = '0';
        *p++ = '.';
        p = put_zeros(p, -point);
        memcpy(p, text, (size_t)n);
        return p + n;
    }
    int whole = n < point ? n : point;
    memcpy(p, text, (size_t)whole);
    p = put_zeros(p + whole, point - whole);
    *p++ = '.';
    if (n <= point) {
        *p++ = '0';
        return p;
    }
    memcpy(p, text + point, (size_t)(n - point));
    return p + (n - point);
}

static uint8_t *put_exponent(uint8_t *p, const uint8_t *text, int n, int exponent)
{
    *p++ = text[0];
    *p++ = '.';
    if (n == 1)
        *p++ = '0';
    memcpy(p, text + 1, (size_t)(n - 1));
    p += n - 1;
    *p++ = 'E';
    if (exponent < 0)
        *p++ = '-';
    return p + digits_write(p, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

static void put(struct buf *out, bool is_negative, struct digits d)
{
    uint8_t text[DIGITS_MAX];
    int n = (int)digits_write(text, d.digits);
    int exponent = n - 1 + d.exponent; /* of the first digit */
    buf_need(out, FLOAT_TEXT);
    if (is_negative)
        *out->p++ = '-';
    if (d.digits == 0 || (exponent >= PLAIN_MIN && exponent < PLAIN_MAX))
        out->p = put_plain(out->p, text, n, exponent + 1);
    else
        out->p = put_exponent(out->p, text, n, exponent);
}

void number_put_double(struct buf *out, double x)
{
    if (!isfinite(x))
        buf_put_literal(out, "null");
    else
        put(out, signbit(x) != 0, digits_of_double(x, 2));
}

void number_put_float(struct buf *out, float x)
{
    if (!isfinite(x))
        buf_put_literal(out, "null");
    else
        put(out, signbit(x) != 0, digits_of_float(x, 2));
}
