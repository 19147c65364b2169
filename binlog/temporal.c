/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/temporal.h"

#include "base/digits.h"

enum {
    MICROS = 1000000,     /* a second */
    HOURS_MAX = 838,      /* TIME goes to 838:59:59 */
    PACKED_FRACTION = 24, /* bits of the microseconds in the packed 64-bit form */
};

static const uint32_t powers[TEMPORAL_FSP_MAX + 1] = {1, 10, 100, 1000, 10000, 100000, 1000000};

static bool are_clock_parts(unsigned minute, unsigned second, uint64_t micro)
{
    return minute < 60 && second < 60 && micro < MICROS;
}

/* ---- TIME ---- */

static bool time_of_parts(bool is_negative, unsigned hour, unsigned minute, unsigned second, uint32_t micro,
                          int64_t *micros)
{
    if (hour > HOURS_MAX || !are_clock_parts(minute, second, micro))
        return false;
    int64_t v = (int64_t)(hour * 3600 + minute * 60 + second) * MICROS + micro;
    *micros = is_negative ? -v : v;
    return true;
}

bool temporal_unpack_time(int64_t packed, int64_t *micros)
{
    uint64_t v = packed < 0 ? 0 - (uint64_t)packed : (uint64_t)packed;
    uint64_t hms = v >> PACKED_FRACTION;
    if (hms >> 22 != 0)
        return false;
    return time_of_parts(packed < 0, (unsigned)(hms >> 12), (unsigned)(hms >> 6 & 63), (unsigned)(hms & 63),
                         (uint32_t)(v & 0xffffff), micros);
}

/* The whole, clock and fraction together, is one number moved up by half its range: so a negative time's fraction
 * counts up from the next lower second, -00:00:00.1 is -1 s + 0.9 s. */
bool temporal_read_time2(struct cursor *c, unsigned fsp, int64_t *micros)
{
    unsigned n = temporal_fraction_bytes(fsp);
    const uint8_t *at = cursor_take(c, 3 + n);
    if (at == NULL)
        return false;
    uint64_t raw = 0;
    for (unsigned i = 0; i < 3 + n; i++)
        raw = raw << 8 | at[i];
    int64_t v = (int64_t)raw - (INT64_C(0x800000) << 8 * n);
    uint64_t magnitude = (uint64_t)(v < 0 ? -v : v);
    uint64_t hms = magnitude >> 8 * n;
    uint32_t fraction = (uint32_t)(magnitude & ((UINT64_C(1) << 8 * n) - 1));
    return time_of_parts(v < 0, (unsigned)(hms >> 12), (unsigned)(hms >> 6 & 63), (unsigned)(hms & 63),
                         fraction * powers[TEMPORAL_FSP_MAX - 2 * n], micros);
}

bool temporal_read_old_time(struct cursor *c, int64_t *micros)
{
    if (cursor_left(c) < 3)
        return false;
    int32_t v = (int32_t)(cursor_u24(c) << 8) >> 8; /* sign of 24 bits */
    uint32_t hms = (uint32_t)(v < 0 ? -v : v);
    return time_of_parts(v < 0, hms / 10000, hms / 100 % 100, hms % 100, 0, micros);
}

/* ---- DATE, DATETIME, TIMESTAMP ---- */

static bool is_reading(const struct cell_date *d)
{
    return d->year <= 9999 && d->month <= 12 && d->day <= 31 && d->hour < 24 &&
           are_clock_parts(d->minute, d->second, d->micro);
}

static bool datetime_of_bits(uint64_t bits, uint32_t micro, struct cell_date *out)
{
    uint64_t year_month = bits >> 22;
    if (year_month >= 10000 * 13)
        return false;
    *out = (struct cell_date){
        .year = (uint16_t)(year_month / 13),
        .month = (uint8_t)(year_month % 13),
        .day = bits >> 17 & 31,
        .hour = bits >> 12 & 31,
        .minute = bits >> 6 & 63,
        .second = bits & 63,
        .micro = micro,
    };
    return is_reading(out);
}

bool temporal_unpack_datetime(int64_t packed, struct cell_date *out)
{
    return packed >= 0 && datetime_of_bits((uint64_t)packed >> PACKED_FRACTION, (uint32_t)(packed & 0xffffff), out);
}

/* A fraction of fsp digits, rounded up to an even number of them, as microseconds. */
static uint32_t read_fraction(const uint8_t *at, unsigned n)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | at[i];
    return n == 3 ? v : v * powers[TEMPORAL_FSP_MAX - 2 * n];
}

bool temporal_read_datetime2(struct cursor *c, unsigned fsp, struct cell_date *out)
{
    unsigned n = temporal_fraction_bytes(fsp);
    const uint8_t *at = cursor_take(c, 5 + n);
    if (at == NULL || (at[0] & 0x80) == 0) /* the sign bit: no server writes a negative DATETIME */
        return false;
    uint64_t bits =
        (uint64_t)(at[0] & 0x7f) << 32 | (uint64_t)at[1] << 24 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 8 | at[4];
    return datetime_of_bits(bits, read_fraction(at + 5, n), out);
}

bool temporal_read_timestamp2(struct cursor *c, unsigned fsp, int64_t *micros)
{
    unsigned n = temporal_fraction_bytes(fsp);
    const uint8_t *at = cursor_take(c, 4 + n);
    if (at == NULL)
        return false;
    uint32_t seconds;
    memcpy(&seconds, at, 4);
    uint32_t micro = read_fraction(at + 4, n);
    *micros = (int64_t)__builtin_bswap32(seconds) * MICROS + micro;
    return micro < MICROS;
}

bool temporal_read_date(struct cursor *c, struct cell_date *out)
{
    if (cursor_left(c) < 3)
        return false;
    uint32_t v = cursor_u24(c);
    *out = (struct cell_date){
        .year = (uint16_t)(v >> 9),
        .month = v >> 5 & 15,
        .day = v & 31,
    };
    return is_reading(out);
}

bool temporal_read_old_datetime(struct cursor *c, struct cell_date *out)
{
    if (cursor_left(c) < 8)
        return false;
    uint64_t v = cursor_u64(c); /* yyyymmddhhmmss */
    if (v > UINT64_C(99991231235959))
        return false;
    uint32_t date = (uint32_t)(v / 1000000), clock = (uint32_t)(v % 1000000);
    *out = (struct cell_date){
        .year = (uint16_t)(date / 10000),
        .month = (uint8_t)(date / 100 % 100),
        .day = (uint8_t)(date % 100),
        .hour = (uint8_t)(clock / 10000),
        .minute = (uint8_t)(clock / 100 % 100),
        .second = (uint8_t)(clock % 100),
    };
    return is_reading(out);
}

/* ---- the calendar ---- */

bool temporal_day_exists(const struct cell_date *d)
{
    static const uint8_t days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (d->month == 0 || d->month > 12 || d->day == 0)
        return false;
    bool is_leap = d->year % 4 == 0 && (d->year % 100 != 0 || d->year % 400 == 0);
    return d->day <= days[d->month] + (is_leap && d->month == 2);
}

/* Years are counted from March, so that the leap day is the last of its year, and in eras of 400 years. */
enum { DAYS_OF_ERA = 146097, DAYS_TO_1970 = 719468 };

int64_t temporal_epoch_days(const struct cell_date *d)
{
    int32_t year = d->year - (d->month <= 2);
    int32_t era = (year >= 0 ? year : year - 399) / 400;
    int32_t year_of_era = year - era * 400;
    int32_t month = d->month + (d->month > 2 ? -3 : 9);
    int32_t day_of_year = (153 * month + 2) / 5 + d->day - 1;
    int32_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)era * DAYS_OF_ERA + day_of_era - DAYS_TO_1970;
}

static int64_t epoch_seconds(const struct cell_date *d)
{
    return temporal_epoch_days(d) * 86400 + d->hour * 3600 + d->minute * 60 + d->second;
}

int64_t temporal_epoch_micros(const struct cell_date *d)
{
    return epoch_seconds(d) * MICROS + d->micro;
}

bool temporal_epoch_nanos(const struct cell_date *d, int64_t *nanos)
{
    return !__builtin_mul_overflow(temporal_epoch_micros(d), INT64_C(1000), nanos);
}

struct cell_date temporal_of_micros(int64_t micros)
{
    int64_t days = micros / TEMPORAL_DAY_US - (micros % TEMPORAL_DAY_US < 0);
    int64_t of_day = micros - days * TEMPORAL_DAY_US;
    uint32_t seconds = (uint32_t)(of_day / MICROS);

    int64_t shifted = days + DAYS_TO_1970;
    int64_t era = (shifted >= 0 ? shifted : shifted - (DAYS_OF_ERA - 1)) / DAYS_OF_ERA;
    int32_t day_of_era = (int32_t)(shifted - era * DAYS_OF_ERA);
    int32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int32_t month = (5 * day_of_year + 2) / 153; /* March is 0 */
    return (struct cell_date){
        .year = (uint16_t)(era * 400 + year_of_era + (month >= 10)),
        .month = (uint8_t)(month < 10 ? month + 3 : month - 9),
        .day = (uint8_t)(day_of_year - (153 * month + 2) / 5 + 1),
        .hour = (uint8_t)(seconds / 3600),
        .minute = (uint8_t)(seconds / 60 % 60),
        .second = (uint8_t)(seconds % 60),
        .micro = (uint32_t)(of_day % MICROS),
    };
}

/* ---- printing ---- */

void temporal_put_date(struct buf *out, const struct cell_date *d)
{
    buf_need(out, 10);
    digits_put_padded(out, d->year, 4);
    *out->p++ = '-';
    digits_put_padded(out, d->month, 2);
    *out->p++ = '-';
    digits_put_padded(out, d->day, 2);
}

void temporal_put_clock(struct buf *out, unsigned hour, unsigned minute, unsigned second)
{
    if (hour > 99)
        digits_put_u64(out, hour);
    else
        digits_put_padded(out, hour, 2);
    buf_put_u8(out, ':');
    digits_put_padded(out, minute, 2);
    buf_put_u8(out, ':');
    digits_put_padded(out, second, 2);
}

void temporal_put_fraction(struct buf *out, uint32_t micro, unsigned fsp)
{
    if (fsp == 0)
        return;
    buf_put_u8(out, '.');
    digits_put_padded(out, micro / powers[TEMPORAL_FSP_MAX - fsp], fsp);
}

void temporal_put_short_fraction(struct buf *out, uint32_t micro)
{
    if (micro == 0)
        return;
    unsigned fsp = TEMPORAL_FSP_MAX;
    while (micro % 10 == 0) {
        micro /= 10;
        fsp--;
    }
    buf_put_u8(out, '.');
    digits_put_padded(out, micro, fsp);
}
