/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss: a value that has no form in its record's type, and what event.converting.failure.handling.mode does about it.
 *
 * fail ends the process, naming table, column and value. warn and skip let the field's default, null or, where it may
 * not be null, the type's fallback stand for it; warn tells so the first time, then each time ten times as many have
 * come. A column that is absent from the image is no conversion's failure: it is refused always.
 * Any thread.
 */
#ifndef TIDEMARK_RECORD_LOSS_H
#define TIDEMARK_RECORD_LOSS_H

#include "base/fail.h"
#include "record/step.h"

/* True when the caller shall write what stands for the value. */
MUST_USE bool loss_accept(const struct plan *plan, const struct step *s, const struct cell *c, struct fail *why);

/* How many values were lost since the start, in all tables. */
unsigned long loss_count(void);

#endif
