/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows events under any table map: a row that is told is one that can be skipped, and both end at the same byte.
 *
 * Input: 1 type (of eight), 2 length of the table map's body, that, and the body of the rows event. The definition is
 * made to have the table map's types, as one that was checked has.
 */
#include "binlog/rows.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t seen;

static void look(const struct cell *cells, uint32_t n)
{
    for (uint32_t i = 0; cells != NULL && i < n; i++)
        if (cells[i].kind == CELL_BYTES || cells[i].kind == CELL_JSON)
            for (size_t b = 0; b < cells[i].bytes.n; b++)
                seen += cells[i].bytes.p[b];
}

static const enum column_kind kinds[256] = {
    [WIRE_TINY] = COLUMN_TINYINT,
    [WIRE_SHORT] = COLUMN_SMALLINT,
    [WIRE_INT24] = COLUMN_MEDIUMINT,
    [WIRE_LONG] = COLUMN_INT,
    [WIRE_LONGLONG] = COLUMN_BIGINT,
    [WIRE_NEWDECIMAL] = COLUMN_DECIMAL,
    [WIRE_FLOAT] = COLUMN_FLOAT,
    [WIRE_DOUBLE] = COLUMN_DOUBLE,
    [WIRE_BIT] = COLUMN_BIT,
    [WIRE_STRING] = COLUMN_BINARY,
    [WIRE_VARCHAR] = COLUMN_VARCHAR,
    [WIRE_BLOB] = COLUMN_BLOB,
    [WIRE_DATE] = COLUMN_DATE,
    [WIRE_TIME2] = COLUMN_TIME,
    [WIRE_DATETIME2] = COLUMN_DATETIME,
    [WIRE_TIMESTAMP2] = COLUMN_TIMESTAMP,
    [WIRE_YEAR] = COLUMN_YEAR,
    [WIRE_ENUM] = COLUMN_ENUM,
    [WIRE_SET] = COLUMN_SET,
    [WIRE_JSON] = COLUMN_JSON,
    [WIRE_GEOMETRY] = COLUMN_GEOMETRY,
    [WIRE_VECTOR] = COLUMN_VECTOR,
};

static struct shape *shape_for(const struct table_map *tm, struct arena *a)
{
    struct shape *s = arena_zero(a, 1, sizeof *s);
    s->db = tm->db;
    s->table = tm->table;
    s->n_columns = tm->n_columns;
    s->columns = arena_zero(a, tm->n_columns, sizeof *s->columns);
    for (uint32_t i = 0; i < tm->n_columns; i++) {
        s->columns[i].name = view_of("c");
        s->columns[i].kind = kinds[tm->columns[i].real];
        s->columns[i].is_unsigned = tm->columns[i].is_unsigned;
        s->columns[i].has_length = true;
        s->columns[i].length = 20;
    }
    return s;
}

static void walk(const struct event *ev, const struct rows_layout *layout, struct arena *row_memory)
{
    struct rows told;
    struct rows skipped;
    struct fail why;
    bool is_end = false;
    rows_init(&told);
    rows_init(&skipped);
    if (rows_open(&told, ev, &why) && rows_begin(&told, layout, row_memory, &why)) {
        ASSERT(rows_open(&skipped, ev, &why) && rows_begin(&skipped, layout, row_memory, &why));
        while (rows_next(&told, &is_end, &why) && !is_end) {
            look(told.before, layout->n_columns);
            look(told.after, layout->n_columns);
            ASSERT(rows_skip(&skipped, &is_end, &why) && !is_end);
            ASSERT(told.c.p == skipped.c.p);
        }
    }
    rows_fini(&told);
    rows_fini(&skipped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t types[] = {EVENT_WRITE_ROWS,          EVENT_UPDATE_ROWS,   EVENT_DELETE_ROWS,
                                    EVENT_PARTIAL_UPDATE_ROWS, EVENT_WRITE_ROWS_V1, EVENT_UPDATE_ROWS_V1,
                                    EVENT_DELETE_ROWS_V1,      EVENT_UPDATE_ROWS};
    struct cursor c = cursor_of((struct view){data, size});
    uint8_t type = types[cursor_u8(&c) % sizeof types];
    size_t map_bytes = cursor_u16(&c);
    struct view map = cursor_view(&c, map_bytes);
    struct event ev = {.header = {.type = type}, .body = {c.p, cursor_left(&c)}};
    struct table_map tm;
    struct rows_layout layout;
    struct arena memory;
    struct arena row_memory;
    struct fail why;
    if (c.bad)
        return 0;
    arena_init(&memory);
    arena_init(&row_memory);
    if (table_map_read(&tm, map, &memory, &why) && tm.n_columns > 0) {
        rows_layout_prepare(&layout, &tm, shape_for(&tm, &memory), &memory);
        walk(&ev, &layout, &row_memory);
    }
    arena_fini(&row_memory);
    arena_fini(&memory);
    return 0;
}
