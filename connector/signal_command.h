/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signal_command: `tidemark signal` and `tidemark status`: asks a running instance for something, and shows how it goes.
 *
 * A request is a record in the signal topic, as any other program could write it; how it goes is read from the stored
 * state, so no notifications need to be switched on. Blocks.
 */
#ifndef TIDEMARK_CONNECTOR_SIGNAL_COMMAND_H
#define TIDEMARK_CONNECTOR_SIGNAL_COMMAND_H

#include "base/bytes.h"
#include "base/fail.h"
#include "connector/config.h"

struct signal_request {
    const char *type;      /* "execute-snapshot", … */
    const char *tables;    /* patterns joined by commas; a comma in brackets or quotes parts none; NULL: none */
    const char *filter;    /* NULL: none */
    const char *surrogate; /* NULL: none */
    const char *id;        /* NULL: one is made */
    const char *message;   /* of log; NULL: none */
    bool is_blocking;      /* the stream waits meanwhile */
    bool waits;            /* until it is done, showing progress */
};

/* The value of the record. */
void signal_request_print(const struct signal_request *request, const char *id, struct buf *out);

/* Sends; with waits also follows. Returns the exit code: 0 done, 1 refused or stopped; else the area of why. */
int signal_command(const struct config *cfg, const struct signal_request *request, struct fail *why);

/* Appends what runs: tables, rows, percent. Returns the exit code: 0; 1 when nothing is stored under the name; else the area of
 * why. */
int signal_status(const struct config *cfg, bool as_json, struct buf *out, struct fail *why);

#endif
