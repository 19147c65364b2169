/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/outlook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void outlook_init(struct outlook *out)
{
    *out = (struct outlook){.server_uuid = ""};
    gtid_set_init(&out->purged);
}

void outlook_fini(struct outlook *out)
{
    gtid_set_fini(&out->purged);
}

struct files {
    const struct log_position *place;
    struct outlook *out;
};

/* Oldest first. */
static void add_file(void *ctx, struct view file, uint64_t bytes)
{
    struct files *f = ctx;
    struct outlook *out = f->out;
    if (out->oldest[0] == '\0')
        snprintf(out->oldest, sizeof out->oldest, "%.*s", VIEW_ARGS(file));
    snprintf(out->newest, sizeof out->newest, "%.*s", VIEW_ARGS(file));
    if (view_is(file, f->place->file)) {
        out->has_file = true;
        out->ends_before = bytes < f->place->offset;
        out->bytes_behind = bytes > f->place->offset ? bytes - f->place->offset : 0;
    } else if (out->has_file) {
        out->bytes_behind += bytes;
    }
}

static int64_t number_of(struct view text)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%.*s", VIEW_ARGS(text));
    return strtoll(digits, NULL, 10);
}

static bool read_clock(struct source *src, struct outlook *out, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, "SELECT @@server_uuid, UNIX_TIMESTAMP()", &res, why);
    if (ok && source_query_next(&res)) {
        snprintf(out->server_uuid, sizeof out->server_uuid, "%.*s", VIEW_ARGS(source_query_column(&res, 0)));
        out->now_sec = number_of(source_query_column(&res, 1));
    }
    source_query_end(&res);
    return ok;
}

/* The switch (8.0.29) overrules the time; before 8.0.1 there were only days, which a server of today still obeys. */
static bool read_expiry(struct source *src, struct outlook *out, struct fail *why)
{
    struct source_result res;
    int64_t seconds = 0;
    int64_t days = 0;
    bool is_on = true;
    bool ok = source_query_run(src,
                               "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('binlog_expire_logs_seconds', "
                               "'binlog_expire_logs_auto_purge', 'expire_logs_days')",
                               &res, why);
    while (ok && source_query_next(&res)) {
        struct view name = source_query_column(&res, 0);
        struct view value = source_query_column(&res, 1);
        if (view_is(name, "binlog_expire_logs_seconds"))
            seconds = number_of(value);
        else if (view_is(name, "expire_logs_days"))
            days = number_of(value);
        else
            is_on = view_is(value, "ON");
    }
    source_query_end(&res);
    out->expire_sec = !is_on ? 0 : seconds > 0 ? seconds : days * 86400;
    return ok;
}

static bool read_files(struct source *src, const struct log_position *place, struct outlook *out, struct fail *why)
{
    struct files files = {place, out};
    if (!server_read_logs(src, add_file, &files, why))
        return false;
    struct log_position newest = {.offset = 0};
    memcpy(newest.file, out->newest, sizeof newest.file);
    if (!out->has_file)
        out->ends_before = position_is_of_one_log(&newest, place) && position_compare(&newest, place) < 0;
    return true;
}

bool outlook_read(struct source *src, const struct log_position *place, struct outlook *out, struct fail *why)
{
    outlook_fini(out);
    outlook_init(out);
    return read_clock(src, out, why) && read_expiry(src, out, why) && read_files(src, place, out, why) &&
           server_read_purged(src, &out->purged, why);
}
