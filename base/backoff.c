/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"

#include "base/clock.h"

enum { TOLD_EVERY = 10 };

int backoff_next_ms(struct backoff *b)
{
    b->n++;
    if (b->max_tries >= 0 && b->n > b->max_tries)
        return -1;
    int64_t ms = b->first_ms;
    for (int i = 1; i < b->n && ms < b->most_ms; i++)
        ms *= 2;
    if (ms > b->most_ms)
        ms = b->most_ms;
    return (int)(ms - ms / 10 + clock_mono_ns() / 1000 % (ms / 5 + 1));
}

void backoff_reset(struct backoff *b)
{
    b->n = 0;
    b->n_causes = 0;
}

bool backoff_is_news(struct backoff *b, int cause)
{
    bool is_known = b->n_causes == BACKOFF_CAUSES;
    for (int i = 0; i < b->n_causes; i++)
        is_known = is_known || b->causes[i] == cause;
    if (!is_known)
        b->causes[b->n_causes++] = cause;
    return !is_known || b->n % TOLD_EVERY == 0;
}
