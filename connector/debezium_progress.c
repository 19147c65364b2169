/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/debezium_progress.h"

#include "base/log.h"
#include "connector/json_text.h"
#include "connector/key_text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* ---- writing ---- */

static bool is_left(const struct table_read *t)
{
    return t->kind == READ_INCREMENTAL && t->state != TABLE_DONE && t->state != TABLE_FAILED;
}

static const struct table_read *next_left(const struct table_read *t)
{
    while (t != NULL && !is_left(t))
        t = t->next_in_queue;
    return t;
}

/* Only the first table is begun. */
static bool is_told_by_head(const struct table_read *head)
{
    for (const struct table_read *t = next_left(head->next_in_queue); t != NULL; t = next_left(t->next_in_queue))
        if (!chunk_key_is_empty(&t->done))
            return false;
    return true;
}

static void put_collection(const struct table_read *t, struct buf *out)
{
    struct buf id;
    buf_init(&id);
    buf_printf(&id, "%s.%s%c", t->db, t->table, 0);
    buf_put_u8(out, '{');
    json_text_put_text_or_null(out, "incremental_snapshot_collections_id", (const char *)id.start);
    json_text_put_text_or_null(out, "incremental_snapshot_collections_additional_condition", t->filter);
    json_text_put_text_or_null(out, "incremental_snapshot_collections_surrogate_key", t->surrogate);
    buf_put_u8(out, '}');
    buf_fini(&id);
}

static void put_collections(const struct table_read *head, struct buf *out)
{
    struct buf list;
    buf_init(&list);
    buf_put_u8(&list, '[');
    for (const struct table_read *t = head; t != NULL; t = next_left(t->next_in_queue)) {
        if (t != head)
            buf_put_u8(&list, ',');
        put_collection(t, &list);
    }
    buf_put_u8(&list, ']');
    json_text_put_name(out, "incremental_snapshot_collections");
    json_text_put_string(out, buf_view(&list));
    buf_fini(&list);
}

static bool put_key(struct buf *out, const char *name, const struct chunk_path *path, const struct chunk_key *key)
{
    struct java_key java;
    struct arena memory;
    struct fail why;
    arena_init(&memory);
    bool ok = key_text_to_java(path, buf_view(&key->text), &memory, &java, &why);
    if (ok) {
        json_text_put_name(out, name);
        buf_put_u8(out, '"');
        java_key_encode(&java, out);
        buf_put_u8(out, '"');
    } else {
        log_debug("debezium_progress", "%s", why.text);
    }
    arena_fini(&memory);
    return ok;
}

/* By a surrogate Debezium keeps that column's value alone, which says too little of ours. */
static bool put_keys(const struct table_read *head, debezium_shape_fn find_shape, void *ctx, struct buf *out)
{
    static const struct chunk_path no_path = {.n = 0};
    const struct shape *shape = NULL;
    struct chunk_path path = no_path;
    struct fail why;
    bool has_keys = !chunk_key_is_empty(&head->done) || !chunk_key_is_empty(&head->last);
    bool ok = !has_keys || head->surrogate == NULL;
    if (ok && has_keys && head->shape != NULL)
        shape = shape_hold(head->shape);
    else if (ok && has_keys)
        ok = find_shape(ctx, view_of(head->db), view_of(head->table), &shape) == INCREMENTAL_SHAPE_FOUND;
    if (ok && has_keys)
        ok = chunk_choose_path(&path, shape, NULL, &why);
    ok = ok && put_key(out, "incremental_snapshot_primary_key", &path, &head->done) &&
         put_key(out, "incremental_snapshot_maximum_key", &path, &head->last);
    if (shape != NULL)
        shape_free(&shape);
    return ok;
}

void debezium_progress_print(const struct incremental *inc, debezium_shape_fn find_shape, void *ctx, struct buf *out)
{
    const struct table_read *head = next_left(incremental_tables(inc));
    size_t before = buf_size(out);
    if (head == NULL || incremental_has(inc, READ_INITIAL) || !is_told_by_head(head))
        return;
    buf_put_u8(out, '{'); /* what put_name looks back at; replaced by the comma */
    if (!put_keys(head, find_shape, ctx, out)) {
        out->p = out->start + before;
        return;
    }
    put_collections(head, out);
    json_text_put_text_or_null(out, "incremental_snapshot_correlation_id", head->signal_id);
    out->start[before] = ',';
}

/* ---- reading ---- */

/* Where the parenthesis that opens at text[0] closes; text.n when it does not. Quoted text is passed over. */
static size_t closing_of(struct view text)
{
    unsigned depth = 0;
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        if (c == '\'' || c == '"' || c == '`') {
            while (++i < text.n && text.p[i] != c)
                i += text.p[i] == '\\' && c != '`';
        } else if (c == '(') {
            depth++;
        } else if (c == ')' && --depth == 0) {
            return i;
        }
    }
    return text.n;
}

/* Debezium stores a condition with parentheses around it, and adds a pair at each restart. */
static char *bare_condition(const char *text)
{
    struct view v = view_of(text);
    for (;;) {
        while (v.n > 0 && v.p[0] == ' ')
            v = (struct view){v.p + 1, v.n - 1};
        while (v.n > 0 && v.p[v.n - 1] == ' ')
            v.n--;
        if (v.n < 2 || v.p[0] != '(' || closing_of(v) != v.n - 1)
            return v.n == 0 ? NULL : view_to_string(v);
        v = (struct view){v.p + 1, v.n - 2};
    }
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static struct table_read *read_collection(const cJSON *item, struct fail *why)
{
    const char *id = text_of(item, "incremental_snapshot_collections_id");
    const char *condition = text_of(item, "incremental_snapshot_collections_additional_condition");
    const char *surrogate = text_of(item, "incremental_snapshot_collections_surrogate_key");
    const char *point = id == NULL ? NULL : strchr(id, '.');
    if (point == NULL) {
        fail_malformed(why, "a table of incremental_snapshot_collections has no name with a point in it");
        return NULL;
    }
    struct table_read *t = table_read_new((struct view){(const uint8_t *)id, (size_t)(point - id)}, view_of(point + 1));
    t->filter = condition == NULL ? NULL : bare_condition(condition);
    t->surrogate = surrogate == NULL || *surrogate == '\0' ? NULL : mem_strdup(surrogate);
    return t;
}

static bool read_key(const char *hex, const struct chunk_path *path, struct chunk_key *out, struct fail *why)
{
    struct java_key key;
    struct arena memory;
    arena_init(&memory);
    bool ok =
        hex == NULL || (java_key_decode(view_of(hex), &memory, &key, why) && key_text_from_java(path, &key, out, why));
    arena_fini(&memory);
    return ok;
}

static bool read_keys(struct table_read *t, const cJSON *members, const struct shape *shape, struct fail *why)
{
    struct chunk_path path;
    if (t->surrogate != NULL)
        return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, 0, "the stored key is of the surrogate column alone");
    return chunk_choose_path(&path, shape, NULL, why) &&
           read_key(text_of(members, "incremental_snapshot_primary_key"), &path, &t->done, why) &&
           read_key(text_of(members, "incremental_snapshot_maximum_key"), &path, &t->last, why);
}

static bool find_keys(struct table_read *t, const cJSON *members, debezium_shape_fn find_shape, void *ctx,
                      struct fail *why)
{
    const struct shape *shape = NULL;
    if (find_shape(ctx, view_of(t->db), view_of(t->table), &shape) != INCREMENTAL_SHAPE_FOUND)
        return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, 0, "its shape is not known at the stored position");
    bool ok = read_keys(t, members, shape, why);
    shape_free(&shape);
    return ok;
}

static bool has_key(const cJSON *members)
{
    const char *hex = text_of(members, "incremental_snapshot_primary_key");
    return hex != NULL && strcmp(hex, "aced000570") != 0;
}

/* The head goes on where it was, if that can be. */
static void take_keys(struct table_read *t, const cJSON *members, debezium_shape_fn find_shape, void *ctx)
{
    struct fail why;
    if (!has_key(members))
        return; /* nothing of it was sent */
    if (!find_keys(t, members, find_shape, ctx, &why)) {
        log_warn("debezium_progress", "%s.%s is read again from its start: %s", t->db, t->table, why.text);
        chunk_key_set(&t->done, VIEW_NONE);
        chunk_key_set(&t->last, VIEW_NONE);
        return;
    }
    chunk_key_set(&t->read, buf_view(&t->done.text));
    t->has_last = !chunk_key_is_empty(&t->last);
    log_info("debezium_progress", "%s.%s is read on behind %.*s, as Debezium stored it", t->db, t->table,
             VIEW_ARGS(buf_view(&t->done.text)));
}

static bool take_collections(struct incremental *inc, const cJSON *members, const cJSON *list,
                             debezium_shape_fn find_shape, void *ctx, struct fail *why)
{
    const char *id = text_of(members, "incremental_snapshot_correlation_id");
    const cJSON *item;
    bool is_head = true;
    cJSON_ArrayForEach(item, list)
    {
        struct table_read *t = read_collection(item, why);
        if (t == NULL)
            return false;
        t->signal_id = id == NULL ? NULL : mem_strdup(id);
        if (is_head)
            take_keys(t, members, find_shape, ctx);
        is_head = false;
        incremental_add(inc, t);
    }
    return true;
}

bool debezium_progress_load(struct incremental *inc, struct view members, debezium_shape_fn find_shape, void *ctx,
                            char **id, struct fail *why)
{
    struct buf object;
    buf_init(&object);
    buf_put_u8(&object, '{');
    buf_put(&object, members.p + 1, members.n - 1); /* without the comma it begins with */
    buf_put_u8(&object, '}');
    cJSON *root = cJSON_ParseWithLength((const char *)object.start, buf_size(&object));
    const char *text = text_of(root, "incremental_snapshot_collections");
    const char *signal = text_of(root, "incremental_snapshot_correlation_id");
    cJSON *list = text == NULL ? NULL : cJSON_Parse(text);
    bool ok = cJSON_IsArray(list) || fail_malformed(why, "incremental_snapshot_collections holds no JSON list");
    ok = ok && take_collections(inc, root, list, find_shape, ctx, why);
    *id = ok && signal != NULL ? mem_strdup(signal) : NULL;
    if (!ok) {
        why->kind = FAIL_STOP;
        fail_add(why, "take up the incremental snapshot that Debezium left");
    }
    cJSON_Delete(list);
    cJSON_Delete(root);
    buf_fini(&object);
    return ok;
}
