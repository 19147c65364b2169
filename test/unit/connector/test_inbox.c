/* SPDX-License-Identifier: Apache-2.0 */
/* inbox: order, growth, budget and return of chunks, with a reader thread beside the loop. */
#include "connector/inbox.h"

#include <cmocka.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void push_text(struct inbox *in, size_t n, uint32_t number)
{
    assert_true(inbox_start(in, 0, 1));
    struct buf *out = inbox_buf(in);
    for (size_t i = 0; i < n; i++)
        buf_put_u8(out, (uint8_t)('a' + number % 26));
    struct change chg = {.kind = CHANGE_RECORD, .has_value = true, .events = number};
    chg.record.value = (struct view){inbox_base(in), n};
    inbox_push(in, &chg);
}

static void inbox_gives_changes_in_order(void **state)
{
    (void)state;
    struct inbox *in = inbox_new(1 << 20, NULL);
    struct inbox_chunk *chunk;
    push_text(in, 10, 1);
    push_text(in, 20, 2);
    assert_null(inbox_take(in, &chunk));
    inbox_publish(in);
    assert_int_equal(inbox_take(in, &chunk)->events, 1);
    const struct change *second = inbox_take(in, &chunk);
    assert_int_equal(second->record.value.n, 20);
    inbox_untake(in);
    assert_int_equal(inbox_take(in, &chunk)->events, 2);
    assert_null(inbox_take(in, &chunk));
    inbox_free(&in);
}

static void inbox_takes_a_row_larger_than_its_budget(void **state)
{
    (void)state;
    struct inbox *in = inbox_new(1 << 19, NULL);
    struct inbox_chunk *chunk;
    push_text(in, 100, 1);
    push_text(in, 3 << 20, 2);
    inbox_publish(in);
    assert_int_equal(inbox_take(in, &chunk)->events, 1);
    const struct change *large = inbox_take(in, &chunk);
    assert_int_equal(large->record.value.n, 3 << 20);
    for (size_t i = 0; i < large->record.value.n; i++)
        assert_int_equal(large->record.value.p[i], 'c');
    push_text(in, 100, 3);
    inbox_publish(in);
    assert_int_equal(inbox_take(in, &chunk)->events, 3);
    inbox_free(&in);
}

static void inbox_keeps_a_lent_chunk_until_its_release(void **state)
{
    (void)state;
    struct inbox *in = inbox_new(64 << 20, NULL);
    struct inbox_chunk *first, *chunk;
    size_t at_start = inbox_bytes(in);
    push_text(in, 1000, 1);
    push_text(in, 255 * 1024, 2);
    push_text(in, 255 * 1024, 3);
    inbox_publish(in);
    assert_non_null(inbox_take(in, &first));
    struct loan *loan = inbox_lend(first);
    while (inbox_take(in, &chunk) != NULL)
        ;
    size_t lent = inbox_bytes(in);
    loan->back(loan);
    assert_true(inbox_bytes(in) < lent);
    assert_int_equal(inbox_bytes(in), at_start);
    inbox_free(&in);
}

static void inbox_undo_forgets_the_row_under_way(void **state)
{
    (void)state;
    struct inbox *in = inbox_new(1 << 20, NULL);
    struct inbox_chunk *chunk;
    push_text(in, 5, 1);
    assert_true(inbox_start(in, 0, 1));
    buf_put_text(inbox_buf(in), "half a row");
    inbox_undo(in);
    push_text(in, 5, 2);
    inbox_publish(in);
    assert_int_equal(inbox_take(in, &chunk)->events, 1);
    assert_int_equal(inbox_take(in, &chunk)->events, 2);
    assert_null(inbox_take(in, &chunk));
    inbox_free(&in);
}

static void inbox_offsets_hold_when_a_row_moves_to_another_chunk(void **state)
{
    (void)state;
    struct inbox *in = inbox_new(4 << 20, NULL);
    struct inbox_chunk *chunk;
    push_text(in, 250 * 1024, 1);
    assert_true(inbox_start(in, 0, 1));
    struct buf *out = inbox_buf(in);
    size_t at_start = buf_size(out);
    buf_put_text(out, "head");
    size_t at_value = buf_size(out) - at_start;
    for (size_t i = 0; i < 20 * 1024; i++)
        buf_put_u8(out, 'v');
    assert_int_equal(buf_size(out) - at_start - at_value, 20 * 1024);
    struct change chg = {.kind = CHANGE_RECORD, .has_value = true, .events = 2};
    chg.record.value = (struct view){inbox_base(in) + at_value, 20 * 1024};
    inbox_push(in, &chg);
    inbox_publish(in);
    assert_int_equal(inbox_take(in, &chunk)->events, 1);
    const struct change *moved = inbox_take(in, &chunk);
    assert_int_equal(moved->record.value.p[-1], 'd');
    for (size_t i = 0; i < moved->record.value.n; i++)
        assert_int_equal(moved->record.value.p[i], 'v');
    inbox_free(&in);
}

enum { MANY = 200000, BUDGET = 2 << 20 };

static void *write_many(void *arg)
{
    struct inbox *in = arg;
    unsigned seed = 7;
    for (uint32_t i = 1; i <= MANY; i++) {
        push_text(in, (size_t)(rand_r(&seed) % (i % 5000 == 0 ? 900000 : 900)), i);
        if (i % 7 == 0 || i == MANY)
            inbox_publish(in);
    }
    return NULL;
}

/* Lends every record and releases it later, as delivery reports do. */
static void inbox_passes_many_rows_within_its_budget(void **state)
{
    (void)state;
    struct inbox *in = inbox_new(BUDGET, NULL);
    struct inbox_chunk *chunk;
    struct loan *late[64] = {0};
    pthread_t writer;
    uint32_t seen = 0;
    assert_int_equal(pthread_create(&writer, NULL, write_many, in), 0);
    while (seen < MANY) {
        const struct change *chg = inbox_take(in, &chunk);
        if (chg == NULL) {
            for (unsigned i = 0; i < 64; i++)
                if (late[i] != NULL) {
                    late[i]->back(late[i]);
                    late[i] = NULL;
                }
            if (inbox_sleep(in)) {
                struct pollfd p = {inbox_fd(in), POLLIN, 0};
                assert_int_equal(poll(&p, 1, 20000), 1);
            }
            inbox_wake(in);
            continue;
        }
        assert_int_equal(chg->events, ++seen);
        if (chg->record.value.n > 0)
            assert_int_equal(chg->record.value.p[chg->record.value.n - 1], 'a' + seen % 26);
        struct loan *loan = inbox_lend(chunk);
        if (late[seen % 64] != NULL)
            late[seen % 64]->back(late[seen % 64]);
        late[seen % 64] = loan;
        assert_true(inbox_bytes(in) < BUDGET + 4 * 900000);
    }
    pthread_join(writer, NULL);
    for (unsigned i = 0; i < 64; i++)
        if (late[i] != NULL)
            late[i]->back(late[i]);
    inbox_free(&in);
}

/* A burst of chunks of which later only one is needed at a time. */
static void inbox_gives_back_what_a_burst_left(void **state)
{
    (void)state;
    enum { BURST = 10 };
    struct inbox *in = inbox_new(16 << 20, NULL);
    struct inbox_chunk *chunk;
    for (uint32_t i = 0; i < BURST; i++)
        push_text(in, 200 * 1024, i);
    size_t used = inbox_bytes(in);
    inbox_publish(in);
    while (inbox_take(in, &chunk) != NULL)
        ;
    assert_int_equal(inbox_trim(in), 0); /* until now all were in use */
    push_text(in, 200 * 1024, BURST);    /* takes one again */
    size_t one = used / BURST;
    assert_int_equal(inbox_trim(in), (BURST - 2) * one);
    assert_int_equal(inbox_trim(in), 0);
    inbox_publish(in);
    assert_non_null(inbox_take(in, &chunk));
    inbox_free(&in);
}

static void *write_until_cancelled(void *arg)
{
    struct inbox *in = arg;
    for (uint32_t i = 1; inbox_start(in, 0, 1); i++) {
        struct change chg = {.kind = CHANGE_RECORD, .events = i};
        for (int k = 0; k < 1000; k++)
            buf_put_u8(inbox_buf(in), 'x');
        chg.record.value = (struct view){inbox_base(in), 1000};
        inbox_push(in, &chg);
        inbox_publish(in);
    }
    return NULL;
}

static void forget(const struct change *chg)
{
    (void)chg;
}

static void inbox_cancel_frees_a_waiting_reader(void **state)
{
    (void)state;
    struct inbox *in = inbox_new(1 << 20, NULL);
    struct inbox_chunk *chunk;
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_until_cancelled, in), 0);
    /* Two chunks are more than half of the budget: a third is waited for. */
    while (inbox_bytes(in) < 550 << 10)
        usleep(100);
    inbox_cancel(in);
    pthread_join(writer, NULL);
    inbox_reset(in, forget);
    assert_null(inbox_take(in, &chunk));
    push_text(in, 5, 9);
    inbox_publish(in);
    assert_int_equal(inbox_take(in, &chunk)->events, 9);
    inbox_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inbox_gives_changes_in_order),
        cmocka_unit_test(inbox_takes_a_row_larger_than_its_budget),
        cmocka_unit_test(inbox_keeps_a_lent_chunk_until_its_release),
        cmocka_unit_test(inbox_undo_forgets_the_row_under_way),
        cmocka_unit_test(inbox_offsets_hold_when_a_row_moves_to_another_chunk),
        cmocka_unit_test(inbox_gives_back_what_a_burst_left),
        cmocka_unit_test(inbox_passes_many_rows_within_its_budget),
        cmocka_unit_test(inbox_cancel_frees_a_waiting_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
