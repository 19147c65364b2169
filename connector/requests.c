/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/requests.h"

#include "base/log.h"
#include "connector/client.h"
#include "connector/table_pattern.h"
#include "connector/waiting.h"
#include "connector/wanted.h"
#include "signal/consumer.h"
#include "signal/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREAD_END_MS = 1000, /* of one that has said that it ended */
    COMMIT_MS = 1000,
};

struct requests {
    const struct config *cfg;
    struct snapshots *snapshots;
    const struct shape_store *shapes;
    struct frontier *frontier;
    struct notices *notices;
    struct consumer *consumer; /* NULL: not open, or no signals */
    struct relocating {
        struct relocation *relocation; /* NULL: none is under way */
        int64_t offset;                /* of its signal */
        char *id;
        bool is_asked; /* its signal came since requests_open: later ones wait */
    } moving;
};

struct requests *requests_new(const struct config *cfg, struct snapshots *sn, const struct shape_store *shapes,
                              struct frontier *frontier, struct notices *notices)
{
    struct requests *req = mem_zero(1, sizeof *req);
    *req = (struct requests){.cfg = cfg, .snapshots = sn, .shapes = shapes, .frontier = frontier, .notices = notices};
    return req;
}

void requests_free(struct requests **req)
{
    if (*req == NULL)
        return;
    consumer_close(&(*req)->consumer);
    free(*req);
    *req = NULL;
}

bool requests_open(struct requests *req, struct fail *why)
{
    const struct offset_state *st = &req->frontier->state;
    const struct consumer_place from = {.group = req->cfg->signal_group,
                                        .topic = req->cfg->signal_topic,
                                        .topic_id = st->signal_topic,
                                        .offset = st->signal_offset};
    consumer_close(&req->consumer);
    req->moving.is_asked = false;
    if (!req->cfg->has_signals)
        return true;
    rd_kafka_conf_t *conf = client_conf_new(&req->cfg->kafka.signals, why);
    if (conf == NULL)
        return false;
    /* What is asked about the topic waits behind a fetch: a connection's requests are answered one after another. */
    if (!client_has(&req->cfg->kafka.signals, "fetch.wait.max.ms") &&
        !client_conf_set(conf, "fetch.wait.max.ms", "100", why)) {
        rd_kafka_conf_destroy(conf);
        return false;
    }
    req->consumer = consumer_open(conf, &from, why);
    if (req->consumer == NULL)
        return false;
    log_info("requests", "signals are read from topic=%s offset=%lld", from.topic, (long long)from.offset);
    return true;
}

void requests_look(struct requests *req)
{
    if (req->consumer != NULL)
        consumer_look(req->consumer);
}

void requests_commit(struct requests *req, const struct offset_state *stored)
{
    struct fail why;
    if (req->consumer == NULL || req->cfg->signal_group == NULL || stored == NULL || !stored->has_signal_offset)
        return;
    if (consumer_commit(req->consumer, stored->signal_offset, COMMIT_MS, &why))
        log_info("requests", "offset %lld of the signal topic is committed to the group %s",
                 (long long)stored->signal_offset, req->cfg->signal_group);
    else
        log_warn("requests", "%s %s; our own position is stored, only who asks the group finds an older one", why.text,
                 req->cfg->signal_group);
}

int requests_fd(const struct requests *req)
{
    return req->consumer == NULL ? -1 : consumer_fd(req->consumer);
}

/* ---- execute ---- */

static bool is_running(const struct requests *req, const struct signal *sig)
{
    return incremental_has(snapshots_incremental(req->snapshots), sig->is_blocking ? READ_BLOCKING : READ_INCREMENTAL);
}

static void add_table(struct requests *req, const struct signal *sig, const struct wanted_table *wanted, bool is_first)
{
    struct table_read *t = table_read_new(wanted->db, wanted->table);
    t->filter = wanted->filter == NULL ? NULL : mem_strdup(wanted->filter);
    t->surrogate = sig->surrogate.n == 0 ? NULL : view_to_string(sig->surrogate);
    t->kind = sig->is_blocking ? READ_BLOCKING : READ_INCREMENTAL;
    t->is_first = is_first;
    t->signal_id = sig->has_id ? view_to_string(sig->id) : NULL;
    incremental_add(snapshots_incremental(req->snapshots), t);
}

/* What waits is kept, in memory and stored: there is an end to it. */
static bool has_room(const struct requests *req, const struct signal *sig, const struct wanted *wanted,
                     struct fail *why)
{
    size_t before = waiting_bytes(snapshots_incremental(req->snapshots));
    size_t bytes = 0;
    for (size_t i = 0; i < wanted->n; i++) {
        const struct wanted_table *t = &wanted->items[i];
        bytes += waiting_table_bytes(t->db.n + t->table.n + (t->filter == NULL ? 0 : strlen(t->filter)) +
                                     sig->surrogate.n + sig->id.n);
    }
    return before + bytes <= WAITING_MOST_BYTES ||
           fail_set(why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0,
                    "its %zu tables with their conditions take %zu bytes to be stored, beside %zu of those that wait "
                    "already, and there is room for %d; hint: ask for fewer at once, or with a shorter condition",
                    wanted->n, bytes, before, WAITING_MOST_BYTES);
}

static bool execute(struct requests *req, const struct signal *sig, struct arena *memory, struct fail *why)
{
    struct wanted wanted;
    struct buf names;
    if (sig->is_blocking && (sig->n_conditions > 0 || sig->surrogate.n > 0))
        return fail_set(why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0,
                        "a blocking snapshot takes neither additional-conditions, which are whole SELECTs there, nor a "
                        "surrogate-key; hint: leave out \"type\" for an incremental one, which takes both");
    if (!wanted_may_read(req->cfg, req->frontier->state.has_gtids, why) ||
        !wanted_find(sig, req->shapes, memory, &wanted, why) || !has_room(req, sig, &wanted, why))
        return false;
    bool was_running = is_running(req, sig);
    for (size_t i = 0; i < wanted.n; i++)
        add_table(req, sig, &wanted.items[i], sig->is_blocking && i == 0 && !was_running);
    buf_init(&names);
    wanted_put_names(&wanted, &names);
    log_info("requests", "snapshot %.*s: %zu tables", VIEW_ARGS(sig->id), wanted.n);
    if (!was_running && sig->is_blocking)
        notices_tell_initial(req->notices, INITIAL_STARTED);
    else if (!was_running)
        notices_tell_signal(req->notices, INCREMENTAL_STARTED, sig->id, buf_view(&names), NULL);
    buf_fini(&names);
    return true;
}

/* ---- the end of a signal ---- */

static struct view signal_id_of(const struct table_read *t)
{
    return view_of(t->signal_id == NULL ? "" : t->signal_id);
}

/* A table leaves the queue: its signal has ended when no other one of it is there. */
static void end_if_last(struct requests *req, const struct table_read *t)
{
    const struct table_read *q = incremental_tables(snapshots_incremental(req->snapshots));
    for (; q != NULL; q = q->next_in_queue)
        if (q != t && q->kind != READ_INITIAL && view_equal(signal_id_of(q), signal_id_of(t)))
            return;
    signal_log_end(snapshots_signals(req->snapshots), signal_id_of(t));
}

/* ---- stop ---- */

struct stopping {
    const struct signal *sig;
    struct table_pattern *patterns;
    unsigned n_patterns;              /* 0: all */
    struct buf incremental, blocking; /* the names of those that were stopped */
    struct requests *req;
};

/* A table of the initial snapshot is never meant: nobody asked for it by a signal. */
static bool is_of_kind(const struct signal *sig, const struct table_read *t)
{
    if (t->kind == READ_INITIAL)
        return false;
    return !sig->has_type || sig->is_blocking == (t->kind == READ_BLOCKING);
}

static bool is_to_stop(void *ctx, const struct table_read *t)
{
    struct stopping *st = ctx;
    struct buf *stopped = t->kind == READ_BLOCKING ? &st->blocking : &st->incremental;
    if (!is_of_kind(st->sig, t))
        return false;
    bool matches = st->n_patterns == 0;
    for (unsigned i = 0; !matches && i < st->n_patterns; i++)
        matches = table_pattern_means(&st->patterns[i], view_of(t->db), view_of(t->table));
    if (matches) {
        if (buf_size(stopped) > 0)
            buf_put_u8(stopped, ',');
        table_pattern_put_id(stopped, view_of(t->db), view_of(t->table));
        signal_log_note(snapshots_signals(st->req->snapshots), signal_id_of(t), OUTCOME_STOPPED, NULL);
        end_if_last(st->req, t);
    }
    return matches;
}

static bool stop(struct requests *req, const struct signal *sig, struct fail *why)
{
    struct stopping st = {.req = req, .sig = sig};
    bool ok = true;
    buf_init(&st.incremental);
    buf_init(&st.blocking);
    st.patterns = mem_zero(sig->n_collections, sizeof *st.patterns);
    for (; ok && st.n_patterns < sig->n_collections; st.n_patterns++)
        ok = table_pattern_init(&st.patterns[st.n_patterns], sig->collections[st.n_patterns], req->shapes, why);
    if (ok) {
        unsigned n = incremental_stop(snapshots_incremental(req->snapshots), is_to_stop, &st);
        if (n == 0)
            log_warn("requests", "nothing was stopped: no table that is read, or waits for it, is meant by the signal");
        else
            log_info("requests", "snapshot stopped: %u tables", n);
        if (buf_size(&st.incremental) > 0)
            notices_tell_signal(req->notices, INCREMENTAL_ABORTED, sig->id, buf_view(&st.incremental), NULL);
        if (buf_size(&st.blocking) > 0)
            notices_tell_blocking_aborted(req->notices, sig->id, buf_view(&st.blocking));
    }
    for (unsigned i = 0; i < st.n_patterns; i++)
        table_pattern_fini(&st.patterns[i]);
    free(st.patterns);
    buf_fini(&st.incremental);
    buf_fini(&st.blocking);
    return ok;
}

/* ---- the others ---- */

static void pause_or_resume(struct requests *req, bool pauses)
{
    struct incremental *inc = snapshots_incremental(req->snapshots);
    bool did = pauses ? incremental_pause(inc) : incremental_resume(inc);
    log_info("requests", "snapshot %s%s", pauses ? "paused" : "resumed", did ? "" : ": nothing to do");
    if (did)
        notices_tell(req->notices, pauses ? INCREMENTAL_PAUSED : INCREMENTAL_RESUMED, inc, incremental_tables(inc));
}

/* {} in the text stands for the position. */
static void log_message(const struct requests *req, const struct signal *sig)
{
    const uint8_t *at = memmem(sig->message.p, sig->message.n, "{}", 2);
    struct buf text;
    buf_init(&text);
    if (at == NULL) {
        buf_put_view(&text, sig->message);
    } else {
        size_t before = (size_t)(at - sig->message.p);
        buf_put_view(&text, (struct view){sig->message.p, before});
        offsets_print(&req->frontier->state, &text);
        buf_put_view(&text, (struct view){at + 2, sig->message.n - before - 2});
    }
    log_info("requests", "signal says: %.*s", VIEW_ARGS(buf_view(&text)));
    buf_fini(&text);
}

/* ---- set-binlog-position ---- */

/* Its answer comes later. The signal comes again when the stream had to start anew meanwhile: what was begun for it then
 * still holds. */
static bool relocate(struct requests *req, const struct signal *sig, int64_t offset, struct fail *why)
{
    struct relocating *m = &req->moving;
    struct incremental *inc = snapshots_incremental(req->snapshots);
    if (incremental_has(inc, READ_INITIAL) || incremental_has(inc, READ_BLOCKING))
        return fail_set(
            why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0,
            "the position can't be moved while an initial or blocking snapshot runs, whose rows are true where "
            "the stream is; hint: ask again when it has ended");
    if (m->relocation == NULL) {
        m->relocation = relocation_start(req->cfg, sig, why);
        m->offset = offset;
        free(m->id);
        m->id = view_to_string(sig->id);
    }
    m->is_asked = m->relocation != NULL;
    return m->is_asked;
}

const struct relocation *requests_relocation(const struct requests *req)
{
    return req->moving.is_asked ? req->moving.relocation : NULL;
}

bool requests_forget_relocation(struct requests *req, int timeout_ms)
{
    free(req->moving.id);
    req->moving.id = NULL;
    req->moving.is_asked = false;
    return relocation_free(&req->moving.relocation, timeout_ms);
}

/* ---- one signal ---- */

static bool execute_signal(struct requests *req, const struct signal *sig, int64_t offset, struct arena *memory,
                           struct fail *why)
{
    switch (sig->kind) {
    case SIGNAL_EXECUTE:
        return execute(req, sig, memory, why);
    case SIGNAL_STOP:
        return stop(req, sig, why);
    case SIGNAL_PAUSE:
    case SIGNAL_RESUME:
        pause_or_resume(req, sig->kind == SIGNAL_PAUSE);
        return true;
    case SIGNAL_LOG:
        log_message(req, sig);
        return true;
    case SIGNAL_SET_POSITION:
        return relocate(req, sig, offset, why);
    }
    return true;
}

static void refuse(struct requests *req, struct view id, int64_t offset, const struct fail *why)
{
    log_warn("requests", "signal at offset %lld is refused: %s", (long long)offset, why->text);
    signal_log_add(snapshots_signals(req->snapshots), id, offset, OUTCOME_REFUSED, why->text);
    notices_tell_signal(req->notices, INCREMENTAL_ABORTED, id, VIEW_NONE, why->text);
}

/* What was done about the signal is stored next, with its place: it is executed once. */
static void note_answered(struct requests *req, int64_t offset)
{
    req->frontier->state.has_signal_offset = true;
    req->frontier->state.signal_offset = offset + 1;
    snapshots_changed(req->snapshots);
}

static void handle(struct requests *req, const struct consumer_record *rec)
{
    struct arena memory;
    struct signal sig;
    struct fail why = {.kind = FAIL_NONE};
    arena_init(&memory);
    switch (signal_parse(rec->key, rec->value, req->cfg->record.topic_prefix, &memory, &sig, &why)) {
    case SIGNAL_IS_OURS:
        if (!execute_signal(req, &sig, rec->offset, &memory, &why))
            refuse(req, sig.id, rec->offset, &why);
        else if (!req->moving.is_asked)
            signal_log_add(snapshots_signals(req->snapshots), sig.id, rec->offset,
                           sig.kind == SIGNAL_EXECUTE ? OUTCOME_RUNNING : OUTCOME_DONE, NULL);
        break;
    case SIGNAL_IS_BAD:
        refuse(req, sig.id, rec->offset, &why);
        break;
    case SIGNAL_IS_FOREIGN:
        log_info("requests", "signal at offset %lld is passed by: %s", (long long)rec->offset, why.text);
        break;
    case SIGNAL_IS_EMPTY:
        break;
    }
    if (!req->moving.is_asked)
        note_answered(req, rec->offset);
    arena_fini(&memory);
}

void requests_relocated(struct requests *req, const struct fail *why)
{
    struct relocating *m = &req->moving;
    struct view id = view_of(m->id);
    if (why != NULL)
        refuse(req, id, m->offset, why);
    else
        signal_log_add(snapshots_signals(req->snapshots), id, m->offset, OUTCOME_DONE, NULL);
    note_answered(req, m->offset);
    bool is_freed = requests_forget_relocation(req, THREAD_END_MS);
    ASSERT(is_freed);
}

/* Which topic the stored place is of goes with it; of another topic it is another place. */
static void note_topic(struct requests *req)
{
    struct offset_state *st = &req->frontier->state;
    const char *id = consumer_topic_id(req->consumer);
    if (strcmp(id, st->signal_topic) == 0)
        return;
    snprintf(st->signal_topic, sizeof st->signal_topic, "%s", id);
    st->signal_offset = consumer_offset(req->consumer);
    req->frontier->has_moved = true;
}

void requests_service(struct requests *req)
{
    struct consumer_record rec;
    if (req->consumer == NULL)
        return;
    while (!req->moving.is_asked) {
        bool has_come = consumer_next(req->consumer, &rec);
        note_topic(req);
        if (!has_come)
            return;
        handle(req, &rec);
        consumer_done(&rec);
    }
}

void requests_table_done(struct requests *req, const struct table_read *t)
{
    if (t->kind == READ_INITIAL)
        return;
    if (t->state == TABLE_FAILED)
        signal_log_note(snapshots_signals(req->snapshots), signal_id_of(t), OUTCOME_REFUSED, t->why.text);
    end_if_last(req, t);
}
