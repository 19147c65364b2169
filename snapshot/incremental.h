/* SPDX-License-Identifier: Apache-2.0 */
/*
 * incremental: the re-reads that were asked for, one table after the other (several at once when there are threads).
 *
 *   execute  tables are appended to the queue        pause   what is open is closed, nothing more is read
 *   stop     tables are taken out, at once           resume  reading goes on behind the last closed window
 *
 * The loop tells it what the stream does (hear, reshaped), gives it turns (service), and sends the blocks it is handed;
 * a block is followed by its progress, so that both go into one Kafka transaction.
 *
 * The first snapshot of all captured tables goes the same way: its tables stand in front of the queue, and their rows say
 * by markers which are the first and the last (mark.h). A table of it that can't be read stays in the queue, FAILED: the
 * snapshot must not be taken for complete.
 *
 * A blocking one was asked for like an incremental one; its tables halt the stream when they are at their turn.
 *
 * Always true:
 *   I1  a table's windows close in key order; `done` of each table is what a restart goes on from
 *   I2  rows held together stay within the budget: then no more is read
 *   I3  while a block is unsent nothing else may be sent
 *
 * Loop thread only, but for the workers.
 */
#ifndef TIDEMARK_SNAPSHOT_INCREMENTAL_H
#define TIDEMARK_SNAPSHOT_INCREMENTAL_H

#include "binlog/gtid.h"
#include "snapshot/block.h"
#include "snapshot/snapshot.h"
#include "snapshot/table_read.h"
#include "snapshot/worker.h"

enum { INCREMENTAL_THREADS_MAX = 16 };

struct incremental_settings {
    struct worker_settings worker;
    const struct record_settings *record;
    uint32_t chunk_size;      /* incremental.snapshot.chunk.size */
    unsigned threads;         /* snapshot.max.threads */
    size_t budget_bytes;      /* of rows held */
    uint64_t rows_per_second; /* tidemark.snapshot.rows.per.second; 0: no limit */
};

enum incremental_event {
    INCREMENTAL_STARTED,
    INCREMENTAL_IN_PROGRESS,
    INCREMENTAL_TABLE_DONE, /* t says how */
    INCREMENTAL_PAUSED,
    INCREMENTAL_RESUMED,
    INCREMENTAL_ABORTED,
    INCREMENTAL_COMPLETED,
};

enum incremental_shape { INCREMENTAL_SHAPE_FOUND, INCREMENTAL_SHAPE_UNKNOWN, INCREMENTAL_NOT_CAPTURED };

/* Why a table of which that was found can't be read in chunks, and the status that notifications have for it; NULL: it
 * can, as far as that says. shape counts when it was FOUND. */
const char *incremental_refusal(enum incremental_shape found, const struct shape *shape, const char **status);

struct incremental;

struct incremental_hooks {
    void *ctx;
    /* Whether the settings still ask for it to be read. */
    bool (*is_wanted)(void *ctx, const struct table_read *t);
    /* The shape of a table at the stream's place, with one count. */
    enum incremental_shape (*find_shape)(void *ctx, struct view db, struct view table, const struct shape **shape);
    /* S0: fills the set with all that the stream has handed over; false without GTIDs. */
    bool (*barrier)(void *ctx, struct gtid_set *set);
    /* XA transactions whose rows the stream will never tell: appends their names, each ended by a zero byte. */
    void (*early_xa)(void *ctx, struct buf *names);
    /* Something happened; t is the table it concerns, or NULL. IN_PROGRESS is told of each
     * chunk, of tables of an initial or blocking snapshot once. */
    void (*tell)(void *ctx, enum incremental_event what, const struct table_read *t);
    /* The stored progress has changed: it goes with the next commit. */
    void (*progress)(void *ctx);
};

struct incremental *incremental_new(const struct incremental_settings *set, const struct incremental_hooks *hooks);

/* False: a worker does not end in time; leave the process. */
bool incremental_free(struct incremental **inc, int timeout_ms);

/* Appends a table, which is taken. One that is in the queue already is read once more in its turn, when the reading before
 * has ended. */
void incremental_add(struct incremental *inc, struct table_read *t);

/* Takes out the tables for which matches says yes; returns how many. */
unsigned incremental_stop(struct incremental *inc, bool (*matches)(void *ctx, const struct table_read *t), void *ctx);

/* False when it makes no difference. */
bool incremental_pause(struct incremental *inc);
bool incremental_resume(struct incremental *inc);
bool incremental_is_paused(const struct incremental *inc);
bool incremental_is_running(const struct incremental *inc);

/* Whether a table of this kind is left. */
bool incremental_has(const struct incremental *inc, enum table_read_kind kind);

/* A table of the initial snapshot that can't be read, or NULL. */
const struct table_read *incremental_failed(const struct incremental *inc);

/* Nothing is read before then. */
void incremental_delay(struct incremental *inc, int64_t until_ms);

/* The tables left, first the ones being read; walk by next_in_queue. */
const struct table_read *incremental_tables(const struct incremental *inc);

/* ---- what the stream does ---- */

void incremental_hear(struct incremental *inc, const char *table_id, struct view before_key, struct view after_key);
void incremental_reshaped(struct incremental *inc, struct view db, struct view table);
void incremental_rewritten(struct incremental *inc, struct view db,
                           struct view table);          /* other rows: all is read again */
void incremental_other_server(struct incremental *inc); /* also when the stream starts again at an earlier place */

/* Whether what the stream says of the table must not be sent (table_read.h). Cheap while no table is muted. */
bool incremental_mutes(const struct incremental *inc, const char *table_id);

/* Whether the stream must stay at this place. */
bool incremental_halts(const struct incremental *inc, const struct log_position *stream);

/* ---- turns ---- */

/* Answers, orders, closings. Returns in how many ms it wants a turn again, -1: when news come. */
int incremental_service(struct incremental *inc, const struct snapshot_place *place, int64_t now_ms, int64_t now_ns);

/* While nothing can be sent, and the stream stands still: answers are taken, and the tables under way read on as far as there
 * is room. No window closes. */
void incremental_read_ahead(struct incremental *inc, const struct snapshot_place *place, int64_t now_ms);

/* The block to send now, or NULL. incremental_sent when all of it is given to the producer. */
struct block *incremental_block(struct incremental *inc);
void incremental_sent(struct incremental *inc);

/* What is unsent is forgotten: it will be read again. The stored state is loaded anew by its owner. */
void incremental_reset(struct incremental *inc);

/* The workers' descriptors; returns their number. They are there from the first table on. */
unsigned incremental_fds(const struct incremental *inc, int *fds);

/* Since when the answer of a worker that takes longest is waited for, and of which table; 0: for none. */
int64_t incremental_oldest_order_ms(const struct incremental *inc, const char **db, const char **table);

#endif
