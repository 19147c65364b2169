/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server: what must be known of the MySQL server: whether it can be followed, and where its log is.
 *
 * server_check reads its settings and our rights once after connecting and refuses, one sentence for each, what
 * would lose changes: each says what to set. What is only a pity is logged as a warning.
 *
 * All by statements that need SELECT, REPLICATION SLAVE and REPLICATION CLIENT at most. The thread of the source.
 */
#ifndef TIDEMARK_BINLOG_SERVER_H
#define TIDEMARK_BINLOG_SERVER_H

#include "binlog/source.h"
#include "binlog/stream.h"

enum server_gtid_mode { SERVER_GTID_OFF, SERVER_GTID_OFF_PERMISSIVE, SERVER_GTID_ON_PERMISSIVE, SERVER_GTID_ON };

struct server {
    uint32_t version; /* 90704 */
    char version_text[64];
    char uuid[37];
    uint32_t server_id;
    bool is_replica;
    enum server_gtid_mode gtid_mode;
    unsigned lower_case_table_names; /* 0: names differ by case */
    char charset[65];                /* character_set_server */
    char collation[65];              /* collation_server */
    bool has_implicit_timestamps;    /* explicit_defaults_for_timestamp is OFF */
    bool metadata_is_full;           /* binlog_row_metadata */
    bool has_partial_json;           /* binlog_row_value_options */
    bool has_compression;            /* binlog_transaction_compression */
    bool has_checksum;               /* binlog_checksum */
    bool may_recover_xa;             /* XA_RECOVER_ADMIN is ours */
    bool sees_single_tables;         /* SELECT is ours on single tables, and not on all */
};

/* Reads and judges. */
MUST_USE bool server_check(struct source *src, const struct source_settings *set, struct server *out, struct fail *why);

/* What reading statements of its log needs of it; lends the server. */
struct stream_server server_of_stream(const struct server *srv);

/* SHOW BINARY LOG STATUS, or MASTER before 8.2. May wait for the server's log lock. */
const char *server_log_status_sql(const struct server *srv);

/* The end of the log. */
MUST_USE bool server_read_end(struct source *src, const struct server *srv, struct log_position *pos, struct fail *why);

/* gtid_executed, gtid_purged, server_uuid as they are now. Sets are initialised and replaced. */
MUST_USE bool server_read_executed(struct source *src, struct gtid_set *set, struct fail *why);
MUST_USE bool server_read_purged(struct source *src, struct gtid_set *set, struct fail *why);
MUST_USE bool server_read_uuid(struct source *src, char uuid[37], struct fail *why);

/* The names of XA transactions that are prepared, as XA COMMIT has them in the log (X'6162',X'',1), each ended by a
 * zero byte. Needs XA_RECOVER_ADMIN: ask may_recover_xa first. */
MUST_USE bool server_read_xa(struct source *src, struct buf *names, struct fail *why);

/* The log files, oldest first: calls each(ctx, file, bytes). Sizes are off by 512 for encrypted files. */
MUST_USE bool server_read_logs(struct source *src, void (*each)(void *ctx, struct view file, uint64_t bytes), void *ctx,
                               struct fail *why);

#endif
