/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/lost.h"

#include "base/log.h"
#include "binlog/server.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_SET_BYTES = 240 }; /* of each of three sets, so that the sentence ends within a struct fail */

struct files {
    char oldest[LOG_FILE_BYTES];
    char newest[LOG_FILE_BYTES];
    uint64_t newest_bytes;
};

static void note_file(void *ctx, struct view file, uint64_t bytes)
{
    struct files *f = ctx;
    f->newest_bytes = bytes;
    if (f->oldest[0] == '\0')
        snprintf(f->oldest, sizeof f->oldest, "%.*s", VIEW_ARGS(file));
    snprintf(f->newest, sizeof f->newest, "%.*s", VIEW_ARGS(file));
}

/* What there is. purged: NULL when nobody asks for it. */
static bool ask(struct source *src, struct files *files, struct gtid_set *purged)
{
    struct fail ignored; /* the failure that led here is the one to be told */
    *files = (struct files){.oldest = ""};
    bool ok = (source_is_connected(src) || source_connect(src, &ignored)) &&
              server_read_logs(src, note_file, files, &ignored) &&
              (purged == NULL || server_read_purged(src, purged, &ignored));
    source_disconnect(src);
    return ok;
}

/* Ends with a zero byte. */
static void print_short(const struct gtid_set *set, struct buf *out)
{
    buf_init(out);
    gtid_set_print_short(set, MOST_SET_BYTES, out);
    buf_put_u8(out, 0);
}

static void explain_sets(const struct source *src, const struct gtid_set *executed, struct gtid_set *purged,
                         const struct files *files, struct fail *why)
{
    struct buf stored, gone, missing;
    print_short(executed, &stored);
    print_short(purged, &gone);
    gtid_set_minus(purged, executed);
    print_short(purged, &missing);
    fail_set(
        why, why->kind, why->area, why->code,
        "the log that holds what comes next was purged on %s: stored are the transactions %s, missing are %s, "
        "gtid_purged is %s, the log files are %s to %s; hint: take a new snapshot, or restore the position by hand; "
        "binlog_expire_logs_seconds says how long the server keeps its log",
        source_name(src), (const char *)stored.start, (const char *)missing.start, (const char *)gone.start,
        files->oldest, files->newest);
    buf_fini(&stored);
    buf_fini(&gone);
    buf_fini(&missing);
}

static void explain_file(const struct source *src, const struct log_position *pos, const struct files *files,
                         struct fail *why)
{
    fail_set(
        why, why->kind, why->area, why->code,
        "%s has no log file %s (stored is its position %llu): its log files are %s to %s; hint: it was purged, or the "
        "position is of another server: take a new snapshot, or correct the position; "
        "binlog_expire_logs_seconds says how long the server keeps its log",
        source_name(src), pos->file, (unsigned long long)pos->offset, files->oldest, files->newest);
}

void lost_explain(struct source *src, const struct gtid_set *executed, const struct log_position *pos, struct fail *why)
{
    struct files files;
    struct gtid_set purged;
    if (why->code != SOURCE_REFUSED_PURGED && why->code != SOURCE_REFUSED_NO_FILE)
        return;
    gtid_set_init(&purged);
    bool ok = ask(src, &files, executed == NULL ? NULL : &purged);
    if (ok && executed != NULL)
        explain_sets(src, executed, &purged, &files, why);
    else if (ok)
        explain_file(src, pos, &files, why);
    gtid_set_fini(&purged);
}

/* ---- a log that has begun anew ---- */

/* What the server numbered itself. */
static void own_part(const struct gtid_set *set, const char *server_uuid, struct gtid_set *own)
{
    gtid_set_init(own);
    for (uint32_t i = 0; i < set->n_sources; i++) {
        const struct gtid_source *source = &set->sources[i];
        struct gtid one = {.n = 1};
        char text[GTID_TEXT_BYTES];
        memcpy(one.uuid, source->uuid, sizeof one.uuid);
        gtid_print(&one, text);
        if (strncasecmp(text, server_uuid, 36) != 0)
            continue;
        for (uint32_t k = 0; k < source->n_intervals; k++)
            gtid_set_add_range(own, source->uuid, source->tag, source->intervals[k]);
    }
}

/* Files of another name say nothing: that log begins at 1 with its own. */
static bool ends_before(const struct files *files, const struct log_position *pos)
{
    struct log_position end = {.offset = files->newest_bytes};
    memcpy(end.file, files->newest, sizeof end.file);
    return end.file[0] != '\0' && position_is_of_one_log(&end, pos) && position_compare(&end, pos) < 0;
}

/* Appends what the log shows of it; ends with a zero byte. */
static void put_sign(const struct files *files, const struct lost_place *place, struct buf *out)
{
    buf_init(out);
    if (place->is_other_file)
        buf_printf(out, "its file %s is another one than that of the stored position %s:%llu", place->pos->file,
                   place->pos->file, (unsigned long long)place->pos->offset);
    else
        buf_printf(out, "it ends at %s:%llu, before the stored position %s:%llu", files->newest,
                   (unsigned long long)files->newest_bytes, place->pos->file, (unsigned long long)place->pos->offset);
    buf_put_u8(out, 0);
}

static bool fail_other_log(const struct source *src, const struct gtid_set *told, const struct files *files,
                           const struct lost_place *place, struct fail *why)
{
    struct buf text, sign;
    print_short(told, &text);
    put_sign(files, place, &sign);
    fail_set(why, FAIL_STOP, FAIL_AREA_DATA, SOURCE_OTHER_LOG,
             "the log of %s has begun anew: %s, and transactions of the server itself that were told (%s) are not in "
             "it; their numbers may be those of others now, which would be passed over (RESET BINARY LOGS AND GTIDS, "
             "or the loss of the log's end); hint: snapshot.mode=when_needed begins anew by itself, tidemark offsets "
             "reset by hand",
             source_name(src), (const char *)sign.start, (const char *)text.start);
    buf_fini(&sign);
    buf_fini(&text);
    return true;
}

bool lost_is_other_log(struct source *src, const struct lost_place *place, struct fail *why)
{
    struct files files;
    struct gtid_set purged, own;
    gtid_set_init(&purged);
    own_part(place->executed, place->server_uuid, &own);
    bool is_other = !gtid_set_is_empty(&own) && ask(src, &files, &purged) &&
                    (place->is_other_file || ends_before(&files, place->pos)) && !gtid_set_contains(&purged, &own);
    if (is_other)
        fail_other_log(src, &own, &files, place, why);
    gtid_set_fini(&purged);
    gtid_set_fini(&own);
    return is_other;
}
