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
    uint8_t head;    /* of a string or opaque value: bytes before its text or bytes */
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

/* The part of that type that begins with `from`, which may go on behind it. */
MUST_USE bool jsonb_part_at(uint8_t type, struct view from, struct jsonb_part *out);

MUST_USE bool jsonb_container_open(const struct jsonb_part *part, struct jsonb_container *out);

/* Bytes of the header and all entries of a container. */
static inline uint64_t jsonb_container_head(unsigned width, bool is_object, uint64_t count)
{
    return 2ULL * width + count * (is_object ? width + 2ULL : 0) + count * (1ULL + width);
}

/* Two fixed loads: a copy of variable length would go through memory. */
static inline uint64_t jsonb_number_at(const uint8_t *p, unsigned bytes)
{
    uint16_t small;
    uint32_t large;
    if (bytes == 2) {
        memcpy(&small, p, sizeof small);
        return small;
    }
    memcpy(&large, p, sizeof large);
    return large;
}

/* The i-th key and value; i < count. Entries are inside: jsonb_container_open made sure. */
MUST_USE static inline bool jsonb_container_key(const struct jsonb_container *c, uint32_t i, struct view *key)
{
    uint64_t at = 2ULL * c->width + (uint64_t)i * (c->width + 2ULL);
    uint64_t offset = jsonb_number_at(c->raw.p + at, c->width);
    uint64_t length = jsonb_number_at(c->raw.p + at + c->width, 2);
    if (offset < jsonb_container_head(c->width, true, c->count) || offset + length > c->raw.n)
        return false;
    *key = (struct view){c->raw.p + offset, (size_t)length};
    return true;
}

MUST_USE static inline bool jsonb_container_value(const struct jsonb_container *c, uint32_t i, struct jsonb_part *value)
{
    uint64_t head = jsonb_container_head(c->width, c->is_object, c->count);
    uint64_t at = head - (uint64_t)(c->count - i) * (1ULL + c->width);
    uint8_t type = c->raw.p[at];
    if (jsonb_is_inlined(type, c->width)) {
        size_t bytes = type == JSONB_LITERAL ? 1 : type <= JSONB_UINT16 ? 2 : 4;
        *value = (struct jsonb_part){.type = type, .raw = {c->raw.p + at + 1, bytes}};
        return true;
    }
    uint64_t offset = jsonb_number_at(c->raw.p + at + 1, c->width);
    if (offset < head || offset >= c->raw.n)
        return false;
    const uint8_t *from = c->raw.p + offset;
    if (type == JSONB_STRING && *from < 0x80) { /* most are short */
        *value = (struct jsonb_part){type, 1, {from, 1 + (size_t)*from}};
        return value->raw.n <= c->raw.n - offset;
    }
    return jsonb_part_at(type, (struct view){from, c->raw.n - (size_t)offset}, value);
}

/* The text of a JSONB_STRING, the column type and bytes of a JSONB_OPAQUE. */
static inline struct view jsonb_part_text(const struct jsonb_part *part)
{
    return (struct view){part->raw.p + part->head, part->raw.n - part->head};
}

static inline struct view jsonb_part_opaque(const struct jsonb_part *part, uint8_t *column_type)
{
    *column_type = part->raw.p[0];
    return jsonb_part_text(part);
}

#endif
