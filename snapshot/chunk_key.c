/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/chunk_key.h"

#include "base/digits.h"
#include "binlog/decimal.h"
#include "record/json.h"
#include "record/number.h"

#include <stdlib.h>

/* ---- printing ---- */

static void put_hex(struct buf *out, struct view bytes)
{
    static const char digits[] = "0123456789abcdef";
    buf_put_literal(out, "{\"hex\":\"");
    for (size_t i = 0; i < bytes.n; i++) {
        buf_put_u8(out, (uint8_t)digits[bytes.p[i] >> 4]);
        buf_put_u8(out, (uint8_t)digits[bytes.p[i] & 15]);
    }
    buf_put_literal(out, "\"}");
}

/* Text that is plain ASCII stands as a string, whatever its charset is a superset of; all else by its bytes, so that
 * nothing is decoded on the way. */
static bool is_plain(struct view text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] < 0x20 || text.p[i] > 0x7e)
            return false;
    return true;
}

static void put_bytes(struct buf *out, const struct column *col, struct view bytes)
{
    bool is_text = col->charset != NULL && !col->charset->is_binary;
    if (is_text && (col->charset->is_utf8 || col->charset->single != NULL) && is_plain(bytes))
        json_put_string(out, bytes);
    else
        put_hex(out, bytes);
}

static void put_date(struct buf *out, const struct cell *c, bool has_time)
{
    buf_printf(out, "\"%04u-%02u-%02u", c->date.year, c->date.month, c->date.day);
    if (has_time)
        buf_printf(out, " %02u:%02u:%02u.%06u", c->date.hour, c->date.minute, c->date.second, c->date.micro);
    buf_put_u8(out, '"');
}

static void put_time(struct buf *out, int64_t micros)
{
    uint64_t n = micros < 0 ? (uint64_t)-micros : (uint64_t)micros;
    buf_printf(out, "\"%s%02llu:%02llu:%02llu.%06llu\"", micros < 0 ? "-" : "", (unsigned long long)(n / 3600000000u),
               (unsigned long long)(n / 60000000u % 60), (unsigned long long)(n / 1000000u % 60),
               (unsigned long long)(n % 1000000u));
}

/* Days since 1970 as a date of the proleptic Gregorian calendar; TIMESTAMP ends in 2038 or 3001. */
static void put_timestamp(struct buf *out, int64_t micros)
{
    if (micros == 0) {
        buf_put_literal(out, "\"0000-00-00 00:00:00\"");
        return;
    }
    int64_t seconds = micros / 1000000;
    int64_t z = seconds / 86400 + 719468;
    int64_t era = z / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    int64_t month = mp < 10 ? mp + 3 : mp - 9;
    int64_t rest = seconds % 86400;
    buf_printf(out, "\"%04lld-%02lld-%02lld %02lld:%02lld:%02lld.%06lld\"",
               (long long)(yoe + era * 400 + (month <= 2 ? 1 : 0)), (long long)month,
               (long long)(doy - (153 * mp + 2) / 5 + 1), (long long)(rest / 3600), (long long)(rest / 60 % 60),
               (long long)(rest % 60), (long long)(micros % 1000000));
}

static void put_cell(struct buf *out, const struct column *col, const struct cell *c)
{
    switch (c->kind) {
    case CELL_INT:
        digits_put_i64(out, c->i);
        break;
    case CELL_UINT:
        digits_put_u64(out, c->u);
        break;
    case CELL_FLOAT:
        number_put_double(out, (double)c->f);
        break;
    case CELL_DOUBLE:
        number_put_double(out, c->d);
        break;
    case CELL_DECIMAL:
        decimal_print(&c->decimal, col->scale, out);
        break;
    case CELL_BYTES:
        put_bytes(out, col, c->bytes);
        break;
    case CELL_DATE:
        put_date(out, c, false);
        break;
    case CELL_DATETIME:
        put_date(out, c, true);
        break;
    case CELL_TIME:
        put_time(out, c->i);
        break;
    case CELL_TIMESTAMP:
        put_timestamp(out, c->i);
        break;
    case CELL_ABSENT:
    case CELL_NULL:
    case CELL_JSON:
    case CELL_JSON_TEXT:
        buf_put_literal(out, "null");
        break;
    }
}

void chunk_key_print(struct chunk_key *key, const struct shape *shape, const uint16_t *columns, unsigned n,
                     const struct cell *cells)
{
    struct buf *out = &key->text;
    buf_clear(out);
    buf_put_u8(out, '[');
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        put_cell(out, &shape->columns[columns[i]], &cells[columns[i]]);
    }
    buf_put_u8(out, ']');
}

/* ---- reading ---- */

static bool take(struct cursor *c, const char *literal)
{
    size_t n = strlen(literal);
    if (cursor_left(c) < n || memcmp(c->p, literal, n) != 0)
        return false;
    c->p += n;
    return true;
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(struct cursor *c, struct arena *memory, struct view *out)
{
    const uint8_t *end = memchr(c->p, '"', cursor_left(c));
    if (end == NULL || (end - c->p) % 2 != 0)
        return false;
    size_t n = (size_t)(end - c->p) / 2;
    uint8_t *bytes = arena_alloc(memory, n);
    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(c->p[2 * i]);
        int low = hex_digit(c->p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    c->p = end;
    *out = (struct view){bytes, n};
    return take(c, "\"}");
}

/* Strings are printable ASCII: only the quote and the backslash are escaped in them. */
static bool read_string(struct cursor *c, struct arena *memory, struct view *out)
{
    uint8_t *bytes = arena_alloc(memory, cursor_left(c));
    size_t n = 0;
    while (cursor_left(c) > 0 && *c->p != '"') {
        if (*c->p == '\\')
            c->p++;
        if (cursor_left(c) == 0)
            return false;
        bytes[n++] = *c->p++;
    }
    *out = (struct view){bytes, n};
    return take(c, "\"");
}

static bool read_number(struct cursor *c, struct view *out)
{
    const uint8_t *begin = c->p;
    while (cursor_left(c) > 0 && *c->p != ',' && *c->p != ']')
        c->p++;
    *out = (struct view){begin, (size_t)(c->p - begin)};
    for (size_t i = 0; i < out->n; i++)
        if (strchr("0123456789+-.eE", out->p[i]) == NULL || out->p[i] == '\0')
            return false;
    return out->n > 0;
}

static bool read_value(struct cursor *c, struct arena *memory, struct chunk_key_value *value)
{
    value->is_null = take(c, "null");
    if (value->is_null)
        return true;
    if (take(c, "{\"hex\":\""))
        return read_hex(c, memory, &value->bytes);
    if (take(c, "\""))
        return read_string(c, memory, &value->bytes);
    return read_number(c, &value->bytes);
}

bool chunk_key_read(struct view text, unsigned n, struct arena *memory, struct chunk_key_value *values,
                    struct fail *why)
{
    struct cursor c = cursor_of(text);
    bool ok = take(&c, "[");
    for (unsigned i = 0; ok && i < n; i++)
        ok = (i == 0 || take(&c, ",")) && read_value(&c, memory, &values[i]);
    if (ok && take(&c, "]") && cursor_left(&c) == 0)
        return true;
    return fail_malformed(why, "the stored key %.*s does not have the %u parts of the table's key", VIEW_ARGS(text), n);
}
