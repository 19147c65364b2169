/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff: how long to wait before something that failed is tried again.
 *
 * The pause doubles from first to most, and is spread by a fifth, so that many programs that lost one server don't come
 * back at once. A success begins anew. Plain memory.
 */
#ifndef TIDEMARK_BASE_BACKOFF_H
#define TIDEMARK_BASE_BACKOFF_H

#include <stdbool.h>

struct backoff {
    int first_ms;
    int most_ms;
    int max_tries; /* -1: for ever */
    int n;         /* failures in a row */
};

/* One more failure. In how many ms to try again; -1: no more. */
int backoff_next_ms(struct backoff *b);

/* It worked. */
void backoff_reset(struct backoff *b);

/* Whether this failure is to be told: the first of a row, and then now and then. */
bool backoff_is_news(const struct backoff *b);

#endif
