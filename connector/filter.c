/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/filter.h"

#include "base/ascii.h"

#include <stdlib.h>

/* ---- lists ---- */

static void list_add(struct regex_list *list, struct regex *re)
{
    list->items = mem_resize(list->items, (list->n + 1) * sizeof(struct regex *));
    list->items[list->n++] = re;
}

/* Takes the next part, up to a comma that no backslash protects; `\,` becomes `,`. */
static bool take_part(struct cursor *c, struct buf *part, struct fail *why)
{
    buf_clear(part);
    while (cursor_left(c) > 0) {
        uint8_t b = cursor_u8(c);
        if (b == ',')
            break;
        if (b != '\\') {
            buf_put_u8(part, b);
            continue;
        }
        if (cursor_left(c) == 0)
            return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "the list ends in a single backslash");
        b = cursor_u8(c);
        if (b != ',')
            buf_put_u8(part, '\\');
        buf_put_u8(part, b);
    }
    return true;
}

struct regex_list *regex_list_new(struct view text, struct fail *why)
{
    struct regex_list *list = mem_zero(1, sizeof *list);
    struct cursor c = cursor_of(text);
    struct buf part;
    buf_init(&part);
    bool ok = true;
    while (ok && cursor_left(&c) > 0) {
        ok = take_part(&c, &part, why);
        struct view pattern = ascii_trim_as_java(buf_view(&part));
        if (!ok || pattern.n == 0)
            continue;
        struct regex *re = regex_new(pattern, why);
        ok = re != NULL;
        if (ok)
            list_add(list, re);
    }
    buf_fini(&part);
    if (!ok)
        regex_list_free(&list);
    return list;
}

void regex_list_free(struct regex_list **list)
{
    if (*list == NULL)
        return;
    for (size_t i = 0; i < (*list)->n; i++)
        regex_free(&(*list)->items[i]);
    free((*list)->items);
    free(*list);
    *list = NULL;
}

bool regex_list_matches(const struct regex_list *list, struct view subject)
{
    for (size_t i = 0; list != NULL && i < list->n; i++)
        if (regex_matches(list->items[i], subject))
            return true;
    return false;
}

/* ---- message.key.columns ---- */

struct key_rules {
    struct regex_list columns; /* each matches db.table.column; in the order listed */
};

/* In the reference a column behind a comma and a blank is none. */
static bool is_column(struct view column)
{
    return column.n > 0 && !ascii_is_blank(column.p[0]);
}

/* `table:column,column` gives one pattern for each column. */
static bool add_rule(struct key_rules *rules, struct view rule, struct fail *why)
{
    const uint8_t *colon = memchr(rule.p, ':', rule.n);
    struct view table = {rule.p, colon == NULL ? 0 : (size_t)(colon - rule.p)};
    struct view columns = {table.p + table.n + 1, colon == NULL ? 0 : rule.n - table.n - 1};
    struct buf pattern;
    bool ok = table.n > 0 && columns.n > 0 && memchr(columns.p, ':', columns.n) == NULL;
    buf_init(&pattern);
    while (ok && columns.n > 0) {
        const uint8_t *comma = memchr(columns.p, ',', columns.n);
        struct view column = {columns.p, comma == NULL ? columns.n : (size_t)(comma - columns.p)};
        size_t used = column.n + (comma != NULL);
        columns = (struct view){columns.p + used, columns.n - used};
        if (!is_column(column) || (comma != NULL && columns.n == 0)) {
            ok = false;
            break;
        }
        buf_clear(&pattern);
        buf_put_view(&pattern, table);
        buf_put_u8(&pattern, '.'); /* joined bare, as the reference does */
        buf_put_view(&pattern, column);
        struct regex *re = regex_new(ascii_trim_as_java(buf_view(&pattern)), why);
        if (re == NULL) {
            buf_fini(&pattern);
            return false;
        }
        list_add(&rules->columns, re);
    }
    buf_fini(&pattern);
    return ok || fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                          "expected db.table:column,column;… without blanks before a column, but found '%.*s'",
                          VIEW_ARGS(rule));
}

struct key_rules *key_rules_new(struct view text, struct fail *why)
{
    struct key_rules *rules = mem_zero(1, sizeof *rules);
    bool ok = ascii_trim_as_java(text).n > 0 || fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "must not be empty");
    while (ok && text.n > 0) {
        const uint8_t *end = memchr(text.p, ';', text.n);
        struct view rule = {text.p, end == NULL ? text.n : (size_t)(end - text.p)};
        size_t used = rule.n + (end != NULL);
        text = (struct view){text.p + used, text.n - used};
        ok = add_rule(rules, ascii_trim_as_java(rule), why);
    }
    if (!ok)
        key_rules_free(&rules);
    return rules;
}

void key_rules_free(struct key_rules **rules)
{
    if (*rules == NULL)
        return;
    for (size_t i = 0; i < (*rules)->columns.n; i++)
        regex_free(&(*rules)->columns.items[i]);
    free((*rules)->columns.items);
    free(*rules);
    *rules = NULL;
}

/* ---- answers ---- */

void filter_fini(struct filter *f)
{
    regex_list_free(&f->database_include);
    regex_list_free(&f->database_exclude);
    regex_list_free(&f->table_include);
    regex_list_free(&f->table_exclude);
    regex_list_free(&f->column_include);
    regex_list_free(&f->column_exclude);
    regex_list_free(&f->propagated_columns);
    regex_list_free(&f->propagated_types);
    regex_list_free(&f->snapshot_include);
    key_rules_free(&f->key_rules);
}

static void join(struct buf *name, struct view a, struct view b, struct view c)
{
    buf_init(name);
    buf_put_view(name, a);
    buf_put_u8(name, '.');
    buf_put_view(name, b);
    if (c.p != NULL) {
        buf_put_u8(name, '.');
        buf_put_view(name, c);
    }
}

/* The rule of database and table lists, where an empty list is none. */
static bool is_captured(const struct regex_list *include, const struct regex_list *exclude, struct view name)
{
    if (include != NULL && include->n > 0)
        return regex_list_matches(include, name);
    return !regex_list_matches(exclude, name);
}

static bool is_builtin(struct view db)
{
    static const char *const names[] = {"mysql", "information_schema", "performance_schema", "sys"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (view_equal_nocase(db, view_of(names[i])))
            return true;
    return false;
}

bool filter_has_database(const struct filter *f, struct view db)
{
    return !is_builtin(db) && is_captured(f->database_include, f->database_exclude, db);
}

bool filter_has_table(const struct filter *f, struct view db, struct view table)
{
    struct buf name;
    if (!filter_has_database(f, db))
        return false;
    join(&name, db, table, VIEW_NONE);
    bool has = is_captured(f->table_include, f->table_exclude, buf_view(&name));
    buf_fini(&name);
    return has;
}

bool filter_snapshots_table(const struct filter *f, struct view db, struct view table)
{
    struct buf name;
    join(&name, db, table, VIEW_NONE);
    bool does = is_captured(f->snapshot_include, NULL, buf_view(&name));
    buf_fini(&name);
    return does;
}

size_t filter_table_rank(const struct filter *f, struct view db, struct view table)
{
    const struct regex_list *list = f->table_include;
    struct buf name;
    size_t rank = 0;
    join(&name, db, table, VIEW_NONE);
    while (list != NULL && rank < list->n && !regex_matches(list->items[rank], buf_view(&name)))
        rank++;
    buf_fini(&name);
    return list != NULL && rank < list->n ? rank : SIZE_MAX;
}

bool filter_has_column(const struct filter *f, struct view db, struct view table, struct view column)
{
    struct buf name;
    if (f->column_include == NULL && f->column_exclude == NULL)
        return true;
    join(&name, db, table, column);
    bool has = f->column_include != NULL ? regex_list_matches(f->column_include, buf_view(&name))
                                         : !regex_list_matches(f->column_exclude, buf_view(&name));
    buf_fini(&name);
    return has;
}

bool filter_propagates_type(const struct filter *f, struct view db, struct view table, struct view column,
                            struct view type)
{
    struct buf by_name, by_type;
    if (f->propagated_columns == NULL && f->propagated_types == NULL)
        return false;
    join(&by_name, db, table, column);
    join(&by_type, db, table, type);
    bool does = regex_list_matches(f->propagated_columns, buf_view(&by_name)) ||
                regex_list_matches(f->propagated_types, buf_view(&by_type));
    buf_fini(&by_name);
    buf_fini(&by_type);
    return does;
}

/* Notes that column i belongs to the key, unless it does already. */
static void note_key_column(uint16_t i, uint16_t *columns, unsigned room, unsigned *n)
{
    for (unsigned k = 0; k < *n && k < room; k++)
        if (columns[k] == i)
            return;
    if (*n < room)
        columns[*n] = i;
    ++*n;
}

unsigned filter_key_columns(const struct filter *f, const struct shape *s, uint16_t *columns, unsigned room)
{
    unsigned n = 0;
    for (size_t rule = 0; f->key_rules != NULL && rule < f->key_rules->columns.n; rule++)
        for (uint32_t i = 0; i < s->n_columns; i++) {
            struct buf name;
            join(&name, s->db, s->table, s->columns[i].name);
            if (regex_matches(f->key_rules->columns.items[rule], buf_view(&name)))
                note_key_column((uint16_t)i, columns, room, &n);
            buf_fini(&name);
        }
    return n;
}
