/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files: the syntax of java.util.Properties with all its corners, and Connect's JSON. */
#include "connector/properties.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Reads and compares with "key=value@line|…", in order. */
static void check(const char *text, const char *expected)
{
    struct properties p;
    struct fail why = {0};
    struct buf got;
    if (!properties_read(view_of(text), &p, &why))
        fail_msg("'%s' was refused: %s", text, why.text);
    buf_init(&got);
    for (size_t i = 0; i < p.n; i++)
        buf_printf(&got, "%s%s=%s@%u", i > 0 ? "|" : "", p.items[i].key, p.items[i].value, p.items[i].line);
    buf_put_u8(&got, 0);
    assert_string_equal((const char *)got.start, expected);
    buf_fini(&got);
    properties_fini(&p);
}

static void check_refused(const char *text, size_t n, const char *reason)
{
    struct properties p;
    struct fail why = {0};
    bool ok = properties_read((struct view){(const uint8_t *)text, n}, &p, &why);
    properties_fini(&p);
    assert_false(ok);
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_CONFIG);
    if (strstr(why.text, reason) == NULL)
        fail_msg("'%s' should say '%s'", why.text, reason);
}

static void key_ends_at_equals_colon_or_blank(void **state)
{
    (void)state;
    check("a=1\nb:2\nc 3\nd\t4\ne\f5", "a=1@1|b=2@2|c=3@3|d=4@4|e=5@5");
    check("a = 1\nb  :  2\nc \t = = 3", "a=1@1|b=2@2|c== 3@3");
    check("a", "a=@1");
    check("a=\nb:\nc", "a=@1|b=@2|c=@3");
    check("=v", "=v@1");
}

static void value_keeps_blanks_at_its_end_but_not_at_its_start(void **state)
{
    (void)state;
    check("a=  x y  ", "a=x y  @1");
    check("   a=1", "a=1@1");
}

static void comments_and_blank_lines_count_only_as_lines(void **state)
{
    (void)state;
    check("# one\n\n  ! two\n \t\n a=1 # no comment\n", "a=1 # no comment@5");
    check("# a comment isn't joined \\\na=1", "a=1@2");
}

static void backslash_at_the_end_joins_lines(void **state)
{
    (void)state;
    check("a=1,\\\n   2,\\\n\t3", "a=1,2,3@1");
    check("a=1\\\\\nb=2", "a=1\\@1|b=2@2");
    check("a=1\\\\\\\n2", "a=1\\2@1");
    check("a=1\\\n\nb=2", "a=1@1|b=2@3");
    check("a=1\\", "a=1@1");
    check("a\\\nb=1", "ab=1@1");
    check("a=1\\\n# not a comment", "a=1# not a comment@1");
    check("a=1\\\r\n2\rb=3\r\nc=4", "a=12@1|b=3@3|c=4@4");
}

static void backslash_elsewhere_escapes_or_disappears(void **state)
{
    (void)state;
    check("a=\\t\\n\\r\\f\\q\\\\", "a=\t\n\r\fq\\@1");
    check("a\\=b=1\nc\\:d=2\ne\\ f=3\n\\#g=4", "a=b=1@1|c:d=2@2|e f=3@3|#g=4@4");
    check("t=shop\\\\.orders", "t=shop\\.orders@1");
    check("t=shop\\.orders", "t=shop.orders@1");
}

static void unicode_escapes_are_utf16(void **state)
{
    (void)state;
    check("a=\\u0041\\u00e4\\u20AC", "a=A\xc3\xa4\xe2\x82\xac@1");
    check("a=\\ud83d\\ude00", "a=\xf0\x9f\x98\x80@1");
    check("\\u0061=1", "a=1@1");
    check_refused("a=1\nb=\\u12", 10, "line 2: malformed");
    check_refused("a=\\u12zz", 8, "line 1: malformed");
    check_refused("a=\\ud83d", 8, "line 1: malformed");
    check_refused("a=\\ud83dx", 9, "line 1: malformed");
    check_refused("a=\\ude00", 8, "line 1: malformed");
    check_refused("a=\\u0000", 8, "line 1: malformed");
}

static void text_is_utf8_with_or_without_mark(void **state)
{
    (void)state;
    check("a=\xc3\xa4", "a=\xc3\xa4@1");
    check("\xef\xbb\xbf"
          "a=1",
          "a=1@1");
    check("", "");
    check_refused("a=1\nb=\xe4", 7, "line 2: not UTF-8");
    check_refused("a=\xed\xa0\x80", 5, "line 1: not UTF-8");
    check_refused("a=\xc0\x80", 4, "line 1: not UTF-8");
    check_refused("a=1\n\nb=\0", 8, "line 3: a NUL byte");
}

static void all_entries_of_a_key_are_kept_and_the_last_is_found(void **state)
{
    (void)state;
    struct properties p;
    struct fail why;
    check("a=1\na=2", "a=1@1|a=2@2");
    assert_true(properties_read(view_of("a=1\na=2"), &p, &why));
    assert_string_equal(properties_get(&p, "a")->value, "2");
    assert_null(properties_get(&p, "b"));
    properties_fini(&p);
}

static void connect_json_is_flat_or_with_name_and_config(void **state)
{
    (void)state;
    check("{\"a\":\"1\",\n\"b\":\"x\"}", "a=1@1|b=x@2");
    check("  {\n \"name\": \"n\",\n \"config\": {\n  \"a\": \"1\",\n  \"b\" : \"\"\n }\n}\n", "name=n@2|a=1@4|b=@5");
    check("{\"config\":{\"a\":\"1\"},\"name\":\"n\"}", "a=1@1|name=n@1");
    check("{\"config\":\"x\"}", "config=x@1");
    check("{\"name\":\"n\",\"config\":{\"a\":\"1\",\"name\":\"n\"},\"tasks\":[{\"connector\":\"n\",\"task\":0}],"
          "\"type\":\"source\"}",
          "a=1@1|name=n@1");
    check("{\"a\":\"1\",\n\"a\":\"2\"}", "a=1@1|a=2@2");
    check("{}", "");
}

static void json_numbers_and_booleans_become_text_and_null_is_unset(void **state)
{
    (void)state;
    check("{\"a\":5,\"b\":true,\"c\":false,\"d\":null,\"e\":4294967295,\"f\":-1}",
          "a=5@1|b=true@1|c=false@1|e=4294967295@1|f=-1@1");
    check("{\"a\":\"\\u00e4\\\\.b\\n\"}", "a=\xc3\xa4\\.b\n@1");
}

static void malformed_json_is_refused_with_its_line(void **state)
{
    (void)state;
    static const char nested[] = "{\n\"a\":{\"b\":\"1\"}}", list[] = "{\"a\":[]}", cut[] = "{\n\"a\":\n",
                      tail[] = "{}\nx";
    check_refused(nested, sizeof nested - 1, "line 2: the value of \"a\" must be");
    check_refused(list, sizeof list - 1, "must be a text");
    check_refused(cut, sizeof cut - 1, "not JSON");
    check_refused(tail, sizeof tail - 1, "line 2: something stands behind");
    check_refused("{\"a\":\"\\u0000\"}", 14, "\\u0000");
}

static void missing_file_is_refused_by_its_path(void **state)
{
    (void)state;
    struct properties p;
    struct fail why;
    assert_false(properties_load("test/data/absent.properties", &p, &why));
    assert_non_null(strstr(why.text, "read test/data/absent.properties: No such file"));
    properties_fini(&p);
    assert_false(properties_load("test", &p, &why));
    assert_non_null(strstr(why.text, "read test: "));
    properties_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_ends_at_equals_colon_or_blank),
        cmocka_unit_test(value_keeps_blanks_at_its_end_but_not_at_its_start),
        cmocka_unit_test(comments_and_blank_lines_count_only_as_lines),
        cmocka_unit_test(backslash_at_the_end_joins_lines),
        cmocka_unit_test(backslash_elsewhere_escapes_or_disappears),
        cmocka_unit_test(unicode_escapes_are_utf16),
        cmocka_unit_test(text_is_utf8_with_or_without_mark),
        cmocka_unit_test(all_entries_of_a_key_are_kept_and_the_last_is_found),
        cmocka_unit_test(connect_json_is_flat_or_with_name_and_config),
        cmocka_unit_test(json_numbers_and_booleans_become_text_and_null_is_unset),
        cmocka_unit_test(malformed_json_is_refused_with_its_line),
        cmocka_unit_test(missing_file_is_refused_by_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
