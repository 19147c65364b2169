/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets: how far we are, as Kafka Connect stores it for the Debezium MySQL connector.
 *
 *   key    ["<name>",{"server":"<topic.prefix>"}]
 *   value  {"ts_sec":1700000000,"file":"binlog.000007","pos":4711,"gtids":"3e11…:1-77","row":1,"server_id":1,"event":2,
 *           "tidemark_server_uuid":"…","tidemark_xa":"[…]"}
 *
 * Members stand in the order in which Debezium's come out of its hash map, so that the bytes are the same. Ours follow
 * them, begin with tidemark_ and are strings, numbers or booleans: Connect refuses nested values. Members that
 * we don't know are kept as they were, behind ours. Debezium's own members of an incremental snapshot under way are not
 * looked into here: debezium_progress.h.
 *
 * Position: outside a transaction pos is where the next event starts, and event and row are 0. Inside one, pos is its BEGIN
 * event, event how many of its events are done (BEGIN is 1) and row how many rows of the one after those; gtids has only
 * what is complete. Another server may have cut that transaction into other events: there its GTID and the number of its
 * rows count, and event and row are 0 until it has come. Without GTIDs, while an XA transaction is prepared, pos stays at its prepare and reached
 * says where the stream is.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSETS_H
#define TIDEMARK_CONNECTOR_OFFSETS_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/gtid.h"
#include "binlog/position.h"
#include "signal/topic_id.h"

#include <stdbool.h>
#include <stdint.h>

struct waiting_list;

enum { SERVER_UUID_BYTES = 37 };

/* An XA transaction that was prepared in the log and not yet ended. */
struct offset_xa {
    char *xid;               /* owned; the text that names it, as CHANGE_XA has it */
    struct gtid gtid;        /* of the prepare; n = 0: none */
    struct log_position pos; /* where its first event starts */
    int64_t ts_sec;          /* when it was prepared; 0: unknown */
};

struct offset_state {
    struct log_position pos;
    uint64_t event;
    uint64_t row;
    struct gtid
        inside; /* tidemark_inside_gtid: of the transaction that event and row are in; n = 0: none, or unknown */
    uint64_t inside_rows; /* tidemark_inside_rows: so many of its captured rows are done */
    bool has_gtids;
    struct gtid_set gtids;
    uint32_t server_id;
    int64_t ts_sec;                      /* 0: unknown, left out */
    char snapshot[16];                   /* Debezium's INITIAL, BLOCKING, INCREMENTAL; "": streaming */
    char server_uuid[SERVER_UUID_BYTES]; /* tidemark_server_uuid: whose log pos names; "": unknown */
    struct log_birth birth;      /* tidemark_log_file, tidemark_log_made: the newest log file that was entered */
    struct log_position reached; /* tidemark_reached_file, tidemark_reached_pos; no file: same as pos */
    struct offset_xa *xa;        /* tidemark_xa, oldest first */
    uint32_t n_xa;
    struct buf early_xa; /* tidemark_xa_before: names of XA transactions prepared before the first start, whose rows are
                              * in no part of the log that is told; each ends with a zero byte */
    bool has_read_tables; /* tidemark_tables_read: rows of tables were read beside the stream */
    bool has_signal_offset;
    int64_t signal_offset;             /* tidemark_signal_offset */
    char signal_topic[TOPIC_ID_BYTES]; /* tidemark_signal_topic: the id of the topic that it is of; "": unknown */
    bool is_paused;                    /* tidemark_paused */
    char *snapshots;                   /* tidemark_snapshots: JSON text, owned; NULL: none */
    struct waiting_list *waiting;      /* that snapshots means; counted; NULL: none. Stored by itself: waiting_list.h */
    char *previous;         /* tidemark_previous: the value before it was last moved by hand; owned; NULL: none */
    struct buf incremental; /* Debezium's members of a snapshot under way as they stand: ,"incremental_snapshot_…":… */
    struct buf extra;       /* unknown members as they were: ,"name":value… */
};

void offset_state_init(struct offset_state *st);
void offset_state_fini(struct offset_state *st);
void offset_state_copy(struct offset_state *to, const struct offset_state *from);

/* Takes over where place says the stream is: all that comes with a position, and nothing else. */
void offset_state_go_to(struct offset_state *st, const struct offset_state *place);

/* before is moved by hand to st: what said where it was is kept in it (tidemark_previous). */
void offset_state_keep_previous(struct offset_state *st, const struct offset_state *before);

/* A transaction is told in part. */
bool offset_state_is_inside(const struct offset_state *st);

/* Appends in words how much of it is told; inside only. */
void offset_state_put_inside(const struct offset_state *st, struct buf *out);

/* Of no transaction anything is told in part. */
void offset_state_leave(struct offset_state *st);

/* An XA transaction is prepared, or ended (no such: false). */
void offset_state_add_xa(struct offset_state *st, struct view xid, const struct gtid *gtid,
                         const struct log_position *pos, int64_t ts_sec);
bool offset_state_remove_xa(struct offset_state *st, struct view xid);

/* The same for those prepared before the first start. */
void offset_state_add_early_xa(struct offset_state *st, struct view xid);
bool offset_state_remove_early_xa(struct offset_state *st, struct view xid);

/* Appends the key or the value. */
void offsets_print_key(const char *name, const char *topic_prefix, struct buf *out);
void offsets_print(const struct offset_state *st, struct buf *out);

/* The same without snapshots, signals and unknown members: where it is, and nothing more. */
void offsets_print_place(const struct offset_state *st, struct buf *out);

/* Reads a value written by us or by Debezium; st must be initialised and is replaced, also on failure. */
MUST_USE bool offsets_read(struct offset_state *st, struct view value, struct fail *why);

#endif
