/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/producer.h"

#include "base/loan.h"

#include <poll.h>

enum { SLICE_MS = 100 };

static void on_delivered(void *ctx, void *opaque, bool ok)
{
    struct loan *loan = opaque;
    (void)ctx;
    (void)ok; /* the sink keeps the failure; the bytes are free either way */
    loan->back(loan);
}

static bool on_too_wide(void *ctx, const char *topic, size_t bytes)
{
    return ctx != NULL && misfits_refused(ctx, topic, bytes);
}

bool producer_open(struct producer *p, const struct config *cfg, bool is_transactional,
                   const struct commit_settings *where, struct misfits *misfits, struct fail *why)
{
    const struct record_settings *rec = &cfg->record;
    /* On every record, in this order (events.md of the format, "Headers"). */
    const struct sink_header context[] = {
        {"__debezium.context.connectorLogicalName", rec->topic_prefix},
        {"__debezium.context.taskId", rec->task_id},
        {"__debezium.context.connectorName", "mysql"},
        {"__debezium.context.runId", rec->run_id},
    };
    const struct sink_settings set = {
        .client = cfg->kafka.producer,
        .transactional_id = is_transactional ? cfg->kafka.transactional_id : NULL,
        .transaction_timeout_ms = cfg->kafka.transaction_timeout_ms,
        .message_max_bytes = (size_t)cfg->kafka.message_max_bytes,
        .batch_bytes = misfits == NULL ? 0 : misfits_open_with(misfits),
        .pool_bytes = (size_t)cfg->queue_bytes,
        .context = context,
        .n_context = rec->headers ? sizeof context / sizeof *context : 0,
        .on_delivered = on_delivered,
        .on_too_wide = on_too_wide,
        .ctx = misfits,
        .state_topics = {where->offsets_topic, where->shapes_topic},
    };
    *p = (struct producer){.is_transactional = is_transactional};
    p->sink = sink_open(&set, why);
    if (p->sink == NULL)
        return false;
    p->committer = commit_open(p->sink, where, why);
    if (p->committer == NULL) {
        sink_close(&p->sink, 0);
        return false;
    }
    commit_start_init(p->committer);
    return true;
}

bool producer_is_taken(struct producer *p, struct commit_result *out)
{
    sink_service(p->sink);
    return commit_service(p->committer, out) && out->job == COMMIT_INIT;
}

bool producer_wait_taken(struct producer *p, const atomic_bool *stop, struct commit_result *out)
{
    while (!producer_is_taken(p, out)) {
        if (stop != NULL && atomic_load(stop))
            return false;
        struct pollfd fds[] = {{sink_fd(p->sink), POLLIN, 0}, {commit_fd(p->committer), POLLIN, 0}};
        poll(fds, sizeof fds / sizeof *fds, SLICE_MS);
    }
    return true;
}

bool producer_close(struct producer *p, int timeout_ms)
{
    if (p->sink == NULL)
        return true;
    commit_stop(p->committer);
    return commit_close(&p->committer, timeout_ms) && sink_close(&p->sink, timeout_ms);
}
