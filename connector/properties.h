/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties: the text of a configuration file becomes a list of keys and values, each with its line.
 *
 * Two forms, told apart by the first byte that is not blank: `{` is JSON as Kafka Connect takes it, a flat map or
 * {"name":…, "config":{…}}; anything else is Java's .properties (java.util.Properties, "load"): `=`, `:` or a blank
 * ends a key, `#` and `!` start comments, a backslash at the end joins lines and elsewhere escapes, \uXXXX.
 * The text is UTF-8 in both.
 *
 * Always true: the entries stand in the order of the file, all of them, also several of one key; keys and values
 * hold no NUL. Owns its copies. Foreign bytes: any text is read or refused with its line.
 */
#ifndef TIDEMARK_CONNECTOR_PROPERTIES_H
#define TIDEMARK_CONNECTOR_PROPERTIES_H

#include "base/arena.h"
#include "base/fail.h"

struct property {
    const char *key;
    const char *value;
    unsigned line; /* from 1; 0: not known */
};

struct properties {
    struct property *items;
    size_t n;
    struct arena memory;
};

/* Reads either form. Fails with STOP, naming the line; out is to be freed in any case. */
MUST_USE bool properties_read(struct view text, struct properties *out, struct fail *why);

/* Reads a file of at most 16 MiB and then its text; errors name the path. */
MUST_USE bool properties_load(const char *path, struct properties *out, struct fail *why);

void properties_fini(struct properties *p);

/* The last entry of the key, or NULL. */
const struct property *properties_get(const struct properties *p, const char *key);

/* Reads a whole file of at most `limit` bytes into a buffer; the error names path and cause. */
MUST_USE bool properties_read_file(const char *path, size_t limit, struct buf *out, struct fail *why);

#endif
