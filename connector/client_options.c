/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/client_options.h"

#include <stdlib.h>

enum client_use {
    USE_COMMON,   /* every client */
    USE_PRODUCER, /* the producer alone */
    USE_CONSUMER, /* a consumer alone */
    USE_PART,     /* joined with others, see below */
    USE_IGNORED,  /* told once for each reason */
    USE_QUIET,
    USE_REFUSED, /* unless blank */
};

struct client_option {
    const char *name;
    enum client_use use;
    const char *native; /* librdkafka's name; NULL: the same, or none */
    const char *help;   /* of the last three: why */
};

static const char commits_decide[] = "When records leave is decided by the commit rhythm (tidemark.commit.*), and "
                                     "memory is bounded by max.queue.size.in.bytes";
static const char idempotent[] = "The producer is idempotent: acknowledged by all replicas, in order, nothing twice";
static const char transaction_bounds[] = "A Kafka transaction, and trying again, bound how long a record may take";
static const char java_class[] = "It names a Java class";
static const char java_only[] = "It means something only to a Java client";
static const char by_openssl[] = "OpenSSL's own choice is used";

static const struct client_option table[] = {
    {"client.id", USE_PART, NULL, NULL},
    {"client.rack", USE_COMMON, NULL, NULL},
    {"client.dns.lookup", USE_COMMON, NULL, NULL},
    {"security.protocol", USE_COMMON, NULL, NULL},
    {"sasl.mechanism", USE_PART, "sasl.mechanisms", NULL},
    {"sasl.jaas.config", USE_PART, "sasl.username, sasl.password and the like", NULL},
    {"sasl.kerberos.service.name", USE_COMMON, NULL, NULL},
    {"sasl.kerberos.kinit.cmd", USE_COMMON, NULL, NULL},
    {"sasl.kerberos.min.time.before.relogin", USE_COMMON, NULL, NULL},
    {"sasl.oauthbearer.token.endpoint.url", USE_PART, "the same, and sasl.oauthbearer.method=oidc", NULL},
    {"ssl.truststore.location", USE_PART, "ssl.ca.location", NULL},
    {"ssl.truststore.password", USE_PART, NULL, NULL},
    {"ssl.truststore.type", USE_PART, NULL, NULL},
    {"ssl.truststore.certificates", USE_COMMON, "ssl.ca.pem", NULL},
    {"ssl.keystore.location", USE_PART, "ssl.keystore.location, or ssl.certificate.location and ssl.key.location",
     NULL},
    {"ssl.keystore.password", USE_PART, NULL, NULL},
    {"ssl.keystore.type", USE_PART, NULL, NULL},
    {"ssl.keystore.certificate.chain", USE_COMMON, "ssl.certificate.pem", NULL},
    {"ssl.keystore.key", USE_COMMON, "ssl.key.pem", NULL},
    {"ssl.key.password", USE_COMMON, NULL, NULL},
    {"ssl.endpoint.identification.algorithm", USE_PART, NULL, NULL},
    {"ssl.cipher.suites", USE_COMMON, NULL, NULL},
    {"ssl.protocol", USE_IGNORED, NULL, by_openssl},
    {"ssl.enabled.protocols", USE_IGNORED, NULL, by_openssl},
    {"ssl.provider", USE_QUIET, NULL, java_only},
    {"ssl.keymanager.algorithm", USE_QUIET, NULL, java_only},
    {"ssl.trustmanager.algorithm", USE_QUIET, NULL, java_only},
    {"ssl.secure.random.implementation", USE_QUIET, NULL, java_only},
    {"ssl.engine.factory.class", USE_REFUSED, NULL, java_class},
    {"security.providers", USE_QUIET, NULL, java_only},
    {"sasl.client.callback.handler.class", USE_REFUSED, NULL, java_class},
    {"sasl.login.callback.handler.class", USE_REFUSED, NULL, java_class},
    {"sasl.login.class", USE_REFUSED, NULL, java_class},
    {"sasl.login.*", USE_QUIET, NULL, java_only},
    {"request.timeout.ms", USE_PRODUCER, NULL, NULL},
    {"connections.max.idle.ms", USE_COMMON, NULL, NULL},
    {"metadata.max.age.ms", USE_COMMON, NULL, NULL},
    {"reconnect.backoff.ms", USE_COMMON, NULL, NULL},
    {"reconnect.backoff.max.ms", USE_COMMON, NULL, NULL},
    {"retry.backoff.ms", USE_COMMON, NULL, NULL},
    {"retry.backoff.max.ms", USE_COMMON, NULL, NULL},
    {"socket.connection.setup.timeout.ms", USE_COMMON, NULL, NULL},
    {"socket.connection.setup.timeout.max.ms", USE_QUIET, NULL, java_only},
    {"send.buffer.bytes", USE_PART, "socket.send.buffer.bytes", NULL},
    {"receive.buffer.bytes", USE_PART, "socket.receive.buffer.bytes", NULL},
    {"enable.metrics.push", USE_COMMON, NULL, NULL},
    {"metric.reporters", USE_QUIET, NULL, java_only},
    {"metrics.*", USE_QUIET, NULL, java_only},
    {"metadata.*", USE_QUIET, NULL, java_only},
    /* the producer */
    {"compression.type", USE_PRODUCER, NULL, NULL},
    {"compression.gzip.level", USE_PART, "compression.level", NULL},
    {"compression.lz4.level", USE_PART, "compression.level", NULL},
    {"compression.zstd.level", USE_PART, "compression.level", NULL},
    {"retries", USE_PRODUCER, NULL, NULL},
    {"transactional.id", USE_IGNORED, NULL, "The transactional id is made of `name`"},
    {"linger.ms", USE_IGNORED, NULL, commits_decide},
    {"batch.size", USE_IGNORED, NULL, commits_decide},
    {"buffer.memory", USE_IGNORED, NULL, commits_decide},
    {"acks", USE_IGNORED, NULL, idempotent},
    {"enable.idempotence", USE_IGNORED, NULL, idempotent},
    {"max.in.flight.requests.per.connection", USE_IGNORED, NULL, idempotent},
    {"delivery.timeout.ms", USE_IGNORED, NULL, transaction_bounds},
    {"max.block.ms", USE_IGNORED, NULL, transaction_bounds},
    {"key.serializer", USE_QUIET, NULL, java_only},
    {"value.serializer", USE_QUIET, NULL, java_only},
    {"partitioner.class", USE_REFUSED, NULL, java_class},
    {"partitioner.ignore.keys", USE_QUIET, NULL, java_only},
    {"partitioner.*", USE_QUIET, NULL, java_only},
    {"interceptor.classes", USE_REFUSED, NULL, java_class},
    /* a consumer */
    {"session.timeout.ms", USE_CONSUMER, NULL, NULL},
    {"heartbeat.interval.ms", USE_CONSUMER, NULL, NULL},
    {"auto.offset.reset", USE_CONSUMER, NULL, NULL},
    {"fetch.min.bytes", USE_CONSUMER, NULL, NULL},
    {"fetch.max.bytes", USE_CONSUMER, NULL, NULL},
    {"fetch.max.wait.ms", USE_CONSUMER, "fetch.wait.max.ms", NULL},
    {"max.partition.fetch.bytes", USE_CONSUMER, NULL, NULL},
    {"isolation.level", USE_CONSUMER, NULL, NULL},
    {"group.id", USE_IGNORED, NULL, "The group is `signal.kafka.groupId`"},
    {"enable.auto.commit", USE_QUIET, NULL, "The position is stored with the offsets"},
    {"max.poll.*", USE_QUIET, NULL, java_only},
    {"key.deserializer", USE_QUIET, NULL, java_only},
    {"value.deserializer", USE_QUIET, NULL, java_only},
};

/* A translation under way. */
struct translation {
    const struct client_given *given;
    size_t n;
    enum client_role role;
    struct arena *memory;
    struct client_settings *common;
    struct client_settings *own;
    struct config_notes *notes;
    bool ok;
};

static const struct client_option *find(const char *name)
{
    const struct client_option *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t n = strlen(table[i].name);
        bool is_family = table[i].name[n - 1] == '*';
        bool fits = is_family ? strncmp(table[i].name, name, n - 1) == 0 : strcmp(table[i].name, name) == 0;
        if (fits && n > longest) {
            longest = n;
            best = &table[i];
        }
    }
    return best;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static void complain(struct translation *t, const struct client_given *g, const char *what)
{
    config_notes_add(t->notes, LOG_ERROR, "%s (line %u): %s", g->written, g->line, what);
    t->ok = false;
}

static void append(struct client_settings *set, struct arena *memory, const char *name, const char *value)
{
    struct client_setting *items = arena_zero(memory, set->n_extra + 1, sizeof *items);
    if (set->n_extra > 0)
        memcpy(items, set->extra, set->n_extra * sizeof *items);
    items[set->n_extra++] = (struct client_setting){
        .name = arena_string(memory, view_of(name)),
        .value = arena_string(memory, view_of(value)),
    };
    set->extra = items;
}

/* A setting for every client of ours. */
static void put_common(struct translation *t, const char *name, const char *value)
{
    append(t->common, t->memory, name, value);
    append(t->own, t->memory, name, value);
}

/* The last value given under the name, or NULL. */
static const struct client_given *given(const struct translation *t, const char *name)
{
    for (size_t i = t->n; i > 0; i--)
        if (strcmp(t->given[i - 1].name, name) == 0)
            return &t->given[i - 1];
    return NULL;
}

static void translate_one(struct translation *t, const struct client_given *g)
{
    const struct client_option *o = find(g->name);
    if (o == NULL) {
        config_notes_add(t->notes, LOG_WARN, "unknown key: %s (line %u)", g->written, g->line);
        return;
    }
    const char *native = o->native == NULL ? o->name : o->native;
    if (o->use == USE_COMMON)
        put_common(t, native, g->value);
    else if ((o->use == USE_PRODUCER && t->role == CLIENT_ROLE_PRODUCER) ||
             (o->use == USE_CONSUMER && t->role == CLIENT_ROLE_CONSUMER))
        append(t->own, t->memory, native, g->value);
    else if (o->use == USE_REFUSED && !is_blank(g->value))
        complain(t, g, o->help);
}

/* ---- what is told ---- */

static bool is_ignored_for(const struct translation *t, size_t i, const char *help)
{
    const struct client_option *o = find(t->given[i].name);
    return o != NULL && o->use == USE_IGNORED && o->help == help;
}

static void tell_ignored(struct translation *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct client_option *o = find(t->given[i].name);
        bool is_told = o == NULL || o->use != USE_IGNORED;
        for (size_t k = 0; k < i && !is_told; k++)
            is_told = is_ignored_for(t, k, o->help);
        if (is_told)
            continue;
        struct buf text;
        buf_init(&text);
        for (size_t k = i; k < t->n; k++)
            if (is_ignored_for(t, k, o->help))
                buf_printf(&text, "%s%s", buf_size(&text) > 0 ? ", " : "", t->given[k].written);
        config_notes_add(t->notes, LOG_INFO, "not applied: %.*s. %s", VIEW_ARGS(buf_view(&text)), o->help);
        buf_fini(&text);
    }
}

bool client_options_translate(const struct client_given *all, size_t n, enum client_role role, struct arena *memory,
                              struct client_settings *common, struct client_settings *own, struct config_notes *notes)
{
    struct translation t = {all, n, role, memory, common, own, notes, true};
    const struct client_given *id = given(&t, "client.id");
    if (id != NULL)
        common->client_id = own->client_id = arena_string(memory, view_of(id->value));
    for (size_t i = 0; i < n; i++)
        if (given(&t, all[i].name) == &all[i])
            translate_one(&t, &all[i]);
    tell_ignored(&t);
    return t.ok;
}
