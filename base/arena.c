/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

enum {
    FIRST_ROOM = 512,
    MOST_ROOM = 4096,
    MOST_AFTER_RESET = 65536, /* a round with a huge piece does not set the size for all that follow */
};

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t room;
    alignas(max_align_t) uint8_t bytes[];
};

void arena_init(struct arena *a)
{
    *a = (struct arena){0};
}

static void free_blocks(struct arena *a)
{
    for (struct arena_block *block = a->first, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
}

void arena_fini(struct arena *a)
{
    free_blocks(a);
    arena_init(a);
}

static size_t room_of_all(const struct arena *a)
{
    size_t room = 0;
    for (const struct arena_block *block = a->first; block != NULL; block = block->next)
        room += block->room;
    return room;
}

void arena_reset(struct arena *a)
{
    if (a->first == NULL)
        return;
    if (a->first->next == NULL) {
        a->first->used = 0;
        return;
    }
    size_t room = room_of_all(a);
    free_blocks(a);
    *a = (struct arena){.next_room = room < MOST_AFTER_RESET ? room : MOST_AFTER_RESET};
}

/* Puts a new block behind the one that is filled. */
static struct arena_block *block_add(struct arena *a, size_t room)
{
    struct arena_block *block = mem_alloc(sizeof *block + room);
    *block = (struct arena_block){.room = room};
    if (a->now == NULL) {
        a->first = a->now = block;
    } else {
        block->next = a->now->next;
        a->now->next = block;
    }
    return block;
}

/* The block for a piece that does not fit into the one that is filled. */
static struct arena_block *block_for(struct arena *a, size_t want)
{
    size_t room = a->next_room == 0 ? FIRST_ROOM : a->next_room;
    if (want > room / 2 && a->now != NULL)
        return block_add(a, want);
    struct arena_block *block = block_add(a, want > room ? want : room);
    a->now = block;
    a->next_room = room < MOST_ROOM / 2 ? 2 * room : MOST_ROOM;
    return block;
}

static size_t aligned(size_t n)
{
    size_t step = alignof(max_align_t);
    return (n + step - 1) / step * step;
}

static void *take(struct arena *a, size_t n, size_t at)
{
    struct arena_block *block = a->now;
    if (block == NULL || at > block->room || block->room - at < n) {
        block = block_for(a, n);
        at = 0;
    }
    block->used = at + n;
    return block->bytes + at;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return take(a, n, a->now == NULL ? 0 : aligned(a->now->used));
}

/* Where bytes go that need no alignment. */
static void *take_bytes(struct arena *a, size_t n)
{
    return take(a, n, a->now == NULL ? 0 : a->now->used);
}

void *arena_zero(struct arena *a, size_t count, size_t size)
{
    void *p = arena_alloc(a, count * size);
    memset(p, 0, count * size);
    return p;
}

struct view arena_copy(struct arena *a, struct view v)
{
    uint8_t *p = take_bytes(a, v.n);
    if (v.n > 0)
        memcpy(p, v.p, v.n);
    return (struct view){p, v.n};
}

char *arena_string(struct arena *a, struct view v)
{
    char *p = take_bytes(a, v.n + 1);
    if (v.n > 0)
        memcpy(p, v.p, v.n);
    p[v.n] = '\0';
    return p;
}
