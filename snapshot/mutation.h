/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutation: steps of the algorithm that tests can leave out, to see that a test which should notice does.
 *
 * TIDEMARK_BREAK names what is left out, apart by commas. Only in builds made for tests (TIDEMARK_MUTATIONS); in all
 * others the question costs nothing and is always answered no. Any thread.
 */
#ifndef TIDEMARK_SNAPSHOT_MUTATION_H
#define TIDEMARK_SNAPSHOT_MUTATION_H

#include <stdbool.h>

enum mutation {
    MUTATION_NO_BARRIER, /* no-barrier: the SELECT does not wait for what was streamed, nor lock without GTIDs */
    MUTATION_NO_DROP,    /* no-drop: streamed changes leave the held rows alone */
    MUTATION_EARLY_HIGH, /* early-high: HIGH is read before the SELECT */
    MUTATION_ANY_ORDER,  /* any-order: the stored key speaks for windows that are still open */
    MUTATION_NO_MUTE,    /* no-mute: what the stream says of a table without a key is sent before its view, too */
    MUTATION_NO_HALT,    /* no-halt: the stream goes on past a view whose rows have not left */
};

#ifdef TIDEMARK_MUTATIONS
bool mutation_is(enum mutation m);
#else
static inline bool mutation_is(enum mutation m)
{
    (void)m;
    return false;
}
#endif

#endif
