/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* In front of each body; only ever read by the process that wrote it. */
struct head {
    const char *file;
    uint64_t offset;
    uint64_t body_bytes;
    uint32_t server_id;
    uint8_t type;
};

void held_init(struct held_events *held, struct held_budget *budget)
{
    *held = (struct held_events){.budget = budget, .fd = -1};
    buf_init(&held->memory);
    buf_init(&held->scratch);
}

void held_fini(struct held_events *held)
{
    held->budget->used_bytes -= buf_size(&held->memory);
    buf_fini(&held->memory);
    buf_fini(&held->scratch);
    if (held->fd >= 0)
        close(held->fd);
    held->fd = -1;
}

static bool open_file(struct held_events *held, struct fail *why)
{
    const char *dir = getenv("TMPDIR");
    if (dir == NULL || *dir == '\0')
        dir = "/tmp";
    char path[4096];
    snprintf(path, sizeof path, "%s/tidemark-xa-XXXXXX", dir);
    held->fd = mkostemp(path, O_CLOEXEC);
    if (held->fd < 0)
        return fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno,
                        "make a temporary file in %s for the rows of an open XA transaction: %s; "
                        "hint: TMPDIR names another place",
                        dir, strerror(errno));
    unlink(path);
    return true;
}

static bool write_all(struct held_events *held, const void *bytes, size_t n, struct fail *why)
{
    const uint8_t *at = bytes;
    while (n > 0) {
        ssize_t done = pwrite(held->fd, at, n, (off_t)held->file_bytes);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno,
                            "keep the rows of an open XA transaction in a temporary file: %s; "
                            "hint: make room where TMPDIR points, or end the XA transaction",
                            done < 0 ? strerror(errno) : "nothing was written");
        at += done;
        n -= (size_t)done;
        held->file_bytes += (uint64_t)done;
    }
    return true;
}

static bool read_all(struct held_events *held, void *bytes, size_t n, struct fail *why)
{
    uint8_t *at = bytes;
    while (n > 0) {
        ssize_t done = pread(held->fd, at, n, (off_t)held->file_read_at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno,
                            "read the rows of an XA transaction back from a temporary file: %s",
                            done < 0 ? strerror(errno) : "it ends too early");
        at += done;
        n -= (size_t)done;
        held->file_read_at += (uint64_t)done;
    }
    return true;
}

bool held_put(struct held_events *held, const struct held_event *ev, struct fail *why)
{
    struct head head = {ev->file, ev->offset, ev->body.n, ev->server_id, ev->type};
    size_t need = sizeof head + ev->body.n;
    held->n++;
    if (held->fd < 0 && held->budget->used_bytes + need <= held->budget->limit_bytes) {
        buf_put(&held->memory, &head, sizeof head);
        buf_put_view(&held->memory, ev->body);
        held->budget->used_bytes += need;
        return true;
    }
    if (held->fd < 0 && !open_file(held, why))
        return false;
    return write_all(held, &head, sizeof head, why) && write_all(held, ev->body.p, ev->body.n, why);
}

void held_rewind(struct held_events *held)
{
    held->read_at = 0;
    held->file_read_at = 0;
}

static void give(struct held_event *ev, const struct head *head, const uint8_t *body)
{
    *ev = (struct held_event){head->file, head->offset, {body, (size_t)head->body_bytes}, head->type, head->server_id};
}

bool held_next(struct held_events *held, struct held_event *ev, bool *is_end, struct fail *why)
{
    struct head head;
    *is_end = false;
    if (held->read_at < buf_size(&held->memory)) {
        memcpy(&head, held->memory.start + held->read_at, sizeof head);
        give(ev, &head, held->memory.start + held->read_at + sizeof head);
        held->read_at += sizeof head + ev->body.n;
        return true;
    }
    if (held->fd < 0 || held->file_read_at == held->file_bytes) {
        *is_end = true;
        return false;
    }
    if (!read_all(held, &head, sizeof head, why))
        return false;
    buf_clear(&held->scratch);
    buf_need(&held->scratch, (size_t)head.body_bytes);
    if (!read_all(held, held->scratch.start, (size_t)head.body_bytes, why))
        return false;
    give(ev, &head, held->scratch.start);
    return true;
}
