/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes: foreign bytes read within their bounds, and our own bytes written into memory that grows.
 *
 * A view is lent memory: pointer and length, never freed by its holder. A cursor walks over a view and can't
 * leave it: a read past the end gives zero and sets `bad`, which sticks; so a decoder reads a whole structure
 * and asks once. A buf is written at `p`; when `end` is near, its `grow` makes room (heap by default; the
 * row chunks of the reader have their own).
 *
 * Any thread; no structure here is shared.
 */
#ifndef TIDEMARK_BASE_BYTES_H
#define TIDEMARK_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct view {
    const uint8_t *p;
    size_t n;
};

#define VIEW_NONE ((struct view){NULL, 0})

/* The view of a C string or literal, without its end. */
static inline struct view view_of(const char *text)
{
    return (struct view){(const uint8_t *)text, text == NULL ? 0 : strlen(text)};
}

static inline bool view_equal(struct view a, struct view b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool view_is(struct view a, const char *text)
{
    return view_equal(a, view_of(text));
}

/* ASCII letters compare without their case, all else byte by byte. */
bool view_equal_nocase(struct view a, struct view b);

/* For printf: "%.*s", VIEW_ARGS(v); an empty view may be NULL, which printf may not be given. */
#define VIEW_ARGS(v) (int)(v).n, (v).p == NULL ? "" : (const char *)(v).p

/* A NUL-terminated heap copy; the caller frees it. */
char *view_to_string(struct view v);

/* ---- reading ---- */

struct cursor {
    const uint8_t *p;
    const uint8_t *end;
    bool bad;
};

static inline struct cursor cursor_of(struct view v)
{
    return (struct cursor){v.p, v.n == 0 ? v.p : v.p + v.n, false}; /* NULL + 0 is undefined in C */
}

static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->p);
}

/* Takes n bytes; NULL (and bad) when there are fewer. */
static inline const uint8_t *cursor_take(struct cursor *c, size_t n)
{
    if (n > cursor_left(c)) {
        c->bad = true;
        c->p = c->end;
        return NULL;
    }
    const uint8_t *at = c->p;
    c->p += n;
    return at;
}

static inline struct view cursor_view(struct cursor *c, size_t n)
{
    const uint8_t *at = cursor_take(c, n);
    return at == NULL ? VIEW_NONE : (struct view){at, n};
}

/* Little-endian unsigned of 1 to 8 bytes. */
static inline uint64_t cursor_le(struct cursor *c, size_t n)
{
    const uint8_t *at = cursor_take(c, n);
    uint64_t v = 0;
    if (at != NULL)
        memcpy(&v, at, n); /* the machines we build for are little-endian; asserted in bytes.c */
    return v;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    const uint8_t *at = cursor_take(c, 1);
    return at == NULL ? 0 : *at;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
    return (uint16_t)cursor_le(c, 2);
}

static inline uint32_t cursor_u24(struct cursor *c)
{
    return (uint32_t)cursor_le(c, 3);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
    return (uint32_t)cursor_le(c, 4);
}

static inline uint64_t cursor_u48(struct cursor *c)
{
    return cursor_le(c, 6);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
    return cursor_le(c, 8);
}

/* Big-endian unsigned of 1 to 8 bytes. */
uint64_t cursor_be(struct cursor *c, size_t n);

/* MySQL's length-encoded integer (protocol manual, "Protocol::LengthEncodedInteger"); 0xfb and 0xff are bad. */
uint64_t cursor_lenenc(struct cursor *c);

/* A length-encoded integer and so many bytes. */
struct view cursor_lenenc_view(struct cursor *c);

/* ---- writing ---- */

struct buf {
    uint8_t *start;
    uint8_t *p;                               /* next byte to write */
    uint8_t *end;                             /* one past the room there is */
    void (*grow)(struct buf *b, size_t need); /* makes end - p >= need; may move start; never fails */
};

/* An empty heap buffer; buf_fini frees it. Out of memory ends the program. */
void buf_init(struct buf *b);
void buf_fini(struct buf *b);

/* Empties a buffer, keeping its memory. */
static inline void buf_clear(struct buf *b)
{
    b->p = b->start;
}

static inline size_t buf_size(const struct buf *b)
{
    return (size_t)(b->p - b->start);
}

static inline struct view buf_view(const struct buf *b)
{
    return (struct view){b->start, buf_size(b)};
}

/* Makes sure that n bytes can be written at b->p without asking again. */
static inline void buf_need(struct buf *b, size_t n)
{
    if ((size_t)(b->end - b->p) < n)
        b->grow(b, n);
}

static inline void buf_put(struct buf *b, const void *bytes, size_t n)
{
    buf_need(b, n);
    if (n > 0)
        memcpy(b->p, bytes, n);
    b->p += n;
}

static inline void buf_put_view(struct buf *b, struct view v)
{
    buf_put(b, v.p, v.n);
}

static inline void buf_put_text(struct buf *b, const char *text)
{
    buf_put(b, text, strlen(text));
}

/* The length of a literal is known when it is compiled. */
#define buf_put_literal(b, literal) buf_put((b), "" literal, sizeof(literal) - 1)

static inline void buf_put_u8(struct buf *b, uint8_t v)
{
    buf_need(b, 1);
    *b->p++ = v;
}

/* Little-endian, n bytes. */
void buf_put_le(struct buf *b, uint64_t v, size_t n);

/* printf into the buffer, without a NUL. Not for the hot path. */
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- memory that must be there ---- */

/* malloc, calloc, realloc, strdup that end the program when there is no memory: a restart is safe. */
void *mem_alloc(size_t n);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *p, size_t n);
char *mem_strdup(const char *text);

#endif
