/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config: everything a run is told, read from one file, checked, in the form its parts want.
 *
 * The way of a key: properties reads it with its line, rename gives it its present name, expand replaces ${…}, the row of
 * options that has its name checks the value and stores it here, and config_read joins what belongs together: filters,
 * the brokers' address, the TLS stores, the clients' settings. Which keys there are, their defaults and their meaning
 * is said in one place only, connector/option_table.c.
 *
 * Read only once loaded; any thread may read. Owns all that it points to.
 */
#ifndef TIDEMARK_CONNECTOR_CONFIG_H
#define TIDEMARK_CONNECTOR_CONFIG_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/log.h"
#include "binlog/source.h"
#include "connector/client.h"
#include "connector/filter.h"
#include "connector/notes.h"
#include "record/settings.h"

enum exactly_once { EXACTLY_ONCE_REQUESTED, EXACTLY_ONCE_REQUIRED, EXACTLY_ONCE_DISABLED };

enum offset_storage { OFFSET_STORAGE_UNSET, OFFSET_STORAGE_KAFKA, OFFSET_STORAGE_FILE };

struct config_kafka {
    struct client_settings client;   /* for admin and the readers of state */
    struct client_settings producer; /* the same and what is for the producer only */
    const char *transactional_id;
    int transaction_timeout_ms;
    int64_t message_max_bytes; /* producer.override.max.request.size: the largest record that is sent */
    int tolerates_errors;      /* errors.tolerance=all: 1 */
    const char
        *dead_letter_topic; /* errors.deadletterqueue.topic.name, interned; NULL once loaded: none, or not tolerated */
    enum exactly_once exactly_once;
    enum offset_storage storage; /* never UNSET once loaded */
    const char *offsets_topic;   /* set in both storages; used with KAFKA */
    const char *shapes_topic;
    const char *offsets_file;             /* storage FILE; else NULL */
    int state_replication;                /* of the topics we create; -1: the broker's default */
    struct client_settings signals;       /* for the consumer of the signal topic */
    struct client_settings signal_client; /* for who else asks the cluster that has it */

    /* where the brokers' address may be written, the first that is counts; client.bootstrap has it */
    const char *producer_bootstrap, *worker_bootstrap, *history_bootstrap, *signal_bootstrap;
};

/* snapshot.mode: what becomes of the rows that are there before the stream. */
enum snapshot_mode {
    SNAPSHOT_MODE_INITIAL,
    SNAPSHOT_MODE_INITIAL_ONLY,
    SNAPSHOT_MODE_NO_DATA,
    SNAPSHOT_MODE_WHEN_NEEDED,
    SNAPSHOT_MODE_ALWAYS,
    SNAPSHOT_MODE_RECOVERY,
};

struct config {
    const char *name; /* `name`, else topic.prefix */
    const char *path; /* the file it was read from */
    struct record_settings record;
    struct filter filter; /* record.has_column and the like ask it */
    struct source_settings source;
    struct config_kafka kafka;
    int64_t queue_bytes;               /* the byte budget; never 0 */
    int commit_interval_ms;            /* tidemark.commit.interval.ms: under steady load */
    int commit_dry_ms;                 /* tidemark.commit.dry.ms: after the input ran dry */
    int commit_pause_ms;               /* tidemark.commit.pause.ms: at least between two commits */
    int position_interval_ms;          /* tidemark.offset.interval.ms: store a position that moved without records */
    bool is_standby;                   /* tidemark.standby */
    int standby_session_ms;            /* tidemark.standby.session.timeout.ms */
    int lookout_ms;                    /* tidemark.lookout.interval.ms; 0: never */
    int liveness_ms;                   /* tidemark.liveness.timeout.ms */
    int max_retries;                   /* errors.max.retries; -1: for ever */
    int retry_first_ms;                /* errors.retry.delay.initial.ms */
    int retry_most_ms;                 /* errors.retry.delay.max.ms */
    const char *signal_channels;       /* signal.enabled.channels, as written */
    bool has_signals;                  /* kafka is among them */
    const char *signal_topic;          /* never NULL once loaded */
    const char *signal_group;          /* signal.kafka.groupId; NULL: unset, or Debezium's shared default */
    const char *signal_reset;          /* signal.consumer.auto.offset.reset; NULL: unset */
    const char *notification_channels; /* as written; NULL: none */
    bool notifies_sink, notifies_log;
    const char *notification_topic;
    enum snapshot_mode snapshot_mode;      /* snapshot.mode */
    int64_t snapshot_delay_ms;             /* snapshot.delay.ms */
    int chunk_size;                        /* incremental.snapshot.chunk.size */
    int snapshot_threads;                  /* snapshot.max.threads */
    int snapshot_rows_per_second;          /* tidemark.snapshot.rows.per.second; 0: no limit */
    bool snapshot_for_share;               /* tidemark.snapshot.for.share */
    enum failure_mode inconsistent_schema; /* inconsistent.schema.handling.mode */
    enum failure_mode processing_failure;  /* event.processing.failure.handling.mode */
    enum log_level log_level;
    int log_as_json; /* 0 or 1 */
    bool is_strict;  /* tidemark.config.strict */

    /* as written, before config_read joined them with others */
    bool keep_alive;       /* connect.keep.alive */
    int64_t keep_alive_ms; /* connect.keep.alive.interval.ms: source.silence_ms */
    const char *initial_statements;
    struct arena memory;
};

/* Reads the text of a file that is called `path` in notes. NULL when it can't be used; then there is at least one error among
 * the notes. Initialises notes. Registers secrets with log_hide. */
MUST_USE struct config *config_read(struct view text, const char *path, struct config_notes *notes);

/* Reads the file, sets up the log as it says and logs the notes. NULL and why (STOP, CONFIG) when it can't be used. */
MUST_USE struct config *config_load(const char *path, struct fail *why);

void config_free(struct config **cfg);

#endif
