/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/rename.h"

#include <stdlib.h>

/* A `*` at the end of both names stands for the rest of the key. */
struct successor {
    const char *old;
    const char *now; /* NULL: gone without one */
    bool is_alias;   /* not old, only another name: no warning */
    const char *yes; /* what `true` and `false` became, when the value changed too */
    const char *no;
};

static const struct successor successors[] = {
    {"database.server.name", "topic.prefix", false, NULL, NULL},
    {"database.history", "schema.history.internal", false, NULL, NULL},
    {"database.history.*", "schema.history.internal.*", false, NULL, NULL},
    {"database.whitelist", "database.include.list", false, NULL, NULL},
    {"database.blacklist", "database.exclude.list", false, NULL, NULL},
    {"table.whitelist", "table.include.list", false, NULL, NULL},
    {"table.blacklist", "table.exclude.list", false, NULL, NULL},
    {"column.whitelist", "column.include.list", false, NULL, NULL},
    {"column.blacklist", "column.exclude.list", false, NULL, NULL},
    {"sanitize.field.names", "field.name.adjustment.mode", false, "avro", "none"},
    {"transaction.topic", "topic.transaction", false, NULL, NULL},
    {"heartbeat.topics.prefix", "topic.heartbeat.prefix", false, NULL, NULL},
    {"event.deserialization.failure.handling.mode", "event.processing.failure.handling.mode", false, NULL, NULL},
    {"snapshot.minimal.locking", "snapshot.locking.mode", false, "minimal", "extended"},
    {"internal.legacy.snapshot.max.threads", "legacy.snapshot.max.threads", true, NULL, NULL},
    {"offsets.storage.topic", "offset.storage.topic", true, NULL, NULL},
    {"gtid.new.channel.position", NULL, false, NULL, NULL},
    {"snapshot.new.tables", NULL, false, NULL, NULL},
    {"source.struct.version", NULL, false, NULL, NULL},
};

/* Debezium Server's prefixes; the longest that fits is listed first. */
static const struct {
    const char *prefix;
    const char *now;
} server_prefixes[] = {
    {"debezium.source.", ""},
    {"debezium.sink.kafka.producer.", "producer.override."},
    {"debezium.format.key.", "key.converter."},
    {"debezium.format.value.", "value.converter."},
    {"debezium.format.header.", "header.converter."},
    {"debezium.transforms.", "transforms."},
    {"debezium.predicates.", "predicates."},
};

static const struct {
    const char *key;
    const char *now;
} server_keys[] = {
    {"debezium.format.key", "key.converter"},       {"debezium.format.value", "value.converter"},
    {"debezium.format.header", "header.converter"}, {"debezium.transforms", "transforms"},
    {"debezium.predicates", "predicates"},
};

/* The rest of the key behind a prefix, or NULL. */
static const char *behind(const char *key, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(key, prefix, n) == 0 ? key + n : NULL;
}

static const char *join(struct arena *memory, const char *a, const char *b)
{
    struct buf text;
    buf_init(&text);
    buf_printf(&text, "%s%s", a, b);
    const char *joined = arena_string(memory, buf_view(&text));
    buf_fini(&text);
    return joined;
}

static void put(struct settings *s, struct setting one)
{
    if ((s->n & (s->n - 1)) == 0)
        s->items = mem_resize(s->items, (s->n == 0 ? 1 : s->n * 2) * sizeof *s->items);
    s->items[s->n++] = one;
}

/* ---- old names ---- */

/* The key's new name by this row, or NULL when the row is of another key. */
static const char *succeed(const struct successor *row, const char *key, struct arena *memory)
{
    size_t n = strlen(row->old);
    if (row->old[n - 1] != '*')
        return strcmp(row->old, key) == 0 ? (row->now == NULL ? "" : row->now) : NULL;
    if (strncmp(row->old, key, n - 1) != 0)
        return NULL;
    struct view stem = {(const uint8_t *)row->now, strlen(row->now) - 1};
    return join(memory, arena_string(memory, stem), key + n - 1);
}

static const char *succeed_value(const struct successor *row, const char *value)
{
    struct view text = view_of(value);
    if (row->yes != NULL && view_equal_nocase(text, view_of("true")))
        return row->yes;
    if (row->no != NULL && view_equal_nocase(text, view_of("false")))
        return row->no;
    return value;
}

static void put_renewed(struct settings *s, struct setting one, struct arena *memory, struct config_notes *notes)
{
    for (size_t i = 0; i < sizeof successors / sizeof *successors; i++) {
        const struct successor *row = &successors[i];
        const char *now = succeed(row, one.key, memory);
        if (now == NULL)
            continue;
        if (row->now == NULL) {
            config_notes_add(notes, LOG_WARN, "%s (line %u) is no longer a key of Debezium and is left out",
                             one.written, one.line);
            return;
        }
        if (!row->is_alias)
            config_notes_add(notes, LOG_WARN, "%s (line %u) is an old name, read as %s", one.written, one.line, now);
        one.key = now;
        one.value = succeed_value(row, one.value);
        one.is_weak = true;
        break;
    }
    put(s, one);
}

/* Values of snapshot.mode that were renamed. */
static void renew_snapshot_mode(struct setting *one, struct config_notes *notes)
{
    static const char *const names[][2] = {{"schema_only", "no_data"}, {"schema_only_recovery", "recovery"}};
    for (size_t i = 0; strcmp(one->key, "snapshot.mode") == 0 && i < sizeof names / sizeof *names; i++)
        if (view_equal_nocase(view_of(one->value), view_of(names[i][0]))) {
            config_notes_add(notes, LOG_WARN, "%s=%s (line %u) is an old name, read as %s", one->written, one->value,
                             one->line, names[i][1]);
            one->value = names[i][1];
            return;
        }
}

/* ---- Debezium Server ---- */

static bool is_server_form(const struct properties *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (behind(p->items[i].key, "debezium.source.") != NULL || behind(p->items[i].key, "debezium.sink.") != NULL)
            return true;
    return false;
}

/* Both write the same bytes. */
static const char *server_format(const char *value)
{
    bool is_json = view_equal_nocase(view_of(value), view_of("json")) ||
                   view_equal_nocase(view_of(value), view_of("jsonbytearray"));
    return is_json ? "org.apache.kafka.connect.json.JsonConverter" : value;
}

static void put_server(struct settings *s, struct setting one, struct arena *memory, struct config_notes *notes)
{
    static const char *const converters[] = {"key.converter.", "value.converter.", "header.converter."};
    for (size_t i = 0; i < sizeof server_prefixes / sizeof *server_prefixes; i++) {
        const char *rest = behind(one.key, server_prefixes[i].prefix);
        if (rest == NULL || *rest == '\0')
            continue;
        one.key = join(memory, server_prefixes[i].now, rest);
        put_renewed(s, one, memory, notes);
        return;
    }
    for (size_t i = 0; i < sizeof server_keys / sizeof *server_keys; i++) {
        if (strcmp(one.key, server_keys[i].key) != 0)
            continue;
        one.key = server_keys[i].now;
        if (behind(one.written, "debezium.format.") != NULL)
            one.value = server_format(one.value);
        put(s, one);
        return;
    }
    const char *general = behind(one.key, "debezium.format.");
    for (size_t i = 0; general != NULL && i < sizeof converters / sizeof *converters; i++) {
        one.key = join(memory, converters[i], general);
        one.is_weak = true;
        put(s, one);
    }
    if (general == NULL)
        put_renewed(s, one, memory, notes);
}

void rename_settings(const struct properties *p, struct arena *memory, struct settings *out, struct config_notes *notes)
{
    *out = (struct settings){.is_server = is_server_form(p)};
    for (size_t i = 0; i < p->n; i++) {
        const struct property *from = &p->items[i];
        struct setting one = {
            .key = arena_string(memory, view_of(from->key)),
            .value = arena_string(memory, view_of(from->value)),
            .line = from->line,
        };
        one.written = one.key;
        size_t first = out->n;
        if (out->is_server)
            put_server(out, one, memory, notes);
        else
            put_renewed(out, one, memory, notes);
        for (; first < out->n; first++)
            renew_snapshot_mode(&out->items[first], notes);
    }
}

/* ---- doubles ---- */

static struct setting *last_of(struct settings *s, const char *key)
{
    struct setting *best = NULL;
    for (size_t i = 0; i < s->n; i++) {
        struct setting *one = &s->items[i];
        if (strcmp(one->key, key) == 0 && (best == NULL || best->is_weak || !one->is_weak))
            best = one;
    }
    return best;
}

void rename_drop_doubles(struct settings *s, struct config_notes *notes)
{
    struct settings kept = {.is_server = s->is_server};
    for (size_t i = 0; i < s->n; i++) {
        struct setting *one = &s->items[i];
        struct setting *last = last_of(s, one->key);
        if (one == last)
            put(&kept, *one);
        else if (one->is_weak == last->is_weak)
            config_notes_add(notes, LOG_WARN, "%s (line %u) is written again as %s in line %u, which counts",
                             one->written, one->line, last->written, last->line);
    }
    settings_fini(s);
    *s = kept;
}

void settings_fini(struct settings *s)
{
    free(s->items);
    *s = (struct settings){0};
}
