/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload: a transaction that the server compressed (TRANSACTION_PAYLOAD, 40), given back event by event.
 *
 * Body: fields of lenenc type, lenenc length, value; type 0 ends them (it has no length):
 *   1 bytes of the payload   2 compression: 0 zstd, 255 none   3 bytes when decompressed
 * then the payload: whole events, one behind the other, without checksums and with end_pos 0.
 *
 * The payload is never inflated whole: memory is zstd's window and one buffer as large as the largest event in it.
 * Both are kept for the next payload unless they grew large.
 *
 * The body is lent until payload_close; an event is valid until the next payload_next. One thread at a time.
 * Source: libs/mysql/binlog/event/codecs/binary.cpp, MySQL 8.0.20 and later.
 */
#ifndef TIDEMARK_BINLOG_PAYLOAD_H
#define TIDEMARK_BINLOG_PAYLOAD_H

#include "base/bytes.h"
#include "base/fail.h"

enum payload_kind { PAYLOAD_ZSTD = 0, PAYLOAD_PLAIN = 255 };

struct payload {
    enum payload_kind kind;
    bool is_open;
    struct view packed;   /* all of it */
    size_t packed_at;     /* what was read of it */
    uint64_t plain_bytes; /* what the header promises */
    uint64_t plain_at;    /* what was given out */
    bool frame_is_open;   /* zstd: more belongs to the frame */
    void *zstd;           /* ZSTD_DCtx, made when first needed */
    uint8_t *event;       /* the event under way */
    size_t room;
};

void payload_init(struct payload *p);
void payload_fini(struct payload *p);

/* Starts on a body; what was open is closed. */
MUST_USE bool payload_open(struct payload *p, struct view body, struct fail *why);

/* The next event, whole; an empty view at the end. Fails on what is cut, corrupt or longer than promised. */
MUST_USE bool payload_next(struct payload *p, struct view *event, struct fail *why);

/* Forgets the body. Safe when nothing is open. */
void payload_close(struct payload *p);

#endif
