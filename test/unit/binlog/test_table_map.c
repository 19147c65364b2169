/* SPDX-License-Identifier: Apache-2.0 */
/* Table maps with MINIMAL and FULL metadata, and what a definition must have in common with them. */
#include "binlog/table_map.h"
#include "binlog/value.h"
#include "test/support/captured.h"
#include "test/support/shapes.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct table_map read_map(struct captured *cap, const char *file, size_t which, struct arena *a)
{
    struct table_map tm;
    struct fail why = {0};
    captured_load(cap, file);
    struct event ev = captured_event(cap, EVENT_TABLE_MAP, which);
    if (!table_map_read(&tm, ev.body, a, &why))
        fail_msg("%s", why.text);
    memset((uint8_t *)ev.body.p, 0xee, ev.body.n); /* nothing may lend the event */
    return tm;
}

static const struct table_map_column *column(const struct table_map *tm, const char *name)
{
    for (uint32_t i = 0; i < tm->n_columns; i++)
        if (view_is(tm->columns[i].name, name))
            return &tm->columns[i];
    fail_msg("no column %s", name);
    return NULL;
}

static void table_map_tells_types_and_signs(void **state)
{
    (void)state;
    struct captured cap;
    struct arena a;
    arena_init(&a);
    struct table_map tm = read_map(&cap, "types", 0, &a);
    assert_true(view_is(tm.db, "shop"));
    assert_true(view_is(tm.table, "types"));
    assert_int_equal(tm.n_columns, 52);
    assert_int_equal(tm.flags, 1);
    assert_true(tm.id > 0);
    assert_true(tm.has_signedness && tm.has_collations && tm.has_geometry && tm.has_dimensions);
    assert_false(tm.has_names || tm.has_key || tm.has_enum_members || tm.has_set_members || tm.has_visibility ||
                 tm.has_member_collations);
    assert_int_equal(tm.columns[0].real, WIRE_LONG);
    assert_false(tm.columns[0].is_nullable);
    assert_true(tm.columns[1].is_nullable);
    assert_false(tm.columns[1].is_unsigned);
    assert_true(tm.columns[2].is_unsigned);
    assert_true(tm.columns[9].is_unsigned);
    assert_int_equal(tm.columns[40].wire, WIRE_STRING);
    assert_int_equal(tm.columns[40].real, WIRE_ENUM);
    assert_int_equal(tm.columns[41].real, WIRE_SET);
    arena_fini(&a);
    captured_free(&cap);
}

static void table_map_of_full_metadata_tells_all(void **state)
{
    (void)state;
    struct captured cap;
    struct arena a;
    arena_init(&a);
    struct table_map tm = read_map(&cap, "types_full", 0, &a);
    assert_true(tm.has_names && tm.has_key && tm.has_enum_members && tm.has_set_members && tm.has_visibility &&
                tm.has_member_collations);
    assert_int_equal(column(&tm, "vc")->collation, 8);
    assert_int_equal(column(&tm, "c")->collation, 255);
    assert_int_equal(column(&tm, "tx")->collation, 13);
    assert_int_equal(column(&tm, "bi")->collation, 63);
    assert_int_equal(column(&tm, "lb")->collation, 63);
    assert_int_equal(column(&tm, "gs")->collation, 255); /* behind VECTOR, which counts */
    assert_int_equal(column(&tm, "ve")->collation, 63);
    assert_int_equal(column(&tm, "ve")->dimension, 3);
    assert_int_equal(column(&tm, "pt")->geometry, GEOMETRY_POINT);
    assert_int_equal(column(&tm, "ge")->geometry, GEOMETRY_ANY);
    assert_int_equal(column(&tm, "en")->collation, 8);
    assert_int_equal(column(&tm, "se")->collation, 255);
    assert_int_equal(column(&tm, "en")->n_members, 3);
    assert_true(view_is(column(&tm, "en")->members[1], "gr\xf6\xdf"
                                                       "er"));
    assert_true(view_is(column(&tm, "se")->members[2], "\xc3\x9f"));
    assert_true(column(&tm, "y")->is_unsigned);
    assert_true(column(&tm, "deu")->is_unsigned);
    assert_true(column(&tm, "fu")->is_unsigned);
    assert_false(column(&tm, "de")->is_unsigned);
    assert_false(column(&tm, "hid")->is_visible);
    assert_true(column(&tm, "nn")->is_visible);
    assert_int_equal(tm.n_key, 1);
    assert_int_equal(tm.key[0].column, 0);
    arena_fini(&a);
    captured_free(&cap);
}

static void table_map_tells_key_parts_with_prefixes(void **state)
{
    (void)state;
    struct captured cap;
    struct arena a;
    arena_init(&a);
    struct table_map tm = read_map(&cap, "types_full", 4, &a);
    assert_true(view_is(tm.table, "prefixed"));
    assert_int_equal(tm.n_key, 2);
    assert_int_equal(tm.key[0].column, 1);
    assert_int_equal(tm.key[0].prefix, 7);
    assert_int_equal(tm.key[1].column, 0);
    assert_int_equal(tm.key[1].prefix, 0);
    captured_free(&cap);

    tm = read_map(&cap, "types_full", 5, &a);
    assert_true(view_is(tm.table, "keyless"));
    assert_false(tm.has_key);
    assert_int_equal(column(&tm, "a")->collation, 8); /* a default and an exception */
    assert_int_equal(column(&tm, "b")->collation, 8);
    assert_int_equal(column(&tm, "c")->collation, 46);
    assert_int_equal(column(&tm, "e1")->collation, 11);
    assert_int_equal(column(&tm, "e2")->collation, 11);
    assert_int_equal(column(&tm, "e3")->collation, 255);
    arena_fini(&a);
    captured_free(&cap);
}

static void table_map_refuses_every_cut(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "types_full");
    struct view body = captured_event(&cap, EVENT_TABLE_MAP, 0).body;
    size_t n_taken = 0;
    for (size_t n = 0; n < body.n; n++) {
        struct arena a;
        struct table_map tm;
        struct fail why;
        arena_init(&a);
        uint8_t *cut = malloc(n == 0 ? 1 : n);
        memcpy(cut, body.p, n);
        n_taken += table_map_read(&tm, (struct view){cut, n}, &a, &why);
        free(cut);
        arena_fini(&a);
    }
    assert_int_equal(n_taken, 10); /* between two metadata fields it looks whole: FULL has ten */
    captured_free(&cap);
}

static void table_map_of_a_server_without_metadata_is_read(void **state)
{
    (void)state;
    struct buf body;
    struct arena a;
    struct table_map tm;
    struct fail why;
    buf_init(&body);
    arena_init(&a);
    captured_hex("6f0000000000 0100 0473686f7000 017400 03 030f0c 02 2c01 06",
                 &body); /* INT, VARCHAR(300), DATETIME of 5.5 */
    assert_true(table_map_read(&tm, buf_view(&body), &a, &why));
    assert_int_equal(tm.id, 0x6f);
    assert_int_equal(tm.n_columns, 3);
    assert_int_equal(tm.columns[1].meta, 300);
    assert_false(tm.columns[0].is_nullable);
    assert_true(tm.columns[2].is_nullable);
    assert_false(tm.has_signedness || tm.has_collations);
    captured_hex("63 02 0102", &body); /* a field of the future */
    assert_true(table_map_read(&tm, buf_view(&body), &a, &why));
    captured_hex("01 02 8000", &body); /* signs of nine columns and more, where there is one */
    assert_false(table_map_read(&tm, buf_view(&body), &a, &why));
    arena_fini(&a);
    buf_fini(&body);
}

static void table_map_id_is_told_without_reading_more(void **state)
{
    (void)state;
    uint64_t id = 0;
    assert_true(table_map_peek_id((struct view){(const uint8_t *)"\1\0\0\0\0\2", 6}, &id));
    assert_int_equal(id, UINT64_C(0x20000000001));
    assert_false(table_map_peek_id((struct view){(const uint8_t *)"\1\0\0\0\0", 5}, &id));
}

/* ---- the check ---- */

static struct column *of(struct shape *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (view_is(s->columns[i].name, name))
            return &s->columns[i];
    fail_msg("no column %s", name);
    return NULL;
}

static void shape_of_the_table_fits_both_metadata(void **state)
{
    (void)state;
    const char *files[] = {"types", "types_full"};
    for (int f = 0; f < 2; f++) {
        struct captured cap;
        struct arena a;
        struct fail why = {0};
        arena_init(&a);
        struct table_map tm = read_map(&cap, files[f], 0, &a);
        if (!table_map_check(&tm, shapes_types(&a), &why))
            fail_msg("%s", why.text);
        arena_fini(&a);
        captured_free(&cap);
    }
}

static void make_int(struct shape *s)
{
    of(s, "t")->kind = COLUMN_SMALLINT;
}
static void change_length(struct shape *s)
{
    of(s, "vc")->length = 41;
}
static void change_char_length(struct shape *s)
{
    of(s, "c300")->length = 201;
}
static void change_scale(struct shape *s)
{
    of(s, "de")->scale = 2;
}
static void change_precision(struct shape *s)
{
    of(s, "de")->length = 13;
}
static void change_fraction(struct shape *s)
{
    of(s, "ti3")->fsp = 2;
}
static void change_blob(struct shape *s)
{
    of(s, "mb")->blob_bytes = 4;
}
static void change_bits(struct shape *s)
{
    of(s, "bit13")->length = 12;
}
static void forbid_null(struct shape *s)
{
    of(s, "js")->is_nullable = false;
}
static void allow_null(struct shape *s)
{
    of(s, "nn")->is_nullable = true;
}
static void change_sign(struct shape *s)
{
    of(s, "bu")->is_unsigned = false;
}
static void change_decimal_sign(struct shape *s)
{
    of(s, "deu")->is_unsigned = false;
}
static void change_charset(struct shape *s)
{
    of(s, "tx")->charset = charset_find(view_of("latin1"));
}
static void make_binary(struct shape *s)
{
    of(s, "tt")->kind = COLUMN_BLOB;
    of(s, "tt")->charset = NULL;
}
static void change_geometry(struct shape *s)
{
    of(s, "pt")->geometry = GEOMETRY_ANY;
}
static void change_dimension(struct shape *s)
{
    of(s, "ve")->length = 4;
}
static void drop_last(struct shape *s)
{
    s->n_columns--;
}
static void rename_column(struct shape *s)
{
    of(s, "su")->name = view_of("SU");
}
static void change_member(struct shape *s)
{
    of(s, "en")->members[1] = view_of("groesser");
}
static void drop_member(struct shape *s)
{
    of(s, "se")->n_members = 2;
}
static void change_enum_charset(struct shape *s)
{
    of(s, "en")->charset = charset_find(view_of("utf8mb4"));
}
static void make_visible(struct shape *s)
{
    of(s, "hid")->is_invisible = false;
}
static void change_key(struct shape *s)
{
    s->key[0] = 1;
}

static void shape_that_differs_is_refused_with_both_sides(void **state)
{
    (void)state;
    static const struct {
        void (*change)(struct shape *s);
        bool full_only;
        const char *says;
    } changes[] = {
        {make_int, false, "column 2 (t): the type is TINYINT (wire type 1, metadata 0) in the log and SMALLINT in"},
        {change_length, false, "and VARCHAR(41) of latin1 in"},
        {change_char_length, false, "CHAR(201) of utf8mb4"},
        {change_scale, false, "DECIMAL(12,2)"},
        {change_precision, false, "DECIMAL(13,3)"},
        {change_fraction, false, "TIME(2)"},
        {change_blob, false, "BLOB (wire type 252, metadata 3) in the log and BLOB with 4 bytes of length in"},
        {change_bits, false, "BIT(12)"},
        {forbid_null, false, "NULL is allowed in the log and not allowed in"},
        {allow_null, false, "NULL is not allowed in the log and allowed in"},
        {change_sign, false, "the sign is UNSIGNED in the log and signed in"},
        {change_decimal_sign, false, "the sign is UNSIGNED"},
        {change_charset, false, "the character set is sjis in the log and latin1 in"},
        {make_binary, false, "the character set is utf8mb4 in the log and binary in"},
        {change_geometry, false, "the kind of geometry is 1 in the log and 0 in"},
        {change_dimension, false, "the dimension is 3 in the log and 4 in"},
        {drop_last, false, "table shop.types has 52 columns in the log and 51 in"},
        {rename_column, true, "the name is \"su\" in the log and \"SU\" in"},
        {change_member, true,
         "member 2 is \"gr\xc3\xb6\xc3\x9f"
         "er\" in the log and \"groesser\" in"},
        {drop_member, true, "the number of members is 3 in the log and 2 in"},
        {change_enum_charset, true, "the character set is latin1 in the log and utf8mb4 in"},
        {make_visible, true, "visibility is INVISIBLE in the log and VISIBLE in"},
        {change_key, true, "the primary key is (id) in the log"},
    };
    const char *files[] = {"types", "types_full"};
    for (int f = 0; f < 2; f++) {
        struct captured cap;
        struct arena a;
        arena_init(&a);
        struct table_map tm = read_map(&cap, files[f], 0, &a);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            struct shape *s = shapes_types(&a);
            struct fail why = {0};
            changes[i].change(s);
            bool is_seen = !table_map_check(&tm, s, &why);
            if (is_seen != (f == 1 || !changes[i].full_only))
                fail_msg("%s, change %zu: %s", files[f], i, is_seen ? why.text : "not seen");
            if (!is_seen)
                continue;
            assert_int_equal(why.kind, FAIL_STOP);
            assert_int_equal(why.area, FAIL_AREA_DATA);
            if (strstr(why.text, changes[i].says) == NULL)
                fail_msg("%s", why.text);
        }
        arena_fini(&a);
        captured_free(&cap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_map_tells_types_and_signs),
        cmocka_unit_test(table_map_of_full_metadata_tells_all),
        cmocka_unit_test(table_map_tells_key_parts_with_prefixes),
        cmocka_unit_test(table_map_refuses_every_cut),
        cmocka_unit_test(table_map_of_a_server_without_metadata_is_read),
        cmocka_unit_test(table_map_id_is_told_without_reading_more),
        cmocka_unit_test(shape_of_the_table_fits_both_metadata),
        cmocka_unit_test(shape_that_differs_is_refused_with_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
