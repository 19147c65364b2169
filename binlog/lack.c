/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/lack.h"

#include "base/log.h"
#include "binlog/server.h"

#include <inttypes.h>

enum { MOST_SET_BYTES = 400 };

bool lack_tell(struct source *src, const struct gtid_set *told, struct fail *why)
{
    struct gtid_set executed, lacking;
    gtid_set_init(&executed);
    gtid_set_init(&lacking);
    bool ok = server_read_executed(src, &executed, why);
    if (ok) {
        gtid_set_copy(&lacking, told);
        gtid_set_minus(&lacking, &executed);
    }
    if (ok && !gtid_set_is_empty(&lacking)) {
        struct buf set;
        buf_init(&set);
        gtid_set_print_short(&lacking, MOST_SET_BYTES, &set);
        log_warn("lack",
                 "%s lags behind what was told already: it has not executed %" PRIu64
                 " of those transactions yet: %.*s; nothing comes from it before it has, and snapshots wait; hint: see "
                 "SHOW REPLICA STATUS there",
                 source_name(src), gtid_set_count(&lacking), VIEW_ARGS(buf_view(&set)));
        buf_fini(&set);
    }
    gtid_set_fini(&executed);
    gtid_set_fini(&lacking);
    return ok;
}
