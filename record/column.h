/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column: one column of a shape under the settings becomes a step: field type, writer, default, schema member.
 *
 * This is where SQL types meet Connect types: type and mode choose a row of a table of field types. A default in the
 * DDL becomes a cell and is written by the column's own writer, so default and value can't differ in form.
 * Compiled once a plan; memory is the plan's arena. Any thread.
 */
#ifndef TIDEMARK_RECORD_COLUMN_H
#define TIDEMARK_RECORD_COLUMN_H

#include "base/fail.h"
#include "record/step.h"

/* Fills s for one column of the shape, as a field of the key or of an image. A NULL is written as the default when the
 * half's converter says so (replace.null.with.default). is_first: no comma stands before the field. Fails, naming the column, when a default can't be read and
 * converting_failure is fail. */
MUST_USE bool column_compile(struct step *s, const struct record_settings *set, const struct shape *shape,
                             uint16_t column, bool is_key, bool is_first, struct arena *memory, struct fail *why);

/* Appends the field's schema. */
void column_put_schema(const struct step *s, struct buf *out);

/* The numbers in the type's brackets, as the format's descriptions of columns have them: fsp is a length there. False:
 * there is none. */
bool column_length(const struct column *col, uint32_t *length);
bool column_scale(const struct column *col, uint32_t *scale);

/* The words of the type; ZEROFILL brings UNSIGNED along. */
void column_put_type(const struct column *col, struct buf *out);

/* Appends name and value as SimpleHeaderConverter prints them inside a struct, with the comma before and the colon
 * between; NULL and lost values as Struct.get has them. */
void column_put_header(const struct step *s, const struct cell *c, struct buf *out);

#endif
