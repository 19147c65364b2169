/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonb_part: the parts of a binary JSON document, found within their bounds. The layout is told in jsonb.h.
 *
 * A part is a type and the bytes of its value, exactly as many as it has. Nothing is copied: parts lend the document.
 * false always means that the bytes do not follow the layout. Any thread.
 */
#ifndef TIDEMARK_BINLOG_JSONB_PART_H
#define TIDEMARK_BINLOG_JSONB_PART_H

#include "base/bytes.h"
#include "base/fail.h"

enum jsonb_type {
    JSONB_SMALL_OBJECT = 0,
    JSONB_LARGE_OBJECT = 1,
    JSONB_SMALL_ARRAY = 2,
    JSONB_LARGE_ARRAY = 3,
    JSONB_LITERAL = 4,
    JSONB_INT16 = 5,
    JSONB_UINT16 = 6,
    JSONB_INT32 = 7,
    JSONB_UINT32 = 8,
    JSONB_INT64 = 9,
    JSONB_UINT64 = 10,
    JSONB_DOUBLE = 11,
    JSONB_STRING = 12,
    JSONB_OPAQUE = 15,
};

enum { JSONB_NULL = 0, JSONB_TRUE = 1, JSONB_FALSE = 2 }; /* the literals */

enum { JSONB_DEPTH_MAX = 100 }; /* containers within each other; the server refuses more */

struct jsonb_part {
    uint8_t type;
    struct view raw; /* the value without its type byte */
};

struct jsonb_container {
    struct view raw;
    uint32_t count;
    uint8_t width; /* bytes of count, sizes and offsets: 2 or 4 */
    bool is_object;
};

static inline bool jsonb_is_container(uint8_t type)
{
    return type <= JSONB_LARGE_ARRAY;
}

/* Is a value of this type held in the entry itself, in a container of this width? */
static inline bool jsonb_is_inlined(uint8_t type, unsigned width)
{
    return (type >= JSONB_LITERAL && type <= JSONB_UINT16) ||
           (width == 4 && (type == JSONB_INT32 || type == JSONB_UINT32));
}

/* The whole document; an empty one is the literal null. */
MUST_USE bool jsonb_part_root(struct view doc, struct jsonb_part *out);

MUST_USE bool jsonb_container_open(const struct jsonb_part *part, struct jsonb_container *out);

/* Bytes of the header and all entries of a container. */
static inline uint64_t jsonb_container_head(unsigned width, bool is_object, uint64_t count)
{
    return 2ULL * width + count * (is_object ? width + 2ULL : 0) + count * (1ULL + width);
}

/* The i-th key and value; i < count. */
MUST_USE bool jsonb_container_key(const struct jsonb_container *c, uint32_t i, struct view *key);
MUST_USE bool jsonb_container_value(const struct jsonb_container *c, uint32_t i, struct jsonb_part *value);

/* The text of a JSONB_STRING, the column type and bytes of a JSONB_OPAQUE. */
struct view jsonb_part_text(const struct jsonb_part *part);
struct view jsonb_part_opaque(const struct jsonb_part *part, uint8_t *column_type);

#endif
