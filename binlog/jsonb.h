/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonb: MySQL's binary JSON becomes text, takes partial updates, and a server's JSON text gets the same form.
 *
 * Layout (sql-common/json_binary.h), all little-endian, offsets from the first byte of the container:
 *   document   type u8, value
 *   0 1        object: count, bytes, count key entries (offset, u16 length), count value entries, keys, values
 *   2 3        array: count, bytes, count value entries, values
 *              count, bytes and offsets are u16 in 0 and 2, u32 in 1 and 3; a value entry is type u8 and an offset or,
 *              when it fits in there, the value itself: literals, 16-bit integers, in 1 and 3 also 32-bit ones
 *   4          literal u8: 0 null, 1 true, 2 false
 *   5 6 7 8 9 10   int16, uint16, int32, uint32, int64, uint64;  11 double
 *   12         string: length (7 bits a byte, the lowest first, high bit: one more), UTF-8
 *   15         opaque: column type u8, length as above, bytes
 * Updates in place leave gaps between the parts, so nothing is taken from where the last part ended.
 *
 * The text has no blanks; members stand in stored order (by length, then by bytes); strings escape only what JSON
 * demands. Doubles have the server's shortest text (1.5, 10000000.0, 1e21): its SELECT prints the same, and a DECIMAL
 * inside a document, plain with its scale, can't be told from them there. DATE, TIME, DATETIME, TIMESTAMP are strings
 * with the fewest fraction digits, other opaque values strings of base64.
 *
 * Depth is bounded by the server's own limit, and the parts visited can't be more than the document has bytes.
 * Any thread.
 */
#ifndef TIDEMARK_BINLOG_JSONB_H
#define TIDEMARK_BINLOG_JSONB_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/fail.h"

/* Appends the document as text. An empty document is null, as the server reads it. */
MUST_USE bool jsonb_print(struct view doc, struct buf *out, struct fail *why);

/* How strings are written where the text stands in another one: with quotes, as jsonb_put_string does it in a text of its
 * own; and the quote before and behind what needs no escape. */
struct jsonb_strings {
    void (*put)(struct buf *out, struct view text);
    struct view quote;
};

/* The same text, its strings written so. */
MUST_USE bool jsonb_print_inside(struct view doc, const struct jsonb_strings *strings, struct buf *out,
                                 struct fail *why);

/* Applies the differences of a PARTIAL_UPDATE_ROWS event (sql/json_diff.cc), a list without its length prefix:
 *   op u8 (0 replace, 1 insert, 2 remove), path as lenenc text, then unless removed a lenenc document.
 * Appends a document of the same meaning as the server's. An empty list copies the document. */
MUST_USE bool jsonb_apply_diffs(struct view before_doc, struct view diffs, struct buf *out, struct fail *why);

/* Whether a document holds values that its text shows as strings: times, opaque ones. A query learns it by
 * `NOT (doc <=> CAST(CAST(doc AS CHAR) AS JSON))`. */
enum jsonb_typed { JSONB_TYPED_UNKNOWN, JSONB_TYPED_NO, JSONB_TYPED_YES };

/* fail.code where only that can tell what a string is. */
enum { JSONB_TYPED_MATTERS = 200002 };

/* The text of a JSON column from a SELECT in the form of jsonb_print, in the arena's memory. The server prints a DATETIME
 * or an opaque value as a string (with 6 fraction digits, with "base64:type15:" in front), which looks like a string that
 * says so. In a document that holds such values strings that look so are taken as them, in one that does not every string
 * is left as it is; as long as it is not known the first of them fails with JSONB_TYPED_MATTERS. */
MUST_USE bool jsonb_tidy_text(struct view text, enum jsonb_typed typed, struct arena *a, struct view *out,
                              struct fail *why);

#endif
