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
    if (lane->round != p->round) {
        lane->bytes = 0;
        lane->is_under_way = false;
    }
    lane->round = p->round;
    return lane;
}

/* A batch that is there is sent at once, as far as it fits into a request; until the report more can't be. */
static void set_under_way(struct pace *p, struct pace_lane *lane, bool is_under_way)
{
    if (is_under_way != lane->is_under_way)
        p->n_under_way += is_under_way ? 1U : -1U;
    lane->is_under_way = is_under_way;
}

/* The slack is for requests that hold a little less than the last one did. */
static bool has_enough(const struct pace *p, const struct pace_lane *lane)
{
    return lane->round == p->round && lane->bytes >= lane->request_bytes + p->batch_bytes - p->batch_bytes / 16;
}

bool pace_allows(struct pace *p)
{
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
    heard = -1;
}

int32_t pace_heard(void)
{
    is_listening = false;
    return heard;
}

void pace_sent(struct pace *p, struct pace_topic *t, int32_t partition, uint64_t bytes)
{
    if (partition < 0)
        return;
    struct pace_lane *lane = lane_of(p, t, partition);
    lane->bytes += bytes;
    p->bytes += bytes;
    if (lane->bytes >= p->batch_bytes)
        set_under_way(p, lane, true);
    if (!has_enough(p, lane))
        return;
    p->full = t;
    p->full_partition = partition;
}

/* A request's size on the wire is limited, with headers and all; how much of keys and values it holds is seen from the
 * reports, which come one for a request. Those of small requests, sent for their age or by a flush, say nothing. */
void pace_reported(struct pace *p, struct pace_topic *t, int32_t partition, uint64_t bytes)
{
    if (partition < 0)
        return;
    struct pace_lane *lane = lane_of(p, t, partition);
    uint64_t counted = bytes < lane->bytes ? bytes : lane->bytes;
    lane->bytes -= counted;
    p->bytes -= counted;
    set_under_way(p, lane, lane->bytes >= p->batch_bytes);
    if (bytes < p->batch_bytes / 8)
        return;
    lane->request_bytes = bytes < p->batch_bytes / 4 ? p->batch_bytes / 4 : bytes;
    if (lane->request_bytes > p->batch_bytes)
        lane->request_bytes = p->batch_bytes;
}

bool pace_is_under_way(const struct pace *p)
{
    return p->n_under_way > 0;
}

void pace_reset(struct pace *p)
{
    p->round++;
    p->bytes = 0;
    p->n_under_way = 0;
}

int32_t pace_partition(const rd_kafka_topic_t *rkt, const void *key, size_t key_bytes, int32_t n, void *topic_opaque,
                       void *opaque)
{
    int32_t partition = rd_kafka_msg_partitioner_murmur2_random(rkt, key, key_bytes, n, topic_opaque, opaque);
    if (is_listening)
        heard = partition;
    return partition;
}
