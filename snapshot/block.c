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

/* How much the rows that leave take, without what comes behind their values. */
static size_t measure(const struct window *win, uint32_t *n)
{
    size_t bytes = 0;
    *n = 0;
    for (uint32_t i = 0; i < win->rows->n; i++) {
        if (!window_keeps(win, i))
            continue;
        bytes += win->rows->rows[i].record_key.n + win->rows->rows[i].value.n;
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

/* What stands behind the values: the same for all but the first and the last. */
struct tails {
    struct buf first, between, last;
};

static void render_tail(const struct plan *plan, const struct row_source *src, const char *mark, struct buf *out)
{
    struct render_event ev;
    struct row_source marked = *src;
    marked.snapshot = mark;
    buf_init(out);
    render_event_init(&ev);
    render_event_begin(&ev, plan, &marked);
    render_read_tail(&ev, out);
    render_event_fini(&ev);
}

static void render_tails(struct tails *tails, const struct plan *plan, const struct row_source *src,
                         const struct block_marks *marks, uint32_t n)
{
    render_tail(plan, src, n == 1 ? marks->only : marks->first, &tails->first);
    render_tail(plan, src, marks->between, &tails->between);
    render_tail(plan, src, marks->last, &tails->last);
}

static struct view tail_of(const struct tails *tails, uint32_t i, uint32_t n)
{
    return buf_view(i == 0 ? &tails->first : i + 1 == n ? &tails->last : &tails->between);
}

static void fill(struct block *b, const struct window *win, const struct tails *tails, uint32_t n)
{
    uint8_t *at = b->memory;
    for (uint32_t i = 0; i < win->rows->n; i++) {
        const struct chunk_row *row = &win->rows->rows[i];
        if (!window_keeps(win, i))
            continue;
        struct block_record *rec = &b->records[b->n];
        rec->key = row->record_key.p == NULL ? VIEW_NONE : put(&at, row->record_key);
        rec->value = put(&at, row->value);
        rec->value.n += put(&at, tail_of(tails, b->n, n)).n;
        b->n++;
    }
}

struct block *block_new(const struct window *win, const struct plan *plan, const char *table,
                        const struct row_source *src, const struct block_marks *marks)
{
    struct tails tails;
    uint32_t n;
    size_t bytes = measure(win, &n);
    render_tails(&tails, plan, src, marks, n);
    bytes += buf_size(&tails.first) + buf_size(&tails.last) + n * buf_size(&tails.between);
    struct block *b = mem_alloc(sizeof *b + bytes);
    *b = (struct block){.loan = {take_back}, .topic = plan_topic(plan), .table = table, .bytes = bytes};
    b->records = mem_alloc(n * sizeof *b->records);
    fill(b, win, &tails, n);
    buf_fini(&tails.first);
    buf_fini(&tails.between);
    buf_fini(&tails.last);
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
