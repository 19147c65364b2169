/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/jsonb.h"

#include "base/base64.h"
#include "base/digits.h"
#include "base/utf8.h"
#include "binlog/decimal.h"
#include "binlog/jsonb_part.h"
#include "binlog/jsonb_string.h"
#include "binlog/temporal.h"
#include "binlog/value.h"

#include <math.h>

/* One printing. Parts do not overlap, so that what was visited never adds up to more than the document; if it does,
 * offsets lead in circles or fan out. */
struct print {
    struct buf *out;
    size_t left;
    const struct jsonb_strings *strings;
    struct fail *why;
};

static bool fail_layout(struct print *p)
{
    return fail_malformed(p->why, "JSON document: its bytes do not follow the binary layout");
}

static bool visit(struct print *p, size_t bytes)
{
    if (bytes > p->left)
        return fail_malformed(p->why, "JSON document: its parts overlap");
    p->left -= bytes;
    return true;
}

static void put_quote(struct print *p)
{
    buf_put_view(p->out, p->strings->quote);
}

/* ---- scalars ---- */

static int64_t packed_of(struct view bytes)
{
    int64_t v;
    memcpy(&v, bytes.p, sizeof v);
    return v;
}

static bool put_literal(struct print *p, uint8_t literal)
{
    switch (literal) {
    case JSONB_NULL:
        buf_put_literal(p->out, "null");
        return true;
    case JSONB_TRUE:
        buf_put_literal(p->out, "true");
        return true;
    case JSONB_FALSE:
        buf_put_literal(p->out, "false");
        return true;
    default:
        return fail_layout(p);
    }
}

/* As the server prints (my_gcvt of strings/dtoa.cc): decimal notation while the point is from 14 places left of the first
 * digit to 15 right of it, or stands among the digits. */
static void put_double(struct buf *out, double x)
{
    struct digits d = digits_of_double(x, 1);
    uint8_t text[DIGITS_MAX];
    int n = (int)digits_write(text, d.digits);
    int point = d.digits == 0 ? 1 : n + d.exponent;
    buf_need(out, 64);
    if (signbit(x))
        *out->p++ = '-';
    if (point < -14 || (point > 15 && point >= n)) {
        *out->p++ = text[0];
        if (n > 1) {
            *out->p++ = '.';
            buf_put(out, text + 1, (size_t)n - 1);
        }
        *out->p++ = 'e';
        digits_put_i64(out, point - 1);
        return;
    }
    if (point <= 0)
        buf_put(out, "0.00000000000000", (size_t)(2 - point));
    for (int i = 0; i < n; i++) {
        if (i > 0 && i == point)
            *out->p++ = '.';
        *out->p++ = text[i];
    }
    for (int i = n; i < point; i++)
        *out->p++ = '0';
    if (n <= point)
        buf_put_literal(out, ".0");
}

static bool put_decimal(struct print *p, struct view bytes)
{
    struct cursor c = cursor_of(bytes);
    uint8_t precision = cursor_u8(&c), scale = cursor_u8(&c);
    struct cell_decimal d;
    if (c.bad || precision == 0 || precision > DECIMAL_PACKED_MAX || scale > precision ||
        !decimal_decode(&c, precision, scale, &d))
        return fail_malformed(p->why, "JSON document: a DECIMAL in it holds no number");
    decimal_print(&d, scale, p->out);
    return true;
}

static bool fail_moment(struct print *p)
{
    return fail_malformed(p->why, "JSON document: a date or time in it is none");
}

static bool put_time(struct print *p, int64_t packed)
{
    int64_t micros;
    if (!temporal_unpack_time(packed, &micros))
        return fail_moment(p);
    uint64_t v = (uint64_t)(micros < 0 ? -micros : micros);
    unsigned seconds = (unsigned)(v / 1000000);
    put_quote(p);
    if (micros < 0)
        buf_put_u8(p->out, '-');
    temporal_put_clock(p->out, seconds / 3600, seconds / 60 % 60, seconds % 60);
    temporal_put_short_fraction(p->out, (uint32_t)(v % 1000000));
    put_quote(p);
    return true;
}

static bool put_date(struct print *p, int64_t packed, bool has_clock)
{
    struct cell_date d;
    if (!temporal_unpack_datetime(packed, &d))
        return fail_moment(p);
    put_quote(p);
    temporal_put_date(p->out, &d);
    if (has_clock) {
        buf_put_u8(p->out, ' ');
        temporal_put_clock(p->out, d.hour, d.minute, d.second);
        temporal_put_short_fraction(p->out, d.micro);
    }
    put_quote(p);
    return true;
}

static bool put_opaque(struct print *p, const struct jsonb_part *part)
{
    uint8_t column_type;
    struct view bytes = jsonb_part_opaque(part, &column_type);
    bool is_moment = column_type == WIRE_DATE || column_type == WIRE_TIME || column_type == WIRE_DATETIME ||
                     column_type == WIRE_TIMESTAMP;
    if (is_moment && bytes.n != 8)
        return fail_moment(p);
    switch (column_type) {
    case WIRE_NEWDECIMAL:
        return put_decimal(p, bytes);
    case WIRE_TIME:
        return put_time(p, packed_of(bytes));
    case WIRE_DATE:
    case WIRE_DATETIME:
    case WIRE_TIMESTAMP:
        return put_date(p, packed_of(bytes), column_type != WIRE_DATE);
    default:
        put_quote(p);
        base64_put(p->out, bytes);
        put_quote(p);
        return true;
    }
}

static bool put_float(struct print *p, struct view raw)
{
    double x;
    memcpy(&x, raw.p, sizeof x);
    if (!isfinite(x))
        return fail_malformed(p->why, "JSON document: a double in it is not finite");
    put_double(p->out, x);
    return true;
}

#define PUT_INTEGER(type, put)       \
    {                                \
        type v;                      \
        memcpy(&v, raw.p, sizeof v); \
        put(p->out, v);              \
        return true;                 \
    }

/* The bytes of a part are as many as its type has: jsonb_part made sure. */
static bool put_scalar(struct print *p, const struct jsonb_part *part)
{
    struct view raw = part->raw;
    switch (part->type) {
    case JSONB_LITERAL:
        return put_literal(p, raw.p[0]);
    case JSONB_INT16:
        PUT_INTEGER(int16_t, digits_put_i64)
    case JSONB_UINT16:
        PUT_INTEGER(uint16_t, digits_put_u64)
    case JSONB_INT32:
        PUT_INTEGER(int32_t, digits_put_i64)
    case JSONB_UINT32:
        PUT_INTEGER(uint32_t, digits_put_u64)
    case JSONB_INT64:
        PUT_INTEGER(int64_t, digits_put_i64)
    case JSONB_UINT64:
        PUT_INTEGER(uint64_t, digits_put_u64)
    case JSONB_DOUBLE:
        return put_float(p, raw);
    case JSONB_STRING:
        p->strings->put(p->out, jsonb_part_text(part));
        return true;
    default:
        return put_opaque(p, part);
    }
}

/* ---- containers ---- */

static bool put_part(struct print *p, const struct jsonb_part *part, unsigned depth);

static inline bool put_key(struct print *p, const struct jsonb_container *c, uint32_t i)
{
    struct view key;
    if (!jsonb_container_key(c, i, &key))
        return fail_layout(p);
    if (!visit(p, key.n))
        return false;
    p->strings->put(p->out, key);
    buf_put_u8(p->out, ':');
    return true;
}

static inline bool put_members(struct print *p, const struct jsonb_container *c, unsigned depth)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct jsonb_part value;
        if (i > 0)
            buf_put_u8(p->out, ',');
        if (c->is_object && !put_key(p, c, i))
            return false;
        if (!jsonb_container_value(c, i, &value))
            return fail_layout(p);
        if (!jsonb_is_container(value.type) && !jsonb_is_inlined(value.type, c->width) && !visit(p, value.raw.n))
            return false;
        if (!put_part(p, &value, depth))
            return false;
    }
    return true;
}

static bool put_container(struct print *p, const struct jsonb_part *part, unsigned depth)
{
    struct jsonb_container c;
    if (depth > JSONB_DEPTH_MAX)
        return fail_malformed(p->why, "JSON document: more than %d values within each other", JSONB_DEPTH_MAX);
    if (!jsonb_container_open(part, &c))
        return fail_layout(p);
    if (!visit(p, (size_t)jsonb_container_head(c.width, c.is_object, c.count)))
        return false;
    buf_put_u8(p->out, c.is_object ? '{' : '[');
    if (!put_members(p, &c, depth + 1))
        return false;
    buf_put_u8(p->out, c.is_object ? '}' : ']');
    return true;
}

static bool put_part(struct print *p, const struct jsonb_part *part, unsigned depth)
{
    return jsonb_is_container(part->type) ? put_container(p, part, depth) : put_scalar(p, part);
}

bool jsonb_print_inside(struct view doc, const struct jsonb_strings *strings, struct buf *out, struct fail *why)
{
    struct print p = {out, doc.n, strings, why};
    struct jsonb_part root;
    if (!jsonb_part_root(doc, &root))
        return fail_layout(&p);
    return put_part(&p, &root, 1);
}

bool jsonb_print(struct view doc, struct buf *out, struct fail *why)
{
    static const struct jsonb_strings plain = {jsonb_put_string, {(const uint8_t *)"\"", 1}};
    return jsonb_print_inside(doc, &plain, out, why);
}
