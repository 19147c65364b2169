/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_table: DROP TABLE, RENAME TABLE, TRUNCATE TABLE, OPTIMIZE TABLE, CREATE INDEX, DROP INDEX.
 *
 * A statement on several tables leaves an effect for each, whose text is the statement for that one alone.
 * Source: the manual, the pages of these names.
 */
#include "binlog/ddl_clause.h"
#include "binlog/ddl_statement.h"

/* ---- lists of names */

struct table_name {
    struct view db;
    struct view table;
    struct view new_db; /* RENAME */
    struct view new_table;
    struct view text; /* RENAME: this pair as it was written */
    struct table_name *next;
};

static struct table_name *add_name(struct ddl_run *run, struct table_name **tail)
{
    struct table_name *name = arena_zero(run->p.memory, 1, sizeof *name);
    if (*tail != NULL)
        (*tail)->next = name;
    return *tail = name;
}

static bool read_targets(struct ddl_run *run, struct table_name **first)
{
    struct table_name *last = NULL;
    *first = NULL;
    do {
        struct table_name *name = add_name(run, &last);
        *first = *first == NULL ? name : *first;
        if (!ddl_target(run, &name->db, &name->table))
            return false;
    } while (ddl_accept_sign(&run->p, ','));
    return true;
}

/* ---- DROP TABLE */

static struct view drop_text(struct ddl_run *run, const struct table_name *name, bool is_conditional)
{
    struct buf text;
    buf_init(&text);
    buf_put_text(&text, is_conditional ? "DROP TABLE IF EXISTS " : "DROP TABLE ");
    sql_put_name(&text, name->db);
    buf_put_u8(&text, '.');
    sql_put_name(&text, name->table);
    struct view copy = arena_copy(run->p.memory, buf_view(&text));
    buf_fini(&text);
    return copy;
}

/* DROP TABLE has been taken. */
bool ddl_drop_table(struct ddl_run *run)
{
    struct table_name *first;
    bool is_conditional = ddl_accept_if_exists(&run->p);
    if (!read_targets(run, &first))
        return false;
    for (const struct table_name *name = first; name != NULL; name = name->next) {
        struct ddl_effect *effect = ddl_add_effect(run, DDL_DROP, name->db, name->table);
        effect->is_conditional = is_conditional;
        effect->text = drop_text(run, name, is_conditional);
        catalog_remove(run->p.cat, name->db, name->table);
    }
    return true;
}

/* ---- RENAME TABLE */

static struct view rename_text(struct ddl_run *run, struct view verb, struct view pair)
{
    struct buf text;
    buf_init(&text);
    buf_put_view(&text, verb);
    buf_put_u8(&text, ' ');
    buf_put_view(&text, pair);
    struct view copy = arena_copy(run->p.memory, buf_view(&text));
    buf_fini(&text);
    return copy;
}

static bool rename_pair(struct ddl_run *run, struct table_name *name)
{
    const uint8_t *start = run->p.now.text.p;
    if (!ddl_target(run, &name->db, &name->table))
        return false;
    if (!ddl_accept(&run->p, "TO") && !ddl_expect(&run->p, "AS"))
        return false;
    if (!ddl_table_name(&run->p, &name->new_db, &name->new_table))
        return false;
    name->text = ddl_text_since(&run->p, start);
    return true;
}

static void rename_one(struct ddl_run *run, const struct table_name *name, struct view verb)
{
    struct ddl_effect *effect = ddl_add_effect(run, DDL_RENAME, name->new_db, name->new_table);
    effect->old_db = name->db;
    effect->old_table = name->table;
    effect->text = rename_text(run, verb, name->text);
    ddl_move_shape(run, effect);
}

/* RENAME TABLE has been taken. */
bool ddl_rename_table(struct ddl_run *run)
{
    struct table_name *first = NULL;
    struct table_name *last = NULL;
    struct view verb = ddl_text_since(&run->p, run->start);
    do {
        struct table_name *name = add_name(run, &last);
        first = first == NULL ? name : first;
        if (!rename_pair(run, name))
            return false;
    } while (ddl_accept_sign(&run->p, ','));
    for (const struct table_name *name = first; name != NULL; name = name->next)
        rename_one(run, name, verb);
    return true;
}

/* ---- TRUNCATE TABLE */

bool ddl_truncate_table(struct ddl_run *run)
{
    struct view db;
    struct view table;
    if (!ddl_target(run, &db, &table))
        return false;
    struct ddl_effect *effect = ddl_add_effect(run, DDL_TRUNCATE, db, table);
    const struct shape *s = catalog_find(run->p.cat, db, table);
    effect->shape = s == NULL ? NULL : shape_hold(s);
    return true;
}

/* ---- drafts */

/* Makes the draft of the table a statement is about; false when its shape isn't followed. */
static bool open_draft(struct ddl_run *run, struct draft *d, struct view db, struct view table)
{
    const struct shape *s = catalog_find(run->p.cat, db, table);
    if (s == NULL)
        return false;
    draft_from_shape(d, &run->p, s);
    return true;
}

/* ---- OPTIMIZE TABLE */

/* The server writes the table anew, which changes it where a default is implied; nobody is told of one that stays. */
static bool optimize_one(struct ddl_run *run, const struct table_name *name)
{
    struct draft d;
    if (!open_draft(run, &d, name->db, name->table))
        return true;
    d.is_rewritten = true;
    struct shape *s = draft_finish(&d);
    if (s == NULL)
        return false;
    const struct shape *same = s;
    if (shape_equal(catalog_find(run->p.cat, name->db, name->table), s))
        shape_free(&same);
    else
        ddl_put_shape(run, ddl_add_effect(run, DDL_ALTER, name->db, name->table), s);
    return true;
}

/* OPTIMIZE TABLE has been taken. */
bool ddl_optimize_table(struct ddl_run *run)
{
    struct table_name *first;
    if (!read_targets(run, &first))
        return false;
    for (const struct table_name *name = first; name != NULL; name = name->next)
        if (!optimize_one(run, name))
            return false;
    return true;
}

/* ---- CREATE INDEX, DROP INDEX */

/* The effect on a table that isn't in the catalog. */
static bool index_of_unknown(struct ddl_run *run, struct view db, struct view table, bool is_plain)
{
    struct ddl_effect *effect = ddl_add_effect(run, DDL_ALTER, db, table);
    effect->is_unseen = is_plain;
    effect->needs_shape = effect->is_captured;
    return true;
}

static bool finish_index(struct ddl_run *run, struct draft *d, bool is_plain)
{
    d->is_rewritten = true;
    struct shape *s = draft_finish(d);
    if (s == NULL)
        return false;
    struct ddl_effect *effect =
        ddl_add_effect(run, DDL_ALTER, arena_copy(run->p.memory, d->db), arena_copy(run->p.memory, d->table));
    effect->is_unseen = is_plain;
    ddl_put_shape(run, effect, s);
    return true;
}

/* A unique index of columns, of a table whose records have no key. */
static bool may_give_a_key(struct ddl_run *run, const struct draft *d, const struct draft_key *key)
{
    if (!key->is_unique || catalog_find(run->p.cat, d->db, d->table)->n_key > 0)
        return false;
    for (uint32_t i = 0; i < key->n_parts; i++)
        if (key->parts[i].is_expression)
            return false;
    return true;
}

/* CREATE … INDEX has been taken: name [USING type] ON table (parts) */
bool ddl_create_index(struct ddl_run *run, bool is_unique)
{
    struct ddl_parser *p = &run->p;
    struct view name = VIEW_NONE;
    struct view db;
    struct view table;
    struct draft d;
    if (!ddl_name(p, &name))
        return false;
    while (!ddl_is(p, "ON") && !ddl_at_end(p)) /* USING type */
        ddl_next(p);
    if (!ddl_expect(p, "ON") || !ddl_target(run, &db, &table))
        return false;
    if (!open_draft(run, &d, db, table))
        return index_of_unknown(run, db, table, !is_unique);
    struct draft_key *key = draft_add_key(&d);
    key->name = name;
    key->is_unique = is_unique;
    return ddl_key_parts(&d, key) && finish_index(run, &d, !may_give_a_key(run, &d, key));
}

/* DROP INDEX has been taken: name ON table */
bool ddl_drop_index(struct ddl_run *run)
{
    struct view name;
    struct view db;
    struct view table;
    struct draft d;
    if (!ddl_name(&run->p, &name) || !ddl_expect(&run->p, "ON") || !ddl_target(run, &db, &table))
        return false;
    if (!open_draft(run, &d, db, table))
        return index_of_unknown(run, db, table, true);
    return draft_drop_key(&d, name) && finish_index(run, &d, true);
}
