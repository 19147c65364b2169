/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/chunk_filter.h"

#include "base/bytes.h"

#include <ctype.h>
#include <string.h>

/* Where the look at the filter stands. */
struct scan {
    const char *filter;
    const char *at;
    int depth;
    struct view word; /* the last one, unless something else than blanks came since */
    struct fail *why;
};

static bool refuse(const struct scan *s, const char *reason)
{
    return fail_set(s->why, FAIL_REFUSE, FAIL_AREA_REFUSED, 0, "the filter %.300s can't be used: %s", s->filter,
                    reason);
}

/* From the quote to the one that ends it: doubled or, but in names, escaped quotes do not. */
static bool pass_quoted(struct scan *s)
{
    char quote = *s->at++;
    for (; *s->at != '\0'; s->at++) {
        if (*s->at == '\\' && quote != '`' && s->at[1] != '\0') {
            s->at++;
        } else if (*s->at == quote) {
            if (s->at[1] != quote) {
                s->at++;
                return true;
            }
            s->at++;
        }
    }
    return refuse(s, "a quote in it is not closed");
}

static bool pass_comment(struct scan *s)
{
    if (s->at[2] == '!' || s->at[2] == '+')
        return refuse(s, "an executable comment stands in it");
    const char *end = strstr(s->at + 2, "*/");
    if (end == NULL)
        return refuse(s, "a comment in it is not closed");
    s->at = end + 2;
    return true;
}

static void pass_line(struct scan *s)
{
    s->at += strcspn(s->at, "\n");
}

static bool starts_line_comment(const char *c)
{
    return *c == '#' || (c[0] == '-' && c[1] == '-' && (c[2] == '\0' || (unsigned char)c[2] <= ' '));
}

static bool is_word_character(unsigned char c)
{
    return isalnum(c) || c == '_' || c == '$' || c >= 0x80;
}

static bool is(struct view word, const char *text)
{
    return view_equal_nocase(word, view_of(text));
}

/* Words that make a subquery lock what it reads, or take locks that are not rows'. */
static bool pass_word(struct scan *s)
{
    static const char *const functions[] = {"GET_LOCK", "RELEASE_LOCK", "RELEASE_ALL_LOCKS"};
    struct view word = {(const uint8_t *)s->at, 0};
    while (is_word_character((unsigned char)s->at[word.n]))
        word.n++;
    s->at += word.n;
    if (is(s->word, "FOR") && (is(word, "UPDATE") || is(word, "SHARE")))
        return refuse(s, "it locks what it reads");
    if (is(s->word, "LOCK") && is(word, "IN"))
        return refuse(s, "it locks what it reads");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (is(word, functions[i]))
            return refuse(s, "it takes or gives back a lock");
    s->word = word;
    return true;
}

static bool pass_sign(struct scan *s)
{
    char c = *s->at++;
    s->word = VIEW_NONE;
    if (c == ';')
        return refuse(s, "a second statement stands in it");
    if (c == '?')
        return refuse(s, "a question mark stands in it outside of quotes");
    if (c == '(')
        s->depth++;
    if (c == ')' && --s->depth < 0)
        return refuse(s, "it breaks out of its parentheses");
    return true;
}

static bool pass_piece(struct scan *s)
{
    char c = *s->at;
    if (c == '\'' || c == '"' || c == '`') {
        s->word = VIEW_NONE;
        return pass_quoted(s);
    }
    if (c == '/' && s->at[1] == '*')
        return pass_comment(s);
    if (starts_line_comment(s->at)) {
        pass_line(s);
        return true;
    }
    if ((unsigned char)c <= ' ') {
        s->at++;
        return true;
    }
    return is_word_character((unsigned char)c) ? pass_word(s) : pass_sign(s);
}

bool chunk_filter_check(const char *filter, struct fail *why)
{
    struct scan s = {.filter = filter, .at = filter, .why = why};
    while (*s.at != '\0')
        if (!pass_piece(&s))
            return false;
    return s.depth == 0 || refuse(&s, "a parenthesis in it is not closed");
}
