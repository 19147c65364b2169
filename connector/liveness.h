/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liveness: nothing stands still in silence.
 *
 * Whatever waits for somebody else is looked at about once a second: whether it waits, and a number that grows with
 * all it gets done. What has waited for a quarter of the deadline without getting anything done is told, again each time
 * that time has doubled, and once more when it goes on. What to do about it is the caller's: it learns for how long.
 *
 * Monotonic time only: a clock that jumps, or a machine that slept, breaks nothing. Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_LIVENESS_H
#define TIDEMARK_CONNECTOR_LIVENESS_H

#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

enum liveness_part { LIVENESS_LOG, LIVENESS_KAFKA, LIVENESS_SNAPSHOT, LIVENESS_PARTS };

struct liveness {
    int64_t deadline_ms;
    struct liveness_watched {
        bool waits;
        uint64_t progress;
        int64_t since_ms;  /* last progress, or the beginning of waiting */
        int64_t looked_ms; /* last look; 0: none yet */
        int64_t tell_ms;   /* told when it has stood still for so long */
        bool is_told;
    } parts[LIVENESS_PARTS];
};

void liveness_init(struct liveness *l, int64_t deadline_ms);

/* One look. Returns for how many ms the part has waited and got nothing done. The text says what is waited for. */
int64_t liveness_look(struct liveness *l, enum liveness_part part, bool waits, uint64_t progress, int64_t now_ms,
                      const char *format, ...) PRINTF_LIKE(6, 7);

#endif
