/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_export: `tidemark offsets export`: the stored position as Debezium reads it.
 *
 *   (nothing), --to F     {"offsets":[{"partition":{"server":"…"},"offset":{…}}]}: the body of PATCH /connectors/NAME/offsets
 *   --to-file-store F     a file of FileOffsetBackingStore
 *   --to-topic T          the record in Connect's topic of offsets
 *   --history-topic T     each captured table as it is at that position, into Debezium's schema history
 *
 * Only between transactions, and while no instance runs: Debezium goes on exactly there. Members of ours are left out.
 * Without the schema history Debezium starts with snapshot.mode=recovery only. Nothing of ours is changed.
 *
 * Blocks. Main thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_EXPORT_H
#define TIDEMARK_CONNECTOR_OFFSETS_EXPORT_H

#include "connector/offsets_change.h"

/* Appends to out what goes to standard output and returns the exit code; unless 0, why says what went wrong. */
int offsets_export(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why);

#endif
