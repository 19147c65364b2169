/* SPDX-License-Identifier: Apache-2.0 */
/*
 * captured: events of a real server, read from the hex text in test/data/events.
 *
 * A file that is not there, or not hex, ends the test with its name. How the files are made: test/data/capture.
 */
#ifndef TIDEMARK_TEST_SUPPORT_CAPTURED_H
#define TIDEMARK_TEST_SUPPORT_CAPTURED_H

#include "base/bytes.h"
#include "binlog/decoder.h"

struct captured {
    struct view *events; /* whole, as the dump thread sent them */
    size_t n;
    struct buf bytes;
};

/* "xa" is test/data/events/xa.hex; tests run in the checkout's root. */
void captured_load(struct captured *cap, const char *name);
void captured_free(struct captured *cap);

/* The event of a type, counted from 0, run through a decoder from the first event on; fails the test if there is none. */
struct event captured_event(const struct captured *cap, uint8_t type, size_t which);

/* Hex digits, blanks between them, XX*COUNT for a byte that repeats: the bytes are appended. */
void captured_hex(const char *text, struct buf *out);

#endif
