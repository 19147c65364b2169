/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_type: a column's type, with all its other names.
 *
 * The words are kept as they were written, in capitals (type_text): that is how the schema-change record names a type.
 * Source: the manual, chapter "Data Types"; the synonyms from "Using Data Types from Other Database Engines".
 */
#include "binlog/ddl_clause.h"

#include <stdio.h>

/* What may stand behind the type's word. */
enum type_form {
    FORM_PLAIN,   /* nothing */
    FORM_INTEGER, /* (width) sign */
    FORM_DECIMAL, /* (precision, scale) sign */
    FORM_FLOAT,   /* (precision) or (width, scale), sign */
    FORM_DOUBLE,  /* (width, scale) sign */
    FORM_LENGTH,  /* (length) */
    FORM_FSP,     /* (fraction digits) */
    FORM_TEXT,    /* (length) charset */
    FORM_LABELS,  /* (label, …) charset */
};

struct type_word {
    const char *word;
    enum column_kind kind;
    enum type_form form;
    uint8_t blob_bytes;
    enum geometry_kind geometry;
};

static const struct type_word type_words[] = {
    {"TINYINT", COLUMN_TINYINT, FORM_INTEGER, 0, 0},
    {"INT1", COLUMN_TINYINT, FORM_INTEGER, 0, 0},
    {"BOOL", COLUMN_TINYINT, FORM_PLAIN, 0, 0},
    {"BOOLEAN", COLUMN_TINYINT, FORM_PLAIN, 0, 0},
    {"SMALLINT", COLUMN_SMALLINT, FORM_INTEGER, 0, 0},
    {"INT2", COLUMN_SMALLINT, FORM_INTEGER, 0, 0},
    {"MEDIUMINT", COLUMN_MEDIUMINT, FORM_INTEGER, 0, 0},
    {"INT3", COLUMN_MEDIUMINT, FORM_INTEGER, 0, 0},
    {"MIDDLEINT", COLUMN_MEDIUMINT, FORM_INTEGER, 0, 0},
    {"INT", COLUMN_INT, FORM_INTEGER, 0, 0},
    {"INTEGER", COLUMN_INT, FORM_INTEGER, 0, 0},
    {"INT4", COLUMN_INT, FORM_INTEGER, 0, 0},
    {"BIGINT", COLUMN_BIGINT, FORM_INTEGER, 0, 0},
    {"INT8", COLUMN_BIGINT, FORM_INTEGER, 0, 0},
    {"DECIMAL", COLUMN_DECIMAL, FORM_DECIMAL, 0, 0},
    {"NUMERIC", COLUMN_DECIMAL, FORM_DECIMAL, 0, 0},
    {"DEC", COLUMN_DECIMAL, FORM_DECIMAL, 0, 0},
    {"FIXED", COLUMN_DECIMAL, FORM_DECIMAL, 0, 0},
    {"FLOAT", COLUMN_FLOAT, FORM_FLOAT, 0, 0},
    {"FLOAT4", COLUMN_FLOAT, FORM_FLOAT, 0, 0},
    {"DOUBLE", COLUMN_DOUBLE, FORM_DOUBLE, 0, 0},
    {"FLOAT8", COLUMN_DOUBLE, FORM_DOUBLE, 0, 0},
    {"REAL", COLUMN_DOUBLE, FORM_DOUBLE, 0, 0},
    {"BIT", COLUMN_BIT, FORM_LENGTH, 0, 0},
    {"CHAR", COLUMN_CHAR, FORM_TEXT, 0, 0},
    {"CHARACTER", COLUMN_CHAR, FORM_TEXT, 0, 0},
    {"NCHAR", COLUMN_CHAR, FORM_TEXT, 0, 0},
    {"VARCHAR", COLUMN_VARCHAR, FORM_TEXT, 0, 0},
    {"VARCHARACTER", COLUMN_VARCHAR, FORM_TEXT, 0, 0},
    {"NVARCHAR", COLUMN_VARCHAR, FORM_TEXT, 0, 0},
    {"BINARY", COLUMN_BINARY, FORM_LENGTH, 0, 0},
    {"VARBINARY", COLUMN_VARBINARY, FORM_LENGTH, 0, 0},
    {"TINYTEXT", COLUMN_TEXT, FORM_TEXT, 1, 0},
    {"TEXT", COLUMN_TEXT, FORM_TEXT, 2, 0},
    {"MEDIUMTEXT", COLUMN_TEXT, FORM_TEXT, 3, 0},
    {"LONGTEXT", COLUMN_TEXT, FORM_TEXT, 4, 0},
    {"TINYBLOB", COLUMN_BLOB, FORM_PLAIN, 1, 0},
    {"BLOB", COLUMN_BLOB, FORM_LENGTH, 2, 0},
    {"MEDIUMBLOB", COLUMN_BLOB, FORM_PLAIN, 3, 0},
    {"LONGBLOB", COLUMN_BLOB, FORM_PLAIN, 4, 0},
    {"DATE", COLUMN_DATE, FORM_PLAIN, 0, 0},
    {"TIME", COLUMN_TIME, FORM_FSP, 0, 0},
    {"DATETIME", COLUMN_DATETIME, FORM_FSP, 0, 0},
    {"TIMESTAMP", COLUMN_TIMESTAMP, FORM_FSP, 0, 0},
    {"YEAR", COLUMN_YEAR, FORM_INTEGER, 0, 0},
    {"ENUM", COLUMN_ENUM, FORM_LABELS, 0, 0},
    {"SET", COLUMN_SET, FORM_LABELS, 0, 0},
    {"JSON", COLUMN_JSON, FORM_PLAIN, 0, 0},
    {"VECTOR", COLUMN_VECTOR, FORM_LENGTH, 0, 0},
    {"GEOMETRY", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_ANY},
    {"POINT", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_POINT},
    {"LINESTRING", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_LINESTRING},
    {"POLYGON", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_POLYGON},
    {"MULTIPOINT", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_MULTIPOINT},
    {"MULTILINESTRING", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_MULTILINESTRING},
    {"MULTIPOLYGON", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_MULTIPOLYGON},
    {"GEOMETRYCOLLECTION", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_COLLECTION},
    {"GEOMCOLLECTION", COLUMN_GEOMETRY, FORM_PLAIN, 0, GEOMETRY_COLLECTION},
};

enum {
    TYPE_TEXT_BYTES = 96,
    MEMBERS_MAX = 65535, /* of an ENUM */
    VECTOR_DEFAULT = 2048,
    FLOAT_PRECISION_MAX = 24,
};

/* The words of the type as they are taken. */
struct type_text {
    char text[TYPE_TEXT_BYTES];
    size_t n;
};

/* Takes a word of the type; the names of types are short, so what doesn't fit is no type. */
static void take(struct ddl_parser *p, struct type_text *words)
{
    struct view word = p->now.text;
    if (words->n > 0 && words->n < TYPE_TEXT_BYTES)
        words->text[words->n++] = ' ';
    for (size_t i = 0; i < word.n && words->n < TYPE_TEXT_BYTES; i++) {
        char c = (char)word.p[i];
        words->text[words->n++] = (char)(c >= 'a' && c <= 'z' ? c - 32 : c);
    }
    ddl_next(p);
}

static bool take_if(struct ddl_parser *p, struct type_text *words, const char *keyword)
{
    if (!ddl_is(p, keyword))
        return false;
    take(p, words);
    return true;
}

/* ---- charsets */

bool ddl_is_charset_clause(const struct ddl_parser *p)
{
    return ddl_is(p, "CHARSET") || ((ddl_is(p, "CHARACTER") || ddl_is(p, "CHAR")) && ddl_is_second(p, "SET"));
}

/* A name in any of the ways one can be written: word, quoted, string; BINARY is a word too. */
static bool loose_name(struct ddl_parser *p, struct view *name)
{
    return ddl_is_string(p) ? ddl_string(p, name) : ddl_name(p, name);
}

bool ddl_charset_clause(struct ddl_parser *p, const struct charset **charset)
{
    struct view name;
    if (!ddl_accept(p, "CHARSET")) {
        ddl_next(p);
        ddl_next(p);
    }
    ddl_accept_sign(p, '=');
    *charset = NULL;
    if (ddl_accept(p, "DEFAULT"))
        return true;
    if (!loose_name(p, &name))
        return false;
    *charset = charset_find(name);
    return *charset != NULL || fail_malformed(p->why, "read DDL: character set %.*s is not known", VIEW_ARGS(name));
}

bool ddl_collation(struct ddl_parser *p, struct view *collation, const struct charset **charset)
{
    if (!loose_name(p, collation))
        return false;
    *charset = charset_of_collation(*collation);
    return *charset != NULL || fail_malformed(p->why, "read DDL: collation %.*s is not known", VIEW_ARGS(*collation));
}

/* CHARACTER SET x, ASCII, UNICODE, BYTE, and BINARY before or behind them. */
static bool charset_of_type(struct ddl_parser *p, struct draft_column *col, struct type_text *words)
{
    static const struct {
        const char *word;
        const char *charset;
    } short_forms[] = {{"ASCII", "latin1"}, {"UNICODE", "ucs2"}, {"BYTE", "binary"}};
    col->is_charset_written = col->is_national;
    for (;;) {
        bool is_read = false;
        if (take_if(p, words, "BINARY"))
            is_read = col->is_bin = true;
        for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms && !is_read; i++) {
            is_read = ddl_accept(p, short_forms[i].word);
            if (is_read)
                col->charset = charset_find(view_of(short_forms[i].charset));
        }
        if (!is_read && ddl_is_charset_clause(p)) {
            if (!ddl_charset_clause(p, &col->charset))
                return false;
            is_read = true;
        }
        if (!is_read)
            return true;
        col->is_charset_written |= col->charset != NULL;
    }
}

/* ---- numbers in brackets */

static bool bounded(struct ddl_parser *p, uint32_t *number)
{
    uint64_t n;
    if (!ddl_number(p, &n))
        return false;
    *number = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    return true;
}

/* (length) or, when there may be one, (length, scale); all of it may be missing. */
static bool length_and_scale(struct ddl_parser *p, struct column *c, bool may_scale)
{
    if (!ddl_accept_sign(p, '('))
        return true;
    if (!bounded(p, &c->length))
        return false;
    c->has_length = true;
    if (may_scale && ddl_accept_sign(p, ',')) {
        if (!bounded(p, &c->scale))
            return false;
        c->has_scale = true;
    }
    return ddl_expect_sign(p, ')');
}

static void signs(struct ddl_parser *p, struct column *c, struct type_text *words)
{
    for (;;) {
        if (take_if(p, words, "UNSIGNED")) {
            c->is_unsigned = true;
        } else if (take_if(p, words, "ZEROFILL")) {
            c->is_unsigned = c->is_zerofill = true;
        } else if (!take_if(p, words, "SIGNED")) {
            return;
        }
    }
}

static void make_room_for_labels(struct draft *d, struct draft_column *col, uint32_t room)
{
    struct column *c = &col->c;
    struct view *members = arena_alloc(d->p->memory, room * sizeof *members);
    struct draft_label *labels = arena_zero(d->p->memory, room, sizeof *labels);
    if (c->n_members > 0) {
        memcpy(members, c->members, c->n_members * sizeof *members);
        memcpy(labels, col->labels, c->n_members * sizeof *labels);
    }
    c->members = members;
    col->labels = labels;
}

static bool label(struct ddl_parser *p, struct view *text, struct draft_label *label)
{
    label->is_hex = p->now.kind == SQL_HEX;
    if (!label->is_hex)
        return ddl_string_and_bytes(p, text, &label->bytes);
    label->bytes = sql_digits(&p->now);
    ddl_next(p);
    return true;
}

static bool labels(struct draft *d, struct draft_column *col)
{
    struct ddl_parser *p = d->p;
    struct column *c = &col->c;
    uint32_t room = 0;
    if (!ddl_expect_sign(p, '('))
        return false;
    do {
        if (c->n_members == MEMBERS_MAX)
            return ddl_expected(p, "fewer labels");
        if (c->n_members == room)
            make_room_for_labels(d, col, room = room == 0 ? 16 : room * 2);
        if (!label(p, &c->members[c->n_members], &col->labels[c->n_members]))
            return false;
        c->n_members++;
    } while (ddl_accept_sign(p, ','));
    return ddl_expect_sign(p, ')');
}

/* ---- forms */

static bool decimal(struct ddl_parser *p, struct column *c)
{
    if (!length_and_scale(p, c, true))
        return false;
    if (c->length == 0)
        c->length = 10;
    c->has_length = c->has_scale = true;
    return true;
}

static bool fraction(struct ddl_parser *p, struct column *c)
{
    uint32_t digits = 0;
    if (ddl_accept_sign(p, '(') && !(bounded(p, &digits) && ddl_expect_sign(p, ')')))
        return false;
    c->fsp = (uint8_t)(digits > 6 ? 6 : digits);
    return true;
}

static bool plain_length(struct ddl_parser *p, struct column *c)
{
    if (!length_and_scale(p, c, false))
        return false;
    if (c->kind == COLUMN_BIT || c->kind == COLUMN_VECTOR) {
        if (!c->has_length || c->length == 0)
            c->length = c->kind == COLUMN_BIT ? 1 : VECTOR_DEFAULT;
        c->has_length = true;
    }
    if (c->kind == COLUMN_BINARY && !c->has_length)
        c->length = 1;
    return true;
}

static bool form(struct draft *d, struct draft_column *col, enum type_form form, struct type_text *words)
{
    struct ddl_parser *p = d->p;
    struct column *c = &col->c;
    switch (form) {
    case FORM_PLAIN:
        return true;
    case FORM_INTEGER:
        if (!length_and_scale(p, c, false))
            return false;
        break;
    case FORM_DECIMAL:
        if (!decimal(p, c))
            return false;
        break;
    case FORM_FLOAT:
        if (!length_and_scale(p, c, true))
            return false;
        if (!c->has_scale && c->length > FLOAT_PRECISION_MAX)
            c->kind = COLUMN_DOUBLE;
        break;
    case FORM_DOUBLE:
        if (!length_and_scale(p, c, true))
            return false;
        break;
    case FORM_LENGTH:
        return plain_length(p, c);
    case FORM_FSP:
        return fraction(p, c);
    case FORM_TEXT:
        if (c->blob_bytes != 1 && c->blob_bytes < 3 && !length_and_scale(p, c, false))
            return false;
        if (c->kind == COLUMN_CHAR && !c->has_length)
            c->length = 1;
        return charset_of_type(p, col, words);
    case FORM_LABELS:
        return labels(d, col) && charset_of_type(p, col, words);
    }
    signs(p, c, words);
    return true;
}

/* ---- words */

static const struct type_word *find_type(const struct ddl_parser *p)
{
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
        if (ddl_is(p, type_words[i].word))
            return &type_words[i];
    return NULL;
}

/* SERIAL: BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE. */
static void serial(struct draft *d, struct draft_column *col)
{
    col->c.kind = COLUMN_BIGINT;
    col->c.is_unsigned = true;
    col->c.is_nullable = false;
    col->c.is_auto_increment = true;
    col->c.type_text = view_of("BIGINT UNSIGNED");
    struct draft_key *key = draft_add_key(d);
    key->is_unique = true;
    key->n_parts = 1;
    key->parts = arena_zero(d->p->memory, 1, sizeof *key->parts);
    key->parts[0].name = col->c.name;
}

/* LONG, and what makes it LONG VARBINARY or LONG VARCHAR: all MEDIUM. */
static bool long_type(struct draft *d, struct draft_column *col, struct type_text *words)
{
    struct ddl_parser *p = d->p;
    col->c.blob_bytes = 3;
    if (take_if(p, words, "VARBINARY")) {
        col->c.kind = COLUMN_BLOB;
        return true;
    }
    col->c.kind = COLUMN_TEXT;
    if ((ddl_is(p, "CHAR") || ddl_is(p, "CHARACTER")) && ddl_is_second(p, "VARYING")) {
        take(p, words);
        take(p, words);
    } else if (ddl_is(p, "VARCHAR") || ddl_is(p, "VARCHARACTER")) {
        take(p, words);
    }
    return charset_of_type(p, col, words);
}

/* The words behind CHAR, NCHAR and DOUBLE that belong to the type. */
static void second_words(struct ddl_parser *p, struct column *c, struct type_text *words)
{
    if (c->kind == COLUMN_CHAR &&
        (take_if(p, words, "VARYING") || take_if(p, words, "VARCHAR") || take_if(p, words, "VARCHARACTER")))
        c->kind = COLUMN_VARCHAR;
    else if (c->kind == COLUMN_DOUBLE)
        take_if(p, words, "PRECISION");
}

static bool named_type(struct draft *d, struct draft_column *col, struct type_text *words)
{
    struct ddl_parser *p = d->p;
    struct column *c = &col->c;
    const struct type_word *type = find_type(p);
    if (type == NULL)
        return ddl_expected(p, "a type");
    c->kind = type->kind;
    c->blob_bytes = type->blob_bytes;
    c->geometry = type->geometry;
    col->is_national |= ddl_is(p, "NCHAR") || ddl_is(p, "NVARCHAR");
    bool is_bool = ddl_is(p, "BOOL") || ddl_is(p, "BOOLEAN");
    if (ddl_is(p, "REAL") && (p->ctx->sql_mode & DDL_MODE_REAL_AS_FLOAT) != 0) {
        c->kind = COLUMN_FLOAT;
        words->n = (size_t)snprintf(words->text, TYPE_TEXT_BYTES, "FLOAT");
        ddl_next(p);
    } else {
        take(p, words);
    }
    second_words(p, c, words);
    if (is_bool) /* is TINYINT(1) without the brackets */
        c->length = 1;
    return form(d, col, type->form, words);
}

bool ddl_type(struct draft *d, struct draft_column *col)
{
    struct ddl_parser *p = d->p;
    struct type_text words = {.n = 0};
    if (ddl_accept(p, "SERIAL")) {
        serial(d, col);
        return true;
    }
    bool is_read;
    if (take_if(p, &words, "LONG")) {
        is_read = long_type(d, col, &words);
    } else {
        col->is_national = take_if(p, &words, "NATIONAL");
        is_read = named_type(d, col, &words);
    }
    if (!is_read)
        return false;
    col->c.type_text = arena_copy(p->memory, (struct view){(const uint8_t *)words.text, words.n});
    return true;
}
