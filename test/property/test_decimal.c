/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimals against a model too simple to be wrong: a string of digits, worked on by hand one digit at a time.
 *
 * The seed is printed; SEED=n repeats a run, ROUNDS=n makes it longer.
 */
#include "binlog/decimal.h"
#include "test/support/random.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct model {
    unsigned precision, scale;
    bool is_negative;
    uint8_t digits[DECIMAL_PRECISION_MAX]; /* precision of them, all written */
};

static struct model random_model(void)
{
    struct model m = {.precision = 1 + random_below(DECIMAL_PRECISION_MAX)};
    unsigned most = m.precision < DECIMAL_SCALE_MAX ? m.precision : DECIMAL_SCALE_MAX;
    m.scale = random_below(most + 1);
    unsigned zeros = random_below(m.precision + 1), kind = random_below(4);
    bool is_zero = true;
    for (unsigned i = 0; i < m.precision; i++) {
        uint32_t any = random_below(10);
        m.digits[i] = (uint8_t)(i < zeros ? 0 : kind == 0 ? 9 : kind == 1 ? 0 : any);
        is_zero = is_zero && m.digits[i] == 0;
    }
    m.is_negative = !is_zero && random_below(2) == 1;
    return m;
}

/* The text with all digits behind the point, zeros in front cut. */
static void model_text(const struct model *m, struct buf *out)
{
    unsigned whole = m->precision - m->scale, at = 0;
    if (m->is_negative)
        buf_put_u8(out, '-');
    while (at < whole && m->digits[at] == 0)
        at++;
    if (at == whole)
        buf_put_u8(out, '0');
    for (; at < m->precision; at++) {
        if (at == whole)
            buf_put_u8(out, '.');
        buf_put_u8(out, (uint8_t)('0' + m->digits[at]));
    }
}

/* One group of the packed form: the number that n digits make, in so many bytes. */
static void pack_group(const uint8_t *digits, unsigned n, struct buf *out)
{
    static const unsigned bytes[10] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v * 10 + digits[i];
    for (unsigned i = bytes[n]; i > 0; i--)
        buf_put_u8(out, (uint8_t)(v >> 8 * (i - 1)));
}

static void model_pack(const struct model *m, struct buf *out)
{
    unsigned whole = m->precision - m->scale, at = 0;
    pack_group(m->digits, whole % 9, out);
    for (at = whole % 9; at < whole; at += 9)
        pack_group(m->digits + at, 9, out);
    for (; at + 9 <= m->precision; at += 9)
        pack_group(m->digits + at, 9, out);
    pack_group(m->digits + at, m->precision - at, out);
    out->start[0] ^= 0x80;
    for (uint8_t *p = out->start; m->is_negative && p < out->p; p++)
        *p = (uint8_t)~*p;
}

/* The integer in base 256, digit by digit; minus: all flipped, plus one. */
static void model_complement(const struct model *m, uint8_t out[40])
{
    memset(out, 0, 40);
    for (unsigned i = 0; i < m->precision; i++) {
        unsigned carry = m->digits[i];
        for (int k = 39; k >= 0; k--) {
            carry += out[k] * 10U;
            out[k] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    unsigned carry = 1;
    for (int k = 39; m->is_negative && k >= 0; k--) {
        carry += (uint8_t)~out[k];
        out[k] = (uint8_t)carry;
        carry >>= 8;
    }
}

static void check_complement(const struct model *m, const struct cell_decimal *d)
{
    uint8_t want[40], got[DECIMAL_COMPLEMENT_MAX];
    model_complement(m, want);
    unsigned n = decimal_complement(d, got);
    assert_true(n >= 1 && n <= DECIMAL_COMPLEMENT_MAX);
    assert_memory_equal(got, want + 40 - n, n);
    uint8_t sign = m->is_negative ? 0xff : 0;
    for (unsigned i = 0; i < 40 - n; i++) /* what was left out is sign only */
        assert_int_equal(want[i], sign);
    assert_int_equal(got[0] & 0x80, sign & 0x80);
    if (n > 1) /* and no more could have been */
        assert_false(got[0] == sign && (got[1] & 0x80) == (sign & 0x80));
}

static void check_one(void)
{
    struct model m = random_model();
    struct buf text, packed, printed;
    buf_init(&text);
    buf_init(&packed);
    buf_init(&printed);
    model_text(&m, &text);
    model_pack(&m, &packed);
    assert_int_equal(buf_size(&packed), decimal_bytes(m.precision, m.scale));

    struct cell_decimal d, read;
    struct cursor c = cursor_of(buf_view(&packed));
    assert_true(decimal_decode(&c, m.precision, m.scale, &d));
    assert_int_equal(cursor_left(&c), 0);
    decimal_print(&d, m.scale, &printed);
    if (!view_equal(buf_view(&printed), buf_view(&text)))
        fail_msg("%.*s prints as %.*s", VIEW_ARGS(buf_view(&text)), VIEW_ARGS(buf_view(&printed)));
    assert_true(decimal_read(buf_view(&text), m.scale, &read));
    assert_int_equal(read.is_negative, d.is_negative);
    assert_int_equal(read.is_small, d.is_small);
    assert_memory_equal(read.limb, d.limb, sizeof d.limb);
    check_complement(&m, &d);
    buf_put_u8(&text, 0);
    assert_true(decimal_to_double(&d, m.scale) == strtod((const char *)text.start, NULL));
    buf_fini(&text);
    buf_fini(&packed);
    buf_fini(&printed);
}

static void decimals_obey_their_model(void **state)
{
    (void)state;
    int rounds = random_begin(20000);
    for (int i = 0; i < rounds; i++)
        check_one();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_obey_their_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
