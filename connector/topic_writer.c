/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/topic_writer.h"

#include "base/clock.h"
#include "connector/admin.h"
#include "connector/sink.h"
#include "record/topic.h"

#include <poll.h>
#include <stdlib.h>

enum { ASK_MS = 10000, PUT_MS = 60000, SLICE_MS = 100, CLOSE_MS = 4000 };

struct topic_writer {
    struct sink *sink;
    const char *topic; /* interned */
};

static void on_delivered(void *ctx, void *opaque, bool ok)
{
    (void)ctx;
    (void)opaque;
    (void)ok; /* the sink keeps the failure */
}

static bool check_topic(const struct config *cfg, const char *topic, struct fail *why)
{
    int partitions = 0;
    struct admin *admin = admin_open(&cfg->kafka.client, NULL, why);
    if (admin == NULL)
        return false;
    bool ok = admin_count_partitions(admin, topic, ASK_MS, &partitions, why);
    admin_close(&admin);
    return ok && (partitions > 0 || fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0, "there is no topic %s", topic));
}

struct topic_writer *topic_writer_open(const struct config *cfg, const char *topic, struct fail *why)
{
    const struct sink_settings set = {
        .client = cfg->kafka.producer,
        .message_max_bytes = (size_t)cfg->kafka.message_max_bytes,
        .pool_bytes = (size_t)cfg->queue_bytes,
        .on_delivered = on_delivered,
    };
    if (!check_topic(cfg, topic, why))
        return NULL;
    struct sink *sink = sink_open(&set, why);
    if (sink == NULL)
        return NULL;
    struct topic_writer *w = mem_zero(1, sizeof *w);
    sink_set_state(sink, SINK_READY); /* without a transactional id nothing has to be taken */
    w->sink = sink;
    w->topic = topic_intern(view_of(topic));
    return w;
}

void topic_writer_close(struct topic_writer **writer)
{
    struct topic_writer *w = *writer;
    if (w == NULL)
        return;
    (void)sink_close(&w->sink, CLOSE_MS); /* what is left behind ends with the process */
    free(w);
    *writer = NULL;
}

static void wait_a_bit(struct topic_writer *w)
{
    struct pollfd fd = {sink_fd(w->sink), POLLIN, 0};
    poll(&fd, 1, SLICE_MS);
    sink_service(w->sink);
}

bool topic_writer_put(struct topic_writer *w, int32_t partition, struct view key, struct view value, struct fail *why)
{
    const struct sink_record rec = {
        .topic = w->topic,
        .has_key = key.p != NULL,
        .has_value = true,
        .is_copied = true,
        .key = key,
        .value = value,
        .partition = partition,
    };
    int64_t end_ms = clock_mono_ms() + PUT_MS;
    for (;;) {
        enum sink_sent sent = sink_send(w->sink, &rec, why);
        if (sent != SINK_LATER)
            return sent == SINK_SENT;
        if (sink_failure(w->sink, why))
            return false;
        if (clock_mono_ms() > end_ms)
            return fail_set(why, FAIL_STOP, FAIL_AREA_KAFKA, 0, "write to %s: Kafka takes nothing", w->topic);
        wait_a_bit(w);
    }
}

bool topic_writer_finish(struct topic_writer *w, struct fail *why)
{
    int64_t end_ms = clock_mono_ms() + PUT_MS;
    while (sink_counts(w->sink)->outstanding > 0 && clock_mono_ms() < end_ms)
        wait_a_bit(w);
    if (sink_failure(w->sink, why))
        return fail_add(why, "write to %s", w->topic);
    return sink_counts(w->sink)->outstanding == 0 ||
           fail_set(why, FAIL_STOP, FAIL_AREA_KAFKA, 0, "write to %s: Kafka did not acknowledge it in time", w->topic);
}
