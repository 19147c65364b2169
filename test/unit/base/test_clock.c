/* SPDX-License-Identifier: Apache-2.0 */
/* clock, ending and backoff: waits that end by monotonic time. */
#include "base/backoff.h"
#include "base/clock.h"
#include "base/ending.h"

#include <cmocka.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

static void deadline_is_by_monotonic_time(void **state)
{
    (void)state;
    int64_t before = clock_mono_ns();
    struct timespec at = clock_deadline(1500);
    int64_t ns = (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
    assert_true(at.tv_nsec >= 0 && at.tv_nsec < 1000000000);
    assert_true(ns - before >= 1500000000 && ns - clock_mono_ns() <= 1500000000);
}

static void condition_waits_until_the_deadline(void **state)
{
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond;
    clock_cond_init(&cond);
    int64_t before = clock_mono_ms();
    struct timespec at = clock_deadline(20);
    pthread_mutex_lock(&lock);
    int err;
    while ((err = clock_cond_wait(&cond, &lock, &at)) == 0)
        ;
    pthread_mutex_unlock(&lock);
    assert_int_equal(err, ETIMEDOUT);
    assert_true(clock_mono_ms() - before >= 19);
    pthread_cond_destroy(&cond);
}

static void *end(void *ctx)
{
    ending_tell(ctx);
    return NULL;
}

static void end_of_a_thread_is_waited_for_no_longer_than_asked(void **state)
{
    (void)state;
    struct ending e;
    pthread_t thread;
    ending_init(&e);
    assert_false(ending_wait(&e, 10));
    assert_int_equal(pthread_create(&thread, NULL, end, &e), 0);
    assert_true(ending_wait(&e, 10000));
    assert_true(ending_wait(&e, 0));
    pthread_join(thread, NULL);
    ending_fini(&e);
}

static void pauses_double_up_to_the_longest(void **state)
{
    (void)state;
    struct backoff b = {.first_ms = 100, .most_ms = 1000, .max_tries = -1};
    const int expected[] = {100, 200, 400, 800, 1000, 1000};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int ms = backoff_next_ms(&b);
        assert_int_in_range(ms, expected[i] * 9 / 10, expected[i] * 11 / 10);
        assert_true(backoff_is_news(&b, 7) == (i == 0));
    }
    assert_true(backoff_is_news(&b, 8)); /* another cause */
    assert_false(backoff_is_news(&b, 8));
    backoff_reset(&b);
    assert_int_in_range(backoff_next_ms(&b), 90, 110);
}

static void tries_end_where_they_are_limited(void **state)
{
    (void)state;
    struct backoff b = {.first_ms = 1, .most_ms = 1, .max_tries = 2};
    struct backoff none = {.first_ms = 1, .most_ms = 1};
    assert_true(backoff_next_ms(&b) >= 0);
    assert_true(backoff_next_ms(&b) >= 0);
    assert_int_equal(backoff_next_ms(&b), -1);
    assert_int_equal(backoff_next_ms(&none), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadline_is_by_monotonic_time),
        cmocka_unit_test(condition_waits_until_the_deadline),
        cmocka_unit_test(end_of_a_thread_is_waited_for_no_longer_than_asked),
        cmocka_unit_test(pauses_double_up_to_the_longest),
        cmocka_unit_test(tries_end_where_they_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
