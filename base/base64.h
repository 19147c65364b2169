/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64: bytes as base64 in one line, with padding. Any thread.
 */
#ifndef TIDEMARK_BASE_BASE64_H
#define TIDEMARK_BASE_BASE64_H

#include "base/bytes.h"

void base64_put(struct buf *out, struct view bytes);

/* With - and _ in place of + and / (RFC 4648 section 5), padded too. */
void base64_put_url(struct buf *out, struct view bytes);

#endif
