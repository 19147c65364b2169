/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/lost_xa.h"

#include "base/log.h"

#include <string.h>

static bool is_early(const struct offset_state *st, struct view xid)
{
    const uint8_t *at = st->early_xa.start;
    for (; at < st->early_xa.p; at += strlen((const char *)at) + 1)
        if (view_is(xid, (const char *)at))
            return true;
    return false;
}

bool lost_xa_pass(const struct frontier *f, struct view xid, struct fail *why)
{
    const struct offset_state *st = &f->state;
    char gtid[GTID_TEXT_BYTES] = "";
    if (f->gtid.n > 0)
        gtid_print(&f->gtid, gtid);
    if (st->has_read_tables && !is_early(st, xid))
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_DATA, 0,
            "XA transaction %.*s is committed at %s:%llu%s%s, but was prepared before the stream began: its rows are "
            "not "
            "known, and tables that were read again may be older; hint: `tidemark offsets skip` goes on behind it, "
            "then "
            "have its tables read again; with the right XA_RECOVER_ADMIN a first start would have known of it",
            VIEW_ARGS(xid), f->begun.file, (unsigned long long)f->begun.offset, gtid[0] == '\0' ? "" : " as ", gtid);
    log_warn(
        "lost_xa",
        "XA transaction %.*s was committed, but was prepared before the stream began: its rows are not told; hint: "
        "read its tables again file=%s pos=%llu",
        VIEW_ARGS(xid), f->begun.file, (unsigned long long)f->begun.offset);
    return true;
}
