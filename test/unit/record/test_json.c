/* SPDX-License-Identifier: Apache-2.0 */
#include "record/json.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

static struct buf out;

static int begin(void **state)
{
    (void)state;
    buf_init(&out);
    return 0;
}

static int end(void **state)
{
    (void)state;
    buf_fini(&out);
    return 0;
}

static void expect(const char *want)
{
    if (!view_is(buf_view(&out), want))
        fail_msg("got %.*s, want %s", VIEW_ARGS(buf_view(&out)), want);
    buf_clear(&out);
}

static struct view bytes(const char *p, size_t n)
{
    return (struct view){(const uint8_t *)p, n};
}

#define BYTES(literal) bytes(literal, sizeof(literal) - 1)

static void text_is_escaped_as_jackson_escapes_it(void **state)
{
    (void)state;
    json_put_string(&out, view_of("plain and long enough for words of eight / \x7f"));
    expect("\"plain and long enough for words of eight / \x7f\"");
    json_put_string(&out, BYTES("q\"b\\\b\t\n\f\r\x01\x1f\0z"));
    expect("\"q\\\"b\\\\\\b\\t\\n\\f\\r\\u0001\\u001F\\u0000z\"");
    json_put_string(&out, view_of("é€\xe2\x80\xa8\xef\xbb\xbf\xc2\x85"));
    expect("\"é€\xe2\x80\xa8\xef\xbb\xbf\xc2\x85\"");
    json_put_string(&out, view_of("a🐳b\xf4\x8f\xbf\xbf\xf0\x90\x80\x80"));
    expect("\"a\\uD83D\\uDC33b\\uDBFF\\uDFFF\\uD800\\uDC00\"");
    json_put_string(&out, VIEW_NONE);
    expect("\"\"");
    json_put_escaped(&out, view_of("in\"side"));
    expect("in\\\"side");
}

static void malformed_text_gets_replacements(void **state)
{
    (void)state;
    json_put_string(&out, view_of("a\xff"
                                  "b\xed\xa0\x80\xe2\x82"));
    expect("\"a\xef\xbf\xbd"
           "b\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void column_text_is_decoded_and_escaped_in_one_go(void **state)
{
    (void)state;
    const struct charset *latin1 = charset_find(view_of("latin1"));
    json_put_column_text(&out, latin1, view_of("caf\xe9 \x80 \"q\" \x81"));
    expect("\"café € \\\"q\\\" \xef\xbf\xbd\"");
    json_put_column_text(&out, charset_find(view_of("utf16")), BYTES("\0\"\xd8\x3d\xdc\x33\0\n"));
    expect("\"\\\"\\uD83D\\uDC33\\n\"");
    json_put_column_text(&out, charset_find(view_of("gbk")), view_of("\xd6\xd0\\\x81\x5c"));
    expect("\"中\\\\乗\"");
    json_put_column_text(&out, charset_find(view_of("swe7")), view_of("[\\]"));
    expect("\"ÄÖÅ\"");
    json_put_column_text(&out, charset_find(view_of("utf8mb4")), view_of("é🐳"));
    expect("\"é\\uD83D\\uDC33\"");
    json_put_column_text(&out, NULL, view_of("é"));
    expect("\"é\"");
}

static void bytes_print_in_each_mode(void **state)
{
    (void)state;
    json_put_base64(&out, BYTES("\xab\0\0\0"));
    expect("\"qwAAAA==\"");
    json_put_base64(&out, BYTES("\xff\xfe\xfd"));
    expect("\"//79\"");
    json_put_base64_url(&out, BYTES("\xff\xfe\xfd\xff"));
    expect("\"__79_w==\"");
    json_put_base64(&out, BYTES("\x01\x02"));
    expect("\"AQI=\"");
    json_put_base64(&out, VIEW_NONE);
    expect("\"\"");
    json_put_hex(&out, BYTES("\xab\0\x7f"));
    expect("\"ab007f\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped_as_jackson_escapes_it),
        cmocka_unit_test(malformed_text_gets_replacements),
        cmocka_unit_test(column_text_is_decoded_and_escaped_in_one_go),
        cmocka_unit_test(bytes_print_in_each_mode),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
