/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change: what the reader hands to the loop, in the order of the log.
 *
 * A row is handed over rendered: the bytes that go to Kafka, lent by the chunk the change sits in. Around the
 * rows stand the marks that move the position: begin and end of a transaction, positions between them, shapes
 * that changed. The loop adds up marks and knows at every change which position may be stored.
 */
#ifndef TIDEMARK_BINLOG_CHANGE_H
#define TIDEMARK_BINLOG_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "binlog/gtid.h"
#include "binlog/position.h"

struct shape;

enum change_kind {
    CHANGE_RECORD,   /* one Kafka record of the transaction under way */
    CHANGE_BEGIN,    /* a transaction starts: gtid, pos = its BEGIN event */
    CHANGE_COMMIT,   /* it ended; pos = the end of its last event */
    CHANGE_POSITION, /* outside a transaction the log went on to pos (heartbeat, rotate, nothing of ours) */
    CHANGE_SHAPE,    /* a captured table's shape is another from pos on: to be stored with the next offset */
    CHANGE_XA,       /* an XA transaction was prepared (is_open) or ended */
    CHANGE_END,      /* the reader ended; its fail says why */
};

/* Which of the record's headers stands before the common ones. */
enum change_header {
    CHANGE_HEADER_NONE,
    CHANGE_HEADER_NEWKEY,
    CHANGE_HEADER_OLDKEY,
};

struct change {
    enum change_kind kind;
    enum change_header header;
    bool has_key;   /* false: Kafka null */
    bool has_value; /* false: tombstone */
    bool is_open;   /* CHANGE_XA */
    bool to_partition_0;
    const char *topic; /* CHANGE_RECORD: interned, lives as long as the process */
    struct view key;
    struct view value;
    struct view header_value;
    struct view before_key; /* primary-key bytes of the before and after image, for windows; empty when none */
    struct view after_key;
    uint32_t events; /* events of this transaction completely handed over once this change is (BEGIN is 1) */
    uint32_t rows;   /* rows of the event after those, handed over once this change is; 0 at its end */
    struct gtid gtid; /* CHANGE_BEGIN, CHANGE_XA; n = 0: none */
    struct log_position pos;
    uint32_t server_id;
    int64_t ts_us; /* commit time of the transaction on its origin */
    const struct shape *shape; /* CHANGE_SHAPE: held for the loop, which frees it; NULL: the table is gone */
    struct view db, table;     /* CHANGE_SHAPE: whose */
    struct view xid;           /* CHANGE_XA: the text that names it */
};

#endif
