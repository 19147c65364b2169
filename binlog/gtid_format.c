/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GTID sets as text and as bytes.
 *
 * Text, as the server reads it (MySQL manual "GTID Sets"; Gtid_set::add_gtid_text): members are split by commas,
 * empty ones are allowed; a member is a uuid (with dashes, without any, or either in braces), then ":" and a tag,
 * a number or a range, again and again; a tag holds for the numbers behind it. 9-5 is an empty range, and a uuid or tag
 * without numbers stands for none.
 *
 * Bytes without tags:
 *   8   number of sources
 *   each: 16 uuid, 8 number of intervals, each: 8 first, 8 one past the last
 * Bytes with tags (8.3 and later; the first and the last byte of the header are 1):
 *   1   format, 6 number of sources, 1 format
 *   each: 16 uuid, 1 tag length * 2, tag, 8 number of intervals, intervals as above
 */
#include "base/ascii.h"
#include "binlog/gtid.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 8, UUID_BYTES = 16, INTERVAL_BYTES = 16, FORMAT_TAGGED = 1, FORMAT_SHIFT = 56 };

static const int64_t number_end = INT64_MAX; /* numbers stay below it, so that an end can be told too */

/* ---- print ---- */

static size_t print_uuid(const uint8_t uuid[UUID_BYTES], char *out)
{
    static const char digits[] = "0123456789abcdef";
    char *p = out;
    for (int i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *p++ = '-';
        *p++ = digits[uuid[i] >> 4];
        *p++ = digits[uuid[i] & 15];
    }
    *p = '\0';
    return (size_t)(p - out);
}

size_t gtid_print(const struct gtid *g, char *out)
{
    size_t n = print_uuid(g->uuid, out);
    const char *colon = g->tag[0] == '\0' ? "" : ":";
    return n + (size_t)snprintf(out + n, GTID_TEXT_BYTES - n, "%s%s:%lld", colon, g->tag, (long long)g->n);
}

static void print_intervals(const struct gtid_source *s, struct buf *out)
{
    for (uint32_t i = 0; i < s->n_intervals; i++) {
        const struct gtid_interval *it = &s->intervals[i];
        buf_printf(out, ":%lld", (long long)it->first);
        if (it->end > it->first + 1)
            buf_printf(out, "-%lld", (long long)(it->end - 1));
    }
}

void gtid_set_print(const struct gtid_set *set, struct buf *out)
{
    for (uint32_t i = 0; i < set->n_sources; i++) {
        const struct gtid_source *s = &set->sources[i];
        if (i == 0 || memcmp(s->uuid, s[-1].uuid, UUID_BYTES) != 0) {
            char uuid[2 * UUID_BYTES + 5];
            if (i > 0)
                buf_put_u8(out, ',');
            buf_put(out, uuid, print_uuid(s->uuid, uuid));
        }
        if (s->tag[0] != '\0')
            buf_printf(out, ":%s", s->tag);
        print_intervals(s, out);
    }
}

void gtid_set_print_short(const struct gtid_set *set, size_t most, struct buf *out)
{
    size_t before = buf_size(out);
    gtid_set_print(set, out);
    if (buf_size(out) - before <= most)
        return;
    out->p = out->start + before + most;
    buf_put_literal(out, "…");
}

/* ---- read ---- */

/* The next character behind blanks, or -1 at the end. */
static int peek(struct cursor *c)
{
    while (c->p < c->end && ascii_is_blank(*c->p))
        c->p++;
    return c->p < c->end ? *c->p : -1;
}

static bool accept(struct cursor *c, int wanted)
{
    if (peek(c) != wanted)
        return false;
    c->p++;
    return true;
}

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool read_byte(struct cursor *c, uint8_t *out)
{
    if (cursor_left(c) < 2)
        return false;
    int high = hex_digit(c->p[0]);
    int low = hex_digit(c->p[1]);
    if (high < 0 || low < 0)
        return false;
    *out = (uint8_t)(high << 4 | low);
    c->p += 2;
    return true;
}

static bool read_uuid(struct cursor *c, uint8_t uuid[UUID_BYTES])
{
    bool in_braces = accept(c, '{');
    bool has_dashes = cursor_left(c) > 8 && c->p[8] == '-';
    for (int i = 0; i < UUID_BYTES; i++) {
        bool dash_here = i == 4 || i == 6 || i == 8 || i == 10;
        if (has_dashes && dash_here && (c->p == c->end || *c->p++ != '-'))
            return false;
        if (!read_byte(c, &uuid[i]))
            return false;
    }
    return !in_braces || (c->p < c->end && *c->p++ == '}');
}

static bool is_tag_start(int c)
{
    int lower = c | 0x20;
    return c == '_' || (lower >= 'a' && lower <= 'z');
}

static bool read_tag(struct cursor *c, char tag[GTID_TAG_BYTES + 1])
{
    size_t n = 0;
    while (c->p < c->end && (is_tag_start(*c->p) || (*c->p >= '0' && *c->p <= '9'))) {
        if (n == GTID_TAG_BYTES)
            return false;
        uint8_t one = *c->p++;
        tag[n++] = (char)(one >= 'A' && one <= 'Z' ? one | 0x20 : one);
    }
    tag[n] = '\0';
    return true;
}

static bool read_number(struct cursor *c, int64_t *out)
{
    int64_t n = 0;
    int first = peek(c);
    if (first < '0' || first > '9')
        return false;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c->p - '0', &n))
            return false;
    *out = n;
    return n < number_end;
}

static bool read_range(struct cursor *c, struct gtid_interval *out)
{
    if (!read_number(c, &out->first) || out->first == 0)
        return false;
    int64_t last = out->first;
    if (accept(c, '-') && !read_number(c, &last))
        return false;
    out->end = last + 1;
    return true;
}

static bool read_member(struct gtid_set *set, struct cursor *c)
{
    uint8_t uuid[UUID_BYTES];
    char tag[GTID_TAG_BYTES + 1] = "";
    if (!read_uuid(c, uuid))
        return false;
    while (accept(c, ':')) {
        struct gtid_interval range;
        if (is_tag_start(peek(c))) {
            if (!read_tag(c, tag))
                return false;
            continue;
        }
        if (!read_range(c, &range))
            return false;
        if (range.first < range.end)
            gtid_set_add_range(set, uuid, tag, range);
    }
    return true;
}

bool gtid_set_read(struct gtid_set *set, struct view text, struct fail *why)
{
    struct cursor c = cursor_of(text);
    gtid_set_fini(set);
    while (peek(&c) >= 0) {
        if (accept(&c, ','))
            continue;
        bool is_good = read_member(set, &c) && (peek(&c) < 0 || peek(&c) == ',');
        if (!is_good) {
            gtid_set_fini(set);
            size_t at = text.n - cursor_left(&c);
            return fail_malformed(why, "a GTID set is malformed near byte %zu: \"%.*s\"", at,
                                  (int)(text.n > 200 ? 200 : text.n), (const char *)text.p);
        }
    }
    return true;
}

/* ---- bytes ---- */

static bool has_tag(const struct gtid_set *set)
{
    for (uint32_t i = 0; i < set->n_sources; i++)
        if (set->sources[i].tag[0] != '\0')
            return true;
    return false;
}

void gtid_set_encode(const struct gtid_set *set, struct buf *out)
{
    bool is_tagged = has_tag(set);
    uint64_t header = set->n_sources;
    if (is_tagged)
        header = (uint64_t)FORMAT_TAGGED << FORMAT_SHIFT | header << 8 | FORMAT_TAGGED;
    buf_put_le(out, header, HEADER_BYTES);
    for (uint32_t i = 0; i < set->n_sources; i++) {
        const struct gtid_source *s = &set->sources[i];
        buf_put(out, s->uuid, UUID_BYTES);
        if (is_tagged) {
            buf_put_u8(out, (uint8_t)(strlen(s->tag) * 2));
            buf_put_text(out, s->tag);
        }
        buf_put_le(out, s->n_intervals, 8);
        for (uint32_t j = 0; j < s->n_intervals; j++) {
            buf_put_le(out, (uint64_t)s->intervals[j].first, 8);
            buf_put_le(out, (uint64_t)s->intervals[j].end, 8);
        }
    }
}

static bool decode_tag(struct cursor *c, char tag[GTID_TAG_BYTES + 1])
{
    uint8_t twice = cursor_u8(c);
    if (twice % 2 != 0 || twice / 2 > GTID_TAG_BYTES)
        return false;
    struct view text = cursor_view(c, twice / 2);
    struct cursor t = cursor_of(text);
    if (text.n == 0)
        return !c->bad;
    return is_tag_start(*t.p) && read_tag(&t, tag) && cursor_left(&t) == 0;
}

static bool decode_source(struct gtid_set *set, struct cursor *c, bool is_tagged)
{
    char tag[GTID_TAG_BYTES + 1] = "";
    struct view uuid = cursor_view(c, UUID_BYTES);
    if (c->bad || (is_tagged && !decode_tag(c, tag)))
        return false;
    uint64_t n = cursor_u64(c);
    if (n > cursor_left(c) / INTERVAL_BYTES)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t first = cursor_u64(c);
        uint64_t end = cursor_u64(c);
        if (first == 0 || first >= end || end > (uint64_t)number_end)
            return false;
        gtid_set_add_range(set, uuid.p, tag, (struct gtid_interval){(int64_t)first, (int64_t)end});
    }
    return !c->bad;
}

bool gtid_set_decode(struct gtid_set *set, struct view body, struct fail *why)
{
    struct cursor c = cursor_of(body);
    gtid_set_fini(set);
    uint64_t n = cursor_u64(&c);
    uint64_t format = n >> FORMAT_SHIFT;
    bool is_tagged = format == FORMAT_TAGGED && (n & 0xff) == FORMAT_TAGGED;
    if (is_tagged)
        n = n << 8 >> 16;
    bool is_good = !c.bad && (is_tagged || format == 0) && n <= cursor_left(&c) / UUID_BYTES;
    for (uint64_t i = 0; is_good && i < n; i++)
        is_good = decode_source(set, &c, is_tagged);
    if (is_good && cursor_left(&c) == 0)
        return true;
    gtid_set_fini(set);
    return fail_malformed(why, "an encoded GTID set of %zu bytes is malformed", body.n);
}
