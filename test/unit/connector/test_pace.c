/* SPDX-License-Identifier: Apache-2.0 */
/* pace: how much a partition may have, by what was sent and reported. */
#include "connector/pace.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum { BATCH = 1000000, RECORD = 1000 };

static struct pace pace;
static struct pace_topic orders, items;

static int set_up(void **state)
{
    (void)state;
    pace_init(&pace, BATCH);
    orders = items = (struct pace_topic){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pace_topic_fini(&orders);
    pace_topic_fini(&items);
    return 0;
}

/* Sends records to the partition until no more is allowed; how many bytes. */
static uint64_t fill(struct pace_topic *t, int32_t partition)
{
    uint64_t bytes = 0;
    for (; pace_allows(&pace); bytes += RECORD)
        pace_sent(&pace, t, partition, RECORD);
    return bytes;
}

static void a_partition_gets_its_request_and_less_than_another(void **state)
{
    (void)state;
    uint64_t first = fill(&orders, 0);
    assert_true(first > BATCH && first < 2 * BATCH);
    /* the headers take 30 of 100 bytes of a request */
    pace_reported(&pace, &orders, 0, BATCH / 10 * 7);
    assert_true(pace_allows(&pace));
    fill(&orders, 0);
    uint64_t behind = orders.lanes[0].bytes - BATCH / 10 * 7;
    assert_true(behind < BATCH && behind > BATCH / 10 * 9);
}

static void there_is_always_room_for_a_whole_batch(void **state)
{
    (void)state;
    /* requests that were sent early, and such that are nearly all headers, must not choke the partition */
    for (uint64_t bytes = RECORD; bytes < 2 * BATCH; bytes *= 2) {
        fill(&orders, 0);
        pace_reported(&pace, &orders, 0, orders.lanes[0].bytes - bytes);
        pace_reported(&pace, &orders, 0, bytes);
        assert_int_equal(orders.lanes[0].bytes, 0);
        assert_true(fill(&orders, 0) > BATCH);
        pace_reset(&pace);
    }
}

static void a_request_is_under_way_while_a_batch_is_there(void **state)
{
    (void)state;
    pace_sent(&pace, &orders, 0, BATCH - RECORD);
    assert_false(pace_is_under_way(&pace));
    pace_sent(&pace, &orders, 0, RECORD);
    pace_sent(&pace, &items, 0, BATCH + BATCH / 2);
    assert_true(pace_is_under_way(&pace));
    pace_reported(&pace, &orders, 0, BATCH / 10 * 7);
    assert_true(pace_is_under_way(&pace));
    pace_reported(&pace, &items, 0, BATCH / 10 * 3); /* so much is there still that the next request goes at once */
    assert_true(pace_is_under_way(&pace));
    pace_reported(&pace, &items, 0, BATCH / 10 * 3);
    assert_false(pace_is_under_way(&pace));
    assert_int_equal(pace.bytes, BATCH / 10 * 3 + BATCH / 10 * 9);
}

static void what_is_behind_a_request_is_even_when_one_more_holds_it(void **state)
{
    (void)state;
    pace_sent(&pace, &orders, 0, BATCH);
    pace_reported(&pace, &orders, 0, BATCH / 10 * 7);
    assert_false(pace_is_uneven(&pace));
    pace_sent(&pace, &orders, 0, BATCH / 10 * 6); /* 0.9: a flush would need two requests of 0.7 */
    assert_true(pace_is_uneven(&pace));
    pace_sent(&pace, &orders, 0, BATCH / 10); /* now one is on its way, and 0.3 are behind it */
    assert_false(pace_is_uneven(&pace));
    pace_sent(&pace, &orders, 0, BATCH / 10 * 6);
    assert_true(pace_is_uneven(&pace));
    pace_reset(&pace);
    assert_false(pace_is_uneven(&pace));
}

static void records_whose_partition_is_not_known_yet_are_bounded(void **state)
{
    (void)state;
    uint64_t bytes = fill(&orders, PACE_UNKNOWN);
    assert_int_equal(bytes, 2 * BATCH);
    pace_reported(&pace, &orders, 5, BATCH / 2);
    assert_true(pace_allows(&pace));
    assert_int_equal(pace.bytes, BATCH + BATCH / 2);
    assert_int_equal(orders.lanes[5].bytes, 0);
}

static void one_full_partition_stops_all(void **state)
{
    (void)state;
    fill(&orders, 3);
    assert_false(pace_allows(&pace));
    pace_reported(&pace, &items, 3, BATCH);
    pace_reported(&pace, &orders, 2, BATCH);
    assert_false(pace_allows(&pace));
    pace_reported(&pace, &orders, 3, BATCH / 2);
    assert_true(pace_allows(&pace));
}

static void a_record_larger_than_a_batch_passes(void **state)
{
    (void)state;
    pace_sent(&pace, &orders, 0, 10 * BATCH);
    assert_false(pace_allows(&pace));
    pace_reported(&pace, &orders, 0, 10 * BATCH);
    assert_true(pace_allows(&pace));
    assert_int_equal(orders.lanes[0].request_bytes, BATCH);
}

static void what_was_counted_wrong_is_forgotten_when_nothing_is_outstanding(void **state)
{
    (void)state;
    pace_sent(&pace, &orders, PACE_UNCOUNTED, 5 * BATCH);
    assert_true(pace_allows(&pace));
    pace_sent(&pace, &orders, 1, 5 * BATCH);
    pace_reported(&pace, &orders, 0, 10 * BATCH); /* all went elsewhere */
    assert_false(pace_allows(&pace));
    pace_reset(&pace);
    assert_true(pace_allows(&pace));
    assert_true(fill(&orders, 1) > BATCH);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_partition_gets_its_request_and_less_than_another),
        TEST(there_is_always_room_for_a_whole_batch),
        TEST(a_request_is_under_way_while_a_batch_is_there),
        TEST(what_is_behind_a_request_is_even_when_one_more_holds_it),
        TEST(records_whose_partition_is_not_known_yet_are_bounded),
        TEST(one_full_partition_stops_all),
        TEST(a_record_larger_than_a_batch_passes),
        TEST(what_was_counted_wrong_is_forgotten_when_nothing_is_outstanding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
