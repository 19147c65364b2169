/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/lost.h"

#include "base/log.h"
#include "binlog/server.h"

#include <stdio.h>

enum { MOST_SET_BYTES = 240 }; /* of each of three sets, so that the sentence ends within a struct fail */

struct files {
    char oldest[LOG_FILE_BYTES];
    char newest[LOG_FILE_BYTES];
};

static void note_file(void *ctx, struct view file, uint64_t bytes)
{
    struct files *f = ctx;
    (void)bytes;
    if (f->oldest[0] == '\0')
        snprintf(f->oldest, sizeof f->oldest, "%.*s", VIEW_ARGS(file));
    snprintf(f->newest, sizeof f->newest, "%.*s", VIEW_ARGS(file));
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
    struct fail ignored; /* the first failure is the one to be told */
    struct files files = {.oldest = "", .newest = ""};
    struct gtid_set purged;
    if (why->code != SOURCE_REFUSED_PURGED && why->code != SOURCE_REFUSED_NO_FILE)
        return;
    gtid_set_init(&purged);
    bool ok = (source_is_connected(src) || source_connect(src, &ignored)) &&
              server_read_logs(src, note_file, &files, &ignored) &&
              (executed == NULL || server_read_purged(src, &purged, &ignored));
    if (ok && executed != NULL)
        explain_sets(src, executed, &purged, &files, why);
    else if (ok)
        explain_file(src, pos, &files, why);
    source_disconnect(src);
    gtid_set_fini(&purged);
}
