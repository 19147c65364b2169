/* SPDX-License-Identifier: Apache-2.0 */
/* shape_store: the version in force at a position, and what of it is kept for a restart. */
#include "base/clock.h"
#include "connector/shape_store.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define U "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#define V "ffffffff-71ca-11e1-9e33-c80aa9429562"
#define KEY "[\"n\",{\"server\":\"p\"},\"shop\",\"orders\"]"

/* A place with the memory behind it. */
struct spot {
    struct gtid_set gtids;
    struct log_position pos;
    struct shape_place place;
};

static struct spot *spot(const char *gtids, const char *file, uint64_t offset, const char *uuid)
{
    struct spot *s = mem_zero(1, sizeof *s);
    struct fail why;
    gtid_set_init(&s->gtids);
    if (gtids != NULL)
        assert_true(gtid_set_read(&s->gtids, view_of(gtids), &why));
    snprintf(s->pos.file, sizeof s->pos.file, "%s", file);
    s->pos.offset = offset;
    s->place = (struct shape_place){gtids == NULL ? NULL : &s->gtids, &s->pos, uuid};
    return s;
}

static void spot_free(struct spot *s)
{
    gtid_set_fini(&s->gtids);
    free(s);
}

static struct view db(void)
{
    return view_of("shop");
}

static struct view table(void)
{
    return view_of("orders");
}

static void append(struct shape_store *store, struct spot *at, const char *ddl)
{
    shape_store_append(store, db(), table(), &at->place, view_of(ddl));
    spot_free(at);
}

static void check_at(const struct shape_store *store, struct spot *at, enum shape_found expected, const char *ddl)
{
    const struct shape_version *v = NULL;
    assert_int_equal(shape_store_at(store, db(), table(), &at->place, &v), expected);
    if (expected == SHAPE_FOUND && ddl == NULL)
        assert_null(v->ddl);
    else if (expected == SHAPE_FOUND)
        assert_string_equal(v->ddl, ddl);
    spot_free(at);
}

static void check_prints(const struct shape_store *store, const char *expected)
{
    struct buf out;
    buf_init(&out);
    assert_int_equal(shape_store_print(store, db(), table(), &out), expected != NULL);
    buf_put_u8(&out, 0);
    if (expected != NULL)
        assert_string_equal((const char *)out.start, expected);
    buf_fini(&out);
}

static void load(struct shape_store *store, const char *key, const char *value)
{
    struct fail why;
    if (!shape_store_load(store, view_of(key), value != NULL, view_of(value), &why))
        fail_msg("%s", why.text);
}

static void shape_store_finds_the_version_in_force_by_position(void **state)
{
    (void)state;
    struct shape_store store;
    shape_store_init(&store, "n", "p");
    check_at(&store, spot(NULL, "b.1", 4, U), SHAPE_UNKNOWN, NULL);
    append(&store, spot(NULL, "b.9", 100, U), "one");
    append(&store, spot(NULL, "b.9", 200, U), "two");
    append(&store, spot(NULL, "b.10", 50, U), NULL);
    append(&store, spot(NULL, "b.10", 60, U), "four");
    check_at(&store, spot(NULL, "b.9", 99, U), SHAPE_TOO_OLD, NULL);
    check_at(&store, spot(NULL, "b.9", 100, U), SHAPE_FOUND, "one");
    check_at(&store, spot(NULL, "b.9", 199, U), SHAPE_FOUND, "one");
    check_at(&store, spot(NULL, "b.9", 5000, U), SHAPE_FOUND, "two");
    check_at(&store, spot(NULL, "b.10", 59, U), SHAPE_FOUND, NULL);
    check_at(&store, spot(NULL, "b.11", 4, U), SHAPE_FOUND, "four");
    check_at(&store, spot(NULL, "b.11", 4, V), SHAPE_INCOMPARABLE, NULL);
    check_at(&store, spot(NULL, "b.11", 4, ""), SHAPE_INCOMPARABLE, NULL);
    shape_store_fini(&store);
}

static void shape_store_finds_the_version_in_force_by_gtids_on_another_server(void **state)
{
    (void)state;
    struct shape_store store;
    shape_store_init(&store, "n", "p");
    append(&store, spot(U ":1-10", "b.9", 100, U), "one");
    append(&store, spot(U ":1-20", "b.9", 200, U), "two");
    check_at(&store, spot(U ":1-9", "x.1", 4, V), SHAPE_TOO_OLD, NULL);
    check_at(&store, spot(U ":1-10," V ":1-7", "x.1", 4, V), SHAPE_FOUND, "one");
    check_at(&store, spot(U ":1-19", "x.1", 4, V), SHAPE_FOUND, "one");
    check_at(&store, spot(U ":1-20", "x.1", 4, ""), SHAPE_FOUND, "two");
    /* a prepared XA transaction is out of the set, and yet the place lies behind both on their own server */
    check_at(&store, spot(U ":1-4:6-20", "b.9", 300, U), SHAPE_FOUND, "two");
    /* after a search by GTIDs the place is the start of the file */
    check_at(&store, spot(U ":1-25", "b.9", 4, U), SHAPE_FOUND, "two");
    check_at(&store, spot(U ":1-15", "b.9", 4, U), SHAPE_FOUND, "one");
    shape_store_fini(&store);
}

static void shape_store_append_replaces_what_an_abort_took_back(void **state)
{
    (void)state;
    struct shape_store store;
    shape_store_init(&store, "n", "p");
    append(&store, spot(U ":1-10", "b.9", 100, U), "one");
    append(&store, spot(U ":1-20", "b.9", 200, U), "two");
    append(&store, spot(U ":1-30", "b.9", 300, U), "three");
    append(&store, spot(U ":1-20", "b.9", 200, U), "two again");
    assert_int_equal(shape_store_find(&store, db(), table())->n, 2);
    check_at(&store, spot(U ":1-40", "b.9", 400, U), SHAPE_FOUND, "two again");
    append(&store, spot(U ":1-20", "b.9", 200, U), "once more");
    assert_int_equal(shape_store_find(&store, db(), table())->n, 2);
    shape_store_fini(&store);
}

static void shape_store_prints_what_it_loads(void **state)
{
    (void)state;
    static const char value[] =
        "{\"versions\":[{\"gtids\":\"" U ":1-10\",\"file\":\"b.9\",\"pos\":100,\"server_uuid\":\"" U
        "\",\"ddl\":\"CREATE TABLE `a\\\"b` (\\n  `c` int)\"},{\"file\":\"b.9\",\"pos\":200,"
        "\"server_uuid\":\"\",\"ddl\":null}]}";
    struct shape_store store;
    struct buf key;
    shape_store_init(&store, "n", "p");
    load(&store, KEY, value);
    load(&store, "[\"n\",{\"server\":\"other\"},\"shop\",\"orders\"]", "not for us");
    load(&store, "no key of ours at all", NULL);
    check_prints(&store, value);
    buf_init(&key);
    shape_store_print_key(&store, db(), table(), &key);
    buf_put_u8(&key, 0);
    assert_string_equal((const char *)key.start, KEY);
    buf_fini(&key);
    load(&store, KEY, NULL);
    check_prints(&store, NULL);
    assert_null(shape_store_find(&store, db(), table()));
    shape_store_fini(&store);
}

static void shape_store_refuses_malformed_values(void **state)
{
    (void)state;
    static const char *const values[] = {
        "",
        "[]",
        "{}",
        "{\"versions\":{}}",
        "{\"versions\":[]}",
        "{\"versions\":[1]}",
        "{\"versions\":[{\"file\":\"b.1\",\"pos\":4,\"server_uuid\":\"\"}]}",
        "{\"versions\":[{\"file\":\"b.1\",\"pos\":-4,\"server_uuid\":\"\",\"ddl\":null}]}",
        "{\"versions\":[{\"file\":4,\"pos\":4,\"server_uuid\":\"\",\"ddl\":null}]}",
        "{\"versions\":[{\"file\":\"b.1\",\"pos\":4,\"server_uuid\":\"\",\"ddl\":null,\"gtids\":\"x\"}]}",
        ("{\"versions\":[{\"file\":\"b.1\",\"pos\":4,\"server_uuid\":\"0123456789012345678901234567890123456789\","
         "\"ddl\":null}]}"),
    };
    struct shape_store store;
    shape_store_init(&store, "n", "p");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct fail why = {0};
        if (shape_store_load(&store, view_of(KEY), true, view_of(values[i]), &why))
            fail_msg("taken: %s", values[i]);
        assert_int_equal(why.kind, FAIL_STOP);
        assert_non_null(strstr(why.text, "shop.orders"));
    }
    shape_store_fini(&store);
}

static void shape_store_trims_what_the_server_no_longer_has(void **state)
{
    (void)state;
    struct shape_store store;
    shape_store_init(&store, "n", "p");
    append(&store, spot(U ":1-10", "b.9", 100, U), "one");
    append(&store, spot(U ":1-20", "b.9", 200, U), "two");
    append(&store, spot(U ":1-30", "b.10", 300, U), NULL);
    struct spot *oldest = spot(U ":1-5", "b.9", 4, U);
    assert_false(shape_store_trim(&store, db(), table(), &oldest->place));
    spot_free(oldest);
    oldest = spot(U ":1-25", "b.10", 4, U);
    assert_true(shape_store_trim(&store, db(), table(), &oldest->place));
    assert_false(shape_store_trim(&store, db(), table(), &oldest->place));
    spot_free(oldest);
    assert_int_equal(shape_store_find(&store, db(), table())->n, 2);
    oldest = spot(U ":1-35", "b.11", 4, U);
    assert_true(shape_store_trim(&store, db(), table(), &oldest->place));
    spot_free(oldest);
    check_prints(&store, NULL);
    shape_store_fini(&store);
}

static void print_table(struct buf *key, struct buf *value, int number)
{
    buf_clear(key);
    buf_clear(value);
    buf_printf(key, "[\"n\",{\"server\":\"p\"},\"shop\",\"table_%d\"]", number);
    buf_put_literal(value, "{\"versions\":[{\"gtids\":\"");
    for (int i = 0; i < 40; i++)
        buf_printf(value, "%s%08d-71ca-11e1-9e33-c80aa9429562:1-5:7-9:11-%d", i > 0 ? "," : "", i, 1000 + i);
    buf_put_literal(value, "\",\"file\":\"b.9\",\"pos\":100,\"server_uuid\":\"" U "\",\"ddl\":\"CREATE TABLE `t` (");
    for (int i = 0; i < 30; i++)
        buf_printf(value, "\\n  `column_%d` varchar(255) COLLATE utf8mb4_general_ci DEFAULT NULL,", i);
    buf_put_literal(value, "\\n  PRIMARY KEY (`column_0`))\"}]}");
}

/* Of processor time, under sanitizers too; an optimised build takes some 50 ms. */
static void shape_store_loads_5000_tables_in_little_time(void **state)
{
    (void)state;
    struct shape_store store;
    struct buf key, value;
    struct fail why;
    clock_t taken = 0;
    shape_store_init(&store, "n", "p");
    buf_init(&key);
    buf_init(&value);
    for (int i = 0; i < 5000; i++) {
        print_table(&key, &value, i);
        clock_t started = clock();
        assert_true(shape_store_load(&store, buf_view(&key), true, buf_view(&value), &why));
        taken += clock() - started;
    }
    assert_int_equal(store.tables.n, 5000);
    print_message("5000 tables of %zu bytes in %ld ms\n", buf_size(&value), (long)(taken * 1000 / CLOCKS_PER_SEC));
    assert_true(taken < 3 * CLOCKS_PER_SEC);
    buf_fini(&key);
    buf_fini(&value);
    shape_store_fini(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_store_finds_the_version_in_force_by_position),
        cmocka_unit_test(shape_store_finds_the_version_in_force_by_gtids_on_another_server),
        cmocka_unit_test(shape_store_append_replaces_what_an_abort_took_back),
        cmocka_unit_test(shape_store_prints_what_it_loads),
        cmocka_unit_test(shape_store_refuses_malformed_values),
        cmocka_unit_test(shape_store_trims_what_the_server_no_longer_has),
        cmocka_unit_test(shape_store_loads_5000_tables_in_little_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
