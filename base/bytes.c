/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "cursor_le and buf_put_le copy little-endian bytes");

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

bool view_equal_nocase(struct view a, struct view b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

char *view_to_string(struct view v)
{
    char *text = mem_alloc(v.n + 1);
    if (v.n > 0)
        memcpy(text, v.p, v.n);
    text[v.n] = '\0';
    return text;
}

uint64_t cursor_be(struct cursor *c, size_t n)
{
    const uint8_t *at = cursor_take(c, n);
    uint64_t v = 0;
    for (size_t i = 0; at != NULL && i < n; i++)
        v = v << 8 | at[i];
    return v;
}

uint64_t cursor_lenenc(struct cursor *c)
{
    uint8_t first = cursor_u8(c);
    if (first < 0xfb)
        return first;
    switch (first) {
    case 0xfc:
        return cursor_le(c, 2);
    case 0xfd:
        return cursor_le(c, 3);
    case 0xfe:
        return cursor_le(c, 8);
    default:
        c->bad = true;
        return 0;
    }
}

struct view cursor_lenenc_view(struct cursor *c)
{
    uint64_t n = cursor_lenenc(c);
    if (n > cursor_left(c)) {
        c->bad = true;
        return VIEW_NONE;
    }
    return cursor_view(c, (size_t)n);
}

static void heap_grow(struct buf *b, size_t need)
{
    size_t used = buf_size(b);
    size_t room = (size_t)(b->end - b->start);
    size_t want = room < 64 ? 64 : room * 2;
    while (want - used < need)
        want *= 2;
    b->start = mem_resize(b->start, want);
    b->p = b->start + used;
    b->end = b->start + want;
}

void buf_init(struct buf *b)
{
    *b = (struct buf){.grow = heap_grow};
}

void buf_fini(struct buf *b)
{
    free(b->start);
    *b = (struct buf){.grow = heap_grow};
}

void buf_put_le(struct buf *b, uint64_t v, size_t n)
{
    buf_put(b, &v, n);
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        return;
    buf_need(b, (size_t)n + 1);
    va_start(args, format);
    vsnprintf((char *)b->p, (size_t)n + 1, format, args);
    va_end(args);
    b->p += n;
}

static void *there(void *p)
{
    if (p == NULL) {
        fputs("tidemark: out of memory; nothing is lost, start it again\n", stderr);
        abort();
    }
    return p;
}

void *mem_alloc(size_t n)
{
    return there(malloc(n == 0 ? 1 : n));
}

void *mem_zero(size_t count, size_t size)
{
    return there(calloc(count == 0 ? 1 : count, size == 0 ? 1 : size));
}

void *mem_resize(void *p, size_t n)
{
    return there(realloc(p, n == 0 ? 1 : n));
}

char *mem_strdup(const char *text)
{
    return there(strdup(text));
}
