/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddl_key: keys and constraints as they stand in CREATE TABLE, ALTER TABLE and CREATE INDEX.
 *
 * Foreign keys and checks are passed over, but for the key that a foreign key makes the server add.
 * Source: the manual, CREATE TABLE and CREATE INDEX.
 */
#include "binlog/ddl_clause.h"

enum { KEY_PARTS_MAX = 64 }; /* the server's are 16 */

bool ddl_is_key(const struct ddl_parser *p)
{
    static const char *const words[] = {"CONSTRAINT", "PRIMARY", "UNIQUE",  "KEY",   "INDEX",
                                        "FULLTEXT",   "SPATIAL", "FOREIGN", "CHECK", NULL};
    return ddl_is_any(p, words);
}

/* ---- parts */

static bool key_part(struct draft *d, struct draft_part *part)
{
    struct ddl_parser *p = d->p;
    uint64_t prefix;
    *part = (struct draft_part){.is_expression = ddl_is_sign(p, '(')};
    if (part->is_expression) {
        if (!ddl_skip_group(p))
            return false;
    } else {
        if (!ddl_name(p, &part->name))
            return false;
        if (ddl_accept_sign(p, '(')) {
            if (!ddl_number(p, &prefix) || !ddl_expect_sign(p, ')'))
                return false;
            part->prefix = prefix > UINT32_MAX ? UINT32_MAX : (uint32_t)prefix;
        }
    }
    part->is_descending = ddl_is(p, "DESC");
    if (part->is_descending || ddl_is(p, "ASC"))
        ddl_next(p);
    return true;
}

static bool parts(struct draft *d, struct draft_key *key)
{
    struct draft_part read[KEY_PARTS_MAX];
    uint32_t n = 0;
    if (!ddl_expect_sign(d->p, '('))
        return false;
    do {
        if (n == KEY_PARTS_MAX)
            return ddl_expected(d->p, "fewer key parts");
        if (!key_part(d, &read[n++]))
            return false;
    } while (ddl_accept_sign(d->p, ','));
    key->parts = arena_alloc(d->p->memory, n * sizeof *read);
    memcpy(key->parts, read, n * sizeof *read);
    key->n_parts = n;
    return ddl_expect_sign(d->p, ')');
}

static bool accept_key_type(struct ddl_parser *p)
{
    bool is_type =
        ddl_is(p, "USING") ||
        (ddl_is(p, "TYPE") && (ddl_is_second(p, "BTREE") || ddl_is_second(p, "HASH") || ddl_is_second(p, "RTREE")));
    if (!is_type)
        return false;
    ddl_next(p);
    ddl_next(p);
    return true;
}

bool ddl_key_parts(struct draft *d, struct draft_key *key)
{
    struct ddl_parser *p = d->p;
    accept_key_type(p);
    if (!parts(d, key))
        return false;
    return ddl_skip_item(p); /* KEY_BLOCK_SIZE, COMMENT, INVISIBLE, … */
}

/* ---- constraints without keys */

/* RESTRICT, CASCADE, SET NULL, SET DEFAULT, NO ACTION */
static bool reference_action(struct ddl_parser *p)
{
    if (ddl_accept(p, "RESTRICT") || ddl_accept(p, "CASCADE") || ddl_accept_two(p, "SET", "NULL") ||
        ddl_accept_two(p, "SET", "DEFAULT") || ddl_accept_two(p, "NO", "ACTION"))
        return true;
    return ddl_expected(p, "a reference option");
}

bool ddl_references(struct ddl_parser *p)
{
    struct view db;
    struct view table;
    if (!ddl_expect(p, "REFERENCES") || !ddl_table_name(p, &db, &table))
        return false;
    if (ddl_is_sign(p, '(') && !ddl_skip_group(p))
        return false;
    if (ddl_accept(p, "MATCH"))
        ddl_next(p);
    while (ddl_accept_two(p, "ON", "DELETE") || ddl_accept_two(p, "ON", "UPDATE"))
        if (!reference_action(p))
            return false;
    return true;
}

bool ddl_check(struct ddl_parser *p)
{
    if (!ddl_expect(p, "CHECK") || !ddl_skip_group(p))
        return false;
    if (!ddl_accept_two(p, "NOT", "ENFORCED"))
        ddl_accept(p, "ENFORCED");
    return true;
}

/* FOREIGN KEY [name] (columns) REFERENCES …: its constraint's name, or else its own, is the key's. */
static bool foreign_key(struct draft *d, struct view constraint)
{
    struct draft_key *key = draft_add_key(d);
    key->is_implied = true;
    if (!ddl_expect(d->p, "KEY"))
        return false;
    if (ddl_is_name(d->p) && !ddl_name(d->p, &key->name))
        return false;
    if (constraint.n > 0)
        key->name = constraint;
    return parts(d, key) && ddl_references(d->p);
}

/* ---- keys */

/* [name] [USING type] (parts) options */
static bool named_key(struct draft *d, struct draft_key *key)
{
    if (ddl_is_name(d->p) && !ddl_is(d->p, "USING") && !accept_key_type(d->p) && !ddl_name(d->p, &key->name))
        return false;
    return ddl_key_parts(d, key);
}

static void accept_index_word(struct ddl_parser *p)
{
    if (!ddl_accept(p, "INDEX"))
        ddl_accept(p, "KEY");
}

static bool primary_key(struct draft *d)
{
    struct draft_key *key = draft_add_key(d);
    struct view ignored;
    key->is_primary = key->is_unique = true;
    key->name = view_of("PRIMARY");
    if (!ddl_expect(d->p, "KEY"))
        return false;
    if (ddl_is_name(d->p) && !ddl_is(d->p, "USING") && !ddl_name(d->p, &ignored))
        return false;
    return ddl_key_parts(d, key);
}

static bool unique_key(struct draft *d, struct view constraint)
{
    struct draft_key *key = draft_add_key(d);
    key->is_unique = true;
    key->name = constraint;
    accept_index_word(d->p);
    return named_key(d, key);
}

static bool other_key(struct draft *d)
{
    struct draft_key *key = draft_add_key(d);
    key->is_fulltext = ddl_accept(d->p, "FULLTEXT");
    ddl_accept(d->p, "SPATIAL");
    accept_index_word(d->p);
    return named_key(d, key);
}

bool ddl_key(struct draft *d)
{
    struct ddl_parser *p = d->p;
    struct view constraint = VIEW_NONE;
    if (ddl_accept(p, "CONSTRAINT") && !ddl_is_key(p) && !ddl_name(p, &constraint))
        return false;
    if (ddl_accept(p, "PRIMARY"))
        return primary_key(d);
    if (ddl_accept(p, "UNIQUE"))
        return unique_key(d, constraint);
    if (ddl_accept(p, "FOREIGN"))
        return foreign_key(d, constraint);
    if (ddl_is(p, "CHECK"))
        return ddl_check(p);
    return other_key(d);
}
