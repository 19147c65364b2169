/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/ddl_rig.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static bool is_captured(const void *arg, struct view db, struct view table)
{
    (void)arg;
    return view_is(db, "d") && !(table.n >= 2 && memcmp(table.p, "un", 2) == 0);
}

void ddl_rig_init(struct ddl_rig *rig)
{
    *rig = (struct ddl_rig){.ctx = {.db = view_of("d"),
                                    .server_version = 90704,
                                    .server_charset = charset_find(view_of("latin1")),
                                    .is_captured = is_captured}};
    catalog_init(&rig->catalog, 0);
    catalog_put_database(&rig->catalog, view_of("d"), charset_find(view_of("utf8mb4")), VIEW_NONE);
    ddl_result_init(&rig->result);
}

void ddl_rig_fini(struct ddl_rig *rig)
{
    ddl_result_fini(&rig->result);
    catalog_fini(&rig->catalog);
}

bool ddl_rig_apply(struct ddl_rig *rig, struct view sql)
{
    rig->why = (struct fail){.kind = FAIL_NONE};
    return ddl_apply(&rig->catalog, &rig->ctx, sql, &rig->result, &rig->why);
}

static void must_apply(struct ddl_rig *rig, const char *sql)
{
    if (!ddl_rig_apply(rig, view_of(sql)))
        fail_msg("%s: %s", sql, rig->why.text);
    for (size_t i = 0; i < rig->result.n_effects; i++) {
        const struct ddl_effect *e = &rig->result.effects[i];
        if (e->kind == DDL_UNREADABLE || e->needs_shape)
            fail_msg("%s: %s %s", sql, e->kind == DDL_UNREADABLE ? "not read" : "needs a shape", rig->why.text);
    }
}

void ddl_rig_run(struct ddl_rig *rig, ...)
{
    va_list args;
    va_start(args, rig);
    for (const char *sql; (sql = va_arg(args, const char *)) != NULL;)
        must_apply(rig, sql);
    va_end(args);
}

const struct shape *ddl_rig_shape(struct ddl_rig *rig, const char *table)
{
    const struct shape *s = catalog_find(&rig->catalog, view_of("d"), view_of(table));
    if (s == NULL)
        fail_msg("there is no table %s", table);
    return s;
}

static void check_text(struct buf *found, const char *expected, const char *what)
{
    buf_put_u8(found, 0);
    if (strcmp((const char *)found->start, expected) != 0)
        fail_msg("%s: expected <%s>, found <%s>", what, expected, (const char *)found->start);
    buf_fini(found);
}

/* Takes out what every text column of the database has. */
static struct view without_default_charset(struct buf *line, struct view text)
{
    static const char common[] = " CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
    const uint8_t *at = memmem(text.p, text.n, common, sizeof common - 1);
    if (at == NULL)
        return text;
    buf_put(line, text.p, (size_t)(at - text.p));
    at += sizeof common - 1;
    buf_put(line, at, text.n - (size_t)(at - text.p));
    return buf_view(line);
}

void check_column(struct ddl_rig *rig, const char *table, const char *column, const char *expected)
{
    const struct shape *s = ddl_rig_shape(rig, table);
    int i = shape_column(s, view_of(column));
    if (i < 0)
        fail_msg("%s has no column %s", table, column);
    struct shape alone = *s; /* prints its one column and no key */
    alone.columns = &s->columns[i];
    alone.n_columns = 1;
    alone.n_indexes = 0;
    struct buf text;
    struct buf line;
    struct buf found;
    buf_init(&text);
    buf_init(&line);
    buf_init(&found);
    shape_print(&alone, &text);
    const uint8_t *start = memchr(text.start, '\n', buf_size(&text));
    const uint8_t *end = memrchr(text.start, '\n', buf_size(&text));
    size_t skipped = strlen("\n  `` ") + alone.columns->name.n;
    struct view inside = {start + skipped, (size_t)(end - start) - skipped};
    buf_put_view(&found, without_default_charset(&line, inside));
    check_text(&found, expected, column);
    buf_fini(&line);
    buf_fini(&text);
}

void check_columns(struct ddl_rig *rig, const char *table, const char *expected)
{
    const struct shape *s = ddl_rig_shape(rig, table);
    struct buf found;
    buf_init(&found);
    for (uint32_t i = 0; i < s->n_columns; i++) {
        buf_put_text(&found, i == 0 ? "" : ",");
        buf_put_view(&found, s->columns[i].name);
    }
    check_text(&found, expected, table);
}

static void put_part(const struct shape *s, const struct index_part *part, struct buf *out)
{
    if (part->is_descending)
        buf_put_u8(out, '-');
    buf_put_view(out, part->is_expression ? view_of("*") : s->columns[part->column].name);
    if (part->prefix > 0)
        buf_printf(out, ":%u", (unsigned)part->prefix);
}

void check_keys(struct ddl_rig *rig, const char *table, const char *expected)
{
    const struct shape *s = ddl_rig_shape(rig, table);
    struct buf found;
    buf_init(&found);
    for (uint32_t i = 0; i < s->n_indexes; i++) {
        const struct table_index *x = &s->indexes[i];
        buf_put_text(&found, i == 0 ? "" : " ");
        buf_put_text(&found, x->is_unique && !x->is_primary ? "!" : "");
        buf_put_view(&found, x->name);
        for (uint32_t k = 0; k < x->n_parts; k++) {
            buf_put_u8(&found, k == 0 ? '(' : ',');
            put_part(s, &x->parts[k], &found);
        }
        buf_put_u8(&found, ')');
    }
    check_text(&found, expected, table);
}

void check_record_key(struct ddl_rig *rig, const char *table, const char *expected)
{
    const struct shape *s = ddl_rig_shape(rig, table);
    struct buf found;
    buf_init(&found);
    for (uint32_t i = 0; i < s->n_key; i++) {
        buf_put_text(&found, i == 0 ? "" : ",");
        buf_put_view(&found, s->columns[s->key[i]].name);
    }
    check_text(&found, expected, table);
}

static const char *kind_name(enum ddl_kind kind)
{
    static const char *const names[] = {
        [DDL_CREATE] = "create",     [DDL_ALTER] = "alter",       [DDL_RENAME] = "rename",     [DDL_DROP] = "drop",
        [DDL_TRUNCATE] = "truncate", [DDL_DATA_CHANGED] = "data", [DDL_DATABASE] = "database", [DDL_NONE] = "none",
        [DDL_ROW_STATEMENT] = "row", [DDL_UNREADABLE] = "unread",
    };
    return names[kind];
}

void check_effects(struct ddl_rig *rig, const char *expected)
{
    struct buf found;
    buf_init(&found);
    for (size_t i = 0; i < rig->result.n_effects; i++) {
        const struct ddl_effect *e = &rig->result.effects[i];
        buf_printf(&found, "%s%s %.*s", i == 0 ? "" : "; ", kind_name(e->kind), VIEW_ARGS(e->db));
        if (e->table.n > 0)
            buf_printf(&found, ".%.*s", VIEW_ARGS(e->table));
        if (e->old_table.n > 0)
            buf_printf(&found, "<%.*s.%.*s", VIEW_ARGS(e->old_db), VIEW_ARGS(e->old_table));
        buf_put_text(&found, e->needs_shape ? " needs" : "");
        buf_put_text(&found, e->is_conditional ? " if" : "");
        buf_put_text(&found, e->is_unseen ? " unseen" : "");
        buf_put_text(&found, e->table.n > 0 && !e->is_captured ? " other" : "");
    }
    check_text(&found, expected, "effects");
}
