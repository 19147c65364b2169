/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows and the records they cause: key changes, tombstones, what is skipped, what is lost.
 */
#include "binlog/change.h"
#include "record/loss.h"
#include "test/support/golden.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static const char kc[] = "create table kc (id int primary key, v varchar(9), n bigint)";

static struct row_source some_source(void)
{
    return (struct row_source){.file = view_of("binlog.000001"),
                               .pos = 4,
                               .server_id = 1,
                               .ts_us = 1790000000123456,
                               .now_ns = 1790000000200311902,
                               .snapshot = "false"};
}

static struct rows_result render(const char *create, const struct record_settings *set, enum row_op op,
                                 const struct cell *before, const struct cell *after)
{
    const struct shape *shape = rows_shape("db", create);
    struct row_source src = some_source();
    struct rows_result r = rows_render(shape, set, &src, op, 0, before, after);
    shape_free(&shape);
    return r;
}

static void check_text(struct view got, const char *expected)
{
    golden_check_equal(got, view_of(expected), "text");
}

/* ---- records of a row ---- */

static void key_change_is_delete_tombstone_create(void **state)
{
    (void)state;
    const struct cell before[] = {rows_int(2), rows_text("b"), rows_int(2)};
    const struct cell after[] = {rows_int(12), rows_text("b"), rows_int(2)};
    rows_check_golden(
        &(struct rows_golden){"31-key-change", "g.g_key_change.kc", 0, kc, ROW_UPDATE, before, after, NULL});
}

static void update_without_key_change_is_one_record(void **state)
{
    (void)state;
    const struct cell before[] = {rows_int(30), rows_text("moved"), rows_int(3)};
    const struct cell after[] = {rows_int(30), rows_text("same"), rows_int(3)};
    rows_check_golden(
        &(struct rows_golden){"31-key-change", "g.g_key_change.kc", 9, kc, ROW_UPDATE, before, after, NULL});
}

static void header_texts_keep_their_newlines(void **state)
{
    (void)state;
    const char create[] = "create table kc2 (a decimal(6,2) not null, b varchar(9) not null, v int, primary key (a,b))";
    const struct cell before[] = {rows_decimal("1.5", 2), rows_text("x \"q\""), rows_int(1)};
    const struct cell after[] = {rows_decimal("1.5", 2), rows_text("é\ny"), rows_int(2)};
    rows_check_golden(
        &(struct rows_golden){"31-key-change", "g.g_key_change.kc2", 0, create, ROW_UPDATE, before, after, NULL});
}

static void header_of_a_small_decimal_has_an_exponent(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    const char create[] = "create table t (k decimal(20,10) primary key)";
    const struct cell before[] = {rows_decimal("0.0000000123", 10)}, after[] = {rows_decimal("-0.0000012", 10)};
    struct rows_result r = render(create, &set, ROW_UPDATE, before, after);
    check_text(rows_header(&r, 0), "{\"k\":-0.0000012000}");
    check_text(rows_header(&r, 2), "{\"k\":1.23E-8}");
    rows_result_fini(&r);
}

static void header_of_astral_and_control_characters_is_raw(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    const struct cell before[] = {rows_text("\xf0\x9f\x90\xb3\x01\\")}, after[] = {rows_text("b")};
    struct rows_result r = render("create table t (`k\"` varchar(9) primary key)", &set, ROW_UPDATE, before, after);
    check_text(rows_header(&r, 2), "{\"k\\\"\":\"\xf0\x9f\x90\xb3\x01\\\\\"}");
    rows_result_fini(&r);
}

static void delete_of_a_table_without_key_has_a_tombstone_too(void **state)
{
    (void)state;
    const struct cell before[] = {rows_int(1), rows_text("u")};
    rows_check_golden(&(struct rows_golden){"29-keys", "g.g_keys.nokey", 3, "create table nokey (a int, b varchar(5))",
                                            ROW_DELETE, before, NULL, NULL});
}

static void tombstones_can_be_off(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    set.tombstones = false;
    const struct cell before[] = {rows_int(1), rows_null(), rows_null()},
                      after[] = {rows_int(2), rows_null(), rows_null()};
    struct rows_result r = render(kc, &set, ROW_DELETE, before, NULL);
    assert_int_equal(r.row.n, 1);
    rows_result_fini(&r);
    r = render(kc, &set, ROW_UPDATE, before, after);
    assert_int_equal(r.row.n, 2);
    assert_int_equal(r.row.records[1].header, CHANGE_HEADER_OLDKEY);
    rows_result_fini(&r);
}

static void key_of_a_unique_index_has_its_order(void **state)
{
    (void)state;
    const struct cell cells[] = {rows_int(2), rows_text("q"), rows_int(6), rows_null()};
    rows_check_golden(&(struct rows_golden){
        "29-keys", "g.g_keys.uq", 0,
        "create table uq (id int, u1 varchar(5) not null, u2 int not null, n int unique, unique key k2 (u2,u1), "
        "unique key k1 (u1))",
        ROW_CREATE, NULL, cells, NULL});
}

static unsigned listed_columns(void *ctx, const struct shape *s, uint16_t *columns, unsigned room)
{
    (void)ctx;
    assert_true(room >= 2);
    columns[0] = (uint16_t)shape_column(s, view_of("n"));
    columns[1] = (uint16_t)shape_column(s, view_of("id"));
    return 2;
}

static bool not_id(void *ctx, struct view db, struct view table, struct view column)
{
    (void)ctx;
    assert_true(view_is(db, "db") && view_is(table, "kc"));
    return !view_is(column, "id");
}

static void key_columns_can_be_listed_and_need_not_be_fields(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    set.key_columns = listed_columns;
    set.has_column = not_id;
    const struct cell cells[] = {rows_int(1), rows_text("a"), rows_int(7)};
    struct rows_result r = render(kc, &set, ROW_CREATE, NULL, cells);
    check_text(rows_key(&r, 0), "{\"n\":7,\"id\":1}");
    check_text(golden_member(rows_value(&r, 0), "after"), "{\"v\":\"a\",\"n\":7}");
    rows_result_fini(&r);
}

/* ---- skipping ---- */

static void skipped_operations_make_no_record_but_keys_for_windows(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    const struct cell before[] = {rows_int(1), rows_null(), rows_null()},
                      after[] = {rows_int(2), rows_null(), rows_null()};
    set.skipped_ops = SKIP_U;
    struct rows_result r = render(kc, &set, ROW_UPDATE, before, after);
    assert_int_equal(r.row.n, 0);
    assert_int_equal(r.row.before_key_bytes, 9);
    assert_int_equal(r.row.after_key_bytes, 9);
    rows_result_fini(&r);
    set.skipped_ops = SKIP_C | SKIP_D;
    r = render(kc, &set, ROW_UPDATE, before, after);
    assert_int_equal(r.row.n, 3);
    rows_result_fini(&r);
    r = render(kc, &set, ROW_READ, NULL, after);
    assert_int_equal(r.row.n, 1);
    rows_result_fini(&r);
}

static void unchanged_updates_can_be_skipped(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(true);
    set.has_column = not_id;
    const struct cell before[] = {rows_int(1), rows_text("a"), rows_null()},
                      after[] = {rows_int(1), rows_text("a"), rows_null()};
    struct rows_result r = render(kc, &set, ROW_UPDATE, before, after);
    assert_int_equal(r.row.n, 1);
    rows_result_fini(&r);
    set.skip_unchanged = true;
    r = render(kc, &set, ROW_UPDATE, before, after);
    assert_int_equal(r.row.n, 0);
    assert_int_equal(buf_size(&r.out), 18); /* the exact keys only */
    rows_result_fini(&r);
}

/* ---- what the rows of an event share ---- */

static void truncate_is_a_record_of_its_own(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    const struct shape *shape = rows_shape("shop", "create table orders (id int primary key)");
    struct fail why;
    struct plan *plan = plan_new(shape, &set, &why);
    struct row_source src = some_source();
    struct buf out;
    buf_init(&out);
    struct rendered_row row;
    render_truncate(plan, &src, &out, &row);
    assert_int_equal(row.n, 0); /* skipped by default */
    set.skipped_ops = 0;
    render_truncate(plan, &src, &out, &row);
    assert_int_equal(row.n, 1);
    assert_false(row.records[0].has_key);
    struct view value = {out.start + row.records[0].value_at, row.records[0].value_bytes};
    check_text(value, "{\"before\":null,\"after\":null,\"source\":{\"version\":\"3.6.1.Final\",\"connector\":\"mysql\","
                      "\"name\":\"g\",\"ts_ms\":1790000000123,\"snapshot\":\"false\",\"db\":\"shop\",\"sequence\":null,"
                      "\"ts_us\":1790000000123456,\"ts_ns\":1790000000123456000,\"table\":\"orders\",\"server_id\":1,"
                      "\"gtid\":null,\"file\":\"binlog.000001\",\"pos\":4,\"row\":0,\"thread\":null,\"query\":null},"
                      "\"transaction\":null,\"op\":\"t\",\"ts_ms\":1790000000200,\"ts_us\":1790000000200311,"
                      "\"ts_ns\":1790000000200311902}");
    plan_free(&plan);
    shape_free(&shape);
    buf_fini(&out);
}

static void transaction_orders_count_each_record(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    const struct shape *shape = rows_shape("db", kc);
    struct fail why;
    struct plan *plan = plan_new(shape, &set, &why);
    struct row_source src = some_source();
    src.transaction_id = view_of("u:23");
    src.total_order = 7;
    src.collection_order = 3;
    src.query = view_of("UPDATE kc SET v=\"x\"");
    struct render_event ev;
    render_event_init(&ev);
    render_event_begin(&ev, plan, &src);
    struct buf out;
    buf_init(&out);
    struct rendered_row row;
    const struct cell before[] = {rows_int(1), rows_null(), rows_null()},
                      after[] = {rows_int(2), rows_null(), rows_null()};
    assert_true(render_row(plan, &ev, ROW_UPDATE, 0, before, after, &out, &row, &why));
    assert_int_equal(row.n, 3);
    struct view last = {out.start + row.records[2].value_at, row.records[2].value_bytes};
    check_text(golden_member(last, "transaction"), "{\"id\":\"u:23\",\"total_order\":8,\"data_collection_order\":4}");
    check_text(golden_member(last, "query"), "\"UPDATE kc SET v=\\\"x\\\"\"");
    check_text(golden_member(last, "op"), "\"c\"");
    assert_int_equal(ev.total_order, 9);
    assert_int_equal(ev.collection_order, 5);
    buf_fini(&out);
    render_event_fini(&ev);
    plan_free(&plan);
    shape_free(&shape);
}

static void row_that_was_read_and_its_tail_make_a_whole_value(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(true);
    const struct shape *shape = rows_shape("db", kc);
    struct fail why;
    struct plan *plan = plan_new(shape, &set, &why);
    struct row_source src = some_source();
    struct render_event ev;
    render_event_init(&ev);
    render_event_begin(&ev, plan, &src);
    const struct cell cells[] = {rows_int(1), rows_text("a"), rows_int(7)};
    struct buf whole, pieces, value;
    buf_init(&whole);
    buf_init(&pieces);
    buf_init(&value);
    struct rendered_row row;
    struct rendered_read read;
    assert_true(render_row(plan, &ev, ROW_READ, 0, NULL, cells, &whole, &row, &why));
    assert_true(render_read(plan, cells, &pieces, &read, &why));
    assert_true(read.has_key);
    assert_int_equal(read.exact_bytes, row.after_key_bytes);
    assert_int_equal(read.key_bytes, row.records[0].key_bytes);
    buf_put(&value, pieces.start + read.value_at, read.value_bytes);
    render_read_tail(&ev, &value);
    golden_check_equal(buf_view(&value),
                       (struct view){whole.start + row.records[0].value_at, row.records[0].value_bytes}, "value");
    buf_fini(&value);
    buf_fini(&whole);
    buf_fini(&pieces);
    render_event_fini(&ev);
    plan_free(&plan);
    shape_free(&shape);
}

/* ---- loss ---- */

static void lost_values_stop_when_told_so(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    set.converting_failure = FAILURE_FAIL;
    const char create[] = "create table t (id int primary key, a date)";
    const struct cell cells[] = {rows_int(1), rows_date(2021, 2, 31)};
    struct rows_result r = render(create, &set, ROW_CREATE, NULL, cells);
    assert_false(r.is_good);
    assert_int_equal(r.why.kind, FAIL_STOP);
    assert_non_null(strstr(r.why.text, "db.t.a: 2021-02-31"));
    rows_result_fini(&r);
    set.converting_failure = FAILURE_SKIP;
    unsigned long before = loss_count();
    r = render(create, &set, ROW_CREATE, NULL, cells);
    assert_true(r.is_good);
    assert_int_equal(loss_count(), before + 1);
    rows_result_fini(&r);
}

static void null_in_a_required_column_is_lost(void **state)
{
    (void)state;
    rows_check_field("create table t (id int primary key, a int not null)", rows_null(), NULL, "\"a\":0}");
    rows_check_field("create table t (id int primary key, a int not null default 5)", rows_null(), NULL, "\"a\":5}");
}

static void absent_columns_are_refused(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    const struct cell cells[] = {rows_int(1), rows_null(), {.kind = CELL_ABSENT}};
    struct rows_result r = render(kc, &set, ROW_CREATE, NULL, cells);
    assert_false(r.is_good);
    assert_int_equal(r.why.kind, FAIL_REFUSE);
    rows_result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_change_is_delete_tombstone_create),
        cmocka_unit_test(update_without_key_change_is_one_record),
        cmocka_unit_test(header_texts_keep_their_newlines),
        cmocka_unit_test(header_of_a_small_decimal_has_an_exponent),
        cmocka_unit_test(header_of_astral_and_control_characters_is_raw),
        cmocka_unit_test(delete_of_a_table_without_key_has_a_tombstone_too),
        cmocka_unit_test(tombstones_can_be_off),
        cmocka_unit_test(key_of_a_unique_index_has_its_order),
        cmocka_unit_test(key_columns_can_be_listed_and_need_not_be_fields),
        cmocka_unit_test(skipped_operations_make_no_record_but_keys_for_windows),
        cmocka_unit_test(unchanged_updates_can_be_skipped),
        cmocka_unit_test(truncate_is_a_record_of_its_own),
        cmocka_unit_test(transaction_orders_count_each_record),
        cmocka_unit_test(row_that_was_read_and_its_tail_make_a_whole_value),
        cmocka_unit_test(lost_values_stop_when_told_so),
        cmocka_unit_test(null_in_a_required_column_is_lost),
        cmocka_unit_test(absent_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
