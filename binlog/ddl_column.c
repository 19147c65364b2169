/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_column: what stands behind a column's name: its type, then attributes in any order.
 *
 * Source: the manual, CREATE TABLE, "column_definition", "Data Type Default Values".
 */
#include "binlog/ddl_clause.h"

/* ---- defaults */

/* CURRENT_TIMESTAMP and its other names, with or without brackets. */
static bool accept_now(struct ddl_parser *p, bool *is_broken)
{
    static const char *const names[] = {"CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP", NULL};
    *is_broken = false;
    if (!ddl_is_any(p, names))
        return false;
    ddl_next(p);
    if (ddl_is_sign(p, '('))
        *is_broken = !ddl_skip_group(p);
    return true;
}

static void literal(struct draft_column *col, struct view text, bool is_quoted)
{
    col->c.default_kind = DEFAULT_LITERAL;
    col->c.default_text = text;
    col->c.default_is_quoted = is_quoted;
    col->default_bytes = text;
}

static bool string_default(struct draft *d, struct draft_column *col)
{
    struct view text;
    struct view bytes;
    if (!ddl_string_and_bytes(d->p, &text, &bytes))
        return false;
    literal(col, text, true);
    col->default_bytes = bytes;
    return true;
}

static void digits_default(struct ddl_parser *p, struct draft_column *col)
{
    col->c.default_kind = p->now.kind == SQL_HEX ? DEFAULT_HEX : DEFAULT_BITS;
    col->c.default_text = arena_copy(p->memory, sql_digits(&p->now));
    ddl_next(p);
}

/* A number with its sign as written, without blanks between. */
static bool number_default(struct ddl_parser *p, struct draft_column *col)
{
    uint8_t sign = p->now.sign;
    if (sign == '-' || sign == '+')
        ddl_next(p);
    else
        sign = 0;
    if (p->now.kind != SQL_NUMBER)
        return ddl_expected(p, "a default");
    struct buf text;
    buf_init(&text);
    if (sign != 0)
        buf_put_u8(&text, sign);
    buf_put_view(&text, p->now.text);
    literal(col, arena_copy(p->memory, buf_view(&text)), false);
    buf_fini(&text);
    ddl_next(p);
    return true;
}

/* TRUE, FALSE, NULL; DATE '…', TIME '…', TIMESTAMP '…' */
static bool word_default(struct draft *d, struct draft_column *col)
{
    struct ddl_parser *p = d->p;
    if (ddl_accept(p, "NULL"))
        col->c.default_kind = DEFAULT_NULL;
    else if (ddl_accept(p, "TRUE"))
        literal(col, view_of("1"), false);
    else if (ddl_accept(p, "FALSE"))
        literal(col, view_of("0"), false);
    else if (ddl_accept(p, "DATE") || ddl_accept(p, "TIME") || ddl_accept(p, "TIMESTAMP"))
        return string_default(d, col);
    else
        return number_default(p, col);
    return true;
}

bool ddl_default(struct draft *d, struct draft_column *col)
{
    struct ddl_parser *p = d->p;
    struct column *c = &col->c;
    bool is_broken;
    c->default_text = VIEW_NONE;
    c->default_is_quoted = false;
    if (accept_now(p, &is_broken)) {
        c->default_kind = DEFAULT_NOW;
        return !is_broken;
    }
    if (ddl_is_sign(p, '(')) {
        c->default_kind = DEFAULT_EXPRESSION;
        return ddl_group_text(p, &c->default_text);
    }
    struct ddl_parser before = *p;
    const struct charset *introducer = ddl_introducer(p);
    if (p->now.kind == SQL_HEX || p->now.kind == SQL_BITS) {
        col->default_charset = introducer;
        digits_default(p, col);
        return true;
    }
    if (introducer != NULL)
        *p = before;
    if (introducer != NULL || ddl_is_string(p))
        return string_default(d, col);
    return word_default(d, col);
}

/* ---- attributes */

static void inline_key(struct draft *d, struct draft_column *col, bool is_primary)
{
    struct draft_key *key = draft_add_key(d);
    key->is_primary = is_primary;
    key->is_unique = true;
    key->name = is_primary ? view_of("PRIMARY") : VIEW_NONE;
    key->n_parts = 1;
    key->parts = arena_zero(d->p->memory, 1, sizeof *key->parts);
    key->parts[0].name = col->c.name;
}

static bool generated(struct draft *d, struct draft_column *col)
{
    struct ddl_parser *p = d->p;
    if (ddl_accept(p, "GENERATED") && !ddl_expect(p, "ALWAYS"))
        return false;
    if (!ddl_expect(p, "AS") || !ddl_skip_group(p))
        return false;
    if (!ddl_accept(p, "VIRTUAL"))
        ddl_accept(p, "STORED");
    col->c.is_generated = true;
    return true;
}

static bool on_update(struct draft *d, struct draft_column *col)
{
    bool is_broken;
    if (!ddl_expect(d->p, "UPDATE"))
        return false;
    if (!accept_now(d->p, &is_broken))
        return ddl_expected(d->p, "CURRENT_TIMESTAMP");
    col->c.has_on_update = true;
    return !is_broken;
}

static void set_nullable(struct draft_column *col, bool is_nullable)
{
    col->c.is_nullable = is_nullable;
    col->is_null_written = is_nullable;
}

/* NOT NULL, NOT SECONDARY, NOT ENFORCED behind a CHECK */
static bool not_something(struct draft *d, struct draft_column *col)
{
    if (ddl_accept(d->p, "NULL"))
        set_nullable(col, false);
    else if (!ddl_accept(d->p, "SECONDARY") && !ddl_accept(d->p, "ENFORCED"))
        return ddl_expected(d->p, "NULL");
    return true;
}

static bool srid(struct draft *d, struct draft_column *col)
{
    uint64_t number;
    if (!ddl_number(d->p, &number))
        return false;
    col->c.has_srid = true;
    col->c.srid = (uint32_t)number;
    return true;
}

static bool collate(struct draft *d, struct draft_column *col)
{
    return ddl_collation(d->p, &col->collation, &col->charset);
}

static bool comment(struct draft *d, struct draft_column *col)
{
    return ddl_string(d->p, &col->c.comment);
}

/* SERIAL DEFAULT VALUE: NOT NULL AUTO_INCREMENT UNIQUE */
static bool serial_default(struct draft *d, struct draft_column *col)
{
    if (!ddl_expect(d->p, "DEFAULT") || !ddl_expect(d->p, "VALUE"))
        return false;
    set_nullable(col, false);
    col->c.is_auto_increment = true;
    inline_key(d, col, false);
    return true;
}

static bool unique(struct draft *d, struct draft_column *col)
{
    ddl_accept(d->p, "KEY");
    inline_key(d, col, false);
    return true;
}

static bool primary(struct draft *d, struct draft_column *col)
{
    inline_key(d, col, true);
    return ddl_expect(d->p, "KEY");
}

static bool key(struct draft *d, struct draft_column *col)
{
    inline_key(d, col, true);
    return true;
}

static bool null(struct draft *d, struct draft_column *col)
{
    (void)d;
    set_nullable(col, true);
    return true;
}

/* NOT NULL goes with it in a statement. The server's own text says NOT NULL of each such column, and so nothing of one that
 * may be NULL. */
static bool auto_increment(struct draft *d, struct draft_column *col)
{
    col->c.is_auto_increment = true;
    if (!d->p->is_servers_text)
        set_nullable(col, false);
    return true;
}

static bool visible(struct draft *d, struct draft_column *col)
{
    (void)d;
    col->c.is_invisible = false;
    return true;
}

static bool invisible(struct draft *d, struct draft_column *col)
{
    (void)d;
    col->c.is_invisible = true;
    return true;
}

/* One word or string, with or without an equals sign: COLUMN_FORMAT, STORAGE, ENGINE_ATTRIBUTE. */
static bool pass_value(struct draft *d, struct draft_column *col)
{
    (void)col;
    ddl_accept_sign(d->p, '=');
    if (d->p->now.kind == SQL_SIGN || ddl_at_end(d->p))
        return ddl_expected(d->p, "a value");
    ddl_next(d->p);
    return true;
}

/* CONSTRAINT [name], in front of CHECK */
static bool constraint(struct draft *d, struct draft_column *col)
{
    struct view name;
    (void)col;
    if (!ddl_is(d->p, "CHECK") && !ddl_name(d->p, &name))
        return false;
    return ddl_is(d->p, "CHECK") || ddl_expected(d->p, "CHECK");
}

struct attribute {
    const char *word;
    bool is_left; /* the word is left for read to take */
    bool (*read)(struct draft *d, struct draft_column *col);
};

static bool pass_check(struct draft *d, struct draft_column *col)
{
    (void)col;
    return ddl_check(d->p);
}

static bool pass_references(struct draft *d, struct draft_column *col)
{
    (void)col;
    return ddl_references(d->p);
}

static const struct attribute attributes[] = {
    {"NOT", false, not_something},
    {"NULL", false, null},
    {"DEFAULT", false, ddl_default},
    {"AUTO_INCREMENT", false, auto_increment},
    {"COMMENT", false, comment},
    {"COLLATE", false, collate},
    {"PRIMARY", false, primary},
    {"UNIQUE", false, unique},
    {"KEY", false, key},
    {"ON", false, on_update},
    {"GENERATED", true, generated},
    {"AS", true, generated},
    {"INVISIBLE", false, invisible},
    {"VISIBLE", false, visible},
    {"SRID", false, srid},
    {"SERIAL", false, serial_default},
    {"CHECK", true, pass_check},
    {"CONSTRAINT", false, constraint},
    {"REFERENCES", true, pass_references},
    {"COLUMN_FORMAT", false, pass_value},
    {"STORAGE", false, pass_value},
    {"ENGINE_ATTRIBUTE", false, pass_value},
    {"SECONDARY_ENGINE_ATTRIBUTE", false, pass_value},
};

static const struct attribute *find_attribute(const struct ddl_parser *p)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (ddl_is(p, attributes[i].word))
            return &attributes[i];
    return NULL;
}

bool ddl_column_definition(struct draft *d, struct draft_column *col)
{
    if (!ddl_type(d, col))
        return false;
    const struct attribute *a;
    while ((a = find_attribute(d->p)) != NULL) {
        if (!a->is_left)
            ddl_next(d->p);
        if (!a->read(d, col))
            return false;
    }
    return true;
}
