/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/stored.h"

#include "connector/offset_file.h"
#include "connector/offset_found.h"
#include "connector/progress.h"
#include "connector/state_topic.h"
#include "connector/waiting_list.h"

enum {
    STORE_TIMEOUT_MS = 10000,
    TRIES = 5, /* of a state that is stored anew while it is looked at */
};

struct look {
    const struct config *cfg;
    struct offset_found found;
    struct offset_state *offset;
    struct waiting_found waiting;
};

static bool take_waiting(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct look *look = ctx;
    (void)why;
    if (waiting_found_is_part(key, look->cfg->name, look->cfg->record.topic_prefix))
        waiting_found_take(&look->waiting, key, has_value, value);
    return true;
}

/* Few offsets mean a list: the shapes, among which it is, are not looked through in vain. */
static uint64_t list_of(const struct look *look)
{
    return look->found.has_value ? progress_waiting(look->offset->snapshots).list : 0;
}

static bool look_into_file(struct look *look, struct fail *why)
{
    struct offset_file *file = offset_file_peek(look->cfg->kafka.offsets_file, why);
    bool ok = file != NULL && offset_file_load(file, OFFSET_FILE_OFFSETS, offset_found_take, &look->found, why) &&
              offset_found_read(&look->found, look->offset, why) &&
              (list_of(look) == 0 || offset_file_load(file, OFFSET_FILE_SHAPES, take_waiting, look, why));
    offset_file_close(&file);
    return ok;
}

static bool look_for_list(struct look *look, struct admin *admin, struct fail *why)
{
    const struct config_kafka *k = &look->cfg->kafka;
    return list_of(look) == 0 ||
           state_topic_look(admin, &k->client, k->shapes_topic, STORE_TIMEOUT_MS, take_waiting, look, why);
}

/* The count comes first because it gives up sooner when no broker answers: somebody waits for this. */
static bool look_into_topic(struct look *look, struct fail *why)
{
    const struct config_kafka *k = &look->cfg->kafka;
    int partitions = 0;
    struct admin *admin = admin_open(&k->client, NULL, why);
    if (admin == NULL)
        return false;
    bool ok =
        admin_count_partitions(admin, k->offsets_topic, STORE_TIMEOUT_MS, &partitions, why) &&
        (partitions == 0 || (state_topic_look(admin, &k->client, k->offsets_topic, STORE_TIMEOUT_MS, offset_found_take,
                                              &look->found, why) &&
                             offset_found_read(&look->found, look->offset, why) && look_for_list(look, admin, why)));
    admin_close(&admin);
    return ok;
}

bool stored_read(const struct config *cfg, struct offset_state *offset, bool *has_offset, struct fail *why)
{
    struct look look = {.cfg = cfg, .offset = offset};
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    bool ok = true;
    offset_found_init(&look.found, cfg->name, cfg->record.topic_prefix);
    for (int i = 0; ok && i < TRIES && (i == 0 || (list_of(&look) > 0 && offset->waiting == NULL)); i++) {
        waiting_found_init(&look.waiting);
        ok = is_file ? look_into_file(&look, why) : look_into_topic(&look, why);
        if (ok)
            offset->waiting = waiting_found_list(&look.waiting, list_of(&look));
        waiting_found_fini(&look.waiting);
    }
    *has_offset = look.found.has_value;
    offset_found_fini(&look.found);
    return ok;
}
