/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ending.h"

#include "base/clock.h"

void ending_init(struct ending *e)
{
    pthread_mutex_init(&e->lock, NULL);
    clock_cond_init(&e->told);
    e->has_ended = false;
}

void ending_fini(struct ending *e)
{
    pthread_cond_destroy(&e->told);
    pthread_mutex_destroy(&e->lock);
}

void ending_tell(struct ending *e)
{
    pthread_mutex_lock(&e->lock);
    e->has_ended = true;
    pthread_cond_broadcast(&e->told);
    pthread_mutex_unlock(&e->lock);
}

bool ending_wait(struct ending *e, int timeout_ms)
{
    struct timespec deadline = clock_deadline(timeout_ms);
    pthread_mutex_lock(&e->lock);
    while (!e->has_ended && clock_cond_wait(&e->told, &e->lock, &deadline) == 0)
        ;
    bool has_ended = e->has_ended;
    pthread_mutex_unlock(&e->lock);
    return has_ended;
}
