/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/decimal.h"

#include "base/ascii.h"
#include "base/digits.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 u128;

enum {
    GROUP = 9,        /* digits of a packed group */
    CHUNK = 18,       /* digits gathered in 64 bits before the limbs are touched */
    DIGITS_ROOM = 96, /* 256 bits are 78 digits; they are written 19 at a time, and the last limb as it comes */
};

static const uint8_t rest_bytes[GROUP + 1] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};

static const uint64_t powers[DIGITS_MAX] = {
    1ULL,
    10ULL,
    100ULL,
    1000ULL,
    10000ULL,
    100000ULL,
    1000000ULL,
    10000000ULL,
    100000000ULL,
    1000000000ULL,
    10000000000ULL,
    100000000000ULL,
    1000000000000ULL,
    10000000000000ULL,
    100000000000000ULL,
    1000000000000000ULL,
    10000000000000000ULL,
    100000000000000000ULL,
    1000000000000000000ULL,
    10000000000000000000ULL,
};

/* d = d · factor + more; false when that does not fit. (65 digits take 216 bits.) */
static bool scale_and_add(struct cell_decimal *d, uint64_t factor, uint64_t more)
{
    u128 carry = more;
    for (int i = 0; i < 4; i++) {
        carry += (u128)d->limb[i] * factor;
        d->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return carry == 0;
}

static void settle(struct cell_decimal *d, bool is_negative)
{
    d->is_small = (d->limb[1] | d->limb[2] | d->limb[3]) == 0;
    d->is_negative = is_negative && !(d->is_small && d->limb[0] == 0);
}

/* ---- packed ---- */

unsigned decimal_bytes(unsigned precision, unsigned scale)
{
    unsigned whole = precision - scale;
    return whole / GROUP * 4 + rest_bytes[whole % GROUP] + scale / GROUP * 4 + rest_bytes[scale % GROUP];
}

/* Digits on their way into a number: gathered in 64 bits as long as they fit. */
struct gather {
    struct cell_decimal *d;
    uint64_t digits;
    unsigned n;
    bool is_too_large;
};

static void gather_flush(struct gather *g)
{
    if (!scale_and_add(g->d, powers[g->n], g->digits))
        g->is_too_large = true;
    g->digits = 0;
    g->n = 0;
}

static void gather_add(struct gather *g, uint64_t digits, unsigned n)
{
    if (g->n + n > CHUNK)
        gather_flush(g);
    g->digits = g->digits * powers[n] + digits;
    g->n += n;
}

/* The packed groups on their way in. */
struct packed {
    const uint8_t *at;
    uint32_t flip;  /* all ones for a negative number */
    uint32_t first; /* 1 until the first byte, whose first bit is flipped, was read */
};

/* One group of n > 0 digits; false when its bytes hold more. */
static bool take_group(struct gather *g, struct packed *p, unsigned n)
{
    unsigned n_bytes = rest_bytes[n], rest = 32 - 8 * n_bytes;
    uint32_t v = 0;
    if (n == GROUP) {
        memcpy(&v, p->at, 4);
        v = __builtin_bswap32(v);
    } else {
        for (unsigned i = 0; i < n_bytes; i++)
            v = v << 8 | p->at[i];
    }
    v ^= p->flip >> rest ^ p->first << (8 * n_bytes - 1);
    p->first = 0;
    p->at += n_bytes;
    if (v >= powers[n])
        return false;
    gather_add(g, v, n);
    return true;
}

static bool take_groups(struct gather *g, struct packed *p, unsigned precision, unsigned scale)
{
    unsigned whole = precision - scale;
    if (whole % GROUP != 0 && !take_group(g, p, whole % GROUP))
        return false;
    for (unsigned i = whole / GROUP + scale / GROUP; i > 0; i--)
        if (!take_group(g, p, GROUP))
            return false;
    return scale % GROUP == 0 || take_group(g, p, scale % GROUP);
}

bool decimal_decode(struct cursor *c, unsigned precision, unsigned scale, struct cell_decimal *out)
{
    const uint8_t *from = cursor_take(c, decimal_bytes(precision, scale));
    if (from == NULL)
        return false;
    bool is_negative = (from[0] & 0x80) == 0;
    struct packed p = {from, is_negative ? UINT32_MAX : 0, 1};
    *out = (struct cell_decimal){0};
    struct gather g = {.d = out};
    bool ok = take_groups(&g, &p, precision, scale);
    if (precision <= CHUNK)
        out->limb[0] = g.digits;
    else
        gather_flush(&g);
    settle(out, is_negative);
    return ok && !g.is_too_large;
}

/* ---- text ---- */

/* The digits of the unscaled integer, written into room. */
static struct view write_digits(const struct cell_decimal *d, uint8_t room[DIGITS_ROOM])
{
    uint8_t *end = room + DIGITS_ROOM;
    uint64_t limb[4];
    memcpy(limb, d->limb, sizeof limb);
    for (int top = d->is_small ? 0 : 3; top > 0; top -= limb[top] == 0) {
        u128 rest = 0; /* one division of all limbs by 10^19 gives the lowest 19 digits */
        for (int i = top; i >= 0; i--) {
            rest = rest << 64 | limb[i];
            limb[i] = (uint64_t)(rest / powers[19]);
            rest %= powers[19];
        }
        uint64_t low = (uint64_t)rest;
        for (int i = 0; i < 19; i++) {
            *--end = (uint8_t)('0' + low % 10);
            low /= 10;
        }
    }
    uint8_t first[DIGITS_MAX];
    unsigned n = digits_write(first, limb[0]);
    end -= n;
    memcpy(end, first, n);
    while (end < room + DIGITS_ROOM - 1 && *end == '0')
        end++;
    return (struct view){end, (size_t)(room + DIGITS_ROOM - end)};
}

/* The exponent behind 'e', held within ±100000; false when there is no number. */
static bool read_exponent(struct view text, int *exponent)
{
    bool is_negative = text.n > 0 && text.p[0] == '-';
    size_t at = text.n > 0 && (text.p[0] == '-' || text.p[0] == '+');
    if (at == text.n)
        return false;
    int v = 0;
    for (; at < text.n; at++) {
        if (!ascii_is_digit(text.p[at]))
            return false;
        v = v * 10 + (text.p[at] - '0');
        if (v > 100000)
            v = 100000;
    }
    *exponent = is_negative ? -v : v;
    return true;
}

/* Splits unsigned text into its mantissa (digits with at most one point) and how many places the point is right of
 * the mantissa's first character. */
static bool split_number(struct view text, struct view *mantissa, long *point)
{
    size_t n = 0, n_digits = 0;
    long dot = -1;
    for (; n < text.n && (ascii_is_digit(text.p[n]) || (text.p[n] == '.' && dot < 0)); n++) {
        if (text.p[n] == '.')
            dot = (long)n;
        else
            n_digits++;
    }
    if (n_digits == 0)
        return false;
    int exponent = 0;
    if (n < text.n) {
        if ((text.p[n] | 0x20) != 'e' || !read_exponent((struct view){text.p + n + 1, text.n - n - 1}, &exponent))
            return false;
    }
    *mantissa = (struct view){text.p, n};
    *point = (dot < 0 ? (long)n : dot) + exponent;
    return true;
}

bool decimal_read(struct view text, unsigned scale, struct cell_decimal *out)
{
    text = ascii_trim(text);
    bool is_negative = text.n > 0 && text.p[0] == '-';
    if (text.n > 0 && (text.p[0] == '-' || text.p[0] == '+'))
        text = (struct view){text.p + 1, text.n - 1};
    struct view mantissa;
    long point;
    if (!split_number(text, &mantissa, &point))
        return false;

    *out = (struct cell_decimal){0};
    struct gather g = {.d = out};
    long keep = point + (long)scale; /* digits that count; the next one rounds */
    long seen = 0;
    unsigned significant = 0;
    bool round_up = false;
    for (size_t i = 0; i < mantissa.n && seen <= keep; i++) {
        if (mantissa.p[i] == '.')
            continue;
        unsigned digit = (unsigned)(mantissa.p[i] - '0');
        if (seen++ == keep) {
            round_up = digit >= 5;
            break;
        }
        significant += significant > 0 || digit > 0;
        if (significant > DECIMAL_PRECISION_MAX)
            return false;
        gather_add(&g, digit, 1);
    }
    for (; significant > 0 && seen < keep; seen++) { /* 1e3: zeros that are not written */
        if (++significant > DECIMAL_PRECISION_MAX)
            return false;
        gather_add(&g, 0, 1);
    }
    gather_flush(&g);
    if (round_up)
        (void)scale_and_add(out, 1, 1);
    settle(out, is_negative);
    uint8_t room[DIGITS_ROOM];
    return !round_up || write_digits(out, room).n <= DECIMAL_PRECISION_MAX;
}

void decimal_print(const struct cell_decimal *d, unsigned scale, struct buf *out)
{
    uint8_t room[DIGITS_ROOM];
    struct view digits = write_digits(d, room);
    buf_need(out, digits.n + scale + 3);
    if (d->is_negative)
        *out->p++ = '-';
    size_t whole = digits.n > scale ? digits.n - scale : 0;
    if (whole == 0)
        *out->p++ = '0';
    buf_put(out, digits.p, whole);
    if (scale == 0)
        return;
    *out->p++ = '.';
    for (size_t i = digits.n; i < scale; i++)
        *out->p++ = '0';
    buf_put(out, digits.p + whole, digits.n - whole);
}

/* ---- other forms ---- */

unsigned decimal_complement(const struct cell_decimal *d, uint8_t out[DECIMAL_COMPLEMENT_MAX])
{
    uint8_t bytes[DECIMAL_COMPLEMENT_MAX]; /* big-endian, sign byte first */
    uint64_t limb[4];
    u128 carry = d->is_negative;
    for (int i = 0; i < 4; i++) { /* -x is ~x + 1 */
        carry += d->is_negative ? ~d->limb[i] : d->limb[i];
        limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    uint8_t sign = d->is_negative ? 0xff : 0;
    bytes[0] = sign;
    for (int i = 0; i < 4; i++) {
        uint64_t big = __builtin_bswap64(limb[3 - i]);
        memcpy(bytes + 1 + 8 * i, &big, 8);
    }
    unsigned skip = d->is_small ? 24 : 0; /* a sign byte goes while the next byte shows the same sign */
    while (skip < DECIMAL_COMPLEMENT_MAX - 1 && bytes[skip] == sign && (bytes[skip + 1] & 0x80) == (sign & 0x80))
        skip++;
    unsigned n = DECIMAL_COMPLEMENT_MAX - skip;
    memcpy(out, bytes + skip, n);
    return n;
}

double decimal_to_double(const struct cell_decimal *d, unsigned scale)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double v;
    if (d->is_small && d->limb[0] <= 1ULL << 53 && scale < sizeof exact / sizeof *exact) {
        v = (double)d->limb[0] / exact[scale]; /* both are exact, so the quotient is rounded once */
    } else {
        uint8_t room[DIGITS_ROOM];
        char text[DIGITS_ROOM + 8];
        struct view digits = write_digits(d, room);
        size_t n = digits.n;
        memcpy(text, digits.p, n);
        text[n++] = 'e';
        text[n++] = '-';
        n += digits_write((uint8_t *)text + n, scale);
        text[n] = '\0';
        v = strtod(text, NULL); /* no decimal point in it: no locale matters */
    }
    return d->is_negative ? -v : v;
}
