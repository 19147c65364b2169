/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as text: what each kind of cell looks like, and that what was printed is read back.
 */
#include "binlog/temporal.h"
#include "snapshot/chunk_key.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(const char *create, const struct cell *cells, const char *expected)
{
    static const uint16_t columns[] = {0, 1};
    const struct shape *shape = rows_shape("db", create);
    struct chunk_key key;
    chunk_key_init(&key);
    chunk_key_print(&key, shape, columns, shape->n_columns, cells);
    if (!view_is(buf_view(&key.text), expected))
        fail_msg("got %.*s, not %s", VIEW_ARGS(buf_view(&key.text)), expected);
    chunk_key_fini(&key);
    shape_free(&shape);
}

static void each_kind_has_its_text(void **state)
{
    (void)state;
    check("create table t (a int, b bigint unsigned)",
          (struct cell[]){{.kind = CELL_INT, .i = -7}, {.kind = CELL_UINT, .u = UINT64_MAX}},
          "[-7,18446744073709551615]");
    check("create table t (a varchar(9), b varbinary(9))",
          (struct cell[]){{.kind = CELL_BYTES, .bytes = view_of("x\"y\\")},
                          {.kind = CELL_BYTES, .bytes = {(const uint8_t *)"\0\xff", 2}}},
          "[\"x\\\"y\\\\\",{\"hex\":\"00ff\"}]");
    check("create table t (a varchar(9), b char(3))",
          (struct cell[]){{.kind = CELL_BYTES, .bytes = view_of("été")}, {.kind = CELL_NULL}},
          "[{\"hex\":\"c3a974c3a9\"},null]");
    check("create table t (a date, b datetime(3))",
          (struct cell[]){{.kind = CELL_DATE, .date = {.year = 2026, .month = 2, .day = 31}},
                          {.kind = CELL_DATETIME, .date = {.micro = 120000}}},
          "[\"2026-02-31\",\"0000-00-00 00:00:00.120000\"]");
    check("create table t (a time(6), b timestamp(6))",
          (struct cell[]){{.kind = CELL_TIME, .i = -3020399000001}, {.kind = CELL_TIMESTAMP, .i = 0}},
          "[\"-838:59:59.000001\",\"0000-00-00 00:00:00\"]");
    check("create table t (a timestamp(6), b timestamp)",
          (struct cell[]){{.kind = CELL_TIMESTAMP, .i = 951782400000001},
                          {.kind = CELL_TIMESTAMP, .i = 2147483647000000}},
          "[\"2000-02-29 00:00:00.000001\",\"2038-01-19 03:14:07.000000\"]");
}

static void doubles_come_back_as_the_same_double(void **state)
{
    static const double values[] = {0.1, -0.0, 1e300, 5e-324, 123456789.25, -3.4028234663852886e38};
    static const uint16_t column = 0;
    const struct shape *shape = rows_shape("db", "create table t (d double primary key)");
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct chunk_key key;
        struct chunk_key_value value;
        struct arena memory;
        struct fail why;
        char text[64];
        arena_init(&memory);
        chunk_key_init(&key);
        chunk_key_print(&key, shape, &column, 1, &(struct cell){.kind = CELL_DOUBLE, .d = values[i]});
        assert_true(chunk_key_read(buf_view(&key.text), 1, &memory, &value, &why));
        snprintf(text, sizeof text, "%.*s", VIEW_ARGS(value.bytes));
        double back = strtod(text, NULL);
        assert_memory_equal(&back, &values[i], sizeof back);
        chunk_key_fini(&key);
        arena_fini(&memory);
    }
    shape_free(&shape);
}

/* Random bytes in a text and a binary column come back as they were. */
static void random_bytes_come_back(void **state)
{
    static const uint16_t columns[] = {0, 1};
    const struct shape *shape =
        rows_shape("db", "create table t (a varchar(99) character set latin1, b varbinary(99))");
    unsigned seed = (unsigned)time(NULL);
    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t bytes[2][32];
        size_t n[2];
        struct cell cells[2];
        struct chunk_key key;
        struct chunk_key_value values[2];
        struct arena memory;
        struct fail why;
        for (unsigned i = 0; i < 2; i++) {
            n[i] = (size_t)(rand() % 32);
            for (size_t k = 0; k < n[i]; k++)
                bytes[i][k] = (uint8_t)(rand() % 3 == 0 ? rand() : ' ' + rand() % 95);
            cells[i] = (struct cell){.kind = CELL_BYTES, .bytes = {bytes[i], n[i]}};
        }
        arena_init(&memory);
        chunk_key_init(&key);
        chunk_key_print(&key, shape, columns, 2, cells);
        assert_true(chunk_key_read(buf_view(&key.text), 2, &memory, values, &why));
        for (unsigned i = 0; i < 2; i++)
            assert_true(!values[i].is_null && view_equal(values[i].bytes, cells[i].bytes));
        chunk_key_fini(&key);
        arena_fini(&memory);
    }
    shape_free(&shape);
}

static void edited_keys_are_refused(void **state)
{
    static const char *const bad[] = {
        "", "[", "[1", "[1,2]", "1", "[]", "[x]", "[\"a]", "[\"\\", "[{\"hex\":\"0g\"}]", "[{\"hex\":\"0\"}]", "[1]x"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct chunk_key_value value;
        struct arena memory;
        struct fail why;
        arena_init(&memory);
        if (chunk_key_read(view_of(bad[i]), 1, &memory, &value, &why))
            fail_msg("%s was read", bad[i]);
        assert_int_equal(why.kind, FAIL_REFUSE);
        arena_fini(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_text),
        cmocka_unit_test(doubles_come_back_as_the_same_double),
        cmocka_unit_test(random_bytes_come_back),
        cmocka_unit_test(edited_keys_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
