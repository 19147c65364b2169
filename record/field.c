/* SPDX-License-Identifier: Apache-2.0 */
#include "record/field.h"

#include "base/digits.h"
#include "base/fail.h"
#include "binlog/decimal.h"
#include "record/document.h"
#include "record/json.h"
#include "record/moment.h"
#include "record/number.h"
#include "record/schema_text.h"

/* ---- numbers ---- */

static bool write_integer(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind == CELL_INT)
        digits_put_i64(out, c->i);
    else if (c->kind == CELL_UINT)
        digits_put_u64(out, c->u);
    else
        return false;
    return true;
}

/* BIGINT UNSIGNED as a long: from 2^63 on it comes out negative, as Debezium's does. */
static bool write_long(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_UINT)
        return false;
    digits_put_i64(out, (int64_t)c->u);
    return true;
}

static bool write_float(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_FLOAT)
        return false;
    number_put_float(out, c->f);
    return true;
}

/* FLOAT(M,D) is a double, but the single of the storage widened: 1.1 is 1.100000023841858. */
static bool write_double(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind == CELL_DOUBLE)
        number_put_double(out, c->d);
    else if (c->kind == CELL_FLOAT)
        number_put_double(out, (double)c->f);
    else
        return false;
    return true;
}

/* A DECIMAL, or a BIGINT UNSIGNED in precise mode. */
static bool decimal_of(const struct cell *c, struct cell_decimal *d)
{
    if (c->kind == CELL_DECIMAL)
        *d = c->decimal;
    else if (c->kind == CELL_UINT)
        *d = decimal_of_u64(c->u);
    else
        return false;
    return true;
}

/* Two's complement, big-endian, as short as it goes, of what fits a long. */
static void put_small_decimal(struct buf *out, int64_t v)
{
    uint64_t magnitude = (uint64_t)(v ^ (v >> 63));
    unsigned n = (63u - (unsigned)__builtin_clzll(magnitude << 1 | 1)) / 8 + 1;
    uint64_t bytes = __builtin_bswap64((uint64_t)v << (64 - 8 * n));
    json_put_base64(out, (struct view){(const uint8_t *)&bytes, n});
}

static bool write_decimal(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    struct cell_decimal d;
    if (!decimal_of(c, &d))
        return false;
    if (d.is_small && d.limb[0] <= INT64_MAX) {
        put_small_decimal(out, d.is_negative ? -(int64_t)d.limb[0] : (int64_t)d.limb[0]);
        return true;
    }
    uint8_t bytes[DECIMAL_COMPLEMENT_MAX];
    unsigned n = decimal_complement(&d, bytes);
    json_put_base64(out, (struct view){bytes, n});
    return true;
}

static bool write_decimal_double(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind != CELL_DECIMAL)
        return false;
    number_put_double(out, decimal_to_double(&c->decimal, s->scale));
    return true;
}

static bool write_decimal_string(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind != CELL_DECIMAL)
        return false;
    buf_put_u8(out, '"');
    decimal_print(&c->decimal, s->scale, out);
    buf_put_u8(out, '"');
    return true;
}

/* As BigDecimal.toString has it: plain, unless more than five zeros would stand behind the point: 1E-7. */
static void put_java_decimal(struct buf *out, const struct cell_decimal *d, unsigned scale)
{
    enum { PLAIN_FROM = -6 };
    struct cell_decimal absolute = *d;
    absolute.is_negative = false;
    size_t at = buf_size(out);
    decimal_print(&absolute, 0, out);
    size_t n = buf_size(out) - at;
    uint8_t digits[DECIMAL_PRECISION_MAX + 1];
    ASSERT(n <= sizeof digits);
    memcpy(digits, out->start + at, n);
    out->p = out->start + at;
    int exponent = (int)n - 1 - (int)scale;
    if (scale == 0 || exponent >= PLAIN_FROM) {
        decimal_print(d, scale, out);
        return;
    }
    if (d->is_negative)
        buf_put_u8(out, '-');
    buf_put_u8(out, digits[0]);
    if (n > 1)
        buf_put_u8(out, '.');
    buf_put(out, digits + 1, n - 1);
    buf_printf(out, "E%d", exponent);
}

static bool write_decimal_header(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_decimal d;
    if (!decimal_of(c, &d))
        return false;
    put_java_decimal(out, &d, s->scale);
    return true;
}

/* ---- BIT ---- */

static bool write_bit(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_UINT)
        return false;
    buf_put_text(out, c->u != 0 ? "true" : "false");
    return true;
}

/* The lowest byte comes first. */
static bool write_bits(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind != CELL_UINT)
        return false;
    json_put_base64(out, (struct view){(const uint8_t *)&c->u, s->n_bytes});
    return true;
}

/* ---- text and bytes ---- */

static bool write_text(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind != CELL_BYTES)
        return false;
    json_put_column_text(out, s->charset, c->bytes);
    return true;
}

static bool write_bytes(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_BYTES)
        return false;
    json_put_base64(out, c->bytes);
    return true;
}

static bool write_bytes_url_safe(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_BYTES)
        return false;
    json_put_base64_url(out, c->bytes);
    return true;
}

static bool write_bytes_hex(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_BYTES)
        return false;
    json_put_hex(out, c->bytes);
    return true;
}

/* ---- ENUM and SET ---- */

/* Number 0 is the server's mark of a value that was none of the labels. */
static bool write_enum(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind != CELL_UINT || c->u > s->n_labels)
        return false;
    buf_put_u8(out, '"');
    if (c->u > 0)
        buf_put_view(out, s->labels[c->u - 1]);
    buf_put_u8(out, '"');
    return true;
}

static bool write_set(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind != CELL_UINT || (s->n_labels < 64 && c->u >> s->n_labels != 0))
        return false;
    buf_put_u8(out, '"');
    for (uint64_t left = c->u; left != 0; left &= left - 1) {
        if (left != c->u)
            buf_put_u8(out, ',');
        buf_put_view(out, s->labels[__builtin_ctzll(left)]);
    }
    buf_put_u8(out, '"');
    return true;
}

/* ---- JSON ---- */

/* A document of no bytes at all is what old servers left in columns added as NOT NULL. */
static bool write_json(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind == CELL_JSON_TEXT) {
        json_put_string(out, c->bytes);
        return true;
    }
    if (c->kind != CELL_JSON)
        return false;
    if (c->bytes.n == 0) {
        buf_put_view(out, s->if_none);
        return true;
    }
    return document_put(out, c->bytes);
}

/* ---- places and vectors ---- */

enum { SRID_BYTES = 4, POINT_WKB_BYTES = 21, WKB_LITTLE_ENDIAN = 1, WKB_POINT = 1 };

/* Stored are the SRID and the WKB; SRID 0 means none. */
static bool read_geometry(const struct cell *c, uint32_t *srid, struct view *wkb)
{
    if (c->kind != CELL_BYTES)
        return false;
    struct cursor cur = cursor_of(c->bytes);
    *srid = cursor_u32(&cur);
    *wkb = cursor_view(&cur, cursor_left(&cur));
    return !cur.bad && wkb->n > 0;
}

static void put_wkb_and_srid(struct buf *out, struct view wkb, uint32_t srid)
{
    buf_put_literal(out, "\"wkb\":");
    json_put_base64(out, wkb);
    buf_put_literal(out, ",\"srid\":");
    if (srid == 0)
        buf_put_literal(out, "null");
    else
        digits_put_i64(out, (int32_t)srid);
    buf_put_u8(out, '}');
}

static bool write_geometry(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    uint32_t srid;
    struct view wkb;
    if (!read_geometry(c, &srid, &wkb))
        return false;
    buf_put_u8(out, '{');
    put_wkb_and_srid(out, wkb, srid);
    return true;
}

static double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static bool write_point(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    uint32_t srid;
    struct view wkb;
    if (!read_geometry(c, &srid, &wkb) || wkb.n != POINT_WKB_BYTES)
        return false;
    struct cursor cur = cursor_of(wkb);
    if (cursor_u8(&cur) != WKB_LITTLE_ENDIAN || cursor_u32(&cur) != WKB_POINT)
        return false;
    buf_put_literal(out, "{\"x\":");
    number_put_double(out, double_of(cursor_u64(&cur)));
    buf_put_literal(out, ",\"y\":");
    number_put_double(out, double_of(cursor_u64(&cur)));
    buf_put_u8(out, ',');
    put_wkb_and_srid(out, wkb, srid);
    return true;
}

/* Singles, little-endian, one after the other. */
static bool write_vector(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_BYTES || c->bytes.n % sizeof(float) != 0)
        return false;
    buf_put_u8(out, '[');
    for (size_t i = 0; i < c->bytes.n; i += sizeof(float)) {
        float f;
        memcpy(&f, c->bytes.p + i, sizeof f);
        if (i > 0)
            buf_put_u8(out, ',');
        number_put_float(out, f);
    }
    buf_put_u8(out, ']');
    return true;
}

/* ---- the types ---- */

static const struct field_type int16_type = {.type = "int16", .write = write_integer, .fallback = "0"};
static const struct field_type int32_type = {.type = "int32", .write = write_integer, .fallback = "0"};
static const struct field_type int64_type = {.type = "int64", .write = write_integer, .fallback = "0"};
static const struct field_type long_type = {.type = "int64", .write = write_long, .fallback = "0"};
static const struct field_type float_type = {.type = "float", .write = write_float, .fallback = "0.0"};
static const struct field_type double_type = {.type = "double", .write = write_double, .fallback = "0.0"};
static const struct field_type year_type = {
    .type = "int32", .name = "io.debezium.time.Year", .write = write_integer, .fallback = "0"};

static const struct field_type decimal_type = {.type = "bytes",
                                               .name = "org.apache.kafka.connect.data.Decimal",
                                               .write = write_decimal,
                                               .write_header = write_decimal_header,
                                               .fallback = "\"AA==\"",
                                               .header_fallback = "0"};
static const struct field_type decimal_double_type = {
    .type = "double", .write = write_decimal_double, .fallback = "0.0"};
static const struct field_type decimal_string_type = {
    .type = "string", .write = write_decimal_string, .fallback = "\"0\""};

static const struct field_type bit_type = {.type = "boolean", .write = write_bit, .fallback = "false"};
static const struct field_type bits_type = {
    .type = "bytes", .name = "io.debezium.data.Bits", .write = write_bits, .fallback = "\"\""};

static const struct field_type text_type = {.type = "string", .write = write_text, .fallback = "\"\""};
static const struct field_type bytes_type = {.type = "bytes", .write = write_bytes, .fallback = "\"\""};
static const struct field_type base64_type = {.type = "string", .write = write_bytes, .fallback = "\"\""};
static const struct field_type base64_url_type = {.type = "string", .write = write_bytes_url_safe, .fallback = "\"\""};
static const struct field_type hex_type = {.type = "string", .write = write_bytes_hex, .fallback = "\"\""};

static const struct field_type enum_type = {
    .type = "string", .name = "io.debezium.data.Enum", .write = write_enum, .fallback = "\"\""};
static const struct field_type set_type = {
    .type = "string", .name = "io.debezium.data.EnumSet", .write = write_set, .fallback = "\"\""};
static const struct field_type json_type = {
    .type = "string", .name = "io.debezium.data.Json", .write = write_json, .fallback = "\"{}\""};

#define WKB_FIELDS(wkb) wkb "," SCHEMA_OPTIONAL("int32", "srid")

static const struct field_type point_type = {.type = "struct",
                                             .name = "io.debezium.data.geometry.Point",
                                             .doc = "Geometry (POINT)",
                                             .write = write_point,
                                             .inside =
                                                 "\"fields\":[" SCHEMA_REQUIRED("double", "x") "," SCHEMA_REQUIRED(
                                                     "double", "y") "," WKB_FIELDS(SCHEMA_OPTIONAL("bytes", "wkb")) "]",
                                             .fallback = "{\"x\":0.0,\"y\":0.0,\"wkb\":null,\"srid\":null}"};
static const struct field_type geometry_type = {.type = "struct",
                                                .name = "io.debezium.data.geometry.Geometry",
                                                .doc = "Geometry",
                                                .write = write_geometry,
                                                .inside =
                                                    "\"fields\":[" WKB_FIELDS(SCHEMA_REQUIRED("bytes", "wkb")) "]",
                                                .fallback = "null"};
static const struct field_type vector_type = {.type = "array",
                                              .name = "io.debezium.data.FloatVector",
                                              .write = write_vector,
                                              .inside = "\"items\":{\"type\":\"float\",\"optional\":false}",
                                              .fallback = "[]"};

static const struct field_type *binary_type(enum binary_mode mode)
{
    static const struct field_type *const types[] = {&bytes_type, &base64_type, &base64_url_type, &hex_type};
    return types[mode];
}

static const struct field_type *decimal_mode_type(enum decimal_mode mode)
{
    static const struct field_type *const types[] = {&decimal_type, &decimal_double_type, &decimal_string_type};
    return types[mode];
}

static const struct field_type *bigint_type(const struct column *col, enum bigint_mode mode)
{
    if (!col->is_unsigned)
        return &int64_type;
    return mode == BIGINT_PRECISE ? &decimal_type : &long_type;
}

const struct field_type *field_type_of(const struct column *col, const struct record_settings *set)
{
    switch (col->kind) {
    case COLUMN_TINYINT:
        return &int16_type;
    case COLUMN_SMALLINT:
        return col->is_unsigned ? &int32_type : &int16_type;
    case COLUMN_MEDIUMINT:
        return &int32_type;
    case COLUMN_INT:
        return col->is_unsigned ? &int64_type : &int32_type;
    case COLUMN_BIGINT:
        return bigint_type(col, set->bigint_mode);
    case COLUMN_DECIMAL:
        return decimal_mode_type(set->decimal_mode);
    case COLUMN_FLOAT:
        return col->has_scale ? &double_type : &float_type;
    case COLUMN_DOUBLE:
        return &double_type;
    case COLUMN_BIT:
        return col->length <= 1 ? &bit_type : &bits_type;
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
    case COLUMN_TEXT:
        return &text_type;
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
    case COLUMN_BLOB:
        return binary_type(set->binary_mode);
    case COLUMN_DATE:
    case COLUMN_TIME:
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP:
        return moment_type(col, set->time_mode);
    case COLUMN_YEAR:
        return &year_type;
    case COLUMN_ENUM:
        return &enum_type;
    case COLUMN_SET:
        return &set_type;
    case COLUMN_JSON:
        return &json_type;
    case COLUMN_GEOMETRY:
        return col->geometry == GEOMETRY_POINT ? &point_type : &geometry_type;
    case COLUMN_VECTOR:
        return &vector_type;
    }
    ASSERT(!"a kind of column without a field type");
}
