/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape_print: a shape as CREATE TABLE text, for the state that outlives us.
 *
 * The text is read by the same reader as the server's. What a shape doesn't hold (expressions of generated columns and
 * keys, partitions) is printed as something that reads the same. UTF-8, backslash escapes, names in backticks.
 */
#include "binlog/shape.h"
#include "binlog/sql_token.h"

static const char *geometry_name(enum geometry_kind kind)
{
    static const char *const names[] = {
        [GEOMETRY_ANY] = "GEOMETRY",
        [GEOMETRY_POINT] = "POINT",
        [GEOMETRY_LINESTRING] = "LINESTRING",
        [GEOMETRY_POLYGON] = "POLYGON",
        [GEOMETRY_MULTIPOINT] = "MULTIPOINT",
        [GEOMETRY_MULTILINESTRING] = "MULTILINESTRING",
        [GEOMETRY_MULTIPOLYGON] = "MULTIPOLYGON",
        [GEOMETRY_COLLECTION] = "GEOMCOLLECTION",
    };
    return names[kind];
}

const char *shape_kind_name(enum column_kind kind)
{
    static const char *const names[] = {
        [COLUMN_TINYINT] = "TINYINT",
        [COLUMN_SMALLINT] = "SMALLINT",
        [COLUMN_MEDIUMINT] = "MEDIUMINT",
        [COLUMN_INT] = "INT",
        [COLUMN_BIGINT] = "BIGINT",
        [COLUMN_DECIMAL] = "DECIMAL",
        [COLUMN_FLOAT] = "FLOAT",
        [COLUMN_DOUBLE] = "DOUBLE",
        [COLUMN_BIT] = "BIT",
        [COLUMN_CHAR] = "CHAR",
        [COLUMN_VARCHAR] = "VARCHAR",
        [COLUMN_TEXT] = "TEXT",
        [COLUMN_BINARY] = "BINARY",
        [COLUMN_VARBINARY] = "VARBINARY",
        [COLUMN_BLOB] = "BLOB",
        [COLUMN_DATE] = "DATE",
        [COLUMN_TIME] = "TIME",
        [COLUMN_DATETIME] = "DATETIME",
        [COLUMN_TIMESTAMP] = "TIMESTAMP",
        [COLUMN_YEAR] = "YEAR",
        [COLUMN_ENUM] = "ENUM",
        [COLUMN_SET] = "SET",
        [COLUMN_JSON] = "JSON",
        [COLUMN_GEOMETRY] = "GEOMETRY",
        [COLUMN_VECTOR] = "VECTOR",
    };
    return names[kind];
}

const char *shape_type_name(const struct column *c)
{
    static const char *const texts[] = {"TEXT", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT"};
    static const char *const blobs[] = {"BLOB", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"};
    if (c->kind == COLUMN_GEOMETRY)
        return geometry_name(c->geometry);
    if (c->kind == COLUMN_TEXT)
        return texts[c->blob_bytes];
    return c->kind == COLUMN_BLOB ? blobs[c->blob_bytes] : shape_kind_name(c->kind);
}

/* ---- types */

/* Where the words end that name the type, in front of its length: before UNSIGNED, BINARY and the like. */
static size_t name_length(struct view words)
{
    static const char *const attributes[] = {" UNSIGNED", " SIGNED", " ZEROFILL", " BINARY"};
    for (size_t i = 1; i < words.n; i++) {
        if (words.p[i] != ' ')
            continue;
        for (size_t a = 0; a < sizeof attributes / sizeof *attributes; a++) {
            size_t n = strlen(attributes[a]);
            if (words.n - i >= n && memcmp(words.p + i, attributes[a], n) == 0 &&
                (words.n - i == n || words.p[i + n] == ' '))
                return i;
        }
    }
    return words.n;
}

static void put_members(const struct column *c, struct buf *out)
{
    for (uint32_t i = 0; i < c->n_members; i++) {
        buf_put_u8(out, i == 0 ? '(' : ',');
        sql_put_string(out, c->members[i]);
    }
    buf_put_u8(out, ')');
}

static void put_length(const struct column *c, struct buf *out)
{
    if (c->kind == COLUMN_ENUM || c->kind == COLUMN_SET)
        put_members(c, out);
    else if (c->fsp > 0)
        buf_printf(out, "(%u)", c->fsp);
    else if (c->has_length && c->has_scale)
        buf_printf(out, "(%u,%u)", (unsigned)c->length, (unsigned)c->scale);
    else if (c->has_length)
        buf_printf(out, "(%u)", (unsigned)c->length);
}

static void put_type(const struct column *c, struct buf *out)
{
    struct view words = c->type_text.n > 0 ? c->type_text : view_of(shape_type_name(c));
    size_t n = name_length(words);
    buf_put(out, words.p, n);
    put_length(c, out);
    buf_put(out, words.p + n, words.n - n);
    if (c->charset != NULL)
        buf_printf(out, " CHARACTER SET %s", c->charset->name);
    if (c->charset != NULL && c->collation.n > 0)
        buf_printf(out, " COLLATE %.*s", VIEW_ARGS(c->collation));
}

/* ---- columns */

static void put_digits(struct buf *out, char prefix, struct view digits)
{
    if (digits.n == 0)
        buf_printf(out, "%c''", prefix);
    else
        buf_printf(out, "0%c%.*s", prefix, VIEW_ARGS(digits));
}

static void put_default(const struct column *c, struct buf *out)
{
    if (c->default_kind == DEFAULT_NONE)
        return;
    buf_put_text(out, " DEFAULT ");
    switch (c->default_kind) {
    case DEFAULT_NONE:
    case DEFAULT_NULL:
        buf_put_text(out, "NULL");
        break;
    case DEFAULT_LITERAL:
        if (c->default_is_quoted)
            sql_put_string(out, c->default_text);
        else
            buf_put_view(out, c->default_text);
        break;
    case DEFAULT_BITS:
        put_digits(out, 'b', c->default_text);
        break;
    case DEFAULT_HEX:
        put_digits(out, 'x', c->default_text);
        break;
    case DEFAULT_NOW:
        buf_put_text(out, "CURRENT_TIMESTAMP");
        break;
    case DEFAULT_EXPRESSION:
        buf_put_u8(out, '(');
        buf_put_view(out, c->default_text);
        buf_put_u8(out, ')');
        break;
    }
}

static void put_column(const struct column *c, struct buf *out)
{
    sql_put_name(out, c->name);
    buf_put_u8(out, ' ');
    put_type(c, out);
    if (c->is_generated)
        buf_put_text(out, " AS (0)");
    buf_put_text(out, c->is_nullable ? " NULL" : " NOT NULL");
    put_default(c, out);
    if (c->has_on_update)
        buf_put_text(out, " ON UPDATE CURRENT_TIMESTAMP");
    if (c->is_auto_increment)
        buf_put_text(out, " AUTO_INCREMENT");
    if (c->is_invisible)
        buf_put_text(out, " INVISIBLE");
    if (c->has_srid)
        buf_printf(out, " SRID %u", (unsigned)c->srid);
    if (c->comment.n > 0) {
        buf_put_text(out, " COMMENT ");
        sql_put_string(out, c->comment);
    }
}

/* ---- keys, the table */

static void put_part(const struct shape *s, const struct index_part *part, struct buf *out)
{
    if (part->is_expression)
        buf_put_text(out, "(0)");
    else
        sql_put_name(out, s->columns[part->column].name);
    if (part->prefix > 0)
        buf_printf(out, "(%u)", (unsigned)part->prefix);
    if (part->is_descending)
        buf_put_text(out, " DESC");
}

static void put_index(const struct shape *s, const struct table_index *x, struct buf *out)
{
    if (x->is_primary) {
        buf_put_text(out, "PRIMARY KEY (");
    } else {
        buf_put_text(out, x->is_unique ? "UNIQUE KEY " : "KEY ");
        sql_put_name(out, x->name);
        buf_put_text(out, " (");
    }
    for (uint32_t i = 0; i < x->n_parts; i++) {
        buf_put_text(out, i == 0 ? "" : ",");
        put_part(s, &x->parts[i], out);
    }
    buf_put_u8(out, ')');
}

static void put_options(const struct shape *s, struct buf *out)
{
    buf_printf(out, "\n) DEFAULT CHARSET=%s", s->charset->name);
    if (s->collation.n > 0)
        buf_printf(out, " COLLATE=%.*s", VIEW_ARGS(s->collation));
    if (s->comment.n > 0) {
        buf_put_text(out, " COMMENT=");
        sql_put_string(out, s->comment);
    }
    if (s->is_partitioned)
        buf_put_text(out, " PARTITION BY KEY ()");
}

void shape_print(const struct shape *s, struct buf *out)
{
    buf_put_text(out, "CREATE TABLE ");
    sql_put_name(out, s->db);
    buf_put_u8(out, '.');
    sql_put_name(out, s->table);
    for (uint32_t i = 0; i < s->n_columns; i++) {
        buf_put_text(out, i == 0 ? " (\n  " : ",\n  ");
        put_column(&s->columns[i], out);
    }
    for (uint32_t i = 0; i < s->n_indexes; i++) {
        buf_put_text(out, ",\n  ");
        put_index(s, &s->indexes[i], out);
    }
    put_options(s, out);
}
