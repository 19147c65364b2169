/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that are no rows, against those that Debezium 3.6.1 emitted.
 */
#include "binlog/ddl.h"
#include "record/notice.h"
#include "test/support/golden.h"
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

struct halves {
    struct buf key, value;
};

static struct halves halves_new(void)
{
    struct halves h;
    buf_init(&h.key);
    buf_init(&h.value);
    return h;
}

static void check_halves(struct halves *h, const struct golden *expected)
{
    golden_check_equal(buf_view(&h->key), expected->key, "key");
    golden_check_equal(buf_view(&h->value), expected->value, "value");
    buf_fini(&h->key);
    buf_fini(&h->value);
}

/* ---- schema changes ---- */

/* A string member, unescaped. */
static struct view text_member(struct view json, const char *name, struct buf *out)
{
    struct view text = golden_member(json, name);
    buf_clear(out);
    for (size_t i = 1; i + 1 < text.n; i++) {
        if (text.p[i] == '\\')
            i++;
        buf_put_u8(out, text.p[i]);
    }
    return buf_view(out);
}

static enum notice_change change_of(const struct ddl_effect *e)
{
    return e->kind == DDL_CREATE ? NOTICE_CREATE : e->kind == DDL_DROP ? NOTICE_DROP : NOTICE_ALTER;
}

/* The golden record's own statement is read, and its record compared with the golden one. */
static void check_statement(struct catalog *cat, bool with_schemas, const struct golden *expected)
{
    struct buf sql;
    buf_init(&sql);
    struct ddl_result result;
    ddl_result_init(&result);
    struct ddl_context ctx = {.db = view_of("g_ddl_alter")};
    struct fail why = {0};
    if (!ddl_apply(cat, &ctx, text_member(expected->value, "ddl", &sql), &result, &why))
        fail_msg("%s", why.text);
    assert_int_equal(result.n_effects, 1);
    const struct ddl_effect *e = &result.effects[0];
    uint32_t row;
    struct row_source src = golden_source(expected, &row);
    struct record_settings set = rows_settings(with_schemas);
    struct halves h = halves_new();
    notice_put_schema_change(&set,
                             &(struct notice_schema_change){.src = &src,
                                                            .db = e->db,
                                                            .tables = e->table,
                                                            .ddl = buf_view(&sql),
                                                            .change = change_of(e),
                                                            .change_db = e->db,
                                                            .change_table = e->table,
                                                            .shape = e->shape},
                             &h.key, &h.value);
    check_halves(&h, expected);
    ddl_result_fini(&result);
    buf_fini(&sql);
}

static bool is_index_statement(const struct golden *g)
{
    return memmem(g->value.p, g->value.n, "\"tableChanges\":[]", 17) != NULL;
}

static void check_history(bool with_schemas)
{
    enum { STATEMENTS = 19 };
    struct catalog cat;
    catalog_init(&cat, 0);
    catalog_put(&cat, rows_shape("g_ddl_alter", "create table al (id int primary key, a int, b varchar(10)) "
                                                "default charset=utf8mb4"));
    for (unsigned i = 0; i < STATEMENTS; i++) {
        struct golden expected = golden_streamed("36-ddl-alter", with_schemas, "g", i);
        if (!is_index_statement(&expected))
            check_statement(&cat, with_schemas, &expected);
    }
    catalog_fini(&cat);
}

static void each_alter_of_a_history_has_its_record(void **state)
{
    (void)state;
    check_history(true);
    check_history(false);
}

static void statement_without_a_change_has_an_empty_list(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    struct row_source src = {.file = view_of("f"), .snapshot = "false", .query = view_of("not told")};
    struct halves h = halves_new();
    notice_put_schema_change(
        &set,
        &(struct notice_schema_change){.src = &src, .db = view_of("a\"b"), .ddl = view_of("create index i on t (a)")},
        &h.key, &h.value);
    const struct golden expected = {
        .key = view_of("{\"databaseName\":\"a\\\"b\"}"),
        .value = view_of("{\"source\":{\"version\":\"3.6.1.Final\",\"connector\":\"mysql\",\"name\":\"g\",\"ts_ms\":0,"
                         "\"snapshot\":\"false\",\"db\":\"a\\\"b\",\"sequence\":null,\"ts_us\":0,\"ts_ns\":0,"
                         "\"table\":null,\"server_id\":0,\"gtid\":null,\"file\":\"f\",\"pos\":0,\"row\":0,"
                         "\"thread\":null,\"query\":null},\"ts_ms\":0,\"databaseName\":\"a\\\"b\",\"schemaName\":null,"
                         "\"ddl\":\"create index i on t (a)\",\"tableChanges\":[]}")};
    check_halves(&h, &expected);
}

static void dropped_table_has_no_description(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    struct row_source src = {.file = view_of("f"), .snapshot = "true"};
    struct halves h = halves_new();
    notice_put_schema_change(&set,
                             &(struct notice_schema_change){.src = &src,
                                                            .db = view_of("d"),
                                                            .tables = view_of("t\"u"),
                                                            .ddl = view_of("DROP TABLE `d`.`t\"u`"),
                                                            .change = NOTICE_DROP,
                                                            .change_db = view_of("d"),
                                                            .change_table = view_of("t\"u")},
                             &h.key, &h.value);
    golden_check_equal(golden_member(buf_view(&h.value), "tableChanges"),
                       view_of("[{\"type\":\"DROP\",\"id\":\"\\\"d\\\".\\\"t\\\"\\\"u\\\"\",\"table\":null}]"),
                       "change");
    buf_fini(&h.key);
    buf_fini(&h.value);
}

/* ---- the others ---- */

static void transaction_has_begin_and_end(void **state)
{
    (void)state;
    for (int with_schemas = 0; with_schemas <= 1; with_schemas++) {
        struct record_settings set = rows_settings(with_schemas != 0);
        for (unsigned i = 0; i < 2; i++) {
            struct golden expected = golden_streamed("51-tx-metadata", with_schemas != 0, "g.transaction", i);
            struct buf id;
            buf_init(&id);
            struct view payload = golden_member(expected.value, "payload");
            struct view whole = payload.n > 0 ? payload : expected.value;
            text_member(whole, "id", &id);
            int64_t ts_ms = golden_source(&expected, &(uint32_t){0}).now_ns / 1000000;
            struct halves h = halves_new();
            const struct notice_collection one = {view_of("g_tx_metadata"), view_of("a"), 1};
            if (i == 0)
                notice_put_transaction_begin(&set, buf_view(&id), ts_ms, &h.key, &h.value);
            else
                notice_put_transaction_end(&set, buf_view(&id), ts_ms, 1, &one, 1, &h.key, &h.value);
            check_halves(&h, &expected);
            buf_fini(&id);
        }
    }
}

static void heartbeat_has_the_clock(void **state)
{
    (void)state;
    for (int with_schemas = 0; with_schemas <= 1; with_schemas++) {
        struct record_settings set = rows_settings(with_schemas != 0);
        struct golden expected = golden_streamed("53-heartbeat", with_schemas != 0, "__debezium-heartbeat.g", 0);
        struct halves h = halves_new();
        notice_put_heartbeat(&set, golden_source(&expected, &(uint32_t){0}).now_ns / 1000000, &h.key, &h.value);
        check_halves(&h, &expected);
    }
}

static void notification_has_its_facts(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(false);
    struct halves h = halves_new();
    const struct notice_fact facts[] = {{"connector_name", view_of("g")}, {"data_collections", view_of("d.t1,d.t2")}};
    const struct notice_notification note = {view_of("inc-1"), "STARTED", "Incremental Snapshot", facts, 2,
                                             1796053942955};
    notice_put_notification(&set, &note, &h.key, &h.value);
    const struct golden expected = {
        .key = view_of("{\"id\":\"inc-1\"}"),
        .value = view_of("{\"id\":\"inc-1\",\"type\":\"STARTED\",\"aggregate_type\":\"Incremental Snapshot\","
                         "\"additional_data\":{\"connector_name\":\"g\",\"data_collections\":\"d.t1,d.t2\"},"
                         "\"timestamp\":1796053942955}")};
    check_halves(&h, &expected);
}

static void notification_has_the_schema_of_the_reference(void **state)
{
    (void)state;
    struct record_settings set = rows_settings(true);
    struct golden expected = golden_streamed("54-incremental-signal", true, "g.notes", 0);
    struct halves h = halves_new();
    const struct notice_notification note = {view_of("x"), "STARTED", "Initial Snapshot", NULL, 0, 1};
    notice_put_notification(&set, &note, &h.key, &h.value);
    struct view got = golden_member(buf_view(&h.value), "schema");
    golden_check_equal(got, golden_member(expected.value, "schema"), "schema");
    golden_check_equal(golden_member(buf_view(&h.key), "schema"), golden_member(expected.key, "schema"), "key schema");
    assert_true(view_is(golden_member(golden_member(buf_view(&h.value), "payload"), "additional_data"), "null"));
    buf_fini(&h.key);
    buf_fini(&h.value);
}

static void check_told(struct view names, size_t bytes, size_t left_out)
{
    size_t got;
    struct view told = notice_names_told(names, &got);
    assert_ptr_equal(told.p, names.p);
    assert_int_equal(told.n, bytes);
    assert_int_equal(got, left_out);
}

static void notification_tells_as_many_names_as_there_is_room_for(void **state)
{
    (void)state;
    struct buf names;
    buf_init(&names);
    check_told(VIEW_NONE, 0, 0);
    buf_put_literal(&names, "d.t");
    while (buf_size(&names) + 4 <= NOTICE_NAMES_BYTES)
        buf_put_literal(&names, ",d.t");
    size_t whole = buf_size(&names);
    check_told(buf_view(&names), whole, 0);
    buf_put_literal(&names, ",d.u");
    check_told(buf_view(&names), whole, 1);
    buf_put_literal(&names, ",d.v,d.w");
    check_told(buf_view(&names), whole, 3);
    buf_fini(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_alter_of_a_history_has_its_record),
        cmocka_unit_test(statement_without_a_change_has_an_empty_list),
        cmocka_unit_test(dropped_table_has_no_description),
        cmocka_unit_test(transaction_has_begin_and_end),
        cmocka_unit_test(heartbeat_has_the_clock),
        cmocka_unit_test(notification_has_its_facts),
        cmocka_unit_test(notification_has_the_schema_of_the_reference),
        cmocka_unit_test(notification_tells_as_many_names_as_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
