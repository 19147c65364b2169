/* SPDX-License-Identifier: Apache-2.0 */
#include "record/schema_text.h"

#include "record/json.h"

static void put_member(struct buf *out, const char *member, struct view plain)
{
    buf_put_text(out, member);
    json_put_string(out, plain);
}

void schema_text_put(struct buf *out, const struct schema_text *schema)
{
    buf_put_literal(out, "{\"type\":\"");
    buf_put_text(out, schema->type);
    buf_put_u8(out, '"');
    if (schema->inside.n > 0) {
        buf_put_u8(out, ',');
        buf_put_view(out, schema->inside);
    }
    buf_put_text(out, schema->is_optional ? ",\"optional\":true" : ",\"optional\":false");
    if (schema->name.n > 0)
        put_member(out, ",\"name\":", schema->name);
    if (schema->version > 0)
        buf_printf(out, ",\"version\":%u", schema->version);
    if (schema->has_doc)
        put_member(out, ",\"doc\":", schema->doc);
    if (schema->parameters.n > 0) {
        buf_put_literal(out, ",\"parameters\":{");
        buf_put_view(out, schema->parameters);
        buf_put_u8(out, '}');
    }
    if (schema->default_json.n > 0) {
        buf_put_literal(out, ",\"default\":");
        buf_put_view(out, schema->default_json);
    }
    if (schema->field.n > 0)
        put_member(out, ",\"field\":", schema->field);
    buf_put_u8(out, '}');
}
