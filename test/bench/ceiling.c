/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceiling: how fast librdkafka gets records that lie ready in memory into a broker, in transactions.
 *
 *   ceiling BOOTSTRAP FILE N COMPRESSION PARTITIONS
 *
 * Sends N records, those of FILE again and again, and commits about ten times a second. PARTITIONS: how many there are in
 * all. Prints records, seconds and CPU seconds; rates are better taken from the broker (test/bench/ceiling.py).
 *
 * FILE, little-endian, each piece with its length before it (i32, -1 for none):
 *
 *   i32 n, n topic names | i32 n, n times: i32 number of its topic, key, value, i32 h, h times: header name, header value
 *
 * It does what is known to be fastest with one producer: values and headers are not copied, a partition has a large request
 * on its way and the next one nearly ready (more makes librdkafka's thread poll without a pause, less makes it wait), a
 * commit begins when one request is left to flush.
 */
#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BATCH_BYTES = 1000000, COMMIT_MS = 100, QUIET_MS = 5, CALL_MS = 60000 };

struct record {
    rd_kafka_topic_t *topic;
    const char *key, *value;
    int32_t key_bytes, value_bytes; /* -1: none */
    rd_kafka_headers_t *headers;    /* NULL: none */
};

struct load {
    rd_kafka_t *rk;
    struct record *records;
    int32_t n_records;
    size_t outstanding_bytes;
    size_t most_bytes; /* outstanding */
    unsigned long reports;
};

static void die(const char *doing, const char *answer)
{
    fprintf(stderr, "ceiling: %s: %s\n", doing, answer);
    exit(1);
}

static void check(const char *doing, rd_kafka_error_t *error)
{
    if (error != NULL)
        die(doing, rd_kafka_error_string(error));
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the file ---- */

struct bytes {
    const char *at, *end;
};

static int32_t take_i32(struct bytes *b)
{
    int32_t n;
    if (b->end - b->at < (ptrdiff_t)sizeof n)
        die("read the records", "the file ends too early");
    memcpy(&n, b->at, sizeof n);
    b->at += sizeof n;
    return n;
}

static const char *take_piece(struct bytes *b, int32_t *n)
{
    *n = take_i32(b);
    const char *piece = b->at;
    if (*n > b->end - b->at)
        die("read the records", "a piece is longer than the file");
    b->at += *n > 0 ? *n : 0;
    return *n < 0 ? NULL : piece;
}

static struct bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        die("open the records", path);
    long n = ftell(file);
    char *data = malloc((size_t)n + 1);
    rewind(file);
    if (data == NULL || fread(data, 1, (size_t)n, file) != (size_t)n)
        die("read the records", path);
    fclose(file);
    return (struct bytes){data, data + n};
}

static rd_kafka_headers_t *take_headers(struct bytes *b)
{
    int32_t n = take_i32(b), name_bytes, value_bytes;
    rd_kafka_headers_t *headers = n > 0 ? rd_kafka_headers_new((size_t)n) : NULL;
    for (int32_t i = 0; i < n; i++) {
        const char *name = take_piece(b, &name_bytes);
        const char *value = take_piece(b, &value_bytes);
        rd_kafka_header_add(headers, name, name_bytes, value, value_bytes);
    }
    return headers;
}

static void take_records(struct load *l, struct bytes *b)
{
    int32_t n_topics = take_i32(b), bytes;
    rd_kafka_topic_t **topics = calloc((size_t)n_topics + 1, sizeof *topics);
    for (int32_t i = 0; i < n_topics; i++) {
        char name[256];
        const char *piece = take_piece(b, &bytes);
        snprintf(name, sizeof name, "%.*s", (int)bytes, piece);
        topics[i] = rd_kafka_topic_new(l->rk, name, NULL);
    }
    l->n_records = take_i32(b);
    l->records = calloc((size_t)l->n_records + 1, sizeof *l->records);
    for (int32_t i = 0; i < l->n_records; i++) {
        struct record *r = &l->records[i];
        int32_t topic = take_i32(b);
        if (topic < 0 || topic >= n_topics)
            die("read the records", "there is no such topic");
        r->topic = topics[topic];
        r->key = take_piece(b, &r->key_bytes);
        r->value = take_piece(b, &r->value_bytes);
        r->headers = take_headers(b);
    }
    if (l->n_records == 0)
        die("read the records", "there are none");
    free(topics); /* the topics themselves stay, as the records do */
}

/* ---- the producer ---- */

static size_t size_of(size_t key_bytes, size_t value_bytes)
{
    return key_bytes + value_bytes + 1;
}

static void on_report(rd_kafka_t *rk, const rd_kafka_message_t *msg, void *opaque)
{
    struct load *l = opaque;
    (void)rk;
    if (msg->err != RD_KAFKA_RESP_ERR_NO_ERROR)
        die("deliver", rd_kafka_err2str(msg->err));
    l->outstanding_bytes -= size_of(msg->key_len, msg->len);
    l->reports++;
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char text[256];
    if (rd_kafka_conf_set(conf, name, value, text, sizeof text) != RD_KAFKA_CONF_OK)
        die(name, text);
}

static void open_producer(struct load *l, const char *bootstrap, const char *compression)
{
    char id[64], text[256];
    snprintf(id, sizeof id, "ceiling-%.0f", now_s() * 1e6);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", bootstrap);
    set(conf, "compression.type", compression);
    set(conf, "transactional.id", id);
    set(conf, "linger.ms", "100");
    set(conf, "batch.size", "1000000");
    set(conf, "batch.num.messages", "200000");
    set(conf, "message.max.bytes", "8000000");
    set(conf, "queue.buffering.max.messages", "1000000");
    set(conf, "queue.buffering.max.kbytes", "1000000");
    set(conf, "partitioner", "murmur2_random");
    rd_kafka_conf_set_dr_msg_cb(conf, on_report);
    rd_kafka_conf_set_opaque(conf, l);
    l->rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (l->rk == NULL)
        die("make a producer", text);
    check("take the transactional id", rd_kafka_init_transactions(l->rk, CALL_MS));
}

static void send_one(struct load *l, const struct record *r)
{
    size_t key_bytes = r->key_bytes < 0 ? 0 : (size_t)r->key_bytes;
    size_t value_bytes = r->value_bytes < 0 ? 0 : (size_t)r->value_bytes;
    rd_kafka_vu_t parts[5] = {
        {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = r->topic},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {(void *)r->key, key_bytes}},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {(void *)r->value, value_bytes}},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = 0}, /* the value is not copied */
    };
    size_t n = 4;
    if (r->headers != NULL)
        parts[n++] = (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = rd_kafka_headers_copy(r->headers)};
    check("produce", rd_kafka_produceva(l->rk, parts, n));
    l->outstanding_bytes += size_of(key_bytes, value_bytes);
}

/* Until no more than so much is outstanding, or no report has come for a while: the rest is too little for a request. */
static void wait_for_room(struct load *l, size_t bytes, bool may_give_up)
{
    while (l->outstanding_bytes > bytes) {
        unsigned long before = l->reports;
        rd_kafka_poll(l->rk, QUIET_MS);
        if (may_give_up && l->reports == before)
            return;
    }
}

static void commit(struct load *l)
{
    wait_for_room(l, BATCH_BYTES, true);
    if (rd_kafka_flush(l->rk, CALL_MS) != RD_KAFKA_RESP_ERR_NO_ERROR)
        die("flush", "it took too long");
    check("commit", rd_kafka_commit_transaction(l->rk, CALL_MS));
}

static void run(struct load *l, long n)
{
    double begun = now_s();
    check("begin", rd_kafka_begin_transaction(l->rk));
    for (long i = 0; i < n; i++) {
        if (i % 64 == 0)
            rd_kafka_poll(l->rk, 0);
        wait_for_room(l, l->most_bytes, false);
        send_one(l, &l->records[i % l->n_records]);
        if (i % 64 == 0 && now_s() - begun > COMMIT_MS / 1e3) {
            commit(l);
            begun = now_s();
            check("begin", rd_kafka_begin_transaction(l->rk));
        }
    }
    commit(l);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: ceiling BOOTSTRAP FILE N COMPRESSION PARTITIONS\n");
        return 2;
    }
    struct load load = {.most_bytes = (size_t)atol(argv[5]) * (2 * BATCH_BYTES - BATCH_BYTES / 16)};
    struct bytes file = read_file(argv[2]);
    open_producer(&load, argv[1], argv[4]);
    take_records(&load, &file);
    double start = now_s();
    run(&load, atol(argv[3]));
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%s records, %.2f s, %.2f s of CPU\n", argv[3], now_s() - start,
           (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
    exit(0); /* all is committed: nothing is worth its orderly end */
}
