/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_key: one place in a table's key order, as text that can be stored and bound again.
 *
 *   [1001]   ["x",2]   [{"hex":"00ff"}]   [null,7]
 *
 * A JSON array with one value a key part, in key order: integers and decimals as numbers with all their digits,
 * times as text, character keys in the column's own bytes when they are not UTF-8 (hex), binary as hex, ENUM and SET as
 * numbers, floats by their shortest text. Empty text: no key.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_KEY_H
#define TIDEMARK_SNAPSHOT_CHUNK_KEY_H

#include "base/bytes.h"

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

#endif
