/* SPDX-License-Identifier: Apache-2.0 */
#include "record/moment.h"

#include "base/digits.h"
#include "binlog/temporal.h"

/* ---- readings ---- */

/* Does the reading name a moment? What MySQL stores has a clock that does; the day may not exist. */
static bool is_possible(const struct cell_date *d)
{
    return temporal_day_exists(d) && d->hour < 24 && d->minute < 60 && d->second < 60 && d->micro < 1000000;
}

static int64_t floor_ms(int64_t micros)
{
    return micros / 1000 - (micros % 1000 < 0 ? 1 : 0);
}

/* What to do with a reading: write it, write if_none for it, or fail. */
enum reading { READING_GOOD, READING_ZERO, READING_IMPOSSIBLE };

static inline enum reading read_date(const struct step *s, const struct cell *c, enum cell_kind kind,
                                     struct cell_date *date)
{
    if (c->kind != kind)
        return READING_IMPOSSIBLE;
    if (temporal_has_zero_part(&c->date))
        return READING_ZERO;
    *date = c->date;
    if (!is_possible(date))
        return READING_IMPOSSIBLE;
    if (date->year >= 100 || !s->adjusts_years)
        return READING_GOOD;
    date->year = (uint16_t)(date->year + (date->year < 70 ? 2000 : 1900)); /* two digits are meant for 1970 to 2069 */
    return is_possible(date) ? READING_GOOD : READING_IMPOSSIBLE;
}

/* What the writer of a reading that is not good does and returns. */
static bool put_none(const struct step *s, enum reading reading, struct buf *out)
{
    if (reading == READING_ZERO)
        buf_put_view(out, s->if_none);
    return reading == READING_ZERO;
}

/* ---- text; a TIMESTAMP is in many tables, so its digits are put without a call for each pair ---- */

static uint8_t *put2(uint8_t *p, unsigned v)
{
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
        "44454647484950515253545556575859606162636465666768697071727374757677787980818283848586878"
        "8899091929394959697989900";
    memcpy(p, pairs + 2 * (v % 100), 2);
    return p + 2;
}

static uint8_t *put_date(uint8_t *p, const struct cell_date *d)
{
    p = put2(put2(p, d->year / 100u), d->year % 100u);
    *p++ = '-';
    p = put2(p, d->month);
    *p++ = '-';
    return put2(p, d->day);
}

static uint8_t *put_clock(uint8_t *p, unsigned hour, unsigned minute, unsigned second)
{
    p = put2(p, hour);
    *p++ = ':';
    p = put2(p, minute);
    *p++ = ':';
    return put2(p, second);
}

/* The point and so many of the six digits; nothing for none. */
static uint8_t *put_fraction(uint8_t *p, uint32_t micro, unsigned digits)
{
    if (digits == 0)
        return p;
    uint8_t all[6];
    put2(put2(put2(all, micro / 10000), micro / 100 % 100), micro % 100);
    *p++ = '.';
    memcpy(p, all, digits);
    return p + digits;
}

/* How many digits are left when the zeros at the end go. */
static unsigned short_digits(uint32_t micro)
{
    unsigned digits = micro == 0 ? 0 : 6;
    for (; digits > 0 && micro % 10 == 0; micro /= 10)
        digits--;
    return digits;
}

enum { MOMENT_BYTES = 40 }; /* room for any of the texts here */

/* "2026-08-04T09:50:22.5Z" in quotes. */
static void put_instant(struct buf *out, const struct cell_date *d, unsigned digits)
{
    buf_need(out, MOMENT_BYTES);
    uint8_t *p = out->p;
    *p++ = '"';
    p = put_date(p, d);
    *p++ = 'T';
    p = put_clock(p, d->hour, d->minute, d->second);
    p = put_fraction(p, d->micro, digits);
    *p++ = 'Z';
    *p++ = '"';
    out->p = p;
}

/* ---- DATE ---- */

static bool write_date_days(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATE, &date);
    if (reading != READING_GOOD)
        return put_none(s, reading, out);
    digits_put_i64(out, temporal_epoch_days(&date));
    return true;
}

static bool write_date_iso(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATE, &date);
    if (reading != READING_GOOD)
        return put_none(s, reading, out);
    buf_need(out, MOMENT_BYTES);
    *out->p++ = '"';
    out->p = put_date(out->p, &date);
    buf_put_literal(out, "Z\"");
    return true;
}

/* ---- DATETIME ---- */

static bool write_datetime_ms(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATETIME, &date);
    if (reading != READING_GOOD)
        return put_none(s, reading, out);
    digits_put_i64(out, floor_ms(temporal_epoch_micros(&date)));
    return true;
}

static bool write_datetime_micros(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATETIME, &date);
    if (reading != READING_GOOD)
        return put_none(s, reading, out);
    digits_put_i64(out, temporal_epoch_micros(&date));
    return true;
}

/* 64 bits of nanoseconds end in 1677 and 2262. */
static bool write_datetime_nanos(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATETIME, &date);
    if (reading != READING_GOOD)
        return put_none(s, reading, out);
    int64_t nanos;
    if (!temporal_epoch_nanos(&date, &nanos))
        return false;
    digits_put_i64(out, nanos);
    return true;
}

static bool write_datetime_iso(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATETIME, &date);
    if (reading != READING_GOOD)
        return put_none(s, reading, out);
    put_instant(out, &date, short_digits(date.micro));
    return true;
}

/* ---- TIME ---- */

static bool write_time_micros(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_TIME)
        return false;
    digits_put_i64(out, c->i);
    return true;
}

static bool write_time_nanos(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (c->kind != CELL_TIME)
        return false;
    digits_put_i64(out, c->i * 1000);
    return true;
}

/* A time of day; the one midnight at its end is let pass. */
static bool is_in_day(const struct cell *c)
{
    return c->kind == CELL_TIME && c->i >= 0 && c->i <= TEMPORAL_DAY_US;
}

static bool write_time_ms(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (!is_in_day(c))
        return false;
    digits_put_i64(out, c->i / 1000);
    return true;
}

/* 04:05:11.789 of a count since midnight. */
static uint8_t *put_time_of_day(uint8_t *p, int64_t micros, unsigned digits)
{
    unsigned seconds = (unsigned)(micros / 1000000);
    p = put_clock(p, seconds / 3600, seconds / 60 % 60, seconds % 60);
    return put_fraction(p, (uint32_t)(micros % 1000000), digits);
}

static bool write_time_iso(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (!is_in_day(c))
        return false;
    int64_t micros = c->i % TEMPORAL_DAY_US;
    buf_need(out, MOMENT_BYTES);
    *out->p++ = '"';
    out->p = put_time_of_day(out->p, micros, short_digits((uint32_t)(micros % 1000000)));
    buf_put_literal(out, "Z\"");
    return true;
}

/* ---- TIMESTAMP ---- */

static bool write_timestamp(const struct step *s, const struct cell *c, struct buf *out)
{
    if (c->kind != CELL_TIMESTAMP)
        return false;
    if (c->i == 0) {
        buf_put_view(out, s->if_none);
        return true;
    }
    struct cell_date date = temporal_of_micros(c->i);
    put_instant(out, &date, s->fsp);
    return true;
}

/* ---- headers: Connect's Date, Time and Timestamp are a java.util.Date there, printed by its size ---- */

static void put_java_date(struct buf *out, int64_t ms)
{
    int64_t day_ms = TEMPORAL_DAY_US / 1000;
    int64_t of_day = (ms % day_ms + day_ms) % day_ms;
    bool has_date = ms >= day_ms, has_clock = ms < day_ms || of_day != 0;
    buf_need(out, MOMENT_BYTES);
    if (has_date) {
        struct cell_date date = temporal_of_micros(ms * 1000);
        out->p = put_date(out->p, &date);
    }
    if (has_date && has_clock)
        *out->p++ = 'T';
    if (has_clock) {
        out->p = put_time_of_day(out->p, of_day * 1000, 3);
        *out->p++ = 'Z';
    }
}

static bool put_none_header(const struct step *s, enum reading reading, struct buf *out)
{
    if (reading == READING_ZERO)
        buf_put_view(out, s->header_if_none);
    return reading == READING_ZERO;
}

static bool write_date_header(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATE, &date);
    if (reading != READING_GOOD)
        return put_none_header(s, reading, out);
    put_java_date(out, temporal_epoch_days(&date) * (TEMPORAL_DAY_US / 1000));
    return true;
}

static bool write_datetime_header(const struct step *s, const struct cell *c, struct buf *out)
{
    struct cell_date date;
    enum reading reading = read_date(s, c, CELL_DATETIME, &date);
    if (reading != READING_GOOD)
        return put_none_header(s, reading, out);
    put_java_date(out, floor_ms(temporal_epoch_micros(&date)));
    return true;
}

static bool write_time_header(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (!is_in_day(c))
        return false;
    put_java_date(out, c->i / 1000);
    return true;
}

/* ---- the types ---- */

static const char epoch_text[] = "\"1970-01-01T00:00:00Z\"";
static const char epoch_header[] = "00:00:00.000Z";

static const struct field_type date_days = {
    .type = "int32", .name = "io.debezium.time.Date", .write = write_date_days, .fallback = "0"};
static const struct field_type date_connect = {.type = "int32",
                                               .name = "org.apache.kafka.connect.data.Date",
                                               .write = write_date_days,
                                               .write_header = write_date_header,
                                               .fallback = "0",
                                               .header_fallback = epoch_header};
static const struct field_type date_iso = {
    .type = "string", .name = "io.debezium.time.IsoDate", .write = write_date_iso, .fallback = "\"1970-01-01Z\""};

static const struct field_type datetime_ms = {
    .type = "int64", .name = "io.debezium.time.Timestamp", .write = write_datetime_ms, .fallback = "0"};
static const struct field_type datetime_micros = {
    .type = "int64", .name = "io.debezium.time.MicroTimestamp", .write = write_datetime_micros, .fallback = "0"};
static const struct field_type datetime_nanos = {
    .type = "int64", .name = "io.debezium.time.NanoTimestamp", .write = write_datetime_nanos, .fallback = "0"};
static const struct field_type datetime_connect = {.type = "int64",
                                                   .name = "org.apache.kafka.connect.data.Timestamp",
                                                   .write = write_datetime_ms,
                                                   .write_header = write_datetime_header,
                                                   .fallback = "0",
                                                   .header_fallback = epoch_header};
static const struct field_type datetime_iso = {
    .type = "string", .name = "io.debezium.time.IsoTimestamp", .write = write_datetime_iso, .fallback = epoch_text};

static const struct field_type time_micros = {
    .type = "int64", .name = "io.debezium.time.MicroTime", .write = write_time_micros, .fallback = "0"};
static const struct field_type time_nanos = {
    .type = "int64", .name = "io.debezium.time.NanoTime", .write = write_time_nanos, .fallback = "0"};
static const struct field_type time_connect = {.type = "int32",
                                               .name = "org.apache.kafka.connect.data.Time",
                                               .write = write_time_ms,
                                               .write_header = write_time_header,
                                               .fallback = "0",
                                               .header_fallback = epoch_header};
static const struct field_type time_iso = {
    .type = "string", .name = "io.debezium.time.IsoTime", .write = write_time_iso, .fallback = "\"00:00:00Z\""};

static const struct field_type timestamp_zoned = {
    .type = "string", .name = "io.debezium.time.ZonedTimestamp", .write = write_timestamp, .fallback = epoch_text};

/* Rows in the order of enum time_mode. */
static const struct field_type *const date_types[] = {&date_days, &date_connect, &date_iso, &date_days, &date_days};
static const struct field_type *const time_types[] = {&time_micros, &time_connect, &time_iso, &time_micros,
                                                      &time_nanos};
static const struct field_type *const datetime_types[] = {&datetime_micros, &datetime_connect, &datetime_iso,
                                                          &datetime_micros, &datetime_nanos};

const struct field_type *moment_type(const struct column *col, enum time_mode mode)
{
    switch (col->kind) {
    case COLUMN_DATE:
        return date_types[mode];
    case COLUMN_TIME:
        return time_types[mode];
    case COLUMN_DATETIME:
        return mode == TIME_ADAPTIVE_MICROS && col->fsp <= 3 ? &datetime_ms : datetime_types[mode];
    default:
        return &timestamp_zoned;
    }
}
