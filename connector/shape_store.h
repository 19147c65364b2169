/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape_store: which shape a table had at which position, as far back as the server can still serve.
 *
 *   key    ["<name>",{"server":"<topic.prefix>"},"<db>","<table>"]
 *   value  {"versions":[{"gtids":"…","file":"binlog.000007","pos":4711,"server_uuid":"…","ddl":"CREATE TABLE …"},…]}
 *
 * A version speaks for what comes after its position, up to the next one; newest last. Its position is the state right
 * behind the DDL, or H, the log position read after a SHOW CREATE TABLE. ddl is what shape_print wrote; null when the
 * table was dropped. Positions of one and the same server are compared by file and offset, others by GTID set (a version
 * is at or before a place that contains its set); what has neither can't be compared.
 *
 * Loop thread, and the start before it. Owns its texts; what it returns is lent until the table's next change.
 */
#ifndef TIDEMARK_CONNECTOR_SHAPE_STORE_H
#define TIDEMARK_CONNECTOR_SHAPE_STORE_H

#include "base/bytes.h"
#include "base/fail.h"
#include "base/map.h"
#include "binlog/gtid.h"
#include "binlog/position.h"
#include "connector/offsets.h"

/* Where something is in the log; lent. */
struct shape_place {
    const struct gtid_set *gtids; /* completed transactions; NULL: no GTIDs */
    const struct log_position *pos;
    const char *server_uuid; /* whose log; NULL or "": unknown */
};

struct shape_gtids; /* a GTID set shared by the versions that were stamped with it */

struct shape_version {
    struct shape_gtids *gtids; /* NULL: none */
    struct log_position pos;
    char server_uuid[SERVER_UUID_BYTES];
    char *ddl; /* owned; NULL: the table was dropped */
};

struct shape_history {
    char *db;
    char *table;
    struct shape_version *versions; /* oldest first */
    uint32_t n;
};

/* Whether the table is there now: its last version is no DROP. */
bool shape_history_is_there(const struct shape_history *h);

struct shape_store {
    char *name; /* of the connector, and its topic.prefix: the first parts of the key */
    char *topic_prefix;
    struct map tables;          /* "db\0table" -> struct shape_history */
    struct shape_gtids *latest; /* the last one read: most versions of a first start share it */
};

void shape_store_init(struct shape_store *store, const char *name, const char *topic_prefix);
void shape_store_fini(struct shape_store *store);

/* A record of the shapes topic or file, in order; one of another connector is passed by. Usable as state_topic_fn with the
 * store as ctx. Malformed: STOP, DATA, naming the table. */
MUST_USE bool shape_store_load(void *store, struct view key, bool has_value, struct view value, struct fail *why);

/* All versions of a table, or NULL. Walk the tables with map_next over store->tables. */
const struct shape_history *shape_store_find(const struct shape_store *store, struct view db, struct view table);

/* All tables in the order of their names, which the map does not have; store->tables.n of them. The caller frees the array. */
const struct shape_history **shape_store_sorted(const struct shape_store *store);

enum shape_found {
    SHAPE_FOUND,        /* *out is the version in force; its ddl is NULL when the table was dropped by then */
    SHAPE_UNKNOWN,      /* no version of this table at all */
    SHAPE_TOO_OLD,      /* the place lies before the oldest version */
    SHAPE_INCOMPARABLE, /* no GTIDs and another server */
};

enum shape_found shape_store_at(const struct shape_store *store, struct view db, struct view table,
                                const struct shape_place *at, const struct shape_version **out);

/* Adds a version at the end. Versions from that place on are replaced: after an aborted transaction the same statements
 * come again. ddl.p NULL: dropped. */
void shape_store_append(struct shape_store *store, struct view db, struct view table, const struct shape_place *at,
                        struct view ddl);

/* The oldest version of a table is proven to have been in force from that earlier place on. */
void shape_store_extend(struct shape_store *store, struct view db, struct view table, const struct shape_place *at);

/* Drops the versions of a table that no event the server still has can need: all before the newest one that lies at or
 * before the oldest place. A dropped table whose only version is the drop goes as a whole. True: something changed. */
bool shape_store_trim(struct shape_store *store, struct view db, struct view table, const struct shape_place *oldest);

/* The record to write after append or trim; has_value false: a tombstone. */
void shape_store_print_key(const struct shape_store *store, struct view db, struct view table, struct buf *out);
bool shape_store_print(const struct shape_store *store, struct view db, struct view table, struct buf *out);

#endif
