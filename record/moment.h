/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moment: the writers of DATE, TIME, DATETIME and TIMESTAMP in the five time.precision.modes.
 *
 * A reading with year, month or day 0 is a zero date: it has no place in the calendar and becomes the step's if_none.
 * A day that its month does not have can't be converted. DATETIME is a wall clock read as if UTC; TIMESTAMP is an
 * instant and always text in UTC. Years below 100 get their century back first, where the settings want it.
 * Any thread.
 */
#ifndef TIDEMARK_RECORD_MOMENT_H
#define TIDEMARK_RECORD_MOMENT_H

#include "record/step.h"

/* The field type of a DATE, TIME, DATETIME or TIMESTAMP column. */
const struct field_type *moment_type(const struct column *col, enum time_mode mode);

#endif
