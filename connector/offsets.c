/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets.h"

#include "base/utf8.h"
#include "connector/json_text.h"
#include "connector/waiting_list.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the state ---- */

void offset_state_init(struct offset_state *st)
{
    *st = (struct offset_state){0};
    gtid_set_init(&st->gtids);
    buf_init(&st->early_xa);
    buf_init(&st->incremental);
    buf_init(&st->extra);
}

static void copy_xa(struct offset_state *to, const struct offset_state *from)
{
    for (uint32_t i = 0; i < from->n_xa; i++)
        offset_state_add_xa(to, view_of(from->xa[i].xid), &from->xa[i].gtid, &from->xa[i].pos, from->xa[i].ts_sec);
}

static void forget_xa(struct offset_state *st)
{
    for (uint32_t i = 0; i < st->n_xa; i++)
        free(st->xa[i].xid);
    free(st->xa);
    st->xa = NULL;
    st->n_xa = 0;
}

void offset_state_fini(struct offset_state *st)
{
    gtid_set_fini(&st->gtids);
    forget_xa(st);
    free(st->snapshots);
    waiting_list_free(&st->waiting);
    free(st->previous);
    buf_fini(&st->early_xa);
    buf_fini(&st->incremental);
    buf_fini(&st->extra);
    offset_state_init(st);
}

void offset_state_copy(struct offset_state *to, const struct offset_state *from)
{
    if (to == from)
        return;
    offset_state_fini(to);
    *to = *from;
    gtid_set_init(&to->gtids);
    gtid_set_copy(&to->gtids, &from->gtids);
    to->xa = NULL;
    to->n_xa = 0;
    copy_xa(to, from);
    to->snapshots = from->snapshots == NULL ? NULL : mem_strdup(from->snapshots);
    to->waiting = waiting_list_hold(from->waiting);
    to->previous = from->previous == NULL ? NULL : mem_strdup(from->previous);
    buf_init(&to->early_xa);
    buf_put_view(&to->early_xa, buf_view(&from->early_xa));
    buf_init(&to->incremental);
    buf_put_view(&to->incremental, buf_view(&from->incremental));
    buf_init(&to->extra);
    buf_put_view(&to->extra, buf_view(&from->extra));
}

void offset_state_go_to(struct offset_state *st, const struct offset_state *place)
{
    forget_xa(st);
    copy_xa(st, place);
    st->pos = place->pos;
    st->reached = place->reached;
    st->event = place->event;
    st->row = place->row;
    st->inside = place->inside;
    st->inside_rows = place->inside_rows;
    st->has_gtids = place->has_gtids;
    gtid_set_copy(&st->gtids, &place->gtids);
    st->server_id = place->server_id;
    st->ts_sec = place->ts_sec;
    memcpy(st->snapshot, place->snapshot, sizeof st->snapshot);
    memcpy(st->server_uuid, place->server_uuid, sizeof st->server_uuid);
    st->birth = place->birth;
}

void offset_state_keep_previous(struct offset_state *st, const struct offset_state *before)
{
    struct buf text;
    buf_init(&text);
    offsets_print_place(before, &text);
    free(st->previous);
    st->previous = view_to_string(buf_view(&text));
    buf_fini(&text);
}

bool offset_state_is_inside(const struct offset_state *st)
{
    return st->event > 0 || st->row > 0 || st->inside.n > 0;
}

void offset_state_put_inside(const struct offset_state *st, struct buf *out)
{
    char gtid[GTID_TEXT_BYTES];
    if (st->event > 0 || st->row > 0) {
        buf_printf(out, "a transaction: %llu of its events and %llu rows of the next are done",
                   (unsigned long long)st->event, (unsigned long long)st->row);
        return;
    }
    gtid_print(&st->inside, gtid);
    buf_printf(out, "transaction %s: %llu of its rows are done, by another server's log", gtid,
               (unsigned long long)st->inside_rows);
}

void offset_state_leave(struct offset_state *st)
{
    st->event = st->row = 0;
    st->inside.n = 0;
    st->inside_rows = 0;
}

void offset_state_add_xa(struct offset_state *st, struct view xid, const struct gtid *gtid,
                         const struct log_position *pos, int64_t ts_sec)
{
    st->xa = mem_resize(st->xa, (st->n_xa + 1) * sizeof *st->xa);
    st->xa[st->n_xa++] = (struct offset_xa){view_to_string(xid), *gtid, *pos, ts_sec};
}

bool offset_state_remove_xa(struct offset_state *st, struct view xid)
{
    for (uint32_t i = 0; i < st->n_xa; i++) {
        if (!view_is(xid, st->xa[i].xid))
            continue;
        free(st->xa[i].xid);
        st->n_xa--;
        memmove(&st->xa[i], &st->xa[i + 1], (st->n_xa - i) * sizeof *st->xa);
        return true;
    }
    return false;
}

void offset_state_add_early_xa(struct offset_state *st, struct view xid)
{
    buf_put_view(&st->early_xa, xid);
    buf_put_u8(&st->early_xa, 0);
}

bool offset_state_remove_early_xa(struct offset_state *st, struct view xid)
{
    for (uint8_t *at = st->early_xa.start; at < st->early_xa.p;) {
        uint8_t *behind = at + strlen((char *)at) + 1;
        if (view_is(xid, (char *)at)) {
            memmove(at, behind, (size_t)(st->early_xa.p - behind));
            st->early_xa.p -= behind - at;
            return true;
        }
        at = behind;
    }
    return false;
}

/* ---- printing: no library, for it happens at each commit ---- */

static void put_text_member(struct buf *out, const char *name, const char *text)
{
    json_text_put_name(out, name);
    json_text_put_string(out, view_of(text));
}

static void put_number_member(struct buf *out, const char *name, int64_t v)
{
    json_text_put_name(out, name);
    json_text_put_number(out, v);
}

/* A GTID set has nothing that JSON escapes. */
static void put_gtids(struct buf *out, const struct gtid_set *gtids)
{
    json_text_put_name(out, "gtids");
    buf_put_u8(out, '"');
    gtid_set_print(gtids, out);
    buf_put_u8(out, '"');
}

/* A list inside a string: [{"xid":"…","gtid":"…","file":"…","pos":4711,"ts_sec":1700000000},…] */
static void put_xa(struct buf *out, const struct offset_state *st)
{
    struct buf list;
    buf_init(&list);
    buf_put_u8(&list, '[');
    for (uint32_t i = 0; i < st->n_xa; i++) {
        const struct offset_xa *xa = &st->xa[i];
        char gtid[GTID_TEXT_BYTES];
        if (i > 0)
            buf_put_u8(&list, ',');
        buf_put_u8(&list, '{');
        put_text_member(&list, "xid", xa->xid);
        if (xa->gtid.n != 0) {
            gtid_print(&xa->gtid, gtid);
            put_text_member(&list, "gtid", gtid);
        }
        put_text_member(&list, "file", xa->pos.file);
        put_number_member(&list, "pos", (int64_t)xa->pos.offset);
        if (xa->ts_sec > 0)
            put_number_member(&list, "ts_sec", xa->ts_sec);
        buf_put_u8(&list, '}');
    }
    buf_put_u8(&list, ']');
    json_text_put_name(out, "tidemark_xa");
    json_text_put_string(out, buf_view(&list));
    buf_fini(&list);
}

static void put_early_xa(struct buf *out, const struct buf *names)
{
    struct buf list;
    buf_init(&list);
    for (const uint8_t *at = names->start; at < names->p; at += strlen((const char *)at) + 1) {
        buf_put_u8(&list, at == names->start ? '[' : ',');
        json_text_put_string(&list, view_of((const char *)at));
    }
    buf_put_u8(&list, ']');
    json_text_put_name(out, "tidemark_xa_before");
    json_text_put_string(out, buf_view(&list));
    buf_fini(&list);
}

static void put_true_member(struct buf *out, const char *name)
{
    json_text_put_name(out, name);
    buf_put_literal(out, "true");
}

static void put_ours(const struct offset_state *st, struct buf *out)
{
    if (st->server_uuid[0] != '\0')
        put_text_member(out, "tidemark_server_uuid", st->server_uuid);
    if (st->birth.file[0] != '\0') {
        put_text_member(out, "tidemark_log_file", st->birth.file);
        put_number_member(out, "tidemark_log_made", st->birth.sec);
    }
    if (st->inside.n > 0) {
        char gtid[GTID_TEXT_BYTES];
        gtid_print(&st->inside, gtid);
        put_text_member(out, "tidemark_inside_gtid", gtid);
        put_number_member(out, "tidemark_inside_rows", (int64_t)st->inside_rows);
    }
    if (st->reached.file[0] != '\0') {
        put_text_member(out, "tidemark_reached_file", st->reached.file);
        put_number_member(out, "tidemark_reached_pos", (int64_t)st->reached.offset);
    }
    if (st->n_xa > 0)
        put_xa(out, st);
    if (buf_size(&st->early_xa) > 0)
        put_early_xa(out, &st->early_xa);
    if (st->has_read_tables)
        put_true_member(out, "tidemark_tables_read");
}

static void put_work(const struct offset_state *st, struct buf *out)
{
    if (st->has_signal_offset)
        put_number_member(out, "tidemark_signal_offset", st->signal_offset);
    if (st->signal_topic[0] != '\0')
        put_text_member(out, "tidemark_signal_topic", st->signal_topic);
    if (st->is_paused)
        put_true_member(out, "tidemark_paused");
    if (st->snapshots != NULL)
        put_text_member(out, "tidemark_snapshots", st->snapshots);
    if (st->previous != NULL)
        put_text_member(out, "tidemark_previous", st->previous);
}

static void put_debeziums(const struct offset_state *st, struct buf *out)
{
    buf_put_u8(out, '{');
    if (st->ts_sec != 0)
        put_number_member(out, "ts_sec", st->ts_sec);
    put_text_member(out, "file", st->pos.file);
    put_number_member(out, "pos", (int64_t)st->pos.offset);
    if (st->has_gtids)
        put_gtids(out, &st->gtids);
    if (st->row != 0)
        put_number_member(out, "row", (int64_t)st->row);
    if (st->server_id != 0)
        put_number_member(out, "server_id", st->server_id);
    if (st->event != 0)
        put_number_member(out, "event", (int64_t)st->event);
    if (st->snapshot[0] != '\0')
        put_text_member(out, "snapshot", st->snapshot);
}

void offsets_print(const struct offset_state *st, struct buf *out)
{
    put_debeziums(st, out);
    buf_put_view(out, buf_view(&st->incremental));
    put_ours(st, out);
    put_work(st, out);
    buf_put_view(out, buf_view(&st->extra));
    buf_put_u8(out, '}');
}

void offsets_print_place(const struct offset_state *st, struct buf *out)
{
    put_debeziums(st, out);
    put_ours(st, out);
    buf_put_u8(out, '}');
}

void offsets_print_key(const char *name, const char *topic_prefix, struct buf *out)
{
    buf_put_u8(out, '[');
    json_text_put_string(out, view_of(name));
    buf_put_literal(out, ",{\"server\":");
    json_text_put_string(out, view_of(topic_prefix));
    buf_put_literal(out, "}]");
}

/* ---- reading ---- */

/* A whole number that a double holds exactly. */
static bool read_whole(const cJSON *v, const char *name, uint64_t highest, uint64_t *out, struct fail *why)
{
    if (!cJSON_IsNumber(v) || v->valuedouble < 0 || v->valuedouble != floor(v->valuedouble) ||
        v->valuedouble > (double)highest)
        return fail_malformed(why, "member %s is not a whole number from 0 to %llu", name, (unsigned long long)highest);
    *out = (uint64_t)v->valuedouble;
    return true;
}

enum { EXACT_BITS = 53 };
#define HIGHEST_EXACT (UINT64_C(1) << EXACT_BITS)

static bool read_text(const cJSON *v, const char *name, char *out, size_t room, struct fail *why)
{
    if (!cJSON_IsString(v) || strlen(v->valuestring) >= room)
        return fail_malformed(why, "member %s is not a string of at most %zu bytes", name, room - 1);
    memcpy(out, v->valuestring, strlen(v->valuestring) + 1);
    return true;
}

static bool read_pos(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_whole(v, "pos", HIGHEST_EXACT, &st->pos.offset, why);
}

static bool read_file(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_text(v, "file", st->pos.file, sizeof st->pos.file, why);
}

static bool read_event(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_whole(v, "event", HIGHEST_EXACT, &st->event, why);
}

static bool read_row(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_whole(v, "row", HIGHEST_EXACT, &st->row, why);
}

static bool read_gtids(struct offset_state *st, const cJSON *v, struct fail *why)
{
    if (cJSON_IsNull(v))
        return true;
    if (!cJSON_IsString(v))
        return fail_malformed(why, "member gtids is not a string");
    st->has_gtids = true;
    return gtid_set_read(&st->gtids, view_of(v->valuestring), why) || fail_add(why, "member gtids");
}

static bool read_server_id(struct offset_state *st, const cJSON *v, struct fail *why)
{
    uint64_t id = 0;
    if (!read_whole(v, "server_id", UINT32_MAX, &id, why))
        return false;
    st->server_id = (uint32_t)id;
    return true;
}

static bool read_ts_sec(struct offset_state *st, const cJSON *v, struct fail *why)
{
    uint64_t sec = 0;
    if (!read_whole(v, "ts_sec", HIGHEST_EXACT, &sec, why))
        return false;
    st->ts_sec = (int64_t)sec;
    return true;
}

/* Debezium before 3: true or "true" while the initial snapshot ran. */
static bool read_snapshot(struct offset_state *st, const cJSON *v, struct fail *why)
{
    if (cJSON_IsNull(v) || cJSON_IsFalse(v))
        return true;
    bool is_old = cJSON_IsTrue(v) || (cJSON_IsString(v) && strcmp(v->valuestring, "true") == 0);
    if (is_old) {
        snprintf(st->snapshot, sizeof st->snapshot, "INITIAL");
        return true;
    }
    if (cJSON_IsString(v) && strcmp(v->valuestring, "false") == 0)
        return true;
    return read_text(v, "snapshot", st->snapshot, sizeof st->snapshot, why);
}

static bool read_server_uuid(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_text(v, "tidemark_server_uuid", st->server_uuid, sizeof st->server_uuid, why);
}

static bool read_log_file(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_text(v, "tidemark_log_file", st->birth.file, sizeof st->birth.file, why);
}

static bool read_log_made(struct offset_state *st, const cJSON *v, struct fail *why)
{
    uint64_t sec = 0;
    bool ok = read_whole(v, "tidemark_log_made", UINT32_MAX, &sec, why);
    st->birth.sec = (uint32_t)sec;
    return ok;
}

static bool read_reached_file(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_text(v, "tidemark_reached_file", st->reached.file, sizeof st->reached.file, why);
}

static bool read_reached_pos(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_whole(v, "tidemark_reached_pos", HIGHEST_EXACT, &st->reached.offset, why);
}

static bool read_signal_offset(struct offset_state *st, const cJSON *v, struct fail *why)
{
    uint64_t offset = 0;
    if (!read_whole(v, "tidemark_signal_offset", HIGHEST_EXACT, &offset, why))
        return false;
    st->has_signal_offset = true;
    st->signal_offset = (int64_t)offset;
    return true;
}

static bool read_signal_topic(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_text(v, "tidemark_signal_topic", st->signal_topic, sizeof st->signal_topic, why);
}

static bool read_bool(const cJSON *v, const char *name, bool *out, struct fail *why)
{
    *out = cJSON_IsTrue(v);
    return cJSON_IsBool(v) || fail_malformed(why, "member %s is neither true nor false", name);
}

static bool read_paused(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_bool(v, "tidemark_paused", &st->is_paused, why);
}

static bool read_tables_read(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_bool(v, "tidemark_tables_read", &st->has_read_tables, why);
}

static bool read_snapshots(struct offset_state *st, const cJSON *v, struct fail *why)
{
    if (!cJSON_IsString(v))
        return fail_malformed(why, "member tidemark_snapshots is not a string");
    free(st->snapshots);
    st->snapshots = mem_strdup(v->valuestring);
    return true;
}

static bool read_one_gtid(struct gtid *g, const char *text, struct fail *why)
{
    struct gtid_set set;
    gtid_set_init(&set);
    bool ok = gtid_set_read(&set, view_of(text), why);
    if (ok && gtid_set_count(&set) != 1)
        ok = fail_malformed(why, "%.80s is not one GTID", text);
    if (ok) {
        memcpy(g->uuid, set.sources[0].uuid, sizeof g->uuid);
        memcpy(g->tag, set.sources[0].tag, sizeof g->tag);
        g->n = set.sources[0].intervals[0].first;
    }
    gtid_set_fini(&set);
    return ok;
}

static bool read_inside_gtid(struct offset_state *st, const cJSON *v, struct fail *why)
{
    if (!cJSON_IsString(v))
        return fail_malformed(why, "member tidemark_inside_gtid is not a string");
    return read_one_gtid(&st->inside, v->valuestring, why);
}

static bool read_inside_rows(struct offset_state *st, const cJSON *v, struct fail *why)
{
    return read_whole(v, "tidemark_inside_rows", UINT32_MAX, &st->inside_rows, why);
}

static bool read_one_xa(struct offset_state *st, const cJSON *entry, struct fail *why)
{
    const cJSON *xid = cJSON_GetObjectItemCaseSensitive(entry, "xid");
    const cJSON *gtid = cJSON_GetObjectItemCaseSensitive(entry, "gtid");
    const cJSON *ts = cJSON_GetObjectItemCaseSensitive(entry, "ts_sec");
    struct log_position pos = {0};
    struct gtid g = {0};
    uint64_t ts_sec = 0;
    if (!cJSON_IsString(xid) || (gtid != NULL && !cJSON_IsString(gtid)))
        return fail_malformed(why, "an entry of tidemark_xa has no text as xid or gtid");
    if (!read_text(cJSON_GetObjectItemCaseSensitive(entry, "file"), "tidemark_xa.file", pos.file, sizeof pos.file,
                   why) ||
        !read_whole(cJSON_GetObjectItemCaseSensitive(entry, "pos"), "tidemark_xa.pos", HIGHEST_EXACT, &pos.offset,
                    why) ||
        (ts != NULL && !read_whole(ts, "tidemark_xa.ts_sec", HIGHEST_EXACT, &ts_sec, why)) ||
        (gtid != NULL && !read_one_gtid(&g, gtid->valuestring, why)))
        return false;
    offset_state_add_xa(st, view_of(xid->valuestring), &g, &pos, (int64_t)ts_sec);
    return true;
}

static bool read_xa(struct offset_state *st, const cJSON *v, struct fail *why)
{
    cJSON *list = cJSON_IsString(v) ? cJSON_Parse(v->valuestring) : NULL;
    bool ok = cJSON_IsArray(list) || fail_malformed(why, "member tidemark_xa holds no JSON list");
    const cJSON *entry;
    if (ok)
        cJSON_ArrayForEach(entry, list) ok = ok && read_one_xa(st, entry, why);
    cJSON_Delete(list);
    return ok;
}

static bool read_early_xa(struct offset_state *st, const cJSON *v, struct fail *why)
{
    cJSON *list = cJSON_IsString(v) ? cJSON_Parse(v->valuestring) : NULL;
    bool ok = cJSON_IsArray(list);
    const cJSON *xid;
    if (ok)
        cJSON_ArrayForEach(xid, list)
        {
            ok = ok && cJSON_IsString(xid);
            if (ok)
                offset_state_add_early_xa(st, view_of(xid->valuestring));
        }
    cJSON_Delete(list);
    return ok || fail_malformed(why, "member tidemark_xa_before holds no JSON list of texts");
}

static bool read_previous(struct offset_state *st, const cJSON *v, struct fail *why)
{
    if (!cJSON_IsString(v))
        return fail_malformed(why, "member tidemark_previous is not a string");
    free(st->previous);
    st->previous = mem_strdup(v->valuestring);
    return true;
}

static const struct member {
    const char *name;
    bool (*read)(struct offset_state *st, const cJSON *v, struct fail *why);
} members[] = {
    {"ts_sec", read_ts_sec},
    {"file", read_file},
    {"pos", read_pos},
    {"gtids", read_gtids},
    {"row", read_row},
    {"server_id", read_server_id},
    {"event", read_event},
    {"snapshot", read_snapshot},
    {"tidemark_server_uuid", read_server_uuid},
    {"tidemark_log_file", read_log_file},
    {"tidemark_log_made", read_log_made},
    {"tidemark_inside_gtid", read_inside_gtid},
    {"tidemark_inside_rows", read_inside_rows},
    {"tidemark_reached_file", read_reached_file},
    {"tidemark_reached_pos", read_reached_pos},
    {"tidemark_xa", read_xa},
    {"tidemark_xa_before", read_early_xa},
    {"tidemark_tables_read", read_tables_read},
    {"tidemark_signal_offset", read_signal_offset},
    {"tidemark_signal_topic", read_signal_topic},
    {"tidemark_paused", read_paused},
    {"tidemark_snapshots", read_snapshots},
    {"tidemark_previous", read_previous},
};

static const struct member *member_of(const char *name)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

/* Keeps a member byte by byte as it stands between at and end. */
static void keep_member(struct buf *kept, struct view text, size_t at, size_t end)
{
    while (at < end && text.p[at] <= ' ')
        at++;
    while (end > at && text.p[end - 1] <= ' ')
        end--;
    buf_put_u8(kept, ',');
    buf_put(kept, text.p + at, end - at);
}

static bool is_incremental(const char *name)
{
    static const char begin[] = "incremental_snapshot_";
    return strncmp(name, begin, sizeof begin - 1) == 0;
}

static bool read_members(struct offset_state *st, const cJSON *object, struct view text, struct fail *why)
{
    const uint8_t *brace = memchr(text.p, '{', text.n);
    size_t at = (size_t)(brace - text.p) + 1, end; /* of the member, in the text */
    for (const cJSON *v = object->child; v != NULL; v = v->next, at = end + 1) {
        const struct member *m = member_of(v->string);
        end = json_text_skip(text, at);
        if (m == NULL)
            keep_member(is_incremental(v->string) ? &st->incremental : &st->extra, text, at, end);
        else if (!m->read(st, v, why))
            return false;
    }
    if (st->pos.file[0] == '\0')
        return fail_malformed(why, "it has no file");
    return true;
}

static bool is_blank(struct view text, const char *from)
{
    for (const char *c = from; c < (const char *)text.p + text.n; c++)
        if ((unsigned char)*c > ' ')
            return false;
    return true;
}

bool offsets_read(struct offset_state *st, struct view value, struct fail *why)
{
    const char *end = NULL;
    offset_state_fini(st);
    cJSON *object = value.n == 0 ? NULL : cJSON_ParseWithLengthOpts((const char *)value.p, value.n, &end, false);
    bool ok = (cJSON_IsObject(object) && is_blank(value, end)) || fail_malformed(why, "it is not a JSON object");
    ok = ok && (utf8_is_valid(value) || fail_malformed(why, "it is not UTF-8")); /* cJSON does not look */
    ok = ok && read_members(st, object, value, why);
    cJSON_Delete(object);
    return ok ||
           fail_add(why, "read the stored offset %.*s", (int)(value.n < 200 ? value.n : 200), (const char *)value.p);
}
