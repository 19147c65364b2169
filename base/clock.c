/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_wall_ns(void)
{
    return now_ns(CLOCK_REALTIME);
}

int64_t clock_mono_ms(void)
{
    return now_ns(CLOCK_MONOTONIC) / 1000000;
}

int64_t clock_mono_ns(void)
{
    return now_ns(CLOCK_MONOTONIC);
}

struct timespec clock_deadline(int ms)
{
    int64_t ns = now_ns(CLOCK_MONOTONIC) + (int64_t)ms * 1000000;
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

void clock_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

int clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *deadline)
{
    return pthread_cond_timedwait(cond, lock, deadline);
}
