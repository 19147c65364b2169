/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digits_powers: the leading 128 bits of the powers of ten from 10^-292 to 10^324, rounded up.
 *
 * Made by tools/make_powers.py. Constant; any thread.
 */
#ifndef TIDEMARK_BASE_DIGITS_POWERS_H
#define TIDEMARK_BASE_DIGITS_POWERS_H

#include <stdint.h>

enum { DIGITS_POWER_MIN = -292, DIGITS_POWER_MAX = 324 };

struct digits_power {
    uint64_t high; /* the first bit is 1 */
    uint64_t low;
};

extern const struct digits_power digits_powers[DIGITS_POWER_MAX - DIGITS_POWER_MIN + 1];

#endif
