/* SPDX-License-Identifier: Apache-2.0 */
/* connect_offsets: offsets are found in each form in which they come, and the right connector's is chosen. */
#include "connector/connect_file.h"
#include "connector/connect_offsets.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

static void read_text(struct connect_offsets *all, const char *text)
{
    struct fail why;
    connect_offsets_init(all);
    if (!connect_offsets_read_text(all, view_of(text), &why))
        fail_msg("%s: %s", text, why.text);
}

static void check_entry(const struct connect_entry *e, const char *name, const char *server, const char *value)
{
    assert_string_equal(e->name, name);
    assert_string_equal(e->server, server);
    if (value == NULL)
        assert_null(e->value);
    else
        assert_string_equal(e->value, value);
}

static void connect_offsets_reads_what_the_rest_door_gives(void **state)
{
    (void)state;
    struct connect_offsets all;
    read_text(&all, "{\"offsets\":[{\"partition\":{\"server\":\"shop\"},\"offset\":{\"file\":\"b.1\",\"pos\":4}},"
                    "{\"partition\":{\"server\":\"gone\"},\"offset\":null}]}");
    assert_int_equal(all.n, 2);
    check_entry(&all.entries[0], "", "shop", "{\"file\":\"b.1\",\"pos\":4}");
    check_entry(&all.entries[1], "", "gone", NULL);
    connect_offsets_fini(&all);
}

static void connect_offsets_reads_lines_and_single_values(void **state)
{
    (void)state;
    struct connect_offsets all;
    read_text(&all, "{\"key\":[\"a\",{\"server\":\"s\"}],\"value\":{\"file\":\"b.1\",\"pos\":4}}\n"
                    "{\"key\":[\"a\",{\"server\":\"s\"}],\"value\":{\"file\":\"b.2\",\"pos\":5}}\n"
                    "{\"key\":[\"a\",{\"server\":\"s\"},\"db\",\"t\"],\"value\":{}}\n");
    assert_int_equal(all.n, 1); /* the last of a key counts, and shapes are none */
    check_entry(&all.entries[0], "a", "s", "{\"file\":\"b.2\",\"pos\":5}");
    connect_offsets_fini(&all);
    read_text(&all, "{\"file\":\"b.1\",\"pos\":4}");
    check_entry(&all.entries[0], "", "", "{\"file\":\"b.1\",\"pos\":4}");
    connect_offsets_fini(&all);
}

static void connect_offsets_reads_the_file_store(void **state)
{
    (void)state;
    struct connect_offsets all;
    struct buf bytes;
    struct fail why;
    buf_init(&bytes);
    connect_offsets_init(&all);
    connect_file_print(view_of("[\"inventory\",{\"server\":\"shop\"}]"), view_of("{\"file\":\"b.1\"}"), &bytes);
    assert_true(connect_offsets_read_text(&all, buf_view(&bytes), &why));
    check_entry(&all.entries[0], "inventory", "shop", "{\"file\":\"b.1\"}");
    connect_offsets_fini(&all);
    buf_fini(&bytes);
}

static void connect_offsets_refuses_other_text(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",        "what", "{}", "[]", "{\"key\":[1],\"value\"}", "{\"offsets\":1}",
                                        "\xac\xed"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct connect_offsets all;
        struct fail why = {0};
        connect_offsets_init(&all);
        assert_false(connect_offsets_read_text(&all, view_of(wrong[i]), &why));
        assert_int_equal(why.kind, FAIL_REFUSE);
        connect_offsets_fini(&all);
    }
}

static const char *chosen(const struct connect_offsets *all, const char *own_name, const char *prefix, const char *name)
{
    struct fail why;
    const struct config cfg = {.name = own_name, .record = {.topic_prefix = prefix}};
    const struct connect_entry *e = connect_offsets_choose(all, &cfg, name, &why);
    if (e == NULL)
        fail_msg("%s", why.text);
    return e->value;
}

static void check_not_chosen(const struct connect_offsets *all, const char *own_name, const char *prefix,
                             const char *name, const char *because)
{
    struct fail why = {0};
    const struct config cfg = {.name = own_name, .record = {.topic_prefix = prefix}};
    assert_null(connect_offsets_choose(all, &cfg, name, &why));
    assert_int_equal(why.area, FAIL_AREA_REFUSED);
    if (strstr(why.text, because) == NULL)
        fail_msg("%s is not in: %s", because, why.text);
}

static void connect_offsets_chooses_by_name_then_by_prefix(void **state)
{
    (void)state;
    struct connect_offsets all;
    read_text(&all, "{\"key\":[\"a\",{\"server\":\"s\"}],\"value\":{\"n\":1}}\n"
                    "{\"key\":[\"b\",{\"server\":\"s\"}],\"value\":{\"n\":2}}\n"
                    "{\"key\":[\"c\",{\"server\":\"t\"}],\"value\":{\"n\":3}}\n");
    assert_string_equal(chosen(&all, "a", "s", NULL), "{\"n\":1}");
    assert_string_equal(chosen(&all, "mine", "t", NULL), "{\"n\":3}");
    assert_string_equal(chosen(&all, "mine", "s", "b"), "{\"n\":2}");
    assert_string_equal(chosen(&all, "mine", "s", "c"), "{\"n\":3}"); /* by its name, though of another prefix */
    check_not_chosen(&all, "mine", "s", NULL, "there are: a (topic.prefix s), b (topic.prefix s), c (topic.prefix t)");
    check_not_chosen(&all, "mine", "u", NULL, "with topic.prefix u");
    check_not_chosen(&all, "mine", "s", "d", "the connector d");
    connect_offsets_fini(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connect_offsets_reads_what_the_rest_door_gives),
        cmocka_unit_test(connect_offsets_reads_lines_and_single_values),
        cmocka_unit_test(connect_offsets_reads_the_file_store),
        cmocka_unit_test(connect_offsets_refuses_other_text),
        cmocka_unit_test(connect_offsets_chooses_by_name_then_by_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
