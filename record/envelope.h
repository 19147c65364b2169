/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope: what stands around the images of a row: source block, transaction, op, clocks, and their schemas.
 *
 *   {"before":…,"after":…,"source":{…},"transaction":…,"op":"c","ts_ms":…,"ts_us":…,"ts_ns":…}
 *
 * The source block is written in two halves around the row's index, the only part of it that differs between the rows
 * of an event. Schema changes carry the same block. Field order and schemas are those of Debezium 3.6.1.
 * Functions append to a buffer and keep nothing; any thread.
 */
#ifndef TIDEMARK_RECORD_ENVELOPE_H
#define TIDEMARK_RECORD_ENVELOPE_H

#include "base/bytes.h"
#include "record/settings.h"

/* What is known of an event beside the values in it. */
struct row_source {
    struct view file;
    uint64_t pos; /* start offset of the event, or of the compressed payload around it */
    uint32_t server_id;
    bool has_thread;
    uint64_t thread;
    struct view gtid;           /* empty: null */
    struct view query;          /* empty: null; UTF-8 */
    int64_t ts_us;              /* commit time on the origin, microseconds since 1970 */
    int64_t now_ns;             /* wall clock for the envelope's ts_* */
    const char *snapshot;       /* "false", "true", "incremental", … */
    struct view transaction_id; /* empty: `transaction` is null */
    uint64_t total_order;       /* of the next record with a transaction block, from 1 */
    uint64_t collection_order;  /* the same among those of its table */
};

/* {"version":… up to and with "row": ; an empty db is "", an empty table null. */
void envelope_put_source_head(struct buf *out, const struct record_settings *set, const struct row_source *src,
                              struct view db, struct view table);

/* ,"thread":… up to and with the block's } */
void envelope_put_source_tail(struct buf *out, const struct row_source *src);

/* "ts_ms":…,"ts_us":…,"ts_ns":… */
void envelope_put_clock(struct buf *out, int64_t now_ns);

/* A string, or null when it is empty. */
void envelope_put_text_or_null(struct buf *out, struct view text);

/* The schema of the source block as a field of its record, without a comma. */
void envelope_put_source_schema(struct buf *out);

/* The topic with a suffix (".Key", ".Value"), adjusted, as a name of a schema; plain text. */
void envelope_put_schema_name(struct buf *out, const struct record_settings *set, struct view topic,
                              const char *suffix);

/* The whole value schema of a table's records. fields is the text between the brackets of the row's "fields". */
void envelope_put_schema(struct buf *out, const struct record_settings *set, struct view topic, struct view fields);

#endif
