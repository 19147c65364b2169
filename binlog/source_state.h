/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_state: what the files of the source share; nobody else includes it.
 *
 *   source.c          connecting, waking, statements
 *   source_dump.c     the stream of the log
 *   source_refusal.c  what errors mean
 */
#ifndef TIDEMARK_BINLOG_SOURCE_STATE_H
#define TIDEMARK_BINLOG_SOURCE_STATE_H

#include "binlog/source.h"

#include <mysql.h>
#include <pthread.h>
#include <stdatomic.h>

struct attempt;

struct source {
    const struct source_settings *set;
    char name[300];
    MYSQL *mysql; /* NULL: not connected */
    bool is_dumping;

    pthread_mutex_t lock;    /* of what source_wake needs */
    int fd;                  /* of the connection, -1 */
    struct attempt *attempt; /* connecting; NULL */
    atomic_bool is_woken;
    _Atomic int64_t cut_after_ms; /* source_cut ended the connection after so long; 0: it did not */

    MYSQL_RPL rpl;
    struct buf gtids; /* the set that the dump leaves out, encoded */
    char file[LOG_FILE_BYTES];
};

/* The session's net timeouts. */
MUST_USE bool source_set_timeouts(struct source *src, struct fail *why);

#endif
