/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: the two times we need. Wall time is for people and records and may jump; monotonic time is for
 * every decision. Any thread.
 */
#ifndef TIDEMARK_BASE_CLOCK_H
#define TIDEMARK_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds since 1970-01-01 UTC. */
int64_t clock_wall_ns(void);

/* Milliseconds since some fixed moment; never goes back. */
int64_t clock_mono_ms(void);

#endif
