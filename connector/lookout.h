/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookout: sees in time that the server is about to delete what we still need, and tells how far behind we are.
 *
 * What a restart needs is the stored position, or an older XA transaction that is prepared and not ended. A thread with
 * a short connection of its own asks the server about it at a slow rhythm: the reader may be blocked for hours when Kafka
 * is away, and that is just when it matters.
 *
 * Told: half, four fifths and nineteen twentieths of the time that the server keeps its log are over; the log that we need
 * is gone; we are behind by a minute, and each time that has doubled; we have caught up. Decides nothing. When the log ends
 * before what is stored it is no longer the one that was read (RESET BINARY LOGS AND GTIDS): the server says nothing of that
 * to who is reading, so the loop is told, and has the reader ask anew.
 *
 * lookout_start, lookout_need, lookout_stop: loop thread.
 */
#ifndef TIDEMARK_CONNECTOR_LOOKOUT_H
#define TIDEMARK_CONNECTOR_LOOKOUT_H

#include "binlog/outlook.h"
#include "connector/offsets.h"

struct lookout;

/* Both lent. every_ms 0: looks never. */
MUST_USE struct lookout *lookout_start(const struct source_settings *source, int every_ms, struct fail *why);

/* This is stored now; copied. Cheap when nothing has changed since the last look. */
void lookout_need(struct lookout *l, const struct offset_state *stored);

/* True once after each look that found the log to end before what is stored. */
bool lookout_take_other_log(struct lookout *l);

/* False: the thread is stuck in a name look-up; leave the process. */
bool lookout_stop(struct lookout **l, int timeout_ms);

/* ---- the judgement, for tests ---- */

struct lookout_need {
    struct log_position pos; /* where a restart begins, at the latest */
    char server_uuid[SERVER_UUID_BYTES];
    int64_t ts_sec; /* commit time there; 0: unknown */
    bool has_gtids;
    struct gtid_set gtids;
    char *xid; /* owned; of the XA transaction that holds pos back, or NULL */
};

enum lookout_danger { LOOKOUT_SAFE, LOOKOUT_HALF, LOOKOUT_FOUR_FIFTHS, LOOKOUT_CLOSE, LOOKOUT_LOST };

void lookout_need_of(const struct offset_state *stored, struct lookout_need *need);
void lookout_need_fini(struct lookout_need *need);
enum lookout_danger lookout_judge(const struct lookout_need *need, const struct outlook *out);

#endif
