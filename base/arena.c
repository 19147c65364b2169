/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 4096 };

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t room;
    alignas(max_align_t) uint8_t bytes[];
};

void arena_init(struct arena *a)
{
    *a = (struct arena){NULL, NULL};
}

static void free_after(struct arena_block *keep)
{
    struct arena_block *block = keep->next;
    keep->next = NULL;
    while (block != NULL) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void arena_fini(struct arena *a)
{
    if (a->first != NULL) {
        free_after(a->first);
        free(a->first);
    }
    arena_init(a);
}

void arena_reset(struct arena *a)
{
    if (a->first == NULL)
        return;
    free_after(a->first);
    a->first->used = 0;
    a->now = a->first;
}

static struct arena_block *block_new(size_t room)
{
    struct arena_block *block = mem_alloc(sizeof *block + room);
    *block = (struct arena_block){NULL, 0, room};
    return block;
}

void *arena_alloc(struct arena *a, size_t n)
{
    size_t step = alignof(max_align_t);
    size_t want = (n + step - 1) / step * step;
    if (a->now == NULL || a->now->room - a->now->used < want) {
        struct arena_block *block = block_new(want > BLOCK_BYTES ? want : BLOCK_BYTES);
        if (a->now == NULL)
            a->first = block;
        else
            a->now->next = block;
        a->now = block;
    }
    void *p = a->now->bytes + a->now->used;
    a->now->used += want;
    return p;
}

void *arena_zero(struct arena *a, size_t count, size_t size)
{
    void *p = arena_alloc(a, count * size);
    memset(p, 0, count * size);
    return p;
}

struct view arena_copy(struct arena *a, struct view v)
{
    uint8_t *p = arena_alloc(a, v.n);
    if (v.n > 0)
        memcpy(p, v.p, v.n);
    return (struct view){p, v.n};
}

char *arena_string(struct arena *a, struct view v)
{
    char *p = arena_alloc(a, v.n + 1);
    if (v.n > 0)
        memcpy(p, v.p, v.n);
    p[v.n] = '\0';
    return p;
}
