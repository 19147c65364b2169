#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_powers: writes base/digits_powers.c, the powers of ten that the shortest text of a double needs.

Entry k - DIGITS_POWER_MIN holds the upper 128 bits of 10^k, rounded up, shifted so that the first bit is 1.
Run from the root of the tree: python3 tools/make_powers.py > base/digits_powers.c
"""
LOW, HIGH = -292, 324  # the exponents that doubles, 2^-1074 to 2^1024, lead to

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/* Made by tools/make_powers.py; not edited by hand. */
#include "base/digits_powers.h"

const struct digits_power digits_powers[DIGITS_POWER_MAX - DIGITS_POWER_MIN + 1] = {"""


def upper_bits(k):
    if k >= 0:
        top, bottom = 10**k, 1
    else:
        top, bottom = 1, 10**-k
    shift = 128 - (top.bit_length() - bottom.bit_length())
    while True:
        value = -(-(top << shift) // bottom) if shift >= 0 else -(-top // (bottom << -shift))
        if value.bit_length() == 128:
            return value
        shift += 128 - value.bit_length()


def main():
    print(HEAD)
    for k in range(LOW, HIGH + 1):
        value = upper_bits(k)
        print(f"    {{0x{value >> 64:016x}, 0x{value & (2**64 - 1):016x}}}, /* {k} */")
    print("};")


if __name__ == "__main__":
    main()
