/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offset_file.h"

#include "base/log.h"
#include "base/map.h"
#include "connector/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = OFFSET_FILE_SHAPES + 1 };

struct entry {
    char *key;
    char *value; /* NULL: removed */
};

struct part {
    char *path;
    char *new_path;        /* written beside it, then renamed */
    struct entry *entries; /* in the order in which the keys first came */
    size_t n, room;
    struct map by_key; /* key -> index + 1 */
    bool is_dirty;
};

struct offset_file {
    char *folder;
    int lock_fd;
    struct part parts[PARTS];
};

static char *text_join(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *text = mem_alloc(n + m + 1);
    memcpy(text, a, n);
    memcpy(text + n, b, m + 1);
    return text;
}

/* ---- entries ---- */

static struct entry *entry_of(struct part *p, struct view key)
{
    size_t at = (size_t)(uintptr_t)map_get(&p->by_key, key);
    if (at > 0)
        return &p->entries[at - 1];
    if (p->n == p->room) {
        p->room = p->room == 0 ? 16 : 2 * p->room;
        p->entries = mem_resize(p->entries, p->room * sizeof *p->entries);
    }
    p->entries[p->n++] = (struct entry){view_to_string(key), NULL};
    map_put(&p->by_key, key, (void *)(uintptr_t)p->n);
    return &p->entries[p->n - 1];
}

static void part_put(struct part *p, struct view key, bool has_value, struct view value)
{
    struct entry *e = entry_of(p, key);
    free(e->value);
    e->value = has_value ? view_to_string(value) : NULL;
    p->is_dirty = true;
}

void offset_file_put(struct offset_file *f, enum offset_file_part part, struct view key, bool has_value,
                     struct view value)
{
    part_put(&f->parts[part], key, has_value, value);
}

bool offset_file_load(struct offset_file *f, enum offset_file_part part, state_topic_fn on_record, void *ctx,
                      struct fail *why)
{
    const struct part *p = &f->parts[part];
    for (size_t i = 0; i < p->n; i++) {
        const struct entry *e = &p->entries[i];
        if (e->value == NULL)
            continue;
        if (!on_record(ctx, view_of(e->key), true, view_of(e->value), why))
            return fail_add(why, "%s line %zu", p->path, i + 1);
    }
    return true;
}

/* ---- reading ---- */

/* {"key":K,"value":V} */
static bool read_line(struct part *p, struct view line)
{
    static const char before_key[] = "{\"key\":", before_value[] = ",\"value\":";
    struct view key, value;
    size_t at = sizeof before_key - 1;
    if (line.n < at || memcmp(line.p, before_key, at) != 0)
        return false;
    size_t end = json_text_skip(line, at);
    key = (struct view){line.p + at, end - at};
    at = end + sizeof before_value - 1;
    if (at > line.n || memcmp(line.p + end, before_value, sizeof before_value - 1) != 0)
        return false;
    end = json_text_skip(line, at);
    value = (struct view){line.p + at, end - at};
    if (end + 1 != line.n || line.p[end] != '}' || key.n == 0 || value.n == 0)
        return false;
    part_put(p, key, true, value);
    return true;
}

/* A file of Kafka Connect or of Debezium Server, a serialized Java object (Java Object Serialization Specification, 6.4). */
static bool is_java(struct view text)
{
    static const uint8_t magic[] = {0xac, 0xed, 0x00, 0x05};
    return text.n >= sizeof magic && memcmp(text.p, magic, sizeof magic) == 0;
}

static bool read_lines(struct part *p, struct view text, struct fail *why)
{
    size_t number = 1;
    if (is_java(text))
        return fail_set(
            why, FAIL_STOP, FAIL_AREA_SYSTEM, 0,
            "%s is an offset file of Kafka Connect or Debezium Server; hint: name another file as "
            "offset.storage.file.filename, then take the position over by tidemark offsets import --from-path %s",
            p->path, p->path);
    for (size_t at = 0; at < text.n; number++) {
        const uint8_t *end = memchr(text.p + at, '\n', text.n - at);
        size_t n = end == NULL ? text.n - at : (size_t)(end - text.p) - at;
        if (n > 0 && !read_line(p, (struct view){text.p + at, n}))
            return fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, 0,
                            "%s line %zu is not {\"key\":...,\"value\":...}; hint: put the file back as it was, or "
                            "remove it to begin anew",
                            p->path, number);
        at += n + 1;
    }
    return true;
}

static bool read_whole(int fd, size_t n, struct buf *text)
{
    buf_need(text, n + 1);
    for (;;) {
        buf_need(text, 4096);
        ssize_t got = read(fd, text->p, (size_t)(text->end - text->p));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        text->p += got;
    }
}

static bool part_read(struct part *p, struct fail *why)
{
    struct stat st;
    struct buf text;
    int fd = open(p->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true;
    buf_init(&text);
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && read_whole(fd, (size_t)st.st_size, &text);
    if (!ok)
        fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "read the stored position from %s: %m", p->path);
    ok = ok && read_lines(p, buf_view(&text), why);
    p->is_dirty = false;
    if (fd >= 0)
        close(fd);
    buf_fini(&text);
    return ok;
}

/* ---- writing ---- */

static void print_part(const struct part *p, struct buf *out)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->entries[i].value == NULL)
            continue;
        buf_put_literal(out, "{\"key\":");
        buf_put_text(out, p->entries[i].key);
        buf_put_literal(out, ",\"value\":");
        buf_put_text(out, p->entries[i].value);
        buf_put_literal(out, "}\n");
    }
}

static bool write_whole(int fd, struct view text)
{
    for (size_t at = 0; at < text.n;) {
        ssize_t n = write(fd, text.p + at, text.n - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static bool write_file(const char *path, struct view text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return false;
    bool ok = write_whole(fd, text) && fsync(fd) == 0;
    int err = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        err = errno;
    }
    errno = err;
    return ok;
}

static bool sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = fsync(fd) == 0;
    int err = errno;
    close(fd);
    errno = err;
    return ok;
}

static bool may_heal(int err)
{
    return err == ENOSPC || err == EDQUOT || err == EMFILE || err == ENFILE || err == ENOMEM || err == EAGAIN;
}

static bool part_store(struct part *p, const char *folder, struct fail *why)
{
    struct buf text;
    buf_init(&text);
    print_part(p, &text);
    bool ok = write_file(p->new_path, buf_view(&text)) && rename(p->new_path, p->path) == 0 && sync_folder(folder);
    int err = errno;
    buf_fini(&text);
    if (ok) {
        p->is_dirty = false;
        return true;
    }
    unlink(p->new_path);
    errno = err;
    return fail_set(why, may_heal(err) ? FAIL_RETRY : FAIL_STOP, FAIL_AREA_SYSTEM, err,
                    "store the position in %s: %m; the one stored before is kept", p->path);
}

bool offset_file_store(struct offset_file *f, struct fail *why)
{
    static const enum offset_file_part order[PARTS] = {OFFSET_FILE_SHAPES, OFFSET_FILE_OFFSETS};
    for (int i = 0; i < PARTS; i++) {
        struct part *p = &f->parts[order[i]];
        if (p->is_dirty && !part_store(p, f->folder, why))
            return false;
    }
    return true;
}

/* ---- open and close ---- */

static void part_init(struct part *p, const char *path, const char *suffix)
{
    *p = (struct part){.path = text_join(path, suffix)};
    p->new_path = text_join(p->path, ".new");
    map_init(&p->by_key);
}

static void part_fini(struct part *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->entries[i].key);
        free(p->entries[i].value);
    }
    free(p->entries);
    map_fini(&p->by_key, NULL);
    free(p->path);
    free(p->new_path);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return mem_strdup(".");
    size_t n = slash == path ? 1 : (size_t)(slash - path);
    return view_to_string((struct view){(const uint8_t *)path, n});
}

static bool fail_lock(const char *lock, struct fail *why)
{
    return fail_set(why, FAIL_STOP, errno == EWOULDBLOCK ? FAIL_AREA_FENCED : FAIL_AREA_SYSTEM, errno,
                    "lock %s: %m; hint: another tidemark uses this file", lock);
}

bool offset_file_is_free(const char *path, struct fail *why)
{
    char *lock = text_join(path, ".lock");
    int fd = open(lock, O_RDWR | O_CLOEXEC);
    bool ok = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || fail_lock(lock, why);
    if (fd >= 0)
        close(fd);
    free(lock);
    return ok;
}

static bool take_lock(struct offset_file *f, const char *path, struct fail *why)
{
    char *lock = text_join(path, ".lock");
    f->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (f->lock_fd < 0)
        fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, errno, "open %s: %m; hint: the folder must be there and writable",
                 lock);
    else if (flock(f->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        fail_lock(lock, why);
        close(f->lock_fd);
        f->lock_fd = -1;
    }
    free(lock);
    return f->lock_fd >= 0;
}

static struct offset_file *open_parts(const char *path, bool is_locked, struct fail *why)
{
    struct offset_file *f = mem_zero(1, sizeof *f);
    f->lock_fd = -1;
    f->folder = folder_of(path);
    part_init(&f->parts[OFFSET_FILE_OFFSETS], path, "");
    part_init(&f->parts[OFFSET_FILE_SHAPES], path, ".shapes");
    if ((!is_locked || take_lock(f, path, why)) && part_read(&f->parts[OFFSET_FILE_OFFSETS], why) &&
        part_read(&f->parts[OFFSET_FILE_SHAPES], why))
        return f;
    offset_file_close(&f);
    return NULL;
}

struct offset_file *offset_file_open(const char *path, struct fail *why)
{
    return open_parts(path, true, why);
}

struct offset_file *offset_file_peek(const char *path, struct fail *why)
{
    return open_parts(path, false, why);
}

void offset_file_close(struct offset_file **file)
{
    struct offset_file *f = *file;
    if (f == NULL)
        return;
    for (int i = 0; i < PARTS; i++)
        part_fini(&f->parts[i]);
    if (f->lock_fd >= 0)
        close(f->lock_fd);
    free(f->folder);
    free(f);
    *file = NULL;
}
