/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/value.h"

#include "binlog/decimal.h"
#include "binlog/temporal.h"

/* ---- faults ---- */

static struct view name_of(const struct value_type *t)
{
    return t->column == NULL ? view_of("?") : t->column->name;
}

static bool fail_short(const struct value_type *t, struct fail *why)
{
    return fail_malformed(why, "column %.*s: its value (type %u) ends behind the event", VIEW_ARGS(name_of(t)),
                          t->wire);
}

static bool fail_value(const struct value_type *t, const struct cursor *c, struct fail *why)
{
    if (c->bad)
        return fail_short(t, why);
    return fail_malformed(why, "column %.*s: bytes that are no value of type %u with metadata %u",
                          VIEW_ARGS(name_of(t)), t->wire, t->meta);
}

/* ---- walking past ---- */

static bool skip_fixed(const struct value_type *t, struct cursor *c)
{
    return cursor_take(c, t->size) != NULL || (t->size == 0 && !c->bad);
}

static bool skip_prefixed(const struct value_type *t, struct cursor *c)
{
    uint64_t n = cursor_le(c, t->size);
    return cursor_take(c, n) != NULL && !c->bad;
}

static bool skip_unknown(const struct value_type *t, struct cursor *c)
{
    (void)t;
    c->bad = true;
    return false;
}

/* ---- integers ---- */

#define DECODE_INTEGER(name, n, KIND, member, to)                                                     \
    static bool name(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out, \
                     struct fail *why)                                                                \
    {                                                                                                 \
        (void)a;                                                                                      \
        const uint8_t *at = cursor_take(c, n);                                                        \
        if (at == NULL)                                                                               \
            return fail_short(t, why);                                                                \
        uint64_t raw = 0;                                                                             \
        memcpy(&raw, at, n);                                                                          \
        out->kind = KIND;                                                                             \
        out->member = to(raw);                                                                        \
        return true;                                                                                  \
    }

#define TO_SAME(raw) (raw)
#define TO_INT8(raw) ((int8_t)(raw))
#define TO_INT16(raw) ((int16_t)(raw))
#define TO_INT24(raw) ((int32_t)((uint32_t)(raw) << 8) >> 8)
#define TO_INT32(raw) ((int32_t)(raw))
#define TO_INT64(raw) ((int64_t)(raw))

DECODE_INTEGER(decode_u8, 1, CELL_UINT, u, TO_SAME)
DECODE_INTEGER(decode_u16, 2, CELL_UINT, u, TO_SAME)
DECODE_INTEGER(decode_u24, 3, CELL_UINT, u, TO_SAME)
DECODE_INTEGER(decode_u32, 4, CELL_UINT, u, TO_SAME)
DECODE_INTEGER(decode_u64, 8, CELL_UINT, u, TO_SAME)
DECODE_INTEGER(decode_i8, 1, CELL_INT, i, TO_INT8)
DECODE_INTEGER(decode_i16, 2, CELL_INT, i, TO_INT16)
DECODE_INTEGER(decode_i24, 3, CELL_INT, i, TO_INT24)
DECODE_INTEGER(decode_i32, 4, CELL_INT, i, TO_INT32)
DECODE_INTEGER(decode_i64, 8, CELL_INT, i, TO_INT64)

#define YEAR_OF(raw) ((raw) == 0 ? 0 : 1900 + (int64_t)(raw))
DECODE_INTEGER(decode_year, 1, CELL_INT, i, YEAR_OF)

/* SET: 1 to 8 bytes, the first member in the lowest bit. */
static bool decode_set(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                       struct fail *why)
{
    (void)a;
    out->kind = CELL_UINT;
    out->u = cursor_le(c, t->size);
    return c->bad ? fail_short(t, why) : true;
}

static bool decode_bit(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                       struct fail *why)
{
    (void)a;
    out->kind = CELL_UINT;
    out->u = cursor_be(c, t->size);
    return c->bad ? fail_short(t, why) : true;
}

/* ---- floats, decimal ---- */

static bool decode_float(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                         struct fail *why)
{
    (void)a;
    const uint8_t *at = cursor_take(c, sizeof out->f);
    if (at == NULL)
        return fail_short(t, why);
    out->kind = CELL_FLOAT;
    memcpy(&out->f, at, sizeof out->f);
    return true;
}

static bool decode_double(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                          struct fail *why)
{
    (void)a;
    const uint8_t *at = cursor_take(c, sizeof out->d);
    if (at == NULL)
        return fail_short(t, why);
    out->kind = CELL_DOUBLE;
    memcpy(&out->d, at, sizeof out->d);
    return true;
}

static bool decode_decimal(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                           struct fail *why)
{
    (void)a;
    out->kind = CELL_DECIMAL;
    return decimal_decode(c, t->precision, t->scale, &out->decimal) || fail_value(t, c, why);
}

/* ---- dates and times ---- */

static bool decode_date(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                        struct fail *why)
{
    (void)a;
    out->kind = CELL_DATE;
    return temporal_read_date(c, &out->date) || fail_value(t, c, why);
}

static bool decode_time2(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                         struct fail *why)
{
    (void)a;
    out->kind = CELL_TIME;
    return temporal_read_time2(c, t->fsp, &out->i) || fail_value(t, c, why);
}

static bool decode_datetime2(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                             struct fail *why)
{
    (void)a;
    out->kind = CELL_DATETIME;
    return temporal_read_datetime2(c, t->fsp, &out->date) || fail_value(t, c, why);
}

static bool decode_timestamp2(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                              struct fail *why)
{
    (void)a;
    out->kind = CELL_TIMESTAMP;
    return temporal_read_timestamp2(c, t->fsp, &out->i) || fail_value(t, c, why);
}

static bool decode_old_time(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                            struct fail *why)
{
    (void)a;
    out->kind = CELL_TIME;
    return temporal_read_old_time(c, &out->i) || fail_value(t, c, why);
}

static bool decode_old_datetime(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                                struct fail *why)
{
    (void)a;
    out->kind = CELL_DATETIME;
    return temporal_read_old_datetime(c, &out->date) || fail_value(t, c, why);
}

#define SECONDS(raw) ((int64_t)(raw) * 1000000)
DECODE_INTEGER(decode_old_timestamp, 4, CELL_TIMESTAMP, i, SECONDS)

/* ---- bytes ---- */

/* The length prefix, of 1 to 4 bytes. The short ones are fixed loads: they stand before every text. */
static uint64_t take_length(struct cursor *c, unsigned bytes)
{
    if (bytes == 1)
        return cursor_u8(c);
    return bytes == 2 ? cursor_u16(c) : cursor_le(c, bytes);
}

static bool decode_bytes(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                         struct fail *why)
{
    (void)a;
    uint64_t n = take_length(c, t->size);
    out->kind = CELL_BYTES;
    out->bytes = cursor_view(c, n);
    return c->bad ? fail_short(t, why) : true;
}

static bool decode_json(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                        struct fail *why)
{
    if (!decode_bytes(t, c, a, out, why))
        return false;
    out->kind = CELL_JSON;
    return true;
}

/* The log leaves out the zero bytes at the end of a BINARY. */
static struct view pad(struct view v, uint32_t to, struct arena *a)
{
    uint8_t *full = arena_alloc(a, to);
    if (v.n > 0)
        memcpy(full, v.p, v.n);
    memset(full + v.n, 0, to - v.n);
    return (struct view){full, to};
}

static bool decode_binary(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                          struct fail *why)
{
    if (!decode_bytes(t, c, a, out, why))
        return false;
    if (out->bytes.n < t->pad_to)
        out->bytes = pad(out->bytes, t->pad_to, a);
    return true;
}

static bool decode_null(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                        struct fail *why)
{
    (void)t;
    (void)c;
    (void)a;
    (void)why;
    out->kind = CELL_NULL;
    return true;
}

static bool decode_unknown(const struct value_type *t, struct cursor *c, struct arena *a, struct cell *out,
                           struct fail *why)
{
    (void)a;
    (void)out;
    c->bad = true;
    return fail_malformed(why, "column %.*s: values of type %u with metadata %u can't be read", VIEW_ARGS(name_of(t)),
                          t->wire, t->meta);
}

/* ---- preparing ---- */

uint16_t value_read_meta(uint8_t wire, struct cursor *c)
{
    switch (wire) {
    case WIRE_FLOAT:
    case WIRE_DOUBLE:
    case WIRE_TIMESTAMP2:
    case WIRE_DATETIME2:
    case WIRE_TIME2:
    case WIRE_TINY_BLOB:
    case WIRE_MEDIUM_BLOB:
    case WIRE_LONG_BLOB:
    case WIRE_BLOB:
    case WIRE_JSON:
    case WIRE_GEOMETRY:
    case WIRE_VECTOR:
        return cursor_u8(c);
    case WIRE_VARCHAR:
    case WIRE_BIT:
        return cursor_u16(c);
    case WIRE_NEWDECIMAL:
    case WIRE_ENUM:
    case WIRE_SET:
    case WIRE_STRING:
    case WIRE_VAR_STRING:
        return (uint16_t)cursor_be(c, 2); /* first byte high: precision, real type */
    default:
        return 0;
    }
}

/* CHAR may be longer than 255 bytes: then two bits of the length are hidden, inverted, in the type byte. */
static unsigned string_bytes(uint16_t meta)
{
    return (meta & 0xff) | ((meta >> 4 & 0x300) ^ 0x300);
}

uint8_t value_real_type(uint8_t wire, uint16_t meta)
{
    uint8_t hidden = (uint8_t)(meta >> 8);
    return wire == WIRE_STRING && (hidden == WIRE_ENUM || hidden == WIRE_SET) ? hidden : wire;
}

typedef bool decode_fn(const struct value_type *, struct cursor *, struct arena *, struct cell *, struct fail *);

static void be_fixed(struct value_type *t, unsigned size, decode_fn *decode)
{
    t->size = (uint8_t)size;
    t->skip = skip_fixed;
    t->decode = decode;
}

static void be_prefixed(struct value_type *t, unsigned prefix, decode_fn *decode)
{
    if (prefix < 1 || prefix > 4)
        return;
    t->size = (uint8_t)prefix;
    t->skip = skip_prefixed;
    t->decode = decode;
}

static void be_fraction(struct value_type *t, unsigned whole, decode_fn *decode)
{
    if (t->meta > TEMPORAL_FSP_MAX)
        return;
    t->fsp = (uint8_t)t->meta;
    be_fixed(t, whole + temporal_fraction_bytes(t->fsp), decode);
}

static void be_decimal(struct value_type *t)
{
    unsigned precision = t->meta >> 8, scale = t->meta & 0xff;
    if (!decimal_is_type(precision, scale))
        return;
    t->precision = (uint8_t)precision;
    t->scale = (uint8_t)scale;
    be_fixed(t, decimal_bytes(precision, scale), decode_decimal);
}

static void be_string(struct value_type *t, unsigned max_bytes)
{
    if (t->column != NULL && t->column->kind == COLUMN_BINARY)
        t->pad_to = t->column->length;
    be_prefixed(t, max_bytes > 255 ? 2 : 1, t->pad_to > 0 ? decode_binary : decode_bytes);
}

static void be_enum(struct value_type *t)
{
    unsigned size = t->meta & 0xff;
    if (size == 1 || size == 2)
        be_fixed(t, size, size == 1 ? decode_u8 : decode_u16);
}

static void be_set(struct value_type *t)
{
    unsigned size = t->meta & 0xff;
    if (size >= 1 && size <= 8)
        be_fixed(t, size, decode_set);
}

static void be_bit(struct value_type *t)
{
    unsigned bits = t->meta & 0xff, size = t->meta >> 8;
    if (bits < 8 && size + (bits > 0) <= 8)
        be_fixed(t, size + (bits > 0), decode_bit);
}

void value_prepare(struct value_type *t, uint8_t wire, uint16_t meta, const struct column *col)
{
    *t = (struct value_type){
        .decode = decode_unknown,
        .skip = skip_unknown,
        .column = col,
        .wire = value_real_type(wire, meta),
        .meta = meta,
        .is_unsigned = col != NULL && col->is_unsigned,
    };
    switch ((enum wire_type)t->wire) {
    case WIRE_TINY:
        be_fixed(t, 1, t->is_unsigned ? decode_u8 : decode_i8);
        break;
    case WIRE_SHORT:
        be_fixed(t, 2, t->is_unsigned ? decode_u16 : decode_i16);
        break;
    case WIRE_INT24:
        be_fixed(t, 3, t->is_unsigned ? decode_u24 : decode_i24);
        break;
    case WIRE_LONG:
        be_fixed(t, 4, t->is_unsigned ? decode_u32 : decode_i32);
        break;
    case WIRE_LONGLONG:
        be_fixed(t, 8, t->is_unsigned ? decode_u64 : decode_i64);
        break;
    case WIRE_YEAR:
        be_fixed(t, 1, decode_year);
        break;
    case WIRE_FLOAT:
        be_fixed(t, 4, decode_float);
        break;
    case WIRE_DOUBLE:
        be_fixed(t, 8, decode_double);
        break;
    case WIRE_NEWDECIMAL:
        be_decimal(t);
        break;
    case WIRE_BIT:
        be_bit(t);
        break;
    case WIRE_ENUM:
        be_enum(t);
        break;
    case WIRE_SET:
        be_set(t);
        break;
    case WIRE_DATE:
    case WIRE_NEWDATE:
        be_fixed(t, 3, decode_date);
        break;
    case WIRE_TIME:
        be_fixed(t, 3, decode_old_time);
        break;
    case WIRE_DATETIME:
        be_fixed(t, 8, decode_old_datetime);
        break;
    case WIRE_TIMESTAMP:
        be_fixed(t, 4, decode_old_timestamp);
        break;
    case WIRE_TIME2:
        be_fraction(t, 3, decode_time2);
        break;
    case WIRE_DATETIME2:
        be_fraction(t, 5, decode_datetime2);
        break;
    case WIRE_TIMESTAMP2:
        be_fraction(t, 4, decode_timestamp2);
        break;
    case WIRE_STRING:
        be_string(t, string_bytes(meta));
        break;
    case WIRE_VARCHAR:
    case WIRE_VAR_STRING:
        be_string(t, meta);
        break;
    case WIRE_TINY_BLOB:
    case WIRE_MEDIUM_BLOB:
    case WIRE_LONG_BLOB:
    case WIRE_BLOB:
    case WIRE_GEOMETRY:
    case WIRE_VECTOR:
        be_prefixed(t, meta, decode_bytes);
        break;
    case WIRE_JSON:
        be_prefixed(t, meta, decode_json);
        break;
    case WIRE_NULL:
        be_fixed(t, 0, decode_null);
        break;
    case WIRE_DECIMAL:
        break;
    }
}

/* ---- does a column of the shape fit what TABLE_MAP says ---- */

static unsigned character_bytes(const struct column *col)
{
    return col->charset == NULL ? 0 : col->charset->max_bytes;
}

/* The longest value in bytes, which TABLE_MAP tells for CHAR and VARCHAR; unknown lengths and charsets fit. */
static bool length_fits(const struct column *col, unsigned max_bytes, bool is_binary)
{
    unsigned each = is_binary ? 1 : character_bytes(col);
    return !col->has_length || each == 0 || (uint64_t)col->length * each == max_bytes;
}

static bool fraction_fits(const struct column *col, uint8_t wire, uint8_t with, uint8_t old, uint16_t meta)
{
    return wire == with ? meta == col->fsp : wire == old && col->fsp == 0;
}

static unsigned enum_bytes(const struct column *col)
{
    return col->n_members > 255 ? 2 : 1;
}

static unsigned set_bytes(const struct column *col)
{
    unsigned n = (col->n_members + 7) / 8;
    return n > 4 ? 8 : n;
}

bool value_fits(uint8_t wire, uint16_t meta, const struct column *col)
{
    uint8_t real = value_real_type(wire, meta);
    switch (col->kind) {
    case COLUMN_TINYINT:
        return real == WIRE_TINY;
    case COLUMN_SMALLINT:
        return real == WIRE_SHORT;
    case COLUMN_MEDIUMINT:
        return real == WIRE_INT24;
    case COLUMN_INT:
        return real == WIRE_LONG;
    case COLUMN_BIGINT:
        return real == WIRE_LONGLONG;
    case COLUMN_DECIMAL:
        return real == WIRE_NEWDECIMAL && (!col->has_length || meta == (col->length << 8 | col->scale));
    case COLUMN_FLOAT:
        return real == WIRE_FLOAT;
    case COLUMN_DOUBLE:
        return real == WIRE_DOUBLE;
    case COLUMN_BIT:
        return real == WIRE_BIT && (!col->has_length || (meta >> 8) * 8U + (meta & 0xff) == col->length);
    case COLUMN_CHAR:
    case COLUMN_BINARY:
        return real == WIRE_STRING && length_fits(col, string_bytes(meta), col->kind == COLUMN_BINARY);
    case COLUMN_VARCHAR:
    case COLUMN_VARBINARY:
        return (real == WIRE_VARCHAR || real == WIRE_VAR_STRING) &&
               length_fits(col, meta, col->kind == COLUMN_VARBINARY);
    case COLUMN_TEXT:
    case COLUMN_BLOB:
        return real >= WIRE_TINY_BLOB && real <= WIRE_BLOB && (col->blob_bytes == 0 || meta == col->blob_bytes);
    case COLUMN_DATE:
        return real == WIRE_DATE || real == WIRE_NEWDATE;
    case COLUMN_TIME:
        return fraction_fits(col, real, WIRE_TIME2, WIRE_TIME, meta);
    case COLUMN_DATETIME:
        return fraction_fits(col, real, WIRE_DATETIME2, WIRE_DATETIME, meta);
    case COLUMN_TIMESTAMP:
        return fraction_fits(col, real, WIRE_TIMESTAMP2, WIRE_TIMESTAMP, meta);
    case COLUMN_YEAR:
        return real == WIRE_YEAR;
    case COLUMN_ENUM:
        return real == WIRE_ENUM && (meta & 0xff) == enum_bytes(col);
    case COLUMN_SET:
        return real == WIRE_SET && (meta & 0xff) == set_bytes(col);
    case COLUMN_JSON:
        return real == WIRE_JSON;
    case COLUMN_GEOMETRY:
        return real == WIRE_GEOMETRY;
    case COLUMN_VECTOR:
        return real == WIRE_VECTOR;
    }
    return false;
}
