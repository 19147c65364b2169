/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/decoder.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum {
    FLAGS_AT = 17,
    VERSION_BYTES = 50,
    FORMAT_MIN_BYTES = 2 + VERSION_BYTES + 4 + 1,
    FORMAT_TAIL_BYTES = 1 + EVENT_CHECKSUM_BYTES
};

/* ---- types ---- */

static const char *const type_names[] = {
    [EVENT_UNKNOWN] = "UNKNOWN",
    [EVENT_START_V3] = "START_V3",
    [EVENT_QUERY] = "QUERY",
    [EVENT_STOP] = "STOP",
    [EVENT_ROTATE] = "ROTATE",
    [EVENT_INTVAR] = "INTVAR",
    [EVENT_LOAD] = "LOAD",
    [EVENT_SLAVE] = "SLAVE",
    [EVENT_CREATE_FILE] = "CREATE_FILE",
    [EVENT_APPEND_BLOCK] = "APPEND_BLOCK",
    [EVENT_EXEC_LOAD] = "EXEC_LOAD",
    [EVENT_DELETE_FILE] = "DELETE_FILE",
    [EVENT_NEW_LOAD] = "NEW_LOAD",
    [EVENT_RAND] = "RAND",
    [EVENT_USER_VAR] = "USER_VAR",
    [EVENT_FORMAT_DESCRIPTION] = "FORMAT_DESCRIPTION",
    [EVENT_XID] = "XID",
    [EVENT_BEGIN_LOAD_QUERY] = "BEGIN_LOAD_QUERY",
    [EVENT_EXECUTE_LOAD_QUERY] = "EXECUTE_LOAD_QUERY",
    [EVENT_TABLE_MAP] = "TABLE_MAP",
    [EVENT_PRE_GA_WRITE_ROWS] = "PRE_GA_WRITE_ROWS",
    [EVENT_PRE_GA_UPDATE_ROWS] = "PRE_GA_UPDATE_ROWS",
    [EVENT_PRE_GA_DELETE_ROWS] = "PRE_GA_DELETE_ROWS",
    [EVENT_WRITE_ROWS_V1] = "WRITE_ROWS_V1",
    [EVENT_UPDATE_ROWS_V1] = "UPDATE_ROWS_V1",
    [EVENT_DELETE_ROWS_V1] = "DELETE_ROWS_V1",
    [EVENT_INCIDENT] = "INCIDENT",
    [EVENT_HEARTBEAT] = "HEARTBEAT",
    [EVENT_IGNORABLE] = "IGNORABLE",
    [EVENT_ROWS_QUERY] = "ROWS_QUERY",
    [EVENT_WRITE_ROWS] = "WRITE_ROWS",
    [EVENT_UPDATE_ROWS] = "UPDATE_ROWS",
    [EVENT_DELETE_ROWS] = "DELETE_ROWS",
    [EVENT_GTID] = "GTID",
    [EVENT_ANONYMOUS_GTID] = "ANONYMOUS_GTID",
    [EVENT_PREVIOUS_GTIDS] = "PREVIOUS_GTIDS",
    [EVENT_TRANSACTION_CONTEXT] = "TRANSACTION_CONTEXT",
    [EVENT_VIEW_CHANGE] = "VIEW_CHANGE",
    [EVENT_XA_PREPARE] = "XA_PREPARE",
    [EVENT_PARTIAL_UPDATE_ROWS] = "PARTIAL_UPDATE_ROWS",
    [EVENT_TRANSACTION_PAYLOAD] = "TRANSACTION_PAYLOAD",
    [EVENT_HEARTBEAT_V2] = "HEARTBEAT_V2",
    [EVENT_GTID_TAGGED] = "GTID_TAGGED",
    [EVENT_LARGE_TRANSACTION_HEADER] = "LARGE_TRANSACTION_HEADER",
};

enum { N_TYPES = sizeof type_names / sizeof *type_names, MARIADB_FIRST = 160 };

static const char *const mariadb_names[] = {
    "MariaDB ANNOTATE_ROWS",
    "MariaDB BINLOG_CHECKPOINT",
    "MariaDB GTID",
    "MariaDB GTID_LIST",
    "MariaDB START_ENCRYPTION",
    "MariaDB QUERY_COMPRESSED",
    "MariaDB WRITE_ROWS_COMPRESSED",
    "MariaDB UPDATE_ROWS_COMPRESSED",
    "MariaDB DELETE_ROWS_COMPRESSED",
    "MariaDB WRITE_ROWS_COMPRESSED_V2",
    "MariaDB UPDATE_ROWS_COMPRESSED_V2",
    "MariaDB DELETE_ROWS_COMPRESSED_V2",
};

enum { N_MARIADB = sizeof mariadb_names / sizeof *mariadb_names };

static bool is_mariadb(uint8_t type)
{
    return type >= MARIADB_FIRST && type < MARIADB_FIRST + N_MARIADB;
}

const char *decoder_type_name(uint8_t type)
{
    if (type < N_TYPES)
        return type_names[type];
    return is_mariadb(type) ? mariadb_names[type - MARIADB_FIRST] : "unknown";
}

/* What no server since 5.1 writes into a log. */
static bool is_obsolete(uint8_t type)
{
    switch (type) {
    case EVENT_UNKNOWN:
    case EVENT_START_V3:
    case EVENT_LOAD:
    case EVENT_SLAVE:
    case EVENT_CREATE_FILE:
    case EVENT_EXEC_LOAD:
    case EVENT_NEW_LOAD:
    case EVENT_PRE_GA_WRITE_ROWS:
    case EVENT_PRE_GA_UPDATE_ROWS:
    case EVENT_PRE_GA_DELETE_ROWS:
        return true;
    default:
        return false;
    }
}

bool decoder_knows(uint8_t type)
{
    return type < N_TYPES && !is_obsolete(type);
}

/* ---- failures ---- */

bool decoder_fail_at(const struct decoder *d, const struct event *ev, struct fail *why)
{
    if (why == NULL)
        return false;
    const struct event_header *h = &ev->header;
    if (why->kind == FAIL_REFUSE)
        why->kind = FAIL_STOP;
    return fail_add(why, "event %s (type %u, %u bytes) that ends at %s:%u", decoder_type_name(h->type), h->type,
                    h->length, d->file[0] == '\0' ? "an unknown file" : d->file, h->end_pos);
}

static bool refuse_event(const struct decoder *d, const struct event *ev, const char *what, struct fail *why)
{
    fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0, "%s", what);
    return decoder_fail_at(d, ev, why);
}

/* ---- header and checksum ---- */

void decoder_init(struct decoder *d)
{
    *d = (struct decoder){.checksum = CHECKSUM_NONE};
}

void decoder_set_checksum(struct decoder *d, enum checksum_kind kind)
{
    d->checksum = kind;
    d->has_format = false;
}

static bool read_header(struct view bytes, struct event *ev, struct fail *why)
{
    struct cursor c = cursor_of(bytes);
    struct event_header *h = &ev->header;
    h->when = cursor_u32(&c);
    h->type = cursor_u8(&c);
    h->server_id = cursor_u32(&c);
    h->length = cursor_u32(&c);
    h->end_pos = cursor_u32(&c);
    h->flags = cursor_u16(&c);
    ev->body = (struct view){c.p, cursor_left(&c)};
    if (c.bad)
        return fail_malformed(why, "an event of %zu bytes is shorter than its header", bytes.n);
    if (h->length != bytes.n)
        return fail_malformed(why, "%zu bytes came for it", bytes.n);
    return true;
}

static uint32_t stored_checksum(struct view bytes)
{
    struct cursor c = cursor_of((struct view){bytes.p + bytes.n - EVENT_CHECKSUM_BYTES, EVENT_CHECKSUM_BYTES});
    return cursor_u32(&c);
}

static bool check_checksum(uint32_t computed, struct view bytes, struct fail *why)
{
    uint32_t stored = stored_checksum(bytes);
    if (computed == stored)
        return true;
    fail_malformed(why,
                   "its checksum is %08x where its bytes give %08x; hint: the log file may be damaged, try "
                   "mysqlbinlog --verify-binlog-checksum on it",
                   stored, computed);
    if (why != NULL)
        why->code = DECODER_BAD_CHECKSUM;
    return false;
}

static bool strip_checksum(const struct decoder *d, struct view bytes, struct event *ev, struct fail *why)
{
    if (d->checksum == CHECKSUM_NONE)
        return true;
    if (ev->body.n < EVENT_CHECKSUM_BYTES)
        return fail_malformed(why, "it is too short for a checksum");
    ev->body.n -= EVENT_CHECKSUM_BYTES;
    return check_checksum((uint32_t)crc32_z(0, bytes.p, bytes.n - EVENT_CHECKSUM_BYTES), bytes, why);
}

/* ---- FORMAT_DESCRIPTION ---- */

/* Its checksum was made before the server set the flag for a file in use. */
static uint32_t format_checksum(struct view bytes)
{
    uint8_t flags[2] = {bytes.p[FLAGS_AT] & (uint8_t)~EVENT_FLAG_IN_USE, bytes.p[FLAGS_AT + 1]};
    size_t rest = FLAGS_AT + sizeof flags;
    uLong crc = crc32_z(0, bytes.p, FLAGS_AT);
    crc = crc32_z(crc, flags, sizeof flags);
    return (uint32_t)crc32_z(crc, bytes.p + rest, bytes.n - rest - EVENT_CHECKSUM_BYTES);
}

/* The fixed parts of events as this code reads them; 0 stands for a type the server doesn't write. */
static bool check_fixed_parts(struct view lengths, struct fail *why)
{
    static const struct {
        uint8_t type;
        uint8_t bytes;
    } expected[] = {
        {EVENT_QUERY, 13},         {EVENT_ROTATE, 8},
        {EVENT_TABLE_MAP, 8},      {EVENT_WRITE_ROWS_V1, 8},
        {EVENT_UPDATE_ROWS_V1, 8}, {EVENT_DELETE_ROWS_V1, 8},
        {EVENT_WRITE_ROWS, 10},    {EVENT_UPDATE_ROWS, 10},
        {EVENT_DELETE_ROWS, 10},   {EVENT_PARTIAL_UPDATE_ROWS, 10},
        {EVENT_INCIDENT, 2},       {EVENT_EXECUTE_LOAD_QUERY, 26},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t at = (size_t)expected[i].type - 1;
        if (at < lengths.n && lengths.p[at] != 0 && lengths.p[at] != expected[i].bytes)
            return fail_malformed(why, "the fixed part of %s events is %u bytes there, not %u",
                                  decoder_type_name(expected[i].type), lengths.p[at], expected[i].bytes);
    }
    return true;
}

static bool check_version(struct decoder *d, struct fail *why)
{
    unsigned major = 0;
    unsigned minor = 0;
    unsigned patch = 0;
    if (strcasestr(d->server_version, "mariadb") != NULL)
        return fail_malformed(why, "the log was written by MariaDB (%s), which is not supported", d->server_version);
    int n = sscanf(d->server_version, "%u.%u.%u", &major, &minor, &patch);
    if (n == 3 && major < 100 && minor < 100 && patch < 100 && major * 10000 + minor * 100 + patch < 50601)
        return fail_malformed(why, "the log was written by MySQL %s; 5.6.1 is the oldest that tells of checksums",
                              d->server_version);
    return true;
}

static bool read_format(struct decoder *d, struct view bytes, struct event *ev, struct fail *why)
{
    if (ev->body.n < FORMAT_MIN_BYTES + FORMAT_TAIL_BYTES)
        return fail_malformed(why, "it is too short");
    if (!check_checksum(format_checksum(bytes), bytes, why))
        return false;
    ev->body.n -= EVENT_CHECKSUM_BYTES;
    struct cursor c = cursor_of(ev->body);
    uint16_t log_version = cursor_u16(&c);
    struct view version = cursor_view(&c, VERSION_BYTES);
    d->created = cursor_u32(&c);
    uint8_t header_bytes = cursor_u8(&c);
    struct view lengths = cursor_view(&c, cursor_left(&c) - 1);
    uint8_t checksum = cursor_u8(&c);
    memcpy(d->server_version, version.p, VERSION_BYTES);
    d->server_version[VERSION_BYTES] = '\0';
    if (!check_version(d, why) || !check_fixed_parts(lengths, why))
        return false;
    if (log_version != 4 || header_bytes != EVENT_HEADER_BYTES)
        return fail_malformed(why, "log version %u with event headers of %u bytes is not known", log_version,
                              header_bytes);
    if (checksum != CHECKSUM_NONE && checksum != CHECKSUM_CRC32)
        return fail_malformed(why, "checksum algorithm %u is not known", checksum);
    d->checksum = checksum == CHECKSUM_NONE ? CHECKSUM_NONE : CHECKSUM_CRC32;
    d->has_format = true;
    return true;
}

/* ---- events ---- */

/* Named in full, because going on would lose what the event says. */
static bool check_type(const struct decoder *d, const struct event *ev, struct fail *why)
{
    uint8_t type = ev->header.type;
    if (decoder_knows(type) || (ev->header.flags & EVENT_FLAG_IGNORABLE) != 0)
        return true;
    if (is_mariadb(type))
        return refuse_event(d, ev, "this is MariaDB's, which is not supported", why);
    if (type < N_TYPES)
        return refuse_event(d, ev, "only servers before 5.1 wrote this type", why);
    return refuse_event(
        d, ev, "this type is not known and may not be ignored; hint: the server may be newer than this program", why);
}

static bool may_come_first(uint8_t type)
{
    return type == EVENT_ROTATE || type == EVENT_FORMAT_DESCRIPTION || type == EVENT_HEARTBEAT ||
           type == EVENT_HEARTBEAT_V2;
}

static bool take_note(struct decoder *d, struct view bytes, struct event *ev, struct fail *why)
{
    if (ev->header.type == EVENT_FORMAT_DESCRIPTION)
        return read_format(d, bytes, ev, why);
    if (!strip_checksum(d, bytes, ev, why))
        return false;
    if (ev->header.type != EVENT_ROTATE)
        return true;
    struct rotate_event rotate;
    struct log_position pos;
    if (!decoder_read_rotate(ev, &rotate, why) || !position_set(&pos, rotate.file, rotate.offset, why))
        return false;
    if ((ev->header.flags & EVENT_FLAG_ARTIFICIAL) != 0 || ev->header.end_pos == 0)
        memcpy(d->file, pos.file, sizeof pos.file);
    return true;
}

bool decoder_read(struct decoder *d, struct view bytes, struct event *ev, struct fail *why)
{
    if (!read_header(bytes, ev, why) || !take_note(d, bytes, ev, why))
        return decoder_fail_at(d, ev, why);
    if (!d->has_format && !may_come_first(ev->header.type))
        return refuse_event(d, ev, "it came before the log's FORMAT_DESCRIPTION", why);
    return check_type(d, ev, why);
}

bool decoder_read_inner(const struct decoder *d, struct view bytes, struct event *ev, struct fail *why)
{
    if (!read_header(bytes, ev, why))
        return decoder_fail_at(d, ev, why);
    return check_type(d, ev, why);
}

/* ---- small bodies ---- */

bool decoder_read_rotate(const struct event *ev, struct rotate_event *out, struct fail *why)
{
    struct cursor c = cursor_of(ev->body);
    out->offset = cursor_u64(&c);
    out->file = cursor_view(&c, cursor_left(&c));
    if (c.bad || out->file.n == 0)
        return fail_malformed(why, "it names no file");
    return true;
}

/* Fields of type, lenenc length, value; type 0 ends them. */
static bool read_heartbeat_fields(struct cursor *c, struct heartbeat_event *out)
{
    enum { FIELD_END = 0, FIELD_FILE = 1, FIELD_OFFSET = 2 };
    bool has_offset = false;
    while (cursor_left(c) > 0) {
        uint8_t field = cursor_u8(c);
        if (field == FIELD_END)
            break;
        struct view value = cursor_lenenc_view(c);
        struct cursor v = cursor_of(value);
        if (field == FIELD_FILE)
            out->file = value;
        if (field == FIELD_OFFSET) {
            out->offset = cursor_lenenc(&v);
            has_offset = !v.bad;
        }
    }
    return !c->bad && has_offset;
}

bool decoder_read_heartbeat(const struct event *ev, struct heartbeat_event *out, struct fail *why)
{
    *out = (struct heartbeat_event){0};
    if (ev->header.type == EVENT_HEARTBEAT) {
        out->file = ev->body;
        out->offset = ev->header.end_pos;
        out->is_low = true;
    } else {
        struct cursor c = cursor_of(ev->body);
        if (!read_heartbeat_fields(&c, out))
            return fail_malformed(why, "it is malformed");
    }
    if (out->file.n == 0)
        return fail_malformed(why, "it names no file");
    return true;
}

bool decoder_read_incident(const struct event *ev, struct incident_event *out, struct fail *why)
{
    struct cursor c = cursor_of(ev->body);
    out->number = cursor_u16(&c);
    size_t n = cursor_u8(&c);
    out->message = cursor_view(&c, n);
    return c.bad ? fail_malformed(why, "it is cut short") : true;
}

bool decoder_read_view_change(const struct event *ev, struct view_change_event *out, struct fail *why)
{
    enum { VIEW_ID_BYTES = 40 };
    struct cursor c = cursor_of(ev->body);
    struct view id = cursor_view(&c, VIEW_ID_BYTES);
    out->sequence = cursor_u64(&c);
    if (c.bad)
        return fail_malformed(why, "it is cut short");
    out->view_id = (struct view){id.p, strnlen((const char *)id.p, id.n)};
    return true;
}
