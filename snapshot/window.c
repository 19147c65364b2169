/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/window.h"

#include "base/fail.h"
#include "snapshot/chunk_rows.h"
#include "snapshot/mutation.h"

#include <stdlib.h>

void window_init(struct window *win)
{
    *win = (struct window){.state = WINDOW_IDLE};
    buf_init(&win->heard);
}

void window_fini(struct window *win)
{
    window_drop(win);
    buf_fini(&win->heard);
}

void window_begin(struct window *win)
{
    ASSERT(win->state == WINDOW_IDLE);
    buf_clear(&win->heard);
    win->state = WINDOW_READING;
}

/* ---- keys ---- */

/* FNV-1a over 8 bytes a step: keys are short, and this runs only for tables that change while they are read. */
static uint32_t hash_of(struct view key)
{
    uint64_t h = 0xcbf29ce484222325u ^ key.n;
    size_t i = 0;
    for (; i + 8 <= key.n; i += 8) {
        uint64_t word;
        memcpy(&word, key.p + i, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; i < key.n; i++)
        h = (h ^ key.p[i]) * 0x100000001b3u;
    return (uint32_t)(h ^ h >> 32);
}

static void build_slots(struct window *win)
{
    uint32_t n = 16;
    while (n < win->rows->n * 2)
        n *= 2;
    win->slots = mem_zero(n, sizeof *win->slots);
    win->n_slots = n;
    for (uint32_t row = 0; row < win->rows->n; row++) {
        uint32_t at = hash_of(win->rows->rows[row].key) & (n - 1);
        while (win->slots[at] != 0)
            at = (at + 1) & (n - 1);
        win->slots[at] = row + 1;
    }
}

static void drop_key(struct window *win, struct view key)
{
    if (key.n == 0 || win->rows->n == 0)
        return;
    if (win->slots == NULL)
        build_slots(win);
    uint32_t mask = win->n_slots - 1;
    for (uint32_t at = hash_of(key) & mask; win->slots[at] != 0; at = (at + 1) & mask) {
        uint32_t row = win->slots[at] - 1;
        if (!view_equal(win->rows->rows[row].key, key))
            continue;
        if (!win->is_dropped[row])
            win->n_dropped++;
        win->is_dropped[row] = true;
    }
}

static void remember(struct window *win, struct view key)
{
    uint32_t n = (uint32_t)key.n;
    if (n == 0)
        return;
    buf_put(&win->heard, &n, sizeof n);
    buf_put_view(&win->heard, key);
}

void window_hear(struct window *win, struct view before_key, struct view after_key)
{
    bool is_same = view_equal(before_key, after_key);
    if (mutation_is(MUTATION_NO_DROP))
        return;
    if (win->state == WINDOW_READING) {
        remember(win, before_key);
        if (!is_same)
            remember(win, after_key);
    } else if (win->state == WINDOW_OPEN) {
        drop_key(win, before_key);
        if (!is_same)
            drop_key(win, after_key);
    }
}

static void drop_heard(struct window *win)
{
    struct cursor c = cursor_of(buf_view(&win->heard));
    while (cursor_left(&c) > 0) {
        uint32_t n = cursor_u32(&c);
        drop_key(win, cursor_view(&c, n));
    }
    buf_clear(&win->heard);
}

/* ---- rows ---- */

void window_fill(struct window *win, struct chunk_rows *rows, const struct log_position *high)
{
    ASSERT(win->state == WINDOW_READING);
    win->rows = rows;
    win->is_dropped = mem_zero(rows->n, sizeof *win->is_dropped);
    win->n_dropped = 0;
    win->high = *high;
    win->state = WINDOW_OPEN;
    drop_heard(win);
}

bool window_is_passed(const struct window *win, const struct log_position *stream)
{
    return win->state == WINDOW_OPEN && position_compare(stream, &win->high) >= 0;
}

bool window_keeps(const struct window *win, uint32_t row)
{
    return !win->is_dropped[row];
}

static void forget_rows(struct window *win)
{
    chunk_rows_free(&win->rows);
    free(win->is_dropped);
    free(win->slots);
    win->is_dropped = NULL;
    win->slots = NULL;
    win->n_slots = 0;
    win->n_dropped = 0;
}

void window_end(struct window *win)
{
    ASSERT(win->state == WINDOW_OPEN);
    forget_rows(win);
    win->state = WINDOW_IDLE;
}

void window_drop(struct window *win)
{
    forget_rows(win);
    buf_clear(&win->heard);
    win->state = WINDOW_IDLE;
}
