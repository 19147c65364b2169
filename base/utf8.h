/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8: text that claims to be UTF-8 is checked, and what is wrong in it becomes U+FFFD.
 *
 * Replacement follows Java's decoder, so that records agree: one U+FFFD for each longest start of a sequence that
 * could have gone on, one for each byte that can't begin a sequence, and one for a whole encoded surrogate.
 * Any thread.
 */
#ifndef TIDEMARK_BASE_UTF8_H
#define TIDEMARK_BASE_UTF8_H

#include "base/bytes.h"

enum { UTF8_REPLACEMENT = 0xfffd };

/* The code point at p, of n > 0 bytes, and how many bytes it takes; a malformed part reads as U+FFFD. */
struct utf8_step {
    uint32_t code;
    uint32_t bytes;
    bool is_malformed;
};
struct utf8_step utf8_step(const uint8_t *p, size_t n);

bool utf8_is_valid(struct view v);

/* Appends a code point, which is no surrogate and at most U+10FFFF. */
void utf8_put(struct buf *b, uint32_t code);

/* Appends v with U+FFFD in place of what is malformed. */
void utf8_put_repaired(struct buf *b, struct view v);

/* ---- eight bytes at a time ---- */

#define UTF8_ONES UINT64_C(0x0101010101010101)
#define UTF8_HIGHS UINT64_C(0x8080808080808080)

/* How many leading bytes are ASCII. */
static inline size_t utf8_ascii_run(const uint8_t *p, size_t n)
{
    size_t at = 0;
    for (; n - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, p + at, 8);
        uint64_t found = word & UTF8_HIGHS;
        if (found != 0)
            return at + (size_t)__builtin_ctzll(found) / 8;
    }
    while (at < n && p[at] < 0x80)
        at++;
    return at;
}

/* High bits set where a byte must be escaped in JSON: below 0x20, '"' or '\'. The lowest one set is exact. */
static inline uint64_t utf8_json_special(uint64_t word)
{
    uint64_t quote = word ^ UTF8_ONES * '"', backslash = word ^ UTF8_ONES * '\\';
    return (((word - UTF8_ONES * 0x20) & ~word) | ((quote - UTF8_ONES) & ~quote) |
            ((backslash - UTF8_ONES) & ~backslash)) &
           UTF8_HIGHS;
}

/* Less than eight bytes, by loads that overlap. Returns n, or less when a byte among them is special. */
static inline size_t utf8_copy_short(uint8_t *to, const uint8_t *p, size_t n, uint64_t high)
{
    uint64_t word = UTF8_ONES * 'a';
    if (n >= 4) {
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + n - 4, &last, 4);
        word = (uint64_t)last << 32 | first;
    } else if (n > 0) {
        uint8_t first = p[0], middle = p[n / 2], last = p[n - 1];
        to[0] = first;
        to[n / 2] = middle;
        to[n - 1] = last;
        word = (word & ~UINT64_C(0xffffff)) | (uint64_t)last << 16 | (uint64_t)middle << 8 | first;
    }
    if ((utf8_json_special(word) | (word & high)) == 0)
        return n;
    size_t at = 0;
    while (at < n && p[at] >= 0x20 && p[at] != '"' && p[at] != '\\' && (p[at] & high & 0x80) == 0)
        at++;
    return at;
}

/* Copies bytes for as long as they may stand in a JSON string as they are (with stop_at_high: and are ASCII); returns how
 * many. `to` has room for n: what is behind those that count is undefined. */
static inline size_t utf8_json_copy(uint8_t *to, const uint8_t *p, size_t n, bool stop_at_high)
{
    uint64_t high = stop_at_high ? UTF8_HIGHS : 0;
    if (n < 8)
        return utf8_copy_short(to, p, n, high);
    for (size_t at = 0;;) {
        uint64_t word;
        memcpy(&word, p + at, 8);
        memcpy(to + at, &word, 8);
        uint64_t found = utf8_json_special(word) | (word & high);
        if (found != 0)
            return at + (size_t)__builtin_ctzll(found) / 8;
        if (at + 8 == n)
            return n;
        at = at + 16 <= n ? at + 8 : n - 8; /* the last word overlaps the one before */
    }
}

/* How many leading bytes are whole characters of two or three bytes, well formed, up to U+FFFF. */
static inline size_t utf8_middle_run(const uint8_t *p, size_t n)
{
    size_t at = 0;
    for (;;) {
        size_t left = n - at;
        const uint8_t *q = p + at;
        if (left >= 2 && q[0] >= 0xc2 && q[0] < 0xe0 && (q[1] & 0xc0) == 0x80) {
            at += 2;
        } else if (left >= 3 && (q[0] & 0xf0) == 0xe0 && (q[1] & 0xc0) == 0x80 && (q[2] & 0xc0) == 0x80 &&
                   !(q[0] == 0xe0 && q[1] < 0xa0) && !(q[0] == 0xed && q[1] >= 0xa0)) {
            at += 3;
        } else {
            return at;
        }
    }
}

/* How many leading bytes may stand in a JSON string as they are; bytes of 0x80 and up end the run when stop_at_high. */
static inline size_t utf8_json_run(const uint8_t *p, size_t n, bool stop_at_high)
{
    uint64_t high = stop_at_high ? UTF8_HIGHS : 0;
    size_t at = 0;
    for (; n - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, p + at, 8);
        uint64_t found = utf8_json_special(word) | (word & high);
        if (found != 0)
            return at + (size_t)__builtin_ctzll(found) / 8;
    }
    while (at < n && p[at] >= 0x20 && p[at] != '"' && p[at] != '\\' && (p[at] & high & 0x80) == 0)
        at++;
    return at;
}

#endif
