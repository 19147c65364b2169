/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/pace.h"

#include "base/bytes.h"

#include <stdlib.h>

static _Thread_local bool is_listening;
static _Thread_local int32_t heard;

void pace_init(struct pace *p, uint64_t batch_bytes)
{
    *p = (struct pace){.batch_bytes = batch_bytes, .round = 1};
}

void pace_topic_fini(struct pace_topic *t)
{
    free(t->lanes);
    *t = (struct pace_topic){0};
}

static struct pace_lane *lane_of(const struct pace *p, struct pace_topic *t, int32_t partition)
{
    if (partition >= t->n_lanes) {
        t->lanes = mem_resize(t->lanes, ((size_t)partition + 1) * sizeof *t->lanes);
        for (; t->n_lanes <= partition; t->n_lanes++)
            t->lanes[t->n_lanes] = (struct pace_lane){.request_bytes = p->batch_bytes / 2};
    }
    struct pace_lane *lane = &t->lanes[partition];
    if (lane->round != p->round)
        *lane = (struct pace_lane){.round = p->round, .request_bytes = lane->request_bytes};
    return lane;
}

static void note(bool *now, bool is_so, unsigned *n)
{
    *n += (unsigned)is_so - (unsigned)*now;
    *now = is_so;
}

/* After bytes came or went. A batch that is there is sent at once, as far as it fits into a request; until the report more
 * can't be. */
static void judge(struct pace *p, struct pace_lane *lane, bool is_under_way)
{
    uint64_t behind = lane->bytes;
    if (is_under_way)
        behind -= lane->request_bytes < behind ? lane->request_bytes : behind;
    note(&lane->is_under_way, is_under_way, &p->n_under_way);
    note(&lane->is_uneven, behind > lane->request_bytes, &p->n_uneven);
}

/* The slack is for requests that hold a little less than the last one did. */
static bool has_enough(const struct pace *p, const struct pace_lane *lane)
{
    return lane->round == p->round && lane->bytes >= lane->request_bytes + p->batch_bytes - p->batch_bytes / 16;
}

/* Records of topics whose partitions are not known yet are as those of one partition. */
static bool has_enough_unknown(const struct pace *p)
{
    return p->unknown_bytes >= 2 * p->batch_bytes;
}

bool pace_allows(struct pace *p)
{
    if (has_enough_unknown(p))
        return false;
    if (p->full == NULL)
        return true;
    if (has_enough(p, &p->full->lanes[p->full_partition]))
        return false;
    p->full = NULL;
    return true;
}

void pace_listen(void)
{
    is_listening = true;
    heard = PACE_UNKNOWN;
}

int32_t pace_heard(void)
{
    is_listening = false;
    return heard;
}

void pace_sent(struct pace *p, struct pace_topic *t, int32_t partition, uint64_t bytes)
{
    if (partition == PACE_UNCOUNTED)
        return;
    p->bytes += bytes;
    if (partition == PACE_UNKNOWN) {
        p->unknown_bytes += bytes;
        return;
    }
    struct pace_lane *lane = lane_of(p, t, partition);
    lane->bytes += bytes;
    judge(p, lane, lane->is_under_way || lane->bytes >= p->batch_bytes);
    if (!has_enough(p, lane))
        return;
    p->full = t;
    p->full_partition = partition;
}

/* Takes off what is counted there; returns what was not. */
static uint64_t take(struct pace *p, uint64_t *from, uint64_t bytes)
{
    uint64_t counted = bytes < *from ? bytes : *from;
    *from -= counted;
    p->bytes -= counted;
    return bytes - counted;
}

/* A request's size on the wire is limited, with headers and all; how much of keys and values it holds is seen from the
 * reports, which come one for a request. Those of small requests, sent for their age or by a flush, say nothing. */
static void learn(const struct pace *p, struct pace_lane *lane, uint64_t bytes)
{
    if (bytes < p->batch_bytes / 8)
        return;
    lane->request_bytes = bytes < p->batch_bytes / 4 ? p->batch_bytes / 4 : bytes;
    if (lane->request_bytes > p->batch_bytes)
        lane->request_bytes = p->batch_bytes;
}

void pace_reported(struct pace *p, struct pace_topic *t, int32_t partition, uint64_t bytes)
{
    if (partition < 0) /* failed before it had one */
        return;
    struct pace_lane *lane = lane_of(p, t, partition);
    uint64_t rest = take(p, &lane->bytes, bytes);
    take(p, &p->unknown_bytes, rest);
    learn(p, lane, bytes);
    judge(p, lane, lane->bytes >= p->batch_bytes);
}

bool pace_is_under_way(const struct pace *p)
{
    return p->n_under_way > 0;
}

bool pace_is_uneven(const struct pace *p)
{
    return p->n_uneven > 0;
}

void pace_reset(struct pace *p)
{
    *p = (struct pace){.batch_bytes = p->batch_bytes, .round = p->round + 1};
}

int32_t pace_partition(const rd_kafka_topic_t *rkt, const void *key, size_t key_bytes, int32_t n, void *topic_opaque,
                       void *opaque)
{
    int32_t partition = rd_kafka_msg_partitioner_murmur2_random(rkt, key, key_bytes, n, topic_opaque, opaque);
    if (is_listening)
        heard = partition;
    return partition;
}
