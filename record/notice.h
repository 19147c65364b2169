/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notice: the records that are no rows: schema changes, transactions, heartbeats, notifications.
 *
 * Each function appends a key and a value to two buffers, with or without schemas as the settings' two converters
 * want it. Where the record goes: schema changes to the topic named like the prefix (partition 0, with the common
 * headers), transactions and heartbeats to their own (topic.h; heartbeats partition 0), notifications to the topic
 * that the configuration names; the last three without headers.
 *
 * Field order, names and versions of the schemas are Debezium's (3.6.1). Any thread.
 */
#ifndef TIDEMARK_RECORD_NOTICE_H
#define TIDEMARK_RECORD_NOTICE_H

#include "base/bytes.h"
#include "binlog/shape.h"
#include "record/envelope.h"
#include "record/settings.h"

enum notice_change { NOTICE_NO_CHANGE, NOTICE_CREATE, NOTICE_ALTER, NOTICE_DROP };

/* A statement and what it did to one table. */
struct notice_schema_change {
    const struct row_source *src;        /* gives the clock too; query and transaction are not told */
    struct view db;                      /* databaseName and source.db; may be empty */
    struct view tables;                  /* source.table: the names it touched, joined by commas; empty: null */
    struct view ddl;                     /* UTF-8 */
    enum notice_change change;           /* NOTICE_NO_CHANGE: tableChanges is empty */
    struct view change_db, change_table; /* the changed table, under its new name */
    const struct shape *shape;           /* as it is now; not looked at for NOTICE_DROP */
};

void notice_put_schema_change(const struct record_settings *set, const struct notice_schema_change *change,
                              struct buf *key, struct buf *value);

/* BEGIN and END of a transaction; id is its GTID or "file=…,pos=…". */
void notice_put_transaction_begin(const struct record_settings *set, struct view id, int64_t ts_ms, struct buf *key,
                                  struct buf *value);

struct notice_collection {
    struct view db, table;
    uint64_t events;
};

void notice_put_transaction_end(const struct record_settings *set, struct view id, int64_t ts_ms, uint64_t events,
                                const struct notice_collection *collections, size_t n, struct buf *key,
                                struct buf *value);

void notice_put_heartbeat(const struct record_settings *set, int64_t now_ms, struct buf *key, struct buf *value);

struct notice_fact {
    const char *name;
    struct view value;
};

/* What a snapshot tells of itself, and about which one (id: that of the signal, or a UUID). */
struct notice_notification {
    struct view id;
    const char *type;           /* "STARTED", "IN_PROGRESS", … */
    const char *aggregate_type; /* "Incremental Snapshot", "Initial Snapshot" */
    const struct notice_fact *facts;
    size_t n_facts; /* 0: additional_data is null */
    int64_t timestamp_ms;
};

/* What is told of a list of names joined by commas: all of them, or as many as a record has room for; *left_out names are
 * not told. Nobody is told of thousands of tables over and over, table by table, either. */
enum { NOTICE_NAMES_BYTES = 128 << 10 };
struct view notice_names_told(struct view names, size_t *left_out);

void notice_put_notification(const struct record_settings *set, const struct notice_notification *note, struct buf *key,
                             struct buf *value);

#endif
