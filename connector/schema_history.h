/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_history: the topic in which Debezium keeps statements about tables: read up to a place, and written for it.
 *
 *   {"source":{"server":"shop"},"position":{"ts_sec":…,"file":"…","pos":2496,"gtids":"…:1-8","server_id":101},
 *    "ts_ms":…,"databaseName":"shop","ddl":"alter table t add w int","tableChanges":[…]}
 *
 * A position has the GTIDs that were complete before the statement, without its own, and the offset behind it; those
 * of the initial snapshot ("snapshot":"INITIAL") are the place where it was read. So a statement was executed by a place if its set
 * is a real part of the place's set (for a snapshot: part of it), or without GTIDs if its offset is not behind it.
 *
 * Statements go through our own DDL reader in the order of the topic, from the beginning. Its partition 0 is all there is.
 *
 * Blocks, for a bounded time. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_SCHEMA_HISTORY_H
#define TIDEMARK_CONNECTOR_SCHEMA_HISTORY_H

#include "binlog/catalog.h"
#include "binlog/server.h"
#include "connector/config.h"
#include "connector/offsets.h"

struct schema_history_told {
    unsigned records; /* of that topic.prefix */
    unsigned applied;
    unsigned not_understood; /* of those about captured tables: these have no shape then */
};

/* Reads the topic: the catalog, which was initialised, then has the shapes at the place. server_name: Debezium's topic.prefix. */
MUST_USE bool schema_history_read(const struct config *cfg, const struct server *server, const char *topic,
                                  const char *server_name, const struct offset_state *place, struct catalog *catalog,
                                  struct schema_history_told *told, struct fail *why);

/* One record, as it stands in the topic; for tests: what schema_history_read does with each. */
struct schema_history_reading {
    const struct config *cfg;
    const struct server *server;
    const char *server_name;
    const struct offset_state *place;
    struct catalog *catalog;
    struct schema_history_told *told;
};
MUST_USE bool schema_history_take(void *reading, struct view key, bool has_value, struct view value, struct fail *why);

/* Appends the record of a statement at that place. */
void schema_history_print(const char *server_name, const struct offset_state *place, int64_t now_ms, struct view db,
                          struct view ddl, struct buf *out);

#endif
