/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal: DECIMAL(p,s) as the server packs it, as text, as two's complement and as a double.
 *
 * Packed form (strings/decimal.cc, decimal2bin): the p-s digits before the point and the s digits behind it each in
 * groups of nine, counted from the point; nine digits take 4 bytes big-endian, a rest of 1 to 8 takes
 * 1, 1, 2, 2, 3, 3, 4, 4. The first bit is flipped, and all bits of a negative number are.
 *
 * A cell_decimal is the unscaled integer: DECIMAL(10,2) 5.00 is 500. Zero is never negative. Any thread.
 */
#ifndef TIDEMARK_BINLOG_DECIMAL_H
#define TIDEMARK_BINLOG_DECIMAL_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/cell.h"

enum {
    DECIMAL_PRECISION_MAX = 65,
    DECIMAL_SCALE_MAX = 30,
    DECIMAL_PACKED_MAX = 81,     /* digits a packed number may have room for: nine groups, in JSON documents */
    DECIMAL_COMPLEMENT_MAX = 33, /* bytes of the longest two's complement */
};

/* Can there be a DECIMAL(precision,scale)? */
static inline bool decimal_is_type(unsigned precision, unsigned scale)
{
    return precision >= 1 && precision <= DECIMAL_PRECISION_MAX && scale <= DECIMAL_SCALE_MAX && scale <= precision;
}

/* Bytes of the packed form; precision is at most DECIMAL_PACKED_MAX, scale at most precision. */
unsigned decimal_bytes(unsigned precision, unsigned scale);

/* Reads a packed number; false when the bytes end early or hold no number of at most 256 bits. */
MUST_USE bool decimal_decode(struct cursor *c, unsigned precision, unsigned scale, struct cell_decimal *out);

/* Reads [+-]digits[.digits][e[+-]digits], blanks around it allowed, and rounds it half up (away from zero) to scale
 * digits; false when it is no number or has more than 65 digits then. */
MUST_USE bool decimal_read(struct view text, unsigned scale, struct cell_decimal *out);

/* Appends plain text with all scale digits: -0.0500; no point when scale is 0. */
void decimal_print(const struct cell_decimal *d, unsigned scale, struct buf *out);

/* The unscaled integer in two's complement, big-endian, as few bytes as hold its sign; returns how many. */
unsigned decimal_complement(const struct cell_decimal *d, uint8_t out[DECIMAL_COMPLEMENT_MAX]);

/* The nearest double. */
double decimal_to_double(const struct cell_decimal *d, unsigned scale);

/* An integer as an unscaled number (BIGINT UNSIGNED in precise mode). */
static inline struct cell_decimal decimal_of_u64(uint64_t v)
{
    return (struct cell_decimal){.is_small = true, .limb = {v}};
}

#endif
