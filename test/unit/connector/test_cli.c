/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: which words lead where, and with which exit code they end. */
#include "base/bytes.h"
#include "connector/cli.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char out[1 << 20]; /* what the last call wrote */

/* Runs with the words given, NULL behind the last; standard output and error go to `out`. */
static int call(const char *const *words)
{
    char *argv[12] = {(char *)"tidemark"};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++)
        argv[argc] = (char *)words[argc - 1];
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int kept[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    int code = cli_run(argc, argv);
    fflush(stdout);
    fflush(stderr);
    dup2(kept[0], STDOUT_FILENO);
    dup2(kept[1], STDERR_FILENO);
    close(kept[0]);
    close(kept[1]);
    rewind(file);
    out[fread(out, 1, sizeof out - 1, file)] = '\0';
    fclose(file);
    return code;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void check(const char *const *words, int code, const char *says)
{
    int got = call(words);
    if (got != code || strstr(out, says) == NULL)
        fail_msg("exit code %d, '%s' should say '%s'", got, out, says);
}

static void wrong_usage_ends_with_2(void **state)
{
    (void)state;
    check(WORDS(NULL), 2, "usage: tidemark COMMAND");
    check(WORDS("frobnicate"), 2, "unknown command: frobnicate");
    check(WORDS("check"), 2, "which file: check");
    check(WORDS("check", "a", "b"), 2, "one argument too many: b");
    check(WORDS("check", "--markdown", "a"), 2, "unknown option: --markdown");
    check(WORDS("run"), 2, "which file: run");
    check(WORDS("offsets"), 2, "unknown command: offsets");
    check(WORDS("offsets", "frob", "x"), 2, "unknown command: offsets");
    check(WORDS("offsets", "show", "--json"), 2, "which file: offsets show");
    check(WORDS("config", "x"), 2, "one argument too many: x");
    check(WORDS("help", "poetry"), 2, "one argument too many: poetry");
}

static void help_lists_the_commands(void **state)
{
    (void)state;
    check(WORDS("help"), 0, "check FILE");
    check(WORDS("--help"), 0, "config [--markdown|--json]");
    check(WORDS("-h"), 0, "--version");
    check(WORDS("help", "exit-codes"), 0, "  5  another instance of this name has taken over\n");
    check(WORDS("--version"), 0, "tidemark " TIDEMARK_VERSION "\n");
}

static void config_prints_every_option(void **state)
{
    (void)state;
    check(WORDS("config"), 0,
          "  database.port = 3306\n    Its TCP port.\n    Allowed: a whole number from 1 to 65535.\n");
    assert_null(strchr(out, '`'));
    check(
        WORDS("config", "--json"), 0,
        "{\"key\":\"database.port\",\"group\":\"Source\",\"tier\":\"offered\",\"default\":\"3306\",\"required\":false,"
        "\"secret\":false,\"allowed\":\"a whole number from 1 to 65535\",\"meaning\":\"Its TCP port.\"}");
    check(WORDS("config", "--markdown"), 0,
          "| `database.port` | `3306` | a whole number from 1 to 65535 | Its TCP port. |\n");
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void every_command_that_needs_a_file_refuses_a_wrong_one(void **state)
{
    (void)state;
    check(WORDS("run", "test/data/keystore/make"), 2, "settings are wrong");
    check(WORDS("run", "absent.properties"), 2, "No such file");
    check(WORDS("offsets", "show", "absent.properties", "--json"), 2, "No such file");
}

static void check_command_tells_whether_the_file_is_in_order(void **state)
{
    (void)state;
    char path[] = "/tmp/tidemark-cli-XXXXXX";
    close(mkstemp(path));
    write_file(
        path,
        "topic.prefix=shop\nsnapshot.mode=no_data\ndatabase.hostname=db1\ndatabase.user=cdc\ndatabase.server.id=1\n"
        "bootstrap.servers=k1:9092\nfoo=1\n");
    check(WORDS("check", path), 0, "the configuration of shop is in order");
    assert_non_null(strstr(out, "warn  config: unknown key: foo (line 7)"));
    write_file(
        path,
        "topic.prefix=shop\nsnapshot.mode=no_data\ndatabase.hostname=db1\ndatabase.user=cdc\ndatabase.server.id=x\n"
        "bootstrap.servers=k1:9092\ndatabase.password=geheim77\n");
    check(WORDS("check", path), 2, "database.server.id=x (line 5): must be a whole number from 1 to 4294967295");
    check(
        WORDS("check", path, "--json"), 2,
        "\"ok\":false,\"name\":null,\"notes\":[{\"level\":\"error\",\"text\":\"database.server.id=x (line 5): must be");
    assert_null(strstr(out, "geheim77"));
    write_file(path, "topic.prefix=shop\n");
    check(WORDS("check", path), 2, "4 settings are wrong, told above");
    assert_non_null(strstr(out, "error config: database.user is missing"));
    unlink(path);
    check(WORDS("check", path), 2, "No such file");
    check(WORDS("check", path, "--json"), 2, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_usage_ends_with_2),
        cmocka_unit_test(help_lists_the_commands),
        cmocka_unit_test(config_prints_every_option),
        cmocka_unit_test(every_command_that_needs_a_file_refuses_a_wrong_one),
        cmocka_unit_test(check_command_tells_whether_the_file_is_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
