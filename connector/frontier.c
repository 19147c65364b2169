/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/frontier.h"

#include <stdio.h>
#include <string.h>

void frontier_init(struct frontier *f)
{
    *f = (struct frontier){.is_ready = false};
    offset_state_init(&f->state);
    gtid_set_init(&f->between);
}

void frontier_fini(struct frontier *f)
{
    offset_state_fini(&f->state);
    gtid_set_fini(&f->between);
}

void frontier_start(struct frontier *f, const struct offset_state *from, bool is_ready)
{
    frontier_fini(f);
    frontier_init(f);
    offset_state_copy(&f->state, from);
    f->is_ready = is_ready;
    f->has_place = true;
}

void frontier_move(struct frontier *f, const struct offset_state *place)
{
    struct offset_state before;
    offset_state_init(&before);
    offset_state_copy(&before, &f->state);
    offset_state_go_to(&f->state, place);
    offset_state_keep_previous(&f->state, &before);
    offset_state_fini(&before);
    f->is_inside = false;
    f->is_placed = false;
    f->keeps_gtid_out = false;
    f->gtid = (struct gtid){.n = 0};
    gtid_set_fini(&f->between);
    f->has_moved = true;
}

static void set_place(struct log_position *pos, const char *file, uint64_t offset)
{
    snprintf(pos->file, sizeof pos->file, "%s", file);
    pos->offset = offset;
}

static const struct log_position *reached(const struct frontier *f)
{
    return f->state.reached.file[0] != '\0' ? &f->state.reached : &f->state.pos;
}

/* Without GTIDs a part of the log is read once more, for XA transactions that are open, or where no dump can start. */
static bool was_passed(const struct frontier *f, const struct change_mark *mark)
{
    struct log_position pos;
    if (f->state.has_gtids || !f->has_place)
        return false;
    set_place(&pos, mark->file, mark->offset);
    return position_is_of_one_log(&pos, reached(f)) && position_compare(&pos, reached(f)) < 0;
}

/* Without GTIDs a restart has to come back for the oldest open XA transaction; how far we are stands beside it. */
static void move_to(struct frontier *f, const char *file, uint64_t offset)
{
    struct offset_state *st = &f->state;
    const struct log_position *at = reached(f);
    f->has_place = true;
    f->has_moved = f->has_moved || at->offset != offset || strcmp(at->file, file) != 0;
    if (st->has_gtids || st->n_xa == 0) {
        set_place(&st->pos, file, offset);
        st->reached.file[0] = '\0';
        return;
    }
    st->pos = st->xa[0].pos;
    set_place(&st->reached, file, offset);
}

/* Another server's log has other files, and may have cut a transaction into other events. */
static void forget_place(struct frontier *f)
{
    f->has_place = false;
    f->is_inside = false;
    f->state.event = 0;
    f->state.row = 0;
    f->state.birth = (struct log_birth){.file = ""};
}

static void enter_file(struct frontier *f, const struct change_mark *mark)
{
    struct log_birth *b = &f->state.birth;
    snprintf(b->file, sizeof b->file, "%s", mark->file);
    b->sec = (uint32_t)(mark->ts_us / 1000000);
}

static void set_origin(struct frontier *f, const struct change_mark *mark)
{
    if (f->state.server_uuid[0] != '\0' && strcmp(f->state.server_uuid, mark->server_uuid) != 0)
        forget_place(f);
    snprintf(f->state.server_uuid, sizeof f->state.server_uuid, "%s", mark->server_uuid);
    if (mark->file != NULL) {
        set_place(&f->state.pos, mark->file, mark->offset);
        f->has_place = true;
    }
    if (mark->executed == NULL)
        return;
    f->state.has_gtids = true;
    gtid_set_copy(&f->state.gtids, mark->executed);
}

static void begin(struct frontier *f, const struct change_mark *mark)
{
    f->is_inside = true;
    f->is_placed = false;
    f->is_replayed = was_passed(f, mark);
    f->keeps_gtid_out = false;
    f->gtid = mark->gtid != NULL ? *mark->gtid : (struct gtid){.n = 0};
    set_place(&f->begun, mark->file, mark->offset);
    f->begun_sec = mark->ts_us / 1000000;
    if (f->is_replayed)
        return;
    f->state.server_id = mark->server_id;
    f->state.ts_sec = f->begun_sec;
}

static bool is_same_gtid(const struct gtid *a, const struct gtid *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* It was prepared before what was told last, and comes again at each start until it ends. */
static bool is_open_xa(const struct frontier *f)
{
    for (uint32_t i = 0; i < f->state.n_xa; i++)
        if (is_same_gtid(&f->state.xa[i].gtid, &f->gtid))
            return true;
    return false;
}

/* A transaction was told in part, and it is not the one under way: its turn comes. */
static bool half_is_ahead(const struct frontier *f)
{
    const struct offset_state *st = &f->state;
    if (!offset_state_is_inside(st) || !f->is_inside)
        return offset_state_is_inside(st);
    if (f->is_placed)
        return false;
    return st->inside.n > 0 ? !is_same_gtid(&st->inside, &f->gtid) : is_open_xa(f);
}

/* The state's position is the begin of a transaction that is ahead. */
static bool keeps_place(const struct frontier *f)
{
    return half_is_ahead(f) && (f->state.event > 0 || f->state.row > 0);
}

/* The transaction under way stands before one that was told in part from another server's log. */
static bool stands_before_half(const struct frontier *f)
{
    return f->is_inside && half_is_ahead(f) && !keeps_place(f);
}

static void pass_record(struct frontier *f, const struct change *chg)
{
    f->is_split = chg->is_part;
    if (chg->is_part || !f->is_inside)
        return;
    f->has_moved = true;
    if (stands_before_half(f)) {
        gtid_set_add(&f->between, &f->gtid);
        return;
    }
    if (!f->is_placed)
        move_to(f, f->begun.file, f->begun.offset);
    f->is_placed = true;
    f->state.event = chg->events;
    f->state.row = chg->rows;
    f->state.inside = chg->told > 0 ? f->gtid : (struct gtid){.n = 0};
    f->state.inside_rows = chg->told;
}

static void leave(struct frontier *f, const struct change_mark *mark)
{
    if (f->state.has_gtids && f->gtid.n > 0 && !f->keeps_gtid_out)
        gtid_set_add(&f->state.gtids, &f->gtid);
    if (f->gtid.n > 0)
        gtid_set_remove(&f->between, &f->gtid);
    if (!half_is_ahead(f))
        offset_state_leave(&f->state);
    f->has_moved = true;
    if (!keeps_place(f))
        move_to(f, mark->file, mark->offset);
}

static void commit(struct frontier *f, const struct change_mark *mark)
{
    if (!f->is_replayed)
        leave(f, mark);
    f->is_inside = false;
    f->is_split = false;
}

static void position(struct frontier *f, const struct change_mark *mark)
{
    if (!was_passed(f, mark) && !keeps_place(f))
        move_to(f, mark->file, mark->offset);
}

static void xa_open(struct frontier *f, const struct change_mark *mark)
{
    f->keeps_gtid_out = true;
    offset_state_remove_xa(&f->state, mark->xid);
    offset_state_add_xa(&f->state, mark->xid, &f->gtid, &f->begun, f->begun_sec);
}

/* Its prepare is in the set now, and what ends it is not: a start from here would find its rows nowhere. */
static void xa_done(struct frontier *f, const struct change_mark *mark)
{
    f->is_split = true;
    offset_state_remove_xa(&f->state, mark->xid);
    offset_state_remove_early_xa(&f->state, mark->xid);
    if (f->state.has_gtids && mark->gtid != NULL && mark->gtid->n > 0)
        gtid_set_add(&f->state.gtids, mark->gtid);
}

void frontier_pass(struct frontier *f, const struct change *chg)
{
    switch (chg->kind) {
    case CHANGE_ORIGIN:
        set_origin(f, &chg->mark);
        break;
    case CHANGE_FILE:
        enter_file(f, &chg->mark);
        break;
    case CHANGE_RECORD:
    case CHANGE_UNSENT:
        pass_record(f, chg);
        break;
    case CHANGE_BEGIN:
        begin(f, &chg->mark);
        break;
    case CHANGE_COMMIT:
        commit(f, &chg->mark);
        break;
    case CHANGE_POSITION:
        position(f, &chg->mark);
        break;
    case CHANGE_XA_OPEN:
        xa_open(f, &chg->mark);
        break;
    case CHANGE_XA_DONE:
    case CHANGE_XA_LOST:
        xa_done(f, &chg->mark);
        break;
    case CHANGE_XA_EARLY:
        offset_state_add_early_xa(&f->state, chg->mark.xid);
        break;
    case CHANGE_READY:
        f->is_ready = true;
        f->has_moved = true;
        break;
    case CHANGE_SHAPE:
    case CHANGE_EMPTIED:
    case CHANGE_REWRITE:
    case CHANGE_END:
        break;
    }
}

bool frontier_is_storable(const struct frontier *f)
{
    return f->is_ready && f->has_place && !f->is_split && gtid_set_is_empty(&f->between);
}

bool frontier_has_handed_over(const struct frontier *f)
{
    bool is_named = f->is_inside || f->state.inside.n > 0 || !offset_state_is_inside(&f->state);
    return f->has_place && (is_named || !f->state.has_gtids);
}

void frontier_copy_handed_over(const struct frontier *f, struct gtid_set *set)
{
    gtid_set_copy(set, &f->state.gtids);
    if (f->is_inside && !f->keeps_gtid_out && f->gtid.n > 0)
        gtid_set_add(set, &f->gtid);
    if (f->state.inside.n > 0)
        gtid_set_add(set, &f->state.inside);
    gtid_set_union(set, &f->between);
}

void frontier_stored(struct frontier *f)
{
    f->has_moved = false;
}
