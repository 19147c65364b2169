/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render: one row becomes the Kafka records it causes, as bytes.
 *
 * An insert gives one record, a delete its record and a tombstone, an update one record or, when the record
 * key changes, a delete, its tombstone and a create. All bytes are appended to one buffer; the records say
 * where by offsets from where the buffer stood, because the buffer may move while it grows.
 *
 * The thread that has the row calls; nothing is shared, nothing is kept.
 */
#ifndef TIDEMARK_RECORD_RENDER_H
#define TIDEMARK_RECORD_RENDER_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/cell.h"
#include "record/plan.h"

enum row_op { ROW_CREATE, ROW_UPDATE, ROW_DELETE, ROW_READ };

/* What is known of a row beside its cells; events.md of the format: `source` block. */
struct row_source {
    struct view file;
    uint64_t pos; /* start offset of the rows event, or of the compressed payload around it */
    uint32_t row; /* index within the rows event */
    uint32_t server_id;
    bool has_thread;
    uint64_t thread;
    struct view gtid;  /* empty: null */
    struct view query; /* empty: null; UTF-8 */
    int64_t ts_us;     /* commit time on the origin, microseconds since 1970 */
    int64_t now_ns;    /* wall clock for the envelope's ts_* */
    const char *snapshot; /* "false", "true", "incremental", … */
};

enum { RENDERED_MAX = 3 };

struct rendered {
    bool has_key;
    bool has_value;
    uint8_t header; /* enum change_header */
    uint32_t key_at, key_bytes;     /* offsets from the buffer's p at the call */
    uint32_t value_at, value_bytes;
    uint32_t header_at, header_bytes;
};

struct rendered_row {
    struct rendered records[RENDERED_MAX];
    unsigned n; /* 0: skipped.operations or an update without change */
    /* Exact primary-key values of the images for windows: before (update, delete) and after (create, update, read). */
    uint32_t before_key_at, before_key_bytes;
    uint32_t after_key_at, after_key_bytes;
};

/* Renders; before and after are arrays of the shape's columns or NULL when the op has no such image.
 * Fails (REFUSE or STOP by the settings' converting_failure) naming table, column and value; then what was
 * appended to out is to be forgotten by its owner. */
MUST_USE bool render_row(const struct plan *plan, enum row_op op, const struct cell *before, const struct cell *after,
                         const struct row_source *src, struct buf *out, struct rendered_row *row, struct fail *why);

/* The op=t record of TRUNCATE TABLE; n is 0 when the settings skip it. */
MUST_USE bool render_truncate(const struct plan *plan, const struct row_source *src, struct buf *out,
                              struct rendered_row *row, struct fail *why);

#endif
