/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: which databases, tables and columns are captured, and which columns are chosen by the other column lists.
 *
 * A list is split at commas; a backslash protects the character behind it, and `\,` is a comma of the expression. Parts
 * are trimmed, empty ones vanish. Each part is a regex that matches the whole of `db`, `db.table` or `db.table.column`;
 * nothing is quoted, so a name with a dot in it is as ambiguous as in the reference.
 *
 * Always true:
 *   F1  a table is captured only if its database is: both lists must agree
 *   F2  mysql, information_schema, performance_schema and sys are never captured
 *   F3  a blank database or table list is no list; a blank column.include.list matches no column
 *
 * Immutable once filled; any thread may ask. An answer costs a match per pattern: the caller keeps it per table.
 */
#ifndef TIDEMARK_CONNECTOR_FILTER_H
#define TIDEMARK_CONNECTOR_FILTER_H

#include "binlog/shape.h"
#include "connector/regex.h"

struct regex_list {
    struct regex **items;
    size_t n;
};

/* NULL and why (STOP, CONFIG), naming the part that is wrong. An empty text gives an empty list. */
MUST_USE struct regex_list *regex_list_new(struct view text, struct fail *why);
void regex_list_free(struct regex_list **list);

/* Whether one of the patterns matches; false for NULL. */
bool regex_list_matches(const struct regex_list *list, struct view subject);

/* message.key.columns: `table:column,column;table:…`, each part a regex. */
struct key_rules;
MUST_USE struct key_rules *key_rules_new(struct view text, struct fail *why);
void key_rules_free(struct key_rules **rules);

struct filter { /* each NULL when unset; owned */
    struct regex_list *database_include;
    struct regex_list *database_exclude;
    struct regex_list *table_include;
    struct regex_list *table_exclude;
    struct regex_list *column_include;
    struct regex_list *column_exclude;
    struct regex_list *propagated_columns; /* column.propagate.source.type */
    struct regex_list *propagated_types;   /* datatype.propagate.source.type */
    struct regex_list *snapshot_include;   /* snapshot.include.collection.list */
    struct key_rules *key_rules;           /* message.key.columns */
};

void filter_fini(struct filter *f);

bool filter_has_database(const struct filter *f, struct view db);

/* Asks for the database too. */
bool filter_has_table(const struct filter *f, struct view db, struct view table);

/* Of a captured table: whether an initial snapshot reads it. */
bool filter_snapshots_table(const struct filter *f, struct view db, struct view table);

/* Where the table stands in table.include.list: the number of the first pattern that matches it; SIZE_MAX: in none. */
size_t filter_table_rank(const struct filter *f, struct view db, struct view table);

/* Of a captured table: whether the column is a field of before and after. */
bool filter_has_column(const struct filter *f, struct view db, struct view table, struct view column);

/* Whether the type of the column, such as VARCHAR, goes into its schema. */
bool filter_propagates_type(const struct filter *f, struct view db, struct view table, struct view column,
                            struct view type);

/* The key columns of the table by message.key.columns: rule after rule, within a rule in the table's order. Writes at most
 * room indexes and returns how many there are; 0: no rule names a column of it. */
unsigned filter_key_columns(const struct filter *f, const struct shape *s, uint16_t *columns, unsigned room);

#endif
