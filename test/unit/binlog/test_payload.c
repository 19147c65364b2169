/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed transactions: a captured one event by event, and made ones that are plain, large, cut or corrupt. */
#include "binlog/decoder.h"
#include "binlog/payload.h"
#include "test/support/captured.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static void payload_gives_the_events_of_a_transaction(void **state)
{
    (void)state;
    struct captured cap;
    struct payload p;
    struct decoder d;
    captured_load(&cap, "compressed");
    payload_init(&p);
    decoder_init(&d);
    uint8_t expected[] = {EVENT_QUERY, EVENT_TABLE_MAP, EVENT_WRITE_ROWS, EVENT_XID};
    struct event whole = captured_event(&cap, EVENT_TRANSACTION_PAYLOAD, 0);
    struct view bytes;
    struct fail why = {0};
    size_t n_rows_events = 0;
    size_t at = 0;
    assert_true(payload_open(&p, whole.body, &why));
    for (;;) {
        struct event ev;
        if (!payload_next(&p, &bytes, &why))
            fail_msg("%s", why.text);
        if (bytes.n == 0)
            break;
        assert_true(decoder_read_inner(&d, bytes, &ev, &why));
        assert_int_equal(ev.header.end_pos, 0);
        if (ev.header.type == EVENT_WRITE_ROWS && n_rows_events++ > 0)
            continue; /* one more of the same */
        assert_int_equal(ev.header.type, expected[at++]);
    }
    assert_int_equal(at, 4);
    assert_true(n_rows_events > 20);
    assert_true(p.room <= 32 * 1024); /* 220 kB came out of it, in events of 8 kB */
    assert_true(p.plain_at > 200 * 1000);

    whole = captured_event(&cap, EVENT_TRANSACTION_PAYLOAD, 1); /* the same memory again */
    assert_true(payload_open(&p, whole.body, &why));
    for (at = 0; payload_next(&p, &bytes, &why) && bytes.n > 0;)
        at++;
    assert_int_equal(at, 6);
    payload_fini(&p);
    captured_free(&cap);
}

/* ---- made ones ---- */

static void put_event(struct buf *out, size_t body_bytes, uint8_t fill)
{
    uint8_t header[19] = {0};
    uint32_t length = (uint32_t)(sizeof header + body_bytes);
    header[4] = EVENT_QUERY;
    memcpy(header + 9, &length, 4);
    buf_put(out, header, sizeof header);
    buf_need(out, body_bytes);
    memset(out->p, fill, body_bytes);
    out->p += body_bytes;
}

static void put_field(struct buf *out, uint8_t field, uint64_t value)
{
    buf_put_u8(out, field);
    buf_put_u8(out, 9);
    buf_put_u8(out, 0xfe);
    buf_put_le(out, value, 8);
}

static void put_body(struct buf *out, struct view plain, bool is_zstd, uint64_t says_plain)
{
    struct buf packed;
    buf_init(&packed);
    if (is_zstd) {
        buf_need(&packed, ZSTD_compressBound(plain.n));
        packed.p += ZSTD_compress(packed.p, ZSTD_compressBound(plain.n), plain.p, plain.n, 3);
    } else {
        buf_put_view(&packed, plain);
    }
    put_field(out, 2, is_zstd ? PAYLOAD_ZSTD : PAYLOAD_PLAIN);
    put_field(out, 3, says_plain);
    put_field(out, 1, buf_size(&packed));
    buf_put_u8(out, 0);
    buf_put_view(out, buf_view(&packed));
    buf_fini(&packed);
}

/* Reads all; the number of events, or -1 and why. */
static int read_all(struct payload *p, struct view body, struct fail *why)
{
    int n = 0;
    struct view event;
    if (!payload_open(p, body, why))
        return -1;
    while (payload_next(p, &event, why)) {
        if (event.n == 0)
            return n;
        n++;
    }
    return -1;
}

static void payload_of_both_kinds_gives_the_same(void **state)
{
    (void)state;
    struct buf plain;
    struct payload p;
    struct fail why;
    buf_init(&plain);
    payload_init(&p);
    put_event(&plain, 0, 0);
    put_event(&plain, 100, 'a');
    put_event(&plain, 3000000, 'b');
    put_event(&plain, 5, 'c');
    for (int is_zstd = 0; is_zstd <= 1; is_zstd++) {
        struct buf body;
        struct view event;
        buf_init(&body);
        put_body(&body, buf_view(&plain), is_zstd, buf_size(&plain));
        assert_true(payload_open(&p, buf_view(&body), &why));
        size_t at = 0;
        while (payload_next(&p, &event, &why) && event.n > 0) {
            assert_memory_equal(event.p, plain.start + at, event.n);
            at += event.n;
        }
        assert_int_equal(at, buf_size(&plain));
        assert_true(p.room <= 3000019);
        payload_close(&p);
        assert_int_equal(p.room, 0); /* large buffers are given back */
        buf_fini(&body);
    }
    payload_fini(&p);
    buf_fini(&plain);
}

static void payload_refuses_what_is_not_as_long_as_promised(void **state)
{
    (void)state;
    struct buf plain;
    struct payload p;
    struct fail why = {0};
    buf_init(&plain);
    payload_init(&p);
    put_event(&plain, 100, 'a');
    put_event(&plain, 100, 'b');
    for (int is_zstd = 0; is_zstd <= 1; is_zstd++) {
        const int64_t off[] = {-1, 1, 19, -119, -238};
        for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
            struct buf body;
            buf_init(&body);
            put_body(&body, buf_view(&plain), is_zstd, (uint64_t)((int64_t)buf_size(&plain) + off[i]));
            assert_int_equal(read_all(&p, buf_view(&body), &why), -1);
            assert_int_equal(why.kind, FAIL_REFUSE);
            buf_fini(&body);
        }
    }
    payload_fini(&p);
    buf_fini(&plain);
}

static void payload_refuses_every_cut_and_most_changes(void **state)
{
    (void)state;
    struct captured cap;
    struct payload p;
    struct fail why;
    captured_load(&cap, "compressed");
    payload_init(&p);
    struct view body = captured_event(&cap, EVENT_TRANSACTION_PAYLOAD, 0).body;
    for (size_t n = 0; n < body.n; n += n < 40 ? 1 : 37) {
        uint8_t *cut = malloc(n == 0 ? 1 : n); /* its own memory, so that a read past it is seen */
        memcpy(cut, body.p, n);
        assert_int_equal(read_all(&p, (struct view){cut, n}, &why), -1);
        free(cut);
    }
    for (size_t at = 0; at < body.n; at += 7) {
        uint8_t *bytes = (uint8_t *)body.p;
        bytes[at] ^= 0x15;
        (void)read_all(&p, body, &why); /* whatever it says, within its memory */
        bytes[at] ^= 0x15;
    }
    assert_true(read_all(&p, body, &why) > 20);
    payload_fini(&p);
    captured_free(&cap);
}

static void payload_refuses_methods_it_does_not_know(void **state)
{
    (void)state;
    struct payload p;
    struct fail why = {0};
    payload_init(&p);
    const uint8_t body[] = {2, 1, 1, 3, 1, 0, 1, 1, 0, 0};
    assert_int_equal(read_all(&p, (struct view){body, sizeof body}, &why), -1);
    assert_non_null(strstr(why.text, "method 1"));
    payload_fini(&p);
}

static void payload_without_events_ends_at_once(void **state)
{
    (void)state;
    struct payload p;
    struct fail why = {0};
    payload_init(&p);
    const uint8_t body[] = {2, 3, 0xfc, 255, 0, 3, 1, 0, 1, 1, 0, 9, 2, 0xaa, 0xbb, 0}; /* with a field of the future */
    assert_int_equal(read_all(&p, (struct view){body, sizeof body}, &why), 0);
    payload_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payload_gives_the_events_of_a_transaction),
        cmocka_unit_test(payload_of_both_kinds_gives_the_same),
        cmocka_unit_test(payload_refuses_what_is_not_as_long_as_promised),
        cmocka_unit_test(payload_refuses_every_cut_and_most_changes),
        cmocka_unit_test(payload_refuses_methods_it_does_not_know),
        cmocka_unit_test(payload_without_events_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
