/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft_timestamp: what a session with explicit_defaults_for_timestamp OFF makes of TIMESTAMP columns.
 *
 * A definition without NULL is NOT NULL. Without a default it has zero, but the table's first TIMESTAMP follows the clock.
 * The server asks the same of that first one at each ALTER that rewrites the table, whatever the ALTER is about, and also of
 * a column that another session made: one that is NOT NULL with neither a default nor a clock is updated by the clock from
 * then on. What counts there is what the column had before the statement: see counts_as_default.
 *
 * Source: the manual, "Automatic Initialization and Updating for TIMESTAMP and DATETIME"; ALTER from trials on a 9.7 server.
 */
#include "binlog/draft.h"

static void imply_default(struct column *c, bool is_first)
{
    if (c->is_generated || c->default_kind != DEFAULT_NONE)
        return;
    if (is_first && !c->has_on_update) {
        c->default_kind = DEFAULT_NOW;
        c->has_on_update = true;
        return;
    }
    c->default_kind = DEFAULT_LITERAL;
    c->default_text = view_of("0000-00-00 00:00:00");
    c->default_is_quoted = true;
}

/* Has the column a default, as the server counts? An expression counts from the statement after the one that sets it, until
 * the one after that which drops it; CURRENT_TIMESTAMP still counts when it was dropped. */
static bool counts_as_default(const struct draft_column *col)
{
    enum default_kind before = col->old->default_kind;
    if (col->is_default_set)
        return col->c.default_kind != DEFAULT_EXPRESSION || before == DEFAULT_EXPRESSION;
    if (before == DEFAULT_NONE)
        return col->old->had_now;
    return !col->is_default_dropped || before == DEFAULT_NOW || before == DEFAULT_EXPRESSION;
}

/* An old column that nothing in the statement defines. */
static void imply_clock(struct draft_column *col)
{
    struct column *c = &col->c;
    if (!c->is_nullable && !c->is_generated && !c->has_on_update && !counts_as_default(col))
        c->has_on_update = true;
}

void draft_imply_timestamps(struct draft *d)
{
    bool is_first = true;
    for (uint32_t i = 0; i < d->n_columns; i++) {
        struct draft_column *col = d->columns[i];
        if (col->c.kind != COLUMN_TIMESTAMP)
            continue;
        if (col->is_raw && !col->is_null_written) {
            col->c.is_nullable = false;
            imply_default(&col->c, is_first);
        } else if (!col->is_raw && is_first && d->is_rewritten) {
            imply_clock(col);
        }
        is_first = false;
    }
}
