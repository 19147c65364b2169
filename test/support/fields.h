/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: the text files of test/data, field by field.
 *
 * A line holds fields parted by tabs; lines that begin with '#' are comments. Bytes are hex, "-" none; what repeats is
 * folded: <<78*400>> is 400 times 78, in text <<x*400>> 400 times x.
 */
#ifndef TIDEMARK_TEST_FIELDS_H
#define TIDEMARK_TEST_FIELDS_H

#include "base/bytes.h"

#include <stdio.h>

enum { FIELDS_MAX = 16 };

struct fields {
    FILE *file;
    char *line; /* owned */
    size_t room;
    unsigned number; /* of the line, from 1 */
    unsigned n;
    char *at[FIELDS_MAX];
};

/* Opens test/data/NAME; the test fails when it is not there. */
void fields_open(struct fields *c, const char *name);
void fields_close(struct fields *c);

/* The next line into fields; false at the end. */
bool fields_next(struct fields *c);

/* Appends a field unfolded, as text or as the bytes its hex tells. */
void fields_text(const char *field, struct buf *out);
void fields_bytes(const char *field, struct buf *out);

#endif
