/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions' opening events: as a 9.7 server wrote them, and as older servers end them. */
#include "binlog/gtid_event.h"
#include "test/support/captured.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct gtid_event read_of(struct event ev)
{
    struct gtid_event g;
    struct fail why = {0};
    if (!gtid_event_read(&ev, &g, &why))
        fail_msg("%s", why.text);
    return g;
}

/* Bytes of all events of the transaction that the which-th event of a type opens. */
static uint64_t bytes_of_transaction(const struct captured *cap, uint8_t type, size_t which)
{
    uint64_t bytes = 0;
    bool is_inside = false;
    for (size_t i = 0; i < cap->n; i++) {
        uint8_t t = cap->events[i].p[4];
        bool opens = t == EVENT_GTID || t == EVENT_ANONYMOUS_GTID || t == EVENT_GTID_TAGGED;
        if (is_inside && opens)
            break;
        if (t == type && which-- == 0)
            is_inside = true;
        if (is_inside && t != EVENT_ROTATE)
            bytes += cap->events[i].n;
    }
    return bytes;
}

static void gtid_event_tells_number_times_and_length(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "statements");
    struct gtid_event first = read_of(captured_event(&cap, EVENT_GTID, 0));
    struct gtid_event rows = read_of(captured_event(&cap, EVENT_GTID, 8));
    assert_true(first.may_have_statements);
    assert_false(rows.may_have_statements);
    assert_string_equal(first.gtid.tag, "");
    assert_int_equal(rows.gtid.n, first.gtid.n + 8);
    assert_int_equal(first.last_committed, 0);
    assert_int_equal(first.sequence, 1);
    assert_int_equal(rows.last_committed, 8);
    assert_int_equal(rows.sequence, 9);
    assert_int_equal(first.version, 90704);
    assert_int_equal(first.origin_version, 90704);
    assert_true(first.commit_us > INT64_C(1700000000000000));
    assert_int_equal(first.commit_us, first.origin_commit_us);
    assert_int_equal(first.length, bytes_of_transaction(&cap, EVENT_GTID, 0));
    assert_int_equal(rows.length, bytes_of_transaction(&cap, EVENT_GTID, 8));
    captured_free(&cap);
}

static void anonymous_event_has_no_number(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "anonymous");
    struct gtid_event g = read_of(captured_event(&cap, EVENT_ANONYMOUS_GTID, 3));
    assert_int_equal(g.gtid.n, 0);
    assert_int_equal(g.sequence, 4);
    assert_int_equal(g.length, bytes_of_transaction(&cap, EVENT_ANONYMOUS_GTID, 3));
    captured_free(&cap);
}

static void tagged_event_tells_the_same(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "tagged");
    struct gtid_event abc = read_of(captured_event(&cap, EVENT_GTID_TAGGED, 0));
    struct gtid_event far = read_of(captured_event(&cap, EVENT_GTID_TAGGED, 1));
    struct gtid_event plain = read_of(captured_event(&cap, EVENT_GTID, 3));
    char text[GTID_TEXT_BYTES];
    gtid_print(&far.gtid, text);
    assert_string_equal(text, "3e11fa47-71ca-11e1-9e33-c80aa9429562:a_tag_with_many_letters_12345678:5000000000");
    assert_string_equal(abc.gtid.tag, "abc");
    assert_memory_equal(abc.gtid.uuid, plain.gtid.uuid, 16);
    assert_int_equal(abc.version, 90704);
    assert_int_equal(abc.origin_version, 90704);
    assert_int_equal(abc.sequence, 4);
    assert_int_equal(far.sequence, 5);
    assert_true(abc.last_committed < abc.sequence);
    assert_true(plain.commit_us > abc.commit_us && plain.commit_us - abc.commit_us < 60000000);
    assert_int_equal(abc.commit_us, abc.origin_commit_us);
    assert_int_equal(abc.length, bytes_of_transaction(&cap, EVENT_GTID_TAGGED, 0));
    assert_int_equal(far.length, bytes_of_transaction(&cap, EVENT_GTID_TAGGED, 1));
    captured_free(&cap);
}

static void tagged_event_refuses_every_cut(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "tagged");
    struct event ev = captured_event(&cap, EVENT_GTID_TAGGED, 1);
    for (; ev.body.n > 0; ev.body.n--) {
        struct event cut = ev;
        struct gtid_event g;
        struct fail why;
        cut.body.n--;
        assert_false(gtid_event_read(&cut, &g, &why));
    }
    captured_free(&cap);
}

/* uuid 11…, number 7 */
#define HEAD "01 11*16 0700000000000000"
#define CLOCK "02 0300000000000000 0400000000000000"

static bool read_hex(uint8_t type, const char *hex, struct gtid_event *out)
{
    struct buf bytes;
    struct fail why;
    buf_init(&bytes);
    captured_hex(hex, &bytes);
    struct event ev = {.header = {.type = type}, .body = buf_view(&bytes)};
    bool is_good = gtid_event_read(&ev, out, &why);
    buf_fini(&bytes);
    return is_good;
}

static void gtid_event_of_every_age_is_read(void **state)
{
    (void)state;
    struct gtid_event g;
    assert_true(read_hex(EVENT_GTID, HEAD, &g)); /* 5.6 */
    assert_int_equal(g.gtid.n, 7);
    assert_int_equal(g.sequence, 0);
    assert_true(read_hex(EVENT_GTID, HEAD CLOCK, &g)); /* 5.7 */
    assert_int_equal(g.last_committed, 3);
    assert_int_equal(g.sequence, 4);
    assert_int_equal(g.commit_us, 0);
    assert_int_equal(g.length, 0);
    assert_true(read_hex(EVENT_GTID, HEAD CLOCK "05000000000000", &g)); /* 8.0.1 */
    assert_int_equal(g.commit_us, 5);
    assert_int_equal(g.origin_commit_us, 5);
    assert_true(
        read_hex(EVENT_GTID, HEAD CLOCK "05000000000080 06000000000000 fe0000000001000000", &g)); /* 8.0.2, replica */
    assert_int_equal(g.commit_us, 5);
    assert_int_equal(g.origin_commit_us, 6);
    assert_int_equal(g.length, UINT64_C(0x100000000));
    assert_int_equal(g.version, 0);
    assert_true(read_hex(EVENT_GTID, HEAD CLOCK "05000000000000 4d 16380180 0b380100", &g)); /* 8.0.14, replica */
    assert_int_equal(g.version, 79894);
    assert_int_equal(g.origin_version, 79883);
    assert_int_equal(g.ticket, 0);
    assert_true(read_hex(EVENT_GTID, HEAD CLOCK "05000000000000 4d 50620100 0900000000000000", &g));
    assert_int_equal(g.ticket, 9);
}

static void gtid_event_refuses_what_is_cut_or_has_no_number(void **state)
{
    (void)state;
    struct gtid_event g;
    assert_false(read_hex(EVENT_GTID, "01 11*16 07000000000000", &g));
    assert_false(read_hex(EVENT_GTID, "01 11*16 0000000000000000", &g));
    assert_false(read_hex(EVENT_GTID, "01 11*16 ffffffffffffff7f", &g));
    assert_false(read_hex(EVENT_GTID, "01 11*16 0000000000000080", &g));
    assert_false(read_hex(EVENT_GTID, HEAD "02 0300000000000000 04000000000000", &g));
    assert_false(read_hex(EVENT_GTID, HEAD CLOCK "05000000000080 060000", &g));
    assert_false(read_hex(EVENT_GTID, HEAD CLOCK "05000000000000 fc00", &g));
    assert_true(read_hex(EVENT_ANONYMOUS_GTID, "00 00*16 0000000000000000", &g));
}

/* version 1, size, last needed field 2; flags 0, uuid 01…, number 5 */
#define TAGGED(size, last) "02" size last "0000 02 02*16 04 14 "

static void tagged_event_passes_unknown_fields_only_if_they_may_be_ignored(void **state)
{
    (void)state;
    struct gtid_event g;
    assert_true(read_hex(EVENT_GTID_TAGGED, TAGGED("30", "04"), &g)); /* 24 bytes */
    assert_int_equal(g.gtid.n, 5);
    assert_int_equal(g.gtid.uuid[15], 1);
    assert_true(read_hex(EVENT_GTID_TAGGED, TAGGED("34", "04") "28 ff", &g)); /* field 20 */
    assert_false(read_hex(EVENT_GTID_TAGGED, TAGGED("34", "28") "28 ff", &g));
    assert_false(read_hex(EVENT_GTID_TAGGED, TAGGED("34", "04") "02 00", &g));       /* back to field 1 */
    assert_false(read_hex(EVENT_GTID_TAGGED, "04 30 04", &g));                       /* another format */
    assert_false(read_hex(EVENT_GTID_TAGGED, "02 0a 04 0000", &g));                  /* no number */
    assert_false(read_hex(EVENT_GTID_TAGGED, TAGGED("38", "04") "06 04 61 2d", &g)); /* tag "a-" */
    assert_true(read_hex(EVENT_GTID_TAGGED, TAGGED("38", "04") "06 04 61 39", &g));
    assert_string_equal(g.gtid.tag, "a9");
}

static void tagged_integers_of_every_length_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        uint64_t value;
    } samples[] = {
        {"00", 0},
        {"fe", 127},
        {"01 02", 128},
        {"fd ff", 16383},
        {"03 00 02", 16384},
        {"07 00 00 02", 2097152},
        {"0f 00 00 00 02", 268435456},
        {"1f 00 00 00 00 02", UINT64_C(34359738368)},
        {"3f 00 00 00 00 00 02", UINT64_C(4398046511104)},
        {"7f 00 00 00 00 00 00 02", UINT64_C(562949953421312)},
        {"ff 00 00 00 00 00 00 00 80", UINT64_C(9223372036854775808)},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct gtid_event g;
        char hex[256];
        size_t n = (strlen(samples[i].hex) + 1) / 3;
        snprintf(hex, sizeof hex, "02 %02x 04 0000 02 02*16 04 14 10 %s", (unsigned)(25 + n) * 2, samples[i].hex);
        assert_true(read_hex(EVENT_GTID_TAGGED, hex, &g));
        assert_int_equal(g.length, samples[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gtid_event_tells_number_times_and_length),
        cmocka_unit_test(anonymous_event_has_no_number),
        cmocka_unit_test(tagged_event_tells_the_same),
        cmocka_unit_test(tagged_event_refuses_every_cut),
        cmocka_unit_test(gtid_event_of_every_age_is_read),
        cmocka_unit_test(gtid_event_refuses_what_is_cut_or_has_no_number),
        cmocka_unit_test(tagged_event_passes_unknown_fields_only_if_they_may_be_ignored),
        cmocka_unit_test(tagged_integers_of_every_length_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
