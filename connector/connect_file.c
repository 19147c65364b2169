/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/connect_file.h"

#include "connector/java_stream.h"

static bool is_bytes_or_null(const struct java_value *v)
{
    return v->kind == JAVA_BYTES || v->kind == JAVA_NULL;
}

/* The entries of the map, or NULL. */
static const struct java_part *entries_of(const struct java_value *map)
{
    const struct java_part *part = java_value_part(map, "java.util.HashMap");
    if (part == NULL || part->n_items % 2 != 0)
        return NULL;
    struct cursor c = cursor_of(part->block);
    (void)cursor_be(&c, 4); /* capacity */
    if (cursor_be(&c, 4) != part->n_items / 2 || c.bad)
        return NULL;
    for (unsigned i = 0; i < part->n_items; i++)
        if (!is_bytes_or_null(part->items[i]))
            return NULL;
    return part;
}

static bool hand_over(const struct java_part *part, state_topic_fn on_record, void *ctx, struct fail *why)
{
    for (unsigned i = 0; i < part->n_items; i += 2) {
        const struct java_value *key = part->items[i];
        const struct java_value *value = part->items[i + 1];
        if (!on_record(ctx, key->bytes, value->kind == JAVA_BYTES, value->bytes, why))
            return false;
    }
    return true;
}

bool connect_file_read(struct view bytes, state_topic_fn on_record, void *ctx, struct fail *why)
{
    struct arena memory;
    const struct java_value *map;
    arena_init(&memory);
    bool ok = java_stream_read(bytes, &memory, &map, why);
    const struct java_part *part = ok ? entries_of(map) : NULL;
    if (ok && part == NULL)
        ok = fail_malformed(why, "it is a Java object, but no map from byte[] to byte[]");
    ok = ok && hand_over(part, on_record, ctx, why);
    arena_fini(&memory);
    return ok;
}

/* ---- writing ---- */

static void put_be32(struct buf *out, size_t v)
{
    for (unsigned i = 4; i-- > 0;)
        buf_put_u8(out, (uint8_t)(v >> 8 * i));
}

/* The description of byte[] stands with the first one, a handle in front of the second. */
static void put_first(struct buf *out, struct view bytes)
{
    buf_put_literal(out, "\x75\x72\0\2[B\xac\xf3\x17\xf8\x06\x08\x54\xe0\2\0\0\x78\x70");
    put_be32(out, bytes.n);
    buf_put_view(out, bytes);
}

static void put_second(struct buf *out, struct view bytes)
{
    buf_put_literal(out, "\x75\x71\0\x7e\0\2");
    put_be32(out, bytes.n);
    buf_put_view(out, bytes);
}

void connect_file_print(struct view key, struct view value, struct buf *out)
{
    buf_put_literal(out, "\xac\xed\0\5\x73\x72\0\x11java.util.HashMap\5\7\xda\xc1\xc3\x16\x60\xd1\3\0\2");
    buf_put_literal(out, "F\0\x0aloadFactorI\0\x09thresholdxp");
    buf_put_literal(out, "\x3f\x40\0\0\0\0\0\x0c\x77\x08\0\0\0\x10\0\0\0\1"); /* 0.75, 12; capacity 16, one entry */
    put_first(out, key);
    put_second(out, value);
    buf_put_u8(out, 0x78);
}
