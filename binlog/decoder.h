/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder: the bytes of one event become its type, its header and the body without checksum.
 *
 *   0  4 when (seconds since 1970)    5  4 server id            13  4 end of the event in its file, modulo 2^32
 *   4  1 type                         9  4 length of the event  17  2 flags
 *   19 body, then 4 bytes CRC32 of all before when checksums are on
 *
 * Whether there is a checksum: until the FORMAT_DESCRIPTION event, what the dump was asked for; from it on, what
 * it says. That event itself always has one. What is wrong with an event is a STOP that names it and its place.
 *
 * Always true of an event that decoder_read let through: its type is known, or it may be ignored; its checksum
 * is right; a FORMAT_DESCRIPTION came before it (unless it is one, or an artificial ROTATE, or a heartbeat).
 *
 * Bodies with much in them have files of their own: gtid_event, statement, table_map, rows, payload.
 * Events and what is read from them lend the bytes given. One thread at a time.
 * Formats: MySQL source, libs/mysql/binlog/event/ (binlog_event.h, control_events.h), sql/rpl_binlog_sender.cc.
 */
#ifndef TIDEMARK_BINLOG_DECODER_H
#define TIDEMARK_BINLOG_DECODER_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/position.h"

#include <stdbool.h>
#include <stdint.h>

enum event_type {
    EVENT_UNKNOWN = 0,
    EVENT_START_V3 = 1,
    EVENT_QUERY = 2,
    EVENT_STOP = 3,
    EVENT_ROTATE = 4,
    EVENT_INTVAR = 5,
    EVENT_LOAD = 6,
    EVENT_SLAVE = 7,
    EVENT_CREATE_FILE = 8,
    EVENT_APPEND_BLOCK = 9,
    EVENT_EXEC_LOAD = 10,
    EVENT_DELETE_FILE = 11,
    EVENT_NEW_LOAD = 12,
    EVENT_RAND = 13,
    EVENT_USER_VAR = 14,
    EVENT_FORMAT_DESCRIPTION = 15,
    EVENT_XID = 16,
    EVENT_BEGIN_LOAD_QUERY = 17,
    EVENT_EXECUTE_LOAD_QUERY = 18,
    EVENT_TABLE_MAP = 19,
    EVENT_PRE_GA_WRITE_ROWS = 20,
    EVENT_PRE_GA_UPDATE_ROWS = 21,
    EVENT_PRE_GA_DELETE_ROWS = 22,
    EVENT_WRITE_ROWS_V1 = 23,
    EVENT_UPDATE_ROWS_V1 = 24,
    EVENT_DELETE_ROWS_V1 = 25,
    EVENT_INCIDENT = 26,
    EVENT_HEARTBEAT = 27,
    EVENT_IGNORABLE = 28,
    EVENT_ROWS_QUERY = 29,
    EVENT_WRITE_ROWS = 30,
    EVENT_UPDATE_ROWS = 31,
    EVENT_DELETE_ROWS = 32,
    EVENT_GTID = 33,
    EVENT_ANONYMOUS_GTID = 34,
    EVENT_PREVIOUS_GTIDS = 35,
    EVENT_TRANSACTION_CONTEXT = 36,
    EVENT_VIEW_CHANGE = 37,
    EVENT_XA_PREPARE = 38,
    EVENT_PARTIAL_UPDATE_ROWS = 39,
    EVENT_TRANSACTION_PAYLOAD = 40,
    EVENT_HEARTBEAT_V2 = 41,
    EVENT_GTID_TAGGED = 42,
    EVENT_LARGE_TRANSACTION_HEADER = 43,
};

enum event_flag {
    EVENT_FLAG_IN_USE = 0x01, /* FORMAT_DESCRIPTION: the file is not closed */
    EVENT_FLAG_THREAD_SPECIFIC = 0x04,
    EVENT_FLAG_SUPPRESS_USE = 0x08,
    EVENT_FLAG_ARTIFICIAL = 0x20, /* made by the dump thread; in no file */
    EVENT_FLAG_IGNORABLE = 0x80,
};

enum { EVENT_HEADER_BYTES = 19, EVENT_CHECKSUM_BYTES = 4 };

enum checksum_kind { CHECKSUM_NONE = 0, CHECKSUM_CRC32 = 1 };

/* In fail.code: the event was changed in the file or on its way, which reading it again tells apart. */
enum { DECODER_BAD_CHECKSUM = 200001 };

struct event_header {
    uint32_t when;
    uint8_t type;
    uint32_t server_id;
    uint32_t length; /* of the whole event as sent, with its checksum */
    uint32_t end_pos;
    uint16_t flags;
};

struct event {
    struct event_header header;
    struct view body; /* behind the header, without checksum */
};

struct decoder {
    enum checksum_kind checksum; /* in force for the next event */
    bool has_format;
    char file[LOG_FILE_BYTES]; /* of the last ROTATE; for error texts */
    char server_version[51];   /* of the server that wrote the file: "9.7.4" */
    uint32_t created;          /* when that server started with this file, else 0 */
};

void decoder_init(struct decoder *d);

/* A new dump was asked for with this checksum; the FORMAT_DESCRIPTION is forgotten. */
void decoder_set_checksum(struct decoder *d, enum checksum_kind kind);

/* One event as the dump thread sent it. Takes note of FORMAT_DESCRIPTION and ROTATE itself. */
MUST_USE bool decoder_read(struct decoder *d, struct view bytes, struct event *ev, struct fail *why);

/* One event from inside a TRANSACTION_PAYLOAD: never a checksum; end_pos is 0. */
MUST_USE bool decoder_read_inner(const struct decoder *d, struct view bytes, struct event *ev, struct fail *why);

/* Puts the event and its place in front of why, and makes a REFUSE a STOP: there is no going on behind an
 * event of the log that can't be read. For failures of the functions that read bodies. Returns false. */
bool decoder_fail_at(const struct decoder *d, const struct event *ev, struct fail *why);

/* Is it one of the types above? The others are passed by with their length, if they may be ignored. */
bool decoder_knows(uint8_t type);

/* "WRITE_ROWS"; of MariaDB's too; "unknown" for the rest. */
const char *decoder_type_name(uint8_t type);

/* ---- bodies ---- */

struct rotate_event {
    struct view file; /* the next file */
    uint64_t offset;
};

MUST_USE bool decoder_read_rotate(const struct event *ev, struct rotate_event *out, struct fail *why);

/* Of both kinds. The old one tells the position only in its header, modulo 2^32: then is_low. */
struct heartbeat_event {
    struct view file;
    uint64_t offset;
    bool is_low;
};

MUST_USE bool decoder_read_heartbeat(const struct event *ev, struct heartbeat_event *out, struct fail *why);

/* The server says that events are missing here. */
struct incident_event {
    uint16_t number; /* 1: events were lost */
    struct view message;
};

MUST_USE bool decoder_read_incident(const struct event *ev, struct incident_event *out, struct fail *why);

/* A group's membership changed (Group Replication). */
struct view_change_event {
    struct view view_id;
    uint64_t sequence;
};

MUST_USE bool decoder_read_view_change(const struct event *ev, struct view_change_event *out, struct fail *why);

#endif
