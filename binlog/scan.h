/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan: the log read transaction by transaction, without shapes: where each begins and ends, and what is in it.
 *
 * For who has to find a place in the log, or to say what lies at one. Tables are named by their TABLE_MAP, rows are
 * counted by walking over them, statements are kept as they stand; nothing is understood, so what the stream can't read is
 * passed here all the same. Only the brackets of transactions are judged, as in stream.h.
 *
 * A transaction begins with its GTID event (without one: with its BEGIN or statement) and ends behind its last event.
 * Between transactions every event's end is a place where a stream may start.
 *
 * What is lent of a transaction lives until the next step. Blocks for as long as the server takes; the source's thread.
 */
#ifndef TIDEMARK_BINLOG_SCAN_H
#define TIDEMARK_BINLOG_SCAN_H

#include "base/arena.h"
#include "binlog/gtid.h"
#include "binlog/position.h"
#include "binlog/source.h"
#include "binlog/statement.h"

struct scan_table {
    struct view db;
    struct view table;
    uint64_t inserts;
    uint64_t updates;
    uint64_t deletes;
    bool is_uncounted; /* some of its rows can't be walked over: the numbers are too low */
};

struct scan_statement {
    struct scan_statement *next;
    struct statement statement;
};

enum scan_kind {
    SCAN_CHANGES, /* rows, statements, or nothing at all */
    SCAN_XA_PREPARE,
    SCAN_XA_COMMIT,
    SCAN_XA_ROLLBACK,
};

struct scan_transaction {
    enum scan_kind kind;
    struct gtid gtid; /* n = 0: none */
    struct log_position begin;
    struct log_position opened; /* its BEGIN, or the statement that is all of it */
    struct log_position end;
    int64_t ts_us; /* commit time on its origin */
    uint32_t server_id;
    struct view xid; /* unless CHANGES, as XA COMMIT names it */
    struct scan_table *tables;
    unsigned n_tables;
    struct scan_statement *statements; /* in order; BEGIN, COMMIT and the like are none */
};

struct scan;

/* Opens a dump from there on. The source must not be connected and stays the caller's. NULL: why. has_contents: tables, rows
 * and statements are wanted too. */
MUST_USE struct scan *scan_open(struct source *src, const struct source_start *start, bool has_contents,
                                struct fail *why);

/* Also disconnects the source. */
void scan_close(struct scan **sc);

/* Reads one event. *ended is the transaction that ended with it, else NULL. */
MUST_USE bool scan_step(struct scan *sc, const struct scan_transaction **ended, struct fail *why);

/* Reads to the end of the next transaction; NULL when the place `until` was reached before. */
MUST_USE bool scan_next(struct scan *sc, const struct log_position *until, const struct scan_transaction **ended,
                        struct fail *why);

/* Reads until a transaction is open, without its rows; NULL when the place `until` was reached before. Of what is lent only
 * gtid, begin and opened count yet. */
MUST_USE bool scan_find(struct scan *sc, const struct log_position *until, const struct scan_transaction **found,
                        struct fail *why);

/* Behind the last event, and whether a transaction is under way there; it began at *begin. */
const struct log_position *scan_place(const struct scan *sc);
bool scan_is_inside(const struct scan *sc, struct log_position *begin);

/* All that was logged before the file in which the dump began; NULL before its PREVIOUS_GTIDS event came. */
const struct gtid_set *scan_previous(const struct scan *sc);

/* When the file in which the dump is was made, in seconds; 0 before its first event came. */
uint32_t scan_file_time(const struct scan *sc);

#endif
