/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render: one row becomes the Kafka records it causes, as bytes.
 *
 * An insert gives one record, a delete its record and a tombstone, an update one record or, when the record
 * key changes, a delete, its tombstone and a create. All bytes are appended to one buffer; the records say
 * where by offsets from where the buffer stood, because the buffer may move while it grows.
 *
 * What the rows of one rows event share (nearly all of the source block, the clock, the transaction) is rendered
 * once into a struct render_event; a row then costs its cells and a few copies. Use:
 *
 *     render_event_init(&ev);                         once for a thread
 *     render_event_begin(&ev, plan, &src);            for each rows event
 *     render_row(plan, &ev, op, row, before, after, out, &res, why);   for each row of it
 *     render_event_fini(&ev);
 *
 * The thread that has the row calls; nothing is shared. An event keeps no pointer into src.
 */
#ifndef TIDEMARK_RECORD_RENDER_H
#define TIDEMARK_RECORD_RENDER_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/cell.h"
#include "record/envelope.h"
#include "record/plan.h"

enum row_op { ROW_CREATE, ROW_UPDATE, ROW_DELETE, ROW_READ };

/* The shared parts, rendered. total_order and collection_order move on with each record that carries them: the
 * caller takes them from here when the event is done. */
struct render_event {
    struct buf text;
    uint32_t to_row; /* text up to the row's index, from 0 */
    uint32_t to_op;  /* from there to the op, or to the total_order when there is a transaction */
    uint32_t to_end; /* from behind the op to the end of the value */
    bool has_transaction;
    uint64_t total_order;
    uint64_t collection_order;
};

void render_event_init(struct render_event *ev);
void render_event_fini(struct render_event *ev);
void render_event_begin(struct render_event *ev, const struct plan *plan, const struct row_source *src);

enum { RENDERED_MAX = 3 };

struct rendered {
    bool has_key;
    bool has_value;
    uint8_t header;             /* enum change_header */
    uint32_t key_at, key_bytes; /* offsets from the buffer's p at the call */
    uint32_t value_at, value_bytes;
    uint32_t header_at, header_bytes;
};

struct rendered_row {
    struct rendered records[RENDERED_MAX];
    unsigned n; /* 0: skipped.operations or an update without change */
    /* Exact primary-key values of the images for windows (key.h): before (update, delete) and after (create, update,
     * read). Set also when n is 0; empty when the table has no key. */
    uint32_t before_key_at, before_key_bytes;
    uint32_t after_key_at, after_key_bytes;
};

/* Renders; before and after are arrays of the shape's columns or NULL when the op has no such image.
 * Fails: STOP when converting_failure says so, naming table, column and value; REFUSE when a column that the record
 * needs is absent from the image. Then what was appended to out is to be forgotten by its owner. */
MUST_USE bool render_row(const struct plan *plan, struct render_event *ev, enum row_op op, uint32_t row,
                         const struct cell *before, const struct cell *after, struct buf *out, struct rendered_row *res,
                         struct fail *why);

/* A row that was read, up to its source block: what comes behind names the event that lets it leave, is the same for
 * all rows that leave together (render_read_tail), and completes the value. */
struct rendered_read {
    bool has_key;
    uint32_t key_at, key_bytes; /* offsets as in struct rendered */
    uint32_t value_at, value_bytes;
    uint32_t exact_at, exact_bytes; /* primary-key bytes for the window */
};

MUST_USE bool render_read(const struct plan *plan, const struct cell *cells, struct buf *out, struct rendered_read *res,
                          struct fail *why);

/* Appends the rest of the value, from the comma in front of the source block on. */
void render_read_tail(struct render_event *ev, struct buf *out);

/* The op=t record of TRUNCATE TABLE; n is 0 when the settings skip it. The transaction of src is not used. */
void render_truncate(const struct plan *plan, const struct row_source *src, struct buf *out, struct rendered_row *res);

#endif
