/* SPDX-License-Identifier: Apache-2.0 */
/* Reading. Whether a shape fits is asked in table_map_check.c. */
#include "binlog/table_map.h"

#include "binlog/value.h"

#include <string.h>

enum metadata_field {
    FIELD_SIGNEDNESS = 1,
    FIELD_DEFAULT_COLLATION = 2,
    FIELD_COLLATIONS = 3,
    FIELD_NAMES = 4,
    FIELD_SET_MEMBERS = 5,
    FIELD_ENUM_MEMBERS = 6,
    FIELD_GEOMETRY = 7,
    FIELD_KEY = 8,
    FIELD_KEY_WITH_PREFIXES = 9,
    FIELD_MEMBER_DEFAULT_COLLATION = 10,
    FIELD_MEMBER_COLLATIONS = 11,
    FIELD_VISIBILITY = 12,
    FIELD_DIMENSIONS = 13,
};

enum { WIRE_TYPED_ARRAY = 20, MAX_COLUMNS = 4096 };

/* Which columns a metadata field speaks of. */
typedef bool column_test_fn(const struct table_map_column *col);

static bool is_numeric(const struct table_map_column *col)
{
    switch (col->real) {
    case WIRE_TINY:
    case WIRE_SHORT:
    case WIRE_INT24:
    case WIRE_LONG:
    case WIRE_LONGLONG:
    case WIRE_YEAR:
    case WIRE_NEWDECIMAL:
    case WIRE_FLOAT:
    case WIRE_DOUBLE:
        return true;
    default:
        return false;
    }
}

static bool is_character(const struct table_map_column *col)
{
    switch (col->real) {
    case WIRE_STRING:
    case WIRE_VAR_STRING:
    case WIRE_VARCHAR:
    case WIRE_TINY_BLOB:
    case WIRE_MEDIUM_BLOB:
    case WIRE_LONG_BLOB:
    case WIRE_BLOB:
    case WIRE_VECTOR:
        return true;
    default:
        return false;
    }
}

static bool is_enum(const struct table_map_column *col)
{
    return col->real == WIRE_ENUM;
}

static bool is_set(const struct table_map_column *col)
{
    return col->real == WIRE_SET;
}

static bool has_members(const struct table_map_column *col)
{
    return is_enum(col) || is_set(col);
}

static bool is_geometry(const struct table_map_column *col)
{
    return col->real == WIRE_GEOMETRY;
}

static bool is_vector(const struct table_map_column *col)
{
    return col->real == WIRE_VECTOR;
}

static bool is_any(const struct table_map_column *col)
{
    (void)col;
    return true;
}

/* The next column from *at on that the test takes, or NULL. */
static struct table_map_column *next_column(const struct table_map *tm, column_test_fn *test, uint32_t *at)
{
    while (*at < tm->n_columns) {
        struct table_map_column *col = &tm->columns[(*at)++];
        if (test(col))
            return col;
    }
    return NULL;
}

/* ---- metadata fields: each reads its whole value or is malformed ---- */

static bool read_bits(struct table_map *tm, struct cursor *c, column_test_fn *test, size_t field_at)
{
    uint32_t at = 0;
    unsigned n = 0;
    uint8_t byte = 0;
    for (struct table_map_column *col; (col = next_column(tm, test, &at)) != NULL; n++) {
        if (n % 8 == 0)
            byte = cursor_u8(c);
        *(bool *)((char *)col + field_at) = (byte >> (7 - n % 8) & 1) != 0;
    }
    return true;
}

static bool read_integers(struct table_map *tm, struct cursor *c, column_test_fn *test, size_t field_at)
{
    uint32_t at = 0;
    for (struct table_map_column *col; (col = next_column(tm, test, &at)) != NULL;) {
        uint64_t v = cursor_lenenc(c);
        if (v > UINT32_MAX)
            return false;
        *(uint32_t *)((char *)col + field_at) = (uint32_t)v;
    }
    return true;
}

static bool read_default_collation(struct table_map *tm, struct cursor *c, column_test_fn *test)
{
    uint64_t normal = cursor_lenenc(c);
    uint64_t index = 0;
    uint64_t other = 0; /* of the column at index, counted among those the test takes */
    bool has_other = cursor_left(c) > 0;
    if (has_other) {
        index = cursor_lenenc(c);
        other = cursor_lenenc(c);
    }
    uint32_t at = 0;
    uint64_t n = 0;
    for (struct table_map_column *col; (col = next_column(tm, test, &at)) != NULL; n++) {
        bool is_other = has_other && index == n;
        uint64_t v = is_other ? other : normal;
        if (v > UINT32_MAX)
            return false;
        col->collation = (uint32_t)v;
        if (!is_other)
            continue;
        has_other = cursor_left(c) > 0;
        if (has_other) {
            index = cursor_lenenc(c);
            other = cursor_lenenc(c);
            if (index <= n)
                return false;
        }
    }
    return !has_other;
}

static bool read_names(struct table_map *tm, struct cursor *c)
{
    for (uint32_t i = 0; i < tm->n_columns; i++)
        tm->columns[i].name = cursor_lenenc_view(c);
    return true;
}

static bool read_members(struct table_map *tm, struct cursor *c, column_test_fn *test, struct arena *a)
{
    uint32_t at = 0;
    for (struct table_map_column *col; (col = next_column(tm, test, &at)) != NULL;) {
        uint64_t n = cursor_lenenc(c);
        if (n > cursor_left(c)) /* each takes a byte at least */
            return false;
        col->n_members = (uint32_t)n;
        col->members = arena_alloc(a, (size_t)n * sizeof *col->members);
        for (uint32_t i = 0; i < col->n_members; i++)
            col->members[i] = cursor_lenenc_view(c);
    }
    return true;
}

static bool read_key(struct table_map *tm, struct cursor *c, bool has_prefixes, struct arena *a)
{
    tm->key = arena_alloc(a, tm->n_columns * sizeof *tm->key);
    for (tm->n_key = 0; cursor_left(c) > 0; tm->n_key++) {
        uint64_t column = cursor_lenenc(c);
        uint64_t prefix = has_prefixes ? cursor_lenenc(c) : 0;
        if (column >= tm->n_columns || tm->n_key == tm->n_columns || prefix > UINT32_MAX)
            return false;
        tm->key[tm->n_key] = (struct table_map_key_part){(uint32_t)column, (uint32_t)prefix};
    }
    return tm->n_key > 0;
}

#define COLUMN_AT(field) offsetof(struct table_map_column, field)

static bool read_field(struct table_map *tm, uint8_t field, struct cursor *c, struct arena *a)
{
    switch (field) {
    case FIELD_SIGNEDNESS:
        return tm->has_signedness = read_bits(tm, c, is_numeric, COLUMN_AT(is_unsigned));
    case FIELD_DEFAULT_COLLATION:
        return tm->has_collations = read_default_collation(tm, c, is_character);
    case FIELD_COLLATIONS:
        return tm->has_collations = read_integers(tm, c, is_character, COLUMN_AT(collation));
    case FIELD_NAMES:
        return tm->has_names = read_names(tm, c);
    case FIELD_SET_MEMBERS:
        return tm->has_set_members = read_members(tm, c, is_set, a);
    case FIELD_ENUM_MEMBERS:
        return tm->has_enum_members = read_members(tm, c, is_enum, a);
    case FIELD_GEOMETRY:
        return tm->has_geometry = read_integers(tm, c, is_geometry, COLUMN_AT(geometry));
    case FIELD_KEY:
    case FIELD_KEY_WITH_PREFIXES:
        return tm->has_key = read_key(tm, c, field == FIELD_KEY_WITH_PREFIXES, a);
    case FIELD_MEMBER_DEFAULT_COLLATION:
        return tm->has_member_collations = read_default_collation(tm, c, has_members);
    case FIELD_MEMBER_COLLATIONS:
        return tm->has_member_collations = read_integers(tm, c, has_members, COLUMN_AT(collation));
    case FIELD_VISIBILITY:
        return tm->has_visibility = read_bits(tm, c, is_any, COLUMN_AT(is_visible));
    case FIELD_DIMENSIONS:
        return tm->has_dimensions = read_integers(tm, c, is_vector, COLUMN_AT(dimension));
    default: /* of a newer server */
        c->p = c->end;
        return true;
    }
}

/* A field that ends too early or too late would be one whose columns we count otherwise than the server does: then
 * signs and charsets would belong to other columns. */
static bool read_fields(struct table_map *tm, struct cursor *c, struct arena *a, struct fail *why)
{
    while (cursor_left(c) > 0) {
        uint8_t field = cursor_u8(c);
        struct cursor v = cursor_of(cursor_lenenc_view(c));
        if (c->bad || !read_field(tm, field, &v, a) || v.bad || cursor_left(&v) > 0)
            return fail_malformed(why, "table map of %.*s.%.*s: its metadata field %u is malformed", VIEW_ARGS(tm->db),
                                  VIEW_ARGS(tm->table), field);
    }
    return true;
}

/* ---- the fixed parts ---- */

static struct view read_name(struct cursor *c)
{
    size_t n = cursor_u8(c);
    struct view name = cursor_view(c, n);
    if (cursor_u8(c) != 0)
        c->bad = true;
    return name;
}

/* The column of a multi-valued index, which some 8.0 servers put into the log: the array's element says its own
 * metadata. No shape has such a column, so it is only walked over. */
static uint16_t read_array_meta(struct cursor *c)
{
    uint8_t element = cursor_u8(c);
    if (element == WIRE_VARCHAR)
        return (uint16_t)cursor_u24(c);
    return value_read_meta(element, c);
}

static bool read_columns(struct table_map *tm, struct cursor *c, struct arena *a)
{
    uint64_t n = cursor_lenenc(c);
    if (c->bad || n > cursor_left(c) || n > MAX_COLUMNS)
        return false;
    tm->n_columns = (uint32_t)n;
    tm->columns = arena_zero(a, tm->n_columns, sizeof *tm->columns);
    struct view types = cursor_view(c, tm->n_columns);
    struct cursor meta = cursor_of(cursor_lenenc_view(c));
    struct view nulls = cursor_view(c, (tm->n_columns + 7) / 8);
    if (c->bad)
        return false;
    for (uint32_t i = 0; i < tm->n_columns; i++) {
        struct table_map_column *col = &tm->columns[i];
        col->wire = types.p[i];
        col->meta = col->wire == WIRE_TYPED_ARRAY ? read_array_meta(&meta) : value_read_meta(col->wire, &meta);
        col->real = value_real_type(col->wire, col->meta);
        col->is_nullable = (nulls.p[i / 8] >> i % 8 & 1) != 0;
    }
    return !meta.bad && cursor_left(&meta) == 0;
}

bool table_map_peek_id(struct view body, uint64_t *id)
{
    struct cursor c = cursor_of(body);
    *id = cursor_u48(&c);
    return !c.bad;
}

bool table_map_read(struct table_map *tm, struct view body, struct arena *a, struct fail *why)
{
    *tm = (struct table_map){.body = arena_copy(a, body)};
    struct cursor c = cursor_of(tm->body);
    tm->id = cursor_u48(&c);
    tm->flags = cursor_u16(&c);
    tm->db = read_name(&c);
    tm->table = read_name(&c);
    if (c.bad || !read_columns(tm, &c, a))
        return fail_malformed(why, "a table map of %zu bytes is malformed", body.n);
    return read_fields(tm, &c, a, why);
}
