/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/reload.h"

#include "base/log.h"
#include "connector/admin.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ASK_MS = 5000 };

struct reload {
    const struct config *cfg;
    const char *limit_of;
    size_t limit;
    struct state state;
    struct fail why;
    bool is_good;
    atomic_bool has_ended;
    atomic_bool must_stop;
    pthread_t thread;
    int fd;
};

/* What can't be asked is not known: the record is named without it. */
static void ask_limit(struct reload *r)
{
    char text[24];
    bool is_known;
    struct fail why;
    struct admin *a = admin_open(&r->cfg->kafka.client, &r->must_stop, &why);
    if (a != NULL &&
        admin_topic_setting(a, r->limit_of, "max.message.bytes", ASK_MS, text, sizeof text, &is_known, &why)) {
        if (is_known)
            r->limit = (size_t)strtoull(text, NULL, 10);
    } else {
        log_debug("reload", "%s", why.text);
    }
    admin_close(&a);
}

static void *run(void *arg)
{
    struct reload *r = arg;
    r->is_good = state_load(&r->state, r->cfg, &r->must_stop, &r->why);
    if (r->is_good && r->limit_of != NULL)
        ask_limit(r);
    atomic_store(&r->has_ended, true);
    eventfd_write(r->fd, 1);
    return NULL;
}

struct reload *reload_start(const struct config *cfg, const char *limit_of, struct fail *why)
{
    struct reload *r = mem_zero(1, sizeof *r);
    r->cfg = cfg;
    r->limit_of = limit_of;
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

size_t reload_limit(const struct reload *r)
{
    return r->limit;
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
