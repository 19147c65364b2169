/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options_print: the option table as people read it: in a terminal, and as the page docs/configuration.md.
 */
#include "connector/client_options.h"
#include "connector/json_text.h"
#include "connector/options.h"

/* ---- in a terminal ---- */

/* A sentence in lines of up to 100 characters, indented; without the back quotes of the page. */
static void print_wrapped(struct buf *out, const char *text)
{
    enum { WIDTH = 96 };
    while (*text != '\0') {
        size_t n = strlen(text), cut = n;
        if (n > WIDTH)
            for (cut = WIDTH; cut > 0 && text[cut] != ' ';)
                cut--;
        if (cut == 0)
            cut = n;
        buf_put_literal(out, "    ");
        for (size_t i = 0; i < cut; i++)
            if (text[i] != '`')
                buf_put_u8(out, (uint8_t)text[i]);
        buf_put_literal(out, "\n");
        text += cut;
        text += *text == ' ';
    }
}

static void print_option(struct buf *out, const struct option *o)
{
    static const char *const tiers[] = {[TIER_OFFERED] = "",
                                        [TIER_IGNORED] = "  (not applied)",
                                        [TIER_FIXED] = "  (fixed)",
                                        [TIER_REFUSED] = "  (refused)"};
    buf_printf(out, "  %s%s%s%s%s\n", o->name, o->fallback == NULL ? "" : " = ", o->fallback == NULL ? "" : o->fallback,
               o->is_required ? "  (required)" : "", tiers[o->tier]);
    print_wrapped(out, o->help);
    if (o->tier != TIER_OFFERED || o->type == OPTION_ANY)
        return;
    buf_put_literal(out, "    Allowed: ");
    option_print_allowed(o, out);
    buf_put_literal(out, ".\n");
}

void options_print(struct buf *out)
{
    for (int group = 0; group < GROUP_COUNT; group++) {
        bool is_first = true;
        for (size_t i = 0; option_at(i) != NULL; i++) {
            const struct option *o = option_at(i);
            if ((int)o->group != group || o->tier == TIER_QUIET)
                continue;
            if (is_first)
                buf_printf(out, "%s%s\n", group == 0 ? "" : "\n", option_group_name(o->group));
            is_first = false;
            print_option(out, o);
        }
    }
}

/* ---- the page ---- */

/* `|` would end a cell of a table. */
static void print_cell(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            buf_put_u8(out, '\\');
        buf_put_u8(out, (uint8_t)*text);
    }
}

static void print_offered(struct buf *out, enum option_group group)
{
    bool is_first = true;
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        if (o->group != group || o->tier != TIER_OFFERED)
            continue;
        if (is_first)
            buf_printf(out, "\n### %s\n\n| key | default | allowed | meaning |\n| --- | --- | --- | --- |\n",
                       option_group_name(group));
        is_first = false;
        buf_printf(out, "| `%s` | ", o->name);
        if (o->fallback != NULL)
            buf_printf(out, "`%s` | ", o->fallback);
        else
            buf_put_text(out, o->is_required ? "**required** | " : "| ");
        if (o->type != OPTION_ANY)
            option_print_allowed(o, out);
        buf_put_literal(out, " | ");
        print_cell(out, o->help);
        buf_put_literal(out, " |\n");
    }
}

static void print_tier(struct buf *out, enum option_tier tier)
{
    buf_put_literal(out, "\n| key | why |\n| --- | --- |\n");
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        if (o->tier != tier)
            continue;
        buf_printf(out, "| `%s` | ", o->name);
        if (tier == TIER_FIXED)
            buf_printf(out, "Only `%s`. ", o->fallback);
        print_cell(out, o->help);
        buf_put_literal(out, " |\n");
    }
}

static const char introduction[] =
    "# Configuration\n"
    "\n"
    "This page is made by `tidemark config --markdown` from the table that the program itself uses; a test keeps it "
    "true.\n"
    "\n"
    "`tidemark run FILE` reads one file, in one of three forms, told apart by their contents:\n"
    "\n"
    "- Java's `.properties`, the keys of the Debezium MySQL connector: `topic.prefix=shop`;\n"
    "- the same with the prefixes of Debezium Server: `debezium.source.topic.prefix=shop`;\n"
    "- JSON as Kafka Connect takes it, `{\"name\": \"shop\", \"config\": {\"topic.prefix\": \"shop\"}}` or the inner "
    "object alone.\n"
    "\n"
    "`tidemark check FILE` tells all that is wrong with it or not applied, and starts nothing.\n"
    "\n"
    "## How values are written\n"
    "\n"
    "- The file is UTF-8. In `.properties` `=`, `:` or a blank ends the key, `#` and `!` start a comment, a backslash "
    "at the end of a\n"
    "  line joins the next to it, `\\uXXXX` is a character, and a backslash before another character disappears: the "
    "backslash of a\n"
    "  regular expression is written twice, as in JSON: `shop\\\\.orders`.\n"
    "- `true` and `false` and named values may be in any case. Numbers are plain decimal; `*.ms` are milliseconds, "
    "there are no units.\n"
    "- Lists of regular expressions are split at commas; a comma inside of an expression is `\\,` (in the file "
    "`\\\\,`). An expression must\n"
    "  match the whole name, `db`, `db.table` or `db.table.column`; the case of ASCII letters doesn't count. The "
    "language is Java's,\n"
    "  without classes in classes, back references and `\\p{java…}`.\n"
    "- `${env:NAME}` is an environment variable, `${file:PATH:key}` a key of a `.properties` file, "
    "`${directory:PATH:name}` a file of a\n"
    "  folder. In Debezium Server's form `${NAME}` and `${NAME:default}` are environment variables too. Values of "
    "passwords and the like are\n"
    "  never logged.\n"
    "- A key that isn't known is named in a warning; `tidemark.config.strict=true` makes it an error. A key written "
    "twice: the last counts.\n"
    "- Old names of Debezium's keys are understood and told.\n"
    "\n"
    "## Options\n";

void options_print_markdown(struct buf *out)
{
    buf_put_text(out, introduction);
    for (int group = 0; group < GROUP_COUNT; group++)
        print_offered(out, (enum option_group)group);
    buf_put_literal(out, "\n## Settings of the Kafka clients\n\n"
                         "Behind `producer.override.` (Debezium Server: `debezium.sink.kafka.producer.`) and "
                         "`signal.consumer.` stand the names "
                         "of Kafka's Java clients. A truststore or keystore may be PEM or PKCS12.\n\n");
    client_options_print_markdown(out);
    buf_put_literal(out, "\n## Fixed\n\nThese have one value; another stops the start.\n");
    print_tier(out, TIER_FIXED);
    buf_put_literal(out, "\n## Refused\n\nThese stop the start, unless they are blank.\n");
    print_tier(out, TIER_REFUSED);
    buf_put_literal(out, "\n## Accepted and not applied\n\nOne line at the start says so.\n");
    print_tier(out, TIER_IGNORED);
    buf_put_literal(out,
                    "\n## Without meaning here\n\nThese are passed by; `tidemark.log.level=debug` tells of them.\n");
    print_tier(out, TIER_QUIET);
}

/* ---- for programs ---- */

static void put_member(struct buf *out, const char *name, struct view text)
{
    json_text_put_name(out, name);
    json_text_put_string(out, text);
}

static void print_object(struct buf *out, const struct option *o)
{
    static const char *const tiers[] = {
        [TIER_OFFERED] = "offered", [TIER_IGNORED] = "ignored", [TIER_QUIET] = "without meaning",
        [TIER_FIXED] = "fixed",     [TIER_REFUSED] = "refused",
    };
    struct buf allowed;
    buf_init(&allowed);
    option_print_allowed(o, &allowed);
    buf_put_literal(out, "{");
    put_member(out, "key", view_of(o->name));
    put_member(out, "group", view_of(option_group_name(o->group)));
    put_member(out, "tier", view_of(tiers[o->tier]));
    json_text_put_name(out, "default");
    if (o->fallback != NULL)
        json_text_put_string(out, view_of(o->fallback));
    else
        buf_put_literal(out, "null");
    json_text_put_name(out, "required");
    buf_put_text(out, o->is_required ? "true" : "false");
    json_text_put_name(out, "secret");
    buf_put_text(out, o->type == OPTION_SECRET ? "true" : "false");
    put_member(out, "allowed", buf_view(&allowed));
    put_member(out, "meaning", view_of(o->help));
    buf_put_literal(out, "}");
    buf_fini(&allowed);
}

void options_print_json(struct buf *out)
{
    for (size_t i = 0; option_at(i) != NULL; i++) {
        buf_put_text(out, i == 0 ? "[" : ",\n");
        print_object(out, option_at(i));
    }
    buf_put_literal(out, "]\n");
}
