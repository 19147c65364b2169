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

static bool is_named(const struct table_pattern *p, struct view db, struct view table)
{
    struct view name = buf_view(&p->name);
    if (db.n == 0)
        return view_equal(name, table);
    return name.n == db.n + 1 + table.n && memcmp(name.p, db.p, db.n) == 0 && name.p[db.n] == '.' &&
           view_equal((struct view){name.p + db.n + 1, table.n}, table);
}

/* Names may have dots in them: each may be the one between database and table. */
static const struct shape_history *find_named(const struct table_pattern *p, const struct shape_store *shapes)
{
    struct view name = buf_view(&p->name);
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] != '.')
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
    put_literal(&p->name, text);
    p->named = find_named(p, shapes);
    if (p->named != NULL)
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
