/* SPDX-License-Identifier: Apache-2.0 */
/* What is captured: how lists are split, how their answers are joined, which columns make the key. */
#include "connector/filter.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

static struct regex_list *list(const char *text)
{
    struct fail why = {0};
    struct regex_list *made = regex_list_new(view_of(text), &why);
    if (made == NULL)
        fail_msg("'%s' was refused: %s", text, why.text);
    return made;
}

static size_t parts(const char *text)
{
    struct regex_list *l = list(text);
    size_t n = l->n;
    regex_list_free(&l);
    return n;
}

static bool list_matches(const char *text, const char *subject)
{
    struct regex_list *l = list(text);
    bool does = regex_list_matches(l, view_of(subject));
    regex_list_free(&l);
    return does;
}

static bool has_table(const struct filter *f, const char *db, const char *table)
{
    return filter_has_table(f, view_of(db), view_of(table));
}

static bool has_column(const struct filter *f, const char *db, const char *table, const char *column)
{
    return filter_has_column(f, view_of(db), view_of(table), view_of(column));
}

static void list_is_split_at_commas_that_no_backslash_protects(void **state)
{
    (void)state;
    assert_int_equal(parts("a,b,c"), 3);
    assert_int_equal(parts("a{1\\,3},b"), 2);
    assert_true(list_matches("a{1\\,3},b", "aa"));
    assert_true(list_matches("a\\,b", "a,b"));
    assert_true(list_matches("a\\\\,b", "b"));
    assert_true(list_matches("a\\.b,c", "a.b"));
    assert_false(list_matches("a\\.b,c", "axb"));
}

static void parts_are_trimmed_and_empty_ones_vanish(void **state)
{
    (void)state;
    assert_int_equal(parts(""), 0);
    assert_int_equal(parts(" , ,"), 0);
    assert_int_equal(parts(" a ,\tb\n,"), 2);
    assert_true(list_matches(" a , b ", "b"));
}

static void wrong_list_is_refused_with_its_part(void **state)
{
    (void)state;
    struct fail why;
    assert_null(regex_list_new(view_of("a,b\\"), &why));
    assert_non_null(strstr(why.text, "ends in a single backslash"));
    assert_null(regex_list_new(view_of("a,(b"), &why));
    assert_non_null(strstr(why.text, "(b"));
    assert_null(regex_list_new(view_of("a{1,3}"), &why));
    assert_non_null(strstr(why.text, "a comma is written \\,"));
}

static void without_lists_all_but_the_builtin_databases_is_captured(void **state)
{
    (void)state;
    struct filter f = {0};
    assert_true(has_table(&f, "shop", "orders"));
    assert_false(has_table(&f, "mysql", "user"));
    assert_false(has_table(&f, "MySQL", "user"));
    assert_false(has_table(&f, "information_schema", "tables"));
    assert_false(has_table(&f, "performance_schema", "threads"));
    assert_false(has_table(&f, "sys", "x"));
    assert_true(has_table(&f, "sysx", "x"));
    assert_true(has_column(&f, "shop", "orders", "id"));
}

static void builtin_databases_are_out_even_when_named(void **state)
{
    (void)state;
    struct filter f = {.database_include = list(".*"), .table_include = list("mysql\\.user")};
    assert_false(filter_has_database(&f, view_of("mysql")));
    assert_false(has_table(&f, "mysql", "user"));
    filter_fini(&f);
}

static void database_and_table_lists_must_both_agree(void **state)
{
    (void)state;
    struct filter f = {.database_include = list("shop,crm"), .table_include = list(".*\\.orders")};
    assert_true(has_table(&f, "shop", "orders"));
    assert_true(has_table(&f, "SHOP", "Orders"));
    assert_false(has_table(&f, "shop", "items"));
    assert_false(has_table(&f, "other", "orders"));
    assert_true(filter_has_database(&f, view_of("crm")));
    filter_fini(&f);

    f = (struct filter){.database_exclude = list("tmp_.*"), .table_exclude = list("shop\\.log_.*")};
    assert_true(has_table(&f, "shop", "orders"));
    assert_false(has_table(&f, "shop", "log_1"));
    assert_false(has_table(&f, "tmp_1", "orders"));
    filter_fini(&f);
}

static void blank_database_and_table_lists_are_none(void **state)
{
    (void)state;
    struct filter f = {.database_include = list(""), .table_include = list(" , ")};
    assert_true(has_table(&f, "shop", "orders"));
    filter_fini(&f);
}

static void column_lists_choose_fields(void **state)
{
    (void)state;
    struct filter f = {.column_exclude = list("shop\\.users\\.(passwd|salt)")};
    assert_false(has_column(&f, "shop", "users", "PASSWD"));
    assert_true(has_column(&f, "shop", "users", "name"));
    filter_fini(&f);

    f = (struct filter){.column_include = list("shop\\.users\\.name,shop\\.orders\\..*")};
    assert_true(has_column(&f, "shop", "users", "name"));
    assert_false(has_column(&f, "shop", "users", "salt"));
    assert_true(has_column(&f, "shop", "orders", "any"));
    filter_fini(&f);
}

static void blank_column_include_list_chooses_none(void **state)
{
    (void)state;
    struct filter f = {.column_include = list("")};
    assert_false(has_column(&f, "shop", "users", "name"));
    filter_fini(&f);
}

static void type_is_propagated_by_column_or_by_type(void **state)
{
    (void)state;
    struct filter f = {.propagated_columns = list("shop\\.users\\.name"), .propagated_types = list(".+\\.VARCHAR")};
    struct view db = view_of("shop"), users = view_of("users");
    assert_true(filter_propagates_type(&f, db, users, view_of("name"), view_of("CHAR")));
    assert_false(filter_propagates_type(&f, db, users, view_of("id"), view_of("INT")));
    assert_true(filter_propagates_type(&f, db, users, view_of("mail"), view_of("VARCHAR")));
    filter_fini(&f);
    assert_false(filter_propagates_type(&f, db, users, view_of("name"), view_of("CHAR")));
}

/* ---- message.key.columns ---- */

/* The key columns of shop.visits (id, user_id, day) under these rules, as letters of their names. */
static void check_key(const char *rules, unsigned n, uint16_t first, uint16_t second)
{
    struct column columns[] = {{.name = view_of("id")}, {.name = view_of("user_id")}, {.name = view_of("day")}};
    struct shape s = {.db = view_of("shop"), .table = view_of("visits"), .columns = columns, .n_columns = 3};
    uint16_t got[2] = {99, 99};
    struct fail why = {0};
    struct filter f = {.key_rules = key_rules_new(view_of(rules), &why)};
    if (f.key_rules == NULL)
        fail_msg("'%s' was refused: %s", rules, why.text);
    assert_int_equal(filter_key_columns(&f, &s, got, 2), n);
    assert_int_equal(got[0], first);
    assert_int_equal(got[1], second);
    filter_fini(&f);
}

static void key_columns_stand_in_the_order_listed(void **state)
{
    (void)state;
    check_key("shop\\.visits:day,user_id", 2, 2, 1);
    check_key("shop.visits:user_id", 1, 1, 99);
    check_key("shop.visits:user_id,day ", 2, 1, 2);
    check_key("shop\\.orders:id;(.*).visits:day", 1, 2, 99);
    check_key(" shop\\.visits:DAY ; shop\\.visits:day,id", 2, 2, 0);
    check_key("shop\\.visits:day ,id", 2, 2, 0);
    check_key("(shop|my shop)\\.visits:(day|a day)", 1, 2, 99);
    check_key("shop\\.orders:id", 0, 99, 99);
}

static void key_columns_are_expressions_in_the_order_of_the_table(void **state)
{
    (void)state;
    check_key("shop\\.visits:(user_id|day)", 2, 1, 2);
    check_key("shop\\.visits:.*", 3, 0, 1);
}

static void malformed_key_rules_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     " ",    "shop.visits", "shop.visits:", ":id",  "a:b:c",
                                        "a:b,", "a:,b", "a:b;;c:d",    "a:(b",         "a: b", "a:b, c"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fail why = {0};
        if (key_rules_new(view_of(wrong[i]), &why) != NULL)
            fail_msg("'%s' was accepted", wrong[i]);
        assert_int_equal(why.area, FAIL_AREA_CONFIG);
    }
}

static void a_snapshot_reads_the_tables_it_names_in_the_order_of_the_include_list(void **state)
{
    (void)state;
    struct filter f = {.table_include = list("s\\.z.*,s\\.a")};
    assert_int_equal(filter_table_rank(&f, view_of("s"), view_of("z1")), 0);
    assert_int_equal(filter_table_rank(&f, view_of("s"), view_of("a")), 1);
    assert_true(filter_table_rank(&f, view_of("s"), view_of("b")) == SIZE_MAX);
    assert_true(filter_snapshots_table(&f, view_of("s"), view_of("a")));
    f.snapshot_include = list("s\\.z1");
    assert_true(filter_snapshots_table(&f, view_of("s"), view_of("z1")));
    assert_false(filter_snapshots_table(&f, view_of("s"), view_of("a")));
    filter_fini(&f);
    struct filter none = {.table_include = NULL};
    assert_true(filter_table_rank(&none, view_of("s"), view_of("a")) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_reads_the_tables_it_names_in_the_order_of_the_include_list),
        cmocka_unit_test(list_is_split_at_commas_that_no_backslash_protects),
        cmocka_unit_test(parts_are_trimmed_and_empty_ones_vanish),
        cmocka_unit_test(wrong_list_is_refused_with_its_part),
        cmocka_unit_test(without_lists_all_but_the_builtin_databases_is_captured),
        cmocka_unit_test(builtin_databases_are_out_even_when_named),
        cmocka_unit_test(database_and_table_lists_must_both_agree),
        cmocka_unit_test(blank_database_and_table_lists_are_none),
        cmocka_unit_test(column_lists_choose_fields),
        cmocka_unit_test(blank_column_include_list_chooses_none),
        cmocka_unit_test(type_is_propagated_by_column_or_by_type),
        cmocka_unit_test(key_columns_stand_in_the_order_listed),
        cmocka_unit_test(key_columns_are_expressions_in_the_order_of_the_table),
        cmocka_unit_test(malformed_key_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
