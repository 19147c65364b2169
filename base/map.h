/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map: bytes -> pointer, for the tables, topics and names that are looked up by name.
 *
 * Keys are copied in; values stay the caller's. Open addressing with tombstone-free deletion (entries after a
 * gap are moved back), so a walk sees each entry once, in no order. NULL is not a value.
 * One thread at a time.
 */
#ifndef TIDEMARK_BASE_MAP_H
#define TIDEMARK_BASE_MAP_H

#include "base/bytes.h"

struct map_entry {
    struct view key; /* owned */
    void *value;     /* NULL: the slot is free */
    uint64_t hash;
};

struct map {
    struct map_entry *slots;
    size_t n_slots; /* 0 or a power of two */
    size_t n;
};

void map_init(struct map *m);

/* Frees the keys and, when free_value is not NULL, each value. */
void map_fini(struct map *m, void (*free_value)(void *));

void *map_get(const struct map *m, struct view key);

/* Puts value under key; returns the value that was there before, or NULL. */
void *map_put(struct map *m, struct view key, void *value);

/* Takes the key out; returns its value, or NULL when there was none. */
void *map_remove(struct map *m, struct view key);

/* Walks the entries: start with *at = 0; NULL at the end. The map must not change meanwhile. */
const struct map_entry *map_next(const struct map *m, size_t *at);

#endif
