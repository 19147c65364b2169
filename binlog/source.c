/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection and its statements. The dump is in source_dump.c, what errors mean in source_refusal.c.
 *
 * Connecting may block for long (names, TCP, TLS) where nobody can reach it. So it runs on a thread of its own, which
 * the caller waits for or, when woken, leaves behind: then that thread closes what it opened.
 */
#include "binlog/source.h"

#include "base/clock.h"
#include "base/keystore.h"
#include "base/log.h"
#include "binlog/source_state.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <mysql.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum {
    WRITE_TIMEOUT_S = 60,
    QUERY_SLACK_S = 10, /* how much later than the server we give up on a statement */
    CONNECT_SLACK_MS = 2000,
    KEEPALIVE_IDLE_S = 10, /* after so long without a word the kernel asks whether the other side is there, */
    KEEPALIVE_EVERY_S = 5, /* asks again so often, */
    KEEPALIVE_TRIES = 4,   /* and gives up after so many unanswered questions */
    WEEK_S = 7 * 24 * 3600,
    PACKET_BYTES = 1 << 30,
};

/* ---- TLS: files as the library wants them ---- */

/* Stores that were converted; a store that changes on disk is converted anew. Lives as long as the process. */
struct published {
    struct published *next;
    char *store;
    struct timespec changed;
    char trusted[KEYSTORE_PATH_BYTES];
    char chain[KEYSTORE_PATH_BYTES];
    char key[KEYSTORE_PATH_BYTES];
};

static pthread_mutex_t published_lock = PTHREAD_MUTEX_INITIALIZER;
static struct published *all_published;

static struct published *find_published(const char *store, struct timespec changed)
{
    for (struct published *p = all_published; p != NULL; p = p->next)
        if (strcmp(p->store, store) == 0 && p->changed.tv_sec == changed.tv_sec &&
            p->changed.tv_nsec == changed.tv_nsec)
            return p;
    struct published *p = mem_zero(1, sizeof *p);
    p->store = mem_strdup(store);
    p->changed = changed;
    p->next = all_published;
    all_published = p;
    return p;
}

static struct timespec when_changed(const char *store)
{
    struct stat st;
    return stat(store, &st) == 0 ? st.st_mtim : (struct timespec){0};
}

static bool publish_trusted(const char *store, const char *password, struct published *p, struct fail *why)
{
    struct buf certificates;
    buf_init(&certificates);
    bool ok = keystore_read_trusted(store, password, &certificates, why) &&
              keystore_publish(buf_view(&certificates), p->trusted, why);
    buf_fini(&certificates);
    return ok;
}

static bool publish_identity(const char *store, const char *password, struct published *p, struct fail *why)
{
    struct buf chain;
    struct buf key;
    buf_init(&chain);
    buf_init(&key);
    bool ok = keystore_read_identity(store, password, &chain, &key, why) &&
              keystore_publish(buf_view(&chain), p->chain, why) && keystore_publish(buf_view(&key), p->key, why);
    if (buf_size(&key) > 0)
        explicit_bzero(key.start, buf_size(&key));
    buf_fini(&chain);
    buf_fini(&key);
    return ok;
}

static bool set_trusted(MYSQL *mysql, const struct source_settings *set, struct fail *why)
{
    if (set->truststore == NULL) {
        if (set->tls >= SOURCE_TLS_VERIFY_CA) /* whom this machine trusts */
            mysql_options(mysql, MYSQL_OPT_SSL_CAPATH, X509_get_default_cert_dir());
        return true;
    }
    pthread_mutex_lock(&published_lock);
    struct published *p = find_published(set->truststore, when_changed(set->truststore));
    bool ok = p->trusted[0] != '\0' || publish_trusted(set->truststore, set->truststore_password, p, why);
    pthread_mutex_unlock(&published_lock);
    if (ok)
        mysql_options(mysql, MYSQL_OPT_SSL_CA, p->trusted);
    return ok;
}

static bool set_identity(MYSQL *mysql, const struct source_settings *set, struct fail *why)
{
    if (set->keystore == NULL)
        return true;
    pthread_mutex_lock(&published_lock);
    struct published *p = find_published(set->keystore, when_changed(set->keystore));
    bool ok = p->key[0] != '\0' || publish_identity(set->keystore, set->keystore_password, p, why);
    pthread_mutex_unlock(&published_lock);
    if (ok) {
        mysql_options(mysql, MYSQL_OPT_SSL_CERT, p->chain);
        mysql_options(mysql, MYSQL_OPT_SSL_KEY, p->key);
    }
    return ok;
}

static unsigned library_mode(const struct source_settings *set)
{
    switch (set->tls) {
    case SOURCE_TLS_DISABLED:
        return SSL_MODE_DISABLED;
    case SOURCE_TLS_PREFERRED:
        return set->truststore == NULL ? SSL_MODE_PREFERRED : SSL_MODE_VERIFY_CA;
    case SOURCE_TLS_REQUIRED:
        return set->truststore == NULL ? SSL_MODE_REQUIRED : SSL_MODE_VERIFY_CA;
    case SOURCE_TLS_VERIFY_CA:
        return SSL_MODE_VERIFY_CA;
    case SOURCE_TLS_VERIFY_IDENTITY:
        break;
    }
    return SSL_MODE_VERIFY_IDENTITY;
}

static bool set_tls(MYSQL *mysql, const struct source_settings *set, struct fail *why)
{
    unsigned mode = library_mode(set);
    mysql_options(mysql, MYSQL_OPT_SSL_MODE, &mode);
    if (mode <= SSL_MODE_PREFERRED) { /* else a password could not be sent once the server has forgotten it */
        bool yes = true;
        mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes);
    }
    return set->tls == SOURCE_TLS_DISABLED || (set_trusted(mysql, set, why) && set_identity(mysql, set, why));
}

/* ---- other options ---- */

static unsigned seconds_of(uint64_t ms)
{
    uint64_t s = ms / 1000 + (ms % 1000 != 0);
    return s > WEEK_S ? WEEK_S : (unsigned)s;
}

/* How long the server may be silent; of statements the time that one may take. 0: for ever. */
static unsigned silence_s(const struct source_settings *set, bool is_dump)
{
    if (is_dump)
        return seconds_of(set->silence_ms);
    return set->query_timeout_ms == 0 ? 0 : seconds_of(set->query_timeout_ms) + QUERY_SLACK_S;
}

static MYSQL *make_handle(const struct source_settings *set, bool is_dump, struct fail *why)
{
    MYSQL *mysql = mysql_init(NULL);
    ASSERT(mysql != NULL);
    unsigned protocol = MYSQL_PROTOCOL_TCP; /* "localhost" is no socket file to us */
    unsigned connect_s = seconds_of(set->connect_timeout_ms);
    unsigned read_s = silence_s(set, is_dump);
    unsigned write_s = WRITE_TIMEOUT_S;
    unsigned no_files = 0;
    unsigned long packet = PACKET_BYTES;
    mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol);
    if (connect_s > 0)
        mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
    if (read_s > 0)
        mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &read_s);
    mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &write_s);
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &no_files);
    mysql_options(mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options4(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "tidemark");
    mysql_options4(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_version", TIDEMARK_VERSION);
    if (set_tls(mysql, set, why))
        return mysql;
    mysql_close(mysql);
    return NULL;
}

/* ---- connecting on a thread that can be left behind ---- */

static atomic_uint attempts_running; /* threads of all sources */

bool source_is_anywhere_connecting(void)
{
    return atomic_load(&attempts_running) > 0;
}

struct attempt {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done;
    bool is_left; /* nobody waits any more: the thread cleans up */
    bool is_connected;
    MYSQL *mysql;
    char *host;
    char *user;
    char *password;
    unsigned port;
};

static void attempt_free(struct attempt *at)
{
    pthread_cond_destroy(&at->changed);
    pthread_mutex_destroy(&at->lock);
    if (at->password != NULL)
        explicit_bzero(at->password, strlen(at->password));
    free(at->host);
    free(at->user);
    free(at->password);
    free(at);
}

static void *attempt_run(void *arg)
{
    struct attempt *at = arg;
    bool ok = mysql_real_connect(at->mysql, at->host, at->user, at->password, NULL, at->port, NULL, 0) != NULL;
    pthread_mutex_lock(&at->lock);
    at->is_connected = ok;
    at->is_done = true;
    bool is_left = at->is_left;
    pthread_cond_signal(&at->changed);
    pthread_mutex_unlock(&at->lock);
    if (is_left) {
        mysql_close(at->mysql);
        attempt_free(at);
    }
    mysql_thread_end();
    atomic_fetch_sub(&attempts_running, 1);
    return NULL;
}

static struct attempt *attempt_start(const struct source_settings *set, MYSQL *mysql, struct fail *why)
{
    struct attempt *at = mem_zero(1, sizeof *at);
    pthread_mutex_init(&at->lock, NULL);
    clock_cond_init(&at->changed);
    at->mysql = mysql;
    at->host = mem_strdup(set->host);
    at->user = mem_strdup(set->user == NULL ? "" : set->user);
    at->password = mem_strdup(set->password == NULL ? "" : set->password);
    at->port = set->port;
    pthread_t thread;
    atomic_fetch_add(&attempts_running, 1);
    int err = pthread_create(&thread, NULL, attempt_run, at);
    if (err == 0) {
        pthread_detach(thread);
        return at;
    }
    atomic_fetch_sub(&attempts_running, 1);
    attempt_free(at);
    fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, err, "start a thread that connects to MySQL: %s", strerror(err));
    return NULL;
}

/* Waits until it is done, the source is woken, or the time for it is over: the library's own limit does not hold for all
 * of its steps. */
static void attempt_wait(struct source *src, struct attempt *at)
{
    uint64_t ms = (uint64_t)src->set->connect_timeout_ms + CONNECT_SLACK_MS;
    struct timespec deadline = clock_deadline(ms > INT_MAX ? INT_MAX : (int)ms);
    pthread_mutex_lock(&at->lock);
    while (!at->is_done && !atomic_load(&src->is_woken))
        if (clock_cond_wait(&at->changed, &at->lock, &deadline) != 0)
            break;
    pthread_mutex_unlock(&at->lock);
    pthread_mutex_lock(&src->lock); /* from here on source_wake leaves it alone */
    src->attempt = NULL;
    pthread_mutex_unlock(&src->lock);
}

static bool attempt_finish(struct source *src, struct attempt *at, struct fail *why)
{
    attempt_wait(src, at);
    pthread_mutex_lock(&at->lock);
    bool is_left = at->is_left = !at->is_done;
    bool ok = at->is_connected;
    pthread_mutex_unlock(&at->lock);
    if (is_left) {
        src->mysql = NULL;
        if (atomic_load(&src->is_woken))
            return source_fail(src, "connect", why);
        return fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, 0, "connect to %s: no answer within connect.timeout.ms=%u",
                        src->name, src->set->connect_timeout_ms);
    }
    attempt_free(at);
    return ok || source_fail(src, "connect", why);
}

/* Others speak the same protocol and much of the same SQL, but their logs and clocks are not the same. */
static bool check_flavour(struct source *src, struct fail *why)
{
    enum { OLDEST = 80000 };
    const char *version = mysql_get_server_info(src->mysql);
    const char *flavours[] = {"MariaDB", "TiDB"};
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++)
        if (strcasestr(version, flavours[i]) != NULL)
            return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                            "connect to %s: this is %s (%s), which is not supported; hint: MySQL 8.0.22 and later are",
                            src->name, flavours[i], version);
    if (mysql_get_server_version(src->mysql) >= OLDEST)
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                    "connect to %s: MySQL %s is too old; hint: 8.0.22 and later are supported", src->name, version);
}

/* A host that is gone is noticed also while nothing is to be said: a statement may rightly take long, a dead wire not. */
static void keep_alive(int fd)
{
    const struct {
        int level, name, value;
    } options[] = {
        {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S},
        {IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_EVERY_S},
        {IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_TRIES},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (setsockopt(fd, options[i].level, options[i].name, &options[i].value, sizeof options[i].value) != 0)
            log_debug("source", "set keep-alive of a connection: %s", strerror(errno));
}

static bool note_socket(struct source *src, struct fail *why)
{
    keep_alive((int)src->mysql->net.fd);
    pthread_mutex_lock(&src->lock);
    src->fd = (int)src->mysql->net.fd;
    pthread_mutex_unlock(&src->lock);
    return !atomic_load(&src->is_woken) || source_fail(src, "connect", why);
}

static bool connect_once(struct source *src, bool is_dump, struct fail *why)
{
    source_disconnect(src);
    atomic_store(&src->cut_after_ms, 0);
    if (atomic_load(&src->is_woken))
        return source_fail(src, "connect", why);
    src->mysql = make_handle(src->set, is_dump, why);
    if (src->mysql == NULL)
        return false;
    struct attempt *at = attempt_start(src->set, src->mysql, why);
    if (at == NULL)
        return false;
    pthread_mutex_lock(&src->lock);
    src->attempt = at;
    pthread_mutex_unlock(&src->lock);
    return attempt_finish(src, at, why) && note_socket(src, why) && check_flavour(src, why);
}

/* ---- sessions ---- */

bool source_set_timeouts(struct source *src, struct fail *why)
{
    char sql[128];
    unsigned write_s = src->set->net_write_timeout_s == 0 ? WEEK_S : src->set->net_write_timeout_s;
    snprintf(sql, sizeof sql, "SET SESSION net_write_timeout=%u", write_s);
    if (!source_query_do(src, sql, why))
        return false;
    if (src->set->net_read_timeout_s == 0)
        return true;
    snprintf(sql, sizeof sql, "SET SESSION net_read_timeout=%u", src->set->net_read_timeout_s);
    return source_query_do(src, sql, why);
}

/* What statements mean and how many rows they give must not depend on the server's defaults (a session's DEFAULT is the
 * global value), and none may write. */
static bool prepare_session(struct source *src, struct fail *why)
{
    char sql[320];
    snprintf(sql, sizeof sql,
             "SET SESSION sql_mode='', time_zone='+00:00', autocommit=1, transaction_read_only=1, "
             "sql_quote_show_create=1, sql_select_limit=%" PRIu64 ", sql_big_selects=1, max_execution_time=%u",
             UINT64_MAX, src->set->query_timeout_ms);
    if (!source_query_do(src, sql, why) || !source_set_timeouts(src, why))
        return false;
    if (mysql_get_server_version(src->mysql) < 80030)
        return true;
    return source_query_do(src, "SET SESSION show_gipk_in_create_table_and_information_schema=ON", why);
}

static bool run_initial_statements(struct source *src, struct fail *why)
{
    for (size_t i = 0; i < src->set->n_initial_statements; i++)
        if (!source_query_do(src, src->set->initial_statements[i], why))
            return fail_add(why, "database.initial.statements, statement %zu", i + 1);
    return true;
}

bool source_connect(struct source *src, struct fail *why)
{
    if (connect_once(src, false, why) && prepare_session(src, why) && run_initial_statements(src, why))
        return true;
    source_disconnect(src);
    return false;
}

bool source_connect_dump(struct source *src, struct fail *why)
{
    if (connect_once(src, true, why) && source_set_timeouts(src, why))
        return true;
    source_disconnect(src);
    return false;
}

void source_disconnect(struct source *src)
{
    pthread_mutex_lock(&src->lock);
    int fd = src->fd;
    src->fd = -1;
    pthread_mutex_unlock(&src->lock);
    if (fd >= 0 && src->is_dumping) /* no farewell: the server is in the midst of sending */
        shutdown(fd, SHUT_RDWR);
    src->is_dumping = false;
    if (src->mysql != NULL)
        mysql_close(src->mysql);
    src->mysql = NULL;
}

/* ---- life ---- */

static void start_library(void)
{
    ASSERT(mysql_library_init(0, NULL, NULL) == 0);
}

struct source *source_new(const struct source_settings *set)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_library);
    struct source *src = mem_zero(1, sizeof *src);
    src->set = set;
    src->fd = -1;
    pthread_mutex_init(&src->lock, NULL);
    snprintf(src->name, sizeof src->name, "%s:%u", set->host, set->port);
    buf_init(&src->gtids);
    return src;
}

void source_free(struct source **src)
{
    if (*src == NULL)
        return;
    source_disconnect(*src);
    pthread_mutex_destroy(&(*src)->lock);
    buf_fini(&(*src)->gtids);
    free(*src);
    *src = NULL;
}

void source_wake(struct source *src)
{
    pthread_mutex_lock(&src->lock);
    atomic_store(&src->is_woken, true);
    if (src->fd >= 0)
        shutdown(src->fd, SHUT_RDWR);
    struct attempt *at = src->attempt; /* can't go away before src->lock is free */
    if (at != NULL) {
        pthread_mutex_lock(&at->lock);
        pthread_cond_broadcast(&at->changed);
        pthread_mutex_unlock(&at->lock);
    }
    pthread_mutex_unlock(&src->lock);
}

void source_cut(struct source *src, int64_t silent_ms)
{
    pthread_mutex_lock(&src->lock);
    if (src->fd >= 0) {
        atomic_store(&src->cut_after_ms, silent_ms);
        shutdown(src->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&src->lock);
}

uint64_t source_received(struct source *src)
{
    struct tcp_info info = {0};
    socklen_t n = sizeof info;
    pthread_mutex_lock(&src->lock);
    if (src->fd >= 0 && getsockopt(src->fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0)
        info.tcpi_bytes_received = 0;
    pthread_mutex_unlock(&src->lock);
    return info.tcpi_bytes_received;
}

bool source_is_connected(const struct source *src)
{
    return src->mysql != NULL;
}

const char *source_name(const struct source *src)
{
    return src->name;
}

unsigned source_version(const struct source *src)
{
    return src->mysql == NULL ? 0 : (unsigned)mysql_get_server_version(src->mysql);
}

struct MYSQL *source_mysql(struct source *src)
{
    return src->mysql;
}

bool source_fail(struct source *src, const char *doing, struct fail *why)
{
    if (atomic_load(&src->is_woken))
        return fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, SOURCE_WOKEN, "%s at %s: ended on request", doing,
                        src->name);
    int64_t silent_ms = atomic_load(&src->cut_after_ms);
    if (silent_ms == SOURCE_CUT_ANEW)
        return fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, 0, "%s at %s: the connection is made anew", doing,
                        src->name);
    if (silent_ms > 0)
        return fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, 0, "%s at %s: nothing was heard for %lld ms", doing,
                        src->name, (long long)silent_ms);
    unsigned number = src->mysql == NULL ? 0 : mysql_errno(src->mysql);
    return source_explain(src->set, number, src->mysql == NULL ? "" : mysql_error(src->mysql), doing, why);
}

/* ---- statements ---- */

static bool fail_statement(struct source *src, const char *sql, struct fail *why)
{
    char doing[200];
    snprintf(doing, sizeof doing, "%.160s%s", sql, strlen(sql) > 160 ? "…" : "");
    return source_fail(src, doing, why);
}

bool source_query_run(struct source *src, const char *sql, struct source_result *res, struct fail *why)
{
    *res = (struct source_result){0};
    if (src->mysql == NULL || atomic_load(&src->is_woken))
        return fail_statement(src, sql, why);
    if (mysql_real_query(src->mysql, sql, strlen(sql)) != 0)
        return fail_statement(src, sql, why);
    res->rows = mysql_store_result(src->mysql);
    if (res->rows == NULL && mysql_errno(src->mysql) != 0)
        return fail_statement(src, sql, why);
    res->n_columns = res->rows == NULL ? 0 : mysql_num_fields(res->rows);
    return true;
}

bool source_query_next(struct source_result *res)
{
    if (res->rows == NULL)
        return false;
    res->row = mysql_fetch_row(res->rows);
    res->lengths = mysql_fetch_lengths(res->rows);
    return res->row != NULL;
}

struct view source_query_column(const struct source_result *res, unsigned column)
{
    if (res->row == NULL || column >= res->n_columns || res->row[column] == NULL)
        return VIEW_NONE;
    return (struct view){(const uint8_t *)res->row[column], res->lengths[column]};
}

struct view source_query_named(const struct source_result *res, const char *name)
{
    for (unsigned i = 0; i < res->n_columns; i++)
        if (strcasecmp(mysql_fetch_field_direct(res->rows, i)->name, name) == 0)
            return source_query_column(res, i);
    return VIEW_NONE;
}

void source_query_end(struct source_result *res)
{
    mysql_free_result(res->rows);
    *res = (struct source_result){0};
}

bool source_query_do(struct source *src, const char *sql, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, sql, &res, why);
    source_query_end(&res);
    return ok;
}

void source_query_quote(struct view text, struct buf *out)
{
    buf_put_u8(out, '\'');
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        if (c == '\'' || c == '\\')
            buf_put_u8(out, '\\');
        if (c == '\0')
            buf_put_literal(out, "\\0");
        else
            buf_put_u8(out, c);
    }
    buf_put_u8(out, '\'');
}
