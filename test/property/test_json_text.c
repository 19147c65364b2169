/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings written word by word are those written code by code; a document written in one go is its text, quoted.
 *
 * The seed is printed; SEED=n repeats a run, ROUNDS=n makes it longer.
 */
#include "base/utf8.h"
#include "binlog/jsonb.h"
#include "binlog/jsonb_string.h"
#include "record/document.h"
#include "record/json.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 1300, STRINGS_MAX = 6, STRING_MAX = 40 };

static unsigned rounds = 20000;

static unsigned random_below(unsigned n)
{
    return (unsigned)(random() % n);
}

/* Mostly plain, with what is special at any place: escapes, controls, whole and broken characters. */
static size_t random_text(uint8_t *p, size_t max)
{
    static const char *const specials[] = {"\"", "\\",           "\n",           "\x01",         "\x7f",
                                           "é",  "\xe2\x82\xac", "\xe2\x82",     "\xed\xa0\x80", "🐳",
                                           "/",  "\xff",         "\xf0\x90\x80", "\xef\xbf\xbd", "\x1f"};
    size_t want = random_below(4) == 0 ? random_below((unsigned)max) : random_below(20), n = 0;
    unsigned rarity = 1 + random_below(30);
    while (n < want) {
        const char *special = specials[random_below(sizeof specials / sizeof *specials)];
        if (random_below(rarity) > 0 || n + strlen(special) > max) {
            p[n++] = (uint8_t)('a' + random_below(26));
        } else {
            memcpy(p + n, special, strlen(special));
            n += strlen(special);
        }
    }
    return n;
}

static void put_slowly(struct buf *out, struct view text)
{
    for (size_t at = 0; at < text.n;) {
        struct utf8_step step = utf8_step(text.p + at, text.n - at);
        at += step.bytes;
        const char *letter = step.code < 0x20 && step.code != 0 ? strchr("\bb\tt\nn\ff\rr", (int)step.code) : NULL;
        if (letter != NULL)
            buf_printf(out, "\\%c", letter[1]);
        else if (step.code == '"' || step.code == '\\')
            buf_printf(out, "\\%c", (char)step.code);
        else if (step.code < 0x20)
            buf_printf(out, "\\u%04X", step.code);
        else if (step.code >= 0x10000)
            buf_printf(out, "\\u%04X\\u%04X", 0xd800 + ((step.code - 0x10000) >> 10), 0xdc00 + (step.code & 0x3ff));
        else
            utf8_put(out, step.code);
    }
}

static void check_same(struct buf *got, struct buf *want, struct view text)
{
    if (!view_equal(buf_view(got), buf_view(want)))
        fail_msg("of %.*s came %.*s instead of %.*s", VIEW_ARGS(text), VIEW_ARGS(buf_view(got)),
                 VIEW_ARGS(buf_view(want)));
    buf_clear(got);
    buf_clear(want);
}

static void strings_are_escaped_as_code_by_code(void **state)
{
    struct buf got, want;
    (void)state;
    buf_init(&got);
    buf_init(&want);
    for (unsigned i = 0; i < rounds; i++) {
        uint8_t *bytes = mem_alloc(TEXT_MAX); /* of its own: a byte read behind it is seen */
        struct view text = {bytes, random_text(bytes, TEXT_MAX)};
        bytes = mem_resize(bytes, text.n);
        text.p = bytes;
        json_put_escaped(&got, text);
        put_slowly(&want, text);
        check_same(&got, &want, text);
        free(bytes);
    }
    buf_fini(&got);
    buf_fini(&want);
}

/* An array of strings as the server stores it (binlog/jsonb.h). */
static void put_document(struct buf *out)
{
    struct buf strings;
    unsigned n = random_below(STRINGS_MAX);
    buf_init(&strings);
    buf_put_u8(out, 2);
    size_t start = buf_size(out), size_at = start + 2;
    buf_put_le(out, n, 2);
    buf_put_le(out, 0, 2);
    for (unsigned i = 0; i < n; i++) {
        uint8_t text[STRING_MAX];
        size_t bytes = random_text(text, sizeof text);
        buf_put_u8(out, 12);
        buf_put_le(out, 4 + 3 * (uint64_t)n + buf_size(&strings), 2);
        buf_put_u8(&strings, (uint8_t)bytes);
        buf_put(&strings, text, bytes);
    }
    buf_put_view(out, buf_view(&strings));
    size_t size = buf_size(out) - start;
    out->start[size_at] = (uint8_t)size;
    out->start[size_at + 1] = (uint8_t)(size >> 8);
    buf_fini(&strings);
}

static void a_document_is_its_text_quoted(void **state)
{
    struct buf doc, text, got, want;
    struct fail why;
    (void)state;
    buf_init(&doc);
    buf_init(&text);
    buf_init(&got);
    buf_init(&want);
    for (unsigned i = 0; i < rounds; i++) {
        buf_clear(&doc);
        buf_clear(&text);
        put_document(&doc);
        assert_true(jsonb_print(buf_view(&doc), &text, &why));
        json_put_string(&want, buf_view(&text));
        assert_true(document_put(&got, buf_view(&doc)));
        check_same(&got, &want, buf_view(&text));
    }
    buf_fini(&doc);
    buf_fini(&text);
    buf_fini(&got);
    buf_fini(&want);
}

int main(void)
{
    const char *seed = getenv("SEED");
    const char *longer = getenv("ROUNDS");
    unsigned number =
        seed == NULL ? (unsigned)getpid() ^ (unsigned)(uintptr_t)&number : (unsigned)strtoul(seed, NULL, 10);
    if (longer != NULL)
        rounds = (unsigned)strtoul(longer, NULL, 10);
    print_message("SEED=%u\n", number);
    srandom(number);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_escaped_as_code_by_code),
        cmocka_unit_test(a_document_is_its_text_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
