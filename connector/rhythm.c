/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/rhythm.h"

enum {
    TRICKLE_BYTES = 65536, /* since the last commit; with the usual pause some 10 MB a second */
    LULL_MS = 5,           /* under load, and within a transaction, a shorter gap is no end of the input */
    UNEVEN_MS = 10,        /* so much later a commit may come for being cheaper */
};

void rhythm_stored(struct rhythm *r, uint64_t all_bytes, int64_t now_ms)
{
    r->stored_bytes = all_bytes;
    r->stored_ms = now_ms;
}

void rhythm_dry(struct rhythm *r, int64_t now_ms)
{
    if (r->dry_since_ms == 0)
        r->dry_since_ms = now_ms;
}

void rhythm_wet(struct rhythm *r)
{
    r->dry_since_ms = 0;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t dry_due_ms(const struct rhythm *r, const struct rhythm_sent *sent)
{
    bool is_trickle = sent->all_bytes - r->stored_bytes < TRICKLE_BYTES;
    int64_t lull_ms = is_trickle && !sent->is_inside ? 0 : LULL_MS;
    return later(r->dry_since_ms + r->dry_ms + lull_ms, r->stored_ms + r->pause_ms);
}

int64_t rhythm_due_ms(const struct rhythm *r, const struct rhythm_sent *sent)
{
    int64_t due_ms = (sent->opened_ms > 0 ? sent->opened_ms : r->stored_ms) + r->interval_ms;
    if (sent->is_uneven)
        due_ms += UNEVEN_MS;
    if (r->dry_since_ms == 0 || sent->has_more)
        return due_ms;
    int64_t early_ms = dry_due_ms(r, sent);
    return early_ms < due_ms ? early_ms : due_ms;
}

int64_t rhythm_position_due_ms(const struct rhythm *r)
{
    return r->stored_ms + r->position_interval_ms;
}
