/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/rights.h"

#include "connector/admin.h"

#include <stdlib.h>

static bool ask(const struct client_settings *set, const char **topics, size_t n, int timeout_ms,
                enum admin_right *missing)
{
    struct fail ignored; /* the failure that is explained says enough */
    struct admin *admin = admin_open(set, NULL, &ignored);
    bool ok = admin != NULL && admin_missing_rights(admin, topics, n, timeout_ms, missing, &ignored);
    admin_close(&admin);
    return ok;
}

static void add(const char **topics, const enum admin_right *missing, size_t n, struct fail *why)
{
    static const char *const operations[] = {
        [ADMIN_RIGHT_DESCRIBE] = "DESCRIBE", [ADMIN_RIGHT_WRITE] = "WRITE to", [ADMIN_RIGHT_CREATE] = "CREATE"};
    size_t first = n;
    size_t count = 0;
    for (size_t i = n; i-- > 0;) {
        if (missing[i] == ADMIN_RIGHT_NONE)
            continue;
        first = i;
        count++;
    }
    if (count == 1)
        fail_add(why, "the user has no right to %s the topic %s", operations[missing[first]], topics[first]);
    else if (count > 1)
        fail_add(why, "the user has no right to %s the topic %s, nor all it needs on %zu others",
                 operations[missing[first]], topics[first], count - 1);
}

void rights_explain(const struct client_settings *set, const struct sink *sink, int timeout_ms, struct fail *why)
{
    if (sink == NULL || why->code != RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED || why->area != FAIL_AREA_KAFKA)
        return;
    size_t n = sink_topics(sink, NULL, 0);
    const char **topics = mem_zero(n + 1, sizeof *topics);
    enum admin_right *missing = mem_zero(n + 1, sizeof *missing);
    sink_topics(sink, topics, n);
    if (n > 0 && ask(set, topics, n, timeout_ms, missing))
        add(topics, missing, n, why);
    free(missing);
    free((void *)topics);
}
