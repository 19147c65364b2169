/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/state.h"

#include "base/log.h"
#include "connector/admin.h"
#include "connector/progress.h"
#include "connector/state_topic.h"
#include "record/topic.h"
#include "signal/consumer.h"

#include <string.h>

enum { SIGNAL_TIMEOUT_MS = 30000, LOOK_TIMEOUT_MS = 10000 };

void state_init(struct state *st, const struct config *cfg)
{
    *st = (struct state){.has_offset = false};
    offset_state_init(&st->offset);
    waiting_found_init(&st->waiting);
    shape_store_init(&st->shapes, cfg->name, cfg->record.topic_prefix);
    offset_found_init(&st->found, cfg->name, cfg->record.topic_prefix);
}

void state_fini(struct state *st)
{
    offset_state_fini(&st->offset);
    shape_store_fini(&st->shapes);
    waiting_found_fini(&st->waiting);
    offset_found_fini(&st->found);
    if (st->file != NULL)
        offset_file_close(&st->file);
}

static bool resolve_offset(struct state *st, struct fail *why)
{
    bool ok = offset_found_read(&st->found, &st->offset, why);
    st->has_offset = ok && st->found.has_value;
    if (ok || !st->may_be_unreadable)
        return ok;
    log_warn("state", "what is stored can't be read, and counts as nothing: %s", why->text);
    offset_state_fini(&st->offset);
    offset_state_init(&st->offset);
    return true;
}

/* Among the shapes there are lists of waiting tables, too. */
static bool take_shape(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct state *st = ctx;
    if (!waiting_found_is_part(key, st->shapes.name, st->shapes.topic_prefix))
        return shape_store_load(&st->shapes, key, has_value, value, why);
    waiting_found_take(&st->waiting, key, has_value, value);
    return true;
}

/* The list that the offset means; the others are of earlier times. */
static void resolve_waiting(struct state *st)
{
    st->offset.waiting = waiting_found_list(&st->waiting, progress_waiting(st->offset.snapshots).list);
    waiting_found_fini(&st->waiting);
}

static bool read_file(struct state *st, struct offset_file *file, struct fail *why)
{
    bool ok = offset_file_load(file, OFFSET_FILE_OFFSETS, offset_found_take, &st->found, why) &&
              resolve_offset(st, why) && offset_file_load(file, OFFSET_FILE_SHAPES, take_shape, st, why);
    resolve_waiting(st);
    return ok;
}

static bool load_file(struct state *st, const struct config *cfg, struct fail *why)
{
    st->file = offset_file_open(cfg->kafka.offsets_file, why);
    return st->file != NULL && read_file(st, st->file, why);
}

static bool read_topics(struct state *st, const struct config *cfg, struct admin *admin, struct fail *why)
{
    const struct config_kafka *k = &cfg->kafka;
    bool ok = state_topic_read(admin, &k->client, k->offsets_topic, STATE_TOPIC_TIMEOUT_MS, offset_found_take,
                               &st->found, why) &&
              resolve_offset(st, why) &&
              state_topic_read(admin, &k->client, k->shapes_topic, STATE_TOPIC_TIMEOUT_MS, take_shape, st, why);
    resolve_waiting(st);
    return ok;
}

static bool prepare_topics(const struct config *cfg, struct admin *admin, struct fail *why)
{
    const struct config_kafka *k = &cfg->kafka;
    return state_topic_prepare(admin, k->offsets_topic, k->state_replication, why) &&
           state_topic_prepare(admin, k->shapes_topic, k->state_replication, why);
}

bool state_prepare(const struct config *cfg, const atomic_bool *stop, struct fail *why)
{
    struct admin *admin = admin_open(&cfg->kafka.client, stop, why);
    if (admin == NULL)
        return false;
    bool ok = prepare_topics(cfg, admin, why);
    admin_close(&admin);
    return ok;
}

static bool load_topics(struct state *st, const struct config *cfg, const atomic_bool *stop, struct fail *why)
{
    struct admin *admin = admin_open(&cfg->kafka.client, stop, why);
    if (admin == NULL)
        return false;
    bool ok = prepare_topics(cfg, admin, why) && read_topics(st, cfg, admin, why);
    admin_close(&admin);
    return ok;
}

static bool look_into_file(struct state *st, const struct config *cfg, struct fail *why)
{
    struct offset_file *file = offset_file_peek(cfg->kafka.offsets_file, why);
    bool ok = file != NULL && read_file(st, file, why);
    offset_file_close(&file);
    return ok;
}

/* The count comes first because it gives up sooner when no broker answers: somebody waits for this. */
static bool look_into_topics(struct state *st, const struct config *cfg, struct fail *why)
{
    int partitions;
    struct admin *admin = admin_open(&cfg->kafka.client, NULL, why);
    if (admin == NULL)
        return false;
    bool ok = admin_count_partitions(admin, cfg->kafka.offsets_topic, LOOK_TIMEOUT_MS, &partitions, why) &&
              read_topics(st, cfg, admin, why);
    admin_close(&admin);
    return ok;
}

bool state_look(struct state *st, const struct config *cfg, struct fail *why)
{
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    return is_file ? look_into_file(st, cfg, why) : look_into_topics(st, cfg, why);
}

bool state_load(struct state *st, const struct config *cfg, const atomic_bool *stop, struct fail *why)
{
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    return is_file ? load_file(st, cfg, why) : load_topics(st, cfg, stop, why);
}

/* ---- signals ---- */

static bool read_end(struct admin *admin, const struct config *cfg, int64_t *end, struct fail *why)
{
    int partitions = 0;
    bool created;
    const struct admin_topic topic = {
        .name = cfg->signal_topic, .partitions = 1, .replication_factor = cfg->kafka.state_replication};
    if (!admin_count_partitions(admin, cfg->signal_topic, SIGNAL_TIMEOUT_MS, &partitions, why))
        return false;
    if (partitions == 0) {
        *end = 0;
        return admin_create_topic(admin, &topic, SIGNAL_TIMEOUT_MS, &created, why);
    }
    if (partitions > 1)
        log_warn("state", "signal topic %s has %d partitions: signals are read from partition 0 only",
                 cfg->signal_topic, partitions);
    return admin_read_ends(admin, cfg->signal_topic, 1, ADMIN_END_ALL, SIGNAL_TIMEOUT_MS, end, why);
}

/* The first of: a group's committed offset, what auto.offset.reset says, the end. */
static bool choose_start(struct admin *admin, const struct config *cfg, int64_t *start, struct fail *why)
{
    int64_t end;
    if (!read_end(admin, cfg, &end, why))
        return false;
    *start = end;
    if (cfg->signal_group != NULL) {
        rd_kafka_conf_t *conf = client_conf_new(&cfg->kafka.signals, why);
        int64_t committed;
        if (conf == NULL ||
            !consumer_read_committed(conf, cfg->signal_group, cfg->signal_topic, SIGNAL_TIMEOUT_MS, &committed, why))
            return false;
        if (committed >= 0) {
            *start = committed;
            return true;
        }
    }
    if (cfg->signal_reset != NULL && strcmp(cfg->signal_reset, "earliest") == 0)
        *start = 0;
    return true;
}

bool state_find_signal_start(struct state *st, const struct config *cfg, const atomic_bool *stop, struct fail *why)
{
    st->signal_start = -1;
    if (!cfg->has_signals)
        return true;
    struct admin *admin = admin_open(&cfg->kafka.signal_client, stop, why);
    if (admin == NULL)
        return false;
    bool ok = st->offset.has_signal_offset ? read_end(admin, cfg, &st->signal_start, why)
                                           : choose_start(admin, cfg, &st->signal_start, why);
    admin_close(&admin);
    return ok || fail_add(why, "find where to read signals from");
}

struct commit_settings state_commit_settings(const struct state *st, const struct config *cfg)
{
    if (st->file != NULL)
        return (struct commit_settings){.file = st->file};
    return (struct commit_settings){.offsets_topic = topic_intern(view_of(cfg->kafka.offsets_topic)),
                                    .shapes_topic = topic_intern(view_of(cfg->kafka.shapes_topic))};
}
