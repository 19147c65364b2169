/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digits.h"
#include "binlog/ddl.h"
#include "binlog/decimal.h"
#include "binlog/temporal.h"
#include "binlog/value.h"
#include "test/support/fields.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- a column as the DDL reader makes it ---- */

static const struct shape *shape_of(const char *definition)
{
    struct ddl_context ctx = {.db = view_of("d")};
    struct fail why = {0};
    struct buf sql;
    buf_init(&sql);
    buf_put_text(&sql, "create table t (c ");
    buf_put_text(&sql, definition);
    buf_put_text(&sql, ") charset utf8mb4");
    const struct shape *shape = ddl_read_create(NULL, &ctx, buf_view(&sql), &why);
    if (shape == NULL)
        fail_msg("%s: %s", definition, why.text);
    buf_fini(&sql);
    return shape;
}

/* ---- a cell as the server's text of it ---- */

static void put_reading(struct buf *out, const struct cell_date *d, unsigned fsp)
{
    temporal_put_date(out, d);
    buf_put_u8(out, ' ');
    temporal_put_clock(out, d->hour, d->minute, d->second);
    temporal_put_fraction(out, d->micro, fsp);
}

static void put_time(struct buf *out, int64_t micros, unsigned fsp)
{
    uint64_t v = (uint64_t)(micros < 0 ? -micros : micros);
    unsigned seconds = (unsigned)(v / 1000000);
    if (micros < 0)
        buf_put_u8(out, '-');
    temporal_put_clock(out, seconds / 3600, seconds / 60 % 60, seconds % 60);
    temporal_put_fraction(out, (uint32_t)(v % 1000000), fsp);
}

static void put_cell(struct buf *out, const struct column *col, const struct cell *cell)
{
    static const struct cell_date zero;
    struct cell_date date;
    switch (cell->kind) {
    case CELL_INT:
        if (col->kind == COLUMN_YEAR)
            digits_put_padded(out, (uint64_t)cell->i, 4);
        else
            digits_put_i64(out, cell->i);
        break;
    case CELL_UINT:
        digits_put_u64(out, cell->u);
        break;
    case CELL_DECIMAL:
        decimal_print(&cell->decimal, col->scale, out);
        break;
    case CELL_BYTES:
        for (size_t i = 0; i < cell->bytes.n; i++)
            buf_printf(out, "%02X", cell->bytes.p[i]);
        break;
    case CELL_DATE:
        temporal_put_date(out, &cell->date);
        break;
    case CELL_DATETIME:
        put_reading(out, &cell->date, col->fsp);
        break;
    case CELL_TIME:
        put_time(out, cell->i, col->fsp);
        break;
    case CELL_TIMESTAMP:
        date = temporal_of_micros(cell->i);
        put_reading(out, cell->i == 0 ? &zero : &date, col->fsp);
        break;
    default:
        fail_msg("cell of kind %d", cell->kind);
    }
}

static bool says(const struct column *col, const struct cell *cell, struct view text)
{
    char *number = view_to_string(text);
    bool same;
    if (cell->kind == CELL_FLOAT) {
        same = (double)cell->f == strtod(number, NULL);
    } else if (cell->kind == CELL_DOUBLE) {
        same = cell->d == strtod(number, NULL);
    } else {
        struct buf out;
        buf_init(&out);
        put_cell(&out, col, cell);
        if (cell->kind == CELL_BYTES) /* the file holds hex of either case */
            same = view_equal_nocase(buf_view(&out), text);
        else
            same = view_equal(buf_view(&out), text);
        if (!same)
            print_error("got %.*s\n", VIEW_ARGS(buf_view(&out)));
        buf_fini(&out);
    }
    free(number);
    return same;
}

/* ---- a client's reading of the server's text ---- */

static struct value_input input_of(const struct column *col, struct view text, struct arena *a)
{
    struct value_input in = {.kind = VALUE_INPUT_BYTES};
    char *copy = arena_string(a, text);
    struct buf bytes;
    switch (col->kind) {
    case COLUMN_TINYINT:
    case COLUMN_SMALLINT:
    case COLUMN_MEDIUMINT:
    case COLUMN_INT:
    case COLUMN_BIGINT:
    case COLUMN_YEAR:
    case COLUMN_ENUM:
    case COLUMN_SET:
        in.kind = VALUE_INPUT_INTEGER;
        in.integer = copy[0] == '-' ? (uint64_t)strtoll(copy, NULL, 10) : strtoull(copy, NULL, 10);
        return in;
    case COLUMN_FLOAT:
        in.kind = VALUE_INPUT_FLOAT;
        in.f = strtof(copy, NULL);
        return in;
    case COLUMN_DOUBLE:
        in.kind = VALUE_INPUT_DOUBLE;
        in.d = strtod(copy, NULL);
        return in;
    case COLUMN_DECIMAL:
        in.bytes = text;
        return in;
    case COLUMN_BIT:
        buf_init(&bytes);
        for (unsigned i = (col->length + 7) / 8; i > 0; i--)
            buf_put_u8(&bytes, (uint8_t)(strtoull(copy, NULL, 10) >> (8 * (i - 1))));
        in.bytes = arena_copy(a, buf_view(&bytes));
        buf_fini(&bytes);
        return in;
    case COLUMN_DATE:
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP: {
        double second = 0;
        in.kind = VALUE_INPUT_PARTS;
        sscanf(copy, "%u-%u-%u %u:%u:%lf", &in.parts.year, &in.parts.month, &in.parts.day, &in.parts.hour,
               &in.parts.minute, &second);
        in.parts.second = (uint32_t)second;
        in.parts.micro = (uint32_t)((second - in.parts.second) * 1000000 + 0.5);
        return in;
    }
    case COLUMN_TIME: {
        double second = 0;
        uint32_t hours = 0;
        in.kind = VALUE_INPUT_PARTS;
        in.parts.is_negative = copy[0] == '-';
        sscanf(copy + in.parts.is_negative, "%u:%u:%lf", &hours, &in.parts.minute, &second);
        in.parts.day = hours / 24; /* as the binary protocol parts them */
        in.parts.hour = hours % 24;
        in.parts.second = (uint32_t)second;
        in.parts.micro = (uint32_t)((second - in.parts.second) * 1000000 + 0.5);
        return in;
    }
    default:
        buf_init(&bytes);
        fields_bytes(text.n == 0 ? "-" : copy, &bytes);
        in.bytes = arena_copy(a, buf_view(&bytes));
        buf_fini(&bytes);
        return in;
    }
}

/* ---- what a server logged ---- */

static void check_value(const struct fields *line, struct view meta_bytes, struct view bytes, struct view text)
{
    const struct shape *shape = shape_of(line->at[0]);
    const struct column *col = &shape->columns[0];
    uint8_t wire = (uint8_t)atoi(line->at[1]);
    struct cursor c = cursor_of(meta_bytes);
    uint16_t meta = value_read_meta(wire, &c);
    assert_false(c.bad);
    assert_int_equal(cursor_left(&c), 0);
    if (!value_fits(wire, meta, col))
        fail_msg("line %u: %s does not fit type %u, metadata %04x", line->number, line->at[0], wire, meta);

    struct value_type type;
    struct fail why = {0};
    struct cell cell, selected;
    struct arena a;
    arena_init(&a);
    value_prepare(&type, wire, meta, col);
    c = cursor_of(bytes);
    if (!value_decode(&type, &c, &a, &cell, &why))
        fail_msg("line %u: %s", line->number, why.text);
    assert_int_equal(cursor_left(&c), 0);
    if (!says(col, &cell, text))
        fail_msg("line %u: %s is not %.*s", line->number, line->at[0], VIEW_ARGS(text));

    struct value_input in = input_of(col, text, &a);
    if (!value_from_result(col, &in, &a, &selected, &why))
        fail_msg("line %u: %s", line->number, why.text);
    assert_int_equal(selected.kind, cell.kind);
    if (!says(col, &selected, text))
        fail_msg("line %u: selected %s is not %.*s", line->number, line->at[0], VIEW_ARGS(text));

    c = cursor_of(bytes);
    assert_true(value_skip(&type, &c));
    assert_int_equal(cursor_left(&c), 0);
    for (size_t n = 0; n < bytes.n && n < 40; n++) { /* cut short: exact copies, so that a sanitizer sees more */
        uint8_t *cut = mem_alloc(n);
        memcpy(cut, bytes.p, n);
        c = cursor_of((struct view){cut, n});
        assert_false(value_decode(&type, &c, &a, &cell, &why));
        assert_int_equal(why.kind, FAIL_REFUSE);
        c = cursor_of((struct view){cut, n});
        assert_false(value_skip(&type, &c));
        free(cut);
    }
    arena_fini(&a);
    shape_free(&shape);
}

static void values_of_the_log_and_of_a_select_give_the_same_cell(void **state)
{
    (void)state;
    struct fields in;
    struct buf meta, bytes, text;
    buf_init(&meta);
    buf_init(&bytes);
    buf_init(&text);
    unsigned n = 0;
    for (fields_open(&in, "values"); fields_next(&in); n++) {
        buf_clear(&meta);
        buf_clear(&bytes);
        buf_clear(&text);
        fields_bytes(in.at[2], &meta);
        fields_bytes(in.at[3], &bytes);
        fields_text(in.at[4], &text);
        check_value(&in, buf_view(&meta), buf_view(&bytes), buf_view(&text));
    }
    fields_close(&in);
    assert_true(n > 150);
    buf_fini(&meta);
    buf_fini(&bytes);
    buf_fini(&text);
}

/* ---- layouts no 9.7 server writes any more, and bytes that are no value ---- */

static bool decode(const char *definition, uint8_t wire, uint16_t meta, const char *hex, struct cell *cell)
{
    const struct shape *shape = shape_of(definition);
    struct value_type type;
    struct arena a;
    struct buf bytes;
    struct fail why;
    buf_init(&bytes);
    arena_init(&a);
    fields_bytes(hex, &bytes);
    value_prepare(&type, wire, meta, &shape->columns[0]);
    struct cursor c = cursor_of(buf_view(&bytes));
    bool ok = value_decode(&type, &c, &a, cell, &why);
    arena_fini(&a);
    buf_fini(&bytes);
    shape_free(&shape);
    return ok;
}

static void layouts_from_before_5_6_are_read(void **state)
{
    (void)state;
    struct cell cell;
    assert_true(decode("time", WIRE_TIME, 0, "40e201", &cell)); /* 123456 */
    assert_int_equal(cell.kind, CELL_TIME);
    assert_int_equal(cell.i, INT64_C(45296000000));
    assert_true(decode("time", WIRE_TIME, 0, "c01dfe", &cell)); /* -123456 */
    assert_int_equal(cell.i, INT64_C(-45296000000));
    assert_true(decode("datetime", WIRE_DATETIME, 0, "2eec07566d120000", &cell)); /* 20260804095022 */
    assert_int_equal(cell.kind, CELL_DATETIME);
}

static void refuse(const char *definition, uint8_t wire, uint16_t meta, const char *hex)
{
    struct cell cell;
    if (decode(definition, wire, meta, hex, &cell))
        fail_msg("%s: %s was taken", definition, hex);
}

static void bytes_that_are_no_value_are_refused(void **state)
{
    (void)state;
    refuse("decimal(9,0)", WIRE_NEWDECIMAL, 0x0900, "ffffffff");
    refuse("decimal(9,0)", WIRE_NEWDECIMAL, 0x4300, "80000000"); /* precision 67 */
    refuse("decimal(9,0)", WIRE_NEWDECIMAL, 0x0509, "80000000"); /* scale above precision */
    refuse("decimal(9,0)", WIRE_DECIMAL, 0, "80000000");
    refuse("datetime", WIRE_DATETIME2, 0, "0000000000");
    refuse("datetime", WIRE_DATETIME2, 0, "ffffffffff");
    refuse("datetime(6)", WIRE_DATETIME2, 6, "99b1809d96ffffff");
    refuse("datetime(6)", WIRE_DATETIME2, 7, "99b1809d96000000");
    refuse("datetime", WIRE_DATETIME, 0, "ffffffffffffffff");
    refuse("time", WIRE_TIME2, 0, "ffffff");
    refuse("timestamp(6)", WIRE_TIMESTAMP2, 6, "0000000fffffff");
    refuse("date", WIRE_DATE, 0, "ffffff");
    refuse("int", 200, 0, "00000000");
    refuse("int", WIRE_BIT, 0x0900, "000000000000000000");
    refuse("int", WIRE_BLOB, 5, "0000000000");
    refuse("enum('a')", WIRE_STRING, 0xf703, "000000");
    refuse("set('a')", WIRE_STRING, 0xf809, "000000000000000000");
}

static void a_column_of_another_type_does_not_fit(void **state)
{
    (void)state;
    static const struct {
        const char *definition;
        uint8_t wire;
        uint16_t meta;
    } unfit[] = {
        {"int", WIRE_LONGLONG, 0},          {"decimal(10,2)", WIRE_NEWDECIMAL, 0x0a03},
        {"varchar(10)", WIRE_VARCHAR, 41},  {"char(10)", WIRE_STRING, 0xfe29},
        {"bit(9)", WIRE_BIT, 0x0100},       {"time(3)", WIRE_TIME2, 2},
        {"time(3)", WIRE_TIME, 0},          {"blob", WIRE_BLOB, 3},
        {"enum('a')", WIRE_STRING, 0xf702}, {"set('a','b')", WIRE_STRING, 0xf701},
        {"date", WIRE_DATETIME2, 0},        {"json", WIRE_BLOB, 4},
        {"binary(4)", WIRE_STRING, 0xfe05}, {"vector(3)", WIRE_BLOB, 4},
    };
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        const struct shape *shape = shape_of(unfit[i].definition);
        if (value_fits(unfit[i].wire, unfit[i].meta, &shape->columns[0]))
            fail_msg("%s fits type %u, metadata %04x", unfit[i].definition, unfit[i].wire, unfit[i].meta);
        shape_free(&shape);
    }
}

/* ---- the other door's own ways ---- */

static bool select_as(const char *definition, struct value_input in, struct cell *cell)
{
    const struct shape *shape = shape_of(definition);
    struct arena a;
    struct fail why;
    arena_init(&a);
    bool ok = value_from_result(&shape->columns[0], &in, &a, cell, &why);
    arena_fini(&a);
    shape_free(&shape);
    return ok;
}

static struct value_input bytes(const char *text)
{
    return (struct value_input){.kind = VALUE_INPUT_BYTES, .bytes = view_of(text)};
}

static void labels_become_numbers(void **state)
{
    (void)state;
    struct cell cell;
    assert_true(select_as("enum('a','b')", bytes("b"), &cell));
    assert_int_equal(cell.u, 2);
    assert_true(select_as("enum('a','b')", bytes(""), &cell));
    assert_int_equal(cell.u, 0);
    assert_false(select_as("enum('a','b')", bytes("c"), &cell));
    assert_true(select_as("enum('é') character set latin1", bytes("\xe9"), &cell));
    assert_int_equal(cell.u, 1);
    assert_true(select_as("set('a','b','c')", bytes("a,c"), &cell));
    assert_int_equal(cell.u, 5);
    assert_true(select_as("set('a','b','c')", bytes(""), &cell));
    assert_int_equal(cell.u, 0);
    assert_false(select_as("set('a','b','c')", bytes("a,x"), &cell));
}

static void null_is_null_for_every_column(void **state)
{
    (void)state;
    struct cell cell;
    assert_true(select_as("int", (struct value_input){.kind = VALUE_INPUT_NULL}, &cell));
    assert_int_equal(cell.kind, CELL_NULL);
}

static void an_input_the_column_cannot_give_is_refused(void **state)
{
    (void)state;
    struct cell cell;
    assert_false(select_as("int", bytes("1"), &cell));
    assert_false(select_as("decimal(5,2)", bytes("x"), &cell));
    assert_false(select_as("date", bytes("2020-01-01"), &cell));
    assert_false(select_as("double", (struct value_input){.kind = VALUE_INPUT_FLOAT, .f = 1}, &cell));
    assert_false(select_as("bit(64)", bytes("123456789"), &cell));
    assert_false(select_as("varchar(5)", (struct value_input){.kind = VALUE_INPUT_INTEGER, .integer = 1}, &cell));
    assert_false(select_as("json", bytes("\"open"), &cell));
    struct value_input in = {.kind = VALUE_INPUT_PARTS, .parts = {.year = 2021, .month = 2, .day = 31}};
    assert_false(select_as("timestamp", in, &cell));
    assert_true(select_as("datetime", in, &cell)); /* a stored reading may be impossible */
    in.parts.month = 13;
    assert_false(select_as("datetime", in, &cell));
    in = (struct value_input){.kind = VALUE_INPUT_PARTS, .parts = {.hour = 839}};
    assert_false(select_as("time", in, &cell));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_the_log_and_of_a_select_give_the_same_cell),
        cmocka_unit_test(layouts_from_before_5_6_are_read),
        cmocka_unit_test(bytes_that_are_no_value_are_refused),
        cmocka_unit_test(a_column_of_another_type_does_not_fit),
        cmocka_unit_test(labels_become_numbers),
        cmocka_unit_test(null_is_null_for_every_column),
        cmocka_unit_test(an_input_the_column_cannot_give_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
