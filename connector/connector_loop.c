/* SPDX-License-Identifier: Apache-2.0 */
/* The connector's watchers: descriptors of its parts, timers, signals. */
#include "connector/connector_state.h"

#include <signal.h>
#include <sys/eventfd.h>

enum { LOOK_MS = 1000 /* how often it is looked whether something hangs, at the least */ };

/* ---- callbacks: translate, then call a step ---- */

static void on_inbox(struct ev_loop *loop, struct ev_io *w, int events)
{
    struct connector *c = w->data;
    (void)loop;
    (void)events;
    inbox_wake(c->inbox);
    connector_turn(c);
}

/* A turn may be unable to take what has come, while a commit is under way or the producer is full, and takes it as soon as it
 * can without being told again. A descriptor that stayed readable until then would keep the loop spinning. */
void connector_on_io(struct ev_loop *loop, struct ev_io *w, int events)
{
    eventfd_t count;
    (void)loop;
    (void)events;
    eventfd_read(w->fd, &count);
    connector_turn(w->data);
}

static void on_timer(struct ev_loop *loop, struct ev_timer *w, int events)
{
    (void)loop;
    (void)events;
    connector_turn(w->data);
}

static void on_idle(struct ev_loop *loop, struct ev_idle *w, int events)
{
    (void)loop;
    (void)events;
    connector_turn(w->data);
}

static void on_presence(struct ev_loop *loop, struct ev_io *w, int events)
{
    struct connector *c = w->data;
    (void)loop;
    (void)events;
    connector_serve_presence(c);
}

static void on_lease(struct ev_loop *loop, struct ev_io *w, int events)
{
    (void)loop;
    (void)events;
    if (connector_holds_lease(w->data))
        connector_turn(w->data);
}

static void on_look(struct ev_loop *loop, struct ev_timer *w, int events)
{
    (void)loop;
    (void)events;
    connector_look(w->data);
}

static void on_stop_request(struct ev_loop *loop, struct ev_signal *w, int events)
{
    (void)loop;
    (void)events;
    connector_stop(w->data, 0, w->signum == SIGTERM ? "SIGTERM" : "SIGINT");
}

void connector_watch_producer(struct connector *c)
{
    ev_io_init(&c->sink_io, connector_on_io, sink_fd(c->producer.sink), EV_READ);
    ev_io_init(&c->commit_io, connector_on_io, commit_fd(c->producer.committer), EV_READ);
    c->sink_io.data = c;
    c->commit_io.data = c;
    ev_io_start(c->loop, &c->sink_io);
    ev_io_start(c->loop, &c->commit_io);
}

void connector_unwatch_producer(struct connector *c)
{
    ev_io_stop(c->loop, &c->sink_io);
    ev_io_stop(c->loop, &c->commit_io);
}

static void watch_group(struct connector *c)
{
    if (c->presence != NULL) {
        ev_io_init(&c->presence_io, on_presence, presence_fd(c->presence), EV_READ);
        c->presence_io.data = c;
        ev_io_start(c->loop, &c->presence_io);
    }
    if (c->lease != NULL) {
        ev_io_init(&c->lease_io, on_lease, lease_fd(c->lease), EV_READ);
        c->lease_io.data = c;
        ev_io_start(c->loop, &c->lease_io);
    }
}

/* Often enough to see that the log is silent for too long. */
static double look_s(const struct connector *c)
{
    int64_t silence_ms = c->cfg->source.silence_ms;
    int64_t ms = silence_ms > 0 && silence_ms / 4 < LOOK_MS ? silence_ms / 4 : LOOK_MS;
    return (ms > 50 ? ms : 50) / 1000.0;
}

void connector_watch(struct connector *c)
{
    c->loop = ev_default_loop(EVFLAG_AUTO);
    ev_io_init(&c->inbox_io, on_inbox, inbox_fd(c->inbox), EV_READ);
    ev_timer_init(&c->timer, on_timer, 0, 0);
    ev_timer_init(&c->look, on_look, look_s(c), look_s(c));
    ev_idle_init(&c->idle, on_idle);
    ev_signal_init(&c->term, on_stop_request, SIGTERM);
    ev_signal_init(&c->intr, on_stop_request, SIGINT);
    c->inbox_io.data = c->timer.data = c->look.data = c->idle.data = c->term.data = c->intr.data = c;
    ev_io_start(c->loop, &c->inbox_io);
    ev_signal_start(c->loop, &c->term);
    ev_signal_start(c->loop, &c->intr);
    watch_group(c);
    ev_timer_start(c->loop, &c->look);
    connector_watch_producer(c);
}

/* The default loop outlives a run. */
void connector_unwatch(struct connector *c)
{
    struct ev_io *const ios[] = {&c->inbox_io,    &c->signal_io, &c->reload_io,
                                 &c->presence_io, &c->lease_io,  &c->move_io};
    for (size_t i = 0; i < sizeof ios / sizeof *ios; i++)
        ev_io_stop(c->loop, ios[i]);
    for (unsigned i = 0; i < c->n_workers; i++)
        ev_io_stop(c->loop, &c->worker_io[i]);
    connector_unwatch_producer(c);
    ev_timer_stop(c->loop, &c->timer);
    ev_timer_stop(c->loop, &c->look);
    ev_idle_stop(c->loop, &c->idle);
    ev_signal_stop(c->loop, &c->term);
    ev_signal_stop(c->loop, &c->intr);
}

void connector_watch_workers(struct connector *c)
{
    int fds[INCREMENTAL_THREADS_MAX];
    unsigned n = incremental_fds(snapshots_incremental(c->snapshots), fds);
    for (; c->n_workers < n; c->n_workers++) {
        struct ev_io *io = &c->worker_io[c->n_workers];
        ev_io_init(io, connector_on_io, fds[c->n_workers], EV_READ);
        io->data = c;
        ev_io_start(c->loop, io);
    }
}

void connector_wait_for(struct connector *c, int ms)
{
    ev_timer_stop(c->loop, &c->timer);
    if (ms == 0) {
        ev_idle_start(c->loop, &c->idle);
        return;
    }
    ev_idle_stop(c->loop, &c->idle);
    if (ms < 0)
        return;
    ev_timer_set(&c->timer, ms / 1000.0, 0);
    ev_timer_start(c->loop, &c->timer);
}
