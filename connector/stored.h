/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored: looks at the stored offset without touching it: no topic is made, no lock taken, no instance fenced, so it may
 * be asked while one runs. Blocks, for a bounded time.
 */
#ifndef TIDEMARK_CONNECTOR_STORED_H
#define TIDEMARK_CONNECTOR_STORED_H

#include "base/fail.h"
#include "connector/config.h"
#include "connector/offsets.h"

/* offset must be initialised; *has_offset is false when nothing is stored under the name. */
MUST_USE bool stored_read(const struct config *cfg, struct offset_state *offset, bool *has_offset, struct fail *why);

#endif
