/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kafka_side: the producer, the committer and the stored state as a program of their own, to be killed and cut off.
 *
 *   write BOOTSTRAP NAME TOPIC COUNT BATCH TIMEOUT_MS MODE   numbers up to COUNT, one a record, BATCH a commit, from where the
 *                                                  stored offset is; MODE is exact or plain; prints "at N" at each commit
 *   hold BOOTSTRAP NAME TOPIC                      one record in a transaction that is left open until it is killed
 *   overdue BOOTSTRAP NAME TOPIC TIMEOUT_MS        one record, committed only when the broker has long ended its transaction
 *   prepare BOOTSTRAP TOPIC                        state_topic_prepare
 *   read BOOTSTRAP TOPIC TIMEOUT_MS                state_topic_read: KEY, tab, VALUE a line; "-" without a value
 *   bench BOOTSTRAP TOPIC COUNT BYTES HEADERS COMPRESSION    how fast records leave, in transactions of 100 ms
 *
 * Exit codes are the program's: 0, or the area of the failure, which goes to standard error.
 */
#include "base/clock.h"
#include "base/log.h"
#include "connector/commit.h"
#include "connector/offsets.h"
#include "connector/state_topic.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static atomic_bool is_stopped;

static void on_term(int sig)
{
    (void)sig;
    atomic_store(&is_stopped, true);
}

static _Noreturn void leave(const struct fail *why)
{
    log_fail(LOG_ERROR, "kafka_side", why);
    fflush(stdout);
    _Exit((int)why->area); /* threads of the client may be stuck */
}

static struct client_settings client(const char *bootstrap)
{
    return (struct client_settings){.bootstrap = bootstrap, .client_id = "kafka_side"};
}

/* ---- a producer with its committer */

struct writer {
    const char *bootstrap, *name, *topic, *offsets_topic;
    int timeout_ms;
    bool is_exact;
    struct sink *sink;
    struct committer *committer;
    struct buf offset_key;
    uint64_t stored;      /* the number that the stored offset says */
    uint64_t sent;        /* the number that was sent last */
    uint64_t outstanding; /* reports still to come */
};

static void on_delivered(void *ctx, void *opaque, bool ok)
{
    struct writer *w = ctx;
    (void)ok;
    if (opaque != w)
        free(opaque);
    w->outstanding--;
}

static struct commit_result wait_result(struct writer *w, int timeout_ms)
{
    struct commit_result res;
    int64_t end_ms = clock_mono_ms() + timeout_ms;
    while (!commit_service(w->committer, &res)) {
        struct pollfd fds[] = {{sink_fd(w->sink), POLLIN, 0}, {commit_fd(w->committer), POLLIN, 0}};
        if (atomic_load(&is_stopped) && clock_mono_ms() > end_ms)
            commit_stop(w->committer);
        poll(fds, 2, 50);
        sink_service(w->sink);
    }
    return res;
}

static void open_writer(struct writer *w, struct sink_settings set)
{
    struct fail why;
    const struct commit_settings where = {.offsets_topic = w->offsets_topic, .shapes_topic = w->offsets_topic};
    set.client.bootstrap = w->bootstrap;
    set.client.client_id = "kafka_side";
    set.transactional_id = w->is_exact ? w->name : NULL;
    set.transaction_timeout_ms = w->timeout_ms;
    set.pool_bytes = 16 << 20;
    set.on_delivered = on_delivered;
    set.ctx = w;
    w->sink = sink_open(&set, &why);
    if (w->sink == NULL)
        leave(&why);
    w->committer = commit_open(w->sink, &where, &why);
    if (w->committer == NULL)
        leave(&why);
    commit_start_init(w->committer);
    struct commit_result res = wait_result(w, 0);
    if (res.outcome != COMMIT_DONE)
        leave(&res.why);
}

static void close_writer(struct writer *w)
{
    struct fail why;
    if (!commit_close(&w->committer, 2000) || !sink_close(&w->sink, 2000)) {
        fail_set(&why, FAIL_STOP, FAIL_AREA_KAFKA, 0, "close the producer: it is stuck");
        leave(&why);
    }
}

static bool take_offset(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct writer *w = ctx;
    struct offset_state st;
    if (!has_value || !view_equal(key, buf_view(&w->offset_key)))
        return true;
    offset_state_init(&st);
    bool ok = offsets_read(&st, value, why);
    w->stored = st.pos.offset;
    offset_state_fini(&st);
    return ok;
}

static void load(struct writer *w)
{
    struct fail why;
    struct client_settings set = client(w->bootstrap);
    w->stored = 0;
    struct admin *admin = admin_open(&set, &is_stopped, &why);
    if (admin == NULL || !state_topic_prepare(admin, w->offsets_topic, -1, &why) ||
        !state_topic_read(admin, &set, w->offsets_topic, STATE_TOPIC_TIMEOUT_MS, take_offset, w, &why))
        leave(&why);
    admin_close(&admin);
    w->sent = w->stored;
    printf("from %" PRIu64 "\n", w->stored);
}

static void send_number(struct writer *w, uint64_t number)
{
    struct fail why;
    char *text = mem_alloc(32), key[8];
    snprintf(text, 32, "%" PRIu64, number);
    snprintf(key, sizeof key, "%d", (int)(number % 10));
    const struct sink_record rec = {
        .topic = w->topic,
        .has_key = true,
        .has_value = true,
        .key = view_of(key),
        .value = view_of(text),
        .partition = 0,
        .opaque = text,
    };
    enum sink_sent sent;
    while ((sent = sink_send(w->sink, &rec, &why)) == SINK_LATER && !sink_failure(w->sink, NULL))
        sink_service(w->sink);
    if (sent == SINK_SENT) {
        w->outstanding++;
        w->sent = number;
        return;
    }
    free(text); /* the transaction is lost: the end of the batch finds out */
    if (sent == SINK_FAILED)
        leave(&why);
}

static void keep_offset(struct writer *w)
{
    struct offset_state st;
    struct buf value;
    struct fail why;
    offset_state_init(&st);
    buf_init(&value);
    snprintf(st.pos.file, sizeof st.pos.file, "numbers.1");
    st.pos.offset = w->sent;
    offsets_print(&st, &value);
    if (!commit_keep_offset(w->committer, buf_view(&w->offset_key), true, buf_view(&value), &why))
        log_fail(LOG_WARN, "kafka_side", &why);
    buf_fini(&value);
    offset_state_fini(&st);
}

static void begin_again(struct writer *w)
{
    static const struct sink_settings none;
    close_writer(w);
    open_writer(w, none);
    load(w);
}

static void end_batch(struct writer *w)
{
    keep_offset(w);
    commit_start(w->committer);
    struct commit_result res = wait_result(w, 3000);
    if (res.outcome == COMMIT_ABORT_NEEDED) {
        log_fail(LOG_WARN, "kafka_side", &res.why);
        commit_start_abort(w->committer);
        res = wait_result(w, 1000);
        w->sent = w->stored;
    } else if (res.outcome == COMMIT_DONE) {
        w->stored = w->sent;
        printf("at %" PRIu64 "\n", w->stored);
    }
    if (res.outcome == COMMIT_RENEW) {
        log_fail(LOG_WARN, "kafka_side", &res.why);
        begin_again(w);
    } else if (res.outcome != COMMIT_DONE) {
        leave(&res.why);
    }
}

static int write_numbers(char **args)
{
    static const struct sink_settings none;
    struct writer w = {.bootstrap = args[0], .name = args[1], .topic = args[2], .timeout_ms = atoi(args[5])};
    uint64_t count = strtoull(args[3], NULL, 10), batch = strtoull(args[4], NULL, 10);
    char offsets_topic[256];
    snprintf(offsets_topic, sizeof offsets_topic, "%s-offsets", args[2]);
    w.offsets_topic = offsets_topic;
    w.is_exact = strcmp(args[6], "exact") == 0;
    buf_init(&w.offset_key);
    offsets_print_key(w.name, w.name, &w.offset_key);
    open_writer(&w, none);
    load(&w);
    while (w.stored < count && !atomic_load(&is_stopped)) {
        uint64_t last = w.stored + batch < count ? w.stored + batch : count;
        for (uint64_t n = w.stored + 1; n <= last; n++)
            send_number(&w, n);
        end_batch(&w);
    }
    close_writer(&w);
    buf_fini(&w.offset_key);
    return 0;
}

/* A transaction with one record that the broker has. */
static void open_held(struct writer *w, char **args, int timeout_ms)
{
    static const struct sink_settings none;
    *w = (struct writer){.bootstrap = args[0], .name = args[1], .topic = args[2], .is_exact = true};
    w->offsets_topic = args[2];
    w->timeout_ms = timeout_ms;
    open_writer(w, none);
    send_number(w, 1);
    while (w->outstanding > 0) {
        rd_kafka_flush(sink_kafka(w->sink), 10);
        sink_service(w->sink);
    }
    printf("held\n");
}

static int hold(char **args)
{
    struct writer w;
    open_held(&w, args, 0);
    while (!atomic_load(&is_stopped))
        poll(NULL, 0, 50);
    close_writer(&w);
    return 0;
}

static int overdue(char **args)
{
    struct writer w;
    open_held(&w, args, atoi(args[3]));
    poll(NULL, 0, 3 * atoi(args[3]));
    commit_start(w.committer);
    struct commit_result res = wait_result(&w, 0);
    printf("outcome %d: %s\n", (int)res.outcome, res.outcome == COMMIT_DONE ? "done" : res.why.text);
    close_writer(&w);
    return res.outcome == COMMIT_RENEW ? 0 : 1;
}

/* ---- state */

static int prepare(char **args)
{
    struct fail why;
    struct client_settings set = client(args[0]);
    struct admin *admin = admin_open(&set, &is_stopped, &why);
    if (admin == NULL || !state_topic_prepare(admin, args[1], -1, &why))
        leave(&why);
    admin_close(&admin);
    return 0;
}

static bool print_record(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    (void)ctx;
    (void)why;
    printf("%.*s\t%.*s\n", VIEW_ARGS(key), VIEW_ARGS(has_value ? value : view_of("-")));
    return true;
}

static int read_state(char **args)
{
    struct fail why;
    struct client_settings set = client(args[0]);
    int64_t started_ms = clock_mono_ms();
    struct admin *admin = admin_open(&set, &is_stopped, &why);
    if (admin == NULL || !state_topic_read(admin, &set, args[1], atoi(args[2]), print_record, NULL, &why))
        leave(&why);
    log_info("kafka_side", "read %s in_ms=%lld", args[1], (long long)(clock_mono_ms() - started_ms));
    admin_close(&admin);
    return 0;
}

/* ---- speed */

static double cpu_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static int64_t commit_batch(struct writer *w)
{
    int64_t since_ms = clock_mono_ms();
    int wait_ms;
    while ((wait_ms = sink_drain_ms(w->sink, since_ms, clock_mono_ms())) > 0) {
        struct pollfd fd = {sink_fd(w->sink), POLLIN, 0};
        poll(&fd, 1, wait_ms);
        sink_service(w->sink);
    }
    w->sent++;
    keep_offset(w);
    commit_start(w->committer);
    struct commit_result res = wait_result(w, 0);
    if (res.outcome != COMMIT_DONE)
        leave(&res.why);
    return res.took_us;
}

/* What a reader would do: at most so many bytes are lent at a time. */
static void send_paced(struct writer *w, const struct sink_record *rec)
{
    struct fail why;
    enum sink_sent sent;
    while (sink_counts(w->sink)->outstanding_bytes > 16u << 20) {
        struct pollfd fd = {sink_fd(w->sink), POLLIN, 0};
        poll(&fd, 1, 100);
        sink_service(w->sink);
    }
    while ((sent = sink_send(w->sink, rec, &why)) == SINK_LATER)
        sink_service(w->sink);
    if (sent == SINK_FAILED)
        leave(&why);
    w->outstanding++;
}

static int bench(char **args)
{
    static const struct sink_header context[] = {{"__debezium.context.connectorLogicalName", "shop"},
                                                 {"__debezium.context.taskId", "0"},
                                                 {"__debezium.context.connectorName", "mysql"},
                                                 {"__debezium.context.runId", "0d7a2e0c-59d8-4d54-9a6c-0e4a4b1a4a4a"}};
    struct writer w = {.bootstrap = args[0], .name = args[1], .topic = args[1], .is_exact = true};
    uint64_t count = strtoull(args[2], NULL, 10), commits = 0;
    size_t bytes = strtoull(args[3], NULL, 10);
    const struct client_setting compression = {"compression.type", args[5]};
    struct sink_settings set = {.context = context, .n_context = strcmp(args[4], "0") == 0 ? 0 : 4};
    uint8_t *values = mem_alloc(bytes * 1024);
    char offsets_topic[256], key[32];
    snprintf(offsets_topic, sizeof offsets_topic, "%s-offsets", args[1]);
    w.offsets_topic = offsets_topic;
    set.client.extra = &compression;
    set.client.n_extra = 1;
    for (size_t i = 0; i < bytes * 1024; i++)
        values[i] = (uint8_t)('a' + i * 7 % 23 + i / bytes % 3);
    buf_init(&w.offset_key);
    offsets_print_key(w.name, w.name, &w.offset_key);
    open_writer(&w, set);
    double cpu = cpu_seconds();
    int64_t started_ms = clock_mono_ms(), batch_ms = started_ms, commit_us = 0;
    for (uint64_t n = 0; n < count; n++) {
        int key_bytes = snprintf(key, sizeof key, "{\"id\":%" PRIu64 "}", n);
        const struct sink_record rec = {
            .topic = w.topic,
            .has_key = true,
            .has_value = true,
            .has_context = true,
            .key = {(const uint8_t *)key, (size_t)key_bytes},
            .value = {values + n % 1024 * bytes, bytes},
            .partition = SINK_ANY_PARTITION,
            .opaque = &w,
        };
        send_paced(&w, &rec);
        if (n % 64 == 0) {
            sink_service(w.sink);
            if (clock_mono_ms() - batch_ms >= 100) {
                commit_us += commit_batch(&w);
                commits++;
                batch_ms = clock_mono_ms();
            }
        }
    }
    commit_us += commit_batch(&w);
    commits++;
    double seconds = (double)(clock_mono_ms() - started_ms) / 1000;
    cpu = cpu_seconds() - cpu;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("records=%" PRIu64 " bytes=%zu seconds=%.2f rate=%.0f/s cpu_us_per_record=%.2f commits=%" PRIu64
           " commit_ms=%.1f peak_rss_mib=%ld\n",
           count, bytes, seconds, (double)count / seconds, cpu * 1e6 / (double)count, commits,
           (double)commit_us / 1000 / (double)commits, use.ru_maxrss / 1024);
    close_writer(&w);
    buf_fini(&w.offset_key);
    free(values);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int n_args;
        int (*run)(char **args);
    } commands[] = {
        {"write", 7, write_numbers}, {"hold", 3, hold},   {"prepare", 2, prepare},
        {"read", 3, read_state},     {"bench", 6, bench}, {"overdue", 4, overdue},
    };
    signal(SIGTERM, on_term);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0 && argc == 2 + commands[i].n_args)
            return commands[i].run(argv + 2);
    fprintf(stderr, "usage: see the head of kafka_side.c\n");
    return 2;
}
