/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/chunk.h"

#include "binlog/sql_token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the path ---- */

static bool refuse(const struct shape *shape, const char *reason, struct view what, struct fail *why)
{
    return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, 0, "%.*s.%.*s can't be read in key order: %s %.*s",
                    VIEW_ARGS(shape->db), VIEW_ARGS(shape->table), reason, VIEW_ARGS(what));
}

static bool check_column(const struct shape *shape, const struct column *col, struct fail *why)
{
    switch (col->kind) {
    case COLUMN_SET:
        return refuse(shape, "the server compares SET values otherwise than it orders them, column", col->name, why);
    case COLUMN_TEXT:
    case COLUMN_BLOB:
        return refuse(shape, "only a prefix can be indexed, column", col->name, why);
    case COLUMN_JSON:
    case COLUMN_GEOMETRY:
    case COLUMN_VECTOR:
        return refuse(shape, "values of this type have no order, column", col->name, why);
    default:
        break;
    }
    if (view_is(col->collation, "gb18030_chinese_ci"))
        return refuse(shape, "the server's order and comparison of this collation disagree:", col->collation, why);
    return true;
}

static bool add_part(struct chunk_path *path, uint16_t column, bool is_descending, struct fail *why)
{
    const struct column *col = &path->shape->columns[column];
    for (unsigned i = 0; i < path->n; i++)
        if (path->parts[i].column == column)
            return true;
    if (path->n == CHUNK_PARTS_MAX)
        return refuse(path->shape, "the key has too many parts, at", col->name, why);
    if (!check_column(path->shape, col, why))
        return false;
    path->parts[path->n++] = (struct chunk_part){column, is_descending, col->is_nullable};
    return true;
}

static bool add_index(struct chunk_path *path, const struct table_index *index, unsigned most, struct fail *why)
{
    for (uint32_t i = 0; i < index->n_parts && i < most; i++) {
        const struct index_part *part = &index->parts[i];
        if (part->is_expression)
            return refuse(path->shape, "it has an expression in index", index->name, why);
        if (part->prefix > 0)
            return refuse(path->shape, "it has only a prefix in index", index->name, why);
        if (!add_part(path, part->column, part->is_descending, why))
            return false;
    }
    return true;
}

/* The index that the shape's key came from. */
static const struct table_index *key_index(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->n_indexes; i++) {
        const struct table_index *index = &shape->indexes[i];
        bool is_key = (index->is_primary || index->is_unique) && index->n_parts == shape->n_key;
        for (uint32_t k = 0; is_key && k < index->n_parts; k++)
            is_key = !index->parts[k].is_expression && index->parts[k].column == shape->key[k];
        if (is_key)
            return index;
    }
    return NULL;
}

static bool choose_surrogate(struct chunk_path *path, const struct table_index *key, const char *surrogate,
                             struct fail *why)
{
    const struct shape *shape = path->shape;
    int column = shape_column(shape, view_of(surrogate));
    if (column < 0)
        return refuse(shape, "there is no surrogate column", view_of(surrogate), why);
    for (uint32_t i = 0; i < shape->n_indexes; i++) {
        const struct table_index *index = &shape->indexes[i];
        if (index->n_parts == 0 || index->parts[0].is_expression || index->parts[0].column != column)
            continue;
        /* A secondary index carries the primary key behind its own columns: only then is the order that of the index. */
        if (index->n_parts > 1 && index != key)
            continue;
        path->index = index->name;
        return add_index(path, index, index->n_parts, why) && add_index(path, key, key->n_parts, why);
    }
    return refuse(shape, "it would be sorted for each chunk: no index has only the surrogate column",
                  view_of(surrogate), why);
}

bool chunk_choose_path(struct chunk_path *path, const struct shape *shape, const char *surrogate, struct fail *why)
{
    const struct table_index *key = key_index(shape);
    *path = (struct chunk_path){.shape = shape};
    if (key == NULL)
        return refuse(shape, "it has no primary key, nor a unique key of NOT NULL columns", VIEW_NONE, why);
    if (surrogate != NULL)
        return choose_surrogate(path, key, surrogate, why);
    path->index = key->name;
    return add_index(path, key, key->n_parts, why);
}

/* FNV-1a; each piece ends with a zero byte, so that pieces can't flow into each other. */
static void digest(uint64_t *h, struct view piece)
{
    for (size_t i = 0; i <= piece.n; i++)
        *h = (*h ^ (i < piece.n ? piece.p[i] : 0)) * 0x100000001b3u;
}

void chunk_path_digest(const struct chunk_path *path, char out[17])
{
    uint64_t h = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < path->n; i++) {
        const struct column *col = &path->shape->columns[path->parts[i].column];
        const uint8_t facts[] = {(uint8_t)col->kind, col->is_unsigned, path->parts[i].is_descending, col->is_nullable};
        digest(&h, col->name);
        digest(&h, (struct view){facts, sizeof facts});
        digest(&h, view_of(col->charset == NULL ? "" : col->charset->name));
        digest(&h, col->collation);
        for (uint32_t k = 0; k < col->n_members; k++)
            digest(&h, col->members[k]);
    }
    snprintf(out, 17, "%016llx", (unsigned long long)h);
}

/* ---- pieces of SQL ---- */

void chunk_statement_init(struct chunk_statement *st)
{
    *st = (struct chunk_statement){.params = NULL};
    buf_init(&st->sql);
}

void chunk_statement_fini(struct chunk_statement *st)
{
    buf_fini(&st->sql);
    free(st->params);
    st->params = NULL;
}

static void put_param(struct chunk_statement *st, const struct column *col, struct view value)
{
    if (st->n_params == st->room) {
        st->room = st->room == 0 ? 32 : st->room * 2;
        st->params = mem_resize(st->params, st->room * sizeof *st->params);
    }
    st->params[st->n_params++] = (struct chunk_param){col, value};
    bool is_text = (col->kind == COLUMN_CHAR || col->kind == COLUMN_VARCHAR) && col->charset != NULL;
    if (!is_text) {
        buf_put_u8(&st->sql, '?');
        return;
    }
    /* Raw bytes in the column's own charset and collation: else the server converts, and finds other rows or none. */
    const char *collation = col->charset->default_collation;
    buf_printf(&st->sql, "(CONVERT(CAST(? AS BINARY) USING %s) COLLATE %.*s)", col->charset->name,
               col->collation.n > 0 ? (int)col->collation.n : (int)strlen(collation),
               col->collation.n > 0 ? (const char *)col->collation.p : collation);
}

static uint64_t number_of(struct view digits)
{
    uint64_t v = 0;
    for (size_t i = 0; i < digits.n && digits.p[i] >= '0' && digits.p[i] <= '9'; i++)
        v = v * 10 + (uint64_t)(digits.p[i] - '0');
    return v;
}

/* ENUM numbers from `low` to `high` as a list of equalities, which the server scans in order. */
static void put_enum_list(struct chunk_statement *st, const struct column *col, uint64_t low, uint64_t high)
{
    bool is_first = true;
    for (uint64_t v = low; v <= high && v <= col->n_members; v++) {
        buf_put_text(&st->sql, is_first ? "(" : " OR ");
        sql_put_name(&st->sql, col->name);
        buf_printf(&st->sql, " = %llu", (unsigned long long)v);
        is_first = false;
    }
    buf_put_text(&st->sql, is_first ? "FALSE" : ")");
}

/* A part's place relative to a value, in the direction of the index: behind it or before it. NULLs come first where the
 * part ascends, last where it descends. */
static void put_side(struct chunk_statement *st, const struct chunk_path *path, unsigned i,
                     const struct chunk_key_value *value, bool is_behind)
{
    const struct chunk_part *part = &path->parts[i];
    const struct column *col = &path->shape->columns[part->column];
    bool is_greater = is_behind != part->is_descending;
    if (value->is_null) {
        if (!is_greater) {
            buf_put_literal(&st->sql, "FALSE");
            return;
        }
        sql_put_name(&st->sql, col->name);
        buf_put_literal(&st->sql, " IS NOT NULL");
        return;
    }
    bool takes_nulls = part->is_nullable && !is_greater;
    if (takes_nulls)
        buf_put_u8(&st->sql, '(');
    if (col->kind == COLUMN_ENUM) {
        uint64_t v = number_of(value->bytes);
        if (is_greater)
            put_enum_list(st, col, v + 1, col->n_members);
        else if (v == 0)
            buf_put_literal(&st->sql, "FALSE");
        else
            put_enum_list(st, col, 0, v - 1);
    } else {
        sql_put_name(&st->sql, col->name);
        buf_put_text(&st->sql, is_greater ? " > " : " < ");
        put_param(st, col, value->bytes);
    }
    if (takes_nulls) {
        buf_put_literal(&st->sql, " OR ");
        sql_put_name(&st->sql, col->name);
        buf_put_literal(&st->sql, " IS NULL)");
    }
}

static void put_equal(struct chunk_statement *st, const struct chunk_path *path, unsigned i,
                      const struct chunk_key_value *value)
{
    const struct column *col = &path->shape->columns[path->parts[i].column];
    sql_put_name(&st->sql, col->name);
    if (value->is_null) {
        buf_put_literal(&st->sql, " IS NULL");
    } else if (col->kind == COLUMN_ENUM) {
        buf_printf(&st->sql, " = %.*s", VIEW_ARGS(value->bytes));
    } else {
        buf_put_literal(&st->sql, " = ");
        put_param(st, col, value->bytes);
    }
}

/* (side(first) OR (equal(first) AND side(first + 1)) OR …), with the value itself when it is to be in. */
static void put_bound(struct chunk_statement *st, const struct chunk_path *path, unsigned first,
                      const struct chunk_key_value *values, bool is_behind, bool is_inclusive)
{
    unsigned branches = path->n + (is_inclusive ? 1 : 0);
    buf_put_u8(&st->sql, '(');
    for (unsigned i = first; i < branches; i++) {
        if (i > first)
            buf_put_literal(&st->sql, " OR (");
        for (unsigned k = first; k < i; k++) {
            if (k > first)
                buf_put_literal(&st->sql, " AND ");
            put_equal(st, path, k, &values[k]);
        }
        if (i < path->n) {
            if (i > first)
                buf_put_literal(&st->sql, " AND ");
            put_side(st, path, i, &values[i], is_behind);
        }
        if (i > first)
            buf_put_u8(&st->sql, ')');
    }
    buf_put_u8(&st->sql, ')');
}

/* Whether nothing of the column's type lies before (behind) this value in the index, as the server sees when it folds a
 * comparison: of BIGINTs, which its parameters are, and of ENUMs, whose numbers are in the text. */
static bool is_outermost(const struct chunk_path *path, unsigned i, const struct chunk_key_value *value, bool is_behind)
{
    const struct chunk_part *part = &path->parts[i];
    const struct column *col = &path->shape->columns[part->column];
    bool is_greater = is_behind != part->is_descending;
    if (part->is_nullable)
        return false;
    if (col->kind == COLUMN_ENUM)
        return number_of(value->bytes) == (is_greater ? col->n_members : 0);
    if (col->kind != COLUMN_BIGINT)
        return false;
    if (is_greater)
        return view_is(value->bytes, col->is_unsigned ? "18446744073709551615" : "9223372036854775807");
    return view_is(value->bytes, col->is_unsigned ? "0" : "-9223372036854775808");
}

/* How many leading parts have but one value from here to the end: (0, 17), the last key, where the first part is a BIGINT
 * UNSIGNED. The server leaves such a part out of its ORDER BY only after it has looked for an index that gives the order: it
 * would sort. With an equality, and without the part in the order, it does not. */
static unsigned count_fixed(const struct chunk_path *path, const struct chunk_range *range)
{
    unsigned n = 0;
    while (n + 1 < path->n && ((range->last != NULL && is_outermost(path, n, &range->last[n], false)) ||
                               (range->after != NULL && is_outermost(path, n, &range->after[n], true))))
        n++;
    return n;
}

static void put_table(struct chunk_statement *st, const struct shape *shape)
{
    buf_put_literal(&st->sql, " FROM ");
    sql_put_name(&st->sql, shape->db);
    buf_put_u8(&st->sql, '.');
    sql_put_name(&st->sql, shape->table);
}

static void put_from(struct chunk_statement *st, const struct chunk_path *path)
{
    put_table(st, path->shape);
    buf_put_literal(&st->sql, " FORCE INDEX (");
    sql_put_name(&st->sql, path->index);
    buf_put_u8(&st->sql, ')');
}

static void put_order(struct chunk_statement *st, const struct chunk_path *path, unsigned first, bool is_reversed)
{
    buf_put_literal(&st->sql, " ORDER BY ");
    for (unsigned i = first; i < path->n; i++) {
        if (i > first)
            buf_put_literal(&st->sql, ", ");
        sql_put_name(&st->sql, path->shape->table);
        buf_put_u8(&st->sql, '.');
        sql_put_name(&st->sql, path->shape->columns[path->parts[i].column].name);
        if (path->parts[i].is_descending != is_reversed)
            buf_put_literal(&st->sql, " DESC");
    }
}

/* ENUM and SET as numbers: a label may be ambiguous, and may not be text of the connection. */
static void put_column(struct chunk_statement *st, const struct column *col)
{
    sql_put_name(&st->sql, col->name);
    if (col->kind == COLUMN_ENUM)
        buf_put_literal(&st->sql, "+0");
    if (col->kind == COLUMN_SET)
        buf_put_literal(&st->sql, "|0");
}

static void restart(struct chunk_statement *st)
{
    buf_clear(&st->sql);
    st->n_params = 0;
    buf_put_literal(&st->sql, "SELECT ");
}

void chunk_put_largest(struct chunk_statement *st, const struct chunk_path *path, bool for_share)
{
    restart(st);
    for (unsigned i = 0; i < path->n; i++) {
        if (i > 0)
            buf_put_literal(&st->sql, ", ");
        put_column(st, &path->shape->columns[path->parts[i].column]);
    }
    put_from(st, path);
    put_order(st, path, 0, true);
    buf_put_text(&st->sql, for_share ? " LIMIT 1 FOR SHARE" : " LIMIT 1");
    buf_put_u8(&st->sql, 0);
}

static void put_columns(struct chunk_statement *st, const struct shape *shape, const uint16_t *columns, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            buf_put_literal(&st->sql, ", ");
        put_column(st, &shape->columns[columns[i]]);
    }
}

/* Text that is parsed anew has no values of other types than JSON's own, and is unequal to a document that has some. */
static void put_json_typed(struct chunk_statement *st, const struct shape *shape, const uint16_t *columns, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct column *col = &shape->columns[columns[i]];
        if (col->kind != COLUMN_JSON)
            continue;
        buf_put_literal(&st->sql, ", NOT (");
        sql_put_name(&st->sql, col->name);
        buf_put_literal(&st->sql, " <=> CAST(CAST(");
        sql_put_name(&st->sql, col->name);
        buf_put_literal(&st->sql, " AS CHAR) AS JSON))");
    }
}

void chunk_put_whole(struct chunk_statement *st, const struct shape *shape, const uint16_t *columns, unsigned n_columns,
                     bool with_json_typed)
{
    restart(st);
    put_columns(st, shape, columns, n_columns);
    if (with_json_typed)
        put_json_typed(st, shape, columns, n_columns);
    put_table(st, shape);
    buf_put_u8(&st->sql, 0);
}

void chunk_put_select(struct chunk_statement *st, const struct chunk_path *path, const struct chunk_range *range)
{
    const char *glue = " WHERE ";
    unsigned fixed = count_fixed(path, range);
    restart(st);
    put_columns(st, path->shape, range->columns, range->n_columns);
    if (range->with_json_typed)
        put_json_typed(st, path->shape, range->columns, range->n_columns);
    put_from(st, path);
    for (unsigned i = 0; i < fixed; i++) {
        buf_put_text(&st->sql, glue);
        put_equal(st, path, i, range->last != NULL ? &range->last[i] : &range->after[i]);
        glue = " AND ";
    }
    if (range->after != NULL) {
        buf_put_text(&st->sql, glue);
        put_bound(st, path, fixed, range->after, true, false);
        glue = " AND ";
    }
    if (range->last != NULL) {
        buf_put_text(&st->sql, glue);
        put_bound(st, path, fixed, range->last, false, true);
        glue = " AND ";
    }
    /* The line break ends a comment that the filter may end with. */
    if (range->filter != NULL)
        buf_printf(&st->sql, "%s(%s\n)", glue, range->filter);
    put_order(st, path, fixed, false);
    buf_printf(&st->sql, " LIMIT %u%s", range->limit, range->for_share ? " FOR SHARE" : "");
    buf_put_u8(&st->sql, 0);
}
