/* SPDX-License-Identifier: Apache-2.0 */
/*
 * literal: the DEFAULT of a column becomes the cell that a row filled by it would hold.
 *
 * Numbers are rounded as the server rounds them, dates are read in all the forms it accepts, hex and bit literals
 * become number or bytes by the column's type. Two things are not the server's but the format's: CURRENT_TIMESTAMP is
 * shown as the epoch, and only where the column could not say null instead; a zero date likewise.
 *
 * Texts of text columns come out in UTF-8, not in the column's charset.
 * Source: manual pages "Data Type Default Values", "Date and Time Literals", "Hexadecimal Literals". Any thread.
 */
#ifndef TIDEMARK_RECORD_LITERAL_H
#define TIDEMARK_RECORD_LITERAL_H

#include "base/arena.h"
#include "binlog/cell.h"
#include "binlog/shape.h"

enum literal_result {
    LITERAL_NONE, /* the schema shows no default: there is none, it is NULL, or an expression */
    LITERAL_CELL, /* out holds it; bytes are the arena's or the shape's */
    LITERAL_BAD,  /* there is one and it can't be read */
};

enum literal_result literal_default(const struct column *col, struct arena *memory, struct cell *out);

#endif
