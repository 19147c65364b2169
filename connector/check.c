/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/check.h"

#include "binlog/server.h"
#include "connector/admin.h"
#include "connector/config.h"
#include "connector/json_text.h"
#include "connector/properties.h"
#include "connector/state_topic.h"

enum { BROKER_TIMEOUT_MS = 10000, LARGEST_FILE = 16 << 20 };

/* What one of the servers said. */
struct answer {
    bool was_asked;
    struct buf text; /* when it is in order */
    struct fail why; /* kind NONE: it is */
};

struct finding {
    const char *path;
    struct config *cfg; /* NULL: it can't be used */
    struct config_notes notes;
    struct answer source;
    struct answer kafka;
};

/* ---- asking ---- */

static void ask_source(const struct config *cfg, struct answer *a)
{
    struct server server;
    struct source *src = source_new(&cfg->source);
    a->was_asked = true;
    if (source_connect(src, &a->why) && server_check(src, &cfg->source, &server, &a->why))
        buf_printf(&a->text, "%s runs MySQL %s and can be followed%s", source_name(src), server.version_text,
                   server.gtid_mode == SERVER_GTID_ON ? "" : ", by file and offset: gtid_mode is not ON");
    source_free(&src);
}

/* One of ours must be as a run wants it, should it be there. */
static bool look_at_topic(struct admin *admin, const char *topic, bool keeps_state, struct answer *a)
{
    int partitions = 0;
    if (!admin_count_partitions(admin, topic, BROKER_TIMEOUT_MS, &partitions, &a->why))
        return false;
    if (keeps_state && partitions > 0 && !state_topic_check(admin, topic, &a->why))
        return false;
    buf_printf(&a->text, "; the topic %s %s", topic, partitions > 0 ? "is there" : "will be made");
    return true;
}

static bool ask_state(const struct config_kafka *k, struct answer *a)
{
    struct admin *admin = admin_open(&k->client, NULL, &a->why);
    int ignored;
    bool ok = admin != NULL && admin_count_partitions(admin, k->offsets_topic, BROKER_TIMEOUT_MS, &ignored, &a->why);
    if (ok)
        buf_printf(&a->text, "the brokers at %s answer", k->client.bootstrap);
    if (ok && k->storage == OFFSET_STORAGE_KAFKA)
        ok = look_at_topic(admin, k->offsets_topic, true, a) && look_at_topic(admin, k->shapes_topic, true, a);
    if (admin != NULL)
        admin_close(&admin);
    return ok;
}

/* They may be on another cluster, with another login. */
static void ask_signals(const struct config *cfg, struct answer *a)
{
    struct admin *admin = admin_open(&cfg->kafka.signal_client, NULL, &a->why);
    if (admin == NULL || !look_at_topic(admin, cfg->signal_topic, false, a))
        fail_add(&a->why, "ask for the topic of signals");
    if (admin != NULL)
        admin_close(&admin);
}

static void ask_kafka(const struct config *cfg, struct answer *a)
{
    a->was_asked = true;
    if (ask_state(&cfg->kafka, a) && cfg->has_signals)
        ask_signals(cfg, a);
}

/* ---- telling ---- */

static void print_answer(const char *who, const struct answer *a, struct buf *out)
{
    if (!a->was_asked)
        return;
    if (a->why.kind == FAIL_NONE)
        buf_printf(out, "%s: %.*s\n", who, VIEW_ARGS(buf_view(&a->text)));
    else
        buf_printf(out, "%s: not in order: %s\n", who, a->why.text);
}

static void print_lines(const struct finding *f, struct buf *out)
{
    if (f->cfg == NULL)
        return;
    buf_printf(out, "%s: the configuration of %s is in order\n", f->path, f->cfg->name);
    print_answer("source", &f->source, out);
    print_answer("kafka", &f->kafka, out);
}

static void put_text(struct buf *out, const char *name, struct view text)
{
    json_text_put_name(out, name);
    if (text.n > 0)
        json_text_put_string(out, text);
    else
        buf_put_literal(out, "null");
}

static void put_answer(const char *who, const struct answer *a, struct buf *out)
{
    json_text_put_name(out, who);
    if (!a->was_asked) {
        buf_put_literal(out, "null");
        return;
    }
    bool ok = a->why.kind == FAIL_NONE;
    buf_put_literal(out, "{");
    json_text_put_name(out, "ok");
    buf_put_text(out, ok ? "true" : "false");
    put_text(out, "text", ok ? buf_view(&a->text) : view_of(a->why.text));
    buf_put_literal(out, "}");
}

static void print_json(const struct finding *f, struct buf *out)
{
    static const char *const levels[] = {
        [LOG_ERROR] = "error", [LOG_WARN] = "warn", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};
    buf_put_literal(out, "{");
    put_text(out, "file", view_of(f->path));
    json_text_put_name(out, "ok");
    buf_put_text(out, f->cfg != NULL ? "true" : "false");
    put_text(out, "name", view_of(f->cfg == NULL ? NULL : f->cfg->name));
    json_text_put_name(out, "notes");
    buf_put_literal(out, "[");
    for (size_t i = 0; i < f->notes.n; i++) {
        buf_put_text(out, i == 0 ? "{" : ",{");
        put_text(out, "level", view_of(levels[f->notes.items[i].level]));
        put_text(out, "text", view_of(f->notes.items[i].text));
        buf_put_literal(out, "}");
    }
    buf_put_literal(out, "]");
    put_answer("source", &f->source, out);
    put_answer("kafka", &f->kafka, out);
    buf_put_literal(out, "}\n");
}

/* ---- both ---- */

/* With the notes kept, where config_load would log them. */
static struct config *load_quietly(const char *path, struct config_notes *notes, struct fail *why)
{
    struct config *cfg = NULL;
    struct buf text;
    buf_init(&text);
    if (properties_read_file(path, LARGEST_FILE, &text, why))
        cfg = config_read(buf_view(&text), path, notes);
    else
        config_notes_add(notes, LOG_ERROR, "%s", why->text);
    if (cfg == NULL)
        fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "%s", config_notes_first(notes, LOG_ERROR));
    buf_fini(&text);
    return cfg;
}

int check_file(const char *path, bool as_json, bool is_online, struct buf *out, struct fail *why)
{
    struct finding f = {.path = path};
    buf_init(&f.source.text);
    buf_init(&f.kafka.text);
    *why = (struct fail){.kind = FAIL_NONE};
    f.cfg = as_json ? load_quietly(path, &f.notes, why) : config_load(path, why);
    if (f.cfg != NULL && is_online) {
        ask_source(f.cfg, &f.source);
        ask_kafka(f.cfg, &f.kafka);
        *why = f.source.why.kind != FAIL_NONE ? f.source.why : f.kafka.why;
    }
    if (as_json)
        print_json(&f, out);
    else
        print_lines(&f, out);
    buf_fini(&f.source.text);
    buf_fini(&f.kafka.text);
    config_notes_fini(&f.notes);
    config_free(&f.cfg);
    return why->kind == FAIL_NONE ? 0 : (int)why->area;
}
