/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/progress.h"

#include "connector/json_text.h"
#include "connector/waiting_list.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* Of a text that needs a list; one without is as it was before there were any. */
enum { PROGRESS_VERSION = 2 };

/* ---- signals ---- */

static const char *const outcome_names[] = {"running", "done", "stopped", "refused"};

const char *signal_outcome_name(enum signal_outcome outcome)
{
    return outcome_names[outcome];
}

void signal_log_init(struct signal_log *log)
{
    log->n = 0;
}

static void record_fini(struct signal_record *rec)
{
    free(rec->id);
    free(rec->why);
}

void signal_log_fini(struct signal_log *log)
{
    for (unsigned i = 0; i < log->n; i++)
        record_fini(&log->items[i]);
    log->n = 0;
}

void signal_log_add(struct signal_log *log, struct view id, int64_t offset, enum signal_outcome outcome,
                    const char *why)
{
    if (log->n == PROGRESS_SIGNALS) {
        record_fini(&log->items[0]);
        memmove(log->items, log->items + 1, (PROGRESS_SIGNALS - 1) * sizeof *log->items);
        log->n--;
    }
    log->items[log->n++] =
        (struct signal_record){view_to_string(id), offset, outcome, OUTCOME_DONE, why == NULL ? NULL : mem_strdup(why)};
}

static struct signal_record *find_running(struct signal_log *log, struct view id)
{
    for (unsigned i = log->n; i > 0; i--) {
        struct signal_record *rec = &log->items[i - 1];
        if (rec->outcome == OUTCOME_RUNNING && view_is(id, rec->id))
            return rec;
    }
    return NULL;
}

void signal_log_note(struct signal_log *log, struct view id, enum signal_outcome then, const char *why)
{
    struct signal_record *rec = find_running(log, id);
    if (rec == NULL || rec->then != OUTCOME_DONE)
        return;
    rec->then = then;
    if (rec->why == NULL && why != NULL)
        rec->why = mem_strdup(why);
}

void signal_log_end(struct signal_log *log, struct view id)
{
    struct signal_record *rec = find_running(log, id);
    if (rec != NULL)
        rec->outcome = rec->then;
}

/* ---- printing ---- */

static void put_key(struct buf *out, const char *name, const struct chunk_key *key)
{
    json_text_put_name(out, name);
    if (chunk_key_is_empty(key))
        buf_put_literal(out, "null");
    else
        buf_put_view(out, buf_view(&key->text));
}

static void put_number(struct buf *out, const char *name, int64_t v)
{
    json_text_put_name(out, name);
    json_text_put_number(out, v);
}

static const char *const kind_names[] = {
    [READ_INCREMENTAL] = "incremental", [READ_INITIAL] = "initial", [READ_BLOCKING] = "blocking"};

static void put_true(struct buf *out, const char *name)
{
    json_text_put_name(out, name);
    buf_put_literal(out, "true");
}

static void put_kind(struct buf *out, const struct table_read *t)
{
    json_text_put_text_or_null(out, "kind", kind_names[t->kind]);
    if (t->is_first)
        put_true(out, "first");
    if (t->is_muted)
        put_true(out, "muted");
}

void progress_print_table(const struct table_read *t, struct buf *out)
{
    buf_put_u8(out, '{');
    json_text_put_text_or_null(out, "db", t->db);
    json_text_put_text_or_null(out, "table", t->table);
    if (t->kind != READ_INCREMENTAL)
        put_kind(out, t);
    json_text_put_text_or_null(out, "filter", t->filter);
    json_text_put_text_or_null(out, "surrogate", t->surrogate);
    json_text_put_text_or_null(out, "id", t->signal_id);
    json_text_put_text_or_null(out, "path", t->path[0] == '\0' ? NULL : t->path);
    put_key(out, "done", &t->done);
    put_key(out, "last", &t->last);
    put_number(out, "rows_read", (int64_t)t->rows_done);
    put_number(out, "rows_sent", (int64_t)t->rows_sent);
    put_number(out, "estimated", t->estimated_rows);
    buf_put_u8(out, '}');
}

static void put_signal(struct buf *out, const struct signal_record *rec)
{
    buf_put_u8(out, '{');
    json_text_put_text_or_null(out, "id", rec->id);
    put_number(out, "offset", rec->offset);
    json_text_put_text_or_null(out, "outcome", outcome_names[rec->outcome]);
    if (rec->outcome == OUTCOME_RUNNING && rec->then != OUTCOME_DONE)
        json_text_put_text_or_null(out, "then", outcome_names[rec->then]);
    if (rec->why != NULL)
        json_text_put_text_or_null(out, "why", rec->why);
    buf_put_u8(out, '}');
}

/* One of an initial snapshot that can't be read is tried again. */
static bool is_left(const struct table_read *t)
{
    bool is_open = t->kind == READ_INITIAL && t->state == TABLE_FAILED;
    return is_open || (t->state != TABLE_DONE && t->state != TABLE_FAILED);
}

static void put_tables(struct buf *out, const struct incremental *inc, bool has_list)
{
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue) {
        if (!is_left(t) || (has_list && table_read_is_fresh(t)))
            continue;
        if (out->p[-1] != '[')
            buf_put_u8(out, ',');
        progress_print_table(t, out);
    }
}

static void put_waiting(struct buf *out, const struct waiting_place *left)
{
    put_number(out, "version", PROGRESS_VERSION);
    json_text_put_name(out, "waiting");
    buf_put_u8(out, '{');
    put_number(out, "list", (int64_t)left->list);
    put_number(out, "from", left->from);
    buf_put_u8(out, '}');
}

char *progress_print(const struct incremental *inc, const struct signal_log *log, const struct waiting_place *left)
{
    struct buf out;
    if (!incremental_is_running(inc) && log->n == 0)
        return NULL;
    buf_init(&out);
    buf_put_literal(&out, "{\"tables\":[");
    put_tables(&out, inc, left->list > 0);
    buf_put_u8(&out, ']');
    if (left->list > 0)
        put_waiting(&out, left);
    buf_put_literal(&out, ",\"signals\":[");
    for (unsigned i = 0; i < log->n; i++) {
        if (i > 0)
            buf_put_u8(&out, ',');
        put_signal(&out, &log->items[i]);
    }
    buf_put_literal(&out, "]}");
    buf_put_u8(&out, 0);
    return (char *)out.start;
}

/* ---- loading ---- */

static char *text_of(const cJSON *object, const char *name)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(v) ? mem_strdup(v->valuestring) : NULL;
}

static int64_t number_of(const cJSON *object, const char *name, int64_t otherwise)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(v) ? (int64_t)v->valuedouble : otherwise;
}

/* Keys are kept as text: a number beyond a double's digits must come back as it was. So they are cut out of the stored text
 * by name, not printed by the parser. */
static void cut_key(struct view object, const char *name, struct chunk_key *key)
{
    struct buf member;
    buf_init(&member);
    buf_printf(&member, "\"%s\":[", name);
    const uint8_t *at = memmem(object.p, object.n, member.start, buf_size(&member));
    if (at != NULL) {
        size_t begin = (size_t)(at - object.p) + buf_size(&member) - 1;
        size_t end = json_text_skip(object, begin);
        chunk_key_set(key, (struct view){object.p + begin, end - begin});
    }
    buf_fini(&member);
}

static void load_path(const cJSON *item, struct table_read *t)
{
    const cJSON *path = cJSON_GetObjectItemCaseSensitive(item, "path");
    if (cJSON_IsString(path) && strlen(path->valuestring) < sizeof t->path)
        memcpy(t->path, path->valuestring, strlen(path->valuestring) + 1);
}

/* False: of a kind that is not known here. */
static bool load_kind(const cJSON *item, struct table_read *t)
{
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind");
    if (kind == NULL)
        return true;
    t->kind = cJSON_IsString(kind) && strcmp(kind->valuestring, kind_names[READ_BLOCKING]) == 0 ? READ_BLOCKING
                                                                                                : READ_INITIAL;
    t->is_first = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "first"));
    t->is_muted = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "muted"));
    return cJSON_IsString(kind) && strcmp(kind->valuestring, kind_names[t->kind]) == 0;
}

static bool load_table(struct incremental *inc, const cJSON *item, struct view text, struct fail *why)
{
    const cJSON *db = cJSON_GetObjectItemCaseSensitive(item, "db");
    const cJSON *table = cJSON_GetObjectItemCaseSensitive(item, "table");
    if (!cJSON_IsString(db) || !cJSON_IsString(table))
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0, "the stored progress of a snapshot names no table: %.*s",
                        VIEW_ARGS(text));
    struct table_read *t = table_read_new(view_of(db->valuestring), view_of(table->valuestring));
    t->filter = text_of(item, "filter");
    t->surrogate = text_of(item, "surrogate");
    t->signal_id = text_of(item, "id");
    bool is_known = load_kind(item, t);
    load_path(item, t);
    cut_key(text, "done", &t->done);
    cut_key(text, "last", &t->last);
    chunk_key_set(&t->read, buf_view(&t->done.text));
    t->has_last = !chunk_key_is_empty(&t->last);
    t->rows_read = t->rows_done = (uint64_t)number_of(item, "rows_read", 0);
    t->rows_sent = (uint64_t)number_of(item, "rows_sent", 0);
    t->estimated_rows = number_of(item, "estimated", -1);
    incremental_add(inc, t);
    return is_known ||
           fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                    "the stored progress of a snapshot is of a kind that is not known: %.*s", VIEW_ARGS(text));
}

static enum signal_outcome outcome_of(const cJSON *item, const char *name)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, name);
    for (unsigned i = 0; cJSON_IsString(v) && i < sizeof outcome_names / sizeof *outcome_names; i++)
        if (strcmp(v->valuestring, outcome_names[i]) == 0)
            return (enum signal_outcome)i;
    return OUTCOME_DONE;
}

static void load_signal(struct signal_log *log, const cJSON *item)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(item, "id");
    const cJSON *why = cJSON_GetObjectItemCaseSensitive(item, "why");
    signal_log_add(log, view_of(cJSON_IsString(id) ? id->valuestring : ""), number_of(item, "offset", -1),
                   outcome_of(item, "outcome"), cJSON_IsString(why) ? why->valuestring : NULL);
    log->items[log->n - 1].then = outcome_of(item, "then");
}

/* The next object of an array's text; *at moves behind it. */
static struct view next_object(struct view text, size_t *at)
{
    while (*at < text.n && text.p[*at] != '{')
        (*at)++;
    size_t begin = *at;
    *at = begin < text.n ? json_text_skip(text, begin) : text.n;
    return (struct view){text.p + begin, *at - begin};
}

/* The tables of an array's text, but for the first ones. */
static bool load_tables(struct incremental *inc, const cJSON *tables, struct view array, uint32_t skip,
                        struct fail *why)
{
    const cJSON *item;
    size_t at = 0;
    cJSON_ArrayForEach(item, tables)
    {
        struct view text = next_object(array, &at);
        if (skip > 0)
            skip--;
        else if (!load_table(inc, item, text, why))
            return false;
    }
    return true;
}

static bool load_part(struct incremental *inc, const char *part, uint32_t *skip, struct fail *why)
{
    cJSON *tables = cJSON_Parse(part);
    uint32_t n = (uint32_t)cJSON_GetArraySize(tables);
    uint32_t passed = *skip < n ? *skip : n;
    bool ok = load_tables(inc, tables, view_of(part), passed, why);
    *skip -= passed;
    cJSON_Delete(tables);
    return ok;
}

static struct waiting_place place_of(const cJSON *root)
{
    const cJSON *waiting = cJSON_GetObjectItemCaseSensitive(root, "waiting");
    return (struct waiting_place){(uint64_t)number_of(waiting, "list", 0), (uint32_t)number_of(waiting, "from", 0)};
}

static bool load_waiting(struct incremental *inc, const cJSON *root, const struct waiting_list *list, struct fail *why)
{
    struct waiting_place left = place_of(root);
    if (left.list == 0)
        return true;
    if (list == NULL || list->number != left.list || left.from > list->n)
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_DATA, PROGRESS_LACKS_LIST,
            "the stored offset leaves tables that wait for a snapshot to list %llu, from %u on, and that list is not "
            "whole in the topic or file of shapes; hint: snapshot.mode=recovery goes on without them, then ask for the "
            "snapshot again",
            (unsigned long long)left.list, left.from);
    for (uint32_t i = 0; i < list->n_parts; i++)
        if (!load_part(inc, list->parts[i], &left.from, why))
            return false;
    return true;
}

static bool is_known(const cJSON *root, const char *text, struct fail *why)
{
    if (number_of(root, "version", 1) > PROGRESS_VERSION)
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                        "the stored progress of snapshots was written by a newer version: %.200s", text);
    return (cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "tables")) && strstr(text, "\"tables\":[") != NULL) ||
           fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0, "the stored progress of snapshots can't be read: %s", text);
}

bool progress_load(struct incremental *inc, struct signal_log *log, const char *text, const struct waiting_list *list,
                   struct fail *why)
{
    if (text == NULL)
        return true;
    cJSON *root = cJSON_Parse(text);
    const cJSON *signals = cJSON_GetObjectItemCaseSensitive(root, "signals");
    const cJSON *item;
    bool ok = is_known(root, text, why) &&
              load_tables(inc, cJSON_GetObjectItemCaseSensitive(root, "tables"), view_of(strstr(text, "\"tables\":[")),
                          0, why) &&
              load_waiting(inc, root, list, why);
    cJSON_ArrayForEach(item, signals) load_signal(log, item);
    cJSON_Delete(root);
    return ok;
}

struct waiting_place progress_waiting(const char *text)
{
    cJSON *root = text == NULL ? NULL : cJSON_Parse(text);
    struct waiting_place left = place_of(root);
    cJSON_Delete(root);
    return left;
}

bool progress_has_tables(const char *text)
{
    return text != NULL && (strstr(text, "\"tables\":[{") != NULL || progress_waiting(text).list > 0);
}

/* ---- a queue to look at ---- */

static void no_tell(void *ctx, enum incremental_event what, const struct table_read *t)
{
    (void)ctx;
    (void)what;
    (void)t;
}

static void no_progress(void *ctx)
{
    (void)ctx;
}

struct incremental *progress_queue_new(void)
{
    static const struct incremental_settings nothing = {.threads = 1};
    static const struct incremental_hooks deaf = {.tell = no_tell, .progress = no_progress};
    return incremental_new(&nothing, &deaf);
}
