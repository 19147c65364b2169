/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/charset.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* ---- every code of every set, against what the server said ---- */

struct sum {
    uint32_t n;
    uint32_t crc;
};

static void add(struct sum *sum, const struct charset *cs, const uint8_t *p, size_t n)
{
    struct utf8_step step = charset_step(cs, p, n);
    if (step.bytes != n || step.is_malformed)
        return;
    char line[32];
    int used = 0;
    for (size_t i = 0; i < n; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%02X", p[i]);
    used += snprintf(line + used, sizeof line - (size_t)used, "=%X\n", step.code);
    sum->crc = (uint32_t)crc32(sum->crc, (const uint8_t *)line, (unsigned)used);
    sum->n++;
}

static void add_linear_codes(struct sum *sum, const struct charset *cs)
{
    for (unsigned i = 0; i < 189000 + 0x100000 + 1000; i++) {
        uint8_t code[4] = {(uint8_t)(0x81 + i / 12600), (uint8_t)(0x30 + i / 1260 % 10), (uint8_t)(0x81 + i / 10 % 126),
                           (uint8_t)(0x30 + i % 10)};
        add(sum, cs, code, 4);
    }
}

static struct sum sum_of(const struct charset *cs)
{
    struct sum sum = {0};
    bool is_single[256];
    for (unsigned i = 0; i < 256; i++) {
        uint8_t code[1] = {(uint8_t)i};
        is_single[i] = !charset_step(cs, code, 1).is_malformed;
        add(&sum, cs, code, 1);
    }
    for (unsigned i = 0x8000; cs->wide != NULL && i < 0x10000; i++) {
        uint8_t code[2] = {(uint8_t)(i >> 8), (uint8_t)i};
        if (!is_single[code[0]])
            add(&sum, cs, code, 2);
    }
    for (unsigned i = 0; cs->wide_8f != NULL && i < 0x10000; i++) {
        uint8_t code[3] = {0x8f, (uint8_t)(i >> 8), (uint8_t)i};
        add(&sum, cs, code, 3);
    }
    if (view_is(view_of(cs->name), "gb18030"))
        add_linear_codes(&sum, cs);
    return sum;
}

static void every_code_maps_as_the_server_maps_it(void **state)
{
    (void)state;
    FILE *file = fopen("test/data/charsets", "r");
    assert_non_null(file);
    char line[128], name[64];
    unsigned sets = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        struct sum want;
        if (sscanf(line, "%63s %u %x", name, &want.n, &want.crc) != 3)
            continue;
        const struct charset *cs = charset_find(view_of(name));
        assert_non_null(cs);
        struct sum got = sum_of(cs);
        if (got.n != want.n || got.crc != want.crc)
            fail_msg("%s: %u codes, CRC %08x; the server has %u, %08x", name, got.n, got.crc, want.n, want.crc);
        sets++;
    }
    fclose(file);
    assert_int_equal(sets, 33); /* all but the Unicode sets, ascii and binary */
}

static void check_code(const struct charset *cs, const uint8_t *bytes, size_t n, struct buf *text, struct buf *back)
{
    struct utf8_step step = charset_step(cs, bytes, n);
    if (step.is_malformed || step.bytes != n)
        return;
    buf_clear(text);
    buf_clear(back);
    utf8_put(text, step.code);
    charset_from_utf8(cs, buf_view(text), back);
    struct utf8_step again = charset_step(cs, back->start, buf_size(back));
    if (again.code != step.code || again.bytes != buf_size(back))
        fail_msg("%s: U+%04X is not encoded as itself", cs->name, step.code);
}

/* Each set by a sample of its codes, as many as a fraction of a second allows. */
static void what_decodes_is_encoded_as_what_decodes_alike(void **state)
{
    enum { STRIDE = 401 };
    (void)state;
    struct buf text, back;
    buf_init(&text);
    buf_init(&back);
    const struct charset *cs;
    for (unsigned set = 0; (cs = charset_at(set)) != NULL; set++) {
        if (cs->is_binary)
            continue;
        for (unsigned i = 0; i < 0x10000; i += i < 0x100 ? 1 : STRIDE) {
            const uint8_t codes[] = {0x8f, (uint8_t)(i >> 8), (uint8_t)i, 0x81, (uint8_t)(0x30 + i % 10)};
            check_code(cs, codes + 2, 1, &text, &back);
            check_code(cs, codes + 1, 2, &text, &back);
            check_code(cs, codes, 3, &text, &back);
            check_code(cs, codes + 1, 4, &text, &back);
        }
    }
    buf_fini(&text);
    buf_fini(&back);
}

static void what_a_set_lacks_is_encoded_as_a_question_mark(void **state)
{
    static const struct {
        const char *charset, *text, *bytes;
    } cases[] = {{"latin1", "\u00e9\u4e00", "\xe9?"},
                 {"ascii", "a\u00e9", "a?"},
                 {"sjis", "\u4e00\u00e9", "\x88\xea?"},
                 {"gb18030", "\U0001f600", "\x94\x39\xfc\x36"},
                 {"utf8mb3", "\U0001f600", "?"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out;
        buf_init(&out);
        charset_from_utf8(charset_find(view_of(cases[i].charset)), view_of(cases[i].text), &out);
        assert_true(view_is(buf_view(&out), cases[i].bytes));
        buf_fini(&out);
    }
}

/* ---- text ---- */

static void expect(const char *charset, const char *bytes, size_t n, const char *utf8)
{
    struct buf out;
    buf_init(&out);
    charset_to_utf8(charset_find(view_of(charset)), (struct view){(const uint8_t *)bytes, n}, &out);
    buf_put_u8(&out, 0);
    assert_string_equal((const char *)out.start, utf8);
    buf_fini(&out);
}

#define EXPECT(charset, bytes, utf8) expect(charset, bytes, sizeof(bytes) - 1, utf8)

static void latin1_is_windows_1252_with_five_holes(void **state)
{
    (void)state;
    EXPECT("latin1", "caf\xe9 \x80", "café €");
    EXPECT("latin1", "\x81\x8d\x8f\x90\x9d\x9f", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDŸ");
}

static void double_byte_text_decodes_and_a_trail_may_look_like_ascii(void **state)
{
    (void)state;
    EXPECT("gbk", "a\xd6\xd0\xce\xc4z", "a中文z");
    EXPECT("gbk", "\x81\x5c\\", "乗\\");
    EXPECT("sjis", "\x92\xaa\xb1\x83\x5c", "潮ｱソ");
    EXPECT("ujis", "\xc4\xac\x8e\xb1\x8f\xb0\xa1", "潮ｱ丂");
    EXPECT("big5", "\xa4\xa4", "中");
    EXPECT("euckr", "\xb0\xa1", "가");
    EXPECT("gb18030", "\x94\x39\xda\x33\x81\x30\x81\x30\xd6\xd0", "💩\xc2\x80中");
}

static void wide_units_decode_in_both_orders(void **state)
{
    (void)state;
    EXPECT("ucs2", "\0a\x04\x16", "aЖ");
    EXPECT("utf16", "\xd8\x34\xdd\x1e\0 \x04\x16", "𝄞 Ж");
    EXPECT("utf16le", "\x34\xd8\x1e\xdd\x16\x04", "𝄞Ж");
    EXPECT("utf32", "\0\x01\xf4\x1f\0\0\0a", "🐟a");
}

static void what_is_no_character_becomes_one_replacement(void **state)
{
    (void)state;
    EXPECT("gbk", "\xff\x41\x81", "\uFFFDA\uFFFD");
    EXPECT("gbk", "\xa6\xd9z", "\uFFFDz"); /* well formed, without a character */
    EXPECT("euckr", "\x80\xb0\xa1", "\uFFFD가");
    EXPECT("ujis", "\x8f\xa1", "\uFFFD\uFFFD");
    EXPECT("gb18030", "\x81\x30\x81", "\uFFFD0\uFFFD");
    EXPECT("ucs2", "\xd8\0\0a\0", "\uFFFDa\uFFFD");
    EXPECT("utf16", "\xdc\0\xd8\0\0a", "\uFFFD\uFFFDa");
    EXPECT("utf32", "\0\x11\0\0\0\0\0a\0", "\uFFFDa\uFFFD");
    EXPECT("utf8mb4", "a\xe2\x82z\xc0\xed\xa0\x80", "a\uFFFDz\uFFFD\uFFFD");
}

static void sets_and_collations_are_found_by_name_and_number(void **state)
{
    (void)state;
    assert_string_equal(charset_find(view_of("UTF8"))->name, "utf8mb3");
    assert_string_equal(charset_find(view_of("Latin1"))->default_collation, "latin1_swedish_ci");
    assert_null(charset_find(view_of("latin3")));
    assert_string_equal(charset_of_collation(view_of("utf8mb4_0900_AI_ci"))->name, "utf8mb4");
    assert_string_equal(charset_of_collation(view_of("utf8_general_ci"))->name, "utf8mb3");
    assert_null(charset_of_collation(view_of("utf8_")));
    assert_string_equal(charset_of_collation_id(255)->name, "utf8mb4");
    assert_string_equal(charset_of_collation_id(8)->name, "latin1");
    assert_string_equal(charset_collation_name(63), "binary");
    assert_null(charset_of_collation_id(0));
    assert_null(charset_of_collation_id(70000));
    assert_string_equal(charset_collation_name(4000), "");
    for (unsigned i = 0; charset_at(i) != NULL; i++)
        assert_ptr_equal(charset_of_collation(view_of(charset_at(i)->default_collation)), charset_at(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_maps_as_the_server_maps_it),
        cmocka_unit_test(what_decodes_is_encoded_as_what_decodes_alike),
        cmocka_unit_test(what_a_set_lacks_is_encoded_as_a_question_mark),
        cmocka_unit_test(latin1_is_windows_1252_with_five_holes),
        cmocka_unit_test(double_byte_text_decodes_and_a_trail_may_look_like_ascii),
        cmocka_unit_test(wide_units_decode_in_both_orders),
        cmocka_unit_test(what_is_no_character_becomes_one_replacement),
        cmocka_unit_test(sets_and_collations_are_found_by_name_and_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
