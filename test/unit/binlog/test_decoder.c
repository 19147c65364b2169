/* SPDX-License-Identifier: Apache-2.0 */
/* Events as a server sent them: header, checksum, format, and what must be refused. */
#include "binlog/decoder.h"
#include "binlog/gtid.h"
#include "test/support/captured.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

static const char *const files[] = {"types",        "types_full",   "compressed", "tagged",
                                    "partial_json", "xa",           "statements", "partitions",
                                    "short_images", "no_checksum",  "large",      "statement_format",
                                    "heartbeat",    "heartbeat_v1", "anonymous",  "previous_tagged"};

static void start(struct decoder *d)
{
    decoder_init(d);
    decoder_set_checksum(d, CHECKSUM_CRC32);
}

static void decoder_reads_all_that_was_captured(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct captured cap;
        struct decoder d;
        captured_load(&cap, files[f]);
        start(&d);
        assert_true(cap.n >= 3);
        for (size_t i = 0; i < cap.n; i++) {
            struct event ev;
            struct fail why = {0};
            if (!decoder_read(&d, cap.events[i], &ev, &why))
                fail_msg("%s, event %zu: %s", files[f], i, why.text);
            assert_int_equal(ev.header.length, cap.events[i].n);
            assert_int_equal(ev.header.server_id, 11);
        }
        assert_true(d.has_format);
        assert_string_equal(d.server_version, "9.7.4-2");
        assert_int_equal(strncmp(d.file, "binlog.0", 8), 0);
        captured_free(&cap);
    }
}

static void decoder_follows_the_checksum_of_the_format(void **state)
{
    (void)state;
    struct captured cap;
    struct decoder d;
    struct event ev;
    struct fail why;
    captured_load(&cap, "no_checksum");
    start(&d);
    assert_true(decoder_read(&d, cap.events[0], &ev, &why)); /* asked for: CRC32 */
    assert_int_equal(ev.body.n, cap.events[0].n - EVENT_HEADER_BYTES - EVENT_CHECKSUM_BYTES);
    assert_true(decoder_read(&d, cap.events[1], &ev, &why)); /* says NONE, but has one itself */
    assert_int_equal(d.checksum, CHECKSUM_NONE);
    assert_true(decoder_read(&d, cap.events[2], &ev, &why));
    assert_int_equal(ev.body.n, cap.events[2].n - EVENT_HEADER_BYTES);
    captured_free(&cap);

    captured_load(&cap, "checksum_not_asked"); /* a log with them, NONE asked for: they come all the same */
    decoder_init(&d);
    decoder_set_checksum(&d, CHECKSUM_NONE);
    for (size_t i = 0; i < cap.n; i++)
        assert_true(decoder_read(&d, cap.events[i], &ev, &why));
    assert_int_equal(d.checksum, CHECKSUM_CRC32);
    captured_free(&cap);
}

static void decoder_stops_at_any_changed_byte(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "xa");
    for (size_t i = 0; i < cap.n; i++) {
        for (size_t at = 0; at < cap.events[i].n; at++) {
            struct decoder d;
            struct event ev;
            struct fail why = {0};
            uint8_t *bytes = (uint8_t *)cap.events[i].p;
            start(&d);
            bool is_format = bytes[4] == EVENT_FORMAT_DESCRIPTION;
            if (!is_format)
                assert_true(decoder_read(&d, cap.events[1], &ev, &why));
            bool is_flag = is_format && at == 17; /* the in-use flag is not covered */
            bytes[at] ^= 0x40;
            if (!is_flag && decoder_read(&d, cap.events[i], &ev, &why))
                fail_msg("event %zu with byte %zu changed was taken", i, at);
            if (!is_flag)
                assert_int_equal(why.kind, FAIL_STOP);
            bytes[at] ^= 0x40;
        }
        if (i > 8)
            break;
    }
    captured_free(&cap);
}

static void decoder_takes_a_format_of_a_file_in_use(void **state)
{
    (void)state;
    struct captured cap;
    struct decoder d;
    struct event ev;
    struct fail why;
    captured_load(&cap, "xa");
    start(&d);
    ((uint8_t *)cap.events[1].p)[17] |= EVENT_FLAG_IN_USE;
    assert_true(decoder_read(&d, cap.events[1], &ev, &why));
    captured_free(&cap);
}

static void decoder_needs_the_format_first(void **state)
{
    (void)state;
    struct captured cap;
    struct decoder d;
    struct event ev;
    struct fail why;
    captured_load(&cap, "xa");
    start(&d);
    assert_true(decoder_read(&d, cap.events[0], &ev, &why));
    assert_false(decoder_read(&d, cap.events[2], &ev, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_non_null(strstr(why.text, "PREVIOUS_GTIDS"));
    captured_free(&cap);
}

static void decoder_refuses_cut_events(void **state)
{
    (void)state;
    struct captured cap;
    captured_load(&cap, "xa");
    for (size_t i = 0; i < 4; i++) {
        for (size_t n = 0; n < cap.events[i].n; n++) {
            struct decoder d;
            struct event ev;
            struct fail why;
            start(&d);
            d.has_format = true;
            assert_false(decoder_read(&d, (struct view){cap.events[i].p, n}, &ev, &why));
        }
    }
    captured_free(&cap);
}

/* An event of our own making, with its checksum. */
static struct view make_event(struct buf *out, uint8_t type, uint16_t flags, struct view body)
{
    buf_clear(out);
    uint32_t length = (uint32_t)(EVENT_HEADER_BYTES + body.n + EVENT_CHECKSUM_BYTES);
    buf_put_le(out, 1796060000, 4);
    buf_put_u8(out, type);
    buf_put_le(out, 11, 4);
    buf_put_le(out, length, 4);
    buf_put_le(out, 1234, 4);
    buf_put_le(out, flags, 2);
    buf_put_view(out, body);
    buf_put_le(out, crc32_z(0, out->start, buf_size(out)), 4);
    return buf_view(out);
}

static void check_type(struct decoder *d, uint8_t type, uint16_t flags, const char *expected)
{
    struct buf bytes;
    struct event ev;
    struct fail why = {0};
    buf_init(&bytes);
    bool is_taken = decoder_read(d, make_event(&bytes, type, flags, view_of("body")), &ev, &why);
    assert_int_equal(is_taken, expected == NULL);
    if (expected != NULL) {
        assert_int_equal(why.kind, FAIL_STOP);
        if (strstr(why.text, expected) == NULL || strstr(why.text, "binlog.000009:1234") == NULL)
            fail_msg("%s", why.text);
    }
    buf_fini(&bytes);
}

static void decoder_passes_unknown_events_only_if_they_may_be_ignored(void **state)
{
    (void)state;
    struct decoder d;
    start(&d);
    d.has_format = true;
    strcpy(d.file, "binlog.000009");
    check_type(&d, 99, EVENT_FLAG_IGNORABLE, NULL);
    check_type(&d, EVENT_LARGE_TRANSACTION_HEADER, EVENT_FLAG_IGNORABLE, NULL);
    check_type(&d, 99, 0, "type 99");
    check_type(&d, 162, 0, "MariaDB GTID");
    check_type(&d, 171, 0, "MariaDB DELETE_ROWS_COMPRESSED_V2");
    check_type(&d, EVENT_PRE_GA_WRITE_ROWS, 0, "PRE_GA_WRITE_ROWS");
    check_type(&d, 0, 0, "type 0");
    check_type(&d, EVENT_STOP, 0, NULL);
    assert_false(decoder_knows(99));
    assert_true(decoder_knows(EVENT_GTID_TAGGED));
}

static void check_version(const char *version, const char *expected)
{
    struct captured cap;
    struct decoder d;
    struct event ev;
    struct fail why = {0};
    struct buf bytes;
    captured_load(&cap, "xa");
    start(&d);
    strcpy(d.file, "binlog.000009");
    struct view body = {cap.events[1].p + EVENT_HEADER_BYTES,
                        cap.events[1].n - EVENT_HEADER_BYTES - EVENT_CHECKSUM_BYTES};
    memset((uint8_t *)body.p + 2, 0, 50);
    memcpy((uint8_t *)body.p + 2, version, strlen(version));
    buf_init(&bytes);
    bool is_taken = decoder_read(&d, make_event(&bytes, EVENT_FORMAT_DESCRIPTION, 0, body), &ev, &why);
    assert_int_equal(is_taken, expected == NULL);
    if (expected != NULL && strstr(why.text, expected) == NULL)
        fail_msg("%s", why.text);
    if (is_taken)
        assert_string_equal(d.server_version, version);
    buf_fini(&bytes);
    captured_free(&cap);
}

static void decoder_refuses_logs_of_other_servers_by_name(void **state)
{
    (void)state;
    check_version("8.0.22", NULL);
    check_version("5.7.44-log", NULL);
    check_version("10.11.6-MariaDB-log", "MariaDB");
    check_version("5.5.62-log", "MySQL 5.5.62");
}

static void rotate_names_the_next_file(void **state)
{
    (void)state;
    struct captured cap;
    struct rotate_event rotate;
    struct fail why;
    captured_load(&cap, "xa");
    struct event ev = captured_event(&cap, EVENT_ROTATE, 0);
    assert_int_equal(ev.header.flags, EVENT_FLAG_ARTIFICIAL);
    assert_true(decoder_read_rotate(&ev, &rotate, &why));
    assert_int_equal(rotate.offset, 4);
    assert_int_equal(rotate.file.n, strlen("binlog.000008"));
    ev.body.n = 8;
    assert_false(decoder_read_rotate(&ev, &rotate, &why));
    captured_free(&cap);
}

static void heartbeats_of_both_kinds_tell_file_and_offset(void **state)
{
    (void)state;
    struct captured cap;
    struct heartbeat_event beat;
    struct fail why;
    captured_load(&cap, "heartbeat");
    struct event ev = captured_event(&cap, EVENT_HEARTBEAT_V2, 0);
    assert_true(decoder_read_heartbeat(&ev, &beat, &why));
    assert_int_equal(beat.offset, ev.header.end_pos);
    assert_false(beat.is_low);
    assert_true(beat.file.n > 8 && memcmp(beat.file.p, "binlog.0", 8) == 0);
    for (size_t n = 0; n < ev.body.n - 1; n++) {
        struct event cut = ev;
        cut.body.n = n;
        assert_false(decoder_read_heartbeat(&cut, &beat, &why));
    }
    captured_free(&cap);

    captured_load(&cap, "heartbeat_v1");
    ev = captured_event(&cap, EVENT_HEARTBEAT, 0);
    assert_true(decoder_read_heartbeat(&ev, &beat, &why));
    assert_int_equal(beat.offset, ev.header.end_pos);
    assert_true(beat.is_low);
    captured_free(&cap);
}

static void heartbeat_tells_offsets_past_4_gib(void **state)
{
    (void)state;
    struct buf bytes;
    struct heartbeat_event beat;
    struct fail why;
    buf_init(&bytes);
    captured_hex("01 01 62 02 09 fe 0500000001000000 00", &bytes);
    struct event ev = {.header = {.type = EVENT_HEARTBEAT_V2}, .body = buf_view(&bytes)};
    assert_true(decoder_read_heartbeat(&ev, &beat, &why));
    assert_int_equal(beat.offset, UINT64_C(0x100000005));
    buf_fini(&bytes);
}

static void incident_tells_its_message(void **state)
{
    (void)state;
    struct incident_event incident;
    struct fail why;
    struct event ev = {.body = {(const uint8_t *)"\1\0\4lost", 7}};
    assert_true(decoder_read_incident(&ev, &incident, &why));
    assert_int_equal(incident.number, 1);
    assert_true(view_is(incident.message, "lost"));
    ev.body.n = 6;
    assert_false(decoder_read_incident(&ev, &incident, &why));
}

static void view_change_tells_its_id(void **state)
{
    (void)state;
    uint8_t body[52] = "16384:3";
    struct view_change_event change;
    struct fail why;
    struct event ev = {.body = {body, sizeof body}};
    body[40] = 9;
    assert_true(decoder_read_view_change(&ev, &change, &why));
    assert_true(view_is(change.view_id, "16384:3"));
    assert_int_equal(change.sequence, 9);
    ev.body.n = 47;
    assert_false(decoder_read_view_change(&ev, &change, &why));
}

static void previous_gtids_decode_with_tags(void **state)
{
    (void)state;
    struct captured cap;
    struct gtid_set set;
    struct buf text;
    struct fail why = {0};
    captured_load(&cap, "previous_tagged");
    struct event ev = captured_event(&cap, EVENT_PREVIOUS_GTIDS, 0);
    gtid_set_init(&set);
    buf_init(&text);
    if (!gtid_set_decode(&set, ev.body, &why))
        fail_msg("%s", why.text);
    gtid_set_print(&set, &text);
    buf_put_u8(&text, 0);
    assert_non_null(
        strstr((char *)text.start, "3e11fa47-71ca-11e1-9e33-c80aa9429562:a_tag_with_many_letters_12345678:5000000000"));
    assert_non_null(strstr((char *)text.start, ":abc:1"));
    buf_clear(&text);
    gtid_set_encode(&set, &text);
    assert_true(view_equal(buf_view(&text), ev.body));
    buf_fini(&text);
    gtid_set_fini(&set);
    captured_free(&cap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoder_reads_all_that_was_captured),
        cmocka_unit_test(decoder_follows_the_checksum_of_the_format),
        cmocka_unit_test(decoder_stops_at_any_changed_byte),
        cmocka_unit_test(decoder_takes_a_format_of_a_file_in_use),
        cmocka_unit_test(decoder_needs_the_format_first),
        cmocka_unit_test(decoder_refuses_cut_events),
        cmocka_unit_test(decoder_passes_unknown_events_only_if_they_may_be_ignored),
        cmocka_unit_test(decoder_refuses_logs_of_other_servers_by_name),
        cmocka_unit_test(rotate_names_the_next_file),
        cmocka_unit_test(heartbeats_of_both_kinds_tell_file_and_offset),
        cmocka_unit_test(heartbeat_tells_offsets_past_4_gib),
        cmocka_unit_test(incident_tells_its_message),
        cmocka_unit_test(view_change_tells_its_id),
        cmocka_unit_test(previous_gtids_decode_with_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
