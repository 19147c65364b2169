/* SPDX-License-Identifier: Apache-2.0 */
#include "record/notice.h"

#include "base/digits.h"
#include "binlog/sql_token.h"
#include "record/json.h"
#include "record/schema_text.h"
#include "record/table_change.h"

/* Opens a record half whose schema is a literal; close_half ends it. */
static void open_half(struct buf *out, bool with_schema, const char *schema)
{
    if (!with_schema)
        return;
    buf_put_literal(out, "{\"schema\":");
    buf_put_text(out, schema);
    buf_put_literal(out, ",\"payload\":");
}

static void close_half(struct buf *out, bool with_schema)
{
    if (with_schema)
        buf_put_u8(out, '}');
}

static void put_text_member(struct buf *out, const char *member, struct view text)
{
    buf_put_text(out, member);
    json_put_string(out, text);
}

static void put_number_member(struct buf *out, const char *member, int64_t value)
{
    buf_put_text(out, member);
    digits_put_i64(out, value);
}

/* A key of one string. */
static void put_key(struct buf *out, bool with_schema, const char *schema, const char *field, struct view text)
{
    open_half(out, with_schema, schema);
    buf_put_literal(out, "{\"");
    buf_put_text(out, field);
    put_text_member(out, "\":", text);
    buf_put_u8(out, '}');
    close_half(out, with_schema);
}

#define KEY_SCHEMA(field, name) \
    SCHEMA_STRUCT(SCHEMA_REQUIRED("string", field)) "\"optional\":false,\"name\":\"" name "\",\"version\":1}"

/* ---- schema changes ---- */

static const char schema_change_key_schema[] =
    KEY_SCHEMA("databaseName", "io.debezium.connector.mysql.SchemaChangeKey");

static void put_schema_change_schema(struct buf *out)
{
    buf_put_literal(out, "{\"type\":\"struct\",\"fields\":[");
    envelope_put_source_schema(out);
    buf_put_literal(
        out,
        "," SCHEMA_REQUIRED("int64", "ts_ms") "," SCHEMA_OPTIONAL("string", "databaseName") "," SCHEMA_OPTIONAL(
            "string", "schemaName") "," SCHEMA_OPTIONAL("string", "ddl") ","
                                                                         "{\"type\":\"array\",\"items\":{\"type\":"
                                                                         "\"struct\",\"fields\":[" SCHEMA_REQUIRED(
                                                                             "string",
                                                                             "type") "," SCHEMA_REQUIRED("string",
                                                                                                         "id") ",");
    table_change_put_schema(out);
    buf_put_literal(out, "],\"optional\":false,\"name\":\"io.debezium.connector.schema.Change\",\"version\":1},"
                         "\"optional\":false,\"field\":\"tableChanges\"}],\"optional\":false,"
                         "\"name\":\"io.debezium.connector.mysql.SchemaChangeValue\",\"version\":1}");
}

/* "db"."table" with the double quotes in the text. */
static void put_table_id(struct buf *out, struct view db, struct view table)
{
    struct buf id;
    buf_init(&id);
    sql_put_quoted(&id, db, '"');
    buf_put_u8(&id, '.');
    sql_put_quoted(&id, table, '"');
    json_put_string(out, buf_view(&id));
    buf_fini(&id);
}

static void put_table_changes(struct buf *out, const struct notice_schema_change *change, bool with_comments)
{
    static const char *const types[] = {"", "CREATE", "ALTER", "DROP"};
    buf_put_u8(out, '[');
    if (change->change != NOTICE_NO_CHANGE) {
        put_text_member(out, "{\"type\":", view_of(types[change->change]));
        buf_put_literal(out, ",\"id\":");
        put_table_id(out, change->change_db, change->change_table);
        buf_put_literal(out, ",\"table\":");
        if (change->change == NOTICE_DROP || change->shape == NULL)
            buf_put_literal(out, "null");
        else
            table_change_put_table(change->shape, with_comments, out);
        buf_put_u8(out, '}');
    }
    buf_put_u8(out, ']');
}

static void put_schema_change_payload(const struct record_settings *set, const struct notice_schema_change *change,
                                      struct buf *out)
{
    struct row_source src = *change->src;
    src.query = VIEW_NONE;
    buf_put_literal(out, "{\"source\":");
    envelope_put_source_head(out, set, &src, change->db, change->tables);
    buf_put_u8(out, '0');
    envelope_put_source_tail(out, &src);
    put_number_member(out, ",\"ts_ms\":", src.now_ns / 1000000);
    put_text_member(out, ",\"databaseName\":", change->db);
    put_text_member(out, ",\"schemaName\":null,\"ddl\":", change->ddl);
    buf_put_literal(out, ",\"tableChanges\":");
    put_table_changes(out, change, set->schema_comments);
    buf_put_u8(out, '}');
}

void notice_put_schema_change(const struct record_settings *set, const struct notice_schema_change *change,
                              struct buf *key, struct buf *value)
{
    put_key(key, set->key_schemas, schema_change_key_schema, "databaseName", change->db);
    if (set->value_schemas) {
        buf_put_literal(value, "{\"schema\":");
        put_schema_change_schema(value);
        buf_put_literal(value, ",\"payload\":");
    }
    put_schema_change_payload(set, change, value);
    close_half(value, set->value_schemas);
}

/* ---- transactions ---- */

static const char transaction_key_schema[] = KEY_SCHEMA("id", "io.debezium.connector.common.TransactionMetadataKey");

static const char transaction_schema[] = SCHEMA_STRUCT(SCHEMA_REQUIRED("string", "status") "," SCHEMA_REQUIRED("string", "id") "," SCHEMA_OPTIONAL(
    "int64",
    "event_"
    "count") ",{\"type\":\"array\",\"items\":" SCHEMA_STRUCT(SCHEMA_REQUIRED("string",
                                                                             "data_collection") "," SCHEMA_REQUIRED("in"
                                                                                                                    "t6"
                                                                                                                    "4",
                                                                                                                    "ev"
                                                                                                                    "en"
                                                                                                                    "t_"
                                                                                                                    "co"
                                                                                                                    "un"
                                                                                                                    "t")) "\"optional\":true,\"name\":\"event.collection\",\"version\":1},\"optional\":true,"
                                                                                                                          "\"field\":\"data_collections\"}," SCHEMA_REQUIRED(
                                                                                                                              "int64",
                                                                                                                              "ts_ms")) "\"optional\":false,"
                                                                                                                                        "\"name\":\"io.debezium."
                                                                                                                                        "connector.common."
                                                                                                                                        "TransactionMetadataValue"
                                                                                                                                        "\",\"version\":1}";

void notice_put_transaction_begin(const struct record_settings *set, struct view id, int64_t ts_ms, struct buf *key,
                                  struct buf *value)
{
    put_key(key, set->key_schemas, transaction_key_schema, "id", id);
    open_half(value, set->value_schemas, transaction_schema);
    put_text_member(value, "{\"status\":\"BEGIN\",\"id\":", id);
    put_number_member(value, ",\"event_count\":null,\"data_collections\":null,\"ts_ms\":", ts_ms);
    buf_put_u8(value, '}');
    close_half(value, set->value_schemas);
}

static void put_collection(struct buf *out, const struct notice_collection *c)
{
    buf_put_literal(out, "{\"data_collection\":\"");
    json_put_escaped(out, c->db);
    buf_put_u8(out, '.');
    json_put_escaped(out, c->table);
    put_number_member(out, "\",\"event_count\":", (int64_t)c->events);
    buf_put_u8(out, '}');
}

void notice_put_transaction_end(const struct record_settings *set, struct view id, int64_t ts_ms, uint64_t events,
                                const struct notice_collection *collections, size_t n, struct buf *key,
                                struct buf *value)
{
    put_key(key, set->key_schemas, transaction_key_schema, "id", id);
    open_half(value, set->value_schemas, transaction_schema);
    put_text_member(value, "{\"status\":\"END\",\"id\":", id);
    put_number_member(value, ",\"event_count\":", (int64_t)events);
    buf_put_literal(value, ",\"data_collections\":[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_put_u8(value, ',');
        put_collection(value, &collections[i]);
    }
    put_number_member(value, "],\"ts_ms\":", ts_ms);
    buf_put_u8(value, '}');
    close_half(value, set->value_schemas);
}

/* ---- heartbeats ---- */

void notice_put_heartbeat(const struct record_settings *set, int64_t now_ms, struct buf *key, struct buf *value)
{
    put_key(key, set->key_schemas, KEY_SCHEMA("serverName", "io.debezium.connector.common.ServerNameKey"), "serverName",
            view_of(set->topic_prefix));
    open_half(
        value, set->value_schemas,
        SCHEMA_STRUCT(SCHEMA_REQUIRED(
            "int64", "ts_ms")) "\"optional\":false,\"name\":\"io.debezium.connector.common.Heartbeat\",\"version\":1}");
    put_number_member(value, "{\"ts_ms\":", now_ms);
    buf_put_u8(value, '}');
    close_half(value, set->value_schemas);
}

/* ---- notifications ---- */

static const char notification_schema[] =
    SCHEMA_STRUCT(SCHEMA_REQUIRED("string", "id") "," SCHEMA_REQUIRED("string", "type") "," SCHEMA_REQUIRED(
        "string", "aggregate_type") ",{\"type\":\"map\",\"keys\":{\"type\":\"string\",\"optional\":false},"
                                    "\"values\":{\"type\":\"string\",\"optional\":false},\"optional\":true,\"field\":"
                                    "\"additional_data\"}," SCHEMA_REQUIRED(
                                        "int64", "timestamp")) "\"optional\":false,\"name\":\"io.debezium.connector."
                                                               "common.Notification\",\"version\":1}";

static void put_facts(struct buf *out, const struct notice_fact *facts, size_t n)
{
    if (n == 0) {
        buf_put_literal(out, "null");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        buf_put_u8(out, i == 0 ? '{' : ',');
        json_put_string(out, view_of(facts[i].name));
        put_text_member(out, ":", facts[i].value);
    }
    buf_put_u8(out, '}');
}

struct view notice_names_told(struct view names, size_t *left_out)
{
    *left_out = 0;
    if (names.n <= NOTICE_NAMES_BYTES)
        return names;
    size_t end = NOTICE_NAMES_BYTES;
    while (end > 0 && names.p[end] != ',')
        end--;
    for (size_t i = end; i < names.n; i++)
        *left_out += names.p[i] == ',';
    return (struct view){names.p, end};
}

void notice_put_notification(const struct record_settings *set, const struct notice_notification *note, struct buf *key,
                             struct buf *value)
{
    put_key(key, set->key_schemas, KEY_SCHEMA("id", "io.debezium.connector.common.NotificationKey"), "id", note->id);
    open_half(value, set->value_schemas, notification_schema);
    put_text_member(value, "{\"id\":", note->id);
    put_text_member(value, ",\"type\":", view_of(note->type));
    put_text_member(value, ",\"aggregate_type\":", view_of(note->aggregate_type));
    buf_put_literal(value, ",\"additional_data\":");
    put_facts(value, note->facts, note->n_facts);
    put_number_member(value, ",\"timestamp\":", note->timestamp_ms);
    buf_put_u8(value, '}');
    close_half(value, set->value_schemas);
}
