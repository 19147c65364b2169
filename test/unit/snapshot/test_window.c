/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One chunk against the stream: what is heard before the rows are there, after it, and what closes the window.
 */
#include "snapshot/chunk_rows.h"
#include "snapshot/window.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static const struct log_position high = {.file = "binlog.000002", .offset = 500};

/* Rows with the keys k0, k1, … */
static struct chunk_rows *some_rows(uint32_t n)
{
    struct chunk_rows *rows = mem_zero(1, sizeof *rows);
    buf_init(&rows->memory);
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&rows->memory, "k%06u", i);
    rows->rows = mem_zero(n, sizeof *rows->rows);
    rows->n = n;
    for (uint32_t i = 0; i < n; i++)
        rows->rows[i].key = (struct view){rows->memory.start + (size_t)i * 7, 7};
    return rows;
}

static struct view key(char *text, uint32_t i)
{
    snprintf(text, 8, "k%06u", i);
    return view_of(text);
}

static uint32_t kept(const struct window *win)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < win->rows->n; i++)
        n += window_keeps(win, i);
    return n;
}

static void key_heard_before_the_rows_came_is_dropped(void **state)
{
    struct window win;
    char text[8];
    (void)state;
    window_init(&win);
    window_begin(&win);
    window_hear(&win, VIEW_NONE, key(text, 3));
    window_hear(&win, key(text, 9), VIEW_NONE);
    window_fill(&win, some_rows(10), &high);
    assert_false(window_keeps(&win, 3));
    assert_false(window_keeps(&win, 9));
    assert_int_equal(kept(&win), 8);
    window_fini(&win);
}

static void key_change_drops_the_old_and_the_new_key(void **state)
{
    struct window win;
    char old_text[8], new_text[8];
    (void)state;
    window_init(&win);
    window_begin(&win);
    window_fill(&win, some_rows(10), &high);
    window_hear(&win, key(old_text, 1), key(new_text, 2));
    assert_int_equal(kept(&win), 8);
    assert_int_equal(win.n_dropped, 2);
    window_hear(&win, key(old_text, 1), key(new_text, 2));
    assert_int_equal(win.n_dropped, 2);
    window_fini(&win);
}

static void unknown_keys_drop_nothing(void **state)
{
    struct window win;
    char text[8];
    (void)state;
    window_init(&win);
    window_begin(&win);
    window_hear(&win, key(text, 77), key(text, 77));
    window_fill(&win, some_rows(10), &high);
    window_hear(&win, view_of("k00000"), view_of("k0000011"));
    window_hear(&win, VIEW_NONE, VIEW_NONE);
    assert_int_equal(kept(&win), 10);
    window_fini(&win);
}

static void many_keys_are_each_found(void **state)
{
    enum { N = 5000 };
    struct window win;
    char text[8];
    (void)state;
    window_init(&win);
    window_begin(&win);
    for (uint32_t i = 0; i < N; i += 2)
        window_hear(&win, key(text, i), VIEW_NONE);
    window_fill(&win, some_rows(N), &high);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(window_keeps(&win, i), i % 2 == 1);
    window_fini(&win);
}

static void window_is_passed_at_high_and_behind_it_only(void **state)
{
    struct window win;
    (void)state;
    window_init(&win);
    window_begin(&win);
    const struct log_position far = {.file = "binlog.000010", .offset = 4};
    assert_false(window_is_passed(&win, &far));
    window_fill(&win, some_rows(1), &high);
    assert_false(window_is_passed(&win, &(struct log_position){.file = "binlog.000002", .offset = 499}));
    assert_false(window_is_passed(&win, &(struct log_position){.file = "binlog.000001", .offset = 9000}));
    assert_true(window_is_passed(&win, &high));
    assert_true(window_is_passed(&win, &far));
    window_fini(&win);
}

static void dropped_window_forgets_what_it_heard(void **state)
{
    struct window win;
    char text[8];
    (void)state;
    window_init(&win);
    window_begin(&win);
    window_hear(&win, key(text, 0), VIEW_NONE);
    window_drop(&win);
    window_begin(&win);
    window_fill(&win, some_rows(1), &high);
    assert_true(window_keeps(&win, 0));
    window_end(&win);
    assert_int_equal(win.state, WINDOW_IDLE);
    window_fini(&win);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_heard_before_the_rows_came_is_dropped),
        cmocka_unit_test(key_change_drops_the_old_and_the_new_key),
        cmocka_unit_test(unknown_keys_drop_nothing),
        cmocka_unit_test(many_keys_are_each_found),
        cmocka_unit_test(window_is_passed_at_high_and_behind_it_only),
        cmocka_unit_test(dropped_window_forgets_what_it_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
