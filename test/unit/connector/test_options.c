/* SPDX-License-Identifier: Apache-2.0 */
/* The option table as a whole: each row is sound, takes its default, refuses what it must, and never shows a secret. */
#include "connector/client_options.h"
#include "connector/config.h"
#include "connector/options.h"
#include "connector/properties.h"

#include <cmocka.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for a configuration to be in order; rows under test are written behind it and so count. */
static const char base[] = "topic.prefix=shop\n"
                           "snapshot.mode=no_data\n"
                           "database.hostname=db1\n"
                           "database.user=cdc\n"
                           "database.server.id=5401\n"
                           "bootstrap.servers=k1:9092\n";

/* The errors and warnings of the base with `key=value` behind it; a value that is refused gives no configuration. */
static bool accepts(const char *key, const char *value, struct buf *said)
{
    struct buf text;
    struct config_notes notes;
    buf_init(&text);
    buf_printf(&text, "%s%s=%s\n", base, key, value);
    struct config *cfg = config_read(buf_view(&text), "test", &notes);
    buf_clear(said);
    for (size_t i = 0; i < notes.n; i++)
        buf_printf(said, "%s\n", notes.items[i].text);
    buf_put_u8(said, 0);
    bool ok = cfg != NULL;
    config_free(&cfg);
    config_notes_fini(&notes);
    buf_fini(&text);
    return ok;
}

static bool says(const struct buf *said, const char *word)
{
    return strstr((const char *)said->start, word) != NULL;
}

/* A key that the row stands for. */
static void print_key(const struct option *o, char *key, size_t room)
{
    snprintf(key, room, "%s", o->name);
    if (option_is_family(o))
        snprintf(key + strlen(o->name) - 1, room - strlen(o->name) + 1, "%s", "zz");
}

static void each_row_is_whole_and_named_once(void **state)
{
    (void)state;
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        assert_true(strlen(o->name) > 0 && strlen(o->help) > 5);
        if (o->help[strlen(o->help) - 1] != '.')
            fail_msg("the help of %s isn't a sentence", o->name);
        assert_true(option_group_name(o->group) != NULL);
        assert_true((o->choices != NULL) == (o->type == OPTION_ENUM));
        assert_true((o->at == OPTION_NOT_STORED) == (o->bytes == 0));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(o->name, option_at(k)->name);
        char key[100];
        print_key(o, key, sizeof key);
        if (option_find(key) != o)
            fail_msg("%s is hidden by %s", o->name, option_find(key)->name);
    }
}

static void each_number_has_room_for_its_range(void **state)
{
    (void)state;
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        if (!option_is_number(o) || o->at == OPTION_NOT_STORED)
            continue;
        assert_true(o->low <= o->high);
        assert_true(o->bytes == 2 || o->bytes == 4 || o->bytes == 8);
        bool is_signed = o->low < 0;
        if (o->bytes == 2)
            assert_true(o->high <= (is_signed ? INT16_MAX : UINT16_MAX));
        if (o->bytes == 4)
            assert_true(o->high <= (is_signed ? INT32_MAX : UINT32_MAX));
    }
}

static void each_default_is_a_value_its_row_accepts(void **state)
{
    (void)state;
    struct buf said;
    buf_init(&said);
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        if (o->fallback != NULL && !accepts(o->name, o->fallback, &said))
            fail_msg("%s=%s: %s", o->name, o->fallback, (const char *)said.start);
    }
    buf_fini(&said);
}

/* The refusal names key, value, line and what is allowed. */
static void check_refused(const struct option *o, const char *value)
{
    struct buf said, allowed;
    char line[20];
    buf_init(&said);
    buf_init(&allowed);
    option_print_allowed(o, &allowed);
    buf_put_u8(&allowed, 0);
    snprintf(line, sizeof line, "(line %d)", 7);
    if (accepts(o->name, value, &said))
        fail_msg("%s=%s was accepted", o->name, value);
    if (!says(&said, o->name) || !says(&said, line) || (o->type != OPTION_SECRET && !says(&said, value)))
        fail_msg("'%s' doesn't name key, value and line", (const char *)said.start);
    if (o->tier == TIER_OFFERED && !says(&said, (const char *)allowed.start))
        fail_msg("'%s' doesn't say what is allowed", (const char *)said.start);
    buf_fini(&said);
    buf_fini(&allowed);
}

static void each_offered_row_refuses_wrong_values(void **state)
{
    (void)state;
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        char number[30];
        if (o->tier != TIER_OFFERED && o->tier != TIER_FIXED)
            continue;
        if (o->type == OPTION_BOOL || o->type == OPTION_ENUM || o->type == OPTION_OPERATIONS)
            check_refused(o, "maybe");
        if (o->type == OPTION_NAME || o->type == OPTION_HOST)
            check_refused(o, "a b");
        if (!option_is_number(o))
            continue;
        check_refused(o, "5s");
        check_refused(o, "1_000");
        check_refused(o, "5 ");
        check_refused(o, "0x10");
        check_refused(o, "99999999999999999999");
        if (o->tier == TIER_FIXED)
            continue;
        snprintf(number, sizeof number, "%" PRId64, o->low - 1);
        check_refused(o, number);
        if (o->high == INT64_MAX)
            continue;
        snprintf(number, sizeof number, "%" PRId64, o->high + 1);
        check_refused(o, number);
    }
}

static void each_blank_text_counts_as_unset_unless_it_is_required(void **state)
{
    (void)state;
    struct buf said;
    buf_init(&said);
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        bool is_text = o->type == OPTION_TEXT || o->type == OPTION_SECRET;
        if (o->tier != TIER_OFFERED || !(is_text || o->type == OPTION_NAME || o->type == OPTION_HOST))
            continue;
        if (o->is_required || !is_text)
            check_refused(o, "");
        else if (!accepts(o->name, "", &said) && !says(&said, "bootstrap.servers is missing"))
            fail_msg("%s=: %s", o->name, (const char *)said.start);
    }
    buf_fini(&said);
}

static void each_choice_is_accepted_or_says_why_not(void **state)
{
    (void)state;
    struct buf said;
    buf_init(&said);
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        for (const struct option_choice *c = o->choices; c != NULL && c->name != NULL; c++) {
            bool ok = accepts(o->name, c->name, &said);
            /* what a choice needs beside it has tests of its own */
            bool needs_more = says(&said, "needs database.ssl.truststore") || says(&said, "filename is missing");
            if (ok != (c->later == NULL) && !needs_more)
                fail_msg("%s=%s: %s", o->name, c->name, (const char *)said.start);
            assert_true(ok || needs_more || says(&said, c->later));
        }
    }
    buf_fini(&said);
}

static void each_fixed_and_refused_row_stops_the_start(void **state)
{
    (void)state;
    struct buf said;
    buf_init(&said);
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        char key[100];
        print_key(o, key, sizeof key);
        if (o->tier == TIER_FIXED)
            check_refused(o, o->type == OPTION_BOOL ? (strcmp(o->fallback, "true") == 0 ? "false" : "true") : "77");
        if (o->tier != TIER_REFUSED)
            continue;
        assert_false(accepts(key, "something", &said));
        assert_true(accepts(key, "  ", &said));
    }
    buf_fini(&said);
}

static void each_ignored_row_is_told_and_each_quiet_one_passes(void **state)
{
    (void)state;
    struct buf said;
    buf_init(&said);
    for (size_t i = 0; option_at(i) != NULL; i++) {
        const struct option *o = option_at(i);
        char key[100];
        print_key(o, key, sizeof key);
        if (o->tier != TIER_IGNORED && o->tier != TIER_QUIET)
            continue;
        if (!accepts(key, "${env:NOT_LOOKED_AT}", &said) || !says(&said, "not applied: ") || !says(&said, key))
            fail_msg("%s: %s", key, (const char *)said.start);
    }
    buf_fini(&said);
}

static void secrets_never_appear(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "database.password=geheim77\tx",
        "database.ssl.truststore.password=geheim77",
        "database.ssl.keystore.password=geheim77",
        "producer.override.sasl.jaas.config=M required geheim77",
        "producer.override.ssl.truststore.password=geheim77",
        "producer.override.ssl.keystore.key=geheim77",
        "some.unknown.password=${env:geheim77",
        "database.server.id=${env:TM_OPTIONS_SECRET}",
        "column.mask.hash.v2.SHA-256.with.salt.geheim77=shop.x.y",
    };
    struct buf said;
    buf_init(&said);
    setenv("TM_OPTIONS_SECRET", "geheim77", 1);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[100];
        size_t n = strcspn(keys[i], "=");
        snprintf(key, sizeof key, "%.*s", (int)n, keys[i]);
        accepts(key, keys[i] + n + 1, &said);
        if (says(&said, "geheim77"))
            fail_msg("%s was shown: %s", keys[i], (const char *)said.start);
    }
    buf_fini(&said);
}

static void secret_keys_are_recognised_known_or_not(void **state)
{
    (void)state;
    static const char *const secret[] = {"database.password", "producer.override.sasl.jaas.config",
                                         "signal.consumer.ssl.key.password", "x.Client.SECRET",
                                         "value.converter.basic.auth.user.info"};
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        assert_true(option_is_secret(secret[i]));
    assert_false(option_is_secret("database.user"));
    assert_false(option_is_secret("topic.prefix"));
}

static void numbers_are_stored_by_the_size_of_their_member(void **state)
{
    (void)state;
    struct fail why;
    struct {
        uint16_t before, port, after;
    } small = {7, 0, 7};
    const struct option *port = option_find("database.port");
    assert_int_equal(port->bytes, 2);
    assert_true(option_parse(port, "65535", NULL, &small.port, &why));
    assert_int_equal(small.before, 7);
    assert_int_equal(small.port, 65535);
    assert_int_equal(small.after, 7);
    assert_true(option_parse(port, "+80", NULL, &small.port, &why));
    assert_int_equal(small.port, 80);
}

static void the_page_is_what_the_program_prints(void **state)
{
    (void)state;
    struct buf printed, page;
    struct fail why;
    buf_init(&printed);
    buf_init(&page);
    options_print_markdown(&printed);
    assert_true(properties_read_file("docs/configuration.md", 1 << 20, &page, &why));
    if (!view_equal(buf_view(&printed), buf_view(&page)))
        fail_msg("make it anew: build/debug/tidemark config --markdown > docs/configuration.md");
    buf_fini(&printed);
    buf_fini(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_whole_and_named_once),
        cmocka_unit_test(each_number_has_room_for_its_range),
        cmocka_unit_test(each_default_is_a_value_its_row_accepts),
        cmocka_unit_test(each_offered_row_refuses_wrong_values),
        cmocka_unit_test(each_blank_text_counts_as_unset_unless_it_is_required),
        cmocka_unit_test(each_choice_is_accepted_or_says_why_not),
        cmocka_unit_test(each_fixed_and_refused_row_stops_the_start),
        cmocka_unit_test(each_ignored_row_is_told_and_each_quiet_one_passes),
        cmocka_unit_test(secrets_never_appear),
        cmocka_unit_test(secret_keys_are_recognised_known_or_not),
        cmocka_unit_test(numbers_are_stored_by_the_size_of_their_member),
        cmocka_unit_test(the_page_is_what_the_program_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
