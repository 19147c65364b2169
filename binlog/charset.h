/* SPDX-License-Identifier: Apache-2.0 */
/*
 * charset: the character sets of MySQL, and how their bytes become UTF-8.
 *
 * One static table; a pointer into it is the identity of a set. Collations belong to one set each and are
 * known by number (binlog metadata) and by name (DDL). Malformed bytes and codes without a character become U+FFFD,
 * one for each. latin1 is windows-1252 with its five undefined bytes undefined, as the reference reads it.
 *
 * Sets, collations and all mappings were asked of MySQL 9.7 (tools/make_charsets.py, charset_tables). A double-byte set's
 * table of some 50 KB is unpacked at its first use and stays. Any thread.
 */
#ifndef TIDEMARK_BINLOG_CHARSET_H
#define TIDEMARK_BINLOG_CHARSET_H

#include "base/bytes.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>

struct charset_wide;

struct charset {
    const char *name;              /* "utf8mb4" */
    const char *default_collation; /* "utf8mb4_0900_ai_ci" */
    uint8_t max_bytes;             /* of one character */
    bool is_utf8;                  /* the bytes are UTF-8 as they stand: utf8mb4, utf8mb3, ascii (checked on writing) */
    bool is_binary;
    bool is_ascii;                      /* where a character begins, a byte below 0x80 is the ASCII character */
    const uint16_t *single;             /* 256 code points of a single-byte set, or NULL */
    const struct charset_wide *wide;    /* of a double-byte set, or NULL */
    const struct charset_wide *wide_8f; /* EUC: the three-byte codes, which begin with 8F */
    struct utf8_step (*step)(const struct charset *cs, const uint8_t *p, size_t n);
};

/* By name, ASCII case folded ("utf8" is utf8mb3); NULL when unknown. */
const struct charset *charset_find(struct view name);

/* The set of a collation by name (also the utf8_… names of old servers) or by number; NULL when unknown. */
const struct charset *charset_of_collation(struct view collation);
const struct charset *charset_of_collation_id(uint32_t id);

/* The name of a collation number, "" when unknown. */
const char *charset_collation_name(uint32_t id);

/* The n-th set in order of name, NULL behind the last. */
const struct charset *charset_at(unsigned n);

/* The character at p, of n > 0 bytes; what is no character reads as U+FFFD. */
static inline struct utf8_step charset_step(const struct charset *cs, const uint8_t *p, size_t n)
{
    return cs->step(cs, p, n);
}

/* Appends bytes in this set to out as valid UTF-8, unescaped; NULL is taken as UTF-8. */
void charset_to_utf8(const struct charset *cs, struct view bytes, struct buf *out);

/* Appends UTF-8 as bytes in this set, which is not binary; a character that it lacks becomes ?, as with the server, and the
 * answer false. */
bool charset_from_utf8(const struct charset *cs, struct view text, struct buf *out);

#endif
