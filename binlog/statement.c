/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/statement.h"

#include <string.h>

/* Codes of the status variables of QUERY. */
enum status_code {
    STATUS_FLAGS2 = 0,
    STATUS_SQL_MODE = 1,
    STATUS_CATALOG_OLD = 2,
    STATUS_AUTO_INCREMENT = 3,
    STATUS_COLLATIONS = 4,
    STATUS_TIME_ZONE = 5,
    STATUS_CATALOG = 6,
    STATUS_TIME_NAMES = 7,
    STATUS_DATABASE_COLLATION = 8,
    STATUS_UPDATED_TABLES = 9,
    STATUS_BYTES_WRITTEN = 10,
    STATUS_INVOKER = 11,
    STATUS_TOUCHED = 12,
    STATUS_MICROSECONDS = 13,
    STATUS_COMMIT_TIME = 14,
    STATUS_COMMIT_TIME_2 = 15,
    STATUS_EXPLICIT_TIMESTAMP_DEFAULTS = 16,
    STATUS_DDL_XID = 17,
    STATUS_UTF8MB4_COLLATION = 18,
    STATUS_REQUIRE_PRIMARY_KEY = 19,
    STATUS_TABLE_ENCRYPTION = 20,
};

static struct view short_view(struct cursor *c)
{
    size_t n = cursor_u8(c);
    return cursor_view(c, n);
}

static void read_collations(struct cursor *c, struct statement *out)
{
    out->client_collation = cursor_u16(c);
    out->connection_collation = cursor_u16(c);
    out->server_collation = cursor_u16(c);
    out->has_collations = !c->bad;
}

static void read_touched(struct cursor *c, struct statement *out)
{
    enum { TOO_MANY = 254 };
    uint8_t n = cursor_u8(c);
    out->touches_too_many = n == TOO_MANY;
    if (out->touches_too_many)
        return;
    const uint8_t *start = c->p;
    for (uint8_t i = 0; i < n && !c->bad; i++)
        (void)cursor_take(c, strnlen((const char *)c->p, cursor_left(c)) + 1);
    if (c->bad)
        return;
    out->n_touched = n;
    out->touched = (struct view){start, (size_t)(c->p - start)};
}

/* Values that nothing here asks for are walked past. */
static size_t unused_bytes(uint8_t code)
{
    switch (code) {
    case STATUS_REQUIRE_PRIMARY_KEY:
    case STATUS_TABLE_ENCRYPTION:
        return 1;
    case STATUS_TIME_NAMES:
        return 2;
    case STATUS_AUTO_INCREMENT:
    case STATUS_BYTES_WRITTEN:
        return 4;
    case STATUS_UPDATED_TABLES:
    case STATUS_COMMIT_TIME:
    case STATUS_COMMIT_TIME_2:
        return 8;
    default:
        return 0;
    }
}

/* False for a code that is not known. */
static bool read_status(struct cursor *c, uint8_t code, struct statement *out)
{
    switch (code) {
    case STATUS_FLAGS2:
        out->flags2 = cursor_u32(c);
        out->has_flags2 = true;
        return true;
    case STATUS_SQL_MODE:
        out->sql_mode = cursor_u64(c);
        out->has_sql_mode = true;
        return true;
    case STATUS_CATALOG_OLD:
        (void)short_view(c);
        (void)cursor_u8(c);
        return true;
    case STATUS_COLLATIONS:
        read_collations(c, out);
        return true;
    case STATUS_TIME_ZONE:
        out->time_zone = short_view(c);
        return true;
    case STATUS_CATALOG:
        (void)short_view(c);
        return true;
    case STATUS_DATABASE_COLLATION:
        out->database_collation = cursor_u16(c);
        return true;
    case STATUS_INVOKER:
        (void)short_view(c);
        (void)short_view(c);
        return true;
    case STATUS_TOUCHED:
        read_touched(c, out);
        return true;
    case STATUS_MICROSECONDS:
        out->micro = cursor_u24(c);
        return true;
    case STATUS_EXPLICIT_TIMESTAMP_DEFAULTS:
        out->explicit_timestamp_defaults = cursor_u8(c) != 0;
        out->has_explicit_timestamp_defaults = true;
        return true;
    case STATUS_DDL_XID:
        out->ddl_xid = cursor_u64(c);
        return true;
    case STATUS_UTF8MB4_COLLATION:
        out->utf8mb4_collation = cursor_u16(c);
        return true;
    default:
        (void)cursor_take(c, unused_bytes(code));
        return unused_bytes(code) > 0;
    }
}

bool statement_read(const struct event *ev, struct statement *out, struct fail *why)
{
    enum { LOAD_BYTES = 13 };
    *out = (struct statement){0};
    struct cursor c = cursor_of(ev->body);
    out->thread_id = cursor_u32(&c);
    out->seconds = cursor_u32(&c);
    size_t db_bytes = cursor_u8(&c);
    out->error = cursor_u16(&c);
    size_t status_bytes = cursor_u16(&c);
    if (ev->header.type == EVENT_EXECUTE_LOAD_QUERY)
        (void)cursor_take(&c, LOAD_BYTES);
    struct cursor status = cursor_of(cursor_view(&c, status_bytes));
    out->db = cursor_view(&c, db_bytes);
    uint8_t end = cursor_u8(&c);
    if (c.bad || end != 0)
        return fail_malformed(why, "it is malformed in front of the statement");
    out->sql = (struct view){c.p, cursor_left(&c)};
    while (cursor_left(&status) > 0)
        if (!read_status(&status, cursor_u8(&status), out))
            break;
    return status.bad ? fail_malformed(why, "its status variables are cut short") : true;
}

struct view statement_next_db(struct view *names)
{
    if (names->n == 0)
        return VIEW_NONE;
    struct view one = {names->p, strnlen((const char *)names->p, names->n)};
    size_t step = one.n < names->n ? one.n + 1 : one.n;
    names->p += step;
    names->n -= step;
    return one;
}

bool statement_read_xid(const struct event *ev, uint64_t *xid, struct fail *why)
{
    struct cursor c = cursor_of(ev->body);
    *xid = cursor_u64(&c);
    return c.bad ? fail_malformed(why, "it is cut short") : true;
}

/* In front of the text stands a length of one byte that has not been true for long texts: the event's end counts. */
bool statement_read_rows_query(const struct event *ev, struct view *sql, struct fail *why)
{
    struct cursor c = cursor_of(ev->body);
    (void)cursor_u8(&c);
    *sql = (struct view){c.p, cursor_left(&c)};
    return c.bad ? fail_malformed(why, "it is empty") : true;
}

bool statement_read_xa_prepare(const struct event *ev, struct xa_prepare_event *out, struct fail *why)
{
    enum { XID_PART_BYTES = 64 };
    struct cursor c = cursor_of(ev->body);
    out->one_phase = cursor_u8(&c) != 0;
    out->format = cursor_u32(&c);
    size_t gtrid_bytes = cursor_u32(&c);
    size_t bqual_bytes = cursor_u32(&c);
    if (gtrid_bytes > XID_PART_BYTES || bqual_bytes > XID_PART_BYTES)
        return fail_malformed(why, "its name has parts of %zu and %zu bytes", gtrid_bytes, bqual_bytes);
    out->gtrid = cursor_view(&c, gtrid_bytes);
    out->bqual = cursor_view(&c, bqual_bytes);
    return c.bad ? fail_malformed(why, "it is cut short") : true;
}

static void print_hex(struct view v, struct buf *out)
{
    static const char digits[] = "0123456789abcdef";
    buf_put_literal(out, "X'");
    for (size_t i = 0; i < v.n; i++) {
        buf_put_u8(out, (uint8_t)digits[v.p[i] >> 4]);
        buf_put_u8(out, (uint8_t)digits[v.p[i] & 15]);
    }
    buf_put_u8(out, '\'');
}

void statement_print_xa(const struct xa_prepare_event *xa, struct buf *out)
{
    print_hex(xa->gtrid, out);
    buf_put_u8(out, ',');
    print_hex(xa->bqual, out);
    buf_printf(out, ",%u", xa->format);
}

bool statement_is_piece(uint8_t type)
{
    switch (type) {
    case EVENT_INTVAR:
    case EVENT_RAND:
    case EVENT_USER_VAR:
    case EVENT_BEGIN_LOAD_QUERY:
    case EVENT_APPEND_BLOCK:
    case EVENT_DELETE_FILE:
    case EVENT_EXECUTE_LOAD_QUERY:
        return true;
    default:
        return false;
    }
}
