/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ending: how one thread waits for the end of another, but not for ever.
 *
 * The thread says ending_tell as the last thing it does; ending_wait gives up after a while, by monotonic time, and then
 * the thread and all it uses must be left alone. What joins it is the caller's pthread_join, after ending_wait said yes.
 */
#ifndef TIDEMARK_BASE_ENDING_H
#define TIDEMARK_BASE_ENDING_H

#include "base/fail.h"

#include <pthread.h>
#include <stdbool.h>

struct ending {
    pthread_mutex_t lock;
    pthread_cond_t told;
    bool has_ended;
};

void ending_init(struct ending *e);
void ending_fini(struct ending *e);

/* The thread itself. */
void ending_tell(struct ending *e);

/* False: it still runs after timeout_ms. */
MUST_USE bool ending_wait(struct ending *e, int timeout_ms);

#endif
