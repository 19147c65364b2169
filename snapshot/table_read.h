/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_read: the re-reading of one table beside the stream, chunk by chunk.
 *
 * Chunks are read ahead: the next one is ordered as soon as the last key of the one before is known, while its window is
 * still open. Windows close in key order: the last key of a closed one speaks for all before it, and is what a restart
 * goes on from.
 *
 *   WAITING -> READING  [table_read_order]    a shape is known, the first chunk is ordered
 *   READING -> DONE     [last window closed]
 *   READING -> FAILED   [refused: the reason is kept]
 *   READING -> READING  [table_read_rewind]   the shape changed or the server is another: back to the last closed key
 *   WAITING -> DONE     [table_read_leave]    there is nothing to read any more
 *
 * A blocking one halts the stream between its windows; in one it goes on to HIGH and no further. So all that the stream tells
 * comes either before the table's first row or where a window needs it.
 *
 * A table without a key that chunks can follow is read whole, in one view of it as it was at a place P of the log
 * (chunk_whole.h). The stream halts at P until all of its rows have left. What the stream tells of such a table up to P
 * is in the view; of one without any key it may not be sent besides, or its rows would be there twice: the table is
 * muted until then. There is no key to go on from: what breaks off is read again from the start.
 *
 * Loop thread only.
 */
#ifndef TIDEMARK_SNAPSHOT_TABLE_READ_H
#define TIDEMARK_SNAPSHOT_TABLE_READ_H

#include "base/fail.h"
#include "binlog/shape.h"
#include "record/plan.h"
#include "snapshot/chunk_key.h"
#include "snapshot/window.h"
#include "snapshot/worker.h"

#include <stdbool.h>
#include <stdint.h>

enum { WINDOWS_AHEAD = 3 };

/* A digest of the order a table is read in: which columns, of what kind, by which index. A stored key means a place in
 * that order only. "": not known yet. */
enum { TABLE_PATH_BYTES = 17 };

/* Who wants it read. */
enum table_read_kind {
    READ_INCREMENTAL, /* a signal */
    READ_INITIAL,     /* the first snapshot */
    READ_BLOCKING,    /* a signal, with the stream waiting */
};

enum table_read_state { TABLE_WAITING, TABLE_READING, TABLE_DONE, TABLE_FAILED };

/* A window and what it will say when it closes. */
struct table_window {
    struct window window;
    struct chunk_key next; /* key of its last row; empty: it had none */
    uint32_t n_read;
    bool is_final;
    bool is_ordered; /* the worker has its order */
};

struct table_read {
    struct table_read *next_in_queue;
    uint64_t serial; /* of all tables that were ever in the queue; 0: it was not */
    enum table_read_kind kind;
    enum table_read_state state;
    char *db;
    char *table;
    const char *id;     /* table_id.h */
    char *filter;       /* NULL: none */
    char *surrogate;    /* NULL: the primary key */
    char *signal_id;    /* NULL: none was given */
    struct fail why;    /* FAILED */
    const char *status; /* how it ended, as notifications name it */

    bool is_first; /* of an initial snapshot */
    bool is_muted; /* what the stream says of it is not sent */
    bool had_turn; /* it was READING */
    bool is_begun; /* something of it was read */

    bool is_whole;            /* READING: in one view, not by its key */
    bool has_view;            /* the worker has it open */
    bool is_proven;           /* the view holds all of the log up to its place */
    struct gtid_set executed; /* when the view was opened, at the least */
    struct log_position view; /* its place */

    char path[TABLE_PATH_BYTES];
    const struct shape *shape; /* counted; READING */
    struct plan *plan;
    struct chunk_key done; /* last key of the last closed window: what is stored */
    struct chunk_key read; /* last key that was read */
    struct chunk_key last; /* largest key of the table, fixed at its start */
    bool has_last;
    bool is_read;             /* nothing is left to order */
    int64_t again_at_ms;      /* an order failed: not before */
    int64_t failing_since_ms; /* orders have failed since then; 0: the last one did not */
    unsigned n_failed;
    bool is_told;       /* that it has to wait */
    uint32_t limit;     /* rows of the order under way */
    uint32_t rows_fit;  /* so many fitted into the bytes of an order; 0: as many as there may be */
    uint64_t rows_read; /* dropped ones too */
    uint64_t rows_done; /* of those, in closed windows: what is stored */
    uint64_t rows_sent;
    int64_t estimated_rows; /* -1: unknown */

    struct table_window windows[WINDOWS_AHEAD]; /* a ring, oldest first */
    unsigned first_window;
    unsigned n_windows;
};

struct table_read *table_read_new(struct view db, struct view table);
void table_read_free(struct table_read **t);

/* The shape in force at the stream's place (one count is taken) and the plan for it (taken). is_whole: see above. */
void table_read_set_shape(struct table_read *t, const struct shape *shape, struct plan *plan, bool is_whole);

/* The place that was reached means nothing in the order the table is read in now: it is read from the start. */
void table_read_restart(struct table_read *t);

/* Whether another chunk can be ordered now. */
bool table_read_wants_chunk(const struct table_read *t, int64_t now_ms);

/* Opens a window and fills the order for it, but for barrier and server. */
void table_read_order(struct table_read *t, uint32_t limit, struct chunk_order *order);

/* The answer to the last order; its contents are taken. */
void table_read_answer(struct table_read *t, struct chunk_answer *answer, int64_t now_ms);

/* The stream hands over a change of this table. */
void table_read_hear(struct table_read *t, struct view before_key, struct view after_key);

/* Read whole: what the stream has handed over, where the view is placed, decides whether the view can be used. Without all
 * of it the view is given up, and another one is ordered later. */
MUST_USE bool table_read_prove(struct table_read *t, const struct gtid_set *handed_over, int64_t now_ms);

/* Whether the stream must stay where it is. */
bool table_read_halts(const struct table_read *t, const struct log_position *stream);

/* There is nothing to read of it any more. */
void table_read_leave(struct table_read *t, const char *status, const char *reason);

/* The oldest window, when the stream has passed its HIGH; else NULL. */
struct table_window *table_read_passed(struct table_read *t, const struct log_position *stream);

/* The oldest window's rows have been sent: its last key is done. */
void table_read_close(struct table_read *t, uint32_t n_sent);

/* Drops all windows and goes back to the last closed key; the shape is to be set again. */
void table_read_rewind(struct table_read *t);

/* Gives up, with a status as notifications name it. */
void table_read_fail(struct table_read *t, const char *status, const struct fail *why);

bool table_read_is(const struct table_read *t, struct view db, struct view table);

/* Its turn has not come: nothing is known of it but what was asked for. */
bool table_read_is_fresh(const struct table_read *t);

/* Bytes of rows that are held. */
size_t table_read_bytes(const struct table_read *t);

#endif
