/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_shapes.h"

#include "base/log.h"
#include "binlog/inventory.h"
#include "binlog/proof.h"

#include <stdlib.h>

/* Tables to be proven, beside what is known of each. */
struct suspects {
    const struct offsets_store *store;
    struct proof_table *tables;  /* names are owned */
    const struct shape **shapes; /* of the server; NULL: not read */
    size_t n;
};

static struct shape_place place_of(const struct offset_state *st)
{
    return (struct shape_place){st->has_gtids ? &st->gtids : NULL, &st->pos, st->server_uuid};
}

static struct proof_table *add(struct suspects *s, struct view db, struct view table)
{
    s->tables = mem_resize(s->tables, (s->n + 1) * sizeof *s->tables);
    s->shapes = mem_resize(s->shapes, (s->n + 1) * sizeof *s->shapes);
    s->shapes[s->n] = NULL;
    struct proof_table *t = &s->tables[s->n++];
    *t = (struct proof_table){.db = view_of(view_to_string(db)), .table = view_of(view_to_string(table))};
    return t;
}

static void suspects_fini(struct suspects *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free((void *)(uintptr_t)s->tables[i].db.p);
        free((void *)(uintptr_t)s->tables[i].table.p);
        if (s->shapes[i] != NULL)
            shape_free(&s->shapes[i]);
    }
    free(s->tables);
    free(s->shapes);
}

/* Reads the log from the place up to until. */
static bool prove(struct suspects *s, const struct server *server, const struct offset_state *place,
                  const struct log_position *until, struct fail *why)
{
    const struct stream_server at = server_of_stream(server);
    bool by_place = !place->has_gtids || (!offset_state_is_inside(place) && place->n_xa == 0);
    const struct source_start start = {
        .executed = place->has_gtids ? &place->gtids : NULL,
        .pos = by_place ? &place->pos : NULL,
        .pos_uuid = place->server_uuid,
    };
    if (s->n == 0 || (by_place && position_compare(&place->pos, until) >= 0))
        return true;
    log_info("offsets_shapes", "the log is searched for statements about %zu tables, from %s:%llu to %s:%llu", s->n,
             place->pos.file, (unsigned long long)place->pos.offset, until->file, (unsigned long long)until->offset);
    struct source_settings settings;
    char name[PROOF_NAME_BYTES];
    proof_settings(&s->store->cfg->source, name, &settings);
    struct source *src = source_new(&settings);
    bool ok = proof_run(src, &start, &at, until, s->tables, s->n, why);
    source_free(&src);
    return ok;
}

/* ---- after a rewind ---- */

static bool refuse_table(const struct shape_history *h, const char *because, struct fail *why)
{
    const struct shape_version *oldest = &h->versions[0];
    return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                    "the shape of %s.%s is stored from %s:%llu on only, and %s; hint: go to a place behind it, or "
                    "import a schema history that knows it",
                    h->db, h->table, oldest->pos.file, (unsigned long long)oldest->pos.offset, because);
}

/* Adds the table when its versions are all younger than the place. */
static bool judge(struct suspects *s, const struct shape_history *h, const struct offset_state *place,
                  struct log_position *until, struct fail *why)
{
    const struct shape_place at = place_of(place);
    const struct shape_version *version;
    const struct shape_version *oldest = &h->versions[0];
    enum shape_found found = shape_store_at(&s->store->state.shapes, view_of(h->db), view_of(h->table), &at, &version);
    if (found == SHAPE_INCOMPARABLE)
        return refuse_table(h, "that is another server's log, which can't be compared without GTIDs", why);
    if (found != SHAPE_TOO_OLD)
        return true;
    if (strcmp(oldest->server_uuid, place->server_uuid) != 0)
        return refuse_table(h, "that is another server's log, where this one's can't be searched up to", why);
    add(s, view_of(h->db), view_of(h->table))->until = &oldest->pos;
    if (until->file[0] == '\0' || position_compare(&oldest->pos, until) > 0)
        *until = oldest->pos;
    return true;
}

static bool settle(struct offsets_store *store, const struct suspects *s, const struct offset_state *place,
                   struct fail *why)
{
    const struct shape_place at = place_of(place);
    for (size_t i = 0; i < s->n; i++) {
        const struct proof_table *t = &s->tables[i];
        if (t->was_made)
            continue;
        if (t->has_changed)
            return refuse_table(shape_store_find(&store->state.shapes, t->db, t->table),
                                "a statement changed the table between the place asked for and there", why);
        shape_store_extend(&store->state.shapes, t->db, t->table, &at);
        offsets_store_shape_changed(store, t->db, t->table);
    }
    return true;
}

bool offsets_shapes_check(struct offsets_store *store, const struct server *server, const struct offset_state *place,
                          struct fail *why)
{
    struct suspects s = {.store = store};
    struct log_position until = {.file = ""};
    const struct map_entry *e;
    size_t at = 0;
    bool ok = true;
    while (ok && (e = map_next(&store->state.shapes.tables, &at)) != NULL) {
        const struct shape_history *h = e->value;
        if (filter_has_table(&store->cfg->filter, view_of(h->db), view_of(h->table)))
            ok = judge(&s, h, place, &until, why);
    }
    ok = ok && prove(&s, server, place, &until, why) && settle(store, &s, place, why);
    suspects_fini(&s);
    return ok;
}

/* ---- a place that comes from elsewhere ---- */

static bool add_captured(void *ctx, struct view db, struct view table, struct fail *why)
{
    struct suspects *s = ctx;
    (void)why;
    if (filter_has_table(&s->store->cfg->filter, db, table))
        add(s, db, table);
    return true;
}

static bool read_shapes(struct suspects *s, struct source *src, const struct server *server, struct fail *why)
{
    struct catalog databases;
    catalog_init(&databases, server->lower_case_table_names);
    bool ok = inventory_read_databases(src, &databases, why) && inventory_walk_tables(src, add_captured, s, why);
    for (size_t i = 0; ok && i < s->n; i++)
        ok = inventory_read_shape(src, server, &databases, s->tables[i].db, s->tables[i].table, &s->shapes[i], NULL,
                                  why);
    catalog_fini(&databases);
    return ok;
}

static void put(struct offsets_store *store, const struct offset_state *place, const struct shape *shape)
{
    const struct shape_place at = place_of(place);
    struct buf text;
    buf_init(&text);
    shape_print(shape, &text);
    shape_store_append(&store->state.shapes, shape->db, shape->table, &at, buf_view(&text));
    offsets_store_shape_changed(store, shape->db, shape->table);
    buf_fini(&text);
}

static void adopt(struct offsets_store *store, const struct proof_table *t, const struct shape *now,
                  const struct offset_state *place, struct catalog *history, struct offsets_shapes_told *told)
{
    const struct shape *old = history == NULL ? NULL : catalog_find(history, t->db, t->table);
    if (!t->has_changed && now != NULL) {
        put(store, place, now);
        told->proven++;
    } else if (old != NULL) {
        put(store, place, old);
        told->from_history++;
    } else if (t->has_changed && !t->was_made) {
        buf_printf(&told->names, "%s%.*s.%.*s", told->unknown > 0 ? ", " : "", VIEW_ARGS(t->db), VIEW_ARGS(t->table));
        told->unknown++;
    }
}

/* Tables that the history knows and the server no longer has: their rows may still be in the log. */
static void adopt_gone(struct offsets_store *store, const struct suspects *s, const struct offset_state *place,
                       struct catalog *history, struct offsets_shapes_told *told)
{
    const struct shape *shape;
    size_t at = 0;
    while (history != NULL && (shape = catalog_next(history, &at)) != NULL) {
        bool is_there = false;
        for (size_t i = 0; i < s->n && !is_there; i++)
            is_there = view_equal(s->tables[i].db, shape->db) && view_equal(s->tables[i].table, shape->table);
        if (is_there || !filter_has_table(&store->cfg->filter, shape->db, shape->table))
            continue;
        put(store, place, shape);
        told->from_history++;
    }
}

bool offsets_shapes_adopt(struct offsets_store *store, struct source *src, const struct server *server,
                          const struct offset_state *place, struct catalog *history, struct offsets_shapes_told *told,
                          struct fail *why)
{
    struct suspects s = {.store = store};
    struct log_position until;
    *told = (struct offsets_shapes_told){.proven = 0};
    buf_init(&told->names);
    bool ok = read_shapes(&s, src, server, why) && server_read_end(src, server, &until, why) &&
              prove(&s, server, place, &until, why);
    for (size_t i = 0; ok && i < s.n; i++)
        adopt(store, &s.tables[i], s.shapes[i], place, history, told);
    if (ok)
        adopt_gone(store, &s, place, history, told);
    suspects_fini(&s);
    return ok;
}
