/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_state: what the files of the stream share; nobody else includes it.
 *
 *   stream.c              the door: one event in, position, dispatch
 *   stream_transaction.c  begin, commit, XA, and what was told before a reconnect
 *   stream_table.c        table maps, and the rows behind them
 *   stream_statement.c    statements, and the shapes they change
 */
#ifndef TIDEMARK_BINLOG_STREAM_STATE_H
#define TIDEMARK_BINLOG_STREAM_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "binlog/ddl.h"
#include "binlog/decoder.h"
#include "binlog/gtid_event.h"
#include "binlog/held.h"
#include "binlog/payload.h"
#include "binlog/rows.h"
#include "binlog/statement.h"
#include "binlog/stream.h"

enum stream_state { STREAM_OUTSIDE, STREAM_NAMED, STREAM_INSIDE, STREAM_XA };

enum { TABLE_SLOTS = 256 };

/* A table map that came, and how rows under it are told. */
struct stream_table {
    struct stream_table *next; /* in its slot */
    uint64_t id;
    uint64_t epoch; /* of the catalog when the shape was looked up */
    struct arena memory;
    struct table_map map;
    struct rows_layout layout;
    const struct shape *shape; /* counted; NULL: rows are not told */
    void *handle;              /* the output's */
    bool is_left_out;          /* captured, but its shape is not known: counted */
};

/* An XA transaction whose rows are kept. */
struct stream_xa {
    struct stream_xa *next;
    char *xid; /* as XA COMMIT names it */
    struct gtid gtid;
    struct held_events events;
};

/* A transaction that was told in part and did not come again yet. There may be several: another server's log can have others
 * before it, and break off amid one of them. */
struct stream_half {
    struct stream_half *next;
    struct gtid gtid; /* n = 0: the next that tells */
    bool by_told;     /* another server's log: only the number of rows counts */
    bool has_told;    /* that number is known */
    uint32_t events, rows, told;
};

struct stream {
    struct stream_settings set;
    struct stream_output out;
    struct stream_server server;
    struct catalog *catalog; /* lent */
    uint64_t epoch;          /* grows with each change of the catalog */
    struct decoder decoder;
    struct stream_counters counters;

    enum stream_state state;
    struct stream_transaction trx;
    char gtid_text[GTID_TEXT_BYTES];
    bool tells; /* the transaction under way lies behind the barrier */

    const char *file;      /* of the next event */
    uint64_t offset;       /* of the next event */
    uint64_t event_offset; /* of the event under way, or of the payload around it */
    int64_t now_ns;
    struct log_position safe; /* behind the last complete transaction */
    struct log_birth birth;   /* S4: of the file where the stream is, or was last */
    struct gtid_set executed; /* complete, XA PREPAREs included */
    bool has_gtids;

    bool has_barrier;
    enum stream_early early;
    bool is_ready;
    struct log_position barrier;
    struct map distrusted; /* "db NUL table" -> struct log_position: the shape speaks from there on */

    /* S1: the transaction under way, and those that were interrupted */
    struct stream_half *halves;
    uint32_t skip_events, skip_rows; /* of the transaction under way */
    uint32_t skip_told;              /* rows of it that are still to be skipped */
    uint32_t told_rows;              /* of the event under way */

    struct payload payload;
    struct rows rows;
    struct arena row_memory;
    struct stream_table *tables[TABLE_SLOTS];
    struct stream_table *last_table;
    struct buf query; /* of ROWS_QUERY */
    struct ddl_result effects;

    struct held_budget xa_budget;
    struct stream_xa *xa_open; /* between XA START and XA_PREPARE; NULL */
    struct stream_xa *xa_prepared;
};

/* stream.c */
bool stream_handle(struct stream *st, const struct event *ev, struct fail *why);
struct log_position stream_place(const struct stream *st); /* where the next event starts */
const char *stream_intern(struct view file);

/* stream_transaction.c */
bool stream_name(struct stream *st, const struct event *ev, struct fail *why);
bool stream_open_statement(struct stream *st, const struct event *ev, struct fail *why);
bool stream_begin_transaction(struct stream *st, const struct event *ev, const struct statement *sm, struct fail *why);
bool stream_commit(struct stream *st, struct fail *why);
void stream_count_event(struct stream *st);
bool stream_xa_start(struct stream *st, const struct event *ev, struct fail *why);
bool stream_xa_keep(struct stream *st, const struct event *ev, struct fail *why);
bool stream_xa_prepare(struct stream *st, const struct event *ev, struct fail *why);
bool stream_xa_end(struct stream *st, const struct event *ev, const struct statement *sm, bool commits, struct view xid,
                   struct fail *why);
void stream_xa_forget(struct stream *st);
void stream_add_half(struct stream *st, const struct stream_half *half);
void stream_fini_transactions(struct stream *st);

/* stream_table.c */
bool stream_table_map(struct stream *st, const struct event *ev, struct fail *why);
bool stream_rows(struct stream *st, const struct event *ev, const char *file, struct fail *why);
void stream_forget_tables(struct stream *st);
void stream_forget_replaced_tables(struct stream *st); /* those told by a shape that is not in force any more */

/* stream_statement.c */
bool stream_statement(struct stream *st, const struct event *ev, const struct statement *sm, struct fail *why);
bool stream_is_trusted(const struct stream *st, struct view db, struct view table);
void stream_fini_statements(struct stream *st);

#endif
