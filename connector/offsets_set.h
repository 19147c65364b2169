/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_set: `tidemark offsets set` and `offsets reset`: the position is moved by hand.
 *
 *   set    to a place in the server's log (offsets_place.h), where the stored shapes must hold (offsets_shapes.h);
 *          snapshots under way and signals stay as they are
 *   reset  to nothing: the next start is a first one
 *
 * Blocks. Main thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_SET_H
#define TIDEMARK_CONNECTOR_OFFSETS_SET_H

#include "connector/offsets_change.h"

/* Each appends its report to out and returns the exit code; unless 0, why says what went wrong. */
int offsets_set(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why);
int offsets_reset(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why);

#endif
