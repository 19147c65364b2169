/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_snapshot: the schema changes that a first start tells of the tables it finds, before anything else.
 *
 *   SET character_set_server=…, collation_server=…
 *   DROP TABLE IF EXISTS `db`.`t`             for each table
 *   DROP DATABASE IF EXISTS `db`              for each database: these three, and then
 *   CREATE DATABASE `db` CHARSET … COLLATE …
 *   USE `db`
 *   CREATE TABLE `t` (…)                      each of its tables, as SHOW CREATE TABLE has it
 *
 * source.snapshot is "true", and "last" in the last one when no rows are read. Without tables it is the first line alone. All
 * of it at one place of the log.
 * Reader thread only.
 */
#ifndef TIDEMARK_CONNECTOR_SCHEMA_SNAPSHOT_H
#define TIDEMARK_CONNECTOR_SCHEMA_SNAPSHOT_H

#include "binlog/catalog.h"
#include "binlog/position.h"
#include "binlog/server.h"
#include "connector/feed_statement.h"

struct schema_snapshot {
    struct schema_table {
        const struct shape *shape; /* counted */
        char *ddl;
    } *tables; /* those of one database stand together */
    size_t n;
};

void schema_snapshot_init(struct schema_snapshot *s);
void schema_snapshot_fini(struct schema_snapshot *s);

/* The shape gets a count more, the text is copied. */
void schema_snapshot_add(struct schema_snapshot *s, const struct shape *shape, struct view ddl);

/* Where the records are, whose, and whether rows follow. */
struct schema_teller {
    const struct record_settings *set;
    const struct server *server;
    struct catalog *catalog; /* for the charsets of databases */
    const struct log_position *at;
    bool rows_follow;
    int64_t now_ns;
    feed_record_fn put;
    void *ctx;
};

MUST_USE bool schema_snapshot_tell(const struct schema_snapshot *s, const struct schema_teller *t, struct fail *why);

/* One table was read anew before the stream had begun: shape NULL, it is not there any more. */
MUST_USE bool schema_snapshot_tell_again(const struct schema_teller *t, struct view db, struct view table,
                                         const struct shape *shape, struct view ddl, struct fail *why);

#endif
