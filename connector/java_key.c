/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/java_key.h"

#include "connector/java_stream.h"

enum { LIMB_BYTES = 8, LIMBS = 4, NANOS = 1000000000 };

/* ---- reading: one value ---- */

/* What a class of java.lang holds in its field "value". */
struct boxed {
    const char *class;
    char type;
    uint8_t bits;
    enum java_key_kind kind;
};

static const struct boxed all_boxed[] = {
    {"java.lang.Boolean", 'Z', 8, JAVA_KEY_BOOLEAN}, {"java.lang.Byte", 'B', 8, JAVA_KEY_BYTE},
    {"java.lang.Short", 'S', 16, JAVA_KEY_SHORT},    {"java.lang.Integer", 'I', 32, JAVA_KEY_INTEGER},
    {"java.lang.Long", 'J', 64, JAVA_KEY_LONG},      {"java.lang.Float", 'F', 32, JAVA_KEY_FLOAT},
    {"java.lang.Double", 'D', 64, JAVA_KEY_DOUBLE},
};

static int64_t sign_extend(uint64_t v, unsigned bits)
{
    unsigned shift = 64 - bits;
    return (int64_t)(v << shift) >> shift;
}

static void take_bits(const struct boxed *b, uint64_t v, struct java_key_part *out)
{
    uint32_t low = (uint32_t)v;
    float single;
    switch (b->kind) {
    case JAVA_KEY_FLOAT:
        memcpy(&single, &low, sizeof single);
        out->real = (double)single;
        return;
    case JAVA_KEY_DOUBLE:
        memcpy(&out->real, &v, sizeof out->real);
        return;
    case JAVA_KEY_BOOLEAN:
        out->integer = v != 0;
        return;
    default:
        out->integer = sign_extend(v, b->bits);
        return;
    }
}

static bool take_boxed(const struct java_value *v, struct java_key_part *out)
{
    for (size_t i = 0; i < sizeof all_boxed / sizeof *all_boxed; i++) {
        const struct boxed *b = &all_boxed[i];
        if (!view_is(v->class->name, b->class))
            continue;
        const struct java_part *part = java_value_part(v, b->class);
        const struct java_slot *slot = java_part_slot(part, "value");
        out->kind = b->kind;
        if (slot == NULL || slot->value != NULL)
            return false;
        take_bits(b, slot->bits, out);
        return true;
    }
    return false;
}

/* 256 bits hold every number of MySQL. */
static bool take_magnitude(struct view bytes, struct cell_decimal *out)
{
    while (bytes.n > 0 && *bytes.p == 0) {
        bytes.p++;
        bytes.n--;
    }
    if (bytes.n > LIMBS * LIMB_BYTES)
        return false;
    for (size_t i = 0; i < bytes.n; i++) {
        size_t at = bytes.n - 1 - i;
        out->limb[i / LIMB_BYTES] |= (uint64_t)bytes.p[at] << 8 * (i % LIMB_BYTES);
    }
    out->is_small = (out->limb[1] | out->limb[2] | out->limb[3]) == 0;
    return true;
}

static bool is_zero(const struct cell_decimal *d)
{
    return (d->limb[0] | d->limb[1] | d->limb[2] | d->limb[3]) == 0;
}

static bool take_big_integer(const struct java_value *v, struct java_key_part *out)
{
    const struct java_part *part = java_value_part(v, "java.math.BigInteger");
    const struct java_slot *signum = part == NULL ? NULL : java_part_slot(part, "signum");
    const struct java_slot *magnitude = part == NULL ? NULL : java_part_slot(part, "magnitude");
    if (signum == NULL || magnitude == NULL || magnitude->value == NULL || magnitude->value->kind != JAVA_BYTES)
        return false;
    out->kind = JAVA_KEY_BIG_INTEGER;
    if (!take_magnitude(magnitude->value->bytes, &out->decimal))
        return false;
    out->decimal.is_negative = sign_extend(signum->bits, 32) < 0 && !is_zero(&out->decimal);
    return true;
}

static bool take_big_decimal(const struct java_value *v, struct java_key_part *out)
{
    const struct java_part *part = java_value_part(v, "java.math.BigDecimal");
    const struct java_slot *scale = java_part_slot(part, "scale");
    const struct java_slot *value = java_part_slot(part, "intVal");
    if (scale == NULL || value == NULL || value->value == NULL || value->value->kind != JAVA_OBJECT ||
        !take_big_integer(value->value, out))
        return false;
    out->kind = JAVA_KEY_BIG_DECIMAL;
    out->scale = (int32_t)sign_extend(scale->bits, 32);
    return true;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

/* MySQL has no moment so far from 1970, in either direction: some 12,000 years. */
static const int64_t seconds_end = INT64_C(400000000000);

static bool lies_within(int64_t v, int64_t end)
{
    return v > -end && v < end;
}

/* java.util.Date writes its milliseconds as a block; Timestamp's are whole seconds, with the nanoseconds beside them. */
static bool take_millis(const struct java_value *v, struct java_key_part *out)
{
    const struct java_part *date = java_value_part(v, "java.util.Date");
    struct cursor c = cursor_of(date == NULL ? VIEW_NONE : date->block);
    out->integer = (int64_t)cursor_be(&c, 8);
    return !c.bad && lies_within(out->integer, seconds_end * 1000);
}

static bool take_timestamp(const struct java_value *v, struct java_key_part *out)
{
    const struct java_part *part = java_value_part(v, "java.sql.Timestamp");
    const struct java_slot *nanos = java_part_slot(part, "nanos");
    if (nanos == NULL || nanos->bits >= NANOS || !take_millis(v, out))
        return false;
    out->kind = JAVA_KEY_TIMESTAMP;
    out->integer = floor_div(out->integer, 1000);
    out->nanos = (int32_t)nanos->bits;
    return true;
}

static bool take_old_date(const struct java_value *v, enum java_key_kind kind, struct java_key_part *out)
{
    out->kind = kind;
    return take_millis(v, out);
}

/* ---- reading: java.time ---- */

enum { SER_DURATION = 1, SER_INSTANT = 2, SER_LOCAL_DATE = 3, SER_LOCAL_DATE_TIME = 5 };

static bool take_date(struct cursor *c, struct java_key_part *out)
{
    int64_t year = sign_extend(cursor_be(c, 4), 32);
    if (year < 0 || year > 9999)
        return false; /* MySQL has no such year */
    out->date = (struct cell_date){.year = (uint16_t)year};
    out->date.month = cursor_u8(c);
    out->date.day = cursor_u8(c);
    return out->date.month <= 12 && out->date.day <= 31;
}

/* The last part that is not zero is written as its complement, and what follows it is left out; all four come plain. */
static bool take_clock(struct cursor *c, struct java_key_part *out)
{
    uint8_t *const parts[] = {&out->date.hour, &out->date.minute, &out->date.second};
    static const uint8_t ends[] = {24, 60, 60};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        int8_t v = (int8_t)cursor_u8(c);
        bool is_last = v < 0;
        *parts[i] = (uint8_t)(is_last ? ~v : v);
        if (c->bad || *parts[i] >= ends[i])
            return false;
        if (is_last)
            return true;
    }
    uint64_t nanos = cursor_be(c, 4);
    out->nanos = (int32_t)nanos;
    return nanos < NANOS;
}

static bool take_seconds(struct cursor *c, struct java_key_part *out)
{
    out->integer = (int64_t)cursor_be(c, 8);
    uint64_t nanos = cursor_be(c, 4);
    out->nanos = (int32_t)nanos;
    return nanos < NANOS && lies_within(out->integer, seconds_end);
}

static bool take_time(const struct java_value *v, struct java_key_part *out)
{
    struct cursor c = cursor_of(java_value_part(v, "java.time.Ser")->block);
    bool ok = false;
    switch (cursor_u8(&c)) {
    case SER_DURATION:
        out->kind = JAVA_KEY_DURATION;
        ok = take_seconds(&c, out);
        break;
    case SER_INSTANT:
        out->kind = JAVA_KEY_INSTANT;
        ok = take_seconds(&c, out);
        break;
    case SER_LOCAL_DATE:
        out->kind = JAVA_KEY_DATE;
        ok = take_date(&c, out);
        break;
    case SER_LOCAL_DATE_TIME:
        out->kind = JAVA_KEY_DATE_TIME;
        ok = take_date(&c, out) && take_clock(&c, out);
        break;
    default:
        break;
    }
    return ok && !c.bad && cursor_left(&c) == 0;
}

/* ---- reading: the array ---- */

static bool take_object(const struct java_value *v, struct java_key_part *out)
{
    if (view_is(v->class->name, "java.math.BigInteger"))
        return take_big_integer(v, out);
    if (view_is(v->class->name, "java.math.BigDecimal"))
        return take_big_decimal(v, out);
    if (view_is(v->class->name, "java.sql.Timestamp"))
        return take_timestamp(v, out);
    if (view_is(v->class->name, "java.sql.Date"))
        return take_old_date(v, JAVA_KEY_SQL_DATE, out);
    if (view_is(v->class->name, "java.sql.Time"))
        return take_old_date(v, JAVA_KEY_SQL_TIME, out);
    if (view_is(v->class->name, "java.time.Ser"))
        return take_time(v, out);
    return take_boxed(v, out);
}

static bool take_value(const struct java_value *v, struct java_key_part *out, struct fail *why)
{
    *out = (struct java_key_part){.kind = JAVA_KEY_NULL};
    out->bytes = v->bytes;
    switch (v->kind) {
    case JAVA_NULL:
        return true;
    case JAVA_TEXT:
        out->kind = JAVA_KEY_TEXT;
        return true;
    case JAVA_BYTES:
        out->kind = JAVA_KEY_BYTES;
        return true;
    case JAVA_OBJECT:
        if (take_object(v, out))
            return true;
        break;
    case JAVA_ARRAY:
        break;
    }
    return fail_malformed(why, "a value of class %.*s can't be read", VIEW_ARGS(v->class->name));
}

static bool take_array(const struct java_value *v, struct java_key *out, struct fail *why)
{
    out->is_null = v->kind == JAVA_NULL;
    if (out->is_null)
        return true;
    if (v->kind != JAVA_ARRAY || v->n_items > JAVA_KEY_PARTS_MAX)
        return fail_malformed(why, "it is no array of at most %d values", JAVA_KEY_PARTS_MAX);
    out->n = v->n_items;
    for (unsigned i = 0; i < out->n; i++)
        if (!take_value(v->items[i], &out->parts[i], why))
            return false;
    return true;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(struct view hex, struct arena *memory, struct view *out)
{
    uint8_t *bytes = arena_alloc(memory, hex.n / 2 + 1);
    *out = (struct view){bytes, hex.n / 2};
    for (size_t i = 0; i < hex.n / 2; i++) {
        int high = hex_digit(hex.p[2 * i]);
        int low = hex_digit(hex.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return hex.n % 2 == 0;
}

bool java_key_decode(struct view hex, struct arena *memory, struct java_key *out, struct fail *why)
{
    const struct java_value *value;
    struct view bytes;
    *out = (struct java_key){.n = 0};
    if (!read_hex(hex, memory, &bytes))
        return fail_malformed(why, "a snapshot's key is not in hex");
    return (java_stream_read(bytes, memory, &value, why) && take_array(value, out, why)) ||
           fail_add(why, "read a snapshot's key");
}
