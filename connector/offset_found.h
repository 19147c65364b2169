/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offset_found: the stored offset of one connector, while the records of the topic or the file pass: the last one counts, and
 * only that one is read. What stands before it may be anything.
 *
 * One thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSET_FOUND_H
#define TIDEMARK_CONNECTOR_OFFSET_FOUND_H

#include "connector/offsets.h"

struct offset_found {
    struct buf key;
    struct buf value;
    bool has_value; /* false: nothing is stored, or not any more */
};

void offset_found_init(struct offset_found *found, const char *name, const char *topic_prefix);
void offset_found_fini(struct offset_found *found);

/* A record; one with another key is passed by. Usable as state_topic_fn with the offset_found as ctx; does not fail. */
bool offset_found_take(void *found, struct view key, bool has_value, struct view value, struct fail *why);

/* With all records passed. offset must be initialised; it is as it was when nothing is stored. Malformed: STOP, DATA. */
MUST_USE bool offset_found_read(const struct offset_found *found, struct offset_state *offset, struct fail *why);

#endif
