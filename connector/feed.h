/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed: what the stream tells becomes changes in the inbox: rows rendered, marks copied.
 *
 * This is where binlog/ and record/ meet: the stream knows no records, the renderer knows no log. A table's handle is
 * its compiled plan. Everything runs on the reader thread.
 */
#ifndef TIDEMARK_CONNECTOR_FEED_H
#define TIDEMARK_CONNECTOR_FEED_H

#include "binlog/stream.h"
#include "connector/filter.h"
#include "connector/inbox.h"
#include "record/settings.h"

struct feed;

/* All lent. The filter is asked on the reader thread only. */
struct feed *feed_new(struct inbox *in, const struct record_settings *set, const struct filter *filter);
void feed_free(struct feed **f);

/* The stream's output; ctx is the feed. read_shape is left to the caller. */
void feed_output(struct feed *f, struct stream_output *out);

/* A shape that was read at a start, to be stored with the first position; takes one count. False after a cancel. */
MUST_USE bool feed_shape(struct feed *f, const struct shape *shape, struct fail *why);

/* The first change of a reader: the server, and at a first start where the stream begins (file NULL: where it was
 * before) with all that was executed by then (copied; NULL without GTIDs). */
MUST_USE bool feed_origin(struct feed *f, const char *server_uuid, const struct log_position *pos,
                          const struct gtid_set *executed, struct fail *why);

/* A schema change that is of no transaction, to be sent before what the stream tells; a feed_record_fn. */
MUST_USE bool feed_schema(void *feed, const char *topic, bool to_partition_0, struct view key, struct view value,
                          uint32_t events, struct fail *why);

/* Whether the stream has told that it is past the barrier of a first start. */
bool feed_is_ready(const struct feed *f);

/* At a first start: an XA transaction is prepared whose rows will not be told. */
MUST_USE bool feed_early_xa(struct feed *f, struct view xid, struct fail *why);

/* The last change: the reader has ended. */
void feed_end(struct feed *f);

#endif
