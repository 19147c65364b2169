/* SPDX-License-Identifier: Apache-2.0 */
/* arena: pieces are apart, aligned and stay where they are; a round like the last one needs no new block. */
#include "base/arena.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { PIECES = 500 };

/* Fills pieces of growing and shrinking sizes, text between them, and looks at all of them at the end. */
static void fill_and_look(struct arena *a)
{
    uint8_t *pieces[PIECES];
    struct view texts[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        size_t n = i * 37 % 3001;
        pieces[i] = arena_alloc(a, n);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)i, n);
        texts[i] = arena_copy(a, (struct view){pieces[i], n % 19});
    }
    for (size_t i = 0; i < PIECES; i++) {
        size_t n = i * 37 % 3001;
        for (size_t at = 0; at < n; at++)
            assert_int_equal(pieces[i][at], (uint8_t)i);
        assert_true(view_equal(texts[i], (struct view){pieces[i], n % 19}));
    }
}

static void arena_keeps_pieces_apart(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    fill_and_look(&a);
    arena_reset(&a);
    fill_and_look(&a);
    arena_fini(&a);
}

static void arena_gives_a_round_like_the_last_the_same_memory(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    uint8_t *small = NULL, *large = NULL;
    for (unsigned round = 0; round < 5; round++) {
        arena_reset(&a);
        uint8_t *was_small = small, *was_large = large;
        small = arena_alloc(&a, 100);
        large = arena_alloc(&a, 20000);
        if (round < 2) /* two blocks, then one with room for both */
            continue;
        assert_ptr_equal(small, was_small);
        assert_ptr_equal(large, was_large);
    }
    arena_fini(&a);
}

static void arena_takes_a_huge_piece(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    for (unsigned round = 0; round < 3; round++) {
        char *text = arena_string(&a, view_of("before"));
        uint8_t *huge = arena_zero(&a, 1 << 10, 1 << 12);
        assert_int_equal(huge[(1 << 22) - 1], 0);
        assert_string_equal(text, "before");
        arena_reset(&a);
    }
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_keeps_pieces_apart),
        cmocka_unit_test(arena_gives_a_round_like_the_last_the_same_memory),
        cmocka_unit_test(arena_takes_a_huge_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
