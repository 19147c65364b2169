/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_text: a place in a table's key order, from Debezium's form (java_key.h) to ours (snapshot/chunk_key.h) and back.
 *
 * What a Java value means follows from the column it is of:
 *   integers              any integer class; Boolean for TINYINT     DECIMAL   any number
 *   YEAR                  the same; java.sql.Date of its 1 January
 *   CHAR, VARCHAR         String, into the column's charset          BINARY, VARBINARY  byte[]
 *   BIT                   byte[], Boolean, integers                  FLOAT, DOUBLE      any number
 *   DATE                  LocalDate                                  TIME      Duration
 *   DATETIME              LocalDateTime, String                      TIMESTAMP Timestamp, Instant
 *
 * Refused, so that the table is read from its start: ENUM, since Debezium pages it by its labels and the server orders
 * it by number; a Timestamp for a DATETIME, whose reading depends on the time zone of the JVM that wrote it; text that
 * its charset can't hold, or whose encoding isn't known here.
 *
 * Any thread.
 */
#ifndef TIDEMARK_CONNECTOR_KEY_TEXT_H
#define TIDEMARK_CONNECTOR_KEY_TEXT_H

#include "connector/java_key.h"
#include "snapshot/chunk.h"
#include "snapshot/chunk_key.h"

/* REFUSE, naming the column and the reason. A null key gives an empty one. */
MUST_USE bool key_text_from_java(const struct chunk_path *path, const struct java_key *key, struct chunk_key *out,
                                 struct fail *why);

/* The other way: text and parts lend the arena. */
MUST_USE bool key_text_to_java(const struct chunk_path *path, struct view text, struct arena *memory,
                               struct java_key *out, struct fail *why);

#endif
