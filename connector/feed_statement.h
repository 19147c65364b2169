/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed_statement: the records that a statement of the log causes: schema changes, truncates.
 *
 * Reader thread only. Which statements cause what: events.md of the format, "Schema-change records".
 */
#ifndef TIDEMARK_CONNECTOR_FEED_STATEMENT_H
#define TIDEMARK_CONNECTOR_FEED_STATEMENT_H

#include "binlog/stream.h"
#include "connector/filter.h"
#include "record/settings.h"

/* Takes one record; key and value are copied. */
typedef bool (*feed_record_fn)(void *ctx, const char *topic, bool to_partition_0, struct view key, struct view value,
                               uint32_t events, struct fail *why);

/* Puts the records in the order of the statement's effects. set and filter are lent. False: put failed, or a record can't
 * be made; why says so. */
MUST_USE bool feed_statement_tell(const struct record_settings *set, const struct filter *filter,
                                  const struct stream_statement *st, feed_record_fn put, void *ctx, struct fail *why);

#endif
