/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_result: the door of value.h for SELECT results.
 *
 * What the log says by layout, a result says by the client's conversion: BIT comes as big-endian bytes, DECIMAL and
 * JSON as text, dates as parts. Here they become the cells the log would have given.
 * Source: "Binary Protocol Resultset Row" of the client/server protocol manual.
 */
#include "binlog/decimal.h"
#include "binlog/jsonb.h"
#include "binlog/temporal.h"
#include "binlog/value.h"

static const char *input_name(enum value_input_kind kind)
{
    static const char *const names[] = {"null", "integer", "float", "double", "bytes", "date parts"};
    return names[kind];
}

static bool fail_kind(const struct column *col, const struct value_input *in, struct fail *why)
{
    return fail_malformed(why, "column %.*s: the result holds %s, which this column can't give", VIEW_ARGS(col->name),
                          input_name(in->kind));
}

static bool fail_content(const struct column *col, const char *what, struct fail *why)
{
    return fail_malformed(why, "column %.*s: the result holds a value that is no %s", VIEW_ARGS(col->name), what);
}

static bool from_integer(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    if (in->kind != VALUE_INPUT_INTEGER)
        return fail_kind(col, in, why);
    bool is_signed = col->kind != COLUMN_ENUM && col->kind != COLUMN_SET && !col->is_unsigned;
    out->kind = is_signed || col->kind == COLUMN_YEAR ? CELL_INT : CELL_UINT;
    out->u = in->integer;
    return true;
}

static bool from_float(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    if (col->kind == COLUMN_FLOAT && in->kind == VALUE_INPUT_FLOAT)
        *out = (struct cell){.kind = CELL_FLOAT, .f = in->f};
    else if (col->kind == COLUMN_FLOAT && in->kind == VALUE_INPUT_DOUBLE)
        *out = (struct cell){.kind = CELL_FLOAT, .f = (float)in->d}; /* a widened single narrows back unchanged */
    else if (col->kind == COLUMN_DOUBLE && in->kind == VALUE_INPUT_DOUBLE)
        *out = (struct cell){.kind = CELL_DOUBLE, .d = in->d};
    else
        return fail_kind(col, in, why);
    return true;
}

static bool from_decimal(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    if (in->kind != VALUE_INPUT_BYTES)
        return fail_kind(col, in, why);
    out->kind = CELL_DECIMAL;
    return decimal_read(in->bytes, col->scale, &out->decimal) || fail_content(col, "decimal number", why);
}

static bool from_bit(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    out->kind = CELL_UINT;
    if (in->kind == VALUE_INPUT_INTEGER) {
        out->u = in->integer;
        return true;
    }
    if (in->kind != VALUE_INPUT_BYTES)
        return fail_kind(col, in, why);
    struct cursor c = cursor_of(in->bytes);
    if (in->bytes.n > 8)
        return fail_content(col, "bit value", why);
    out->u = cursor_be(&c, in->bytes.n);
    return true;
}

static bool from_bytes(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    if (in->kind != VALUE_INPUT_BYTES)
        return fail_kind(col, in, why);
    *out = (struct cell){.kind = CELL_BYTES, .bytes = in->bytes};
    return true;
}

static bool from_json(const struct column *col, const struct value_input *in, struct arena *a, struct cell *out,
                      struct fail *why)
{
    if (in->kind != VALUE_INPUT_BYTES)
        return fail_kind(col, in, why);
    *out = (struct cell){.kind = CELL_JSON_TEXT};
    if (!jsonb_tidy_text(in->bytes, in->json_typed, a, &out->bytes, why))
        return fail_add(why, "column %.*s", VIEW_ARGS(col->name));
    return true;
}

/* ---- dates and times ---- */

static bool date_of_parts(const struct value_parts *p, struct cell_date *out)
{
    if (p->is_negative || p->year > 9999 || p->month > 12 || p->day > 31 || p->hour > 23 || p->minute > 59 ||
        p->second > 59 || p->micro > 999999)
        return false;
    *out = (struct cell_date){
        .year = (uint16_t)p->year,
        .month = (uint8_t)p->month,
        .day = (uint8_t)p->day,
        .hour = (uint8_t)p->hour,
        .minute = (uint8_t)p->minute,
        .second = (uint8_t)p->second,
        .micro = p->micro,
    };
    return true;
}

static bool time_of_parts(const struct value_parts *p, int64_t *micros)
{
    uint64_t hours = (uint64_t)p->day * 24 + p->hour;
    if (hours > 838 || p->minute > 59 || p->second > 59 || p->micro > 999999)
        return false;
    int64_t v = (int64_t)(hours * 3600 + p->minute * 60 + p->second) * 1000000 + p->micro;
    *micros = p->is_negative ? -v : v;
    return true;
}

/* The zero timestamp comes as zero parts and stays 0; everything else is a moment. */
static bool timestamp_of_parts(const struct value_parts *p, int64_t *micros)
{
    struct cell_date date;
    if (!date_of_parts(p, &date))
        return false;
    if (date.year == 0 && date.month == 0 && date.day == 0) {
        *micros = 0;
        return true;
    }
    if (!temporal_day_exists(&date))
        return false;
    *micros = temporal_epoch_micros(&date);
    return true;
}

static bool from_parts(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    if (in->kind != VALUE_INPUT_PARTS)
        return fail_kind(col, in, why);
    bool ok;
    switch (col->kind) {
    case COLUMN_DATE:
        out->kind = CELL_DATE;
        ok = date_of_parts(&in->parts, &out->date);
        break;
    case COLUMN_DATETIME:
        out->kind = CELL_DATETIME;
        ok = date_of_parts(&in->parts, &out->date);
        break;
    case COLUMN_TIME:
        out->kind = CELL_TIME;
        ok = time_of_parts(&in->parts, &out->i);
        break;
    default:
        out->kind = CELL_TIMESTAMP;
        ok = timestamp_of_parts(&in->parts, &out->i);
        break;
    }
    return ok || fail_content(col, "date or time", why);
}

/* ---- labels ---- */

/* The index (from 1) of the member with this label, which comes in the column's charset; 0 when there is none. */
static uint32_t member_of_label(const struct column *col, struct view label)
{
    struct buf utf8;
    buf_init(&utf8);
    charset_to_utf8(col->charset, label, &utf8);
    uint32_t index = 0;
    for (uint32_t i = 0; i < col->n_members && index == 0; i++)
        if (view_equal(col->members[i], buf_view(&utf8)))
            index = i + 1;
    buf_fini(&utf8);
    return index;
}

static bool from_enum(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    if (in->kind != VALUE_INPUT_BYTES)
        return from_integer(col, in, out, why);
    *out = (struct cell){.kind = CELL_UINT, .u = member_of_label(col, in->bytes)};
    return out->u != 0 || in->bytes.n == 0 || fail_content(col, "member", why);
}

/* Labels can't hold commas, so a comma parts two of them; but in a charset of wide characters it is not one byte. */
static bool from_set(const struct column *col, const struct value_input *in, struct cell *out, struct fail *why)
{
    if (in->kind != VALUE_INPUT_BYTES)
        return from_integer(col, in, out, why);
    struct buf utf8;
    buf_init(&utf8);
    charset_to_utf8(col->charset, in->bytes, &utf8);
    struct view rest = buf_view(&utf8);
    *out = (struct cell){.kind = CELL_UINT};
    bool ok = true;
    while (ok && rest.n > 0) {
        const uint8_t *comma = memchr(rest.p, ',', rest.n);
        struct view label = {rest.p, comma == NULL ? rest.n : (size_t)(comma - rest.p)};
        size_t step = label.n + (comma != NULL);
        uint32_t i = 0;
        while (i < col->n_members && !view_equal(col->members[i], label))
            i++;
        ok = i < col->n_members && i < 64;
        if (ok)
            out->u |= UINT64_C(1) << i;
        rest = (struct view){rest.p + step, rest.n - step};
    }
    buf_fini(&utf8);
    return ok || fail_content(col, "set of members", why);
}

bool value_from_result(const struct column *col, const struct value_input *in, struct arena *a, struct cell *out,
                       struct fail *why)
{
    if (in->kind == VALUE_INPUT_NULL) {
        out->kind = CELL_NULL;
        return true;
    }
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_BIGINT:
    case COLUMN_YEAR:
        return from_integer(col, in, out, why);
    case COLUMN_FLOAT:
    case COLUMN_DOUBLE:
        return from_float(col, in, out, why);
    case COLUMN_DECIMAL:
        return from_decimal(col, in, out, why);
    case COLUMN_BIT:
        return from_bit(col, in, out, why);
    case COLUMN_DATE:
    case COLUMN_TIME:
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP:
        return from_parts(col, in, out, why);
    case COLUMN_ENUM:
        return from_enum(col, in, out, why);
    case COLUMN_SET:
        return from_set(col, in, out, why);
    case COLUMN_JSON:
        return from_json(col, in, a, out, why);
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
    case COLUMN_TEXT:
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
    case COLUMN_BLOB:
    case COLUMN_GEOMETRY:
    case COLUMN_VECTOR:
        return from_bytes(col, in, out, why);
    }
    return fail_kind(col, in, why);
}
