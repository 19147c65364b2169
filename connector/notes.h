/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes: what is to be said about a configuration, gathered while it is read, since only at its end is known how to log.
 *
 * In the order in which they came up. Owned by whoever reads the configuration. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_NOTES_H
#define TIDEMARK_CONNECTOR_NOTES_H

#include "base/log.h"

#include <stddef.h>

struct config_note {
    enum log_level level; /* error: the configuration can't be used */
    char *text;
};

struct config_notes {
    struct config_note *items;
    size_t n;
};

void config_notes_add(struct config_notes *notes, enum log_level level, const char *format, ...) PRINTF_LIKE(3, 4);

/* How many notes have the level. */
size_t config_notes_count(const struct config_notes *notes, enum log_level level);

/* The first of the level, or NULL. */
const char *config_notes_first(const struct config_notes *notes, enum log_level level);

void config_notes_fini(struct config_notes *notes);

#endif
