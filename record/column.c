/* SPDX-License-Identifier: Apache-2.0 */
#include "record/column.h"

#include "base/log.h"
#include "base/utf8.h"
#include "record/field.h"
#include "record/json.h"
#include "record/literal.h"
#include "record/schema_text.h"
#include "record/table_change.h"
#include "record/topic.h"

#include <stdio.h>

static struct view keep(struct buf *text, struct arena *memory)
{
    struct view kept = arena_copy(memory, buf_view(text));
    buf_clear(text);
    return kept;
}

/* ---- the name ---- */

static void compile_name(struct step *s, const struct record_settings *set, const struct column *col, bool is_first,
                         struct arena *memory)
{
    struct buf text;
    buf_init(&text);
    topic_put_field_name(&text, set->field_name_adjust, col->name);
    s->field = keep(&text, memory);
    if (!is_first)
        buf_put_u8(&text, ',');
    json_put_string(&text, s->field);
    buf_put_u8(&text, ':');
    size_t n = buf_size(&text);
    buf_put(&text, (const uint8_t[STEP_PAD]){0}, STEP_PAD);
    s->name = keep(&text, memory);
    s->name.n = n;
    buf_fini(&text);
}

/* ---- ENUM and SET ---- */

/* The labels as JSON has them between its quotes. */
static void compile_labels(struct step *s, const struct column *col, struct arena *memory)
{
    struct view *labels = arena_zero(memory, col->n_members, sizeof *labels);
    struct buf text;
    buf_init(&text);
    for (uint32_t i = 0; i < col->n_members; i++) {
        json_put_string(&text, col->members[i]);
        struct view quoted = keep(&text, memory);
        labels[i] = (struct view){quoted.p + 1, quoted.n - 2};
    }
    buf_fini(&text);
    s->labels = labels;
    s->n_labels = col->n_members;
}

/* "allowed":"a,b": the labels joined by commas, commas in them with a backslash before. */
static void put_allowed(struct buf *out, const struct column *col)
{
    struct buf joined;
    buf_init(&joined);
    for (uint32_t i = 0; i < col->n_members; i++) {
        if (i > 0)
            buf_put_u8(&joined, ',');
        for (size_t at = 0; at < col->members[i].n; at++) {
            if (col->members[i].p[at] == ',')
                buf_put_u8(&joined, '\\');
            buf_put_u8(&joined, col->members[i].p[at]);
        }
    }
    buf_put_literal(out, "\"allowed\":");
    json_put_string(out, buf_view(&joined));
    buf_fini(&joined);
}

/* ---- the schema's parameters ---- */

static bool is_decimal_type(const struct step *s)
{
    return s->type->name != NULL && strcmp(s->type->name, "org.apache.kafka.connect.data.Decimal") == 0;
}

static void put_type_parameters(struct buf *out, const struct step *s, const struct column *col)
{
    if (is_decimal_type(s)) {
        unsigned precision = col->kind == COLUMN_BIGINT ? 20 : col->length;
        buf_printf(out, "\"scale\":\"%u\",\"connect.decimal.precision\":\"%u\"", s->scale, precision);
    } else if (col->kind == COLUMN_BIT && col->length > 1) {
        buf_printf(out, "\"length\":\"%u\"", col->length);
    } else if (col->kind == COLUMN_ENUM || col->kind == COLUMN_SET) {
        put_allowed(out, col);
    }
}

static void put_parameter(struct buf *out, const char *name, struct view value)
{
    if (buf_size(out) > 0)
        buf_put_u8(out, ',');
    buf_printf(out, "\"__debezium.source.column.%s\":", name);
    json_put_string(out, value);
}

static void put_number_parameter(struct buf *out, const char *name, uint32_t value)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%u", value);
    put_parameter(out, name, (struct view){(const uint8_t *)text, (size_t)n});
}

bool column_length(const struct column *col, uint32_t *length)
{
    switch (col->kind) {
    case COLUMN_TIME:
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP:
        *length = col->fsp;
        return col->fsp > 0;
    case COLUMN_ENUM: /* these two are counted as labels of one letter, joined by commas */
        *length = 1;
        return true;
    case COLUMN_SET:
        *length = col->n_members == 0 ? 0 : 2 * col->n_members - 1;
        return true;
    case COLUMN_CHAR: /* of NCHAR and NATIONAL CHAR it is told also where none was written */
        *length = col->length;
        return col->has_length || (col->type_text.n > 0 && col->type_text.p[0] == 'N');
    default:
        *length = col->length;
        return col->has_length;
    }
}

bool column_scale(const struct column *col, uint32_t *scale)
{
    *scale = col->scale;
    return col->has_scale;
}

void column_put_type(const struct column *col, struct buf *out)
{
    static const char zerofill[] = " ZEROFILL";
    struct view words = col->type_text;
    size_t n = sizeof zerofill - 1;
    bool lacks_unsigned = col->is_zerofill && words.n > n && memcmp(words.p + words.n - n, zerofill, n) == 0 &&
                          memmem(words.p, words.n, "UNSIGNED", 8) == NULL;
    buf_put(out, words.p, words.n - (lacks_unsigned ? n : 0));
    if (lacks_unsigned)
        buf_put_literal(out, " UNSIGNED ZEROFILL");
}

/* column.propagate.source.type: what the DDL said of the column. */
static void put_source_parameters(struct buf *out, const struct column *col, struct view comment)
{
    uint32_t length, scale;
    struct buf words;
    buf_init(&words);
    column_put_type(col, &words);
    put_parameter(out, "type", buf_view(&words));
    buf_fini(&words);
    if (column_length(col, &length))
        put_number_parameter(out, "length", length);
    if (column_scale(col, &scale))
        put_number_parameter(out, "scale", scale);
    if (comment.n > 0)
        put_parameter(out, "comment", comment);
    put_parameter(out, "name", col->name);
}

static void compile_schema(struct step *s, const struct record_settings *set, const struct shape *shape,
                           const struct column *col, bool is_key, struct arena *memory)
{
    struct buf text;
    buf_init(&text);
    if (set->schema_comments)
        table_change_put_sql(&text, col->comment);
    struct view comment = keep(&text, memory);
    put_type_parameters(&text, s, col);
    if (!is_key && set->propagates_type != NULL &&
        set->propagates_type(set->ctx, shape->db, shape->table, col->name, col->type_text))
        put_source_parameters(&text, col, comment);
    s->parameters = keep(&text, memory);
    buf_fini(&text);
    s->doc = view_of(s->type->doc);
    if (comment.n > 0)
        s->doc = comment;
    s->has_doc = s->doc.n > 0;
}

/* ---- what stands for NULL and for what is lost ---- */

static struct view write_cell(const struct step *s, step_write_fn *write, const struct cell *c, struct arena *memory)
{
    struct buf text;
    buf_init(&text);
    struct view json = write(s, c, &text) ? keep(&text, memory) : VIEW_NONE;
    buf_fini(&text);
    return json;
}

/* The unit behind \u. */
static uint32_t take_unit(struct cursor *c)
{
    uint32_t unit = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint8_t digit = cursor_u8(c);
        unit = unit << 4 | (uint32_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    return unit;
}

/* What stands behind a backslash, raw; only quote and backslash keep theirs. */
static void put_unescaped_one(struct buf *out, struct cursor *c)
{
    static const char letters[] = "btnfr", raw[] = "\b\t\n\f\r";
    uint8_t letter = cursor_u8(c);
    const char *known = strchr(letters, letter);
    if (letter == 'u') {
        uint32_t code = take_unit(c);
        if (code >= 0xd800 && code < 0xdc00 && cursor_left(c) >= 6) {
            cursor_take(c, 2);
            code = 0x10000 + ((code - 0xd800) << 10) + (take_unit(c) - 0xdc00);
        }
        utf8_put(out, code);
    } else if (known != NULL) {
        buf_put_u8(out, (uint8_t)raw[known - letters]);
    } else {
        buf_put_u8(out, '\\');
        buf_put_u8(out, letter);
    }
}

/* JSON as SimpleHeaderConverter has it: in strings only quote and backslash stay escaped. */
static void put_unescaped(struct buf *out, struct view json)
{
    struct cursor c = cursor_of(json);
    while (cursor_left(&c) > 0) {
        uint8_t byte = cursor_u8(&c);
        if (byte == '\\')
            put_unescaped_one(out, &c);
        else
            buf_put_u8(out, byte);
    }
}

static struct view unescaped(struct view json, struct arena *memory)
{
    struct buf text;
    buf_init(&text);
    put_unescaped(&text, json);
    struct view kept = keep(&text, memory);
    buf_fini(&text);
    return kept;
}

/* The default of the column as JSON and as header text, through the column's own writer. False: it can't be read. */
static bool compile_default(struct step *s, const struct column *col, struct arena *memory, struct view *header)
{
    struct cell cell;
    switch (literal_default(col, memory, &cell)) {
    case LITERAL_NONE:
        return true;
    case LITERAL_BAD:
        return false;
    case LITERAL_CELL:
        break;
    }
    struct step plain = *s; /* literals are UTF-8 */
    plain.charset = charset_find(view_of("utf8mb4"));
    s->default_json = write_cell(&plain, s->write, &cell, memory);
    if (s->type->write_header != NULL)
        *header = write_cell(&plain, s->type->write_header, &cell, memory);
    else
        *header = unescaped(s->default_json, memory);
    return s->default_json.n > 0;
}

static struct view or_else(struct view first, struct view second)
{
    return first.n > 0 ? first : second;
}

static bool compile_absence(struct step *s, const struct record_settings *set, const struct shape *shape,
                            const struct column *col, bool null_default, struct arena *memory, struct fail *why)
{
    struct view null = view_of("null"), header = VIEW_NONE;
    struct view lost = s->is_required ? view_of(s->type->fallback) : null;
    s->if_none = lost;
    const char *header_fallback = s->type->header_fallback;
    s->header_if_none = s->is_required && header_fallback != NULL ? view_of(header_fallback) : unescaped(lost, memory);
    if (!compile_default(s, col, memory, &header)) {
        if (set->converting_failure == FAILURE_FAIL)
            return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                            "%.*s.%.*s.%.*s: its default '%.*s' is no value of its type; hint: "
                            "event.converting.failure.handling.mode=warn leaves the default out of the schema",
                            VIEW_ARGS(shape->db), VIEW_ARGS(shape->table), VIEW_ARGS(col->name),
                            VIEW_ARGS(col->default_text));
        if (set->converting_failure == FAILURE_WARN)
            log_warn("column",
                     "default is no value of its type, the schema shows none table=%.*s.%.*s column=%.*s "
                     "default='%.*s'",
                     VIEW_ARGS(shape->db), VIEW_ARGS(shape->table), VIEW_ARGS(col->name), VIEW_ARGS(col->default_text));
        s->default_json = VIEW_NONE;
    }
    bool shows_default = s->default_json.n > 0 && (null_default || s->is_required);
    if (shows_default)
        s->if_none = s->default_json;
    s->if_null = s->is_required ? VIEW_NONE : s->if_none;
    s->header_if_none =
        or_else(header, s->header_if_none); /* Struct.get gives the default whatever the converter says */
    s->header_if_null = s->header_if_none;
    return true;
}

bool column_compile(struct step *s, const struct record_settings *set, const struct shape *shape, uint16_t column,
                    bool is_key, bool is_first, struct arena *memory, struct fail *why)
{
    const struct column *col = &shape->columns[column];
    const struct field_type *type = field_type_of(col, set);
    *s = (struct step){
        .write = type->write,
        .column = column,
        .fsp = col->fsp,
        .scale = (uint8_t)(col->kind == COLUMN_DECIMAL ? col->scale : 0),
        .n_bytes = (uint8_t)((col->length + 7) / 8),
        .adjusts_years = set->time_adjuster,
        .charset = col->charset != NULL ? col->charset : charset_find(view_of("utf8mb4")),
        .is_required = !col->is_nullable && strcmp(type->fallback, "null") != 0,
        .type = type,
    };
    compile_name(s, set, col, is_first, memory);
    compile_labels(s, col, memory);
    compile_schema(s, set, shape, col, is_key, memory);
    bool null_default = is_key ? set->key_null_default : set->value_null_default;
    return compile_absence(s, set, shape, col, null_default, memory, why);
}

void column_put_schema(const struct step *s, struct buf *out)
{
    schema_text_put(out, &(struct schema_text){
                             .type = s->type->type,
                             .inside = view_of(s->type->inside),
                             .is_optional = !s->is_required,
                             .name = view_of(s->type->name),
                             .version = s->type->name == NULL ? 0 : 1,
                             .has_doc = s->has_doc,
                             .doc = s->doc,
                             .parameters = s->parameters,
                             .default_json = s->default_json,
                             .field = s->field,
                         });
}

/* The name as JSON, with its comma and colon. */
static void put_header_name(const struct step *s, struct buf *out)
{
    put_unescaped(out, s->name);
}

void column_put_header(const struct step *s, const struct cell *c, struct buf *out)
{
    put_header_name(s, out);
    size_t at = buf_size(out);
    if (c->kind == CELL_NULL) {
        buf_put_view(out, s->header_if_null);
        return;
    }
    if (s->type->write_header != NULL) {
        if (s->type->write_header(s, c, out))
            return;
        out->p = out->start + at;
        buf_put_view(out, s->header_if_none);
        return;
    }
    struct buf json;
    buf_init(&json);
    if (s->write(s, c, &json))
        put_unescaped(out, buf_view(&json));
    else
        buf_put_view(out, s->header_if_none);
    buf_fini(&json);
}
