/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_key: one place in a table's key order, as text that can be stored and bound again.
 *
 *   [1001]   ["x",2]   [{"hex":"00ff"}]   [null,7]
 *
 * A JSON array with one value a key part, in key order: numbers with all their digits, times as text, character keys as
 * text when their bytes are UTF-8, else, like binary ones, in hex; ENUM and SET as numbers. Empty text: no key.
 * One thread at a time.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_KEY_H
#define TIDEMARK_SNAPSHOT_CHUNK_KEY_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/cell.h"
#include "binlog/shape.h"

#include <stdbool.h>

struct chunk_key {
    struct buf text; /* owned */
};

static inline void chunk_key_init(struct chunk_key *key)
{
    buf_init(&key->text);
}

static inline void chunk_key_fini(struct chunk_key *key)
{
    buf_fini(&key->text);
}

static inline bool chunk_key_is_empty(const struct chunk_key *key)
{
    return buf_size(&key->text) == 0;
}

static inline void chunk_key_set(struct chunk_key *key, struct view text)
{
    buf_clear(&key->text);
    buf_put_view(&key->text, text);
}

/* One part as it is bound: the plain text of numbers and times, the bytes of the others. */
struct chunk_key_value {
    bool is_null;
    struct view bytes;
};

/* Prints the key of a row: n columns of the shape, by their cells. */
void chunk_key_print(struct chunk_key *key, const struct shape *shape, const uint16_t *columns, unsigned n,
                     const struct cell *cells);

/* Reads it back: exactly n values into the arena. Malformed (a stored state that was edited): REFUSE. */
MUST_USE bool chunk_key_read(struct view text, unsigned n, struct arena *memory, struct chunk_key_value *values,
                             struct fail *why);

#endif
