/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/jaas.h"

static bool refuse(struct fail *why, const char *what)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "%s; expected CLASS required username=\"…\" password=\"…\";",
                    what);
}

static bool is_blank(uint8_t c)
{
    return c <= ' ';
}

static bool is_mark(uint8_t c)
{
    return c == '=' || c == ';' || c == '"';
}

static void pass_blanks(struct cursor *c)
{
    while (cursor_left(c) > 0 && is_blank(*c->p))
        cursor_u8(c);
}

static bool take_mark(struct cursor *c, char mark)
{
    pass_blanks(c);
    return cursor_left(c) > 0 && *c->p == mark && cursor_take(c, 1) != NULL;
}

/* After the backslash of a quoted text. */
static uint8_t take_escaped(struct cursor *c)
{
    static const char from[] = "nrtbfav", to[] = "\n\r\t\b\f\a\v";
    uint8_t b = cursor_u8(c);
    const char *hit = b == 0 ? NULL : strchr(from, b);
    if (hit != NULL)
        return (uint8_t)to[hit - from];
    if (b < '0' || b > '7')
        return b;
    unsigned code = b - '0'; /* up to three octal digits, up to \377 */
    for (int most = b <= '3' ? 2 : 1; most > 0 && cursor_left(c) > 0 && *c->p >= '0' && *c->p <= '7'; most--)
        code = code * 8 + (unsigned)(cursor_u8(c) - '0');
    return (uint8_t)code;
}

/* A quoted text or a bare word; NULL when neither is there. */
static const char *take_word(struct cursor *c, struct arena *memory)
{
    struct buf word;
    buf_init(&word);
    bool ok = true;
    if (take_mark(c, '"')) {
        while (cursor_left(c) > 0 && *c->p != '"') {
            uint8_t b = cursor_u8(c);
            buf_put_u8(&word, b == '\\' ? take_escaped(c) : b);
        }
        ok = take_mark(c, '"') && (buf_size(&word) == 0 || memchr(word.start, 0, buf_size(&word)) == NULL);
    } else {
        while (cursor_left(c) > 0 && !is_blank(*c->p) && !is_mark(*c->p))
            buf_put_u8(&word, cursor_u8(c));
        ok = buf_size(&word) > 0;
    }
    const char *text = ok ? arena_string(memory, buf_view(&word)) : NULL;
    if (buf_size(&word) > 0)
        explicit_bzero(word.start, buf_size(&word));
    buf_fini(&word);
    return text;
}

bool jaas_read(const char *line, struct arena *memory, struct jaas *out, struct fail *why)
{
    struct cursor c = cursor_of(view_of(line));
    *out = (struct jaas){0};
    const char *class = take_word(&c, memory);
    const char *flag = take_word(&c, memory);
    if (class == NULL || flag == NULL)
        return refuse(why, "not a login module line");
    const char *dot = strrchr(class, '.');
    out->module = dot == NULL ? class : dot + 1;
    while (!take_mark(&c, ';')) {
        if (out->n == JAAS_OPTIONS_MAX)
            return refuse(why, "too many options in the login module line");
        const char *name = take_word(&c, memory);
        bool has_sign = name != NULL && take_mark(&c, '=');
        const char *value = has_sign ? take_word(&c, memory) : NULL;
        if (value == NULL)
            return refuse(why, "a malformed option, or no ; at the end of the login module line");
        out->options[out->n++] = (struct jaas_option){name, value};
    }
    pass_blanks(&c);
    return cursor_left(&c) == 0 || refuse(why, "more than one login module");
}

const char *jaas_get(const struct jaas *j, const char *name)
{
    for (unsigned i = j->n; i > 0; i--)
        if (strcmp(j->options[i - 1].name, name) == 0)
            return j->options[i - 1].value;
    return NULL;
}
