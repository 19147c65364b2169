/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/table_pattern.h"

#include <string.h>

void table_pattern_put_id(struct buf *out, struct view db, struct view table)
{
    if (db.n > 0) {
        buf_put_view(out, db);
        buf_put_u8(out, '.');
    }
    buf_put_view(out, table);
}

static bool is_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* A pattern as a name: "shop\.orders" is shop.orders; "shop\.\w" is none. */
static void put_literal(struct buf *name, struct view text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '\\' || (i + 1 < text.n && is_word(text.p[i + 1])))
            buf_put_u8(name, text.p[i]);
}

/* Appends what stands in quotes at the start of text, where two of them stand for one; returns the bytes up to behind the
 * closing one, 0: there is none. */
static size_t put_quoted(struct buf *name, struct view text)
{
    for (size_t i = 1; i < text.n; i++) {
        bool is_quote = text.p[i] == text.p[0];
        if (is_quote && (i + 1 == text.n || text.p[i + 1] != text.p[0]))
            return i + 1;
        i += is_quote;
        buf_put_u8(name, text.p[i]);
    }
    return 0;
}

static bool is_quote(uint8_t c)
{
    return c == '`' || c == '"';
}

/* Appends one part of a name, quoted or bare; returns the bytes of text that it took, 0: it is none. */
static size_t put_part(struct buf *name, struct view text, bool *is_quoted)
{
    size_t n = 0;
    if (text.n > 0 && is_quote(text.p[0])) {
        *is_quoted = true;
        return put_quoted(name, text);
    }
    for (; n < text.n && text.p[n] != '.' && !is_quote(text.p[n]); n++)
        buf_put_u8(name, text.p[n]);
    return n;
}

/* `shop`.`or.ders` or "shop"."orders", one part of which may be bare: no regular expression is written so. */
static bool read_quoted(struct table_pattern *p, struct view text)
{
    bool is_quoted = false;
    size_t n = put_part(&p->name, text, &is_quoted);
    p->db_bytes = buf_size(&p->name);
    if (n == 0 || n >= text.n || text.p[n] != '.')
        return false;
    buf_put_u8(&p->name, '.');
    struct view rest = {text.p + n + 1, text.n - n - 1};
    return put_part(&p->name, rest, &is_quoted) == rest.n && rest.n > 0 && is_quoted;
}

static bool is_named(const struct table_pattern *p, struct view db, struct view table)
{
    struct view name = buf_view(&p->name);
    if (db.n == 0)
        return view_equal(name, table);
    if (p->is_quoted && db.n != p->db_bytes)
        return false;
    return name.n == db.n + 1 + table.n && memcmp(name.p, db.p, db.n) == 0 && name.p[db.n] == '.' &&
           view_equal((struct view){name.p + db.n + 1, table.n}, table);
}

/* Names may have dots in them: each may be the one between database and table. */
static const struct shape_history *find_named(const struct table_pattern *p, const struct shape_store *shapes)
{
    struct view name = buf_view(&p->name);
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] != '.' || (p->is_quoted && i != p->db_bytes))
            continue;
        const struct shape_history *h =
            shape_store_find(shapes, (struct view){name.p, i}, (struct view){name.p + i + 1, name.n - i - 1});
        if (h != NULL && shape_history_is_there(h))
            return h;
    }
    return NULL;
}

bool table_pattern_init(struct table_pattern *p, struct view text, const struct shape_store *shapes, struct fail *why)
{
    *p = (struct table_pattern){.re = NULL};
    buf_init(&p->name);
    p->is_quoted = read_quoted(p, text);
    if (!p->is_quoted) {
        buf_clear(&p->name);
        put_literal(&p->name, text);
    }
    p->named = find_named(p, shapes);
    if (p->named != NULL || p->is_quoted)
        return true;
    p->re = regex_new(text, why);
    return p->re != NULL || fail_add(why, "read the pattern %.*s", VIEW_ARGS(text));
}

void table_pattern_fini(struct table_pattern *p)
{
    regex_free(&p->re);
    buf_fini(&p->name);
}

bool table_pattern_means(const struct table_pattern *p, struct view db, struct view table)
{
    struct buf id;
    if (is_named(p, db, table))
        return true;
    if (p->re == NULL)
        return false;
    buf_init(&id);
    table_pattern_put_id(&id, db, table);
    bool matches = regex_matches(p->re, buf_view(&id));
    buf_fini(&id);
    return matches;
}
