/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temporal: dates and times as the server packs them, and the calendar arithmetic that records need.
 *
 * Layouts (mysys/my_time.cc, "…_packed_from_binary"), big-endian, f = fraction of 0 to 3 bytes for fsp 0 to 6:
 *   TIME2       3 bytes + f   0x800000 + (hours << 12 | minutes << 6 | seconds), negative values as one negative number
 *   DATETIME2   5 bytes + f   0x8000000000 + ((year·13 + month) << 22 | day << 17 | hour << 12 | minute << 6 | second)
 *   TIMESTAMP2  4 bytes + f   seconds since 1970 UTC
 * Little-endian: DATE 3 bytes (year << 9 | month << 5 | day); before 5.6 TIME 3 bytes signed hhmmss, DATETIME 8 bytes
 * yyyymmddhhmmss, TIMESTAMP 4 bytes. JSON holds 8 bytes little-endian: TIME2 or DATETIME2 << 24 | microseconds.
 *
 * The calendar is the proleptic Gregorian one. A stored date may have zero parts or a day that does not exist
 * (ALLOW_INVALID_DATES); readers keep it as it is and refuse only what no server writes. Any thread.
 */
#ifndef TIDEMARK_BINLOG_TEMPORAL_H
#define TIDEMARK_BINLOG_TEMPORAL_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/cell.h"

enum { TEMPORAL_FSP_MAX = 6 };

#define TEMPORAL_DAY_US (86400 * INT64_C(1000000))

/* Bytes of the fraction: fsp 1 and 2 one, 3 and 4 two, 5 and 6 three. */
static inline unsigned temporal_fraction_bytes(unsigned fsp)
{
    return (fsp + 1) / 2;
}

/* ---- reading; false when the bytes end early or no server writes such ---- */

MUST_USE bool temporal_read_time2(struct cursor *c, unsigned fsp, int64_t *micros);
MUST_USE bool temporal_read_datetime2(struct cursor *c, unsigned fsp, struct cell_date *out);
MUST_USE bool temporal_read_timestamp2(struct cursor *c, unsigned fsp, int64_t *micros);
MUST_USE bool temporal_read_date(struct cursor *c, struct cell_date *out);
MUST_USE bool temporal_read_old_time(struct cursor *c, int64_t *micros);
MUST_USE bool temporal_read_old_datetime(struct cursor *c, struct cell_date *out);

/* The 8-byte form of JSON documents, already as a number. */
MUST_USE bool temporal_unpack_time(int64_t packed, int64_t *micros);
MUST_USE bool temporal_unpack_datetime(int64_t packed, struct cell_date *out);

/* ---- asking ---- */

/* Year, month or day is 0. */
static inline bool temporal_has_zero_part(const struct cell_date *d)
{
    return d->year == 0 || d->month == 0 || d->day == 0;
}

/* Does the calendar have this day? False for 2021-02-31 and for zero months and days; year 0 is a leap year. */
bool temporal_day_exists(const struct cell_date *d);

/* ---- arithmetic on days that exist ---- */

/* Days since 1970-01-01. */
int64_t temporal_epoch_days(const struct cell_date *d);

/* Microseconds since 1970-01-01 00:00:00, the reading taken as UTC; years to 9999 fit. */
int64_t temporal_epoch_micros(const struct cell_date *d);

/* Nanoseconds likewise; false outside 1677-09-21 to 2262-04-11, where 64 bits end. */
MUST_USE bool temporal_epoch_nanos(const struct cell_date *d, int64_t *nanos);

/* The reading in UTC of a moment between the years 0 and 9999. */
struct cell_date temporal_of_micros(int64_t micros);

/* ---- printing ---- */

/* 2026-08-04, 09:50:22 */
void temporal_put_date(struct buf *out, const struct cell_date *d);
void temporal_put_clock(struct buf *out, unsigned hour, unsigned minute, unsigned second);

/* The point and exactly fsp digits; nothing when fsp is 0. */
void temporal_put_fraction(struct buf *out, uint32_t micro, unsigned fsp);

/* The fewest fraction digits that tell the same: .5, .12, nothing for 0. */
void temporal_put_short_fraction(struct buf *out, uint32_t micro);

#endif
