/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/rows.h"

#include "binlog/change.h"
#include "binlog/ddl.h"
#include "binlog/decimal.h"
#include "test/support/golden.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

struct record_settings rows_settings(bool with_schemas)
{
    return (struct record_settings){
        .topic_prefix = "g",
        .topic_delimiter = ".",
        .source_version = "3.6.1.Final",
        .task_id = "0",
        .run_id = "00000000-0000-0000-0000-000000000000",
        .key_schemas = with_schemas,
        .value_schemas = with_schemas,
        .key_null_default = true,
        .value_null_default = true,
        .tombstones = true,
        .headers = true,
        .time_adjuster = true,
        .schema_changes = true,
        .skipped_ops = SKIP_T,
        .converting_failure = FAILURE_WARN,
    };
}

const struct shape *rows_shape(const char *db, const char *sql)
{
    struct ddl_context ctx = {.db = view_of(db)};
    struct fail why = {0};
    const struct shape *shape = ddl_read_create(NULL, &ctx, view_of(sql), &why);
    if (shape == NULL)
        fail_msg("%s", why.text);
    return shape;
}

struct cell rows_null(void)
{
    return (struct cell){.kind = CELL_NULL};
}

struct cell rows_int(int64_t i)
{
    return (struct cell){.kind = CELL_INT, .i = i};
}

struct cell rows_uint(uint64_t u)
{
    return (struct cell){.kind = CELL_UINT, .u = u};
}

struct cell rows_float(float f)
{
    return (struct cell){.kind = CELL_FLOAT, .f = f};
}

struct cell rows_double(double d)
{
    return (struct cell){.kind = CELL_DOUBLE, .d = d};
}

struct cell rows_text(const char *text)
{
    return (struct cell){.kind = CELL_BYTES, .bytes = view_of(text)};
}

struct cell rows_bytes(const void *bytes, size_t n)
{
    return (struct cell){.kind = CELL_BYTES, .bytes = {bytes, n}};
}

struct cell rows_decimal(const char *text, unsigned scale)
{
    struct cell c = {.kind = CELL_DECIMAL};
    assert_true(decimal_read(view_of(text), scale, &c.decimal));
    return c;
}

struct cell rows_date(unsigned year, unsigned month, unsigned day)
{
    return (struct cell){.kind = CELL_DATE,
                         .date = {.year = (uint16_t)year, .month = (uint8_t)month, .day = (uint8_t)day}};
}

struct cell rows_datetime(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute, unsigned second,
                          unsigned micro)
{
    return (struct cell){
        .kind = CELL_DATETIME,
        .date = {(uint16_t)year, (uint8_t)month, (uint8_t)day, (uint8_t)hour, (uint8_t)minute, (uint8_t)second, micro}};
}

struct cell rows_time(int64_t micros)
{
    return (struct cell){.kind = CELL_TIME, .i = micros};
}

struct cell rows_timestamp(int64_t micros)
{
    return (struct cell){.kind = CELL_TIMESTAMP, .i = micros};
}

struct cell rows_json(const char *text)
{
    return (struct cell){.kind = CELL_JSON_TEXT, .bytes = view_of(text)};
}

struct rows_result rows_render(const struct shape *shape, const struct record_settings *set,
                               const struct row_source *src, enum row_op op, uint32_t row, const struct cell *before,
                               const struct cell *after)
{
    struct rows_result r = {0};
    buf_init(&r.out);
    struct plan *plan = plan_new(shape, set, &r.why);
    if (plan == NULL)
        fail_msg("%s", r.why.text);
    struct render_event ev;
    render_event_init(&ev);
    render_event_begin(&ev, plan, src);
    r.is_good = render_row(plan, &ev, op, row, before, after, &r.out, &r.row, &r.why);
    render_event_fini(&ev);
    plan_free(&plan);
    return r;
}

void rows_result_fini(struct rows_result *r)
{
    buf_fini(&r->out);
}

struct view rows_key(const struct rows_result *r, unsigned i)
{
    const struct rendered *rec = &r->row.records[i];
    return rec->has_key ? (struct view){r->out.start + rec->key_at, rec->key_bytes} : view_of("null");
}

struct view rows_value(const struct rows_result *r, unsigned i)
{
    const struct rendered *rec = &r->row.records[i];
    return rec->has_value ? (struct view){r->out.start + rec->value_at, rec->value_bytes} : view_of("null");
}

struct view rows_header(const struct rows_result *r, unsigned i)
{
    const struct rendered *rec = &r->row.records[i];
    return (struct view){r->out.start + rec->header_at, rec->header_bytes};
}

static void check_record(const struct rows_golden *g, const struct rows_result *r, unsigned i,
                         const struct golden *expected)
{
    char what[128];
    snprintf(what, sizeof what, "%s record %u key", g->topic, g->nth + i);
    golden_check_equal(rows_key(r, i), expected->key, what);
    snprintf(what, sizeof what, "%s record %u value", g->topic, g->nth + i);
    golden_check_equal(rows_value(r, i), expected->value, what);
    static const char *const names[] = {
        [CHANGE_HEADER_NEWKEY] = "__debezium.newkey", [CHANGE_HEADER_OLDKEY] = "__debezium.oldkey"};
    uint8_t kind = r->row.records[i].header;
    struct buf text;
    buf_init(&text);
    if (kind != CHANGE_HEADER_NONE) {
        assert_true(golden_header(expected, names[kind], &text));
        golden_check_equal(rows_header(r, i), buf_view(&text), "header");
    } else {
        assert_false(golden_header(expected, names[CHANGE_HEADER_NEWKEY], &text));
        assert_false(golden_header(expected, names[CHANGE_HEADER_OLDKEY], &text));
    }
    buf_fini(&text);
}

/* The clocks of a row's records differ in the golden ones; each is rendered with the clock of its own. */
static void check_golden(const struct rows_golden *g, bool with_schemas)
{
    char db[64];
    snprintf(db, sizeof db, "%.*s", (int)(strrchr(g->topic, '.') - g->topic - 2), g->topic + 2);
    const struct shape *shape = rows_shape(db, g->create);
    struct record_settings set = rows_settings(with_schemas);
    if (g->change != NULL)
        g->change(&set);
    unsigned n = 1;
    struct row_source src = {0};
    uint32_t row = 0;
    for (unsigned i = 0; i < n; i++) {
        struct golden expected = golden_streamed(g->name, with_schemas, g->topic, g->nth + i);
        if (!view_is(expected.value, "null"))
            src = golden_source(&expected, &row);
        struct rows_result r = rows_render(shape, &set, &src, g->op, row, g->before, g->after);
        if (!r.is_good)
            fail_msg("%s", r.why.text);
        n = r.row.n;
        check_record(g, &r, i, &expected);
        rows_result_fini(&r);
    }
    shape_free(&shape);
}

void rows_without_schemas(struct record_settings *set)
{
    (void)set;
}

void rows_check_golden(const struct rows_golden *g)
{
    if (g->change != rows_without_schemas)
        check_golden(g, true);
    check_golden(g, false);
}

void rows_check_field(const char *create, struct cell c, void (*change)(struct record_settings *set),
                      const char *expected)
{
    const struct shape *shape = rows_shape("db", create);
    struct record_settings set = rows_settings(true);
    if (change != NULL)
        change(&set);
    const struct cell cells[] = {rows_int(1), c};
    struct row_source src = {.snapshot = "false"};
    struct rows_result r = rows_render(shape, &set, &src, ROW_CREATE, 0, NULL, cells);
    if (!r.is_good)
        fail_msg("%s", r.why.text);
    struct view value = rows_value(&r, 0);
    if (memmem(value.p, value.n, expected, strlen(expected)) == NULL)
        fail_msg("no %s in %.*s", expected, VIEW_ARGS(value));
    rows_result_fini(&r);
    shape_free(&shape);
}
