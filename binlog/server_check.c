/* SPDX-License-Identifier: Apache-2.0 */
/* What a server must be set to, and what our user must be allowed, so that no change is lost. */
#include "base/log.h"
#include "binlog/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_TESTED_FROM = 80022, VALUE_BYTES = 128 };

/* ---- settings ---- */

enum variable {
    VAR_VERSION,
    VAR_LOG_BIN,
    VAR_FORMAT,
    VAR_IMAGE,
    VAR_LOG_REPLICA_UPDATES,
    VAR_LOG_SLAVE_UPDATES,
    VAR_GTID_MODE,
    VAR_SERVER_ID,
    VAR_SERVER_UUID,
    VAR_LOWER_CASE,
    VAR_CHARSET,
    VAR_COLLATION,
    VAR_TIMESTAMPS,
    VAR_METADATA,
    VAR_VALUE_OPTIONS,
    VAR_COMPRESSION,
    VAR_CHECKSUM,
    N_VARIABLES,
};

static const char *const names[N_VARIABLES] = {
    [VAR_VERSION] = "version",
    [VAR_LOG_BIN] = "log_bin",
    [VAR_FORMAT] = "binlog_format",
    [VAR_IMAGE] = "binlog_row_image",
    [VAR_LOG_REPLICA_UPDATES] = "log_replica_updates",
    [VAR_LOG_SLAVE_UPDATES] = "log_slave_updates",
    [VAR_GTID_MODE] = "gtid_mode",
    [VAR_SERVER_ID] = "server_id",
    [VAR_SERVER_UUID] = "server_uuid",
    [VAR_LOWER_CASE] = "lower_case_table_names",
    [VAR_CHARSET] = "character_set_server",
    [VAR_COLLATION] = "collation_server",
    [VAR_TIMESTAMPS] = "explicit_defaults_for_timestamp",
    [VAR_METADATA] = "binlog_row_metadata",
    [VAR_VALUE_OPTIONS] = "binlog_row_value_options",
    [VAR_COMPRESSION] = "binlog_transaction_compression",
    [VAR_CHECKSUM] = "binlog_checksum",
};

struct variables {
    char values[N_VARIABLES][VALUE_BYTES]; /* "" when the server has no such variable */
};

static void take_variable(const struct source_result *res, struct variables *vars)
{
    struct view name = source_query_column(res, 0);
    struct view value = source_query_column(res, 1);
    for (int i = 0; i < N_VARIABLES; i++)
        if (view_is(name, names[i]))
            snprintf(vars->values[i], VALUE_BYTES, "%.*s", VIEW_ARGS(value));
}

/* SHOW VARIABLES leaves out what a server doesn't have, where SELECT @@name would fail. */
static bool read_variables(struct source *src, struct variables *vars, struct fail *why)
{
    struct buf sql;
    struct source_result res;
    buf_init(&sql);
    *vars = (struct variables){0};
    buf_put_literal(&sql, "SHOW GLOBAL VARIABLES WHERE Variable_name IN (");
    for (int i = 0; i < N_VARIABLES; i++)
        buf_printf(&sql, "%s'%s'", i == 0 ? "" : ",", names[i]);
    buf_put_literal(&sql, ")");
    buf_put_u8(&sql, 0);
    bool ok = source_query_run(src, (const char *)sql.start, &res, why);
    while (ok && source_query_next(&res))
        take_variable(&res, vars);
    source_query_end(&res);
    buf_fini(&sql);
    return ok;
}

static bool is_value(const struct variables *vars, enum variable which, const char *value)
{
    return strcasecmp(vars->values[which], value) == 0;
}

static bool refuse(struct source *src, struct fail *why, const char *what, const char *hint)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0, "check the settings of %s: %s; hint: %s", source_name(src),
                    what, hint);
}

static bool refuse_value(struct source *src, const struct variables *vars, enum variable which, const char *wanted,
                         struct fail *why)
{
    return fail_set(
        why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
        "check the settings of %s: %s is %s; hint: set %s=%s there (in its configuration and by SET PERSIST), then "
        "let old sessions end, they keep the old value",
        source_name(src), names[which], vars->values[which], names[which], wanted);
}

/* ---- the log ---- */

static bool check_log(struct source *src, const struct variables *vars, struct fail *why)
{
    if (!is_value(vars, VAR_LOG_BIN, "ON"))
        return refuse(src, why, "log_bin is OFF: it writes no binary log", "start the server with log_bin");
    if (vars->values[VAR_FORMAT][0] != '\0' && !is_value(vars, VAR_FORMAT, "ROW"))
        return refuse_value(src, vars, VAR_FORMAT, "ROW", why);
    if (!is_value(vars, VAR_IMAGE, "FULL"))
        return refuse_value(src, vars, VAR_IMAGE, "FULL", why);
    return true;
}

/* Databases may be wanted that it leaves out: which, only the filters know; who set it knows more. */
static bool warn_of_unlogged(struct source *src, const struct server *srv, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, server_log_status_sql(srv), &res, why);
    if (ok && source_query_next(&res)) {
        struct view only = source_query_named(&res, "Binlog_Do_DB");
        struct view without = source_query_named(&res, "Binlog_Ignore_DB");
        if (only.n > 0 || without.n > 0)
            log_warn(
                "server",
                "the log of %s has not all databases (binlog_do_db=%.*s binlog_ignore_db=%.*s): what changes in the "
                "others can't be told",
                source_name(src), VIEW_ARGS(only), VIEW_ARGS(without));
    }
    source_query_end(&res);
    return ok;
}

static bool read_is_replica(struct source *src, struct server *srv, struct fail *why)
{
    struct source_result res;
    const char *sql = srv->version >= VERSION_TESTED_FROM ? "SHOW REPLICA STATUS" : "SHOW SLAVE STATUS";
    bool ok = source_query_run(src, sql, &res, why);
    srv->is_replica = ok && source_query_next(&res);
    source_query_end(&res);
    return ok;
}

static bool check_replica(struct source *src, const struct variables *vars, const struct server *srv, struct fail *why)
{
    bool logs_updates = is_value(vars, VAR_LOG_REPLICA_UPDATES, "ON") || is_value(vars, VAR_LOG_SLAVE_UPDATES, "ON");
    if (!srv->is_replica || logs_updates)
        return true;
    return refuse(src, why, "it is a replica and log_replica_updates is OFF: what it receives is not in its log",
                  "start it with log_replica_updates, or read from its source");
}

/* ---- server ids ---- */

static bool refuse_id(struct source *src, const struct source_settings *set, const char *whose, struct fail *why)
{
    return fail_set(
        why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
        "check the settings of %s: database.server.id=%u is %s; hint: choose a number that no server and no "
        "replica there has",
        source_name(src), set->server_id, whose);
}

static bool check_ids(struct source *src, const struct source_settings *set, const struct server *srv, struct fail *why)
{
    struct source_result res;
    char ours[16];
    if (srv->server_id == set->server_id)
        return refuse_id(src, set, "the server's own server_id", why);
    snprintf(ours, sizeof ours, "%u", set->server_id);
    const char *sql = srv->version >= VERSION_TESTED_FROM ? "SHOW REPLICAS" : "SHOW SLAVE HOSTS";
    bool ok = source_query_run(src, sql, &res, why);
    bool is_used = false;
    while (ok && !is_used && source_query_next(&res))
        is_used = view_is(source_query_named(&res, "Server_Id"), ours);
    source_query_end(&res);
    return ok && (!is_used || refuse_id(src, set, "that of a replica that is connected", why));
}

/* ---- grants ---- */

struct grants {
    bool select; /* on anything */
    bool select_on_all;
    bool select_on_tables; /* on single ones */
    bool replication_slave;
    bool replication_client;
    bool xa_recover;
};

static bool starts_with(struct view text, const char *word)
{
    size_t n = strlen(word);
    return text.n >= n && view_equal_nocase((struct view){text.p, n}, view_of(word));
}

/* Where " ON " stands outside of quotes and column lists; the text's length when nowhere: a role was granted. */
static size_t find_on(struct view text)
{
    int depth = 0;
    bool in_quotes = false;
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        if (c == '`')
            in_quotes = !in_quotes;
        else if (!in_quotes && (c == '(' || c == ')'))
            depth += c == '(' ? 1 : -1;
        else if (!in_quotes && depth == 0 && starts_with((struct view){text.p + i, text.n - i}, " ON "))
            return i;
    }
    return text.n;
}

enum scope { SCOPE_ALL, SCOPE_DATABASE, SCOPE_OBJECT };

/* Of what stands behind " ON ". */
static enum scope scope_of(struct view on)
{
    bool in_quotes = false;
    if (starts_with(on, "*.*"))
        return SCOPE_ALL;
    for (size_t i = 0; i + 1 < on.n; i++) {
        in_quotes = in_quotes != (on.p[i] == '`');
        if (!in_quotes && on.p[i] == '.')
            return on.p[i + 1] == '*' ? SCOPE_DATABASE : SCOPE_OBJECT;
    }
    return SCOPE_OBJECT;
}

static void take_privilege(struct view name, enum scope scope, struct grants *g)
{
    bool is_all = starts_with(name, "ALL PRIVILEGES");
    bool is_select = is_all || view_is(name, "SELECT") || starts_with(name, "SELECT (");
    g->select |= is_select;
    g->select_on_all |= is_select && scope == SCOPE_ALL;
    g->select_on_tables |= is_select && scope == SCOPE_OBJECT;
    if (scope != SCOPE_ALL)
        return;
    g->replication_slave |= is_all || view_is(name, "REPLICATION SLAVE");
    g->replication_client |= is_all || view_is(name, "REPLICATION CLIENT");
    g->xa_recover |= view_is(name, "XA_RECOVER_ADMIN");
}

static void take_grant(struct view line, struct grants *g)
{
    if (!starts_with(line, "GRANT "))
        return;
    line.p += 6;
    line.n -= 6;
    size_t on = find_on(line);
    if (on == line.n)
        return;
    enum scope scope = scope_of((struct view){line.p + on + 4, line.n - on - 4});
    size_t from = 0;
    int depth = 0;
    for (size_t i = 0; i <= on; i++) {
        uint8_t c = i == on ? ',' : line.p[i];
        if (i < on && (c == '(' || c == ')'))
            depth += c == '(' ? 1 : -1;
        if (c != ',' || depth > 0)
            continue;
        take_privilege((struct view){line.p + from, i - from}, scope, g);
        from = i + 1;
        while (from < on && line.p[from] == ' ')
            from++;
    }
}

static bool read_grants_by(struct source *src, const char *sql, struct grants *g, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, sql, &res, why);
    while (ok && source_query_next(&res))
        take_grant(source_query_column(&res, 0), g);
    source_query_end(&res);
    return ok;
}

/* With what the active roles bring. */
static bool read_grants(struct source *src, struct grants *g, struct fail *why)
{
    struct source_result res;
    struct buf sql;
    *g = (struct grants){0};
    buf_init(&sql);
    buf_put_literal(&sql, "SHOW GRANTS FOR CURRENT_USER()");
    bool ok = source_query_run(src, "SELECT CURRENT_ROLE()", &res, why);
    if (ok && source_query_next(&res) && !view_is(source_query_column(&res, 0), "NONE")) {
        buf_put_literal(&sql, " USING ");
        buf_put_view(&sql, source_query_column(&res, 0));
    }
    source_query_end(&res);
    buf_put_u8(&sql, 0);
    ok = ok && read_grants_by(src, (const char *)sql.start, g, why);
    buf_fini(&sql);
    return ok;
}

static bool check_grants(struct source *src, const struct grants *g, struct fail *why)
{
    if (g->select && g->replication_slave && g->replication_client)
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                    "check the rights on %s: the user lacks%s%s%s; hint: GRANT SELECT, REPLICATION SLAVE, REPLICATION "
                    "CLIENT ON *.* TO the user (a role must be active by SET DEFAULT ROLE)",
                    source_name(src), g->select ? "" : " SELECT", g->replication_slave ? "" : " REPLICATION SLAVE",
                    g->replication_client ? "" : " REPLICATION CLIENT");
}

/* ---- all ---- */

static uint32_t version_number(const char *text)
{
    unsigned major = 0;
    unsigned minor = 0;
    unsigned patch = 0;
    if (sscanf(text, "%3u.%3u.%3u", &major, &minor, &patch) < 2)
        return 0;
    return major * 10000 + minor * 100 + patch;
}

static enum server_gtid_mode gtid_mode_of(const struct variables *vars)
{
    if (is_value(vars, VAR_GTID_MODE, "ON"))
        return SERVER_GTID_ON;
    if (is_value(vars, VAR_GTID_MODE, "ON_PERMISSIVE"))
        return SERVER_GTID_ON_PERMISSIVE;
    if (is_value(vars, VAR_GTID_MODE, "OFF_PERMISSIVE"))
        return SERVER_GTID_OFF_PERMISSIVE;
    return SERVER_GTID_OFF;
}

static void take_values(const struct variables *vars, struct server *out)
{
    *out = (struct server){
        .version = version_number(vars->values[VAR_VERSION]),
        .server_id = (uint32_t)strtoul(vars->values[VAR_SERVER_ID], NULL, 10),
        .gtid_mode = gtid_mode_of(vars),
        .lower_case_table_names = (unsigned)strtoul(vars->values[VAR_LOWER_CASE], NULL, 10),
        .has_implicit_timestamps = is_value(vars, VAR_TIMESTAMPS, "OFF"),
        .metadata_is_full = is_value(vars, VAR_METADATA, "FULL"),
        .has_partial_json = strcasestr(vars->values[VAR_VALUE_OPTIONS], "PARTIAL_JSON") != NULL,
        .has_compression = is_value(vars, VAR_COMPRESSION, "ON"),
        .has_checksum = !is_value(vars, VAR_CHECKSUM, "NONE"),
    };
    snprintf(out->version_text, sizeof out->version_text, "%.63s", vars->values[VAR_VERSION]);
    snprintf(out->uuid, sizeof out->uuid, "%.36s", vars->values[VAR_SERVER_UUID]);
    snprintf(out->charset, sizeof out->charset, "%.64s", vars->values[VAR_CHARSET]);
    snprintf(out->collation, sizeof out->collation, "%.64s", vars->values[VAR_COLLATION]);
}

static void warn_of_version(struct source *src, const struct server *srv)
{
    if (srv->version < VERSION_TESTED_FROM)
        log_warn("server", "%s is MySQL %s, older than any this program was made for (8.0.22)", source_name(src),
                 srv->version_text);
}

bool server_check(struct source *src, const struct source_settings *set, struct server *out, struct fail *why)
{
    struct variables vars;
    struct grants grants;
    if (!read_variables(src, &vars, why))
        return false;
    take_values(&vars, out);
    warn_of_version(src, out);
    if (!read_grants(src, &grants, why) || !check_grants(src, &grants, why))
        return false;
    out->may_recover_xa = grants.xa_recover;
    out->sees_single_tables = grants.select_on_tables && !grants.select_on_all;
    return check_log(src, &vars, why) && warn_of_unlogged(src, out, why) && read_is_replica(src, out, why) &&
           check_replica(src, &vars, out, why) && check_ids(src, set, out, why);
}
