/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table, chunk by chunk: reading ahead, closing in key order, going back, trying again.
 */
#include "snapshot/table_read.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static const struct log_position early = {.file = "binlog.000001", .offset = 100};
static const struct log_position late = {.file = "binlog.000001", .offset = 200};

static struct table_read *reading(void)
{
    static struct record_settings set;
    struct fail why;
    set = rows_settings(false);
    struct table_read *t = table_read_new(view_of("db"), view_of("t"));
    const struct shape *shape = rows_shape("db", "create table t (id int primary key)");
    table_read_set_shape(t, shape, plan_new(shape, &set, &why), false);
    shape_free(&shape);
    return t;
}

static void order(struct table_read *t, const char *expected_after)
{
    struct chunk_order o;
    assert_true(table_read_wants_chunk(t, 0));
    table_read_order(t, 10, &o);
    assert_true(view_is(buf_view(&o.after.text), expected_after));
    chunk_order_fini(&o);
}

static void answer(struct table_read *t, const char *next, uint32_t n, bool is_final, const struct log_position *high)
{
    struct chunk_answer a;
    chunk_answer_init(&a);
    a.outcome = CHUNK_READ;
    a.rows = mem_zero(1, sizeof *a.rows);
    buf_init(&a.rows->memory);
    a.n_read = n;
    chunk_key_set(&a.next, view_of(next));
    chunk_key_set(&a.last, view_of("[99]"));
    a.is_final = is_final;
    a.high = *high;
    table_read_answer(t, &a, 1000);
    chunk_answer_fini(&a);
}

static void fail_with(struct table_read *t, enum chunk_outcome outcome, int64_t now_ms)
{
    struct chunk_answer a;
    chunk_answer_init(&a);
    a.outcome = outcome;
    fail_set(&a.why, FAIL_RETRY, FAIL_AREA_SOURCE, 0, "it was told so");
    table_read_answer(t, &a, now_ms);
    chunk_answer_fini(&a);
}

static void windows_close_in_key_order(void **state)
{
    (void)state;
    struct table_read *t = reading();
    order(t, "");
    answer(t, "[10]", 10, false, &late);
    order(t, "[10]");
    answer(t, "[20]", 10, false, &early);
    assert_null(table_read_passed(t, &early)); /* the second is passed, the first is not */
    struct table_window *w = table_read_passed(t, &late);
    assert_true(view_is(buf_view(&w->next.text), "[10]"));
    table_read_close(t, 10);
    assert_true(view_is(buf_view(&t->done.text), "[10]"));
    assert_non_null(table_read_passed(t, &early));
    table_read_close(t, 9);
    assert_true(view_is(buf_view(&t->done.text), "[20]"));
    assert_int_equal(t->rows_sent, 19);
    table_read_free(&t);
}

static void reading_ahead_is_bounded(void **state)
{
    (void)state;
    struct table_read *t = reading();
    for (unsigned i = 0; i < WINDOWS_AHEAD; i++) {
        struct chunk_order o;
        table_read_order(t, 10, &o);
        chunk_order_fini(&o);
        answer(t, "[10]", 10, false, &late);
    }
    assert_false(table_read_wants_chunk(t, 0));
    table_read_free(&t);
}

static void final_chunk_ends_the_table(void **state)
{
    (void)state;
    struct table_read *t = reading();
    order(t, "");
    answer(t, "", 0, true, &early);
    assert_false(table_read_wants_chunk(t, 2000));
    assert_non_null(table_read_passed(t, &late));
    table_read_close(t, 0);
    assert_int_equal(t->state, TABLE_DONE);
    assert_string_equal(t->status, "EMPTY");
    table_read_free(&t);
}

static void going_back_forgets_what_is_open(void **state)
{
    (void)state;
    struct table_read *t = reading();
    order(t, "");
    answer(t, "[10]", 10, false, &early);
    assert_non_null(table_read_passed(t, &late));
    table_read_close(t, 10);
    order(t, "[10]");
    answer(t, "[20]", 10, false, &early);
    table_read_rewind(t);
    assert_int_equal(t->state, TABLE_WAITING);
    assert_null(table_read_passed(t, &late));
    assert_true(view_is(buf_view(&t->read.text), "[10]"));
    assert_int_equal(t->rows_read, 10);
    table_read_free(&t);
}

static void answer_to_a_withdrawn_order_is_for_nobody(void **state)
{
    (void)state;
    struct table_read *t = reading();
    order(t, "");
    table_read_rewind(t);
    answer(t, "[10]", 10, false, &early);
    assert_int_equal(t->n_windows, 0);
    assert_int_equal(t->rows_read, 0);
    table_read_free(&t);
}

static void failed_orders_are_tried_again_with_growing_pauses(void **state)
{
    int64_t last = 0;
    (void)state;
    struct table_read *t = reading();
    for (unsigned i = 0; i < 12; i++) {
        struct chunk_order o;
        int64_t now = t->again_at_ms;
        assert_true(table_read_wants_chunk(t, now));
        table_read_order(t, 10, &o);
        chunk_order_fini(&o);
        fail_with(t, i % 2 == 0 ? CHUNK_AGAIN : CHUNK_OTHER_SHAPE, now);
        assert_false(table_read_wants_chunk(t, now));
        int64_t pause = t->again_at_ms - now;
        assert_true(pause >= last && pause <= 2000);
        last = pause;
    }
    assert_int_equal(last, 2000);
    assert_int_equal(t->state, TABLE_READING);
    assert_true(table_read_wants_chunk(t, t->again_at_ms));
    table_read_free(&t);
}

static void refused_table_keeps_the_reason(void **state)
{
    (void)state;
    struct table_read *t = reading();
    order(t, "");
    fail_with(t, CHUNK_REFUSED, 0);
    assert_int_equal(t->state, TABLE_FAILED);
    assert_string_equal(t->status, "SQL_EXCEPTION");
    assert_string_equal(t->why.text, "it was told so");
    table_read_free(&t);
}

static void chunk_cut_at_its_bytes_makes_the_next_smaller(void **state)
{
    struct chunk_order o;
    (void)state;
    struct table_read *t = reading();
    order(t, "");
    answer(t, "[3]", 3, false, &early);
    table_read_order(t, 10, &o);
    assert_int_equal(o.limit, 3);
    chunk_order_fini(&o);
    answer(t, "[6]", 3, false, &early);
    table_read_order(t, 10, &o);
    assert_int_equal(o.limit, 6);
    chunk_order_fini(&o);
    table_read_free(&t);
}

/* ---- read whole ---- */

static struct table_read *whole(void)
{
    static struct record_settings set;
    struct fail why;
    set = rows_settings(false);
    struct table_read *t = table_read_new(view_of("db"), view_of("t"));
    const struct shape *shape = rows_shape("db", "create table t (v int)");
    t->kind = READ_INITIAL;
    t->is_muted = true;
    table_read_set_shape(t, shape, plan_new(shape, &set, &why), true);
    shape_free(&shape);
    return t;
}

static void order_whole(struct table_read *t, bool is_continued)
{
    struct chunk_order o;
    assert_true(table_read_wants_chunk(t, 5000));
    table_read_order(t, 10, &o);
    assert_true(o.is_whole);
    assert_int_equal(o.is_continued, is_continued);
    chunk_order_fini(&o);
}

static void read_set(struct gtid_set *set, const char *text)
{
    struct fail why;
    gtid_set_init(set);
    assert_true(gtid_set_read(set, view_of(text), &why));
}

static void answer_whole(struct table_read *t, uint32_t n, bool is_final, const struct log_position *high)
{
    struct chunk_answer a;
    struct fail why;
    chunk_answer_init(&a);
    a.outcome = CHUNK_READ;
    a.rows = mem_zero(1, sizeof *a.rows);
    buf_init(&a.rows->memory);
    a.n_read = n;
    a.is_final = is_final;
    a.high = *high;
    assert_true(gtid_set_read(&a.executed, view_of("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-7"), &why));
    table_read_answer(t, &a, 1000);
    chunk_answer_fini(&a);
}

static void stream_halts_at_a_view_until_its_rows_have_left(void **state)
{
    (void)state;
    struct gtid_set handed_over;
    struct table_read *t = whole();
    read_set(&handed_over, "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-7");
    assert_false(table_read_halts(t, &early)); /* nothing is ordered yet */
    order_whole(t, false);
    assert_true(table_read_halts(t, &early)); /* or it might pass the place that the view will have */
    answer_whole(t, 10, false, &late);
    assert_false(table_read_halts(t, &early)); /* on to the view's place */
    assert_true(table_read_halts(t, &late));   /* and no further */
    assert_non_null(table_read_passed(t, &late));
    assert_true(table_read_prove(t, &handed_over, 1000));
    assert_true(t->is_muted);
    table_read_close(t, 10);
    assert_false(t->is_muted);
    assert_true(table_read_halts(t, &late)); /* its next rows are wanted */
    order_whole(t, true);
    answer_whole(t, 3, true, &late);
    table_read_close(t, 3);
    assert_int_equal(t->state, TABLE_DONE);
    assert_false(table_read_halts(t, &late));
    assert_int_equal(t->rows_sent, 13);
    gtid_set_fini(&handed_over);
    table_read_free(&t);
}

static void view_without_all_of_the_log_is_given_up(void **state)
{
    (void)state;
    struct gtid_set handed_over;
    struct table_read *t = whole();
    read_set(&handed_over, "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-8");
    order_whole(t, false);
    answer_whole(t, 10, false, &late);
    assert_non_null(table_read_passed(t, &late));
    assert_false(table_read_prove(t, &handed_over, 1000));
    assert_true(t->is_muted);
    assert_int_equal(t->state, TABLE_WAITING);
    assert_int_equal(t->rows_read, 0);
    assert_false(table_read_halts(t, &late));
    assert_true(t->again_at_ms > 1000);
    gtid_set_fini(&handed_over);
    table_read_free(&t);
}

static void rows_of_a_view_are_not_dropped_by_what_is_heard(void **state)
{
    (void)state;
    struct table_read *t = whole();
    order_whole(t, false);
    table_read_hear(t, view_of("k"), view_of("k"));
    assert_int_equal(buf_size(&t->windows[0].window.heard), 0);
    table_read_free(&t);
}

static void view_that_broke_off_begins_anew(void **state)
{
    (void)state;
    struct gtid_set handed_over;
    struct table_read *t = whole();
    read_set(&handed_over, "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-7");
    order_whole(t, false);
    answer_whole(t, 10, false, &late);
    assert_true(table_read_prove(t, &handed_over, 1000));
    table_read_close(t, 10);
    order_whole(t, true);
    fail_with(t, CHUNK_AGAIN, 2000);
    assert_int_equal(t->state, TABLE_WAITING);
    assert_false(t->has_view);
    assert_int_equal(t->rows_done, 0);
    assert_false(t->is_muted); /* rows of it are there already */
    gtid_set_fini(&handed_over);
    table_read_free(&t);
}

static void blocking_table_halts_the_stream_but_on_its_way_to_high(void **state)
{
    (void)state;
    struct table_read *t = reading();
    assert_false(table_read_halts(t, &early));
    t->kind = READ_BLOCKING;
    assert_true(table_read_halts(t, &early));
    order(t, "");
    assert_true(table_read_halts(t, &early));
    answer(t, "[10]", 10, false, &late);
    assert_false(table_read_halts(t, &early));
    assert_true(table_read_halts(t, &late));
    table_read_close(t, 10);
    assert_true(table_read_halts(t, &late));
    order(t, "[10]");
    fail_with(t, CHUNK_OTHER_SHAPE, 1000);
    assert_false(table_read_halts(t, &late)); /* the stream has the other shape */
    table_read_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_halts_at_a_view_until_its_rows_have_left),
        cmocka_unit_test(view_without_all_of_the_log_is_given_up),
        cmocka_unit_test(rows_of_a_view_are_not_dropped_by_what_is_heard),
        cmocka_unit_test(view_that_broke_off_begins_anew),
        cmocka_unit_test(blocking_table_halts_the_stream_but_on_its_way_to_high),
        cmocka_unit_test(windows_close_in_key_order),
        cmocka_unit_test(reading_ahead_is_bounded),
        cmocka_unit_test(final_chunk_ends_the_table),
        cmocka_unit_test(going_back_forgets_what_is_open),
        cmocka_unit_test(answer_to_a_withdrawn_order_is_for_nobody),
        cmocka_unit_test(failed_orders_are_tried_again_with_growing_pauses),
        cmocka_unit_test(refused_table_keeps_the_reason),
        cmocka_unit_test(chunk_cut_at_its_bytes_makes_the_next_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
