/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change: what the reader hands to the loop, in the order of the log.
 *
 * A row is handed over rendered: the bytes that go to Kafka, lent by the chunk that the change sits in. Around
 * the rows stand the marks that move the position: begin and end of a transaction, positions between them,
 * shapes that changed. The loop adds up marks and knows after every change which position may be stored.
 *
 * File names are interned by the reader and live as long as the process; all other memory is the chunk's.
 */
#ifndef TIDEMARK_BINLOG_CHANGE_H
#define TIDEMARK_BINLOG_CHANGE_H

#include "base/bytes.h"
#include "binlog/gtid.h"

#include <stdbool.h>
#include <stdint.h>

struct shape;

enum change_kind {
    CHANGE_ORIGIN,   /* the reader starts, or goes on with another server: server_uuid; at a first start where, too */
    CHANGE_FILE,     /* the stream is in file, which the server made at ts_us */
    CHANGE_RECORD,   /* one Kafka record of the transaction under way */
    CHANGE_UNSENT,   /* a row changed that gives no record (skipped.operations): windows must know */
    CHANGE_BEGIN,    /* a transaction starts, or starts again after the reader had to reconnect */
    CHANGE_COMMIT,   /* it ended: file and offset are behind its last event */
    CHANGE_POSITION, /* outside a transaction the log went on to file and offset */
    CHANGE_SHAPE,    /* a captured table's shape is another from the end of this transaction on */
    CHANGE_EMPTIED,  /* all rows of a captured table went without row events: TRUNCATE */
    CHANGE_REWRITE, /* rows of a captured table came or went without row events: partitions, a table that took the name */
    CHANGE_XA_OPEN,  /* the transaction under way was an XA PREPARE: its GTID stays out of the stored set */
    CHANGE_XA_DONE,  /* with the transaction under way the prepared one ended: its GTID comes into the set */
    CHANGE_XA_LOST,  /* the transaction under way commits one whose rows were in no part of the log that was told */
    CHANGE_XA_EARLY, /* at a first start: xid is prepared, and its rows are in no part of the log that will be told */
    CHANGE_READY,    /* the stream has passed all that was logged before the start: positions may be stored */
    CHANGE_END,      /* the reader ended; reader_result says why */
};

/* Which header stands before the common ones of a record. */
enum change_header {
    CHANGE_HEADER_NONE,
    CHANGE_HEADER_NEWKEY, /* __debezium.newkey */
    CHANGE_HEADER_OLDKEY, /* __debezium.oldkey */
};

/* CHANGE_RECORD, CHANGE_UNSENT */
struct change_record {
    const char *topic; /* interned, lives as long as the process */
    const char *table; /* as table_id names it; NULL: not a row */
    struct view key;
    struct view value;
    struct view header_value;
    struct view before_key; /* with a row's first record: primary-key bytes of its images, for windows; empty: none */
    struct view after_key;
};

/* All other kinds. */
struct change_mark {
    const struct gtid
        *gtid; /* BEGIN: of the transaction, NULL without GTIDs; XA_OPEN, XA_DONE: of the prepare, NULL: unknown */
    const char *file;
    uint64_t offset;
    int64_t ts_us; /* commit time on the transaction's origin; FILE: when it was made */
    uint32_t server_id;
    const char *server_uuid;   /* ORIGIN: of the server that file and offset are of */
    struct gtid_set *executed; /* ORIGIN: at a first start all that was executed; goes to the loop; NULL: as it was */
    const struct shape *shape; /* SHAPE: a count that goes to the loop; NULL: the table is gone */
    struct view db, table;     /* SHAPE, EMPTIED, REWRITE: whose */
    struct view xid;           /* XA_*: as XA COMMIT names it */
};

struct change {
    enum change_kind kind;
    uint8_t header; /* enum change_header */
    bool has_key;   /* false: Kafka null */
    bool has_value; /* false: tombstone */
    bool to_partition_0;
    bool is_part;    /* more records of the same row follow: a position between them can't be stored */
    uint32_t events; /* of this transaction, completely handed over once this change is; its BEGIN is 1 */
    uint32_t rows;   /* of the event after those, handed over once this change is */
    uint32_t told;   /* captured rows of this transaction, handed over once this change is; 0: none, or not known */
    union {
        struct change_record record;
        struct change_mark mark;
    };
};

#endif
