/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/rows.h"

#include "binlog/jsonb.h"

#include <string.h>

enum extra_kind { EXTRA_NDB = 0, EXTRA_PARTITION = 1 };
enum { OPTION_PARTIAL_JSON = 1, MAX_COLUMNS = 4096 };

static bool bit_is_set(const uint8_t *bits, uint32_t i)
{
    return (bits[i / 8] >> i % 8 & 1) != 0;
}

static size_t bit_bytes(uint32_t n)
{
    return (n + 7) / 8;
}

static uint32_t count_bits(struct view bits, uint32_t n)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < n; i++)
        set += bit_is_set(bits.p, i);
    return set;
}

/* ---- layout ---- */

static void prepare(struct rows_layout *layout, const struct table_map *map, const struct shape *shape, struct arena *a)
{
    uint32_t n = map->n_columns;
    *layout = (struct rows_layout){
        .map = map,
        .shape = shape,
        .n_columns = n,
        .types = arena_alloc(a, n * sizeof *layout->types),
        .json_bit = arena_alloc(a, n * sizeof *layout->json_bit),
        .before = arena_zero(a, n, sizeof *layout->before),
        .after = arena_zero(a, n, sizeof *layout->after),
    };
    for (uint32_t i = 0; i < n; i++) {
        value_prepare(&layout->types[i], map->columns[i].wire, map->columns[i].meta,
                      shape == NULL ? NULL : &shape->columns[i]);
        layout->json_bit[i] = layout->n_json;
        if (map->columns[i].real == WIRE_JSON)
            layout->n_json++;
    }
}

void rows_layout_prepare(struct rows_layout *layout, const struct table_map *map, const struct shape *shape,
                         struct arena *a)
{
    ASSERT(map->n_columns == shape->n_columns);
    prepare(layout, map, shape, a);
}

void rows_layout_prepare_counting(struct rows_layout *layout, const struct table_map *map, struct arena *a)
{
    prepare(layout, map, NULL, a);
}

/* ---- what stands before the rows ---- */

void rows_init(struct rows *r)
{
    *r = (struct rows){0};
    buf_init(&r->documents);
}

void rows_fini(struct rows *r)
{
    buf_fini(&r->documents);
}

bool rows_is_type(uint8_t type)
{
    return (type >= EVENT_WRITE_ROWS_V1 && type <= EVENT_DELETE_ROWS_V1) ||
           (type >= EVENT_WRITE_ROWS && type <= EVENT_DELETE_ROWS) || type == EVENT_PARTIAL_UPDATE_ROWS;
}

static enum rows_kind kind_of(uint8_t type)
{
    switch (type) {
    case EVENT_WRITE_ROWS_V1:
    case EVENT_WRITE_ROWS:
        return ROWS_INSERT;
    case EVENT_DELETE_ROWS_V1:
    case EVENT_DELETE_ROWS:
        return ROWS_DELETE;
    default:
        return ROWS_UPDATE;
    }
}

static void read_partitions(struct rows *r, struct cursor *c)
{
    r->partition = cursor_u16(c);
    r->has_partition = true;
    if (r->kind != ROWS_UPDATE)
        return;
    r->source_partition = cursor_u16(c);
    r->has_source_partition = true;
}

/* A kind that is not known has no length: it and what follows are left alone, the whole has one. */
static bool read_extra(struct rows *r, struct cursor *c)
{
    enum { LENGTH_BYTES = 2 };
    size_t bytes = cursor_u16(c);
    if (bytes < LENGTH_BYTES)
        return false;
    struct cursor extra = cursor_of(cursor_view(c, bytes - LENGTH_BYTES));
    while (cursor_left(&extra) > 0) {
        uint8_t kind = cursor_u8(&extra);
        if (kind == EXTRA_PARTITION) {
            read_partitions(r, &extra);
        } else if (kind == EXTRA_NDB) {
            size_t ndb = cursor_u8(&extra); /* counts itself and the format */
            if (ndb < 2)
                return false;
            (void)cursor_take(&extra, ndb - 1);
        } else {
            break;
        }
    }
    return !extra.bad && !c->bad;
}

static bool read_columns(struct rows *r, struct cursor *c)
{
    uint64_t n = cursor_lenenc(c);
    if (c->bad || n == 0 || n > MAX_COLUMNS)
        return false;
    r->n_columns = (uint32_t)n;
    struct view first = cursor_view(c, bit_bytes(r->n_columns));
    struct view second = r->kind == ROWS_UPDATE ? cursor_view(c, bit_bytes(r->n_columns)) : first;
    if (c->bad)
        return false;
    r->before_columns = r->kind == ROWS_INSERT ? VIEW_NONE : first;
    r->after_columns = r->kind == ROWS_DELETE ? VIEW_NONE : second;
    r->before_is_whole = r->kind == ROWS_INSERT || count_bits(first, r->n_columns) == r->n_columns;
    r->after_is_whole = r->kind == ROWS_DELETE || count_bits(second, r->n_columns) == r->n_columns;
    return true;
}

bool rows_open(struct rows *r, const struct event *ev, struct fail *why)
{
    uint8_t type = ev->header.type;
    ASSERT(rows_is_type(type));
    struct buf documents = r->documents;
    *r = (struct rows){.kind = kind_of(type), .is_partial = type == EVENT_PARTIAL_UPDATE_ROWS, .documents = documents};
    struct cursor c = cursor_of(ev->body);
    r->table_id = cursor_u48(&c);
    r->flags = cursor_u16(&c);
    bool has_extra = type >= EVENT_WRITE_ROWS;
    if (c.bad || (has_extra && !read_extra(r, &c)) || !read_columns(r, &c))
        return fail_malformed(why, "it is malformed in front of its rows");
    r->c = c;
    return true;
}

bool rows_image_is_full(const struct rows *r)
{
    return r->before_is_whole && r->after_is_whole;
}

bool rows_begin(struct rows *r, const struct rows_layout *layout, struct arena *arena, struct fail *why)
{
    if (r->n_columns != layout->n_columns)
        return fail_malformed(why, "its rows have %u columns, its table map %u", r->n_columns, layout->n_columns);
    r->layout = layout;
    r->arena = arena;
    r->row = 0;
    r->before = r->kind == ROWS_INSERT ? NULL : layout->before;
    r->after = r->kind == ROWS_DELETE ? NULL : layout->after;
    return true;
}

/* ---- one image ---- */

static bool fail_value(const struct rows *r, uint32_t i, struct fail *why)
{
    const struct shape *shape = r->layout->shape;
    return fail_add(why, "row %u of %.*s.%.*s, column %.*s", r->row, VIEW_ARGS(shape->db), VIEW_ARGS(shape->table),
                    VIEW_ARGS(shape->columns[i].name));
}

static bool fail_image(const struct rows *r, struct fail *why)
{
    const struct table_map *map = r->layout->map;
    return fail_malformed(why, "row %u of %.*s.%.*s is cut short", r->row, VIEW_ARGS(map->db), VIEW_ARGS(map->table));
}

static bool read_whole_image(struct rows *r, struct cell *cells, struct fail *why)
{
    const struct rows_layout *layout = r->layout;
    const uint8_t *nulls = cursor_take(&r->c, bit_bytes(layout->n_columns));
    if (nulls == NULL)
        return fail_image(r, why);
    for (uint32_t i = 0; i < layout->n_columns; i++) {
        if (bit_is_set(nulls, i))
            cells[i].kind = CELL_NULL;
        else if (!value_decode(&layout->types[i], &r->c, r->arena, &cells[i], why))
            return fail_value(r, i, why);
    }
    return true;
}

/* What walks over an image that may be short or partial: its columns in order, with their bits. */
struct image {
    const uint8_t *columns;
    const uint8_t *nulls;   /* one bit for each column in the image */
    const uint8_t *partial; /* one bit for each JSON column of the table; NULL: no value is partial */
    uint32_t n;             /* columns of the image so far */
};

static bool start_image(struct rows *r, struct view columns, bool may_be_partial, struct image *img, struct fail *why)
{
    *img = (struct image){.columns = columns.p};
    if (may_be_partial && (cursor_lenenc(&r->c) & OPTION_PARTIAL_JSON) != 0)
        img->partial = cursor_take(&r->c, bit_bytes(r->layout->n_json));
    img->nulls = cursor_take(&r->c, bit_bytes(count_bits(columns, r->n_columns)));
    return r->c.bad ? fail_image(r, why) : true;
}

static bool is_partial(const struct rows *r, const struct image *img, uint32_t i)
{
    return img->partial != NULL && r->layout->map->columns[i].real == WIRE_JSON &&
           bit_is_set(img->partial, r->layout->json_bit[i]);
}

/* Diffs against the document of the before image. Without any, it is that document. */
static bool read_diffs(struct rows *r, uint32_t i, struct fail *why)
{
    const struct cell *before = &r->layout->before[i];
    struct cell *after = &r->layout->after[i];
    size_t n = cursor_u32(&r->c);
    struct view diffs = cursor_view(&r->c, n);
    if (r->c.bad)
        return fail_image(r, why);
    if (before->kind != CELL_JSON)
        return fail_malformed(why, "changes to a JSON document that is not in the before image");
    *after = *before;
    if (n == 0)
        return true;
    size_t at = buf_size(&r->documents);
    if (!jsonb_apply_diffs(before->bytes, diffs, &r->documents, why))
        return false;
    /* The buffer may move until the row is complete: only the size is known now, settle_documents fills in the place. */
    after->bytes = (struct view){NULL, buf_size(&r->documents) - at};
    return true;
}

static void settle_documents(struct rows *r)
{
    const uint8_t *at = r->documents.start;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        struct cell *cell = &r->layout->after[i];
        if (cell->kind != CELL_JSON || cell->bytes.p != NULL)
            continue;
        cell->bytes.p = at;
        at += cell->bytes.n;
    }
}

static bool read_column(struct rows *r, struct image *img, uint32_t i, struct cell *cell, struct fail *why)
{
    if (!bit_is_set(img->columns, i)) {
        cell->kind = CELL_ABSENT;
        return true;
    }
    if (bit_is_set(img->nulls, img->n++)) {
        cell->kind = CELL_NULL;
        return true;
    }
    if (is_partial(r, img, i))
        return read_diffs(r, i, why);
    return value_decode(&r->layout->types[i], &r->c, r->arena, cell, why);
}

static bool read_image(struct rows *r, struct view columns, bool may_be_partial, struct cell *cells, struct fail *why)
{
    struct image img;
    if (!start_image(r, columns, may_be_partial, &img, why))
        return false;
    for (uint32_t i = 0; i < r->n_columns; i++)
        if (!read_column(r, &img, i, &cells[i], why))
            return fail_value(r, i, why);
    if (img.partial != NULL)
        settle_documents(r);
    return true;
}

static bool skip_column(struct rows *r, const struct image *img, uint32_t i)
{
    if (!is_partial(r, img, i))
        return value_skip(&r->layout->types[i], &r->c);
    size_t n = cursor_u32(&r->c);
    return cursor_take(&r->c, n) != NULL || (n == 0 && !r->c.bad);
}

static bool skip_image(struct rows *r, struct view columns, bool may_be_partial, struct fail *why)
{
    struct image img;
    if (!start_image(r, columns, may_be_partial, &img, why))
        return false;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        if (!bit_is_set(img.columns, i) || bit_is_set(img.nulls, img.n++))
            continue;
        if (!skip_column(r, &img, i))
            return fail_image(r, why);
    }
    return true;
}

/* ---- rows ---- */

/* A row of no bytes would come for ever. */
static bool count_row(struct rows *r, const uint8_t *start, struct fail *why)
{
    if (r->c.p == start)
        return fail_malformed(why, "it has bytes behind its rows");
    r->row++;
    return true;
}

bool rows_next(struct rows *r, bool *is_end, struct fail *why)
{
    *is_end = cursor_left(&r->c) == 0;
    if (*is_end)
        return true;
    const struct rows_layout *layout = r->layout;
    const uint8_t *start = r->c.p;
    arena_reset(r->arena);
    buf_clear(&r->documents);
    if (r->before != NULL && !(r->before_is_whole ? read_whole_image(r, layout->before, why)
                                                  : read_image(r, r->before_columns, false, layout->before, why)))
        return false;
    if (r->after != NULL &&
        !(r->after_is_whole && !r->is_partial ? read_whole_image(r, layout->after, why)
                                              : read_image(r, r->after_columns, r->is_partial, layout->after, why)))
        return false;
    return count_row(r, start, why);
}

bool rows_skip(struct rows *r, bool *is_end, struct fail *why)
{
    *is_end = cursor_left(&r->c) == 0;
    if (*is_end)
        return true;
    const uint8_t *start = r->c.p;
    if (r->before != NULL && !skip_image(r, r->before_columns, false, why))
        return false;
    if (r->after != NULL && !skip_image(r, r->after_columns, r->is_partial, why))
        return false;
    return count_row(r, start, why);
}
