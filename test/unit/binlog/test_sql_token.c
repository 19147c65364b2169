/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: how text is cut, what literals and names stand for. */
#include "binlog/sql_token.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

enum { SERVER = 90704 };

static struct sql_scanner scanner(const char *text)
{
    struct sql_scanner s;
    sql_scan(&s, view_of(text), NULL, false, false, SERVER);
    return s;
}

/* The tokens of a scanner as text: a letter for the kind, then the text, parted by blanks. */
static void put_tokens(struct sql_scanner *s, struct buf *out)
{
    static const char letters[] = {
        [SQL_END] = '.',    [SQL_WORD] = 'w', [SQL_NAME] = 'n', [SQL_STRING] = 's', [SQL_NATIONAL] = 'N',
        [SQL_NUMBER] = '1', [SQL_HEX] = 'x',  [SQL_BITS] = 'b', [SQL_SIGN] = '+',   [SQL_BROKEN] = '!',
    };
    for (struct sql_token t = sql_next(s); t.kind != SQL_END; t = sql_next(s)) {
        buf_printf(out, "%s%c%.*s", buf_size(out) == 0 ? "" : " ", letters[t.kind], VIEW_ARGS(t.text));
        if (t.kind == SQL_BROKEN)
            break;
    }
    buf_put_u8(out, 0);
}

static void check_scan(struct sql_scanner *s, const char *expected)
{
    struct buf found;
    buf_init(&found);
    put_tokens(s, &found);
    assert_string_equal((const char *)found.start, expected);
    buf_fini(&found);
}

static void check_tokens(const char *text, const char *expected)
{
    struct sql_scanner s = scanner(text);
    check_scan(&s, expected);
}

static void sql_token_cuts_words_numbers_and_signs(void **state)
{
    (void)state;
    check_tokens("", "");
    check_tokens("  \n\t ", "");
    check_tokens("ALTER TABLE t ADD c DECIMAL(10,2);", "wALTER wTABLE wt wADD wc wDECIMAL +( 110 +, 12 +) +;");
    check_tokens("a=-1 b:=@c", "wa += +- 11 wb +: += +@ wc");
    check_tokens("1 1.5 .5 1. 1e10 1.5E-3 1e+2", "11 11.5 1.5 11. 11e10 11.5E-3 11e+2");
    check_tokens("$d _u ünï 表 a$b1", "w$d w_u wünï w表 wa$b1");
}

static void sql_token_knows_names_that_start_with_digits(void **state)
{
    (void)state;
    check_tokens("1st 2e 3ex 0x1g 0b12 1a.2b.3", "w1st w2e w3ex w0x1g w0b12 w1a +. w2b +. w3");
    check_tokens("t.1st t.5 `t`.6 .7", "wt +. w1st wt +. w5 n`t` +. w6 1.7");
    check_tokens("2e3x", "12e3 wx"); /* as the server does */
}

static void sql_token_cuts_literals(void **state)
{
    (void)state;
    check_tokens("'a' \"b\" 'it''s' 'a\\'b' \"x\"\"y\" ''", "s'a' s\"b\" s'it''s' s'a\\'b' s\"x\"\"y\" s''");
    check_tokens("N'x' n'y' x'4142' X'41' 0x41 b'01' B'1' 0b10 x''",
                 "NN'x' Nn'y' xx'4142' xX'41' x0x41 bb'01' bB'1' b0b10 xx''");
    check_tokens("`a` `a``b` `a\\` ``", "n`a` n`a``b` n`a\\` n``");
    check_tokens("_latin1'x' _utf8mb4 'y'", "w_latin1 s'x' w_utf8mb4 s'y'");
}

static void sql_token_obeys_sql_mode(void **state)
{
    (void)state;
    struct sql_scanner s;
    sql_scan(&s, view_of("\"a\\\" 'b\\'"), NULL, true, true, SERVER);
    check_scan(&s, "n\"a\\\" s'b\\'");
    sql_scan(&s, view_of("\"a\\\"\""), NULL, false, false, SERVER);
    check_scan(&s, "s\"a\\\"\"");
}

static void sql_token_passes_comments(void **state)
{
    (void)state;
    check_tokens("a /* x */ b -- y\nc # z\nd --\ne /*+ hint */ f --", "wa wb wc wd we wf");
    check_tokens("3--1", "13 +- +- 11");
    check_tokens("/* '*/ a /* /* */ b", "wa wb");
    check_tokens("'/* x */' `-- y` \"#\"", "s'/* x */' n`-- y` s\"#\"");
}

static void sql_token_reads_executable_comments_up_to_the_servers_version(void **state)
{
    (void)state;
    check_tokens("a /*!50000 b */ c /*! d */ e", "wa wb wc wd we");
    check_tokens("a /*!99999 b */ c /*!80000, d INT */", "wa wc +, wd wINT");
    check_tokens("/*!080000 a */ /*!100000 b */ c", "wa wc");
    check_tokens("/*!50000 a /* inner */ b */ c", "wa wb wc");
    check_tokens("/*!99999 a /* inner */ b */ c", "wc");
    check_tokens("/*!1234 a */", "11234 wa");
    struct sql_scanner s;
    sql_scan(&s, view_of("/*!99999 a */ b"), NULL, false, false, 0);
    check_scan(&s, "wa wb");
}

static void sql_token_tells_what_has_no_end(void **state)
{
    (void)state;
    check_tokens("a 'b", "wa !'b");
    check_tokens("a `b", "wa !`b");
    check_tokens("a /* b", "wa !/* b");
    check_tokens("a x'4", "wa !x'4");
    check_tokens("a 'b\\", "wa !'b\\");
    check_tokens("a /*!99999 b", "wa !/*!99999 b");
}

static void sql_token_leaves_second_bytes_alone(void **state)
{
    (void)state;
    struct sql_scanner s;
    const struct charset *sjis = charset_find(view_of("sjis"));
    const struct charset *gbk = charset_find(view_of("gbk"));
    sql_scan(&s, view_of("'\x83\x5c' x"), sjis, false, false, SERVER); /* katakana so: its second byte is a backslash */
    check_scan(&s, "s'\x83\x5c' wx");
    sql_scan(&s, view_of("`\xd5\x60` y"), gbk, false, false, SERVER);
    check_scan(&s, "n`\xd5\x60` wy");
    sql_scan(&s, view_of("\x83\x5c\x83\x5c(1)"), sjis, false, false, SERVER);
    check_scan(&s, "w\x83\x5c\x83\x5c +( 11 +)");
    sql_scan(&s, view_of("'\xb1' x"), sjis, false, false, SERVER); /* one byte: a half-width letter */
    check_scan(&s, "s'\xb1' wx");
}

static void check_string(const char *text, bool no_backslash_escapes, struct view expected)
{
    struct arena memory;
    struct sql_scanner s;
    arena_init(&memory);
    sql_scan(&s, view_of(text), NULL, false, no_backslash_escapes, SERVER);
    struct sql_token t = sql_next(&s);
    struct view found = sql_string(&s, &t, NULL, &memory);
    assert_true(view_equal(found, expected));
    arena_fini(&memory);
}

static void sql_token_undoes_quotes_and_escapes(void **state)
{
    (void)state;
    check_string("'plain'", false, view_of("plain"));
    check_string("''", false, VIEW_NONE);
    check_string("'it''s'", false, view_of("it's"));
    check_string("\"a\"\"b\"", false, view_of("a\"b"));
    check_string("'a\\tb\\\\c\\'d\\x\\%\\_'", false, view_of("a\tb\\c'dx\\%\\_"));
    check_string("'\\n\\r\\b\\Z'", false, view_of("\n\r\b\x1a"));
    check_string("'\\0a'", false, (struct view){(const uint8_t *)"\0a", 2});
    check_string("'a\\tb'", true, view_of("a\\tb"));
    check_string("N'n''m'", false, view_of("n'm"));
}

static void sql_token_gives_text_in_utf8(void **state)
{
    (void)state;
    struct arena memory;
    struct sql_scanner s;
    arena_init(&memory);
    sql_scan(&s, view_of("'\xe9' `\xe9`"), charset_find(view_of("latin1")), false, false, SERVER);
    struct sql_token t = sql_next(&s);
    assert_true(view_is(sql_string(&s, &t, NULL, &memory), "é"));
    assert_true(view_is(sql_string(&s, &t, charset_find(view_of("cp1251")), &memory), "й"));
    assert_true(view_is(sql_string(&s, &t, charset_find(view_of("utf8mb4")), &memory), "\xef\xbf\xbd"));
    t = sql_next(&s);
    assert_true(view_is(sql_name(&s, &t, &memory), "é"));
    arena_fini(&memory);
}

static void sql_token_compares_keywords_without_case(void **state)
{
    (void)state;
    struct sql_scanner s = scanner("aLtEr `ALTER` ALTERS ALTE");
    struct sql_token t = sql_next(&s);
    assert_true(sql_is_word(&t, "ALTER"));
    for (int i = 0; i < 3; i++) {
        t = sql_next(&s);
        assert_false(sql_is_word(&t, "ALTER"));
    }
}

static void sql_token_writes_what_it_reads(void **state)
{
    (void)state;
    static const char *const texts[] = {"plain", "it's", "back\\slash", "`tick`", "a\nb", "", "é", "\"q\""};
    struct arena memory;
    arena_init(&memory);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct buf out;
        struct sql_scanner s;
        buf_init(&out);
        sql_put_string(&out, view_of(texts[i]));
        sql_put_name(&out, view_of(texts[i]));
        sql_scan(&s, buf_view(&out), NULL, false, false, SERVER);
        struct sql_token t = sql_next(&s);
        assert_true(view_is(sql_string(&s, &t, NULL, &memory), texts[i]));
        t = sql_next(&s);
        assert_true(view_is(sql_name(&s, &t, &memory), texts[i]));
        buf_fini(&out);
    }
    arena_fini(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sql_token_cuts_words_numbers_and_signs),
        cmocka_unit_test(sql_token_knows_names_that_start_with_digits),
        cmocka_unit_test(sql_token_cuts_literals),
        cmocka_unit_test(sql_token_obeys_sql_mode),
        cmocka_unit_test(sql_token_passes_comments),
        cmocka_unit_test(sql_token_reads_executable_comments_up_to_the_servers_version),
        cmocka_unit_test(sql_token_tells_what_has_no_end),
        cmocka_unit_test(sql_token_leaves_second_bytes_alone),
        cmocka_unit_test(sql_token_undoes_quotes_and_escapes),
        cmocka_unit_test(sql_token_gives_text_in_utf8),
        cmocka_unit_test(sql_token_compares_keywords_without_case),
        cmocka_unit_test(sql_token_writes_what_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
