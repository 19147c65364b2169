/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/watchdog.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,
    LATE_MS = 3000, /* a tick that took so long was no second of ours */
};

struct watchdog {
    int64_t limit_ms;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool must_end;
    atomic_uint_fast64_t n_fed;
    const char *_Atomic step;
};

/* Not by the log: its lock, or a reader of standard error that has stopped, may be what the loop hangs on. */
static _Noreturn void bark(const struct watchdog *dog, int64_t for_ms)
{
    char line[256];
    struct pollfd err = {.fd = STDERR_FILENO, .events = POLLOUT};
    int n =
        snprintf(line, sizeof line,
                 "tidemark: the loop has stood still for %lld s (%s): leaving, so that a restart goes on from what is "
                 "stored\n",
                 (long long)(for_ms / 1000), atomic_load(&dog->step));
    if (poll(&err, 1, 0) == 1) {
        ssize_t written = write(STDERR_FILENO, line, (size_t)n);
        (void)written;
    }
    _exit(FAIL_AREA_SYSTEM);
}

/* One second; false: the end. *was_whole: it took no longer than a second does. */
static bool wait_tick(struct watchdog *dog, bool *was_whole)
{
    int64_t began_ms = clock_mono_ms();
    struct timespec deadline = clock_deadline(TICK_MS);
    pthread_mutex_lock(&dog->lock);
    while (!dog->must_end && clock_cond_wait(&dog->ended, &dog->lock, &deadline) == 0)
        ;
    bool must_end = dog->must_end;
    pthread_mutex_unlock(&dog->lock);
    *was_whole = clock_mono_ms() - began_ms < LATE_MS;
    return !must_end;
}

static void *run(void *arg)
{
    struct watchdog *dog = arg;
    uint_fast64_t seen = 0;
    int64_t silent_ms = 0;
    bool was_whole;
    while (wait_tick(dog, &was_whole)) {
        uint_fast64_t fed = atomic_load(&dog->n_fed);
        silent_ms = fed == seen && was_whole ? silent_ms + TICK_MS : 0;
        seen = fed;
        if (silent_ms >= dog->limit_ms)
            bark(dog, silent_ms);
    }
    return NULL;
}

struct watchdog *watchdog_start(int64_t limit_ms, struct fail *why)
{
    struct watchdog *dog = mem_zero(1, sizeof *dog);
    dog->limit_ms = limit_ms;
    atomic_store(&dog->step, "starting");
    pthread_mutex_init(&dog->lock, NULL);
    clock_cond_init(&dog->ended);
    int err = pthread_create(&dog->thread, NULL, run, dog);
    if (err == 0)
        return dog;
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start the watchdog's thread: %s", strerror(err));
    pthread_cond_destroy(&dog->ended);
    pthread_mutex_destroy(&dog->lock);
    free(dog);
    return NULL;
}

void watchdog_feed(struct watchdog *dog, const char *step)
{
    atomic_store_explicit(&dog->step, step, memory_order_relaxed);
    atomic_fetch_add_explicit(&dog->n_fed, 1, memory_order_relaxed);
}

void watchdog_stop(struct watchdog **watchdog)
{
    struct watchdog *dog = *watchdog;
    if (dog == NULL)
        return;
    pthread_mutex_lock(&dog->lock);
    dog->must_end = true;
    pthread_cond_signal(&dog->ended);
    pthread_mutex_unlock(&dog->lock);
    pthread_join(dog->thread, NULL);
    pthread_cond_destroy(&dog->ended);
    pthread_mutex_destroy(&dog->lock);
    free(dog);
    *watchdog = NULL;
}
