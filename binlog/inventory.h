/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inventory: what tables the server has, and how they look now.
 *
 * Names come from information_schema, shapes from SHOW CREATE TABLE read by the same parser as the statements of the
 * log. What is read here is true for the moment of reading: who asks notes the log's end after it (server_read_end).
 *
 * The thread of the source. Needs SELECT only.
 */
#ifndef TIDEMARK_BINLOG_INVENTORY_H
#define TIDEMARK_BINLOG_INVENTORY_H

#include "binlog/catalog.h"
#include "binlog/server.h"
#include "binlog/source.h"

/* Calls each for every base table; false from it ends the walk (why is then the callee's). */
typedef bool (*inventory_table_fn)(void *ctx, struct view db, struct view table, struct fail *why);
MUST_USE bool inventory_walk_tables(struct source *src, inventory_table_fn each, void *ctx, struct fail *why);

/* Puts the default charset of each database into the catalog. */
MUST_USE bool inventory_read_databases(struct source *src, struct catalog *catalog, struct fail *why);

/* One table's shape with one count; NULL in *shape when there is no such table, or it is a view. A text that can't be
 * read is a STOP naming the table. The server's text is put into ddl, which may be NULL. */
MUST_USE bool inventory_read_shape(struct source *src, const struct server *srv, struct catalog *catalog,
                                   struct view db, struct view table, const struct shape **shape, struct buf *ddl,
                                   struct fail *why);

#endif
