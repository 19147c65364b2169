/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jaas: the login line of Java's Kafka clients, taken apart.
 *
 *   org.apache.kafka.common.security.scram.ScramLoginModule required username="shop" password="p\"w";
 *
 * A class, a flag, options as name=value, a semicolon; values stand in double quotes with Java's backslash escapes, or
 * bare. (javax.security.auth.login.Configuration; Kafka reads it with java.io.StreamTokenizer.)
 *
 * One module only. Errors never show the line: it holds a password. Texts live in the arena given.
 */
#ifndef TIDEMARK_CONNECTOR_JAAS_H
#define TIDEMARK_CONNECTOR_JAAS_H

#include "base/arena.h"
#include "base/fail.h"

enum { JAAS_OPTIONS_MAX = 32 };

struct jaas_option {
    const char *name;
    const char *value;
};

struct jaas {
    const char *module; /* the class, without its package */
    struct jaas_option options[JAAS_OPTIONS_MAX];
    unsigned n;
};

MUST_USE bool jaas_read(const char *line, struct arena *memory, struct jaas *out, struct fail *why);

/* The value of an option, or NULL. */
const char *jaas_get(const struct jaas *j, const char *name);

#endif
