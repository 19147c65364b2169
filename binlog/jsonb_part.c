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

/* How many bytes a value of fixed size takes; 0: it is none. */
static size_t fixed_bytes(uint8_t type)
{
    switch (type) {
    case JSONB_LITERAL:
        return 1;
    case JSONB_INT16:
    case JSONB_UINT16:
        return 2;
    case JSONB_INT32:
    case JSONB_UINT32:
        return 4;
    case JSONB_INT64:
    case JSONB_UINT64:
    case JSONB_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

static bool measure_container(struct jsonb_part *part)
{
    struct cursor c = cursor_of(part->raw);
    size_t width = part->type == JSONB_SMALL_OBJECT || part->type == JSONB_SMALL_ARRAY ? 2 : 4;
    (void)cursor_le(&c, width);
    size_t bytes = (size_t)cursor_le(&c, width);
    bool is_good = !c.bad && bytes >= 2 * width && bytes <= part->raw.n;
    part->raw.n = bytes;
    return is_good;
}

static bool measure_text(struct jsonb_part *part)
{
    struct cursor c = cursor_of(part->raw);
    size_t length;
    if (part->type == JSONB_OPAQUE)
        (void)cursor_u8(&c);
    if (!take_length(&c, &length) || length > cursor_left(&c))
        return false;
    part->head = (uint8_t)(c.p - part->raw.p);
    part->raw.n = part->head + length;
    return true;
}

bool jsonb_part_at(uint8_t type, struct view from, struct jsonb_part *out)
{
    *out = (struct jsonb_part){.type = type, .raw = from};
    if (jsonb_is_container(type))
        return measure_container(out);
    if (type == JSONB_STRING || type == JSONB_OPAQUE)
        return measure_text(out);
    out->raw.n = fixed_bytes(type);
    return out->raw.n > 0 && out->raw.n <= from.n;
}

bool jsonb_part_root(struct view doc, struct jsonb_part *out)
{
    static const uint8_t null_literal = JSONB_NULL;
    if (doc.n == 0) {
        *out = (struct jsonb_part){.type = JSONB_LITERAL, .raw = {&null_literal, 1}};
        return true;
    }
    return jsonb_part_at(doc.p[0], (struct view){doc.p + 1, doc.n - 1}, out);
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
    out->count = (uint32_t)jsonb_number_at(part->raw.p, out->width);
    return jsonb_container_head(out->width, out->is_object, out->count) <= part->raw.n;
}
