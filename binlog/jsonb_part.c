/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/jsonb_part.h"

/* Seven bits a byte, the lowest first, at most five bytes. */
static bool take_length(struct cursor *c, size_t *length)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t byte = cursor_u8(c);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *length = (size_t)v;
            return !c->bad && v <= UINT32_MAX;
        }
    }
    return false;
}

/* How many of the bytes from `from` on the value takes. */
static bool measure(uint8_t type, struct view from, size_t *bytes)
{
    struct cursor c = cursor_of(from);
    size_t length;
    switch (type) {
    case JSONB_SMALL_OBJECT:
    case JSONB_SMALL_ARRAY:
        (void)cursor_u16(&c);
        *bytes = cursor_u16(&c);
        return !c.bad && *bytes >= 4 && *bytes <= from.n;
    case JSONB_LARGE_OBJECT:
    case JSONB_LARGE_ARRAY:
        (void)cursor_u32(&c);
        *bytes = cursor_u32(&c);
        return !c.bad && *bytes >= 8 && *bytes <= from.n;
    case JSONB_LITERAL:
        *bytes = 1;
        break;
    case JSONB_INT16:
    case JSONB_UINT16:
        *bytes = 2;
        break;
    case JSONB_INT32:
    case JSONB_UINT32:
        *bytes = 4;
        break;
    case JSONB_INT64:
    case JSONB_UINT64:
    case JSONB_DOUBLE:
        *bytes = 8;
        break;
    case JSONB_OPAQUE:
        (void)cursor_u8(&c);
        /* fall through */
    case JSONB_STRING:
        if (!take_length(&c, &length))
            return false;
        *bytes = (size_t)(c.p - from.p) + length;
        break;
    default:
        return false;
    }
    return *bytes <= from.n;
}

static bool part_at(uint8_t type, struct view from, struct jsonb_part *out)
{
    size_t bytes;
    if (!measure(type, from, &bytes))
        return false;
    *out = (struct jsonb_part){type, {from.p, bytes}};
    return true;
}

bool jsonb_part_root(struct view doc, struct jsonb_part *out)
{
    static const uint8_t null_literal = JSONB_NULL;
    if (doc.n == 0) {
        *out = (struct jsonb_part){JSONB_LITERAL, {&null_literal, 1}};
        return true;
    }
    return part_at(doc.p[0], (struct view){doc.p + 1, doc.n - 1}, out);
}

/* Two fixed loads: a copy of variable length would go through memory. */
static uint64_t number_at(const uint8_t *p, unsigned bytes)
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

bool jsonb_container_open(const struct jsonb_part *part, struct jsonb_container *out)
{
    *out = (struct jsonb_container){
        .raw = part->raw,
        .width = part->type == JSONB_SMALL_OBJECT || part->type == JSONB_SMALL_ARRAY ? 2 : 4,
        .is_object = part->type <= JSONB_LARGE_OBJECT,
    };
    if (part->raw.n < out->width)
        return false;
    out->count = (uint32_t)number_at(part->raw.p, out->width);
    return jsonb_container_head(out->width, out->is_object, out->count) <= part->raw.n;
}

bool jsonb_container_key(const struct jsonb_container *c, uint32_t i, struct view *key)
{
    uint64_t at = 2ULL * c->width + (uint64_t)i * (c->width + 2ULL);
    uint64_t offset = number_at(c->raw.p + at, c->width); /* entries are inside: jsonb_container_open made sure */
    uint64_t length = number_at(c->raw.p + at + c->width, 2);
    if (offset < jsonb_container_head(c->width, true, c->count) || offset + length > c->raw.n)
        return false;
    *key = (struct view){c->raw.p + offset, (size_t)length};
    return true;
}

bool jsonb_container_value(const struct jsonb_container *c, uint32_t i, struct jsonb_part *value)
{
    uint64_t head = jsonb_container_head(c->width, c->is_object, c->count);
    uint64_t at = head - (uint64_t)(c->count - i) * (1ULL + c->width);
    uint8_t type = c->raw.p[at];
    if (jsonb_is_inlined(type, c->width))
        return part_at(type, (struct view){c->raw.p + at + 1, c->width}, value);
    uint64_t offset = number_at(c->raw.p + at + 1, c->width);
    if (offset < head || offset >= c->raw.n)
        return false;
    return part_at(type, (struct view){c->raw.p + offset, c->raw.n - (size_t)offset}, value);
}

struct view jsonb_part_text(const struct jsonb_part *part)
{
    struct cursor c = cursor_of(part->raw);
    size_t length = 0;
    return take_length(&c, &length) ? cursor_view(&c, length) : VIEW_NONE;
}

struct view jsonb_part_opaque(const struct jsonb_part *part, uint8_t *column_type)
{
    struct cursor c = cursor_of(part->raw);
    size_t length = 0;
    *column_type = cursor_u8(&c);
    return take_length(&c, &length) ? cursor_view(&c, length) : VIEW_NONE;
}
