/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_pattern: which tables a pattern in a signal means.
 *
 * One that is the name of a table, as a name, in quotes (`shop`.`orders`) or escaped as a pattern, means that table alone: not
 * Orders besides orders, and also where its signs mean something else in a regular expression (we$ird, a+b). Any other is a
 * regular expression for the whole of "db.table", and also the name that it spells: perhaps of a table that is not known.
 */
#ifndef TIDEMARK_CONNECTOR_TABLE_PATTERN_H
#define TIDEMARK_CONNECTOR_TABLE_PATTERN_H

#include "connector/regex.h"
#include "connector/shape_store.h"

struct table_pattern {
    struct buf name;
    bool is_quoted;                    /* it was written in quotes: the name of one table, known or not */
    size_t db_bytes;                   /* of the name, when it was quoted: the rest, behind the dot, is the table */
    const struct shape_history *named; /* it is the name of this table, lent; NULL: of none */
    struct regex *re;                  /* NULL when it is a name */
};

/* REFUSE: it is no regular expression. Any thread, as long as nobody changes the shapes. */
MUST_USE bool table_pattern_init(struct table_pattern *p, struct view text, const struct shape_store *shapes,
                                 struct fail *why);
void table_pattern_fini(struct table_pattern *p);

bool table_pattern_means(const struct table_pattern *p, struct view db, struct view table);

/* Appends what patterns are held against: "shop.orders"; of a name without a database the name alone. */
void table_pattern_put_id(struct buf *out, struct view db, struct view table);

#endif
