/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window: lets one chunk of a re-read and the live stream agree about every row.
 *
 * From the moment it is begun the window listens to the stream: what changes a key there is newer truth than what the
 * SELECT may have read, so the key's row is dropped, also when the rows come only later. When the stream has passed
 * HIGH, the log's end as it was after the SELECT, every change that the SELECT saw was streamed before: the rows that
 * are left are then the truth at the stream's position, and leave.
 *
 * Before the SELECT, all that was streamed so far must be executed on the server (the worker sees to it), or the SELECT
 * might be older than the stream.
 *
 * Always true:
 *   W1  a row leaves only if no change of its key was streamed since the window began
 *   W2  no row leaves before the stream has passed HIGH
 *   W3  keys are compared by their stored bytes (record/key.h), never by a collation
 *
 *   IDLE    -> READING  [window_begin]  the stream is listened to, the SELECT may start
 *   READING -> OPEN     [window_fill]   the rows are here, HIGH is known
 *   OPEN    -> IDLE     [window_end]    the rows left have been sent
 *   any     -> IDLE     [window_drop]   stopped, another server, or the table changed shape: nothing leaves
 *
 * A window that hears nothing costs nothing: keys are hashed only when the first one is to be dropped.
 * Loop thread only. Owns its rows; keys given to window_hear stay the caller's.
 */
#ifndef TIDEMARK_SNAPSHOT_WINDOW_H
#define TIDEMARK_SNAPSHOT_WINDOW_H

#include "base/bytes.h"
#include "binlog/position.h"

#include <stdbool.h>
#include <stdint.h>

struct chunk_rows;

enum window_state { WINDOW_IDLE, WINDOW_READING, WINDOW_OPEN };

struct window {
    enum window_state state;
    struct chunk_rows *rows; /* OPEN */
    bool *is_dropped;        /* by row */
    uint32_t n_dropped;
    struct log_position high;
    struct buf heard; /* READING: keys, each behind its length */
    uint32_t *slots;  /* hash of the rows' keys: row + 1, 0 free; NULL until needed */
    uint32_t n_slots;
};

void window_init(struct window *win);
void window_fini(struct window *win);

void window_begin(struct window *win);

/* A change of the table with these keys in its images (empty: no such image) is handed over to Kafka. */
void window_hear(struct window *win, struct view before_key, struct view after_key);

/* The rows that were read; takes them. Drops what was heard meanwhile. */
void window_fill(struct window *win, struct chunk_rows *rows, const struct log_position *high);

/* Whether the stream at this place, with no transaction under way that began before it, has passed HIGH. */
bool window_is_passed(const struct window *win, const struct log_position *stream);

/* Whether the row of an OPEN window may leave. */
bool window_keeps(const struct window *win, uint32_t row);

/* The rows left have been sent. Frees them. */
void window_end(struct window *win);
void window_drop(struct window *win);

#endif
