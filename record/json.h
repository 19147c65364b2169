/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: all JSON text that goes to Kafka is written here, byte for byte as Jackson writes it.
 *
 * Text is raw UTF-8 up to U+FFFF; beyond it a pair of escaped surrogates in upper-case hex. Escaped otherwise are only
 * '"', '\' and the controls below U+0020: \b \t \n \f \r, others \u00XX in upper-case hex. What is no UTF-8 becomes U+FFFD.
 * Integers: base/digits.h; floats: record/number.h. Any thread.
 */
#ifndef TIDEMARK_RECORD_JSON_H
#define TIDEMARK_RECORD_JSON_H

#include "base/bytes.h"
#include "binlog/charset.h"

/* The text in quotes, or what belongs between quotes the caller writes. */
void json_put_string(struct buf *out, struct view utf8);
void json_put_escaped(struct buf *out, struct view utf8);

/* The bytes of a character column in quotes, decoded from its charset; NULL: taken as UTF-8. */
void json_put_column_text(struct buf *out, const struct charset *cs, struct view bytes);

/* Quoted: base64 with padding in one line, the same with - and _ (RFC 4648 §5), lower-case hex. */
void json_put_base64(struct buf *out, struct view bytes);
void json_put_base64_url(struct buf *out, struct view bytes);
void json_put_hex(struct buf *out, struct view bytes);

#endif
