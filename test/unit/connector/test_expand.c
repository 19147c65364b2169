/* SPDX-License-Identifier: Apache-2.0 */
/* References in values: what they are replaced by, and that an error never shows a value. */
#include "connector/expand.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/tidemark-expand-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int prepare(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    setenv("TM_TEST_USER", "cdc", 1);
    setenv("TM_TEST_EMPTY", "", 1);
    setenv("TM_TEST_NESTED", "${env:TM_TEST_USER}", 1);
    write_file("secrets.properties", "pw=geheim:1\nmysql.user = x\\u0041\n");
    write_file("password", "hunter2\n");
    write_file("broken.properties", "pw=\\u12\n");
    return 0;
}

static int clean(void **state)
{
    (void)state;
    static const char *const names[] = {"secrets.properties", "password", "broken.properties"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* `@` in value stands for the folder. */
static bool expand(const char *value, bool is_server, struct buf *out, struct fail *why)
{
    struct buf full;
    buf_init(&full);
    for (; *value != '\0'; value++)
        if (*value == '@')
            buf_put_text(&full, folder);
        else
            buf_put_u8(&full, (uint8_t)*value);
    buf_put_u8(&full, 0);
    bool ok = expand_value((const char *)full.start, (struct expand_rules){.is_server = is_server}, out, why);
    buf_fini(&full);
    return ok;
}

static void check(const char *value, bool is_server, const char *expected)
{
    struct buf out;
    struct fail why = {0};
    buf_init(&out);
    if (!expand(value, is_server, &out, &why))
        fail_msg("'%s' was refused: %s", value, why.text);
    if (!view_is(buf_view(&out), expected))
        fail_msg("'%s' gave '%.*s'", value, VIEW_ARGS(buf_view(&out)));
    buf_fini(&out);
}

static void check_refused(const char *value, bool is_server, const char *reason)
{
    struct buf out;
    struct fail why = {0};
    buf_init(&out);
    bool ok = expand(value, is_server, &out, &why);
    buf_fini(&out);
    assert_false(ok);
    assert_int_equal(why.area, FAIL_AREA_CONFIG);
    if (strstr(why.text, reason) == NULL)
        fail_msg("'%s' should say '%s'", why.text, reason);
}

static void value_without_reference_stays(void **state)
{
    (void)state;
    check("", false, "");
    check("plain $x {y} $", false, "plain $x {y} $");
    check("open ${env:X", false, "open ${env:X");
}

static void environment_variable_is_put_in(void **state)
{
    (void)state;
    check("${env:TM_TEST_USER}", false, "cdc");
    check("a-${env:TM_TEST_USER}-${env:TM_TEST_USER}-b", false, "a-cdc-cdc-b");
    check("${env:TM_TEST_EMPTY}", false, "");
    check_refused("${env:TM_TEST_ABSENT}", false, "${env:TM_TEST_ABSENT}: there is no such environment variable");
}

static void what_was_put_in_is_not_looked_at_again(void **state)
{
    (void)state;
    check("${env:TM_TEST_NESTED}", false, "${env:TM_TEST_USER}");
}

static void key_of_a_properties_file_is_put_in(void **state)
{
    (void)state;
    check("${file:@/secrets.properties:pw}", false, "geheim:1");
    check("${file:@/secrets.properties:mysql.user}", false, "xA");
    check_refused("${file:@/secrets.properties:absent}", false, "has no such key");
    check_refused("${file:@/none.properties:pw}", false, "No such file");
    check_refused("${file:@/broken.properties:pw}", false, "line 1: malformed");
    check_refused("${file:pw}", false, "must be ${file:PATH:key}");
}

static void file_of_a_folder_is_put_in_without_its_line_end(void **state)
{
    (void)state;
    check("${directory:@:password}", false, "hunter2");
    check("${dir:@:password}", false, "hunter2");
    check_refused("${directory:@:../x}", false, "must be that of a file in the folder");
    check_refused("${directory:@:none}", false, "No such file");
}

static void unknown_provider_is_refused_and_no_provider_stays(void **state)
{
    (void)state;
    check_refused("${vault:secret/db:pw}", false, "not a known provider");
    check("${routedByValue}", false, "${routedByValue}");
    check("${}", false, "${}");
}

static void debezium_server_has_short_forms(void **state)
{
    (void)state;
    check("${TM_TEST_USER}", true, "cdc");
    check("${tm.test-user}", true, "cdc");
    check("${TM_TEST_ABSENT:none:at all}", true, "none:at all");
    check("${TM_TEST_ABSENT:}", true, "");
    check("${env:TM_TEST_USER}", true, "cdc");
    check_refused("${TM_TEST_ABSENT}", true, "there is no such environment variable");
}

static void reference_is_recognised(void **state)
{
    (void)state;
    assert_true(expand_has_reference("a${b}c"));
    assert_false(expand_has_reference("a${b"));
    assert_false(expand_has_reference("a}b${"));
    assert_false(expand_has_reference(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_without_reference_stays),
        cmocka_unit_test(environment_variable_is_put_in),
        cmocka_unit_test(what_was_put_in_is_not_looked_at_again),
        cmocka_unit_test(key_of_a_properties_file_is_put_in),
        cmocka_unit_test(file_of_a_folder_is_put_in_without_its_line_end),
        cmocka_unit_test(unknown_provider_is_refused_and_no_provider_stays),
        cmocka_unit_test(debezium_server_has_short_forms),
        cmocka_unit_test(reference_is_recognised),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
