/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox: the way from the reader thread to the loop, in chunks of memory that are lent on to Kafka.
 *
 * A chunk holds changes and the bytes they point to. The reader fills the newest chunk and publishes how many
 * changes are complete; the loop takes what is published, also from a half-filled chunk, and lends the bytes
 * to the producer. A chunk comes back when it is full, taken, and its last record was delivered. So memory is
 * bounded by what is in flight, never by the size of a transaction.
 *
 * Always true:
 *   I1  changes are taken in the order they were pushed, each once
 *   I2  a chunk's bytes stay where they are from publishing until its last loan is back
 *   I3  chunks in use together hold at most budget_bytes, except that one chunk may always be had: a row larger
 *       than the budget passes alone
 *   I4  no lock is taken per change: only when a chunk is had or given back
 *
 * Threads: the reader's side on the reader, the loop's side on the loop, inbox_cancel and inbox_bytes on any.
 */
#ifndef TIDEMARK_CONNECTOR_INBOX_H
#define TIDEMARK_CONNECTOR_INBOX_H

#include "base/bytes.h"
#include "base/fail.h"
#include "base/loan.h"
#include "binlog/change.h"

#include <stdbool.h>
#include <stddef.h>

struct inbox;
struct inbox_chunk;

/* budget_bytes: for all chunks together. */
struct inbox *inbox_new(size_t budget_bytes, struct fail *why);
void inbox_free(struct inbox **in);

/* ---- the reader's side ---- */

/* The buffer that the bytes of the next change are appended to; it grows by itself, into another chunk when it
 * must, taking along what was appended since inbox_start, which is where it begins: its size and offsets from its start
 * hold across growth, pointers into it don't, and are taken from inbox_base for inbox_push. Waits while the budget
 * is used up. */
struct buf *inbox_buf(struct inbox *in);

/* Starts the bytes of one or more changes that belong together: makes room for `expect` bytes when so many are
 * foreseen (0: no idea) and for `changes` changes. Returns false after inbox_cancel. */
MUST_USE bool inbox_start(struct inbox *in, size_t expect, unsigned changes);

/* Where the bytes since inbox_start begin now; valid until the buffer grows again. */
uint8_t *inbox_base(struct inbox *in);

/* Adds a change whose views point into the bytes appended since inbox_start. At most as many as inbox_start
 * was told. The change is copied. */
void inbox_push(struct inbox *in, const struct change *chg);

/* Drops what was appended since inbox_start and not pushed. */
void inbox_undo(struct inbox *in);

/* Lets the loop see all pushed so far, and wakes it if it sleeps. */
void inbox_publish(struct inbox *in);

/* ---- the loop's side ---- */

/* The next change, or NULL when nothing more is published. *chunk is what inbox_lend wants.
 * The change is valid until the next inbox_take, its record's bytes until released when lent. */
const struct change *inbox_take(struct inbox *in, struct inbox_chunk **chunk);

/* Puts the last taken change back: the next inbox_take gives it again. */
void inbox_untake(struct inbox *in);

/* One record of the chunk goes to the producer: its bytes stay until the loan is back as often as it was taken. */
struct loan *inbox_lend(struct inbox_chunk *chunk);

/* Readable when something was published while the loop slept. */
int inbox_fd(const struct inbox *in);

/* Says that the loop is about to sleep; false when there is something to take after all. */
bool inbox_sleep(struct inbox *in);

/* The loop is awake: clears the descriptor. */
void inbox_wake(struct inbox *in);

/* The reader's waiting ends and all its starts fail, until inbox_reset. Any thread. */
void inbox_cancel(struct inbox *in);

/* With the reader thread ended: forgets all changes not taken (their chunks come back when their lent records are
 * released) and makes the inbox usable for a new reader. free_change is told each change that is dropped. */
void inbox_reset(struct inbox *in, void (*free_change)(const struct change *chg));

/* Bytes of all chunks in use. Any thread. */
size_t inbox_bytes(struct inbox *in);

/* Frees the chunks that were kept for the next burst and not needed since the last call; called now and then, it leaves as
 * many as the load needs. Returns how many bytes went. Any thread. */
size_t inbox_trim(struct inbox *in);

#endif
