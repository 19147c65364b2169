/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: one row for each key of the configuration; parsing, checks, errors, help and the manual follow from it.
 *
 * A row says what a value may be, what it is when nothing is written, where in struct config it goes and what it means.
 * A name that ends in `*` is a family: any key that begins so. The longest row that fits a key is its row.
 *
 * Tiers: what becomes of a key that is written.
 *   OFFERED  it is read
 *   IGNORED  it is accepted, not applied, and the reason is told once
 *   QUIET    the same, told only at debug: it means nothing outside of a Java process
 *   FIXED    only the default is accepted: another value would change what is written, and isn't offered
 *   REFUSED  it stops the start, unless blank
 *
 * Static data and pure functions; any thread.
 */
#ifndef TIDEMARK_CONNECTOR_OPTIONS_H
#define TIDEMARK_CONNECTOR_OPTIONS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stddef.h>
#include <stdint.h>

enum option_type {
    OPTION_BOOL,       /* bool */
    OPTION_INT,        /* an integer of 2, 4 or 8 bytes that has room for the row's range */
    OPTION_MS,         /* the same, milliseconds */
    OPTION_SECONDS,    /* the same */
    OPTION_BYTES,      /* the same */
    OPTION_ENUM,       /* an int, by the row's choices */
    OPTION_TEXT,       /* const char * */
    OPTION_NAME,       /* const char *, of the characters that a topic name may have */
    OPTION_HOST,       /* const char *, a host name or address */
    OPTION_SECRET,     /* const char *, never shown */
    OPTION_REGEXES,    /* struct regex_list * */
    OPTION_KEYS,       /* struct key_rules * */
    OPTION_OPERATIONS, /* unsigned, bits of enum skipped_ops */
    OPTION_ANY,        /* not looked into */
};

enum option_tier { TIER_OFFERED, TIER_IGNORED, TIER_QUIET, TIER_FIXED, TIER_REFUSED };

enum option_group {
    GROUP_CONNECTOR,
    GROUP_SOURCE,
    GROUP_TLS,
    GROUP_FILTERS,
    GROUP_RECORDS,
    GROUP_TYPES,
    GROUP_TOPICS,
    GROUP_KAFKA,
    GROUP_OFFSETS,
    GROUP_FAILURES,
    GROUP_TIDEMARK,
    GROUP_SNAPSHOT,
    GROUP_SIGNALS,
    GROUP_HISTORY,
    GROUP_RUNTIME,
    GROUP_COUNT,
};

struct option_choice {
    const char *name;
    int value;
    const char *later; /* not NULL: known to Debezium, not offered here, and why or when */
};

enum { OPTION_NOT_STORED = -1 };

struct option {
    const char *name;
    enum option_group group;
    enum option_type type;
    enum option_tier tier;
    const char *fallback;                /* the default, as it would be written; NULL: none */
    int64_t low, high;                   /* of numbers */
    const struct option_choice *choices; /* of ENUM; ends with a NULL name */
    bool is_required;
    int at;           /* offset into struct config, OPTION_NOT_STORED */
    size_t bytes;     /* of what is there */
    const char *help; /* what it means; for other tiers than OFFERED why it isn't applied */
};

/* All rows in the order of the manual; NULL behind the last. */
const struct option *option_at(size_t i);

/* The row of a key, or NULL. */
const struct option *option_find(const char *key);

const char *option_group_name(enum option_group group);

bool option_is_family(const struct option *o);
bool option_is_number(const struct option *o);

/* Whether the value of a key must not be shown, be it known or not. */
bool option_is_secret(const char *key);

/* Checks the value and, unless at is NULL, stores it there (at is the place itself, of the type's C type); texts are
 * copied into the arena. why says what is allowed, without key and value. */
MUST_USE bool option_parse(const struct option *o, const char *value, struct arena *memory, void *at, struct fail *why);

/* What a value may be, such as "true or false" or "a whole number from 1 to 65535". */
void option_print_allowed(const struct option *o, struct buf *out);

/* All options as text for a terminal, or as the page docs/configuration.md. */
void options_print(struct buf *out);
void options_print_markdown(struct buf *out);

/* All rows as a JSON array of objects. */
void options_print_json(struct buf *out);

#endif
