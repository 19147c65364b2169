/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gtid: one transaction's name, and sets of them.
 *
 *   3e11fa47-71ca-11e1-9e33-c80aa9429562:23          one
 *   3e11fa47-71ca-11e1-9e33-c80aa9429562:tag:23      one with a tag (8.3 and later)
 *   U:1-9:12:tag:77:zz:1-2,V:5                       a set: uuid, intervals, then tags with theirs
 *
 * A set keeps a sorted list of (uuid, tag) with sorted, merged, half-open intervals; adding the next number
 * of a known source is constant time. Tags are kept in lower case.
 * Formats: MySQL manual "GTID Sets"; binary: rpl_gtid_set.cc Gtid_set::encode (see mysql_binlog_open).
 * A set belongs to one thread at a time.
 */
#ifndef TIDEMARK_BINLOG_GTID_H
#define TIDEMARK_BINLOG_GTID_H

#include "base/bytes.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

enum { GTID_TAG_BYTES = 32, GTID_TEXT_BYTES = 36 + 1 + GTID_TAG_BYTES + 1 + 20 + 1 };

struct gtid {
    uint8_t uuid[16];
    char tag[GTID_TAG_BYTES + 1]; /* "" when there is none */
    int64_t n;                    /* 1 or more; 0: this is no GTID */
};

struct gtid_interval {
    int64_t first;
    int64_t end; /* one past the last */
};

struct gtid_source {
    uint8_t uuid[16];
    char tag[GTID_TAG_BYTES + 1];
    struct gtid_interval *intervals;
    uint32_t n_intervals;
    uint32_t room;
};

struct gtid_set {
    struct gtid_source *sources; /* sorted by uuid bytes, then tag */
    uint32_t n_sources;
    uint32_t room;
};

/* Writes the text with its NUL; returns its length. out has GTID_TEXT_BYTES. */
size_t gtid_print(const struct gtid *g, char *out);

void gtid_set_init(struct gtid_set *set);
void gtid_set_fini(struct gtid_set *set);
void gtid_set_copy(struct gtid_set *to, const struct gtid_set *from);
bool gtid_set_is_empty(const struct gtid_set *set);

/* Reads the text form, blanks and newlines allowed around parts; set must be initialised and is replaced. */
MUST_USE bool gtid_set_read(struct gtid_set *set, struct view text, struct fail *why);

/* Appends the canonical text form. */
void gtid_set_print(const struct gtid_set *set, struct buf *out);

/* The same for a message: at most so many bytes, and then … where it was cut. */
void gtid_set_print_short(const struct gtid_set *set, size_t most, struct buf *out);

/* Binary form: tagged only when a tag is in the set. decode is fuzzed. */
void gtid_set_encode(const struct gtid_set *set, struct buf *out);
MUST_USE bool gtid_set_decode(struct gtid_set *set, struct view body, struct fail *why);

void gtid_set_add(struct gtid_set *set, const struct gtid *g);

/* Adds first to end - 1; 1 <= first < end. tag is in lower case, "" for none. */
void gtid_set_add_range(struct gtid_set *set, const uint8_t uuid[16], const char *tag, struct gtid_interval range);
void gtid_set_remove(struct gtid_set *set, const struct gtid *g);
bool gtid_set_has(const struct gtid_set *set, const struct gtid *g);
bool gtid_set_equal(const struct gtid_set *a, const struct gtid_set *b);
bool gtid_set_contains(const struct gtid_set *outer, const struct gtid_set *inner);
void gtid_set_union(struct gtid_set *set, const struct gtid_set *other);
void gtid_set_minus(struct gtid_set *set, const struct gtid_set *other);

/* How many transactions are in it. */
uint64_t gtid_set_count(const struct gtid_set *set);

#endif
