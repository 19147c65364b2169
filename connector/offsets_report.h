/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_report: what `tidemark offsets show` knows, and how it says so: lines for people, one JSON object for programs.
 *
 * The stored position, and beside it how far the live server is. What isn't known is left out of the lines and null in
 * JSON: bytes can't be counted on another server's log, transactions not without GTIDs.
 *
 * Pure: nothing is asked here. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_REPORT_H
#define TIDEMARK_CONNECTOR_OFFSETS_REPORT_H

#include "binlog/gtid.h"
#include "connector/offsets.h"

struct offsets_report {
    const char *name; /* lent, as all texts here */
    const char *topic_prefix;
    const char *place;                 /* where it is stored: "topic tidemark-offsets" */
    const struct offset_state *stored; /* NULL: nothing is stored */
    int64_t now_sec;

    const char *server;       /* host:port */
    const char *server_fault; /* why the server can't be asked; NULL: it was */
    char server_uuid[SERVER_UUID_BYTES];
    struct log_position end; /* of its log */
    bool has_lag_bytes;
    uint64_t lag_bytes;
    bool has_lag_transactions;
    uint64_t lag_transactions;
};

/* Counts what the server has beyond the stored position: bytes from its log files, told one by one in order, ... */
void offsets_report_add_file(struct offsets_report *r, struct view file, uint64_t bytes);

/* ... and transactions from its executed set. */
void offsets_report_compare(struct offsets_report *r, const struct gtid_set *executed);

void offsets_report_print(const struct offsets_report *r, struct buf *out);
void offsets_report_print_json(const struct offsets_report *r, struct buf *out);

#endif
