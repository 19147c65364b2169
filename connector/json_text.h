/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_text: the little JSON that our stored state needs: strings written, values found without being understood.
 *
 * Any thread; nothing is kept.
 */
#ifndef TIDEMARK_CONNECTOR_JSON_TEXT_H
#define TIDEMARK_CONNECTOR_JSON_TEXT_H

#include "base/bytes.h"

/* A string with its quotes, as Jackson writes it (record/json.h): the keys of stored state must be Connect's, byte by byte. */
void json_text_put_string(struct buf *out, struct view text);

/* ,"name": and, for the first member of an object, without the comma. */
void json_text_put_name(struct buf *out, const char *name);

/* A member: the name and the string, or null for NULL. */
void json_text_put_text_or_null(struct buf *out, const char *name, const char *text);

void json_text_put_number(struct buf *out, int64_t v);

/* Where the value that starts at `at` ends: at the comma, brace or bracket behind it, or at the text's end. Valid text
 * is split rightly; of other text only that the answer lies within is certain. */
size_t json_text_skip(struct view text, size_t at);

#endif
