/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonb_diff: jsonb_apply_diffs of jsonb.h.
 *
 * The document becomes a tree, but only along the paths of the differences: what no path enters stays the bytes it is
 * and is copied as a whole. Paths are those of sql-common/json_path.cc without wildcards: `$`, then `.name`, `."name"` or
 * `[index]`. What each operation asks of the document is told in sql-common/json_diff.h; a difference that does not
 * fit means that the before image is not what the server changed, and nothing is made up.
 */
#include "base/arena.h"
#include "binlog/jsonb.h"
#include "binlog/jsonb_part.h"
#include "binlog/jsonb_string.h"

enum diff_op { DIFF_REPLACE = 0, DIFF_INSERT = 1, DIFF_REMOVE = 2 };

struct node;

struct member {
    struct view key; /* of objects */
    struct node *value;
};

struct node {
    struct jsonb_part part; /* as it came, unless open */
    bool is_open;           /* a container whose members are below, and whose bytes no longer count */
    bool is_object;
    bool is_large; /* open: its offsets take 4 bytes; set by size_node */
    uint32_t count, room;
    struct member *members; /* of an object in stored order */
    uint64_t size;          /* open: bytes of its value, set by size_node */
};

struct tree {
    struct node *root;
    struct arena memory;
    struct fail *why;
};

static bool fail_diffs(struct tree *t)
{
    return fail_malformed(t->why, "partial JSON update: its differences do not follow their layout");
}

static bool fail_unfit(struct tree *t, struct view path)
{
    return fail_malformed(t->why, "partial JSON update: the document before it does not fit the path %.*s",
                          VIEW_ARGS(path));
}

/* ---- the tree ---- */

static struct node *new_node(struct tree *t, struct jsonb_part part)
{
    struct node *n = arena_zero(&t->memory, 1, sizeof *n);
    n->part = part;
    return n;
}

static void make_room(struct tree *t, struct node *n, uint32_t count)
{
    if (count <= n->room)
        return;
    uint32_t room = count < 8 ? 8 : count + count / 2;
    struct member *more = arena_alloc(&t->memory, room * sizeof *more);
    if (n->count > 0)
        memcpy(more, n->members, n->count * sizeof *more);
    n->members = more;
    n->room = room;
}

/* Makes the members of a container nodes. Together they can't be longer than the container: else they overlap. */
static bool open_node(struct tree *t, struct node *n)
{
    struct jsonb_container c;
    if (n->is_open)
        return true;
    if (!jsonb_is_container(n->part.type) || !jsonb_container_open(&n->part, &c))
        return false;
    uint64_t bytes = jsonb_container_head(c.width, c.is_object, c.count);
    make_room(t, n, c.count);
    for (uint32_t i = 0; i < c.count; i++) {
        struct jsonb_part value;
        struct member *m = &n->members[i];
        *m = (struct member){VIEW_NONE, NULL};
        if (c.is_object && !jsonb_container_key(&c, i, &m->key))
            return false;
        if (!jsonb_container_value(&c, i, &value))
            return false;
        bytes += m->key.n + (jsonb_is_inlined(value.type, c.width) ? 0 : value.raw.n);
        if (bytes > n->part.raw.n)
            return false;
        m->value = new_node(t, value);
    }
    n->count = c.count;
    n->is_object = c.is_object;
    n->is_open = true;
    return true;
}

/* Stored order: shorter keys first, equally long ones by their bytes. */
static int compare_keys(struct view a, struct view b)
{
    if (a.n != b.n)
        return a.n < b.n ? -1 : 1;
    return a.n == 0 ? 0 : memcmp(a.p, b.p, a.n);
}

/* Where the key is, or where it would be inserted. */
static bool find_key(const struct node *n, struct view key, uint32_t *at)
{
    uint32_t low = 0, high = n->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_keys(n->members[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return low < n->count && view_equal(n->members[low].key, key);
}

static bool insert_member(struct tree *t, struct node *n, uint32_t at, struct member m)
{
    if (n->count == UINT32_MAX || m.key.n > UINT16_MAX)
        return false;
    make_room(t, n, n->count + 1);
    memmove(&n->members[at + 1], &n->members[at], (n->count - at) * sizeof m);
    n->members[at] = m;
    n->count++;
    return true;
}

static void remove_member(struct node *n, uint32_t at)
{
    memmove(&n->members[at], &n->members[at + 1], (n->count - at - 1) * sizeof *n->members);
    n->count--;
}

/* ---- paths ---- */

struct leg {
    bool is_key;
    struct view key;
    uint32_t index;
};

static bool take_quoted_key(struct tree *t, struct cursor *c, struct leg *leg)
{
    const uint8_t *from = c->p;
    while (cursor_left(c) > 0 && *c->p != '"')
        (void)cursor_take(c, *c->p == '\\' ? 2 : 1);
    struct view inside = {from, (size_t)(c->p - from)};
    if (cursor_u8(c) != '"' || c->bad)
        return false;
    struct buf key;
    buf_init(&key);
    bool ok = jsonb_read_string(inside, &key);
    leg->key = arena_copy(&t->memory, buf_view(&key));
    buf_fini(&key);
    return ok;
}

static bool take_index(struct cursor *c, struct leg *leg)
{
    uint64_t v = 0;
    const uint8_t *from = c->p;
    while (cursor_left(c) > 0 && *c->p >= '0' && *c->p <= '9' && v <= UINT32_MAX)
        v = v * 10 + (uint64_t)(*c->p++ - '0');
    leg->index = (uint32_t)v;
    return c->p > from && v <= UINT32_MAX && cursor_u8(c) == ']';
}

static bool take_leg(struct tree *t, struct cursor *c, struct leg *leg)
{
    uint8_t mark = cursor_u8(c);
    *leg = (struct leg){.is_key = mark == '.'};
    if (mark == '[')
        return take_index(c, leg);
    if (mark != '.')
        return false;
    if (cursor_left(c) > 0 && *c->p == '"') {
        c->p++;
        return take_quoted_key(t, c, leg);
    }
    const uint8_t *from = c->p;
    while (cursor_left(c) > 0 && *c->p != '.' && *c->p != '[')
        c->p++;
    leg->key = (struct view){from, (size_t)(c->p - from)};
    return leg->key.n > 0;
}

/* The member a leg names in an open node; false when there is none (at says where it would be). */
static bool find_member(const struct node *n, const struct leg *leg, uint32_t *at)
{
    if (leg->is_key)
        return find_key(n, leg->key, at);
    *at = leg->index < n->count ? leg->index : n->count;
    return leg->index < n->count;
}

/* Walks all legs but the last; parent and last stay unset for the path `$`. */
static bool walk(struct tree *t, struct view path, struct node **parent, struct leg *last)
{
    struct cursor c = cursor_of(path);
    *parent = NULL;
    if (cursor_u8(&c) != '$')
        return fail_diffs(t);
    for (unsigned depth = 0; cursor_left(&c) > 0; depth++) {
        uint32_t at = 0;
        struct node *n = t->root;
        if (*parent != NULL) {
            if (!find_member(*parent, last, &at))
                return fail_unfit(t, path);
            n = (*parent)->members[at].value;
        }
        if (depth >= JSONB_DEPTH_MAX || !take_leg(t, &c, last))
            return fail_diffs(t);
        if (!open_node(t, n) || n->is_object != last->is_key)
            return fail_unfit(t, path);
        *parent = n;
    }
    return true;
}

/* ---- differences ---- */

static bool apply(struct tree *t, enum diff_op op, struct view path, struct node *value)
{
    struct node *parent;
    struct leg last = {0};
    if (!walk(t, path, &parent, &last))
        return false;
    if (parent == NULL) { /* `$`: only the whole can be replaced */
        t->root = value;
        return op == DIFF_REPLACE || fail_unfit(t, path);
    }
    uint32_t at;
    bool is_there = find_member(parent, &last, &at);
    switch (op) {
    case DIFF_REPLACE:
        if (!is_there)
            return fail_unfit(t, path);
        parent->members[at].value = value;
        return true;
    case DIFF_INSERT: /* an array moves up to make place, or gets longer by one; an object must not have the key yet */
        if ((last.is_key && is_there) || !insert_member(t, parent, at, (struct member){last.key, value}))
            return fail_unfit(t, path);
        return true;
    case DIFF_REMOVE:
        if (!is_there)
            return fail_unfit(t, path);
        remove_member(parent, at);
        return true;
    }
    return fail_diffs(t);
}

static bool apply_all(struct tree *t, struct view diffs)
{
    struct cursor c = cursor_of(diffs);
    while (cursor_left(&c) > 0) {
        uint8_t op = cursor_u8(&c);
        struct view path = cursor_lenenc_view(&c);
        struct node *value = NULL;
        if (op > DIFF_REMOVE || c.bad)
            return fail_diffs(t);
        if (op != DIFF_REMOVE) {
            struct jsonb_part part;
            if (!jsonb_part_root(cursor_lenenc_view(&c), &part) || c.bad)
                return fail_diffs(t);
            value = new_node(t, part);
        }
        if (!apply(t, (enum diff_op)op, path, value))
            return false;
    }
    return true;
}

/* ---- back to bytes ---- */

static uint8_t type_of(const struct node *n)
{
    if (!n->is_open)
        return n->part.type;
    return n->is_object ? (n->is_large ? JSONB_LARGE_OBJECT : JSONB_SMALL_OBJECT)
                        : (n->is_large ? JSONB_LARGE_ARRAY : JSONB_SMALL_ARRAY);
}

/* Bytes that a member's value takes behind the entries of its container. */
static uint64_t outside(const struct node *n, unsigned width)
{
    if (!n->is_open)
        return jsonb_is_inlined(n->part.type, width) ? 0 : n->part.raw.n;
    return n->size;
}

static uint64_t size_with(const struct node *n, unsigned width)
{
    uint64_t size = jsonb_container_head(width, n->is_object, n->count);
    for (uint32_t i = 0; i < n->count; i++)
        size += n->members[i].key.n + outside(n->members[i].value, width);
    return size;
}

/* Open nodes lie on the paths, so the recursion is no deeper than a path is long. */
static void size_node(struct node *n)
{
    if (!n->is_open)
        return;
    for (uint32_t i = 0; i < n->count; i++)
        size_node(n->members[i].value);
    n->size = size_with(n, 2);
    n->is_large = n->size > UINT16_MAX || n->count > UINT16_MAX;
    if (n->is_large)
        n->size = size_with(n, 4);
}

static void put_node(const struct node *n, struct buf *out);

static void put_value_entry(const struct node *n, unsigned width, uint64_t *offset, struct buf *out)
{
    uint8_t type = type_of(n);
    buf_put_u8(out, type);
    if (!jsonb_is_inlined(type, width)) {
        buf_put_le(out, *offset, width);
        *offset += outside(n, width);
        return;
    }
    uint64_t inlined = 0;
    memcpy(&inlined, n->part.raw.p, n->part.raw.n);
    buf_put_le(out, inlined, width);
}

static void put_open(const struct node *n, struct buf *out)
{
    unsigned width = n->is_large ? 4 : 2;
    uint64_t offset = jsonb_container_head(width, n->is_object, n->count);
    buf_put_le(out, n->count, width);
    buf_put_le(out, n->size, width);
    for (uint32_t i = 0; n->is_object && i < n->count; i++) {
        buf_put_le(out, offset, width);
        buf_put_le(out, n->members[i].key.n, 2);
        offset += n->members[i].key.n;
    }
    for (uint32_t i = 0; i < n->count; i++)
        put_value_entry(n->members[i].value, width, &offset, out);
    for (uint32_t i = 0; n->is_object && i < n->count; i++)
        buf_put_view(out, n->members[i].key);
    for (uint32_t i = 0; i < n->count; i++)
        if (!jsonb_is_inlined(type_of(n->members[i].value), width))
            put_node(n->members[i].value, out);
}

static void put_node(const struct node *n, struct buf *out)
{
    if (n->is_open)
        put_open(n, out);
    else
        buf_put_view(out, n->part.raw);
}

bool jsonb_apply_diffs(struct view before_doc, struct view diffs, struct buf *out, struct fail *why)
{
    struct tree t = {.why = why};
    struct jsonb_part root;
    arena_init(&t.memory);
    bool ok = jsonb_part_root(before_doc, &root) ||
              fail_malformed(why, "partial JSON update: the document before it does not follow the binary layout");
    if (ok) {
        t.root = new_node(&t, root);
        ok = apply_all(&t, diffs);
    }
    if (ok) {
        size_node(t.root);
        ok = !t.root->is_open || t.root->size <= UINT32_MAX ||
             fail_malformed(why, "partial JSON update: the document after it would be longer than 4 GiB");
    }
    if (ok) {
        buf_put_u8(out, type_of(t.root));
        put_node(t.root, out);
    }
    arena_fini(&t.memory);
    return ok;
}
