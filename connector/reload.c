/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/reload.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct reload {
    const struct config *cfg;
    struct state state;
    struct fail why;
    bool is_good;
    atomic_bool has_ended;
    atomic_bool must_stop;
    pthread_t thread;
    int fd;
};

static void *run(void *arg)
{
    struct reload *r = arg;
    r->is_good = state_load(&r->state, r->cfg, &r->must_stop, &r->why);
    atomic_store(&r->has_ended, true);
    eventfd_write(r->fd, 1);
    return NULL;
}

struct reload *reload_start(const struct config *cfg, struct fail *why)
{
    struct reload *r = mem_zero(1, sizeof *r);
    r->cfg = cfg;
    state_init(&r->state, cfg);
    r->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int err = r->fd < 0 ? errno : pthread_create(&r->thread, NULL, run, r);
    if (err == 0)
        return r;
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start a thread that reads the stored state: %s", strerror(err));
    if (r->fd >= 0)
        close(r->fd);
    state_fini(&r->state);
    free(r);
    return NULL;
}

int reload_fd(const struct reload *r)
{
    return r->fd;
}

bool reload_has_ended(const struct reload *r)
{
    return atomic_load(&r->has_ended);
}

bool reload_take(struct reload *r, struct state *st, struct fail *why)
{
    if (!r->is_good) {
        *why = r->why;
        return fail_add(why, "read the stored state again");
    }
    struct state old = *st;
    *st = r->state;
    r->state = old;
    st->signal_start = old.signal_start;
    return true;
}

void reload_free(struct reload **reload)
{
    struct reload *r = *reload;
    if (r == NULL)
        return;
    atomic_store(&r->must_stop, true);
    pthread_join(r->thread, NULL);
    close(r->fd);
    state_fini(&r->state);
    free(r);
    *reload = NULL;
}
