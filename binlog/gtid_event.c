/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/gtid_event.h"

#include <string.h>

enum {
    FLAG_MAY_HAVE_STATEMENTS = 1,
    CLOCK_LOGICAL = 2,
    UUID_BYTES = 16,
    TIME_BYTES = 7,
    TIME_ORIGIN_BIT = 55,
    VERSION_ORIGIN_BIT = 31
};

static const uint64_t time_mask = (UINT64_C(1) << TIME_ORIGIN_BIT) - 1;

/* ---- GTID and ANONYMOUS_GTID ---- */

static void read_times(struct cursor *c, struct gtid_event *out)
{
    uint64_t here = cursor_le(c, TIME_BYTES);
    out->commit_us = (int64_t)(here & time_mask);
    out->origin_commit_us = out->commit_us;
    if (here >> TIME_ORIGIN_BIT != 0)
        out->origin_commit_us = (int64_t)cursor_le(c, TIME_BYTES);
}

static void read_versions(struct cursor *c, struct gtid_event *out)
{
    uint32_t here = cursor_u32(c);
    out->version = here & ~(UINT32_C(1) << VERSION_ORIGIN_BIT);
    out->origin_version = out->version;
    if (here >> VERSION_ORIGIN_BIT != 0)
        out->origin_version = cursor_u32(c);
}

/* What servers from 5.7 on add, each version a little more. */
static void read_later_parts(struct cursor *c, struct gtid_event *out)
{
    uint8_t clock = cursor_left(c) > 0 ? cursor_u8(c) : 0;
    if (clock != CLOCK_LOGICAL)
        return;
    out->last_committed = (int64_t)cursor_u64(c);
    out->sequence = (int64_t)cursor_u64(c);
    if (cursor_left(c) >= TIME_BYTES)
        read_times(c, out);
    if (cursor_left(c) > 0)
        out->length = cursor_lenenc(c);
    if (cursor_left(c) >= 4)
        read_versions(c, out);
    if (cursor_left(c) >= 8)
        out->ticket = cursor_u64(c);
}

static bool read_plain(const struct event *ev, struct gtid_event *out, struct fail *why)
{
    struct cursor c = cursor_of(ev->body);
    out->may_have_statements = (cursor_u8(&c) & FLAG_MAY_HAVE_STATEMENTS) != 0;
    struct view uuid = cursor_view(&c, UUID_BYTES);
    out->gtid.n = (int64_t)cursor_u64(&c);
    if (!c.bad)
        memcpy(out->gtid.uuid, uuid.p, UUID_BYTES);
    read_later_parts(&c, out);
    if (c.bad)
        return fail_malformed(why, "it is cut short");
    bool is_anonymous = ev->header.type == EVENT_ANONYMOUS_GTID;
    if (is_anonymous)
        out->gtid.n = 0;
    else if (out->gtid.n < 1 || out->gtid.n == INT64_MAX)
        return fail_malformed(why, "its number is %lld", (long long)out->gtid.n);
    return true;
}

/* ---- GTID_TAGGED ---- */

/* The first byte has as many low 1 bits as bytes follow; above them and a 0 bit stands the value. */
static uint64_t read_varint(struct cursor *c)
{
    uint8_t first = cursor_u8(c);
    unsigned more = first == 0xff ? 8 : (unsigned)__builtin_ctz(~(unsigned)first);
    if (more == 8)
        return cursor_u64(c);
    uint64_t rest = more == 0 ? 0 : cursor_le(c, more);
    /* 7 further bytes leave no bit of the first */
    return more == 7 ? rest : rest << (7 - more) | (uint64_t)first >> (more + 1);
}

static int64_t read_signed_varint(struct cursor *c)
{
    uint64_t v = read_varint(c);
    int64_t half = (int64_t)(v >> 1);
    return (v & 1) != 0 ? -half - 1 : half;
}

static bool read_uuid(struct cursor *c, uint8_t uuid[UUID_BYTES])
{
    for (int i = 0; i < UUID_BYTES; i++) {
        uint64_t byte = read_varint(c);
        if (byte > UINT8_MAX)
            return false;
        uuid[i] = (uint8_t)byte;
    }
    return true;
}

static bool read_tag(struct cursor *c, char tag[GTID_TAG_BYTES + 1])
{
    uint64_t n = read_varint(c);
    if (n > GTID_TAG_BYTES)
        return false;
    struct view text = cursor_view(c, n);
    for (size_t i = 0; i < text.n; i++) {
        uint8_t one = text.p[i];
        bool is_letter = (one >= 'a' && one <= 'z') || one == '_';
        if (!is_letter && (i == 0 || one < '0' || one > '9'))
            return false;
        tag[i] = (char)one;
    }
    tag[text.n] = '\0';
    return true;
}

enum tagged_field {
    FIELD_FLAGS,
    FIELD_UUID,
    FIELD_NUMBER,
    FIELD_TAG,
    FIELD_LAST_COMMITTED,
    FIELD_SEQUENCE,
    FIELD_COMMIT_TIME,
    FIELD_ORIGIN_COMMIT_TIME,
    FIELD_LENGTH,
    FIELD_VERSION,
    FIELD_ORIGIN_VERSION,
    FIELD_TICKET,
    FIELDS_KNOWN,
};

static bool read_field(struct cursor *c, uint64_t field, struct gtid_event *out)
{
    switch (field) {
    case FIELD_FLAGS:
        out->may_have_statements = (read_varint(c) & FLAG_MAY_HAVE_STATEMENTS) != 0;
        return true;
    case FIELD_UUID:
        return read_uuid(c, out->gtid.uuid);
    case FIELD_NUMBER:
        out->gtid.n = read_signed_varint(c);
        return out->gtid.n >= 1 && out->gtid.n < INT64_MAX;
    case FIELD_TAG:
        return read_tag(c, out->gtid.tag);
    case FIELD_LAST_COMMITTED:
        out->last_committed = read_signed_varint(c);
        return true;
    case FIELD_SEQUENCE:
        out->sequence = read_signed_varint(c);
        return true;
    case FIELD_COMMIT_TIME:
        out->commit_us = out->origin_commit_us = (int64_t)(read_varint(c) & time_mask);
        return true;
    case FIELD_ORIGIN_COMMIT_TIME:
        out->origin_commit_us = (int64_t)(read_varint(c) & time_mask);
        return true;
    case FIELD_LENGTH:
        out->length = read_varint(c);
        return true;
    case FIELD_VERSION:
        out->version = out->origin_version = (uint32_t)read_varint(c);
        return true;
    case FIELD_ORIGIN_VERSION:
        out->origin_version = (uint32_t)read_varint(c);
        return true;
    default:
        out->ticket = read_varint(c);
        return true;
    }
}

/* Fields ascend; one not known has no length, so it ends the reading, and may do so only if it need not be known. */
static bool read_fields(struct cursor *c, uint64_t last_needed, struct gtid_event *out, struct fail *why)
{
    uint64_t expected = 0;
    while (cursor_left(c) > 0) {
        uint64_t field = read_varint(c);
        if (c->bad || field < expected)
            return fail_malformed(why, "its fields are not in order");
        if (field >= FIELDS_KNOWN) {
            if (field <= last_needed)
                return fail_malformed(why, "its field %llu is not known and may not be ignored",
                                      (unsigned long long)field);
            break;
        }
        if (!read_field(c, field, out) || c->bad)
            return fail_malformed(why, "its field %llu is malformed", (unsigned long long)field);
        expected = field + 1;
    }
    return true;
}

static bool read_tagged(const struct event *ev, struct gtid_event *out, struct fail *why)
{
    enum { FORMAT_VERSION = 1 };
    struct cursor c = cursor_of(ev->body);
    uint64_t version = read_varint(&c);
    uint64_t size = read_varint(&c);
    uint64_t last_needed = read_varint(&c);
    if (c.bad || size > ev->body.n)
        return fail_malformed(why, "it is cut short");
    if (version != FORMAT_VERSION)
        return fail_malformed(why, "its format %llu is not known", (unsigned long long)version);
    struct view all = {ev->body.p, (size_t)size};
    if (all.p + all.n < c.p)
        return fail_malformed(why, "it is shorter than its head");
    c.end = all.p + all.n;
    if (!read_fields(&c, last_needed, out, why))
        return false;
    if (out->gtid.n == 0)
        return fail_malformed(why, "it has no number");
    return true;
}

bool gtid_event_read(const struct event *ev, struct gtid_event *out, struct fail *why)
{
    *out = (struct gtid_event){0};
    if (ev->header.type == EVENT_GTID_TAGGED)
        return read_tagged(ev, out, why);
    return read_plain(ev, out, why);
}
