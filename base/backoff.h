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

enum { BACKOFF_CAUSES = 4 };

struct backoff {
    int first_ms;
    int most_ms;
    int max_tries;              /* -1: for ever */
    int n;                      /* failures in a row */
    int causes[BACKOFF_CAUSES]; /* their codes, as far as they were told */
    int n_causes;
};

/* One more failure. In how many ms to try again; -1: no more. */
int backoff_next_ms(struct backoff *b);

/* It worked. */
void backoff_reset(struct backoff *b);

/* Whether this failure, of that code, is to be told: the first of a row, the first of each cause in it, and then now and
 * then. */
bool backoff_is_news(struct backoff *b, int cause);

#endif
