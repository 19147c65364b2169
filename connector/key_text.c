/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/key_text.h"

#include "base/utf8.h"
#include "binlog/decimal.h"
#include "binlog/temporal.h"

#include <stdio.h>
#include <stdlib.h>

enum { BITS_PER_BYTE = 8 };

static bool refuse(const struct column *col, const char *reason, struct fail *why)
{
    return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, 0, "key column %.*s: %s", VIEW_ARGS(col->name), reason);
}

static bool refuse_class(const struct column *col, struct fail *why)
{
    return refuse(col, "the stored key holds a Java value that this column can't give", why);
}

/* ---- from Java: numbers ---- */

static bool is_integer(const struct java_key_part *part)
{
    return part->kind >= JAVA_KEY_BOOLEAN && part->kind <= JAVA_KEY_LONG;
}

static bool is_real(const struct java_key_part *part)
{
    return part->kind == JAVA_KEY_FLOAT || part->kind == JAVA_KEY_DOUBLE;
}

static bool is_big(const struct java_key_part *part)
{
    return part->kind == JAVA_KEY_BIG_INTEGER || part->kind == JAVA_KEY_BIG_DECIMAL;
}

/* Plain digits of any exact number, for those who read text. */
static bool put_number(const struct java_key_part *part, struct buf *out)
{
    if (is_integer(part)) {
        buf_printf(out, "%lld", (long long)part->integer);
        return true;
    }
    if (!is_big(part) || part->scale > DECIMAL_SCALE_MAX || part->scale < -DECIMAL_PRECISION_MAX)
        return false;
    decimal_print(&part->decimal, part->scale > 0 ? (unsigned)part->scale : 0, out);
    if (part->scale < 0)
        buf_printf(out, "e%d", -part->scale);
    return true;
}

static bool decimal_from(const struct java_key_part *part, unsigned scale, struct cell_decimal *out)
{
    struct buf text;
    buf_init(&text);
    bool ok = put_number(part, &text) && decimal_read(buf_view(&text), scale, out);
    buf_fini(&text);
    return ok;
}

static bool integer_cell(const struct column *col, const struct java_key_part *part, struct cell *out)
{
    struct cell_decimal d;
    bool is_unsigned = col->is_unsigned && col->kind != COLUMN_YEAR;
    if (!decimal_from(part, 0, &d) || (d.limb[1] | d.limb[2] | d.limb[3]) != 0)
        return false;
    uint64_t highest = is_unsigned ? UINT64_MAX : d.is_negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    if (d.limb[0] > highest || (is_unsigned && d.is_negative))
        return false;
    out->kind = is_unsigned ? CELL_UINT : CELL_INT;
    out->u = d.is_negative ? 0 - d.limb[0] : d.limb[0];
    return true;
}

/* The driver gives a YEAR as the first midnight of it, in the time zone of the JVM: none is more than 14 hours away. */
static bool year_cell(const struct column *col, const struct java_key_part *part, struct cell *out)
{
    const int64_t slack_us = INT64_C(14) * 3600 * 1000000;
    const int64_t far_ms = INT64_C(1) << 43;
    if (part->kind != JAVA_KEY_SQL_DATE)
        return integer_cell(col, part, out);
    if (part->integer < -far_ms || part->integer > far_ms)
        return false;
    out->kind = CELL_INT;
    out->i = temporal_of_micros(part->integer * 1000 + slack_us).year;
    return out->i > 1900 && out->i < 2156;
}

static bool decimal_cell(const struct column *col, const struct java_key_part *part, struct cell *out)
{
    out->kind = CELL_DECIMAL;
    return decimal_from(part, col->scale, &out->decimal);
}

static bool real_cell(const struct java_key_part *part, struct cell *out)
{
    out->kind = CELL_DOUBLE;
    if (is_integer(part))
        out->d = (double)part->integer;
    else if (is_big(part) && part->scale >= 0)
        out->d = decimal_to_double(&part->decimal, (unsigned)part->scale);
    else
        out->d = part->real;
    return is_integer(part) || is_real(part) || (is_big(part) && part->scale >= 0);
}

static bool bit_cell(const struct java_key_part *part, struct cell *out)
{
    struct cursor c = cursor_of(part->bytes);
    out->kind = CELL_UINT;
    out->u = (uint64_t)part->integer;
    if (is_integer(part))
        return part->integer >= 0;
    if (part->kind != JAVA_KEY_BYTES || part->bytes.n > sizeof out->u)
        return false;
    out->u = cursor_be(&c, part->bytes.n);
    return true;
}

/* ---- from Java: text ---- */

/* UTF-8 as the column's own bytes. */
static bool encode(const struct column *col, struct view utf8, struct arena *memory, struct view *out)
{
    struct buf bytes;
    if (col->charset == NULL || col->charset->is_binary)
        return false;
    buf_init(&bytes);
    bool ok = charset_from_utf8(col->charset, utf8, &bytes);
    *out = arena_copy(memory, buf_view(&bytes));
    buf_fini(&bytes);
    return ok;
}

/* ---- from Java: dates and times ---- */

static bool duration_cell(const struct java_key_part *part, struct cell *out)
{
    enum { SECONDS_MAX = 839 * 3600 };
    if (part->kind != JAVA_KEY_DURATION || part->integer < -SECONDS_MAX || part->integer > SECONDS_MAX)
        return false;
    out->kind = CELL_TIME;
    out->i = part->integer * 1000000 + part->nanos / 1000; /* a negative one is its floor and a positive rest */
    return true;
}

static bool timestamp_cell(const struct java_key_part *part, struct cell *out)
{
    const int64_t seconds_max = 253402300800; /* of year 9999 */
    if ((part->kind != JAVA_KEY_TIMESTAMP && part->kind != JAVA_KEY_INSTANT) || part->integer < 0 ||
        part->integer >= seconds_max)
        return false;
    out->kind = CELL_TIMESTAMP;
    out->i = part->integer * 1000000 + part->nanos / 1000;
    return true;
}

static bool date_cell(const struct java_key_part *part, struct cell *out)
{
    out->kind = CELL_DATE;
    out->date = part->date;
    return part->kind == JAVA_KEY_DATE;
}

/* Text as we write it ourselves: YYYY-MM-DD hh:mm:ss.ffffff */
static bool read_date_time(struct view text, struct cell_date *out)
{
    char copy[32];
    unsigned v[7];
    int n = 0;
    if (text.n >= sizeof copy)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    if (sscanf(copy, "%4u-%2u-%2u %2u:%2u:%2u.%6u%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &n) != 7 ||
        (size_t)n != text.n || text.n != 26)
        return false;
    *out = (struct cell_date){(uint16_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3],
                              (uint8_t)v[4],  (uint8_t)v[5], v[6]};
    return true;
}

static bool date_time_cell(const struct java_key_part *part, struct cell *out)
{
    out->kind = CELL_DATETIME;
    out->date = part->date;
    out->date.micro = (uint32_t)part->nanos / 1000;
    if (part->kind == JAVA_KEY_TEXT)
        return read_date_time(part->bytes, &out->date);
    return part->kind == JAVA_KEY_DATE_TIME;
}

/* ---- from Java: a part ---- */

static bool text_cell(const struct column *col, const struct java_key_part *part, struct arena *memory,
                      struct cell *out, struct fail *why)
{
    out->kind = CELL_BYTES;
    if (part->kind != JAVA_KEY_TEXT)
        return refuse_class(col, why);
    return encode(col, part->bytes, memory, &out->bytes) ||
           refuse(col, "the text can't be written in the column's character set here", why);
}

static bool take_cell(const struct column *col, const struct java_key_part *part, struct arena *memory,
                      struct cell *out, struct fail *why)
{
    bool ok = false;
    *out = (struct cell){.kind = CELL_NULL};
    if (part->kind == JAVA_KEY_NULL)
        return true;
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_BIGINT:
        ok = integer_cell(col, part, out);
        break;
    case COLUMN_YEAR:
        ok = year_cell(col, part, out);
        break;
    case COLUMN_DECIMAL:
        ok = decimal_cell(col, part, out);
        break;
    case COLUMN_FLOAT:
    case COLUMN_DOUBLE:
        ok = real_cell(part, out);
        break;
    case COLUMN_BIT:
        ok = bit_cell(part, out);
        break;
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
        return text_cell(col, part, memory, out, why);
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
        out->kind = CELL_BYTES;
        out->bytes = part->bytes;
        ok = part->kind == JAVA_KEY_BYTES;
        break;
    case COLUMN_DATE:
        ok = date_cell(part, out);
        break;
    case COLUMN_TIME:
        ok = duration_cell(part, out);
        break;
    case COLUMN_TIMESTAMP:
        ok = timestamp_cell(part, out);
        break;
    case COLUMN_DATETIME:
        if (part->kind == JAVA_KEY_TIMESTAMP)
            return refuse(col,
                          "the stored key is a java.sql.Timestamp, whose reading depends on the time zone of the "
                          "JVM that wrote it",
                          why);
        ok = date_time_cell(part, out);
        break;
    case COLUMN_ENUM:
        return refuse(col, "Debezium pages an ENUM by its labels, the server orders it by number", why);
    default:
        break;
    }
    return ok || refuse_class(col, why);
}

bool key_text_from_java(const struct chunk_path *path, const struct java_key *key, struct chunk_key *out,
                        struct fail *why)
{
    uint16_t columns[CHUNK_PARTS_MAX];
    struct arena memory;
    chunk_key_set(out, VIEW_NONE);
    if (key->is_null)
        return true;
    if (key->n != path->n)
        return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, 0, "the stored key has %u parts, the table's key has %u",
                        key->n, path->n);
    arena_init(&memory);
    struct cell *cells = arena_zero(&memory, path->shape->n_columns, sizeof *cells);
    bool ok = true;
    for (unsigned i = 0; ok && i < path->n; i++) {
        columns[i] = path->parts[i].column;
        ok = take_cell(&path->shape->columns[columns[i]], &key->parts[i], &memory, &cells[columns[i]], why);
    }
    if (ok)
        chunk_key_print(out, path->shape, columns, path->n, cells);
    arena_fini(&memory);
    return ok;
}

/* ---- to Java ---- */

/* A Long where it fits: the driver binds it to any integer. */
static bool integer_part(struct view text, struct java_key_part *out)
{
    struct cell_decimal d;
    if (!decimal_read(text, 0, &d))
        return false;
    bool is_long = d.is_small && d.limb[0] <= (uint64_t)INT64_MAX + (d.is_negative ? 1 : 0);
    out->kind = is_long ? JAVA_KEY_LONG : JAVA_KEY_BIG_INTEGER;
    out->integer = is_long ? (int64_t)(d.is_negative ? 0 - d.limb[0] : d.limb[0]) : 0;
    out->decimal = d;
    return true;
}

static bool decimal_part(const struct column *col, struct view text, struct java_key_part *out)
{
    out->kind = JAVA_KEY_BIG_DECIMAL;
    out->scale = (int32_t)col->scale;
    return decimal_read(text, col->scale, &out->decimal);
}

static bool real_part(struct view text, struct java_key_part *out)
{
    char copy[64];
    char *end;
    if (text.n == 0 || text.n >= sizeof copy)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    out->kind = JAVA_KEY_DOUBLE;
    out->real = strtod(copy, &end);
    return *end == '\0';
}

static bool bit_part(const struct column *col, struct view text, struct arena *memory, struct java_key_part *out)
{
    struct cell_decimal d;
    if (!decimal_read(text, 0, &d) || !d.is_small)
        return false;
    if (col->length <= 1) {
        out->kind = JAVA_KEY_BOOLEAN;
        out->integer = d.limb[0] != 0;
        return true;
    }
    size_t n = (col->length + BITS_PER_BYTE - 1) / BITS_PER_BYTE;
    uint8_t *bytes = arena_alloc(memory, n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(d.limb[0] >> BITS_PER_BYTE * (n - 1 - i));
    out->kind = JAVA_KEY_BYTES;
    out->bytes = (struct view){bytes, n};
    return true;
}

/* Not when it has something without a character: the text would be another. */
static bool text_part(const struct column *col, struct view bytes, struct arena *memory, struct java_key_part *out)
{
    struct buf utf8;
    struct view back;
    buf_init(&utf8);
    charset_to_utf8(col->charset, bytes, &utf8);
    out->kind = JAVA_KEY_TEXT;
    out->bytes = arena_copy(memory, buf_view(&utf8));
    buf_fini(&utf8);
    if (encode(col, out->bytes, memory, &back))
        return view_equal(back, bytes);
    return memmem(out->bytes.p, out->bytes.n, "\xef\xbf\xbd", 3) == NULL;
}

static bool date_part(struct view text, struct java_key_part *out)
{
    struct buf whole;
    buf_init(&whole);
    buf_put_view(&whole, text);
    buf_put_literal(&whole, " 00:00:00.000000");
    bool ok = text.n == 10 && read_date_time(buf_view(&whole), &out->date) && temporal_day_exists(&out->date);
    buf_fini(&whole);
    out->kind = JAVA_KEY_DATE;
    return ok;
}

/* [-]hh:mm:ss.ffffff, hours up to 838 */
static bool duration_part(struct view text, struct java_key_part *out)
{
    char copy[32];
    unsigned h;
    unsigned m;
    unsigned s;
    unsigned micro;
    int n = 0;
    bool is_negative = text.n > 0 && text.p[0] == '-';
    if (text.n >= sizeof copy)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    if (sscanf(copy + is_negative, "%3u:%2u:%2u.%6u%n", &h, &m, &s, &micro, &n) != 4 ||
        (size_t)n + is_negative != text.n)
        return false;
    out->kind = JAVA_KEY_DURATION;
    out->integer = (int64_t)h * 3600 + m * 60 + s;
    out->nanos = (int32_t)micro * 1000;
    if (!is_negative)
        return true;
    out->integer = -out->integer - (micro > 0 ? 1 : 0);
    out->nanos = micro > 0 ? 1000000000 - out->nanos : 0;
    return true;
}

static bool timestamp_part(struct view text, struct java_key_part *out)
{
    struct cell_date date;
    if (!read_date_time(text, &date) || !temporal_day_exists(&date))
        return false;
    int64_t micros = temporal_epoch_micros(&date);
    out->kind = JAVA_KEY_TIMESTAMP;
    out->integer = micros / 1000000;
    out->nanos = (int32_t)(micros % 1000000) * 1000;
    return micros > 0;
}

static bool put_part(const struct column *col, const struct chunk_key_value *value, struct arena *memory,
                     struct java_key_part *out)
{
    *out = (struct java_key_part){.kind = JAVA_KEY_NULL};
    if (value->is_null)
        return true;
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_BIGINT:
    case COLUMN_YEAR:
        return integer_part(value->bytes, out);
    case COLUMN_DECIMAL:
        return decimal_part(col, value->bytes, out);
    case COLUMN_FLOAT:
    case COLUMN_DOUBLE:
        return real_part(value->bytes, out);
    case COLUMN_BIT:
        return bit_part(col, value->bytes, memory, out);
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
        return text_part(col, value->bytes, memory, out);
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
        out->kind = JAVA_KEY_BYTES;
        out->bytes = value->bytes;
        return true;
    case COLUMN_DATE:
        return date_part(value->bytes, out);
    case COLUMN_TIME:
        return duration_part(value->bytes, out);
    case COLUMN_DATETIME: /* the driver binds text to it as it stands, whatever the time zone */
        out->kind = JAVA_KEY_TEXT;
        out->bytes = value->bytes;
        return true;
    case COLUMN_TIMESTAMP:
        return timestamp_part(value->bytes, out);
    default:
        return false;
    }
}

bool key_text_to_java(const struct chunk_path *path, struct view text, struct arena *memory, struct java_key *out,
                      struct fail *why)
{
    struct chunk_key_value values[CHUNK_PARTS_MAX];
    *out = (struct java_key){.is_null = text.n == 0, .n = text.n == 0 ? 0 : path->n};
    if (out->is_null)
        return true;
    if (!chunk_key_read(text, path->n, memory, values, why))
        return false;
    for (unsigned i = 0; i < path->n; i++) {
        const struct column *col = &path->shape->columns[path->parts[i].column];
        if (!put_part(col, &values[i], memory, &out->parts[i]))
            return refuse(col, "its value in the stored key has no form that Debezium reads", why);
    }
    return true;
}
