/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statements that read a table in key order, for every kind of key; the keys that are refused; filters.
 */
#include "snapshot/chunk.h"
#include "snapshot/chunk_fault.h"
#include "snapshot/chunk_filter.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

/* The chunk's SELECT of all columns, behind a stored key and up to another; NULL: none. The caller frees it. */
static char *select_text(const char *create, const char *surrogate, const char *after, const char *last,
                         const char *filter)
{
    const struct shape *shape = rows_shape("db", create);
    struct chunk_path path;
    struct chunk_statement st;
    struct fail why;
    struct arena memory;
    struct chunk_key_value after_values[CHUNK_PARTS_MAX], last_values[CHUNK_PARTS_MAX];
    uint16_t columns[64];
    arena_init(&memory);
    chunk_statement_init(&st);
    assert_true(chunk_choose_path(&path, shape, surrogate, &why));
    for (uint16_t i = 0; i < shape->n_columns; i++)
        columns[i] = i;
    if (after != NULL)
        assert_true(chunk_key_read(view_of(after), path.n, &memory, after_values, &why));
    if (last != NULL)
        assert_true(chunk_key_read(view_of(last), path.n, &memory, last_values, &why));
    const struct chunk_range range = {columns,
                                      shape->n_columns,
                                      after == NULL ? NULL : after_values,
                                      last == NULL ? NULL : last_values,
                                      filter,
                                      10,
                                      false,
                                      true};
    chunk_put_select(&st, &path, &range);
    char *text = mem_strdup((const char *)st.sql.start);
    chunk_statement_fini(&st);
    arena_fini(&memory);
    shape_free(&shape);
    return text;
}

static void check(const char *create, const char *after, const char *last, const char *expected)
{
    char *text = select_text(create, NULL, after, last, NULL);
    assert_string_equal(text, expected);
    free(text);
}

static void composite_key_is_compared_in_expanded_form(void **state)
{
    (void)state;
    check("create table t (a int, b int, primary key (a, b))", "[1,2]", "[9,9]",
          "SELECT `a`, `b` FROM `db`.`t` FORCE INDEX (`PRIMARY`) WHERE (`a` > ? OR (`a` = ? AND `b` > ?)) AND "
          "(`a` < ? OR (`a` = ? AND `b` < ?) OR (`a` = ? AND `b` = ?)) ORDER BY `t`.`a`, `t`.`b` LIMIT 10");
}

static void descending_part_is_compared_the_other_way(void **state)
{
    (void)state;
    check("create table t (a int, b int, primary key (a, b desc))", "[1,2]", NULL,
          "SELECT `a`, `b` FROM `db`.`t` FORCE INDEX (`PRIMARY`) WHERE (`a` > ? OR (`a` = ? AND `b` < ?)) "
          "ORDER BY `t`.`a`, `t`.`b` DESC LIMIT 10");
}

static void part_with_one_value_in_the_whole_table_is_not_ordered_by(void **state)
{
    static const char create[] = "create table t (a bigint unsigned, b bigint, c int, primary key (a, b desc, c))";
    (void)state;
    check(create, "[0,9,1]", "[0,7,4]",
          "SELECT `a`, `b`, `c` FROM `db`.`t` FORCE INDEX (`PRIMARY`) WHERE `a` = ? AND "
          "(`b` < ? OR (`b` = ? AND `c` > ?)) AND (`b` > ? OR (`b` = ? AND `c` < ?) OR (`b` = ? AND `c` = ?)) "
          "ORDER BY `t`.`b` DESC, `t`.`c` LIMIT 10");
    check(create, NULL, "[0,9223372036854775807,4]",
          "SELECT `a`, `b`, `c` FROM `db`.`t` FORCE INDEX (`PRIMARY`) WHERE `a` = ? AND `b` = ? AND "
          "(`c` < ? OR (`c` = ?)) ORDER BY `t`.`c` LIMIT 10");
    check("create table t (e enum('a','b'), id int, primary key (e, id))", "[2,5]", NULL,
          "SELECT `e`+0, `id` FROM `db`.`t` FORCE INDEX (`PRIMARY`) WHERE `e` = 2 AND (`id` > ?) ORDER BY `t`.`id` "
          "LIMIT 10");
}

static void text_is_compared_by_its_bytes_in_its_own_collation(void **state)
{
    (void)state;
    check("create table t (k varchar(9) character set latin1 collate latin1_swedish_ci primary key)", "[\"x\"]", NULL,
          "SELECT `k` FROM `db`.`t` FORCE INDEX (`PRIMARY`) WHERE (`k` > (CONVERT(CAST(? AS BINARY) USING latin1) "
          "COLLATE "
          "latin1_swedish_ci)) ORDER BY `t`.`k` LIMIT 10");
}

static void enum_is_a_list_of_numbers(void **state)
{
    (void)state;
    check("create table t (e enum('a','b','c') primary key)", "[1]", "[2]",
          "SELECT `e`+0 FROM `db`.`t` FORCE INDEX (`PRIMARY`) WHERE ((`e` = 2 OR `e` = 3)) AND ((`e` = 0 OR `e` = 1) "
          "OR (`e` = "
          "2)) ORDER BY `t`.`e` LIMIT 10");
}

static void documents_are_asked_what_their_text_does_not_say(void **state)
{
    (void)state;
    check("create table t (id int primary key, d json)", "[1]", NULL,
          "SELECT `id`, `d`, NOT (`d` <=> CAST(CAST(`d` AS CHAR) AS JSON)) FROM `db`.`t` FORCE INDEX (`PRIMARY`) "
          "WHERE (`id` > ?) ORDER BY `t`.`id` LIMIT 10");
}

static void surrogate_is_paged_with_the_key_and_its_nulls_come_first(void **state)
{
    static const char create[] = "create table t (id int primary key, s int null, key by_s (s))";
    (void)state;
    char *text = select_text(create, "s", "[null,4]", NULL, NULL);
    assert_string_equal(
        text, "SELECT `id`, `s` FROM `db`.`t` FORCE INDEX (`by_s`) WHERE (`s` IS NOT NULL OR (`s` IS NULL AND "
              "`id` > ?)) ORDER BY `t`.`s`, `t`.`id` LIMIT 10");
    free(text);
    text = select_text(create, "s", NULL, "[5,1]", NULL);
    assert_non_null(strstr(text, "((`s` < ? OR `s` IS NULL) OR (`s` = ? AND `id` < ?) OR (`s` = ? AND `id` = ?))"));
    free(text);
}

static void filter_stands_in_parentheses_and_may_end_in_a_comment(void **state)
{
    (void)state;
    char *text = select_text("create table t (id int primary key)", NULL, NULL, "[3]", "id > 1 -- x");
    assert_non_null(strstr(text, " AND (id > 1 -- x\n) ORDER BY"));
    free(text);
}

static void names_are_quoted(void **state)
{
    (void)state;
    char *text = select_text("create table `t``x` (`a``b` int primary key)", NULL, "[1]", NULL, NULL);
    assert_non_null(strstr(text, "`db`.`t``x`"));
    assert_non_null(strstr(text, "`a``b` > ?"));
    free(text);
}

/* ---- refusals ---- */

static void check_refused(const char *create, const char *surrogate, const char *reason)
{
    const struct shape *shape = rows_shape("db", create);
    struct chunk_path path;
    struct fail why;
    assert_false(chunk_choose_path(&path, shape, surrogate, &why));
    assert_int_equal(why.kind, FAIL_REFUSE);
    assert_non_null(strstr(why.text, reason));
    shape_free(&shape);
}

static void keys_without_a_sound_order_are_refused(void **state)
{
    (void)state;
    check_refused("create table t (a int)", NULL, "no primary key");
    check_refused("create table t (s set('a') primary key)", NULL, "SET");
    check_refused("create table t (b blob, primary key (b(4)))", NULL, "prefix");
    check_refused("create table t (v varchar(40), primary key (v(4)))", NULL, "prefix");
    check_refused("create table t (k varchar(9) character set gb18030 collate gb18030_chinese_ci primary key)", NULL,
                  "gb18030_chinese_ci");
    check_refused("create table t (id int primary key, s int)", "s", "sorted for each chunk");
    check_refused("create table t (id int primary key, s int)", "nope", "no surrogate column nope");
}

static void digest_changes_with_what_orders_keys(void **state)
{
    static const char *const creates[] = {
        "create table t (a int primary key, b int)",
        "create table t (a int unsigned primary key, b int)",
        "create table t (a int, b int primary key)",
        "create table t (a int, b int, primary key (a desc))",
        "create table t (a int, b int, primary key (a, b))",
        "create table t (a varchar(9) collate utf8mb4_bin primary key)",
        "create table t (a varchar(9) collate utf8mb4_general_ci primary key)",
        "create table t (a enum('x','y') primary key)",
        "create table t (a enum('y','x') primary key)",
    };
    enum { N = sizeof creates / sizeof *creates };
    char digests[N][17], again[17];
    (void)state;
    for (unsigned i = 0; i < N; i++) {
        const struct shape *shape = rows_shape("db", creates[i]);
        struct chunk_path path;
        struct fail why;
        assert_true(chunk_choose_path(&path, shape, NULL, &why));
        chunk_path_digest(&path, digests[i]);
        chunk_path_digest(&path, again);
        assert_string_equal(digests[i], again);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(digests[i], digests[k]);
        shape_free(&shape);
    }
}

/* ---- filters ---- */

static void filters_that_only_choose_pass(void **state)
{
    static const char *const good[] = {
        "id > 7",
        "t = 'it''s \"high\"'",
        "t = 'a\\'b)'",
        "a = \"x;)\"",
        "`we?ird` = 1",
        "id > 1 -- ) ; ?",
        "id > 1 # )",
        "/* ) ? ; */ id = 1",
        "(a = 1 OR (b = 2))",
        "id IN (SELECT id FROM x.y)",
        "forshare = 1 AND `for` = 2",
        "a--1 = 3",
        "'for share' = t",
    };
    struct fail why;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!chunk_filter_check(good[i], &why))
            fail_msg("%s: %s", good[i], why.text);
}

static void filters_that_do_more_are_refused(void **state)
{
    static const char *const bad[] = {
        "id=3) OR (1=1",
        "(id=3",
        "t='x",
        "t=\"x",
        "`a",
        "/* x",
        "/*! OR 1 */ a",
        "/*+ SET_VAR(x=1) */ a",
        "a; DROP TABLE t",
        "id = ?",
        "id IN (SELECT id FROM t FOR SHARE)",
        "id IN (SELECT id FROM t for /* x */ UPDATE)",
        "id IN (SELECT id FROM t LOCK IN SHARE MODE)",
        "get_lock('a', 1)",
        "t = 'a\\'",
        "id=1 -- x\n)",
    };
    struct fail why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (chunk_filter_check(bad[i], &why))
            fail_msg("%s passed", bad[i]);
}

/* ---- plans and faults ---- */

static void plan_that_sorts_or_starts_at_the_first_row_is_bad(void **state)
{
    struct view step;
    (void)state;
    struct view range = view_of("-> Limit: 10 row(s)\n    -> Index range scan on t using PRIMARY over (1 < a)\n");
    struct view scan = view_of("-> Limit: 10 row(s)\n    -> Covering index scan on t using PRIMARY\n");
    struct view sort = view_of("-> Limit: 10\n    -> Sort: t.a\n        -> Index range scan on t using PRIMARY\n");
    struct view table = view_of("-> Filter: (t.a = 'Sort')\n    -> Table scan on t\n");
    assert_true(chunk_plan_is_good(range, false, &step));
    assert_false(chunk_plan_is_good(scan, false, &step));
    assert_true(chunk_plan_is_good(scan, true, &step));
    assert_false(chunk_plan_is_good(sort, true, &step));
    assert_false(chunk_plan_is_good(table, true, &step));
    assert_true(view_is(step, "Table scan on t"));
}

static void faults_say_what_to_do(void **state)
{
    (void)state;
    assert_int_equal(chunk_fault_outcome(&(struct fail){.kind = FAIL_REFUSE, .code = 1146}), CHUNK_OTHER_SHAPE);
    assert_int_equal(chunk_fault_outcome(&(struct fail){.kind = FAIL_STOP, .code = 1176}), CHUNK_OTHER_SHAPE);
    assert_int_equal(chunk_fault_outcome(&(struct fail){.kind = FAIL_RETRY, .code = 2013}), CHUNK_AGAIN);
    assert_int_equal(chunk_fault_outcome(&(struct fail){.kind = FAIL_STOP, .code = 1142}), CHUNK_REFUSED);
    assert_true(
        chunk_fault_breaks_connection(&(struct fail){.kind = FAIL_RETRY, .area = FAIL_AREA_SOURCE, .code = 2013}));
    assert_false(
        chunk_fault_breaks_connection(&(struct fail){.kind = FAIL_RETRY, .area = FAIL_AREA_SOURCE, .code = 1205}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composite_key_is_compared_in_expanded_form),
        cmocka_unit_test(descending_part_is_compared_the_other_way),
        cmocka_unit_test(part_with_one_value_in_the_whole_table_is_not_ordered_by),
        cmocka_unit_test(text_is_compared_by_its_bytes_in_its_own_collation),
        cmocka_unit_test(enum_is_a_list_of_numbers),
        cmocka_unit_test(documents_are_asked_what_their_text_does_not_say),
        cmocka_unit_test(surrogate_is_paged_with_the_key_and_its_nulls_come_first),
        cmocka_unit_test(filter_stands_in_parentheses_and_may_end_in_a_comment),
        cmocka_unit_test(names_are_quoted),
        cmocka_unit_test(keys_without_a_sound_order_are_refused),
        cmocka_unit_test(digest_changes_with_what_orders_keys),
        cmocka_unit_test(filters_that_only_choose_pass),
        cmocka_unit_test(filters_that_do_more_are_refused),
        cmocka_unit_test(plan_that_sorts_or_starts_at_the_first_row_is_bad),
        cmocka_unit_test(faults_say_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
