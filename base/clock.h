/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: the two times we need. Wall time is for people and records and may jump; monotonic time is for
 * every decision, so that a jump changes nothing. Nobody else asks for a time (test/structure looks). Any thread.
 */
#ifndef TIDEMARK_BASE_CLOCK_H
#define TIDEMARK_BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds since 1970-01-01 UTC. */
int64_t clock_wall_ns(void);

/* Milliseconds since some fixed moment; never goes back. */
int64_t clock_mono_ms(void);
int64_t clock_mono_ns(void);

/* The monotonic moment in so many ms, for clock_cond_wait. */
struct timespec clock_deadline(int ms);

/* A condition whose waits end by monotonic time. */
void clock_cond_init(pthread_cond_t *cond);

/* Waits; 0, or ETIMEDOUT when the deadline has come. Only on a condition of clock_cond_init. */
int clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *deadline);

#endif
