/* SPDX-License-Identifier: Apache-2.0 */
#include "record/plan.h"

#include "record/column.h"
#include "record/envelope.h"
#include "record/key.h"
#include "record/schema_text.h"
#include "record/step.h"
#include "record/topic.h"

#include <stdlib.h>

/* ---- the fields ---- */

static bool is_field(const struct plan *plan, const struct column *col)
{
    const struct record_settings *set = plan->set;
    return set->has_column == NULL || set->has_column(set->ctx, plan->shape->db, plan->shape->table, col->name);
}

/* An adjusted name may be that of another column: such a struct has no form. */
static bool has_own_name(const struct plan *plan, const struct step *steps, unsigned n, struct fail *why)
{
    const struct shape *shape = plan->shape;
    if (plan->set->field_name_adjust == ADJUST_NONE)
        return true;
    for (unsigned i = 0; i < n; i++)
        if (view_equal(steps[i].field, steps[n].field))
            return fail_set(
                why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                "two columns of %.*s.%.*s have the field name %.*s by field.name.adjustment.mode; hint: another "
                "mode, or leave one of them out by column.exclude.list",
                VIEW_ARGS(shape->db), VIEW_ARGS(shape->table), VIEW_ARGS(steps[n].field));
    return true;
}

static bool compile_values(struct plan *plan, struct fail *why)
{
    const struct shape *shape = plan->shape;
    plan->values = arena_zero(&plan->memory, shape->n_columns, sizeof *plan->values);
    for (uint32_t i = 0; i < shape->n_columns; i++) {
        if (!is_field(plan, &shape->columns[i]))
            continue;
        if (!column_compile(&plan->values[plan->n_values], plan->set, shape, (uint16_t)i, false, plan->n_values == 0,
                            &plan->memory, why) ||
            !has_own_name(plan, plan->values, plan->n_values, why))
            return false;
        plan->n_values++;
    }
    return true;
}

static bool compile_keys(struct plan *plan, struct fail *why)
{
    unsigned n;
    const uint16_t *columns = key_choose(plan->set, plan->shape, &plan->memory, &n);
    plan->keys = arena_zero(&plan->memory, n, sizeof *plan->keys);
    for (unsigned i = 0; i < n; i++) {
        if (!column_compile(&plan->keys[i], plan->set, plan->shape, columns[i], true, i == 0, &plan->memory, why) ||
            !has_own_name(plan, plan->keys, i, why))
            return false;
        plan->n_keys++;
    }
    return true;
}

/* ---- the constant parts ---- */

static void put_fields_schema(struct buf *out, const struct step *steps, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            buf_put_u8(out, ',');
        column_put_schema(&steps[i], out);
    }
}

static void put_key_schema(struct buf *out, const struct plan *plan)
{
    struct buf fields, name;
    buf_init(&fields);
    buf_init(&name);
    buf_put_literal(&fields, "\"fields\":[");
    put_fields_schema(&fields, plan->keys, plan->n_keys);
    buf_put_u8(&fields, ']');
    envelope_put_schema_name(&name, plan->set, view_of(plan->topic), ".Key");
    schema_text_put(out, &(struct schema_text){.type = "struct", .inside = buf_view(&fields), .name = buf_view(&name)});
    buf_fini(&fields);
    buf_fini(&name);
}

static struct view keep(struct buf *text, struct arena *memory)
{
    struct view kept = arena_copy(memory, buf_view(text));
    buf_clear(text);
    return kept;
}

static void compile_key_ends(struct plan *plan, struct buf *text)
{
    if (plan->set->key_schemas) {
        buf_put_literal(text, "{\"schema\":");
        put_key_schema(text, plan);
        buf_put_literal(text, ",\"payload\":");
    }
    buf_put_u8(text, '{');
    plan->key_head = keep(text, &plan->memory);
    plan->key_tail = view_of(plan->set->key_schemas ? "}}" : "}");
}

static void compile_value_ends(struct plan *plan, struct buf *text)
{
    if (plan->set->value_schemas) {
        struct buf fields;
        buf_init(&fields);
        put_fields_schema(&fields, plan->values, plan->n_values);
        buf_put_literal(text, "{\"schema\":");
        envelope_put_schema(text, plan->set, view_of(plan->topic), buf_view(&fields));
        buf_put_literal(text, ",\"payload\":");
        buf_fini(&fields);
    }
    buf_put_literal(text, "{\"before\":");
    plan->value_head = keep(text, &plan->memory);
    plan->value_tail = view_of(plan->set->value_schemas ? "}}" : "}");
}

static void compile_ends(struct plan *plan)
{
    struct buf text;
    buf_init(&text);
    compile_key_ends(plan, &text);
    compile_value_ends(plan, &text);
    buf_fini(&text);
}

/* ---- the plan ---- */

struct plan *plan_new(const struct shape *shape, const struct record_settings *set, struct fail *why)
{
    struct plan *plan = mem_zero(1, sizeof *plan);
    plan->shape = shape_hold(shape);
    plan->set = set;
    plan->topic = topic_of_table(set, shape->db, shape->table);
    arena_init(&plan->memory);
    plan->failures = arena_zero(&plan->memory, shape->n_columns, sizeof *plan->failures);
    if (!compile_values(plan, why) || !compile_keys(plan, why)) {
        plan_free(&plan);
        return NULL;
    }
    compile_ends(plan);
    return plan;
}

void plan_free(struct plan **plan)
{
    if (*plan == NULL)
        return;
    shape_free(&(*plan)->shape);
    arena_fini(&(*plan)->memory);
    free(*plan);
    *plan = NULL;
}

const struct shape *plan_shape(const struct plan *plan)
{
    return plan->shape;
}

bool plan_uses(const struct plan *plan, uint32_t column)
{
    for (unsigned i = 0; i < plan->n_values; i++)
        if (plan->values[i].column == column)
            return true;
    for (unsigned i = 0; i < plan->n_keys; i++)
        if (plan->keys[i].column == column)
            return true;
    for (uint32_t i = 0; i < plan->shape->n_key; i++)
        if (plan->shape->key[i] == column)
            return true;
    return false;
}

const char *plan_topic(const struct plan *plan)
{
    return plan->topic;
}
