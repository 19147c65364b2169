/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c11_threads: the threads of <threads.h> made as POSIX threads, for the thread sanitizer.
 *
 * librdkafka makes its threads with thrd_create, which the sanitizer does not know: the first allocation on such a thread ends
 * the program. Linked into a program these definitions stand before the C library's. Its locks stay unseen: it also
 * synchronises by atomics that can't be seen in a library that was not compiled for it, and half of the truth is
 * reported as a race.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

#define EXPORTED __attribute__((visibility("default")))

_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "a thrd_t is a pthread_t");

struct start {
    thrd_start_t run;
    void *arg;
};

static void *run(void *arg)
{
    struct start start = *(struct start *)arg;
    free(arg);
    return (void *)(intptr_t)start.run(start.arg);
}

EXPORTED int thrd_create(thrd_t *thread, thrd_start_t func, void *arg)
{
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return thrd_nomem;
    *start = (struct start){func, arg};
    int err = pthread_create((pthread_t *)thread, NULL, run, start);
    if (err == 0)
        return thrd_success;
    free(start);
    return err == ENOMEM || err == EAGAIN ? thrd_nomem : thrd_error;
}

EXPORTED int thrd_join(thrd_t thread, int *res)
{
    void *value = NULL;
    int err = pthread_join((pthread_t)thread, &value);
    if (res != NULL)
        *res = (int)(intptr_t)value;
    return err == 0 ? thrd_success : thrd_error;
}
