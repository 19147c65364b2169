/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number: floats as Java prints them (Double.toString and Float.toString since JDK 19), which is how they stand in records.
 *
 * The shortest digits that read back as the same number, of two at least; from 1e-3 up to 1e7 in decimal notation with
 * a digit behind the point (100.0), else as d.dE-n (1.0E7). Zero keeps its sign. Integers: base/digits.h.
 * Any thread.
 */
#ifndef TIDEMARK_RECORD_NUMBER_H
#define TIDEMARK_RECORD_NUMBER_H

#include "base/bytes.h"

/* x is finite: MySQL stores nothing else, and JSON has no text for it. Others print as null. */
void number_put_double(struct buf *out, double x);
void number_put_float(struct buf *out, float x);

#endif
