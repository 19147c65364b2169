/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/expand.h"

#include "base/log.h"
#include "connector/properties.h"

#include <ctype.h>
#include <stdlib.h>

enum { SECRET_FILE_LIMIT = 1 << 20 };

static bool refuse(struct fail *why, struct view reference, const char *what)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "${%.*s}: %s", VIEW_ARGS(reference), what);
}

static void put(struct buf *out, struct view text, bool is_secret)
{
    buf_put_view(out, text);
    if (!is_secret)
        return;
    char *copy = view_to_string(text);
    log_hide(copy);
    explicit_bzero(copy, text.n);
    free(copy);
}

/* Splits at a colon; the rest is empty with p NULL when there is none. `last` takes the last one. */
static struct view split(struct view text, bool last, struct view *rest)
{
    const uint8_t *colon = text.n == 0 ? NULL : last ? memrchr(text.p, ':', text.n) : memchr(text.p, ':', text.n);
    if (colon == NULL) {
        *rest = VIEW_NONE;
        return text;
    }
    size_t n = (size_t)(colon - text.p);
    *rest = (struct view){colon + 1, text.n - n - 1};
    return (struct view){text.p, n};
}

/* ---- providers ---- */

static bool put_environment(struct view reference, struct view name, bool is_secret, struct buf *out, struct fail *why)
{
    char *key = view_to_string(name);
    const char *value = getenv(key);
    free(key);
    if (value == NULL)
        return refuse(why, reference, "there is no such environment variable");
    put(out, view_of(value), is_secret);
    return true;
}

static bool put_file_key(struct view reference, struct view path, struct view key, bool is_secret, struct buf *out,
                         struct fail *why)
{
    struct properties file;
    char *path_text = view_to_string(path), *key_text = view_to_string(key);
    bool ok = properties_load(path_text, &file, why);
    const struct property *found = ok ? properties_get(&file, key_text) : NULL;
    if (ok && found == NULL)
        ok = refuse(why, reference, "the file has no such key");
    if (ok)
        put(out, view_of(found->value), is_secret);
    properties_fini(&file);
    free(path_text);
    free(key_text);
    return ok;
}

/* A folder of secrets as Kubernetes mounts them: each file one value. */
static bool put_folder_file(struct view reference, struct view path, struct view name, bool is_secret, struct buf *out,
                            struct fail *why)
{
    if (memchr(name.p, '/', name.n) != NULL || name.p[0] == '.')
        return refuse(why, reference, "the name must be that of a file in the folder");
    struct buf file, text;
    buf_init(&file);
    buf_init(&text);
    buf_printf(&file, "%.*s/%.*s", VIEW_ARGS(path), VIEW_ARGS(name));
    buf_put_u8(&file, 0);
    bool ok = properties_read_file((const char *)file.start, SECRET_FILE_LIMIT, &text, why);
    struct view value = buf_view(&text);
    if (value.n > 0 && value.p[value.n - 1] == '\n')
        value.n--;
    if (value.n > 0 && value.p[value.n - 1] == '\r')
        value.n--;
    if (ok && value.n > 0 && memchr(value.p, 0, value.n) != NULL)
        ok = refuse(why, reference, "the file has a NUL byte");
    if (ok)
        put(out, value, is_secret);
    buf_fini(&file);
    buf_fini(&text);
    return ok;
}

/* Debezium Server reads NAME_IN_CAPITALS for name.in-capitals. */
static const char *server_variable(struct view name)
{
    char *key = view_to_string(name);
    const char *value = getenv(key);
    if (value == NULL) {
        for (char *c = key; *c != '\0'; c++)
            *c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
        value = getenv(key);
    }
    free(key);
    return value;
}

/* ---- references ---- */

static bool put_reference(struct view reference, struct expand_rules rules, struct buf *out, struct fail *why)
{
    struct view rest, name;
    struct view provider = split(reference, false, &rest);
    if (rest.p != NULL && view_is(provider, "env") && rest.n > 0)
        return put_environment(reference, rest, rules.is_secret, out, why);
    bool is_file = view_is(provider, "file"), is_folder = view_is(provider, "directory") || view_is(provider, "dir");
    if (rest.p != NULL && (is_file || is_folder)) {
        struct view path = split(rest, true, &name);
        if (name.p == NULL || name.n == 0 || path.n == 0)
            return refuse(why, reference, "must be ${file:PATH:key} or ${directory:PATH:name}");
        return is_file ? put_file_key(reference, path, name, rules.is_secret, out, why)
                       : put_folder_file(reference, path, name, rules.is_secret, out, why);
    }
    if (rules.is_server) {
        const char *value = server_variable(provider);
        if (value == NULL && rest.p == NULL)
            return refuse(why, reference, "there is no such environment variable");
        put(out, value == NULL ? rest : view_of(value), rules.is_secret);
        return true;
    }
    if (rest.p != NULL)
        return refuse(why, reference, "not a known provider: env, file and directory are");
    buf_printf(out, "${%.*s}", VIEW_ARGS(reference)); /* no reference for Kafka Connect, so none for us */
    return true;
}

bool expand_value(const char *value, struct expand_rules rules, struct buf *out, struct fail *why)
{
    struct cursor c = cursor_of(view_of(value));
    while (cursor_left(&c) > 0) {
        struct view rest = {c.p, cursor_left(&c)};
        const uint8_t *start = memmem(rest.p, rest.n, "${", 2);
        const uint8_t *end = start == NULL ? NULL : memchr(start, '}', rest.n - (size_t)(start - rest.p));
        if (end == NULL) {
            buf_put_view(out, rest);
            return true;
        }
        buf_put_view(out, cursor_view(&c, (size_t)(start - rest.p)));
        struct view reference = {start + 2, (size_t)(end - start) - 2};
        cursor_take(&c, reference.n + 3);
        if (!put_reference(reference, rules, out, why))
            return false;
    }
    return true;
}

bool expand_has_reference(const char *value)
{
    const char *start = strstr(value, "${");
    return start != NULL && strchr(start, '}') != NULL;
}
