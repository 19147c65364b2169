/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_store.h"

#include "base/log.h"
#include "connector/admin.h"
#include "connector/member.h"
#include "connector/presence.h"
#include "connector/producer.h"

#include <poll.h>
#include <stdlib.h>

enum { ASK_MS = 10000, CLOSE_MS = 4000, SLICE_MS = 100 };

struct table_name_list {
    struct table_name_list *next;
    char *db;
    char *table;
};

static bool is_file(const struct offsets_store *store)
{
    return store->cfg->kafka.storage == OFFSET_STORAGE_FILE;
}

/* ---- does one run ---- */

#define FENCE_HINT "stop it first; or say --fence, then it is fenced: it ends with code 5 at its next commit"

static bool refuse_running(const struct offsets_store *store, const char *group, size_t members, struct fail *why)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0,
                    "an instance of %s runs: the group %s has %zu member%s; one that was killed counts for %d s; "
                    "hint: " FENCE_HINT,
                    store->cfg->name, group, members, members == 1 ? "" : "s", PRESENCE_SESSION_MS / 1000);
}

static bool refuse_unknown(const struct offsets_store *store, const char *group, struct fail *why)
{
    return fail_set(
        why, FAIL_STOP, FAIL_AREA_REFUSED, 0,
        "whether an instance of %s runs can't be known without the right DESCRIBE on the group %s; hint: make "
        "sure that none runs, then say --fence: one that runs after all is fenced",
        store->cfg->name, group);
}

static bool check_group(const struct offsets_store *store, struct admin *admin, struct fail *why)
{
    char *group = member_group(store->cfg->name);
    size_t members = 0;
    bool known = false;
    bool ok = admin_count_members(admin, group, ASK_MS, &members, &known, why);
    if (ok && !known)
        ok = refuse_unknown(store, group, why);
    else if (ok && members > 0)
        ok = refuse_running(store, group, members, why);
    free(group);
    return ok;
}

/* ---- reading ---- */

static bool open_topics(struct offsets_store *store, bool may_fence, struct fail *why)
{
    struct admin *admin = admin_open(&store->cfg->kafka.client, NULL, why);
    if (admin == NULL)
        return false;
    bool ok = may_fence || check_group(store, admin, why);
    admin_close(&admin);
    return ok && state_look(&store->state, store->cfg, why);
}

/* A dry run takes no lock, since that leaves a file behind; but it says what the real one would. */
static bool open_file(struct offsets_store *store, struct fail *why)
{
    if (!store->is_dry)
        return state_load(&store->state, store->cfg, NULL, why);
    return offset_file_is_free(store->cfg->kafka.offsets_file, why) && state_look(&store->state, store->cfg, why);
}

bool offsets_store_open(struct offsets_store *store, const struct config *cfg, const struct offsets_access *access,
                        struct fail *why)
{
    *store = (struct offsets_store){.cfg = cfg, .is_dry = access->is_dry};
    state_init(&store->state, cfg);
    store->state.may_be_unreadable = access->may_be_unreadable;
    return is_file(store) ? open_file(store, why) : open_topics(store, access->may_fence, why);
}

bool offsets_store_look(struct offsets_store *store, const struct config *cfg, struct fail *why)
{
    *store = (struct offsets_store){.cfg = cfg, .is_dry = true};
    state_init(&store->state, cfg);
    return state_look(&store->state, cfg, why);
}

void offsets_store_close(struct offsets_store *store)
{
    while (store->changed != NULL) {
        struct table_name_list *first = store->changed;
        store->changed = first->next;
        free(first->db);
        free(first->table);
        free(first);
    }
    state_fini(&store->state);
}

void offsets_store_shape_changed(struct offsets_store *store, struct view db, struct view table)
{
    for (const struct table_name_list *t = store->changed; t != NULL; t = t->next)
        if (view_is(db, t->db) && view_is(table, t->table))
            return;
    struct table_name_list *fresh = mem_zero(1, sizeof *fresh);
    *fresh = (struct table_name_list){store->changed, view_to_string(db), view_to_string(table)};
    store->changed = fresh;
}

void offsets_store_each_changed(const struct offsets_store *store,
                                void (*each)(void *ctx, const char *db, const char *table), void *ctx)
{
    for (const struct table_name_list *t = store->changed; t != NULL; t = t->next)
        each(ctx, t->db, t->table);
}

/* ---- writing ---- */

/* What takes a record of state: the committer, or the file. */
struct taker {
    struct committer *committer; /* NULL: the file */
    struct offset_file *file;
};

static bool put(const struct taker *to, enum offset_file_part part, struct view key, bool has_value, struct view value,
                struct fail *why)
{
    if (to->committer == NULL) {
        offset_file_put(to->file, part, key, has_value, value);
        return true;
    }
    return part == OFFSET_FILE_SHAPES ? commit_keep_shape(to->committer, key, has_value, value, why)
                                      : commit_keep_offset(to->committer, key, has_value, value, why);
}

static bool put_shapes(const struct offsets_store *store, const struct taker *to, struct fail *why)
{
    const struct shape_store *shapes = &store->state.shapes;
    bool ok = true;
    for (const struct table_name_list *t = store->changed; ok && t != NULL; t = t->next) {
        struct buf key;
        struct buf value;
        buf_init(&key);
        buf_init(&value);
        shape_store_print_key(shapes, view_of(t->db), view_of(t->table), &key);
        bool has_value = shape_store_print(shapes, view_of(t->db), view_of(t->table), &value);
        ok = put(to, OFFSET_FILE_SHAPES, buf_view(&key), has_value, buf_view(&value), why);
        buf_fini(&key);
        buf_fini(&value);
    }
    return ok;
}

static bool put_all(const struct offsets_store *store, const struct taker *to, const struct offset_state *offset,
                    struct fail *why)
{
    struct buf value;
    buf_init(&value);
    if (offset != NULL)
        offsets_print(offset, &value);
    bool ok = put_shapes(store, to, why) &&
              put(to, OFFSET_FILE_OFFSETS, buf_view(&store->state.found.key), offset != NULL, buf_view(&value), why);
    buf_fini(&value);
    return ok;
}

static bool write_file(struct offsets_store *store, const struct offset_state *offset, struct fail *why)
{
    const struct taker to = {.file = store->state.file};
    return put_all(store, &to, offset, why) && offset_file_store(store->state.file, why);
}

/* ---- writing to topics ---- */

static bool is_same_offset(const struct state *a, const struct state *b)
{
    return a->found.has_value == b->found.has_value && view_equal(buf_view(&a->found.value), buf_view(&b->found.value));
}

/* Nobody may have stored anything between our reading and the fence. */
static bool check_unchanged(const struct offsets_store *store, struct fail *why)
{
    struct state now;
    state_init(&now, store->cfg);
    now.may_be_unreadable = store->state.may_be_unreadable;
    bool ok = state_load(&now, store->cfg, NULL, why);
    if (ok && !is_same_offset(&now, &store->state))
        ok =
            fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0,
                     "the stored position of %s was moved meanwhile, nothing was written; hint: an instance ran, it is "
                     "fenced now; say it again",
                     store->cfg->name);
    state_fini(&now);
    return ok;
}

static struct commit_result wait_committed(struct producer *p)
{
    struct commit_result result;
    while (sink_service(p->sink), !commit_service(p->committer, &result)) {
        struct pollfd fds[] = {{sink_fd(p->sink), POLLIN, 0}, {commit_fd(p->committer), POLLIN, 0}};
        poll(fds, 2, SLICE_MS);
    }
    return result;
}

static bool commit(const struct offsets_store *store, struct producer *p, const struct offset_state *offset,
                   struct fail *why)
{
    const struct taker to = {.committer = p->committer};
    if (!put_all(store, &to, offset, why))
        return false;
    commit_start(p->committer);
    struct commit_result result = wait_committed(p);
    if (result.outcome == COMMIT_DONE)
        return true;
    *why = result.why;
    return fail_add(why, "store the position");
}

/* As a run would: with transactions unless they are off, without where the cluster refuses them and they aren't required. */
static bool take_producer(const struct offsets_store *store, struct producer *p, struct fail *why)
{
    const struct config_kafka *k = &store->cfg->kafka;
    const struct commit_settings where = state_commit_settings(&store->state, store->cfg);
    if (!producer_open(p, store->cfg, k->exactly_once != EXACTLY_ONCE_DISABLED, &where, NULL, why))
        return false;
    struct commit_result taken;
    if (!producer_wait_taken(p, NULL, &taken))
        return false;
    if (taken.outcome == COMMIT_REFUSED && k->exactly_once == EXACTLY_ONCE_REQUESTED && !store->state.has_offset)
        return producer_close(p, CLOSE_MS) && producer_open(p, store->cfg, false, &where, NULL, why) &&
               producer_wait_taken(p, NULL, &taken);
    if (taken.outcome == COMMIT_DONE)
        return true;
    *why = taken.why;
    return false;
}

static bool write_topics(struct offsets_store *store, const struct offset_state *offset, struct fail *why)
{
    struct producer p = {.sink = NULL};
    bool ok = take_producer(store, &p, why) && check_unchanged(store, why) && commit(store, &p, offset, why);
    if (p.sink != NULL && !producer_close(&p, CLOSE_MS))
        log_warn("offsets_store", "a Kafka client does not end, it is left behind");
    return ok;
}

bool offsets_store_write(struct offsets_store *store, const struct offset_state *offset, struct fail *why)
{
    ASSERT(!store->is_dry);
    return is_file(store) ? write_file(store, offset, why) : write_topics(store, offset, why);
}
