/* SPDX-License-Identifier: Apache-2.0 */
/* stream: captured logs are told once and in order, however often the connection breaks, and wherever. */
#include "binlog/gtid_event.h"
#include "binlog/rows.h"
#include "binlog/stream.h"
#include "test/support/captured.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was told: a line each. `again` has what may be told twice: begins and shapes. */
struct transcript {
    struct buf once;
    struct buf again;
    const char *captured_db;
    struct log_position ready_at;
    unsigned n_ready;
    unsigned n_files; /* entered; the last: */
    struct log_birth entered;
    unsigned n_opened, n_open; /* table versions, ever and now */
};

static bool is_captured(const void *ctx, struct view db, struct view table)
{
    const struct transcript *t = ctx;
    (void)table;
    return t->captured_db != NULL && view_is(db, t->captured_db);
}

static bool open_table(void *ctx, const struct shape *shape, void **table, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    *table = mem_zero(1, sizeof(const struct shape *));
    *(const struct shape **)*table = shape_hold(shape);
    t->n_opened++;
    t->n_open++;
    return true;
}

static void close_table(void *ctx, void *table)
{
    struct transcript *t = ctx;
    t->n_open--;
    shape_free((const struct shape **)table);
    free(table);
}

static bool begin(void *ctx, const struct stream_transaction *trx, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    buf_printf(&t->again, "begin %s\n", trx->gtid_text);
    return true;
}

static bool event_begin(void *ctx, void *table, const struct stream_event *ev, struct fail *why)
{
    (void)ctx;
    (void)table;
    (void)ev;
    (void)why;
    return true;
}

static void put_cell(struct buf *out, const struct cell *c)
{
    switch (c->kind) {
    case CELL_INT:
        buf_printf(out, " %lld", (long long)c->i);
        break;
    case CELL_BYTES:
        buf_printf(out, " %zu bytes", c->bytes.n);
        break;
    default:
        buf_printf(out, " kind%d", (int)c->kind);
        break;
    }
}

static bool row(void *ctx, void *table, const struct stream_event *ev, enum stream_row kind, uint32_t row_index,
                const struct cell *before, const struct cell *after, struct fail *why)
{
    static const char *const kinds[] = {"insert", "update", "delete"};
    struct transcript *t = ctx;
    const struct shape *shape = *(const struct shape **)table;
    (void)why;
    buf_printf(&t->once, "%s %.*s of %s events=%u row=%u at %llu:", kinds[kind], VIEW_ARGS(shape->table),
               ev->trx->gtid_text, ev->trx->events, row_index, (unsigned long long)ev->offset);
    put_cell(&t->once, before != NULL ? &before[0] : &after[0]);
    buf_put_u8(&t->once, '\n');
    return true;
}

static bool event_end(void *ctx, const struct stream_event *ev, struct fail *why)
{
    (void)ctx;
    (void)ev;
    (void)why;
    return true;
}

static bool statement(void *ctx, const struct stream_statement *st, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    buf_printf(&t->once, "statement of %s: %.*s\n", st->trx->gtid_text, VIEW_ARGS(st->sql));
    return true;
}

static bool shape_changed(void *ctx, struct view db, struct view table, const struct shape *shape, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    buf_printf(&t->again, "shape %.*s.%.*s %u\n", VIEW_ARGS(db), VIEW_ARGS(table),
               shape == NULL ? 0 : shape->n_columns);
    return true;
}

static bool table_rewritten(void *ctx, struct view db, struct view table, bool is_emptied, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    buf_printf(&t->again, "%s %.*s.%.*s\n", is_emptied ? "emptied" : "rewritten", VIEW_ARGS(db), VIEW_ARGS(table));
    return true;
}

static bool xa(void *ctx, enum stream_xa_step step, const struct gtid *prepared, struct view xid, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    (void)prepared;
    static const char *const names[] = {"open", "done", "lost", "forgotten"};
    buf_printf(&t->once, "xa %s %.*s\n", names[step], VIEW_ARGS(xid));
    return true;
}

static bool commit(void *ctx, const struct stream_transaction *trx, const char *file, uint64_t offset, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    buf_printf(&t->once, "commit %s %s:%llu\n", trx->gtid_text, file, (unsigned long long)offset);
    return true;
}

static bool position(void *ctx, const char *file, uint64_t offset, struct fail *why)
{
    (void)ctx;
    (void)file;
    (void)offset;
    (void)why;
    return true;
}

static bool file(void *ctx, const char *name, uint32_t made_sec, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    t->n_files++;
    snprintf(t->entered.file, sizeof t->entered.file, "%s", name);
    t->entered.sec = made_sec;
    return true;
}

static bool ready(void *ctx, struct fail *why)
{
    struct transcript *t = ctx;
    (void)why;
    t->n_ready++;
    return true;
}

static bool read_shape(void *ctx, struct view db, struct view table, const struct shape **shape,
                       struct log_position *as_of, struct fail *why)
{
    (void)ctx;
    (void)db;
    (void)table;
    (void)why;
    *shape = NULL;
    *as_of = (struct log_position){.file = ""};
    return true;
}

static struct stream *make(struct transcript *t, struct catalog *catalog)
{
    const struct stream_settings set = {STREAM_FAIL, STREAM_WARN, 1 << 20};
    struct stream_output out = {
        .ctx = t,
        .is_captured = is_captured,
        .open_table = open_table,
        .close_table = close_table,
        .file = file,
        .begin = begin,
        .event_begin = event_begin,
        .row = row,
        .event_end = event_end,
        .statement = statement,
        .shape_changed = shape_changed,
        .table_rewritten = table_rewritten,
        .xa = xa,
        .commit = commit,
        .position = position,
        .ready = ready,
        .read_shape = read_shape,
    };
    catalog_init(catalog, 0);
    buf_init(&t->once);
    buf_init(&t->again);
    struct stream *st = stream_new(&set, catalog, &out);
    stream_set_server(st, &(struct stream_server){.version = 90704, .charset = charset_find(view_of("utf8mb4"))});
    return st;
}

static void finish(struct stream *st, struct catalog *catalog)
{
    stream_free(&st);
    catalog_fini(catalog);
}

static void transcript_fini(struct transcript *t)
{
    buf_fini(&t->once);
    buf_fini(&t->again);
}

static void feed(struct stream *st, struct view event)
{
    struct fail why;
    if (!stream_feed(st, event, 1, &why))
        fail_msg("%s", why.text);
}

/* Is it an event that a dump sends before the first transaction, wherever it starts? */
static bool is_prelude(const struct captured *cap, size_t i)
{
    uint8_t type = cap->events[i].p[4];
    return type == EVENT_ROTATE || type == EVENT_FORMAT_DESCRIPTION || type == EVENT_PREVIOUS_GTIDS;
}

static bool is_gtid(const struct captured *cap, size_t i)
{
    return cap->events[i].p[4] == EVENT_GTID || cap->events[i].p[4] == EVENT_GTID_TAGGED;
}

/* The server's side of a dump by GTIDs: transactions of the set are left out. */
static bool is_wanted(const struct captured *cap, size_t i, const struct gtid_set *executed, bool *in_wanted)
{
    if (is_gtid(cap, i)) {
        struct event ev = {.body = {cap->events[i].p + EVENT_HEADER_BYTES,
                                    cap->events[i].n - EVENT_HEADER_BYTES - EVENT_CHECKSUM_BYTES}};
        struct gtid_event g;
        ev.header.type = cap->events[i].p[4];
        assert_true(gtid_event_read(&ev, &g, NULL));
        *in_wanted = !gtid_set_has(executed, &g.gtid);
    }
    return *in_wanted;
}

/* Tells a captured log to its end with the connection broken before each of the events in `breaks`. */
static void tell(const char *name, const size_t *breaks, size_t n_breaks, struct transcript *t)
{
    struct captured cap;
    struct catalog catalog;
    struct gtid_set nothing;
    t->captured_db = "shop";
    struct stream *st = make(t, &catalog);
    captured_load(&cap, name);
    gtid_set_init(&nothing);
    stream_begin(st, &(struct stream_start){.executed = &nothing});
    size_t at = 0;
    for (size_t b = 0; b <= n_breaks; b++) {
        size_t until = b < n_breaks ? breaks[b] : cap.n;
        bool in_wanted = true;
        struct gtid_set executed;
        gtid_set_init(&executed);
        gtid_set_copy(&executed, stream_where(st).executed);
        for (at = 0; at < until; at++)
            if (is_prelude(&cap, at) || is_wanted(&cap, at, &executed, &in_wanted))
                feed(st, cap.events[at]);
        gtid_set_fini(&executed);
        if (b < n_breaks)
            stream_reconnected(st);
    }
    captured_free(&cap);
    finish(st, &catalog);
}

static void check_same(const struct transcript *a, const struct transcript *b, const char *name, size_t at)
{
    if (view_equal(buf_view(&a->once), buf_view(&b->once)))
        return;
    fail_msg("%s broken at %zu:\n%.*s\n--- instead of\n%.*s", name, at, VIEW_ARGS(buf_view(&b->once)),
             VIEW_ARGS(buf_view(&a->once)));
}

static size_t count_events(const char *name)
{
    struct captured cap;
    captured_load(&cap, name);
    size_t n = cap.n;
    captured_free(&cap);
    return n;
}

static const char *const logs[] = {"xa", "compressed", "tagged", "partitions", "statements", "partial_json"};

static void stream_tells_each_change_once_wherever_the_connection_breaks(void **state)
{
    (void)state;
    for (size_t l = 0; l < sizeof logs / sizeof *logs; l++) {
        struct transcript whole = {0}, broken = {0};
        size_t n = count_events(logs[l]);
        tell(logs[l], NULL, 0, &whole);
        assert_true(buf_size(&whole.once) > 0);
        for (size_t at = 1; at < n; at++) {
            const size_t twice[] = {at, at + (n - at) / 2};
            tell(logs[l], twice, 1, &broken);
            check_same(&whole, &broken, logs[l], at);
            transcript_fini(&broken);
            tell(logs[l], twice, 2, &broken);
            check_same(&whole, &broken, logs[l], at);
            transcript_fini(&broken);
        }
        transcript_fini(&whole);
    }
}

/* ---- another server, which has two transactions the other way round */

struct range {
    size_t from, to;
};

static bool has_rows(const struct captured *cap, struct range r)
{
    for (size_t i = r.from; i < r.to; i++)
        if (rows_is_type(cap->events[i].p[4]))
            return true;
    return false;
}

/* The transaction whose GTID stands at `from` or behind it. */
static struct range transaction(const struct captured *cap, size_t from)
{
    struct range r = {from, 0};
    while (r.from < cap->n && !is_gtid(cap, r.from))
        r.from++;
    r.to = r.from + 1 > cap->n ? cap->n : r.from + 1;
    while (r.to < cap->n && !is_gtid(cap, r.to))
        r.to++;
    return r;
}

/* Two neighbours with rows; false when there are none. */
static bool find_neighbours(const struct captured *cap, struct range *first, struct range *second)
{
    for (*first = transaction(cap, 0); first->to < cap->n; *first = *second) {
        *second = transaction(cap, first->to);
        if (has_rows(cap, *first) && has_rows(cap, *second))
            return true;
    }
    return false;
}

static void feed_range(struct stream *st, const struct captured *cap, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        feed(st, cap->events[i]);
}

static void feed_prelude(struct stream *st, const struct captured *cap)
{
    for (size_t i = 0; i < cap->n && is_prelude(cap, i); i++)
        feed(st, cap->events[i]);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_lines(struct buf *text)
{
    char *lines[1000], *rest = NULL;
    size_t n = 0;
    struct buf sorted;
    buf_init(&sorted);
    buf_put_u8(text, 0);
    for (char *line = strtok_r((char *)text->start, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        assert_true(n < sizeof lines / sizeof *lines);
        lines[n++] = line;
    }
    qsort(lines, n, sizeof *lines, by_text);
    for (size_t i = 0; i < n; i++)
        buf_printf(&sorted, "%s\n", lines[i]);
    buf_fini(text);
    *text = sorted;
}

/* The second of the two is told in part; of the other server's log, which has it first, the first one, too. */
static void tell_the_other_way_round(const struct captured *cap, struct range first, struct range second,
                                     struct transcript *t)
{
    struct catalog catalog;
    struct gtid_set nothing;
    t->captured_db = "shop";
    struct stream *st = make(t, &catalog);
    gtid_set_init(&nothing);
    stream_begin(st, &(struct stream_start){.executed = &nothing});
    feed_range(st, cap, 0, first.from);
    feed_range(st, cap, second.from, second.to - 1);
    stream_reconnected(st);
    stream_other_server(st);
    feed_prelude(st, cap);
    feed_range(st, cap, first.from, first.to - 1);
    stream_reconnected(st);
    feed_prelude(st, cap);
    feed_range(st, cap, first.from, cap->n);
    finish(st, &catalog);
}

/* Feeds what comes before the first transaction to a stream that was in that file; false: it refuses. */
static bool enters(struct transcript *t, const struct log_birth *birth, struct fail *why)
{
    struct captured cap;
    struct catalog catalog;
    struct gtid_set nothing;
    struct stream *st = make(t, &catalog);
    captured_load(&cap, "xa");
    gtid_set_init(&nothing);
    stream_begin(st, &(struct stream_start){.executed = &nothing, .birth = *birth});
    bool ok = true;
    for (size_t i = 0; ok && is_prelude(&cap, i); i++)
        ok = stream_feed(st, cap.events[i], 1, why);
    captured_free(&cap);
    finish(st, &catalog);
    transcript_fini(t);
    return ok;
}

static void stream_refuses_another_file_of_the_same_name(void **state)
{
    (void)state;
    struct fail why;
    struct transcript first = {0}, again = {0}, other = {0};
    assert_true(enters(&first, &(struct log_birth){.file = ""}, &why));
    assert_int_equal(first.n_files, 1);
    assert_true(enters(&again, &first.entered, &why));
    assert_int_equal(again.n_files, 0);
    first.entered.sec++;
    assert_false(enters(&other, &first.entered, &why));
    assert_int_equal(why.code, STREAM_OTHER_FILE);
    assert_int_equal(other.n_files, 0);
}

static void stream_remembers_each_transaction_that_was_told_in_part(void **state)
{
    (void)state;
    unsigned n_tried = 0;
    for (size_t l = 0; l < sizeof logs / sizeof *logs; l++) {
        struct transcript whole = {0}, turned = {0};
        struct captured cap;
        struct range first, second;
        captured_load(&cap, logs[l]);
        if (find_neighbours(&cap, &first, &second)) {
            n_tried++;
            tell(logs[l], NULL, 0, &whole);
            tell_the_other_way_round(&cap, first, second, &turned);
            sort_lines(&whole.once);
            sort_lines(&turned.once);
            check_same(&whole, &turned, logs[l], second.to - 1);
            transcript_fini(&whole);
            transcript_fini(&turned);
        }
        captured_free(&cap);
    }
    assert_true(n_tried > 0);
}

static bool has_line(const struct transcript *t, const char *text)
{
    return memmem(t->once.start, buf_size(&t->once), text, strlen(text)) != NULL;
}

static size_t count_lines(const struct transcript *t, const char *text)
{
    size_t n = 0;
    const uint8_t *at = t->once.start;
    while ((at = memmem(at, (size_t)(t->once.p - at), text, strlen(text))) != NULL) {
        n++;
        at++;
    }
    return n;
}

static void stream_tells_xa_rows_when_they_are_committed(void **state)
{
    (void)state;
    struct transcript t = {0};
    tell("xa", NULL, 0, &t);
    assert_true(has_line(&t, "xa open X'6162',X'71',7\ncommit"));
    assert_true(has_line(&t, " 1\nxa done X'6162',X'71',7\ncommit"));
    assert_false(has_line(&t, " 2\n"));      /* rolled back */
    assert_true(has_line(&t, " 3\ncommit")); /* one phase */
    transcript_fini(&t);
}

static void stream_tells_a_compressed_transaction_at_its_payload(void **state)
{
    (void)state;
    struct transcript t = {0};
    tell("compressed", NULL, 0, &t);
    assert_int_equal(count_lines(&t, "insert zip"), 2000);
    assert_int_equal(count_lines(&t, "delete zip"), 9);
    assert_int_equal(count_lines(&t, "update zip"), 1);
    transcript_fini(&t);
}

/* Everything lies at or below the barrier: nothing is told, but the end of the way is. */
static void stream_tells_nothing_up_to_its_barrier(void **state)
{
    (void)state;
    struct transcript t = {.captured_db = "shop"};
    struct captured cap;
    struct catalog catalog;
    struct gtid_set nothing;
    struct stream *st = make(&t, &catalog);
    captured_load(&cap, "compressed");
    gtid_set_init(&nothing);
    struct stream_start start = {.executed = &nothing, .has_barrier = true, .early = STREAM_EARLY_READ_AGAIN};
    const uint8_t *last = cap.events[cap.n - 1].p;
    snprintf(start.barrier.file, sizeof start.barrier.file, "%.*s", 32, "");
    /* The file's name is in the first, artificial ROTATE. */
    size_t name_bytes = cap.events[0].n - EVENT_HEADER_BYTES - 8 - EVENT_CHECKSUM_BYTES;
    memcpy(start.barrier.file, cap.events[0].p + EVENT_HEADER_BYTES + 8, name_bytes);
    start.barrier.offset = (uint64_t)last[13] | (uint64_t)last[14] << 8 | (uint64_t)last[15] << 16;
    stream_begin(st, &start);
    for (size_t i = 0; i < cap.n; i++) {
        assert_int_equal(t.n_ready, 0);
        feed(st, cap.events[i]);
    }
    assert_int_equal(t.n_ready, 1);
    assert_false(has_line(&t, "insert"));
    assert_false(has_line(&t, "statement"));
    assert_true(has_line(&t, "commit"));
    captured_free(&cap);
    finish(st, &catalog);
    transcript_fini(&t);
}

/* The log ends with DROP DATABASE: nothing of its tables is needed any more, and only the next file has new ids. */
static void stream_lets_go_of_versions_that_are_not_in_force(void **state)
{
    (void)state;
    struct transcript t = {.captured_db = "o d"};
    struct captured cap;
    struct catalog catalog;
    struct gtid_set nothing;
    struct stream *st = make(&t, &catalog);
    captured_load(&cap, "statements");
    gtid_set_init(&nothing);
    stream_begin(st, &(struct stream_start){.executed = &nothing});
    for (size_t i = 0; i < cap.n; i++)
        feed(st, cap.events[i]);
    assert_true(has_line(&t, "insert"));
    assert_true(t.n_opened > 0);
    assert_int_equal(t.n_open, 0);
    captured_free(&cap);
    finish(st, &catalog);
    transcript_fini(&t);
}

/* Goes on from inside the first transaction of the log, at that place; how that ends. */
static bool go_on_inside(const char *name, uint32_t events, uint32_t rows, struct fail *why)
{
    struct transcript t = {.captured_db = "shop"};
    struct captured cap;
    struct catalog catalog;
    struct gtid_set nothing;
    struct stream *st = make(&t, &catalog);
    captured_load(&cap, name);
    gtid_set_init(&nothing);
    stream_begin(
        st, &(struct stream_start){.executed = &nothing, .is_inside = true, .skip_events = events, .skip_rows = rows});
    bool ok = true;
    for (size_t i = 0; ok && i < cap.n; i++)
        ok = stream_feed(st, cap.events[i], 1, why);
    captured_free(&cap);
    finish(st, &catalog);
    transcript_fini(&t);
    return ok;
}

static void stream_refuses_a_place_behind_the_end_of_its_transaction(void **state)
{
    (void)state;
    struct fail why = {.kind = FAIL_NONE};
    assert_true(go_on_inside("compressed", 1, 0, &why));
    assert_true(go_on_inside("compressed", 2, 1, &why));
    assert_false(go_on_inside("compressed", 100000, 0, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_DATA);
    assert_non_null(strstr(why.text, "go on behind event 100000 of transaction"));
    assert_non_null(strstr(why.text, "tidemark offsets set"));
    assert_false(go_on_inside("compressed", 2, 100000, &why));
    assert_int_equal(why.area, FAIL_AREA_DATA);
    assert_non_null(strstr(why.text, "go on behind row 100000 of event 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_tells_each_change_once_wherever_the_connection_breaks),
        cmocka_unit_test(stream_refuses_another_file_of_the_same_name),
        cmocka_unit_test(stream_remembers_each_transaction_that_was_told_in_part),
        cmocka_unit_test(stream_tells_xa_rows_when_they_are_committed),
        cmocka_unit_test(stream_tells_a_compressed_transaction_at_its_payload),
        cmocka_unit_test(stream_tells_nothing_up_to_its_barrier),
        cmocka_unit_test(stream_lets_go_of_versions_that_are_not_in_force),
        cmocka_unit_test(stream_refuses_a_place_behind_the_end_of_its_transaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
