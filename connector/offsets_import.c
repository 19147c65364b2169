/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_import.h"

#include "connector/connect_offsets.h"
#include "connector/offsets_place.h"
#include "connector/offsets_shapes.h"
#include "connector/schema_history.h"

#include <stdlib.h>
#include <string.h>

/* ---- the offset ---- */

static bool read_entries(struct offsets_change *c, struct connect_offsets *all, struct fail *why)
{
    return c->opt->from_topic != NULL ? connect_offsets_read_topic(all, c->cfg, c->opt->from_topic, why)
                                      : connect_offsets_read_path(all, c->opt->from_path, why);
}

/* Where signals were read to is ours alone: it stays. */
static bool take_offset(struct offsets_change *c, const struct connect_entry *e, struct fail *why)
{
    const struct offset_state *before = &c->store.state.offset;
    if (!offsets_read(&c->next, view_of(e->value), why)) {
        why->kind = FAIL_STOP;
        return false;
    }
    if (strcmp(c->next.snapshot, "INITIAL") == 0)
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_DATA, 0,
            "the initial snapshot of %s did not end, its rows are not all told; hint: let Debezium end it first, "
            "or start anew without its offset",
            e->name);
    c->next.snapshot[0] = '\0'; /* of another snapshot: a mark that has no meaning here */
    c->has_next = true;
    if (!c->next.has_signal_offset && before->has_signal_offset) {
        c->next.has_signal_offset = true;
        c->next.signal_offset = before->signal_offset;
        memcpy(c->next.signal_topic, before->signal_topic, sizeof c->next.signal_topic);
    }
    return true;
}

static void note_entry(struct offsets_change *c, const struct connect_entry *e)
{
    if (e->name[0] != '\0')
        offsets_change_note(c, "from           the connector %s with topic.prefix %s", e->name, e->server);
    if (e->server[0] != '\0' && strcmp(e->server, c->cfg->record.topic_prefix) != 0)
        offsets_change_note(c, "topics         Debezium's topic.prefix is %s, ours %s: records go to other topics",
                            e->server, c->cfg->record.topic_prefix);
}

/* ---- shapes ---- */

static bool read_history(struct offsets_change *c, const char *server_name, struct catalog *history, struct fail *why)
{
    struct schema_history_told told;
    if (c->opt->history_topic == NULL)
        return true;
    if (!schema_history_read(c->cfg, &c->server, c->opt->history_topic, server_name, &c->next, history, &told, why))
        return fail_add(why, "read the schema history");
    offsets_change_note(c, "history        %u statements in %s, %u of them before the place%s", told.records,
                        c->opt->history_topic, told.applied,
                        told.not_understood > 0 ? "; some about captured tables are not understood, see the log" : "");
    return true;
}

static bool adopt_shapes(struct offsets_change *c, const char *server_name, struct fail *why)
{
    struct catalog history;
    struct offsets_shapes_told told;
    catalog_init(&history, c->server.lower_case_table_names);
    bool has_history = c->opt->history_topic != NULL;
    buf_init(&told.names);
    bool ok = read_history(c, server_name, &history, why) &&
              offsets_shapes_adopt(&c->store, c->src, &c->server, &c->next, has_history ? &history : NULL, &told, why);
    if (ok) {
        offsets_change_note(c, "shapes         %u proven by the log, %u from the schema history, %u unknown",
                            told.proven, told.from_history, told.unknown);
        if (told.unknown > 0)
            offsets_change_note(
                c,
                "unknown        %.*s: changed since by statements; rows before those can only be read with "
                "binlog_row_metadata=FULL%s",
                VIEW_ARGS(buf_view(&told.names)), has_history ? "" : "; hint: --history-topic says what they were");
    }
    buf_fini(&told.names);
    catalog_fini(&history);
    return ok;
}

/* ---- the command ---- */

static bool import(struct offsets_change *c, const struct connect_entry *e, struct buf *out, struct fail *why)
{
    const char *server_name = e->server[0] != '\0' ? e->server : c->cfg->record.topic_prefix;
    note_entry(c, e);
    if (!take_offset(c, e, why) || !offsets_change_ask_server(c, why))
        return false;
    bool is_placed;
    if (!offsets_place_check(c->src, c->cfg, &c->server, &c->next, &is_placed, why))
        return false;
    if (!is_placed)
        offsets_change_note(c, "place          file and position are not of this server's log: the GTIDs count");
    if (!adopt_shapes(c, server_name, why))
        return false;
    if (buf_size(&c->next.incremental) > 0)
        offsets_change_note(c, "snapshot       an incremental snapshot is under way: it goes on with the next start");
    return offsets_change_finish(c, out, why);
}

static bool check_options(const struct offsets_options *opt, struct fail *why)
{
    return (opt->from_topic != NULL) + (opt->from_path != NULL) == 1 ||
           fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                    "say where Debezium's offset is by one of --from-topic, --from-path");
}

int offsets_import(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why)
{
    struct offsets_change c;
    struct connect_offsets all;
    if (!check_options(opt, why))
        return (int)why->area;
    connect_offsets_init(&all);
    bool ok = offsets_change_open(&c, cfg, opt, why) && read_entries(&c, &all, why);
    const struct connect_entry *e = ok ? connect_offsets_choose(&all, cfg, opt->name, why) : NULL;
    ok = e != NULL && import(&c, e, out, why);
    connect_offsets_fini(&all);
    offsets_change_close(&c);
    return ok ? 0 : (int)why->area;
}
