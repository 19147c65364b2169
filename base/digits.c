/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digits.h"

#include "base/digits_powers.h"
#include "base/fail.h"

__extension__ typedef unsigned __int128 u128;

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* ---- integers ---- */

/* Writes the digits of v so that they end at `end`; returns where they begin. */
static uint8_t *write_back(uint8_t *end, uint64_t v)
{
    while (v >= 100) {
        end -= 2;
        memcpy(end, pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (v >= 10) {
        end -= 2;
        memcpy(end, pairs + v * 2, 2);
    } else {
        *--end = (uint8_t)('0' + v);
    }
    return end;
}

/* By the number's bits: 1233 / 4096 is a little more than log10(2). */
static unsigned count(uint64_t v)
{
    static const uint64_t powers[] = {0,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000,
                                      1000000000000000000,
                                      UINT64_C(10000000000000000000)};
    unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
    unsigned guess = bits * 1233 >> 12;
    return guess + (v >= powers[guess] ? 1 : 0);
}

unsigned digits_write(uint8_t *out, uint64_t v)
{
    if (v < 10) {
        *out = (uint8_t)('0' + v);
        return 1;
    }
    unsigned n = count(v);
    write_back(out + n, v);
    return n;
}

void digits_put_u64(struct buf *b, uint64_t v)
{
    buf_need(b, DIGITS_MAX);
    b->p += digits_write(b->p, v);
}

void digits_put_i64(struct buf *b, int64_t v)
{
    buf_need(b, DIGITS_MAX + 1);
    uint64_t magnitude = (uint64_t)v;
    if (v < 0) {
        *b->p++ = '-';
        magnitude = 0 - magnitude;
    }
    b->p += digits_write(b->p, magnitude);
}

void digits_put_padded(struct buf *b, uint64_t v, unsigned width)
{
    ASSERT(width <= DIGITS_MAX);
    buf_need(b, width);
    for (unsigned at = width; at > 0; at--) {
        b->p[at - 1] = (uint8_t)('0' + v % 10);
        v /= 10;
    }
    b->p += width;
}

/* ---- floats: the names are those of the paper ---- */

/* x = c · 2^q; below a power of two the floats lie half as far apart as above it. */
struct binary {
    uint64_t c;
    int q;
    bool is_closer_below;
};

static int floor_log10_pow2(int e)
{
    return (e * 1262611) >> 22;
}

static int floor_log10_three_quarters_pow2(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

static int floor_log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

/* g · cp / 2^128 to the integer below, made odd when something is cut off, so that later comparisons stay exact. */
static uint64_t round_to_odd(const struct digits_power *g, uint64_t cp)
{
    uint64_t low = (uint64_t)((u128)g->low * cp >> 64);
    u128 sum = (u128)g->high * cp + low;
    return (uint64_t)(sum >> 64) | ((uint64_t)sum > 1);
}

static struct digits strip_zeros(uint64_t digits, int exponent)
{
    while (digits % 100 == 0) {
        digits /= 100;
        exponent += 2;
    }
    if (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (struct digits){digits, exponent};
}

/* keep is 10, or 100 when the last but one digit may not be given up. x is not 0. */
static struct digits shortest(struct binary x, unsigned keep)
{
    int k = x.is_closer_below ? floor_log10_three_quarters_pow2(x.q) : floor_log10_pow2(x.q);
    int h = x.q + floor_log2_pow10(-k) + 1;
    const struct digits_power *g = &digits_powers[-k - DIGITS_POWER_MIN];
    uint64_t is_odd = x.c & 1; /* the bounds themselves read back as x only when c is even */
    uint64_t lower = round_to_odd(g, (4 * x.c - 2 + x.is_closer_below) << h) + is_odd;
    uint64_t here = round_to_odd(g, 4 * x.c << h);
    uint64_t upper = round_to_odd(g, (4 * x.c + 2) << h) - is_odd;

    uint64_t s = here / 4;
    if (s >= keep) { /* one digit less: at most one candidate is inside */
        uint64_t tens = s / 10;
        bool below = lower <= 40 * tens;
        bool above = 40 * tens + 40 <= upper;
        if (below != above)
            return strip_zeros(tens + above, k + 1);
    }
    bool below = lower <= 4 * s;
    bool above = 4 * s + 4 <= upper;
    if (below != above)
        return strip_zeros(s + above, k);
    uint64_t middle = 4 * s + 2;
    bool up = here > middle || (here == middle && (s & 1) != 0);
    return strip_zeros(s + up, k);
}

/* Of the smallest numbers, those with c < tiny have one digit at this scale: two are got from their tenfold. */
static struct digits digits_of(struct binary x, unsigned at_least, uint64_t tiny)
{
    if (x.c == 0)
        return (struct digits){0, 0};
    if (at_least < 2)
        return shortest(x, 10);
    if (x.c >= tiny)
        return shortest(x, 100);
    x.c *= 10;
    struct digits d = shortest(x, 100);
    d.exponent--;
    return d;
}

struct digits digits_of_double(double x, unsigned at_least)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & ((1ULL << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0)
        return digits_of((struct binary){fraction, -1074, false}, at_least, 3);
    return digits_of((struct binary){fraction | 1ULL << 52, exponent - 1075, fraction == 0 && exponent > 1}, at_least,
                     0);
}

struct digits digits_of_float(float x, unsigned at_least)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t fraction = bits & ((1U << 23) - 1);
    int exponent = (int)(bits >> 23 & 0xff);
    if (exponent == 0)
        return digits_of((struct binary){fraction, -149, false}, at_least, 8);
    return digits_of((struct binary){fraction | 1U << 23, exponent - 150, fraction == 0 && exponent > 1}, at_least, 0);
}
