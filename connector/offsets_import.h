/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_import: `tidemark offsets import`: goes on where a Debezium connector stopped.
 *
 * Its offset is found (connect_offsets.h) and held against the server: what it needs must still be in the log, and the
 * transaction at its place must begin where it says, else file and position are not trusted there. Events and rows of a
 * transaction under way are counted as we count them, so it goes on in its midst. Shapes at that place are proven from
 * the server or taken from the schema history (offsets_shapes.h, schema_history.h); an incremental snapshot under way
 * goes on behind its stored key with the next start (debezium_progress.h).
 *
 * Blocks. Main thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_IMPORT_H
#define TIDEMARK_CONNECTOR_OFFSETS_IMPORT_H

#include "connector/offsets_change.h"

/* Appends its report to out and returns the exit code; unless 0, why says what went wrong. */
int offsets_import(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why);

#endif
