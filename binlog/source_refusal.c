/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server's and the library's errors mean to us, and what to do about them.
 *
 * Two tables: by number, and for 1236, which says everything that a dump can fail with, by its text. The texts are
 * those of rpl_binlog_sender.cc and rpl_source.cc from 5.7 to 9.7. What is in neither table is a RETRY when the
 * library says it, and a STOP when the server does.
 */
#include "binlog/source.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <string.h>

struct meaning {
    unsigned number;
    enum fail_kind kind;
    const char *hint; /* NULL: the text says enough */
};

#define CLIENT_HINT \
    "the MySQL client library on this machine is another one than this program was made for, or not whole"
#define FAULT_HINT "this is a fault of the program: report it with this line"

static const struct meaning meanings[] = {
    {ER_ACCESS_DENIED_ERROR, FAIL_STOP, "database.user or database.password is not right, or not for this host"},
    {ER_ACCESS_DENIED_NO_PASSWORD_ERROR, FAIL_STOP, "database.password is not set, and the user has one"},
    {ER_DBACCESS_DENIED_ERROR, FAIL_STOP, "grant the user SELECT on it"},
    {ER_TABLEACCESS_DENIED_ERROR, FAIL_STOP, "grant the user SELECT on it"},
    {ER_COLUMNACCESS_DENIED_ERROR, FAIL_STOP, "grant the user SELECT on it"},
    {ER_SPECIFIC_ACCESS_DENIED_ERROR, FAIL_STOP,
     "grant the user what is missing: GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"},
    {ER_SPECIFIC_ACCESS_DENIED, FAIL_STOP,
     "grant the user what is missing: GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"},
    {ER_HOST_NOT_PRIVILEGED, FAIL_STOP, "the server knows no user for this host: create one, or correct its host part"},
    {ER_HOST_IS_BLOCKED, FAIL_STOP,
     "too many connections from here broke off: TRUNCATE TABLE performance_schema.host_cache on the server, and "
     "look for what breaks them"},
    {ER_MUST_CHANGE_PASSWORD, FAIL_STOP, "the user's password has expired"},
    {ER_MUST_CHANGE_PASSWORD_LOGIN, FAIL_STOP, "the user's password has expired"},
    {ER_ACCOUNT_HAS_BEEN_LOCKED, FAIL_STOP, "ALTER USER … ACCOUNT UNLOCK"},
    {ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK, FAIL_STOP,
     "too many wrong passwords: ALTER USER … ACCOUNT UNLOCK, and correct database.password"},
    {ER_SECURE_TRANSPORT_REQUIRED, FAIL_STOP, "the server wants TLS: set database.ssl.mode=required or higher"},
    {ER_NOT_SUPPORTED_AUTH_MODE, FAIL_STOP, NULL},
    {ER_CON_COUNT_ERROR, FAIL_RETRY, "max_connections of the server is used up"},
    {ER_TOO_MANY_USER_CONNECTIONS, FAIL_RETRY, "max_user_connections is used up"},
    {ER_USER_LIMIT_REACHED, FAIL_RETRY, "a limit of the user is used up"},
    {ER_SERVER_SHUTDOWN, FAIL_RETRY, NULL},
    {ER_SERVER_OFFLINE_MODE, FAIL_RETRY, NULL},
    {ER_SERVER_OFFLINE_MODE_REASON, FAIL_RETRY, NULL},
    {ER_CLIENT_INTERACTION_TIMEOUT, FAIL_RETRY, NULL},
    {ER_NET_READ_ERROR, FAIL_RETRY, NULL},
    {ER_NET_READ_INTERRUPTED, FAIL_RETRY, NULL},
    {ER_NET_ERROR_ON_WRITE, FAIL_RETRY, NULL},
    {ER_NET_WRITE_INTERRUPTED, FAIL_RETRY, NULL},
    {ER_LOCK_WAIT_TIMEOUT, FAIL_RETRY, NULL},
    {ER_LOCK_DEADLOCK, FAIL_RETRY, NULL},
    {ER_QUERY_INTERRUPTED, FAIL_RETRY, "somebody ended the statement"},
    {ER_QUERY_TIMEOUT, FAIL_RETRY, "database.query.timeout.ms is over"},
    {ER_TABLE_DEF_CHANGED, FAIL_RETRY, NULL},
    {ER_OUT_OF_RESOURCES, FAIL_RETRY, NULL},
    {ER_NO_SUCH_TABLE, FAIL_REFUSE, NULL},
    {ER_BAD_DB_ERROR, FAIL_REFUSE, NULL},
    {ER_PARSE_ERROR, FAIL_STOP, NULL},
    {ER_XAER_RMERR, FAIL_STOP, "XA RECOVER needs the right XA_RECOVER_ADMIN"},
    {ER_MALFORMED_GTID_SET_ENCODING, FAIL_STOP, "the server does not read our form of the GTID set"},
    {CR_UNKNOWN_ERROR, FAIL_STOP,
     "the client library says no more than this when it can't encrypt the password: without TLS some 200 bytes can be "
     "sent; set database.ssl.mode=required"},
    {CR_UNKNOWN_HOST, FAIL_RETRY, "the name does not resolve: database.hostname"},
    {CR_CONN_HOST_ERROR, FAIL_RETRY, "nothing answers there: database.hostname, database.port, a firewall"},
    {CR_SERVER_GONE_ERROR, FAIL_RETRY, NULL},
    {CR_SERVER_LOST, FAIL_RETRY, NULL},
    {CR_SERVER_LOST_EXTENDED, FAIL_RETRY, NULL},
    {CR_SERVER_HANDSHAKE_ERR, FAIL_RETRY, NULL},
    {CR_NET_PACKET_TOO_LARGE, FAIL_STOP, "an event or value of more than 1 GiB can't be received"},
    {CR_VERSION_ERROR, FAIL_STOP, "the port is not that of a MySQL server"},
    {CR_WRONG_HOST_INFO, FAIL_STOP, "look at database.hostname"},
    {CR_CANT_READ_CHARSET, FAIL_STOP, CLIENT_HINT},
    {CR_INVALID_CLIENT_CHARSET, FAIL_STOP, CLIENT_HINT},
    {CR_CONN_UNKNOW_PROTOCOL, FAIL_STOP, CLIENT_HINT},
    {CR_NOT_IMPLEMENTED, FAIL_STOP, CLIENT_HINT},
    {CR_SSL_FIPS_MODE_ERR, FAIL_STOP, "OpenSSL on this machine can't do what its FIPS settings ask for"},
    {CR_KERBEROS_USER_NOT_FOUND, FAIL_STOP,
     "the user authenticates by Kerberos, and no ticket is here: use another user"},
    {CR_INVALID_FACTOR_NO, FAIL_STOP, "the user has several factors of authentication: use one with a password alone"},
    {CR_NULL_POINTER, FAIL_STOP, FAULT_HINT},
    {CR_NO_PREPARE_STMT, FAIL_STOP, FAULT_HINT},
    {CR_PARAMS_NOT_BOUND, FAIL_STOP, FAULT_HINT},
    {CR_NO_PARAMETERS_EXISTS, FAIL_STOP, FAULT_HINT},
    {CR_INVALID_PARAMETER_NO, FAIL_STOP, FAULT_HINT},
    {CR_INVALID_BUFFER_USE, FAIL_STOP, FAULT_HINT},
    {CR_UNSUPPORTED_PARAM_TYPE, FAIL_STOP, FAULT_HINT},
    {CR_ALREADY_CONNECTED, FAIL_STOP, FAULT_HINT},
    {CR_AUTH_PLUGIN_CANNOT_LOAD, FAIL_STOP,
     "the user's authentication plugin is not on this machine (mysql_native_password comes with the MySQL client's "
     "package); or ALTER USER … IDENTIFIED WITH caching_sha2_password"},
    {CR_AUTH_PLUGIN_ERR, FAIL_STOP, "set database.ssl.mode=required, so that the password can be sent"},
};

/* ---- TLS: 2026 says all of it ---- */

static const struct {
    const char *text;
    const char *hint;
} tls_meanings[] = {
    {"doesn't support it", "the server offers no TLS: give it certificates, or set database.ssl.mode=disabled"},
    {"certificate verify failed",
     "the server's certificate is not signed by an authority in database.ssl.truststore, has expired, or (with "
     "database.ssl.mode=verify_identity) is for another name than database.hostname"},
    {"CA certificate is required", "set database.ssl.truststore to the authority of the server's certificate"},
    {"certificate", "look at database.ssl.truststore, database.ssl.keystore and the server's certificate"},
    {"tlsv1", "server and client have no TLS version or cipher in common"},
    {"protocol version", "server and client have no TLS version in common"},
    {"alert", "the server refused our certificate or none: database.ssl.keystore"},
};

static bool explain_tls(const struct source_settings *set, const char *text, const char *doing, struct fail *why)
{
    for (size_t i = 0; i < sizeof tls_meanings / sizeof *tls_meanings; i++)
        if (strcasestr(text, tls_meanings[i].text) != NULL)
            return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, CR_SSL_CONNECTION_ERROR,
                            "%s at %s:%u: TLS: %s (error %d); hint: %s", doing, set->host, set->port, text,
                            CR_SSL_CONNECTION_ERROR, tls_meanings[i].hint);
    return fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, CR_SSL_CONNECTION_ERROR, "%s at %s:%u: TLS: %s (error %d)",
                    doing, set->host, set->port, text, CR_SSL_CONNECTION_ERROR);
}

/* ---- the dump: 1236 says all of it ---- */

struct dump_meaning {
    const char *text;
    enum fail_kind kind;
    enum fail_area area;
    int code; /* enum source_refusal, or 0 for the number */
    const char *words;
};

static const struct dump_meaning dump_meanings[] = {
    {"purged required", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_PURGED,
     "the log that holds what comes next was purged; hint: take a new snapshot, or restore the position by hand; "
     "binlog_expire_logs_seconds says how long the server keeps its log"},
    {"has purged binary logs", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_PURGED,
     "the log that holds what comes next was purged; hint: take a new snapshot, or restore the position by hand; "
     "binlog_expire_logs_seconds says how long the server keeps its log"},
    {"Could not find first log file", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_NO_FILE,
     "there is no log file of that name; hint: it was purged, or the position is of another server: take a new "
     "snapshot, or correct the position"},
    {"position > file size", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_POSITION,
     "the position lies behind the end of its file; hint: the server lost the end of its log (sync_binlog other than "
     "1?), or the position is of another server"},
    {"position < 4", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_POSITION, "a position below 4 was asked for"},
    {"exceeded max_allowed_packet", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_POSITION,
     "no event starts at the position; hint: the position is of another server, or was set by hand"},
    {"more GTIDs than", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_AHEAD,
     "we have handed over transactions that the server does not know; hint: it was restored or lost the end of its "
     "log, or a failover chose a replica that lagged: compare the data, then set a new position"},
    {"in AUTO_POSITION mode", FAIL_STOP, FAIL_AREA_SOURCE, SOURCE_REFUSED_GTID_OFF,
     "gtid_mode is not ON there; hint: set gtid_mode=ON, as it was when the position was stored"},
    {"Cannot replicate anonymous transaction", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_GTID_OFF,
     "the log holds transactions without GTIDs behind the position; hint: gtid_mode was OFF for a time: take a new "
     "snapshot"},
    {"Cannot replicate GTID-transaction", FAIL_STOP, FAIL_AREA_SOURCE, SOURCE_REFUSED_GTID_OFF,
     "the log holds transactions with GTIDs and gtid_mode is OFF; hint: set gtid_mode=ON"},
    {"Binary log is not open", FAIL_STOP, FAIL_AREA_SOURCE, SOURCE_REFUSED_LOG_OFF,
     "the server writes no binary log; hint: start it with log_bin"},
    {"server_uuid/server_id", FAIL_STOP, FAIL_AREA_FENCED, SOURCE_REFUSED_TAKEN,
     "another instance of this connector reads the log now; hint: each connector needs a name of its own"},
    {"could not find next log", FAIL_RETRY, FAIL_AREA_SOURCE, 0,
     "the log files were deleted while they were read (RESET BINARY LOGS?)"},
    {"checksum algorithm check", FAIL_STOP, FAIL_AREA_DATA, 0,
     "an event in the server's log file has a wrong checksum; hint: the file is damaged"},
    {"checksum that", FAIL_STOP, FAIL_AREA_SOURCE, 0, "the server does not take our word for checksums"},
    {"bogus data in log event", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_POSITION,
     "no event starts at the position, or the file is damaged there; hint: the position is of another server or was "
     "set "
     "by hand"},
    {"truncated in the middle", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_POSITION,
     "no event starts at the position, or the file ends within an event; hint: the position is of another server or "
     "was "
     "set by hand, or the server's disk was full"},
    {"server_id", FAIL_STOP, FAIL_AREA_SOURCE, 0, "hint: give the server a server_id other than 0"},
};

static bool explain_dump(const struct source_settings *set, const char *text, const char *doing, struct fail *why)
{
    for (size_t i = 0; i < sizeof dump_meanings / sizeof *dump_meanings; i++) {
        const struct dump_meaning *m = &dump_meanings[i];
        if (strcasestr(text, m->text) != NULL)
            return fail_set(why, m->kind, m->area, m->code == 0 ? ER_SOURCE_FATAL_ERROR_READING_BINLOG : m->code,
                            "%s at %s:%u: %s (error %d: %.300s)", doing, set->host, set->port, m->words,
                            ER_SOURCE_FATAL_ERROR_READING_BINLOG, text);
    }
    return fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, ER_SOURCE_FATAL_ERROR_READING_BINLOG,
                    "%s at %s:%u: %s (error %d)", doing, set->host, set->port, text,
                    ER_SOURCE_FATAL_ERROR_READING_BINLOG);
}

/* ---- all errors ---- */

static const struct meaning *find_meaning(unsigned number)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].number == number)
            return &meanings[i];
    return NULL;
}

static enum fail_kind usual_kind(unsigned number)
{
    bool is_library = number == 0 || (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR);
    return is_library ? FAIL_RETRY : FAIL_STOP;
}

bool source_explain(const struct source_settings *set, unsigned number, const char *text, const char *doing,
                    struct fail *why)
{
    if (number == ER_SOURCE_FATAL_ERROR_READING_BINLOG)
        return explain_dump(set, text, doing, why);
    if (number == CR_SSL_CONNECTION_ERROR)
        return explain_tls(set, text, doing, why);
    const struct meaning *m = find_meaning(number);
    const char *hint = m == NULL ? NULL : m->hint;
    return fail_set(why, m == NULL ? usual_kind(number) : m->kind, FAIL_AREA_SOURCE, (int)number,
                    "%s at %s:%u: %s (error %u)%s%s", doing, set->host, set->port, number == 0 ? "not connected" : text,
                    number, hint == NULL ? "" : "; hint: ", hint == NULL ? "" : hint);
}
