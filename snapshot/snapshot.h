/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot: the door of this folder, and what its parts have in common.
 *
 * Tables are read again beside the running stream without a write or a lock on the source, and the topic still ends
 * equal to the table. Nothing is used but two facts of the server: a transaction that is in gtid_executed is visible to a
 * SELECT that starts later, and one that a SELECT sees lies below a log position that is read afterwards; and one
 * trap: a transaction may be streamed before any SELECT sees it.
 *
 *   open    remember S0: all that the stream has handed over; listen to it from here on            (window_begin)
 *   low     wait until S0 is executed on the server                                                (worker)
 *   read    one SELECT of a range of the key                                                       (worker)
 *   high    the log's end after it                                                                 (worker)
 *   listen  a key that the stream changes meanwhile is dropped from the rows                       (window_hear)
 *   close   the stream has passed high: the rows left are the truth at this place and leave        (window_end)
 *
 *   incremental   what was asked for: queue, pause, resume, stop    table_read   one table, chunk by chunk
 *   window        one chunk against the stream                      block        rows that leave
 *   worker        the thread with a connection                      chunk*       keys and queries
 */
#ifndef TIDEMARK_SNAPSHOT_SNAPSHOT_H
#define TIDEMARK_SNAPSHOT_SNAPSHOT_H

#include "binlog/position.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the stream stands, as a row that leaves there names it. */
struct snapshot_place {
    struct log_position pos; /* the start of the transaction under way, else where the next one starts */
    const char *gtid;        /* of the newest transaction; "": none */
    uint32_t server_id;
    const char *server_uuid;
};

#endif
