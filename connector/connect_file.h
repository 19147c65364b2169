/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connect_file: the file in which FileOffsetBackingStore of Kafka Connect keeps offsets (also Debezium Server and engine).
 *
 * One serialised java.util.HashMap from byte[] to byte[] (java_stream.h): its part has a block of capacity and size, then
 * keys and values in turn; a value may be null. The bytes are what stands in Connect's topic: JSON.
 *
 * Any thread.
 */
#ifndef TIDEMARK_CONNECTOR_CONNECT_FILE_H
#define TIDEMARK_CONNECTOR_CONNECT_FILE_H

#include "connector/state_topic.h"

/* Hands over each entry. REFUSE when it is no such map. */
MUST_USE bool connect_file_read(struct view bytes, state_topic_fn on_record, void *ctx, struct fail *why);

/* Appends a file with that one entry. */
void connect_file_print(struct view key, struct view value, struct buf *out);

#endif
