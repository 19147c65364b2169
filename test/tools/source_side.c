/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_side: the connection to MySQL as a program of its own, to be refused, woken, cut off and read.
 *
 *   check [KEY=VALUE…]                     server_check: what was found out, one NAME=VALUE a line
 *   read [KEY=VALUE…]                      end, executed, purged, uuid, xa and logs as the server tells them
 *   query SQL [KEY=VALUE…]                 the rows of a statement: columns between tabs, NULL for NULL
 *   dump [KEY=VALUE…]                      the log from gtids=, file= and pos=, uuid=: one event a line, as type, bytes, end;
 *                                          ends after count= events, or when until= (a type's name) came
 *   gtids TEXT                             the set as it was read, in canonical form
 *   wake WHAT AFTER_MS [KEY=VALUE…]        does check or dump, and wakes the source from another thread after so long
 *
 * Other keys: host port user password tls truststore truststore_password keystore keystore_password name server_id
 * heartbeat_ms connect_timeout_ms query_timeout_ms net_write_timeout_s initial.
 * A failure is told as "fail KIND AREA CODE TEXT", and its area is the exit code.
 */
#include "base/clock.h"
#include "base/log.h"
#include "binlog/server.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **arguments;

static const char *text(const char *key)
{
    size_t n = strlen(key);
    for (char **a = arguments; *a != NULL; a++)
        if (strncmp(*a, key, n) == 0 && (*a)[n] == '=')
            return *a + n + 1;
    return NULL;
}

static unsigned long number(const char *key, unsigned long otherwise)
{
    const char *value = text(key);
    return value == NULL ? otherwise : strtoul(value, NULL, 10);
}

static enum source_tls tls_of(const char *mode)
{
    static const char *const modes[] = {"disabled", "preferred", "required", "verify_ca", "verify_identity"};
    for (unsigned i = 0; mode != NULL && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i], mode) == 0)
            return (enum source_tls)i;
    return SOURCE_TLS_PREFERRED;
}

static int tell(const struct fail *why)
{
    printf("fail %s %d %d %s\n", fail_kind_name(why->kind), (int)why->area, why->code, why->text);
    return (int)why->area;
}

/* ---- commands: each returns the exit code */

static int check(struct source *src, const struct source_settings *set)
{
    struct server s;
    struct fail why = {0};
    if (!source_connect(src, &why) || !server_check(src, set, &s, &why))
        return tell(&why);
    printf("version=%u\nversion_text=%s\nuuid=%s\nserver_id=%u\nis_replica=%d\ngtid_mode=%d\nlower_case=%u\n",
           s.version, s.version_text, s.uuid, s.server_id, s.is_replica, (int)s.gtid_mode, s.lower_case_table_names);
    printf("charset=%s\ncollation=%s\nfull=%d\npartial_json=%d\ncompression=%d\nchecksum=%d\nrecover_xa=%d\n",
           s.charset, s.collation, s.metadata_is_full, s.has_partial_json, s.has_compression, s.has_checksum,
           s.may_recover_xa);
    return 0;
}

static void print_set(const char *name, const struct gtid_set *set)
{
    struct buf out;
    buf_init(&out);
    gtid_set_print(set, &out);
    printf("%s=%.*s\n", name, VIEW_ARGS(buf_view(&out)));
    buf_fini(&out);
}

static void print_log(void *ctx, struct view file, uint64_t bytes)
{
    (void)ctx;
    printf("log=%.*s:%llu\n", VIEW_ARGS(file), (unsigned long long)bytes);
}

static bool read_all(struct source *src, const struct source_settings *set, struct gtid_set *gtids, struct buf *names,
                     struct fail *why)
{
    struct server s;
    struct log_position end;
    char uuid[37];
    if (!source_connect(src, why) || !server_check(src, set, &s, why) || !server_read_end(src, &s, &end, why))
        return false;
    printf("end=%s:%llu\n", end.file, (unsigned long long)end.offset);
    if (!server_read_executed(src, gtids, why))
        return false;
    print_set("executed", gtids);
    if (!server_read_purged(src, gtids, why) || !server_read_uuid(src, uuid, why))
        return false;
    print_set("purged", gtids);
    printf("uuid=%s\n", uuid);
    if (s.may_recover_xa && !server_read_xa(src, names, why))
        return false;
    for (uint8_t *p = names->start; p < names->p; p += strlen((char *)p) + 1)
        printf("xa=%s\n", (char *)p);
    return server_read_logs(src, print_log, NULL, why);
}

static int read_states(struct source *src, const struct source_settings *set)
{
    struct gtid_set gtids;
    struct buf names;
    struct fail why = {0};
    gtid_set_init(&gtids);
    buf_init(&names);
    int code = read_all(src, set, &gtids, &names, &why) ? 0 : tell(&why);
    buf_fini(&names);
    gtid_set_fini(&gtids);
    return code;
}

static int query(struct source *src, const char *sql)
{
    struct source_result res;
    struct fail why = {0};
    if (!source_connect(src, &why))
        return tell(&why);
    bool ok = source_query_run(src, sql, &res, &why);
    while (ok && source_query_next(&res)) {
        for (unsigned i = 0; i < res.n_columns; i++) {
            struct view v = source_query_column(&res, i);
            printf("%s%.*s", i == 0 ? "" : "\t", v.p == NULL ? 4 : (int)v.n, v.p == NULL ? "NULL" : (const char *)v.p);
        }
        putchar('\n');
    }
    source_query_end(&res);
    return ok ? 0 : tell(&why);
}

static int read_events(struct source *src, struct fail *why)
{
    struct decoder d;
    unsigned long left = number("count", 1000000000);
    const char *until = text("until");
    decoder_init(&d);
    decoder_set_checksum(&d, (enum checksum_kind)SOURCE_DUMP_CHECKSUM);
    while (left-- > 0) {
        struct view bytes;
        struct event ev;
        if (!source_fetch(src, &bytes, why) || !decoder_read(&d, bytes, &ev, why))
            return tell(why);
        const char *name = decoder_type_name(ev.header.type);
        printf("%s %u %u\n", name, ev.header.length, ev.header.end_pos);
        if (source_is_dry(src))
            fflush(stdout);
        if (until != NULL && strcmp(until, name) == 0)
            break;
    }
    printf("buffer=%zu\n", source_buffer_bytes(src));
    return 0;
}

static int dump(struct source *src)
{
    struct gtid_set gtids;
    struct log_position pos = {.offset = number("pos", 4)};
    struct fail why = {0};
    const char *set = text("gtids");
    snprintf(pos.file, sizeof pos.file, "%s", text("file") == NULL ? "" : text("file"));
    gtid_set_init(&gtids);
    struct source_start start = {.executed = set == NULL ? NULL : &gtids, .pos = &pos, .pos_uuid = text("uuid")};
    bool ok = (set == NULL || gtid_set_read(&gtids, view_of(set), &why)) && source_connect_dump(src, &why) &&
              source_dump(src, &start, &why);
    int code = ok ? read_events(src, &why) : tell(&why);
    gtid_set_fini(&gtids);
    return code;
}

static int print_gtids(const char *set)
{
    struct gtid_set gtids;
    struct fail why = {0};
    gtid_set_init(&gtids);
    bool ok = gtid_set_read(&gtids, view_of(set), &why);
    if (ok)
        print_set("gtids", &gtids);
    gtid_set_fini(&gtids);
    return ok ? 0 : tell(&why);
}

struct waker {
    struct source *src;
    unsigned long after_ms;
    int64_t when_ms;
};

static void *wake_later(void *arg)
{
    struct waker *w = arg;
    usleep((useconds_t)w->after_ms * 1000);
    w->when_ms = clock_mono_ms();
    source_wake(w->src);
    return NULL;
}

static int wake(struct source *src, const struct source_settings *set, const char *what, const char *after_ms)
{
    struct waker w = {.src = src, .after_ms = strtoul(after_ms, NULL, 10)};
    struct fail why = {0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, wake_later, &w) != 0)
        return 99;
    int code = strcmp(what, "dump") == 0 ? dump(src) : check(src, set);
    int64_t now = clock_mono_ms();
    pthread_join(thread, NULL);
    printf("woken_ms=%lld\n", (long long)(now - w.when_ms));
    if (source_connect(src, &why))
        printf("connected again\n");
    else
        tell(&why);
    return code;
}

int main(int argc, char **argv)
{
    arguments = argv;
    setvbuf(stdout, NULL, _IOLBF, 0);
    log_setup(LOG_DEBUG, false);
    const char *initial = text("initial");
    const struct source_settings set = {
        .host = text("host") == NULL ? "127.0.0.1" : text("host"),
        .port = (uint16_t)number("port", 3306),
        .user = text("user"),
        .password = text("password"),
        .tls = tls_of(text("tls")),
        .truststore = text("truststore"),
        .truststore_password = text("truststore_password"),
        .keystore = text("keystore"),
        .keystore_password = text("keystore_password"),
        .connect_timeout_ms = (uint32_t)number("connect_timeout_ms", 30000),
        .query_timeout_ms = (uint32_t)number("query_timeout_ms", 60000),
        .heartbeat_ms = (uint32_t)number("heartbeat_ms", 1000),
        .silence_ms = (uint32_t)number("heartbeat_ms", 1000) * 5 / 2,
        .net_write_timeout_s = (uint32_t)number("net_write_timeout_s", 0),
        .server_id = (uint32_t)number("server_id", 7777),
        .name = text("name") == NULL ? "source_side" : text("name"),
        .initial_statements = &initial,
        .n_initial_statements = initial == NULL ? 0 : 1,
    };
    struct source *src = source_new(&set);
    int code = 98;
    if (argc > 1 && strcmp(argv[1], "check") == 0)
        code = check(src, &set);
    else if (argc > 1 && strcmp(argv[1], "read") == 0)
        code = read_states(src, &set);
    else if (argc > 2 && strcmp(argv[1], "query") == 0)
        code = query(src, argv[2]);
    else if (argc > 2 && strcmp(argv[1], "gtids") == 0)
        code = print_gtids(argv[2]);
    else if (argc > 1 && strcmp(argv[1], "dump") == 0)
        code = dump(src);
    else if (argc > 3 && strcmp(argv[1], "wake") == 0)
        code = wake(src, &set, argv[2], argv[3]);
    source_free(&src);
    return code;
}
