/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_rig: a catalog and a session for tests of statements, and short words for what a table looks like.
 *
 * The session is in database `d` (utf8mb4), where every table is captured but those whose names begin with "un". Each check
 * fails the test with what was found.
 */
#ifndef TIDEMARK_TEST_DDL_RIG_H
#define TIDEMARK_TEST_DDL_RIG_H

#include "binlog/ddl.h"

struct ddl_rig {
    struct catalog catalog;
    struct ddl_context ctx;
    struct ddl_result result;
    struct fail why;
};

void ddl_rig_init(struct ddl_rig *rig);
void ddl_rig_fini(struct ddl_rig *rig);

/* Applies statements, a list that ends with NULL; each must be read, and none may need a shape. */
void ddl_rig_run(struct ddl_rig *rig, ...) __attribute__((sentinel));

/* The same in words: a macro, so that the list needs no end. */
#define RUN(rig, ...) ddl_rig_run((rig), __VA_ARGS__, NULL)

/* Applies one that may fail; its effects are in rig->result, why it failed in rig->why. */
bool ddl_rig_apply(struct ddl_rig *rig, struct view sql);

/* The shape in force; the test fails when there is none. */
const struct shape *ddl_rig_shape(struct ddl_rig *rig, const char *table);

/* A column as shape_print has it, behind its name: "INT NOT NULL DEFAULT 5". Text columns of the database's charset are
 * checked without it. */
void check_column(struct ddl_rig *rig, const char *table, const char *column, const char *expected);

/* The columns in order: "id,a,b". */
void check_columns(struct ddl_rig *rig, const char *table, const char *expected);

/* The keys in order: "PRIMARY(id) !u(a,b:5) k(-c,*)": ! unique, :n prefix, - descending, * an expression. */
void check_keys(struct ddl_rig *rig, const char *table, const char *expected);

/* The record key: "id,a", "" for none. */
void check_record_key(struct ddl_rig *rig, const char *table, const char *expected);

/* The effects of the last statement: "create d.t", "rename d.t<d.s needs", parted by "; ". */
void check_effects(struct ddl_rig *rig, const char *expected);

#endif
