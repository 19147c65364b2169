/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_set.h"

#include "connector/offsets_place.h"
#include "connector/offsets_shapes.h"
#include "connector/progress.h"

#include <stdlib.h>

/* ---- set ---- */

static bool read_offset(const char *text, uint64_t *offset, struct fail *why)
{
    size_t n = strspn(text, "0123456789");
    *offset = strtoull(text, NULL, 10);
    return (n > 0 && n < 19 && text[n] == '\0') ||
           fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "--pos %s is no number", text);
}

static bool read_position(const struct offsets_options *opt, struct place_wish *wish, struct fail *why)
{
    uint64_t offset;
    wish->kind = PLACE_POSITION;
    if (opt->file == NULL || opt->pos == NULL)
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "--file and --pos belong together");
    return read_offset(opt->pos, &offset, why) && position_set(&wish->pos, view_of(opt->file), offset, why);
}

static bool read_gtids(const struct offsets_options *opt, struct place_wish *wish, struct fail *why)
{
    wish->kind = PLACE_GTIDS;
    return gtid_set_read(&wish->gtids, view_of(opt->gtid), why) || fail_add(why, "--gtid");
}

static bool read_wish(const struct offsets_options *opt, struct place_wish *wish, struct fail *why)
{
    unsigned ways = (opt->gtid != NULL) + (opt->file != NULL || opt->pos != NULL) + (opt->timestamp != NULL) + opt->now;
    if (ways != 1)
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                        "say where to go on by one of --gtid, --file with --pos, --timestamp, --now");
    if (opt->now)
        return true;
    if (opt->gtid != NULL)
        return read_gtids(opt, wish, why);
    if (opt->timestamp == NULL)
        return read_position(opt, wish, why);
    wish->kind = PLACE_TIME;
    return place_read_time(view_of(opt->timestamp), &wish->time_us, why);
}

static void note_progress(struct offsets_change *c)
{
    if (progress_has_tables(c->next.snapshots))
        offsets_change_note(c, "a snapshot is under way: it goes on with the next start, from where it is");
    if (c->next.n_xa > 0)
        offsets_change_note(c, "XA transactions are prepared there: their rows are told when they commit");
}

static bool set(struct offsets_change *c, const struct place_wish *wish, struct buf *out, struct fail *why)
{
    c->has_next = true;
    if (!offsets_change_ask_server(c, why) || !offsets_place_find(c->src, c->cfg, &c->server, wish, &c->next, why) ||
        !offsets_shapes_check(&c->store, &c->server, &c->next, why))
        return false;
    note_progress(c);
    return offsets_change_finish(c, out, why);
}

int offsets_set(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why)
{
    struct offsets_change c;
    struct place_wish wish;
    place_wish_init(&wish);
    bool ok = read_wish(opt, &wish, why);
    if (ok) {
        ok = offsets_change_open(&c, cfg, opt, why) && set(&c, &wish, out, why);
        offsets_change_close(&c);
    } else {
        why->area = FAIL_AREA_CONFIG;
    }
    place_wish_fini(&wish);
    return ok ? 0 : (int)why->area;
}

/* ---- reset ---- */

int offsets_reset(const struct config *cfg, const struct offsets_options *opt, struct buf *out, struct fail *why)
{
    struct offsets_change c;
    struct offsets_options with = *opt;
    with.may_be_unreadable = true;
    bool ok = offsets_change_open(&c, cfg, &with, why);
    if (ok && !c.store.state.found.has_value)
        ok = fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0, "nothing is stored under the name %s", cfg->name);
    if (ok) {
        c.has_next = false;
        if (c.next.snapshots != NULL)
            offsets_change_note(&c, "what was stored of snapshots and signals is gone as well");
        ok = offsets_change_finish(&c, out, why);
    }
    offsets_change_close(&c);
    return ok ? 0 : (int)why->area;
}
