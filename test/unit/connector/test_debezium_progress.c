/* SPDX-License-Identifier: Apache-2.0 */
/* debezium_progress: an incremental snapshot under way goes over from Debezium's offset and back into it. */
#include "binlog/ddl.h"
#include "connector/debezium_progress.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER_7                                                                                                      \
    "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c020000787000000001737200116a6176612e6c616e" \
    "672e496e746567"                                                                                                   \
    "657212e2a0a4f781873802000149000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b02000078700000" \
    "0007"
#define LONG_7                                                                                                         \
    "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c0200007870000000017372000e6a6176612e6c616e" \
    "672e4c6f6e673b"                                                                                                   \
    "8be490cc8f23df0200014a000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b02000078700000000000" \
    "000007"
#define NO_KEY "aced000570"

static enum incremental_shape find_shape(void *ctx, struct view db, struct view table, const struct shape **shape)
{
    struct fail why;
    const struct ddl_context dc = {.db = db};
    (void)ctx;
    if (view_is(table, "unknown"))
        return INCREMENTAL_SHAPE_UNKNOWN;
    *shape = ddl_read_create(NULL, &dc, view_of("CREATE TABLE orders (id INT PRIMARY KEY, v INT)"), &why);
    return INCREMENTAL_SHAPE_FOUND;
}

static struct incremental *new_incremental(void)
{
    static const struct record_settings record;
    static const struct incremental_hooks hooks;
    const struct incremental_settings set = {.record = &record, .chunk_size = 10, .threads = 1};
    return incremental_new(&set, &hooks);
}

static struct incremental *load(const char *members)
{
    struct incremental *inc = new_incremental();
    struct fail why;
    char *id = NULL;
    if (!debezium_progress_load(inc, view_of(members), find_shape, NULL, &id, &why))
        fail_msg("%s", why.text);
    free(id);
    return inc;
}

static void check_key(const struct chunk_key *key, const char *expected)
{
    if (!view_is(buf_view(&key->text), expected))
        fail_msg("%.*s is not %s", VIEW_ARGS(buf_view(&key->text)), expected);
}

#define COLLECTION(id, condition, surrogate)                                        \
    "{\\\"incremental_snapshot_collections_id\\\":\\\"" id                          \
    "\\\",\\\"incremental_snapshot_collections_additional_condition\\\":" condition \
    ",\\\"incremental_snapshot_collections_surrogate_key\\\":" surrogate "}"
#define MEMBERS(primary, maximum, collections)                                                              \
    ",\"incremental_snapshot_primary_key\":\"" primary "\",\"incremental_snapshot_maximum_key\":\"" maximum \
    "\",\"incremental_snapshot_collections\":\"[" collections "]\",\"incremental_snapshot_correlation_id\":\"s1\""

static void debezium_progress_goes_on_behind_the_stored_key(void **state)
{
    (void)state;
    struct incremental *inc = load(
        MEMBERS(INTEGER_7, LONG_7,
                COLLECTION("shop.orders", "null", "null") "," COLLECTION("shop.a.b", "\\\"((id > 7) )\\\"", "null")));
    const struct table_read *head = incremental_tables(inc);
    assert_string_equal(head->db, "shop");
    assert_string_equal(head->table, "orders");
    assert_string_equal(head->signal_id, "s1");
    check_key(&head->done, "[7]");
    check_key(&head->read, "[7]");
    check_key(&head->last, "[7]");
    assert_true(head->has_last);
    assert_null(head->filter);
    const struct table_read *second = head->next_in_queue;
    assert_string_equal(second->table, "a.b");
    assert_string_equal(second->filter, "id > 7");
    assert_true(chunk_key_is_empty(&second->done));
    assert_null(second->next_in_queue);
    incremental_free(&inc, 1000);
}

static void check_from_start(const char *members)
{
    struct incremental *inc = load(members);
    const struct table_read *head = incremental_tables(inc);
    assert_true(chunk_key_is_empty(&head->done) && chunk_key_is_empty(&head->read) && chunk_key_is_empty(&head->last));
    assert_false(head->has_last);
    incremental_free(&inc, 1000);
}

static void debezium_progress_starts_a_table_anew_when_its_key_is_of_no_use(void **state)
{
    (void)state;
    check_from_start(MEMBERS(NO_KEY, NO_KEY, COLLECTION("shop.orders", "null", "null")));
    check_from_start(MEMBERS(NO_KEY, INTEGER_7, COLLECTION("shop.orders", "null", "null")));
    check_from_start(MEMBERS(INTEGER_7, INTEGER_7, COLLECTION("shop.unknown", "null", "null")));
    check_from_start(MEMBERS(INTEGER_7, INTEGER_7, COLLECTION("shop.orders", "null", "\\\"v\\\"")));
    check_from_start(MEMBERS("aced0005740001", INTEGER_7, COLLECTION("shop.orders", "null", "null")));
    check_from_start(",\"incremental_snapshot_collections\":\"[" COLLECTION("shop.orders", "null", "null") "]\"");
}

static void check_condition(const char *members, const char *expected)
{
    struct incremental *inc = load(members);
    const char *filter = incremental_tables(inc)->filter;
    if (expected == NULL)
        assert_null(filter);
    else
        assert_string_equal(filter, expected);
    incremental_free(&inc, 1000);
}

#define CONDITION(text) MEMBERS(NO_KEY, NO_KEY, COLLECTION("shop.orders", "\\\"" text "\\\"", "null"))

static void debezium_progress_takes_the_parentheses_off_a_condition(void **state)
{
    (void)state;
    check_condition(CONDITION("(id = 1)"), "id = 1");
    check_condition(CONDITION("(((id = 1)))"), "id = 1");
    check_condition(CONDITION("(a) OR (b)"), "(a) OR (b)");
    check_condition(CONDITION("((a) OR (b))"), "(a) OR (b)");
    check_condition(CONDITION("(v = ')')"), "v = ')'");
    check_condition(CONDITION("(v = '(')"), "v = '('");
    check_condition(CONDITION("()"), NULL);
    check_condition(CONDITION("(open"), "(open");
}

static void debezium_progress_says_what_is_wrong(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        ",\"incremental_snapshot_primary_key\":\"00\"", ",\"incremental_snapshot_collections\":\"{}\"",
        ",\"incremental_snapshot_collections\":\"[{}]\"", ",\"incremental_snapshot_collections\":7", ",what"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct incremental *inc = new_incremental();
        struct fail why = {0};
        char *id;
        assert_false(debezium_progress_load(inc, view_of(wrong[i]), find_shape, NULL, &id, &why));
        assert_int_equal(why.kind, FAIL_STOP);
        assert_null(id);
        incremental_free(&inc, 1000);
    }
}

/* ---- writing ---- */

static struct table_read *add(struct incremental *inc, const char *table, const char *done, const char *last)
{
    struct table_read *t = table_read_new(view_of("shop"), view_of(table));
    chunk_key_set(&t->done, view_of(done));
    chunk_key_set(&t->last, view_of(last));
    incremental_add(inc, t);
    return t;
}

static void check_printed(struct incremental *inc, const char *expected)
{
    struct buf out;
    buf_init(&out);
    buf_put_literal(&out, "x");
    debezium_progress_print(inc, find_shape, NULL, &out);
    buf_put_u8(&out, 0);
    assert_string_equal((const char *)out.start + 1, expected);
    buf_fini(&out);
    incremental_free(&inc, 1000);
}

static void debezium_progress_is_written_as_debezium_has_it(void **state)
{
    (void)state;
    struct incremental *inc = new_incremental();
    struct table_read *t = add(inc, "orders", "[7]", "[7]");
    t->signal_id = mem_strdup("s1");
    t->filter = mem_strdup("id > 7");
    add(inc, "items", "", "");
    check_printed(
        inc, MEMBERS(LONG_7, LONG_7,
                     COLLECTION("shop.orders", "\\\"id > 7\\\"", "null") "," COLLECTION("shop.items", "null", "null")));
    inc = new_incremental();
    add(inc, "orders", "", "");
    check_printed(inc,
                  ",\"incremental_snapshot_primary_key\":\"" NO_KEY "\",\"incremental_snapshot_maximum_key\":\"" NO_KEY
                  "\",\"incremental_snapshot_collections\":\"[" COLLECTION(
                      "shop.orders", "null", "null") "]\",\"incremental_snapshot_correlation_id\":null");
}

static void debezium_progress_is_not_written_when_debezium_could_not_say_it(void **state)
{
    (void)state;
    check_printed(new_incremental(), "");
    struct incremental *inc = new_incremental();
    add(inc, "orders", "[7]", "[7]");
    add(inc, "items", "[1]", "[2]"); /* two at once */
    check_printed(inc, "");
    inc = new_incremental();
    add(inc, "orders", "[7,7]", "[7,7]")->surrogate = mem_strdup("v");
    check_printed(inc, "");
    inc = new_incremental();
    add(inc, "unknown", "[7]", "[7]");
    check_printed(inc, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debezium_progress_goes_on_behind_the_stored_key),
        cmocka_unit_test(debezium_progress_starts_a_table_anew_when_its_key_is_of_no_use),
        cmocka_unit_test(debezium_progress_takes_the_parentheses_off_a_condition),
        cmocka_unit_test(debezium_progress_says_what_is_wrong),
        cmocka_unit_test(debezium_progress_is_written_as_debezium_has_it),
        cmocka_unit_test(debezium_progress_is_not_written_when_debezium_could_not_say_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
