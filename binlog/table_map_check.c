/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a shape fit a table map? Told by one function per property; the first that says no names both sides.
 *
 * What fits need not be right (two columns of one type may have changed places), but what does not fit is wrong.
 */
#include "binlog/table_map.h"
#include "binlog/value.h"

#include <stdio.h>

enum { TEXT_BYTES = 160 };

/* What is compared: column i of both, and where the answer goes. */
struct pair {
    const struct table_map *tm;
    const struct shape *shape;
    uint32_t i;
    const struct table_map_column *log;
    const struct column *col;
    struct fail *why;
};

/* A statement that the log does not have: nothing else changes a table behind the stream's back. */
#define HINT                                                                                                 \
    "; hint: it may have been altered with sql_log_bin=0; snapshot.mode=recovery goes on with the server's " \
    "definition, inconsistent.schema.handling.mode=warn without the table's rows"

static bool differ(const struct pair *p, const char *what, const char *log_has, const char *shape_has)
{
    return fail_set(p->why, FAIL_STOP, FAIL_AREA_DATA, 0,
                    "table %.*s.%.*s, column %u (%.*s): %s is %s in the log and %s in the definition known here" HINT,
                    VIEW_ARGS(p->tm->db), VIEW_ARGS(p->tm->table), p->i + 1, VIEW_ARGS(p->col->name), what, log_has,
                    shape_has);
}

static bool differ_numbers(const struct pair *p, const char *what, uint64_t log_has, uint64_t shape_has)
{
    char a[24];
    char b[24];
    snprintf(a, sizeof a, "%llu", (unsigned long long)log_has);
    snprintf(b, sizeof b, "%llu", (unsigned long long)shape_has);
    return differ(p, what, a, b);
}

static bool differ_views(const struct pair *p, const char *what, struct view log_has, struct view shape_has)
{
    char a[TEXT_BYTES];
    char b[TEXT_BYTES];
    snprintf(a, sizeof a, "\"%.*s\"", VIEW_ARGS(log_has));
    snprintf(b, sizeof b, "\"%.*s\"", VIEW_ARGS(shape_has));
    return differ(p, what, a, b);
}

/* ---- types in words ---- */

static const char *const wire_names[] = {
    [WIRE_DECIMAL] = "old DECIMAL",
    [WIRE_TINY] = "TINYINT",
    [WIRE_SHORT] = "SMALLINT",
    [WIRE_LONG] = "INT",
    [WIRE_FLOAT] = "FLOAT",
    [WIRE_DOUBLE] = "DOUBLE",
    [WIRE_NULL] = "NULL",
    [WIRE_TIMESTAMP] = "old TIMESTAMP",
    [WIRE_LONGLONG] = "BIGINT",
    [WIRE_INT24] = "MEDIUMINT",
    [WIRE_DATE] = "DATE",
    [WIRE_TIME] = "old TIME",
    [WIRE_DATETIME] = "old DATETIME",
    [WIRE_YEAR] = "YEAR",
    [WIRE_NEWDATE] = "DATE",
    [WIRE_VARCHAR] = "VARCHAR",
    [WIRE_BIT] = "BIT",
    [WIRE_TIMESTAMP2] = "TIMESTAMP",
    [WIRE_DATETIME2] = "DATETIME",
    [WIRE_TIME2] = "TIME",
    [WIRE_VECTOR] = "VECTOR",
    [WIRE_JSON] = "JSON",
    [WIRE_NEWDECIMAL] = "DECIMAL",
    [WIRE_ENUM] = "ENUM",
    [WIRE_SET] = "SET",
    [WIRE_TINY_BLOB] = "TINYBLOB",
    [WIRE_MEDIUM_BLOB] = "MEDIUMBLOB",
    [WIRE_LONG_BLOB] = "LONGBLOB",
    [WIRE_BLOB] = "BLOB",
    [WIRE_VAR_STRING] = "VARCHAR",
    [WIRE_STRING] = "CHAR",
    [WIRE_GEOMETRY] = "GEOMETRY",
};

static const char *wire_name(uint8_t real)
{
    _Static_assert(sizeof wire_names / sizeof *wire_names == UINT8_MAX + 1, "a name or NULL for each type");
    return wire_names[real] == NULL ? "a type not known" : wire_names[real];
}

static bool differ_types(const struct pair *p)
{
    char a[TEXT_BYTES];
    char b[TEXT_BYTES];
    const struct column *col = p->col;
    snprintf(a, sizeof a, "%s (wire type %u, metadata %u)", wire_name(p->log->real), p->log->wire, p->log->meta);
    int n = snprintf(b, sizeof b, "%s", shape_kind_name(col->kind));
    if (col->kind == COLUMN_ENUM || col->kind == COLUMN_SET)
        snprintf(b + n, sizeof b - (size_t)n, " of %u members", col->n_members);
    else if (col->kind == COLUMN_TEXT || col->kind == COLUMN_BLOB)
        snprintf(b + n, sizeof b - (size_t)n, " with %u bytes of length", col->blob_bytes);
    else if (col->kind == COLUMN_TIME || col->kind == COLUMN_DATETIME || col->kind == COLUMN_TIMESTAMP)
        snprintf(b + n, sizeof b - (size_t)n, "(%u)", col->fsp);
    else if (col->has_length && col->has_scale)
        snprintf(b + n, sizeof b - (size_t)n, "(%u,%u)", col->length, col->scale);
    else if (col->has_length)
        snprintf(b + n, sizeof b - (size_t)n, "(%u)%s%s", col->length, col->charset == NULL ? "" : " of ",
                 col->charset == NULL ? "" : col->charset->name);
    return differ(p, "the type", a, b);
}

/* ---- one property each ---- */

static bool check_type(const struct pair *p)
{
    return value_fits(p->log->wire, p->log->meta, p->col) || differ_types(p);
}

static bool check_nullability(const struct pair *p)
{
    if (p->log->is_nullable == p->col->is_nullable)
        return true;
    return differ(p, "NULL", p->log->is_nullable ? "allowed" : "not allowed",
                  p->col->is_nullable ? "allowed" : "not allowed");
}

static bool has_sign(enum column_kind kind)
{
    return kind <= COLUMN_DOUBLE; /* the integers, DECIMAL, FLOAT, DOUBLE */
}

static bool check_sign(const struct pair *p)
{
    if (!p->tm->has_signedness || !has_sign(p->col->kind) || p->log->is_unsigned == p->col->is_unsigned)
        return true;
    return differ(p, "the sign", p->log->is_unsigned ? "UNSIGNED" : "signed",
                  p->col->is_unsigned ? "UNSIGNED" : "signed");
}

static bool has_collation(const struct pair *p)
{
    switch (p->col->kind) {
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
    case COLUMN_TEXT:
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
    case COLUMN_BLOB:
    case COLUMN_VECTOR:
        return p->tm->has_collations;
    case COLUMN_ENUM:
    case COLUMN_SET:
        return p->tm->has_member_collations;
    default:
        return false;
    }
}

/* A collation that is not in our table (of a newer server, or the user's own) proves nothing. */
static bool check_charset(const struct pair *p)
{
    if (!has_collation(p))
        return true;
    const struct charset *log = charset_of_collation_id(p->log->collation);
    const struct charset *col = p->col->charset;
    bool is_same = col == NULL ? log != NULL && log->is_binary : log == col;
    if (log == NULL || is_same)
        return true;
    return differ(p, "the character set", log->name, col == NULL ? "binary" : col->name);
}

static bool check_name(const struct pair *p)
{
    if (!p->tm->has_names || view_equal(p->log->name, p->col->name))
        return true;
    return differ_views(p, "the name", p->log->name, p->col->name);
}

static bool check_member(const struct pair *p, uint32_t m, struct buf *utf8)
{
    buf_clear(utf8);
    charset_to_utf8(p->col->charset, p->log->members[m], utf8);
    if (view_equal(buf_view(utf8), p->col->members[m]))
        return true;
    char what[32];
    snprintf(what, sizeof what, "member %u", m + 1);
    return differ_views(p, what, buf_view(utf8), p->col->members[m]);
}

static bool check_members(const struct pair *p)
{
    bool is_told = (p->col->kind == COLUMN_ENUM && p->tm->has_enum_members) ||
                   (p->col->kind == COLUMN_SET && p->tm->has_set_members);
    if (!is_told)
        return true;
    if (p->log->n_members != p->col->n_members)
        return differ_numbers(p, "the number of members", p->log->n_members, p->col->n_members);
    struct buf utf8;
    buf_init(&utf8);
    bool is_same = true;
    for (uint32_t m = 0; is_same && m < p->log->n_members && p->col->charset != NULL; m++)
        is_same = check_member(p, m, &utf8);
    buf_fini(&utf8);
    return is_same;
}

static bool check_rest(const struct pair *p)
{
    if (p->tm->has_geometry && p->col->kind == COLUMN_GEOMETRY && p->log->geometry != (uint32_t)p->col->geometry)
        return differ_numbers(p, "the kind of geometry", p->log->geometry, (uint64_t)p->col->geometry);
    if (p->tm->has_dimensions && p->col->kind == COLUMN_VECTOR && p->col->has_length &&
        p->log->dimension != p->col->length)
        return differ_numbers(p, "the dimension", p->log->dimension, p->col->length);
    if (p->tm->has_visibility && p->log->is_visible == p->col->is_invisible)
        return differ(p, "visibility", p->log->is_visible ? "VISIBLE" : "INVISIBLE",
                      p->col->is_invisible ? "INVISIBLE" : "VISIBLE");
    return true;
}

static bool check_column(const struct pair *p)
{
    return check_name(p) && check_type(p) && check_nullability(p) && check_sign(p) && check_charset(p) &&
           check_members(p) && check_rest(p);
}

/* ---- the key ---- */

static void print_key(const struct table_map *tm, const struct shape *shape, char *out, size_t room)
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < tm->n_key && n < room; i++)
        n += (size_t)snprintf(out + n, room - n, "%s%.*s", i == 0 ? "" : ", ",
                              VIEW_ARGS(shape->columns[tm->key[i].column].name));
}

/* Told by FULL metadata only: with names and without a key, there is none. Only the primary key is judged: which
 * unique key the server takes when there is none is its own affair. */
static bool check_key(const struct table_map *tm, const struct shape *shape, struct fail *why)
{
    if (!tm->has_names || !shape->key_is_primary)
        return true;
    bool is_same = tm->has_key && tm->n_key == shape->n_key;
    for (uint32_t i = 0; is_same && i < tm->n_key; i++)
        is_same = tm->key[i].column == shape->key[i];
    if (is_same)
        return true;
    char key[TEXT_BYTES];
    print_key(tm, shape, key, sizeof key);
    return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                    "table %.*s.%.*s: the primary key is (%s) in the log and another in the definition known here" HINT,
                    VIEW_ARGS(tm->db), VIEW_ARGS(tm->table), key);
}

bool table_map_check(const struct table_map *tm, const struct shape *shape, struct fail *why)
{
    if (tm->n_columns != shape->n_columns)
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                        "table %.*s.%.*s has %u columns in the log and %u in the definition known here" HINT,
                        VIEW_ARGS(tm->db), VIEW_ARGS(tm->table), tm->n_columns, shape->n_columns);
    for (uint32_t i = 0; i < tm->n_columns; i++) {
        struct pair p = {tm, shape, i, &tm->columns[i], &shape->columns[i], why};
        if (!check_column(&p))
            return false;
    }
    return check_key(tm, shape, why);
}
