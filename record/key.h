/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key: what names a row: the columns of the record key, and the exact bytes that windows compare.
 *
 * The record key is JSON for consumers and may hide differences (zero dates become one epoch, a list of
 * message.key.columns need not be unique). Windows need the stored values themselves, so they compare other bytes,
 * made of the cells of the table's own key, one after the other:
 *
 *   1 byte   cell kind
 *   n bytes  INT, UINT, TIME, TIMESTAMP 8 (little-endian); FLOAT 4; DOUBLE 8 (their bits); DATE, DATETIME 12;
 *            DECIMAL 1 sign + 32; bytes, JSON 4 of length + the bytes; NULL none
 *
 * Equal stored values give equal bytes, whichever way the row came; rows with unequal ones never do. Case or accents
 * are not folded: 'a' and 'A' are two keys here even where the server's collation makes them one.
 * Any thread.
 */
#ifndef TIDEMARK_RECORD_KEY_H
#define TIDEMARK_RECORD_KEY_H

#include "base/arena.h"
#include "base/bytes.h"
#include "binlog/cell.h"
#include "binlog/shape.h"
#include "record/settings.h"

/* The columns of the record key in order, in the arena; NULL and *n = 0 when there is none. */
const uint16_t *key_choose(const struct record_settings *set, const struct shape *shape, struct arena *memory,
                           unsigned *n);

/* Appends the exact bytes of n columns of a row. A column absent from the image counts as a kind of its own. */
void key_put_exact(const uint16_t *columns, unsigned n, const struct cell *cells, struct buf *out);

#endif
