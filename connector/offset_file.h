/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offset_file: the state in two local files instead of Kafka topics, for development.
 *
 *   PATH          one line a key: {"key":["name",{"server":"prefix"}],"value":{"file":…}}
 *   PATH.shapes   the same with the keys and values of the shapes topic
 *
 * What was put is in memory until the file is stored: written whole beside its place, synced, renamed over it, the folder
 * synced. So a reader finds the old file or the new one, and a full disk loses nothing: RETRY, and the next store
 * tries again. A lock on PATH.lock keeps a second process out.
 *
 * put and load on the loop thread, store on the committer's: never at the same time, commit sees to that.
 */
#ifndef TIDEMARK_CONNECTOR_OFFSET_FILE_H
#define TIDEMARK_CONNECTOR_OFFSET_FILE_H

#include "base/bytes.h"
#include "base/fail.h"
#include "connector/state_topic.h"

struct offset_file;

enum offset_file_part {
    OFFSET_FILE_OFFSETS,
    OFFSET_FILE_SHAPES,
};

/* Opens and reads both files; a missing one is empty. Malformed: STOP, SYSTEM, naming file and line. */
MUST_USE struct offset_file *offset_file_open(const char *path, struct fail *why);
void offset_file_close(struct offset_file **f);

/* The same for looking only: takes no lock and leaves nothing behind, so another process may be writing; nothing may be
 * put or stored. */
MUST_USE struct offset_file *offset_file_peek(const char *path, struct fail *why);

/* Whether nobody has the file open for writing, without leaving anything behind; else why says so (FENCED). */
MUST_USE bool offset_file_is_free(const char *path, struct fail *why);

/* Hands over each line of a part. */
MUST_USE bool offset_file_load(struct offset_file *f, enum offset_file_part part, state_topic_fn on_record, void *ctx,
                               struct fail *why);

/* Sets or (has_value false) removes a key. key and value are JSON, copied. */
void offset_file_put(struct offset_file *f, enum offset_file_part part, struct view key, bool has_value,
                     struct view value);

/* Makes what was put durable: shapes first. Blocks for as long as the disk does. */
MUST_USE bool offset_file_store(struct offset_file *f, struct fail *why);

#endif
