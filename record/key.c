/* SPDX-License-Identifier: Apache-2.0 */
#include "record/key.h"

#include "base/fail.h"

const uint16_t *key_choose(const struct record_settings *set, const struct shape *shape, struct arena *memory,
                           unsigned *n)
{
    if (set->key_columns != NULL) {
        uint16_t *listed = arena_alloc(memory, shape->n_columns * sizeof *listed);
        *n = set->key_columns(set->ctx, shape, listed, shape->n_columns);
        ASSERT(*n <= shape->n_columns);
        if (*n > 0)
            return listed;
    }
    *n = shape->n_key;
    return shape->n_key == 0 ? NULL : shape->key;
}

static uint8_t *put(uint8_t *p, const void *bytes, size_t n)
{
    memcpy(p, bytes, n);
    return p + n;
}

/* Field by field, because a struct may hold padding. */
static uint8_t *put_date(uint8_t *p, const struct cell_date *d)
{
    uint8_t parts[] = {(uint8_t)d->year, (uint8_t)(d->year >> 8), d->month, d->day, d->hour, d->minute, d->second, 0};
    p = put(p, parts, sizeof parts);
    return put(p, &d->micro, sizeof d->micro);
}

static void put_bytes(struct view bytes, struct buf *out)
{
    uint32_t n = (uint32_t)bytes.n;
    buf_put(out, &n, sizeof n);
    buf_put_view(out, bytes);
}

enum { FIXED_BYTES = 1 + 1 + 32 }; /* the longest cell of a fixed size */

static void put_cell(const struct cell *c, struct buf *out)
{
    buf_need(out, FIXED_BYTES);
    uint8_t *p = out->p;
    *p++ = (uint8_t)c->kind;
    switch (c->kind) {
    case CELL_ABSENT:
    case CELL_NULL:
        break;
    case CELL_INT:
    case CELL_TIME:
    case CELL_TIMESTAMP:
    case CELL_UINT:
    case CELL_DOUBLE:
        p = put(p, &c->u, sizeof c->u);
        break;
    case CELL_FLOAT:
        p = put(p, &c->f, sizeof c->f);
        break;
    case CELL_DATE:
    case CELL_DATETIME:
        p = put_date(p, &c->date);
        break;
    case CELL_DECIMAL:
        *p++ = c->decimal.is_negative;
        p = put(p, c->decimal.limb, sizeof c->decimal.limb);
        break;
    case CELL_BYTES:
    case CELL_JSON:
    case CELL_JSON_TEXT:
        out->p = p;
        put_bytes(c->bytes, out);
        return;
    }
    out->p = p;
}

void key_put_exact(const uint16_t *columns, unsigned n, const struct cell *cells, struct buf *out)
{
    for (unsigned i = 0; i < n; i++)
        put_cell(&cells[columns[i]], out);
}
