/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_options: settings of Kafka's Java clients become those of librdkafka.
 *
 * One table says for each Java name what becomes of it: a setting for every client of ours, one for the producer or the
 * consumer alone, accepted without being applied, or refused. What has no librdkafka setting of its own is taken apart:
 * the login module line gives user and password, the stores give certificates.
 *
 * Pure functions; texts live in the arena given.
 */
#ifndef TIDEMARK_CONNECTOR_CLIENT_OPTIONS_H
#define TIDEMARK_CONNECTOR_CLIENT_OPTIONS_H

#include "base/arena.h"
#include "connector/client.h"
#include "connector/notes.h"

/* One setting as it was written, without the prefix of its family. */
struct client_given {
    const char *name;
    const char *value;
    const char *written; /* the key in the file */
    unsigned line;
};

enum client_role { CLIENT_ROLE_PRODUCER, CLIENT_ROLE_CONSUMER };

/* Adds to `common` what every client needs and to `own` that and what is for the role alone. Errors and remarks become
 * notes; false when there was an error. */
MUST_USE bool client_options_translate(const struct client_given *given, size_t n, enum client_role role,
                                       struct arena *memory, struct client_settings *common,
                                       struct client_settings *own, struct config_notes *notes);

/* Whether the Java name is in the table. */
bool client_options_know(const char *name);

/* The table for the manual. */
void client_options_print_markdown(struct buf *out);

#endif
