/* SPDX-License-Identifier: Apache-2.0 */
/* key_text: what Debezium stored of a key means the same place in our order, by the kind of its column. */
#include "binlog/ddl.h"
#include "connector/key_text.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* CREATE TABLE t (columns), keyed by all of them. */
static const struct shape *shape_of(const char *columns)
{
    struct fail why;
    char sql[512];
    const struct ddl_context ctx = {.db = view_of("d")};
    snprintf(sql, sizeof sql, "CREATE TABLE t (%s) CHARSET utf8mb4", columns);
    const struct shape *shape = ddl_read_create(NULL, &ctx, view_of(sql), &why);
    if (shape == NULL)
        fail_msg("%s: %s", columns, why.text);
    return shape;
}

static void check_text(const char *columns, const struct java_key_part *parts, unsigned n, const char *expected)
{
    const struct shape *shape = shape_of(columns);
    struct java_key key = {.n = n};
    struct chunk_path path;
    struct chunk_key text;
    struct fail why;
    memcpy(key.parts, parts, n * sizeof *parts);
    chunk_key_init(&text);
    assert_true(chunk_choose_path(&path, shape, NULL, &why));
    if (!key_text_from_java(&path, &key, &text, &why))
        fail_msg("%s: %s", columns, why.text);
    if (!view_is(buf_view(&text.text), expected))
        fail_msg("%s: %.*s is not %s", columns, VIEW_ARGS(buf_view(&text.text)), expected);
    chunk_key_fini(&text);
    shape_free(&shape);
}

static void check_one(const char *type, struct java_key_part part, const char *expected)
{
    char columns[400];
    snprintf(columns, sizeof columns, "k %s NOT NULL PRIMARY KEY", type);
    check_text(columns, &part, 1, expected);
}

static struct java_key_part integer(enum java_key_kind kind, int64_t v)
{
    return (struct java_key_part){.kind = kind, .integer = v};
}

static struct java_key_part text(const char *utf8)
{
    return (struct java_key_part){.kind = JAVA_KEY_TEXT, .bytes = view_of(utf8)};
}

static struct java_key_part seconds(enum java_key_kind kind, int64_t sec, int32_t nanos)
{
    return (struct java_key_part){.kind = kind, .integer = sec, .nanos = nanos};
}

static struct java_key_part big(uint64_t v, bool is_negative, int32_t scale)
{
    return (struct java_key_part){.kind = JAVA_KEY_BIG_DECIMAL,
                                  .decimal = {.is_small = true, .limb = {v}, .is_negative = is_negative},
                                  .scale = scale};
}

static void key_text_takes_numbers(void **state)
{
    (void)state;
    check_one("INT", integer(JAVA_KEY_INTEGER, -7), "[-7]");
    check_one("TINYINT(1)", integer(JAVA_KEY_BOOLEAN, 1), "[1]");
    check_one("INT UNSIGNED", integer(JAVA_KEY_LONG, 4294967295), "[4294967295]");
    check_one("BIGINT", integer(JAVA_KEY_LONG, INT64_MIN), "[-9223372036854775808]");
    struct java_key_part large = big(UINT64_MAX, false, 0);
    large.kind = JAVA_KEY_BIG_INTEGER;
    check_one("BIGINT UNSIGNED", large, "[18446744073709551615]");
    check_one("DECIMAL(12,3)", big(12300, true, 2), "[-123.000]");
    check_one("DECIMAL(12,3)", integer(JAVA_KEY_INTEGER, 4), "[4.000]");
    check_one("DOUBLE", (struct java_key_part){.kind = JAVA_KEY_DOUBLE, .real = 6.1}, "[6.1]");
    check_one("FLOAT", (struct java_key_part){.kind = JAVA_KEY_FLOAT, .real = (double)1.1f}, "[1.100000023841858]");
    check_one("BIT(12)", (struct java_key_part){.kind = JAVA_KEY_BYTES, .bytes = {(const uint8_t *)"\x0f\xff", 2}},
              "[4095]");
    check_one("BIT(1)", integer(JAVA_KEY_BOOLEAN, 1), "[1]");
    check_one("YEAR", integer(JAVA_KEY_INTEGER, 2026), "[2026]");
    check_one("YEAR", integer(JAVA_KEY_SQL_DATE, 1136073600000), "[2006]");                         /* Java in UTC */
    check_one("YEAR", integer(JAVA_KEY_SQL_DATE, 1136073600000 - INT64_C(14) * 3600000), "[2006]"); /* in Kiribati */
    check_one("YEAR", integer(JAVA_KEY_SQL_DATE, 1136073600000 + INT64_C(12) * 3600000),
              "[2006]"); /* on Baker Island */
}

static void key_text_takes_text_in_the_columns_charset(void **state)
{
    (void)state;
    check_one("VARCHAR(20)", text("a\"b"), "[\"a\\\"b\"]");
    check_one("VARCHAR(20)",
              text("gr\xc3\xb6\xc3\x9f"
                   "e"),
              "[{\"hex\":\"6772c3b6c39f65\"}]");
    check_one("CHAR(20) CHARACTER SET latin1", text("h\xc3\xa9"), "[{\"hex\":\"68e9\"}]");
    check_one("CHAR(20) CHARACTER SET sjis", text("a\xe6\xbc\xa2"), "[{\"hex\":\"618abf\"}]");
    check_one("VARBINARY(4)", (struct java_key_part){.kind = JAVA_KEY_BYTES, .bytes = {(const uint8_t *)"\0\xff", 2}},
              "[{\"hex\":\"00ff\"}]");
}

static void key_text_takes_times(void **state)
{
    (void)state;
    struct java_key_part date = {.kind = JAVA_KEY_DATE, .date = {.year = 2026, .month = 11, .day = 30}};
    check_one("DATE", date, "[\"2026-11-30\"]");
    check_one("TIME(6)", seconds(JAVA_KEY_DURATION, 3661, 500000000), "[\"01:01:01.500000\"]");
    check_one("TIME(6)", seconds(JAVA_KEY_DURATION, -3662, 500000000), "[\"-01:01:01.500000\"]");
    check_one("TIMESTAMP(3)", seconds(JAVA_KEY_TIMESTAMP, 1700000000, 123000000), "[\"2023-11-14 22:13:20.123000\"]");
    check_one("TIMESTAMP", seconds(JAVA_KEY_INSTANT, 1700000000, 0), "[\"2023-11-14 22:13:20.000000\"]");
    date.kind = JAVA_KEY_DATE_TIME;
    date.nanos = 5000;
    check_one("DATETIME(6)", date, "[\"2026-11-30 00:00:00.000005\"]");
    check_one("DATETIME(6)", text("2026-11-30 17:33:11.000000"), "[\"2026-11-30 17:33:11.000000\"]");
}

static void key_text_takes_keys_of_several_parts_in_key_order(void **state)
{
    (void)state;
    const struct java_key_part parts[] = {text("x"), integer(JAVA_KEY_INTEGER, 2)};
    check_text("a INT, b VARCHAR(9), PRIMARY KEY (b, a)", parts, 2, "[\"x\",2]");
}

static void check_refused(const char *type, struct java_key_part part, const char *because)
{
    char columns[400];
    struct java_key key = {.n = 1, .parts = {part}};
    struct chunk_path path;
    struct chunk_key out;
    struct fail why = {0};
    snprintf(columns, sizeof columns, "k %s NOT NULL PRIMARY KEY", type);
    const struct shape *shape = shape_of(columns);
    chunk_key_init(&out);
    assert_true(chunk_choose_path(&path, shape, NULL, &why));
    if (key_text_from_java(&path, &key, &out, &why))
        fail_msg("%s is taken: %.*s", type, VIEW_ARGS(buf_view(&out.text)));
    assert_int_equal(why.kind, FAIL_REFUSE);
    if (strstr(why.text, because) == NULL)
        fail_msg("%s is not in: %s", because, why.text);
    chunk_key_fini(&out);
    shape_free(&shape);
}

static void key_text_refuses_what_it_can_not_carry_over(void **state)
{
    (void)state;
    check_refused("ENUM('a','b')", text("a"), "pages an ENUM by its labels");
    check_refused("DATETIME", seconds(JAVA_KEY_TIMESTAMP, 1700000000, 0), "time zone of the JVM");
    check_refused("CHAR(9) CHARACTER SET latin1", text("\xe6\xbc\xa2"),
                  "can't be written in the column's character set");
    check_refused("INT", text("7"), "that this column can't give");
    check_refused("BIGINT UNSIGNED", integer(JAVA_KEY_LONG, -1), "that this column can't give");
    check_refused("DATE", integer(JAVA_KEY_LONG, 1), "that this column can't give");
    check_refused("TIMESTAMP", seconds(JAVA_KEY_TIMESTAMP, INT64_MAX / 2, 0), "that this column can't give");
    check_refused("YEAR", integer(JAVA_KEY_SQL_DATE, INT64_MIN), "that this column can't give");
}

static void key_text_wants_as_many_parts_as_the_key_has(void **state)
{
    (void)state;
    struct java_key key = {.n = 2};
    struct chunk_path path;
    struct chunk_key out;
    struct fail why = {0};
    const struct shape *shape = shape_of("k INT NOT NULL PRIMARY KEY");
    chunk_key_init(&out);
    assert_true(chunk_choose_path(&path, shape, NULL, &why));
    assert_false(key_text_from_java(&path, &key, &out, &why));
    assert_non_null(strstr(why.text, "has 2 parts, the table's key has 1"));
    key = (struct java_key){.is_null = true};
    assert_true(key_text_from_java(&path, &key, &out, &why));
    assert_true(chunk_key_is_empty(&out));
    chunk_key_fini(&out);
    shape_free(&shape);
}

static void check_not_written(const char *type, const char *key)
{
    char columns[400];
    struct chunk_path path;
    struct java_key out;
    struct arena memory;
    struct fail why = {0};
    snprintf(columns, sizeof columns, "k %s NOT NULL PRIMARY KEY", type);
    const struct shape *shape = shape_of(columns);
    arena_init(&memory);
    assert_true(chunk_choose_path(&path, shape, NULL, &why));
    assert_false(key_text_to_java(&path, view_of(key), &memory, &out, &why));
    arena_fini(&memory);
    shape_free(&shape);
}

static void key_text_writes_nothing_that_java_has_no_value_for(void **state)
{
    (void)state;
    check_not_written("DATE", "[\"0000-00-00\"]");
    check_not_written("DATE", "[\"2026-02-31\"]");
    check_not_written("TIMESTAMP", "[\"0000-00-00 00:00:00\"]");
    check_not_written("VARCHAR(9)", "[{\"hex\":\"ff\"}]");
    check_not_written("INT", "[]");
    check_not_written("ENUM('a')", "[1]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_text_takes_numbers),
        cmocka_unit_test(key_text_takes_text_in_the_columns_charset),
        cmocka_unit_test(key_text_takes_times),
        cmocka_unit_test(key_text_takes_keys_of_several_parts_in_key_order),
        cmocka_unit_test(key_text_refuses_what_it_can_not_carry_over),
        cmocka_unit_test(key_text_wants_as_many_parts_as_the_key_has),
        cmocka_unit_test(key_text_writes_nothing_that_java_has_no_value_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
