/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held: the events of a prepared XA transaction, kept until it is known how it ended.
 *
 * The log carries the rows at XA PREPARE; whether they are true is said later, by an XA COMMIT or XA ROLLBACK
 * without rows. Until then the raw events lie here: in memory while all such lists together stay within a
 * limit, beyond it in a temporary file that has no name any more. They are read back in order, one at a time.
 *
 * Reader thread only.
 */
#ifndef TIDEMARK_BINLOG_HELD_H
#define TIDEMARK_BINLOG_HELD_H

#include "base/bytes.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

/* What all lists share. */
struct held_budget {
    size_t limit_bytes;
    size_t used_bytes;
};

struct held_event {
    const char *file; /* interned by the stream */
    uint64_t offset;  /* of the event, or of the payload it came in */
    struct view body; /* what was put in; valid until the next held_next */
    uint8_t type;
    uint32_t server_id;
};

struct held_events {
    struct held_budget *budget;
    struct buf memory; /* records: head and body, as long as the budget lets it grow */
    size_t read_at;    /* in memory */
    int fd;            /* -1, or the temporary file that goes on where memory ends */
    uint64_t file_bytes;
    uint64_t file_read_at;
    struct buf scratch; /* the event just read back from the file */
    uint64_t n;
};

void held_init(struct held_events *held, struct held_budget *budget);
void held_fini(struct held_events *held);

/* Keeps a copy. Fails (STOP) when the temporary file can't be written: full disk, named. */
MUST_USE bool held_put(struct held_events *held, const struct held_event *ev, struct fail *why);

/* From the start again. */
void held_rewind(struct held_events *held);

/* The next event; false with *is_end at the end, false with why on a read error. */
MUST_USE bool held_next(struct held_events *held, struct held_event *ev, bool *is_end, struct fail *why);

#endif
