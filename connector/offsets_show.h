/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_show: `tidemark offsets show`: the stored position is read, the live server asked, and both reported.
 *
 * Changes nothing: no topic is made, no lock taken, no instance fenced, so it may be asked while one runs. Blocks, for a bounded
 * time.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_SHOW_H
#define TIDEMARK_CONNECTOR_OFFSETS_SHOW_H

#include "base/bytes.h"
#include "base/fail.h"
#include "connector/config.h"

/* Appends the report to out. Returns the exit code: 0; 1 when nothing is stored under the name; else the area of why, which
 * says what went wrong: where the state is kept (then nothing was appended), or at the server. */
int offsets_show(const struct config *cfg, bool as_json, struct buf *out, struct fail *why);

#endif
