/* SPDX-License-Identifier: Apache-2.0 */
/*
 * topic: the names of Kafka topics and of the schemas and fields in their records.
 *
 * A table's topic is prefix, delimiter, database, delimiter, table. What Kafka does not allow in it becomes '_', one
 * for each UTF-16 unit, and it is cut to 249; so two tables may share a topic, which is said in the log once.
 * Names are interned: equal text, equal pointer, for ever.
 *
 * Schema names start with the topic. Avro consumers want them (and field names) in a smaller alphabet; the two adjust
 * functions do what Debezium's schema.name.adjustment.mode and field.name.adjustment.mode do, digit for digit.
 * Any thread.
 */
#ifndef TIDEMARK_RECORD_TOPIC_H
#define TIDEMARK_RECORD_TOPIC_H

#include "base/bytes.h"
#include "base/fail.h"
#include "record/settings.h"

enum { TOPIC_NAME_MAX = 249 };

/* The topic of a table's rows. */
const char *topic_of_table(const struct record_settings *set, struct view db, struct view table);

/* prefix, delimiter and name, as it stands: the transaction topic. */
const char *topic_of_name(const struct record_settings *set, const char *name);

/* The heartbeat topic: name when it is not empty, else heartbeat_prefix, delimiter, topic prefix. */
const char *topic_of_heartbeat(const struct record_settings *set, const char *name, const char *heartbeat_prefix);

/* The interned copy of any text. */
const char *topic_intern(struct view name);

/* Not empty and only of A-Z a-z 0-9 _ . - : what topic.prefix, topic.delimiter and the other name keys must be. */
bool topic_is_legal(const char *name);

/* Prefix and delimiter together; STOP, CONFIG, naming the key. */
MUST_USE bool topic_check(const struct record_settings *set, struct fail *why);

/* Appends a schema name (a full name: dots stay) or a field name, adjusted. */
void topic_put_schema_name(struct buf *out, enum adjust_mode mode, struct view name);
void topic_put_field_name(struct buf *out, enum adjust_mode mode, struct view name);

#endif
