/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_shape: follows the shapes of tables through statements, and prints them as JSON.
 *
 * Reads lines from standard input, a command letter and its fields, parted by tabs; \t, \n and \\ stand for themselves:
 *   S db sql_mode client_charset server_collation implicit_timestamps utf8mb4_collation   the session of what follows
 *   D db charset collation            a database that was there before
 *   Q statement                       a statement of the log
 *   C db text                         SHOW CREATE TABLE text, put in force
 *   P                                 print all shapes
 * Answers one line of JSON to each Q, C and P. Every shape it prints it also stores and reads back: a difference ends it.
 */
#include "binlog/ddl.h"

#include <stdio.h>
#include <stdlib.h>

static struct catalog catalog;
static struct ddl_context context = {.server_version = 90704};

/* ---- JSON, as much as this needs */

static void put_json(struct view text)
{
    putchar('"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < ' ' || text.p[i] == '"' || text.p[i] == '\\')
            printf("\\u%04x", text.p[i]);
        else
            putchar(text.p[i]);
    }
    putchar('"');
}

static void member(const char *name, struct view value)
{
    printf(",\"%s\":", name);
    put_json(value);
}

static void flag(const char *name, bool value)
{
    if (value)
        printf(",\"%s\":true", name);
}

static const char *default_name(enum default_kind kind)
{
    static const char *const names[] = {
        [DEFAULT_NONE] = "none", [DEFAULT_NULL] = "null", [DEFAULT_LITERAL] = "literal",       [DEFAULT_BITS] = "bits",
        [DEFAULT_HEX] = "hex",   [DEFAULT_NOW] = "now",   [DEFAULT_EXPRESSION] = "expression",
    };
    return names[kind];
}

static void put_column(const struct column *c)
{
    printf("{\"name\":");
    put_json(c->name);
    member("type", view_of(shape_type_name(c)));
    member("words", c->type_text);
    printf(",\"length\":%u,\"scale\":%u,\"fsp\":%u,\"blob\":%u", (unsigned)c->length, (unsigned)c->scale, c->fsp,
           c->blob_bytes);
    member("charset", c->charset == NULL ? VIEW_NONE : view_of(c->charset->name));
    member("collation", c->collation);
    member("default_kind", view_of(default_name(c->default_kind)));
    member("default", c->default_text);
    member("comment", c->comment);
    flag("has_length", c->has_length);
    flag("has_scale", c->has_scale);
    flag("unsigned", c->is_unsigned);
    flag("zerofill", c->is_zerofill);
    flag("nullable", c->is_nullable);
    flag("auto_increment", c->is_auto_increment);
    flag("generated", c->is_generated);
    flag("invisible", c->is_invisible);
    flag("on_update", c->has_on_update);
    if (c->has_srid)
        printf(",\"srid\":%u", (unsigned)c->srid);
    printf(",\"members\":[");
    for (uint32_t i = 0; i < c->n_members; i++) {
        printf(i == 0 ? "" : ",");
        put_json(c->members[i]);
    }
    printf("]}");
}

static void put_index(const struct shape *s, const struct table_index *x)
{
    printf("{\"name\":");
    put_json(x->name);
    flag("unique", x->is_unique);
    printf(",\"parts\":[");
    for (uint32_t i = 0; i < x->n_parts; i++) {
        const struct index_part *part = &x->parts[i];
        printf("%s[", i == 0 ? "" : ",");
        if (part->is_expression)
            printf("null");
        else
            put_json(s->columns[part->column].name);
        printf(",%u,%s]", (unsigned)part->prefix, part->is_descending ? "\"D\"" : "\"A\"");
    }
    printf("]}");
}

static void put_shape(const struct shape *s)
{
    printf("{\"db\":");
    put_json(s->db);
    member("table", s->table);
    member("charset", view_of(s->charset->name));
    member("collation", s->collation);
    member("comment", s->comment);
    flag("partitioned", s->is_partitioned);
    printf(",\"columns\":[");
    for (uint32_t i = 0; i < s->n_columns; i++) {
        printf(i == 0 ? "" : ",");
        put_column(&s->columns[i]);
    }
    printf("],\"indexes\":[");
    for (uint32_t i = 0; i < s->n_indexes; i++) {
        printf(i == 0 ? "" : ",");
        put_index(s, &s->indexes[i]);
    }
    printf("],\"key\":[");
    for (uint32_t i = 0; i < s->n_key; i++) {
        printf(i == 0 ? "" : ",");
        put_json(s->columns[s->key[i]].name);
    }
    printf("]}");
}

/* ---- what is stored reads back */

static void check_stored(const struct shape *s)
{
    const struct ddl_context none = {.server_version = 0};
    struct buf text;
    struct buf again;
    struct fail why = {.kind = FAIL_NONE};
    buf_init(&text);
    buf_init(&again);
    shape_print(s, &text);
    const struct shape *back = ddl_read_create(NULL, &none, buf_view(&text), &why);
    if (back != NULL)
        shape_print(back, &again);
    if (back == NULL || !shape_equal(s, back) || !view_equal(buf_view(&text), buf_view(&again))) {
        fprintf(stderr, "stored text doesn't read back: %s\n%.*s\n%.*s\n", why.text, VIEW_ARGS(buf_view(&text)),
                VIEW_ARGS(buf_view(&again)));
        exit(1);
    }
    shape_free(&back);
    buf_fini(&text);
    buf_fini(&again);
}

static void print_all(void)
{
    size_t at = 0;
    const char *comma = "";
    printf("[");
    for (const struct shape *s; (s = catalog_next(&catalog, &at)) != NULL; comma = ",") {
        printf("%s", comma);
        check_stored(s);
        put_shape(s);
    }
    printf("]\n");
}

/* ---- commands */

static const char *kind_name(enum ddl_kind kind)
{
    static const char *const names[] = {
        [DDL_CREATE] = "create",      [DDL_ALTER] = "alter",           [DDL_RENAME] = "rename",     [DDL_DROP] = "drop",
        [DDL_TRUNCATE] = "truncate",  [DDL_DATA_CHANGED] = "data",     [DDL_DATABASE] = "database", [DDL_NONE] = "none",
        [DDL_ROW_STATEMENT] = "rows", [DDL_UNREADABLE] = "unreadable",
    };
    return names[kind];
}

static void put_effect(const struct ddl_effect *e)
{
    printf("{\"kind\":\"%s\",\"db\":", kind_name(e->kind));
    put_json(e->db);
    member("table", e->table);
    member("old_db", e->old_db);
    member("old_table", e->old_table);
    member("text", e->text);
    flag("needs_shape", e->needs_shape);
    flag("conditional", e->is_conditional);
    flag("unseen", e->is_unseen);
    flag("database_unknown", e->database_unknown);
    printf("}");
}

static void statement(struct view sql)
{
    static struct ddl_result result;
    struct fail why = {.kind = FAIL_NONE};
    if (result.memory.first == NULL)
        ddl_result_init(&result);
    bool ok = ddl_apply(&catalog, &context, sql, &result, &why);
    printf("{\"ok\":%s,\"why\":", ok ? "true" : "false");
    put_json(view_of(why.text));
    printf(",\"effects\":[");
    for (size_t i = 0; i < result.n_effects; i++) {
        printf(i == 0 ? "" : ",");
        put_effect(&result.effects[i]);
    }
    printf("]}\n");
}

static void create_text(struct view db, struct view text)
{
    struct fail why = {.kind = FAIL_NONE};
    struct ddl_context own = {.db = db, .server_version = context.server_version};
    const struct shape *s = ddl_read_create(&catalog, &own, text, &why);
    if (s == NULL) {
        printf("{\"ok\":false,\"why\":");
        put_json(view_of(why.text));
        printf("}\n");
        return;
    }
    printf("{\"ok\":true,\"shape\":");
    check_stored(s);
    put_shape(s);
    printf("}\n");
    catalog_put(&catalog, s);
}

static void session(struct view *field)
{
    static char kept[3][256];
    snprintf(kept[0], sizeof kept[0], "%.*s", VIEW_ARGS(field[0]));
    snprintf(kept[1], sizeof kept[1], "%.*s", VIEW_ARGS(field[3]));
    snprintf(kept[2], sizeof kept[2], "%.*s", VIEW_ARGS(field[5]));
    context.db = view_of(kept[0]);
    context.sql_mode = strtoull((const char *)field[1].p, NULL, 10);
    context.client_charset = charset_find(field[2]);
    context.server_charset = charset_of_collation(field[3]);
    context.server_collation = view_of(kept[1]);
    context.implicit_timestamp_defaults = view_is(field[4], "1");
    context.utf8mb4_collation = view_of(kept[2]);
}

/* Splits at tabs and undoes escapes, in place. */
static size_t split(char *line, struct view *field, size_t room)
{
    size_t n = 0;
    char *in = line;
    char *out = line;
    char *start = line;
    for (;; in++) {
        if (*in == '\t' || *in == '\n' || *in == '\0') {
            bool is_last = *in != '\t';
            if (n < room)
                field[n++] = (struct view){(uint8_t *)start, (size_t)(out - start)};
            *out++ = '\0';
            start = out;
            if (is_last)
                return n;
        } else if (*in == '\\') {
            in++;
            *out++ = *in == 't' ? '\t' : *in == 'n' ? '\n' : *in == '0' ? '\0' : '\\';
        } else {
            *out++ = *in;
        }
    }
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    catalog_init(&catalog, 0);
    while (getline(&line, &room, stdin) > 0) {
        struct view field[8] = {{NULL, 0}};
        split(line, field, 8);
        if (view_is(field[0], "S"))
            session(&field[1]);
        else if (view_is(field[0], "D"))
            catalog_put_database(&catalog, field[1], charset_find(field[2]), field[3]);
        else if (view_is(field[0], "Q"))
            statement(field[1]);
        else if (view_is(field[0], "C"))
            create_text(field[1], field[2]);
        else if (view_is(field[0], "P"))
            print_all();
        fflush(stdout);
    }
    free(line);
    catalog_fini(&catalog);
    return 0;
}
