/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings: all that the configuration says about records, in the form the plan compiler wants it.
 *
 * Filled once by connector/config before any thread starts, then read only. Key names: docs/configuration.md.
 */
#ifndef TIDEMARK_RECORD_SETTINGS_H
#define TIDEMARK_RECORD_SETTINGS_H

#include "base/bytes.h"
#include "binlog/shape.h"

#include <stdbool.h>

enum decimal_mode { DECIMAL_PRECISE, DECIMAL_DOUBLE, DECIMAL_STRING };
enum bigint_mode { BIGINT_LONG, BIGINT_PRECISE };
enum time_mode { TIME_ADAPTIVE_MICROS, TIME_CONNECT, TIME_ISOSTRING, TIME_MICROS, TIME_NANOS };
enum binary_mode { BINARY_BYTES, BINARY_BASE64, BINARY_BASE64_URL_SAFE, BINARY_HEX };
enum adjust_mode { ADJUST_NONE, ADJUST_AVRO, ADJUST_AVRO_UNICODE };
enum failure_mode { FAILURE_FAIL, FAILURE_WARN, FAILURE_SKIP };

enum skipped_ops { SKIP_C = 1, SKIP_U = 2, SKIP_D = 4, SKIP_T = 8 };

struct record_settings {
    const char *topic_prefix;     /* topic.prefix */
    const char *topic_delimiter;  /* topic.delimiter, "." */
    const char *source_version;   /* tidemark.source.version, "3.6.1.Final" */
    const char *task_id;          /* "0" */
    const char *run_id;           /* a UUID made at start */
    bool key_schemas;             /* key.converter.schemas.enable */
    bool value_schemas;           /* value.converter.schemas.enable */
    bool key_null_default;        /* key.converter.replace.null.with.default */
    bool value_null_default;      /* value.converter.replace.null.with.default */
    bool tombstones;              /* tombstones.on.delete */
    bool headers;                 /* extended.headers.enabled */
    bool time_adjuster;           /* enable.time.adjuster */
    bool include_query;           /* include.query */
    bool schema_changes;          /* include.schema.changes */
    bool schema_comments;         /* include.schema.comments */
    bool captured_databases_only; /* schema.history.internal.store.only.captured.databases.ddl */
    bool captured_tables_only;    /* schema.history.internal.store.only.captured.tables.ddl */
    bool skip_unchanged;          /* skip.messages.without.change */
    unsigned skipped_ops;         /* skipped.operations, bits of enum skipped_ops */
    enum decimal_mode decimal_mode;
    enum bigint_mode bigint_mode;
    enum time_mode time_mode;
    enum binary_mode binary_mode;
    enum adjust_mode schema_name_adjust;
    enum adjust_mode field_name_adjust;
    enum failure_mode converting_failure; /* event.converting.failure.handling.mode */

    /* Whether a column is a field of before and after; a key column stays in the key either way. ctx is handed back.
     * NULL: all are. */
    bool (*has_column)(void *ctx, struct view db, struct view table, struct view column);
    /* Whether the column's type goes into the schema's parameters (column.propagate.source.type and datatype.…). */
    bool (*propagates_type)(void *ctx, struct view db, struct view table, struct view column, struct view type);
    /* message.key.columns: writes the indexes of the table's key columns in the order listed, at most room, and
     * returns how many there are; 0 when no rule names the table, which then keeps its own key. NULL: no rules. */
    unsigned (*key_columns)(void *ctx, const struct shape *s, uint16_t *columns, unsigned room);
    void *ctx;
};

#endif
