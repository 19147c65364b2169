/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key of random values goes to Java's form, to hex and back, and is the same text again.
 *
 * The text is what chunk_key makes of random cells, so of any value that a column of that type can hold and Java has a
 * value for. The seed is printed; SEED=n repeats a run, ROUNDS=n makes it longer.
 */
#include "binlog/ddl.h"
#include "binlog/decimal.h"
#include "binlog/temporal.h"
#include "connector/key_text.h"
#include "test/support/random.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rounds;

/* Small, middle and extreme ones alike. */
static uint64_t random_number(void)
{
    return random_word() >> random_below(64);
}

static const char *const types[] = {
    "TINYINT",
    "SMALLINT UNSIGNED",
    "MEDIUMINT",
    "INT",
    "INT UNSIGNED",
    "BIGINT",
    "BIGINT UNSIGNED",
    "DECIMAL(18,4)",
    "DECIMAL(19)",
    "DOUBLE",
    "BIT(1)",
    "BIT(33)",
    "VARCHAR(20)",
    "CHAR(20)",
    "VARCHAR(20) CHARACTER SET latin1",
    "VARBINARY(20)",
    "BINARY(8)",
    "DATE",
    "TIME(6)",
    "DATETIME(6)",
    "TIMESTAMP(6)",
    "YEAR",
};

enum { TYPES = sizeof types / sizeof *types, PARTS_MAX = 3, TEXT_MAX = 12 };

/* ---- cells ---- */

static void random_integer(const struct column *col, struct cell *out)
{
    static const unsigned bits[] = {8, 16, 24, 32, 64};
    unsigned n = bits[col->kind];
    uint64_t v = random_number();
    if (col->is_unsigned)
        *out = (struct cell){.kind = CELL_UINT, .u = n == 64 ? v : v & ((UINT64_C(1) << n) - 1)};
    else
        *out = (struct cell){.kind = CELL_INT, .i = (int64_t)(v << (64 - n)) >> (64 - n)};
}

static void random_text(const struct column *col, struct arena *memory, struct cell *out)
{
    static const char *const characters[] = {"a", "Z", "\"", "\\", " ", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x9b\x92",
                                             "0"};
    struct buf text;
    buf_init(&text);
    bool is_latin1 = !col->charset->is_utf8;
    for (uint64_t n = random_below(TEXT_MAX); n > 0; n--) {
        if (is_latin1)
            buf_put_u8(&text, (uint8_t)(random_below(2) == 0 ? 0xa0 + random_below(96) : 0x20 + random_below(95)));
        else
            buf_put_text(&text, characters[random_below(9)]);
    }
    *out = (struct cell){.kind = CELL_BYTES, .bytes = arena_copy(memory, buf_view(&text))};
    buf_fini(&text);
}

static void random_bytes(struct arena *memory, struct cell *out)
{
    uint8_t *bytes = arena_alloc(memory, TEXT_MAX);
    size_t n = random_below(TEXT_MAX);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)random_word();
    *out = (struct cell){.kind = CELL_BYTES, .bytes = {bytes, n}};
}

static struct cell_date random_date(void)
{
    struct cell_date d;
    do
        d = (struct cell_date){.year = (uint16_t)(1 + random_below(9999)),
                               .month = (uint8_t)(1 + random_below(12)),
                               .day = (uint8_t)(1 + random_below(31))};
    while (!temporal_day_exists(&d));
    return d;
}

static void random_clock(struct cell_date *d)
{
    d->hour = (uint8_t)random_below(24);
    d->minute = (uint8_t)random_below(60);
    d->second = (uint8_t)random_below(60);
    d->micro = (uint32_t)random_below(1000000);
}

static void random_cell(const struct column *col, struct arena *memory, struct cell *out)
{
    switch (col->kind) {
    case COLUMN_DECIMAL:
        *out = (struct cell){.kind = CELL_DECIMAL};
        out->decimal = decimal_of_u64(random_below(1000000000000000000));
        out->decimal.is_negative = out->decimal.limb[0] != 0 && random_below(2) == 0;
        break;
    case COLUMN_DOUBLE:
        *out = (struct cell){.kind = CELL_DOUBLE,
                             .d = (double)(int64_t)random_number() / (double)(1 + random_below(1000))};
        break;
    case COLUMN_BIT:
        *out = (struct cell){.kind = CELL_UINT, .u = random_number() & ((UINT64_C(1) << col->length) - 1)};
        break;
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
        random_text(col, memory, out);
        break;
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
        random_bytes(memory, out);
        break;
    case COLUMN_DATE:
        *out = (struct cell){.kind = CELL_DATE, .date = random_date()};
        break;
    case COLUMN_DATETIME:
        *out = (struct cell){.kind = CELL_DATETIME, .date = random_date()};
        random_clock(&out->date);
        break;
    case COLUMN_TIME:
        *out = (struct cell){.kind = CELL_TIME, .i = (int64_t)random_below(UINT64_C(2) * 838 * 3600 * 1000000)};
        out->i -= INT64_C(838) * 3600 * 1000000;
        break;
    case COLUMN_TIMESTAMP:
        *out = (struct cell){.kind = CELL_TIMESTAMP, .i = (int64_t)(1 + random_below(UINT64_C(32536771199) * 1000000))};
        break;
    case COLUMN_YEAR:
        *out = (struct cell){.kind = CELL_INT, .i = (int64_t)(1901 + random_below(255))};
        break;
    default:
        random_integer(col, out);
        break;
    }
}

/* ---- the law ---- */

static const struct shape *random_shape(void)
{
    struct buf sql;
    struct fail why;
    const struct ddl_context ctx = {.db = view_of("d")};
    unsigned n = 1 + (unsigned)random_below(PARTS_MAX);
    buf_init(&sql);
    buf_put_literal(&sql, "CREATE TABLE t (");
    for (unsigned i = 0; i < n; i++)
        buf_printf(&sql, "k%u %s NOT NULL, ", i, types[random_below(TYPES)]);
    buf_put_literal(&sql, "PRIMARY KEY (k0");
    for (unsigned i = 1; i < n; i++)
        buf_printf(&sql, ", k%u", i);
    buf_put_literal(&sql, ")) CHARSET utf8mb4");
    const struct shape *shape = ddl_read_create(NULL, &ctx, buf_view(&sql), &why);
    if (shape == NULL)
        fail_msg("%.*s: %s", VIEW_ARGS(buf_view(&sql)), why.text);
    buf_fini(&sql);
    return shape;
}

static void check_round(void)
{
    const struct shape *shape = random_shape();
    struct cell cells[PARTS_MAX];
    uint16_t columns[PARTS_MAX] = {0, 1, 2};
    struct chunk_path path;
    struct chunk_key text;
    struct chunk_key back;
    struct java_key key;
    struct java_key read;
    struct arena memory;
    struct buf hex;
    struct fail why;
    arena_init(&memory);
    buf_init(&hex);
    chunk_key_init(&text);
    chunk_key_init(&back);
    for (uint32_t i = 0; i < shape->n_columns; i++)
        random_cell(&shape->columns[i], &memory, &cells[i]);
    chunk_key_print(&text, shape, columns, shape->n_columns, cells);
    assert_true(chunk_choose_path(&path, shape, NULL, &why));
    if (!key_text_to_java(&path, buf_view(&text.text), &memory, &key, &why))
        fail_msg("%.*s: %s", VIEW_ARGS(buf_view(&text.text)), why.text);
    java_key_encode(&key, &hex);
    if (!java_key_decode(buf_view(&hex), &memory, &read, &why) || !key_text_from_java(&path, &read, &back, &why))
        fail_msg("%.*s: %s", VIEW_ARGS(buf_view(&text.text)), why.text);
    if (!view_equal(buf_view(&text.text), buf_view(&back.text)))
        fail_msg("%.*s came back as %.*s", VIEW_ARGS(buf_view(&text.text)), VIEW_ARGS(buf_view(&back.text)));
    chunk_key_fini(&text);
    chunk_key_fini(&back);
    buf_fini(&hex);
    arena_fini(&memory);
    shape_free(&shape);
}

static void key_text_comes_back_from_java(void **state)
{
    (void)state;
    for (int i = 0; i < rounds; i++)
        check_round();
}

int main(void)
{
    rounds = random_begin(5000);
    const struct CMUnitTest tests[] = {cmocka_unit_test(key_text_comes_back_from_java)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
