/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro: the way of a row through the reader, and through a window, without servers, for counting its instructions.
 *
 *   micro decode LOG    events of test/data/events/LOG.hex to cells
 *   micro record LOG    the same, rendered, handed over, and given back as if Kafka had them
 *   micro window        rows of a chunk: filled, some of them heard of, asked for, ended
 *
 * measured() does the work alone: callgrind counts inside of it (--toggle-collect). Prints how many rows that were.
 */
#include "connector/feed.h"
#include "connector/inbox.h"
#include "snapshot/chunk_rows.h"
#include "snapshot/window.h"
#include "test/support/captured.h"
#include "test/support/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 50, CHUNK_ROWS = 1024, HEARD_EVERY = 16, INBOX_BYTES = 4 << 20 };

struct job {
    uint64_t (*work)(struct job *j); /* returns rows */
    struct captured cap;
    size_t n_prelude; /* events up to the first rows: never again */
    struct catalog catalog;
    struct stream *stream;
    struct inbox *in;
    struct chunk_rows *chunk;
};

static void die(const struct fail *why)
{
    fprintf(stderr, "micro: %s\n", why->text);
    exit(1);
}

/* ---- the log ---- */

/* The loop's side, with a producer that delivers at once. */
static void drain(struct inbox *in)
{
    struct inbox_chunk *chunk;
    for (const struct change *chg; (chg = inbox_take(in, &chunk)) != NULL;) {
        if (chg->kind == CHANGE_SHAPE) {
            const struct shape *shape = chg->mark.shape;
            shape_free(&shape);
        }
        if (chg->kind != CHANGE_RECORD)
            continue;
        struct loan *loan = inbox_lend(chunk);
        loan->back(loan);
    }
}

static void feed_events(struct job *j, size_t from, size_t to)
{
    struct fail why;
    for (size_t i = from; i < to; i++) {
        if (!stream_feed(j->stream, j->cap.events[i], 1796060000000000000, &why))
            die(&why);
        drain(j->in);
    }
}

static uint64_t read_log(struct job *j)
{
    uint64_t before = stream_counters(j->stream)->rows;
    for (int i = 0; i < ROUNDS; i++)
        feed_events(j, j->n_prelude, j->cap.n);
    return stream_counters(j->stream)->rows - before;
}

static bool pass_event(void *ctx, void *table, const struct stream_event *ev, struct fail *why)
{
    (void)ctx;
    (void)table;
    (void)ev;
    (void)why;
    return true;
}

static bool pass_row(void *ctx, void *table, const struct stream_event *ev, enum stream_row kind, uint32_t row_index,
                     const struct cell *before, const struct cell *after, struct fail *why)
{
    (void)ctx;
    (void)table;
    (void)ev;
    (void)kind;
    (void)row_index;
    (void)before;
    (void)after;
    (void)why;
    return true;
}

static bool pass_end(void *ctx, const struct stream_event *ev, struct fail *why)
{
    (void)ctx;
    (void)ev;
    (void)why;
    return true;
}

/* Everything up to the transaction with the first rows, which is told from its GTID on. */
static size_t count_prelude(const struct captured *cap)
{
    size_t begin = 0;
    for (size_t i = 0; i < cap->n; i++) {
        if (cap->events[i].p[4] == EVENT_GTID)
            begin = i;
        if (cap->events[i].p[4] == EVENT_TABLE_MAP)
            return begin;
    }
    return 0;
}

static void open_log(struct job *j, const char *name, bool renders)
{
    static struct record_settings set;
    static const struct filter all;
    static struct gtid_set nothing;
    static const struct stream_settings settings = {STREAM_FAIL, STREAM_FAIL, 1 << 20};
    struct stream_output out;
    struct fail why;
    set = rows_settings(false);
    gtid_set_init(&nothing);
    j->in = inbox_new(INBOX_BYTES, &why);
    if (j->in == NULL)
        die(&why);
    feed_output(feed_new(j->in, &set, &all), &out);
    if (!renders) {
        out.event_begin = pass_event;
        out.row = pass_row;
        out.event_end = pass_end;
    }
    catalog_init(&j->catalog, 0);
    j->stream = stream_new(&settings, &j->catalog, &out);
    stream_set_server(j->stream,
                      &(struct stream_server){.version = 90704, .charset = charset_find(view_of("utf8mb4"))});
    stream_begin(j->stream, &(struct stream_start){.executed = &nothing});
    captured_load(&j->cap, name);
    j->n_prelude = count_prelude(&j->cap);
    j->work = read_log;
    feed_events(j, 0, j->cap.n);
}

/* ---- a window ---- */

static struct chunk_rows *chunk_new(void)
{
    struct chunk_rows *chunk = mem_zero(1, sizeof *chunk);
    buf_init(&chunk->memory);
    for (unsigned i = 0; i < CHUNK_ROWS; i++)
        buf_put_le(&chunk->memory, i * 77, 8);
    chunk->rows = mem_zero(CHUNK_ROWS, sizeof *chunk->rows);
    chunk->n = CHUNK_ROWS;
    for (unsigned i = 0; i < CHUNK_ROWS; i++)
        chunk->rows[i].key = (struct view){chunk->memory.start + (size_t)i * 8, 8};
    return chunk;
}

static uint64_t run_window(struct job *j)
{
    static const struct log_position high = {.file = "binlog.000001", .offset = 100};
    struct window win;
    uint64_t kept = 0;
    window_init(&win);
    window_begin(&win);
    for (uint64_t i = 0; i < CHUNK_ROWS / HEARD_EVERY; i++) {
        uint64_t key = i * HEARD_EVERY * 77;
        window_hear(&win, VIEW_NONE, (struct view){(const uint8_t *)&key, sizeof key});
        if (i == CHUNK_ROWS / HEARD_EVERY / 2)
            window_fill(&win, j->chunk, &high);
    }
    for (uint32_t i = 0; i < CHUNK_ROWS; i++)
        kept += window_keeps(&win, i);
    window_end(&win);
    window_fini(&win);
    return kept == CHUNK_ROWS - CHUNK_ROWS / HEARD_EVERY ? CHUNK_ROWS : 0;
}

/* ---- what is counted ---- */

__attribute__((noinline)) uint64_t measured(struct job *j);

uint64_t measured(struct job *j)
{
    return j->work(j);
}

int main(int argc, char **argv)
{
    static struct job j;
    if (argc == 3 && (strcmp(argv[1], "decode") == 0 || strcmp(argv[1], "record") == 0)) {
        open_log(&j, argv[2], argv[1][0] == 'r');
    } else if (argc == 2 && strcmp(argv[1], "window") == 0) {
        j.chunk = chunk_new();
        j.work = run_window;
    } else {
        fprintf(stderr, "usage: micro decode LOG | record LOG | window\n");
        return 2;
    }
    printf("rows %llu\n", (unsigned long long)measured(&j));
    return 0;
}
