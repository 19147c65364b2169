/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascii: classes of characters, whatever the locale says, and what is cut from the ends of a text.
 *
 * Any thread; nothing is kept.
 */
#ifndef TIDEMARK_BASE_ASCII_H
#define TIDEMARK_BASE_ASCII_H

#include "base/bytes.h"

static inline bool ascii_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* As isspace(3) in the C locale. */
static inline bool ascii_is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Without the blanks at both ends. */
static inline struct view ascii_trim(struct view v)
{
    while (v.n > 0 && ascii_is_blank(v.p[0]))
        v = (struct view){v.p + 1, v.n - 1};
    while (v.n > 0 && ascii_is_blank(v.p[v.n - 1]))
        v.n--;
    return v;
}

/* Without the blanks and control characters at both ends, as Java's String.trim. */
static inline struct view ascii_trim_as_java(struct view v)
{
    while (v.n > 0 && v.p[0] <= ' ')
        v = (struct view){v.p + 1, v.n - 1};
    while (v.n > 0 && v.p[v.n - 1] <= ' ')
        v.n--;
    return v;
}

#endif
