/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets_change: what all commands that move the position have in common: what was stored, what will be, and the report.
 *
 * A command opens the change, puts what it wants into `next`, notes what its user should know, and finishes it: the value
 * before is kept in the new one (tidemark_previous), both are printed, and unless it is a dry run the new one is stored.
 * Nothing was changed when anything failed before that.
 *
 * Main thread.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_CHANGE_H
#define TIDEMARK_CONNECTOR_OFFSETS_CHANGE_H

#include "binlog/server.h"
#include "connector/notes.h"
#include "connector/offsets_store.h"

/* What stood behind `tidemark offsets …`; NULL: not said. */
struct offsets_options {
    const char *gtid;
    const char *file;
    const char *pos;
    const char *timestamp;
    bool now;
    bool is_dry;
    bool as_json;
    bool may_fence;
    bool may_be_unreadable; /* what is stored, for who replaces it */
    const char *from_topic;
    const char *from_path;
    const char *name;
    const char *history_topic;
    const char *to;
    const char *to_file_store;
    const char *to_topic;
};

struct offsets_change {
    const struct config *cfg;
    const struct offsets_options *opt;
    struct offsets_store store;
    struct offset_state next;
    bool has_next; /* false: it is removed */
    struct config_notes notes;
    struct buf members; /* of the JSON report, each with a comma before it */
    struct source *src; /* NULL until offsets_change_ask_server */
    struct server server;
};

/* Reads what is stored; next is a copy of it. */
MUST_USE bool offsets_change_open(struct offsets_change *c, const struct config *cfg, const struct offsets_options *opt,
                                  struct fail *why);
void offsets_change_close(struct offsets_change *c);

/* Connects to the server and checks it as a run would. */
MUST_USE bool offsets_change_ask_server(struct offsets_change *c, struct fail *why);

void offsets_change_note(struct offsets_change *c, const char *format, ...) PRINTF_LIKE(2, 3);

/* Stores next, if it is no dry run, and appends the report. */
MUST_USE bool offsets_change_finish(struct offsets_change *c, struct buf *out, struct fail *why);

/* "topic tidemark-offsets": where a configuration keeps its offsets. Appends. */
void offsets_change_put_store(const struct config *cfg, struct buf *out);

#endif
