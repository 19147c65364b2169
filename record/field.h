/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field: the writers of everything but dates and times, and the field type of each SQL type.
 *
 * Numbers, text, bytes, labels, documents, shapes in space, vectors. What a value looks like is decided here by type
 * and mode, how JSON is written is left to json and number. Any thread.
 */
#ifndef TIDEMARK_RECORD_FIELD_H
#define TIDEMARK_RECORD_FIELD_H

#include "record/step.h"

/* The field type of a column under the settings; never NULL. */
const struct field_type *field_type_of(const struct column *col, const struct record_settings *set);

#endif
