/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_show.h"

#include "base/clock.h"
#include "binlog/server.h"
#include "connector/offsets_report.h"
#include "connector/stored.h"

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

static int report(const struct config *cfg, const struct offset_state *stored, bool as_json, struct buf *out,
                  struct fail *why)
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
        .stored = stored,
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
    return stored != NULL ? 0 : FAIL_AREA_REFUSED;
}

int offsets_show(const struct config *cfg, bool as_json, struct buf *out, struct fail *why)
{
    struct offset_state stored;
    bool has_offset;
    offset_state_init(&stored);
    bool ok = stored_read(cfg, &stored, &has_offset, why);
    int code = ok ? report(cfg, has_offset ? &stored : NULL, as_json, out, why) : (int)why->area;
    offset_state_fini(&stored);
    return code;
}
