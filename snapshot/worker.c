/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/worker.h"

#include "base/ending.h"
#include "base/log.h"
#include "snapshot/chunk_read.h"
#include "snapshot/chunk_whole.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum desk { DESK_EMPTY, DESK_ORDERED, DESK_ANSWERED };

struct worker {
    struct chunk_reader *reader;
    pthread_t thread;
    struct ending ending;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum desk desk; /* what lies between loop and thread */
    struct chunk_order order;
    struct chunk_answer answer;
    bool is_ending;
    bool has_leftovers; /* the reader may hold a view of a table that nobody goes on with */
    atomic_bool is_unwanted;
    int fd;
};

/* ---- orders and answers ---- */

void chunk_order_init(struct chunk_order *order)
{
    *order = (struct chunk_order){.limit = 1};
    chunk_key_init(&order->after);
    chunk_key_init(&order->last);
    gtid_set_init(&order->barrier);
    buf_init(&order->early_xa);
}

void chunk_order_fini(struct chunk_order *order)
{
    if (order->shape != NULL)
        shape_free(&order->shape);
    free(order->filter);
    free(order->surrogate);
    order->filter = NULL;
    order->surrogate = NULL;
    chunk_key_fini(&order->after);
    chunk_key_fini(&order->last);
    gtid_set_fini(&order->barrier);
    buf_fini(&order->early_xa);
}

void chunk_answer_init(struct chunk_answer *answer)
{
    *answer = (struct chunk_answer){.outcome = CHUNK_AGAIN, .estimated_rows = -1};
    gtid_set_init(&answer->executed);
    chunk_key_init(&answer->next);
    chunk_key_init(&answer->last);
}

void chunk_answer_fini(struct chunk_answer *answer)
{
    chunk_rows_free(&answer->rows);
    gtid_set_fini(&answer->executed);
    chunk_key_fini(&answer->next);
    chunk_key_fini(&answer->last);
}

/* ---- the thread ---- */

enum task { TASK_END, TASK_ORDER, TASK_FORGET };

/* An order that follows a withdrawn one begins anew, and forgets by itself. */
static enum task wait_task(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->desk != DESK_ORDERED && !w->is_ending && !w->has_leftovers)
        pthread_cond_wait(&w->changed, &w->lock);
    enum task task = w->is_ending ? TASK_END : w->desk == DESK_ORDERED ? TASK_ORDER : TASK_FORGET;
    w->has_leftovers = false;
    pthread_mutex_unlock(&w->lock);
    return task;
}

static void answer(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->desk = DESK_ANSWERED;
    pthread_mutex_unlock(&w->lock);
    eventfd_write(w->fd, 1);
}

static void *run(void *arg)
{
    struct worker *w = arg;
    enum task task;
    while ((task = wait_task(w)) != TASK_END) {
        if (task == TASK_FORGET) {
            chunk_whole_forget(w->reader);
            continue;
        }
        chunk_reader_do(w->reader, &w->order, &w->is_unwanted, &w->answer);
        answer(w);
    }
    ending_tell(&w->ending);
    return NULL;
}

/* ---- the loop's side ---- */

struct worker *worker_start(const struct worker_settings *set, struct fail *why)
{
    struct worker *w = mem_zero(1, sizeof *w);
    ending_init(&w->ending);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    chunk_order_init(&w->order);
    chunk_answer_init(&w->answer);
    w->reader = chunk_reader_new(set);
    w->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int err = w->fd < 0 ? errno : pthread_create(&w->thread, NULL, run, w);
    if (err == 0)
        return w;
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start a thread that reads chunks: %s", strerror(err));
    chunk_reader_free(&w->reader);
    if (w->fd >= 0)
        close(w->fd);
    free(w);
    return NULL;
}

bool worker_is_idle(const struct worker *worker)
{
    struct worker *w = (struct worker *)(uintptr_t)worker; /* only its lock is written */
    pthread_mutex_lock(&w->lock);
    bool is_idle = w->desk == DESK_EMPTY;
    pthread_mutex_unlock(&w->lock);
    return is_idle;
}

void worker_order(struct worker *w, struct chunk_order *order)
{
    ASSERT(worker_is_idle(w));
    chunk_order_fini(&w->order);
    w->order = *order;
    chunk_order_init(order);
    atomic_store(&w->is_unwanted, false);
    pthread_mutex_lock(&w->lock);
    w->desk = DESK_ORDERED;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void worker_withdraw(struct worker *w)
{
    atomic_store(&w->is_unwanted, true);
    pthread_mutex_lock(&w->lock);
    w->has_leftovers = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

int worker_fd(const struct worker *w)
{
    return w->fd;
}

bool worker_take(struct worker *w, struct chunk_answer *answer)
{
    eventfd_t count;
    pthread_mutex_lock(&w->lock);
    bool is_there = w->desk == DESK_ANSWERED;
    if (is_there)
        w->desk = DESK_EMPTY; /* the thread waits for the next order, which comes from here */
    pthread_mutex_unlock(&w->lock);
    if (!is_there)
        return false;
    eventfd_read(w->fd, &count);
    *answer = w->answer;
    chunk_answer_init(&w->answer);
    return true;
}

bool worker_stop(struct worker **worker, int timeout_ms)
{
    struct worker *w = *worker;
    if (w == NULL)
        return true;
    pthread_mutex_lock(&w->lock);
    w->is_ending = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    worker_withdraw(w);
    chunk_reader_wake(w->reader);
    if (!ending_wait(&w->ending, timeout_ms))
        return false;
    pthread_join(w->thread, NULL);
    chunk_reader_free(&w->reader);
    chunk_order_fini(&w->order);
    chunk_answer_fini(&w->answer);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    ending_fini(&w->ending);
    close(w->fd);
    free(w);
    *worker = NULL;
    return true;
}
