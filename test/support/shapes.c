/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/shapes.h"

#include "base/fail.h"

#include <string.h>

#define LENGTH(n) .has_length = true, .length = (n)
#define SCALE(p, s) LENGTH(p), .has_scale = true, .scale = (s)
#define UNSIGNED .is_unsigned = true

static const struct column types[] = {
    {.name = {(const uint8_t *)"id", 2}, .kind = COLUMN_INT},
    COLUMN("t", COLUMN_TINYINT),
    COLUMN("tu", COLUMN_TINYINT, UNSIGNED),
    COLUMN("s", COLUMN_SMALLINT),
    COLUMN("su", COLUMN_SMALLINT, UNSIGNED),
    COLUMN("m", COLUMN_MEDIUMINT),
    COLUMN("mu", COLUMN_MEDIUMINT, UNSIGNED),
    COLUMN("iu", COLUMN_INT, UNSIGNED),
    COLUMN("b", COLUMN_BIGINT),
    COLUMN("bu", COLUMN_BIGINT, UNSIGNED),
    COLUMN("y", COLUMN_YEAR),
    COLUMN("de", COLUMN_DECIMAL, SCALE(12, 3)),
    COLUMN("du", COLUMN_DECIMAL, SCALE(65, 30)),
    COLUMN("f", COLUMN_FLOAT),
    COLUMN("d", COLUMN_DOUBLE),
    COLUMN("bit1", COLUMN_BIT, LENGTH(1)),
    COLUMN("bit13", COLUMN_BIT, LENGTH(13)),
    COLUMN("bit64", COLUMN_BIT, LENGTH(64)),
    COLUMN("c", COLUMN_CHAR, LENGTH(5), IN_CHARSET("utf8mb4")),
    COLUMN("c300", COLUMN_CHAR, LENGTH(200), IN_CHARSET("utf8mb4")),
    COLUMN("vc", COLUMN_VARCHAR, LENGTH(40), IN_CHARSET("latin1")),
    COLUMN("vcl", COLUMN_VARCHAR, LENGTH(300), IN_CHARSET("utf8mb4")),
    COLUMN("bi", COLUMN_BINARY, LENGTH(6)),
    COLUMN("vb", COLUMN_VARBINARY, LENGTH(9)),
    COLUMN("tt", COLUMN_TEXT, .blob_bytes = 1, IN_CHARSET("utf8mb4")),
    COLUMN("tx", COLUMN_TEXT, .blob_bytes = 2, IN_CHARSET("sjis")),
    COLUMN("mt", COLUMN_TEXT, .blob_bytes = 3, IN_CHARSET("utf8mb4")),
    COLUMN("lt", COLUMN_TEXT, .blob_bytes = 4, IN_CHARSET("utf8mb4")),
    COLUMN("tb", COLUMN_BLOB, .blob_bytes = 1),
    COLUMN("bl", COLUMN_BLOB, .blob_bytes = 2),
    COLUMN("mb", COLUMN_BLOB, .blob_bytes = 3),
    COLUMN("lb", COLUMN_BLOB, .blob_bytes = 4),
    COLUMN("da", COLUMN_DATE),
    COLUMN("ti", COLUMN_TIME),
    COLUMN("ti3", COLUMN_TIME, .fsp = 3),
    COLUMN("ti6", COLUMN_TIME, .fsp = 6),
    COLUMN("dt", COLUMN_DATETIME),
    COLUMN("dt6", COLUMN_DATETIME, .fsp = 6),
    COLUMN("ts", COLUMN_TIMESTAMP),
    COLUMN("ts2", COLUMN_TIMESTAMP, .fsp = 2),
    COLUMN("en", COLUMN_ENUM, IN_CHARSET("latin1")),
    COLUMN("se", COLUMN_SET, IN_CHARSET("utf8mb4")),
    COLUMN("js", COLUMN_JSON),
    COLUMN("pt", COLUMN_GEOMETRY, .geometry = GEOMETRY_POINT),
    COLUMN("ge", COLUMN_GEOMETRY),
    COLUMN("ve", COLUMN_VECTOR, LENGTH(3)),
    COLUMN("gv", COLUMN_INT, .is_generated = true),
    COLUMN("gs", COLUMN_VARCHAR, LENGTH(20), .is_generated = true, IN_CHARSET("utf8mb4")),
    COLUMN("hid", COLUMN_INT, .is_invisible = true),
    {.name = {(const uint8_t *)"nn", 2}, .kind = COLUMN_VARCHAR, LENGTH(3), IN_CHARSET("utf8mb4")},
    COLUMN("deu", COLUMN_DECIMAL, SCALE(5, 1), UNSIGNED),
    COLUMN("fu", COLUMN_FLOAT, UNSIGNED),
};

enum { N_TYPES = sizeof types / sizeof *types };

struct shape *shapes_make(struct arena *a, const char *table, const struct column *columns, uint32_t n)
{
    struct shape *s = arena_zero(a, 1, sizeof *s);
    s->db = view_of("shop");
    s->table = view_of(table);
    s->n_columns = n;
    s->columns = arena_alloc(a, n * sizeof *columns);
    memcpy(s->columns, columns, n * sizeof *columns);
    for (uint32_t i = 0; i < n; i++) {
        struct column *col = &s->columns[i];
        if (col->comment.n == 0)
            continue;
        col->charset = charset_find(col->comment);
        ASSERT(col->charset != NULL);
        col->comment = VIEW_NONE;
    }
    return s;
}

static void set_members(struct arena *a, struct column *col, const char *one, const char *two, const char *three)
{
    col->n_members = 3;
    col->members = arena_alloc(a, 3 * sizeof *col->members);
    col->members[0] = view_of(one);
    col->members[1] = view_of(two);
    col->members[2] = view_of(three);
}

struct shape *shapes_types(struct arena *a)
{
    struct shape *s = shapes_make(a, "types", types, N_TYPES);
    for (uint32_t i = 0; i < N_TYPES; i++) {
        if (s->columns[i].kind == COLUMN_ENUM)
            set_members(a, &s->columns[i], "small",
                        "gr\xc3\xb6\xc3\x9f"
                        "er",
                        "x,y");
        if (s->columns[i].kind == COLUMN_SET)
            set_members(a, &s->columns[i], "a", "b", "\xc3\x9f");
    }
    s->key = arena_zero(a, 1, sizeof *s->key);
    s->n_key = 1;
    s->key_is_primary = true;
    return s;
}
