/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/properties.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_LIMIT = 16 << 20 };

static bool refuse(struct fail *why, unsigned line, const char *what)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "line %u: %s", line, what);
}

static void add(struct properties *p, struct view key, struct view value, unsigned line)
{
    if ((p->n & (p->n - 1)) == 0) /* full at each power of two */
        p->items = mem_resize(p->items, (p->n == 0 ? 1 : p->n * 2) * sizeof *p->items);
    p->items[p->n++] = (struct property){
        .key = arena_string(&p->memory, key),
        .value = arena_string(&p->memory, value),
        .line = line,
    };
}

/* ---- .properties ---- */

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_line_end(int c)
{
    return c == '\n' || c == '\r';
}

struct text {
    struct cursor at;
    unsigned line; /* of the next byte */
    struct fail *why;
};

/* The next byte, not taken; -1 at the end. */
static int peek(const struct text *t)
{
    return cursor_left(&t->at) == 0 ? -1 : *t->at.p;
}

static int next(struct text *t)
{
    int c = peek(t);
    if (c >= 0)
        cursor_u8(&t->at);
    return c;
}

/* Takes \n, \r or \r\n. */
static void pass_line_end(struct text *t)
{
    if (next(t) == '\r' && peek(t) == '\n')
        next(t);
    t->line++;
}

static void pass_blanks(struct text *t)
{
    while (is_blank(peek(t)))
        next(t);
}

static void pass_line(struct text *t)
{
    while (peek(t) >= 0 && !is_line_end(peek(t)))
        next(t);
}

/* Joins natural lines to the next logical one, escapes still in it. False at the end of the text. */
static bool take_logical_line(struct text *t, struct buf *line, unsigned *first)
{
    bool is_escaped = false; /* an odd number of backslashes stands before the next byte */
    buf_clear(line);
    for (;;) {
        if (buf_size(line) == 0 && !is_escaped) { /* a new line: blank ones and comments don't count */
            pass_blanks(t);
            if (peek(t) == '#' || peek(t) == '!')
                pass_line(t);
            *first = t->line;
        }
        int c = peek(t);
        if (c < 0 || (is_line_end(c) && !is_escaped && buf_size(line) > 0)) {
            if (is_escaped)
                line->p--; /* a last backslash of the text joins it to nothing */
            if (c < 0)
                return buf_size(line) > 0;
            pass_line_end(t);
            return true;
        }
        if (is_line_end(c)) {
            pass_line_end(t);
            if (is_escaped) {
                line->p--;
                pass_blanks(t);
            }
            is_escaped = false;
            continue;
        }
        is_escaped = c == '\\' && !is_escaped;
        buf_put_u8(line, (uint8_t)next(t));
    }
}

static void put_utf8(struct buf *out, uint32_t c)
{
    if (c < 0x80) {
        buf_put_u8(out, (uint8_t)c);
    } else if (c < 0x800) {
        buf_put_u8(out, (uint8_t)(0xc0 | c >> 6));
        buf_put_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        buf_put_u8(out, (uint8_t)(0xe0 | c >> 12));
        buf_put_u8(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        buf_put_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    } else {
        buf_put_u8(out, (uint8_t)(0xf0 | c >> 18));
        buf_put_u8(out, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
        buf_put_u8(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        buf_put_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    }
}

static bool take_hex4(struct cursor *c, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t d = cursor_u8(c);
        if (d >= '0' && d <= '9')
            d = (uint8_t)(d - '0');
        else if ((d | 0x20) >= 'a' && (d | 0x20) <= 'f')
            d = (uint8_t)((d | 0x20) - 'a' + 10);
        else
            return false;
        *unit = *unit << 4 | d;
    }
    return true;
}

/* After `\u`: one UTF-16 unit, or the two of a pair. */
static bool put_unicode_escape(struct cursor *c, struct buf *out)
{
    uint32_t high, low;
    if (!take_hex4(c, &high) || high == 0)
        return false;
    if (high < 0xd800 || high > 0xdfff) {
        put_utf8(out, high);
        return true;
    }
    if (high > 0xdbff || cursor_u8(c) != '\\' || cursor_u8(c) != 'u' || !take_hex4(c, &low))
        return false;
    if (low < 0xdc00 || low > 0xdfff)
        return false;
    put_utf8(out, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    return true;
}

static bool put_unescaped(struct view part, struct buf *out)
{
    struct cursor c = cursor_of(part);
    buf_clear(out);
    while (cursor_left(&c) > 0) {
        uint8_t b = cursor_u8(&c);
        if (b != '\\') {
            buf_put_u8(out, b);
            continue;
        }
        b = cursor_u8(&c);
        if (b == 'u') {
            if (!put_unicode_escape(&c, out))
                return false;
        } else {
            static const char from[] = "tnrf", to[] = "\t\n\r\f";
            const char *hit = b == 0 ? NULL : strchr(from, b);
            buf_put_u8(out, hit == NULL ? b : (uint8_t)to[hit - from]);
        }
    }
    return true;
}

/* Where the key ends and the value starts in a logical line. */
static void split_line(struct view line, struct view *key, struct view *value)
{
    size_t at = 0;
    while (at < line.n && !is_blank(line.p[at]) && line.p[at] != '=' && line.p[at] != ':')
        at += line.p[at] == '\\' && at + 1 < line.n ? 2 : 1;
    *key = (struct view){line.p, at};
    bool has_sign = false;
    for (; at < line.n; at++) {
        if (is_blank(line.p[at]))
            continue;
        if (has_sign || (line.p[at] != '=' && line.p[at] != ':'))
            break;
        has_sign = true;
    }
    *value = (struct view){line.p + at, line.n - at};
}

static bool read_text(struct view text, struct properties *out, struct fail *why)
{
    struct text t = {cursor_of(text), 1, why};
    struct buf line, key, value;
    unsigned first = 0;
    bool ok = true;
    buf_init(&line);
    buf_init(&key);
    buf_init(&value);
    while (ok && take_logical_line(&t, &line, &first)) {
        struct view k, v;
        split_line(buf_view(&line), &k, &v);
        ok = put_unescaped(k, &key) && put_unescaped(v, &value);
        if (ok)
            add(out, buf_view(&key), buf_view(&value), first);
        else
            refuse(why, first, "malformed \\uXXXX: four hex digits, not 0000, surrogates only in pairs");
    }
    buf_fini(&line);
    buf_fini(&key);
    buf_fini(&value);
    return ok;
}

/* ---- Connect JSON ---- */

static unsigned line_of(struct view text, const char *at)
{
    unsigned line = 1;
    for (const uint8_t *p = text.p; p < text.p + text.n && (const char *)p < at; p++)
        line += *p == '\n';
    return line;
}

/* The line where a key stands after `from`; cJSON keeps no places. *from moves behind it. An escaped key isn't found. */
static unsigned find_key(struct view text, size_t *from, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = *from; i + n + 2 <= text.n; i++) {
        if (text.p[i] != '"' || text.p[i + n + 1] != '"' || memcmp(text.p + i + 1, key, n) != 0)
            continue;
        size_t colon = i + n + 2;
        while (colon < text.n && strchr(" \t\r\n", text.p[colon]) != NULL)
            colon++;
        if (colon == text.n || text.p[colon] != ':')
            continue;
        *from = colon;
        return line_of(text, (const char *)text.p + i);
    }
    return 0;
}

static bool add_json(struct properties *out, const cJSON *item, unsigned line, struct fail *why)
{
    if (cJSON_IsNull(item)) /* as if it were not there */
        return true;
    if (cJSON_IsString(item)) {
        add(out, view_of(item->string), view_of(item->valuestring), line);
        return true;
    }
    if (!cJSON_IsNumber(item) && !cJSON_IsBool(item))
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                        "line %u: the value of \"%s\" must be a text, number, true or false", line, item->string);
    char *text = cJSON_PrintUnformatted(item);
    ASSERT(text != NULL);
    add(out, view_of(item->string), view_of(text), line);
    free(text);
    return true;
}

/* Of a connector as Connect's REST interface tells and takes it ("name", "config", "tasks", "type") its config counts, and its
 * name where that has none. */
static bool is_setting(const cJSON *item, const cJSON *config)
{
    return config == NULL ||
           (strcmp(item->string, "name") == 0 && cJSON_GetObjectItemCaseSensitive(config, "name") == NULL);
}

static bool add_members(struct view text, struct properties *out, const cJSON *object, struct fail *why)
{
    size_t from = 0;
    const cJSON *item, *member;
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(object, "config");
    config = cJSON_IsObject(config) ? config : NULL;
    cJSON_ArrayForEach(item, object)
    {
        unsigned line = find_key(text, &from, item->string);
        if (item != config) {
            if (is_setting(item, config) && !add_json(out, item, line, why))
                return false;
            continue;
        }
        cJSON_ArrayForEach(member, config)
        {
            if (!add_json(out, member, find_key(text, &from, member->string), why))
                return false;
        }
    }
    return true;
}

static bool read_json(struct view text, struct properties *out, struct fail *why)
{
    const char *end = NULL;
    if (memmem(text.p, text.n, "\\u0000", 6) != NULL)
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "\\u0000 can't stand in a configuration");
    cJSON *json = cJSON_ParseWithLengthOpts((const char *)text.p, text.n, &end, false);
    bool ok = false;
    if (json == NULL || !cJSON_IsObject(json)) {
        refuse(why, line_of(text, end), "not JSON: expected an object of texts, as Kafka Connect takes it");
        goto out;
    }
    for (; (const uint8_t *)end < text.p + text.n; end++)
        if (strchr(" \t\r\n", *end) == NULL) {
            refuse(why, line_of(text, end), "something stands behind the JSON object");
            goto out;
        }
    ok = add_members(text, out, json, why);
out:
    cJSON_Delete(json);
    return ok;
}

/* ---- both ---- */

/* The length of the UTF-8 character at p, 0 when it is none. */
static size_t utf8_length(const uint8_t *p, size_t left)
{
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool is_overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool is_outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return is_overlong || is_outside ? 0 : n;
}

static bool check_text(struct view text, struct fail *why)
{
    for (size_t at = 0; at < text.n;) {
        size_t n = utf8_length(text.p + at, text.n - at);
        if (n == 0 || text.p[at] == 0)
            return refuse(why, line_of(text, (const char *)text.p + at),
                          n == 0 ? "not UTF-8; hint: convert the file, e.g. iconv -f latin1 -t utf-8"
                                 : "a NUL byte can't stand in a configuration");
        at += n;
    }
    return true;
}

bool properties_read(struct view text, struct properties *out, struct fail *why)
{
    *out = (struct properties){0};
    arena_init(&out->memory);
    if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        text = (struct view){text.p + 3, text.n - 3};
    if (!check_text(text, why))
        return false;
    size_t at = 0;
    while (at < text.n && strchr(" \t\r\n", text.p[at]) != NULL)
        at++;
    bool is_json = at < text.n && text.p[at] == '{';
    return is_json ? read_json(text, out, why) : read_text(text, out, why);
}

bool properties_read_file(const char *path, size_t limit, struct buf *out, struct fail *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0 && buf_size(out) <= limit) {
        buf_need(out, 64 << 10);
        got = read(fd, out->p, 64 << 10);
        if (got > 0)
            out->p += got;
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (got < 0)
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, error, "read %s: %s", path, strerror(error));
    if (buf_size(out) > limit)
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "read %s: longer than %zu bytes", path, limit);
    return true;
}

bool properties_load(const char *path, struct properties *out, struct fail *why)
{
    struct buf text;
    *out = (struct properties){0};
    arena_init(&out->memory);
    buf_init(&text);
    bool ok = properties_read_file(path, FILE_LIMIT, &text, why);
    if (ok) {
        properties_fini(out);
        ok = properties_read(buf_view(&text), out, why) || fail_add(why, "%s", path);
    }
    buf_fini(&text);
    return ok;
}

void properties_fini(struct properties *p)
{
    free(p->items);
    arena_fini(&p->memory);
    *p = (struct properties){0};
}

const struct property *properties_get(const struct properties *p, const char *key)
{
    for (size_t i = p->n; i > 0; i--)
        if (strcmp(p->items[i - 1].key, key) == 0)
            return &p->items[i - 1];
    return NULL;
}
