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

/* Years of two digits are meant for 1970 to 2069. */
static inline struct cell_date adjusted(const struct step *s, const struct cell_date *d)
{
    struct cell_date date = *d;
    if (s->adjusts_years && d->year < 100)
        date.year = (uint16_t)(d->year + (d->year < 70 ? 2000 : 1900));
    return date;
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
    *date = adjusted(s, &c->date);
    return is_possible(&c->date) && is_possible(date) ? READING_GOOD : READING_IMPOSSIBLE;
}

/* What the writer of a reading that is not good does and returns. */
static bool put_none(const struct step *s, enum reading reading, struct buf *out)
{
    if (reading == READING_ZERO)
        buf_put_view(out, s->if_none);
    return reading == READING_ZERO;
}

/* "2026-08-04T09:50:22.5Z" in quotes; all fraction digits of fsp, or with fsp -1 the fewest. */
static void put_instant(struct buf *out, const struct cell_date *d, int fsp)
{
    buf_put_u8(out, '"');
    temporal_put_date(out, d);
    buf_put_u8(out, 'T');
    temporal_put_clock(out, d->hour, d->minute, d->second);
    if (fsp < 0)
        temporal_put_short_fraction(out, d->micro);
    else
        temporal_put_fraction(out, d->micro, (unsigned)fsp);
    buf_put_literal(out, "Z\"");
}

/* 04:05:11 of a count since midnight. */
static void put_clock(struct buf *out, int64_t micros)
{
    unsigned seconds = (unsigned)(micros / 1000000);
    temporal_put_clock(out, seconds / 3600, seconds / 60 % 60, seconds % 60);
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
    buf_put_u8(out, '"');
    temporal_put_date(out, &date);
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
    put_instant(out, &date, -1);
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

static bool write_time_iso(const struct step *s, const struct cell *c, struct buf *out)
{
    (void)s;
    if (!is_in_day(c))
        return false;
    int64_t micros = c->i % TEMPORAL_DAY_US;
    buf_put_u8(out, '"');
    put_clock(out, micros);
    temporal_put_short_fraction(out, (uint32_t)(micros % 1000000));
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
    if (has_date) {
        struct cell_date date = temporal_of_micros(ms * 1000);
        temporal_put_date(out, &date);
    }
    if (has_date && has_clock)
        buf_put_u8(out, 'T');
    if (has_clock) {
        put_clock(out, of_day * 1000);
        temporal_put_fraction(out, (uint32_t)(of_day % 1000) * 1000, 3);
        buf_put_u8(out, 'Z');
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
