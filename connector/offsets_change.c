/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_change.h"

#include "connector/json_text.h"

#include <inttypes.h>
#include <stdio.h>

bool offsets_change_open(struct offsets_change *c, const struct config *cfg, const struct offsets_options *opt,
                         struct fail *why)
{
    *c = (struct offsets_change){.cfg = cfg, .opt = opt};
    offset_state_init(&c->next);
    buf_init(&c->members);
    const struct offsets_access access = {opt->is_dry, opt->may_fence, opt->may_be_unreadable};
    if (!offsets_store_open(&c->store, cfg, &access, why))
        return false;
    c->has_next = c->store.state.has_offset;
    if (c->has_next)
        offset_state_copy(&c->next, &c->store.state.offset);
    return true;
}

void offsets_change_close(struct offsets_change *c)
{
    source_free(&c->src);
    config_notes_fini(&c->notes);
    buf_fini(&c->members);
    offset_state_fini(&c->next);
    offsets_store_close(&c->store);
}

bool offsets_change_ask_server(struct offsets_change *c, struct fail *why)
{
    c->src = source_new(&c->cfg->source);
    return source_connect(c->src, why) && server_check(c->src, &c->cfg->source, &c->server, why);
}

void offsets_change_note(struct offsets_change *c, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    config_notes_add(&c->notes, LOG_INFO, "%s", text);
}

/* ---- the report ---- */

void offsets_change_put_store(const struct config *cfg, struct buf *out)
{
    bool is_file = cfg->kafka.storage == OFFSET_STORAGE_FILE;
    buf_printf(out, "%s %s", is_file ? "file" : "topic", is_file ? cfg->kafka.offsets_file : cfg->kafka.offsets_topic);
}

static void print_place(struct buf *out, const char *title, bool has_state, const struct offset_state *st)
{
    if (!has_state) {
        buf_printf(out, "%-14s none\n", title);
        return;
    }
    buf_printf(out, "%-14s %s:%" PRIu64 "\n", title, st->pos.file, st->pos.offset);
    if (offset_state_is_inside(st)) {
        buf_put_literal(out, "  inside       ");
        offset_state_put_inside(st, out);
        buf_put_u8(out, '\n');
    }
    if (st->reached.file[0] != '\0')
        buf_printf(out, "  reached      %s:%" PRIu64 "\n", st->reached.file, st->reached.offset);
    if (st->has_gtids) {
        buf_put_literal(out, "  gtids        ");
        gtid_set_print(&st->gtids, out);
        buf_put_u8(out, '\n');
    }
    if (st->server_uuid[0] != '\0')
        buf_printf(out, "  of server    %s\n", st->server_uuid);
    for (uint32_t i = 0; i < st->n_xa; i++)
        buf_printf(out, "  open xa      %s, prepared at %s:%" PRIu64 "\n", st->xa[i].xid, st->xa[i].pos.file,
                   st->xa[i].pos.offset);
}

static void print_lines(const struct offsets_change *c, struct buf *out)
{
    buf_printf(out, "name           %s\ntopic.prefix   %s\nstored in      ", c->cfg->name, c->cfg->record.topic_prefix);
    offsets_change_put_store(c->cfg, out);
    buf_put_u8(out, '\n');
    print_place(out, "before", c->store.state.has_offset, &c->store.state.offset);
    print_place(out, "after", c->has_next, &c->next);
    for (size_t i = 0; i < c->notes.n; i++)
        buf_printf(out, "%s\n", c->notes.items[i].text);
    buf_put_text(out, c->opt->is_dry ? "dry run: nothing was changed\n"
                      : c->has_next  ? "stored: the next start goes on there\n"
                                     : "removed: the next start is a first one\n");
}

static void put_value(struct buf *out, const char *name, bool has_state, const struct offset_state *st)
{
    json_text_put_name(out, name);
    if (has_state)
        offsets_print(st, out);
    else
        buf_put_literal(out, "null");
}

static void print_json(const struct offsets_change *c, struct buf *out)
{
    struct buf place;
    buf_init(&place);
    offsets_change_put_store(c->cfg, &place);
    buf_put_u8(out, '{');
    json_text_put_name(out, "name");
    json_text_put_string(out, view_of(c->cfg->name));
    json_text_put_name(out, "topic_prefix");
    json_text_put_string(out, view_of(c->cfg->record.topic_prefix));
    json_text_put_name(out, "stored_in");
    json_text_put_string(out, buf_view(&place));
    buf_printf(out, ",\"is_stored\":%s", c->opt->is_dry ? "false" : "true");
    put_value(out, "before", c->store.state.has_offset, &c->store.state.offset);
    put_value(out, "after", c->has_next, &c->next);
    buf_put_view(out, buf_view(&c->members));
    buf_put_literal(out, ",\"notes\":[");
    for (size_t i = 0; i < c->notes.n; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        json_text_put_string(out, view_of(c->notes.items[i].text));
    }
    buf_put_literal(out, "]}\n");
    buf_fini(&place);
}

bool offsets_change_finish(struct offsets_change *c, struct buf *out, struct fail *why)
{
    if (c->store.state.has_offset && c->has_next)
        offset_state_keep_previous(&c->next, &c->store.state.offset);
    if (!c->opt->is_dry && !offsets_store_write(&c->store, c->has_next ? &c->next : NULL, why))
        return false;
    if (c->opt->as_json)
        print_json(c, out);
    else
        print_lines(c, out);
    return true;
}
