/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: requests that users put into a Kafka topic, and what each carries.
 *
 *   key    topic.prefix of the connector that is meant, as text
 *   value  {"id":"s1","type":"execute-snapshot","data":{"data-collections":["shop\\.orders"],"type":"INCREMENTAL"}}
 *
 * consumer   reads the topic from a given place, one record at a time
 * topic_id   tells one topic of a name from the next
 * parse      record -> struct signal, or the reason why not
 *
 * What is done about a signal is the connector's business; this folder knows no snapshot.
 * Format: the Debezium documentation, "Sending signals to a Debezium connector".
 */
#ifndef TIDEMARK_SIGNAL_SIGNALS_H
#define TIDEMARK_SIGNAL_SIGNALS_H

#include "base/arena.h"
#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum signal_kind {
    SIGNAL_EXECUTE,      /* execute-snapshot */
    SIGNAL_STOP,         /* stop-snapshot */
    SIGNAL_PAUSE,        /* pause-snapshot */
    SIGNAL_RESUME,       /* resume-snapshot */
    SIGNAL_LOG,          /* log */
    SIGNAL_SET_POSITION, /* set-binlog-position */
};

enum { SIGNAL_ID_BYTES = 255 }; /* a longer id is refused: it is stored */

/* A filter for the tables that its pattern matches; a pattern that is missing matches all. */
struct signal_condition {
    struct view collection;
    struct view filter;
};

/* All texts are in the arena that signal_parse was given, or lent by the record. */
struct signal {
    enum signal_kind kind;
    bool has_id;
    struct view id;           /* empty when there is none; of one that is too long the beginning */
    bool has_type;            /* STOP: "type" says of which kind of snapshot; without it, of both */
    bool is_blocking;         /* EXECUTE, STOP: "type":"BLOCKING" */
    struct view *collections; /* EXECUTE, STOP: patterns or names, trimmed */
    unsigned n_collections;   /* STOP: 0 means all */
    struct signal_condition *conditions;
    unsigned n_conditions;
    struct view surrogate; /* EXECUTE: empty: none */
    struct view message;   /* LOG */
    struct view file;      /* SET_POSITION: file and offset, or gtids */
    uint64_t offset;
    struct view gtids;
};

const char *signal_kind_name(enum signal_kind kind);

#endif
