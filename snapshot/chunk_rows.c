/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/chunk_rows.h"

#include <stdlib.h>

void chunk_rows_free(struct chunk_rows **rows)
{
    struct chunk_rows *r = *rows;
    if (r == NULL)
        return;
    buf_fini(&r->memory);
    free(r->rows);
    free(r);
    *rows = NULL;
}
