/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/sink.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/map.h"
#include "connector/context.h"
#include "connector/pace.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    MAGIC = 0x5134b001,
    LINGER_MS =
        1000, /* above what an answer takes: older records are ready, and what is ready is polled for (pace.h) */
    DRAIN_ANSWER_MS = 100,    /* how long an answer is waited for before a flush */
    DRAIN_QUIET_MS = 5,       /* the same when it is not known whether one is to come */
    OUTSTANDING_MAX = 100000, /* librdkafka needs some 200 bytes a record beside what is lent */
    DEFAULT_MESSAGE_BYTES = 1000000,
    DEFAULT_TRANSACTION_MS = 60000,
    POLL_ROUNDS = 64, /* of a turn: the rest waits for the next */
};

struct sink_topic {
    rd_kafka_topic_t *rkt;
    bool has_taken; /* it was there: a record was delivered to it */
    struct pace_topic pace;
};

struct sink {
    uint32_t magic;
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue; /* delivery reports and errors, as events */
    int fd;                  /* eventfd that librdkafka writes when the queue becomes non-empty */
    enum sink_state state;
    int64_t state_ms;
    atomic_bool is_dead;    /* state == SINK_DEAD, for the committer's thread */
    atomic_bool has_failed; /* a delivery of this transaction, for the same */
    bool is_transactional;
    int transaction_timeout_ms;
    size_t message_max_bytes;
    size_t batch_bytes;
    struct map topics; /* address of the interned name -> sink_topic */
    const char *last_name;
    struct sink_topic *last_topic;
    struct context context;
    struct pace pace;
    struct sink_counts counts;
    struct fail failure; /* kind FAIL_NONE: none */
    bool is_closing;
    struct buf kept_back; /* opaques purged while closing: a request half sent may still point at their bytes */
    void (*on_delivered)(void *ctx, void *opaque, bool ok);
    bool (*on_too_wide)(void *ctx, const char *topic, size_t bytes);
    const char *state_topics[2];
    atomic_bool has_lost_topic;
    void *ctx;
};

/* ---- states ---- */

#define MAY(state) (1u << (state))

static const struct {
    const char *name;
    unsigned next; /* states it may become */
} states[] = {
    [SINK_STARTING] = {"starting", MAY(SINK_READY)},
    [SINK_READY] = {"ready", MAY(SINK_OPEN) | MAY(SINK_ENDING)},
    [SINK_OPEN] = {"open", MAY(SINK_ENDING) | MAY(SINK_ABORTABLE)},
    [SINK_ENDING] = {"ending", MAY(SINK_READY) | MAY(SINK_OPEN) | MAY(SINK_ABORTABLE)},
    [SINK_ABORTABLE] = {"abortable", MAY(SINK_ENDING)},
    [SINK_DEAD] = {"dead", 0},
};

enum sink_state sink_state(const struct sink *s)
{
    return s->state;
}

const char *sink_state_name(enum sink_state state)
{
    return states[state].name;
}

void sink_set_state(struct sink *s, enum sink_state state)
{
    if (s->state == state)
        return;
    ASSERT(state == SINK_DEAD || (states[s->state].next & MAY(state)) != 0);
    log_debug("sink", "%s -> %s", states[s->state].name, states[state].name);
    s->state = state;
    s->state_ms = clock_mono_ms();
    if (state == SINK_OPEN && s->counts.opened_ms == 0)
        s->counts.opened_ms = s->state_ms;
    if (state == SINK_READY) {
        s->counts.opened_ms = 0;
        s->failure.kind = FAIL_NONE;
        atomic_store(&s->has_failed, false);
    }
    if (state == SINK_DEAD)
        atomic_store(&s->is_dead, true);
}

void sink_break(struct sink *s, enum sink_state state, const struct fail *why)
{
    ASSERT((state == SINK_ABORTABLE || state == SINK_DEAD) && why->kind != FAIL_NONE);
    if (s->failure.kind == FAIL_NONE)
        s->failure = *why;
    if (s->state != SINK_DEAD)
        sink_set_state(s, state);
}

/* ---- settings ---- */

static bool set_number(rd_kafka_conf_t *conf, const char *name, long long value, struct fail *why)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    return client_conf_set(conf, name, text, why);
}

/* What keeps one large request a partition on the wire and our pool the only gate. */
static bool set_rhythm(rd_kafka_conf_t *conf, const struct sink *s, size_t pool_bytes, struct fail *why)
{
    int linger_ms = s->transaction_timeout_ms / 2 < LINGER_MS ? s->transaction_timeout_ms / 2 : LINGER_MS;
    size_t queue_kb = (2 * pool_bytes + 2 * s->message_max_bytes) / 1024 + 65536;
    return set_number(conf, "linger.ms", linger_ms, why) &&
           set_number(conf, "batch.size", (long long)s->batch_bytes, why) &&
           set_number(conf, "batch.num.messages", OUTSTANDING_MAX, why) &&
           set_number(conf, "queue.buffering.max.messages", 2 * OUTSTANDING_MAX, why) &&
           set_number(conf, "queue.buffering.max.kbytes", queue_kb > INT32_MAX ? INT32_MAX : (long long)queue_kb,
                      why) &&
           set_number(conf, "message.max.bytes", (long long)s->message_max_bytes, why) &&
           client_conf_set(conf, "enable.idempotence", "true", why);
}

static bool set_transactions(rd_kafka_conf_t *conf, const struct sink *s, const char *id, struct fail *why)
{
    if (id == NULL) /* a record is tried for as long as it takes */
        return set_number(conf, "message.timeout.ms", 0, why);
    return client_conf_set(conf, "transactional.id", id, why) &&
           set_number(conf, "transaction.timeout.ms", s->transaction_timeout_ms, why) &&
           set_number(conf, "message.timeout.ms", s->transaction_timeout_ms, why);
}

static rd_kafka_conf_t *conf_new(const struct sink *s, const struct sink_settings *set, struct fail *why)
{
    rd_kafka_conf_t *conf = client_conf_new(&set->client, why);
    if (conf == NULL)
        return NULL;
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
    if (set_rhythm(conf, s, set->pool_bytes, why) && set_transactions(conf, s, set->transactional_id, why))
        return conf;
    rd_kafka_conf_destroy(conf);
    return NULL;
}

static rd_kafka_headers_t *headers_of(const struct sink_header *context, size_t n)
{
    if (n == 0)
        return NULL;
    rd_kafka_headers_t *hdrs = rd_kafka_headers_new(n);
    for (size_t i = 0; i < n; i++)
        rd_kafka_header_add(hdrs, context[i].name, -1, context[i].value, -1);
    return hdrs;
}

/* ---- open and close ---- */

static void sink_free(struct sink *s)
{
    map_fini(&s->topics, free);
    buf_fini(&s->kept_back);
    context_fini(&s->context);
    if (s->fd >= 0)
        close(s->fd);
    s->magic = 0;
    free(s);
}

static bool listen_to_queue(struct sink *s, struct fail *why)
{
    s->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (s->fd < 0)
        return fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "make an eventfd for Kafka: %m");
    uint64_t one = 1;
    s->queue = rd_kafka_queue_get_main(s->rk);
    rd_kafka_queue_io_event_enable(s->queue, s->fd, &one, sizeof one);
    return true;
}

struct sink *sink_open(const struct sink_settings *set, struct fail *why)
{
    ASSERT(set->n_context <= SINK_CONTEXT_MAX && set->on_delivered != NULL);
    struct sink *s = mem_zero(1, sizeof *s);
    s->magic = MAGIC;
    s->fd = -1;
    s->is_transactional = set->transactional_id != NULL;
    s->transaction_timeout_ms = set->transaction_timeout_ms > 0 ? set->transaction_timeout_ms : DEFAULT_TRANSACTION_MS;
    s->message_max_bytes = set->message_max_bytes > 0 ? set->message_max_bytes : DEFAULT_MESSAGE_BYTES;
    s->batch_bytes = set->batch_bytes > 0 ? set->batch_bytes : SINK_BATCH_BYTES;
    s->on_delivered = set->on_delivered;
    s->on_too_wide = set->on_too_wide;
    memcpy(s->state_topics, set->state_topics, sizeof s->state_topics);
    s->ctx = set->ctx;
    context_init(&s->context, headers_of(set->context, set->n_context));
    pace_init(&s->pace, s->batch_bytes);
    map_init(&s->topics);
    buf_init(&s->kept_back);
    rd_kafka_conf_t *conf = conf_new(s, set, why);
    if (conf != NULL)
        s->rk = client_open(RD_KAFKA_PRODUCER, conf, why);
    if (s->rk == NULL || !listen_to_queue(s, why)) {
        client_close(&s->rk, 1000);
        sink_free(s);
        return NULL;
    }
    return s;
}

static void topics_free(struct sink *s)
{
    size_t at = 0;
    for (const struct map_entry *e; (e = map_next(&s->topics, &at)) != NULL;) {
        struct sink_topic *topic = e->value;
        rd_kafka_topic_destroy(topic->rkt);
        pace_topic_fini(&topic->pace);
    }
}

/* Gets the lent bytes back, as far as librdkafka lets go of them in that time. */
static void purge(struct sink *s, int timeout_ms)
{
    int64_t end = clock_mono_ms() + timeout_ms;
    rd_kafka_purge(s->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
    sink_service(s);
    while (s->counts.outstanding > 0 && clock_mono_ms() < end) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
        sink_service(s);
    }
}

static void give_back(struct sink *s)
{
    void *opaque;
    for (const uint8_t *p = s->kept_back.start; p < s->kept_back.p; p += sizeof opaque) {
        memcpy(&opaque, p, sizeof opaque);
        s->on_delivered(s->ctx, opaque, false);
    }
}

bool sink_close(struct sink **sink, int timeout_ms)
{
    struct sink *s = *sink;
    if (s == NULL)
        return true;
    ASSERT(s->magic == MAGIC);
    *sink = NULL;
    int64_t end = clock_mono_ms() + timeout_ms;
    s->is_closing = true;
    purge(s, timeout_ms / 2);
    bool is_back = s->counts.outstanding == 0;
    rd_kafka_queue_io_event_enable(s->queue, -1, NULL, 0);
    rd_kafka_queue_destroy(s->queue);
    topics_free(s);
    int64_t left = end - clock_mono_ms();
    bool is_closed = client_close(&s->rk, left > 0 ? (int)left : 0);
    if (is_closed)
        give_back(s);
    sink_free(s);
    return is_back && is_closed;
}

/* ---- sending ---- */

static struct sink_topic *topic_open(struct sink *s, const char *name)
{
    struct sink_topic *topic = mem_zero(1, sizeof *topic);
    rd_kafka_topic_conf_t *conf = rd_kafka_default_topic_conf_dup(s->rk);
    rd_kafka_topic_conf_set_partitioner_cb(conf, pace_partition);
    rd_kafka_topic_conf_set_opaque(conf, topic);
    topic->rkt = rd_kafka_topic_new(s->rk, name, conf); /* takes conf */
    if (topic->rkt != NULL)
        return topic;
    free(topic);
    return NULL;
}

static struct sink_topic *topic_of(struct sink *s, const char *name)
{
    if (name == s->last_name)
        return s->last_topic;
    struct view key = {(const uint8_t *)&name, sizeof name}; /* the address itself: names are interned */
    struct sink_topic *topic = map_get(&s->topics, key);
    if (topic == NULL) {
        topic = topic_open(s, name);
        if (topic == NULL)
            return NULL;
        map_put(&s->topics, key, topic);
    }
    s->last_name = name;
    s->last_topic = topic;
    return topic;
}

static rd_kafka_headers_t *record_headers(struct sink *s, const struct sink_record *rec)
{
    if (rec->header == CHANGE_HEADER_NONE && rec->n_more == 0)
        return rec->has_context ? context_get(&s->context) : NULL;
    rd_kafka_headers_t *hdrs = rd_kafka_headers_new(SINK_CONTEXT_MAX + 1 + rec->n_more);
    if (rec->header != CHANGE_HEADER_NONE)
        rd_kafka_header_add(hdrs, rec->header == CHANGE_HEADER_NEWKEY ? "__debezium.newkey" : "__debezium.oldkey", -1,
                            rec->header_value.p, (ssize_t)rec->header_value.n);
    if (rec->has_context)
        context_append(&s->context, hdrs);
    for (size_t i = 0; i < rec->n_more; i++)
        rd_kafka_header_add(hdrs, rec->more[i].name, -1, rec->more[i].value, -1);
    /* What comes back is told from the context by its number. */
    ASSERT(rd_kafka_header_cnt(hdrs) != s->context.n);
    return hdrs;
}

/* librdkafka tells null from empty by the pointer. */
static void *pointer_of(bool has, struct view v)
{
    static uint8_t nothing;
    if (!has)
        return NULL;
    return v.p == NULL ? &nothing : (void *)(uintptr_t)v.p;
}

static rd_kafka_resp_err_t produce_with(struct sink *s, rd_kafka_topic_t *rkt, const struct sink_record *rec, int flags,
                                        rd_kafka_headers_t *hdrs)
{
    rd_kafka_vu_t vus[] = {
        {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = rkt},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = rec->partition},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = flags},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {pointer_of(rec->has_key, rec->key), rec->key.n}},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {pointer_of(rec->has_value, rec->value), rec->value.n}},
        {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = rec->opaque},
        {.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = hdrs},
    };
    rd_kafka_error_t *error = rd_kafka_produceva(s->rk, vus, sizeof vus / sizeof *vus);
    if (error == NULL)
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    rd_kafka_resp_err_t err = rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    context_return(&s->context, hdrs); /* taken only with the record */
    return err;
}

static rd_kafka_resp_err_t produce(struct sink *s, rd_kafka_topic_t *rkt, const struct sink_record *rec)
{
    int flags = rec->is_copied ? RD_KAFKA_MSG_F_COPY : 0;
    rd_kafka_headers_t *hdrs = record_headers(s, rec);
    if (hdrs != NULL)
        return produce_with(s, rkt, rec, flags, hdrs);
    if (rd_kafka_produce(rkt, rec->partition, flags, pointer_of(rec->has_value, rec->value), rec->value.n,
                         pointer_of(rec->has_key, rec->key), rec->key.n, rec->opaque) == 0)
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    return rd_kafka_last_error();
}

static bool check_size(const struct sink *s, const struct sink_record *rec, struct fail *why)
{
    size_t n = rec->key.n + rec->value.n + rec->header_value.n;
    if (n <= s->message_max_bytes)
        return true;
    return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                    "send a record to %s: it has %zu bytes, %zu of them its key, the limit is %zu; hint: raise "
                    "producer.override.max.request.size and max.message.bytes of the topic",
                    rec->topic, n, rec->key.n, s->message_max_bytes);
}

/* The first record of a transaction begins it; only librdkafka's own thread is asked, not the network. */
static bool begin(struct sink *s)
{
    FAULT_POINT("before-begin");
    if (s->is_transactional) {
        rd_kafka_error_t *error = rd_kafka_begin_transaction(s->rk);
        if (error != NULL) {
            struct fail why;
            sink_fail(s, &why, rd_kafka_error_code(error), rd_kafka_error_string(error), "begin a Kafka transaction");
            sink_break(s, SINK_DEAD, &why);
            rd_kafka_error_destroy(error);
            return false;
        }
    }
    sink_set_state(s, SINK_OPEN);
    FAULT_POINT("after-begin");
    return true;
}

/* Where librdkafka puts records without a key is not told, and changes; but a topic may have one partition only. */
static int32_t partition_of(const struct sink_topic *topic, const struct sink_record *rec, int32_t heard)
{
    if (rec->partition >= 0)
        return rec->partition;
    if (rec->has_key)
        return heard;
    return topic->pace.n_lanes == 1 ? 0 : PACE_UNCOUNTED;
}

static void count_sent(struct sink *s, struct sink_topic *topic, int32_t partition, const struct sink_record *rec)
{
    uint64_t n = rec->key.n + rec->value.n;
    pace_sent(&s->pace, &topic->pace, partition, n);
    s->counts.outstanding++;
    s->counts.outstanding_bytes += n;
    s->counts.sent++;
    s->counts.sent_bytes += n;
}

/* A broken sink takes nothing more; the owner hears of it by sink_failure, at once only when it is the end. */
static enum sink_sent answer_broken(const struct sink *s, struct fail *why)
{
    struct fail first;
    ASSERT(sink_failure(s, &first));
    if (first.kind == FAIL_RETRY)
        return SINK_LATER;
    if (why != NULL)
        *why = first;
    return SINK_FAILED;
}

static bool is_too_wide(int code)
{
    return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

/* A transaction that fails takes no records, and does not say why: a call that it refuses for the same reason does. */
static void find_reason(struct sink *s, const char *doing, struct fail *why)
{
    rd_kafka_error_t *error = s->is_transactional ? rd_kafka_begin_transaction(s->rk) : NULL;
    if (error == NULL) {
        sink_fail(s, why, RD_KAFKA_RESP_ERR__STATE, "the producer takes no records now", doing);
        return;
    }
    sink_fail_transaction(s, why, error, doing);
    rd_kafka_error_destroy(error);
}

static bool is_missing(int code)
{
    return code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID ||
           code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

static bool holds_state(const struct sink *s, const char *topic)
{
    for (size_t i = 0; i < sizeof s->state_topics / sizeof *s->state_topics; i++)
        if (s->state_topics[i] != NULL && strcmp(s->state_topics[i], topic) == 0)
            return true;
    return false;
}

/* A topic that took records is there no more: it was deleted. A new producer asks for it as for one that never was, so the
 * brokers make it, or say that they don't. One that never took a record stays what it is: missing. */
static void consider_deleted(struct sink *s, const struct sink_topic *topic, const char *doing, struct fail *why)
{
    if (!is_missing(why->code) || topic == NULL || !topic->has_taken || holds_state(s, rd_kafka_topic_name(topic->rkt)))
        return;
    atomic_store(&s->has_lost_topic, true);
    fail_set(why, FAIL_RETRY, FAIL_AREA_KAFKA, why->code,
             "%s: the topic or its partition was there and is no more (%s); what was not committed is sent again, to a "
             "topic that is made anew where the brokers do that",
             doing, rd_kafka_err2name(why->code));
}

/* librdkafka did not take the record. */
static enum sink_sent refuse(struct sink *s, const struct sink_topic *topic, const struct sink_record *rec,
                             rd_kafka_resp_err_t err, struct fail *why)
{
    char doing[300];
    struct fail first;
    if (err == RD_KAFKA_RESP_ERR__QUEUE_FULL)
        return SINK_LATER;
    snprintf(doing, sizeof doing, "send a record to %.249s", rec->topic);
    bool is_dead = rd_kafka_fatal_error(s->rk, NULL, 0) != RD_KAFKA_RESP_ERR_NO_ERROR;
    if (err == RD_KAFKA_RESP_ERR__STATE && !is_dead)
        find_reason(s, doing, &first);
    else
        sink_fail(s, &first, err, NULL, doing);
    consider_deleted(s, topic, doing, &first);
    if (err == RD_KAFKA_RESP_ERR__STATE && is_too_wide(first.code) && s->on_too_wide != NULL)
        return SINK_LATER; /* its report, which is on its way, says what can be done */
    sink_break(s, is_dead || !s->is_transactional ? SINK_DEAD : SINK_ABORTABLE, &first);
    return answer_broken(s, why);
}

static bool may_send(struct sink *s, const struct sink_record *rec)
{
    if (s->state != SINK_OPEN && s->state != SINK_READY)
        return false;
    return rec->is_copied || (s->counts.outstanding < OUTSTANDING_MAX && pace_allows(&s->pace));
}

enum sink_sent sink_send(struct sink *s, const struct sink_record *rec, struct fail *why)
{
    ASSERT(s->magic == MAGIC);
    if (s->state == SINK_DEAD || s->state == SINK_ABORTABLE)
        return answer_broken(s, why);
    if (!may_send(s, rec))
        return SINK_LATER;
    if (!check_size(s, rec, why))
        return SINK_FAILED;
    if (s->state == SINK_READY && !begin(s))
        return answer_broken(s, why);
    FAULT_POINT("before-produce");
    struct sink_topic *topic = topic_of(s, rec->topic);
    pace_listen();
    rd_kafka_resp_err_t err = topic == NULL ? rd_kafka_last_error() : produce(s, topic->rkt, rec);
    int32_t heard = pace_heard();
    if (err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return refuse(s, topic, rec, err, why);
    count_sent(s, topic, partition_of(topic, rec, heard), rec);
    FAULT_POINT("after-produce");
    return SINK_SENT;
}

/* ---- reports ---- */

static bool is_purged(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR__PURGE_QUEUE || err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT;
}

static bool may_go_on_without(struct sink *s, const rd_kafka_message_t *msg)
{
    return is_too_wide(msg->err) && s->on_too_wide != NULL &&
           s->on_too_wide(s->ctx, rd_kafka_topic_name(msg->rkt), msg->len + msg->key_len);
}

/* Its key is a row's data, and has no place in a log. */
static void note_failed(struct sink *s, const rd_kafka_message_t *msg)
{
    if (is_purged(msg->err))
        return;
    char doing[400];
    struct fail why;
    s->counts.failed++;
    snprintf(doing, sizeof doing, "send a record of %zu bytes to %.249s, partition %d", msg->len + msg->key_len,
             rd_kafka_topic_name(msg->rkt), msg->partition);
    sink_fail(s, &why, msg->err, NULL, doing);
    consider_deleted(s, rd_kafka_topic_opaque(msg->rkt), doing, &why);
    if (may_go_on_without(s, msg))
        fail_set(&why, FAIL_RETRY, FAIL_AREA_KAFKA, msg->err, "%s: the topic refused its batch for its size", doing);
    atomic_store(&s->has_failed, true);
    if (s->failure.kind != FAIL_NONE)
        return;
    log_warn("sink", "%s", why.text);
    s->failure = why;
    if (s->state == SINK_OPEN)
        sink_set_state(s, SINK_ABORTABLE);
}

static void note_delivered(struct sink *s, const rd_kafka_message_t *msg)
{
    struct sink_topic *topic = rd_kafka_topic_opaque(msg->rkt);
    s->counts.delivered++;
    topic->has_taken = true;
}

static void take_report(struct sink *s, const rd_kafka_message_t *msg)
{
    bool ok = msg->err == RD_KAFKA_RESP_ERR_NO_ERROR;
    uint64_t n = msg->len + msg->key_len;
    ASSERT(s->counts.outstanding > 0 && s->counts.outstanding_bytes >= n);
    s->counts.outstanding--;
    s->counts.outstanding_bytes -= n;
    if (ok)
        note_delivered(s, msg);
    else
        note_failed(s, msg);
    context_reclaim(&s->context, msg);
    if (msg->_private == NULL)
        return;
    if (s->is_closing)
        buf_put(&s->kept_back, &msg->_private, sizeof msg->_private);
    else
        s->on_delivered(s->ctx, msg->_private, ok);
}

/* All are of one request, so of one partition. */
static unsigned take_reports(struct sink *s, rd_kafka_event_t *ev)
{
    unsigned n = 0;
    uint64_t before = s->counts.outstanding_bytes;
    struct sink_topic *topic = NULL;
    int32_t partition = -1;
    for (const rd_kafka_message_t *msg; (msg = rd_kafka_event_message_next(ev)) != NULL; n++) {
        if (n == 0) {
            topic = rd_kafka_topic_opaque(msg->rkt);
            partition = msg->partition;
        }
        take_report(s, msg);
    }
    if (topic != NULL)
        pace_reported(&s->pace, &topic->pace, partition, before - s->counts.outstanding_bytes);
    if (s->counts.outstanding == 0)
        pace_reset(&s->pace);
    s->counts.last_delivery_ms = clock_mono_ms();
    return n;
}

static void die(struct sink *s)
{
    char text[512];
    struct fail why;
    rd_kafka_resp_err_t err = rd_kafka_fatal_error(s->rk, text, sizeof text);
    sink_fail(s, &why, err, text, "use the Kafka producer");
    sink_break(s, SINK_DEAD, &why);
}

/* Most errors are news about a connection that librdkafka mends itself. */
static void take_error(struct sink *s, rd_kafka_event_t *ev)
{
    rd_kafka_resp_err_t err = rd_kafka_event_error(ev);
    if (rd_kafka_event_error_is_fatal(ev)) {
        die(s);
        return;
    }
    log_debug("sink", "%s: %s", rd_kafka_err2name(err), rd_kafka_event_error_string(ev));
    bool is_refused = err == RD_KAFKA_RESP_ERR__AUTHENTICATION || err == RD_KAFKA_RESP_ERR__SSL;
    if (s->state != SINK_STARTING || !is_refused)
        return;
    /* Before the first success it is more likely the configuration than the weather. */
    struct fail why;
    client_fail(&why, err, rd_kafka_event_error_string(ev), "connect to Kafka");
    why.kind = FAIL_STOP;
    sink_break(s, SINK_DEAD, &why);
}

static unsigned take_event(struct sink *s, rd_kafka_event_t *ev)
{
    switch (rd_kafka_event_type(ev)) {
    case RD_KAFKA_EVENT_DR:
        return take_reports(s, ev);
    case RD_KAFKA_EVENT_ERROR:
        take_error(s, ev);
        return 0;
    default:
        log_debug("sink", "event %s passed by", rd_kafka_event_name(ev));
        return 0;
    }
}

unsigned sink_service(struct sink *s)
{
    ASSERT(s->magic == MAGIC);
    uint64_t n;
    unsigned back = 0;
    ssize_t was_read = read(s->fd, &n, sizeof n); /* first this, then the queue: what comes later wakes us again */
    (void)was_read;
    for (int round = 0;; round++) {
        rd_kafka_event_t *ev = rd_kafka_queue_poll(s->queue, 0);
        if (ev == NULL)
            return back;
        back += take_event(s, ev);
        rd_kafka_event_destroy(ev);
        if (round == POLL_ROUNDS) {
            uint64_t one = 1; /* there may be more: not silent until the next report */
            ssize_t written = write(s->fd, &one, sizeof one);
            (void)written;
            return back;
        }
    }
}

int sink_fd(const struct sink *s)
{
    return s->fd;
}

/* ---- questions ---- */

bool sink_is_transactional(const struct sink *s)
{
    return s->is_transactional;
}

bool sink_has_lost_topic(const struct sink *s)
{
    return atomic_load(&s->has_lost_topic);
}

bool sink_is_dead(const struct sink *s)
{
    return atomic_load(&s->is_dead);
}

bool sink_has_failed(const struct sink *s)
{
    return atomic_load(&s->has_failed);
}

const struct sink_counts *sink_counts(const struct sink *s)
{
    return &s->counts;
}

/* A flush beside a request that is under way keeps librdkafka's thread polling without a pause until the answer. */
int sink_drain_ms(const struct sink *s, int64_t since_ms, int64_t now_ms)
{
    bool is_under_way = pace_is_under_way(&s->pace);
    if (!is_under_way && s->counts.outstanding_bytes - s->pace.bytes < s->batch_bytes)
        return 0;
    int64_t last = s->counts.last_delivery_ms > since_ms ? s->counts.last_delivery_ms : since_ms;
    int64_t end_ms = last + (is_under_way ? DRAIN_ANSWER_MS : DRAIN_QUIET_MS);
    return now_ms >= end_ms ? 0 : (int)(end_ms - now_ms);
}

bool sink_is_uneven(const struct sink *s)
{
    return pace_is_uneven(&s->pace);
}

bool sink_failure(const struct sink *s, struct fail *why)
{
    if (s->failure.kind == FAIL_NONE)
        return false;
    if (why != NULL)
        *why = s->failure;
    return true;
}

size_t sink_topics(const struct sink *s, const char **names, size_t room)
{
    size_t n = 0, at = 0;
    for (const struct map_entry *e; (e = map_next(&s->topics, &at)) != NULL; n++) {
        const struct sink_topic *topic = e->value;
        if (n < room)
            names[n] = rd_kafka_topic_name(topic->rkt);
    }
    return n;
}

rd_kafka_t *sink_kafka(const struct sink *s)
{
    return s->rk;
}

static bool is_fenced(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR__FENCED || err == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
           err == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH;
}

/* Only topics that are known to be there are added to a transaction. */
void sink_fail_transaction(struct sink *s, struct fail *why, const rd_kafka_error_t *error, const char *doing)
{
    sink_fail(s, why, rd_kafka_error_code(error), rd_kafka_error_string(error), doing);
    if (why->code != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        return;
    atomic_store(&s->has_lost_topic, true);
    fail_set(
        why, FAIL_RETRY, FAIL_AREA_KAFKA, why->code,
        "%s: one of its topics was there and is no more (%s); all of it is sent again, to a topic that is made anew "
        "where the brokers do that",
        doing, rd_kafka_error_string(error));
}

bool sink_fail(const struct sink *s, struct fail *why, rd_kafka_resp_err_t err, const char *detail, const char *doing)
{
    char text[512];
    if (err == RD_KAFKA_RESP_ERR__FATAL || err == RD_KAFKA_RESP_ERR__STATE) {
        rd_kafka_resp_err_t first = rd_kafka_fatal_error(s->rk, text, sizeof text);
        if (first != RD_KAFKA_RESP_ERR_NO_ERROR) {
            err = first;
            detail = text;
        }
    }
    int64_t open_ms = s->counts.opened_ms == 0 ? 0 : clock_mono_ms() - s->counts.opened_ms;
    if (!is_fenced(err) || open_ms < s->transaction_timeout_ms)
        return client_fail(why, err, detail, "%s", doing);
    /* The broker raises the epoch when it aborts an overdue transaction; to the client that looks like a rival. */
    return fail_set(
        why, FAIL_RETRY, FAIL_AREA_KAFKA, err,
        "%s: the transaction was open for %lld ms, longer than its timeout of %d ms, and the broker ended it", doing,
        (long long)open_ms, s->transaction_timeout_ms);
}
