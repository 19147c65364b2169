/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/signal_command.h"

#include "base/clock.h"
#include "connector/admin.h"
#include "connector/json_text.h"
#include "connector/progress.h"
#include "connector/sink.h"
#include "connector/stored.h"
#include "record/topic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEND_TIMEOUT_MS = 15000, LOOK_EVERY_MS = 500, PATIENCE_MS = 10000, SERVICE_MS = 5, RATE_OVER_MS = 1000 };

/* ---- the record ---- */

/* Bytes of what stands in brackets or quotes from the one at `at` on; 1: they are not closed, so it stands for itself. */
static size_t group_bytes(const char *at)
{
    static const char opening[] = "([{`\"", closing[] = ")]}`\"";
    char open = *at, close = closing[strchr(opening, open) - opening];
    unsigned depth = 0;
    for (size_t i = 0; at[i] != '\0'; i++) {
        if (at[i] == '\\' && open != '`' && at[i + 1] != '\0')
            i++;
        else if (at[i] == close && (open == close ? i > 0 : --depth == 0))
            return i + 1;
        else if (at[i] == open)
            depth++;
    }
    return 1;
}

/* Bytes up to the comma that ends this pattern, or to the end: not one in brackets, in quotes, or behind a backslash. */
static size_t pattern_bytes(const char *at)
{
    size_t n = 0;
    while (at[n] != '\0' && at[n] != ',') {
        if (at[n] == '\\' && at[n + 1] != '\0')
            n += 2;
        else
            n += strchr("([{`\"", at[n]) != NULL ? group_bytes(at + n) : 1;
    }
    return n;
}

static void put_tables(struct buf *out, const char *tables)
{
    json_text_put_name(out, "data-collections");
    buf_put_u8(out, '[');
    for (const char *at = tables; *at != '\0';) {
        size_t n = pattern_bytes(at);
        if (at != tables)
            buf_put_u8(out, ',');
        json_text_put_string(out, (struct view){(const uint8_t *)at, n});
        at += n + (at[n] == ',');
    }
    buf_put_u8(out, ']');
}

static void put_filter(struct buf *out, const char *filter)
{
    json_text_put_name(out, "additional-conditions");
    buf_put_literal(out, "[{\"data-collection\":\".*\",\"filter\":");
    json_text_put_string(out, view_of(filter));
    buf_put_literal(out, "}]");
}

static void put_member(struct buf *out, const char *name, const char *value)
{
    json_text_put_name(out, name);
    json_text_put_string(out, view_of(value));
}

void signal_request_print(const struct signal_request *request, const char *id, struct buf *out)
{
    buf_put_u8(out, '{');
    put_member(out, "id", id);
    put_member(out, "type", request->type);
    json_text_put_name(out, "data");
    buf_put_u8(out, '{');
    if (request->tables != NULL)
        put_tables(out, request->tables);
    if (request->is_blocking)
        put_member(out, "type", "BLOCKING");
    if (request->filter != NULL)
        put_filter(out, request->filter);
    if (request->surrogate != NULL)
        put_member(out, "surrogate-key", request->surrogate);
    if (request->message != NULL)
        put_member(out, "message", request->message);
    buf_put_literal(out, "}}");
}

static void forget(void *ctx, void *opaque, bool ok)
{
    (void)ctx;
    (void)opaque;
    (void)ok;
}

static bool deliver(struct sink *sink, const struct config *cfg, struct view value, struct fail *why)
{
    const struct sink_record rec = {
        .topic = topic_intern(view_of(cfg->signal_topic)),
        .has_key = true,
        .has_value = true,
        .is_copied = true,
        .key = view_of(cfg->record.topic_prefix),
        .value = value,
        .partition = 0,
    };
    enum sink_sent sent = sink_send(sink, &rec, why);
    if (sent == SINK_LATER)
        return fail_set(why, FAIL_STOP, FAIL_AREA_KAFKA, 0, "the producer takes no signal now");
    if (sent != SINK_SENT)
        return false;
    int64_t until_ms = clock_mono_ms() + SEND_TIMEOUT_MS;
    while (sink_counts(sink)->outstanding > 0 && clock_mono_ms() < until_ms) {
        sink_service(sink);
        usleep(SERVICE_MS * 1000);
    }
    if (sink_failure(sink, why))
        return false;
    if (sink_counts(sink)->outstanding == 0)
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_KAFKA, 0, "no broker of %s took the signal within %d s",
                    cfg->kafka.signal_client.bootstrap, SEND_TIMEOUT_MS / 1000);
}

static bool send_request(const struct config *cfg, const struct signal_request *request, const char *id,
                         struct fail *why)
{
    const struct sink_settings set = {.client = cfg->kafka.signal_client, .on_delivered = forget};
    struct sink *sink = sink_open(&set, why);
    struct buf value;
    if (sink == NULL)
        return false;
    sink_set_state(sink, SINK_READY); /* no transactions: nothing has to be taken first */
    buf_init(&value);
    signal_request_print(request, id, &value);
    bool ok = deliver(sink, cfg, buf_view(&value), why);
    buf_fini(&value);
    sink_close(&sink, 1000);
    return ok;
}

/* Where the signal will stand, at the least: one of the same id that stands before it is another. */
static bool find_end(const struct config *cfg, int64_t *end, struct fail *why)
{
    int partitions = 0;
    struct admin *admin = admin_open(&cfg->kafka.signal_client, NULL, why);
    *end = 0;
    if (admin == NULL)
        return false;
    bool ok =
        admin_count_partitions(admin, cfg->signal_topic, SEND_TIMEOUT_MS, &partitions, why) &&
        (partitions == 0 || admin_read_ends(admin, cfg->signal_topic, 1, ADMIN_END_ALL, SEND_TIMEOUT_MS, end, why));
    admin_close(&admin);
    return ok;
}

/* ---- what is stored of it ---- */

/* The stored progress, as the queue it came from; nothing is read by it. */
struct seen {
    struct offset_state offset;
    bool has_offset;
    struct incremental *inc;
    struct signal_log signals;
};

static bool look(const struct config *cfg, struct seen *seen, struct fail *why)
{
    offset_state_init(&seen->offset);
    signal_log_init(&seen->signals);
    seen->inc = progress_queue_new();
    return stored_read(cfg, &seen->offset, &seen->has_offset, why) &&
           (!seen->has_offset ||
            progress_load(seen->inc, &seen->signals, seen->offset.snapshots, seen->offset.waiting, why));
}

static void seen_fini(struct seen *seen)
{
    incremental_free(&seen->inc, 0);
    signal_log_fini(&seen->signals);
    offset_state_fini(&seen->offset);
}

/* A signal that was sent, and is waited for. */
struct sent {
    const char *id;
    int64_t from;  /* offset in the topic, at the least */
    bool is_taken; /* an instance has answered it, or is about it */
};

static const struct signal_record *find_signal(const struct seen *seen, const struct sent *sent)
{
    for (unsigned i = seen->signals.n; i > 0; i--) {
        const struct signal_record *rec = &seen->signals.items[i - 1];
        if (strcmp(rec->id, sent->id) == 0 && rec->offset >= sent->from)
            return rec;
    }
    return NULL;
}

/* Of the rows that the server guesses there are; 100 only when it is done. -1: unknown. */
static int percent_of(const struct table_read *t)
{
    if (t->estimated_rows <= 0)
        return -1;
    uint64_t percent = t->rows_done * 100 / (uint64_t)t->estimated_rows;
    return percent > 99 ? 99 : (int)percent;
}

static bool is_of_signal(const struct table_read *t, const char *id)
{
    return t->signal_id != NULL && strcmp(t->signal_id, id) == 0;
}

/* A bar for each table that is left. */
static unsigned put_bars(struct buf *out, const struct seen *seen, const char *id)
{
    enum { BAR = 30 };
    unsigned n = 0;
    for (const struct table_read *t = incremental_tables(seen->inc); t != NULL; t = t->next_in_queue) {
        if (!is_of_signal(t, id))
            continue;
        int percent = percent_of(t);
        int full = percent < 0 ? 0 : percent * BAR / 100;
        buf_printf(out, "%s.%s [%.*s%.*s] %llu rows", t->db, t->table, full, "##############################",
                   BAR - full, "..............................", (unsigned long long)t->rows_done);
        if (percent >= 0)
            buf_printf(out, ", %d%%", percent);
        buf_put_u8(out, '\n');
        n++;
    }
    return n;
}

/* What was shown of the bars. */
struct shown {
    struct buf text;
    unsigned n;
};

/* On a terminal the bars move in place; elsewhere they are written when they have changed. */
static void show_bars(struct shown *shown, const struct seen *seen, const char *id)
{
    struct buf text;
    buf_init(&text);
    unsigned n = put_bars(&text, seen, id);
    if (!view_equal(buf_view(&text), buf_view(&shown->text))) {
        if (shown->n > 0 && isatty(STDERR_FILENO))
            fprintf(stderr, "\033[%uA\033[J", shown->n);
        fprintf(stderr, "%.*s", VIEW_ARGS(buf_view(&text)));
    }
    buf_fini(&shown->text);
    *shown = (struct shown){text, n};
}

/* One look: -1 when it still runs, else the exit code. */
static int follow_once(const struct config *cfg, struct sent *sent, struct shown *shown, struct fail *why)
{
    struct seen seen;
    int code = -1;
    if (!look(cfg, &seen, why)) {
        code = (int)why->area;
    } else {
        const struct signal_record *rec = find_signal(&seen, sent);
        sent->is_taken |= rec != NULL;
        if (rec != NULL && rec->outcome != OUTCOME_RUNNING) {
            fprintf(stderr, "%s: %s%s%s\n", sent->id, signal_outcome_name(rec->outcome), rec->why == NULL ? "" : ": ",
                    rec->why == NULL ? "" : rec->why);
            code = rec->outcome == OUTCOME_DONE ? 0 : FAIL_AREA_REFUSED;
        }
        if (code < 0)
            show_bars(shown, &seen, sent->id);
    }
    seen_fini(&seen);
    return code;
}

static int follow(const struct config *cfg, struct sent *sent, struct fail *why)
{
    struct shown shown = {.n = 0};
    int64_t patient_until_ms = clock_mono_ms() + PATIENCE_MS;
    bool is_told = false;
    int code = -1;
    buf_init(&shown.text);
    while (code < 0) {
        usleep(LOOK_EVERY_MS * 1000);
        code = follow_once(cfg, sent, &shown, why);
        if (code >= 0 || sent->is_taken || is_told || clock_mono_ms() < patient_until_ms)
            continue;
        fprintf(stderr,
                "%s: no instance of %s has taken the signal yet; is one running? It stays in the topic until then\n",
                sent->id, cfg->name);
        is_told = true;
    }
    buf_fini(&shown.text);
    return code;
}

int signal_command(const struct config *cfg, const struct signal_request *request, struct fail *why)
{
    char made[40];
    struct sent sent = {.id = request->id};
    if (sent.id == NULL) {
        snprintf(made, sizeof made, "cli-%lld-%d", (long long)(clock_wall_ns() / 1000000), (int)getpid());
        sent.id = made;
    }
    if (!cfg->has_signals) {
        fail_set(why, FAIL_REFUSE, FAIL_AREA_CONFIG, 0, "signal.enabled.channels has no kafka: nobody reads signals");
        return FAIL_AREA_CONFIG;
    }
    if ((request->waits && !find_end(cfg, &sent.from, why)) || !send_request(cfg, request, sent.id, why))
        return (int)why->area;
    printf("%s\n", sent.id);
    if (fflush(stdout) != 0)
        return FAIL_AREA_SYSTEM;
    return request->waits ? follow(cfg, &sent, why) : 0;
}

/* ---- status ---- */

static const struct table_read *find_same(const struct seen *seen, const struct table_read *t)
{
    for (const struct table_read *q = incremental_tables(seen->inc); q != NULL; q = q->next_in_queue)
        if (table_read_is(q, view_of(t->db), view_of(t->table)) &&
            strcmp(q->signal_id == NULL ? "" : q->signal_id, t->signal_id == NULL ? "" : t->signal_id) == 0)
            return q;
    return NULL;
}

static uint64_t rate_of(const struct table_read *t, const struct seen *earlier)
{
    const struct table_read *was = find_same(earlier, t);
    return was == NULL || t->rows_done < was->rows_done ? 0 : (t->rows_done - was->rows_done) * 1000 / RATE_OVER_MS;
}

static void put_table_line(struct buf *out, const struct table_read *t, const struct seen *earlier)
{
    int percent = percent_of(t);
    buf_printf(out, "  %s.%s  %llu rows", t->db, t->table, (unsigned long long)t->rows_done);
    if (percent >= 0)
        buf_printf(out, " of about %lld, %d%%", (long long)t->estimated_rows, percent);
    buf_printf(out, ", %llu rows/s\n", (unsigned long long)rate_of(t, earlier));
}

static void put_lines(struct buf *out, const struct config *cfg, const struct seen *seen, const struct seen *earlier)
{
    const struct table_read *t = incremental_tables(seen->inc);
    if (!seen->has_offset) {
        buf_printf(out, "%s: nothing is stored under this name: it never ran, or stores elsewhere\n", cfg->name);
        return;
    }
    if (t == NULL) {
        buf_printf(out, "%s: no snapshot is running\n", cfg->name);
        return;
    }
    buf_printf(out, "%s: snapshot%s\n", cfg->name, seen->offset.is_paused ? ", paused" : "");
    for (; t != NULL; t = t->next_in_queue)
        put_table_line(out, t, earlier);
}

/* With all tables in it, also those that a list keeps. */
static void put_snapshots(struct buf *out, const struct seen *seen)
{
    static const struct waiting_place nothing = {.list = 0};
    char *text = progress_print(seen->inc, &seen->signals, &nothing);
    buf_put_text(out, text == NULL ? "null" : text);
    free(text);
}

static void put_json(struct buf *out, const struct config *cfg, const struct seen *seen, const struct seen *earlier)
{
    uint64_t rate = 0;
    for (const struct table_read *t = incremental_tables(seen->inc); t != NULL; t = t->next_in_queue)
        rate += rate_of(t, earlier);
    buf_put_u8(out, '{');
    put_member(out, "name", cfg->name);
    json_text_put_name(out, "paused");
    buf_put_text(out, seen->offset.is_paused ? "true" : "false");
    json_text_put_name(out, "rows_per_second");
    json_text_put_number(out, (int64_t)rate);
    json_text_put_name(out, "snapshots");
    put_snapshots(out, seen);
    buf_put_literal(out, "}\n");
}

/* How fast it goes shows only in what is stored later; nothing runs: there is nothing to wait for. */
static bool look_later(const struct config *cfg, const struct seen *earlier, struct seen *seen, struct fail *why)
{
    if (incremental_is_running(earlier->inc) && !earlier->offset.is_paused)
        usleep(RATE_OVER_MS * 1000);
    return look(cfg, seen, why);
}

int signal_status(const struct config *cfg, bool as_json, struct buf *out, struct fail *why)
{
    struct seen earlier = {.inc = NULL}, seen = {.inc = NULL};
    bool ok = look(cfg, &earlier, why);
    bool has_looked = ok && look_later(cfg, &earlier, &seen, why);
    if (has_looked)
        (as_json ? put_json : put_lines)(out, cfg, &seen, &earlier);
    int code = !has_looked ? (int)why->area : !seen.has_offset;
    seen_fini(&earlier);
    if (ok)
        seen_fini(&seen);
    return code;
}
