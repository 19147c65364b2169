/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_text: a Connect schema as the JSON text that JsonConverter prints.
 *
 *   {"type":…,"fields":[…] or "items":…,"optional":…,"name":…,"version":…,"doc":…,"parameters":{…},"default":…,"field":…}
 *
 * Members come in this order; only type and optional are always there. Texts given as views are JSON already, texts
 * given as C strings or said to be plain are quoted here. Fixed schemas are written with the macros, as literals.
 * Source of the order: JsonConverter.asJsonSchema of Kafka Connect.
 */
#ifndef TIDEMARK_RECORD_SCHEMA_TEXT_H
#define TIDEMARK_RECORD_SCHEMA_TEXT_H

#include "base/bytes.h"

#define SCHEMA_REQUIRED(type, field) "{\"type\":\"" type "\",\"optional\":false,\"field\":\"" field "\"}"
#define SCHEMA_OPTIONAL(type, field) "{\"type\":\"" type "\",\"optional\":true,\"field\":\"" field "\"}"
#define SCHEMA_STRUCT(fields) "{\"type\":\"struct\",\"fields\":[" fields "],"

struct schema_text {
    const char *type;   /* "struct", "int32", … */
    struct view inside; /* JSON: "fields":[…] or "items":{…}; empty: none */
    bool is_optional;
    struct view name; /* plain; empty: none */
    unsigned version; /* 0: none */
    bool has_doc;
    struct view doc;          /* plain */
    struct view parameters;   /* JSON, the members without braces; empty: none */
    struct view default_json; /* JSON; empty: none */
    struct view field;        /* plain; empty: none, the schema stands alone */
};

void schema_text_put(struct buf *out, const struct schema_text *schema);

#endif
