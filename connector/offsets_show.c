/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_show.h"

#include "base/clock.h"
#include "binlog/server.h"
#include "connector/offset_file.h"
#include "connector/offsets_report.h"
#include "connector/state_topic.h"

enum { STORE_TIMEOUT_MS = 10000 };

/* ---- what is stored ---- */

struct look {
    struct buf key;
    struct offset_state offset;
    bool has_offset;
};

static bool take_offset(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct look *look = ctx;
    if (!view_equal(key, buf_view(&look->key)))
        return true;
    look->has_offset = has_value;
    return !has_value || offsets_read(&look->offset, value, why) ||
           fail_add(why, "read the stored offset %.*s", VIEW_ARGS(key));
}

static bool look_into_file(struct look *look, const struct config *cfg, struct fail *why)
{
    struct offset_file *file = offset_file_peek(cfg->kafka.offsets_file, why);
    bool ok = file != NULL && offset_file_load(file, OFFSET_FILE_OFFSETS, take_offset, look, why);
    offset_file_close(&file);
    return ok;
}

/* The count comes first because it gives up sooner when no broker answers: somebody waits for this. */
static bool look_into_topic(struct look *look, const struct config *cfg, struct fail *why)
{
    const struct config_kafka *k = &cfg->kafka;
    int partitions = 0;
    struct admin *admin = admin_open(&k->client, NULL, why);
    if (admin == NULL)
        return false;
    bool ok = admin_count_partitions(admin, k->offsets_topic, STORE_TIMEOUT_MS, &partitions, why) &&
              (partitions == 0 ||
               state_topic_read(admin, &k->client, k->offsets_topic, STORE_TIMEOUT_MS, take_offset, look, why));
    admin_close(&admin);
    return ok;
}

/* ---- the server ---- */

static void add_file(void *ctx, struct view file, uint64_t bytes)
{
    offsets_report_add_file(ctx, file, bytes);
}

static bool ask_connected(struct source *src, const struct config *cfg, struct offsets_report *r, struct fail *why)
{
    struct server server;
    struct gtid_set executed;
    gtid_set_init(&executed);
    bool ok = server_check(src, &cfg->source, &server, why) && server_read_end(src, &server, &r->end, why);
    if (ok)
        memcpy(r->server_uuid, server.uuid, sizeof r->server_uuid);
    ok = ok && server_read_logs(src, add_file, r, why) && server_read_executed(src, &executed, why);
    if (ok)
        offsets_report_compare(r, &executed);
    gtid_set_fini(&executed);
    return ok;
}

static bool ask_server(struct source *src, const struct config *cfg, struct offsets_report *r, struct fail *why)
{
    return source_connect(src, why) && ask_connected(src, cfg, r, why);
}

/* ---- both ---- */

static int report(const struct config *cfg, const struct look *look, bool as_json, struct buf *out, struct fail *why)
{
    struct buf place;
    buf_init(&place);
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    buf_printf(&place, "%s %s%c", is_file ? "file" : "topic",
               is_file ? cfg->kafka.offsets_file : cfg->kafka.offsets_topic, 0);
    struct source *src = source_new(&cfg->source);
    struct offsets_report r = {
        .name = cfg->name,
        .topic_prefix = cfg->record.topic_prefix,
        .place = (const char *)place.start,
        .stored = look->has_offset ? &look->offset : NULL,
        .now_sec = clock_wall_ns() / 1000000000,
        .server = source_name(src),
    };
    bool ok = ask_server(src, cfg, &r, why);
    if (!ok)
        r.server_fault = why->text;
    if (as_json)
        offsets_report_print_json(&r, out);
    else
        offsets_report_print(&r, out);
    source_free(&src);
    buf_fini(&place);
    if (!ok)
        return (int)why->area;
    return look->has_offset ? 0 : FAIL_AREA_REFUSED;
}

int offsets_show(const struct config *cfg, bool as_json, struct buf *out, struct fail *why)
{
    struct look look = {.has_offset = false};
    buf_init(&look.key);
    offset_state_init(&look.offset);
    offsets_print_key(cfg->name, cfg->record.topic_prefix, &look.key);
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    bool ok = is_file ? look_into_file(&look, cfg, why) : look_into_topic(&look, cfg, why);
    int code = ok ? report(cfg, &look, as_json, out, why) : (int)why->area;
    offset_state_fini(&look.offset);
    buf_fini(&look.key);
    return code;
}
