/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document: a JSON document of a column, as the JSON string that a record has of it.
 *
 * The same bytes as if its text were made first (binlog/jsonb.h) and then written by json_put_string, in one go: most strings
 * in documents need no escape, and nothing else in them does. Any thread.
 */
#ifndef TIDEMARK_RECORD_DOCUMENT_H
#define TIDEMARK_RECORD_DOCUMENT_H

#include "base/bytes.h"
#include "base/fail.h"

/* In quotes. False when the bytes are no document; what was appended by then is the caller's to take back. */
MUST_USE bool document_put(struct buf *out, struct view doc);

#endif
