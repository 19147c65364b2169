/* SPDX-License-Identifier: Apache-2.0 */
/* set-binlog-position: from the signal to a stream that goes on at another place. */
#include "base/log.h"
#include "connector/connector_state.h"

/* Later signals stay in their queue meanwhile. */
static void watch(struct connector *c, const struct relocation *rel)
{
    if (ev_is_active(&c->move_io))
        return;
    ev_io_stop(c->loop, &c->signal_io);
    ev_io_init(&c->move_io, connector_on_io, relocation_fd(rel), EV_READ);
    c->move_io.data = c;
    ev_io_start(c->loop, &c->move_io);
}

struct extending {
    struct pump *pump;
    const struct offset_state *place;
};

static void extend_shape(void *ctx, const char *db, const char *table)
{
    const struct extending *ext = ctx;
    pump_extend_shape(ext->pump, db, table, ext->place);
}

static void move(struct connector *c, const struct relocation *rel, const struct offset_state *place)
{
    struct extending ext = {c->pump, place};
    const struct offset_state *from = &pump_frontier(c->pump)->state;
    log_warn("connector", "set-binlog-position: the stream goes from file=%s pos=%llu to file=%s pos=%llu",
             from->pos.file, (unsigned long long)from->pos.offset, place->pos.file,
             (unsigned long long)place->pos.offset);
    relocation_each_shape(rel, extend_shape, &ext);
    pump_move(c->pump, place);
}

/* The place, the signal's own place and its answer go into one commit; connector_restart then starts the stream there. */
void connector_move_turn(struct connector *c)
{
    const struct relocation *rel = requests_relocation(c->requests);
    struct fail why;
    if (rel == NULL)
        return;
    if (!relocation_has_ended(rel)) {
        watch(c, rel);
        return;
    }
    if (!pump_may_move(c->pump))
        return;
    ev_io_stop(c->loop, &c->move_io);
    ev_io_start(c->loop, &c->signal_io);
    const struct offset_state *place = relocation_place(rel, &why);
    if (place != NULL)
        move(c, rel, place);
    requests_relocated(c->requests, place != NULL ? NULL : &why);
}
