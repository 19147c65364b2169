/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_statement: the statements, each read by one function, and the effects they leave.
 *
 * A statement function stands behind its first words. It reads all it needs, then changes the catalog and adds effects;
 * it returns false before it has changed anything. Inside ddl only.
 */
#ifndef TIDEMARK_BINLOG_DDL_STATEMENT_H
#define TIDEMARK_BINLOG_DDL_STATEMENT_H

#include "binlog/ddl_parse.h"

struct draft;

struct ddl_run {
    struct ddl_parser p;
    struct ddl_result *out;
    const uint8_t *start; /* of the statement's first word */
    bool has_target;      /* the table it is about, once its name was read: for the report of a failure */
    struct view target_db;
    struct view target_table;
};

/* ---- effects */

/* An effect on a table with the whole statement as its text; is_captured is filled in. */
struct ddl_effect *ddl_add_effect(struct ddl_run *run, enum ddl_kind kind, struct view db, struct view table);

/* A statement that people are told of although nothing of ours changed. */
bool ddl_add_none(struct ddl_run *run);

/* Lends the effect a count on a shape and puts the shape in force; takes s. */
void ddl_put_shape(struct ddl_run *run, struct ddl_effect *effect, struct shape *s);

/* A rename: the shape goes from the effect's old names to its new ones, or is unknown under the new ones. */
void ddl_move_shape(struct ddl_run *run, struct ddl_effect *effect);

bool ddl_is_captured(const struct ddl_run *run, struct view db, struct view table);

/* Is the table's shape followed, captured or not? */
bool ddl_is_followed(struct ddl_run *run, struct view db, struct view table);

/* Reads a table name and remembers it as the one the statement is about. */
MUST_USE bool ddl_target(struct ddl_run *run, struct view *db, struct view *table);

/* ---- statements */

bool ddl_create_table(struct ddl_run *run);
bool ddl_create_index(struct ddl_run *run, bool is_unique);
bool ddl_create_database(struct ddl_run *run);
bool ddl_alter_table(struct ddl_run *run);
bool ddl_alter_database(struct ddl_run *run);
bool ddl_drop_table(struct ddl_run *run);
bool ddl_drop_index(struct ddl_run *run);
bool ddl_drop_database(struct ddl_run *run);
bool ddl_rename_table(struct ddl_run *run);
bool ddl_truncate_table(struct ddl_run *run);
bool ddl_optimize_table(struct ddl_run *run);

/* INSERT, UPDATE, …: `ddl_row_statement` stands at the first word. */
bool ddl_is_row_statement(const struct ddl_parser *p);
bool ddl_row_statement(struct ddl_run *run);

/* Adds an effect of this kind for each captured table that is in the catalog and named anywhere in the statement. */
void ddl_add_named(struct ddl_run *run, enum ddl_kind kind);

#endif
