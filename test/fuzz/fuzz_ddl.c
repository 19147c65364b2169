/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 1 settings, statements parted by NUL, on a catalog with two tables.
 *
 * Whatever is read, every shape in the catalog reads back from its own text to an equal one, and every part of it lies inside
 * the table; what isn't read leaves the catalog as it was.
 */
#include "binlog/ddl.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STATEMENTS_MAX = 32 };

static void check_shape(const struct shape *s)
{
    const struct ddl_context none = {.server_version = 0};
    struct fail why;
    struct buf text;
    for (uint32_t i = 0; i < s->n_indexes; i++)
        for (uint32_t k = 0; k < s->indexes[i].n_parts; k++)
            ASSERT(s->indexes[i].parts[k].is_expression || s->indexes[i].parts[k].column < s->n_columns);
    for (uint32_t i = 0; i < s->n_key; i++)
        ASSERT(s->key[i] < s->n_columns && !s->columns[s->key[i]].is_nullable);
    buf_init(&text);
    shape_print(s, &text);
    const struct shape *back = ddl_read_create(NULL, &none, buf_view(&text), &why);
    ASSERT(back != NULL);
    ASSERT(shape_equal(s, back));
    shape_free(&back);
    buf_fini(&text);
}

static void apply(struct catalog *cat, const struct ddl_context *ctx, struct view sql, struct ddl_result *result)
{
    struct fail why = {.kind = FAIL_NONE};
    const struct shape *before = catalog_find(cat, view_of("d"), view_of("t"));
    if (!ddl_apply(cat, ctx, sql, result, &why)) {
        ASSERT(why.kind == FAIL_REFUSE && why.text[0] != '\0');
        ASSERT(before == catalog_find(cat, view_of("d"), view_of("t")));
    }
    for (size_t i = 0; i < result->n_effects; i++)
        if (result->effects[i].shape != NULL && result->effects[i].shape != before)
            check_shape(result->effects[i].shape);
}

/* The two tables, read once. */
static const struct shape *table(int i)
{
    static const char *const texts[] = {
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) DEFAULT 'x', b TEXT, c ENUM('p','q') NOT NULL UNIQUE, KEY k "
        "(b(5), a DESC))",
        "CREATE TABLE u (id INT, d TIMESTAMP)",
    };
    static const struct shape *tables[2];
    const struct ddl_context ctx = {.db = view_of("d")};
    struct fail why;
    if (tables[i] == NULL)
        tables[i] = ddl_read_create(NULL, &ctx, view_of(texts[i]), &why);
    ASSERT(tables[i] != NULL);
    return shape_hold(tables[i]);
}

static void start(struct catalog *cat)
{
    catalog_init(cat, 0);
    catalog_put_database(cat, view_of("d"), charset_find(view_of("utf8mb4")), VIEW_NONE);
    for (int i = 0; i < 2; i++)
        catalog_put(cat, table(i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = {"utf8mb4", "latin1", "sjis", "gbk"};
    static const uint64_t modes[] = {0, DDL_MODE_ANSI_QUOTES, DDL_MODE_NO_BACKSLASH_ESCAPES, DDL_MODE_REAL_AS_FLOAT};
    if (size == 0)
        return 0;
    struct ddl_context ctx = {.db = view_of("d"), .server_version = 90704};
    struct ddl_result result;
    struct catalog cat;
    ddl_result_init(&result);
    start(&cat);
    ctx.client_charset = charset_find(view_of(charsets[data[0] & 3]));
    ctx.sql_mode = modes[data[0] >> 2 & 3];
    ctx.implicit_timestamp_defaults = (data[0] & 16) != 0;
    struct view rest = {data + 1, size - 1};
    for (int i = 0; i < STATEMENTS_MAX && rest.n > 0; i++) {
        const uint8_t *end = memchr(rest.p, 0, rest.n);
        struct view sql = {rest.p, end == NULL ? rest.n : (size_t)(end - rest.p)};
        apply(&cat, &ctx, sql, &result);
        rest.n -= sql.n + (end != NULL);
        rest.p += sql.n + (end != NULL);
    }
    ddl_result_fini(&result);
    catalog_fini(&cat);
    return 0;
}
