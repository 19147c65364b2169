/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/payload.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum field { FIELD_END = 0, FIELD_BYTES = 1, FIELD_KIND = 2, FIELD_PLAIN_BYTES = 3 };

enum {
    HEADER_BYTES = 19,
    LENGTH_AT = 9,
    FIRST_ROOM = 16 * 1024,
    KEEP_ROOM = 1024 * 1024,     /* larger buffers are given back at the end */
    KEEP_ZSTD = 8 * 1024 * 1024, /* so are larger decompressors: their window is the compressor's choice */
};

void payload_init(struct payload *p)
{
    *p = (struct payload){0};
}

void payload_fini(struct payload *p)
{
    ZSTD_freeDCtx(p->zstd);
    free(p->event);
    payload_init(p);
}

void payload_close(struct payload *p)
{
    if (p->room > KEEP_ROOM) {
        free(p->event);
        p->event = NULL;
        p->room = 0;
    }
    if (p->zstd != NULL && ZSTD_sizeof_DCtx(p->zstd) > KEEP_ZSTD) {
        ZSTD_freeDCtx(p->zstd);
        p->zstd = NULL;
    }
    p->packed = VIEW_NONE;
    p->is_open = false;
}

/* ---- the head ---- */

struct head {
    uint64_t bytes;
    uint64_t kind;
    uint64_t plain_bytes;
    bool has_bytes;
    bool has_plain_bytes;
};

static bool read_field(struct cursor *c, uint64_t field, struct head *head)
{
    struct view value = cursor_lenenc_view(c);
    struct cursor v = cursor_of(value);
    switch (field) {
    case FIELD_BYTES:
        head->bytes = cursor_lenenc(&v);
        head->has_bytes = true;
        break;
    case FIELD_KIND:
        head->kind = cursor_lenenc(&v);
        break;
    case FIELD_PLAIN_BYTES:
        head->plain_bytes = cursor_lenenc(&v);
        head->has_plain_bytes = true;
        break;
    default: /* of a newer server: its length is known, so it can be passed by */
        break;
    }
    return !v.bad && !c->bad;
}

static bool read_head(struct cursor *c, struct head *head)
{
    *head = (struct head){.kind = PAYLOAD_PLAIN};
    for (;;) {
        uint64_t field = cursor_lenenc(c);
        if (c->bad)
            return false;
        if (field == FIELD_END)
            return true;
        if (!read_field(c, field, head))
            return false;
    }
}

static void start_zstd(struct payload *p)
{
    if (p->zstd == NULL) {
        p->zstd = ZSTD_createDCtx();
        ASSERT(p->zstd != NULL);
    }
    ZSTD_DCtx_reset(p->zstd, ZSTD_reset_session_only);
    p->frame_is_open = false;
}

bool payload_open(struct payload *p, struct view body, struct fail *why)
{
    struct cursor c = cursor_of(body);
    struct head head;
    payload_close(p);
    if (!read_head(&c, &head))
        return fail_malformed(why, "the head of a compressed transaction is malformed");
    if (head.kind != PAYLOAD_ZSTD && head.kind != PAYLOAD_PLAIN)
        return fail_malformed(why, "a transaction is compressed by method %llu, which is not known",
                              (unsigned long long)head.kind);
    if (head.has_bytes && head.bytes != cursor_left(&c))
        return fail_malformed(why, "a compressed transaction has %zu bytes where its head says %llu", cursor_left(&c),
                              (unsigned long long)head.bytes);
    p->kind = head.kind == PAYLOAD_ZSTD ? PAYLOAD_ZSTD : PAYLOAD_PLAIN;
    p->packed = (struct view){c.p, cursor_left(&c)};
    p->packed_at = 0;
    p->plain_at = 0;
    p->plain_bytes = head.has_plain_bytes ? head.plain_bytes : UINT64_MAX;
    if (p->kind == PAYLOAD_PLAIN && !head.has_plain_bytes)
        p->plain_bytes = p->packed.n;
    if (p->kind == PAYLOAD_ZSTD)
        start_zstd(p);
    p->is_open = true;
    return true;
}

/* ---- events ---- */

/* Room for one event, got as its bytes come: a false length costs no memory. */
static void make_room(struct payload *p, size_t have, size_t want)
{
    if (have < p->room)
        return;
    size_t room = p->room == 0 ? FIRST_ROOM : p->room * 2;
    p->room = room > want && want > FIRST_ROOM ? want : room;
    p->event = mem_resize(p->event, p->room);
}

static bool inflate_step(struct payload *p, size_t *have, size_t want, struct fail *why)
{
    ZSTD_inBuffer in = {p->packed.p, p->packed.n, p->packed_at};
    ZSTD_outBuffer out = {p->event, want < p->room ? want : p->room, *have};
    size_t left = ZSTD_decompressStream(p->zstd, &out, &in);
    if (ZSTD_isError(left))
        return fail_malformed(why, "a compressed transaction can't be inflated: %s", ZSTD_getErrorName(left));
    if (left != 0 && in.pos == p->packed_at && out.pos == *have)
        return fail_malformed(why, "a compressed transaction is cut short after %llu inflated bytes",
                              (unsigned long long)p->plain_at + out.pos);
    p->packed_at = in.pos;
    *have = out.pos;
    p->frame_is_open = left != 0;
    return true;
}

/* Inflates until `want` bytes of the event are there, or with may_end until nothing is left before its first. */
static bool inflate(struct payload *p, size_t *have, size_t want, bool may_end, struct fail *why)
{
    while (*have < want) {
        if (may_end && *have == 0 && p->packed_at == p->packed.n && !p->frame_is_open)
            return true;
        make_room(p, *have, want);
        if (!inflate_step(p, have, want, why))
            return false;
    }
    return true;
}

static bool read_length(struct payload *p, const uint8_t *header, size_t *length, struct fail *why)
{
    struct cursor c = cursor_of((struct view){header + LENGTH_AT, 4});
    *length = cursor_u32(&c);
    if (*length < HEADER_BYTES || *length > p->plain_bytes - p->plain_at)
        return fail_malformed(why, "an event of %zu bytes in a compressed transaction of which %llu are left", *length,
                              (unsigned long long)(p->plain_bytes - p->plain_at));
    return true;
}

static bool next_inflated(struct payload *p, struct view *event, struct fail *why)
{
    size_t have = 0;
    size_t length = 0;
    if (!inflate(p, &have, HEADER_BYTES, true, why))
        return false;
    if (have == 0)
        return true;
    if (!read_length(p, p->event, &length, why) || !inflate(p, &have, length, false, why))
        return false;
    *event = (struct view){p->event, length};
    return true;
}

static bool next_plain(struct payload *p, struct view *event, struct fail *why)
{
    struct view rest = {p->packed.p + p->packed_at, p->packed.n - p->packed_at};
    size_t length = 0;
    if (rest.n == 0)
        return true;
    if (rest.n < HEADER_BYTES)
        return fail_malformed(why, "a transaction in one piece is cut short");
    if (!read_length(p, rest.p, &length, why))
        return false;
    if (length > rest.n)
        return fail_malformed(why, "a transaction in one piece is cut short");
    p->packed_at += length;
    *event = (struct view){rest.p, length};
    return true;
}

bool payload_next(struct payload *p, struct view *event, struct fail *why)
{
    ASSERT(p->is_open);
    *event = VIEW_NONE;
    bool is_good = p->kind == PAYLOAD_ZSTD ? next_inflated(p, event, why) : next_plain(p, event, why);
    if (!is_good)
        return false;
    p->plain_at += event->n;
    if (event->n > 0 || p->plain_bytes == UINT64_MAX || p->plain_at == p->plain_bytes)
        return true;
    return fail_malformed(why, "a compressed transaction gave %llu bytes where its head says %llu",
                          (unsigned long long)p->plain_at, (unsigned long long)p->plain_bytes);
}
