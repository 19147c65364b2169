/* SPDX-License-Identifier: Apache-2.0 */
#include "record/literal.h"

#include "base/ascii.h"
#include "binlog/decimal.h"
#include "binlog/temporal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static enum literal_result found(bool is_good)
{
    return is_good ? LITERAL_CELL : LITERAL_BAD;
}

/* ---- numbers ---- */

/* The bytes of 0x4142 or x'4142'; an odd number of digits has a 0 before it. */
static bool read_hex(struct view text, struct arena *memory, struct view *out)
{
    size_t n = (text.n + 1) / 2;
    uint8_t *bytes = arena_zero(memory, n, 1);
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i] | 0x20;
        bool is_letter = c >= 'a' && c <= 'f';
        if (!is_letter && !ascii_is_digit(text.p[i]))
            return false;
        size_t at = i + text.n % 2;
        bytes[at / 2] |= (uint8_t)((is_letter ? c - 'a' + 10 : c - '0') << (at % 2 == 0 ? 4 : 0));
    }
    *out = (struct view){bytes, n};
    return true;
}

/* The bytes of b'01000001'. */
static bool read_bits(struct view text, struct arena *memory, struct view *out)
{
    size_t n = (text.n + 7) / 8;
    uint8_t *bytes = arena_zero(memory, n, 1);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '0' && text.p[i] != '1')
            return false;
        size_t from_right = text.n - 1 - i;
        bytes[n - 1 - from_right / 8] |= (uint8_t)((text.p[i] - '0') << from_right % 8);
    }
    *out = (struct view){bytes, n};
    return true;
}

/* Hex and bit literals as bytes. */
static bool read_raw(const struct column *col, struct arena *memory, struct view *out)
{
    return col->default_kind == DEFAULT_HEX ? read_hex(col->default_text, memory, out)
                                            : read_bits(col->default_text, memory, out);
}

static bool bytes_to_number(struct view bytes, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < bytes.n; i++) {
        if (*out >> 56 != 0)
            return false;
        *out = *out << 8 | bytes.p[i];
    }
    return true;
}

/* TRUE and FALSE stand for numbers. */
static struct view number_text(const struct column *col)
{
    if (!col->default_is_quoted && view_equal_nocase(col->default_text, view_of("true")))
        return view_of("1");
    if (!col->default_is_quoted && view_equal_nocase(col->default_text, view_of("false")))
        return view_of("0");
    return col->default_text;
}

/* The default as a number of scale digits behind the point. */
static bool read_decimal(const struct column *col, struct arena *memory, unsigned scale, struct cell_decimal *out)
{
    if (col->default_kind == DEFAULT_LITERAL)
        return decimal_read(number_text(col), scale, out);
    struct view bytes;
    uint64_t number;
    if (!read_raw(col, memory, &bytes) || !bytes_to_number(bytes, &number))
        return false;
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, number);
    return decimal_read((struct view){(const uint8_t *)text, (size_t)n}, scale, out);
}

static enum literal_result read_integer(const struct column *col, struct arena *memory, struct cell *out)
{
    struct cell_decimal d;
    if (!read_decimal(col, memory, 0, &d) || !d.is_small || (col->is_unsigned && d.is_negative))
        return LITERAL_BAD;
    if (col->is_unsigned) {
        *out = (struct cell){.kind = CELL_UINT, .u = d.limb[0]};
        return LITERAL_CELL;
    }
    if (d.limb[0] > (uint64_t)INT64_MAX + (d.is_negative ? 1 : 0))
        return LITERAL_BAD;
    *out = (struct cell){.kind = CELL_INT, .i = (int64_t)(d.is_negative ? 0 - d.limb[0] : d.limb[0])};
    return LITERAL_CELL;
}

/* FLOAT(M,D) and DOUBLE(M,D) keep D digits. Both are doubles in a record: the default is the number that was written, while a
 * row holds the single nearest to it. */
static double rounded_to(double value, unsigned scale)
{
    double whole = floor(value), unit = pow(10, scale);
    return whole + rint((value - whole) * unit) / unit;
}

static enum literal_result read_float(const struct column *col, struct arena *memory, struct cell *out)
{
    double value;
    float single;
    if (col->default_kind == DEFAULT_LITERAL) {
        const char *text = arena_string(memory, ascii_trim(number_text(col)));
        char *end;
        value = strtod(text, &end);
        single = strtof(text, NULL);
        if (end == text || *end != '\0' || !isfinite(value))
            return LITERAL_BAD;
    } else {
        struct cell_decimal whole;
        if (!read_decimal(col, memory, 0, &whole))
            return LITERAL_BAD;
        value = (double)whole.limb[0];
        single = (float)whole.limb[0];
    }
    if (col->has_scale)
        *out = (struct cell){.kind = CELL_DOUBLE, .d = rounded_to(value, col->scale)};
    else if (col->kind == COLUMN_FLOAT)
        *out = (struct cell){.kind = CELL_FLOAT, .f = single};
    else
        *out = (struct cell){.kind = CELL_DOUBLE, .d = value};
    return LITERAL_CELL;
}

/* A quoted text is taken by its bytes, as the server does for BIT. */
static enum literal_result read_bit(const struct column *col, struct arena *memory, struct cell *out)
{
    out->kind = CELL_UINT;
    if (col->default_kind == DEFAULT_LITERAL && !col->default_is_quoted) {
        struct cell_decimal d;
        bool is_good = read_decimal(col, memory, 0, &d) && d.is_small && !d.is_negative;
        out->u = is_good ? d.limb[0] : 0;
        return found(is_good);
    }
    struct view bytes = col->default_text;
    if (col->default_kind != DEFAULT_LITERAL && !read_raw(col, memory, &bytes))
        return LITERAL_BAD;
    return found(bytes_to_number(bytes, &out->u));
}

/* ---- text and bytes ---- */

static enum literal_result read_text(const struct column *col, struct arena *memory, struct cell *out)
{
    *out = (struct cell){.kind = CELL_BYTES, .bytes = number_text(col)};
    if (col->default_kind == DEFAULT_LITERAL)
        return LITERAL_CELL;
    struct view bytes;
    if (!read_raw(col, memory, &bytes))
        return LITERAL_BAD;
    struct buf utf8;
    buf_init(&utf8);
    charset_to_utf8(col->charset, bytes, &utf8);
    out->bytes = arena_copy(memory, buf_view(&utf8));
    buf_fini(&utf8);
    return LITERAL_CELL;
}

/* BINARY(n) is filled up with zero bytes. */
static enum literal_result read_binary(const struct column *col, struct arena *memory, struct cell *out)
{
    struct view bytes = col->default_text;
    if (col->default_kind != DEFAULT_LITERAL && !read_raw(col, memory, &bytes))
        return LITERAL_BAD;
    if (col->kind == COLUMN_BINARY && bytes.n < col->length) {
        uint8_t *padded = arena_zero(memory, col->length, 1);
        if (bytes.n > 0)
            memcpy(padded, bytes.p, bytes.n);
        bytes = (struct view){padded, col->length};
    }
    *out = (struct cell){.kind = CELL_BYTES, .bytes = bytes};
    return LITERAL_CELL;
}

/* The number of a label, from 1; 0 when it is none. */
static uint32_t label_number(const struct column *col, struct view label)
{
    for (uint32_t i = 0; i < col->n_members; i++)
        if (view_equal(col->members[i], label))
            return i + 1;
    for (uint32_t i = 0; i < col->n_members; i++)
        if (view_equal_nocase(col->members[i], label))
            return i + 1;
    return 0;
}

static enum literal_result read_enum(const struct column *col, struct cell *out)
{
    uint32_t number = col->default_kind == DEFAULT_LITERAL ? label_number(col, col->default_text) : 0;
    *out = (struct cell){.kind = CELL_UINT, .u = number};
    return found(number > 0);
}

static enum literal_result read_set(const struct column *col, struct cell *out)
{
    *out = (struct cell){.kind = CELL_UINT};
    struct cursor c = cursor_of(col->default_text);
    while (col->default_kind == DEFAULT_LITERAL && cursor_left(&c) > 0) {
        const uint8_t *comma = memchr(c.p, ',', cursor_left(&c));
        struct view label = cursor_view(&c, comma == NULL ? cursor_left(&c) : (size_t)(comma - c.p));
        cursor_take(&c, comma == NULL ? 0 : 1);
        uint32_t number = label_number(col, label);
        if (number == 0 || number > 64)
            return LITERAL_BAD;
        out->u |= (uint64_t)1 << (number - 1);
    }
    return found(col->default_kind == DEFAULT_LITERAL);
}

/* ---- dates and times ---- */

/* A run of at most max digits as a number; false when there is none. */
static bool take_number(struct cursor *c, unsigned max, unsigned *value, unsigned *n)
{
    *value = 0;
    for (*n = 0; *n < max && cursor_left(c) > 0 && ascii_is_digit(*c->p); (*n)++)
        *value = *value * 10 + (cursor_u8(c) - '0');
    return *n > 0;
}

static bool take_char(struct cursor *c, char wanted)
{
    if (cursor_left(c) == 0 || *c->p != wanted)
        return false;
    c->p++;
    return true;
}

/* .5 as 500000; digits past the sixth round. */
static unsigned take_fraction(struct cursor *c)
{
    unsigned micros = 0, n = 0;
    if (!take_char(c, '.'))
        return 0;
    for (; cursor_left(c) > 0 && ascii_is_digit(*c->p); n++) {
        unsigned digit = cursor_u8(c) - '0';
        if (n < 6)
            micros = micros * 10 + digit;
        else if (n == 6)
            micros += digit >= 5 ? 1 : 0;
    }
    for (; n < 6; n++)
        micros *= 10;
    return micros;
}

static unsigned full_year(unsigned year, unsigned digits)
{
    return digits > 2 ? year : year + (year < 70 ? 2000 : 1900);
}

/* How many digits stand at the cursor. */
static size_t count_digits(const struct cursor *c)
{
    size_t n = 0;
    while (n < cursor_left(c) && ascii_is_digit(c->p[n]))
        n++;
    return n;
}

/* YYYYMMDD, YYMMDD, and with hhmmss behind. */
static bool take_packed(struct cursor *c, size_t digits, unsigned part[6])
{
    if (digits != 6 && digits != 8 && digits != 12 && digits != 14)
        return false;
    unsigned n;
    unsigned year_digits = digits == 8 || digits == 14 ? 4 : 2;
    take_number(c, year_digits, &part[0], &n);
    part[0] = full_year(part[0], year_digits);
    for (unsigned i = 1; i < (digits > 8 ? 6u : 3u); i++)
        take_number(c, 2, &part[i], &n);
    return true;
}

/* 2020-01-02 03:04:05 with any punctuation between. */
static bool take_parts(struct cursor *c, unsigned part[6])
{
    for (unsigned i = 0; i < 6 && cursor_left(c) > 0; i++) {
        unsigned n;
        if (!take_number(c, i == 0 ? 4 : 2, &part[i], &n))
            return false;
        if (i == 0)
            part[0] = full_year(part[0], n);
        bool more = cursor_left(c) > 0 && i < 5 && *c->p != '.' && *c->p != '+' && (*c->p != '-' || i < 3);
        if (!more && i < 2)
            return false;
        if (!more)
            break;
        c->p++;
        while (i == 2 && cursor_left(c) > 0 && ascii_is_blank(*c->p))
            c->p++;
    }
    return true;
}

/* +05:30 in seconds. */
static bool take_offset(struct cursor *c, int *seconds)
{
    *seconds = 0;
    if (cursor_left(c) == 0)
        return true;
    bool is_negative = *c->p == '-';
    unsigned hours, minutes, n;
    if (!take_char(c, '-') && !take_char(c, '+'))
        return false;
    if (!take_number(c, 2, &hours, &n) || !take_char(c, ':') || !take_number(c, 2, &minutes, &n))
        return false;
    *seconds = (int)(hours * 3600 + minutes * 60) * (is_negative ? -1 : 1);
    return true;
}

static uint64_t rounded(uint64_t micros, unsigned fsp)
{
    uint64_t unit = 1;
    for (unsigned i = fsp; i < 6; i++)
        unit *= 10;
    return (micros + unit / 2) / unit * unit;
}

/* A reading in the server's forms; offset is 0 when none stands there. */
static bool read_reading(const struct column *col, struct cell_date *out, int *offset)
{
    struct cursor c = cursor_of(ascii_trim(col->default_text));
    unsigned part[6] = {0};
    size_t digits = count_digits(&c);
    if (digits > 4 ? !take_packed(&c, digits, part) : !take_parts(&c, part))
        return false;
    unsigned micros = take_fraction(&c);
    if (!take_offset(&c, offset) || cursor_left(&c) > 0)
        return false;
    *out = (struct cell_date){
        (uint16_t)part[0], (uint8_t)part[1], (uint8_t)part[2], (uint8_t)part[3], (uint8_t)part[4], (uint8_t)part[5], 0};
    if (temporal_day_exists(out) && col->kind != COLUMN_DATE) /* else there is nothing to round */
        *out = temporal_of_micros(temporal_epoch_micros(out) + (int64_t)rounded(micros, col->fsp));
    return true;
}

static enum literal_result read_date(const struct column *col, struct cell *out)
{
    int offset;
    if (col->default_kind != DEFAULT_LITERAL || !read_reading(col, &out->date, &offset))
        return LITERAL_BAD;
    if (temporal_has_zero_part(&out->date)) {
        out->kind = col->kind == COLUMN_DATE ? CELL_DATE : CELL_DATETIME;
        if (col->kind == COLUMN_TIMESTAMP)
            *out = (struct cell){.kind = CELL_TIMESTAMP, .i = 0};
        return col->is_nullable ? LITERAL_NONE : LITERAL_CELL;
    }
    switch (col->kind) {
    case COLUMN_DATE:
        out->kind = CELL_DATE;
        out->date.hour = out->date.minute = out->date.second = 0;
        out->date.micro = 0;
        return LITERAL_CELL;
    case COLUMN_DATETIME:
        out->kind = CELL_DATETIME;
        return LITERAL_CELL;
    default: {
        if (!temporal_day_exists(&out->date))
            return LITERAL_BAD;
        int64_t micros = temporal_epoch_micros(&out->date) - (int64_t)offset * 1000000;
        *out = (struct cell){.kind = CELL_TIMESTAMP, .i = micros};
        return LITERAL_CELL;
    }
    }
}

/* CURRENT_TIMESTAMP: the epoch, but nothing for a TIMESTAMP that may be NULL. */
static enum literal_result read_now(const struct column *col, struct cell *out)
{
    if (col->kind == COLUMN_TIMESTAMP) {
        *out = (struct cell){.kind = CELL_TIMESTAMP, .i = 0};
        return col->is_nullable ? LITERAL_NONE : LITERAL_CELL;
    }
    *out = (struct cell){.kind = CELL_DATETIME, .date = {.year = 1970, .month = 1, .day = 1}};
    return found(col->kind == COLUMN_DATETIME);
}

/* [D ]h:m[:s], or hhmmss from the right. */
static bool take_time(struct cursor *c, uint64_t *seconds)
{
    unsigned first, n, hours, minutes, rest = 0;
    if (!take_number(c, 9, &first, &n))
        return false;
    uint64_t days = 0;
    if (take_char(c, ' ')) {
        days = first;
        if (!take_number(c, 3, &first, &n))
            return false;
    }
    hours = first;
    if (!take_char(c, ':')) {
        *seconds =
            days > 0 ? days * 86400 + hours * 3600u : first / 10000 * 3600u + first / 100 % 100 * 60u + first % 100;
        return true;
    }
    if (!take_number(c, 2, &minutes, &n))
        return false;
    if (take_char(c, ':') && !take_number(c, 2, &rest, &n))
        return false;
    *seconds = days * 86400 + hours * 3600u + minutes * 60u + rest;
    return minutes < 60 && rest < 60;
}

static enum literal_result read_time(const struct column *col, struct cell *out)
{
    if (col->default_kind != DEFAULT_LITERAL)
        return LITERAL_BAD;
    struct cursor c = cursor_of(ascii_trim(col->default_text));
    bool is_negative = take_char(&c, '-');
    uint64_t seconds;
    if (!take_time(&c, &seconds))
        return LITERAL_BAD;
    uint64_t micros = seconds * 1000000 + rounded(take_fraction(&c), col->fsp);
    if (cursor_left(&c) > 0)
        return LITERAL_BAD;
    *out = (struct cell){.kind = CELL_TIME, .i = is_negative ? -(int64_t)micros : (int64_t)micros};
    return LITERAL_CELL;
}

/* One or two digits are meant for 1970 to 2069, except for the number 0. */
static enum literal_result read_year(const struct column *col, struct arena *memory, struct cell *out)
{
    struct cell_decimal d;
    if (!read_decimal(col, memory, 0, &d) || d.is_negative || !d.is_small || d.limb[0] > 2155)
        return LITERAL_BAD;
    int64_t year = (int64_t)d.limb[0];
    bool is_zero = year == 0 && (!col->default_is_quoted || ascii_trim(col->default_text).n == 4);
    if (!is_zero && year < 100)
        year += year < 70 ? 2000 : 1900;
    *out = (struct cell){.kind = CELL_INT, .i = year};
    return LITERAL_CELL;
}

/* ---- by type ---- */

static enum literal_result read_by_type(const struct column *col, struct arena *memory, struct cell *out)
{
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_BIGINT:
        return read_integer(col, memory, out);
    case COLUMN_DECIMAL:
        out->kind = CELL_DECIMAL;
        return found(read_decimal(col, memory, col->scale, &out->decimal));
    case COLUMN_FLOAT:
    case COLUMN_DOUBLE:
        return read_float(col, memory, out);
    case COLUMN_BIT:
        return read_bit(col, memory, out);
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
    case COLUMN_TEXT:
        return read_text(col, memory, out);
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
    case COLUMN_BLOB:
        return read_binary(col, memory, out);
    case COLUMN_DATE:
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP:
        return read_date(col, out);
    case COLUMN_TIME:
        return read_time(col, out);
    case COLUMN_YEAR:
        return read_year(col, memory, out);
    case COLUMN_ENUM:
        return read_enum(col, out);
    case COLUMN_SET:
        return read_set(col, out);
    case COLUMN_JSON:
    case COLUMN_GEOMETRY:
    case COLUMN_VECTOR:
        break; /* the server allows them expressions only */
    }
    return LITERAL_BAD;
}

enum literal_result literal_default(const struct column *col, struct arena *memory, struct cell *out)
{
    *out = (struct cell){.kind = CELL_NULL};
    switch (col->default_kind) {
    case DEFAULT_NONE:
    case DEFAULT_NULL:
    case DEFAULT_EXPRESSION:
        return LITERAL_NONE;
    case DEFAULT_NOW:
        return read_now(col, out);
    case DEFAULT_LITERAL:
    case DEFAULT_BITS:
    case DEFAULT_HEX:
        break;
    }
    return read_by_type(col, memory, out);
}
