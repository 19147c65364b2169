/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_alter: ALTER TABLE, in all its forms.
 *
 * The actions of one statement happen at once: each names columns and keys as they were before it. So the reader notes
 * what comes, goes and changes on a draft, places new and moved columns when all is read (AFTER means a name as it will
 * be), and finishes the draft. A table whose shape isn't followed is looked through only for a new name and for an
 * exchange with a table that is.
 *
 * Source: the manual, ALTER TABLE and "ALTER TABLE Partition Operations"; the order of things from trials on a 9.7 server.
 */
#include "binlog/ddl_clause.h"
#include "binlog/ddl_statement.h"
#include "binlog/name.h"

struct alteration {
    struct ddl_run *run;
    struct ddl_parser *p;
    struct draft d;
    struct draft_column **placed; /* new ones and those with FIRST or AFTER, in order */
    uint32_t n_placed;
    uint32_t room_placed;
    bool has_hidden_key; /* as first column, before this statement */
    bool is_renamed;
    struct view new_db;
    struct view new_table;
    bool changes_data;
    bool is_exchange; /* with this table */
    struct view other_db;
    struct view other_table;
};

/* ---- columns */

static bool note_place(struct alteration *a, struct draft_column *col)
{
    if (a->n_placed + a->d.n_columns >= DRAFT_COLUMNS_MAX)
        return ddl_expected(a->p, "fewer columns");
    if (a->n_placed == a->room_placed) {
        a->room_placed = a->room_placed == 0 ? 16 : a->room_placed * 2;
        struct draft_column **larger = arena_alloc(a->p->memory, a->room_placed * sizeof(struct draft_column *));
        if (a->n_placed > 0)
            memcpy(larger, a->placed, a->n_placed * sizeof(struct draft_column *));
        a->placed = larger;
    }
    a->placed[a->n_placed++] = col;
    return true;
}

/* FIRST, AFTER name, or nothing */
static bool place(struct alteration *a, struct draft_column *col)
{
    if (ddl_accept(a->p, "FIRST")) {
        col->is_placed = col->is_first = true;
    } else if (ddl_accept(a->p, "AFTER")) {
        col->is_placed = true;
        if (!ddl_name(a->p, &col->after))
            return false;
    }
    bool is_new = col->old_name.n == 0;
    return (!is_new && !col->is_placed) || note_place(a, col);
}

static bool add_column(struct alteration *a)
{
    struct view name;
    if (!ddl_name(a->p, &name))
        return false;
    struct draft_column *col = draft_new_column(&a->d, name);
    return ddl_column_definition(&a->d, col) && place(a, col);
}

static bool add_list(struct alteration *a)
{
    if (!ddl_expect_sign(a->p, '('))
        return false;
    do {
        if (!(ddl_is_key(a->p) ? ddl_key(&a->d) : add_column(a)))
            return false;
    } while (ddl_accept_sign(a->p, ','));
    return ddl_expect_sign(a->p, ')');
}

static bool add(struct alteration *a)
{
    if (ddl_is(a->p, "PARTITION")) {
        ddl_skip_rest(a->p);
        return true;
    }
    bool is_column = ddl_accept(a->p, "COLUMN");
    if (ddl_is_sign(a->p, '('))
        return add_list(a);
    return !is_column && ddl_is_key(a->p) ? ddl_key(&a->d) : add_column(a);
}

static bool old_column(struct alteration *a, struct draft_column **col, struct view *name)
{
    if (!ddl_name(a->p, name))
        return false;
    *col = draft_find_old_column(&a->d, *name);
    return *col != NULL || fail_malformed(a->p->why, "read DDL: table `%.*s` has no column `%.*s`",
                                          VIEW_ARGS(a->d.table), VIEW_ARGS(*name));
}

/* The definition that replaces the column; it stays where it is until it is placed. */
static bool redefine(struct alteration *a, struct draft_column *col, struct view name)
{
    struct draft_column *now = draft_new_column(&a->d, name);
    now->old_name = col->old_name;
    now->old = col->old;
    if (!ddl_column_definition(&a->d, now))
        return false;
    *col = *now;
    return place(a, col);
}

static bool modify(struct alteration *a)
{
    struct draft_column *col;
    struct view name;
    ddl_accept(a->p, "COLUMN");
    return old_column(a, &col, &name) && redefine(a, col, name);
}

static bool change(struct alteration *a)
{
    struct draft_column *col;
    struct view name;
    ddl_accept(a->p, "COLUMN");
    return old_column(a, &col, &name) && ddl_name(a->p, &name) && redefine(a, col, name);
}

static bool drop_column(struct alteration *a)
{
    struct draft_column *col;
    struct view name;
    ddl_accept(a->p, "COLUMN");
    if (!old_column(a, &col, &name))
        return false;
    col->is_dropped = true;
    if (!ddl_accept(a->p, "RESTRICT"))
        ddl_accept(a->p, "CASCADE");
    return true;
}

/* SET DEFAULT x, DROP DEFAULT, SET VISIBLE, SET INVISIBLE */
static bool alter_column(struct alteration *a)
{
    struct draft_column *col;
    struct view name;
    ddl_accept(a->p, "COLUMN");
    if (!old_column(a, &col, &name))
        return false;
    if (ddl_accept_two(a->p, "SET", "DEFAULT")) {
        if (!ddl_default(&a->d, col))
            return false;
        draft_resolve_default(&a->d, col);
        col->is_default_set = true;
        col->c.had_now = false;
    } else if (ddl_accept_two(a->p, "DROP", "DEFAULT")) {
        col->c.had_now |= col->c.default_kind == DEFAULT_NOW;
        col->is_default_dropped = true;
        col->c.default_kind = DEFAULT_NONE;
        col->c.default_text = VIEW_NONE;
    } else if (ddl_accept_two(a->p, "SET", "VISIBLE")) {
        col->c.is_invisible = false;
    } else if (ddl_accept_two(a->p, "SET", "INVISIBLE")) {
        col->c.is_invisible = true;
    } else {
        return ddl_expected(a->p, "SET or DROP");
    }
    return true;
}

/* ---- keys */

static bool drop_named_key(struct alteration *a)
{
    struct view name;
    return ddl_name(a->p, &name) && draft_drop_key(&a->d, name);
}

/* A constraint may be a unique key; of others nothing is known here. */
static bool drop_constraint(struct alteration *a)
{
    struct view name;
    if (!ddl_name(a->p, &name))
        return false;
    struct draft_key *key = draft_find_old_key(&a->d, name);
    if (key != NULL && key->is_unique)
        key->is_dropped = true;
    return true;
}

static bool pass_name(struct alteration *a)
{
    struct view name;
    return ddl_name(a->p, &name);
}

static bool drop(struct alteration *a)
{
    struct ddl_parser *p = a->p;
    if (ddl_accept(p, "PRIMARY"))
        return ddl_expect(p, "KEY") && draft_drop_key(&a->d, view_of("PRIMARY"));
    if (ddl_accept(p, "INDEX") || ddl_accept(p, "KEY"))
        return drop_named_key(a);
    if (ddl_accept(p, "CONSTRAINT"))
        return drop_constraint(a);
    if (ddl_accept(p, "CHECK"))
        return pass_name(a);
    if (ddl_accept(p, "FOREIGN"))
        return ddl_expect(p, "KEY") && pass_name(a);
    if (ddl_is(p, "PARTITION")) {
        a->changes_data = true;
        ddl_skip_rest(p);
        return true;
    }
    return drop_column(a);
}

/* ALTER INDEX, ALTER CHECK, ALTER CONSTRAINT: their visibility and the like */
static bool alter(struct alteration *a)
{
    static const char *const others[] = {"INDEX", "CHECK", "CONSTRAINT", NULL};
    return ddl_is_any(a->p, others) ? ddl_skip_item(a->p) : alter_column(a);
}

static bool rename_key(struct alteration *a)
{
    struct view name;
    struct view new_name;
    if (!ddl_name(a->p, &name) || !ddl_expect(a->p, "TO") || !ddl_name(a->p, &new_name))
        return false;
    struct draft_key *key = draft_find_old_key(&a->d, name);
    if (key == NULL)
        return draft_drop_key(&a->d, name); /* says whether that matters */
    key->name = new_name;
    return true;
}

/* ---- the table */

static bool rename_column(struct alteration *a)
{
    struct draft_column *col;
    struct view name;
    struct view new_name;
    if (!old_column(a, &col, &name) || !ddl_expect(a->p, "TO") || !ddl_name(a->p, &new_name))
        return false;
    col->c.name = new_name;
    return true;
}

static bool rename_table(struct alteration *a)
{
    if (!ddl_accept(a->p, "TO") && !ddl_accept(a->p, "AS"))
        ddl_accept_sign(a->p, '=');
    a->is_renamed = true;
    return ddl_table_name(a->p, &a->new_db, &a->new_table);
}

static bool rename(struct alteration *a)
{
    bool is_column = ddl_accept(a->p, "COLUMN");
    bool is_key = !is_column && (ddl_accept(a->p, "INDEX") || ddl_accept(a->p, "KEY"));
    a->d.is_rewritten |= is_column || is_key;
    return is_column ? rename_column(a) : is_key ? rename_key(a) : rename_table(a);
}

/* CONVERT TO CHARACTER SET x [COLLATE y]: the table's default, and every text column. */
static bool convert(struct alteration *a)
{
    struct draft *d = &a->d;
    if (!ddl_expect(a->p, "TO"))
        return false;
    if (!ddl_is_charset_clause(a->p))
        return ddl_expected(a->p, "CHARACTER SET");
    d->is_collation_written = false;
    if (!ddl_table_option(d))
        return false;
    if (ddl_is(a->p, "COLLATE") && !ddl_table_option(d))
        return false;
    d->convert = d->charset;
    d->convert_collation = d->collation;
    return true;
}

static bool pass_rest(struct alteration *a)
{
    ddl_skip_rest(a->p);
    return true;
}

static bool pass_item(struct alteration *a)
{
    return ddl_skip_item(a->p);
}

static bool change_data(struct alteration *a)
{
    a->changes_data = true;
    return pass_rest(a);
}

/* PARTITION p WITH TABLE t */
static bool exchange(struct alteration *a)
{
    struct view name;
    if (!ddl_expect(a->p, "PARTITION") || !ddl_name(a->p, &name) || !ddl_expect(a->p, "WITH") ||
        !ddl_expect(a->p, "TABLE") || !ddl_table_name(a->p, &a->other_db, &a->other_table))
        return false;
    a->changes_data = a->is_exchange = true;
    return pass_item(a);
}

static bool remove_partitions(struct alteration *a)
{
    a->d.is_partitioned = false;
    return ddl_expect(a->p, "PARTITIONING");
}

struct action {
    const char *word;
    bool (*read)(struct alteration *a);
    bool leaves_columns; /* else the server defines all columns again */
};

static const struct action actions[] = {
    {"ADD", add, false},
    {"DROP", drop, false},
    {"MODIFY", modify, false},
    {"CHANGE", change, false},
    {"ALTER", alter, false},
    {"RENAME", rename, true}, /* of the table; rename says so of its parts */
    {"CONVERT", convert, false},
    {"ORDER", pass_rest, false},
    {"EXCHANGE", exchange, true},
    {"TRUNCATE", change_data, true},
    {"DISCARD", change_data, true},
    {"IMPORT", change_data, true},
    {"REMOVE", remove_partitions, false},
    {"COALESCE", pass_rest, false},
    {"REORGANIZE", pass_rest, false},
    {"REBUILD", pass_rest, false},
    {"ANALYZE", pass_rest, true},
    {"CHECK", pass_rest, true},
    {"OPTIMIZE", pass_rest, false},
    {"REPAIR", pass_rest, true},
    {"ALGORITHM", pass_item, true},
    {"LOCK", pass_item, true},
    {"FORCE", pass_item, false},
    {"ENABLE", pass_item, true},
    {"DISABLE", pass_item, true},
    {"WITH", pass_item, true},
    {"WITHOUT", pass_item, true},
    {"SECONDARY_LOAD", pass_item, true},
    {"SECONDARY_UNLOAD", pass_item, true},
    {"UPGRADE", pass_item, true},
};

static bool action(struct alteration *a)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (!ddl_accept(a->p, actions[i].word))
            continue;
        a->d.is_rewritten |= !actions[i].leaves_columns;
        return actions[i].read(a);
    }
    a->d.is_rewritten = true;
    return ddl_is(a->p, "PARTITION") ? ddl_partitions(&a->d) : ddl_table_option(&a->d);
}

/* ---- placing */

static void take_out(struct draft *d, const struct draft_column *col)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n_columns; i++)
        if (d->columns[i] != col)
            d->columns[n++] = d->columns[i];
    d->n_columns = n;
}

/* Is the first column the primary key that the server made where there was none? It stays first. */
static bool starts_with_hidden_key(const struct shape *s)
{
    const struct column *c = &s->columns[0];
    return name_equal(c->name, view_of("my_row_id")) && c->kind == COLUMN_BIGINT && c->is_unsigned &&
           c->is_auto_increment && c->is_invisible && s->key_is_primary && s->n_key == 1 && s->key[0] == 0;
}

static uint32_t first_place(const struct alteration *a)
{
    return a->has_hidden_key && !a->d.columns[0]->is_dropped ? 1 : 0;
}

/* Puts the last column before the one at `to`. */
static void move_last(struct draft *d, uint32_t to)
{
    struct draft_column *col = d->columns[d->n_columns - 1];
    memmove(&d->columns[to + 1], &d->columns[to], (d->n_columns - 1 - to) * sizeof *d->columns);
    d->columns[to] = col;
}

static bool place_column(struct alteration *a, struct draft_column *col)
{
    struct draft *d = &a->d;
    take_out(d, col);
    const struct draft_column *before = NULL;
    if (col->is_placed && !col->is_first) {
        before = draft_find_column(d, col->after);
        if (before == NULL)
            return fail_malformed(a->p->why, "read DDL: AFTER `%.*s`, which table `%.*s` doesn't have",
                                  VIEW_ARGS(col->after), VIEW_ARGS(d->table));
    }
    draft_add_column(d, col);
    if (col->is_first)
        move_last(d, first_place(a));
    for (uint32_t i = 0; before != NULL && i + 1 < d->n_columns; i++) {
        if (d->columns[i] == before) {
            move_last(d, i + 1);
            break;
        }
    }
    return true;
}

/* ---- effects */

static void add_data_changes(struct alteration *a, struct view db, struct view table)
{
    if (a->changes_data)
        ddl_add_effect(a->run, DDL_DATA_CHANGED, db, table);
    if (a->is_exchange)
        ddl_add_effect(a->run, DDL_DATA_CHANGED, a->other_db, a->other_table);
}

static bool alter_known(struct alteration *a, const struct shape *old)
{
    draft_from_shape(&a->d, a->p, old);
    a->has_hidden_key = starts_with_hidden_key(old);
    while (!ddl_at_end(a->p)) {
        if (!action(a))
            return false;
        ddl_accept_sign(a->p, ',');
    }
    for (uint32_t i = 0; i < a->n_placed; i++)
        if (!place_column(a, a->placed[i]))
            return false;
    struct view old_db = arena_copy(a->p->memory, old->db);
    struct view old_table = arena_copy(a->p->memory, old->table);
    if (a->is_renamed) {
        a->d.db = a->new_db;
        a->d.table = a->new_table;
    }
    struct shape *s = draft_finish(&a->d);
    if (s == NULL)
        return false;
    struct ddl_effect *effect =
        ddl_add_effect(a->run, DDL_ALTER, arena_copy(a->p->memory, s->db), arena_copy(a->p->memory, s->table));
    if (a->is_renamed) {
        effect->old_db = old_db;
        effect->old_table = old_table;
        effect->was_captured = ddl_is_captured(a->run, old_db, old_table);
        catalog_remove(a->p->cat, old_db, old_table);
    }
    ddl_put_shape(a->run, effect, s);
    add_data_changes(a, effect->db, effect->table);
    return true;
}

/* A new name, or an exchange, in a statement that is otherwise passed over. */
static bool look_through(struct alteration *a)
{
    static const char *const parts[] = {"COLUMN", "INDEX", "KEY", NULL};
    while (!ddl_at_end(a->p)) {
        bool is_read = true;
        if (ddl_accept(a->p, "RENAME"))
            is_read = ddl_is_any(a->p, parts) ? ddl_skip_item(a->p) : rename_table(a);
        else if (ddl_accept(a->p, "EXCHANGE"))
            is_read = exchange(a);
        if (!is_read || !ddl_skip_item(a->p))
            return false;
        if (!ddl_accept_sign(a->p, ',') && !ddl_at_end(a->p))
            return ddl_expected(a->p, "a comma");
    }
    return true;
}

static bool alter_unknown(struct alteration *a, struct view db, struct view table)
{
    if (!look_through(a))
        return false;
    struct ddl_effect *effect = ddl_add_effect(a->run, DDL_ALTER, db, table);
    if (a->is_renamed) {
        effect->db = a->new_db;
        effect->table = a->new_table;
        effect->is_captured = ddl_is_captured(a->run, a->new_db, a->new_table);
        effect->old_db = db;
        effect->old_table = table;
        ddl_move_shape(a->run, effect);
    }
    effect->needs_shape = effect->is_captured;
    add_data_changes(a, effect->db, effect->table);
    return true;
}

/* ALTER TABLE has been taken. */
bool ddl_alter_table(struct ddl_run *run)
{
    struct view db;
    struct view table;
    if (!ddl_target(run, &db, &table))
        return false;
    struct alteration a = {.run = run, .p = &run->p};
    const struct shape *old = catalog_find(run->p.cat, db, table);
    return old != NULL ? alter_known(&a, old) : alter_unknown(&a, db, table);
}
