/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/client.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- librdkafka's log: a line is told once, and again after a while with how often it came meanwhile ---- */

enum { LOG_SLOTS = 32, LOG_QUIET_MS = 30000 };

struct log_slot {
    uint64_t hash; /* of facility and text without its counts */
    int64_t told_ms;
    unsigned unsaid;
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_slot log_slots[LOG_SLOTS];

/* Of "[thrd:db2:9092/2]: Connect to ... failed: Connection refused (after 3ms in state CONNECT)" the counts are left out:
 * digits behind the bracket that names the broker, and all from "(after" on. */
static uint64_t hash_text(uint64_t h, const char *text)
{
    bool is_name = false;
    const char *after = strstr(text, " (after ");
    for (; *text != '\0' && text != after; text++) {
        if (*text == '[' || *text == ']')
            is_name = *text == '[';
        if (is_name || *text < '0' || *text > '9')
            h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return h;
}

/* The slot of that line, or the one that was silent for longest. */
static struct log_slot *log_slot_of(uint64_t hash)
{
    struct log_slot *oldest = &log_slots[0];
    for (int i = 0; i < LOG_SLOTS; i++) {
        if (log_slots[i].hash == hash)
            return &log_slots[i];
        if (log_slots[i].told_ms < oldest->told_ms)
            oldest = &log_slots[i];
    }
    *oldest = (struct log_slot){.hash = hash};
    return oldest;
}

/* Whether to tell; *unsaid is how often it was not told since the last time. */
static bool log_is_due(uint64_t hash, unsigned *unsaid)
{
    int64_t now = clock_mono_ms();
    pthread_mutex_lock(&log_lock);
    struct log_slot *slot = log_slot_of(hash);
    bool is_due = slot->told_ms == 0 || now - slot->told_ms >= LOG_QUIET_MS;
    *unsaid = slot->unsaid;
    if (is_due)
        *slot = (struct log_slot){hash, now, 0};
    else
        slot->unsaid++;
    pthread_mutex_unlock(&log_lock);
    return is_due;
}

/* syslog's levels; what librdkafka calls an error it goes on to retry. */
static enum log_level log_level_of(int level)
{
    if (level <= 2)
        return LOG_ERROR;
    if (level <= 4)
        return LOG_WARN;
    return level == 5 ? LOG_INFO : LOG_DEBUG;
}

/* Any of librdkafka's threads. */
static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk;
    unsigned unsaid;
    if (!log_is_due(hash_text(hash_text(0xcbf29ce484222325u, facility), text), &unsaid))
        return;
    if (unsaid > 0)
        log_write(log_level_of(level), "kafka", "%s: %s repeated=%u", facility, text, unsaid);
    else
        log_write(log_level_of(level), "kafka", "%s: %s", facility, text);
}

/* ---- configuration ---- */

bool client_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value, struct fail *why)
{
    char text[512];
    rd_kafka_conf_res_t res = rd_kafka_conf_set(conf, name, value, text, sizeof text);
    if (res == RD_KAFKA_CONF_OK)
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "set %s of the Kafka client: %s", name, text);
}

static const struct client_setting defaults[] = {
    {"enable.metrics.push", "false"},
    {"log.connection.close", "false"}, /* brokers close idle connections; that is no news */
    {"socket.keepalive.enable", "true"},
    {"reconnect.backoff.ms", "50"},
    {"reconnect.backoff.max.ms", "2000"}, /* a restarted broker is found within seconds */
    {"socket.connection.setup.timeout.ms", "10000"},
};

static bool set_all(rd_kafka_conf_t *conf, const struct client_setting *settings, size_t n, struct fail *why)
{
    for (size_t i = 0; i < n; i++)
        if (!client_conf_set(conf, settings[i].name, settings[i].value, why))
            return false;
    return true;
}

bool client_has(const struct client_settings *set, const char *name)
{
    for (size_t i = 0; i < set->n_extra; i++)
        if (strcmp(set->extra[i].name, name) == 0)
            return true;
    return false;
}

rd_kafka_conf_t *client_conf_new(const struct client_settings *set, struct fail *why)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, on_log);
    if (client_conf_set(conf, "bootstrap.servers", set->bootstrap, why) &&
        client_conf_set(conf, "client.id", set->client_id == NULL ? "tidemark" : set->client_id, why) &&
        set_all(conf, defaults, sizeof defaults / sizeof *defaults, why) &&
        set_all(conf, set->extra, set->n_extra, why))
        return conf;
    rd_kafka_conf_destroy(conf);
    return NULL;
}

rd_kafka_conf_t *client_conf_with(const struct client_settings *set, const struct client_setting *own, size_t n_own,
                                  struct fail *why)
{
    rd_kafka_conf_t *conf = client_conf_new(set, why);
    if (conf == NULL || set_all(conf, own, n_own, why))
        return conf;
    rd_kafka_conf_destroy(conf);
    return NULL;
}

/* ---- open and close ---- */

rd_kafka_t *client_open(rd_kafka_type_t type, rd_kafka_conf_t *conf, struct fail *why)
{
    char text[512];
    rd_kafka_t *rk = rd_kafka_new(type, conf, text, sizeof text);
    if (rk == NULL) {
        rd_kafka_conf_destroy(conf);
        fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "make a Kafka client: %s", text);
    }
    return rk;
}

/* A destruction under way; whoever of the two comes last frees it. */
struct closing {
    rd_kafka_t *rk;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_ended;
    bool is_left; /* the waiter went away */
};

static void *destroy(void *arg)
{
    struct closing *cl = arg;
    rd_kafka_destroy_flags(cl->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    pthread_mutex_lock(&cl->lock);
    cl->has_ended = true;
    bool is_left = cl->is_left;
    pthread_cond_signal(&cl->ended);
    pthread_mutex_unlock(&cl->lock);
    if (is_left)
        free(cl);
    return NULL;
}

static struct closing *closing_new(rd_kafka_t *rk)
{
    struct closing *cl = mem_zero(1, sizeof *cl);
    pthread_mutex_init(&cl->lock, NULL);
    clock_cond_init(&cl->ended);
    cl->rk = rk;
    return cl;
}

bool client_close(rd_kafka_t **rk, int timeout_ms)
{
    if (*rk == NULL)
        return true;
    struct closing *cl = closing_new(*rk);
    *rk = NULL;
    pthread_t thread;
    if (pthread_create(&thread, NULL, destroy, cl) == 0)
        pthread_detach(thread);
    else
        destroy(cl); /* without a thread of its own it takes as long as it takes */
    struct timespec end = clock_deadline(timeout_ms);
    pthread_mutex_lock(&cl->lock);
    while (!cl->has_ended && clock_cond_wait(&cl->ended, &cl->lock, &end) == 0)
        ;
    bool has_ended = cl->has_ended;
    cl->is_left = !has_ended;
    pthread_mutex_unlock(&cl->lock);
    if (has_ended)
        free(cl);
    else
        log_warn("kafka", "a Kafka client did not end in time, left behind timeout_ms=%d", timeout_ms);
    return has_ended;
}

/* ---- what an error means ---- */

struct meaning {
    rd_kafka_resp_err_t err;
    enum fail_kind kind;
    enum fail_area area;
    const char *hint;
};

#define FENCED_HINT "another instance with this name has started; run only one, or give it another name"
#define TOPIC_RIGHTS                                                                                                 \
    "on its topics the user needs DESCRIBE and WRITE, and CREATE where they are not there yet; on the state topics " \
    "also "                                                                                                          \
    "READ and DESCRIBE_CONFIGS"
#define ID_RIGHTS "the user needs DESCRIBE and WRITE on this transactional id; or set exactly.once.support=disabled"
#define TOPIC_HINT "create the topic, or let the brokers create topics (auto.create.topics.enable)"
#define SIZE_HINT "raise max.message.bytes of the topic and producer.override.max.request.size"
#define FEATURE_HINT "set exactly.once.support=disabled for brokers without transactions"

/* Errors that are not here may heal (RETRY). */
static const struct meaning meanings[] = {
    {RD_KAFKA_RESP_ERR__FENCED, FAIL_STOP, FAIL_AREA_FENCED, FENCED_HINT},
    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, FAIL_STOP, FAIL_AREA_FENCED, FENCED_HINT},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, FAIL_STOP, FAIL_AREA_FENCED, FENCED_HINT},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, FAIL_STOP, FAIL_AREA_KAFKA, TOPIC_RIGHTS},
    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, FAIL_STOP, FAIL_AREA_KAFKA, "the user needs READ on the group"},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, FAIL_STOP, FAIL_AREA_KAFKA,
     "the user needs this right on the cluster"},
    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, FAIL_STOP, FAIL_AREA_KAFKA, ID_RIGHTS},
    {RD_KAFKA_RESP_ERR_SECURITY_DISABLED, FAIL_STOP, FAIL_AREA_KAFKA, NULL},
    {RD_KAFKA_RESP_ERR__AUTHENTICATION, FAIL_STOP, FAIL_AREA_KAFKA, "check user, password and sasl.mechanism"},
    {RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, FAIL_STOP, FAIL_AREA_KAFKA,
     "check user, password and sasl.mechanism"},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, FAIL_STOP, FAIL_AREA_KAFKA, "check sasl.mechanism"},
    {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, FAIL_STOP, FAIL_AREA_KAFKA, TOPIC_HINT},
    {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, FAIL_STOP, FAIL_AREA_KAFKA, "the topic has fewer partitions than before"},
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, FAIL_STOP, FAIL_AREA_KAFKA, TOPIC_HINT},
    {RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, FAIL_STOP, FAIL_AREA_KAFKA,
     "a topic name has at most 249 of the characters a-z A-Z 0-9 . _ -"},
    {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, FAIL_STOP, FAIL_AREA_KAFKA, SIZE_HINT},
    {RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, FAIL_STOP, FAIL_AREA_KAFKA, SIZE_HINT},
    {RD_KAFKA_RESP_ERR_INVALID_RECORD, FAIL_STOP, FAIL_AREA_KAFKA,
     "a compacted topic takes no record without a key: does the table have one?"},
    {RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS, FAIL_STOP, FAIL_AREA_KAFKA, NULL},
    {RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, FAIL_STOP, FAIL_AREA_KAFKA,
     "the clocks of this machine and the broker differ too much for the topic's settings"},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_COMPRESSION_TYPE, FAIL_STOP, FAIL_AREA_KAFKA, "set another compression.type"},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT, FAIL_STOP, FAIL_AREA_KAFKA, FEATURE_HINT},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, FAIL_STOP, FAIL_AREA_KAFKA, FEATURE_HINT},
    {RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, FAIL_STOP, FAIL_AREA_KAFKA, FEATURE_HINT},
    {RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, FAIL_STOP, FAIL_AREA_KAFKA,
     "transaction.max.timeout.ms of the brokers is below ours; set producer.override.transaction.timeout.ms"},
    {RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, FAIL_STOP, FAIL_AREA_KAFKA,
     "there are fewer brokers than replicas asked for"},
    {RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, FAIL_STOP, FAIL_AREA_KAFKA, NULL},
    {RD_KAFKA_RESP_ERR_INVALID_CONFIG, FAIL_STOP, FAIL_AREA_KAFKA, NULL},
    {RD_KAFKA_RESP_ERR_POLICY_VIOLATION, FAIL_STOP, FAIL_AREA_KAFKA, NULL},
    {RD_KAFKA_RESP_ERR__INVALID_ARG, FAIL_STOP, FAIL_AREA_KAFKA, NULL},
    {RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED, FAIL_STOP, FAIL_AREA_KAFKA, NULL},
};

static struct meaning meaning_of(rd_kafka_resp_err_t err)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].err == err)
            return meanings[i];
    return (struct meaning){err, FAIL_RETRY, FAIL_AREA_KAFKA, NULL};
}

bool client_is_retriable(rd_kafka_resp_err_t err)
{
    return meaning_of(err).kind == FAIL_RETRY;
}

bool client_fail(struct fail *why, rd_kafka_resp_err_t err, const char *detail, const char *format, ...)
{
    char doing[512];
    va_list args;
    va_start(args, format);
    vsnprintf(doing, sizeof doing, format, args);
    va_end(args);
    struct meaning m = meaning_of(err);
    if (detail == NULL || *detail == '\0')
        detail = rd_kafka_err2str(err);
    return fail_set(why, m.kind, m.area, err, "%s: %s (%s)%s%s", doing, detail, rd_kafka_err2name(err),
                    m.hint == NULL ? "" : "; hint: ", m.hint == NULL ? "" : m.hint);
}
