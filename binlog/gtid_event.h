/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gtid_event: the event that opens a transaction: its name, its times and its length.
 *
 * GTID (33) and ANONYMOUS_GTID (34):
 *   0   1 flags (1: may hold statements)      26  8 last_committed       (servers before 5.7 end at 25)
 *   1  16 uuid (34: zero)                     34  8 sequence number
 *   17  8 number (34: 0)                      42  7 commit time here, µs; bit 55: 7 bytes of the origin's follow
 *   25  1 kind of clock: 2                    then lenenc length of the transaction, 4 version here; bit 31:
 *                                             4 of the origin's follow; 8 commit group ticket (9.0 and later)
 *   Older servers end after any of these (5.7: sequence, 8.0.1: times, 8.0.2: length, 8.0.14: versions).
 *
 * GTID_TAGGED (42): version, size, last field that must be known, then pairs of field and value, fields ascending:
 *   0 flags  1 uuid (16 integers)  2 number ±  3 tag (length, bytes)  4 last_committed ±  5 sequence ±
 *   6, 7 commit time here, of the origin  8 length  9, 10 version here, of the origin  11 ticket
 *   Integers: as many further bytes as the first byte has low 1 bits; what stands above those bits and a 0 is the
 *   value. Of a signed one (±) bit 0 is the sign: 1 means -(v >> 1) - 1.
 *
 * Lends nothing. Any thread. Source: libs/mysql/binlog/event/control_events.cpp, libs/mysql/serialization/.
 */
#ifndef TIDEMARK_BINLOG_GTID_EVENT_H
#define TIDEMARK_BINLOG_GTID_EVENT_H

#include "binlog/decoder.h"
#include "binlog/gtid.h"

struct gtid_event {
    struct gtid gtid; /* n = 0: anonymous */
    bool may_have_statements;
    int64_t last_committed;
    int64_t sequence;
    int64_t commit_us;        /* on the server that wrote this log, since 1970; 0: not told */
    int64_t origin_commit_us; /* on the server where it was made; the same when it is that one */
    uint64_t length;          /* of the transaction with this event and all checksums; 0: not told */
    uint32_t version;         /* 90704 of the server that wrote this log; 0: not told */
    uint32_t origin_version;
    uint64_t ticket; /* commit group; 0: none */
};

/* Types 33, 34 and 42. */
MUST_USE bool gtid_event_read(const struct event *ev, struct gtid_event *out, struct fail *why);

#endif
