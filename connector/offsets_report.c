/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_report.h"

#include "connector/json_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* ---- counting ---- */

/* Whether file names of the stored position mean something on this server. */
static bool is_same_log(const struct offsets_report *r)
{
    const char *stored = r->stored->server_uuid;
    return stored[0] == '\0' || strcmp(stored, r->server_uuid) == 0;
}

/* Where the stream is, which may be past the position that is stored for XA's sake. */
static const struct log_position *reached(const struct offset_state *st)
{
    return st->reached.file[0] != '\0' ? &st->reached : &st->pos;
}

void offsets_report_add_file(struct offsets_report *r, struct view file, uint64_t bytes)
{
    struct log_position at;
    struct fail why;
    if (r->stored == NULL || !is_same_log(r) || !position_set(&at, file, 0, &why))
        return;
    const struct log_position *from = reached(r->stored);
    if (view_is(file, from->file)) {
        r->has_lag_bytes = true;
        r->lag_bytes = bytes > from->offset ? bytes - from->offset : 0;
    } else if (r->has_lag_bytes && position_compare(&at, from) > 0) {
        r->lag_bytes += bytes;
    }
}

void offsets_report_compare(struct offsets_report *r, const struct gtid_set *executed)
{
    struct gtid_set missing;
    if (r->stored == NULL || !r->stored->has_gtids)
        return;
    gtid_set_init(&missing);
    gtid_set_copy(&missing, executed);
    gtid_set_minus(&missing, &r->stored->gtids);
    r->has_lag_transactions = true;
    r->lag_transactions = gtid_set_count(&missing);
    gtid_set_fini(&missing);
}

/* ---- lines ---- */

static void print_time(int64_t sec, struct buf *out)
{
    char text[40];
    time_t t = (time_t)sec;
    struct tm utc;
    gmtime_r(&t, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    buf_put_text(out, text);
}

static void print_stored(const struct offsets_report *r, struct buf *out)
{
    const struct offset_state *st = r->stored;
    buf_printf(out, "position       %s:%" PRIu64 "\n", st->pos.file, st->pos.offset);
    if (offset_state_is_inside(st)) {
        buf_put_literal(out, "inside         ");
        offset_state_put_inside(st, out);
        buf_put_u8(out, '\n');
    }
    if (st->reached.file[0] != '\0')
        buf_printf(out, "reached        %s:%" PRIu64 "\n", st->reached.file, st->reached.offset);
    if (st->has_gtids) {
        buf_put_literal(out, "gtids          ");
        gtid_set_print(&st->gtids, out);
        buf_put_literal(out, "\n");
    }
    if (st->server_uuid[0] != '\0')
        buf_printf(out, "of server      %s\n", st->server_uuid);
    if (st->n_xa > 0)
        buf_printf(out, "prepared xa    %" PRIu32 "\n", st->n_xa);
    for (const char *at = (const char *)st->early_xa.start; at < (const char *)st->early_xa.p; at += strlen(at) + 1)
        buf_printf(out, "xa before      %s, prepared before the first start\n", at);
    if (st->previous != NULL)
        buf_printf(out, "moved from     %s\n", st->previous);
    if (st->ts_sec > 0) {
        buf_put_literal(out, "last change    ");
        print_time(st->ts_sec, out);
        buf_printf(out, ", %" PRId64 " s ago\n", r->now_sec > st->ts_sec ? r->now_sec - st->ts_sec : 0);
    }
}

static void print_server(const struct offsets_report *r, struct buf *out)
{
    if (r->server_fault != NULL) {
        buf_printf(out, "server         can't be asked: %s\n", r->server_fault);
        return;
    }
    buf_printf(out, "server         %s, %s, its log ends at %s:%" PRIu64 "\n", r->server, r->server_uuid, r->end.file,
               r->end.offset);
    if (r->stored == NULL)
        return;
    buf_put_literal(out, "lag            ");
    if (r->has_lag_bytes)
        buf_printf(out, "%" PRIu64 " bytes", r->lag_bytes);
    if (r->has_lag_bytes && r->has_lag_transactions)
        buf_put_literal(out, ", ");
    if (r->has_lag_transactions)
        buf_printf(out, "%" PRIu64 " transactions", r->lag_transactions);
    if (!r->has_lag_bytes && !r->has_lag_transactions)
        buf_put_text(out, is_same_log(r) ? "unknown: the server no longer has that log file"
                                         : "unknown: the position is of another server's log");
    buf_put_literal(out, "\n");
}

void offsets_report_print(const struct offsets_report *r, struct buf *out)
{
    buf_printf(out, "name           %s\ntopic.prefix   %s\nstored in      %s\n", r->name, r->topic_prefix, r->place);
    if (r->stored != NULL)
        print_stored(r, out);
    else
        buf_put_literal(out, "position       none: nothing was stored under this name yet\n");
    print_server(r, out);
}

/* ---- JSON ---- */

static void put_text(struct buf *out, const char *name, const char *text)
{
    json_text_put_name(out, name);
    if (text == NULL || text[0] == '\0')
        buf_put_literal(out, "null");
    else
        json_text_put_string(out, view_of(text));
}

static void put_number(struct buf *out, const char *name, bool is_known, uint64_t n)
{
    json_text_put_name(out, name);
    if (is_known)
        buf_printf(out, "%" PRIu64, n);
    else
        buf_put_literal(out, "null");
}

static void put_position(struct buf *out, const char *name, const struct log_position *pos)
{
    json_text_put_name(out, name);
    if (pos == NULL || pos->file[0] == '\0') {
        buf_put_literal(out, "null");
        return;
    }
    buf_put_literal(out, "{");
    put_text(out, "file", pos->file);
    put_number(out, "pos", true, pos->offset);
    buf_put_literal(out, "}");
}

static void put_stored(const struct offset_state *st, struct buf *out)
{
    struct buf gtids;
    buf_init(&gtids);
    if (st->has_gtids)
        gtid_set_print(&st->gtids, &gtids);
    put_position(out, "position", &st->pos);
    put_number(out, "event", true, st->event);
    put_number(out, "row", true, st->row);
    put_position(out, "reached", reached(st));
    json_text_put_name(out, "gtids");
    if (st->has_gtids)
        json_text_put_string(out, buf_view(&gtids));
    else
        buf_put_literal(out, "null");
    put_text(out, "server_uuid", st->server_uuid);
    put_number(out, "prepared_xa", true, st->n_xa);
    put_text(out, "moved_from", st->previous);
    put_number(out, "ts_sec", st->ts_sec > 0, (uint64_t)st->ts_sec);
    buf_fini(&gtids);
}

void offsets_report_print_json(const struct offsets_report *r, struct buf *out)
{
    const struct offset_state *st = r->stored;
    buf_put_literal(out, "{");
    put_text(out, "name", r->name);
    put_text(out, "topic_prefix", r->topic_prefix);
    put_text(out, "stored_in", r->place);
    json_text_put_name(out, "stored");
    if (st != NULL) {
        buf_put_literal(out, "{");
        put_stored(st, out);
        put_number(out, "age_sec", st->ts_sec > 0 && r->now_sec >= st->ts_sec, (uint64_t)(r->now_sec - st->ts_sec));
        buf_put_literal(out, "}");
    } else {
        buf_put_literal(out, "null");
    }
    json_text_put_name(out, "server");
    buf_put_literal(out, "{");
    put_text(out, "address", r->server);
    put_text(out, "fault", r->server_fault);
    put_text(out, "server_uuid", r->server_uuid);
    put_position(out, "end", &r->end);
    buf_put_literal(out, "}");
    put_number(out, "lag_bytes", r->has_lag_bytes, r->lag_bytes);
    put_number(out, "lag_transactions", r->has_lag_transactions, r->lag_transactions);
    buf_put_literal(out, "}\n");
}
