/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/misfits.h"

#include "base/log.h"
#include "base/map.h"
#include "record/topic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SMALL_BATCH_BYTES = 16384, /* a record of more is alone in its batch */
    TELL_FIRST = 5,
    TELL_EVERY = 1000,
    HEADERS_MAX = 12,
    NUMBER_BYTES = 24,
};

/* A topic that has refused. */
struct limit {
    const char *topic;
    size_t refused; /* the smallest record that it refused alone */
    size_t limit;   /* its max.message.bytes; 0: not known */
    bool is_asked;
};

struct misfits {
    struct misfit_settings set;
    struct map limits;   /* topic -> struct limit */
    size_t batch_bytes;  /* of the producer in use */
    size_t wanted_bytes; /* of the next one */
    uint64_t n_told;
    struct fail why; /* of the record that was set aside last */
    struct sink_header headers[HEADERS_MAX];
    size_t n_headers;
    char table[2 * 64 * 4 + 2];
    char numbers[5][NUMBER_BYTES];
};

struct misfits *misfits_new(const struct misfit_settings *set)
{
    struct misfits *m = mem_zero(1, sizeof *m);
    m->set = *set;
    m->batch_bytes = m->wanted_bytes = SINK_BATCH_BYTES;
    map_init(&m->limits);
    return m;
}

void misfits_free(struct misfits **m)
{
    if (*m == NULL)
        return;
    map_fini(&(*m)->limits, free);
    free(*m);
    *m = NULL;
}

/* ---- what is learnt ---- */

static void learn(struct misfits *m, const char *topic, size_t bytes)
{
    struct limit *l = map_get(&m->limits, view_of(topic));
    if (l == NULL) {
        l = mem_zero(1, sizeof *l);
        l->topic = topic_intern(view_of(topic));
        l->refused = bytes;
        map_put(&m->limits, view_of(topic), l);
    }
    if (bytes < l->refused)
        l->refused = bytes;
}

bool misfits_refused(struct misfits *m, const char *topic, size_t bytes)
{
    if (bytes <= m->batch_bytes && m->batch_bytes > 1) {
        size_t next = m->batch_bytes > SMALL_BATCH_BYTES ? SMALL_BATCH_BYTES : 1;
        if (next < m->wanted_bytes)
            m->wanted_bytes = next;
        return true;
    }
    const struct limit *known = map_get(&m->limits, view_of(topic));
    if (known != NULL && bytes >= known->refused)
        return false;
    learn(m, topic, bytes);
    return true;
}

size_t misfits_open_with(struct misfits *m)
{
    if (m->wanted_bytes < m->batch_bytes)
        log_info("misfits", "batches have at most %zu bytes from here on: a topic takes no larger ones",
                 m->wanted_bytes);
    return m->batch_bytes = m->wanted_bytes;
}

bool misfits_want_producer(const struct misfits *m)
{
    return m->wanted_bytes < m->batch_bytes;
}

const char *misfits_unasked(const struct misfits *m)
{
    size_t at = 0;
    for (const struct map_entry *e; (e = map_next(&m->limits, &at)) != NULL;) {
        const struct limit *l = e->value;
        if (!l->is_asked)
            return l->topic;
    }
    return NULL;
}

void misfits_answer(struct misfits *m, const char *topic, size_t limit)
{
    struct limit *l = map_get(&m->limits, view_of(topic));
    if (l == NULL)
        return;
    l->is_asked = true;
    l->limit = limit;
    if (limit > 0 && limit < l->refused && !m->set.is_compressed)
        l->refused = limit + 1;
}

/* ---- records ---- */

static size_t bytes_of(const struct sink_record *rec)
{
    return rec->key.n + rec->value.n;
}

static bool is_over_producer(const struct misfits *m, const struct sink_record *rec)
{
    return bytes_of(rec) + rec->header_value.n > m->set.most_bytes;
}

bool misfits_has(const struct misfits *m, const struct sink_record *rec)
{
    if (is_over_producer(m, rec))
        return true;
    if (m->limits.n == 0)
        return false;
    const struct limit *l = map_get(&m->limits, view_of(rec->topic));
    return l != NULL && bytes_of(rec) >= l->refused;
}

static const char *number(struct misfits *m, unsigned i, uint64_t v)
{
    snprintf(m->numbers[i], NUMBER_BYTES, "%" PRIu64, v);
    return m->numbers[i];
}

static void add(struct misfits *m, const char *name, const char *value)
{
    ASSERT(m->n_headers < HEADERS_MAX);
    m->headers[m->n_headers++] = (struct sink_header){name, value};
}

static void name_table(struct misfits *m, const char *table)
{
    m->table[0] = '\0';
    if (table != NULL)
        snprintf(m->table, sizeof m->table, "%s.%s", table, table + strlen(table) + 1);
}

/* The limit that the record is over; 0: the topic's, which is not known. */
static size_t limit_of(const struct misfits *m, const struct sink_record *rec)
{
    if (is_over_producer(m, rec))
        return m->set.most_bytes;
    const struct limit *l = map_get(&m->limits, view_of(rec->topic));
    return l == NULL ? 0 : l->limit;
}

/* Why it can't be sent: all that somebody needs who is to raise a limit or to look at the row. */
static void name_record(struct misfits *m, const struct sink_record *rec, const struct misfit_place *at)
{
    char limit[120];
    size_t most = limit_of(m, rec);
    if (is_over_producer(m, rec))
        snprintf(limit, sizeof limit, "the limit is %zu (producer.override.max.request.size)", most);
    else if (most > 0)
        snprintf(limit, sizeof limit, "the topic refused that, its limit is %zu (max.message.bytes)", most);
    else
        snprintf(limit, sizeof limit, "the topic refused that (its max.message.bytes can't be read)");
    fail_set(&m->why, FAIL_STOP, FAIL_AREA_DATA, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
             "send a record%s%.200s to %.249s: it has %zu bytes, %s; it lies at file=%s pos=%" PRIu64
             " event=%u row=%u%s%s",
             m->table[0] == '\0' ? "" : " of table ", m->table, rec->topic, bytes_of(rec), limit, at->pos->file,
             at->pos->offset, at->event, at->row, at->gtid[0] == '\0' ? "" : " gtid=", at->gtid);
}

static void describe(struct misfits *m, const struct sink_record *rec, const struct misfit_place *at)
{
    size_t most = limit_of(m, rec);
    m->n_headers = 0;
    add(m, "__connect.errors.topic", rec->topic);
    add(m, "__connect.errors.connector.name", m->set.name);
    add(m, "__connect.errors.stage", "KAFKA_PRODUCE");
    add(m, "__connect.errors.exception.message", m->why.text);
    if (m->table[0] != '\0')
        add(m, "tidemark.table", m->table);
    add(m, "tidemark.file", at->pos->file);
    add(m, "tidemark.pos", number(m, 0, at->pos->offset));
    if (at->event > 0) {
        add(m, "tidemark.event", number(m, 1, at->event));
        add(m, "tidemark.row", number(m, 2, at->row));
    }
    if (at->gtid[0] != '\0')
        add(m, "tidemark.gtid", at->gtid);
    add(m, "tidemark.size", number(m, 3, bytes_of(rec)));
    if (most > 0)
        add(m, "tidemark.limit", number(m, 4, most));
}

bool misfits_set_aside(struct misfits *m, const struct sink_record *rec, const struct misfit_place *at,
                       struct sink_record *out, struct fail *why)
{
    name_table(m, at->table);
    name_record(m, rec, at);
    if (m->set.dead_letter_topic == NULL) {
        *why = m->why;
        return fail_add(why,
                        "a record is too wide; hint: raise max.message.bytes of its topic and "
                        "producer.override.max.request.size, or have such records set aside by errors.tolerance=all "
                        "and errors.deadletterqueue.topic.name");
    }
    describe(m, rec, at);
    *out = *rec;
    out->topic = m->set.dead_letter_topic;
    out->partition = SINK_ANY_PARTITION;
    out->more = m->headers;
    out->n_more = m->n_headers;
    if (misfits_has(m, out)) {
        out->has_value = false;
        out->value = VIEW_NONE;
    }
    if (!misfits_has(m, out))
        return true;
    *why = m->why;
    return fail_add(why, "the dead-letter topic %s does not take its key alone", m->set.dead_letter_topic);
}

void misfits_told(struct misfits *m)
{
    m->n_told++;
    if (m->n_told <= TELL_FIRST || m->n_told % TELL_EVERY == 0)
        log_warn("misfits", "%s; it went to the dead-letter topic %s instead n=%" PRIu64, m->why.text,
                 m->set.dead_letter_topic, m->n_told);
    else
        log_debug("misfits", "%s; it went to the dead-letter topic", m->why.text);
}
