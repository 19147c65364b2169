/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/parse.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

static const char *const kind_names[] = {
    [SIGNAL_EXECUTE] = "execute-snapshot",
    [SIGNAL_STOP] = "stop-snapshot",
    [SIGNAL_PAUSE] = "pause-snapshot",
    [SIGNAL_RESUME] = "resume-snapshot",
    [SIGNAL_LOG] = "log",
    [SIGNAL_SET_POSITION] = "set-binlog-position",
};

enum { N_KINDS = sizeof kind_names / sizeof *kind_names };

const char *signal_kind_name(enum signal_kind kind)
{
    return kind_names[kind];
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static struct view keep(struct arena *memory, const cJSON *text)
{
    return arena_copy(memory, view_of(text->valuestring));
}

static struct view keep_trimmed(struct arena *memory, const cJSON *text)
{
    struct view v = view_of(text->valuestring);
    while (v.n > 0 && v.p[0] <= ' ')
        v = (struct view){v.p + 1, v.n - 1};
    while (v.n > 0 && v.p[v.n - 1] <= ' ')
        v.n--;
    return arena_copy(memory, v);
}

/* ---- data of execute-snapshot and stop-snapshot ---- */

static bool read_type(const cJSON *data, struct signal *sig, struct fail *why)
{
    const cJSON *type = member(data, "type");
    if (type == NULL || cJSON_IsNull(type))
        return true;
    if (!cJSON_IsString(type))
        return fail_malformed(why, "data.type is not a string");
    struct view text = view_of(type->valuestring);
    sig->has_type = true;
    sig->is_blocking = view_equal_nocase(text, view_of("BLOCKING"));
    if (sig->is_blocking || view_equal_nocase(text, view_of("INCREMENTAL")))
        return true;
    return fail_malformed(why, "data.type is \"%s\"; it can be INCREMENTAL or BLOCKING", type->valuestring);
}

static bool read_collections(const cJSON *data, bool is_needed, struct arena *memory, struct signal *sig,
                             struct fail *why)
{
    const cJSON *list = member(data, "data-collections");
    const cJSON *item;
    if (list == NULL || cJSON_IsNull(list))
        return is_needed ? fail_malformed(why, "data.data-collections is missing: it names the tables") : true;
    if (!cJSON_IsArray(list))
        return fail_malformed(why, "data.data-collections is not an array of names");
    int n = cJSON_GetArraySize(list);
    if (n == 0 && is_needed)
        return fail_malformed(why, "data.data-collections is empty");
    sig->collections = arena_zero(memory, (size_t)n, sizeof *sig->collections);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item))
            return fail_malformed(why, "data.data-collections holds something that is not a string");
        struct view name = keep_trimmed(memory, item);
        if (name.n == 0)
            return fail_malformed(why, "data.data-collections holds an empty name");
        sig->collections[sig->n_collections++] = name;
    }
    return true;
}

static bool add_condition(const cJSON *item, struct arena *memory, struct signal *sig, struct fail *why)
{
    const cJSON *collection = member(item, "data-collection");
    const cJSON *filter = member(item, "filter");
    if (!cJSON_IsObject(item) || !cJSON_IsString(collection))
        return fail_malformed(why, "an entry of data.additional-conditions has no string data-collection");
    if (!cJSON_IsString(filter))
        return fail_malformed(why, "the entry of data.additional-conditions for %s has no string filter",
                              collection->valuestring);
    sig->conditions[sig->n_conditions++] =
        (struct signal_condition){keep_trimmed(memory, collection), keep_trimmed(memory, filter)};
    return true;
}

/* The older single form holds for all tables of the signal. */
static bool read_single_condition(const cJSON *data, struct arena *memory, struct signal *sig, struct fail *why)
{
    const cJSON *single = member(data, "additional-condition");
    if (single == NULL || cJSON_IsNull(single))
        return true;
    if (!cJSON_IsString(single))
        return fail_malformed(why, "data.additional-condition is not a string");
    struct view filter = keep_trimmed(memory, single);
    if (filter.n > 0)
        sig->conditions[sig->n_conditions++] = (struct signal_condition){VIEW_NONE, filter};
    return true;
}

static bool read_conditions(const cJSON *data, struct arena *memory, struct signal *sig, struct fail *why)
{
    const cJSON *list = member(data, "additional-conditions");
    const cJSON *item;
    bool has_list = list != NULL && !cJSON_IsNull(list);
    if (has_list && !cJSON_IsArray(list))
        return fail_malformed(why, "data.additional-conditions is not an array");
    size_t room = (has_list ? (size_t)cJSON_GetArraySize(list) : 0) + 1;
    sig->conditions = arena_zero(memory, room, sizeof *sig->conditions);
    if (has_list) {
        cJSON_ArrayForEach(item, list)
        {
            if (!add_condition(item, memory, sig, why))
                return false;
        }
    }
    return read_single_condition(data, memory, sig, why);
}

static bool read_surrogate(const cJSON *data, struct arena *memory, struct signal *sig, struct fail *why)
{
    const cJSON *key = member(data, "surrogate-key");
    if (key == NULL || cJSON_IsNull(key))
        return true;
    if (!cJSON_IsString(key))
        return fail_malformed(why, "data.surrogate-key is not a string");
    sig->surrogate = keep_trimmed(memory, key);
    return true;
}

/* ---- data of the others ---- */

static bool read_message(const cJSON *data, struct arena *memory, struct signal *sig, struct fail *why)
{
    const cJSON *message = member(data, "message");
    if (!cJSON_IsString(message))
        return fail_malformed(why, "data.message is missing or not a string");
    sig->message = keep(memory, message);
    return true;
}

static bool read_position(const cJSON *data, struct arena *memory, struct signal *sig, struct fail *why)
{
    const cJSON *file = member(data, "binlog_filename");
    const cJSON *offset = member(data, "binlog_position");
    const cJSON *gtids = member(data, "gtid_set");
    bool has_place = cJSON_IsString(file) && cJSON_IsNumber(offset);
    bool has_half = (file != NULL && !cJSON_IsNull(file)) || (offset != NULL && !cJSON_IsNull(offset));
    if (has_half != has_place || has_place == cJSON_IsString(gtids))
        return fail_malformed(why, "data must hold either binlog_filename and binlog_position, or gtid_set");
    if (!has_place) {
        sig->gtids = keep_trimmed(memory, gtids);
        return true;
    }
    double n = offset->valuedouble;
    if (n < 0 || n > 9007199254740992.0 || n != floor(n))
        return fail_malformed(why, "data.binlog_position is not a whole number of bytes");
    sig->file = keep_trimmed(memory, file);
    sig->offset = (uint64_t)n;
    return true;
}

static bool read_data(const cJSON *data, struct arena *memory, struct signal *sig, struct fail *why)
{
    switch (sig->kind) {
    case SIGNAL_EXECUTE:
        return read_type(data, sig, why) && read_collections(data, true, memory, sig, why) &&
               read_conditions(data, memory, sig, why) && read_surrogate(data, memory, sig, why);
    case SIGNAL_STOP:
        return read_type(data, sig, why) && read_collections(data, false, memory, sig, why);
    case SIGNAL_PAUSE:
    case SIGNAL_RESUME:
        return true;
    case SIGNAL_LOG:
        return read_message(data, memory, sig, why);
    case SIGNAL_SET_POSITION:
        return read_position(data, memory, sig, why);
    }
    return true;
}

/* ---- the record ---- */

static bool read_kind(const cJSON *root, struct signal *sig, struct fail *why)
{
    const cJSON *type = member(root, "type");
    if (!cJSON_IsString(type))
        return fail_malformed(why, "member type is missing or not a string");
    for (unsigned i = 0; i < N_KINDS; i++) {
        if (strcmp(type->valuestring, kind_names[i]) != 0)
            continue;
        sig->kind = (enum signal_kind)i;
        return true;
    }
    return fail_malformed(why,
                          "type \"%s\" is not known here; known are execute-snapshot, stop-snapshot, pause-snapshot, "
                          "resume-snapshot, log, set-binlog-position",
                          type->valuestring);
}

/* Cut between two characters. */
static bool read_id(const cJSON *id, struct arena *memory, struct signal *sig, struct fail *why)
{
    sig->has_id = true;
    sig->id = keep(memory, id);
    if (sig->id.n <= SIGNAL_ID_BYTES)
        return true;
    fail_malformed(why, "its id has %zu bytes, %d is the most", sig->id.n, SIGNAL_ID_BYTES);
    sig->id.n = SIGNAL_ID_BYTES;
    while (sig->id.n > 0 && (sig->id.p[sig->id.n] & 0xc0) == 0x80)
        sig->id.n--;
    return false;
}

static bool read_root(const cJSON *root, struct arena *memory, struct signal *sig, struct fail *why)
{
    const cJSON *id = member(root, "id");
    const cJSON *data = member(root, "data");
    if (!cJSON_IsObject(root))
        return fail_malformed(why, "the value is not a JSON object");
    if (cJSON_IsString(id) && !read_id(id, memory, sig, why))
        return false;
    if (!read_kind(root, sig, why))
        return false;
    if (data != NULL && !cJSON_IsNull(data) && !cJSON_IsObject(data))
        return fail_malformed(why, "member data is not an object");
    return read_data(data, memory, sig, why);
}

enum signal_parsed signal_parse(struct view key, struct view value, const char *topic_prefix, struct arena *memory,
                                struct signal *sig, struct fail *why)
{
    *sig = (struct signal){.kind = SIGNAL_LOG};
    if (key.p == NULL || !view_is(key, topic_prefix)) {
        fail_set(why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0,
                 "its key is %s%.*s%s, signals for this connector have the key \"%s\"", key.p == NULL ? "null" : "\"",
                 (int)(key.n > 100 ? 100 : key.n), (const char *)key.p, key.p == NULL ? "" : "\"", topic_prefix);
        return SIGNAL_IS_FOREIGN;
    }
    if (value.n == 0)
        return SIGNAL_IS_EMPTY;
    cJSON *root = cJSON_ParseWithLength((const char *)value.p, value.n);
    if (root == NULL) {
        fail_malformed(why, "the value is not JSON: %.*s", (int)(value.n > 100 ? 100 : value.n), (const char *)value.p);
        return SIGNAL_IS_BAD;
    }
    bool ok = read_root(root, memory, sig, why);
    cJSON_Delete(root);
    return ok ? SIGNAL_IS_OURS : SIGNAL_IS_BAD;
}
