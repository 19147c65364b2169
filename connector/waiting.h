/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiting: which tables of the queue the offset leaves to a stored list (waiting_list.h), commit by commit.
 *
 * A short queue is stored in the offset whole. A long one has a list from the moment on in which tables were added; tables that
 * come to their turn, the first ones first, only move the place in it. Anything else (added, stopped, out of order) makes
 * another list.
 *
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_WAITING_H
#define TIDEMARK_CONNECTOR_WAITING_H

#include "connector/waiting_list.h"

enum {
    WAITING_INLINE_BYTES = 8 * 1024,       /* so much of a queue goes with the offset */
    WAITING_MOST_BYTES = 16 * 1024 * 1024, /* all tables that signals let wait */
};

struct waiting {
    struct waiting_list *list; /* NULL: what waits is in the offset */
    uint64_t *serials;         /* of the list's tables */
    uint32_t from;             /* so many of them, or some more, are not waiting any more */
    uint64_t last_number;      /* of the last list */
};

void waiting_init(struct waiting *w);
void waiting_fini(struct waiting *w);

/* Goes on with a list that was loaded (NULL: none): its tables behind the first `from` are the last ones of the queue. */
void waiting_take_up(struct waiting *w, struct waiting_list *list, uint32_t from, const struct incremental *inc);

/* About how many bytes a table that waits takes where it is stored, and how many all those of the queue do. */
size_t waiting_table_bytes(size_t texts);
size_t waiting_bytes(const struct incremental *inc);

/* The list that is stored may not be written over before another state is stored. NULL: none is. */
void waiting_avoid(struct waiting *w, const struct waiting_list *stored);

/* What the queue is now: list and from are as they go with the offset. */
void waiting_follow(struct waiting *w, const struct incremental *inc);

#endif
