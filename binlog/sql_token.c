/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/sql_token.h"

#include "base/ascii.h"
#include "base/utf8.h"

static enum sql_pairs pairs_of(const struct charset *charset)
{
    static const struct {
        const char *name;
        enum sql_pairs pairs;
    } known[] = {
        {"sjis", SQL_PAIRS_SJIS},   {"cp932", SQL_PAIRS_SJIS}, {"gbk", SQL_PAIRS_GBK},
        {"gb18030", SQL_PAIRS_GBK}, {"big5", SQL_PAIRS_BIG5},
    };
    for (size_t i = 0; charset != NULL && i < sizeof known / sizeof *known; i++)
        if (strcmp(charset->name, known[i].name) == 0)
            return known[i].pairs;
    return SQL_PAIRS_NONE;
}

void sql_scan(struct sql_scanner *s, struct view text, const struct charset *charset, bool ansi_quotes,
              bool no_backslash_escapes, uint32_t version)
{
    *s = (struct sql_scanner){
        .at = cursor_of(text),
        .charset = charset,
        .version = version,
        .pairs = pairs_of(charset),
        .ansi_quotes = ansi_quotes,
        .no_backslash_escapes = no_backslash_escapes,
    };
}

/* ---- characters */

/* The byte n places on; 0 behind the end. */
static uint8_t peek(const struct sql_scanner *s, size_t n)
{
    return cursor_left(&s->at) > n ? s->at.p[n] : 0;
}

static bool at_end(const struct sql_scanner *s)
{
    return cursor_left(&s->at) == 0;
}

static bool is_hex(uint8_t c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_bit(uint8_t c)
{
    return c == '0' || c == '1';
}

static bool is_name_byte(uint8_t c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}

static bool opens_pair(enum sql_pairs pairs, uint8_t c)
{
    switch (pairs) {
    case SQL_PAIRS_NONE:
        return false;
    case SQL_PAIRS_SJIS:
        return (c >= 0x81 && c <= 0x9f) || (c >= 0xe0 && c <= 0xfc);
    case SQL_PAIRS_GBK:
        return c >= 0x81 && c <= 0xfe;
    case SQL_PAIRS_BIG5:
        return c >= 0xa1 && c <= 0xf9;
    }
    return false;
}

/* Is there a character of two bytes, the second of which isn't to be looked at? */
static bool is_pair(enum sql_pairs pairs, const struct cursor *at)
{
    return pairs != SQL_PAIRS_NONE && cursor_left(at) >= 2 && opens_pair(pairs, at->p[0]) &&
           (at->p[1] >= 0x40 || ascii_is_digit(at->p[1]));
}

static void skip(struct sql_scanner *s, size_t n)
{
    size_t left = cursor_left(&s->at);
    cursor_take(&s->at, n < left ? n : left);
}

static void skip_name(struct sql_scanner *s)
{
    while (is_name_byte(peek(s, 0)))
        skip(s, is_pair(s->pairs, &s->at) ? 2 : 1);
}

/* ---- comments */

static void skip_line(struct sql_scanner *s)
{
    while (!at_end(s) && peek(s, 0) != '\n')
        skip(s, 1);
}

/* To the end of a comment whose opening has been passed; `nested` comments inside it are allowed for. */
static bool skip_comment(struct sql_scanner *s, bool nested)
{
    bool is_inside = false;
    while (!at_end(s)) {
        if (peek(s, 0) == '*' && peek(s, 1) == '/') {
            skip(s, 2);
            if (!is_inside)
                return true;
            is_inside = false;
        } else if (nested && !is_inside && peek(s, 0) == '/' && peek(s, 1) == '*') {
            skip(s, 2);
            is_inside = true;
        } else {
            skip(s, 1);
        }
    }
    return false;
}

/* Behind the exclamation mark: five or six digits, or none. */
static bool open_executable(struct sql_scanner *s)
{
    uint32_t version = 0;
    size_t n = 0;
    while (n < 6 && ascii_is_digit(peek(s, n)))
        version = version * 10 + (uint32_t)(peek(s, n++) - '0');
    if (n < 5) {
        s->in_executable = true;
        return true;
    }
    skip(s, n);
    if (s->version != 0 && version > s->version)
        return skip_comment(s, true);
    s->in_executable = true;
    return true;
}

/* Passes one comment; false when there is none here. *is_whole: it has an end. */
static bool pass_comment(struct sql_scanner *s, bool *is_whole)
{
    uint8_t c = peek(s, 0);
    uint8_t next = peek(s, 1);
    *is_whole = true;
    if (c == '#' || (c == '-' && next == '-' && peek(s, 2) <= ' ')) {
        skip_line(s);
        return true;
    }
    if (c == '*' && next == '/' && s->in_executable) {
        skip(s, 2);
        s->in_executable = false;
        return true;
    }
    if (c != '/' || next != '*')
        return false;
    skip(s, 2);
    if (peek(s, 0) == '!' && !s->in_executable) {
        skip(s, 1);
        *is_whole = open_executable(s);
    } else {
        *is_whole = skip_comment(s, false);
    }
    return true;
}

/* ---- tokens */

static struct sql_token token(const struct sql_scanner *s, enum sql_token_kind kind, const uint8_t *start)
{
    return (struct sql_token){kind, {start, (size_t)(s->at.p - start)}, 0};
}

/* Text in quotes of any kind, the first of which is here; a doubled quote stands for itself. */
static struct sql_token quoted(struct sql_scanner *s, enum sql_token_kind kind, const uint8_t *start, bool has_escapes)
{
    uint8_t quote = peek(s, 0);
    skip(s, 1);
    while (!at_end(s)) {
        uint8_t c = peek(s, 0);
        bool is_two = is_pair(s->pairs, &s->at) || (c == '\\' && has_escapes) || (c == quote && peek(s, 1) == quote);
        skip(s, is_two ? 2 : 1);
        if (c == quote && !is_two)
            return token(s, kind, start);
    }
    return token(s, SQL_BROKEN, start);
}

/* x'…' and b'…'. */
static struct sql_token quoted_digits(struct sql_scanner *s, enum sql_token_kind kind, bool (*is_one)(uint8_t))
{
    const uint8_t *start = s->at.p;
    skip(s, 2);
    while (is_one(peek(s, 0)))
        skip(s, 1);
    bool is_closed = peek(s, 0) == '\'';
    skip(s, is_closed ? 1 : 0);
    return token(s, is_closed ? kind : SQL_BROKEN, start);
}

/* 0x… and 0b…; false, and nowhere, when it is a name after all. */
static bool prefixed_digits(struct sql_scanner *s, enum sql_token_kind kind, bool (*is_one)(uint8_t),
                            struct sql_token *t)
{
    struct sql_scanner back = *s;
    const uint8_t *start = s->at.p;
    skip(s, 2);
    while (is_one(peek(s, 0)))
        skip(s, 1);
    *t = token(s, kind, start);
    if (t->text.n > 2 && !is_name_byte(peek(s, 0)))
        return true;
    *s = back;
    return false;
}

static bool skip_exponent(struct sql_scanner *s)
{
    uint8_t c = peek(s, 0);
    if (c != 'e' && c != 'E')
        return false;
    size_t sign = peek(s, 1) == '+' || peek(s, 1) == '-' ? 1 : 0;
    if (!ascii_is_digit(peek(s, 1 + sign)))
        return false;
    skip(s, 1 + sign);
    while (ascii_is_digit(peek(s, 0)))
        skip(s, 1);
    return true;
}

/* A number, or a name that starts with digits. */
static struct sql_token number(struct sql_scanner *s)
{
    const uint8_t *start = s->at.p;
    struct sql_token t;
    if (peek(s, 0) == '0' && peek(s, 1) == 'x' && prefixed_digits(s, SQL_HEX, is_hex, &t))
        return t;
    if (peek(s, 0) == '0' && peek(s, 1) == 'b' && prefixed_digits(s, SQL_BITS, is_bit, &t))
        return t;
    while (ascii_is_digit(peek(s, 0)))
        skip(s, 1);
    if (skip_exponent(s))
        return token(s, SQL_NUMBER, start);
    if (is_name_byte(peek(s, 0))) {
        skip_name(s);
        return token(s, SQL_WORD, start);
    }
    if (peek(s, 0) == '.') {
        skip(s, 1);
        while (ascii_is_digit(peek(s, 0)))
            skip(s, 1);
        skip_exponent(s);
    }
    return token(s, SQL_NUMBER, start);
}

static struct sql_token word(struct sql_scanner *s)
{
    const uint8_t *start = s->at.p;
    uint8_t c = peek(s, 0);
    if (peek(s, 1) == '\'') {
        if (c == 'x' || c == 'X')
            return quoted_digits(s, SQL_HEX, is_hex);
        if (c == 'b' || c == 'B')
            return quoted_digits(s, SQL_BITS, is_bit);
        if (c == 'n' || c == 'N') {
            skip(s, 1);
            return quoted(s, SQL_NATIONAL, start, !s->no_backslash_escapes);
        }
    }
    skip_name(s);
    return token(s, SQL_WORD, start);
}

static struct sql_token sign(struct sql_scanner *s)
{
    const uint8_t *start = s->at.p;
    uint8_t c = peek(s, 0);
    skip(s, 1);
    struct sql_token t = token(s, SQL_SIGN, start);
    t.sign = c;
    return t;
}

static struct sql_token cut(struct sql_scanner *s)
{
    const uint8_t *start = s->at.p;
    uint8_t c = peek(s, 0);
    if (c == '`' || (c == '"' && s->ansi_quotes))
        return quoted(s, SQL_NAME, start, false);
    if (c == '\'' || c == '"')
        return quoted(s, SQL_STRING, start, !s->no_backslash_escapes);
    if (s->is_after_dot && is_name_byte(c)) {
        skip_name(s);
        return token(s, SQL_WORD, start);
    }
    if (ascii_is_digit(c) || (c == '.' && ascii_is_digit(peek(s, 1)) && s->name_end != start))
        return number(s);
    return is_name_byte(c) ? word(s) : sign(s);
}

struct sql_token sql_next(struct sql_scanner *s)
{
    bool is_whole = true;
    const uint8_t *start = s->at.p;
    while (ascii_is_blank(peek(s, 0)) || pass_comment(s, &is_whole)) {
        if (!is_whole)
            return token(s, SQL_BROKEN, start);
        if (ascii_is_blank(peek(s, 0)))
            skip(s, 1);
        start = s->at.p;
    }
    if (at_end(s))
        return token(s, SQL_END, start);
    struct sql_token t = cut(s);
    s->is_after_dot = t.sign == '.';
    s->name_end = t.kind == SQL_WORD || t.kind == SQL_NAME ? s->at.p : NULL;
    return t;
}

bool sql_is_word(const struct sql_token *t, const char *keyword)
{
    if (t->kind != SQL_WORD)
        return false;
    for (size_t i = 0; i < t->text.n; i++) {
        uint8_t c = t->text.p[i];
        if ((c >= 'a' && c <= 'z' ? c - 32 : c) != keyword[i]) /* its NUL ends it too */
            return false;
    }
    return keyword[t->text.n] == '\0';
}

/* ---- what they stand for */

struct view sql_utf8(const struct charset *charset, struct view text, struct arena *memory)
{
    bool is_utf8 = charset == NULL || charset->is_utf8;
    if ((charset != NULL && charset->is_binary) || (is_utf8 && utf8_is_valid(text)))
        return text;
    struct buf out;
    buf_init(&out);
    if (is_utf8)
        utf8_put_repaired(&out, text);
    else
        charset_to_utf8(charset, text, &out);
    struct view copy = arena_copy(memory, buf_view(&out));
    buf_fini(&out);
    return copy;
}

/* What the character behind a backslash stands for; % and _ keep their backslash. */
static void put_escaped(uint8_t **out, uint8_t c)
{
    static const char from[] = "0bnrtZ";
    static const char to[] = "\0\b\n\r\t\x1a";
    const char *found = c == 0 ? NULL : strchr(from, c);
    if (c == '%' || c == '_')
        *(*out)++ = '\\';
    *(*out)++ = found == NULL ? c : (uint8_t)to[found - from];
}

/* The inside of quotes, with doubled quotes and escapes undone; lent when there are none. */
static struct view unquote(struct view inside, uint8_t quote, enum sql_pairs pairs, bool has_escapes,
                           struct arena *memory)
{
    if (inside.n == 0 ||
        (memchr(inside.p, quote, inside.n) == NULL && (!has_escapes || memchr(inside.p, '\\', inside.n) == NULL)))
        return inside;
    uint8_t *start = arena_alloc(memory, inside.n);
    uint8_t *out = start;
    struct cursor c = cursor_of(inside);
    while (cursor_left(&c) > 0) {
        bool pair = is_pair(pairs, &c);
        uint8_t first = cursor_u8(&c);
        if (pair) {
            *out++ = first;
            *out++ = cursor_u8(&c);
        } else if (first == '\\' && has_escapes && cursor_left(&c) > 0) {
            put_escaped(&out, cursor_u8(&c));
        } else {
            *out++ = first;
            if (first == quote && cursor_left(&c) > 0 && *c.p == quote)
                cursor_take(&c, 1);
        }
    }
    return (struct view){start, (size_t)(out - start)};
}

static struct view between_quotes(struct view text)
{
    size_t skipped = text.n > 0 && (text.p[0] == 'n' || text.p[0] == 'N') ? 2 : 1;
    if (text.n < skipped + 1)
        return VIEW_NONE;
    return (struct view){text.p + skipped, text.n - skipped - 1};
}

struct view sql_name(const struct sql_scanner *s, const struct sql_token *t, struct arena *memory)
{
    struct view bytes = t->text;
    if (t->kind == SQL_NAME)
        bytes = unquote(between_quotes(t->text), t->text.p[0], s->pairs, false, memory);
    return sql_utf8(s->charset, bytes, memory);
}

struct view sql_string(const struct sql_scanner *s, const struct sql_token *t, const struct charset *charset,
                       struct arena *memory)
{
    uint8_t quote = t->text.p[t->text.n - 1];
    struct view bytes = unquote(between_quotes(t->text), quote, s->pairs, !s->no_backslash_escapes, memory);
    if (t->kind == SQL_NATIONAL) /* N'…' is UTF-8 whatever the client's charset */
        return sql_utf8(NULL, bytes, memory);
    return sql_utf8(charset == NULL ? s->charset : charset, bytes, memory);
}

struct view sql_digits(const struct sql_token *t)
{
    size_t n = t->text.n - 2;
    bool is_quoted = n > 0 && t->text.p[1] == '\'';
    return (struct view){t->text.p + 2, is_quoted ? n - 1 : n};
}

/* ---- writing */

void sql_put_quoted(struct buf *out, struct view name, char quote)
{
    buf_put_u8(out, (uint8_t)quote);
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == (uint8_t)quote)
            buf_put_u8(out, (uint8_t)quote);
        buf_put_u8(out, name.p[i]);
    }
    buf_put_u8(out, (uint8_t)quote);
}

void sql_put_name(struct buf *out, struct view name)
{
    sql_put_quoted(out, name, '`');
}

void sql_put_string(struct buf *out, struct view text)
{
    buf_put_u8(out, '\'');
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        if (c == '\'' || c == '\\')
            buf_put_u8(out, c);
        if (c == 0)
            buf_put_u8(out, '\\');
        buf_put_u8(out, c == 0 ? '0' : c);
    }
    buf_put_u8(out, '\'');
}
