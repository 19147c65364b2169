/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonb_text: jsonb_tidy_text of jsonb.h.
 *
 * The server's text (sql-common/json_dom.cc, Json_wrapper::to_string) is taken token by token: blanks between tokens
 * go, everything else is copied; strings keep their escapes, only hex digits become upper case. So numbers have the
 * server's own text, which jsonb_print prints too. The result is never longer than the text.
 */
#include "base/utf8.h"
#include "binlog/jsonb.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool are_digits(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return false;
    return true;
}

/* ---- strings that stand for other values ---- */

/* "base64:type" and a number and ':' begin an opaque value; returns how long that is, or 0. */
static size_t opaque_mark(struct view s)
{
    static const char mark[] = "base64:type";
    size_t at = sizeof mark - 1;
    if (s.n < at || memcmp(s.p, mark, at) != 0)
        return 0;
    size_t from = at;
    while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9')
        at++;
    return at > from && at < s.n && s.p[at] == ':' ? at + 1 : 0;
}

/* 12:13:14.500000, -838:59:59.000000 or a date, a blank and such a clock. */
static bool is_moment(struct view s)
{
    if (s.n >= 26 && are_digits(s.p, 4) && s.p[4] == '-' && are_digits(s.p + 5, 2) && s.p[7] == '-' &&
        are_digits(s.p + 8, 2) && s.p[10] == ' ')
        s = (struct view){s.p + 11, s.n - 11};
    else if (s.n > 0 && s.p[0] == '-')
        s = (struct view){s.p + 1, s.n - 1};
    if (s.n < 15 || s.n > 16) /* hours of two or three digits */
        return false;
    size_t hours = s.n - 13;
    const uint8_t *p = s.p + hours;
    return are_digits(s.p, hours) && p[0] == ':' && are_digits(p + 1, 2) && p[3] == ':' && are_digits(p + 4, 2) &&
           p[6] == '.' && are_digits(p + 7, 6);
}

static void put_short_moment(struct buf *out, struct view s)
{
    size_t n = s.n;
    while (s.p[n - 1] == '0')
        n--;
    buf_put(out, s.p, s.p[n - 1] == '.' ? n - 1 : n);
}

/* Base64 comes in lines of 76; their ends are \n in the text. */
static void put_joined(struct buf *out, struct view s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else
            buf_put_u8(out, s.p[i]);
    }
}

/* ---- tokens ---- */

/* What stands between the quotes, escapes and all; the cursor ends behind the closing one. */
static bool take_string(struct cursor *c, struct view *inside)
{
    const uint8_t *from = c->p;
    for (;;) {
        c->p += utf8_json_run(c->p, cursor_left(c), false);
        uint8_t byte = cursor_u8(c);
        if (c->bad || byte < 0x20)
            return false;
        if (byte == '"')
            break;
        (void)cursor_u8(c); /* escaped by the backslash before it */
    }
    *inside = (struct view){from, (size_t)(c->p - from) - 1};
    return true;
}

static uint8_t upper(uint8_t c)
{
    return c >= 'a' && c <= 'f' ? (uint8_t)(c - 32) : c;
}

static bool put_plain_string(struct buf *out, struct view inside)
{
    struct cursor c = cursor_of(inside);
    while (cursor_left(&c) > 0) {
        size_t run = utf8_json_run(c.p, cursor_left(&c), false);
        buf_put(out, c.p, run);
        c.p += run;
        if (cursor_left(&c) == 0)
            break;
        const uint8_t *escape = cursor_take(&c, 2);
        if (escape == NULL)
            return false;
        buf_put(out, escape, 2);
        const uint8_t *hex = escape[1] == 'u' ? cursor_take(&c, 4) : NULL;
        for (int i = 0; hex != NULL && i < 4; i++)
            buf_put_u8(out, upper(hex[i]));
    }
    return !c.bad;
}

/* matters: set, and nothing put, where only what is unknown can tell what the string is. */
static bool put_string(struct buf *out, struct view inside, bool is_key, enum jsonb_typed typed, bool *matters)
{
    bool may_be_typed = !is_key && typed != JSONB_TYPED_NO;
    size_t mark = may_be_typed ? opaque_mark(inside) : 0;
    bool looks_like_moment = may_be_typed && mark == 0 && is_moment(inside);
    bool ok = true;
    *matters = typed == JSONB_TYPED_UNKNOWN && (mark > 0 || looks_like_moment);
    if (*matters)
        return false;
    buf_put_u8(out, '"');
    if (mark > 0)
        put_joined(out, (struct view){inside.p + mark, inside.n - mark});
    else if (looks_like_moment)
        put_short_moment(out, inside);
    else
        ok = put_plain_string(out, inside);
    buf_put_u8(out, '"');
    return ok;
}

static void skip_blanks(struct cursor *c)
{
    while (cursor_left(c) > 0 && is_blank(*c->p))
        c->p++;
}

static bool is_token(uint8_t c)
{
    return c >= 0x21 && c < 0x7f;
}

static bool tidy(struct cursor *c, enum jsonb_typed typed, struct buf *out, bool *matters)
{
    for (;;) {
        skip_blanks(c);
        if (cursor_left(c) == 0)
            return true;
        uint8_t byte = cursor_u8(c);
        if (byte != '"') {
            if (!is_token(byte))
                return false;
            buf_put_u8(out, byte);
            continue;
        }
        struct view inside;
        if (!take_string(c, &inside))
            return false;
        skip_blanks(c);
        bool is_key = cursor_left(c) > 0 && *c->p == ':';
        if (!put_string(out, inside, is_key, typed, matters))
            return false;
    }
}

static void never_grow(struct buf *b, size_t need)
{
    ASSERT((size_t)(b->end - b->p) >= need); /* tidy text is never longer than the text it comes from */
}

bool jsonb_tidy_text(struct view text, enum jsonb_typed typed, struct arena *a, struct view *out, struct fail *why)
{
    struct cursor c = cursor_of(text);
    bool matters = false;
    struct buf room = {.grow = never_grow};
    room.start = room.p = arena_alloc(a, text.n + 8);
    room.end = room.start + text.n + 8;
    bool ok = text.n > 0 && tidy(&c, typed, &room, &matters);
    if (matters)
        return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, JSONB_TYPED_MATTERS,
                        "JSON text with a string that may stand for a time or an opaque value");
    if (!ok)
        return fail_malformed(why, "JSON text that does not read as such at byte %zu", (size_t)(c.p - text.p));
    *out = buf_view(&room);
    return true;
}
