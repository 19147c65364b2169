/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wanted: which tables a request for a snapshot means, and which of their rows.
 *
 * Patterns (table_pattern.h) are held against the tables whose shapes are stored. Tables come in the order of the patterns, those
 * of one pattern by name, each once. All is the arena's or lent by the signal. Any thread.
 */
#ifndef TIDEMARK_CONNECTOR_WANTED_H
#define TIDEMARK_CONNECTOR_WANTED_H

#include "connector/config.h"
#include "connector/shape_store.h"
#include "signal/signals.h"

enum {
    WANTED_NAME_BYTES = 256, /* no name is longer on a server */
    WANTED_FILTER_BYTES = 8192,
};

struct wanted_table {
    struct view db, table;
    const char *filter; /* NULL: all rows */
};

struct wanted {
    struct wanted_table *items;
    size_t n, room;
    struct arena *memory; /* lent */
};

/* Whether a source may be read at all: with GTIDs, or when reading FOR SHARE is allowed. REFUSE else. */
MUST_USE bool wanted_may_read(const struct config *cfg, bool has_gtids, struct fail *why);

/* REFUSE: a pattern or a filter can't be read, a filter does more than choose rows or is for none of the tables, or a text is
 * longer than is stored: progress goes with each commit. */
MUST_USE bool wanted_find(const struct signal *sig, const struct shape_store *shapes, struct arena *memory,
                          struct wanted *wanted, struct fail *why);

/* "shop.orders,shop.items" */
void wanted_put_names(const struct wanted *wanted, struct buf *out);

#endif
