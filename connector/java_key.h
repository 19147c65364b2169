/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_key: a key of Debezium's snapshot under way: a Java object array, serialised, in lower-case hex.
 *
 *   aced000570                                                      no key: a null instead of an array
 *   aced0005 75 72 0013 "[Ljava.lang.Object;" … 0078 70 u32 count   then one value a part:
 *     null, String, byte[]; Boolean, Byte, Short, Integer, Long, Float, Double; BigInteger, BigDecimal;
 *     java.sql.Timestamp, Date, Time; java.time.LocalDate, LocalDateTime, Duration, Instant
 *   What is written repeats the description of a class at each use, which Java reads as well.
 *
 * The stream itself: java_stream.h. Parts lend the arena. Any thread. Source: the classes of java.base (serialised forms,
 * java.time.Ser), tried with a JDK.
 */
#ifndef TIDEMARK_CONNECTOR_JAVA_KEY_H
#define TIDEMARK_CONNECTOR_JAVA_KEY_H

#include "base/arena.h"
#include "base/fail.h"
#include "binlog/cell.h"

enum java_key_kind {
    JAVA_KEY_NULL,
    JAVA_KEY_TEXT,        /* bytes: UTF-8 */
    JAVA_KEY_BYTES,       /* bytes */
    JAVA_KEY_BOOLEAN,     /* integer: 0 or 1 */
    JAVA_KEY_BYTE,        /* integer */
    JAVA_KEY_SHORT,       /* integer */
    JAVA_KEY_INTEGER,     /* integer */
    JAVA_KEY_LONG,        /* integer */
    JAVA_KEY_FLOAT,       /* real */
    JAVA_KEY_DOUBLE,      /* real */
    JAVA_KEY_BIG_INTEGER, /* decimal */
    JAVA_KEY_BIG_DECIMAL, /* decimal, scale */
    JAVA_KEY_TIMESTAMP,   /* integer: seconds since 1970, nanos */
    JAVA_KEY_SQL_DATE,    /* integer: milliseconds since 1970 of that midnight in Java's own time zone */
    JAVA_KEY_SQL_TIME,    /* integer: milliseconds, likewise */
    JAVA_KEY_DATE,        /* date */
    JAVA_KEY_DATE_TIME,   /* date, nanos */
    JAVA_KEY_DURATION,    /* integer: seconds, nanos */
    JAVA_KEY_INSTANT,     /* integer: seconds since 1970, nanos */
};

struct java_key_part {
    enum java_key_kind kind;
    struct view bytes;
    int64_t integer;
    double real;
    struct cell_decimal decimal;
    int32_t scale;
    int32_t nanos; /* 0 to 999,999,999 */
    struct cell_date date;
};

enum { JAVA_KEY_PARTS_MAX = 32 };

struct java_key {
    bool is_null; /* there is no key */
    unsigned n;
    struct java_key_part parts[JAVA_KEY_PARTS_MAX];
};

/* REFUSE: it is no such array, or has a value of another class. */
MUST_USE bool java_key_decode(struct view hex, struct arena *memory, struct java_key *out, struct fail *why);

/* Appends the hex. */
void java_key_encode(const struct java_key *key, struct buf *out);

#endif
