/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/options.h"

#include "base/ascii.h"
#include "base/log.h"
#include "connector/filter.h"
#include "record/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

bool option_is_family(const struct option *o)
{
    return o->name[strlen(o->name) - 1] == '*';
}

bool option_is_number(const struct option *o)
{
    return o->type == OPTION_INT || o->type == OPTION_MS || o->type == OPTION_SECONDS || o->type == OPTION_BYTES;
}

/* A property of the JDBC driver is one word, such as useSSL: what has more is a slip of one of ours (database.includ.list). */
static bool may_be_of_driver(const struct option *o, const char *key)
{
    static const char driver[] = "database.*";
    return strcmp(o->name, driver) != 0 || strchr(key + sizeof driver - 2, '.') == NULL;
}

/* How many characters of the key the row's name fits, 0 when it doesn't fit. */
static size_t fits(const struct option *o, const char *key)
{
    size_t n = strlen(o->name);
    if (!option_is_family(o))
        return strcmp(o->name, key) == 0 ? n : 0;
    return strncmp(o->name, key, n - 1) == 0 && key[n - 1] != '\0' && may_be_of_driver(o, key) ? n - 1 : 0;
}

const struct option *option_find(const char *key)
{
    const struct option *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; option_at(i) != NULL; i++) {
        size_t n = fits(option_at(i), key);
        if (n > longest) {
            longest = n;
            best = option_at(i);
        }
    }
    return best;
}

static bool ends_with(struct view text, const char *end)
{
    size_t n = strlen(end);
    return text.n >= n && view_equal_nocase((struct view){text.p + text.n - n, n}, view_of(end));
}

bool option_is_secret(const char *key)
{
    /* The reference hides the first eight; the rest hold private keys and the salt of a hash. */
    static const char *const ends[] = {
        "secret",
        "password",
        "sasl.jaas.config",
        "basic.auth.user.info",
        "credentials.json",
        "connectionstring",
        "connection.string",
        "token",
        "ssl.keystore.key",
        "ssl.key.pem",
        "ssl.keystore.certificate.chain",
    };
    const struct option *o = option_find(key);
    if (o != NULL && o->type == OPTION_SECRET)
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(view_of(key), ends[i]))
            return true;
    return false;
}

/* ---- what is allowed, in words ---- */

static void print_choices(const struct option *o, struct buf *out)
{
    const char *before = "";
    for (const struct option_choice *c = o->choices; c->name != NULL; c++) {
        if (c->later != NULL)
            continue;
        buf_printf(out, "%s%s", before, c->name);
        before = ", ";
    }
}

static void print_range(const struct option *o, struct buf *out)
{
    static const char *const units[] = {[OPTION_MS] = " of milliseconds",
                                        [OPTION_SECONDS] = " of seconds",
                                        [OPTION_BYTES] = " of bytes",
                                        [OPTION_INT] = ""};
    buf_printf(out, "a whole number%s ", units[o->type]);
    if (o->high == INT64_MAX)
        buf_printf(out, "not below %" PRId64, o->low);
    else
        buf_printf(out, "from %" PRId64 " to %" PRId64, o->low, o->high);
}

void option_print_allowed(const struct option *o, struct buf *out)
{
    switch (o->type) {
    case OPTION_BOOL:
        buf_put_literal(out, "true or false");
        break;
    case OPTION_INT:
    case OPTION_MS:
    case OPTION_SECONDS:
    case OPTION_BYTES:
        print_range(o, out);
        break;
    case OPTION_ENUM:
        print_choices(o, out);
        break;
    case OPTION_TEXT:
        buf_put_text(out, o->is_required ? "a text that is not blank" : "a text");
        break;
    case OPTION_SECRET:
        buf_put_literal(out, "a text");
        break;
    case OPTION_NAME:
        buf_put_literal(out, "a name of letters, digits, '_', '.' and '-'");
        break;
    case OPTION_HOST:
        buf_put_literal(out, "a host name or an address");
        break;
    case OPTION_REGEXES:
        buf_put_literal(out, "a list of regular expressions, separated by commas");
        break;
    case OPTION_KEYS:
        buf_put_literal(out, "db.table:column,column;… with regular expressions");
        break;
    case OPTION_OPERATIONS:
        buf_put_literal(out, "some of c, u, d, t, r separated by commas, or none alone");
        break;
    case OPTION_ANY:
        buf_put_literal(out, "any text");
        break;
    }
}

static bool refuse(const struct option *o, struct fail *why)
{
    struct buf text;
    buf_init(&text);
    option_print_allowed(o, &text);
    fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "must be %s%.*s", o->type == OPTION_ENUM ? "one of " : "",
             VIEW_ARGS(buf_view(&text)));
    buf_fini(&text);
    return false;
}

/* ---- one parser a type ---- */

static bool parse_bool(const struct option *o, const char *value, bool *at, struct fail *why)
{
    struct view text = ascii_trim_as_java(view_of(value));
    bool is_true = view_equal_nocase(text, view_of("true"));
    if (!is_true && !view_equal_nocase(text, view_of("false")))
        return refuse(o, why);
    if (at != NULL)
        *at = is_true;
    return true;
}

/* Decimal digits, a sign before them, nothing else: no blank, no unit, as the reference has it. */
static bool parse_number(const struct option *o, const char *value, void *at, struct fail *why)
{
    const char *digits = value + (*value == '-' || *value == '+');
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || digits[n] != '\0')
        return refuse(o, why);
    errno = 0;
    int64_t number = strtoll(value, NULL, 10);
    if (errno != 0 || number < o->low || number > o->high)
        return refuse(o, why);
    if (at != NULL)
        memcpy(at, &number, o->bytes == 0 ? sizeof number : o->bytes); /* little-endian, see base/bytes.c */
    return true;
}

static bool parse_enum(const struct option *o, const char *value, int *at, struct fail *why)
{
    for (const struct option_choice *c = o->choices; c->name != NULL; c++) {
        if (!view_equal_nocase(ascii_trim_as_java(view_of(value)), view_of(c->name)))
            continue;
        if (c->later != NULL)
            return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "%s", c->later);
        if (at != NULL)
            *at = c->value;
        return true;
    }
    return refuse(o, why);
}

static bool has_only(const char *text, const char *extra)
{
    for (const char *c = text; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr(extra, *c)))
            return false;
    return true;
}

/* A blank text is as if it were not written, except where a name must be there. */
static bool is_unset_by_blank(const struct option *o)
{
    return !o->is_required && (o->type == OPTION_TEXT || o->type == OPTION_SECRET);
}

static bool parse_text(const struct option *o, const char *value, struct arena *memory, const char **at,
                       struct fail *why)
{
    if (o->type == OPTION_SECRET ? *value == '\0' : ascii_trim_as_java(view_of(value)).n == 0)
        return is_unset_by_blank(o) || refuse(o, why);
    if (o->type == OPTION_NAME && !has_only(value, "_.-"))
        return refuse(o, why);
    if (o->type == OPTION_HOST && !has_only(value, "_.-:%[]"))
        return refuse(o, why);
    if (o->type == OPTION_SECRET)
        log_hide(value);
    if (at != NULL)
        *at = arena_string(memory, view_of(value));
    return true;
}

static bool parse_regexes(const char *value, struct regex_list **at, struct fail *why)
{
    struct regex_list *list = regex_list_new(view_of(value), why);
    if (list == NULL)
        return false;
    if (at == NULL) {
        regex_list_free(&list);
        return true;
    }
    regex_list_free(at);
    *at = list;
    return true;
}

static bool parse_keys(const char *value, struct key_rules **at, struct fail *why)
{
    struct key_rules *rules = key_rules_new(view_of(value), why);
    if (rules == NULL)
        return false;
    if (at == NULL) {
        key_rules_free(&rules);
        return true;
    }
    key_rules_free(at);
    *at = rules;
    return true;
}

static bool parse_operations(const struct option *o, const char *value, unsigned *at, struct fail *why)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"c", SKIP_C}, {"u", SKIP_U}, {"d", SKIP_D}, {"t", SKIP_T}, {"r", 0}, {"none", 0}};
    unsigned bits = 0, parts = 0;
    bool has_none = false;
    struct view rest = view_of(value);
    do {
        const uint8_t *comma = rest.n == 0 ? NULL : memchr(rest.p, ',', rest.n);
        struct view part = {rest.p, comma == NULL ? rest.n : (size_t)(comma - rest.p)};
        size_t used = part.n + (comma != NULL), i = 0;
        while (i < sizeof known / sizeof *known && !view_equal_nocase(ascii_trim_as_java(part), view_of(known[i].name)))
            i++;
        if (i == sizeof known / sizeof *known)
            return refuse(o, why);
        bits |= known[i].bit;
        has_none = has_none || strcmp(known[i].name, "none") == 0;
        parts++;
        rest = (struct view){rest.p + used, rest.n - used};
    } while (rest.n > 0);
    if (has_none && parts > 1)
        return refuse(o, why);
    if (at != NULL)
        *at = bits;
    return true;
}

bool option_parse(const struct option *o, const char *value, struct arena *memory, void *at, struct fail *why)
{
    switch (o->type) {
    case OPTION_BOOL:
        return parse_bool(o, value, at, why);
    case OPTION_INT:
    case OPTION_MS:
    case OPTION_SECONDS:
    case OPTION_BYTES:
        return parse_number(o, value, at, why);
    case OPTION_ENUM:
        return parse_enum(o, value, at, why);
    case OPTION_TEXT:
    case OPTION_NAME:
    case OPTION_HOST:
    case OPTION_SECRET:
        return parse_text(o, value, memory, at, why);
    case OPTION_REGEXES:
        return parse_regexes(value, at, why);
    case OPTION_KEYS:
        return parse_keys(value, at, why);
    case OPTION_OPERATIONS:
        return parse_operations(o, value, at, why);
    case OPTION_ANY:
        return true;
    }
    return refuse(o, why);
}
