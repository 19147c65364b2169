/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/inbox.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 256 * 1024,
    CHUNK_CHANGES = 768, /* about as many as fit in the bytes of a chunk with the smallest records */
    MAX_SPARE = 256,
};

struct inbox_chunk {
    struct loan loan; /* first: the loan is the chunk */
    struct inbox *in;
    uint8_t *bytes;
    size_t room;
    bool is_large;                      /* made for one large row: freed, not kept */
    unsigned n_pushed;                  /* reader */
    atomic_uint n_published;            /* reader -> loop */
    _Atomic(struct inbox_chunk *) next; /* reader -> loop: set once the reader has left this chunk */
    unsigned n_taken;                   /* loop */
    unsigned n_lent;                    /* loop: undelivered records */
    bool is_left;                       /* loop: has gone on to the next chunk */
    struct change changes[CHUNK_CHANGES];
};

struct inbox {
    size_t budget_bytes;

    /* reader */
    struct inbox_chunk *filling;
    struct buf out; /* over the bytes of `filling`, from inbox_start on: its size and offsets hold when it moves */

    /* loop */
    struct inbox_chunk *taking;

    /* shared by lock */
    pthread_mutex_t lock;
    pthread_cond_t room_again;
    struct inbox_chunk *spare[MAX_SPARE];
    unsigned n_spare;
    unsigned n_idle; /* the fewest that were spare since inbox_trim */
    size_t used_bytes;
    unsigned n_used;
    atomic_bool is_cancelled;

    /* wake-up */
    int fd;
    atomic_bool loop_sleeps;
};

static struct inbox *inbox_of(struct buf *out)
{
    return (struct inbox *)((char *)out - offsetof(struct inbox, out));
}

static size_t chunk_cost(size_t room)
{
    return room + sizeof(struct inbox_chunk);
}

static struct inbox_chunk *chunk_new(size_t room)
{
    struct inbox_chunk *chunk = mem_alloc(sizeof *chunk);
    chunk->bytes = mem_alloc(room);
    chunk->room = room;
    chunk->is_large = room > CHUNK_BYTES;
    return chunk;
}

static void chunk_free(struct inbox_chunk *chunk)
{
    free(chunk->bytes);
    free(chunk);
}

static void chunk_clean(struct inbox_chunk *chunk)
{
    chunk->n_pushed = 0;
    atomic_store_explicit(&chunk->n_published, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->next, NULL, memory_order_relaxed);
    chunk->n_taken = 0;
    chunk->n_lent = 0;
    chunk->is_left = false;
}

/* Takes a chunk of at least `need` bytes; waits for the budget unless nothing but the chunk that the reader is
 * leaving is in use. After a cancel it is granted at once, so that a row under way can end; the next inbox_start
 * then fails. */
static struct inbox_chunk *chunk_get(struct inbox *in, size_t need)
{
    size_t room = need > CHUNK_BYTES ? need : CHUNK_BYTES;
    size_t cost = chunk_cost(room);
    struct inbox_chunk *chunk = NULL;
    pthread_mutex_lock(&in->lock);
    while (in->n_used > 1 && in->used_bytes + cost > in->budget_bytes && !atomic_load(&in->is_cancelled))
        pthread_cond_wait(&in->room_again, &in->lock);
    if (room == CHUNK_BYTES && in->n_spare > 0)
        chunk = in->spare[--in->n_spare];
    if (in->n_idle > in->n_spare)
        in->n_idle = in->n_spare;
    in->used_bytes += cost;
    in->n_used++;
    pthread_mutex_unlock(&in->lock);
    if (chunk == NULL)
        chunk = chunk_new(room);
    chunk_clean(chunk);
    chunk->in = in;
    return chunk;
}

static void chunk_put(struct inbox *in, struct inbox_chunk *chunk)
{
    bool is_kept = false;
    pthread_mutex_lock(&in->lock);
    in->used_bytes -= chunk_cost(chunk->room);
    in->n_used--;
    if (!chunk->is_large && in->n_spare < MAX_SPARE) {
        in->spare[in->n_spare++] = chunk;
        is_kept = true;
    }
    pthread_cond_signal(&in->room_again);
    pthread_mutex_unlock(&in->lock);
    if (!is_kept)
        chunk_free(chunk);
}

static void fill_from(struct inbox *in, struct inbox_chunk *chunk)
{
    in->filling = chunk;
    in->out.start = chunk->bytes;
    in->out.p = chunk->bytes;
    in->out.end = chunk->bytes + chunk->room;
}

/* Publishes what is pushed and goes on in a fresh chunk of at least `room` bytes, taking along the bytes of the
 * changes under way. The left chunk is published first: it must drain while we may wait for the budget. */
static void move_on(struct inbox *in, size_t room)
{
    struct inbox_chunk *old = in->filling;
    size_t under_way = buf_size(&in->out);
    const uint8_t *from = in->out.start;
    inbox_publish(in);
    struct inbox_chunk *fresh = chunk_get(in, room);
    memcpy(fresh->bytes, from, under_way);
    fill_from(in, fresh);
    in->out.p += under_way;
    atomic_store_explicit(&old->next, fresh, memory_order_release);
    inbox_publish(in); /* the loop may sleep on the old chunk and must give it back */
}

/* A chunk that holds nothing but the row under way grows in place. */
static void enlarge(struct inbox *in, size_t room)
{
    struct inbox_chunk *chunk = in->filling;
    size_t started_at = (size_t)(in->out.start - chunk->bytes);
    size_t under_way = buf_size(&in->out);
    pthread_mutex_lock(&in->lock);
    in->used_bytes += room - chunk->room;
    pthread_mutex_unlock(&in->lock);
    chunk->bytes = mem_resize(chunk->bytes, room);
    chunk->room = room;
    chunk->is_large = true;
    in->out.start = chunk->bytes + started_at;
    in->out.p = in->out.start + under_way;
    in->out.end = chunk->bytes + room;
}

static void grow(struct buf *out, size_t need)
{
    struct inbox *in = inbox_of(out);
    size_t want = buf_size(out) + need;
    if (in->filling->n_pushed > 0) {
        move_on(in, want <= CHUNK_BYTES ? CHUNK_BYTES : want + want / 4);
        return;
    }
    enlarge(in, (size_t)(out->start - in->filling->bytes) + want + want / 4);
}

struct inbox *inbox_new(size_t budget_bytes, struct fail *why)
{
    struct inbox *in = mem_zero(1, sizeof *in);
    in->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (in->fd < 0) {
        fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "make an eventfd: %s", strerror(errno));
        free(in);
        return NULL;
    }
    in->budget_bytes = budget_bytes;
    pthread_mutex_init(&in->lock, NULL);
    pthread_cond_init(&in->room_again, NULL);
    in->out.grow = grow;
    fill_from(in, chunk_get(in, CHUNK_BYTES));
    in->taking = in->filling;
    return in;
}

void inbox_free(struct inbox **in)
{
    struct inbox *box = *in;
    if (box == NULL)
        return;
    while (box->taking != NULL) {
        struct inbox_chunk *next = atomic_load(&box->taking->next);
        chunk_free(box->taking);
        box->taking = next;
    }
    for (unsigned i = 0; i < box->n_spare; i++)
        chunk_free(box->spare[i]);
    close(box->fd);
    pthread_cond_destroy(&box->room_again);
    pthread_mutex_destroy(&box->lock);
    free(box);
    *in = NULL;
}

struct buf *inbox_buf(struct inbox *in)
{
    return &in->out;
}

bool inbox_start(struct inbox *in, size_t expect, unsigned changes)
{
    if (atomic_load_explicit(&in->is_cancelled, memory_order_relaxed))
        return false;
    in->out.start = in->out.p;
    bool has_slots = in->filling->n_pushed + changes <= CHUNK_CHANGES;
    bool is_spent = in->filling->is_large && in->filling->n_pushed > 0; /* small rows must not keep it alive */
    bool has_bytes = (size_t)(in->out.end - in->out.p) >= expect;
    if (!has_slots || is_spent || (!has_bytes && in->filling->n_pushed > 0))
        move_on(in, expect);
    else if (!has_bytes)
        grow(&in->out, expect);
    return true;
}

uint8_t *inbox_base(struct inbox *in)
{
    return in->out.start;
}

void inbox_push(struct inbox *in, const struct change *chg)
{
    ASSERT(in->filling->n_pushed < CHUNK_CHANGES);
    in->filling->changes[in->filling->n_pushed++] = *chg;
}

void inbox_undo(struct inbox *in)
{
    in->out.p = in->out.start;
}

void inbox_publish(struct inbox *in)
{
    struct inbox_chunk *chunk = in->filling;
    atomic_store_explicit(&chunk->n_published, chunk->n_pushed, memory_order_seq_cst);
    if (atomic_load_explicit(&in->loop_sleeps, memory_order_seq_cst) && atomic_exchange(&in->loop_sleeps, false))
        eventfd_write(in->fd, 1);
}

static void leave_chunk(struct inbox *in, struct inbox_chunk *chunk)
{
    chunk->is_left = true;
    if (chunk->n_lent == 0)
        chunk_put(in, chunk);
}

const struct change *inbox_take(struct inbox *in, struct inbox_chunk **chunk)
{
    for (;;) {
        struct inbox_chunk *now = in->taking;
        /* Read `next` before the count: once it is set the count is final. */
        struct inbox_chunk *next = atomic_load_explicit(&now->next, memory_order_acquire);
        if (now->n_taken < atomic_load_explicit(&now->n_published, memory_order_acquire)) {
            *chunk = now;
            return &now->changes[now->n_taken++];
        }
        if (next == NULL)
            return NULL;
        in->taking = next;
        leave_chunk(in, now);
    }
}

void inbox_untake(struct inbox *in)
{
    ASSERT(in->taking->n_taken > 0);
    in->taking->n_taken--;
}

static void take_back(struct loan *loan)
{
    struct inbox_chunk *chunk = (struct inbox_chunk *)loan;
    ASSERT(chunk->n_lent > 0);
    if (--chunk->n_lent == 0 && chunk->is_left)
        chunk_put(chunk->in, chunk);
}

struct loan *inbox_lend(struct inbox_chunk *chunk)
{
    chunk->loan.back = take_back;
    chunk->n_lent++;
    return &chunk->loan;
}

int inbox_fd(const struct inbox *in)
{
    return in->fd;
}

static bool has_published(struct inbox *in)
{
    struct inbox_chunk *now = in->taking;
    return now->n_taken < atomic_load(&now->n_published) || atomic_load(&now->next) != NULL;
}

bool inbox_sleep(struct inbox *in)
{
    atomic_store(&in->loop_sleeps, true);
    if (!has_published(in))
        return true;
    atomic_store(&in->loop_sleeps, false);
    return false;
}

void inbox_wake(struct inbox *in)
{
    eventfd_t count;
    atomic_store(&in->loop_sleeps, false);
    eventfd_read(in->fd, &count);
}

void inbox_cancel(struct inbox *in)
{
    pthread_mutex_lock(&in->lock);
    atomic_store(&in->is_cancelled, true);
    pthread_cond_broadcast(&in->room_again);
    pthread_mutex_unlock(&in->lock);
}

void inbox_reset(struct inbox *in, void (*free_change)(const struct change *chg))
{
    struct inbox_chunk *chunk = NULL;
    in->out.start = in->out.p;
    inbox_publish(in);
    for (const struct change *chg; (chg = inbox_take(in, &chunk)) != NULL;)
        free_change(chg);
    atomic_store(&in->is_cancelled, false);
}

size_t inbox_bytes(struct inbox *in)
{
    pthread_mutex_lock(&in->lock);
    size_t n = in->used_bytes;
    pthread_mutex_unlock(&in->lock);
    return n;
}

/* The last one that was put back is the first to be had again: the idle ones are those below. */
size_t inbox_trim(struct inbox *in)
{
    struct inbox_chunk *idle[MAX_SPARE];
    pthread_mutex_lock(&in->lock);
    unsigned n = in->n_idle;
    memcpy(idle, in->spare, n * sizeof *idle);
    memmove(in->spare, in->spare + n, (in->n_spare - n) * sizeof *in->spare);
    in->n_spare -= n;
    in->n_idle = in->n_spare;
    pthread_mutex_unlock(&in->lock);
    for (unsigned i = 0; i < n; i++)
        chunk_free(idle[i]);
    return n * chunk_cost(CHUNK_BYTES);
}
