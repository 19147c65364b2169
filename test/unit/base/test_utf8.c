/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

static void expect(const char *bytes, const char *want)
{
    struct buf out;
    buf_init(&out);
    utf8_put_repaired(&out, view_of(bytes));
    if (!view_is(buf_view(&out), want))
        fail_msg("got %.*s, want %s", VIEW_ARGS(buf_view(&out)), want);
    assert_int_equal(utf8_is_valid(view_of(bytes)), view_equal(view_of(bytes), view_of(want)));
    buf_fini(&out);
}

#define R "\xef\xbf\xbd"

static void valid_text_stays(void **state)
{
    (void)state;
    expect("", "");
    expect("plain text that is longer than a word", "plain text that is longer than a word");
    expect("é€🐳\xf4\x8f\xbf\xbf\xef\xbf\xbf\xc2\x80", "é€🐳\xf4\x8f\xbf\xbf\xef\xbf\xbf\xc2\x80");
}

static void each_longest_start_becomes_one_replacement(void **state)
{
    (void)state;
    expect("a\xe2\x82", "a" R);
    expect("\xe2\x82z", R "z");
    expect("\xe2z", R "z");
    expect("\xf0\x9f\x90z", R "z");
    expect("\xf0\x9fz", R "z");
    expect("\xf0\x80\x80\x80", R R R R); /* too long a form: no byte of it can begin or go on */
    expect("\xe0\x80\x80", R R R);
    expect("\xf4\x90\x80\x80", R R R R); /* above U+10FFFF */
    expect("\xf5\x80", R R);
    expect("\xc0\xaf", R R);
    expect("\xc3", R);
    expect("\x80\xbf", R R);
    expect("\xff\xfe", R R);
    expect("12345678\xff"
           "12345678",
           "12345678" R "12345678");
}

static void an_encoded_surrogate_becomes_one_replacement(void **state)
{
    (void)state;
    expect("\xed\xa0\x80z", R "z");
    expect("\xed\xbf\xbf\xed\xa0\x80", R R);
    expect("\xed\xa0", R);
    expect("\xed\x9f\xbf", "\xed\x9f\xbf");
}

static void runs_end_where_they_must(void **state)
{
    (void)state;
    uint8_t text[24];
    for (size_t at = 0; at < sizeof text; at++) {
        static const uint8_t stops[] = {'"', '\\', 0, 0x1f, 0x0a, 0x80, 0xff};
        for (size_t i = 0; i < sizeof stops; i++) {
            memset(text, i % 2 == 0 ? 0x20 : 0x7f, sizeof text);
            text[at] = stops[i];
            bool is_high = stops[i] >= 0x80;
            assert_int_equal(utf8_json_run(text, sizeof text, true), at);
            assert_int_equal(utf8_json_run(text, sizeof text, false), is_high ? sizeof text : at);
            assert_int_equal(utf8_ascii_run(text, sizeof text), is_high ? at : sizeof text);
            assert_int_equal(utf8_json_run(text, at, true), at);
        }
    }
}

static void code_points_come_back(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out);
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code >= 0xd800 && code <= 0xdfff)
            continue;
        buf_clear(&out);
        utf8_put(&out, code);
        struct utf8_step step = utf8_step(out.start, buf_size(&out));
        assert_true(step.code == code && step.bytes == buf_size(&out) && !step.is_malformed);
    }
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_text_stays),
        cmocka_unit_test(each_longest_start_becomes_one_replacement),
        cmocka_unit_test(an_encoded_surrogate_becomes_one_replacement),
        cmocka_unit_test(runs_end_where_they_must),
        cmocka_unit_test(code_points_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
