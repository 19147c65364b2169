/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/connect_offsets.h"

#include "connector/connect_file.h"
#include "connector/json_text.h"
#include "connector/properties.h"
#include "connector/state_topic.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { LARGEST_FILE = 64 << 20 };

void connect_offsets_init(struct connect_offsets *all)
{
    *all = (struct connect_offsets){.n = 0};
}

void connect_offsets_fini(struct connect_offsets *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->entries[i].name);
        free(all->entries[i].server);
        free(all->entries[i].value);
    }
    free(all->entries);
    connect_offsets_init(all);
}

/* The last of a key counts. */
static void put(struct connect_offsets *all, const char *name, const char *server, bool has_value, struct view value)
{
    struct connect_entry *e = NULL;
    for (size_t i = 0; i < all->n && e == NULL; i++)
        if (strcmp(all->entries[i].name, name) == 0 && strcmp(all->entries[i].server, server) == 0)
            e = &all->entries[i];
    if (e == NULL) {
        all->entries = mem_resize(all->entries, (all->n + 1) * sizeof *all->entries);
        e = &all->entries[all->n++];
        *e = (struct connect_entry){mem_strdup(name), mem_strdup(server), NULL};
    }
    free(e->value);
    e->value = has_value ? view_to_string(value) : NULL;
}

/* ---- records ---- */

/* Keys of other kinds (other connectors partition otherwise) are passed by. */
static bool take_record(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    (void)why;
    cJSON *array = key.n == 0 ? NULL : cJSON_ParseWithLength((const char *)key.p, key.n);
    const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(array, 0));
    const char *server = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(array, 1), "server"));
    if (name != NULL && server != NULL && cJSON_GetArraySize(array) == 2)
        put(ctx, name, server, has_value, value);
    cJSON_Delete(array);
    return true;
}

bool connect_offsets_read_topic(struct connect_offsets *all, const struct config *cfg, const char *topic,
                                struct fail *why)
{
    return state_topic_read_existing(&cfg->kafka.client, topic, take_record, all, why);
}

/* ---- files ---- */

static void put_json(struct connect_offsets *all, const char *server, const cJSON *offset)
{
    char *text = cJSON_IsObject(offset) ? cJSON_PrintUnformatted(offset) : NULL;
    put(all, "", server == NULL ? "" : server, text != NULL, view_of(text));
    cJSON_free(text);
}

/* What the REST door gives, or one value. */
static bool take_object(struct connect_offsets *all, const cJSON *object)
{
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(object, "offsets");
    const cJSON *item;
    if (cJSON_IsArray(offsets)) {
        cJSON_ArrayForEach(item, offsets)
        {
            const cJSON *partition = cJSON_GetObjectItemCaseSensitive(item, "partition");
            put_json(all, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(partition, "server")),
                     cJSON_GetObjectItemCaseSensitive(item, "offset"));
        }
        return true;
    }
    if (!cJSON_HasObjectItem(object, "file"))
        return false;
    put_json(all, NULL, object);
    return true;
}

/* {"key":[…],"value":{…}} */
static bool take_line(struct connect_offsets *all, struct view line)
{
    static const char begin[] = "{\"key\":";
    static const char middle[] = ",\"value\":";
    size_t at = sizeof begin - 1;
    if (line.n < at || memcmp(line.p, begin, at) != 0)
        return false;
    size_t end = json_text_skip(line, at);
    struct view key = {line.p + at, end - at};
    if (line.n - end < sizeof middle || memcmp(line.p + end, middle, sizeof middle - 1) != 0)
        return false;
    at = end + sizeof middle - 1;
    end = json_text_skip(line, at);
    return take_record(all, key, true, (struct view){line.p + at, end - at}, NULL);
}

static bool take_lines(struct connect_offsets *all, struct view text)
{
    for (size_t at = 0; at < text.n;) {
        const uint8_t *end = memchr(text.p + at, '\n', text.n - at);
        size_t n = end == NULL ? text.n - at : (size_t)(end - text.p) - at;
        if (n > 0 && !take_line(all, (struct view){text.p + at, n}))
            return false;
        at += n + 1;
    }
    return text.n > 0;
}

bool connect_offsets_read_text(struct connect_offsets *all, struct view text, struct fail *why)
{
    if (text.n >= 2 && text.p[0] == 0xac && text.p[1] == 0xed)
        return connect_file_read(text, take_record, all, why);
    const char *end = NULL;
    cJSON *object = text.n == 0 ? NULL : cJSON_ParseWithLengthOpts((const char *)text.p, text.n, &end, false);
    bool ok = (cJSON_IsObject(object) && take_object(all, object)) || take_lines(all, text);
    cJSON_Delete(object);
    return ok ||
           fail_malformed(why, "it is neither a file of Connect's FileOffsetBackingStore, nor what Connect's REST "
                               "door gives for offsets, nor an offset's value");
}

bool connect_offsets_read_path(struct connect_offsets *all, const char *path, struct fail *why)
{
    struct buf text;
    buf_init(&text);
    bool ok = properties_read_file(path, LARGEST_FILE, &text, why);
    if (ok && !connect_offsets_read_text(all, buf_view(&text), why)) {
        why->kind = FAIL_STOP;
        ok = fail_add(why, "read %s", path);
    }
    buf_fini(&text);
    return ok;
}

/* ---- choosing ---- */

static bool is_nameless(const struct connect_entry *e)
{
    return e->name[0] == '\0';
}

static const struct connect_entry *find(const struct connect_offsets *all, const char *name, const char *server,
                                        size_t *n)
{
    const struct connect_entry *found = NULL;
    *n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct connect_entry *e = &all->entries[i];
        if (e->value == NULL || (name != NULL && !is_nameless(e) && strcmp(e->name, name) != 0) ||
            (server != NULL && e->server[0] != '\0' && strcmp(e->server, server) != 0))
            continue;
        found = e;
        ++*n;
    }
    return found;
}

static void fail_choice(const struct connect_offsets *all, const struct config *cfg, const char *name, struct fail *why)
{
    struct buf names;
    buf_init(&names);
    for (size_t i = 0; i < all->n; i++)
        if (all->entries[i].value != NULL)
            buf_printf(&names, "%s%s (topic.prefix %s)", buf_size(&names) > 0 ? ", " : "", all->entries[i].name,
                       all->entries[i].server);
    fail_set(
        why, FAIL_STOP, FAIL_AREA_REFUSED, 0,
        "no offset is stored there for %s%s with topic.prefix %s; there are: %.*s%s; hint: --name says which connector",
        name == NULL ? "a connector" : "the connector ", name == NULL ? "" : name, cfg->record.topic_prefix,
        VIEW_ARGS(buf_view(&names)), buf_size(&names) > 0 ? "" : "none");
    buf_fini(&names);
}

const struct connect_entry *connect_offsets_choose(const struct connect_offsets *all, const struct config *cfg,
                                                   const char *name, struct fail *why)
{
    const char *prefix = cfg->record.topic_prefix;
    size_t n;
    const struct connect_entry *e = find(all, name == NULL ? cfg->name : name, prefix, &n);
    if (n != 1 && name != NULL)
        e = find(all, name, NULL, &n);
    if (n != 1 && name == NULL)
        e = find(all, NULL, prefix, &n);
    if (n == 1)
        return e;
    fail_choice(all, cfg, name, why);
    return NULL;
}
