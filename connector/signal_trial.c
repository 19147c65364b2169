/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/signal_trial.h"

#include "binlog/server.h"
#include "connector/json_text.h"
#include "connector/snapshots.h"
#include "connector/state.h"
#include "connector/wanted.h"
#include "signal/parse.h"
#include "snapshot/chunk.h"
#include "snapshot/chunk_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    const struct config *cfg;
    struct state state;
    struct server server;
    struct chunk_reader *reader;
    const struct signal *sig;
    bool as_json;
    unsigned n_told, n_refused;
    struct buf *out;
};

/* What is found out about a table. */
struct finding {
    const char *reason; /* NULL: it would be read */
    const struct shape *shape;
    struct chunk_path path;
    int64_t estimated_rows; /* -1: unknown */
    bool is_empty;
    struct fail why;
};

/* ---- one table ---- */

static void order_row(const struct trial *t, const struct wanted_table *table, const struct shape *shape,
                      struct chunk_order *order)
{
    chunk_order_init(order);
    order->shape = shape_hold(shape);
    order->filter = table->filter == NULL ? NULL : mem_strdup(table->filter);
    order->surrogate = t->sig->surrogate.n == 0 ? NULL : view_to_string(t->sig->surrogate);
    order->limit = 1;
    order->has_barrier = true; /* an empty one: nothing was streamed here, and nothing is locked */
    snprintf(order->server_uuid, sizeof order->server_uuid, "%s", t->server.uuid);
}

static bool try_row(struct trial *t, const struct wanted_table *table, struct finding *f)
{
    static const atomic_bool is_unwanted;
    struct chunk_order order;
    struct chunk_answer answer;
    order_row(t, table, f->shape, &order);
    chunk_reader_do(t->reader, &order, &is_unwanted, &answer);
    bool ok = answer.outcome == CHUNK_READ;
    f->estimated_rows = answer.estimated_rows;
    f->is_empty = ok && chunk_key_is_empty(&answer.last);
    f->why = answer.why;
    chunk_answer_fini(&answer);
    chunk_order_fini(&order);
    return ok;
}

static void look_at(struct trial *t, const struct wanted_table *table, struct finding *f)
{
    const char *status;
    char *surrogate = t->sig->surrogate.n == 0 ? NULL : view_to_string(t->sig->surrogate);
    *f = (struct finding){.estimated_rows = -1};
    enum incremental_shape found =
        snapshots_find_shape(t->cfg, &t->state.shapes, &t->state.offset, table->db, table->table, &f->shape);
    f->reason = incremental_refusal(found, f->shape, &status);
    if (f->reason == NULL && (!chunk_choose_path(&f->path, f->shape, surrogate, &f->why) || !try_row(t, table, f)))
        f->reason = f->why.text;
    free(surrogate);
}

/* ---- the report ---- */

static void put_key(struct buf *out, const struct chunk_path *path, void (*put)(struct buf *out, struct view name))
{
    for (unsigned i = 0; i < path->n; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        put(out, path->shape->columns[path->parts[i].column].name);
    }
}

static void put_plain(struct buf *out, struct view name)
{
    buf_put_view(out, name);
}

static void put_name(struct buf *out, const struct wanted_table *table)
{
    const struct wanted one = {.items = (struct wanted_table *)(uintptr_t)table, .n = 1};
    wanted_put_names(&one, out);
}

static void put_line(struct buf *out, const struct wanted_table *table, const struct finding *f)
{
    put_name(out, table);
    if (f->reason != NULL) {
        buf_printf(out, "  refused: %s\n", f->reason);
        return;
    }
    buf_put_literal(out, "  by ");
    put_key(out, &f->path, put_plain);
    buf_printf(out, " (index %.*s)  ", VIEW_ARGS(f->path.index));
    if (f->is_empty)
        buf_put_literal(out, "empty");
    else if (f->estimated_rows >= 0)
        buf_printf(out, "about %lld rows", (long long)f->estimated_rows);
    else
        buf_put_literal(out, "an unknown number of rows");
    if (table->filter != NULL)
        buf_printf(out, ", of which those where %s", table->filter);
    buf_put_u8(out, '\n');
}

static void put_json(struct buf *out, const struct wanted_table *table, const struct finding *f)
{
    struct buf name;
    buf_init(&name);
    put_name(&name, table);
    buf_put_u8(out, '{');
    json_text_put_name(out, "table");
    json_text_put_string(out, buf_view(&name));
    json_text_put_text_or_null(out, "refused", f->reason);
    json_text_put_text_or_null(out, "filter", table->filter);
    if (f->reason == NULL) {
        json_text_put_name(out, "key");
        buf_put_u8(out, '[');
        put_key(out, &f->path, json_text_put_string);
        buf_put_u8(out, ']');
        json_text_put_name(out, "index");
        json_text_put_string(out, f->path.index);
        json_text_put_name(out, "estimated_rows");
        json_text_put_number(out, f->is_empty ? 0 : f->estimated_rows);
    }
    buf_put_u8(out, '}');
    buf_fini(&name);
}

static void try_table(struct trial *t, const struct wanted_table *table)
{
    struct finding f;
    look_at(t, table, &f);
    if (t->as_json && t->n_told++ > 0)
        buf_put_u8(t->out, ',');
    (t->as_json ? put_json : put_line)(t->out, table, &f);
    t->n_refused += f.reason != NULL;
    if (f.shape != NULL)
        shape_free(&f.shape);
}

/* ---- the request ---- */

static bool read_request(const struct config *cfg, const struct signal_request *request, struct arena *memory,
                         struct signal *sig, struct fail *why)
{
    struct buf value;
    buf_init(&value);
    signal_request_print(request, request->id == NULL ? "dry-run" : request->id, &value);
    struct view text = arena_copy(memory, buf_view(&value));
    buf_fini(&value);
    return signal_parse(view_of(cfg->record.topic_prefix), text, cfg->record.topic_prefix, memory, sig, why) ==
           SIGNAL_IS_OURS;
}

/* As a run would: its rights, its settings, who it is. */
static bool ask_server(struct trial *t, struct fail *why)
{
    struct source *src = source_new(&t->cfg->source);
    bool ok = source_connect(src, why) && server_check(src, &t->cfg->source, &t->server, why);
    source_free(&src);
    return ok && wanted_may_read(t->cfg, t->server.gtid_mode == SERVER_GTID_ON, why);
}

static bool try_all(struct trial *t, const struct wanted *wanted, struct fail *why)
{
    const struct worker_settings set = {
        .source = &t->cfg->source, .record = &t->cfg->record, .filter_timeout_ms = t->cfg->source.query_timeout_ms};
    if (!ask_server(t, why))
        return false;
    t->reader = chunk_reader_new(&set);
    if (t->as_json)
        buf_put_literal(t->out, "{\"tables\":[");
    for (size_t i = 0; i < wanted->n; i++)
        try_table(t, &wanted->items[i]);
    buf_put_text(t->out, t->as_json ? "]}\n" : "dry run: nothing was asked for\n");
    chunk_reader_free(&t->reader);
    return true;
}

static bool look_into_state(struct trial *t, struct fail *why)
{
    if (!state_look(&t->state, t->cfg, why))
        return false;
    return t->state.has_offset ||
           fail_set(why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0,
                    "nothing is stored under the name %s: which tables there are is known after its first start",
                    t->cfg->name);
}

int signal_trial(const struct config *cfg, const struct signal_request *request, bool as_json, struct buf *out,
                 struct fail *why)
{
    struct arena memory;
    struct signal sig;
    struct wanted wanted;
    struct trial t = {.cfg = cfg, .sig = &sig, .as_json = as_json, .out = out};
    arena_init(&memory);
    state_init(&t.state, cfg);
    bool ok = read_request(cfg, request, &memory, &sig, why) && look_into_state(&t, why) &&
              wanted_find(&sig, &t.state.shapes, &memory, &wanted, why) && try_all(&t, &wanted, why);
    state_fini(&t.state);
    arena_fini(&memory);
    if (!ok)
        return why->area == 0 ? FAIL_AREA_REFUSED : (int)why->area;
    return t.n_refused > 0 ? FAIL_AREA_REFUSED : 0;
}
