/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog: shapes by name, databases and their charsets, and names as they compare. */
#include "binlog/catalog.h"
#include "binlog/name.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static struct shape *shape_named(const char *db, const char *table)
{
    struct shape *s = shape_new(view_of(db), view_of(table));
    s->charset = charset_find(view_of("utf8mb4"));
    return s;
}

static const struct shape *find(struct catalog *cat, const char *db, const char *table)
{
    return catalog_find(cat, view_of(db), view_of(table));
}

static void catalog_holds_the_newest_shape_of_a_table(void **state)
{
    (void)state;
    struct catalog cat;
    catalog_init(&cat, 0);
    const struct shape *first = shape_hold(shape_named("d", "t"));
    struct shape *second = shape_named("d", "t");
    catalog_put(&cat, first);
    catalog_put(&cat, second);
    assert_ptr_equal(find(&cat, "d", "t"), second);
    assert_null(find(&cat, "d", "T"));
    assert_null(find(&cat, "dt", ""));
    assert_int_equal(first->counts, 1); /* ours: the catalog let go of it */
    shape_free(&first);
    assert_true(catalog_remove(&cat, view_of("d"), view_of("t")));
    assert_false(catalog_remove(&cat, view_of("d"), view_of("t")));
    assert_null(find(&cat, "d", "t"));
    catalog_fini(&cat);
}

static void catalog_walks_all_shapes(void **state)
{
    (void)state;
    struct catalog cat;
    char name[16];
    catalog_init(&cat, 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "t%d", i);
        catalog_put(&cat, shape_named("d", name));
    }
    size_t n = 0;
    size_t at = 0;
    while (catalog_next(&cat, &at) != NULL)
        n++;
    assert_int_equal(n, 1000);
    catalog_fini(&cat);
}

static void catalog_forgets_a_database_with_its_tables(void **state)
{
    (void)state;
    struct catalog cat;
    catalog_init(&cat, 0);
    catalog_put(&cat, shape_named("d", "a"));
    catalog_put(&cat, shape_named("d", "b"));
    catalog_put(&cat, shape_named("e", "a"));
    catalog_put_database(&cat, view_of("d"), charset_find(view_of("latin1")), VIEW_NONE);
    assert_true(catalog_has_tables(&cat, view_of("d")));
    catalog_remove_database(&cat, view_of("d"));
    catalog_remove_database(&cat, view_of("nosuch"));
    assert_false(catalog_has_tables(&cat, view_of("d")));
    assert_null(find(&cat, "d", "a"));
    assert_non_null(find(&cat, "e", "a"));
    assert_null(catalog_find_database(&cat, view_of("d")));
    catalog_fini(&cat);
}

static void catalog_knows_the_charset_of_a_database_only_when_told(void **state)
{
    (void)state;
    struct catalog cat;
    catalog_init(&cat, 0);
    catalog_put(&cat, shape_named("d", "a")); /* a table alone says nothing of it */
    assert_null(catalog_find_database(&cat, view_of("d")));
    catalog_put_database(&cat, view_of("d"), charset_find(view_of("latin1")), VIEW_NONE);
    assert_string_equal(catalog_find_database(&cat, view_of("d"))->collation, "latin1_swedish_ci");
    catalog_put_database(&cat, view_of("d"), charset_find(view_of("latin1")), view_of("latin1_bin"));
    assert_string_equal(catalog_find_database(&cat, view_of("d"))->collation, "latin1_bin");
    assert_true(catalog_has_tables(&cat, view_of("d")));
    catalog_fini(&cat);
}

static void catalog_folds_case_where_the_server_does(void **state)
{
    (void)state;
    struct catalog cat;
    catalog_init(&cat, 2);
    catalog_put(&cat, shape_named("Dä", "Ta"));
    assert_non_null(find(&cat, "DÄ", "tA"));
    catalog_put(&cat, shape_named("dä", "ta"));
    size_t at = 0;
    assert_non_null(catalog_next(&cat, &at));
    assert_null(catalog_next(&cat, &at));
    catalog_remove_database(&cat, view_of("DÄ"));
    assert_null(find(&cat, "dä", "ta"));
    catalog_fini(&cat);
}

static void catalog_keeps_a_bounded_number_of_helpers(void **state)
{
    (void)state;
    struct catalog cat;
    char name[16];
    catalog_init(&cat, 0);
    catalog_put(&cat, shape_named("d", "captured"));
    for (int i = 0; i < 3 * CATALOG_HELPERS_MAX; i++) {
        snprintf(name, sizeof name, "t%d", i);
        catalog_put_helper(&cat, shape_named("d", name));
        assert_non_null(find(&cat, "d", name)); /* the newest is never the one that goes */
    }
    assert_int_equal(cat.shapes.n, CATALOG_HELPERS_MAX + 1);
    assert_non_null(find(&cat, "d", "captured"));
    catalog_put(&cat, shape_named("d", name)); /* renamed into place: no helper any more */
    assert_int_equal(cat.helpers.n, CATALOG_HELPERS_MAX - 1);
    catalog_remove_database(&cat, view_of("d"));
    assert_int_equal(cat.helpers.n, 0);
    assert_int_equal(cat.shapes.n, 0);
    catalog_fini(&cat);
}

static void check_names(const char *a, const char *b, bool are_equal)
{
    assert_int_equal(name_equal(view_of(a), view_of(b)), are_equal);
    assert_int_equal(name_equal(view_of(b), view_of(a)), are_equal);
}

static void name_compares_letters_without_case(void **state)
{
    (void)state;
    check_names("abc", "ABC", true);
    check_names("ÄÖÜé", "äöüÉ", true);
    check_names("e", "é", false);
    check_names("Ключ", "кЛЮЧ", true);
    check_names("Άλφα", "άΛΦΑ", true);
    check_names("Ａ", "ａ", true);
    check_names("ab", "abc", false);
    check_names("", "", true);
    check_names("", "a", false);
    check_names("[", "{", false);
    check_names("\xc3", "\xc3", true); /* no UTF-8: byte by byte */
    check_names("\xc3", "\xe3", false);
    check_names("🐳", "🐳", true);
}

static void name_folds_what_compares_equal_to_the_same(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"AbC", "abc"}, {"ÄÉŸŽ", "äéÿž"}, {"КЛЮЧ", "ключ"}, {"表🐳\xff", "表🐳\xff"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct buf out;
        buf_init(&out);
        name_fold(view_of(pairs[i][0]), &out);
        assert_true(view_is(buf_view(&out), pairs[i][1]));
        buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catalog_holds_the_newest_shape_of_a_table),
        cmocka_unit_test(catalog_walks_all_shapes),
        cmocka_unit_test(catalog_forgets_a_database_with_its_tables),
        cmocka_unit_test(catalog_knows_the_charset_of_a_database_only_when_told),
        cmocka_unit_test(catalog_folds_case_where_the_server_does),
        cmocka_unit_test(catalog_keeps_a_bounded_number_of_helpers),
        cmocka_unit_test(name_compares_letters_without_case),
        cmocka_unit_test(name_folds_what_compares_equal_to_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
