/* SPDX-License-Identifier: Apache-2.0 */
/* Java's regular expressions: the same words match here as there; what can't be carried over is refused by its name. */
#include "connector/regex.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

static bool matches(const char *pattern, const char *subject)
{
    struct fail why = {0};
    struct regex *re = regex_new(view_of(pattern), &why);
    if (re == NULL)
        fail_msg("%s was refused: %s", pattern, why.text);
    bool does = regex_matches(re, view_of(subject));
    regex_free(&re);
    assert_null(re);
    return does;
}

#define assert_match(pattern, subject) assert_true(matches(pattern, subject))
#define assert_no_match(pattern, subject) assert_false(matches(pattern, subject))

static void check_refused(const char *pattern, const char *reason)
{
    struct fail why = {0};
    struct regex *re = regex_new(view_of(pattern), &why);
    if (re != NULL)
        fail_msg("%s was accepted", pattern);
    assert_int_equal(why.area, FAIL_AREA_CONFIG);
    if (strstr(why.text, reason) == NULL)
        fail_msg("'%s' should say '%s'", why.text, reason);
}

static void pattern_must_match_the_whole_text(void **state)
{
    (void)state;
    assert_match("shop\\.orders", "shop.orders");
    assert_no_match("shop\\.orders", "shop.orders2");
    assert_no_match("shop\\.orders", "xshop.orders");
    assert_no_match("a|ab", "abc");
    assert_match("a|ab", "ab");
    assert_match("^shop\\..*$", "shop.x");
    assert_match("", "");
    assert_no_match("", "a");
}

static void case_of_ascii_letters_does_not_count(void **state)
{
    (void)state;
    assert_match("Shop\\.ORDERS", "sHOP.orders");
    assert_match("[A-C]+", "abcABC");
    assert_match("[a-c]+", "ABC");
    assert_no_match("[^a-c]+", "B");
    assert_match("[Z-a]", "z");
    assert_match("\\x41\\u0042\\0103", "abc");
    assert_match("\\Qa.B\\E", "A.b");
    assert_match("(?i)abc", "ABC");
}

static void case_of_other_letters_counts(void **state)
{
    (void)state;
    assert_match("\xc3\xa4", "\xc3\xa4");    /* ä */
    assert_no_match("\xc3\xa4", "\xc3\x84"); /* ä, Ä */
    assert_no_match("k", "\xe2\x84\xaa");    /* the Kelvin sign folds to k in Unicode */
    assert_no_match("[\xc3\xa4]", "\xc3\x84");
    assert_match("\\u00e4", "\xc3\xa4");
}

static void a_dot_is_one_character_of_any_length(void **state)
{
    (void)state;
    assert_match(".{3}", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_no_match(".{3}", "\xc3\xa4\xe2\x82\xac");
    assert_no_match(".", "\n");
}

static void constructs_of_both_languages_work(void **state)
{
    (void)state;
    assert_match("(orders|items_[0-9]{2,4})", "items_123");
    assert_no_match("(orders|items_[0-9]{2,4})", "items_1");
    assert_match("(?!tmp_).*", "orders");
    assert_no_match("(?!tmp_).*", "TMP_orders");
    assert_match(".*(?<!_old)", "orders");
    assert_match("(?:a|b)+?c*+", "abab");
    assert_match("(?>a+)b", "aab");
    assert_match("(?<year>\\d{4})", "2026");
    assert_match("\\w+\\.\\S+", "a_1.b-c");
    assert_match("[\\w.-]+", "a.b-c_D");
    assert_match("[]a]+", "a]");
    assert_match("[^]a]", "b");
    assert_match("a{2}", "aa");
    assert_match("a{2,}", "aaaa");
    assert_match("\\$\\{x\\}", "${x}");
    assert_match("x}", "x}");
    assert_match("(?s).", "\n");
    assert_match("a\\.b\\-c\\_d", "a.b-c_d");
}

static void properties_are_posix_names_and_categories(void **state)
{
    (void)state;
    assert_match("\\p{Alpha}+\\p{Digit}", "abC1");
    assert_match("[\\p{Alnum}_]+", "a_1");
    assert_match("\\P{Alpha}", "1");
    assert_match("\\p{Lower}", "A");
    assert_match("\\p{L}+", "a\xc3\xa4");
    assert_match("\\pN", "7");
    assert_match("\\p{Punct}", "]");
    check_refused("\\p{javaLowerCase}", "\\p{javaLowerCase} is not supported");
    check_refused("\\p{IsLatin}", "\\p{IsLatin} is not supported");
    check_refused("\\p{L", "without its }");
}

static void what_only_java_knows_is_refused_by_name(void **state)
{
    (void)state;
    check_refused("[a[bc]]", "a class within a class");
    check_refused("[a-z&&[^b]]", "an intersection of classes");
    check_refused("(a)\\1", "back references");
    check_refused("(?<n>a)\\k<n>", "the escape \\k");
    check_refused("\\Ga", "the escape \\G");
    check_refused("(?-i)a", "(?-i) is not supported");
    check_refused("(?x)a b", "construct after (?");
    check_refused("(?u)a", "construct after (?");
}

static void what_only_pcre_knows_is_refused_too(void **state)
{
    (void)state;
    check_refused("(?P<n>a)", "construct after (?");
    check_refused("(?#x)", "construct after (?");
    check_refused("(*UTF)a", "quantifier after nothing");
    check_refused("(?|a|b)", "construct after (?");
    check_refused("\\Ka", "the escape \\K");
    check_refused("a{,3}", "{ must be followed by a number");
}

static void malformed_patterns_are_refused(void **state)
{
    (void)state;
    check_refused("(a", "regular expression (a");
    check_refused("a)", "regular expression a)");
    check_refused("[a", "without its ]");
    check_refused("a{2", "without its }");
    check_refused("a\\", "ends in a backslash");
    check_refused("*a", "regular expression *a");
    check_refused("[b-a]", "from a lower to a higher");
    check_refused("\\u12", "malformed");
    check_refused("\\x{110000}", "no Unicode character");
    check_refused("\\ud800", "no Unicode character");
    check_refused("(?", "construct after (?");
}

static void hostile_pattern_still_gives_the_answer(void **state)
{
    (void)state;
    char subject[300];
    memset(subject, 'a', sizeof subject);
    subject[sizeof subject - 1] = '\0';
    assert_no_match("(a+)+b", subject);
    assert_no_match("(a|aa)+$b", subject);
    assert_match("(a+)+", subject);
    assert_match("(a*)*(a|b)*a{299}", subject);
}

static void bytes_that_are_not_utf8_count_as_the_replacement_character(void **state)
{
    (void)state;
    assert_match("a.b", "a\xff"
                        "b");
    assert_match("a\\ufffdb", "a\xc3"
                              "b");
    assert_match("..", "\xe2\x82");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_must_match_the_whole_text),
        cmocka_unit_test(case_of_ascii_letters_does_not_count),
        cmocka_unit_test(case_of_other_letters_counts),
        cmocka_unit_test(a_dot_is_one_character_of_any_length),
        cmocka_unit_test(constructs_of_both_languages_work),
        cmocka_unit_test(properties_are_posix_names_and_categories),
        cmocka_unit_test(what_only_java_knows_is_refused_by_name),
        cmocka_unit_test(what_only_pcre_knows_is_refused_too),
        cmocka_unit_test(malformed_patterns_are_refused),
        cmocka_unit_test(hostile_pattern_still_gives_the_answer),
        cmocka_unit_test(bytes_that_are_not_utf8_count_as_the_replacement_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
