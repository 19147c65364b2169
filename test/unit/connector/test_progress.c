/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is stored of snapshots comes back as it was: keys with all digits, filters byte for byte, signals with their outcome.
 */
#include "connector/progress.h"
#include "record/table_id.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

static const struct waiting_place nothing_left = {.list = 0};

static void check_comes_back(const char *text)
{
    struct incremental *inc = progress_queue_new();
    struct signal_log log;
    struct fail why;
    signal_log_init(&log);
    if (!progress_load(inc, &log, text, NULL, &why))
        fail_msg("%s", why.text);
    char *again = progress_print(inc, &log, &nothing_left);
    assert_string_equal(again, text);
    free(again);
    signal_log_fini(&log);
    assert_true(incremental_free(&inc, 1000));
}

static void stored_text_comes_back_as_it_was(void **state)
{
    (void)state;
    check_comes_back(
        "{\"tables\":[{\"db\":\"shop\",\"table\":\"or\\\"ders\",\"filter\":\"t = 'it''s \\\"high\\\"' \\\\ "
        "\\n\",\"surrogate\":null,"
        "\"id\":\"s1\",\"path\":\"0123456789abcdef\",\"done\":[18446744073709551615,\"a]b\",{\"hex\":\"00ff\"},null],"
        "\"last\":[9007199254740993],\"rows_read\":1024,\"rows_sent\":1020,\"estimated\":-1},"
        "{\"db\":\"shop\",\"table\":\"done\",\"filter\":null,\"surrogate\":\"s\",\"id\":null,\"path\":null,\"done\":"
        "null,"
        "\"last\":null,\"rows_read\":0,\"rows_sent\":0,\"estimated\":7}],"
        "\"signals\":[{\"id\":\"s0\",\"offset\":16,\"outcome\":\"refused\",\"why\":\"no \\\"such\\\" table\"},"
        "{\"id\":\"s1\",\"offset\":17,\"outcome\":\"running\",\"then\":\"stopped\"}]}");
}

static void tables_of_an_initial_snapshot_come_back_as_they_were(void **state)
{
    (void)state;
    check_comes_back(
        "{\"tables\":[{\"db\":\"shop\",\"table\":\"a\",\"kind\":\"initial\",\"first\":true,\"filter\":null,"
        "\"surrogate\":null,\"id\":null,\"path\":null,\"done\":[7],\"last\":[9],\"rows_read\":7,"
        "\"rows_sent\":7,\"estimated\":9},"
        "{\"db\":\"shop\",\"table\":\"c\",\"kind\":\"blocking\",\"filter\":null,"
        "\"surrogate\":null,\"id\":\"s\",\"path\":null,\"done\":null,\"last\":null,\"rows_read\":0,"
        "\"rows_sent\":0,\"estimated\":-1},"
        "{\"db\":\"shop\",\"table\":\"b\",\"kind\":\"initial\",\"muted\":true,\"filter\":null,"
        "\"surrogate\":null,\"id\":null,\"path\":null,\"done\":null,\"last\":null,\"rows_read\":0,"
        "\"rows_sent\":0,\"estimated\":-1}],\"signals\":[]}");
}

static void muted_tables_are_muted_again(void **state)
{
    (void)state;
    struct incremental *inc = progress_queue_new();
    struct signal_log log;
    struct fail why;
    signal_log_init(&log);
    assert_true(progress_load(inc, &log,
                              "{\"tables\":[{\"db\":\"d\",\"table\":\"a\",\"kind\":\"initial\",\"muted\":true},"
                              "{\"db\":\"d\",\"table\":\"b\",\"kind\":\"initial\"}],\"signals\":[]}",
                              NULL, &why));
    assert_true(incremental_has(inc, READ_INITIAL));
    assert_false(incremental_has(inc, READ_INCREMENTAL));
    assert_true(incremental_mutes(inc, table_id(view_of("d"), view_of("a"))));
    assert_false(incremental_mutes(inc, table_id(view_of("d"), view_of("b"))));
    incremental_reset(inc);
    assert_false(incremental_mutes(inc, table_id(view_of("d"), view_of("a"))));
    signal_log_fini(&log);
    assert_true(incremental_free(&inc, 1000));
}

static void keys_of_one_table_are_not_taken_for_another(void **state)
{
    struct incremental *inc = progress_queue_new();
    struct signal_log log;
    struct fail why;
    (void)state;
    signal_log_init(&log);
    assert_true(progress_load(
        inc, &log,
        "{\"tables\":[{\"db\":\"d\",\"table\":\"a\",\"filter\":\"x = '{\\\"done\\\":['\",\"done\":null,\"last\":null},"
        "{\"db\":\"d\",\"table\":\"b\",\"done\":[5],\"last\":[6]}],\"signals\":[]}",
        NULL, &why));
    const struct table_read *a = incremental_tables(inc);
    assert_true(chunk_key_is_empty(&a->done));
    assert_false(a->has_last);
    assert_true(view_is(buf_view(&a->next_in_queue->done.text), "[5]"));
    assert_true(a->next_in_queue->has_last);
    signal_log_fini(&log);
    assert_true(incremental_free(&inc, 1000));
}

static void unreadable_state_stops(void **state)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "{}",
                                      "{\"tables\":{}}",
                                      "{\"tables\":[{}]}",
                                      "{\"tables\":[{\"db\":1,\"table\":2}]}",
                                      "{\"tables\":[{\"db\":\"d\",\"table\":\"t\",\"kind\":\"other\"}]}"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct incremental *inc = progress_queue_new();
        struct signal_log log;
        struct fail why;
        signal_log_init(&log);
        assert_false(progress_load(inc, &log, bad[i], NULL, &why));
        assert_int_equal(why.kind, FAIL_STOP);
        signal_log_fini(&log);
        assert_true(incremental_free(&inc, 1000));
    }
}

static void signal_ends_with_the_worst_of_its_tables(void **state)
{
    struct signal_log log;
    (void)state;
    signal_log_init(&log);
    signal_log_add(&log, view_of("s"), 1, OUTCOME_RUNNING, NULL);
    signal_log_note(&log, view_of("s"), OUTCOME_REFUSED, "first");
    signal_log_note(&log, view_of("s"), OUTCOME_STOPPED, "second");
    signal_log_note(&log, view_of("other"), OUTCOME_STOPPED, NULL);
    assert_int_equal(log.items[0].outcome, OUTCOME_RUNNING);
    signal_log_end(&log, view_of("s"));
    assert_int_equal(log.items[0].outcome, OUTCOME_REFUSED);
    assert_string_equal(log.items[0].why, "first");
    for (int i = 0; i < PROGRESS_SIGNALS; i++)
        signal_log_add(&log, view_of("more"), i, OUTCOME_DONE, NULL);
    assert_int_equal(log.n, PROGRESS_SIGNALS);
    assert_string_equal(log.items[0].id, "more");
    signal_log_fini(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_text_comes_back_as_it_was),
        cmocka_unit_test(tables_of_an_initial_snapshot_come_back_as_they_were),
        cmocka_unit_test(muted_tables_are_muted_again),
        cmocka_unit_test(keys_of_one_table_are_not_taken_for_another),
        cmocka_unit_test(unreadable_state_stops),
        cmocka_unit_test(signal_ends_with_the_worst_of_its_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
