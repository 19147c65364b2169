/* SPDX-License-Identifier: Apache-2.0 */
/* Rows events of a 9.7 server, row by row: all types, short images, partitions, partial JSON, and the older format. */
#include "binlog/jsonb.h"
#include "binlog/rows.h"
#include "test/support/captured.h"
#include "test/support/shapes.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One rows event with all it takes to read it. */
struct reading {
    struct captured cap;
    struct arena memory;
    struct arena row_memory;
    struct table_map tm;
    struct rows_layout layout;
    struct rows rows;
};

static void start(struct reading *rd, const char *file)
{
    captured_load(&rd->cap, file);
    arena_init(&rd->memory);
    arena_init(&rd->row_memory);
    rows_init(&rd->rows);
}

static void finish(struct reading *rd)
{
    rows_fini(&rd->rows);
    arena_fini(&rd->row_memory);
    arena_fini(&rd->memory);
    captured_free(&rd->cap);
}

static struct event open_event(struct reading *rd, const struct shape *shape, uint8_t type, size_t which)
{
    struct fail why = {0};
    struct event map = captured_event(&rd->cap, EVENT_TABLE_MAP, 0);
    struct event ev = captured_event(&rd->cap, type, which);
    if (!table_map_read(&rd->tm, map.body, &rd->memory, &why) || !table_map_check(&rd->tm, shape, &why))
        fail_msg("%s", why.text);
    rows_layout_prepare(&rd->layout, &rd->tm, shape, &rd->memory);
    if (!rows_open(&rd->rows, &ev, &why) || !rows_begin(&rd->rows, &rd->layout, &rd->row_memory, &why))
        fail_msg("%s", why.text);
    assert_int_equal(rd->rows.table_id, rd->tm.id);
    return ev;
}

static bool step(struct reading *rd)
{
    bool is_end;
    struct fail why = {0};
    if (!rows_next(&rd->rows, &is_end, &why))
        fail_msg("%s", why.text);
    return !is_end;
}

/* ---- cells in words ---- */

static void print_bytes(struct view v, char *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < v.n && n < room; i++)
        n += (size_t)snprintf(out + n, room - n, v.p[i] >= ' ' && v.p[i] < 127 ? "%c" : "\\%02x", v.p[i]);
}

static void print_cell(const struct cell *cell, char *out, size_t room)
{
    const struct cell_date *d = &cell->date;
    out[0] = '\0';
    switch (cell->kind) {
    case CELL_ABSENT:
        snprintf(out, room, "absent");
        break;
    case CELL_NULL:
        snprintf(out, room, "NULL");
        break;
    case CELL_INT:
    case CELL_TIME:
    case CELL_TIMESTAMP:
        snprintf(out, room, "%lld", (long long)cell->i);
        break;
    case CELL_UINT:
        snprintf(out, room, "%llu", (unsigned long long)cell->u);
        break;
    case CELL_FLOAT:
        snprintf(out, room, "%g", (double)cell->f);
        break;
    case CELL_DOUBLE:
        snprintf(out, room, "%g", cell->d);
        break;
    case CELL_DECIMAL:
        snprintf(out, room, "%s%llu", cell->decimal.is_negative ? "-" : "", (unsigned long long)cell->decimal.limb[0]);
        break;
    case CELL_DATE:
    case CELL_DATETIME:
        snprintf(out, room, "%u-%u-%u %u:%u:%u.%u", d->year, d->month, d->day, d->hour, d->minute, d->second, d->micro);
        break;
    case CELL_BYTES:
    case CELL_JSON:
    case CELL_JSON_TEXT:
        print_bytes(cell->bytes, out, room);
        break;
    }
}

static void check_cell(const struct reading *rd, const struct cell *cells, const char *column, const char *expected)
{
    for (uint32_t i = 0; i < rd->layout.n_columns; i++) {
        char text[512];
        if (!view_is(rd->layout.shape->columns[i].name, column))
            continue;
        print_cell(&cells[i], text, sizeof text);
        if (strcmp(text, expected) != 0)
            fail_msg("column %s is %s, not %s", column, text, expected);
        return;
    }
    fail_msg("no column %s", column);
}

static void check_first_row(const struct reading *rd, const struct cell *cells)
{
    static const char *const expected[][2] = {
        {"id", "1"},
        {"t", "-128"},
        {"tu", "255"},
        {"s", "-32768"},
        {"su", "65535"},
        {"m", "-8388608"},
        {"mu", "16777215"},
        {"iu", "4294967295"},
        {"b", "-9223372036854775808"},
        {"bu", "18446744073709551615"},
        {"y", "2155"},
        {"de", "-123456789125"},
        {"f", "1.5"},
        {"d", "-2.25"},
        {"bit1", "1"},
        {"bit13", "5461"},
        {"bit64", "9223372036854775809"},
        {"c", "ab"},
        {"c300", "gr\\c3\\b6\\c3\\9fe"},
        {"vc", "\\e9"},
        {"vcl", "long"},
        {"bi", "\\01\\02\\00\\00\\00\\00"},
        {"vb", "\\00\\ff"},
        {"tt", "tiny"},
        {"tx", "\\83e"},
        {"mt", "medium"},
        {"lt", "long"},
        {"tb", "\\01"},
        {"bl", "\\02\\03"},
        {"mb", "\\04\\05\\06"},
        {"lb", "\\07\\08\\09\\00"},
        {"da", "2026-11-30 0:0:0.0"},
        {"ti", "-45296000000"},
        {"ti3", "3020398999000"},
        {"ti6", "-1"},
        {"dt", "2026-11-30 17:33:11.0"},
        {"dt6", "2026-11-30 17:33:11.123456"},
        {"ts", "1796059991000000"},
        {"ts2", "1796059991250000"},
        {"en", "2"},
        {"se", "5"},
        {"pt", "\\00\\00\\00\\00\\01\\01\\00\\00\\00\\00\\00\\00\\00\\00\\00\\f0?\\00\\00\\00\\00\\00\\00\\00@"},
        {"ve", "\\00\\00\\80?\\00\\00\\00@\\00\\00@@"},
        {"gv", "2"},
        {"gs", "#1"},
        {"hid", "9"},
        {"nn", "nn"},
        {"deu", "NULL"},
        {"fu", "NULL"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        check_cell(rd, cells, expected[i][0], expected[i][1]);
}

static void rows_of_all_types_are_told(void **state)
{
    (void)state;
    const char *files[] = {"types", "types_full"};
    for (int f = 0; f < 2; f++) {
        struct reading rd;
        start(&rd, files[f]);
        const struct shape *shape = shapes_types(&rd.memory);
        open_event(&rd, shape, EVENT_WRITE_ROWS, 0);
        assert_int_equal(rd.rows.kind, ROWS_INSERT);
        assert_true(rows_image_is_full(&rd.rows));
        assert_int_equal(rd.rows.flags & ROWS_FLAG_STATEMENT_END, ROWS_FLAG_STATEMENT_END);
        assert_true(step(&rd));
        assert_null(rd.rows.before);
        check_first_row(&rd, rd.rows.after);
        assert_false(step(&rd));
        finish(&rd);
    }
}

static void rows_tell_null_in_every_column_that_may_be(void **state)
{
    (void)state;
    struct reading rd;
    start(&rd, "types");
    const struct shape *shape = shapes_types(&rd.memory);
    open_event(&rd, shape, EVENT_WRITE_ROWS, 1);
    assert_true(step(&rd));
    for (uint32_t i = 0; i < shape->n_columns; i++) {
        bool has_value = view_is(shape->columns[i].name, "hid") || shape->columns[i].is_generated;
        assert_int_equal(rd.rows.after[i].kind == CELL_NULL, shape->columns[i].is_nullable && !has_value);
    }
    assert_false(step(&rd));
    finish(&rd);
}

static void rows_of_an_update_come_with_before_and_after(void **state)
{
    (void)state;
    struct reading rd;
    start(&rd, "types");
    const struct shape *shape = shapes_types(&rd.memory);
    open_event(&rd, shape, EVENT_UPDATE_ROWS, 0);
    assert_true(step(&rd));
    check_first_row(&rd, rd.rows.before);
    check_cell(&rd, rd.rows.after, "t", "5");
    check_cell(&rd, rd.rows.after, "vcl", "NULL");
    check_cell(&rd, rd.rows.after, "js", "NULL");
    check_cell(&rd, rd.rows.after, "nn", "nn");
    assert_false(step(&rd));
    finish(&rd);
}

static void rows_of_a_delete_come_one_by_one_and_can_be_skipped(void **state)
{
    (void)state;
    struct reading rd;
    bool is_end;
    struct fail why;
    start(&rd, "types");
    const struct shape *shape = shapes_types(&rd.memory);
    open_event(&rd, shape, EVENT_DELETE_ROWS, 0);
    assert_true(step(&rd));
    assert_null(rd.rows.after);
    check_cell(&rd, rd.rows.before, "id", "1");
    assert_true(step(&rd));
    check_cell(&rd, rd.rows.before, "id", "2");
    assert_int_equal(rd.rows.row, 2);
    assert_false(step(&rd));

    open_event(&rd, shape, EVENT_DELETE_ROWS, 0);
    assert_true(rows_skip(&rd.rows, &is_end, &why) && !is_end);
    assert_true(step(&rd));
    check_cell(&rd, rd.rows.before, "id", "2");
    assert_true(rows_skip(&rd.rows, &is_end, &why) && is_end);
    finish(&rd);
}

static void rows_refuse_every_cut(void **state)
{
    (void)state;
    struct reading rd;
    start(&rd, "types");
    const struct shape *shape = shapes_types(&rd.memory);
    struct event ev = open_event(&rd, shape, EVENT_UPDATE_ROWS, 0);
    size_t head = (size_t)(rd.rows.c.p - ev.body.p);
    for (size_t n = 0; n < ev.body.n; n++) {
        struct fail why = {0};
        bool is_end = false;
        uint8_t *cut = malloc(n == 0 ? 1 : n);
        memcpy(cut, ev.body.p, n);
        struct event short_event = {ev.header, {cut, n}};
        bool is_open = rows_open(&rd.rows, &short_event, &why);
        assert_int_equal(is_open, n >= head);
        if (is_open && n > head) {
            assert_true(rows_begin(&rd.rows, &rd.layout, &rd.row_memory, &why));
            assert_false(rows_next(&rd.rows, &is_end, &why));
            assert_non_null(strstr(why.text, "shop.types"));
            assert_true(rows_open(&rd.rows, &short_event, &why));
            assert_true(rows_begin(&rd.rows, &rd.layout, &rd.row_memory, &why));
            assert_false(rows_skip(&rd.rows, &is_end, &why));
        }
        free(cut);
    }
    finish(&rd);
}

static void rows_of_the_first_format_are_the_same(void **state)
{
    (void)state;
    struct reading rd;
    struct buf v1;
    start(&rd, "types");
    buf_init(&v1);
    const struct shape *shape = shapes_types(&rd.memory);
    struct event ev = open_event(&rd, shape, EVENT_UPDATE_ROWS, 0);
    buf_put(&v1, ev.body.p, 8); /* the second has 2 bytes more, without extra information */
    buf_put(&v1, ev.body.p + 10, ev.body.n - 10);
    ev.header.type = EVENT_UPDATE_ROWS_V1;
    ev.body = buf_view(&v1);
    struct fail why = {0};
    assert_true(rows_is_type(EVENT_UPDATE_ROWS_V1));
    assert_true(rows_open(&rd.rows, &ev, &why));
    assert_true(rows_begin(&rd.rows, &rd.layout, &rd.row_memory, &why));
    assert_true(step(&rd));
    check_first_row(&rd, rd.rows.before);
    check_cell(&rd, rd.rows.after, "t", "5");
    assert_false(step(&rd));
    buf_fini(&v1);
    finish(&rd);
}

static void rows_tell_partitions(void **state)
{
    (void)state;
    static const struct column columns[] = {COLUMN("id", COLUMN_INT), COLUMN("v", COLUMN_INT)};
    struct reading rd;
    start(&rd, "partitions");
    const struct shape *shape = shapes_make(&rd.memory, "part", columns, 2);
    open_event(&rd, shape, EVENT_WRITE_ROWS, 1);
    assert_true(rd.rows.has_partition);
    assert_false(rd.rows.has_source_partition);
    assert_int_equal(rd.rows.partition, 1);
    open_event(&rd, shape, EVENT_UPDATE_ROWS, 0);
    assert_true(rd.rows.has_partition && rd.rows.has_source_partition);
    assert_int_equal(rd.rows.source_partition, 0);
    assert_int_equal(rd.rows.partition, 1);
    assert_true(step(&rd));
    check_cell(&rd, rd.rows.before, "id", "1");
    check_cell(&rd, rd.rows.after, "id", "10");
    finish(&rd);
}

static void short_images_are_seen_and_told_with_absent_columns(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = {(const uint8_t *)"id", 2}, .kind = COLUMN_INT},
        COLUMN("a", COLUMN_INT),
        COLUMN("b", COLUMN_VARCHAR, .has_length = true, .length = 5, IN_CHARSET("utf8mb4")),
        COLUMN("t", COLUMN_TEXT, .blob_bytes = 2, IN_CHARSET("utf8mb4")),
    };
    static const struct {
        uint8_t type;
        size_t which;
        const char *before[4];
        const char *after[4];
    } rows[] = {
        {EVENT_WRITE_ROWS, 0, {NULL}, {"1", "absent", "x", "absent"}},
        {EVENT_UPDATE_ROWS, 0, {"1", "absent", "absent", "absent"}, {"absent", "5", "absent", "absent"}},
        {EVENT_DELETE_ROWS, 0, {"1", "absent", "absent", "absent"}, {NULL}},
        {EVENT_UPDATE_ROWS, 1, {"1", "1", "x", "absent"}, {"1", "5", "x", "absent"}},
        {EVENT_DELETE_ROWS, 1, {"1", "5", "x", "absent"}, {NULL}},
    };
    struct reading rd;
    start(&rd, "short_images");
    const struct shape *shape = shapes_make(&rd.memory, "short", columns, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_event(&rd, shape, rows[i].type, rows[i].which);
        assert_false(rows_image_is_full(&rd.rows));
        assert_true(step(&rd));
        for (int c = 0; c < 4; c++) {
            if (rows[i].before[0] != NULL)
                check_cell(&rd, rd.rows.before, (const char *)columns[c].name.p, rows[i].before[c]);
            if (rows[i].after[0] != NULL)
                check_cell(&rd, rd.rows.after, (const char *)columns[c].name.p, rows[i].after[c]);
        }
        assert_false(step(&rd));
    }
    open_event(&rd, shape, EVENT_WRITE_ROWS, 1);
    assert_true(rows_image_is_full(&rd.rows));
    finish(&rd);
}

static void rows_of_16_mib_and_more_are_told(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = {(const uint8_t *)"id", 2}, .kind = COLUMN_INT},
        COLUMN("b", COLUMN_BLOB, .blob_bytes = 4),
    };
    struct reading rd;
    start(&rd, "large");
    open_event(&rd, shapes_make(&rd.memory, "big", columns, 2), EVENT_WRITE_ROWS, 0);
    assert_true(step(&rd));
    assert_int_equal(rd.rows.after[1].bytes.n, 17000000);
    assert_int_equal(rd.rows.after[1].bytes.p[16999999], 'z');
    assert_false(step(&rd));
    finish(&rd);
}

/* ---- partial JSON ---- */

static void check_document(const struct cell *cell, const char *has, const char *has_not)
{
    struct buf text;
    struct fail why = {0};
    buf_init(&text);
    assert_int_equal(cell->kind, CELL_JSON);
    if (!jsonb_print(cell->bytes, &text, &why))
        fail_msg("%s", why.text);
    buf_put_u8(&text, 0);
    if (has != NULL && strstr((char *)text.start, has) == NULL)
        fail_msg("%s is not in %s", has, (char *)text.start);
    if (has_not != NULL && strstr((char *)text.start, has_not) != NULL)
        fail_msg("%s is in %s", has_not, (char *)text.start);
    buf_fini(&text);
}

static void partial_updates_give_whole_documents(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = {(const uint8_t *)"id", 2}, .kind = COLUMN_INT},
        COLUMN("a", COLUMN_JSON),
        COLUMN("n", COLUMN_INT),
        COLUMN("b", COLUMN_JSON),
        COLUMN("c", COLUMN_JSON),
    };
    struct reading rd;
    start(&rd, "partial_json");
    const struct shape *shape = shapes_make(&rd.memory, "doc", columns, 5);
    struct event ev = open_event(&rd, shape, EVENT_PARTIAL_UPDATE_ROWS, 0); /* a.k3 of both rows */
    assert_true(rd.rows.is_partial);
    assert_true(step(&rd));
    check_document(&rd.rows.before[1], "\"k3\":\"value 3\"", "other");
    check_document(&rd.rows.after[1], "\"k3\":\"other\"", "\"value 3\"");
    check_document(&rd.rows.after[1], "\"k19\":\"value 19\"", NULL);
    check_document(&rd.rows.after[3], "\"k3\":\"value 3\"", "other"); /* b is unchanged */
    check_document(&rd.rows.after[4], "[1]", NULL);
    assert_true(step(&rd));
    check_document(&rd.rows.after[1], "\"k3\":\"other\"", NULL);
    assert_int_equal(rd.rows.after[3].kind, CELL_NULL);
    check_document(&rd.rows.after[4], "[2]", NULL);
    assert_false(step(&rd));

    struct fail why = {0};
    bool is_end;
    assert_true(rows_open(&rd.rows, &ev, &why) && rows_begin(&rd.rows, &rd.layout, &rd.row_memory, &why));
    assert_true(rows_skip(&rd.rows, &is_end, &why) && !is_end);
    assert_true(rows_skip(&rd.rows, &is_end, &why) && !is_end);
    assert_true(rows_skip(&rd.rows, &is_end, &why) && is_end);

    open_event(&rd, shape, EVENT_PARTIAL_UPDATE_ROWS, 1); /* two documents of one row change */
    assert_true(step(&rd));
    check_document(&rd.rows.after[1], "\"k6\":\"value 6\"", "\"k4\"");
    check_document(&rd.rows.after[1], "\"k3\":\"other\"", "\"k5\"");
    check_document(&rd.rows.after[3], "\"new\":1", NULL);
    check_document(&rd.rows.after[3], "\"n\":{\"a\":[1,7,3]}", NULL);

    open_event(&rd, shape, EVENT_PARTIAL_UPDATE_ROWS, 2); /* no document changes */
    assert_true(step(&rd));
    check_cell(&rd, rd.rows.after, "n", "9");
    assert_true(view_equal(rd.rows.after[1].bytes, rd.rows.before[1].bytes));

    open_event(&rd, shape, EVENT_PARTIAL_UPDATE_ROWS, 3); /* whole documents */
    assert_true(step(&rd));
    check_document(&rd.rows.after[1], "{}", "k");
    assert_int_equal(rd.rows.after[3].kind, CELL_NULL);
    finish(&rd);
}

static void rows_with_another_number_of_columns_are_refused(void **state)
{
    (void)state;
    static const struct column columns[] = {COLUMN("id", COLUMN_INT), COLUMN("v", COLUMN_INT)};
    struct reading rd;
    struct fail why = {0};
    start(&rd, "partitions");
    open_event(&rd, shapes_make(&rd.memory, "part", columns, 2), EVENT_WRITE_ROWS, 0);
    struct event other = {.header = {.type = EVENT_WRITE_ROWS},
                          .body = {(const uint8_t *)"\1\0\0\0\0\0\1\0\2\0\3\7\0", 13}};
    assert_true(rows_open(&rd.rows, &other, &why));
    assert_false(rows_begin(&rd.rows, &rd.layout, &rd.row_memory, &why));
    assert_int_equal(why.kind, FAIL_REFUSE);
    finish(&rd);
}

static void rows_that_take_no_bytes_end(void **state)
{
    (void)state;
    static const struct column columns[] = {COLUMN("id", COLUMN_INT), COLUMN("v", COLUMN_INT)};
    struct reading rd;
    struct fail why = {0};
    bool is_end;
    start(&rd, "partitions");
    open_event(&rd, shapes_make(&rd.memory, "part", columns, 2), EVENT_WRITE_ROWS, 0);
    struct event none = {.header = {.type = EVENT_WRITE_ROWS},
                         .body = {(const uint8_t *)"\1\0\0\0\0\0\1\0\2\0\2\0x", 13}};
    assert_true(rows_open(&rd.rows, &none, &why) && rows_begin(&rd.rows, &rd.layout, &rd.row_memory, &why));
    assert_false(rows_next(&rd.rows, &is_end, &why));
    none.body.n = 12;
    assert_true(rows_open(&rd.rows, &none, &why) && rows_begin(&rd.rows, &rd.layout, &rd.row_memory, &why));
    assert_true(rows_next(&rd.rows, &is_end, &why) && is_end);
    finish(&rd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_types_are_told),
        cmocka_unit_test(rows_tell_null_in_every_column_that_may_be),
        cmocka_unit_test(rows_of_an_update_come_with_before_and_after),
        cmocka_unit_test(rows_of_a_delete_come_one_by_one_and_can_be_skipped),
        cmocka_unit_test(rows_refuse_every_cut),
        cmocka_unit_test(rows_of_the_first_format_are_the_same),
        cmocka_unit_test(rows_tell_partitions),
        cmocka_unit_test(short_images_are_seen_and_told_with_absent_columns),
        cmocka_unit_test(rows_of_16_mib_and_more_are_told),
        cmocka_unit_test(partial_updates_give_whole_documents),
        cmocka_unit_test(rows_with_another_number_of_columns_are_refused),
        cmocka_unit_test(rows_that_take_no_bytes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
