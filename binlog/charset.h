/* SPDX-License-Identifier: Apache-2.0 */
/*
 * charset: the character sets of MySQL, and how their bytes become UTF-8.
 *
 * One static table; a pointer into it is the identity of a set. Collations belong to one set each and are
 * known by number (binlog metadata) and by name (DDL). Malformed bytes become U+FFFD.
 * Source of the list: SHOW CHARACTER SET and SHOW COLLATION of MySQL 9.7. Any thread.
 */
#ifndef TIDEMARK_BINLOG_CHARSET_H
#define TIDEMARK_BINLOG_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

struct charset {
    const char *name;              /* "utf8mb4" */
    const char *default_collation; /* "utf8mb4_0900_ai_ci" */
    uint8_t max_bytes;             /* of one character */
    bool is_utf8;                  /* the bytes are UTF-8 as they stand: utf8mb4, utf8mb3, ascii (checked on writing) */
    bool is_binary;
    const uint16_t *single; /* 256 code points of a single-byte set, or NULL */
    const char *iconv_name; /* of a multi-byte set, or NULL */
};

/* By name, ASCII case folded ("utf8" is utf8mb3); NULL when unknown. */
const struct charset *charset_find(struct view name);

/* The set of a collation by name or by number; NULL when unknown. */
const struct charset *charset_of_collation(struct view collation);
const struct charset *charset_of_collation_id(uint32_t id);

/* The name of a collation number, "" when unknown. */
const char *charset_collation_name(uint32_t id);

/* Appends bytes in this set to out as valid UTF-8, unescaped; malformed input becomes U+FFFD. */
void charset_to_utf8(const struct charset *cs, struct view bytes, struct buf *out);

#endif
