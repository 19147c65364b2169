/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rename: keys of other forms and other times become the ones that the option table knows.
 *
 * Debezium Server writes `debezium.source.X` for X, `debezium.sink.kafka.producer.X` for producer.override.X,
 * `debezium.format.X` for X of the key, value and header converter; a file that has a key of the first two kinds is of that form.
 * Old Debezium names get their successors, with a warning; names that are gone without one are told and left out.
 *
 * A setting that came by a general or an old name is weak: it gives way to one that was written under the key's
 * own name, wherever that stands. One thread; all texts live in the arena given.
 */
#ifndef TIDEMARK_CONNECTOR_RENAME_H
#define TIDEMARK_CONNECTOR_RENAME_H

#include "connector/notes.h"
#include "connector/properties.h"

struct setting {
    const char *key;     /* as the option table has it */
    const char *written; /* as the file has it */
    const char *value;
    unsigned line; /* 0: not known */
    bool is_weak;
};

struct settings {
    struct setting *items; /* owned */
    size_t n;
    bool is_server; /* the file is Debezium Server's */
};

/* All settings in the order of the file; out is to be freed. */
void rename_settings(const struct properties *p, struct arena *memory, struct settings *out,
                     struct config_notes *notes);

/* Leaves one setting of each key: the last that isn't weak, else the last. Tells of keys that were written twice. */
void rename_drop_doubles(struct settings *s, struct config_notes *notes);

void settings_fini(struct settings *s);

#endif
