/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/schema_history.h"

#include "base/log.h"
#include "binlog/ddl.h"
#include "connector/json_text.h"
#include "connector/state_topic.h"

#include <cjson/cJSON.h>

/* ---- which statements count ---- */

static bool was_executed(const struct offset_state *at, const struct offset_state *place)
{
    bool is_snapshot = at->snapshot[0] != '\0';
    if (!at->has_gtids || !place->has_gtids)
        return position_compare(&at->pos, &place->pos) <= 0;
    if (!gtid_set_contains(&place->gtids, &at->gtids))
        return false;
    /* Of the transaction that is under way at the place, what is in it before the place (CREATE TABLE … SELECT). */
    return is_snapshot || !gtid_set_equal(&place->gtids, &at->gtids) || at->event < place->event;
}

/* ---- one record ---- */

static bool is_captured(const void *arg, struct view db, struct view table)
{
    return filter_has_table(arg, db, table);
}

/* A table about which something can't be read has no shape any more. */
static void forget_unread(struct schema_history_reading *r, const struct ddl_result *effects)
{
    for (size_t i = 0; i < effects->n_effects; i++) {
        const struct ddl_effect *e = &effects->effects[i];
        if (e->kind != DDL_UNREADABLE || !e->is_captured || e->table.n == 0)
            continue;
        catalog_remove(r->catalog, e->db, e->table);
        r->told->not_understood++;
    }
}

static void apply(struct schema_history_reading *r, const char *db, const char *ddl)
{
    const struct ddl_context ctx = {
        .db = view_of(db == NULL ? "" : db),
        .server_version = r->server->version,
        .server_charset = charset_find(view_of(r->server->charset)),
        .server_collation = view_of(r->server->collation),
        .is_captured = is_captured,
        .arg = &r->cfg->filter,
    };
    struct ddl_result effects;
    struct fail why;
    ddl_result_init(&effects);
    if (!ddl_apply(r->catalog, &ctx, view_of(ddl), &effects, &why))
        log_warn("schema_history", "%s", why.text);
    forget_unread(r, &effects);
    ddl_result_fini(&effects);
    r->told->applied++;
}

static bool read_position(const cJSON *record, struct offset_state *at, struct fail *why)
{
    const cJSON *position = cJSON_GetObjectItemCaseSensitive(record, "position");
    char *text = cJSON_IsObject(position) ? cJSON_PrintUnformatted(position) : NULL;
    bool ok = text != NULL ? offsets_read(at, view_of(text), why) : fail_malformed(why, "it has no position");
    cJSON_free(text);
    return ok;
}

static bool take(struct schema_history_reading *r, const cJSON *record, struct fail *why)
{
    const char *server = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(record, "source"), "server"));
    const char *ddl = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "ddl"));
    const char *db = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "databaseName"));
    struct offset_state at;
    if (server == NULL || strcmp(server, r->server_name) != 0 || ddl == NULL || *ddl == '\0')
        return true; /* of another connector, or of a signal that gives shapes without a statement */
    r->told->records++;
    offset_state_init(&at);
    bool ok = read_position(record, &at, why);
    if (ok && was_executed(&at, r->place))
        apply(r, db, ddl);
    offset_state_fini(&at);
    return ok;
}

bool schema_history_take(void *reading, struct view key, bool has_value, struct view value, struct fail *why)
{
    (void)key;
    if (!has_value || value.n == 0)
        return true;
    cJSON *record = cJSON_ParseWithLength((const char *)value.p, value.n);
    bool ok = cJSON_IsObject(record) || fail_malformed(why, "it is no JSON object");
    ok = ok && take(reading, record, why);
    cJSON_Delete(record);
    if (!ok) {
        why->kind = FAIL_STOP;
        fail_add(why, "read a record of the schema history: %.*s", (int)(value.n < 200 ? value.n : 200),
                 (const char *)value.p);
    }
    return ok;
}

/* ---- all of them ---- */

bool schema_history_read(const struct config *cfg, const struct server *server, const char *topic,
                         const char *server_name, const struct offset_state *place, struct catalog *catalog,
                         struct schema_history_told *told, struct fail *why)
{
    struct schema_history_reading r = {cfg, server, server_name, place, catalog, told};
    *told = (struct schema_history_told){.records = 0};
    bool ok = state_topic_read_existing(&cfg->kafka.client, topic, schema_history_take, &r, why);
    if (ok && told->records == 0)
        ok = fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0, "the topic %s has no schema history of topic.prefix %s",
                      topic, server_name);
    return ok;
}

/* ---- writing ---- */

void schema_history_print(const char *server_name, const struct offset_state *place, int64_t now_ms, struct view db,
                          struct view ddl, struct buf *out)
{
    buf_put_literal(out, "{\"source\":{\"server\":");
    json_text_put_string(out, view_of(server_name));
    buf_put_literal(out, "},\"position\":");
    offsets_print(place, out);
    buf_put_literal(out, ",\"ts_ms\":");
    json_text_put_number(out, now_ms);
    buf_put_literal(out, ",\"databaseName\":");
    json_text_put_string(out, db);
    buf_put_literal(out, ",\"ddl\":");
    json_text_put_string(out, ddl);
    buf_put_literal(out, ",\"tableChanges\":[]}");
}
