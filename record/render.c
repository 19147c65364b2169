/* SPDX-License-Identifier: Apache-2.0 */
#include "record/render.h"

#include "base/digits.h"
#include "binlog/change.h"
#include "record/column.h"
#include "record/json.h"
#include "record/key.h"
#include "record/loss.h"
#include "record/step.h"

/* ---- what the rows of an event share ---- */

void render_event_init(struct render_event *ev)
{
    *ev = (struct render_event){0};
    buf_init(&ev->text);
}

void render_event_fini(struct render_event *ev)
{
    buf_fini(&ev->text);
}

void render_event_begin(struct render_event *ev, const struct plan *plan, const struct row_source *src)
{
    struct buf *text = &ev->text;
    buf_clear(text);
    buf_put_literal(text, ",\"source\":");
    envelope_put_source_head(text, plan->set, src, plan->shape->db, plan->shape->table);
    ev->to_row = (uint32_t)buf_size(text);
    envelope_put_source_tail(text, src);
    ev->has_transaction = src->transaction_id.n > 0;
    ev->total_order = src->total_order;
    ev->collection_order = src->collection_order;
    if (ev->has_transaction) {
        buf_put_literal(text, ",\"transaction\":{\"id\":");
        json_put_string(text, src->transaction_id);
        buf_put_literal(text, ",\"total_order\":");
    } else {
        buf_put_literal(text, ",\"transaction\":null,\"op\":\"");
    }
    ev->to_op = (uint32_t)buf_size(text);
    buf_put_literal(text, "\",");
    envelope_put_clock(text, src->now_ns);
    buf_put_view(text, plan->value_tail);
    ev->to_end = (uint32_t)buf_size(text);
}

/* Everything from behind the images on. */
static void put_tail(struct render_event *ev, char op, uint32_t row, struct buf *out)
{
    const uint8_t *text = ev->text.start;
    buf_need(out, ev->to_end + 4 * DIGITS_MAX + 64);
    buf_put(out, text, ev->to_row);
    digits_put_u64(out, row);
    buf_put(out, text + ev->to_row, ev->to_op - ev->to_row);
    if (ev->has_transaction) {
        digits_put_u64(out, ev->total_order++);
        buf_put_literal(out, ",\"data_collection_order\":");
        digits_put_u64(out, ev->collection_order++);
        buf_put_literal(out, "},\"op\":\"");
    }
    buf_put_u8(out, (uint8_t)op);
    buf_put(out, text + ev->to_op, ev->to_end - ev->to_op);
}

/* ---- fields ---- */

/* The cell as JSON, or what stands for it. */
static bool put_unusual(const struct plan *plan, const struct step *s, const struct cell *c, struct buf *out,
                        struct fail *why)
{
    if (c->kind == CELL_NULL && s->if_null.n > 0) {
        buf_put_view(out, s->if_null);
        return true;
    }
    if (!loss_accept(plan, s, c, why))
        return false;
    buf_put_view(out, s->if_none);
    return true;
}

/* Names are short: whole pieces are copied, past their end too. */
static inline void put_name(struct buf *out, struct view name)
{
    buf_need(out, name.n + STEP_PAD);
    for (size_t i = 0; i < name.n; i += STEP_PAD)
        memcpy(out->p + i, name.p + i, STEP_PAD);
    out->p += name.n;
}

static bool put_fields(const struct plan *plan, const struct step *steps, unsigned n, const struct cell *cells,
                       struct buf *out, struct fail *why)
{
    for (unsigned i = 0; i < n; i++) {
        const struct step *s = &steps[i];
        const struct cell *c = &cells[s->column];
        put_name(out, s->name);
        size_t at = buf_size(out);
        if (c->kind > CELL_NULL && s->write(s, c, out))
            continue;
        out->p = out->start + at;
        if (!put_unusual(plan, s, c, out, why))
            return false;
    }
    return true;
}

static bool put_image(const struct plan *plan, const struct cell *cells, struct buf *out, struct fail *why)
{
    if (cells == NULL) {
        buf_put_literal(out, "null");
        return true;
    }
    buf_put_u8(out, '{');
    if (!put_fields(plan, plan->values, plan->n_values, cells, out, why))
        return false;
    buf_put_u8(out, '}');
    return true;
}

/* ---- keys, values, headers: each notes where it stands ---- */

/* Appends to one buffer; places are counted from where it stood at the row's start. */
struct writer {
    const struct plan *plan;
    struct render_event *ev;
    struct buf *out;
    size_t start;
    uint32_t row;
};

static uint32_t place(const struct writer *w)
{
    return (uint32_t)(buf_size(w->out) - w->start);
}

struct range {
    uint32_t at, bytes;
};

static bool put_key(struct writer *w, const struct cell *cells, struct range *key, struct fail *why)
{
    const struct plan *plan = w->plan;
    *key = (struct range){place(w), 0};
    if (plan->n_keys == 0)
        return true;
    buf_put_view(w->out, plan->key_head);
    if (!put_fields(plan, plan->keys, plan->n_keys, cells, w->out, why))
        return false;
    buf_put_view(w->out, plan->key_tail);
    key->bytes = place(w) - key->at;
    return true;
}

static bool range_equal(const struct writer *w, const struct range *a, const struct range *b)
{
    const uint8_t *bytes = w->out->start + w->start;
    return a->bytes == b->bytes && memcmp(bytes + a->at, bytes + b->at, a->bytes) == 0;
}

/* The value up to its source block. */
static bool put_images(struct writer *w, const struct cell *before, const struct cell *after, bool *is_same,
                       struct fail *why)
{
    buf_put_view(w->out, w->plan->value_head);
    struct range old = {place(w), 0};
    if (!put_image(w->plan, before, w->out, why))
        return false;
    old.bytes = place(w) - old.at;
    buf_put_literal(w->out, ",\"after\":");
    struct range new = {place(w), 0};
    if (!put_image(w->plan, after, w->out, why))
        return false;
    new.bytes = place(w) - new.at;
    if (is_same != NULL)
        *is_same = range_equal(w, &old, &new);
    return true;
}

/* is_same, when asked for: before and after came out alike. */
static bool put_value(struct writer *w, char op, const struct cell *before, const struct cell *after,
                      struct range *value, bool *is_same, struct fail *why)
{
    value->at = place(w);
    if (!put_images(w, before, after, is_same, why))
        return false;
    put_tail(w->ev, op, w->row, w->out);
    value->bytes = place(w) - value->at;
    return true;
}

/* The other key of a key change, as the text of a header. */
static void put_header(struct writer *w, const struct cell *cells, struct range *header)
{
    header->at = place(w);
    buf_put_u8(w->out, '{');
    for (unsigned i = 0; i < w->plan->n_keys; i++) {
        const struct step *s = &w->plan->keys[i];
        column_put_header(s, &cells[s->column], w->out);
    }
    buf_put_u8(w->out, '}');
    header->bytes = place(w) - header->at;
}

static void put_exact_keys(struct writer *w, const struct cell *before, const struct cell *after,
                           struct rendered_row *res)
{
    const struct shape *shape = w->plan->shape;
    res->before_key_at = place(w);
    if (before != NULL)
        key_put_exact(shape->key, shape->n_key, before, w->out);
    res->before_key_bytes = place(w) - res->before_key_at;
    res->after_key_at = place(w);
    if (after != NULL)
        key_put_exact(shape->key, shape->n_key, after, w->out);
    res->after_key_bytes = place(w) - res->after_key_at;
}

/* ---- records ---- */

static struct rendered *add_record(struct writer *w, struct rendered_row *res, const struct range *key)
{
    struct rendered *rec = &res->records[res->n++];
    *rec = (struct rendered){.has_key = w->plan->n_keys > 0, .key_at = key->at, .key_bytes = key->bytes};
    return rec;
}

static void set_value(struct rendered *rec, const struct range *value)
{
    rec->has_value = true;
    rec->value_at = value->at;
    rec->value_bytes = value->bytes;
}

static void set_header(struct rendered *rec, enum change_header kind, const struct range *header)
{
    rec->header = (uint8_t)kind;
    rec->header_at = header->at;
    rec->header_bytes = header->bytes;
}

static bool render_one(struct writer *w, char op, const struct cell *before, const struct cell *after,
                       struct rendered_row *res, struct fail *why)
{
    struct range key, value;
    if (!put_key(w, after != NULL ? after : before, &key, why) || !put_value(w, op, before, after, &value, NULL, why))
        return false;
    set_value(add_record(w, res, &key), &value);
    if (op == 'd' && w->plan->set->tombstones)
        add_record(w, res, &key);
    return true;
}

/* A row that gets another key ends under its old one and starts under the new one. */
static bool render_key_change(struct writer *w, const struct cell *before, const struct cell *after,
                              const struct range *old_key, const struct range *new_key, struct rendered_row *res,
                              struct fail *why)
{
    struct range value, header;
    put_header(w, after, &header);
    if (!put_value(w, 'd', before, NULL, &value, NULL, why))
        return false;
    struct rendered *rec = add_record(w, res, old_key);
    set_value(rec, &value);
    set_header(rec, CHANGE_HEADER_NEWKEY, &header);
    if (w->plan->set->tombstones)
        set_header(add_record(w, res, old_key), CHANGE_HEADER_NEWKEY, &header);
    put_header(w, before, &header);
    if (!put_value(w, 'c', NULL, after, &value, NULL, why))
        return false;
    rec = add_record(w, res, new_key);
    set_value(rec, &value);
    set_header(rec, CHANGE_HEADER_OLDKEY, &header);
    return true;
}

static bool render_update(struct writer *w, const struct cell *before, const struct cell *after,
                          struct rendered_row *res, struct fail *why)
{
    struct range old_key, new_key, value;
    if (!put_key(w, before, &old_key, why) || !put_key(w, after, &new_key, why))
        return false;
    if (!range_equal(w, &old_key, &new_key))
        return render_key_change(w, before, after, &old_key, &new_key, res, why);
    w->out->p -= new_key.bytes;
    bool is_same = false;
    uint64_t total_order = w->ev->total_order, collection_order = w->ev->collection_order;
    if (!put_value(w, 'u', before, after, &value, &is_same, why))
        return false;
    if (is_same && w->plan->set->skip_unchanged) {
        w->out->p = w->out->start + w->start;
        w->ev->total_order = total_order;
        w->ev->collection_order = collection_order;
        return true;
    }
    set_value(add_record(w, res, &old_key), &value);
    return true;
}

bool render_row(const struct plan *plan, struct render_event *ev, enum row_op op, uint32_t row,
                const struct cell *before, const struct cell *after, struct buf *out, struct rendered_row *res,
                struct fail *why)
{
    static const unsigned skip_bits[] = {
        [ROW_CREATE] = SKIP_C, [ROW_UPDATE] = SKIP_U, [ROW_DELETE] = SKIP_D, [ROW_READ] = 0};
    struct writer w = {plan, ev, out, buf_size(out), row};
    res->n = 0;
    bool is_good = true;
    if ((plan->set->skipped_ops & skip_bits[op]) == 0) {
        switch (op) {
        case ROW_CREATE:
            is_good = render_one(&w, 'c', NULL, after, res, why);
            break;
        case ROW_READ:
            is_good = render_one(&w, 'r', NULL, after, res, why);
            break;
        case ROW_DELETE:
            is_good = render_one(&w, 'd', before, NULL, res, why);
            break;
        case ROW_UPDATE:
            is_good = render_update(&w, before, after, res, why);
            break;
        }
    }
    put_exact_keys(&w, before, after, res);
    return is_good;
}

bool render_read(const struct plan *plan, const struct cell *cells, struct buf *out, struct rendered_read *res,
                 struct fail *why)
{
    struct writer w = {plan, NULL, out, buf_size(out), 0};
    struct range key;
    if (!put_key(&w, cells, &key, why))
        return false;
    *res = (struct rendered_read){.has_key = plan->n_keys > 0, .key_at = key.at, .key_bytes = key.bytes};
    res->value_at = place(&w);
    if (!put_images(&w, NULL, cells, NULL, why))
        return false;
    res->value_bytes = place(&w) - res->value_at;
    res->exact_at = place(&w);
    key_put_exact(plan->shape->key, plan->shape->n_key, cells, out);
    res->exact_bytes = place(&w) - res->exact_at;
    return true;
}

void render_read_tail(struct render_event *ev, struct buf *out)
{
    put_tail(ev, 'r', 0, out);
}

void render_truncate(const struct plan *plan, const struct row_source *src, struct buf *out, struct rendered_row *res)
{
    *res = (struct rendered_row){0};
    if ((plan->set->skipped_ops & SKIP_T) != 0)
        return;
    struct row_source alone = *src;
    alone.transaction_id = VIEW_NONE;
    struct render_event ev;
    render_event_init(&ev);
    render_event_begin(&ev, plan, &alone);
    struct writer w = {plan, &ev, out, buf_size(out), 0};
    struct range value;
    if (put_value(&w, 't', NULL, NULL, &value, NULL, NULL)) /* without images nothing can fail */
        set_value(&res->records[res->n++], &value);
    render_event_fini(&ev);
}
