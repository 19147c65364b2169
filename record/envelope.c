/* SPDX-License-Identifier: Apache-2.0 */
#include "record/envelope.h"

#include "base/digits.h"
#include "record/json.h"
#include "record/schema_text.h"
#include "record/topic.h"

static void put_number_member(struct buf *out, const char *member, int64_t value)
{
    buf_put_text(out, member);
    digits_put_i64(out, value);
}

static void put_text_member(struct buf *out, const char *member, struct view text)
{
    buf_put_text(out, member);
    json_put_string(out, text);
}

void envelope_put_text_or_null(struct buf *out, struct view text)
{
    if (text.n == 0)
        buf_put_literal(out, "null");
    else
        json_put_string(out, text);
}

/* While streaming the field is unset, and it is its default that reads "false". */
static void put_snapshot(struct buf *out, const struct record_settings *set, const char *snapshot)
{
    if (strcmp(snapshot, "false") == 0 && !set->value_null_default)
        buf_put_literal(out, "null");
    else
        json_put_string(out, view_of(snapshot));
}

void envelope_put_source_head(struct buf *out, const struct record_settings *set, const struct row_source *src,
                              struct view db, struct view table)
{
    put_text_member(out, "{\"version\":", view_of(set->source_version));
    put_text_member(out, ",\"connector\":\"mysql\",\"name\":", view_of(set->topic_prefix));
    int64_t ms = src->ts_us / 1000 - (src->ts_us % 1000 < 0 ? 1 : 0);
    put_number_member(out, ",\"ts_ms\":", ms);
    buf_put_literal(out, ",\"snapshot\":");
    put_snapshot(out, set, src->snapshot);
    put_text_member(out, ",\"db\":", db);
    put_number_member(out, ",\"sequence\":null,\"ts_us\":", src->ts_us);
    put_number_member(out, ",\"ts_ns\":", src->ts_us * 1000);
    buf_put_literal(out, ",\"table\":");
    envelope_put_text_or_null(out, table);
    put_number_member(out, ",\"server_id\":", src->server_id);
    buf_put_literal(out, ",\"gtid\":");
    envelope_put_text_or_null(out, src->gtid);
    put_text_member(out, ",\"file\":", src->file);
    put_number_member(out, ",\"pos\":", (int64_t)src->pos);
    buf_put_literal(out, ",\"row\":");
}

void envelope_put_source_tail(struct buf *out, const struct row_source *src)
{
    if (src->has_thread)
        put_number_member(out, ",\"thread\":", (int64_t)src->thread);
    else
        buf_put_literal(out, ",\"thread\":null");
    buf_put_literal(out, ",\"query\":");
    envelope_put_text_or_null(out, src->query);
    buf_put_u8(out, '}');
}

void envelope_put_clock(struct buf *out, int64_t now_ns)
{
    put_number_member(out, "\"ts_ms\":", now_ns / 1000000);
    put_number_member(out, ",\"ts_us\":", now_ns / 1000);
    put_number_member(out, ",\"ts_ns\":", now_ns);
}

/* ---- schemas ---- */

static const char source_schema[] = SCHEMA_STRUCT(SCHEMA_REQUIRED("string", "version") "," SCHEMA_REQUIRED("string",
                                                                                                           "connector") "," SCHEMA_REQUIRED("string", "nam"
                                                                                                                                                      "e") "," SCHEMA_REQUIRED("int64", "ts_ms") ","
                                                                                                                                                                                                 "{\"type\":\"string\",\"optional\":true,\"name\":\"io.debezium.data.Enum\",\"version\":1,"
                                                                                                                                                                                                 "\"parameters\":"
                                                                                                                                                                                                 "{\"allowed\":\"true,first,first_in_data_collection,last_in_data_collection,last,false,"
                                                                                                                                                                                                 "incremental\"},"
                                                                                                                                                                                                 "\"default\":\"false\",\"field\":\"snapshot\"}," SCHEMA_REQUIRED("string", "db") "," SCHEMA_OPTIONAL("string", "sequence") "," SCHEMA_OPTIONAL("int64",
                                                                                                                                                                                                                                                                                                                                                "ts_us") "," SCHEMA_OPTIONAL("int64",
                                                                                                                                                                                                                                                                                                                                                                             "ts_ns") "," SCHEMA_OPTIONAL("string", "table") "," SCHEMA_REQUIRED("int64",
                                                                                                                                                                                                                                                                                                                                                                                                                                                 "server_id") "," SCHEMA_OPTIONAL("string", "gtid") "," SCHEMA_REQUIRED("string", "file") "," SCHEMA_REQUIRED("int64",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "pos") "," SCHEMA_REQUIRED("int32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         "row") "," SCHEMA_OPTIONAL("int64",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "thread") "," SCHEMA_OPTIONAL("string",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  "query")) "\"optional\":false,\"name\":\"io.debezium.connector.mysql.Source\",\"version\":1,\"field\":\"source\"}";

static const char behind_source_schema[] =
    "," SCHEMA_STRUCT(SCHEMA_REQUIRED("string", "id") "," SCHEMA_REQUIRED("int64", "total_order") "," SCHEMA_REQUIRED(
        "int64",
        "data_collection_order")) "\"optional\":true,\"name\":\"event.block\",\"version\":1,\"field\":\"transaction\"}"
                                  "," SCHEMA_REQUIRED("string", "op") "," SCHEMA_OPTIONAL(
                                      "int64", "ts_ms") "," SCHEMA_OPTIONAL("int64",
                                                                            "ts_us") "," SCHEMA_OPTIONAL("int64",
                                                                                                         "ts_ns");

void envelope_put_source_schema(struct buf *out)
{
    buf_put_text(out, source_schema);
}

/* One image: a struct of the row's fields. */
static void put_image_schema(struct buf *out, struct view fields, struct view name, const char *field)
{
    buf_put_literal(out, "{\"type\":\"struct\",\"fields\":[");
    buf_put_view(out, fields);
    put_text_member(out, "],\"optional\":true,\"name\":", name);
    put_text_member(out, ",\"field\":", view_of(field));
    buf_put_u8(out, '}');
}

void envelope_put_schema_name(struct buf *out, const struct record_settings *set, struct view topic, const char *suffix)
{
    struct buf plain;
    buf_init(&plain);
    buf_put_view(&plain, topic);
    buf_put_text(&plain, suffix);
    topic_put_schema_name(out, set->schema_name_adjust, buf_view(&plain));
    buf_fini(&plain);
}

void envelope_put_schema(struct buf *out, const struct record_settings *set, struct view topic, struct view fields)
{
    struct buf name;
    buf_init(&name);
    envelope_put_schema_name(&name, set, topic, ".Value");
    buf_put_literal(out, "{\"type\":\"struct\",\"fields\":[");
    put_image_schema(out, fields, buf_view(&name), "before");
    buf_put_u8(out, ',');
    put_image_schema(out, fields, buf_view(&name), "after");
    buf_put_u8(out, ',');
    envelope_put_source_schema(out);
    buf_put_text(out, behind_source_schema);
    buf_clear(&name);
    envelope_put_schema_name(&name, set, topic, ".Envelope");
    put_text_member(out, "],\"optional\":false,\"name\":", buf_view(&name));
    buf_put_literal(out, ",\"version\":2}");
    buf_fini(&name);
}
