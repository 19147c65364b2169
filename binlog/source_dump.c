/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream: session variables, COM_BINLOG_DUMP or COM_BINLOG_DUMP_GTID, and its events.
 *
 * The server knows a dump by a uuid: a new dump with the same one ends the old. Ours is made from the connector's
 * name, so a reconnect clears away what was left of the last connection and nobody else's.
 */
#include "base/log.h"
#include "binlog/source_state.h"

#include <openssl/evp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_EVENT_AT = 4, UUID_BYTES = 16, UUID_TEXT_BYTES = 36 };

/* ---- what the session says before ---- */

/* RFC 9562, version 8: bytes of a SHA-256, with the marks of version and variant. */
static void make_uuid(const char *name, char out[UUID_TEXT_BYTES + 1])
{
    uint8_t hash[EVP_MAX_MD_SIZE];
    char seed[512];
    int n = snprintf(seed, sizeof seed, "tidemark:%s", name == NULL ? "" : name);
    size_t bytes = (size_t)n < sizeof seed ? (size_t)n : sizeof seed - 1;
    ASSERT(EVP_Digest(seed, bytes, hash, NULL, EVP_sha256(), NULL) == 1);
    hash[6] = (uint8_t)((hash[6] & 0x0f) | 0x80);
    hash[8] = (uint8_t)((hash[8] & 0x3f) | 0x80);
    char *p = out;
    for (int i = 0; i < UUID_BYTES; i++)
        p += snprintf(p, (size_t)(out + UUID_TEXT_BYTES + 1 - p),
                      i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", hash[i]);
}

/* Old servers read the old names, new ones either. */
static bool say_who_we_are(struct source *src, struct fail *why)
{
    char uuid[UUID_TEXT_BYTES + 1];
    char sql[512];
    uint64_t heartbeat_ns = (uint64_t)src->set->heartbeat_ms * 1000000;
    make_uuid(src->set->name, uuid);
    snprintf(
        sql, sizeof sql,
        "SET @source_binlog_checksum='CRC32', @master_binlog_checksum='CRC32', @replica_uuid='%s', @slave_uuid='%s'",
        uuid, uuid);
    if (!source_query_do(src, sql, why))
        return false;
    if (heartbeat_ns == 0)
        return true;
    snprintf(sql, sizeof sql, "SET @source_heartbeat_period=%llu, @master_heartbeat_period=%llu",
             (unsigned long long)heartbeat_ns, (unsigned long long)heartbeat_ns);
    return source_query_do(src, sql, why);
}

/* ---- from where ---- */

static bool is_yes(const struct source_result *res, unsigned column)
{
    return view_is(source_query_column(res, column), "1");
}

/* With a position the server doesn't look whether it still has what we lack, and takes a set from the future. */
static bool ask_if_position_is_safe(struct source *src, const struct source_start *start, bool *is_safe,
                                    struct fail *why)
{
    struct buf sql;
    struct buf set;
    struct source_result res;
    buf_init(&sql);
    buf_init(&set);
    gtid_set_print(start->executed, &set);
    buf_put_literal(&sql, "SELECT @@server_uuid, GTID_SUBSET(");
    source_query_quote(buf_view(&set), &sql);
    buf_put_literal(&sql, ", @@global.gtid_executed), GTID_SUBSET(@@global.gtid_purged, ");
    source_query_quote(buf_view(&set), &sql);
    buf_put_literal(&sql, ")");
    buf_put_u8(&sql, 0);
    bool ok = source_query_run(src, (const char *)sql.start, &res, why);
    *is_safe = ok && source_query_next(&res) && view_is(source_query_column(&res, 0), start->pos_uuid) &&
               is_yes(&res, 1) && is_yes(&res, 2);
    source_query_end(&res);
    buf_fini(&set);
    buf_fini(&sql);
    return ok;
}

static bool has_position(const struct source_start *start)
{
    return start->pos != NULL && start->pos->file[0] != '\0';
}

/* Which position the dump is asked for; "" and 4: the server finds the file by the GTIDs. */
static bool choose_position(struct source *src, const struct source_start *start, struct log_position *pos,
                            struct fail *why)
{
    *pos = (struct log_position){.offset = FIRST_EVENT_AT};
    if (!has_position(start))
        return true;
    bool is_safe = start->executed == NULL;
    if (start->executed != NULL && start->pos_uuid != NULL && !ask_if_position_is_safe(src, start, &is_safe, why))
        return false;
    if (is_safe)
        *pos = *start->pos;
    else
        log_info("source", "the server searches its log by GTIDs, file=%s pos=%llu can't be used there",
                 start->pos->file, (unsigned long long)start->pos->offset);
    if (pos->offset < FIRST_EVENT_AT)
        pos->offset = FIRST_EVENT_AT;
    return true;
}

static bool check_start(struct source *src, const struct source_start *start, struct fail *why)
{
    ASSERT(start->executed != NULL || has_position(start));
    if (start->executed != NULL || start->pos->offset <= UINT32_MAX)
        return true;
    return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, SOURCE_REFUSED_FAR_POSITION,
                    "read the log of %s from %s:%llu: without GTIDs a position behind 4 GiB can't be asked for",
                    src->name, start->pos->file, (unsigned long long)start->pos->offset);
}

bool source_dump(struct source *src, const struct source_start *start, struct fail *why)
{
    struct log_position pos;
    if (!check_start(src, start, why) || !say_who_we_are(src, why) || !choose_position(src, start, &pos, why))
        return false;
    memcpy(src->file, pos.file, sizeof src->file);
    src->rpl = (MYSQL_RPL){
        .file_name = src->file,
        .file_name_length = strlen(src->file),
        .start_position = pos.offset,
        .server_id = src->set->server_id,
        .flags = USE_HEARTBEAT_EVENT_V2,
    };
    if (start->executed != NULL) {
        buf_clear(&src->gtids);
        gtid_set_encode(start->executed, &src->gtids);
        src->rpl.flags |= MYSQL_RPL_GTID;
        src->rpl.gtid_set_arg = src->gtids.start;
        src->rpl.gtid_set_encoded_size = buf_size(&src->gtids);
    }
    if (mysql_binlog_open(src->mysql, &src->rpl) != 0)
        return source_fail(src, "ask for the log", why);
    src->is_dumping = true;
    return true;
}

bool source_fetch(struct source *src, struct view *event, struct fail *why)
{
    ASSERT(src->is_dumping);
    if (mysql_binlog_fetch(src->mysql, &src->rpl) != 0)
        return source_fail(src, "read the log", why);
    if (src->rpl.size == 0) {
        if (atomic_load(&src->is_woken))
            return source_fail(src, "read the log", why);
        return fail_set(why, FAIL_RETRY, FAIL_AREA_SOURCE, 0,
                        "read the log of %s: the server ended the stream (it shuts down, or somebody ended the thread)",
                        src->name);
    }
    *event = (struct view){src->rpl.buffer + 1, src->rpl.size - 1}; /* behind the packet's status byte */
    return true;
}

bool source_is_dry(const struct source *src)
{
    struct pollfd one = {.fd = src->fd, .events = POLLIN};
    return src->fd < 0 || poll(&one, 1, 0) == 0;
}

size_t source_buffer_bytes(const struct source *src)
{
    return src->mysql == NULL ? 0 : src->mysql->net.max_packet;
}
