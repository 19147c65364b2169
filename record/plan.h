/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: a table's shape and the configuration, compiled once into the steps that render its rows.
 *
 * Everything that is the same in each record of the table is rendered when the plan is made: schema text,
 * field names, source block parts, topic. What is left is a list of steps for key and value: constant bytes,
 * a column by its writer, a source field. render runs them.
 *
 * Immutable after plan_new; any thread may render with it. It holds a count on its shape.
 */
#ifndef TIDEMARK_RECORD_PLAN_H
#define TIDEMARK_RECORD_PLAN_H

#include "base/fail.h"
#include "binlog/shape.h"
#include "record/settings.h"

struct plan;

/* Compiles; NULL and why when the table can't be rendered under these settings (REFUSE, naming table and column).
 * The settings must outlive the plan. */
MUST_USE struct plan *plan_new(const struct shape *shape, const struct record_settings *set, struct fail *why);
void plan_free(struct plan **plan);

const struct shape *plan_shape(const struct plan *plan);

/* Whether rendering looks at this column of the shape: a field, a part of the record key or of the table's own key. */
bool plan_uses(const struct plan *plan, uint32_t column);

/* The topic of the table's rows; interned, lives as long as the process. */
const char *plan_topic(const struct plan *plan);

#endif
