/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random shapes are printed, read back, and are equal; and their print is a fixed point.
 *
 * Names, labels, comments and defaults are of any characters; types and charsets of those there are. The seed is printed;
 * SEED=n repeats a run, ROUNDS=n makes it longer.
 */
#include "binlog/ddl.h"
#include "test/support/random.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int rounds;

static bool chance(uint32_t one_in)
{
    return random_below(one_in) == 0;
}

/* ---- texts */

static struct view random_text(struct arena *memory, uint32_t longest)
{
    static const char *const letters[] = {"a", "B",  "0",  " ", "'",  "\"",   "`",  "\\", ".", ",",
                                          "(", ")",  "-",  "#", "/*", "*/",   "\n", "%",  "_", "\t",
                                          "é", "表", "🐳", ";", "\r", "\x1a", "$",  "@",  "=", "é"};
    struct buf text;
    buf_init(&text);
    for (uint32_t n = random_below(longest + 1); n > 0; n--)
        buf_put_text(&text, letters[random_below(sizeof letters / sizeof *letters)]);
    if (longest > 6 && chance(8))
        buf_put_u8(&text, 0);
    struct view copy = arena_copy(memory, buf_view(&text));
    buf_fini(&text);
    return copy;
}

/* Different from all others by its number. */
static struct view random_name(struct arena *memory, uint32_t number)
{
    struct view text = random_text(memory, 5);
    struct buf name;
    buf_init(&name);
    buf_put_view(&name, text);
    buf_printf(&name, "%u", (unsigned)number);
    struct view copy = arena_copy(memory, buf_view(&name));
    buf_fini(&name);
    return copy;
}

/* ---- types */

/* Types as a reader fills them in: kind, words, whether a length stands there and which. */
struct type {
    enum column_kind kind;
    const char *words;
    uint32_t longest; /* 0: no length */
    bool needs_length;
    uint8_t blob_bytes;
};

static const struct type types[] = {
    {COLUMN_TINYINT, "TINYINT", 4, false, 0},
    {COLUMN_TINYINT, "TINYINT UNSIGNED", 4, false, 0},
    {COLUMN_SMALLINT, "INT2 SIGNED", 0, false, 0},
    {COLUMN_MEDIUMINT, "MIDDLEINT UNSIGNED ZEROFILL", 8, false, 0},
    {COLUMN_INT, "INTEGER", 11, false, 0},
    {COLUMN_BIGINT, "BIGINT UNSIGNED", 20, false, 0},
    {COLUMN_BIT, "BIT", 64, true, 0},
    {COLUMN_CHAR, "CHARACTER", 255, true, 0},
    {COLUMN_CHAR, "CHAR", 0, false, 0},
    {COLUMN_VARCHAR, "VARCHAR", 4000, true, 0},
    {COLUMN_VARCHAR, "CHAR VARYING", 100, true, 0},
    {COLUMN_TEXT, "TINYTEXT", 0, false, 1},
    {COLUMN_TEXT, "TEXT", 0, false, 2},
    {COLUMN_TEXT, "LONG VARCHAR", 0, false, 3},
    {COLUMN_TEXT, "LONGTEXT", 0, false, 4},
    {COLUMN_BINARY, "BINARY", 255, true, 0},
    {COLUMN_VARBINARY, "VARBINARY", 60000, true, 0},
    {COLUMN_BLOB, "BLOB", 0, false, 2},
    {COLUMN_BLOB, "LONG VARBINARY", 0, false, 3},
    {COLUMN_DATE, "DATE", 0, false, 0},
    {COLUMN_TIME, "TIME", 0, false, 0},
    {COLUMN_DATETIME, "DATETIME", 0, false, 0},
    {COLUMN_TIMESTAMP, "TIMESTAMP", 0, false, 0},
    {COLUMN_YEAR, "YEAR", 4, false, 0},
    {COLUMN_JSON, "JSON", 0, false, 0},
    {COLUMN_VECTOR, "VECTOR", 2000, true, 0},
    {COLUMN_GEOMETRY, "GEOMETRY", 0, false, 0},
    {COLUMN_ENUM, "ENUM", 0, false, 0},
    {COLUMN_SET, "SET", 0, false, 0},
    {COLUMN_DECIMAL, "DECIMAL UNSIGNED", 65, true, 0},
    {COLUMN_FLOAT, "FLOAT", 0, false, 0},
    {COLUMN_DOUBLE, "DOUBLE PRECISION", 0, false, 0},
};

static bool is_text(enum column_kind kind)
{
    return kind == COLUMN_CHAR || kind == COLUMN_VARCHAR || kind == COLUMN_TEXT || kind == COLUMN_ENUM ||
           kind == COLUMN_SET;
}

static void random_charset(const struct charset **charset, struct view *collation)
{
    static const char *const collations[] = {"utf8mb4_0900_ai_ci", "utf8mb4_bin",       "latin1_swedish_ci",
                                             "latin1_bin",         "sjis_japanese_ci",  "ucs2_unicode_ci",
                                             "cp1251_general_cs",  "utf8mb3_general_ci"};
    *collation = view_of(collations[random_below(sizeof collations / sizeof *collations)]);
    *charset = charset_of_collation(*collation);
}

static void random_labels(struct column *c, struct arena *memory)
{
    c->n_members = 1 + random_below(5);
    c->members = arena_alloc(memory, c->n_members * sizeof *c->members);
    for (uint32_t i = 0; i < c->n_members; i++)
        c->members[i] = random_name(memory, i); /* ends with a digit: no blanks at the end */
}

static void random_type(struct column *c, struct arena *memory)
{
    const struct type *type = &types[random_below(sizeof types / sizeof *types)];
    c->kind = type->kind;
    c->blob_bytes = type->blob_bytes;
    c->type_text = view_of(type->words);
    c->is_unsigned = strstr(type->words, "UNSIGNED") != NULL;
    c->is_zerofill = strstr(type->words, "ZEROFILL") != NULL;
    if (type->needs_length || (type->longest > 0 && chance(2))) {
        c->has_length = true;
        c->length = 1 + random_below(type->longest);
    }
    if (c->kind == COLUMN_CHAR && !c->has_length)
        c->length = 1;
    if (c->kind == COLUMN_DECIMAL) {
        c->has_scale = true;
        c->scale = random_below(c->length < 30 ? c->length + 1 : 30);
    }
    if (c->kind == COLUMN_TIME || c->kind == COLUMN_DATETIME || c->kind == COLUMN_TIMESTAMP)
        c->fsp = (uint8_t)random_below(7);
    if (c->kind == COLUMN_ENUM || c->kind == COLUMN_SET)
        random_labels(c, memory);
    if (is_text(c->kind))
        random_charset(&c->charset, &c->collation);
}

/* ---- columns, keys, tables */

static void random_default(struct column *c, struct arena *memory)
{
    static const char *const numbers[] = {"5", "-7", "+4", "1.5", ".5", "1e10", "-1.E-3"};
    switch (random_below(8)) {
    case 0:
        c->default_kind = DEFAULT_NULL;
        return;
    case 1:
        c->default_kind = DEFAULT_LITERAL;
        c->default_text = view_of(numbers[random_below(sizeof numbers / sizeof *numbers)]);
        return;
    case 2:
        c->default_kind = DEFAULT_NOW;
        return;
    case 3:
        c->default_kind = DEFAULT_EXPRESSION;
        c->default_text = view_of("concat('a)', `b(`, (1 + 2) * -3)");
        return;
    case 4: /* digits are text for text, and bytes for bytes */
        c->default_kind = is_text(c->kind) ? DEFAULT_NONE : DEFAULT_HEX;
        c->default_text = is_text(c->kind) ? VIEW_NONE : view_of("00FF41");
        return;
    case 5:
        c->default_kind = DEFAULT_LITERAL;
        c->default_is_quoted = true;
        c->default_text =
            c->kind == COLUMN_BINARY || c->kind == COLUMN_VARBINARY ? view_of("it's\\") : random_text(memory, 9);
        return;
    default:
        return;
    }
}

static void random_column(struct column *c, struct arena *memory, uint32_t number)
{
    c->name = random_name(memory, number);
    random_type(c, memory);
    c->is_nullable = chance(2);
    c->is_invisible = chance(9);
    if (chance(9)) {
        c->is_generated = true;
    } else if (chance(9)) {
        c->is_auto_increment = true;
        c->is_nullable = false;
    } else {
        random_default(c, memory);
        c->has_on_update = chance(9);
    }
    if (c->kind == COLUMN_GEOMETRY && chance(2)) {
        c->has_srid = true;
        c->srid = random_below(5000);
    }
    if (chance(4))
        c->comment = random_text(memory, 9);
}

/* A prefix is less than the column, or none. */
static uint32_t random_prefix(const struct column *c)
{
    bool is_long = c->kind == COLUMN_TEXT || c->kind == COLUMN_BLOB;
    bool is_short =
        c->kind == COLUMN_CHAR || c->kind == COLUMN_VARCHAR || c->kind == COLUMN_BINARY || c->kind == COLUMN_VARBINARY;
    if (is_long)
        return 1 + random_below(50);
    return is_short && c->length > 1 && chance(2) ? 1 + random_below(c->length - 1) : 0;
}

static void random_index(struct shape *s, struct table_index *x, uint32_t number)
{
    x->name = random_name(&s->memory, number);
    x->n_parts = 1 + random_below(3);
    x->parts = arena_zero(&s->memory, x->n_parts, sizeof *x->parts);
    for (uint32_t i = 0; i < x->n_parts; i++) {
        struct index_part *part = &x->parts[i];
        part->is_descending = chance(4);
        part->is_expression = chance(6) && number > 0;
        if (part->is_expression)
            continue;
        part->column = (uint16_t)random_below(s->n_columns);
        part->prefix = random_prefix(&s->columns[part->column]);
    }
}

static void require_parts(struct shape *s, const struct table_index *x)
{
    for (uint32_t i = 0; i < x->n_parts; i++) {
        struct column *c = &s->columns[x->parts[i].column];
        c->is_nullable = false;
        if (c->default_kind == DEFAULT_NULL)
            c->default_kind = DEFAULT_NONE;
    }
}

static bool has_null(const struct shape *s, const struct table_index *x)
{
    for (uint32_t i = 0; i < x->n_parts; i++)
        if (x->parts[i].is_expression || s->columns[x->parts[i].column].is_nullable)
            return true;
    return false;
}

/* Perhaps a primary key, then a unique one if it has no NULL and no prefix, then others: an order the server has. */
static void random_indexes(struct shape *s)
{
    s->indexes = arena_zero(&s->memory, 4, sizeof *s->indexes);
    if (chance(2)) {
        struct table_index *x = &s->indexes[s->n_indexes++];
        random_index(s, x, 0);
        x->name = view_of("PRIMARY");
        x->is_primary = x->is_unique = true;
        require_parts(s, x);
    }
    if (chance(2)) {
        struct table_index *x = &s->indexes[s->n_indexes++];
        random_index(s, x, 1);
        x->is_unique = !has_null(s, x);
    }
    if (chance(2))
        random_index(s, &s->indexes[s->n_indexes++], 2);
}

static struct shape *random_shape(void)
{
    struct arena memory;
    arena_init(&memory);
    struct shape *s = shape_new(random_name(&memory, 1), random_name(&memory, 2));
    arena_fini(&memory);
    s->n_columns = 1 + random_below(8);
    s->columns = arena_zero(&s->memory, s->n_columns, sizeof *s->columns);
    for (uint32_t i = 0; i < s->n_columns; i++)
        random_column(&s->columns[i], &s->memory, i);
    random_indexes(s);
    random_charset(&s->charset, &s->collation);
    s->comment = random_text(&s->memory, 9);
    s->is_partitioned = chance(8);
    shape_choose_key(s);
    return s;
}

/* ---- the law */

static void check_key(const struct shape *a, const struct shape *b)
{
    assert_int_equal(a->n_key, b->n_key);
    assert_int_equal(a->key_is_primary, b->key_is_primary);
    for (uint32_t i = 0; i < a->n_key; i++)
        assert_int_equal(a->key[i], b->key[i]);
}

static void check_printed(const struct shape *s)
{
    const struct ddl_context none = {.server_version = 0};
    struct fail why = {.kind = FAIL_NONE};
    struct buf text;
    struct buf again;
    buf_init(&text);
    buf_init(&again);
    shape_print(s, &text);
    const struct shape *back = ddl_read_create(NULL, &none, buf_view(&text), &why);
    if (back == NULL)
        fail_msg("%s: %.*s", why.text, VIEW_ARGS(buf_view(&text)));
    shape_print(back, &again);
    if (!shape_equal(s, back) || !view_equal(buf_view(&text), buf_view(&again)))
        fail_msg("differs: %.*s\n%.*s", VIEW_ARGS(buf_view(&text)), VIEW_ARGS(buf_view(&again)));
    check_key(s, back);
    struct shape *copy = shape_copy(s, s->db, s->table);
    assert_true(shape_equal(s, copy));
    const struct shape *gone = copy;
    shape_free(&gone);
    shape_free(&back);
    buf_fini(&text);
    buf_fini(&again);
}

static void shape_text_reads_back_to_an_equal_shape(void **state)
{
    (void)state;
    for (int i = 0; i < rounds; i++) {
        const struct shape *s = random_shape();
        check_printed(s);
        shape_free(&s);
    }
}

static void shape_differs_in_every_part(void **state)
{
    (void)state;
    const struct shape *s = NULL;
    do {
        shape_free(&s);
        s = random_shape();
    } while (s->n_columns < 2 || s->n_indexes == 0);
    for (int part = 0; part < 8; part++) {
        struct shape *other = shape_copy(s, s->db, s->table);
        struct column *c = &other->columns[1];
        switch (part) {
        case 0:
            c->name = view_of("another");
            break;
        case 1:
            c->is_nullable = !c->is_nullable;
            break;
        case 2:
            c->length++;
            break;
        case 3:
            c->comment = view_of("another");
            break;
        case 4:
            other->n_columns--;
            break;
        case 5:
            other->indexes[0].parts[0].is_descending ^= true;
            break;
        case 6:
            other->is_partitioned ^= true;
            break;
        default:
            other->indexes[0].name = view_of("another");
            break;
        }
        assert_false(shape_equal(s, other));
        const struct shape *gone = other;
        shape_free(&gone);
    }
    shape_free(&s);
}

int main(void)
{
    rounds = random_begin(5000);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_text_reads_back_to_an_equal_shape),
        cmocka_unit_test(shape_differs_in_every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
