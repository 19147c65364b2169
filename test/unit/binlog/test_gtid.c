/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GTID sets by example. The laws they obey are in test/property/test_gtid.c.
 *
 * Encoded sets below were sent by MySQL 9.7.4 (PREVIOUS_GTIDS) or taken by it (COM_BINLOG_DUMP_GTID).
 */
#include "binlog/gtid.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define U "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#define V "ffffffff-71ca-11e1-9e33-c80aa9429562"

static struct gtid_set set_of(const char *text)
{
    struct gtid_set set;
    struct fail why = {0};
    gtid_set_init(&set);
    if (!gtid_set_read(&set, view_of(text), &why))
        fail_msg("%s", why.text);
    return set;
}

static void check_prints(const struct gtid_set *set, const char *expected)
{
    struct buf out;
    buf_init(&out);
    gtid_set_print(set, &out);
    buf_put_u8(&out, 0);
    assert_string_equal((const char *)out.start, expected);
    buf_fini(&out);
}

static void check_reads(const char *text, const char *expected)
{
    struct gtid_set set = set_of(text);
    check_prints(&set, expected);
    gtid_set_fini(&set);
}

static void check_refused(const char *text)
{
    struct gtid_set set = set_of(U ":1");
    struct fail why = {0};
    if (gtid_set_read(&set, view_of(text), &why))
        fail_msg("taken: %s", text);
    assert_int_equal(why.kind, FAIL_REFUSE);
    assert_true(gtid_set_is_empty(&set));
    gtid_set_fini(&set);
}

static void gtid_set_reads_what_the_server_reads(void **state)
{
    (void)state;
    check_reads("", "");
    check_reads(" \n", "");
    check_reads(",,", "");
    check_reads(U ":5", U ":5");
    check_reads(U ":1-3:5-9", U ":1-3:5-9");
    check_reads(U ":4-6:1-3", U ":1-6");
    check_reads(U ":1-3:2-9:9", U ":1-9");
    check_reads(U ":1-3,\n" V ":7", U ":1-3," V ":7");
    check_reads(V ":7," U ":1", U ":1," V ":7");
    check_reads(U ":1," U ":2", U ":1-2");
    check_reads(" " U " : 1 - 3 : 5 , , " V ":1 ", U ":1-3:5," V ":1");
    check_reads("3E11FA47-71CA-11E1-9E33-C80AA9429562:1", U ":1");
    check_reads("3e11fa4771ca11e19e33c80aa9429562:1", U ":1");
    check_reads("{" U "}:1", U ":1");
    check_reads(U ":9-5", "");
    check_reads(U ":9-5:7", U ":7");
    check_reads(U ":001", U ":1");
    check_reads(U, "");
    check_reads(U ":tag," V ":1:tag", V ":1");
    check_reads(U ":9223372036854775806", U ":9223372036854775806");
}

static void gtid_set_reads_tags_in_any_case_and_order(void **state)
{
    (void)state;
    check_reads(U ":1-9:abc:77:5000000000:zz:1-2", U ":1-9:abc:77:5000000000:zz:1-2");
    check_reads(U ":ZZ:1," U ":_a9:4," U ":3", U ":3:_a9:4:zz:1");
    check_reads(U ":a:1:b:2:a:2", U ":a:1-2:b:2");
    check_reads(U ":abcdefghijklmnopqrstuvwxyz_01234:1", U ":abcdefghijklmnopqrstuvwxyz_01234:1");
}

static void gtid_set_refuses_what_is_no_set(void **state)
{
    (void)state;
    check_refused("x");
    check_refused(U ":");
    check_refused(U ":0");
    check_refused(U ":-1");
    check_refused(U ":1-");
    check_refused(U ":1:");
    check_refused(U ":1-x");
    check_refused(U ":tag:");
    check_refused(U ":9a:1");
    check_refused(U ":a-b:1");
    check_refused(U ":abcdefghijklmnopqrstuvwxyz_012345:1");
    check_refused(U ":9223372036854775807");
    check_refused(U ":99999999999999999999");
    check_refused(U ":1 " V ":1");
    check_refused(U ":1;" V ":1");
    check_refused("3e11fa47-71ca-11e1-9e33-c80aa942956:1");
    check_refused("3e11fa47-71ca-11e1-9e33:1");
    check_refused("{" U ":1");
    check_refused("3e11fa47-71ca11e19e33c80aa9429562:1");
}

static void gtid_prints_with_and_without_tag(void **state)
{
    (void)state;
    struct gtid_set set = set_of(U ":1");
    struct gtid g = {.n = INT64_MAX - 1};
    char text[GTID_TEXT_BYTES];
    size_t n;
    memcpy(g.uuid, set.sources[0].uuid, 16);
    n = gtid_print(&g, text);
    assert_int_equal(n, strlen(text));
    assert_string_equal(text, U ":9223372036854775806");
    strcpy(g.tag, "abcdefghijklmnopqrstuvwxyz_01234");
    n = gtid_print(&g, text);
    assert_int_equal(n, strlen(text));
    assert_string_equal(text, U ":abcdefghijklmnopqrstuvwxyz_01234:9223372036854775806");
    gtid_set_fini(&set);
}

static void gtid_set_grows_by_the_next_number_without_new_memory(void **state)
{
    (void)state;
    struct gtid_set set = set_of(U ":1-3:9");
    struct gtid g = {.n = 10};
    memcpy(g.uuid, set.sources[0].uuid, 16);
    const struct gtid_interval *before = set.sources[0].intervals;
    for (; g.n < 100000; g.n++)
        gtid_set_add(&set, &g);
    assert_ptr_equal(set.sources[0].intervals, before);
    check_prints(&set, U ":1-3:9-99999");
    gtid_set_fini(&set);
}

static size_t bytes_of(const char *hex, uint8_t *out)
{
    size_t n = 0;
    for (const char *p = hex; p[0] != '\0' && p[1] != '\0'; p += 2) {
        unsigned byte;
        assert_int_equal(sscanf(p, "%2x", &byte), 1);
        out[n++] = (uint8_t)byte;
    }
    return n;
}

static void check_encodes(const char *text, const char *hex)
{
    uint8_t bytes[1024];
    size_t n = bytes_of(hex, bytes);
    struct gtid_set set = set_of(text);
    struct buf out;
    buf_init(&out);
    gtid_set_encode(&set, &out);
    assert_int_equal(buf_size(&out), n);
    assert_memory_equal(out.start, bytes, n);
    buf_fini(&out);

    struct fail why;
    assert_true(gtid_set_decode(&set, (struct view){bytes, n}, &why));
    check_prints(&set, text);
    for (size_t cut = 0; cut < n; cut++)
        assert_false(gtid_set_decode(&set, (struct view){bytes, cut}, &why));
    bytes[n] = 0;
    assert_false(gtid_set_decode(&set, (struct view){bytes, n + 1}, &why));
    assert_true(gtid_set_is_empty(&set));
    gtid_set_fini(&set);
}

#define U_HEX "3e11fa4771ca11e19e33c80aa9429562"

static void gtid_set_encodes_as_the_server_does(void **state)
{
    (void)state;
    check_encodes("", "0000000000000000");
    check_encodes(U ":1-9:12", "0100000000000000" U_HEX "0200000000000000"
                               "01000000000000000a00000000000000"
                               "0c000000000000000d00000000000000");
    check_encodes(U ":1:abc:77-79", "0102000000000001" U_HEX "00"
                                    "0100000000000000"
                                    "01000000000000000200000000000000" U_HEX "06616263"
                                    "0100000000000000"
                                    "4d000000000000005000000000000000");
}

static void gtid_set_decode_refuses_impossible_intervals(void **state)
{
    (void)state;
    const char *bad[] = {
        "0100000000000000" U_HEX "0100000000000000"
        "0000000000000000"
        "0a00000000000000",
        "0100000000000000" U_HEX "0100000000000000"
        "0a00000000000000"
        "0a00000000000000",
        "0100000000000000" U_HEX "0100000000000000"
        "0a00000000000000"
        "0100000000000000",
        "0100000000000000" U_HEX "0100000000000000"
        "0a00000000000000"
        "ffffffffffffffff",
        "0100000000000000" U_HEX "ffffffffffffff0f",
        "ffffffffffffff00",
        "0000000000000002",
        "0001000000000001" U_HEX "00"
        "0000000000000000",
        "0101000000000001" U_HEX "01"
        "0000000000000000",
        "0101000000000001" U_HEX "0639626300"
        "00000000000000",
        "0101000000000001" U_HEX "0661622d"
        "0000000000000000",
        "0101000000000001" U_HEX "42",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t bytes[256];
        size_t n = bytes_of(bad[i], bytes);
        struct gtid_set set = set_of(U ":1");
        struct fail why = {0};
        if (gtid_set_decode(&set, (struct view){bytes, n}, &why))
            fail_msg("taken: %s", bad[i]);
        assert_int_equal(why.kind, FAIL_REFUSE);
        assert_true(gtid_set_is_empty(&set));
        gtid_set_fini(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gtid_set_reads_what_the_server_reads),
        cmocka_unit_test(gtid_set_reads_tags_in_any_case_and_order),
        cmocka_unit_test(gtid_set_refuses_what_is_no_set),
        cmocka_unit_test(gtid_prints_with_and_without_tag),
        cmocka_unit_test(gtid_set_grows_by_the_next_number_without_new_memory),
        cmocka_unit_test(gtid_set_encodes_as_the_server_does),
        cmocka_unit_test(gtid_set_decode_refuses_impossible_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
