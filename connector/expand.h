/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand: ${…} in a value is replaced by what it refers to, as Kafka Connect's configuration providers do.
 *
 *   ${env:NAME}             an environment variable
 *   ${file:PATH:key}        a key of a .properties file
 *   ${directory:PATH:name}  a file of a folder, whole, without a last line end
 *   ${NAME}, ${NAME:text}   in files of Debezium Server: an environment variable, else the text behind the colon
 *
 * What was put in is not looked at again. A reference that leads nowhere is an error that names the reference, never a
 * value. Any thread.
 */
#ifndef TIDEMARK_CONNECTOR_EXPAND_H
#define TIDEMARK_CONNECTOR_EXPAND_H

#include "base/bytes.h"
#include "base/fail.h"

struct expand_rules {
    bool is_server; /* Debezium Server's short forms count too */
    bool is_secret; /* what is put in is registered with log_hide */
};

/* Appends the value to out. */
MUST_USE bool expand_value(const char *value, struct expand_rules rules, struct buf *out, struct fail *why);

/* Whether there is anything that looks like a reference. */
bool expand_has_reference(const char *value);

#endif
