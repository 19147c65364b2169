/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena: many small pieces of memory with one end.
 *
 * Pieces are handed out from blocks and never freed alone. Blocks start small and double, and a large piece has a block of
 * its own, so what lives long wastes little: a process keeps some arenas for each of its tables. What is filled and reset
 * round by round comes to need one block: arena_reset forgets all pieces, and the next round's first block has room for as
 * much as this one took. arena_fini gives everything back. Pieces are aligned for any type, copied text is not aligned.
 * One thread at a time.
 */
#ifndef TIDEMARK_BASE_ARENA_H
#define TIDEMARK_BASE_ARENA_H

#include "base/bytes.h"

struct arena_block;

struct arena {
    struct arena_block *first;
    struct arena_block *now; /* the one that is filled, not always the last */
    size_t next_room;        /* of the next block; 0: a small one */
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);
void arena_reset(struct arena *a);

/* Uninitialised memory of n bytes; never NULL. */
void *arena_alloc(struct arena *a, size_t n);

/* Zeroed memory for count things of size bytes. */
void *arena_zero(struct arena *a, size_t count, size_t size);

/* A copy that lives as long as the arena. */
struct view arena_copy(struct arena *a, struct view v);
char *arena_string(struct arena *a, struct view v);

#endif
