/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <stdlib.h>

void map_init(struct map *m)
{
    *m = (struct map){NULL, 0, 0};
}

void map_fini(struct map *m, void (*free_value)(void *))
{
    for (size_t i = 0; i < m->n_slots; i++) {
        if (m->slots[i].value == NULL)
            continue;
        free((void *)(uintptr_t)m->slots[i].key.p);
        if (free_value != NULL)
            free_value(m->slots[i].value);
    }
    free(m->slots);
    map_init(m);
}

/* FNV-1a: names are short. */
static uint64_t hash_of(struct view key)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < key.n; i++)
        h = (h ^ key.p[i]) * 0x100000001b3u;
    return h;
}

/* The slot that holds the key, or the free one where it belongs. */
static size_t slot_of(const struct map *m, struct view key, uint64_t hash)
{
    size_t mask = m->n_slots - 1;
    size_t i = (size_t)hash & mask;
    while (m->slots[i].value != NULL && !(m->slots[i].hash == hash && view_equal(m->slots[i].key, key)))
        i = (i + 1) & mask;
    return i;
}

static void resize(struct map *m, size_t n_slots)
{
    struct map old = *m;
    m->slots = mem_zero(n_slots, sizeof *m->slots);
    m->n_slots = n_slots;
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].value != NULL)
            m->slots[slot_of(m, old.slots[i].key, old.slots[i].hash)] = old.slots[i];
    free(old.slots);
}

void *map_get(const struct map *m, struct view key)
{
    if (m->n == 0)
        return NULL;
    return m->slots[slot_of(m, key, hash_of(key))].value;
}

void *map_put(struct map *m, struct view key, void *value)
{
    if ((m->n + 1) * 4 > m->n_slots * 3)
        resize(m, m->n_slots == 0 ? 16 : m->n_slots * 2);
    uint64_t hash = hash_of(key);
    struct map_entry *e = &m->slots[slot_of(m, key, hash)];
    void *before = e->value;
    if (before == NULL) {
        e->key = (struct view){(const uint8_t *)view_to_string(key), key.n};
        e->hash = hash;
        m->n++;
    }
    e->value = value;
    return before;
}

/* Moves the entries of the run behind a new gap back to where a search will find them. */
static void close_gap(struct map *m, size_t gap)
{
    size_t mask = m->n_slots - 1;
    for (size_t i = (gap + 1) & mask; m->slots[i].value != NULL; i = (i + 1) & mask) {
        size_t home = (size_t)m->slots[i].hash & mask;
        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        m->slots[gap] = m->slots[i];
        gap = i;
    }
    m->slots[gap] = (struct map_entry){VIEW_NONE, NULL, 0};
}

void *map_remove(struct map *m, struct view key)
{
    if (m->n == 0)
        return NULL;
    size_t i = slot_of(m, key, hash_of(key));
    void *value = m->slots[i].value;
    if (value == NULL)
        return NULL;
    free((void *)(uintptr_t)m->slots[i].key.p);
    m->n--;
    close_gap(m, i);
    return value;
}

const struct map_entry *map_next(const struct map *m, size_t *at)
{
    while (*at < m->n_slots) {
        const struct map_entry *e = &m->slots[(*at)++];
        if (e->value != NULL)
            return e;
    }
    return NULL;
}
