/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/jsonb.h"
#include "binlog/jsonb_string.h"
#include "test/support/fields.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

static void same_text(struct view got, struct view want, unsigned line)
{
    if (!view_equal(got, want))
        fail_msg("line %u:\n got %.*s\nwant %.*s", line, VIEW_ARGS(got), VIEW_ARGS(want));
}

static void printed(struct view doc, struct buf *out)
{
    struct fail why = {0};
    buf_clear(out);
    if (!jsonb_print(doc, out, &why))
        fail_msg("%s", why.text);
}

static struct view tidied(struct view text, enum jsonb_typed typed, struct arena *a)
{
    struct fail why = {0};
    struct view out = VIEW_NONE;
    if (!jsonb_tidy_text(text, typed, a, &out, &why))
        fail_msg("%s", why.text);
    return out;
}

/* ---- what a server stored and selected ---- */

static void documents_of_the_log_and_of_a_select_read_the_same(void **state)
{
    (void)state;
    struct fields in;
    struct buf doc, text, got;
    struct arena a;
    buf_init(&doc);
    buf_init(&text);
    buf_init(&got);
    arena_init(&a);
    unsigned n = 0;
    for (fields_open(&in, "json"); fields_next(&in); n++) {
        buf_clear(&doc);
        buf_clear(&text);
        fields_bytes(in.at[0], &doc);
        fields_text(in.at[1], &text);
        printed(buf_view(&doc), &got);
        same_text(buf_view(&got), tidied(buf_view(&text), in.at[2][0] == '1' ? JSONB_TYPED_YES : JSONB_TYPED_NO, &a),
                  in.number);
    }
    fields_close(&in);
    assert_true(n > 40);
    arena_fini(&a);
    buf_fini(&doc);
    buf_fini(&text);
    buf_fini(&got);
}

static void differences_give_the_document_the_server_has(void **state)
{
    (void)state;
    struct fields in;
    struct buf before, diffs, text, after, got;
    struct arena a;
    struct fail why;
    buf_init(&before);
    buf_init(&diffs);
    buf_init(&text);
    buf_init(&after);
    buf_init(&got);
    arena_init(&a);
    unsigned n = 0;
    for (fields_open(&in, "json_diffs"); fields_next(&in); n++) {
        buf_clear(&before);
        buf_clear(&diffs);
        buf_clear(&text);
        buf_clear(&after);
        fields_bytes(in.at[0], &before);
        fields_bytes(in.at[1], &diffs);
        fields_text(in.at[2], &text);
        if (!jsonb_apply_diffs(buf_view(&before), buf_view(&diffs), &after, &why))
            fail_msg("line %u: %s", in.number, why.text);
        printed(buf_view(&after), &got);
        same_text(buf_view(&got), tidied(buf_view(&text), JSONB_TYPED_NO, &a), in.number);
    }
    fields_close(&in);
    assert_true(n >= 80);
    arena_fini(&a);
    buf_fini(&before);
    buf_fini(&diffs);
    buf_fini(&text);
    buf_fini(&after);
    buf_fini(&got);
}

/* ---- the form of the text ---- */

static void expect_print(const char *hex, const char *want)
{
    struct buf doc, got;
    buf_init(&doc);
    buf_init(&got);
    fields_bytes(hex, &doc);
    printed(buf_view(&doc), &got);
    same_text(buf_view(&got), view_of(want), 0);
    buf_fini(&doc);
    buf_fini(&got);
}

static void unsigned_32_bit_numbers_and_negative_times_are_right(void **state)
{
    (void)state;
    expect_print("08ffffffff", "4294967295");
    expect_print("0f0b080000000591cbffff", "\"-838:59:59\"");
    expect_print("0f0b08ffffffffffffffff", "\"-00:00:00.000001\"");
}

static void moments_have_the_fewest_fraction_digits(void **state)
{
    (void)state;
    expect_print("0f0c08c0d40119761f9519", "\"2015-01-15 23:24:25.12\"");
    expect_print("0f0c0800000019761f9519", "\"2015-01-15 23:24:25\"");
    expect_print("0f0a0800000000001e9519", "\"2015-01-15\"");
    expect_print("0f0b0820a1074ec3000000", "\"12:13:14.5\"");
}

static void other_opaque_values_are_bare_base64(void **state)
{
    (void)state;
    expect_print("0f0f020102", "\"AQI=\"");
    expect_print("0ff6070b028000000132", "1.50");
}

static void an_empty_document_is_null(void **state)
{
    (void)state;
    expect_print("-", "null");
}

static void doubles_have_the_shortest_text(void **state)
{
    (void)state;
    expect_print("0b666666661e6cf640", "91841.9");
    expect_print("0b00000000d0126341", "10000000.0");
    expect_print("0bcdccccdc298c6741", "12345678.9");
    expect_print("0b50efe2d6e41a4b44", "1e21");
    expect_print("0ba2659509993f1243", "1284119026030952.5");
    expect_print("0b9c659509993f1243", "1.284119026030951e15");
    expect_print("0bb1de64c8dad0d33c", "0.0000000000000011");
    expect_print("0b4f64a14091b49f3c", "1.1e-16");
}

static void expect_tidy(const char *text, enum jsonb_typed typed, const char *want)
{
    struct arena a;
    arena_init(&a);
    same_text(tidied(view_of(text), typed, &a), view_of(want), 0);
    arena_fini(&a);
}

static void strings_that_look_typed_are_kept_unless_the_document_is_known_to_be(void **state)
{
    (void)state;
    const char *moment = "{\"base64:type15:AA==\": [\"2015-01-15 23:24:25.120000\", \"base64:type15:AQI=\"]}";
    expect_tidy(moment, JSONB_TYPED_NO,
                "{\"base64:type15:AA==\":[\"2015-01-15 23:24:25.120000\",\"base64:type15:AQI=\"]}");
    expect_tidy(moment, JSONB_TYPED_YES, "{\"base64:type15:AA==\":[\"2015-01-15 23:24:25.12\",\"AQI=\"]}");
    expect_tidy("\"-838:59:59.000000\"", JSONB_TYPED_YES, "\"-838:59:59\"");
    expect_tidy("\"2015-01-15\"", JSONB_TYPED_YES, "\"2015-01-15\"");
    expect_tidy("\"1:00:00.000000\"", JSONB_TYPED_YES, "\"1:00:00.000000\"");
    expect_tidy("\"base64:type15:AA\\nBB\"", JSONB_TYPED_YES, "\"AABB\"");
}

static void a_string_that_looks_typed_asks_whether_the_document_is(void **state)
{
    (void)state;
    const char *asking[] = {"[1, \"12:13:14.500000\"]", "{\"a\": \"base64:type15:AQI=\"}",
                            "\"2015-01-15 23:24:25.120000\""};
    struct arena a;
    struct fail why;
    struct view out;
    arena_init(&a);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        assert_false(jsonb_tidy_text(view_of(asking[i]), JSONB_TYPED_UNKNOWN, &a, &out, &why));
        assert_int_equal(why.code, JSONB_TYPED_MATTERS);
    }
    expect_tidy("{\"12:13:14.500000\": \"2015-01-15\", \"a\": \"12:13:14.5\"}", JSONB_TYPED_UNKNOWN,
                "{\"12:13:14.500000\":\"2015-01-15\",\"a\":\"12:13:14.5\"}");
    arena_fini(&a);
}

static void blanks_go_only_between_tokens_and_hex_becomes_upper_case(void **state)
{
    (void)state;
    expect_tidy(" { \"a b\" : [ 1 , \"\\u001f \\\" \\\\\" ] } ", JSONB_TYPED_NO, "{\"a b\":[1,\"\\u001F \\\" \\\\\"]}");
}

/* ---- what does not follow the layout ---- */

static void refuse_print(const char *hex, const char *reason)
{
    struct buf doc, got;
    struct fail why = {0};
    buf_init(&doc);
    buf_init(&got);
    fields_bytes(hex, &doc);
    assert_false(jsonb_print(buf_view(&doc), &got, &why));
    assert_int_equal(why.kind, FAIL_REFUSE);
    if (strstr(why.text, reason) == NULL)
        fail_msg("%s: expected a refusal with '%s', got '%s'", hex, reason, why.text);
    buf_fini(&doc);
    buf_fini(&got);
}

static void bytes_that_lead_outside_are_refused(void **state)
{
    (void)state;
    refuse_print("02", "layout");
    refuse_print("0201000500", "layout");                             /* no room for the entry */
    refuse_print("02010007000cff", "layout");                         /* shorter than it says */
    refuse_print("02010008000c090000", "layout");                     /* a value behind the end */
    refuse_print("02010007000c0000", "layout");                       /* a value inside the entries */
    refuse_print("00010012000b00ff0005010000000000000000", "layout"); /* a key behind the end */
    refuse_print("0c05616263", "layout");
    refuse_print("0cffffffffff", "layout");
    refuse_print("0403", "layout");
    refuse_print("20", "layout");
    refuse_print("0f0c0100", "none"); /* a moment of one byte */
    refuse_print("0ff6024102", "no number");
    refuse_print("0b000000000000f07f", "not finite");
}

static void nesting_and_sharing_are_bounded(void **state)
{
    (void)state;
    struct buf doc, got;
    struct fail why;
    buf_init(&doc);
    buf_init(&got);
    buf_put_u8(&doc, 2);
    for (unsigned depth = 101; depth > 0; depth--) { /* an array of one array, each 7 bytes longer than what it holds */
        buf_put_le(&doc, depth == 1 ? 0 : 1, 2);
        buf_put_le(&doc, depth == 1 ? 4 : (depth - 1) * 7 + 4, 2);
        if (depth > 1) {
            buf_put_u8(&doc, 2);
            buf_put_le(&doc, 7, 2);
        }
    }
    assert_false(jsonb_print(buf_view(&doc), &got, &why));
    assert_non_null(strstr(why.text, "within each other"));

    buf_clear(&doc); /* two entries lead to the same array of two entries, and so on: 2^40 values in 400 bytes */
    buf_put_u8(&doc, 2);
    for (unsigned depth = 40; depth > 0; depth--) {
        buf_put_le(&doc, depth == 1 ? 0 : 2, 2);
        buf_put_le(&doc, depth == 1 ? 4 : (depth - 1) * 10 + 4, 2);
        for (int i = 0; depth > 1 && i < 2; i++) {
            buf_put_u8(&doc, 2);
            buf_put_le(&doc, 10, 2);
        }
    }
    assert_false(jsonb_print(buf_view(&doc), &got, &why));
    assert_non_null(strstr(why.text, "overlap"));
    buf_fini(&doc);
    buf_fini(&got);
}

static void refuse_diffs(const char *doc_hex, const char *diffs_hex, const char *reason)
{
    struct buf doc, diffs, after;
    struct fail why = {0};
    buf_init(&doc);
    buf_init(&diffs);
    buf_init(&after);
    fields_bytes(doc_hex, &doc);
    fields_bytes(diffs_hex, &diffs);
    assert_false(jsonb_apply_diffs(buf_view(&doc), buf_view(&diffs), &after, &why));
    if (strstr(why.text, reason) == NULL)
        fail_msg("expected '%s', got '%s'", reason, why.text);
    assert_int_equal(buf_size(&after), 0);
    buf_fini(&doc);
    buf_fini(&diffs);
    buf_fini(&after);
}

static void differences_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const char *array = "0201000700050100";                      /* [1] */
    const char *object = "0001000c000b00010005010061";           /* {"a":1} */
    refuse_diffs(array, "0004245b315d03050200", "does not fit"); /* replace $[1] */
    refuse_diffs(array, "0204245b315d", "does not fit");         /* remove $[1] */
    refuse_diffs(array, "0003242e6103050200", "does not fit");   /* replace $.a of an array */
    refuse_diffs(object, "0103242e6103050200", "does not fit");  /* insert $.a, which is there */
    refuse_diffs(object, "0203242e62", "does not fit");          /* remove $.b */
    refuse_diffs(object, "020124", "does not fit");              /* remove $ */
    refuse_diffs(object, "0003242e6101", "layout");              /* no value */
    refuse_diffs(object, "0903242e61", "layout");
    refuse_diffs(object, "0003782e6103050200", "layout");   /* x.a */
    refuse_diffs(object, "0003245b6103050200", "layout");   /* $[a */
    refuse_diffs(object, "0004242e226103050200", "layout"); /* $."a */
    refuse_diffs("0c", "0003242e6103050200", "layout");
}

static void no_differences_leave_the_document(void **state)
{
    (void)state;
    struct buf doc, after;
    struct fail why;
    buf_init(&doc);
    buf_init(&after);
    fields_bytes("0001000c000b00010005010061", &doc);
    assert_true(jsonb_apply_diffs(buf_view(&doc), VIEW_NONE, &after, &why));
    assert_true(view_equal(buf_view(&doc), buf_view(&after)));
    buf_fini(&doc);
    buf_fini(&after);
}

static void text_that_is_no_json_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "\"open", "\"tab\t\"", "\"cut\\", "\"\\u12\"", "[\x01]", "[\xff]"};
    struct arena a;
    struct fail why;
    struct view out;
    arena_init(&a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(jsonb_tidy_text(view_of(bad[i]), JSONB_TYPED_YES, &a, &out, &why));
    arena_fini(&a);
}

static void escapes_read_back(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out);
    assert_true(jsonb_read_string(view_of("a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\udc33"), &out));
    same_text(buf_view(&out), view_of("a\"\\/\b\f\n\r\té🐳"), 0);
    assert_false(jsonb_read_string(view_of("\\ud83d"), &out));
    assert_false(jsonb_read_string(view_of("\\udc33"), &out));
    assert_false(jsonb_read_string(view_of("\\x"), &out));
    assert_false(jsonb_read_string(view_of("\\u12g4"), &out));
    assert_false(jsonb_read_string(view_of("\\"), &out));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_of_the_log_and_of_a_select_read_the_same),
        cmocka_unit_test(differences_give_the_document_the_server_has),
        cmocka_unit_test(unsigned_32_bit_numbers_and_negative_times_are_right),
        cmocka_unit_test(moments_have_the_fewest_fraction_digits),
        cmocka_unit_test(other_opaque_values_are_bare_base64),
        cmocka_unit_test(an_empty_document_is_null),
        cmocka_unit_test(doubles_have_the_shortest_text),
        cmocka_unit_test(strings_that_look_typed_are_kept_unless_the_document_is_known_to_be),
        cmocka_unit_test(a_string_that_looks_typed_asks_whether_the_document_is),
        cmocka_unit_test(blanks_go_only_between_tokens_and_hex_becomes_upper_case),
        cmocka_unit_test(bytes_that_lead_outside_are_refused),
        cmocka_unit_test(nesting_and_sharing_are_bounded),
        cmocka_unit_test(differences_that_do_not_fit_are_refused),
        cmocka_unit_test(no_differences_leave_the_document),
        cmocka_unit_test(text_that_is_no_json_is_refused),
        cmocka_unit_test(escapes_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
