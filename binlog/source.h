/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source: one connection to the MySQL server, for statements or for the stream of its binary log.
 *
 * A source is made once and connected as often as needed. While one thread works with it, another may call
 * source_wake: whatever blocks returns at once (name resolution and TCP connect too: they run on a thread that can be
 * left behind), and everything after that fails, until source_free.
 *
 * A connection speaks utf8mb4, with sql_mode empty, time zone +00:00, autocommit on. It never writes and never locks.
 *
 * The stream: source_dump, then source_fetch again and again. Errors of the dump come at the first fetch. After any
 * failure the connection is gone: source_disconnect, source_connect, source_dump again with where the stream is then.
 *
 * Failures are explained here once for all: RETRY when reconnecting may help, STOP when somebody must act, with a
 * hint. Where the program itself may have an answer, fail.code is one of enum source_refusal.
 *
 * One thread at a time, except source_wake. Source: MySQL manual "C API Binary Log Interface"; sql/rpl_binlog_sender.cc.
 */
#ifndef TIDEMARK_BINLOG_SOURCE_H
#define TIDEMARK_BINLOG_SOURCE_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/decoder.h"
#include "binlog/gtid.h"
#include "binlog/position.h"

#include <stdbool.h>
#include <stdint.h>

struct MYSQL; /* of mysql.h */

/* database.ssl.mode */
enum source_tls {
    SOURCE_TLS_DISABLED,
    SOURCE_TLS_PREFERRED, /* with a truststore it is VERIFY_CA */
    SOURCE_TLS_REQUIRED,  /* with a truststore it is VERIFY_CA */
    SOURCE_TLS_VERIFY_CA,
    SOURCE_TLS_VERIFY_IDENTITY,
};

/* Filled once by connector/config; must outlive every source made with it. NULL texts are unset. */
struct source_settings {
    const char *host;     /* database.hostname */
    uint16_t port;        /* database.port */
    const char *user;     /* database.user */
    const char *password; /* database.password */
    enum source_tls tls;
    const char *truststore;          /* database.ssl.truststore: PEM or PKCS12 file */
    const char *truststore_password; /* database.ssl.truststore.password */
    const char *keystore;            /* database.ssl.keystore: PEM or PKCS12 file with certificate and key */
    const char *keystore_password;   /* database.ssl.keystore.password */
    uint32_t connect_timeout_ms;     /* connect.timeout.ms */
    uint32_t query_timeout_ms;       /* database.query.timeout.ms; 0: none */
    uint32_t heartbeat_ms;           /* of a dump: the server speaks at least that often; 0: it is not asked to */
    uint32_t silence_ms; /* a dump that is silent for so long has lost its server; 0: it waits until source_cut */
    uint32_t net_write_timeout_s; /* binlog.net.write.timeout; 0: a week, so that a full queue never ends the dump */
    uint32_t net_read_timeout_s;  /* binlog.net.read.timeout; 0: the server's */
    uint32_t server_id;           /* database.server.id */
    const char *name;             /* of the connector: its dumps have a uuid made from it */
    const char *const *initial_statements; /* database.initial.statements; not before a dump */
    size_t n_initial_statements;
};

/* What a server may answer that a caller can react to; in fail.code. */
enum source_refusal {
    SOURCE_REFUSED_PURGED = 100001, /* GTIDs or the file asked for are no longer there */
    SOURCE_REFUSED_NO_FILE,         /* it knows no log file of that name (any more) */
    SOURCE_REFUSED_POSITION,        /* the position is behind the file's end or inside an event */
    SOURCE_REFUSED_AHEAD,           /* we know transactions that it doesn't: another server, or set back in time */
    SOURCE_REFUSED_GTID_OFF,        /* gtid_mode is not ON */
    SOURCE_REFUSED_LOG_OFF,         /* it writes no binary log */
    SOURCE_REFUSED_TAKEN,           /* another dump with our name was started */
    SOURCE_REFUSED_FAR_POSITION,    /* without GTIDs a dump can't start behind 4 GiB; ask for an earlier transaction */
    SOURCE_WOKEN,                   /* source_wake was called */
    SOURCE_OTHER_LOG,               /* its log has begun anew, and its GTIDs mean others now (lost.h) */
};

struct source;

struct source *source_new(const struct source_settings *set);
void source_free(struct source **src);

/* For statements; with initial_statements. */
MUST_USE bool source_connect(struct source *src, struct fail *why);

/* For source_dump; statements can be run before it. */
MUST_USE bool source_connect_dump(struct source *src, struct fail *why);

/* Safe when not connected. */
void source_disconnect(struct source *src);
bool source_is_connected(const struct source *src);

/* Any thread. Ends for good what the source is doing or will be asked to do. */
void source_wake(struct source *src);

/* Whether a thread still connects, perhaps one that was left behind: it uses libraries that exit() takes down. Any thread. */
bool source_is_anywhere_connecting(void);

enum { SOURCE_CUT_ANEW = -1 }; /* instead of a time: it was not silent, a new one is wanted */

/* Any thread. Ends the connection there is, as if the wire had broken: whoever works with it gets a RETRY that says it was
 * silent for so long. The next source_connect is as ever. */
void source_cut(struct source *src, int64_t silent_ms);

/* Any thread. How many bytes the kernel has taken in on this connection; 0 when there is none. Grows while one large event
 * arrives, of which source_fetch tells nothing until all of it is there. */
uint64_t source_received(struct source *src);

/* "db1:3306", for messages. */
const char *source_name(const struct source *src);

/* The server's version, 90704; 0 when not connected. */
unsigned source_version(const struct source *src);

/* The client library's connection, for the snapshot's prepared statements. */
struct MYSQL *source_mysql(struct source *src);

/* Explains the library's last error on this connection: fills why with "DOING on HOST: …". Returns false. */
bool source_fail(struct source *src, const char *doing, struct fail *why);

/* The same for an error number and text; what source_fail does, apart from a connection. */
bool source_explain(const struct source_settings *set, unsigned number, const char *text, const char *doing,
                    struct fail *why);

/* ---- statements that give a small result as text ---- */

struct source_result {
    void *rows; /* of the library */
    unsigned n_columns;
    char **row; /* of the current row; NULL entries are SQL NULL */
    const unsigned long *lengths;
};

/* Runs one statement and fetches its whole result; source_query_end releases it, also after a failure. */
MUST_USE bool source_query_run(struct source *src, const char *sql, struct source_result *res, struct fail *why);

/* Steps to the next row; false at the end. */
bool source_query_next(struct source_result *res);

/* A column of the current row: p is NULL for SQL NULL or when there is no such column. */
struct view source_query_column(const struct source_result *res, unsigned column);
struct view source_query_named(const struct source_result *res, const char *name);

void source_query_end(struct source_result *res);

/* Runs a statement without a result, or whose result does not matter. */
MUST_USE bool source_query_do(struct source *src, const char *sql, struct fail *why);

/* Appends text as a quoted SQL literal (sql_mode is empty here). */
void source_query_quote(struct view text, struct buf *out);

/* ---- the dump ---- */

/* Where it starts: by GTIDs (executed), by file and position (pos), or both, when the server finds the place at once
 * and still leaves out what was executed. The server does not check executed then, so source_dump does: of another
 * server (uuid of the position differs), with unknown or purged GTIDs, the position is dropped. */
struct source_start {
    const struct gtid_set *executed; /* NULL: by file and position */
    const struct log_position *pos;  /* NULL or without file: by GTIDs; at most 4 GiB - 1 without GTIDs */
    const char *pos_uuid;            /* server_uuid of the server that pos is of; NULL: unknown, not used with GTIDs */
};

/* Which checksum the decoder has to expect first: decoder_set_checksum. */
enum { SOURCE_DUMP_CHECKSUM = CHECKSUM_CRC32 };

MUST_USE bool source_dump(struct source *src, const struct source_start *start, struct fail *why);

/* Waits for the next event. Its bytes are valid until the next call. The end of the dump (the server shuts down, or
 * somebody ended it) is a RETRY. */
MUST_USE bool source_fetch(struct source *src, struct view *event, struct fail *why);

/* True when nothing waits on the socket. Only a hint to send what is held back: the library may hold events itself. */
bool source_is_dry(const struct source *src);

/* Bytes of the library's packet buffer: as large as the largest event so far. It shrinks only by reconnecting. */
size_t source_buffer_bytes(const struct source *src);

#endif
