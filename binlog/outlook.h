/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outlook: how much of the log lies behind a place, and how long the server will keep it.
 *
 * The server deletes log files whose last change is older than binlog_expire_logs_seconds, never the newest one. What it
 * will delete next it does not say; how old the transaction at a place is, its reader knows.
 *
 * By statements that need REPLICATION CLIENT. The thread of the source.
 */
#ifndef TIDEMARK_BINLOG_OUTLOOK_H
#define TIDEMARK_BINLOG_OUTLOOK_H

#include "binlog/server.h"

struct outlook {
    char server_uuid[37];
    int64_t now_sec;             /* by the server's clock */
    int64_t expire_sec;          /* after so long files are deleted; 0: never */
    char oldest[LOG_FILE_BYTES]; /* log files that are there */
    char newest[LOG_FILE_BYTES];
    bool has_file;         /* the place's file is among them */
    bool ends_before;      /* the place lies behind the log's end */
    uint64_t bytes_behind; /* from the place to the end; has_file only */
    struct gtid_set purged;
};

void outlook_init(struct outlook *out);
void outlook_fini(struct outlook *out);

/* Asks the connected server about that place (file "": only about itself). */
MUST_USE bool outlook_read(struct source *src, const struct log_position *place, struct outlook *out, struct fail *why);

#endif
