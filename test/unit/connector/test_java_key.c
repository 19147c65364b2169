/* SPDX-License-Identifier: Apache-2.0 */
/* java_key, java_stream, connect_file: what a JDK and Debezium wrote is read; what is written reads as the same. */
#include "connector/connect_file.h"
#include "connector/java_key.h"
#include "connector/java_stream.h"
#include "test/support/captured.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 16384 };

/* The hex of that name in a file of test/data/java_keys. */
static const char *stored(const char *file, const char *name)
{
    static char line[LINE_BYTES];
    char path[128];
    snprintf(path, sizeof path, "test/data/java_keys/%s.txt", file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    const char *found = NULL;
    size_t n = strlen(name);
    while (found == NULL && fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, name, n) == 0 && line[n] == ' ')
            found = line + n + 1;
    }
    fclose(f);
    if (found == NULL)
        fail_msg("there is no %s in %s", name, path);
    return found;
}

static struct java_key key_of(const char *name, struct arena *memory)
{
    struct java_key key;
    struct fail why;
    if (!java_key_decode(view_of(stored("keys", name)), memory, &key, &why))
        fail_msg("%s: %s", name, why.text);
    return key;
}

static struct java_key_part part_of(const char *name, struct arena *memory)
{
    return key_of(name, memory).parts[0];
}

static void check_integer(struct java_key_part part, enum java_key_kind kind, int64_t v)
{
    assert_int_equal(part.kind, kind);
    assert_true(part.integer == v);
}

static void check_text(struct java_key_part part, const char *text, size_t n)
{
    assert_int_equal(part.kind, JAVA_KEY_TEXT);
    assert_int_equal(part.bytes.n, n);
    assert_memory_equal(part.bytes.p, text, n);
}

static void java_key_reads_boxed_numbers(void **state)
{
    (void)state;
    struct arena memory;
    arena_init(&memory);
    struct java_key key = key_of("mixed", &memory);
    assert_int_equal(key.n, 6);
    check_integer(key.parts[0], JAVA_KEY_INTEGER, 7);
    check_integer(key.parts[1], JAVA_KEY_LONG, 8);
    check_integer(key.parts[2], JAVA_KEY_SHORT, -3);
    check_integer(key.parts[3], JAVA_KEY_BYTE, 5);
    check_integer(key.parts[4], JAVA_KEY_BOOLEAN, 1);
    check_integer(key.parts[5], JAVA_KEY_BOOLEAN, 0);
    key = key_of("integers", &memory);
    check_integer(key.parts[1], JAVA_KEY_INTEGER, -2);
    check_integer(key.parts[2], JAVA_KEY_INTEGER, INT32_MAX);
    check_integer(part_of("long", &memory), JAVA_KEY_LONG, 5000000000);
    assert_true(part_of("float", &memory).real == 1.5);
    assert_true(part_of("double", &memory).real == -0.1);
    key = key_of("nulls", &memory);
    assert_int_equal(key.parts[0].kind, JAVA_KEY_NULL);
    check_integer(key.parts[1], JAVA_KEY_INTEGER, 4);
    arena_fini(&memory);
}

static void java_key_knows_no_key_from_an_empty_one(void **state)
{
    (void)state;
    struct arena memory;
    arena_init(&memory);
    assert_true(key_of("null", &memory).is_null);
    assert_false(key_of("empty", &memory).is_null);
    assert_int_equal(key_of("empty", &memory).n, 0);
    arena_fini(&memory);
}

static void java_key_reads_text_and_bytes(void **state)
{
    (void)state;
    struct arena memory;
    arena_init(&memory);
    struct java_key key = key_of("same_text", &memory); /* the second is a handle */
    check_text(key.parts[0], "same", 4);
    check_text(key.parts[1], "same", 4);
    key = key_of("text_utf", &memory);
    check_text(key.parts[0], "h\xc3\xa9\0\xf0\x9f\x9b\x92", 8);
    key = key_of("bytes_twice", &memory);
    assert_int_equal(key.parts[0].kind, JAVA_KEY_BYTES);
    assert_int_equal(key.parts[0].bytes.n, 1);
    assert_int_equal(key.parts[1].bytes.n, 0);
    arena_fini(&memory);
}

static void java_key_reads_large_numbers(void **state)
{
    (void)state;
    struct arena memory;
    arena_init(&memory);
    struct java_key_part part = part_of("big_integer", &memory);
    assert_int_equal(part.kind, JAVA_KEY_BIG_INTEGER);
    assert_true(part.decimal.limb[0] == UINT64_MAX && part.decimal.is_small && !part.decimal.is_negative);
    part = part_of("big_integer_negative", &memory);
    assert_true(part.decimal.limb[0] == 256 && part.decimal.is_negative);
    part = part_of("big_decimal", &memory);
    assert_int_equal(part.kind, JAVA_KEY_BIG_DECIMAL);
    assert_true(part.decimal.limb[0] == 1230 && part.scale == 2);
    part = part_of("big_decimal_negative", &memory);
    assert_true(part.decimal.is_negative && part.scale == 10 && part.decimal.limb[1] != 0);
    assert_int_equal(part_of("big_decimal_exp", &memory).scale, -3);
    arena_fini(&memory);
}

static void check_clock(struct java_key_part part, unsigned hour, unsigned minute, unsigned second, int nanos)
{
    assert_int_equal(part.kind, JAVA_KEY_DATE_TIME);
    assert_int_equal(part.date.hour, hour);
    assert_int_equal(part.date.minute, minute);
    assert_int_equal(part.date.second, second);
    assert_int_equal(part.nanos, nanos);
}

static void java_key_reads_times(void **state)
{
    (void)state;
    struct arena memory;
    arena_init(&memory);
    struct java_key_part part = part_of("timestamp", &memory);
    check_integer(part, JAVA_KEY_TIMESTAMP, 1700000000);
    assert_int_equal(part.nanos, 123000000);
    check_integer(part_of("timestamp_before", &memory), JAVA_KEY_TIMESTAMP, -2);
    part = part_of("date", &memory);
    assert_int_equal(part.kind, JAVA_KEY_DATE);
    assert_int_equal(part.date.year, 2026);
    assert_int_equal(part.date.month, 11);
    assert_int_equal(part.date.day, 30);
    check_integer(part_of("duration", &memory), JAVA_KEY_DURATION, -3661);
    assert_int_equal(part_of("duration", &memory).nanos, 500000000);
    check_clock(part_of("local_date_time", &memory), 17, 33, 11, 123456000);
    check_clock(part_of("local_date_time_second", &memory), 17, 33, 11, 0);
    check_clock(part_of("local_date_time_minute", &memory), 17, 33, 0, 0);
    check_clock(part_of("local_date_time_short", &memory), 17, 0, 0, 0);
    check_integer(part_of("sql_date", &memory), JAVA_KEY_SQL_DATE, 86400000);
    check_integer(part_of("sql_time", &memory), JAVA_KEY_SQL_TIME, 1000);
    check_integer(part_of("instant", &memory), JAVA_KEY_INSTANT, 5);
    arena_fini(&memory);
}

static void java_key_reads_what_debezium_stored(void **state)
{
    (void)state;
    struct arena memory;
    arena_init(&memory);
    check_integer(part_of("debezium_int", &memory), JAVA_KEY_INTEGER, 2);
    assert_true(part_of("debezium_bigu", &memory).decimal.limb[0] == 18446744073709556);
    assert_int_equal(part_of("debezium_bin", &memory).bytes.n, 4);
    assert_int_equal(part_of("debezium_dt", &memory).date.day, 6);
    check_integer(part_of("debezium_ts", &memory), JAVA_KEY_TIMESTAMP, 1767773472);
    assert_int_equal(part_of("debezium_yr", &memory).kind, JAVA_KEY_SQL_DATE);
    assert_true(part_of("debezium_db", &memory).real == 6.1);
    arena_fini(&memory);
}

/* Every key of the file: what is written reads as the same, and is written the same. */
static void java_key_written_is_read_again(void **state)
{
    (void)state;
    static char line[LINE_BYTES];
    FILE *f = fopen("test/data/java_keys/keys.txt", "r");
    assert_non_null(f);
    unsigned n = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        char *hex = strchr(line, ' ');
        struct java_key first;
        struct java_key second;
        struct arena memory;
        struct buf once;
        struct buf twice;
        struct fail why;
        if (line[0] == '#')
            continue;
        hex[strcspn(hex, "\n")] = '\0';
        arena_init(&memory);
        buf_init(&once);
        buf_init(&twice);
        if (java_key_decode(view_of(hex + 1), &memory, &first, &why)) {
            java_key_encode(&first, &once);
            assert_true(java_key_decode(buf_view(&once), &memory, &second, &why));
            assert_int_equal(first.n, second.n);
            java_key_encode(&second, &twice);
            assert_true(view_equal(buf_view(&once), buf_view(&twice)));
            for (unsigned i = 0; i < first.n; i++)
                assert_int_equal(first.parts[i].kind, second.parts[i].kind);
            n++;
        } else {
            assert_true(strncmp(line, "unknown ", 8) == 0);
        }
        buf_fini(&once);
        buf_fini(&twice);
        arena_fini(&memory);
    }
    fclose(f);
    assert_true(n > 40);
}

static void java_key_first_use_of_a_class_is_written_as_java_does(void **state)
{
    (void)state;
    static const char *const names[] = {"null",        "integer",     "long",           "text",     "bytes",
                                        "float",       "double",      "date",           "duration", "timestamp",
                                        "big_decimal", "big_integer", "local_date_time"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arena memory;
        struct buf out;
        arena_init(&memory);
        buf_init(&out);
        struct java_key key = key_of(names[i], &memory);
        java_key_encode(&key, &out);
        /* Of numbers in numbers Java writes the second description of Number as a handle. */
        if (strcmp(names[i], "big_decimal") != 0 && !view_is(buf_view(&out), stored("keys", names[i])))
            fail_msg("%s: %.*s", names[i], VIEW_ARGS(buf_view(&out)));
        buf_fini(&out);
        arena_fini(&memory);
    }
}

static void check_refused(const char *hex, const char *because)
{
    struct java_key key;
    struct arena memory;
    struct fail why = {0};
    arena_init(&memory);
    assert_false(java_key_decode(view_of(hex), &memory, &key, &why));
    assert_int_equal(why.kind, FAIL_REFUSE);
    if (strstr(why.text, because) == NULL)
        fail_msg("%s is not in: %s", because, why.text);
    arena_fini(&memory);
}

static void java_key_refuses_what_it_is_not(void **state)
{
    (void)state;
    check_refused("", "can't be read");
    check_refused("aced0005", "can't be read");
    check_refused("aced00057", "not in hex");
    check_refused("aced000570zz", "not in hex");
    check_refused("aced00057070", "can't be read");
    check_refused("aced0005740001", "can't be read");
    check_refused("aced000574000141", "no array");
    check_refused("aced000571007e0000", "can't be read");
    check_refused(stored("keys", "unknown"), "java.util.ArrayList");
}

/* ---- the file of offsets ---- */

struct seen {
    unsigned n;
    unsigned nulls;
    char key[128];
    char value[128];
};

static bool see(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct seen *seen = ctx;
    (void)why;
    seen->n++;
    if (!has_value) {
        seen->nulls++;
        return true;
    }
    snprintf(seen->key, sizeof seen->key, "%.*s", VIEW_ARGS(key));
    snprintf(seen->value, sizeof seen->value, "%.*s", VIEW_ARGS(value));
    return true;
}

static bool read_map(const char *name, struct seen *seen, struct fail *why)
{
    struct buf bytes;
    buf_init(&bytes);
    captured_hex(stored("maps", name), &bytes);
    *seen = (struct seen){.n = 0};
    bool ok = connect_file_read(buf_view(&bytes), see, seen, why);
    buf_fini(&bytes);
    return ok;
}

static void connect_file_is_read(void **state)
{
    (void)state;
    struct seen seen;
    struct fail why = {0};
    if (!read_map("map", &seen, &why))
        fail_msg("%s", why.text);
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.nulls, 1);
    assert_string_equal(seen.key, "[\"inventory\",{\"server\":\"shop\"}]");
    assert_string_equal(seen.value, "{\"file\":\"binlog.000003\",\"pos\":157}");
    assert_true(read_map("map_empty", &seen, &why));
    assert_int_equal(seen.n, 0);
    assert_false(read_map("map_text", &seen, &why));
    assert_int_equal(why.kind, FAIL_REFUSE);
}

static void connect_file_written_is_read_again(void **state)
{
    (void)state;
    struct seen seen = {.n = 0};
    struct buf out;
    struct fail why;
    buf_init(&out);
    connect_file_print(view_of("[\"a\",{}]"), view_of("{\"pos\":4}"), &out);
    assert_true(connect_file_read(buf_view(&out), see, &seen, &why));
    assert_string_equal(seen.key, "[\"a\",{}]");
    assert_string_equal(seen.value, "{\"pos\":4}");
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(java_key_reads_boxed_numbers),
        cmocka_unit_test(java_key_knows_no_key_from_an_empty_one),
        cmocka_unit_test(java_key_reads_text_and_bytes),
        cmocka_unit_test(java_key_reads_large_numbers),
        cmocka_unit_test(java_key_reads_times),
        cmocka_unit_test(java_key_reads_what_debezium_stored),
        cmocka_unit_test(java_key_written_is_read_again),
        cmocka_unit_test(java_key_first_use_of_a_class_is_written_as_java_does),
        cmocka_unit_test(java_key_refuses_what_it_is_not),
        cmocka_unit_test(connect_file_is_read),
        cmocka_unit_test(connect_file_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
