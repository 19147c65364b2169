/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/charset.h"

#include "base/fail.h"
#include "binlog/charset_tables.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- names and numbers ---- */

const struct charset *charset_at(unsigned n)
{
    return n < CHARSET_COUNT ? &charset_list[n] : NULL;
}

const struct charset *charset_find(struct view name)
{
    if (view_equal_nocase(name, view_of("utf8")))
        name = view_of("utf8mb3");
    for (unsigned i = 0; i < CHARSET_COUNT; i++)
        if (view_equal_nocase(name, view_of(charset_list[i].name)))
            return &charset_list[i];
    return NULL;
}

static const struct charset_collation *find_collation(struct view name)
{
    for (unsigned i = 0; i < CHARSET_COLLATION_COUNT; i++)
        if (view_equal_nocase(name, view_of(charset_collations[i].name)))
            return &charset_collations[i];
    return NULL;
}

const struct charset *charset_of_collation(struct view name)
{
    const struct charset_collation *c = find_collation(name);
    char renamed[64]; /* utf8_bin is what utf8mb3_bin was called before 8.0.30 */
    if (c == NULL && name.n > 5 && name.n < sizeof renamed - 3 &&
        view_equal_nocase((struct view){name.p, 5}, view_of("utf8_"))) {
        memcpy(renamed, "utf8mb3", 7);
        memcpy(renamed + 7, name.p + 4, name.n - 4);
        c = find_collation((struct view){(const uint8_t *)renamed, name.n + 3});
    }
    return c == NULL ? NULL : &charset_list[c->charset];
}

static const struct charset_collation *collation_of_id(uint32_t id)
{
    unsigned low = 0, high = CHARSET_COLLATION_COUNT;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (charset_collations[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < CHARSET_COLLATION_COUNT && charset_collations[low].id == id ? &charset_collations[low] : NULL;
}

const struct charset *charset_of_collation_id(uint32_t id)
{
    const struct charset_collation *c = collation_of_id(id);
    return c == NULL ? NULL : &charset_list[c->charset];
}

const char *charset_collation_name(uint32_t id)
{
    const struct charset_collation *c = collation_of_id(id);
    return c == NULL ? "" : c->name;
}

/* ---- double-byte tables ---- */

static unsigned width_of(const struct charset_wide *w)
{
    return w->trail_max - w->trail_min + 1U;
}

static unsigned cells_of(const struct charset_wide *w)
{
    return (w->lead_max - w->lead_min + 1U) * width_of(w);
}

static void unpack_rows(const struct charset_wide *w, uint16_t *cells)
{
    for (unsigned row = 0; row <= (unsigned)(w->lead_max - w->lead_min); row++) {
        uint16_t *cell = cells + row * width_of(w);
        struct view text = view_of(w->rows[row]);
        while (text.n > 0) {
            struct utf8_step step = utf8_step(text.p, text.n);
            *cell++ = (uint16_t)step.code;
            text = (struct view){text.p + step.bytes, text.n - step.bytes};
        }
    }
}

static void unpack(const struct charset_wide *w, uint16_t *cells)
{
    if (w->base != NULL)
        unpack(w->base, cells);
    else
        unpack_rows(w, cells);
    for (unsigned i = 0; i < w->n_runs; i++) {
        const struct charset_run *run = &w->runs[i];
        bool is_hole = run->code == UTF8_REPLACEMENT;
        for (unsigned k = 0; k < run->n; k++)
            cells[run->cell + k] = (uint16_t)(is_hole ? UTF8_REPLACEMENT : run->code + k);
    }
}

static _Atomic(const uint16_t *) unpacked[CHARSET_SLOTS];

static const uint16_t *unpack_once(const struct charset_wide *w)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const uint16_t *cells = atomic_load_explicit(&unpacked[w->slot], memory_order_relaxed);
    if (cells == NULL) {
        unsigned n = cells_of(w);
        uint16_t *fresh = mem_alloc(n * sizeof *fresh);
        for (unsigned i = 0; i < n; i++)
            fresh[i] = UTF8_REPLACEMENT;
        unpack(w, fresh);
        cells = fresh;
        atomic_store_explicit(&unpacked[w->slot], cells, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return cells;
}

static struct utf8_step malformed(uint32_t bytes)
{
    return (struct utf8_step){UTF8_REPLACEMENT, bytes, true};
}

static struct utf8_step found(uint32_t code, uint32_t bytes)
{
    return (struct utf8_step){code, bytes, code == UTF8_REPLACEMENT};
}

/* Lead and trail byte at p; a lead without a trail of its range stands alone. */
static struct utf8_step step_pair(const struct charset_wide *w, const uint8_t *p, size_t n)
{
    if (n < 2 || p[0] < w->lead_min || p[0] > w->lead_max || p[1] < w->trail_min || p[1] > w->trail_max)
        return malformed(1);
    const uint16_t *cells = atomic_load_explicit(&unpacked[w->slot], memory_order_acquire);
    if (cells == NULL)
        cells = unpack_once(w);
    return found(cells[(unsigned)(p[0] - w->lead_min) * width_of(w) + (unsigned)(p[1] - w->trail_min)], 2);
}

/* ---- one character ---- */

struct utf8_step charset_step_utf8(const struct charset *cs, const uint8_t *p, size_t n)
{
    (void)cs;
    return utf8_step(p, n);
}

struct utf8_step charset_step_ascii(const struct charset *cs, const uint8_t *p, size_t n)
{
    (void)cs;
    (void)n;
    return p[0] < 0x80 ? found(p[0], 1) : malformed(1);
}

struct utf8_step charset_step_single(const struct charset *cs, const uint8_t *p, size_t n)
{
    (void)n;
    return found(cs->single[p[0]], 1);
}

struct utf8_step charset_step_wide(const struct charset *cs, const uint8_t *p, size_t n)
{
    return p[0] < 0x80 ? found(p[0], 1) : step_pair(cs->wide, p, n);
}

/* Shift JIS has its half-width katakana in one byte. */
struct utf8_step charset_step_kana(const struct charset *cs, const uint8_t *p, size_t n)
{
    if (p[0] >= 0xa1 && p[0] <= 0xdf)
        return found(0xff61U + (p[0] - 0xa1U), 1);
    return charset_step_wide(cs, p, n);
}

struct utf8_step charset_step_euc(const struct charset *cs, const uint8_t *p, size_t n)
{
    if (p[0] != 0x8f)
        return charset_step_wide(cs, p, n);
    struct utf8_step step = step_pair(cs->wide_8f, p + 1, n - 1);
    if (step.bytes == 1)
        return malformed(1);
    step.bytes = 3;
    return step;
}

/* Four-byte codes count by 10, 126, 10: the basic plane in runs, the others in one line from 90308130 on. */
static struct utf8_step step_linear(const uint8_t *p)
{
    enum { ASTRAL = 189000 };
    uint32_t at = (((p[0] - 0x81U) * 10 + (p[1] - 0x30U)) * 126 + (p[2] - 0x81U)) * 10 + (p[3] - 0x30U);
    if (at >= ASTRAL)
        return at - ASTRAL < 0x100000 ? found(0x10000 + at - ASTRAL, 4) : found(UTF8_REPLACEMENT, 4);
    unsigned low = 0, high = charset_gb18030_linear_count;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (charset_gb18030_linear[middle].first <= at)
            low = middle;
        else
            high = middle;
    }
    const struct charset_linear *run = &charset_gb18030_linear[low];
    return found(at - run->first < run->n ? run->code + (at - run->first) : UTF8_REPLACEMENT, 4);
}

struct utf8_step charset_step_gb18030(const struct charset *cs, const uint8_t *p, size_t n)
{
    if (n < 2 || p[0] < 0x81 || p[0] > 0xfe || p[1] < 0x30 || p[1] > 0x39)
        return charset_step_wide(cs, p, n);
    if (n < 4 || p[2] < 0x81 || p[2] > 0xfe || p[3] < 0x30 || p[3] > 0x39)
        return malformed(1);
    return step_linear(p);
}

static bool is_surrogate(uint32_t code)
{
    return code >= 0xd800 && code <= 0xdfff;
}

struct utf8_step charset_step_ucs2(const struct charset *cs, const uint8_t *p, size_t n)
{
    (void)cs;
    if (n < 2)
        return malformed(1);
    uint32_t code = (uint32_t)p[0] << 8 | p[1];
    return is_surrogate(code) ? malformed(2) : found(code, 2);
}

/* high is where the more significant byte of each unit stands: 0 in UTF-16BE, 1 in UTF-16LE. */
static struct utf8_step step_utf16(const uint8_t *p, size_t n, unsigned high)
{
    if (n < 2)
        return malformed(1);
    uint32_t code = (uint32_t)p[high] << 8 | p[1 - high];
    if (!is_surrogate(code))
        return found(code, 2);
    if (code >= 0xdc00 || n < 4)
        return malformed(code >= 0xdc00 ? 2 : (uint32_t)n);
    uint32_t low = (uint32_t)p[2 + high] << 8 | p[3 - high];
    if (low < 0xdc00 || low > 0xdfff)
        return malformed(2);
    return found(0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00)), 4);
}

struct utf8_step charset_step_utf16(const struct charset *cs, const uint8_t *p, size_t n)
{
    (void)cs;
    return step_utf16(p, n, 0);
}

struct utf8_step charset_step_utf16le(const struct charset *cs, const uint8_t *p, size_t n)
{
    (void)cs;
    return step_utf16(p, n, 1);
}

struct utf8_step charset_step_utf32(const struct charset *cs, const uint8_t *p, size_t n)
{
    (void)cs;
    if (n < 4)
        return malformed((uint32_t)n);
    uint32_t code = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    return code > 0x10ffff || is_surrogate(code) ? malformed(4) : found(code, 4);
}

/* ---- whole values ---- */

void charset_to_utf8(const struct charset *cs, struct view bytes, struct buf *out)
{
    if (cs == NULL || cs->is_utf8 || cs->is_binary) {
        utf8_put_repaired(out, bytes);
        return;
    }
    size_t at = 0;
    while (at < bytes.n) {
        if (cs->is_ascii) {
            size_t run = utf8_ascii_run(bytes.p + at, bytes.n - at);
            buf_put(out, bytes.p + at, run);
            at += run;
            if (at == bytes.n)
                break;
        }
        struct utf8_step step = charset_step(cs, bytes.p + at, bytes.n - at);
        utf8_put(out, step.code);
        at += step.bytes;
    }
}
