/* SPDX-License-Identifier: Apache-2.0 */
/* The writing half of java_key.h. Each use of a class has its whole description: Java reads that too. */
#include "base/utf8.h"
#include "connector/java_key.h"

enum { LIMB_BYTES = 8, LIMBS = 4, SER_DURATION = 1, SER_INSTANT = 2, SER_LOCAL_DATE = 3, SER_LOCAL_DATE_TIME = 5 };

static void put_be(struct buf *b, uint64_t v, unsigned n)
{
    for (unsigned i = n; i-- > 0;)
        buf_put_u8(b, (uint8_t)(v >> 8 * i));
}

static void put_name(struct buf *b, const char *text)
{
    put_be(b, strlen(text), 2);
    buf_put_text(b, text);
}

/* 72, a class: its fields as they stand in the stream. What follows is its superclass. */
struct class_text {
    const char *name;
    uint64_t uid;
    uint8_t flags;
    uint16_t n_fields;
    const char *fields; /* as they stand in the stream */
    size_t n_bytes;
};

static void put_class(struct buf *b, const struct class_text *c)
{
    buf_put_u8(b, 0x72);
    put_name(b, c->name);
    put_be(b, c->uid, 8);
    buf_put_u8(b, c->flags);
    put_be(b, c->n_fields, 2);
    buf_put(b, c->fields, c->n_bytes);
    buf_put_u8(b, 0x78);
}

#define FIELDS(text) text, sizeof text - 1

static const struct class_text number_class = {"java.lang.Number", 0x86ac951d0b94e08b, 2, 0, FIELDS("")};

static const struct class_text boxed_classes[] = {
    /* as JAVA_KEY_BOOLEAN and those behind it */
    {"java.lang.Boolean", 0xcd207280d59cfaee, 2, 1, FIELDS("Z\0\5value")},
    {"java.lang.Byte", 0x9c4e6084ee50f51c, 2, 1, FIELDS("B\0\5value")},
    {"java.lang.Short", 0x684d37133460da52, 2, 1, FIELDS("S\0\5value")},
    {"java.lang.Integer", 0x12e2a0a4f7818738, 2, 1, FIELDS("I\0\5value")},
    {"java.lang.Long", 0x3b8be490cc8f23df, 2, 1, FIELDS("J\0\5value")},
    {"java.lang.Float", 0xdaedc9a2db3cf0ec, 2, 1, FIELDS("F\0\5value")},
    {"java.lang.Double", 0x80b3c24a296bfb04, 2, 1, FIELDS("D\0\5value")},
};

static const struct class_text big_integer_class = {"java.math.BigInteger", 0x8cfc9f1fa93bfb1d, 3, 6,
                                                    FIELDS("I\0\x08"
                                                           "bitCountI\0\x09"
                                                           "bitLengthI\0\x13"
                                                           "firstNonzeroByteNumI\0\x0c"
                                                           "lowestSetBitI\0\x06"
                                                           "signum[\0\x09"
                                                           "magnitudet\0\2[B")};

static const struct class_text big_decimal_class = {"java.math.BigDecimal", 0x54c71557f981284f, 3, 2,
                                                    FIELDS("I\0\5scaleL\0\6intValt\0\x16Ljava/math/BigInteger;")};

static const struct class_text bytes_class = {"[B", 0xacf317f8060854e0, 2, 0, FIELDS("")};
static const struct class_text objects_class = {"[Ljava.lang.Object;", 0x90ce589f1073296c, 2, 0, FIELDS("")};
static const struct class_text timestamp_class = {"java.sql.Timestamp", 0x2618d5c80153bf65, 2, 1, FIELDS("I\0\5nanos")};
static const struct class_text sql_date_class = {"java.sql.Date", 0x14fa46683f356697, 2, 0, FIELDS("")};
static const struct class_text sql_time_class = {"java.sql.Time", 0x74894a0dd932c471, 2, 0, FIELDS("")};
static const struct class_text util_date_class = {"java.util.Date", 0x686a81014b597419, 3, 0, FIELDS("")};
static const struct class_text ser_class = {"java.time.Ser", 0x955d84ba1b2248b2, 0x0c, 0, FIELDS("")};

static void put_null(struct buf *b)
{
    buf_put_u8(b, 0x70);
}

static void put_array_head(struct buf *b, const struct class_text *c, size_t n)
{
    buf_put_u8(b, 0x75);
    put_class(b, c);
    put_null(b);
    put_be(b, n, 4);
}

static void put_bytes(struct buf *b, struct view bytes)
{
    put_array_head(b, &bytes_class, bytes.n);
    buf_put_view(b, bytes);
}

static void put_unit(struct buf *b, uint32_t unit)
{
    if (unit != 0 && unit < 0x80) {
        buf_put_u8(b, (uint8_t)unit);
    } else if (unit < 0x800) {
        buf_put_u8(b, (uint8_t)(0xc0 | unit >> 6));
        buf_put_u8(b, (uint8_t)(0x80 | (unit & 0x3f)));
    } else {
        buf_put_u8(b, (uint8_t)(0xe0 | unit >> 12));
        buf_put_u8(b, (uint8_t)(0x80 | (unit >> 6 & 0x3f)));
        buf_put_u8(b, (uint8_t)(0x80 | (unit & 0x3f)));
    }
}

static void put_text(struct buf *b, struct view utf8)
{
    struct buf text;
    buf_init(&text);
    for (size_t at = 0; at < utf8.n;) {
        struct utf8_step step = utf8_step(utf8.p + at, utf8.n - at);
        at += step.bytes;
        if (step.code < 0x10000) {
            put_unit(&text, step.code);
        } else {
            put_unit(&text, 0xd800 + ((step.code - 0x10000) >> 10));
            put_unit(&text, 0xdc00 + ((step.code - 0x10000) & 0x3ff));
        }
    }
    bool is_long = buf_size(&text) > UINT16_MAX;
    buf_put_u8(b, is_long ? 0x7c : 0x74);
    put_be(b, buf_size(&text), is_long ? 8 : 2);
    buf_put_view(b, buf_view(&text));
    buf_fini(&text);
}

static void put_number_class(struct buf *b)
{
    put_class(b, &number_class);
    put_null(b);
}

static void put_boxed(struct buf *b, const struct java_key_part *part)
{
    static const uint8_t bytes[] = {1, 1, 2, 4, 8, 4, 8};
    unsigned at = (unsigned)(part->kind - JAVA_KEY_BOOLEAN);
    float single = (float)part->real;
    uint32_t single_bits;
    uint64_t bits = (uint64_t)part->integer;
    memcpy(&single_bits, &single, sizeof single_bits);
    if (part->kind == JAVA_KEY_FLOAT)
        bits = single_bits;
    else if (part->kind == JAVA_KEY_DOUBLE)
        memcpy(&bits, &part->real, sizeof bits);
    buf_put_u8(b, 0x73);
    put_class(b, &boxed_classes[at]);
    if (part->kind == JAVA_KEY_BOOLEAN)
        put_null(b);
    else
        put_number_class(b);
    put_be(b, bits, bytes[at]);
}

static void put_big_integer(struct buf *b, const struct cell_decimal *d)
{
    uint8_t magnitude[LIMBS * LIMB_BYTES];
    size_t n = 0;
    for (unsigned i = LIMBS * LIMB_BYTES; i-- > 0;) {
        uint8_t byte = (uint8_t)(d->limb[i / LIMB_BYTES] >> 8 * (i % LIMB_BYTES));
        if (byte != 0 || n > 0)
            magnitude[n++] = byte;
    }
    buf_put_u8(b, 0x73);
    put_class(b, &big_integer_class);
    put_number_class(b);
    put_be(b, UINT32_MAX, 4); /* bitCount, bitLength: -1, not known */
    put_be(b, UINT32_MAX, 4);
    put_be(b, UINT32_MAX - 1, 4); /* the two after them: -2 */
    put_be(b, UINT32_MAX - 1, 4);
    put_be(b, n == 0 ? 0 : d->is_negative ? UINT32_MAX : 1, 4);
    put_bytes(b, (struct view){magnitude, n});
    buf_put_u8(b, 0x78);
}

static void put_big_decimal(struct buf *b, const struct java_key_part *part)
{
    buf_put_u8(b, 0x73);
    put_class(b, &big_decimal_class);
    put_number_class(b);
    put_be(b, (uint32_t)part->scale, 4);
    put_big_integer(b, &part->decimal);
    buf_put_u8(b, 0x78);
}

/* A class whose ancestor is java.util.Date; its own fields, if any, follow. */
static void put_old_date(struct buf *b, const struct class_text *c, int64_t millis)
{
    buf_put_u8(b, 0x73);
    put_class(b, c);
    put_class(b, &util_date_class);
    put_null(b);
    buf_put_literal(b, "\x77\x08");
    put_be(b, (uint64_t)millis, 8);
    buf_put_u8(b, 0x78);
}

static void put_date(struct buf *b, const struct cell_date *date)
{
    put_be(b, date->year, 4);
    buf_put_u8(b, date->month);
    buf_put_u8(b, date->day);
}

static void put_clock(struct buf *b, const struct java_key_part *part)
{
    const uint8_t parts[] = {part->date.hour, part->date.minute, part->date.second};
    unsigned last = part->nanos != 0 ? 3 : parts[2] != 0 ? 2 : parts[1] != 0 ? 1 : 0;
    for (unsigned i = 0; i < 3 && i <= last; i++)
        buf_put_u8(b, i == last ? (uint8_t)~parts[i] : parts[i]);
    if (last == 3)
        put_be(b, (uint32_t)part->nanos, 4);
}

static void put_seconds(struct buf *b, const struct java_key_part *part)
{
    put_be(b, (uint64_t)part->integer, 8);
    put_be(b, (uint32_t)part->nanos, 4);
}

static void put_time(struct buf *b, const struct java_key_part *part)
{
    struct buf block;
    buf_init(&block);
    switch (part->kind) {
    case JAVA_KEY_DURATION:
        buf_put_u8(&block, SER_DURATION);
        put_seconds(&block, part);
        break;
    case JAVA_KEY_INSTANT:
        buf_put_u8(&block, SER_INSTANT);
        put_seconds(&block, part);
        break;
    case JAVA_KEY_DATE:
        buf_put_u8(&block, SER_LOCAL_DATE);
        put_date(&block, &part->date);
        break;
    default:
        buf_put_u8(&block, SER_LOCAL_DATE_TIME);
        put_date(&block, &part->date);
        put_clock(&block, part);
        break;
    }
    buf_put_u8(b, 0x73);
    put_class(b, &ser_class);
    put_null(b);
    buf_put_u8(b, 0x77);
    buf_put_u8(b, (uint8_t)buf_size(&block));
    buf_put_view(b, buf_view(&block));
    buf_put_u8(b, 0x78);
    buf_fini(&block);
}

static void put_part(struct buf *b, const struct java_key_part *part)
{
    switch (part->kind) {
    case JAVA_KEY_NULL:
        put_null(b);
        break;
    case JAVA_KEY_TEXT:
        put_text(b, part->bytes);
        break;
    case JAVA_KEY_BYTES:
        put_bytes(b, part->bytes);
        break;
    case JAVA_KEY_BOOLEAN:
    case JAVA_KEY_BYTE:
    case JAVA_KEY_SHORT:
    case JAVA_KEY_INTEGER:
    case JAVA_KEY_LONG:
    case JAVA_KEY_FLOAT:
    case JAVA_KEY_DOUBLE:
        put_boxed(b, part);
        break;
    case JAVA_KEY_BIG_INTEGER:
        put_big_integer(b, &part->decimal);
        break;
    case JAVA_KEY_BIG_DECIMAL:
        put_big_decimal(b, part);
        break;
    case JAVA_KEY_TIMESTAMP:
        put_old_date(b, &timestamp_class, part->integer * 1000);
        put_be(b, (uint32_t)part->nanos, 4);
        break;
    case JAVA_KEY_SQL_DATE:
        put_old_date(b, &sql_date_class, part->integer);
        break;
    case JAVA_KEY_SQL_TIME:
        put_old_date(b, &sql_time_class, part->integer);
        break;
    case JAVA_KEY_DATE:
    case JAVA_KEY_DATE_TIME:
    case JAVA_KEY_DURATION:
    case JAVA_KEY_INSTANT:
        put_time(b, part);
        break;
    }
}

void java_key_encode(const struct java_key *key, struct buf *out)
{
    static const char digits[] = "0123456789abcdef";
    struct buf bytes;
    buf_init(&bytes);
    buf_put_literal(&bytes, "\xac\xed\0\5");
    if (key->is_null)
        put_null(&bytes);
    else
        put_array_head(&bytes, &objects_class, key->n);
    for (unsigned i = 0; i < key->n; i++)
        put_part(&bytes, &key->parts[i]);
    for (const uint8_t *p = bytes.start; p < bytes.p; p++) {
        buf_put_u8(out, (uint8_t)digits[*p >> 4]);
        buf_put_u8(out, (uint8_t)digits[*p & 15]);
    }
    buf_fini(&bytes);
}
