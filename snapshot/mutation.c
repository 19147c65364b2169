/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/mutation.h"

#ifdef TIDEMARK_MUTATIONS

#include <stdlib.h>
#include <string.h>

bool mutation_is(enum mutation m)
{
    static const char *const names[] = {"no-barrier", "no-drop", "early-high", "any-order", "no-mute", "no-halt"};
    const char *broken = getenv("TIDEMARK_BREAK");
    return broken != NULL && strstr(broken, names[m]) != NULL;
}

#endif
