/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long queue is stored once, beside the offset; what goes with each commit stays small, and the queue comes back as it was.
 */
#include "connector/offsets.h"
#include "connector/progress.h"
#include "connector/waiting.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void add_tables(struct incremental *inc, const char *signal_id, unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++) {
        char name[40];
        snprintf(name, sizeof name, "customer_orders_%05u", i);
        struct table_read *t = table_read_new(view_of("inventory"), view_of(name));
        t->filter = i % 7 == 0 ? mem_strdup("note <> '\"tables\":[{' AND id > 5") : NULL;
        t->signal_id = mem_strdup(signal_id);
        incremental_add(inc, t);
    }
}

/* The queue is only lent; a test may do to a table of it what reading does. */
static struct table_read *table_at(struct incremental *inc, unsigned n)
{
    struct table_read *t = (struct table_read *)(uintptr_t)incremental_tables(inc);
    while (n-- > 0)
        t = t->next_in_queue;
    return t;
}

static void take_turn(struct table_read *t)
{
    t->had_turn = true;
    t->rows_done = 5;
    chunk_key_set(&t->done, view_of("[5]"));
}

static char *print(const struct incremental *inc, const struct waiting *w)
{
    struct signal_log none;
    signal_log_init(&none);
    const struct waiting_place left = {w->list == NULL ? 0 : w->list->number, w->from};
    return progress_print(inc, &none, &left);
}

/* All tables, one after the other, whoever keeps them. */
static char *print_whole(const struct incremental *inc)
{
    static const struct waiting_place nothing = {.list = 0};
    struct signal_log none;
    signal_log_init(&none);
    return progress_print(inc, &none, &nothing);
}

/* What the shapes' topic would hold of lists, record by record. */
static void store_list(struct waiting_found *found, const struct waiting_list *list, uint32_t parts)
{
    for (uint32_t i = 0; list != NULL && i < parts; i++) {
        struct buf key, value;
        buf_init(&key);
        buf_init(&value);
        waiting_list_print_key(list, i, "shop", "pre\"fix", &key);
        waiting_list_print(list, i, &value);
        assert_true(waiting_found_is_part(buf_view(&key), "shop", "pre\"fix"));
        assert_false(waiting_found_is_part(buf_view(&key), "other", "pre\"fix"));
        assert_true(buf_size(&value) < WAITING_PART_BYTES + 1000);
        waiting_found_take(found, buf_view(&key), true, buf_view(&value));
        buf_fini(&key);
        buf_fini(&value);
    }
}

/* A restart from what is stored finds the same queue, in the same order. */
static void check_comes_back(const struct incremental *inc, const struct waiting *w, const struct waiting_found *found)
{
    char *text = print(inc, w);
    struct incremental *again = progress_queue_new();
    struct signal_log log;
    struct waiting next;
    struct fail why;
    struct waiting_list *list = waiting_found_list(found, progress_waiting(text).list);
    signal_log_init(&log);
    waiting_init(&next);
    if (!progress_load(again, &log, text, list, &why))
        fail_msg("%s", why.text);
    char *before = print_whole(inc), *after = print_whole(again);
    assert_string_equal(before, after);
    waiting_take_up(&next, list, progress_waiting(text).from, again);
    waiting_follow(&next, again);
    if (w->list != NULL) {
        assert_int_equal(next.list->number, w->list->number);
        assert_int_equal(next.from, w->from);
    }
    free(text);
    free(before);
    free(after);
    waiting_fini(&next);
    waiting_list_free(&list);
    signal_log_fini(&log);
    assert_true(incremental_free(&again, 1000));
}

/* ---- tests */

/* A queue and what is told of it. */
struct rig {
    struct incremental *inc;
    struct waiting w;
    struct waiting_found found; /* what was stored */
};

static int set_up(void **state)
{
    struct rig *rig = mem_zero(1, sizeof *rig);
    rig->inc = progress_queue_new();
    waiting_init(&rig->w);
    waiting_found_init(&rig->found);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;
    waiting_found_fini(&rig->found);
    waiting_fini(&rig->w);
    assert_true(incremental_free(&rig->inc, 1000));
    free(rig);
    return 0;
}

static void a_commit_stays_small_with_5000_tables_that_wait(void **state)
{
    struct rig *rig = *state;
    add_tables(rig->inc, "s1", 0, 5000);
    waiting_follow(&rig->w, rig->inc);
    assert_non_null(rig->w.list);
    assert_true(rig->w.list->n == 5000 && rig->w.list->n_parts > 1);
    store_list(&rig->found, rig->w.list, rig->w.list->n_parts);
    for (unsigned begun = 0; begun < 5; begun++) {
        char *text = print(rig->inc, &rig->w);
        assert_true(strlen(text) < 200 + 400 * begun);
        assert_int_equal(progress_waiting(text).from, begun);
        assert_true(progress_has_tables(text));
        free(text);
        check_comes_back(rig->inc, &rig->w, &rig->found);
        take_turn(table_at(rig->inc, begun));
        waiting_follow(&rig->w, rig->inc);
        assert_int_equal(rig->w.list->number, 1);
    }
}

static void a_short_queue_is_in_the_offset(void **state)
{
    struct rig *rig = *state;
    add_tables(rig->inc, "s1", 0, 30);
    waiting_follow(&rig->w, rig->inc);
    assert_null(rig->w.list);
    check_comes_back(rig->inc, &rig->w, &rig->found);
}

static bool is_one_in_the_middle(void *ctx, const struct table_read *t)
{
    (void)ctx;
    return strcmp(t->table, "customer_orders_00100") == 0;
}

static void another_queue_is_another_list_in_the_other_slot(void **state)
{
    struct rig *rig = *state;
    add_tables(rig->inc, "s1", 0, 300);
    waiting_follow(&rig->w, rig->inc);
    struct waiting_list *first = waiting_list_hold(rig->w.list);
    store_list(&rig->found, first, first->n_parts);
    take_turn(table_at(rig->inc, 0));
    add_tables(rig->inc, "s2", 300, 10);
    waiting_follow(&rig->w, rig->inc);
    assert_int_equal(rig->w.list->number, 2);
    assert_true(rig->w.list->n == 309 && rig->w.from == 0);
    store_list(&rig->found, rig->w.list, rig->w.list->n_parts);
    check_comes_back(rig->inc, &rig->w, &rig->found);

    struct waiting_list *still = waiting_found_list(&rig->found, 1); /* what is stored may mean the first one yet */
    assert_true(still != NULL && still->n == 300);
    waiting_list_free(&still);

    assert_int_equal(incremental_stop(rig->inc, is_one_in_the_middle, NULL), 1);
    waiting_follow(&rig->w, rig->inc);
    assert_int_equal(rig->w.list->number, 3);
    store_list(&rig->found, rig->w.list, rig->w.list->n_parts);
    check_comes_back(rig->inc, &rig->w, &rig->found);
    assert_null(waiting_found_list(&rig->found, 1));
    waiting_list_free(&first);
}

static void a_table_whose_turn_came_early_makes_another_list(void **state)
{
    struct rig *rig = *state;
    add_tables(rig->inc, "s1", 0, 300);
    waiting_follow(&rig->w, rig->inc);
    take_turn(table_at(rig->inc, 7));
    waiting_follow(&rig->w, rig->inc);
    assert_int_equal(rig->w.list->number, 2);
    assert_int_equal(rig->w.list->n, 299);
    for (unsigned i = 0; i < 300; i++)
        take_turn(table_at(rig->inc, i));
    waiting_follow(&rig->w, rig->inc);
    assert_null(rig->w.list);
    add_tables(rig->inc, "s3", 300, 300);
    waiting_follow(&rig->w, rig->inc);
    assert_int_equal(rig->w.list->number, 3); /* the second may still be what is stored */
}

static void a_list_that_is_stored_is_not_written_over_by_a_new_life(void **state)
{
    struct rig *rig = *state;
    struct waiting_list *stored;
    add_tables(rig->inc, "s1", 0, 300);
    stored = waiting_list_new(8, rig->inc);
    waiting_avoid(&rig->w, stored);
    waiting_follow(&rig->w, rig->inc);
    assert_int_equal(rig->w.list->number, 9);
    waiting_list_free(&stored);
}

static void check_refused(const char *text, const struct waiting_list *list, int code)
{
    struct incremental *inc = progress_queue_new();
    struct signal_log log;
    struct fail why;
    signal_log_init(&log);
    assert_false(progress_load(inc, &log, text, list, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.code, code);
    signal_log_fini(&log);
    assert_true(incremental_free(&inc, 1000));
}

static void a_list_that_is_not_whole_stops(void **state)
{
    struct rig *rig = *state;
    add_tables(rig->inc, "s1", 0, 2000);
    waiting_follow(&rig->w, rig->inc);
    store_list(&rig->found, rig->w.list, rig->w.list->n_parts - 1);
    assert_null(waiting_found_list(&rig->found, 1));
    check_refused("{\"tables\":[],\"version\":2,\"waiting\":{\"list\":1,\"from\":0},\"signals\":[]}", NULL,
                  PROGRESS_LACKS_LIST);
    check_refused("{\"tables\":[],\"version\":2,\"waiting\":{\"list\":1,\"from\":2001},\"signals\":[]}", rig->w.list,
                  PROGRESS_LACKS_LIST);
    check_refused("{\"tables\":[],\"version\":2,\"waiting\":{\"list\":3,\"from\":0},\"signals\":[]}", rig->w.list,
                  PROGRESS_LACKS_LIST);
    check_refused("{\"tables\":[],\"version\":3,\"signals\":[]}", NULL, 0);
}

static void records_that_are_no_part_are_passed_by(void **state)
{
    static const char *const keys[] = {
        "[\"shop\",{\"server\":\"p\"},\"waiting\",2,0]",   "[\"shop\",{\"server\":\"p\"},\"waiting\",1,-1]",
        "[\"shop\",{\"server\":\"p\"},\"waiting\",1,1e9]", "[\"shop\",{\"server\":\"p\"},\"waiting\",1",
        "[\"shop\",{\"server\":\"p\"},\"waiting\",1,0]",
    };
    static const char *const values[] = {"", "x", "{}", "{\"version\":2,\"list\":1,\"parts\":1,\"tables\":[]}",
                                         "{\"version\":1,\"list\":1,\"parts\":4000000000,\"tables\":[]}"};
    struct waiting_found found;
    (void)state;
    waiting_found_init(&found);
    assert_false(waiting_found_is_part(view_of("[\"shop\",{\"server\":\"p\"},\"waiting\",\"1\"]"), "shop", "p"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            waiting_found_take(&found, view_of(keys[i]), true, view_of(values[j]));
            assert_null(waiting_found_list(&found, 1));
        }
    waiting_found_take(&found, view_of(keys[4]), false, VIEW_NONE);
    assert_null(waiting_found_list(&found, 1));
    waiting_found_fini(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_commit_stays_small_with_5000_tables_that_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_short_queue_is_in_the_offset, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_queue_is_another_list_in_the_other_slot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_table_whose_turn_came_early_makes_another_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_that_is_stored_is_not_written_over_by_a_new_life, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_that_is_not_whole_stops, set_up, tear_down),
        cmocka_unit_test(records_that_are_no_part_are_passed_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
