/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement: events that carry a statement, its circumstances, or how a transaction ended.
 *
 * QUERY:
 *   0  4 thread id       8  1 length of the database's name    13  status variables
 *   4  4 seconds it ran  9  2 error code                       then the name, a zero byte, the text
 *                        11 2 bytes of status variables
 *   A status variable is a code and its value; codes that are not known end the reading of them (new ones are
 *   written behind the known).
 * EXECUTE_LOAD_QUERY has 13 more bytes before the status variables. Its rows, like those of INTVAR, RAND and
 * USER_VAR with the QUERY behind them, are not in the log: binlog_format was STATEMENT.
 * XA_PREPARE: 1 one_phase, 4 format, 4 length of gtrid, 4 of bqual, both.
 *
 * What is read lends the event's bytes. Any thread.
 * Source: libs/mysql/binlog/event/statement_events.cpp, sql/log_event.cc.
 */
#ifndef TIDEMARK_BINLOG_STATEMENT_H
#define TIDEMARK_BINLOG_STATEMENT_H

#include "binlog/decoder.h"

enum { STATEMENT_NO_FOREIGN_KEY_CHECKS = 0x04000000 }; /* in flags2 */

struct statement {
    uint32_t thread_id;
    uint32_t seconds;
    uint16_t error;  /* of the statement on the source; 0: none */
    struct view db;  /* the session's database, empty when none */
    struct view sql; /* in the client's charset */

    bool has_flags2;
    bool has_sql_mode;
    bool has_collations;
    bool has_explicit_timestamp_defaults;
    uint32_t flags2;
    uint64_t sql_mode;
    uint16_t client_collation;
    uint16_t connection_collation;
    uint16_t server_collation;
    uint16_t database_collation; /* of @@collation_database when it differs from the server's; 0: not told */
    uint16_t utf8mb4_collation;  /* @@default_collation_for_utf8mb4; 0: not told */
    bool explicit_timestamp_defaults;
    struct view time_zone; /* empty: not told */
    uint64_t ddl_xid;      /* 0: not told */
    uint32_t micro;        /* of the event's second */
    bool touches_too_many; /* databases touched are more than the server lists */
    uint8_t n_touched;
    struct view touched; /* their names, each ended by a zero byte; see statement_next_db */
};

/* QUERY and EXECUTE_LOAD_QUERY. */
MUST_USE bool statement_read(const struct event *ev, struct statement *out, struct fail *why);

/* The first of the touched databases left in *names, which moves on; empty at the end. */
struct view statement_next_db(struct view *names);

/* XID: the storage engines' number of the transaction. */
MUST_USE bool statement_read_xid(const struct event *ev, uint64_t *xid, struct fail *why);

/* ROWS_QUERY: the text of the statement that made the rows behind it. */
MUST_USE bool statement_read_rows_query(const struct event *ev, struct view *sql, struct fail *why);

struct xa_prepare_event {
    bool one_phase; /* committed by this event; no XA COMMIT follows */
    uint32_t format;
    struct view gtrid;
    struct view bqual;
};

MUST_USE bool statement_read_xa_prepare(const struct event *ev, struct xa_prepare_event *out, struct fail *why);

/* Appends the name as XA COMMIT and XA ROLLBACK have it in the log: X'6162',X'',1 */
void statement_print_xa(const struct xa_prepare_event *xa, struct buf *out);

/* Does this event belong to a change in statement format: INTVAR, RAND, USER_VAR, LOAD DATA in pieces? (CREATE TABLE
 * and others may have an INTVAR too; only a QUERY with row changes behind it means that rows are missing.) */
bool statement_is_piece(uint8_t type);

#endif
