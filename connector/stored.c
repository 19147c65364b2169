/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/stored.h"

#include "connector/offset_file.h"
#include "connector/state_topic.h"

enum { STORE_TIMEOUT_MS = 10000 };

struct look {
    struct buf key;
    struct offset_state *offset;
    bool has_offset;
};

static bool take_offset(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct look *look = ctx;
    if (!view_equal(key, buf_view(&look->key)))
        return true;
    look->has_offset = has_value;
    return !has_value || offsets_read(look->offset, value, why) ||
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
               state_topic_look(admin, &k->client, k->offsets_topic, STORE_TIMEOUT_MS, take_offset, look, why));
    admin_close(&admin);
    return ok;
}

bool stored_read(const struct config *cfg, struct offset_state *offset, bool *has_offset, struct fail *why)
{
    struct look look = {.offset = offset};
    buf_init(&look.key);
    offsets_print_key(cfg->name, cfg->record.topic_prefix, &look.key);
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    bool ok = is_file ? look_into_file(&look, cfg, why) : look_into_topic(&look, cfg, why);
    *has_offset = look.has_offset;
    buf_fini(&look.key);
    return ok;
}
