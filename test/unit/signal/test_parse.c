/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals and what only looks like one: each malformed record gives a reason that names what is wrong.
 */
#include "signal/parse.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

struct parsed {
    struct arena memory;
    struct signal sig;
    struct fail why;
    enum signal_parsed outcome;
};

static struct parsed parse(const char *value)
{
    struct parsed p;
    arena_init(&p.memory);
    p.why.text[0] = '\0';
    p.outcome = signal_parse(view_of("sea"), view_of(value), "sea", &p.memory, &p.sig, &p.why);
    return p;
}

static void execute_snapshot_carries_tables_conditions_and_key(void **state)
{
    (void)state;
    struct parsed p =
        parse("{\"id\":\"s1\",\"type\":\"execute-snapshot\",\"data\":{\"type\":\"incremental\",\"data-collections\":"
              "[\" tide.a \",\"tide\\\\.b.*\"],\"additional-conditions\":[{\"data-collection\":\"tide.a\","
              "\"filter\":\" v = 'x' \"}],\"additional-condition\":\"id > 1\",\"surrogate-key\":\" s \"}}");
    assert_int_equal(p.outcome, SIGNAL_IS_OURS);
    assert_int_equal(p.sig.kind, SIGNAL_EXECUTE);
    assert_true(view_is(p.sig.id, "s1"));
    assert_int_equal(p.sig.n_collections, 2);
    assert_true(view_is(p.sig.collections[0], "tide.a"));
    assert_true(view_is(p.sig.collections[1], "tide\\.b.*"));
    assert_int_equal(p.sig.n_conditions, 2);
    assert_true(view_is(p.sig.conditions[0].filter, "v = 'x'"));
    assert_null(p.sig.conditions[1].collection.p);
    assert_true(view_is(p.sig.conditions[1].filter, "id > 1"));
    assert_true(view_is(p.sig.surrogate, "s"));
    assert_false(p.sig.is_blocking);
    arena_fini(&p.memory);
}

static void data_may_be_missing_where_nothing_in_it_is_needed(void **state)
{
    static const char *const values[] = {
        "{\"type\":\"pause-snapshot\"}", "{\"type\":\"resume-snapshot\",\"data\":null}",
        "{\"type\":\"stop-snapshot\",\"data\":{}}", "{\"id\":7,\"type\":\"stop-snapshot\"}"};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct parsed p = parse(values[i]);
        assert_int_equal(p.outcome, SIGNAL_IS_OURS);
        assert_false(p.sig.has_id);
        arena_fini(&p.memory);
    }
}

static void malformed_signals_say_what_is_wrong(void **state)
{
    static const struct {
        const char *value;
        const char *reason;
    } bad[] = {
        {"not json", "not JSON"},
        {"{\"id\":\"x\"", "not JSON"},
        {"[]", "not a JSON object"},
        {"7", "not a JSON object"},
        {"{\"id\":\"x\"}", "type is missing"},
        {"{\"type\":7}", "type is missing or not a string"},
        {"{\"type\":\"Execute-Snapshot\"}", "not known"},
        {"{\"type\":\"execute-snapshot\"}", "data-collections is missing"},
        {"{\"type\":\"execute-snapshot\",\"data\":[]}", "data is not an object"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":\"a.b\"}}", "not an array"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[]}}", "is empty"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[7]}}", "not a string"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[\" \"]}}", "an empty name"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"type\":\"all\",\"data-collections\":[\"a.b\"]}}",
         "INCREMENTAL or BLOCKING"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[\"a.b\"],\"additional-conditions\":{}}}",
         "not an array"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[\"a.b\"],\"additional-conditions\":[{}]}}",
         "no string data-collection"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[\"a.b\"],\"additional-conditions\":"
         "[{\"data-collection\":\"a.b\"}]}}",
         "no string filter"},
        {"{\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[\"a.b\"],\"surrogate-key\":7}}",
         "surrogate-key"},
        {"{\"type\":\"log\"}", "message is missing"},
        {"{\"type\":\"set-binlog-position\",\"data\":{\"binlog_filename\":\"b.000001\"}}", "either"},
        {"{\"type\":\"set-binlog-position\",\"data\":{\"binlog_filename\":\"b.000001\",\"binlog_position\":1.5}}",
         "whole number"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct parsed p = parse(bad[i].value);
        if (p.outcome != SIGNAL_IS_BAD || strstr(p.why.text, bad[i].reason) == NULL)
            fail_msg("%s: %d %s", bad[i].value, p.outcome, p.why.text);
        arena_fini(&p.memory);
    }
}

static void other_keys_are_told_with_ours(void **state)
{
    struct arena memory;
    struct signal sig;
    struct fail why;
    (void)state;
    arena_init(&memory);
    struct view value = view_of("{\"type\":\"pause-snapshot\"}");
    assert_int_equal(signal_parse(VIEW_NONE, value, "sea", &memory, &sig, &why), SIGNAL_IS_FOREIGN);
    assert_non_null(strstr(why.text, "null"));
    assert_int_equal(signal_parse(view_of("Sea"), value, "sea", &memory, &sig, &why), SIGNAL_IS_FOREIGN);
    assert_non_null(strstr(why.text, "\"Sea\""));
    assert_non_null(strstr(why.text, "\"sea\""));
    assert_int_equal(signal_parse(view_of("sea"), VIEW_NONE, "sea", &memory, &sig, &why), SIGNAL_IS_EMPTY);
    arena_fini(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(execute_snapshot_carries_tables_conditions_and_key),
        cmocka_unit_test(data_may_be_missing_where_nothing_in_it_is_needed),
        cmocka_unit_test(malformed_signals_say_what_is_wrong),
        cmocka_unit_test(other_keys_are_told_with_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
