/* SPDX-License-Identifier: Apache-2.0 */
/* rhythm: when a commit is due, in a trickle, under load, and between the two. */
#include "connector/rhythm.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum { STORED_MS = 1000, A_LITTLE = 700, A_LOT = 1000000 };

/* A commit ended at STORED_MS, when a million bytes had been sent. */
static struct rhythm after_a_commit(void)
{
    struct rhythm r = {.interval_ms = 100, .dry_ms = 0, .pause_ms = 5, .position_interval_ms = 10000};
    rhythm_stored(&r, 1000000, STORED_MS);
    return r;
}

/* Records of so many bytes, the first of them sent at that time. */
static struct rhythm_sent sent_since(int64_t opened_ms, uint64_t bytes)
{
    return (struct rhythm_sent){.opened_ms = opened_ms, .all_bytes = 1000000 + bytes};
}

static void single_change_is_committed_at_once(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1050, A_LITTLE);
    rhythm_dry(&r, 1050);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1050);
}

static void commits_keep_their_distance(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1001, A_LITTLE);
    rhythm_dry(&r, 1001);
    assert_int_equal(rhythm_due_ms(&r, &sent), STORED_MS + 5);
    r.pause_ms = 50;
    assert_int_equal(rhythm_due_ms(&r, &sent), STORED_MS + 50);
}

static void dry_time_counts_from_when_the_input_was_first_found_empty(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1050, A_LITTLE);
    r.dry_ms = 20;
    rhythm_dry(&r, 1050);
    rhythm_dry(&r, 1060);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1070);
    rhythm_wet(&r);
    rhythm_dry(&r, 1065);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1085);
}

static void rest_of_a_transaction_is_waited_for(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1050, A_LITTLE);
    sent.is_inside = true;
    rhythm_dry(&r, 1050);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1055);
    sent.is_inside = false;
    assert_int_equal(rhythm_due_ms(&r, &sent), 1050);
}

static void short_gap_under_load_is_no_end(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1001, A_LOT);
    rhythm_dry(&r, 1030);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1035);
    rhythm_stored(&r, sent.all_bytes, 1040); /* what is committed does not count */
    sent = (struct rhythm_sent){.opened_ms = 1041, .all_bytes = sent.all_bytes + A_LITTLE};
    rhythm_wet(&r);
    rhythm_dry(&r, 1050);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1050);
}

static void steady_load_is_committed_by_time(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1002, A_LOT);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1102);
    sent.is_uneven = true;
    assert_int_equal(rhythm_due_ms(&r, &sent), 1112);
}

static void rows_that_are_on_their_way_are_no_dry_input(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1002, A_LITTLE);
    sent.has_more = true;
    rhythm_dry(&r, 1002);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1102);
}

static void long_dry_time_delays_nothing_beyond_the_interval(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(1002, A_LITTLE);
    r.dry_ms = 60000;
    rhythm_dry(&r, 1002);
    assert_int_equal(rhythm_due_ms(&r, &sent), 1102);
}

static void state_alone_waits_from_the_last_commit(void **state)
{
    (void)state;
    struct rhythm r = after_a_commit();
    struct rhythm_sent sent = sent_since(0, 0);
    assert_int_equal(rhythm_due_ms(&r, &sent), STORED_MS + 100);
    assert_int_equal(rhythm_position_due_ms(&r), STORED_MS + 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_change_is_committed_at_once),
        cmocka_unit_test(commits_keep_their_distance),
        cmocka_unit_test(dry_time_counts_from_when_the_input_was_first_found_empty),
        cmocka_unit_test(rest_of_a_transaction_is_waited_for),
        cmocka_unit_test(short_gap_under_load_is_no_end),
        cmocka_unit_test(steady_load_is_committed_by_time),
        cmocka_unit_test(rows_that_are_on_their_way_are_no_dry_input),
        cmocka_unit_test(long_dry_time_delays_nothing_beyond_the_interval),
        cmocka_unit_test(state_alone_waits_from_the_last_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
