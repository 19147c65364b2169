/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/shape_store.h"

#include "base/utf8.h"
#include "connector/json_text.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

struct shape_gtids {
    uint32_t counts;
    char *text; /* as it was read; NULL: never asked for */
    struct gtid_set set;
};

/* ---- shared GTID sets ---- */

static struct shape_gtids *gtids_new(void)
{
    struct shape_gtids *g = mem_zero(1, sizeof *g);
    g->counts = 1;
    gtid_set_init(&g->set);
    return g;
}

static struct shape_gtids *gtids_hold(struct shape_gtids *g)
{
    if (g != NULL)
        g->counts++;
    return g;
}

static void gtids_free(struct shape_gtids **gtids)
{
    struct shape_gtids *g = *gtids;
    *gtids = NULL;
    if (g == NULL || --g->counts > 0)
        return;
    gtid_set_fini(&g->set);
    free(g->text);
    free(g);
}

static void remember(struct shape_store *store, struct shape_gtids *g)
{
    gtids_free(&store->latest);
    store->latest = gtids_hold(g);
}

/* The set of that text with a count; one that was just read is not read again. */
static struct shape_gtids *gtids_read(struct shape_store *store, const char *text, struct fail *why)
{
    struct shape_gtids *g = store->latest;
    if (g != NULL && g->text != NULL && strcmp(g->text, text) == 0)
        return gtids_hold(g);
    g = gtids_new();
    if (!gtid_set_read(&g->set, view_of(text), why)) {
        gtids_free(&g);
        return NULL;
    }
    g->text = mem_strdup(text);
    remember(store, g);
    return g;
}

static struct shape_gtids *gtids_of(struct shape_store *store, const struct gtid_set *set)
{
    if (set == NULL)
        return NULL;
    if (store->latest != NULL && gtid_set_equal(&store->latest->set, set))
        return gtids_hold(store->latest);
    struct shape_gtids *g = gtids_new();
    gtid_set_copy(&g->set, set);
    remember(store, g);
    return g;
}

/* ---- histories ---- */

static void version_fini(struct shape_version *v)
{
    gtids_free(&v->gtids);
    free(v->ddl);
}

static void history_free(void *arg)
{
    struct shape_history *h = arg;
    if (h == NULL)
        return;
    for (uint32_t i = 0; i < h->n; i++)
        version_fini(&h->versions[i]);
    free(h->versions);
    free(h->db);
    free(h->table);
    free(h);
}

static struct shape_history *history_new(struct view db, struct view table)
{
    struct shape_history *h = mem_zero(1, sizeof *h);
    h->db = view_to_string(db);
    h->table = view_to_string(table);
    return h;
}

static struct shape_version *history_add(struct shape_history *h)
{
    h->versions = mem_resize(h->versions, (h->n + 1) * sizeof *h->versions);
    struct shape_version *v = &h->versions[h->n++];
    *v = (struct shape_version){0};
    return v;
}

void shape_store_init(struct shape_store *store, const char *name, const char *topic_prefix)
{
    *store = (struct shape_store){.name = mem_strdup(name), .topic_prefix = mem_strdup(topic_prefix)};
    map_init(&store->tables);
}

void shape_store_fini(struct shape_store *store)
{
    map_fini(&store->tables, history_free);
    gtids_free(&store->latest);
    free(store->name);
    free(store->topic_prefix);
    *store = (struct shape_store){0};
}

/* No name of MySQL holds a zero byte. */
static void print_map_key(struct buf *key, struct view db, struct view table)
{
    buf_init(key);
    buf_put_view(key, db);
    buf_put_u8(key, 0);
    buf_put_view(key, table);
}

static struct shape_history *find(const struct shape_store *store, struct view db, struct view table)
{
    struct buf key;
    print_map_key(&key, db, table);
    struct shape_history *h = map_get(&store->tables, buf_view(&key));
    buf_fini(&key);
    return h;
}

bool shape_history_is_there(const struct shape_history *h)
{
    return h->n > 0 && h->versions[h->n - 1].ddl != NULL;
}

const struct shape_history *shape_store_find(const struct shape_store *store, struct view db, struct view table)
{
    return find(store, db, table);
}

/* Puts h (NULL: none) in the table's place; frees what was there. */
static void replace(struct shape_store *store, struct view db, struct view table, struct shape_history *h)
{
    struct buf key;
    print_map_key(&key, db, table);
    history_free(h == NULL ? map_remove(&store->tables, buf_view(&key)) : map_put(&store->tables, buf_view(&key), h));
    buf_fini(&key);
}

/* ---- comparing ---- */

enum order { AT_OR_BEFORE, BEHIND, UNKNOWN };

static bool is_same_server(const struct shape_version *v, const struct shape_place *at)
{
    return v->server_uuid[0] != '\0' && at->server_uuid != NULL && strcmp(v->server_uuid, at->server_uuid) == 0 &&
           v->pos.file[0] != '\0' && at->pos != NULL && at->pos->file[0] != '\0';
}

static bool have_gtids(const struct shape_version *v, const struct shape_place *at)
{
    return v->gtids != NULL && at->gtids != NULL;
}

/* A place that has all of a version's transactions lies behind it. One that lacks some may still do so on the same server, where
 * positions tell: of XA transactions that are prepared. A position alone does not say that a place lies before: after a
 * search by GTIDs the log is read again from the start of a file. */
static enum order compare(const struct shape_version *v, const struct shape_place *at)
{
    if (have_gtids(v, at) && gtid_set_contains(at->gtids, &v->gtids->set))
        return AT_OR_BEFORE;
    if (is_same_server(v, at))
        return position_compare(&v->pos, at->pos) <= 0 ? AT_OR_BEFORE : BEHIND;
    return have_gtids(v, at) ? BEHIND : UNKNOWN;
}

static bool is_before(const struct shape_version *v, const struct shape_place *at)
{
    if (have_gtids(v, at) && gtid_set_contains(at->gtids, &v->gtids->set) && !gtid_set_equal(at->gtids, &v->gtids->set))
        return true;
    if (is_same_server(v, at))
        return position_compare(&v->pos, at->pos) < 0;
    return !have_gtids(v, at); /* not to be compared; it was there first */
}

/* The index of the newest version at or before a place. */
static enum shape_found newest_at(const struct shape_history *h, const struct shape_place *at, uint32_t *index)
{
    for (uint32_t i = h->n; i-- > 0;) {
        enum order o = compare(&h->versions[i], at);
        if (o == UNKNOWN)
            return SHAPE_INCOMPARABLE;
        if (o == AT_OR_BEFORE) {
            *index = i;
            return SHAPE_FOUND;
        }
    }
    return SHAPE_TOO_OLD;
}

static int by_name(const void *a, const void *b)
{
    const struct shape_history *const *x = a, *const *y = b;
    int order = strcmp((*x)->db, (*y)->db);
    return order != 0 ? order : strcmp((*x)->table, (*y)->table);
}

const struct shape_history **shape_store_sorted(const struct shape_store *store)
{
    const struct shape_history **all = mem_alloc(store->tables.n * sizeof *all);
    const struct map_entry *e;
    size_t at = 0, n = 0;
    while ((e = map_next(&store->tables, &at)) != NULL)
        all[n++] = e->value;
    qsort(all, n, sizeof *all, by_name);
    return all;
}

enum shape_found shape_store_at(const struct shape_store *store, struct view db, struct view table,
                                const struct shape_place *at, const struct shape_version **out)
{
    const struct shape_history *h = find(store, db, table);
    uint32_t index = 0;
    if (h == NULL || h->n == 0)
        return SHAPE_UNKNOWN;
    enum shape_found found = newest_at(h, at, &index);
    if (found == SHAPE_FOUND)
        *out = &h->versions[index];
    return found;
}

/* ---- changing ---- */

static void stamp(struct shape_store *store, struct shape_version *v, const struct shape_place *at)
{
    gtids_free(&v->gtids);
    v->gtids = gtids_of(store, at->gtids);
    v->pos = at->pos == NULL ? (struct log_position){.file = ""} : *at->pos;
    snprintf(v->server_uuid, sizeof v->server_uuid, "%s", at->server_uuid == NULL ? "" : at->server_uuid);
}

void shape_store_append(struct shape_store *store, struct view db, struct view table, const struct shape_place *at,
                        struct view ddl)
{
    struct shape_history *h = find(store, db, table);
    if (h == NULL) {
        h = history_new(db, table);
        replace(store, db, table, h);
    }
    while (h->n > 0 && !is_before(&h->versions[h->n - 1], at))
        version_fini(&h->versions[--h->n]);
    struct shape_version *v = history_add(h);
    stamp(store, v, at);
    v->ddl = ddl.p == NULL ? NULL : view_to_string(ddl);
}

void shape_store_extend(struct shape_store *store, struct view db, struct view table, const struct shape_place *at)
{
    struct shape_history *h = find(store, db, table);
    ASSERT(h != NULL && h->n > 0);
    stamp(store, &h->versions[0], at);
}

bool shape_store_trim(struct shape_store *store, struct view db, struct view table, const struct shape_place *oldest)
{
    struct shape_history *h = find(store, db, table);
    uint32_t first = 0;
    if (h == NULL || newest_at(h, oldest, &first) != SHAPE_FOUND)
        return false;
    if (first + 1 == h->n && h->versions[first].ddl == NULL) {
        replace(store, db, table, NULL);
        return true;
    }
    if (first == 0)
        return false;
    for (uint32_t i = 0; i < first; i++)
        version_fini(&h->versions[i]);
    h->n -= first;
    memmove(h->versions, h->versions + first, h->n * sizeof *h->versions);
    return true;
}

/* ---- printing ---- */

/* ["name",{"server":"prefix"}, : the beginning of all our keys */
static void print_key_begin(const struct shape_store *store, struct buf *out)
{
    offsets_print_key(store->name, store->topic_prefix, out);
    out->p[-1] = ',';
}

void shape_store_print_key(const struct shape_store *store, struct view db, struct view table, struct buf *out)
{
    print_key_begin(store, out);
    json_text_put_string(out, db);
    buf_put_u8(out, ',');
    json_text_put_string(out, table);
    buf_put_u8(out, ']');
}

static void print_version(const struct shape_version *v, struct buf *out)
{
    buf_put_u8(out, '{');
    if (v->gtids != NULL) {
        json_text_put_name(out, "gtids");
        buf_put_u8(out, '"');
        gtid_set_print(&v->gtids->set, out);
        buf_put_u8(out, '"');
    }
    json_text_put_name(out, "file");
    json_text_put_string(out, view_of(v->pos.file));
    json_text_put_name(out, "pos");
    json_text_put_number(out, (int64_t)v->pos.offset);
    json_text_put_name(out, "server_uuid");
    json_text_put_string(out, view_of(v->server_uuid));
    json_text_put_name(out, "ddl");
    if (v->ddl == NULL)
        buf_put_literal(out, "null");
    else
        json_text_put_string(out, view_of(v->ddl));
    buf_put_u8(out, '}');
}

bool shape_store_print(const struct shape_store *store, struct view db, struct view table, struct buf *out)
{
    const struct shape_history *h = find(store, db, table);
    if (h == NULL)
        return false;
    buf_put_literal(out, "{\"versions\":[");
    for (uint32_t i = 0; i < h->n; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        print_version(&h->versions[i], out);
    }
    buf_put_literal(out, "]}");
    return true;
}

/* ---- reading ---- */

/* Whether the key is one of this connector's; other connectors may keep their shapes in the same topic. */
static bool is_ours(const struct shape_store *store, struct view key)
{
    struct buf begin;
    buf_init(&begin);
    print_key_begin(store, &begin);
    size_t n = buf_size(&begin);
    bool ok = key.n > n && memcmp(key.p, begin.start, n) == 0;
    buf_fini(&begin);
    return ok;
}

static bool read_string(const cJSON *v, const char *name, char *out, size_t room, struct fail *why)
{
    if (!cJSON_IsString(v) || strlen(v->valuestring) >= room)
        return fail_malformed(why, "member %s of a version is not a string of at most %zu bytes", name, room - 1);
    memcpy(out, v->valuestring, strlen(v->valuestring) + 1);
    return true;
}

static bool read_offset(const cJSON *v, uint64_t *out, struct fail *why)
{
    if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0 && v->valuedouble <= 9007199254740992.0))
        return fail_malformed(why, "member pos of a version is not a whole number");
    *out = (uint64_t)v->valuedouble;
    return true;
}

static bool read_version(struct shape_store *store, struct shape_version *v, const cJSON *object, struct fail *why)
{
    const cJSON *gtids = cJSON_GetObjectItemCaseSensitive(object, "gtids");
    const cJSON *ddl = cJSON_GetObjectItemCaseSensitive(object, "ddl");
    if (!cJSON_IsString(ddl) && !cJSON_IsNull(ddl))
        return fail_malformed(why, "member ddl of a version is neither a string nor null");
    if (!read_string(cJSON_GetObjectItemCaseSensitive(object, "file"), "file", v->pos.file, sizeof v->pos.file, why) ||
        !read_offset(cJSON_GetObjectItemCaseSensitive(object, "pos"), &v->pos.offset, why) ||
        !read_string(cJSON_GetObjectItemCaseSensitive(object, "server_uuid"), "server_uuid", v->server_uuid,
                     sizeof v->server_uuid, why))
        return false;
    if (gtids != NULL && !cJSON_IsString(gtids))
        return fail_malformed(why, "member gtids of a version is not a string");
    if (gtids != NULL && (v->gtids = gtids_read(store, gtids->valuestring, why)) == NULL)
        return false;
    v->ddl = cJSON_IsString(ddl) ? mem_strdup(ddl->valuestring) : NULL;
    return true;
}

static struct shape_history *read_history(struct shape_store *store, struct view db, struct view table,
                                          struct view value, struct fail *why)
{
    cJSON *object = value.n == 0 ? NULL : cJSON_ParseWithLength((const char *)value.p, value.n);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "versions"), *entry;
    struct shape_history *h = history_new(db, table);
    bool ok = (cJSON_IsArray(list) && list->child != NULL) || fail_malformed(why, "it has no list of versions");
    if (ok)
        cJSON_ArrayForEach(entry, list) ok = ok && read_version(store, history_add(h), entry, why);
    cJSON_Delete(object);
    if (ok)
        return h;
    history_free(h);
    return NULL;
}

static bool load(struct shape_store *store, const cJSON *key, bool has_value, struct view value, struct fail *why)
{
    const cJSON *db = cJSON_GetArrayItem(key, 2), *table = cJSON_GetArrayItem(key, 3);
    if (!cJSON_IsString(db) || !cJSON_IsString(table) || cJSON_GetArraySize(key) != 4)
        return fail_malformed(why, "the key of a stored shape names no table");
    struct view db_name = view_of(db->valuestring), table_name = view_of(table->valuestring);
    struct shape_history *h = has_value ? read_history(store, db_name, table_name, value, why) : NULL;
    if (has_value && h == NULL)
        return fail_add(why, "the stored shape of %s.%s", db->valuestring, table->valuestring);
    replace(store, db_name, table_name, h);
    return true;
}

bool shape_store_load(void *store, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct shape_store *s = store;
    if (!is_ours(s, key))
        return true;
    cJSON *array = cJSON_ParseWithLength((const char *)key.p, key.n);
    bool ok =
        utf8_is_valid(key) && (!has_value || utf8_is_valid(value)); /* what we wrote is, and cJSON does not look */
    ok = ok ? load(s, array, has_value, value, why) : fail_malformed(why, "it is not UTF-8");
    cJSON_Delete(array);
    if (!ok && why != NULL) { /* without it rows can't be read rightly: not to be passed over */
        why->kind = FAIL_STOP;
        fail_add(why, "read the stored shapes");
    }
    return ok;
}
