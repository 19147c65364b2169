/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of all types but dates and times, against records that Debezium 3.6.1 emitted.
 */
#include "test/support/rows.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- numbers ---- */

static const char ints[] =
    "create table ints (id int primary key, t tinyint, tu tinyint unsigned, tz tinyint(3) zerofill, t1 tinyint(1), "
    "s smallint, su smallint unsigned, sz smallint(5) zerofill, m mediumint, mu mediumint unsigned, "
    "mz mediumint(8) zerofill, i int, iu int unsigned, iz int(10) zerofill, b bigint, bu bigint unsigned, "
    "bz bigint(20) zerofill, must int not null)";

static void check_ints(unsigned nth, const struct cell *cells)
{
    rows_check_golden(
        &(struct rows_golden){"01-int-types", "g.g_int_types.ints", nth, ints, ROW_CREATE, NULL, cells, NULL});
}

static void integers_keep_their_range_and_sign(void **state)
{
    (void)state;
    const struct cell lowest[] = {
        rows_int(11), rows_int(-128), rows_uint(0),        rows_uint(0), rows_int(-128), rows_int(-32768),
        rows_uint(0), rows_uint(0),   rows_int(-8388608),  rows_uint(0), rows_uint(0),   rows_int(INT32_MIN),
        rows_uint(0), rows_uint(0),   rows_int(INT64_MIN), rows_uint(0), rows_uint(0),   rows_int(-1)};
    check_ints(0, lowest);
    const struct cell highest[] = {rows_int(12),          rows_int(127),         rows_uint(255),
                                   rows_uint(255),        rows_int(127),         rows_int(32767),
                                   rows_uint(65535),      rows_uint(65535),      rows_int(8388607),
                                   rows_uint(16777215),   rows_uint(16777215),   rows_int(INT32_MAX),
                                   rows_uint(UINT32_MAX), rows_uint(UINT32_MAX), rows_int(INT64_MAX),
                                   rows_uint(UINT64_MAX), rows_uint(UINT64_MAX), rows_int(0)};
    check_ints(1, highest);
}

static void nulls_are_null(void **state)
{
    (void)state;
    struct cell cells[18] = {rows_int(13)};
    for (unsigned i = 1; i < 17; i++)
        cells[i] = rows_null();
    cells[17] = rows_int(1);
    check_ints(2, cells);
}

static const char decimals[] =
    "create table dec_t (id int primary key, a decimal, b decimal(5,2), c decimal(10,0), d decimal(65,30), "
    "e decimal(65,0), f decimal(1,1), g numeric(18,9) unsigned, h decimal(9,3) unsigned, i decimal(4,2) not null)";

#define NINES_35 "99999999999999999999999999999999999"
#define NINES_30 "999999999999999999999999999999"

static void decimals_are_unscaled_bytes(void **state)
{
    (void)state;
    const struct cell cells[] = {rows_int(11),
                                 rows_decimal("-9999999999", 0),
                                 rows_decimal("-999.99", 2),
                                 rows_decimal("-1", 0),
                                 rows_decimal("-" NINES_35 "." NINES_30, 30),
                                 rows_decimal("-" NINES_35 NINES_30, 0),
                                 rows_decimal("-0.9", 1),
                                 rows_decimal("0.000000001", 9),
                                 rows_decimal("1.5", 3),
                                 rows_decimal("0", 2)};
    rows_check_golden(&(struct rows_golden){"02-decimal-precise", "g.g_decimal_precise.dec_t", 0, decimals, ROW_CREATE,
                                            NULL, cells, NULL});
}

static void decimal_key_stands_as_a_number_in_headers(void **state)
{
    (void)state;
    const struct cell before[] = {rows_decimal("1.50", 2), rows_decimal("7", 0), rows_int(1)};
    const struct cell after[] = {rows_decimal("2.50", 2), rows_decimal("7", 0), rows_int(1)};
    rows_check_golden(&(struct rows_golden){
        "02-decimal-precise", "g.g_decimal_precise.dec_k", 2,
        "create table dec_k (p decimal(10,2) not null, q decimal(6,0) not null, v int, primary key (p,q))", ROW_UPDATE,
        before, after, NULL});
}

static void set_decimal_double(struct record_settings *set)
{
    set->decimal_mode = DECIMAL_DOUBLE;
}

static void set_decimal_string(struct record_settings *set)
{
    set->decimal_mode = DECIMAL_STRING;
}

static void set_bigint_precise(struct record_settings *set)
{
    set->bigint_mode = BIGINT_PRECISE;
}

static void decimal_modes_change_type_and_text(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a decimal(30,10))";
    rows_check_field(create, rows_decimal("0.0000000001", 10), set_decimal_string, "\"a\":\"0.0000000001\"");
    rows_check_field(create, rows_decimal("-123.45", 10), set_decimal_string, "\"a\":\"-123.4500000000\"");
    rows_check_field(create, rows_decimal("1", 10), set_decimal_string,
                     "{\"type\":\"string\",\"optional\":true,\"field\":\"a\"}");
    rows_check_field(create, rows_decimal("-123.45", 10), set_decimal_double, "\"a\":-123.45}");
    rows_check_field(create, rows_decimal("1", 10), set_decimal_double,
                     "{\"type\":\"double\",\"optional\":true,\"field\":\"a\"}");
}

static void unsigned_bigint_is_exact_in_precise_mode(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a bigint unsigned not null)";
    rows_check_field(create, rows_uint(UINT64_MAX), set_bigint_precise, "\"a\":\"AP//////////\"");
    rows_check_field(
        create, rows_uint(1), set_bigint_precise,
        "{\"type\":\"bytes\",\"optional\":false,\"name\":\"org.apache.kafka.connect.data.Decimal\","
        "\"version\":1,\"parameters\":{\"scale\":\"0\",\"connect.decimal.precision\":\"20\"},\"field\":\"a\"}");
}

static void float_with_scale_is_the_widened_single(void **state)
{
    (void)state;
    rows_check_field("create table t (id int primary key, a float(7,2))", rows_float(1.1F), NULL,
                     "\"a\":1.100000023841858}");
    rows_check_field("create table t (id int primary key, a float)", rows_float(1.1F), NULL, "\"a\":1.1}");
    rows_check_field("create table t (id int primary key, a float(30))", rows_double(1.1), NULL,
                     "{\"type\":\"double\",\"optional\":true,\"field\":\"a\"}");
    rows_check_field("create table t (id int primary key, a double)", rows_double(1e10), NULL, "\"a\":1.0E10}");
}

/* ---- BIT ---- */

static const char bits[] =
    "create table bb (id int primary key, b1 bit, b1n bit(1) not null default b'1', b2 bit(2), "
    "b8 bit(8) default b'10100101', b9 bit(9), b33 bit(33), b64 bit(64), bo bool, bf boolean not null default false, "
    "t1 tinyint(1))";

static void bits_come_lowest_byte_first(void **state)
{
    (void)state;
    const struct cell cells[] = {rows_int(14),
                                 rows_uint(1),
                                 rows_uint(0),
                                 rows_uint(2),
                                 rows_uint(1),
                                 rows_uint(257),
                                 rows_uint(4294967296),
                                 rows_uint(0x8000000000000001),
                                 rows_int(2),
                                 rows_int(-1),
                                 rows_int(9)};
    rows_check_golden(&(struct rows_golden){"07-bit-bool", "g.g_bit_bool.bb", 3, bits, ROW_CREATE, NULL, cells, NULL});
}

static void null_becomes_the_default(void **state)
{
    (void)state;
    const struct cell cells[] = {rows_int(13), rows_null(), rows_uint(1), rows_null(), rows_null(), rows_null(),
                                 rows_null(),  rows_null(), rows_null(),  rows_int(0), rows_null()};
    rows_check_golden(&(struct rows_golden){"07-bit-bool", "g.g_bit_bool.bb", 2, bits, ROW_CREATE, NULL, cells, NULL});
}

/* ---- text and bytes ---- */

static void text_is_decoded_and_escaped(void **state)
{
    (void)state;
    rows_check_field("create table t (id int primary key, a varchar(9) charset latin1)", ROWS_BYTES("\x80 \xe9\x81"),
                     NULL, "\"a\":\"€ é\xef\xbf\xbd\"");
    rows_check_field("create table t (id int primary key, a varchar(9))", rows_text("\xf0\x9f\x90\xb3\x01\"\\/"), NULL,
                     "\"a\":\"\\uD83D\\uDC33\\u0001\\\"\\\\/\"");
}

static void set_hex(struct record_settings *set)
{
    set->binary_mode = BINARY_HEX;
}

static void set_base64(struct record_settings *set)
{
    set->binary_mode = BINARY_BASE64;
}

static void set_base64_url(struct record_settings *set)
{
    set->binary_mode = BINARY_BASE64_URL_SAFE;
}

static void binary_modes_change_type_and_text(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a varbinary(4))";
    rows_check_field(create, ROWS_BYTES("\xfb\xff\x3e\x3f"), NULL, "\"a\":\"+/8+Pw==\"");
    rows_check_field(create, ROWS_BYTES("\xfb\xff\x3e\x3f"), set_base64, "\"a\":\"+/8+Pw==\"");
    rows_check_field(create, ROWS_BYTES("\xfb\xff\x3e\x3f"), set_base64_url, "\"a\":\"-_8-Pw==\"");
    rows_check_field(create, ROWS_BYTES("\xfb\xff\x3e\x3f"), set_hex, "\"a\":\"fbff3e3f\"");
    rows_check_field(create, ROWS_BYTES(""), set_hex, "{\"type\":\"string\",\"optional\":true,\"field\":\"a\"}");
}

static void binary_key_stands_as_base64_in_headers(void **state)
{
    (void)state;
    const struct cell before[] = {ROWS_BYTES("ab\0\0"), rows_text("x")};
    const struct cell after[] = {ROWS_BYTES("zz\0\0"), rows_text("x")};
    rows_check_golden(
        &(struct rows_golden){"10-binary-bytes", "g.g_binary_bytes.bink", 3,
                              "create table bink (k binary(4) primary key, v varbinary(4) default x'4142')", ROW_UPDATE,
                              before, after, rows_without_schemas});
}

/* ---- ENUM and SET ---- */

static const char labels[] = "create table es (id int primary key, e enum('a','B','c d','','it''s','x\"y','ünï') , "
                             "en enum('n','y') not null default 'y', s set('a','b','c','it''s',''), "
                             "sn set('r','w','x') not null default 'r,x')";

static void labels_come_in_order_of_definition(void **state)
{
    (void)state;
    const struct cell cells[] = {rows_int(12), rows_uint(5), rows_uint(2), rows_uint(1 | 4 | 8), rows_uint(2 | 4)};
    rows_check_golden(
        &(struct rows_golden){"14-enum-set", "g.g_enum_set.es", 1, labels, ROW_CREATE, NULL, cells, NULL});
}

static void enum_number_0_is_an_empty_text(void **state)
{
    (void)state;
    const struct cell cells[] = {rows_int(17), rows_uint(0), rows_uint(0), rows_uint(0), rows_uint(0)};
    rows_check_golden(
        &(struct rows_golden){"14-enum-set", "g.g_enum_set.es", 6, labels, ROW_CREATE, NULL, cells, NULL});
}

static void enum_label_keeps_its_comma(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a enum('one,two','three'))";
    rows_check_field(create, rows_uint(1), NULL, "\"a\":\"one,two\"");
    rows_check_field(create, rows_uint(1), NULL, "\"allowed\":\"one\\\\,two,three\"");
}

static void set_of_64_has_its_last_member(void **state)
{
    (void)state;
    char create[1024] = "create table t (id int primary key, a set(";
    for (unsigned i = 1; i <= 64; i++)
        sprintf(create + strlen(create), "%s'm%u'", i == 1 ? "" : ",", i);
    strcat(create, "))");
    rows_check_field(create, rows_uint(0x8000000000000001), NULL, "\"a\":\"m1,m64\"");
    rows_check_field(create, rows_uint(0), NULL, "\"a\":\"\"");
}

static void enum_number_past_the_labels_is_lost(void **state)
{
    (void)state;
    rows_check_field("create table t (id int primary key, a enum('x'))", rows_uint(2), NULL, "\"a\":null");
    rows_check_field("create table t (id int primary key, a enum('x') not null)", rows_uint(2), NULL, "\"a\":\"\"");
    rows_check_field("create table t (id int primary key, a enum('x') not null default 'x')", rows_uint(2), NULL,
                     "\"a\":\"x\"");
    rows_check_field("create table t (id int primary key, a set('x'))", rows_uint(2), NULL, "\"a\":null");
}

/* ---- places, vectors, JSON ---- */

static const char point_1_2[] = "\0\0\0\0\x01\x01\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40";

static void point_has_its_coordinates(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a point)";
    rows_check_field(create, rows_bytes(point_1_2, sizeof point_1_2 - 1), NULL,
                     "\"a\":{\"x\":1.0,\"y\":2.0,\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABA\",\"srid\":null}");
    rows_check_field(create, rows_bytes(point_1_2, sizeof point_1_2 - 2), NULL, "\"a\":null");
}

static void geometry_has_its_srid_and_is_optional(void **state)
{
    (void)state;
    char bytes[sizeof point_1_2];
    memcpy(bytes, point_1_2, sizeof bytes);
    bytes[0] = '\xe6';
    bytes[1] = '\x10';
    const char create[] = "create table t (id int primary key, a geometry not null)";
    rows_check_field(create, rows_bytes(bytes, sizeof bytes - 1), NULL,
                     "\"a\":{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABA\",\"srid\":4326}");
    rows_check_field(create, rows_bytes(bytes, sizeof bytes - 1), NULL,
                     "\"optional\":true,\"name\":\"io.debezium.data.geometry.Geometry\",\"version\":1,"
                     "\"doc\":\"Geometry\"");
}

static void vector_is_an_array_of_singles(void **state)
{
    (void)state;
    const float floats[] = {7, 8, 9}, small[] = {1e-3F, 1e7F, -0.0F, 3.4e38F};
    const struct cell before[] = {rows_int(12), rows_null(), rows_bytes(small, sizeof small)};
    const struct cell after[] = {rows_int(12), rows_bytes(floats, sizeof floats), rows_bytes(small, sizeof small)};
    rows_check_golden(&(struct rows_golden){"24-vector", "g.g_vector.ve", 2,
                                            "create table ve (id int primary key, v vector(3), n vector not null)",
                                            ROW_UPDATE, before, after, NULL});
}

static void json_is_text_in_text(void **state)
{
    (void)state;
    const char create[] = "create table t (id int primary key, a json)";
    rows_check_field(create, rows_json("{\"k\":[1,\"\\n\"]}"), NULL, "\"a\":\"{\\\"k\\\":[1,\\\"\\\\n\\\"]}\"");
    const struct cell binary = {.kind = CELL_JSON, .bytes = {(const uint8_t *)"\x02\x01\x00\x07\x00\x05\x07\x00", 8}};
    rows_check_field(create, binary, NULL, "\"a\":\"[7]\"");
    const struct cell empty = {.kind = CELL_JSON, .bytes = VIEW_NONE};
    rows_check_field(create, empty, NULL, "\"a\":null");
    rows_check_field("create table t (id int primary key, a json not null)", empty, NULL, "\"a\":\"{}\"");
}

/* Strings of n quotation marks, across the size where quoting goes another way. */
static void json_document_of_any_size_is_quoted(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 16384; n = n * 3 + 1) {
        struct buf doc, expected;
        buf_init(&doc);
        buf_init(&expected);
        buf_put_u8(&doc, 0x0c);
        buf_put_u8(&doc, (uint8_t)((n & 0x7f) | (n > 0x7f ? 0x80 : 0)));
        if (n > 0x7f)
            buf_put_u8(&doc, (uint8_t)(n >> 7));
        buf_put_literal(&expected, "\"a\":\"\\\"");
        for (unsigned i = 0; i < n; i++) {
            buf_put_u8(&doc, '"');
            buf_put_literal(&expected, "\\\\\\\"");
        }
        buf_put(&expected, "\\\"\"", sizeof "\\\"\"");
        const struct cell c = {.kind = CELL_JSON, .bytes = buf_view(&doc)};
        rows_check_field("create table t (id int primary key, a json)", c, NULL, (const char *)expected.start);
        buf_fini(&doc);
        buf_fini(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_keep_their_range_and_sign),
        cmocka_unit_test(nulls_are_null),
        cmocka_unit_test(decimals_are_unscaled_bytes),
        cmocka_unit_test(decimal_key_stands_as_a_number_in_headers),
        cmocka_unit_test(decimal_modes_change_type_and_text),
        cmocka_unit_test(unsigned_bigint_is_exact_in_precise_mode),
        cmocka_unit_test(float_with_scale_is_the_widened_single),
        cmocka_unit_test(bits_come_lowest_byte_first),
        cmocka_unit_test(null_becomes_the_default),
        cmocka_unit_test(text_is_decoded_and_escaped),
        cmocka_unit_test(binary_modes_change_type_and_text),
        cmocka_unit_test(binary_key_stands_as_base64_in_headers),
        cmocka_unit_test(labels_come_in_order_of_definition),
        cmocka_unit_test(enum_number_0_is_an_empty_text),
        cmocka_unit_test(enum_label_keeps_its_comma),
        cmocka_unit_test(set_of_64_has_its_last_member),
        cmocka_unit_test(enum_number_past_the_labels_is_lost),
        cmocka_unit_test(point_has_its_coordinates),
        cmocka_unit_test(geometry_has_its_srid_and_is_optional),
        cmocka_unit_test(vector_is_an_array_of_singles),
        cmocka_unit_test(json_is_text_in_text),
        cmocka_unit_test(json_document_of_any_size_is_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
