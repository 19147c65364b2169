/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/golden.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- files ---- */

static struct {
    char path[256];
    struct view text;
} cached[16];

static struct view read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("can't open %s", path);
    struct buf text;
    buf_init(&text);
    size_t n;
    do {
        buf_need(&text, 65536);
        n = fread(text.p, 1, 65536, f);
        text.p += n;
    } while (n > 0);
    fclose(f);
    return buf_view(&text);
}

static struct view file_text(const char *path)
{
    for (unsigned i = 0; i < sizeof cached / sizeof cached[0]; i++) {
        if (strcmp(cached[i].path, path) == 0)
            return cached[i].text;
        if (cached[i].path[0] != '\0')
            continue;
        snprintf(cached[i].path, sizeof cached[i].path, "%s", path);
        cached[i].text = read_file(path);
        return cached[i].text;
    }
    fail_msg("too many golden files in one test");
    abort();
}

/* ---- JSON, as far as it is needed to cut it ---- */

/* How long the JSON value at the start of a text is. */
static size_t value_bytes(struct view json)
{
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < json.n; i++) {
        uint8_t c = json.p[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
            return i;
        }
        bool is_end = depth == 0 && !in_string && (c == '"' || c == '}' || c == ']');
        if (is_end)
            return i + 1;
    }
    return json.n;
}

static struct view from(struct view text, size_t at)
{
    return (struct view){text.p + at, text.n - at};
}

struct view golden_member(struct view json, const char *name)
{
    char key[80];
    size_t n = (size_t)snprintf(key, sizeof key, "\"%s\":", name);
    const uint8_t *at = json.n == 0 ? NULL : memmem(json.p, json.n, key, n);
    if (at == NULL)
        return VIEW_NONE;
    struct view rest = from(json, (size_t)(at - json.p) + n);
    while (rest.n > 0 && rest.p[0] == ' ')
        rest = from(rest, 1);
    return (struct view){rest.p, value_bytes(rest)};
}

/* ---- records ---- */

static bool read_line(struct view line, const char *topic, struct golden *g)
{
    char start[160];
    size_t n = (size_t)snprintf(start, sizeof start, "{\"topic\":\"%s\",\"key\":", topic);
    if (line.n < n || memcmp(line.p, start, n) != 0)
        return false;
    struct view rest = from(line, n);
    g->key = (struct view){rest.p, value_bytes(rest)};
    rest = from(rest, g->key.n + strlen(",\"value\":"));
    g->value = (struct view){rest.p, value_bytes(rest)};
    rest = from(rest, g->value.n + strlen(",\"headers\":"));
    g->headers = (struct view){rest.p, value_bytes(rest)};
    return true;
}

static struct view payload_of(struct view half)
{
    struct view payload = golden_member(half, "payload");
    return payload.n > 0 ? payload : half;
}

static bool is_streamed(const struct golden *g)
{
    struct view snapshot = golden_member(payload_of(g->value), "snapshot");
    return snapshot.n == 0 || view_is(snapshot, "\"false\"") || view_is(snapshot, "null");
}

struct golden golden_streamed(const char *name, bool with_schemas, const char *topic, unsigned nth)
{
    char path[256];
    snprintf(path, sizeof path, "test/data/golden/%s/%s.jsonl", name, with_schemas ? "records" : "plain");
    struct view text = file_text(path);
    unsigned seen = 0;
    while (text.n > 0) {
        const uint8_t *end = memchr(text.p, '\n', text.n);
        struct view line = {text.p, end == NULL ? text.n : (size_t)(end - text.p)};
        struct golden g;
        if (read_line(line, topic, &g) && is_streamed(&g) && seen++ == nth)
            return g;
        text = from(text, line.n + (end == NULL ? 0 : 1));
    }
    fail_msg("%s has no streamed record %u of %s", path, nth, topic);
    abort();
}

/* ---- what a record says ---- */

static int64_t number_of(struct view json, const char *name)
{
    struct view text = golden_member(json, name);
    int64_t value = 0;
    for (size_t i = 0; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++)
        value = value * 10 + (text.p[i] - '0');
    return value;
}

/* A string without escapes, or empty for null. */
static struct view text_of(struct view json, const char *name)
{
    struct view text = golden_member(json, name);
    return text.n < 2 || text.p[0] != '"' ? VIEW_NONE : (struct view){text.p + 1, text.n - 2};
}

struct row_source golden_source(const struct golden *g, uint32_t *row)
{
    struct view payload = payload_of(g->value);
    struct view source = golden_member(payload, "source");
    struct view clock = source.n == 0 ? payload : from(payload, (size_t)(source.p + source.n - payload.p));
    struct view thread = golden_member(source, "thread");
    *row = (uint32_t)number_of(source, "row");
    return (struct row_source){
        .file = text_of(source, "file"),
        .pos = (uint64_t)number_of(source, "pos"),
        .server_id = (uint32_t)number_of(source, "server_id"),
        .has_thread = !view_is(thread, "null"),
        .thread = (uint64_t)number_of(source, "thread"),
        .gtid = text_of(source, "gtid"),
        .ts_us = number_of(source, "ts_us"),
        .now_ns = golden_member(clock, "ts_ns").n > 0 ? number_of(clock, "ts_ns") : number_of(clock, "ts_ms") * 1000000,
        .snapshot = "false",
    };
}

bool golden_header(const struct golden *g, const char *name, struct buf *out)
{
    struct view text = golden_member(g->headers, name);
    if (text.n < 2)
        return false;
    for (size_t i = 1; i + 1 < text.n; i++) {
        if (text.p[i] != '\\') {
            buf_put_u8(out, text.p[i]);
            continue;
        }
        i++;
        buf_put_u8(out, text.p[i] == 'n' ? '\n' : text.p[i]);
    }
    return true;
}

void golden_check_equal(struct view got, struct view expected, const char *what)
{
    if (view_equal(got, expected))
        return;
    size_t at = 0;
    while (at < got.n && at < expected.n && got.p[at] == expected.p[at])
        at++;
    size_t start = at < 60 ? 0 : at - 60;
    fail_msg("%s differs at byte %zu\n got      …%.*s\n expected …%.*s", what, at, (int)(got.n - start),
             (const char *)got.p + start, (int)(expected.n - start), (const char *)expected.p + start);
}
