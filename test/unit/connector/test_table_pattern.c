/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables a pattern in a signal means, and how the command line parts patterns. */
#include "connector/signal_command.h"
#include "connector/table_pattern.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct shape_store store;

static int begin(void **state)
{
    (void)state;
    const struct shape_place place = {
        .gtids = NULL, .pos = &(const struct log_position){"binlog.000001", 4}, .server_uuid = ""};
    shape_store_init(&store, "shop", "shop");
    shape_store_append(&store, view_of("shop"), view_of("orders"), &place, view_of("CREATE TABLE orders (id INT)"));
    shape_store_append(&store, view_of("a.b"), view_of("c"), &place, view_of("CREATE TABLE c (id INT)"));
    return 0;
}

static int end(void **state)
{
    (void)state;
    shape_store_fini(&store);
    return 0;
}

static bool means(const char *pattern, const char *db, const char *table)
{
    struct table_pattern p;
    struct fail why;
    assert_true(table_pattern_init(&p, view_of(pattern), &store, &why));
    bool yes = table_pattern_means(&p, view_of(db), view_of(table));
    table_pattern_fini(&p);
    return yes;
}

static void a_quoted_name_means_that_table_alone(void **state)
{
    (void)state;
    assert_true(means("`shop`.`orders`", "shop", "orders"));
    assert_true(means("\"shop\".\"orders\"", "shop", "orders"));
    assert_true(means("shop.`orders`", "shop", "orders"));
    assert_true(means("`shop`.orders", "shop", "orders"));
    assert_false(means("`shop`.`orders`", "shop", "Orders"));
    assert_false(means("`shop`.`order.`", "shop", "orders"));
    assert_true(means("`a.b`.`c`", "a.b", "c"));
    assert_false(means("`a.b`.`c`", "a", "b.c"));
    assert_true(means("`we``ird`.`a,b`", "we`ird", "a,b"));
}

static void what_is_not_wholly_a_quoted_name_is_a_pattern(void **state)
{
    (void)state;
    assert_true(means("shop\\.o.*", "shop", "orders"));
    assert_false(means("`shop`", "shop", "orders"));
    assert_false(means("`shop`.`orders`x", "shop", "orders"));
    assert_false(means("`shop`.", "shop", ""));
}

static void check_parts(const char *tables, const char *printed)
{
    const struct signal_request request = {.type = "execute-snapshot", .tables = tables};
    struct buf out;
    char whole[300];
    buf_init(&out);
    signal_request_print(&request, "1", &out);
    snprintf(whole, sizeof whole, "{\"id\":\"1\",\"type\":\"execute-snapshot\",\"data\":{\"data-collections\":[%s]}}",
             printed);
    if (!view_is(buf_view(&out), whole))
        fail_msg("%.*s instead of %s", VIEW_ARGS(buf_view(&out)), whole);
    buf_fini(&out);
}

static void commas_in_brackets_or_quotes_part_nothing(void **state)
{
    (void)state;
    check_parts("a.b,c.d", "\"a.b\",\"c.d\"");
    check_parts("db\\.t{1,2},x.y", "\"db\\\\.t{1,2}\",\"x.y\"");
    check_parts("db\\.(a|[b,c](d,e)),x.y", "\"db\\\\.(a|[b,c](d,e))\",\"x.y\"");
    check_parts("`db`.`a,b`,\"c\".\"d,e\"", "\"`db`.`a,b`\",\"\\\"c\\\".\\\"d,e\\\"\"");
    check_parts("db.a\\,b,x.y", "\"db.a\\\\,b\",\"x.y\"");
    check_parts("db.a(b,x.y", "\"db.a(b\",\"x.y\"");
    check_parts("db\\.\\(,x.y", "\"db\\\\.\\\\(\",\"x.y\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quoted_name_means_that_table_alone),
        cmocka_unit_test(what_is_not_wholly_a_quoted_name_is_a_pattern),
        cmocka_unit_test(commas_in_brackets_or_quotes_part_nothing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
