/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/java_stream.h"

#include "base/utf8.h"

#include <stdlib.h>

enum {
    STREAM_MAGIC = 0xaced,
    STREAM_VERSION = 5,
    TC_NULL = 0x70,
    TC_REFERENCE = 0x71,
    TC_CLASSDESC = 0x72,
    TC_OBJECT = 0x73,
    TC_STRING = 0x74,
    TC_ARRAY = 0x75,
    TC_BLOCKDATA = 0x77,
    TC_ENDBLOCKDATA = 0x78,
    TC_BLOCKDATALONG = 0x7a,
    TC_LONGSTRING = 0x7c,
    SC_WRITE_METHOD = 0x01,
    SC_SERIALIZABLE = 0x02,
    SC_EXTERNALIZABLE = 0x04,
    SC_BLOCK_DATA = 0x08,
    FIRST_HANDLE = 0x7e0000,
    DEPTH_MAX = 32, /* of values in values */
};

/* What a handle names: a class or a value. */
struct named {
    struct java_class *class;
    struct java_value *value;
};

struct reading {
    struct cursor c;
    struct arena *memory;
    struct named *named;
    unsigned n_named;
    unsigned room;
    unsigned depth;
};

static bool read_value(struct reading *r, struct java_value **out);
static bool read_class(struct reading *r, struct java_class **out);

static void name(struct reading *r, struct java_class *class, struct java_value *value)
{
    if (r->n_named == r->room) {
        r->room = r->room == 0 ? 32 : 2 * r->room;
        r->named = mem_resize(r->named, r->room * sizeof *r->named);
    }
    r->named[r->n_named++] = (struct named){class, value};
}

static const struct named *read_handle(struct reading *r)
{
    uint64_t at = cursor_be(&r->c, 4) - FIRST_HANDLE;
    return !r->c.bad && at < r->n_named ? &r->named[at] : NULL;
}

/* ---- text ---- */

/* One UTF-16 unit; false when it is malformed. */
static bool read_unit(struct cursor *c, uint32_t *unit)
{
    uint32_t a = cursor_u8(c);
    *unit = a;
    if (a < 0x80)
        return true;
    uint32_t b = cursor_u8(c);
    if ((b & 0xc0) != 0x80)
        return false;
    *unit = (a & 0x1f) << 6 | (b & 0x3f);
    if ((a & 0xe0) == 0xc0)
        return true;
    uint32_t d = cursor_u8(c);
    *unit = (a & 0x0f) << 12 | (b & 0x3f) << 6 | (d & 0x3f);
    return (a & 0xf0) == 0xe0 && (d & 0xc0) == 0x80;
}

/* Half a character is malformed: no text of ours has one. */
static bool read_character(struct cursor *c, uint32_t *code)
{
    uint32_t low;
    if (!read_unit(c, code) || (*code & 0xfc00) == 0xdc00)
        return false;
    if ((*code & 0xfc00) != 0xd800)
        return true;
    if (!read_unit(c, &low) || (low & 0xfc00) != 0xdc00)
        return false;
    *code = 0x10000 + ((*code & 0x3ff) << 10) + (low & 0x3ff);
    return true;
}

static bool read_text(struct reading *r, uint64_t n, struct view *out)
{
    if (n > cursor_left(&r->c))
        return false;
    struct cursor c = cursor_of(cursor_view(&r->c, n));
    struct buf text;
    uint32_t code;
    bool ok = true;
    buf_init(&text);
    while (ok && cursor_left(&c) > 0) {
        ok = read_character(&c, &code);
        if (ok)
            utf8_put(&text, code);
    }
    *out = arena_copy(r->memory, buf_view(&text));
    buf_fini(&text);
    return ok && !c.bad;
}

static bool read_name(struct reading *r, struct view *out)
{
    return read_text(r, cursor_be(&r->c, 2), out);
}

/* ---- annotations ---- */

struct annotation {
    struct view block;
    struct java_value **items;
    unsigned n_items;
    unsigned room;
};

static void keep_item(struct reading *r, struct annotation *a, struct java_value *value)
{
    if (a->n_items == a->room) {
        a->room = a->room == 0 ? 4 : 2 * a->room;
        struct java_value **more = arena_alloc(r->memory, a->room * sizeof *more);
        if (a->n_items > 0)
            memcpy(more, a->items, a->n_items * sizeof *more);
        a->items = more;
    }
    a->items[a->n_items++] = value;
}

static bool read_annotation(struct reading *r, struct annotation *a)
{
    *a = (struct annotation){.n_items = 0};
    while (cursor_left(&r->c) > 0) {
        uint8_t tag = *r->c.p;
        struct java_value *value;
        if (tag == TC_ENDBLOCKDATA)
            return cursor_u8(&r->c) == tag;
        if (tag == TC_BLOCKDATA || tag == TC_BLOCKDATALONG) {
            (void)cursor_u8(&r->c);
            uint64_t n = tag == TC_BLOCKDATA ? cursor_u8(&r->c) : cursor_be(&r->c, 4);
            struct view block = cursor_view(&r->c, n);
            if (r->c.bad)
                return false;
            if (a->block.p == NULL)
                a->block = block;
            continue;
        }
        if (!read_value(r, &value))
            return false;
        keep_item(r, a, value);
    }
    return false;
}

/* ---- classes ---- */

static bool read_field(struct reading *r, struct java_field *field)
{
    struct java_value *type;
    field->type = (char)cursor_u8(&r->c);
    if (r->c.bad || strchr("BCDFIJSZL[", field->type) == NULL || field->type == '\0' || !read_name(r, &field->name))
        return false;
    return (field->type != 'L' && field->type != '[') || (read_value(r, &type) && type->kind == JAVA_TEXT);
}

static bool read_new_class(struct reading *r, struct java_class **out)
{
    struct annotation ignored;
    struct java_class *class = arena_zero(r->memory, 1, sizeof *class);
    *out = class;
    if (!read_name(r, &class->name))
        return false;
    (void)cursor_be(&r->c, 8);
    name(r, class, NULL);
    class->flags = cursor_u8(&r->c);
    class->n_fields = (unsigned)cursor_be(&r->c, 2);
    if (r->c.bad || class->n_fields > cursor_left(&r->c))
        return false;
    class->fields = arena_zero(r->memory, class->n_fields, sizeof *class->fields);
    for (unsigned i = 0; i < class->n_fields; i++)
        if (!read_field(r, &class->fields[i]))
            return false;
    return read_annotation(r, &ignored) && read_class(r, &class->super);
}

/* NULL in *out: null, there is none. */
static bool read_class(struct reading *r, struct java_class **out)
{
    const struct named *named;
    bool ok = false;
    *out = NULL;
    if (r->depth++ < DEPTH_MAX) {
        switch (cursor_u8(&r->c)) {
        case TC_NULL:
            ok = !r->c.bad;
            break;
        case TC_REFERENCE:
            named = read_handle(r);
            *out = named == NULL ? NULL : named->class;
            ok = *out != NULL;
            break;
        case TC_CLASSDESC:
            ok = read_new_class(r, out);
            break;
        default:
            break;
        }
    }
    r->depth--;
    return ok;
}

/* ---- objects ---- */

static unsigned bytes_of(char type)
{
    switch (type) {
    case 'B':
    case 'Z':
        return 1;
    case 'C':
    case 'S':
        return 2;
    case 'F':
    case 'I':
        return 4;
    default:
        return 8;
    }
}

static bool read_slot(struct reading *r, char type, struct java_slot *slot)
{
    if (type == 'L' || type == '[')
        return read_value(r, &slot->value);
    slot->bits = cursor_be(&r->c, bytes_of(type));
    return !r->c.bad;
}

static bool read_part(struct reading *r, struct java_part *part)
{
    const struct java_class *class = part->class;
    struct annotation a = {.n_items = 0};
    bool is_external = (class->flags & SC_EXTERNALIZABLE) != 0;
    if (is_external ? (class->flags & SC_BLOCK_DATA) == 0 : (class->flags & SC_SERIALIZABLE) == 0)
        return false;
    part->slots = arena_zero(r->memory, class->n_fields, sizeof *part->slots);
    for (unsigned i = 0; !is_external && i < class->n_fields; i++)
        if (!read_slot(r, class->fields[i].type, &part->slots[i]))
            return false;
    if ((is_external || (class->flags & SC_WRITE_METHOD) != 0) && !read_annotation(r, &a))
        return false;
    part->block = a.block;
    part->items = a.items;
    part->n_items = a.n_items;
    return true;
}

/* A class that is its own ancestor can't be written, but a handle could say so. */
static bool count_line(const struct java_class *class, unsigned *n)
{
    for (*n = 0; class != NULL; class = class->super)
        if (++*n > DEPTH_MAX)
            return false;
    return *n > 0;
}

static bool read_object(struct reading *r, struct java_value *v)
{
    struct java_class *class;
    if (!read_class(r, &class) || !count_line(class, &v->n_parts))
        return false;
    name(r, NULL, v);
    v->kind = JAVA_OBJECT;
    v->class = class;
    v->parts = arena_zero(r->memory, v->n_parts, sizeof *v->parts);
    for (unsigned i = v->n_parts; i-- > 0; class = class->super)
        v->parts[i].class = class;
    for (unsigned i = 0; i < v->n_parts; i++)
        if (!read_part(r, &v->parts[i]))
            return false;
    return true;
}

static bool read_array(struct reading *r, struct java_value *v)
{
    struct java_class *class;
    if (!read_class(r, &class) || class == NULL || class->name.n < 2 || class->name.p[0] != '[')
        return false;
    name(r, NULL, v);
    v->class = class;
    uint64_t n = cursor_be(&r->c, 4);
    if (r->c.bad || n > cursor_left(&r->c)) /* an element has at least one byte */
        return false;
    if (view_is(class->name, "[B")) {
        v->kind = JAVA_BYTES;
        v->bytes = cursor_view(&r->c, n);
        return true;
    }
    if (class->name.p[1] != 'L' && class->name.p[1] != '[')
        return false;
    v->kind = JAVA_ARRAY;
    v->n_items = (unsigned)n;
    v->items = arena_zero(r->memory, n, sizeof *v->items);
    for (unsigned i = 0; i < v->n_items; i++)
        if (!read_value(r, &v->items[i]))
            return false;
    return true;
}

static bool read_string(struct reading *r, uint64_t n, struct java_value *v)
{
    v->kind = JAVA_TEXT;
    name(r, NULL, v);
    return !r->c.bad && read_text(r, n, &v->bytes);
}

static bool read_content(struct reading *r, struct java_value **out)
{
    const struct named *named;
    struct java_value *v = arena_zero(r->memory, 1, sizeof *v);
    *out = v;
    switch (cursor_u8(&r->c)) {
    case TC_NULL:
        v->kind = JAVA_NULL;
        return !r->c.bad;
    case TC_REFERENCE:
        named = read_handle(r);
        *out = named == NULL ? NULL : named->value;
        return *out != NULL;
    case TC_STRING:
        return read_string(r, cursor_be(&r->c, 2), v);
    case TC_LONGSTRING:
        return read_string(r, cursor_be(&r->c, 8), v);
    case TC_OBJECT:
        return read_object(r, v);
    case TC_ARRAY:
        return read_array(r, v);
    default:
        return false;
    }
}

static bool read_value(struct reading *r, struct java_value **out)
{
    bool ok = r->depth++ < DEPTH_MAX && read_content(r, out);
    r->depth--;
    return ok;
}

/* ---- the door ---- */

bool java_stream_read(struct view bytes, struct arena *memory, const struct java_value **out, struct fail *why)
{
    struct reading r = {.c = cursor_of(bytes), .memory = memory};
    struct java_value *value = NULL;
    bool ok = cursor_be(&r.c, 2) == STREAM_MAGIC && cursor_be(&r.c, 2) == STREAM_VERSION && read_value(&r, &value) &&
              cursor_left(&r.c) == 0;
    free(r.named);
    *out = value;
    return ok || fail_malformed(why, "at byte %zu of %zu the Java serialisation can't be read",
                                bytes.n - cursor_left(&r.c), bytes.n);
}

const struct java_part *java_value_part(const struct java_value *v, const char *class_name)
{
    for (unsigned i = 0; v->kind == JAVA_OBJECT && i < v->n_parts; i++)
        if (view_is(v->parts[i].class->name, class_name))
            return &v->parts[i];
    return NULL;
}

const struct java_slot *java_part_slot(const struct java_part *part, const char *name)
{
    for (unsigned i = 0; i < part->class->n_fields; i++)
        if (view_is(part->class->fields[i].name, name))
            return &part->slots[i];
    return NULL;
}
