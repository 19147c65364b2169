/* SPDX-License-Identifier: Apache-2.0 */
#include "record/topic.h"

#include "base/log.h"
#include "base/map.h"

#include <pthread.h>

static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static struct map interned; /* text -> its copy; never emptied */
static struct map owners;   /* topic -> "db.table" that had it first, interned, or `shared` */

static const char shared[] = ""; /* told already */

static const char *intern(struct view name)
{
    char *known = map_get(&interned, name);
    if (known == NULL) {
        known = view_to_string(name);
        map_put(&interned, name, known);
    }
    return known;
}

const char *topic_intern(struct view name)
{
    pthread_mutex_lock(&names_lock);
    const char *known = intern(name);
    pthread_mutex_unlock(&names_lock);
    return known;
}

/* The first table to have a topic owns it; when another gets the same, that is told once. */
static void warn_of_sharing(const char *topic, struct view db, struct view table)
{
    struct buf name;
    buf_init(&name);
    buf_put_view(&name, db);
    buf_put_u8(&name, '.');
    buf_put_view(&name, table);
    pthread_mutex_lock(&names_lock);
    const char *ours = intern(buf_view(&name));
    const char *owner = map_get(&owners, view_of(topic));
    bool is_shared = owner != NULL && owner != shared && owner != ours;
    if (owner == NULL || is_shared)
        map_put(&owners, view_of(topic), (char *)(uintptr_t)(is_shared ? shared : ours));
    pthread_mutex_unlock(&names_lock);
    if (is_shared)
        log_warn("topic", "two tables share a topic, since its name can't tell them apart topic=%s tables=%s,%s", topic,
                 owner, ours);
    buf_fini(&name);
}

static bool is_letter(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_topic_char(uint32_t c)
{
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
}

bool topic_is_legal(const char *name)
{
    if (name == NULL || *name == '\0')
        return false;
    for (const char *c = name; *c != '\0'; c++)
        if (!is_topic_char((uint8_t)*c))
            return false;
    return true;
}

static bool check_key(const char *key, const char *value, struct fail *why)
{
    if (topic_is_legal(value))
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                    "%s: '%s' can't be part of a topic name; allowed are letters, digits and _ . - , at least one", key,
                    value == NULL ? "" : value);
}

bool topic_check(const struct record_settings *set, struct fail *why)
{
    return check_key("topic.prefix", set->topic_prefix, why) && check_key("topic.delimiter", set->topic_delimiter, why);
}

/* One character of UTF-8; a byte that starts none counts as one character. Names come from the server and are valid. */
static uint32_t next_char(struct cursor *c)
{
    uint32_t first = cursor_u8(c);
    size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (more == 0 || more > cursor_left(c))
        return first;
    uint32_t code = first & (0x3f >> more);
    while (more-- > 0)
        code = code << 6 | (cursor_u8(c) & 0x3f);
    return code;
}

/* The UTF-16 units of the next character: one, or two in high and low. */
static unsigned next_units(struct cursor *c, uint32_t units[2])
{
    uint32_t code = next_char(c);
    if (code < 0x10000) {
        units[0] = code;
        return 1;
    }
    units[0] = 0xd800 + ((code - 0x10000) >> 10);
    units[1] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    return 2;
}

static void put_clean(struct buf *out, struct view part)
{
    struct cursor c = cursor_of(part);
    while (cursor_left(&c) > 0) {
        uint32_t units[2];
        unsigned n = next_units(&c, units);
        for (unsigned i = 0; i < n && buf_size(out) < TOPIC_NAME_MAX; i++)
            buf_put_u8(out, is_topic_char(units[i]) ? (uint8_t)units[i] : '_');
    }
}

const char *topic_of_table(const struct record_settings *set, struct view db, struct view table)
{
    struct buf name;
    buf_init(&name);
    put_clean(&name, view_of(set->topic_prefix));
    struct view parts[] = {db, table};
    for (unsigned i = 0; i < 2; i++) {
        if (parts[i].n == 0)
            continue;
        put_clean(&name, view_of(set->topic_delimiter));
        put_clean(&name, parts[i]);
    }
    if (view_is(buf_view(&name), ".") || view_is(buf_view(&name), ".."))
        memset(name.start, '_', buf_size(&name));
    const char *topic = topic_intern(buf_view(&name));
    buf_fini(&name);
    warn_of_sharing(topic, db, table);
    return topic;
}

static const char *join(const char *a, const char *b, const char *c)
{
    struct buf name;
    buf_init(&name);
    buf_put_text(&name, a);
    buf_put_text(&name, b);
    buf_put_text(&name, c);
    const char *topic = topic_intern(buf_view(&name));
    buf_fini(&name);
    return topic;
}

const char *topic_of_name(const struct record_settings *set, const char *name)
{
    return join(set->topic_prefix, set->topic_delimiter, name);
}

const char *topic_of_heartbeat(const struct record_settings *set, const char *name, const char *heartbeat_prefix)
{
    if (name != NULL && *name != '\0')
        return topic_intern(view_of(name));
    return join(heartbeat_prefix, set->topic_delimiter, set->topic_prefix);
}

/* ---- Avro names ---- */

/* The reference escapes a unit as "_u" and its hex digits, of which it fills up one and two with "00", but not three. */
static void put_replacement(struct buf *out, enum adjust_mode mode, uint32_t unit)
{
    if (mode == ADJUST_AVRO)
        buf_put_u8(out, '_');
    else
        buf_printf(out, unit <= 0xff ? "_u00%x" : "_u%x", unit);
}

static bool may_start(enum adjust_mode mode, uint32_t unit)
{
    return is_letter(unit) || (mode == ADJUST_AVRO && unit == '_');
}

static void put_adjusted(struct buf *out, enum adjust_mode mode, struct view name, bool has_dots)
{
    struct cursor c = cursor_of(name);
    bool is_first = true;
    while (cursor_left(&c) > 0) {
        uint32_t units[2];
        unsigned n = next_units(&c, units);
        for (unsigned i = 0; i < n; i++, is_first = false) {
            uint32_t unit = units[i];
            bool fits = may_start(mode, unit) || (!is_first && (is_digit(unit) || (has_dots && unit == '.')));
            if (!fits)
                put_replacement(out, mode, unit);
            if (fits || (is_first && mode == ADJUST_AVRO && is_digit(unit)))
                buf_put_u8(out, (uint8_t)unit);
        }
    }
}

void topic_put_schema_name(struct buf *out, enum adjust_mode mode, struct view name)
{
    if (mode == ADJUST_NONE)
        buf_put_view(out, name);
    else
        put_adjusted(out, mode, name, true);
}

void topic_put_field_name(struct buf *out, enum adjust_mode mode, struct view name)
{
    if (mode == ADJUST_NONE)
        buf_put_view(out, name);
    else
        put_adjusted(out, mode, name, false);
}
