/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/config.h"

#include "base/keystore.h"
#include "connector/client_options.h"
#include "connector/expand.h"
#include "connector/options.h"
#include "connector/properties.h"
#include "connector/rename.h"
#include "record/topic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

enum { DEFAULT_QUEUE_BYTES = 32 << 20, HEARTBEAT_MOST_MS = 5000 };

/* A configuration while it is read. */
struct reading {
    struct config *cfg;
    struct settings settings;
    struct config_notes *notes;
    const char **values; /* of each setting, expanded */
};

static const char *copy(struct config *cfg, struct view text)
{
    return arena_string(&cfg->memory, text);
}

static void *place(struct config *cfg, const struct option *o)
{
    return o->at == OPTION_NOT_STORED ? NULL : (uint8_t *)cfg + o->at;
}

/* ---- saying what is wrong ---- */

/* `key=value (line 3)`; the value as it was written, and not at all when it may be secret. */
static void print_setting(const struct setting *s, struct buf *out)
{
    const char *salt = strstr(s->written, ".with.salt.");
    int shown = salt == NULL ? (int)strlen(s->written) : (int)(salt - s->written) + 11;
    buf_printf(out, "%.*s%s", shown, s->written, salt == NULL ? "" : "******");
    buf_printf(out, "=%.200s", option_is_secret(s->key) ? "******" : s->value);
    if (s->line > 0)
        buf_printf(out, " (line %u)", s->line);
}

/* A sentence of the manual as part of a line: without back quotes and the full stop. */
static void print_plain(const char *sentence, struct buf *out)
{
    for (const char *c = sentence; *c != '\0'; c++)
        if (*c != '`' && (*c != '.' || c[1] != '\0'))
            buf_put_u8(out, (uint8_t)*c);
}

static void complain(struct reading *r, const struct setting *s, const char *what)
{
    struct buf text;
    buf_init(&text);
    print_setting(s, &text);
    buf_put_literal(&text, ": ");
    print_plain(what, &text);
    config_notes_add(r->notes, LOG_ERROR, "%.*s", VIEW_ARGS(buf_view(&text)));
    buf_fini(&text);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n\f")] == '\0';
}

/* ---- settings one by one ---- */

/* The value after ${…}; NULL, and the complaint made, when a reference leads nowhere. */
static const char *expand(struct reading *r, const struct setting *s)
{
    struct expand_rules rules = {r->settings.is_server, option_is_secret(s->key)};
    struct fail why;
    struct buf text;
    buf_init(&text);
    const char *value = NULL;
    if (expand_value(s->value, rules, &text, &why))
        value = copy(r->cfg, buf_view(&text));
    else
        complain(r, s, why.text);
    buf_fini(&text);
    if (value != NULL && rules.is_secret)
        log_hide(value);
    if (value != NULL && expand_has_reference(s->value) && strcmp(value, s->value) == 0)
        config_notes_add(r->notes, LOG_WARN,
                         "%s (line %u) has a ${…} that is left as it is; hint: ${env:NAME} is replaced", s->written,
                         s->line);
    return value;
}

static bool is_default(const struct option *o, const char *value, struct fail *why)
{
    union {
        bool boolean;
        int64_t number;
    } a = {.number = 0}, b = {.number = 0};
    if (o->type == OPTION_TEXT)
        return view_equal_nocase(view_of(value), view_of(o->fallback));
    if (!option_parse(o, value, NULL, &a, why) || !option_parse(o, o->fallback, NULL, &b, why))
        return false;
    return o->type == OPTION_BOOL ? a.boolean == b.boolean : a.number == b.number;
}

static void apply(struct reading *r, const struct setting *s, const char *value, const struct option *o)
{
    struct fail why = {0};
    switch (o->tier) {
    case TIER_OFFERED:
        if (!option_parse(o, value, &r->cfg->memory, place(r->cfg, o), &why))
            complain(r, s, why.text);
        break;
    case TIER_FIXED:
        if (is_default(o, value, &why))
            break;
        snprintf(why.text, sizeof why.text, "only %s is accepted. %s", o->fallback, o->help);
        complain(r, s, why.text);
        break;
    case TIER_REFUSED:
        if (!is_blank(value))
            complain(r, s, o->help);
        break;
    case TIER_IGNORED:
    case TIER_QUIET:
        break;
    }
}

static void set_defaults(struct config *cfg)
{
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        struct fail why;
        if (o->tier == TIER_OFFERED && o->fallback != NULL)
            ASSERT(option_parse(o, o->fallback, &cfg->memory, place(cfg, o), &why));
    }
}

static const struct setting *find(const struct reading *r, const char *key)
{
    for (size_t i = 0; i < r->settings.n; i++)
        if (strcmp(r->settings.items[i].key, key) == 0)
            return &r->settings.items[i];
    return NULL;
}

static void apply_all(struct reading *r)
{
    r->values = mem_zero(r->settings.n + 1, sizeof *r->values);
    for (size_t i = 0; i < r->settings.n; i++) {
        const struct setting *s = &r->settings.items[i];
        const struct option *o = option_find(s->key);
        if (o != NULL && (o->tier == TIER_IGNORED || o->tier == TIER_QUIET))
            continue;
        r->values[i] = expand(r, s);
        if (o != NULL && r->values[i] != NULL)
            apply(r, s, r->values[i], o);
    }
}

/* ---- keys that aren't read ---- */

/* Names of the settings whose row has this tier and reason; the rest of a list that was begun earlier. */
static void tell_reason(struct reading *r, size_t first, const struct option *row, enum log_level level)
{
    struct buf text;
    buf_init(&text);
    for (size_t i = first; i < r->settings.n; i++) {
        const struct option *o = option_find(r->settings.items[i].key);
        if (o != NULL && o->tier == row->tier && strcmp(o->help, row->help) == 0)
            buf_printf(&text, "%s%s", buf_size(&text) > 0 ? ", " : "", r->settings.items[i].written);
    }
    buf_put_literal(&text, ": ");
    print_plain(row->help, &text);
    config_notes_add(r->notes, level, "not applied: %.*s", VIEW_ARGS(buf_view(&text)));
    buf_fini(&text);
}

/* Whether an earlier setting has the same tier and reason. */
static bool is_told(const struct reading *r, size_t i, const struct option *row)
{
    for (size_t k = 0; k < i; k++) {
        const struct option *o = option_find(r->settings.items[k].key);
        if (o != NULL && o->tier == row->tier && strcmp(o->help, row->help) == 0)
            return true;
    }
    return false;
}

static void tell_ignored(struct reading *r)
{
    for (size_t i = 0; i < r->settings.n; i++) {
        const struct option *o = option_find(r->settings.items[i].key);
        if (o == NULL || (o->tier != TIER_IGNORED && o->tier != TIER_QUIET) || is_told(r, i, o))
            continue;
        tell_reason(r, i, o, o->tier == TIER_IGNORED ? LOG_INFO : LOG_DEBUG);
    }
}

/* Known by a row of its own, or as a setting of a Kafka client. */
static bool is_known(const char *key)
{
    const struct option *o = option_find(key);
    if (o == NULL)
        return false;
    bool is_client = o->tier == TIER_OFFERED && option_is_family(o);
    return !is_client || client_options_know(key + strlen(o->name) - 1);
}

static void tell_unknown(struct reading *r)
{
    struct buf text;
    size_t n = 0;
    buf_init(&text);
    for (size_t i = 0; i < r->settings.n; i++) {
        const struct setting *s = &r->settings.items[i];
        if (is_known(s->key))
            continue;
        buf_printf(&text, "%s%s", n++ > 0 ? ", " : "", s->written);
        if (s->line > 0)
            buf_printf(&text, " (line %u)", s->line);
    }
    if (n > 0)
        config_notes_add(r->notes, r->cfg->is_strict ? LOG_ERROR : LOG_WARN, "unknown key%s: %.*s", n > 1 ? "s" : "",
                         VIEW_ARGS(buf_view(&text)));
    buf_fini(&text);
}

static void check_required(struct reading *r)
{
    for (size_t i = 0; option_at(i) != NULL; i++)
        if (option_at(i)->is_required && find(r, option_at(i)->name) == NULL)
            config_notes_add(r->notes, LOG_ERROR, "%s is missing", option_at(i)->name);
}

/* ---- what belongs together ---- */

static void check_exclusive(struct reading *r)
{
    static const char *const pairs[][2] = {
        {"database.include.list", "database.exclude.list"},
        {"table.include.list", "table.exclude.list"},
        {"column.include.list", "column.exclude.list"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct setting *other = find(r, pairs[i][1]);
        if (find(r, pairs[i][0]) != NULL && other != NULL) {
            struct buf text;
            buf_init(&text);
            buf_printf(&text, "not together with %s%c", pairs[i][0], 0);
            complain(r, other, (const char *)text.start);
            buf_fini(&text);
        }
    }
}

static const char *join(struct config *cfg, const char *a, const char *b)
{
    struct buf text;
    buf_init(&text);
    buf_printf(&text, "%s%s", a, b);
    const char *joined = copy(cfg, buf_view(&text));
    buf_fini(&text);
    return joined;
}

static void settle_offsets(struct reading *r)
{
    struct config_kafka *k = &r->cfg->kafka;
    k->shapes_topic = join(r->cfg, k->offsets_topic, "-shapes");
    bool has_topic = find(r, "offset.storage.topic") != NULL;
    if (k->storage == OFFSET_STORAGE_UNSET && k->offsets_file != NULL && has_topic)
        config_notes_add(
            r->notes, LOG_ERROR,
            "offset.storage.topic and offset.storage.file.filename are both set; hint: say which counts by "
            "offset.storage=kafka or offset.storage=file");
    if (k->storage == OFFSET_STORAGE_UNSET)
        k->storage = k->offsets_file != NULL ? OFFSET_STORAGE_FILE : OFFSET_STORAGE_KAFKA;
    if (k->storage == OFFSET_STORAGE_FILE && k->offsets_file == NULL)
        config_notes_add(r->notes, LOG_ERROR, "offset.storage says a file, so offset.storage.file.filename is missing");
    if (k->storage == OFFSET_STORAGE_FILE && k->exactly_once == EXACTLY_ONCE_REQUIRED)
        config_notes_add(
            r->notes, LOG_ERROR,
            "exactly.once.support=required: offsets in a file are at least once; hint: keep them in a topic");
    if (k->storage == OFFSET_STORAGE_KAFKA)
        k->offsets_file = NULL;
}

/* Walks a list at its commas; parts without blanks around them. */
static bool next_part(struct view *list, struct view *part)
{
    while (list->n > 0 && (*list->p == ',' || *list->p == ' '))
        *list = (struct view){list->p + 1, list->n - 1};
    size_t n = 0;
    while (n < list->n && list->p[n] != ',')
        n++;
    *part = (struct view){list->p, n};
    *list = (struct view){list->p + n, list->n - n};
    while (part->n > 0 && part->p[part->n - 1] == ' ')
        part->n--;
    return part->n > 0;
}

/* Nothing is left out without a trace: one of the two keys alone does not do it. */
static void settle_dead_letters(struct reading *r)
{
    struct config_kafka *k = &r->cfg->kafka;
    if (k->tolerates_errors && k->dead_letter_topic == NULL)
        config_notes_add(
            r->notes, LOG_WARN,
            "errors.tolerance=all: without errors.deadletterqueue.topic.name a record that is too wide ends the "
            "run nevertheless");
    if (!k->tolerates_errors && k->dead_letter_topic != NULL)
        config_notes_add(r->notes, LOG_WARN,
                         "errors.deadletterqueue.topic.name=%s counts only with errors.tolerance=all",
                         k->dead_letter_topic);
    k->dead_letter_topic =
        k->tolerates_errors && k->dead_letter_topic != NULL ? topic_intern(view_of(k->dead_letter_topic)) : NULL;
}

static void settle_signals(struct reading *r)
{
    struct config *cfg = r->cfg;
    struct view list = view_of(cfg->signal_channels);
    struct view part;
    while (next_part(&list, &part)) {
        if (view_equal_nocase(part, view_of("kafka")))
            cfg->has_signals = true;
        else
            config_notes_add(r->notes, LOG_WARN,
                             "signal.enabled.channels: channel %.*s is not offered, signals come from kafka",
                             VIEW_ARGS(part));
    }
    if (!cfg->has_signals)
        config_notes_add(r->notes, LOG_WARN, "signal.enabled.channels=%s: without kafka there are no signals",
                         cfg->signal_channels);
    if (cfg->signal_topic == NULL)
        cfg->signal_topic = join(cfg, cfg->record.topic_prefix == NULL ? "" : cfg->record.topic_prefix, "-signal");
    if (cfg->signal_group != NULL && strcmp(cfg->signal_group, "kafka-signal") == 0)
        cfg->signal_group = NULL; /* every connector's default: its offset may be another's */
    const struct setting *reset = find(r, "signal.consumer.auto.offset.reset");
    cfg->signal_reset = reset == NULL ? NULL : copy(cfg, view_of(reset->value));
}

static void settle_notifications(struct reading *r)
{
    struct config *cfg = r->cfg;
    struct view list = view_of(cfg->notification_channels == NULL ? "" : cfg->notification_channels);
    struct view part;
    while (next_part(&list, &part)) {
        if (view_equal_nocase(part, view_of("sink")))
            cfg->notifies_sink = true;
        else if (view_equal_nocase(part, view_of("log")))
            cfg->notifies_log = true;
        else if (view_equal_nocase(part, view_of("jmx")))
            config_notes_add(r->notes, LOG_WARN,
                             "notification.enabled.channels: there is no JMX here, nothing is told by it; sink and log "
                             "are offered");
        else
            config_notes_add(r->notes, LOG_ERROR,
                             "notification.enabled.channels: channel %.*s is not offered; sink and log are",
                             VIEW_ARGS(part));
    }
    if (cfg->notifies_sink && cfg->notification_topic == NULL)
        config_notes_add(r->notes, LOG_ERROR,
                         "notification.enabled.channels has sink, so notification.sink.topic.name is missing");
}

static void settle_brokers(struct reading *r)
{
    struct config_kafka *k = &r->cfg->kafka;
    const char *brokers = k->producer_bootstrap;
    if (brokers == NULL)
        brokers = k->worker_bootstrap;
    if (brokers != NULL && k->worker_bootstrap != NULL && strcmp(brokers, k->worker_bootstrap) != 0)
        config_notes_add(r->notes, LOG_WARN, "bootstrap.servers=%s doesn't count: records and offsets go to %s",
                         k->worker_bootstrap, brokers);
    if (brokers == NULL && (k->history_bootstrap != NULL || k->signal_bootstrap != NULL)) {
        brokers = k->history_bootstrap != NULL ? k->history_bootstrap : k->signal_bootstrap;
        config_notes_add(r->notes, LOG_INFO, "bootstrap.servers is not set; brokers are taken from %s: %s",
                         k->history_bootstrap != NULL ? "schema.history.internal.kafka.bootstrap.servers"
                                                      : "signal.kafka.bootstrap.servers",
                         brokers);
    }
    if (brokers == NULL)
        config_notes_add(r->notes, LOG_ERROR,
                         "bootstrap.servers is missing: the Kafka brokers, as host:port,host:port");
    k->client.bootstrap = brokers;
    k->producer.bootstrap = brokers;
    k->signals.bootstrap = k->signal_bootstrap != NULL ? k->signal_bootstrap : brokers;
    k->signal_client.bootstrap = k->signals.bootstrap;
}

/* Settings of one family of Kafka client keys. */
static size_t gather(const struct reading *r, const char *prefix, struct client_given *given)
{
    size_t n = 0, skip = strlen(prefix);
    for (size_t i = 0; i < r->settings.n; i++) {
        const struct setting *s = &r->settings.items[i];
        if (strncmp(s->key, prefix, skip) != 0 || s->key[skip] == '\0' || r->values[i] == NULL)
            continue;
        const struct option *o = option_find(s->key);
        if (o == NULL || !option_is_family(o)) /* keys with a row of their own */
            continue;
        given[n++] = (struct client_given){s->key + skip, r->values[i], s->written, s->line};
    }
    return n;
}

/* Puts the settings of every client before those of the one: what is said for the one wins. */
static void inherit(struct reading *r, const struct client_settings *every, struct client_settings *one)
{
    struct client_setting *all = arena_zero(&r->cfg->memory, every->n_extra + one->n_extra, sizeof *all);
    for (size_t i = 0; i < every->n_extra; i++)
        all[i] = every->extra[i];
    for (size_t i = 0; i < one->n_extra; i++)
        all[every->n_extra + i] = one->extra[i];
    one->extra = all;
    one->n_extra += every->n_extra;
}

static void settle_clients(struct reading *r)
{
    struct config_kafka *k = &r->cfg->kafka;
    struct client_given *given = mem_zero(r->settings.n + 1, sizeof *given);
    size_t n = gather(r, "producer.override.", given);
    bool ok =
        client_options_translate(given, n, CLIENT_ROLE_PRODUCER, &r->cfg->memory, &k->client, &k->producer, r->notes);
    n = gather(r, "signal.consumer.", given);
    ok = client_options_translate(given, n, CLIENT_ROLE_CONSUMER, &r->cfg->memory, &k->signal_client, &k->signals,
                                  r->notes) &&
         ok;
    (void)ok; /* the notes have it */
    inherit(r, &k->client, &k->signals);
    inherit(r, &k->client, &k->signal_client);
    free(given);
}

/* ---- the parts that records ask ---- */

static bool has_column(void *ctx, struct view db, struct view table, struct view column)
{
    const struct config *cfg = ctx;
    return filter_has_column(&cfg->filter, db, table, column);
}

static bool propagates_type(void *ctx, struct view db, struct view table, struct view column, struct view type)
{
    const struct config *cfg = ctx;
    return filter_propagates_type(&cfg->filter, db, table, column, type);
}

/* A random UUID, version 4 of RFC 9562. */
static const char *make_run_id(struct config *cfg)
{
    uint8_t b[16];
    struct buf text;
    ASSERT(getrandom(b, sizeof b, 0) == sizeof b);
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    buf_init(&text);
    for (size_t i = 0; i < sizeof b; i++)
        buf_printf(&text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
    const char *id = copy(cfg, buf_view(&text));
    buf_fini(&text);
    return id;
}

static unsigned key_columns(void *ctx, const struct shape *s, uint16_t *columns, unsigned room)
{
    const struct config *cfg = ctx;
    return filter_key_columns(&cfg->filter, s, columns, room);
}

static void settle_records(struct reading *r)
{
    struct config *cfg = r->cfg;
    if (r->settings.is_server && cfg->record.headers)
        config_notes_add(r->notes, LOG_INFO,
                         "headers are written as plain text, where Debezium Server writes JSON texts");
    cfg->record.task_id = "0";
    cfg->record.run_id = make_run_id(cfg);
    cfg->record.ctx = cfg;
    cfg->record.has_column = has_column;
    cfg->record.propagates_type = propagates_type;
    cfg->record.key_columns = cfg->filter.key_rules == NULL ? NULL : key_columns;
}

/* Splits at `;`; `;;` is one that belongs to the statement. */
static void settle_statements(struct config *cfg)
{
    const char *rest = cfg->initial_statements == NULL ? "" : cfg->initial_statements;
    const char **statements = arena_zero(&cfg->memory, strlen(rest) + 1, sizeof *statements);
    struct buf text;
    size_t n = 0;
    buf_init(&text);
    while (*rest != '\0') {
        buf_clear(&text);
        for (; *rest != '\0' && (*rest != ';' || rest[1] == ';'); rest++) {
            buf_put_u8(&text, (uint8_t)*rest);
            rest += *rest == ';';
        }
        rest += *rest == ';';
        const char *statement = copy(cfg, buf_view(&text));
        if (!is_blank(statement))
            statements[n++] = statement;
    }
    buf_fini(&text);
    cfg->source.initial_statements = statements;
    cfg->source.n_initial_statements = n;
}

/* The stores are opened here only to tell what is wrong with them; each connection reads them again. */
static void settle_stores(struct reading *r)
{
    const struct source_settings *src = &r->cfg->source;
    bool verifies = src->tls == SOURCE_TLS_VERIFY_CA || src->tls == SOURCE_TLS_VERIFY_IDENTITY;
    struct buf certificates, key;
    struct fail why;
    if (verifies && src->truststore == NULL)
        config_notes_add(
            r->notes, LOG_ERROR,
            "database.ssl.mode=%s needs database.ssl.truststore; hint: what this system trusts is often in "
            "/etc/ssl/certs/ca-certificates.crt",
            src->tls == SOURCE_TLS_VERIFY_CA ? "verify_ca" : "verify_identity");
    if (src->tls == SOURCE_TLS_DISABLED)
        return;
    buf_init(&certificates);
    buf_init(&key);
    if (src->truststore != NULL &&
        !keystore_read_trusted(src->truststore, src->truststore_password, &certificates, &why))
        complain(r, find(r, "database.ssl.truststore"), why.text);
    if (src->keystore != NULL &&
        !keystore_read_identity(src->keystore, src->keystore_password, &certificates, &key, &why))
        complain(r, find(r, "database.ssl.keystore"), why.text);
    if (buf_size(&key) > 0)
        explicit_bzero(key.start, buf_size(&key));
    buf_fini(&certificates);
    buf_fini(&key);
}

static void settle_source(struct reading *r)
{
    struct config *cfg = r->cfg;
    cfg->source.name = cfg->name;
    if (cfg->keep_alive) {
        cfg->source.silence_ms = (uint32_t)cfg->keep_alive_ms;
        cfg->source.heartbeat_ms = cfg->source.silence_ms / 10 + 1;
        if (cfg->source.heartbeat_ms > HEARTBEAT_MOST_MS)
            cfg->source.heartbeat_ms = HEARTBEAT_MOST_MS;
    }
    settle_statements(cfg);
    settle_stores(r);
}

static void settle(struct reading *r)
{
    struct config *cfg = r->cfg;
    if (cfg->name == NULL)
        cfg->name = cfg->record.topic_prefix;
    if (cfg->queue_bytes == 0)
        cfg->queue_bytes = DEFAULT_QUEUE_BYTES;
    cfg->kafka.transactional_id = cfg->name == NULL ? NULL : join(cfg, "tidemark-", cfg->name);
    check_required(r);
    check_exclusive(r);
    settle_source(r);
    settle_offsets(r);
    if (cfg->is_standby && cfg->kafka.storage == OFFSET_STORAGE_FILE)
        complain(r, find(r, "tidemark.standby"),
                 "several instances can't share a file of offsets; hint: keep them in Kafka");
    settle_brokers(r);
    settle_clients(r);
    settle_signals(r);
    settle_dead_letters(r);
    settle_notifications(r);
    settle_records(r);
    tell_ignored(r);
    tell_unknown(r);
}

/* ---- the doors ---- */

struct config *config_read(struct view text, const char *path, struct config_notes *notes)
{
    struct reading r = {.notes = notes};
    struct properties file;
    struct fail why;
    *notes = (struct config_notes){0};
    r.cfg = mem_zero(1, sizeof *r.cfg);
    arena_init(&r.cfg->memory);
    r.cfg->path = copy(r.cfg, view_of(path));
    set_defaults(r.cfg);
    if (properties_read(text, &file, &why)) {
        rename_settings(&file, &r.cfg->memory, &r.settings, notes);
        rename_drop_doubles(&r.settings, notes);
        apply_all(&r);
        settle(&r);
    } else {
        config_notes_add(notes, LOG_ERROR, "%s", why.text);
    }
    properties_fini(&file);
    settings_fini(&r.settings);
    free(r.values);
    if (config_notes_count(notes, LOG_ERROR) > 0)
        config_free(&r.cfg);
    return r.cfg;
}

/* A single error is told by the caller; several are logged here and counted there. */
static bool fail_notes(const char *path, const struct config_notes *notes, struct fail *why)
{
    size_t n = config_notes_count(notes, LOG_ERROR);
    if (n == 1)
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "%s: %s", path, config_notes_first(notes, LOG_ERROR));
    for (size_t i = 0; i < notes->n; i++)
        if (notes->items[i].level == LOG_ERROR)
            log_error("config", "%s", notes->items[i].text);
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "%s: %zu settings are wrong, told above", path, n);
}

struct config *config_load(const char *path, struct fail *why)
{
    struct config_notes notes = {0};
    struct config *cfg = NULL;
    struct buf text;
    buf_init(&text);
    if (!properties_read_file(path, 16 << 20, &text, why))
        goto out;
    cfg = config_read(buf_view(&text), path, &notes);
    if (cfg != NULL)
        log_setup(cfg->log_level, cfg->log_as_json != 0);
    for (size_t i = 0; i < notes.n; i++)
        if (notes.items[i].level != LOG_ERROR)
            log_write(notes.items[i].level, "config", "%s", notes.items[i].text);
    if (cfg == NULL)
        (void)fail_notes(path, &notes, why);
out:
    config_notes_fini(&notes);
    buf_fini(&text);
    return cfg;
}

void config_free(struct config **cfg)
{
    if (*cfg == NULL)
        return;
    filter_fini(&(*cfg)->filter);
    arena_fini(&(*cfg)->memory);
    free(*cfg);
    *cfg = NULL;
}
