/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/query_bind.h"

#include <stdlib.h>

enum { FIRST_ROOM = 256, BINARY_COLLATION = 63 };

/* ---- parameters ---- */

static uint64_t integer_of(struct view digits)
{
    bool is_negative = digits.n > 0 && digits.p[0] == '-';
    uint64_t v = 0;
    for (size_t i = is_negative ? 1 : 0; i < digits.n && digits.p[i] >= '0' && digits.p[i] <= '9'; i++)
        v = v * 10 + (uint64_t)(digits.p[i] - '0');
    return is_negative ? 0 - v : v;
}

static double real_of(struct view digits)
{
    char text[64];
    size_t n = digits.n < sizeof text - 1 ? digits.n : sizeof text - 1;
    memcpy(text, digits.p, n);
    text[n] = '\0';
    return strtod(text, NULL);
}

static void bind_bytes(MYSQL_BIND *bind, struct query_param *memory, enum enum_field_types type, struct view bytes)
{
    memory->length = (unsigned long)bytes.n;
    bind->buffer_type = type;
    bind->buffer = (void *)(uintptr_t)bytes.p; /* the library only reads parameters */
    bind->buffer_length = memory->length;
    bind->length = &memory->length;
}

void query_bind_param(MYSQL_BIND *bind, struct query_param *memory, const struct chunk_param *param)
{
    const struct column *col = param->column;
    *bind = (MYSQL_BIND){0};
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_BIGINT:
    case COLUMN_YEAR:
    case COLUMN_BIT:
    case COLUMN_ENUM:
    case COLUMN_SET:
        memory->integer = integer_of(param->value);
        bind->buffer_type = MYSQL_TYPE_LONGLONG;
        bind->buffer = &memory->integer;
        bind->is_unsigned = col->is_unsigned || col->kind == COLUMN_BIT;
        break;
    case COLUMN_FLOAT:
    case COLUMN_DOUBLE:
        memory->real = real_of(param->value);
        bind->buffer_type = MYSQL_TYPE_DOUBLE;
        bind->buffer = &memory->real;
        break;
    case COLUMN_DECIMAL:
        bind_bytes(bind, memory, MYSQL_TYPE_NEWDECIMAL, param->value);
        break;
    case COLUMN_DATE:
    case COLUMN_TIME:
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP:
        bind_bytes(bind, memory, MYSQL_TYPE_STRING, param->value);
        break;
    default:
        bind_bytes(bind, memory, MYSQL_TYPE_BLOB, param->value);
        break;
    }
}

/* ---- results ---- */

static bool has_bytes(const struct column *col)
{
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_BIGINT:
    case COLUMN_YEAR:
    case COLUMN_ENUM:
    case COLUMN_SET:
    case COLUMN_FLOAT:
    case COLUMN_DOUBLE:
    case COLUMN_DATE:
    case COLUMN_TIME:
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP:
        return false;
    default:
        return true;
    }
}

void query_slot_set(struct query_slot *slot, const struct column *col)
{
    slot->column = col;
    if (!has_bytes(col) || slot->bytes != NULL)
        return;
    slot->room = FIRST_ROOM;
    slot->bytes = mem_alloc(slot->room);
}

void query_slot_fini(struct query_slot *slot)
{
    free(slot->bytes);
    slot->bytes = NULL;
}

static enum enum_field_types result_type(const struct column *col)
{
    switch (col->kind) {
    case COLUMN_TINYINT:
        return MYSQL_TYPE_TINY;
    case COLUMN_SMALLINT:
    case COLUMN_YEAR:
        return MYSQL_TYPE_SHORT;
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
        return MYSQL_TYPE_LONG;
    case COLUMN_BIGINT:
    case COLUMN_ENUM:
    case COLUMN_SET:
        return MYSQL_TYPE_LONGLONG;
    case COLUMN_FLOAT:
        return MYSQL_TYPE_FLOAT;
    case COLUMN_DOUBLE:
        return MYSQL_TYPE_DOUBLE;
    case COLUMN_DATE:
        return MYSQL_TYPE_DATE;
    case COLUMN_TIME:
        return MYSQL_TYPE_TIME;
    case COLUMN_DATETIME:
        return MYSQL_TYPE_DATETIME;
    case COLUMN_TIMESTAMP:
        return MYSQL_TYPE_TIMESTAMP;
    default:
        return MYSQL_TYPE_BLOB;
    }
}

void query_bind_slot(MYSQL_BIND *bind, struct query_slot *slot)
{
    const struct column *col = slot->column;
    *bind = (MYSQL_BIND){
        .buffer_type = result_type(col),
        .length = &slot->length,
        .is_null = &slot->is_null,
        .error = &slot->is_cut,
        .is_unsigned =
            col->is_unsigned || col->kind == COLUMN_YEAR || col->kind == COLUMN_ENUM || col->kind == COLUMN_SET,
    };
    if (has_bytes(col)) {
        bind->buffer = slot->bytes;
        bind->buffer_length = (unsigned long)slot->room;
    } else {
        bind->buffer = &slot->integer; /* all fixed sizes begin here */
        bind->buffer_length = sizeof slot->time;
    }
}

bool query_slot_grow(struct query_slot *slot)
{
    if (!has_bytes(slot->column) || slot->length <= slot->room)
        return false;
    slot->room = slot->length + slot->length / 4;
    slot->bytes = mem_resize(slot->bytes, slot->room);
    return true;
}

/* Two's complement of the width that came. */
static uint64_t integer_in(const struct query_slot *slot)
{
    const void *at = &slot->integer;
    const struct column *col = slot->column;
    int8_t tiny;
    int16_t small;
    int32_t whole;
    switch (result_type(col)) {
    case MYSQL_TYPE_TINY:
        memcpy(&tiny, at, sizeof tiny);
        return col->is_unsigned ? (uint8_t)tiny : (uint64_t)tiny;
    case MYSQL_TYPE_SHORT:
        memcpy(&small, at, sizeof small);
        return col->is_unsigned || col->kind == COLUMN_YEAR ? (uint16_t)small : (uint64_t)small;
    case MYSQL_TYPE_LONG:
        memcpy(&whole, at, sizeof whole);
        return col->is_unsigned ? (uint32_t)whole : (uint64_t)whole;
    default:
        return slot->integer;
    }
}

static struct value_parts parts_in(const MYSQL_TIME *t)
{
    return (struct value_parts){
        .is_negative = t->neg,
        .year = t->year,
        .month = t->month,
        .day = t->day,
        .hour = t->hour,
        .minute = t->minute,
        .second = t->second,
        .micro = (uint32_t)t->second_part,
    };
}

void query_slot_take(const struct query_slot *slot, struct value_input *in)
{
    in->json_typed = JSONB_TYPED_UNKNOWN;
    if (slot->is_null) {
        in->kind = VALUE_INPUT_NULL;
        return;
    }
    switch (result_type(slot->column)) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
        in->kind = VALUE_INPUT_INTEGER;
        in->integer = integer_in(slot);
        break;
    case MYSQL_TYPE_FLOAT:
        in->kind = VALUE_INPUT_FLOAT;
        in->f = slot->single;
        break;
    case MYSQL_TYPE_DOUBLE:
        in->kind = VALUE_INPUT_DOUBLE;
        in->d = slot->real;
        break;
    case MYSQL_TYPE_BLOB:
        in->kind = VALUE_INPUT_BYTES;
        in->bytes = (struct view){slot->bytes, slot->length};
        break;
    default:
        in->kind = VALUE_INPUT_PARTS;
        in->parts = parts_in(&slot->time);
        break;
    }
}

/* ---- metadata ---- */

static bool is_integer(const MYSQL_FIELD *field, enum enum_field_types type, const struct column *col)
{
    return field->type == type && ((field->flags & UNSIGNED_FLAG) != 0) == col->is_unsigned;
}

/* By the collation's number the server names the charset that the bytes are in. */
static bool is_text(const MYSQL_FIELD *field, const struct column *col)
{
    const struct charset *cs = charset_of_collation_id(field->charsetnr);
    return cs != NULL && (col->charset == NULL ? cs->is_binary : cs == col->charset);
}

static bool is_string(const MYSQL_FIELD *field)
{
    return field->type == MYSQL_TYPE_STRING || field->type == MYSQL_TYPE_VAR_STRING;
}

bool query_field_fits(const MYSQL_FIELD *field, const struct column *col)
{
    switch (col->kind) {
    case COLUMN_TINYINT:
        return is_integer(field, MYSQL_TYPE_TINY, col);
    case COLUMN_SMALLINT:
        return is_integer(field, MYSQL_TYPE_SHORT, col);
    case COLUMN_MEDIUMINT:
        return is_integer(field, MYSQL_TYPE_INT24, col);
    case COLUMN_INT:
        return is_integer(field, MYSQL_TYPE_LONG, col);
    case COLUMN_BIGINT:
        return is_integer(field, MYSQL_TYPE_LONGLONG, col);
    case COLUMN_DECIMAL:
        return field->type == MYSQL_TYPE_NEWDECIMAL && field->decimals == col->scale;
    case COLUMN_FLOAT:
        return field->type == MYSQL_TYPE_FLOAT;
    case COLUMN_DOUBLE:
        return field->type == MYSQL_TYPE_DOUBLE;
    case COLUMN_BIT:
        return field->type == MYSQL_TYPE_BIT && field->length == col->length;
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
        return is_string(field) && is_text(field, col);
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
        return is_string(field) && field->charsetnr == BINARY_COLLATION && field->length == col->length;
    case COLUMN_TEXT:
        return field->type == MYSQL_TYPE_BLOB && is_text(field, col);
    case COLUMN_BLOB:
        return field->type == MYSQL_TYPE_BLOB && field->charsetnr == BINARY_COLLATION;
    case COLUMN_DATE:
        return field->type == MYSQL_TYPE_DATE;
    case COLUMN_TIME:
        return field->type == MYSQL_TYPE_TIME && field->decimals == col->fsp;
    case COLUMN_DATETIME:
        return field->type == MYSQL_TYPE_DATETIME && field->decimals == col->fsp;
    case COLUMN_TIMESTAMP:
        return field->type == MYSQL_TYPE_TIMESTAMP && field->decimals == col->fsp;
    case COLUMN_YEAR:
        return field->type == MYSQL_TYPE_YEAR;
    case COLUMN_ENUM: /* selected as numbers: the type is the expression's */
    case COLUMN_SET:
        return field->type == MYSQL_TYPE_LONGLONG || field->type == MYSQL_TYPE_DOUBLE;
    case COLUMN_JSON:
        return field->type == MYSQL_TYPE_JSON;
    case COLUMN_GEOMETRY:
        return field->type == MYSQL_TYPE_GEOMETRY;
    case COLUMN_VECTOR:
        return field->type == MYSQL_TYPE_VECTOR;
    }
    return false;
}
