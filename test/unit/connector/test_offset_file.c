/* SPDX-License-Identifier: Apache-2.0 */
/* offset_file: the old file or the new one, never half of one. */
#include "connector/offset_file.h"

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "[\"n\",{\"server\":\"p\"}]"

struct place {
    char folder[64];
    char path[128];
};

static int set_up(void **state)
{
    struct place *p = mem_zero(1, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/test_offset_file.XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/offsets", p->folder);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", p->folder);
    assert_int_equal(system(command), 0);
    free(p);
    return 0;
}

static struct offset_file *open_ok(const struct place *p)
{
    struct fail why;
    struct offset_file *f = offset_file_open(p->path, &why);
    if (f == NULL)
        fail_msg("%s", why.text);
    return f;
}

static void put(struct offset_file *f, enum offset_file_part part, const char *key, const char *value)
{
    offset_file_put(f, part, view_of(key), value != NULL, view_of(value));
}

static void store_ok(struct offset_file *f)
{
    struct fail why;
    if (!offset_file_store(f, &why))
        fail_msg("%s", why.text);
}

/* Puts "key=value;" of each record one behind the other. */
static bool print_record(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    (void)why;
    assert_true(has_value);
    buf_printf(ctx, "%.*s=%.*s;", VIEW_ARGS(key), VIEW_ARGS(value));
    return true;
}

static void check_loads(struct offset_file *f, enum offset_file_part part, const char *expected)
{
    struct fail why;
    struct buf out;
    buf_init(&out);
    assert_true(offset_file_load(f, part, print_record, &out, &why));
    buf_put_u8(&out, 0);
    assert_string_equal((const char *)out.start, expected);
    buf_fini(&out);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void check_text(const char *path, const char *expected)
{
    char text[1024] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, expected);
}

static void offset_file_keeps_what_was_stored(void **state)
{
    struct place *p = *state;
    char shapes[160];
    snprintf(shapes, sizeof shapes, "%s.shapes", p->path);
    struct offset_file *f = open_ok(p);
    check_loads(f, OFFSET_FILE_OFFSETS, "");
    put(f, OFFSET_FILE_OFFSETS, KEY, "{\"file\":\"b.1\",\"pos\":4}");
    put(f, OFFSET_FILE_OFFSETS, "[\"m\"]", "{}");
    put(f, OFFSET_FILE_SHAPES, "[\"s\",1]", "{\"versions\":[{\"ddl\":\"a\\n}, \\\"\"}]}");
    store_ok(f);
    put(f, OFFSET_FILE_OFFSETS, KEY, "{\"file\":\"b.1\",\"pos\":5}");
    put(f, OFFSET_FILE_OFFSETS, "[\"m\"]", NULL);
    store_ok(f);
    put(f, OFFSET_FILE_OFFSETS, KEY, "{\"file\":\"b.1\",\"pos\":6}"); /* not stored */
    offset_file_close(&f);
    check_text(p->path, "{\"key\":" KEY ",\"value\":{\"file\":\"b.1\",\"pos\":5}}\n");
    check_text(shapes, "{\"key\":[\"s\",1],\"value\":{\"versions\":[{\"ddl\":\"a\\n}, \\\"\"}]}}\n");
    f = open_ok(p);
    check_loads(f, OFFSET_FILE_OFFSETS, KEY "={\"file\":\"b.1\",\"pos\":5};");
    check_loads(f, OFFSET_FILE_SHAPES, "[\"s\",1]={\"versions\":[{\"ddl\":\"a\\n}, \\\"\"}]};");
    offset_file_close(&f);
}

static void offset_file_names_a_line_that_is_wrong(void **state)
{
    struct place *p = *state;
    static const char *const lines[] = {"x\n",
                                        "{}\n",
                                        "{\"key\":[\"a\"]}\n",
                                        "{\"key\":,\"value\":{}}\n",
                                        "{\"key\":[\"a\"],\"value\":}\n",
                                        "{\"key\":[\"a\"],\"value\":{}\n",
                                        "{\"key\":[\"a\"],\"value\":{\"b\":\"c\n",
                                        "{\"key\":[\"a\"],\"value\":{}} \n",
                                        "{\"key\":[\"a\"],\"value\""};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct fail why = {0};
        char text[256];
        snprintf(text, sizeof text, "{\"key\":[\"n\"],\"value\":{}}\n%s", lines[i]);
        write_text(p->path, text);
        if (offset_file_open(p->path, &why) != NULL)
            fail_msg("taken: %s", lines[i]);
        assert_int_equal(why.kind, FAIL_STOP);
        assert_non_null(strstr(why.text, "offsets line 2 "));
    }
}

static void offset_file_is_locked_against_a_second_process(void **state)
{
    struct place *p = *state;
    struct fail why;
    struct offset_file *f = open_ok(p);
    assert_null(offset_file_open(p->path, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_FENCED);
    offset_file_close(&f);
    f = open_ok(p);
    offset_file_close(&f);
}

static void offset_file_tells_a_folder_that_is_missing(void **state)
{
    struct place *p = *state;
    struct fail why;
    snprintf(p->path, sizeof p->path, "%s/no/such/offsets", p->folder);
    assert_null(offset_file_open(p->path, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.code, ENOENT);
    assert_non_null(strstr(why.text, p->path));
}

/* A limit on the size of files stands in for the full disk; the kernel answers EFBIG where the disk says ENOSPC. */
static void offset_file_keeps_the_old_one_when_the_new_one_can_not_be_written(void **state)
{
    struct place *p = *state;
    struct fail why;
    struct rlimit old, small;
    char new_path[160];
    struct buf value;
    struct offset_file *f = open_ok(p);
    put(f, OFFSET_FILE_OFFSETS, KEY, "{\"pos\":1}");
    store_ok(f);
    buf_init(&value);
    for (int i = 0; i < 5000; i++)
        buf_put_literal(&value, "1234567890");
    buf_put_u8(&value, 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    put(f, OFFSET_FILE_OFFSETS, KEY, (const char *)value.start);
    bool ok = offset_file_store(f, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(ok);
    assert_int_equal(why.code, EFBIG);
    check_text(p->path, "{\"key\":" KEY ",\"value\":{\"pos\":1}}\n");
    snprintf(new_path, sizeof new_path, "%s.new", p->path);
    assert_int_not_equal(access(new_path, F_OK), 0);
    store_ok(f); /* the next try has all of it */
    offset_file_close(&f);
    f = open_ok(p);
    struct buf out;
    buf_init(&out);
    assert_true(offset_file_load(f, OFFSET_FILE_OFFSETS, print_record, &out, &why));
    assert_int_equal(buf_size(&out), strlen(KEY) + 2 + 50000);
    buf_fini(&out);
    buf_fini(&value);
    offset_file_close(&f);
}

static void offset_file_waits_for_a_full_disk(void **state)
{
    struct place *p = *state;
    struct fail why;
    char new_path[160];
    struct offset_file *f = open_ok(p);
    snprintf(new_path, sizeof new_path, "%s.new", p->path);
    put(f, OFFSET_FILE_OFFSETS, KEY, "{\"pos\":1}");
    assert_int_equal(symlink("/dev/full", new_path), 0);
    assert_false(offset_file_store(f, &why));
    assert_int_equal(why.code, ENOSPC);
    assert_int_equal(why.kind, FAIL_RETRY);
    store_ok(f); /* the failed one is out of the way */
    offset_file_close(&f);
    check_text(p->path, "{\"key\":" KEY ",\"value\":{\"pos\":1}}\n");
}

static void offset_file_knows_one_that_java_wrote(void **state)
{
    struct place *p = *state;
    struct fail why = {0};
    FILE *file = fopen(p->path, "w");
    assert_int_equal(fwrite("\xac\xed\0\5sr", 1, 6, file), 6);
    fclose(file);
    assert_null(offset_file_open(p->path, &why));
    assert_non_null(strstr(why.text, "offsets import --from-path"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(offset_file_keeps_what_was_stored),
        TEST(offset_file_names_a_line_that_is_wrong),
        TEST(offset_file_knows_one_that_java_wrote),
        TEST(offset_file_is_locked_against_a_second_process),
        TEST(offset_file_tells_a_folder_that_is_missing),
        TEST(offset_file_keeps_the_old_one_when_the_new_one_can_not_be_written),
        TEST(offset_file_waits_for_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
