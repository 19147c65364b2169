/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

static void put(struct buf *out, struct view bytes, const char *letters)
{
    buf_need(out, (bytes.n + 2) / 3 * 4);
    uint8_t *p = out->p;
    size_t at = 0;
    for (; bytes.n - at >= 3; at += 3) {
        uint32_t v = (uint32_t)bytes.p[at] << 16 | (uint32_t)bytes.p[at + 1] << 8 | bytes.p[at + 2];
        *p++ = (uint8_t)letters[v >> 18];
        *p++ = (uint8_t)letters[v >> 12 & 63];
        *p++ = (uint8_t)letters[v >> 6 & 63];
        *p++ = (uint8_t)letters[v & 63];
    }
    size_t rest = bytes.n - at;
    if (rest > 0) {
        uint32_t v = (uint32_t)bytes.p[at] << 16 | (rest == 2 ? (uint32_t)bytes.p[at + 1] << 8 : 0);
        *p++ = (uint8_t)letters[v >> 18];
        *p++ = (uint8_t)letters[v >> 12 & 63];
        *p++ = rest == 2 ? (uint8_t)letters[v >> 6 & 63] : '=';
        *p++ = '=';
    }
    out->p = p;
}

void base64_put(struct buf *out, struct view bytes)
{
    put(out, bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

void base64_put_url(struct buf *out, struct view bytes)
{
    put(out, bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}
