/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digits: numbers become decimal digits.
 *
 * Integers are written two digits at a time. A float becomes the shortest digits that read back as the same
 * float, and of those the nearest to it (Raffaello Giulietti, "The Schubfach way to render doubles"); how they
 * are laid out, with point or exponent, is the caller's: Java's way for records, MySQL's way in JSON documents.
 * Any thread.
 */
#ifndef TIDEMARK_BASE_DIGITS_H
#define TIDEMARK_BASE_DIGITS_H

#include "base/bytes.h"

enum { DIGITS_MAX = 20 }; /* of a 64-bit number */

/* Writes v at out, which has room for DIGITS_MAX; returns how many digits. */
unsigned digits_write(uint8_t *out, uint64_t v);

void digits_put_u64(struct buf *b, uint64_t v);
void digits_put_i64(struct buf *b, int64_t v);

/* Exactly width digits (at most DIGITS_MAX), zeros in front; v must fit. */
void digits_put_padded(struct buf *b, uint64_t v, unsigned width);

/* |x| = digits · 10^exponent, without trailing zeros in digits (0 is 0 · 10^0); at most 17 digits. */
struct digits {
    uint64_t digits;
    int exponent;
};

/* The shortest digits of a finite x, its sign aside. at_least is 1, or 2 as Java wants it: then a number that one digit
 * would identify gets the nearest two (4.9E-324, not 5E-324). */
struct digits digits_of_double(double x, unsigned at_least);
struct digits digits_of_float(float x, unsigned at_least);

#endif
