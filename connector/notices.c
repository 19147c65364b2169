/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/notices.h"

#include "base/clock.h"
#include "base/log.h"
#include "record/notice.h"
#include "record/topic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FACTS_MAX = 8, RANDOM_ID_BYTES = 37 };

struct waiting {
    struct waiting *next;
    struct buf key;
    struct buf value;
};

struct notices {
    const struct config *cfg;
    const char *topic;
    struct waiting *first;
    struct waiting **last;
};

struct facts {
    struct notice_fact items[FACTS_MAX];
    size_t n;
    char left_out[24]; /* names of tables that are not told */
};

struct notices *notices_new(const struct config *cfg)
{
    struct notices *n = mem_zero(1, sizeof *n);
    n->cfg = cfg;
    n->last = &n->first;
    if (cfg->notifies_sink)
        n->topic = topic_intern(view_of(cfg->notification_topic));
    return n;
}

static void drop_first(struct notices *n)
{
    struct waiting *w = n->first;
    n->first = w->next;
    if (n->first == NULL)
        n->last = &n->first;
    buf_fini(&w->key);
    buf_fini(&w->value);
    free(w);
}

void notices_drop(struct notices *n)
{
    while (n->first != NULL)
        drop_first(n);
}

void notices_free(struct notices **notices)
{
    if (*notices == NULL)
        return;
    notices_drop(*notices);
    free(*notices);
    *notices = NULL;
}

/* ---- facts ---- */

static void add(struct facts *f, const char *name, struct view value)
{
    f->items[f->n++] = (struct notice_fact){name, value};
}

static void add_tables(struct facts *f, struct view names)
{
    size_t left_out;
    add(f, "data_collections", notice_names_told(names, &left_out));
    if (left_out == 0)
        return;
    snprintf(f->left_out, sizeof f->left_out, "%zu", left_out);
    add(f, "data_collections_left_out", view_of(f->left_out));
}

static void put_name(struct buf *out, const struct table_read *t)
{
    buf_put_text(out, t->db);
    buf_put_u8(out, '.');
    buf_put_text(out, t->table);
}

static void put_queue(struct buf *out, const struct incremental *inc, enum table_read_kind kind)
{
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue) {
        if (t->kind != kind)
            continue;
        if (buf_size(out) > 0)
            buf_put_u8(out, ',');
        put_name(out, t);
    }
}

/* ["x",2] is told as x,2 and a NULL part as <null>. */
static void put_plain_key(struct buf *out, const struct chunk_key *key)
{
    struct view text = buf_view(&key->text);
    bool in_string = false;
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        if (c == '"') {
            in_string = !in_string;
        } else if (in_string && c == '\\' && i + 1 < text.n) {
            buf_put_u8(out, text.p[++i]);
        } else if (!in_string && text.n - i >= 4 && memcmp(text.p + i, "null", 4) == 0) {
            buf_put_literal(out, "<null>");
            i += 3;
        } else if (in_string || (c != '[' && c != ']')) {
            buf_put_u8(out, c);
        }
    }
}

/* ---- notices ---- */

static const char *const type_names[] = {
    [INCREMENTAL_STARTED] = "STARTED",
    [INCREMENTAL_IN_PROGRESS] = "IN_PROGRESS",
    [INCREMENTAL_TABLE_DONE] = "TABLE_SCAN_COMPLETED",
    [INCREMENTAL_PAUSED] = "PAUSED",
    [INCREMENTAL_RESUMED] = "RESUMED",
    [INCREMENTAL_ABORTED] = "ABORTED",
    [INCREMENTAL_COMPLETED] = "COMPLETED",
};

/* For who gave no id. */
static void make_random_id(char out[RANDOM_ID_BYTES])
{
    uint8_t b[16];
    if (getrandom(b, sizeof b, 0) != sizeof b)
        memset(b, 0, sizeof b);
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    snprintf(out, RANDOM_ID_BYTES, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void put_in_log(const struct notice_notification *note)
{
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < note->n_facts; i++)
        buf_printf(&text, "%s%s=%.*s", i == 0 ? "" : ", ", note->facts[i].name, VIEW_ARGS(note->facts[i].value));
    log_info("notices", "[Notification Service] {aggregateType='%s', type='%s', additionalData={%.*s}, id='%.*s'}",
             note->aggregate_type, note->type, VIEW_ARGS(buf_view(&text)), VIEW_ARGS(note->id));
    buf_fini(&text);
}

static const char incremental_snapshot[] = "Incremental Snapshot";
static const char initial_snapshot[] = "Initial Snapshot";

static void tell(struct notices *n, const char *type, const char *aggregate, struct view id, const struct facts *facts)
{
    char random_id[RANDOM_ID_BYTES];
    if (!n->cfg->notifies_sink && !n->cfg->notifies_log)
        return;
    if (id.n == 0) {
        make_random_id(random_id);
        id = view_of(random_id);
    }
    const struct notice_notification note = {
        .id = id,
        .type = type,
        .aggregate_type = aggregate,
        .facts = facts->items,
        .n_facts = facts->n,
        .timestamp_ms = clock_wall_ns() / 1000000,
    };
    if (n->cfg->notifies_log)
        put_in_log(&note);
    if (!n->cfg->notifies_sink)
        return;
    struct waiting *w = mem_zero(1, sizeof *w);
    buf_init(&w->key);
    buf_init(&w->value);
    notice_put_notification(&n->cfg->record, &note, &w->key, &w->value);
    *n->last = w;
    n->last = &w->next;
}

/* What every notice of a table or of the queue has, in the order of the reference's map. */
static void tell_of_queue(struct notices *n, enum incremental_event what, const struct incremental *inc,
                          const struct table_read *t)
{
    struct facts facts = {.n = 0};
    struct buf name, queue, last, next;
    char rows[24];
    bool is_initial = t != NULL && t->kind != READ_INCREMENTAL;
    buf_init(&name);
    buf_init(&queue);
    buf_init(&last);
    buf_init(&next);
    put_queue(&queue, inc, t == NULL ? READ_INCREMENTAL : t->kind);
    if (t != NULL)
        put_name(&name, t);
    if (what == INCREMENTAL_IN_PROGRESS)
        add(&facts, "current_collection_in_progress", buf_view(&name));
    if (what == INCREMENTAL_TABLE_DONE)
        add(&facts, "scanned_collection", buf_view(&name));
    add(&facts, "connector_name", view_of(n->cfg->record.topic_prefix));
    if (what == INCREMENTAL_IN_PROGRESS && !is_initial) {
        put_plain_key(&last, &t->last);
        put_plain_key(&next, &t->read);
        add(&facts, "maximum_key", buf_view(&last));
        add(&facts, "last_processed_key", buf_view(&next));
    }
    if (what == INCREMENTAL_TABLE_DONE) {
        snprintf(rows, sizeof rows, "%llu", (unsigned long long)t->rows_read);
        add(&facts, "total_rows_scanned", view_of(rows));
    }
    if (what != INCREMENTAL_COMPLETED)
        add_tables(&facts, buf_view(&queue));
    if (what == INCREMENTAL_TABLE_DONE)
        add(&facts, "status", view_of(is_initial && strcmp(t->status, "EMPTY") == 0 ? "SUCCEEDED" : t->status));
    if (what == INCREMENTAL_TABLE_DONE && t->state == TABLE_FAILED)
        add(&facts, "reason", view_of(t->why.text));
    tell(n, type_names[what], is_initial ? initial_snapshot : incremental_snapshot,
         view_of(t != NULL && !is_initial && t->signal_id != NULL ? t->signal_id : ""), &facts);
    buf_fini(&name);
    buf_fini(&queue);
    buf_fini(&last);
    buf_fini(&next);
}

void notices_tell(struct notices *n, enum incremental_event what, const struct incremental *inc,
                  const struct table_read *t)
{
    if (n->cfg->notifies_sink || n->cfg->notifies_log)
        tell_of_queue(n, what, inc, t);
}

void notices_tell_initial(struct notices *n, enum initial_event what)
{
    static const char *const names[] = {"STARTED", "COMPLETED", "SKIPPED"};
    struct facts facts = {.n = 0};
    add(&facts, "connector_name", view_of(n->cfg->record.topic_prefix));
    tell(n, names[what], initial_snapshot, VIEW_NONE, &facts);
}

void notices_tell_signal(struct notices *n, enum incremental_event what, struct view id, struct view tables,
                         const char *reason)
{
    struct facts facts = {.n = 0};
    add(&facts, "connector_name", view_of(n->cfg->record.topic_prefix));
    if (what != INCREMENTAL_COMPLETED)
        add_tables(&facts, tables);
    if (reason != NULL) {
        add(&facts, "status", view_of("SKIPPED"));
        add(&facts, "reason", view_of(reason));
    }
    tell(n, type_names[what], incremental_snapshot, id, &facts);
}

void notices_tell_blocking_aborted(struct notices *n, struct view id, struct view tables)
{
    struct facts facts = {.n = 0};
    add(&facts, "connector_name", view_of(n->cfg->record.topic_prefix));
    add_tables(&facts, tables);
    tell(n, type_names[INCREMENTAL_ABORTED], initial_snapshot, id, &facts);
}

bool notices_are_sent(const struct notices *n)
{
    return n->first == NULL;
}

bool notices_send(struct notices *n, struct sink *sink, struct fail *why)
{
    while (n->first != NULL) {
        const struct sink_record rec = {
            .topic = n->topic,
            .has_key = true,
            .has_value = true,
            .is_copied = true,
            .key = buf_view(&n->first->key),
            .value = buf_view(&n->first->value),
            .partition = SINK_ANY_PARTITION,
        };
        why->kind = FAIL_NONE;
        if (sink_send(sink, &rec, why) != SINK_SENT)
            return false;
        drop_first(n);
    }
    return true;
}
