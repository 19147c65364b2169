/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/client_options.h"

#include "base/keystore.h"
#include "connector/jaas.h"

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
    {"sasl.kerberos.*", USE_QUIET, NULL, java_only},
    {"sasl.oauthbearer.token.endpoint.url", USE_PART, "sasl.oauthbearer.token.endpoint.url, sasl.oauthbearer.method",
     NULL},
    {"sasl.oauthbearer.client.credentials.client.id", USE_COMMON, "sasl.oauthbearer.client.id", NULL},
    {"sasl.oauthbearer.client.credentials.client.secret", USE_COMMON, "sasl.oauthbearer.client.secret", NULL},
    {"sasl.oauthbearer.scope", USE_COMMON, NULL, NULL},
    {"sasl.login.callback.handler.class", USE_PART, NULL, NULL},
    {"sasl.client.callback.handler.class", USE_REFUSED, NULL, java_class},
    {"sasl.login.class", USE_REFUSED, NULL, java_class},
    {"sasl.login.*", USE_QUIET, NULL, java_only},
    {"ssl.truststore.location", USE_PART, "ssl.ca.location", NULL},
    {"ssl.truststore.password", USE_PART, NULL, NULL},
    {"ssl.truststore.type", USE_QUIET, NULL, "The file's contents tell its form"},
    {"ssl.truststore.certificates", USE_PART, "ssl.ca.location", NULL},
    {"ssl.keystore.location", USE_PART, "ssl.certificate.location, ssl.key.location", NULL},
    {"ssl.keystore.password", USE_PART, NULL, NULL},
    {"ssl.keystore.type", USE_QUIET, NULL, "The file's contents tell its form"},
    {"ssl.keystore.certificate.chain", USE_PART, "ssl.certificate.location", NULL},
    {"ssl.keystore.key", USE_COMMON, "ssl.key.pem", NULL},
    {"ssl.key.password", USE_PART, NULL, NULL},
    {"ssl.endpoint.identification.algorithm", USE_PART, NULL, NULL},
    {"ssl.cipher.suites", USE_COMMON, NULL, NULL},
    {"ssl.protocol", USE_IGNORED, NULL, by_openssl},
    {"ssl.enabled.protocols", USE_IGNORED, NULL, by_openssl},
    {"ssl.engine.factory.class", USE_REFUSED, NULL, java_class},
    {"ssl.provider", USE_QUIET, NULL, java_only},
    {"ssl.keymanager.algorithm", USE_QUIET, NULL, java_only},
    {"ssl.trustmanager.algorithm", USE_QUIET, NULL, java_only},
    {"ssl.secure.random.implementation", USE_QUIET, NULL, java_only},
    {"security.providers", USE_QUIET, NULL, java_only},
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
    {"transactional.id", USE_IGNORED, NULL, "The transactional id is made of name"},
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
    {"group.id", USE_IGNORED, NULL, "The group is signal.kafka.groupId"},
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
    rd_kafka_conf_t *probe; /* each setting is tried on it, so that a wrong value is told with its key */
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

/* For the role's client alone. `from` is what it was made of. */
static void put_own(struct translation *t, const struct client_given *from, const char *name, const char *value)
{
    struct fail why;
    if (client_conf_set(t->probe, name, value, &why))
        append(t->own, t->memory, name, value);
    else
        complain(t, from, why.text);
}

/* For every client of ours. */
static void put_common(struct translation *t, const struct client_given *from, const char *name, const char *value)
{
    size_t before = t->own->n_extra;
    put_own(t, from, name, value);
    if (t->own->n_extra > before)
        append(t->common, t->memory, name, value);
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
    if (o == NULL) /* told with the other unknown keys */
        return;
    const char *native = o->native == NULL ? o->name : o->native;
    if (o->use == USE_COMMON)
        put_common(t, g, native, g->value);
    else if ((o->use == USE_PRODUCER && t->role == CLIENT_ROLE_PRODUCER) ||
             (o->use == USE_CONSUMER && t->role == CLIENT_ROLE_CONSUMER))
        put_own(t, g, native, g->value);
    else if (o->use == USE_REFUSED && !is_blank(g->value))
        complain(t, g, o->help);
}

/* ---- login ---- */

/* A login that was given under another name: hidden in all logs. */
static void put_secret(struct translation *t, const struct client_given *from, const char *name, const char *value)
{
    log_hide(value);
    put_common(t, from, name, value);
}

static void put_option(struct translation *t, const struct client_given *from, const struct jaas *j, const char *option,
                       const char *name)
{
    const char *value = jaas_get(j, option);
    if (value != NULL)
        put_common(t, from, name, value);
}

static void put_user(struct translation *t, const struct client_given *from, const struct jaas *j)
{
    const char *user = jaas_get(j, "username"), *password = jaas_get(j, "password");
    if (user == NULL || password == NULL) {
        complain(t, from, "the login module line needs username=\"…\" and password=\"…\"");
        return;
    }
    put_common(t, from, "sasl.username", user);
    put_secret(t, from, "sasl.password", password);
}

static void join_login_line(struct translation *t)
{
    const struct client_given *line = given(t, "sasl.jaas.config");
    struct jaas j;
    struct fail why;
    if (line == NULL)
        return;
    if (!jaas_read(line->value, t->memory, &j, &why)) {
        complain(t, line, why.text);
    } else if (strcmp(j.module, "PlainLoginModule") == 0 || strcmp(j.module, "ScramLoginModule") == 0) {
        put_user(t, line, &j);
    } else if (strcmp(j.module, "OAuthBearerLoginModule") == 0) {
        put_option(t, line, &j, "clientId", "sasl.oauthbearer.client.id");
        put_option(t, line, &j, "scope", "sasl.oauthbearer.scope");
        if (jaas_get(&j, "clientSecret") != NULL)
            put_secret(t, line, "sasl.oauthbearer.client.secret", jaas_get(&j, "clientSecret"));
    } else if (strcmp(j.module, "Krb5LoginModule") == 0) {
        put_option(t, line, &j, "principal", "sasl.kerberos.principal");
        put_option(t, line, &j, "keyTab", "sasl.kerberos.keytab");
        put_option(t, line, &j, "serviceName", "sasl.kerberos.service.name");
    } else {
        complain(t, line,
                 "of login modules PlainLoginModule, ScramLoginModule, OAuthBearerLoginModule and Krb5LoginModule "
                 "are known; others are Java classes");
    }
}

static void join_mechanism(struct translation *t)
{
    const struct client_given *mechanism = given(t, "sasl.mechanism");
    const struct client_given *url = given(t, "sasl.oauthbearer.token.endpoint.url");
    const struct client_given *handler = given(t, "sasl.login.callback.handler.class");
    bool is_oauth = mechanism != NULL && strcmp(mechanism->value, "OAUTHBEARER") == 0;
    if (mechanism != NULL && strcmp(mechanism->value, "AWS_MSK_IAM") == 0)
        complain(t, mechanism, "it needs a Java class; hint: let the cluster offer SCRAM-SHA-512");
    else if (mechanism != NULL)
        put_common(t, mechanism, "sasl.mechanisms", mechanism->value);
    if (is_oauth && url == NULL)
        complain(t, mechanism, "OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url");
    if (url != NULL) {
        put_common(t, url, "sasl.oauthbearer.method", "oidc");
        put_common(t, url, "sasl.oauthbearer.token.endpoint.url", url->value);
    }
    /* the handler that asks a token endpoint is built in */
    if (handler != NULL && !is_blank(handler->value) &&
        strstr(handler->value, ".OAuthBearerLoginCallbackHandler") == NULL)
        complain(t, handler, java_class);
}

/* ---- certificates ---- */

static const char *value_of(const struct client_given *g)
{
    return g == NULL ? NULL : g->value;
}

/* librdkafka gets a path to the text. */
static void put_path(struct translation *t, const struct client_given *from, const char *name, struct view text)
{
    char path[KEYSTORE_PATH_BYTES];
    struct fail why;
    if (keystore_publish(text, path, &why))
        put_common(t, from, name, path);
    else
        complain(t, from, why.text);
}

static void join_truststore(struct translation *t)
{
    const struct client_given *store = given(t, "ssl.truststore.location");
    const struct client_given *text = given(t, "ssl.truststore.certificates");
    struct buf certificates;
    struct fail why;
    if (text != NULL)
        put_path(t, text, "ssl.ca.location", view_of(text->value));
    if (store == NULL || text != NULL)
        return;
    buf_init(&certificates);
    if (keystore_read_trusted(store->value, value_of(given(t, "ssl.truststore.password")), &certificates, &why))
        put_path(t, store, "ssl.ca.location", buf_view(&certificates));
    else
        complain(t, store, why.text);
    buf_fini(&certificates);
}

static void join_keystore(struct translation *t)
{
    const struct client_given *store = given(t, "ssl.keystore.location");
    const struct client_given *text = given(t, "ssl.keystore.certificate.chain");
    const struct client_given *password = given(t, "ssl.key.password");
    struct buf chain, key;
    struct fail why;
    if (text != NULL) {
        put_path(t, text, "ssl.certificate.location", view_of(text->value));
        if (password != NULL)
            put_common(t, password, "ssl.key.password", password->value);
    }
    if (store == NULL || text != NULL)
        return;
    if (given(t, "ssl.keystore.password") != NULL)
        password = given(t, "ssl.keystore.password");
    buf_init(&chain);
    buf_init(&key);
    if (keystore_read_identity(store->value, value_of(password), &chain, &key, &why)) {
        put_path(t, store, "ssl.certificate.location", buf_view(&chain));
        put_path(t, store, "ssl.key.location", buf_view(&key));
    } else {
        complain(t, store, why.text);
    }
    if (buf_size(&key) > 0)
        explicit_bzero(key.start, buf_size(&key));
    buf_fini(&chain);
    buf_fini(&key);
}

/* ---- the rest of the parts ---- */

/* An empty algorithm switches the comparison of host names off. */
static void join_host_check(struct translation *t)
{
    const struct client_given *g = given(t, "ssl.endpoint.identification.algorithm");
    if (g != NULL)
        put_common(t, g, g->name, is_blank(g->value) ? "none" : g->value);
}

/* -1 is the system's own size, which librdkafka takes by itself. */
static void join_socket_buffer(struct translation *t, const char *name, const char *native)
{
    const struct client_given *g = given(t, name);
    if (g != NULL && strcmp(g->value, "-1") != 0)
        put_common(t, g, native, g->value);
}

/* Java has one level for each codec. */
static void join_compression(struct translation *t)
{
    static const char *const levels[][2] = {
        {"gzip", "compression.gzip.level"}, {"lz4", "compression.lz4.level"}, {"zstd", "compression.zstd.level"}};
    const struct client_given *codec = given(t, "compression.type");
    for (size_t i = 0; codec != NULL && t->role == CLIENT_ROLE_PRODUCER && i < sizeof levels / sizeof *levels; i++) {
        const struct client_given *level = given(t, levels[i][1]);
        if (level != NULL && strcmp(codec->value, levels[i][0]) == 0)
            put_own(t, level, "compression.level", level->value);
    }
}

static void join_parts(struct translation *t)
{
    const struct client_given *id = given(t, "client.id");
    if (id != NULL)
        t->common->client_id = t->own->client_id = arena_string(t->memory, view_of(id->value));
    join_mechanism(t);
    join_login_line(t);
    join_truststore(t);
    join_keystore(t);
    join_host_check(t);
    join_socket_buffer(t, "send.buffer.bytes", "socket.send.buffer.bytes");
    join_socket_buffer(t, "receive.buffer.bytes", "socket.receive.buffer.bytes");
    join_compression(t);
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
        config_notes_add(t->notes, LOG_INFO, "not applied: %.*s: %s", VIEW_ARGS(buf_view(&text)), o->help);
        buf_fini(&text);
    }
}

bool client_options_translate(const struct client_given *all, size_t n, enum client_role role, struct arena *memory,
                              struct client_settings *common, struct client_settings *own, struct config_notes *notes)
{
    struct translation t = {all, n, role, memory, common, own, notes, NULL, true};
    struct fail why;
    t.probe = client_conf_new(&(struct client_settings){.bootstrap = "localhost"}, &why);
    ASSERT(t.probe != NULL);
    for (size_t i = 0; i < n; i++)
        if (given(&t, all[i].name) == &all[i])
            translate_one(&t, &all[i]);
    join_parts(&t);
    tell_ignored(&t);
    rd_kafka_conf_destroy(t.probe);
    return t.ok;
}

bool client_options_know(const char *name)
{
    return find(name) != NULL;
}

/* ---- the manual ---- */

static void print_row(struct buf *out, const struct client_option *o)
{
    static const char *const what[] = {
        [USE_COMMON] = "all clients", [USE_PRODUCER] = "producer",   [USE_CONSUMER] = "consumer",
        [USE_PART] = "all clients",   [USE_IGNORED] = "not applied", [USE_QUIET] = "means nothing here",
        [USE_REFUSED] = "refused",
    };
    buf_printf(out, "| `%s` | %s | ", o->name, what[o->use]);
    if (o->help != NULL)
        buf_printf(out, "%s |\n", o->help);
    else if (o->native != NULL)
        buf_printf(out, "as `%s` |\n", o->native);
    else
        buf_put_literal(out, "|\n");
}

void client_options_print_markdown(struct buf *out)
{
    buf_put_literal(out, "| setting | for | |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        print_row(out, &table[i]);
}
