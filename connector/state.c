/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/state.h"

#include "base/log.h"
#include "connector/admin.h"
#include "connector/state_topic.h"
#include "record/topic.h"

void state_init(struct state *st, const struct config *cfg)
{
    *st = (struct state){.has_offset = false};
    offset_state_init(&st->offset);
    shape_store_init(&st->shapes, cfg->name, cfg->record.topic_prefix);
    buf_init(&st->offset_key);
    offsets_print_key(cfg->name, cfg->record.topic_prefix, &st->offset_key);
}

void state_fini(struct state *st)
{
    offset_state_fini(&st->offset);
    shape_store_fini(&st->shapes);
    buf_fini(&st->offset_key);
    if (st->file != NULL)
        offset_file_close(&st->file);
}

static bool take_offset(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct state *st = ctx;
    if (!view_equal(key, buf_view(&st->offset_key)))
        return true;
    st->has_offset = has_value;
    if (!has_value)
        return true;
    if (offsets_read(&st->offset, value, why))
        return true;
    why->kind = FAIL_STOP;
    return fail_add(why, "read the stored offset %.*s", VIEW_ARGS(key));
}

static bool load_file(struct state *st, const struct config *cfg, struct fail *why)
{
    st->file = offset_file_open(cfg->kafka.offsets_file, why);
    return st->file != NULL && offset_file_load(st->file, OFFSET_FILE_OFFSETS, take_offset, st, why) &&
           offset_file_load(st->file, OFFSET_FILE_SHAPES, shape_store_load, &st->shapes, why);
}

static bool load_topics(struct state *st, const struct config *cfg, const atomic_bool *stop, struct fail *why)
{
    const struct config_kafka *k = &cfg->kafka;
    struct admin *admin = admin_open(&k->client, stop, why);
    if (admin == NULL)
        return false;
    bool ok = state_topic_prepare(admin, k->offsets_topic, k->state_replication, why) &&
              state_topic_prepare(admin, k->shapes_topic, k->state_replication, why) &&
              state_topic_read(admin, &k->client, k->offsets_topic, STATE_TOPIC_TIMEOUT_MS, take_offset, st, why) &&
              state_topic_read(admin, &k->client, k->shapes_topic, STATE_TOPIC_TIMEOUT_MS, shape_store_load, &st->shapes,
                               why);
    admin_close(&admin);
    return ok;
}

bool state_load(struct state *st, const struct config *cfg, const atomic_bool *stop, struct fail *why)
{
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    return is_file ? load_file(st, cfg, why) : load_topics(st, cfg, stop, why);
}

struct commit_settings state_commit_settings(const struct state *st, const struct config *cfg)
{
    if (st->file != NULL)
        return (struct commit_settings){.file = st->file};
    return (struct commit_settings){.offsets_topic = topic_intern(view_of(cfg->kafka.offsets_topic)),
                                    .shapes_topic = topic_intern(view_of(cfg->kafka.shapes_topic))};
}
