/* SPDX-License-Identifier: Apache-2.0 */
/* Login lines of Java's Kafka clients. */
#include "connector/jaas.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

static void check(const char *line, const char *module, const char *user, const char *password)
{
    struct arena memory;
    struct jaas j;
    struct fail why = {0};
    arena_init(&memory);
    if (!jaas_read(line, &memory, &j, &why))
        fail_msg("%s was refused: %s", line, why.text);
    assert_string_equal(j.module, module);
    assert_string_equal(jaas_get(&j, "username"), user);
    assert_string_equal(jaas_get(&j, "password"), password);
    assert_null(jaas_get(&j, "absent"));
    arena_fini(&memory);
}

static void module_and_options_are_read(void **state)
{
    (void)state;
    check("org.apache.kafka.common.security.scram.ScramLoginModule required username=\"shop\" password=\"pw9\";",
          "ScramLoginModule", "shop", "pw9");
    check("  PlainLoginModule\n  required\n username = \"a b\"\n password = \"\" ;  ", "PlainLoginModule", "a b", "");
    check("PlainLoginModule required username=shop password=pw9;", "PlainLoginModule", "shop", "pw9");
}

static void quoted_values_have_javas_escapes(void **state)
{
    (void)state;
    check("M required username=\"a\\\"b\\\\c\" password=\"=; \\101\\n\";", "M", "a\"b\\c", "=; A\n");
}

static void malformed_line_is_refused_without_showing_it(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "M",
        "M required",
        "M required username=\"geheim\"",
        "M required username \"geheim\";",
        "M required =\"geheim\";",
        "M required username=\"geheim;",
        "M required username=;",
        "M required x=geheim; N required x=geheim;",
        "M required username=\"a\\000geheim\";",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena memory;
        struct jaas j;
        struct fail why = {0};
        arena_init(&memory);
        if (jaas_read(wrong[i], &memory, &j, &why))
            fail_msg("'%s' was accepted", wrong[i]);
        assert_null(strstr(why.text, "geheim"));
        arena_fini(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_and_options_are_read),
        cmocka_unit_test(quoted_values_have_javas_escapes),
        cmocka_unit_test(malformed_line_is_refused_without_showing_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
