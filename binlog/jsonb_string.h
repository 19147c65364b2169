/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonb_string: strings inside the text of a JSON document.
 *
 * Escaped are '"', '\' and the controls below U+0020 (\b \t \n \f \r, others \u00XX in upper-case hex), nothing else. This
 * is the document's own text; that it stands in a JSON record again is another layer (record/json.h). Any thread.
 */
#ifndef TIDEMARK_BINLOG_JSONB_STRING_H
#define TIDEMARK_BINLOG_JSONB_STRING_H

#include "base/bytes.h"
#include "base/fail.h"

/* The text in quotes. */
void jsonb_put_string(struct buf *out, struct view text);

/* One byte that must be escaped. */
void jsonb_put_escape(struct buf *out, uint8_t byte);

/* Undoes the escapes of what stands between the quotes; false when it is no JSON string. */
MUST_USE bool jsonb_read_string(struct view inside, struct buf *out);

#endif
