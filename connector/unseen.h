/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unseen: what will be missing though it was asked for, as far as a start can know it.
 *
 *   tables that are not visible   a part of an include list that no visible table matches: a slip of the pen, a table that is yet
 *                                 to be made, or one that our user has no right on; the server hides those altogether
 *   rights on single tables       the other tables of such a database are hidden
 *   cascades                      rows that a foreign key changes are not in the log where InnoDB does it (before 9.6, and with
 *                                 innodb_native_foreign_keys)
 *
 * Only tells: none of it keeps from starting. Reader thread.
 */
#ifndef TIDEMARK_CONNECTOR_UNSEEN_H
#define TIDEMARK_CONNECTOR_UNSEEN_H

#include "binlog/server.h"
#include "connector/filter.h"

struct unseen {
    const struct filter *filter; /* lent */
    bool *has_database;          /* of each part of database.include.list: whether a visible table is in one */
    bool *has_table;             /* of each part of table.include.list: whether it matches a visible table */
};

void unseen_init(struct unseen *u, const struct filter *filter);
void unseen_fini(struct unseen *u);

/* That table is visible. */
void unseen_meet(struct unseen *u, struct view db, struct view table);

/* After all visible tables were met. Asks the server for foreign keys. */
MUST_USE bool unseen_tell(const struct unseen *u, struct source *src, const struct server *server, struct fail *why);

#endif
