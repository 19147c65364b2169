/* SPDX-License-Identifier: Apache-2.0 */
/* Reading where the log is. What the settings must be is in server_check.c. */
#include "binlog/server.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_LOG_STATUS = 80200 };

static bool read_number(struct view text, uint64_t *out)
{
    uint64_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (unsigned)(text.p[i] - '0'), &n))
            return false;
    }
    *out = n;
    return text.n > 0;
}

static bool take_end(struct source *src, const struct source_result *res, struct log_position *pos, struct fail *why)
{
    uint64_t offset;
    if (!read_number(source_query_named(res, "Position"), &offset))
        return fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0, "the log's end on %s is no position", source_name(src));
    return position_set(pos, source_query_named(res, "File"), offset, why);
}

struct stream_server server_of_stream(const struct server *srv)
{
    return (struct stream_server){
        .version = srv->version,
        .charset = charset_find(view_of(srv->charset)),
        .collation = view_of(srv->collation),
        .implicit_timestamp_defaults = srv->has_implicit_timestamps,
    };
}

const char *server_log_status_sql(const struct server *srv)
{
    return srv->version >= VERSION_LOG_STATUS ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS";
}

bool server_read_end(struct source *src, const struct server *srv, struct log_position *pos, struct fail *why)
{
    const char *sql = server_log_status_sql(srv);
    struct source_result res;
    bool ok = source_query_run(src, sql, &res, why);
    if (ok && !source_query_next(&res))
        ok = fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, SOURCE_REFUSED_LOG_OFF,
                      "%s on %s: no binary log is written; hint: start the server with log_bin", sql, source_name(src));
    ok = ok && take_end(src, &res, pos, why);
    source_query_end(&res);
    return ok;
}

/* One row, one column. */
static bool read_set(struct source *src, const char *sql, struct gtid_set *set, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, sql, &res, why);
    if (ok && source_query_next(&res))
        ok = gtid_set_read(set, source_query_column(&res, 0), why) || fail_add(why, "%s", sql);
    source_query_end(&res);
    return ok;
}

bool server_read_executed(struct source *src, struct gtid_set *set, struct fail *why)
{
    return read_set(src, "SELECT @@global.gtid_executed", set, why);
}

bool server_read_purged(struct source *src, struct gtid_set *set, struct fail *why)
{
    return read_set(src, "SELECT @@global.gtid_purged", set, why);
}

bool server_read_uuid(struct source *src, char uuid[37], struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, "SELECT @@server_uuid", &res, why);
    struct view text = ok && source_query_next(&res) ? source_query_column(&res, 0) : VIEW_NONE;
    if (ok && text.n != 36)
        ok = fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0, "server_uuid of %s is \"%.*s\"", source_name(src),
                      VIEW_ARGS(text));
    if (ok)
        snprintf(uuid, 37, "%.*s", VIEW_ARGS(text));
    source_query_end(&res);
    return ok;
}

/* ---- XA ---- */

static void put_quoted_hex(struct buf *out, struct view digits)
{
    buf_put_literal(out, "X'");
    for (size_t i = 0; i < digits.n; i++)
        buf_put_u8(out, digits.p[i] >= 'A' && digits.p[i] <= 'F' ? digits.p[i] | 0x20 : digits.p[i]);
    buf_put_u8(out, '\'');
}

/* data is 0x and the digits of both parts; the lengths say where the second begins. */
static bool put_name(const struct source_result *res, struct buf *names)
{
    struct view data = source_query_named(res, "data");
    uint64_t format;
    uint64_t gtrid;
    uint64_t bqual;
    if (!read_number(source_query_named(res, "formatID"), &format) ||
        !read_number(source_query_named(res, "gtrid_length"), &gtrid) ||
        !read_number(source_query_named(res, "bqual_length"), &bqual) || gtrid > 64 || bqual > 64 ||
        data.n != 2 + 2 * (gtrid + bqual))
        return false;
    put_quoted_hex(names, (struct view){data.p + 2, 2 * gtrid});
    buf_put_u8(names, ',');
    put_quoted_hex(names, (struct view){data.p + 2 + 2 * gtrid, 2 * bqual});
    buf_printf(names, ",%llu", (unsigned long long)format);
    buf_put_u8(names, 0);
    return true;
}

bool server_read_xa(struct source *src, struct buf *names, struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, "XA RECOVER CONVERT XID", &res, why);
    while (ok && source_query_next(&res))
        ok = put_name(&res, names) || fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0,
                                               "XA RECOVER on %s gave a row that can't be read", source_name(src));
    source_query_end(&res);
    return ok;
}

bool server_read_logs(struct source *src, void (*each)(void *ctx, struct view file, uint64_t bytes), void *ctx,
                      struct fail *why)
{
    struct source_result res;
    bool ok = source_query_run(src, "SHOW BINARY LOGS", &res, why);
    while (ok && source_query_next(&res)) {
        uint64_t bytes = 0;
        ok = read_number(source_query_named(&res, "File_size"), &bytes) ||
             fail_set(why, FAIL_STOP, FAIL_AREA_SOURCE, 0, "SHOW BINARY LOGS on %s gave a row that can't be read",
                      source_name(src));
        if (ok)
            each(ctx, source_query_named(&res, "Log_name"), bytes);
    }
    source_query_end(&res);
    return ok;
}
