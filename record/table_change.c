/* SPDX-License-Identifier: Apache-2.0 */
#include "record/table_change.h"

#include "base/digits.h"
#include "record/column.h"
#include "record/envelope.h"
#include "record/json.h"
#include "record/schema_text.h"

/* ---- types ---- */

/* java.sql.Types */
enum jdbc_type {
    JDBC_BIT = -7,
    JDBC_BIGINT = -5,
    JDBC_VARBINARY = -3,
    JDBC_BINARY = -2,
    JDBC_NCHAR = -15,
    JDBC_NVARCHAR = -9,
    JDBC_CHAR = 1,
    JDBC_NUMERIC = 2,
    JDBC_DECIMAL = 3,
    JDBC_INTEGER = 4,
    JDBC_SMALLINT = 5,
    JDBC_FLOAT = 6,
    JDBC_REAL = 7,
    JDBC_DOUBLE = 8,
    JDBC_VARCHAR = 12,
    JDBC_BOOLEAN = 16,
    JDBC_DATE = 91,
    JDBC_TIME = 92,
    JDBC_TIMESTAMP = 93,
    JDBC_OTHER = 1111,
    JDBC_BLOB = 2004,
    JDBC_TIMESTAMP_WITH_TIMEZONE = 2014,
};

static bool starts_with(struct view text, const char *prefix)
{
    size_t n = strlen(prefix);
    return text.n >= n && memcmp(text.p, prefix, n) == 0;
}

/* Words that Debezium numbers apart from the type the server makes of them; the first that fits counts. */
static const struct {
    const char *words;
    enum jdbc_type jdbc;
} by_words[] = {
    {"BOOL", JDBC_BOOLEAN},
    {"NUMERIC", JDBC_NUMERIC},
    {"REAL", JDBC_REAL},
    {"FLOAT8", JDBC_DOUBLE},
    {"FLOAT", JDBC_FLOAT}, /* FLOAT(25) too, though it is a double */
    {"NATIONAL VARCHAR", JDBC_NVARCHAR},
    {"NATIONAL CHAR VARYING", JDBC_NVARCHAR},
    {"NATIONAL CHARACTER VARYING", JDBC_NVARCHAR},
    {"NCHAR VAR", JDBC_NVARCHAR},
    {"NVARCHAR", JDBC_NVARCHAR},
    {"NATIONAL", JDBC_NCHAR},
    {"NCHAR", JDBC_NCHAR},
};

static enum jdbc_type jdbc_type_of(const struct column *col)
{
    for (size_t i = 0; i < sizeof by_words / sizeof by_words[0]; i++)
        if (starts_with(col->type_text, by_words[i].words))
            return by_words[i].jdbc;
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
        return JDBC_SMALLINT;
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_YEAR:
        return JDBC_INTEGER;
    case COLUMN_BIGINT:
        return JDBC_BIGINT;
    case COLUMN_DECIMAL:
        return JDBC_DECIMAL;
    case COLUMN_FLOAT:
        return JDBC_FLOAT;
    case COLUMN_DOUBLE:
        return JDBC_DOUBLE;
    case COLUMN_BIT:
        return JDBC_BIT;
    case COLUMN_CHAR:
    case COLUMN_ENUM:
    case COLUMN_SET:
        return JDBC_CHAR;
    case COLUMN_VARCHAR:
    case COLUMN_TEXT:
        return JDBC_VARCHAR;
    case COLUMN_BINARY:
        return JDBC_BINARY;
    case COLUMN_VARBINARY:
        return JDBC_VARBINARY;
    case COLUMN_BLOB:
        return JDBC_BLOB;
    case COLUMN_DATE:
        return JDBC_DATE;
    case COLUMN_TIME:
        return JDBC_TIME;
    case COLUMN_DATETIME:
        return JDBC_TIMESTAMP;
    case COLUMN_TIMESTAMP:
        return JDBC_TIMESTAMP_WITH_TIMEZONE;
    case COLUMN_JSON:
    case COLUMN_GEOMETRY:
    case COLUMN_VECTOR:
        break;
    }
    return JDBC_OTHER;
}

/* ---- text ---- */

void table_change_put_sql(struct buf *out, struct view text)
{
    static const char special[] = "\\'\t\n\r", escaped[] = "\\'tnr";
    for (size_t i = 0; i < text.n; i++) {
        uint8_t byte = text.p[i];
        const char *known = byte == '\0' ? NULL : strchr(special, byte);
        if (byte == '\0') {
            buf_put_literal(out, "\\0");
        } else if (known == NULL) {
            buf_put_u8(out, byte);
        } else {
            buf_put_u8(out, byte == '\'' ? '\'' : '\\');
            buf_put_u8(out, (uint8_t)escaped[known - special]);
        }
    }
}

static void put_sql_string(struct buf *out, const char *before, struct view text, const char *behind)
{
    struct buf sql;
    buf_init(&sql);
    buf_put_text(&sql, before);
    table_change_put_sql(&sql, text);
    buf_put_text(&sql, behind);
    json_put_string(out, buf_view(&sql));
    buf_fini(&sql);
}

static void put_member(struct buf *out, const char *member)
{
    buf_put_literal(out, ",\"");
    buf_put_text(out, member);
    buf_put_literal(out, "\":");
}

static void put_text_member(struct buf *out, const char *member, struct view text)
{
    put_member(out, member);
    envelope_put_text_or_null(out, text);
}

static void put_bool_member(struct buf *out, const char *member, bool value)
{
    put_member(out, member);
    buf_put_text(out, value ? "true" : "false");
}

static void put_number_member(struct buf *out, const char *member, bool is_there, int64_t value)
{
    put_member(out, member);
    if (is_there)
        digits_put_i64(out, value);
    else
        buf_put_literal(out, "null");
}

static void put_comment(struct buf *out, struct view comment, bool with_comments)
{
    put_member(out, "comment");
    if (comment.n == 0 || !with_comments)
        buf_put_literal(out, "null");
    else
        put_sql_string(out, "", comment, "");
}

/* ---- a column ---- */

/* N-types are told in the words of the standard; binary has a name where the labels of ENUM and SET are of it. */
static struct view charset_name(const struct column *col)
{
    if (col->charset == NULL)
        return VIEW_NONE;
    enum jdbc_type jdbc = jdbc_type_of(col);
    return view_of(jdbc == JDBC_NCHAR || jdbc == JDBC_NVARCHAR ? "utf8" : col->charset->name);
}

/* The moment of CURRENT_TIMESTAMP is the epoch, also where the schema of the rows shows no default. */
static void put_default(struct buf *out, const struct column *col)
{
    put_member(out, "defaultValueExpression");
    switch (col->default_kind) {
    case DEFAULT_LITERAL:
    case DEFAULT_BITS:
    case DEFAULT_HEX:
        put_sql_string(out, "", col->default_text, "");
        return;
    case DEFAULT_NOW:
        buf_put_literal(out, "\"1970-01-01 00:00:00\"");
        return;
    case DEFAULT_NONE:
    case DEFAULT_NULL:
    case DEFAULT_EXPRESSION:
        break;
    }
    buf_put_literal(out, "null");
}

static void put_labels(struct buf *out, const struct column *col)
{
    put_member(out, "enumValues");
    if (col->kind != COLUMN_ENUM && col->kind != COLUMN_SET) {
        buf_put_literal(out, "null");
        return;
    }
    for (uint32_t i = 0; i < col->n_members; i++) {
        buf_put_u8(out, i == 0 ? '[' : ',');
        put_sql_string(out, "'", col->members[i], "'");
    }
    buf_put_u8(out, ']');
}

static void put_column(struct buf *out, const struct column *col, unsigned position, bool with_comments)
{
    uint32_t length, scale;
    bool has_length = column_length(col, &length), has_scale = column_scale(col, &scale);
    bool is_filled = col->is_auto_increment || col->has_on_update;
    buf_put_literal(out, "{\"name\":");
    json_put_string(out, col->name);
    put_number_member(out, "jdbcType", true, jdbc_type_of(col));
    put_number_member(out, "nativeType", false, 0);
    struct buf words;
    buf_init(&words);
    column_put_type(col, &words);
    put_text_member(out, "typeName", buf_view(&words));
    put_text_member(out, "typeExpression", buf_view(&words));
    buf_fini(&words);
    put_text_member(out, "charsetName", charset_name(col));
    put_number_member(out, "length", has_length, length);
    put_number_member(out, "scale", has_scale, scale);
    put_number_member(out, "position", true, position);
    put_bool_member(out, "optional", col->is_nullable);
    put_bool_member(out, "autoIncremented", is_filled);
    put_bool_member(out, "generated", is_filled);
    put_comment(out, col->comment, with_comments);
    put_default(out, col);
    put_labels(out, col);
    buf_put_u8(out, '}');
}

/* ---- the table ---- */

void table_change_put_table(const struct shape *shape, bool with_comments, struct buf *out)
{
    buf_put_literal(out, "{\"defaultCharsetName\":");
    envelope_put_text_or_null(out, shape->charset == NULL ? VIEW_NONE : view_of(shape->charset->name));
    put_member(out, "primaryKeyColumnNames");
    buf_put_u8(out, '[');
    for (uint32_t i = 0; i < shape->n_key; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        json_put_string(out, shape->columns[shape->key[i]].name);
    }
    buf_put_u8(out, ']');
    put_member(out, "columns");
    buf_put_u8(out, '[');
    for (uint32_t i = 0; i < shape->n_columns; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        put_column(out, &shape->columns[i], i + 1, with_comments);
    }
    buf_put_u8(out, ']');
    put_comment(out, shape->comment, with_comments);
    buf_put_u8(out, '}');
}

#define STRINGS(field, optional)                                                                    \
    "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"optional\":false},\"optional\":" optional \
    ",\"field\":\"" field "\"}"

void table_change_put_schema(struct buf *out)
{
    buf_put_literal(out, SCHEMA_STRUCT(
                             SCHEMA_OPTIONAL("string", "defaultCharsetName") "," STRINGS("primaryKeyColumnNames", "tru"
                                                                                                                  "e") ","
                                                                                                                       "{\"type\":\"array\",\"items\":" SCHEMA_STRUCT(SCHEMA_REQUIRED("string", "name") "," SCHEMA_REQUIRED("int32", "jdbcType") "," SCHEMA_OPTIONAL("int32", "nativeType") "," SCHEMA_REQUIRED("string", "typeName") "," SCHEMA_OPTIONAL("string",
                                                                                                                                                                                                                                                                                                                                                          "typeExpression") "," SCHEMA_OPTIONAL("string",
                                                                                                                                                                                                                                                                                                                                                                                                "charsetName") "," SCHEMA_OPTIONAL("int32",
                                                                                                                                                                                                                                                                                                                                                                                                                                   "length") "," SCHEMA_OPTIONAL("int32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "scale") "," SCHEMA_REQUIRED("int32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "position") "," SCHEMA_OPTIONAL("boolean",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "optional") "," SCHEMA_OPTIONAL("boolean",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "autoIncremented") "," SCHEMA_OPTIONAL("boolean",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "generated") "," SCHEMA_OPTIONAL("string", "comment") "," SCHEMA_OPTIONAL("string", "defaultValueExpression") "," STRINGS("enumValues",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "true")) "\"optional\":false,\"name\":\"io.debezium.connector.schema.Column\",\"version\":1},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "\"optional\":false,\"field\":\"columns\"}," SCHEMA_OPTIONAL("string",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "comment")) "\"optional\":true,\"name\":\"io.debezium.connector.schema.Table\",\"version\":1,\"field\":\"table\"}");
}
