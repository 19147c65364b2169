/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/gtid_switch.h"

#include "base/log.h"
#include "connector/offsets_place.h"

static bool may_switch(const struct server *server, const struct offset_state *st)
{
    return server->gtid_mode == SERVER_GTID_ON && !st->has_gtids && !offset_state_is_inside(st) && st->n_xa == 0;
}

/* The place itself stays: only its set is wanted. */
static bool take_set(const struct source *src, struct offset_state *st, const struct offset_state *found)
{
    if (found->n_xa > 0)
        return false;
    st->has_gtids = true;
    gtid_set_copy(&st->gtids, &found->gtids);
    log_info("start", "%s has GTIDs now: the position file=%s pos=%llu is gone on from by them", source_name(src),
             st->pos.file, (unsigned long long)st->pos.offset);
    return true;
}

bool gtid_switch(struct source *src, const struct config *cfg, const struct server *server, struct offset_state *st,
                 bool *has_changed, struct fail *why)
{
    struct place_wish wish;
    struct offset_state found;
    *has_changed = false;
    if (!may_switch(server, st))
        return true;
    place_wish_init(&wish);
    offset_state_init(&found);
    wish.kind = PLACE_POSITION;
    wish.pos = st->pos;
    bool ok = offsets_place_find(src, cfg, server, &wish, &found, why);
    if (ok)
        *has_changed = take_set(src, st, &found);
    else if (why->kind != FAIL_RETRY)
        log_warn("start", "%s; its GTIDs are not known, and it is gone on from without them", why->text);
    offset_state_fini(&found);
    place_wish_fini(&wish);
    return ok || why->kind != FAIL_RETRY;
}
