/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_place: from what an operator asks for to a place in the server's log where a stream may start.
 *
 *   by GTIDs      the first transaction that is not in the set; nothing of what is missing may be purged
 *   by position   the end of an event between two transactions: the file is read from its start up to there
 *   by time       the first transaction, in the order of the log, that was committed at or after it (on its origin,
 *                 as records tell it)
 *   now           the end of the log
 *
 * Always true of what is found: a transaction of the log begins there, or will; the GTID set is that of the log
 * before it (file's PREVIOUS_GTIDS, what was read, what is purged), not of what is executed by now. XA transactions that
 * were prepared in the files read, and not ended before the place, stand in the state as open.
 *
 * Blocks for as long as the server takes to send that part of the log. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_PLACE_H
#define TIDEMARK_CONNECTOR_OFFSETS_PLACE_H

#include "binlog/server.h"
#include "connector/config.h"
#include "connector/offsets.h"

enum place_kind { PLACE_GTIDS, PLACE_POSITION, PLACE_TIME, PLACE_NOW };

struct place_wish {
    enum place_kind kind;
    struct gtid_set gtids;
    struct log_position pos;
    int64_t time_us;
};

void place_wish_init(struct place_wish *wish);
void place_wish_fini(struct place_wish *wish);

/* 2026-11-30T17:33:11Z, with a fraction or an offset such as +02:00 if need be; or milliseconds since 1970. */
MUST_USE bool place_read_time(struct view text, int64_t *time_us, struct fail *why);

/* Finds it and fills what st says of the position: file, offset, GTIDs, server, XA, ts_sec; the rest of st stays. src is
 * connected for statements. STOP, REFUSED: there is no such place, saying what is near. */
MUST_USE bool offsets_place_find(struct source *src, const struct config *cfg, const struct server *server,
                                 const struct place_wish *wish, struct offset_state *st, struct fail *why);

/* Holds a position that comes from elsewhere against the server: what it needs is there, and st's file and offset are where its
 * next transaction begins (or where the one under way does: its BEGIN). Then st gets the server's uuid and *is_placed is
 * true. With GTIDs a place of another log is no failure: st loses what counts in it, and goes by its set. */
MUST_USE bool offsets_place_check(struct source *src, const struct config *cfg, const struct server *server,
                                  struct offset_state *st, bool *is_placed, struct fail *why);

#endif
