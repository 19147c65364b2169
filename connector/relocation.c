/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/relocation.h"

#include "base/ending.h"
#include "base/log.h"
#include "binlog/server.h"
#include "connector/offsets_place.h"
#include "connector/offsets_shapes.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { AGAIN_MS = 1000 };

struct relocation {
    struct config cfg; /* the run's, but for source.name; what it points to is lent */
    char *source_name; /* our dumps need a uuid of their own, or they would end the stream's (source_dump.c) */
    struct place_wish wish;
    struct offsets_store store; /* as it is stored; its shapes are proven down to the place */
    bool has_store;
    struct offset_state place;
    bool is_found;
    struct fail why; /* unless found */
    atomic_bool has_ended;
    atomic_bool must_stop;
    struct ending ending;
    pthread_t thread;
    int fd;      /* readable: it has ended */
    int stop_fd; /* readable: it must stop */
};

static void forget_store(struct relocation *r)
{
    if (r->has_store)
        offsets_store_close(&r->store);
    r->has_store = false;
}

static bool look_into_store(struct relocation *r, struct fail *why)
{
    forget_store(r);
    r->has_store = true;
    return offsets_store_look(&r->store, &r->cfg, why);
}

static bool find_place(struct relocation *r, struct fail *why)
{
    struct source *src = source_new(&r->cfg.source);
    struct server server;
    bool ok = source_connect(src, why) && server_check(src, &r->cfg.source, &server, why) &&
              offsets_place_find(src, &r->cfg, &server, &r->wish, &r->place, why) && look_into_store(r, why) &&
              offsets_shapes_check(&r->store, &server, &r->place, why);
    source_free(&src);
    return ok;
}

/* False: it must stop. */
static bool wait_a_while(const struct relocation *r)
{
    struct pollfd stop = {.fd = r->stop_fd, .events = POLLIN};
    return poll(&stop, 1, AGAIN_MS) == 0 && !atomic_load(&r->must_stop);
}

static void *run(void *arg)
{
    struct relocation *r = arg;
    bool is_told = false;
    while (!(r->is_found = find_place(r, &r->why)) && r->why.kind == FAIL_RETRY && wait_a_while(r)) {
        if (!is_told)
            log_warn("relocation", "set-binlog-position waits: %s", r->why.text);
        is_told = true;
    }
    atomic_store(&r->has_ended, true);
    eventfd_write(r->fd, 1);
    ending_tell(&r->ending);
    return NULL;
}

/* ---- the loop's side ---- */

static bool read_wish(const struct signal *sig, struct place_wish *wish, struct fail *why)
{
    if (sig->gtids.n > 0) {
        wish->kind = PLACE_GTIDS;
        return gtid_set_read(&wish->gtids, sig->gtids, why) || fail_add(why, "read data.gtid_set");
    }
    wish->kind = PLACE_POSITION;
    return position_set(&wish->pos, sig->file, sig->offset, why) || fail_add(why, "read data.binlog_filename");
}

static void give_back(struct relocation *r)
{
    if (r->fd >= 0)
        close(r->fd);
    if (r->stop_fd >= 0)
        close(r->stop_fd);
    forget_store(r);
    offset_state_fini(&r->place);
    place_wish_fini(&r->wish);
    ending_fini(&r->ending);
    free(r->source_name);
    free(r);
}

static char *name_aside(const char *name)
{
    struct buf text;
    buf_init(&text);
    buf_printf(&text, "%s, looking for a position", name);
    char *aside = view_to_string(buf_view(&text));
    buf_fini(&text);
    return aside;
}

struct relocation *relocation_start(const struct config *cfg, const struct signal *sig, struct fail *why)
{
    struct relocation *r = mem_zero(1, sizeof *r);
    r->cfg = *cfg;
    r->source_name = name_aside(cfg->source.name);
    r->cfg.source.name = r->source_name;
    r->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    r->stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    offset_state_init(&r->place);
    place_wish_init(&r->wish);
    ending_init(&r->ending);
    if (!read_wish(sig, &r->wish, why)) {
        give_back(r);
        return NULL;
    }
    int err = r->fd < 0 || r->stop_fd < 0 ? errno : pthread_create(&r->thread, NULL, run, r);
    if (err == 0)
        return r;
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start a thread that looks for a position: %s", strerror(err));
    give_back(r);
    return NULL;
}

int relocation_fd(const struct relocation *r)
{
    return r->fd;
}

bool relocation_has_ended(const struct relocation *r)
{
    return atomic_load(&r->has_ended);
}

const struct offset_state *relocation_place(const struct relocation *r, struct fail *why)
{
    if (r->is_found)
        return &r->place;
    *why = r->why;
    return NULL;
}

void relocation_each_shape(const struct relocation *r, void (*each)(void *ctx, const char *db, const char *table),
                           void *ctx)
{
    offsets_store_each_changed(&r->store, each, ctx);
}

bool relocation_free(struct relocation **relocation, int timeout_ms)
{
    struct relocation *r = *relocation;
    if (r == NULL)
        return true;
    atomic_store(&r->must_stop, true);
    eventfd_write(r->stop_fd, 1);
    if (!ending_wait(&r->ending, timeout_ms))
        return false;
    pthread_join(r->thread, NULL);
    give_back(r);
    *relocation = NULL;
    return true;
}
