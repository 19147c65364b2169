/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: events in, changes out, transaction by transaction; the state machine of the log.
 *
 * The stream is fed the events of one server's log in order, whole, as the dump thread sends them. It keeps the
 * position, the transaction under way, the shapes in force and the table maps, and calls its output for every
 * begin, row, commit, shape and position. It does no input or output of its own except through two callbacks
 * that read the server (a table's shape, the log's end).
 *
 * States:
 *   OUTSIDE      between transactions
 *   NAMED        a GTID event came, its transaction has not begun
 *   INSIDE       rows of a transaction
 *   XA           rows between XA START and XA_PREPARE: kept (xa), told when XA COMMIT comes
 *
 *   OUTSIDE -> NAMED   [GTID, ANONYMOUS_GTID]
 *   OUTSIDE, NAMED -> INSIDE   [QUERY BEGIN]        (servers without GTID events start at BEGIN)
 *   OUTSIDE, NAMED -> XA       [QUERY XA START]
 *   NAMED -> OUTSIDE   [QUERY with a statement, XA COMMIT, XA ROLLBACK]
 *   INSIDE -> OUTSIDE  [XID, QUERY COMMIT, QUERY ROLLBACK]
 *   XA -> OUTSIDE      [XA_PREPARE]
 *   any -> OUTSIDE     [stream_reconnected]
 *
 * Always true:
 *   S1  after a reconnect no event of a transaction is told twice: those already told are counted and skipped, by their
 *       events, and on another server by their rows
 *   S2  a row is rendered with the shape in force at its place in the log, checked against its TABLE_MAP
 *   S3  nothing at or below the barrier of a first start is told, only its GTIDs and shapes are taken
 *   S4  of a file that has the name of one that the stream was in, and was made at another time, nothing is told
 *
 * Reader thread only. Layouts: decoder.h, table_map.h, rows.h, payload.h.
 */
#ifndef TIDEMARK_BINLOG_STREAM_H
#define TIDEMARK_BINLOG_STREAM_H

#include "base/bytes.h"
#include "base/fail.h"
#include "binlog/catalog.h"
#include "binlog/cell.h"
#include "binlog/gtid.h"
#include "binlog/position.h"
#include "binlog/shape.h"

#include <stdbool.h>
#include <stdint.h>

enum stream_row { STREAM_INSERT, STREAM_UPDATE, STREAM_DELETE };

/* The transaction under way, as its changes name it. */
struct stream_transaction {
    bool has_gtid;
    struct gtid gtid;
    const char *gtid_text; /* "" without */
    const char *file;      /* interned */
    uint64_t offset;       /* of its BEGIN event (or of the payload it is in) */
    bool has_thread;
    uint64_t thread;
    int64_t ts_us; /* commit time on its origin; without GTIDs the second of its first event */
    uint32_t server_id;
    uint32_t events; /* handed over so far, BEGIN counts as 1 */
    bool has_told;   /* false: an earlier run told some of its rows and did not count them */
    uint32_t told;   /* captured rows handed over so far: the one count that is the same in every server's log */
};

/* What one rows event is to its rows. */
struct stream_event {
    const struct stream_transaction *trx;
    const char *file; /* interned; where the event lies: of XA rows, the file of their prepare */
    uint64_t offset;  /* start of the event, or of the payload around it */
    uint32_t bytes;   /* its length: a first idea of what its rows need */
    uint32_t server_id;
    int64_t ts_us;     /* commit time on the origin; without GTIDs the event's own second */
    struct view query; /* the statement, when the server logs it; else empty */
    int64_t now_ns;    /* wall clock when it was fetched */
};

/* A statement that the log holds, with what it did to tables. */
struct stream_statement {
    const struct stream_transaction *trx;
    const char *file;
    uint64_t offset;
    uint32_t server_id;
    int64_t ts_us;
    int64_t now_ns;
    struct view db;  /* default database of the session */
    struct view sql; /* UTF-8 */
    const struct ddl_result *effects;
};

/* What became of an XA transaction. */
enum stream_xa_step {
    STREAM_XA_PREPARED,  /* by the transaction under way: its rows are kept */
    STREAM_XA_ENDED,     /* its rows were told, or dropped when it was rolled back */
    STREAM_XA_LOST,      /* it was committed, but prepared before the stream began: its rows are not told */
    STREAM_XA_FORGOTTEN, /* as LOST, but rolled back, or ended at or below the barrier */
};

/* What the stream calls. Each may fail; the stream then returns that failure and stays where it was. */
struct stream_output {
    void *ctx;

    /* Whether the table's rows are wanted. Asked once per table version. */
    bool (*is_captured)(const void *ctx, struct view db, struct view table);

    /* A handle for rows of this shape; closed when the shape is no longer in force. */
    bool (*open_table)(void *ctx, const struct shape *shape, void **table, struct fail *why);
    void (*close_table)(void *ctx, void *table);

    /* The server that positions are of from here on; told by the reader. */
    bool (*server)(void *ctx, const char *server_uuid, struct fail *why);

    /* The log file that the stream is in from here on, interned, and when the server made it. */
    bool (*file)(void *ctx, const char *file, uint32_t made_sec, struct fail *why);

    bool (*begin)(void *ctx, const struct stream_transaction *trx, struct fail *why);

    /* The rows of one event: event_begin, then row for each, then event_end (which makes them visible). `row_index`
     * counts within the event. Rows that were told before a reconnect are left out. */
    bool (*event_begin)(void *ctx, void *table, const struct stream_event *ev, struct fail *why);
    bool (*row)(void *ctx, void *table, const struct stream_event *ev, enum stream_row kind, uint32_t row_index,
                const struct cell *before, const struct cell *after, struct fail *why);
    bool (*event_end)(void *ctx, const struct stream_event *ev, struct fail *why);

    bool (*statement)(void *ctx, const struct stream_statement *st, struct fail *why);
    bool (*shape_changed)(void *ctx, struct view db, struct view table, const struct shape *shape, struct fail *why);

    /* Rows came or went without row events; is_emptied: they only went, and all of them. */
    bool (*table_rewritten)(void *ctx, struct view db, struct view table, bool is_emptied, struct fail *why);

    /* XA: the transaction under way prepared xid, or ended it. `prepared` is the GTID of its prepare; n = 0: unknown. */
    bool (*xa)(void *ctx, enum stream_xa_step step, const struct gtid *prepared, struct view xid, struct fail *why);

    bool (*commit)(void *ctx, const struct stream_transaction *trx, const char *file, uint64_t offset,
                   struct fail *why);
    bool (*position)(void *ctx, const char *file, uint64_t offset, struct fail *why);
    bool (*ready)(void *ctx, struct fail *why);

    /* Reads the shape of a table as the server has it now, and the log's end after that. NULL in *shape: no such
     * table. Blocks. Has a context of its own. */
    void *read_ctx;
    bool (*read_shape)(void *read_ctx, struct view db, struct view table, const struct shape **shape,
                       struct log_position *as_of, struct fail *why);
    /* Whether the log names the table in no statement from `after` up to `until`: what the server showed there is true all
     * the way. Blocks. */
    bool (*prove)(void *read_ctx, struct view db, struct view table, const struct log_position *after,
                  const struct log_position *until, bool *is_proven, struct fail *why);
};

/* What to do with a table whose shape is unknown or does not fit, and with rows that can't be told. */
enum stream_handling { STREAM_FAIL, STREAM_WARN, STREAM_SKIP };

struct stream_settings {
    enum stream_handling inconsistent_schema; /* inconsistent.schema.handling.mode */
    enum stream_handling event_processing;    /* event.processing.failure.handling.mode */
    size_t xa_memory_bytes;                   /* rows of open XA transactions beyond this go to a temporary file */
};

/* What statements at or below the barrier mean to the shapes in the catalog. */
enum stream_early {
    STREAM_EARLY_APPLY,      /* the shapes speak from pos on: statements change them as anywhere */
    STREAM_EARLY_READ_AGAIN, /* they speak from the barrier on: a table that is named is read from the server again,
                              * and the barrier moves behind that reading */
    STREAM_EARLY_PASS,       /* they hold what these statements did */
};

/* Where to go on. Texts are copied. */
struct stream_start {
    const struct gtid_set *executed; /* handed over before; NULL without GTIDs */
    struct log_position pos;         /* where the dump starts, "" when the server chooses by GTIDs */
    struct log_birth birth;          /* S4 */
    /* A transaction that was handed over in part: its first `events` events and `rows` rows of the next. Where the log is
     * another server's, who may have cut it into other events: its first `told` captured rows (is_recut). */
    bool is_inside;
    bool is_recut;
    struct gtid inside_gtid; /* n = 0: the first transaction that comes; not with is_recut */
    uint32_t skip_events;
    uint32_t skip_rows;
    uint32_t told; /* 0: not known */
    /* Tell no row and no statement at or below this position, only begins, commits and XA transactions. */
    bool has_barrier;
    struct log_position barrier;
    enum stream_early early;
};

struct stream;

struct stream *stream_new(const struct stream_settings *set, struct catalog *catalog, const struct stream_output *out);
void stream_free(struct stream **st);

/* Before the first event. */
void stream_begin(struct stream *st, const struct stream_start *start);

/* A table's shape in the catalog was read from the server and speaks from that position on. */
void stream_distrust_before(struct stream *st, struct view db, struct view table, const struct log_position *from);

/* Without GTIDs a dump can't start behind 4 GiB of a file: go on from the file's start instead, and tell nothing up to
 * where the stream was. */
void stream_go_to_file_start(struct stream *st);

/* The connection was lost: the next event comes from a dump opened with stream_where. */
void stream_reconnected(struct stream *st);

/* Before a new dump by GTIDs: it will come from another server, whose positions and events are its own. A transaction
 * that was told in part is gone on with by the number of its rows. */
void stream_other_server(struct stream *st);

/* The next dump goes by GTIDs: the files of this server's log are others now. */
void stream_forget_file(struct stream *st);

/* Where a new dump has to start so that the stream goes on without a gap. */
struct stream_where {
    const struct gtid_set *executed; /* ask for all but these: also prepared XA transactions, whose rows are here */
    bool has_gtids;
    const struct log_position *pos; /* where the transaction under way starts, else where the next one will */
};
struct stream_where stream_where(const struct stream *st);

/* In fail.code of stream_feed: S4. */
enum { STREAM_OTHER_FILE = 300001 };

/* One event, whole, with header and checksum. On failure nothing of it was handed over beyond what the output
 * was told, and the stream must not be fed again. */
MUST_USE bool stream_feed(struct stream *st, struct view event, int64_t now_ns, struct fail *why);

/* No transaction is under way. */
bool stream_is_outside(const struct stream *st);

/* Counters since stream_new. */
struct stream_counters {
    uint64_t events;
    uint64_t transactions;
    uint64_t rows;
    uint64_t rows_left_out; /* by a handling of warn or skip */
    uint64_t statements_left_out;
};
const struct stream_counters *stream_counters(const struct stream *st);

/* What is known of the server that sends the events. */
struct stream_server {
    uint32_t version; /* 90704 */
    const struct charset *charset;
    struct view collation;
    bool implicit_timestamp_defaults; /* explicit_defaults_for_timestamp is OFF */
};
void stream_set_server(struct stream *st, const struct stream_server *server);

#endif
