/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden: records that Debezium 3.6.1 emitted, out of test/data/golden, for comparison byte by byte.
 *
 * A record's line holds key and value as they were on the wire. What can't be equal on another day (positions, clocks)
 * is read back out of the record, so that a test can render with the same and compare everything.
 */
#ifndef TIDEMARK_TEST_SUPPORT_GOLDEN_H
#define TIDEMARK_TEST_SUPPORT_GOLDEN_H

#include "base/bytes.h"
#include "record/envelope.h"

struct golden {
    struct view key; /* "null" for a null */
    struct view value;
    struct view headers; /* JSON object of strings */
};

/* The nth record (from 0) of a topic in a case ("01-int-types") that was streamed, not read by a snapshot; fails the
 * test when there is none. Lent by a cache that lives as long as the test. */
struct golden golden_streamed(const char *name, bool with_schemas, const char *topic, unsigned nth);

/* What the record says of its source and clock; texts lent by it. row is its index in the event. */
struct row_source golden_source(const struct golden *g, uint32_t *row);

/* A header's text, unescaped into out; false when the record has no such header. */
bool golden_header(const struct golden *g, const char *name, struct buf *out);

/* The text behind a member's name and colon, up to its end; the first with that name. Empty: there is none. */
struct view golden_member(struct view json, const char *name);

/* Fails the test, showing both from where they differ. */
void golden_check_equal(struct view got, struct view expected, const char *what);

#endif
