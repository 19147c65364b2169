/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/block.h"

#include "base/fail.h"
#include "snapshot/chunk_rows.h"

#include <stdlib.h>

static void free_if_done(struct block *b)
{
    if (b->n_lent > 0 || !b->is_let_go)
        return;
    free(b->records);
    free(b);
}

static void take_back(struct loan *loan)
{
    struct block *b = (struct block *)loan;
    ASSERT(b->n_lent > 0);
    b->n_lent--;
    free_if_done(b);
}

/* How much the rows that leave take, with a tail behind each value. */
static size_t measure(const struct window *win, size_t tail_bytes, uint32_t *n)
{
    size_t bytes = 0;
    *n = 0;
    for (uint32_t i = 0; i < win->rows->n; i++) {
        if (!window_keeps(win, i))
            continue;
        bytes += win->rows->rows[i].record_key.n + win->rows->rows[i].value.n + tail_bytes;
        (*n)++;
    }
    return bytes;
}

static struct view put(uint8_t **at, struct view bytes)
{
    struct view copy = {*at, bytes.n};
    memcpy(*at, bytes.p, bytes.n);
    *at += bytes.n;
    return copy;
}

static void fill(struct block *b, const struct window *win, struct view tail)
{
    uint8_t *at = b->memory;
    for (uint32_t i = 0; i < win->rows->n; i++) {
        const struct chunk_row *row = &win->rows->rows[i];
        if (!window_keeps(win, i))
            continue;
        struct block_record *rec = &b->records[b->n++];
        rec->key = row->record_key.p == NULL ? VIEW_NONE : put(&at, row->record_key);
        rec->value = put(&at, row->value);
        rec->value.n += put(&at, tail).n;
    }
}

struct block *block_new(const struct window *win, const struct plan *plan, const struct row_source *src)
{
    struct render_event ev;
    struct buf tail;
    uint32_t n;
    render_event_init(&ev);
    render_event_begin(&ev, plan, src);
    buf_init(&tail);
    render_read_tail(&ev, &tail);
    size_t bytes = measure(win, buf_size(&tail), &n);
    struct block *b = mem_alloc(sizeof *b + bytes);
    *b = (struct block){.loan = {take_back}, .topic = plan_topic(plan), .bytes = bytes};
    b->records = mem_alloc(n * sizeof *b->records);
    fill(b, win, buf_view(&tail));
    buf_fini(&tail);
    render_event_fini(&ev);
    return b;
}

const struct block_record *block_next(const struct block *b)
{
    return b->n_given < b->n ? &b->records[b->n_given] : NULL;
}

struct loan *block_lend(struct block *b)
{
    b->n_lent++;
    return &b->loan;
}

void block_step(struct block *b)
{
    b->n_given++;
}

void block_let_go(struct block **block)
{
    struct block *b = *block;
    if (b == NULL)
        return;
    *block = NULL;
    b->is_let_go = true;
    free_if_done(b);
}
