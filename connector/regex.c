/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/regex.h"

#include <ctype.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { LONGEST_PATTERN = 16 << 10, MATCH_LIMIT = 100000 };

struct regex {
    pcre2_code *code;
    char *text;
};

/* ---- reading Java's language ---- */

struct reader {
    struct cursor at;
    struct view whole;
    struct buf *out;
    struct fail *why;
};

static bool refuse(struct reader *r, const char *what)
{
    return fail_set(r->why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "regular expression %.*s: %s", VIEW_ARGS(r->whole), what);
}

static int peek(const struct reader *r)
{
    return cursor_left(&r->at) == 0 ? -1 : *r->at.p;
}

static bool has_next(const struct reader *r, const char *text)
{
    size_t n = strlen(text);
    return cursor_left(&r->at) >= n && memcmp(r->at.p, text, n) == 0;
}

static bool take_if(struct reader *r, const char *text)
{
    return has_next(r, text) && cursor_take(&r->at, strlen(text)) != NULL;
}

/* One UTF-8 character; a malformed byte is taken alone and refused later by PCRE2. */
static uint32_t take_char(struct reader *r)
{
    uint8_t first = cursor_u8(&r->at);
    size_t more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (more == 0 || more > cursor_left(&r->at))
        return first;
    uint32_t c = first & (0x3fu >> more);
    while (more-- > 0)
        c = c << 6 | (cursor_u8(&r->at) & 0x3f);
    return c;
}

static bool is_letter(uint32_t c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' && c < 0x80;
}

static void put_code(struct buf *out, uint32_t c)
{
    if (c < 0x80 && isalnum((int)c))
        buf_put_u8(out, (uint8_t)c);
    else
        buf_printf(out, "\\x{%x}", c);
}

/* A character that stands for itself, outside of a class. */
static void put_literal(struct buf *out, uint32_t c)
{
    if (is_letter(c))
        buf_printf(out, "[%c%c]", (int)(c | 0x20), (int)(c & ~0x20u));
    else
        put_code(out, c);
}

/* The part of lo-hi between `from` and `to`, shifted to the other case. */
static void put_other_case(struct buf *out, uint32_t lo, uint32_t hi, uint32_t from, uint32_t to)
{
    uint32_t a = lo > from ? lo : from, b = hi < to ? hi : to;
    if (a <= b)
        buf_printf(out, "%c-%c", (int)(a ^ 0x20), (int)(b ^ 0x20));
}

/* The same within a class, for a range; a single character is a range of one. */
static void put_range(struct buf *out, uint32_t lo, uint32_t hi)
{
    put_code(out, lo);
    if (hi != lo) {
        buf_put_u8(out, '-');
        put_code(out, hi);
    }
    put_other_case(out, lo, hi, 'a', 'z');
    put_other_case(out, lo, hi, 'A', 'Z');
}

static int digit_of(int c, int base)
{
    int d = c >= '0' && c <= '9' ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : 99;
    return d < base ? d : -1;
}

/* Up to `most` digits, at least `least`; false when there are fewer. */
static bool take_number(struct reader *r, int base, int least, int most, uint32_t *value)
{
    int n = 0;
    for (*value = 0; n < most && peek(r) >= 0 && digit_of(peek(r), base) >= 0; n++)
        *value = *value * (uint32_t)base + (uint32_t)digit_of(cursor_u8(&r->at), base);
    return n >= least;
}

static bool take_braced_hex(struct reader *r, uint32_t *c)
{
    return take_number(r, 16, 1, 6, c) && take_if(r, "}");
}

/* After a backslash: the character that an escape means. *is_char is false when the escape is none of these. */
static bool take_escaped_char(struct reader *r, uint32_t *c, bool *is_char)
{
    static const char from[] = "tnrfae", to[] = "\t\n\r\f\a\x1b";
    int first = peek(r);
    const char *hit = first > 0 ? strchr(from, first) : NULL;
    bool ok = true;
    *is_char = true;
    if (first < 0)
        return refuse(r, "ends in a backslash");
    if (hit != NULL) {
        cursor_u8(&r->at);
        *c = (uint32_t)to[hit - from];
    } else if (take_if(r, "x{")) {
        ok = take_braced_hex(r, c);
    } else if (take_if(r, "x")) {
        ok = take_number(r, 16, 2, 2, c);
    } else if (take_if(r, "u")) {
        ok = take_number(r, 16, 4, 4, c);
    } else if (take_if(r, "0")) {
        ok = take_number(r, 8, 1, 3, c);
    } else if (first >= 0x80 || !isalnum(first)) {
        *c = take_char(r);
    } else {
        *is_char = false;
    }
    if (!ok)
        return refuse(r, "a malformed \\x, \\u or \\0");
    if (*is_char && (*c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff)))
        return refuse(r, "an escape that is no Unicode character");
    return true;
}

/* After `\p` or `\P`: the POSIX names as sets of a class, the general categories as they are. */
static bool take_property(struct reader *r, bool is_negated, bool in_class)
{
    static const struct {
        const char *name, *set;
    } posix[] = {
        {"Lower", "A-Za-z"},      {"Upper", "A-Za-z"},           {"Alpha", "A-Za-z"},     {"Digit", "0-9"},
        {"Alnum", "A-Za-z0-9"},   {"Punct", "!-/:-@\\[-`{-~"},   {"Graph", "!-~"},        {"Print", " -~"},
        {"Blank", " \\t"},        {"Cntrl", "\\x00-\\x1f\\x7f"}, {"XDigit", "0-9A-Fa-f"}, {"Space", "\\t-\\r "},
        {"ASCII", "\\x00-\\x7f"},
    };
    static const char *const categories[] = {
        "L",  "M",  "N",  "P",  "S",  "Z",  "C",  "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc",
        "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cn",
    };
    struct view name = {r->at.p, 0};
    if (take_if(r, "{")) {
        name.p++;
        while (peek(r) >= 0 && peek(r) != '}') {
            cursor_u8(&r->at);
            name.n++;
        }
        if (!take_if(r, "}"))
            return refuse(r, "\\p{ without its }");
    } else {
        name.n = cursor_take(&r->at, 1) != NULL ? 1 : 0;
    }
    for (size_t i = 0; i < sizeof posix / sizeof *posix; i++) {
        if (!view_is(name, posix[i].name))
            continue;
        if (in_class && is_negated)
            return refuse(r, "\\P{…} of a POSIX name within a class");
        buf_printf(r->out, in_class ? "%s%s" : is_negated ? "[^%s%s]" : "[%s%s]", "", posix[i].set);
        return true;
    }
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (view_is(name, categories[i])) {
            buf_printf(r->out, "\\%c{%s}", is_negated ? 'P' : 'p', categories[i]);
            return true;
        }
    return fail_set(r->why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                    "regular expression %.*s: \\p{%.*s} is not supported; hint: write the class out, e.g. [a-z]",
                    VIEW_ARGS(r->whole), VIEW_ARGS(name));
}

/* Escapes that mean the same in both languages and stand for a set of characters. */
static bool is_set_escape(int c)
{
    return c > 0 && strchr("dDsSwWhHvV", c) != NULL;
}

static bool refuse_escape(struct reader *r)
{
    int c = peek(r);
    if (c >= '1' && c <= '9')
        return refuse(r, "back references are not supported");
    return fail_set(r->why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "regular expression %.*s: the escape \\%c is not supported",
                    VIEW_ARGS(r->whole), c);
}

/* After `\Q`: all up to `\E` or the end stands for itself. */
static void take_quoted(struct reader *r)
{
    while (cursor_left(&r->at) > 0 && !take_if(r, "\\E"))
        put_literal(r->out, take_char(r));
}

/* After a backslash, outside of a class. */
static bool take_escape(struct reader *r)
{
    uint32_t c = 0;
    bool is_char;
    if (take_if(r, "Q")) {
        take_quoted(r);
        return true;
    }
    if (has_next(r, "p") || has_next(r, "P"))
        return take_property(r, cursor_u8(&r->at) == 'P', false);
    if (!take_escaped_char(r, &c, &is_char))
        return false;
    if (is_char) {
        put_literal(r->out, c);
        return true;
    }
    if (!is_set_escape(peek(r)) && strchr("bBAZzRX", peek(r)) == NULL)
        return refuse_escape(r);
    buf_printf(r->out, "\\%c", cursor_u8(&r->at));
    return true;
}

/* ---- classes ---- */

/* One end of a range or a whole set. *is_char tells which; a set is already written. */
static bool take_class_item(struct reader *r, uint32_t *c, bool *is_char)
{
    *is_char = true;
    if (has_next(r, "["))
        return refuse(r, "a class within a class [a[b]] is Java's own; hint: write one class or an alternative (a|b)");
    if (has_next(r, "&&"))
        return refuse(r, "an intersection of classes [a&&b] is Java's own; hint: use a look-ahead (?=…)");
    if (!take_if(r, "\\")) {
        *c = take_char(r);
        return true;
    }
    if (has_next(r, "Q"))
        return refuse(r, "\\Q within a class is not supported");
    if (has_next(r, "p") || has_next(r, "P")) {
        *is_char = false;
        return take_property(r, cursor_u8(&r->at) == 'P', true);
    }
    if (!take_escaped_char(r, c, is_char))
        return false;
    if (*is_char)
        return true;
    if (!is_set_escape(peek(r)))
        return refuse_escape(r);
    buf_printf(r->out, "\\%c", cursor_u8(&r->at));
    return true;
}

/* After `[`. */
static bool take_class(struct reader *r)
{
    buf_put_text(r->out, take_if(r, "^") ? "[^" : "[");
    for (bool is_first = true; is_first || !has_next(r, "]"); is_first = false) {
        uint32_t lo = 0, hi;
        bool is_char;
        if (cursor_left(&r->at) == 0)
            return refuse(r, "a class [ without its ]");
        if (!take_class_item(r, &lo, &is_char))
            return false;
        hi = lo;
        if (is_char && has_next(r, "-") && !has_next(r, "-]")) {
            take_if(r, "-");
            if (cursor_left(&r->at) == 0)
                return refuse(r, "a class [ without its ]");
            if (!take_class_item(r, &hi, &is_char))
                return false;
            if (!is_char || hi < lo)
                return refuse(r, "a range in a class must go from a lower to a higher character");
        }
        if (is_char)
            put_range(r->out, lo, hi);
    }
    take_if(r, "]");
    buf_put_u8(r->out, ']');
    return true;
}

/* ---- groups and the rest ---- */

/* After `(?`: flags on or off, up to `)` or `:`. */
static bool take_flags(struct reader *r)
{
    buf_put_literal(r->out, "(?");
    for (bool is_off = false; !has_next(r, ")") && !has_next(r, ":");) {
        uint8_t flag = cursor_u8(&r->at);
        if (flag == '-' && !is_off) {
            is_off = true;
            buf_put_u8(r->out, '-');
        } else if (flag == 'm' || flag == 's') {
            buf_put_u8(r->out, flag);
        } else if (flag == 'i' && is_off) {
            return refuse(r, "(?-i) is not supported: names are always matched without regard to case");
        } else if (flag != 'i') { /* i is always on */
            return refuse(r, "the construct after (? is not supported");
        }
    }
    buf_put_u8(r->out, cursor_u8(&r->at));
    return true;
}

/* After `(`. */
static bool take_group(struct reader *r)
{
    static const char *const plain[] = {"?:", "?=", "?!", "?<=", "?<!", "?>"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (take_if(r, plain[i])) {
            buf_printf(r->out, "(%s", plain[i]);
            return true;
        }
    if (take_if(r, "?<")) { /* nothing refers to a name, so it need not be kept */
        if (peek(r) < 0 || !isalpha(peek(r)))
            return refuse(r, "a group name starts with a letter");
        while (peek(r) >= 0 && isalnum(peek(r)))
            cursor_u8(&r->at);
        buf_put_literal(r->out, "(");
        return take_if(r, ">") || refuse(r, "a group name is letters and digits, then >");
    }
    if (take_if(r, "?"))
        return take_flags(r);
    if (has_next(r, "*"))
        return refuse(r, "a quantifier after nothing");
    buf_put_literal(r->out, "(");
    return true;
}

/* After `{`. */
static bool take_count(struct reader *r)
{
    uint32_t low, high;
    if (!take_number(r, 10, 1, 5, &low))
        return refuse(r, "{ must be followed by a number, or written \\{");
    buf_printf(r->out, "{%u", low);
    if (take_if(r, ",")) {
        buf_put_u8(r->out, ',');
        if (take_number(r, 10, 1, 5, &high))
            buf_printf(r->out, "%u", high);
    }
    buf_put_u8(r->out, '}');
    return take_if(r, "}") || refuse(r, "{ without its }; hint: in a list a comma is written \\,");
}

static bool take_item(struct reader *r)
{
    if (take_if(r, "\\"))
        return take_escape(r);
    if (take_if(r, "["))
        return take_class(r);
    if (take_if(r, "("))
        return take_group(r);
    if (take_if(r, "{"))
        return take_count(r);
    uint32_t c = take_char(r);
    if (c < 0x80 && c != 0 && strchr(".^$|)?*+", (int)c) != NULL)
        buf_put_u8(r->out, (uint8_t)c);
    else
        put_literal(r->out, c);
    return true;
}

bool regex_translate(struct view java, struct buf *out, struct fail *why)
{
    struct reader r = {cursor_of(java), java, out, why};
    if (java.n > LONGEST_PATTERN)
        return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "a regular expression longer than %d bytes",
                        LONGEST_PATTERN);
    while (cursor_left(&r.at) > 0)
        if (!take_item(&r))
            return false;
    return true;
}

/* ---- compiling and matching ---- */

struct regex *regex_new(struct view pattern, struct fail *why)
{
    struct buf text;
    struct regex *re = NULL;
    int error = 0;
    PCRE2_SIZE where = 0;
    buf_init(&text);
    if (!regex_translate(pattern, &text, why))
        goto out;
    pcre2_code *code =
        pcre2_compile(text.start, buf_size(&text),
                      PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_UTF | PCRE2_NO_AUTO_CAPTURE | PCRE2_NEVER_BACKSLASH_C,
                      &error, &where, NULL);
    if (code == NULL) {
        char message[200];
        pcre2_get_error_message(error, (PCRE2_UCHAR *)message, sizeof message);
        fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, error, "regular expression %.*s: %s", VIEW_ARGS(pattern), message);
        goto out;
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* where there is no JIT the interpreter matches */
    re = mem_alloc(sizeof *re);
    re->code = code;
    re->text = view_to_string(pattern);
out:
    buf_fini(&text);
    return re;
}

void regex_free(struct regex **re)
{
    if (*re == NULL)
        return;
    pcre2_code_free((*re)->code);
    free((*re)->text);
    free(*re);
    *re = NULL;
}

static bool matches_by_automaton(const struct regex *re, struct view subject)
{
    int result = PCRE2_ERROR_DFA_WSSIZE;
    for (size_t room = 1000; result == PCRE2_ERROR_DFA_WSSIZE; room *= 4) {
        pcre2_match_data *found = pcre2_match_data_create(1, NULL);
        int *workspace = mem_alloc(room * sizeof *workspace);
        ASSERT(found != NULL);
        result = pcre2_dfa_match(re->code, subject.p, subject.n, 0, PCRE2_NO_UTF_CHECK, found, NULL, workspace, room);
        free(workspace);
        pcre2_match_data_free(found);
    }
    return result >= 0;
}

/* The subject with U+FFFD for each byte that is not UTF-8. */
static void put_clean(struct buf *out, struct view subject)
{
    const uint8_t *p = subject.p, *end = subject.p + subject.n;
    while (p < end) {
        size_t n = 1;
        uint8_t lead = *p;
        size_t want = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
        while (n < want && p + n < end && (p[n] & 0xc0) == 0x80)
            n++;
        bool ok = want == n && !(lead == 0xe0 && p[1] < 0xa0) && !(lead == 0xed && p[1] > 0x9f) &&
                  !(lead == 0xf0 && p[1] < 0x90) && !(lead == 0xf4 && p[1] > 0x8f);
        if (ok)
            buf_put(out, p, n);
        else
            buf_put_literal(out, "\xef\xbf\xbd");
        p += ok ? n : 1;
    }
}

const char *regex_text(const struct regex *re)
{
    return re->text;
}

bool regex_matches(const struct regex *re, struct view subject)
{
    struct buf clean;
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *found = pcre2_match_data_create(1, NULL);
    ASSERT(limits != NULL && found != NULL);
    pcre2_set_match_limit(limits, MATCH_LIMIT);
    buf_init(&clean);
    put_clean(&clean, subject);
    struct view text = buf_view(&clean);
    if (text.p == NULL)
        text.p = (const uint8_t *)"";
    int result = pcre2_match(re->code, text.p, text.n, 0, PCRE2_NO_UTF_CHECK, found, limits);
    bool is_match = result >= 0;
    if (result < 0 && result != PCRE2_ERROR_NOMATCH)
        is_match = matches_by_automaton(re, text);
    buf_fini(&clean);
    pcre2_match_data_free(found);
    pcre2_match_context_free(limits);
    return is_match;
}
