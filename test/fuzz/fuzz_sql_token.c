/* SPDX-License-Identifier: Apache-2.0 */
/* 1 settings, text: every token lies behind the one before it, inside the text, and stands for some text. */
#include "base/fail.h"
#include "binlog/sql_token.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t seen; /* what was read is used, so that bad memory is noticed */

static void check_value(const struct sql_scanner *s, const struct sql_token *t, struct arena *memory)
{
    struct view value = VIEW_NONE;
    if (t->kind == SQL_WORD || t->kind == SQL_NAME)
        value = sql_name(s, t, memory);
    if (t->kind == SQL_STRING || t->kind == SQL_NATIONAL)
        value = sql_string(s, t, NULL, memory);
    if (t->kind == SQL_HEX || t->kind == SQL_BITS) {
        value = sql_digits(t);
        ASSERT(value.n <= t->text.n - 2);
    }
    for (size_t i = 0; i < value.n; i++) /* all of it can be read */
        seen += value.p[i];
    sql_is_word(t, "UNSIGNED");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = {"utf8mb4", "latin1", "sjis", "gbk", "gb18030", "big5", "cp932", "ujis"};
    if (size == 0)
        return 0;
    struct view text = {data + 1, size - 1};
    struct arena memory;
    struct sql_scanner s;
    arena_init(&memory);
    sql_scan(&s, text, charset_find(view_of(charsets[data[0] & 7])), (data[0] & 8) != 0, (data[0] & 16) != 0,
             (data[0] & 32) != 0 ? 0 : 90704);
    const uint8_t *before = text.p;
    for (size_t n = 0;; n++) {
        struct sql_token t = sql_next(&s);
        ASSERT(n <= size);
        ASSERT(t.text.p >= before && t.text.p + t.text.n <= text.p + text.n);
        if (t.kind == SQL_END)
            break;
        before = t.text.p + t.text.n;
        check_value(&s, &t, &memory);
    }
    arena_fini(&memory);
    return 0;
}
