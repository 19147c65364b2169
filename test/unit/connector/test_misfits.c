/* SPDX-License-Identifier: Apache-2.0 */
/* misfits: what a refusal teaches, how a record is named, what its dead letter has. */
#include "connector/misfits.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct misfits *m;
static uint8_t wide[300000];
static const struct log_position pos = {"binlog.000007", 4711};
static const struct misfit_place place = {.table = "shop\0orders", .pos = &pos, .event = 3, .row = 9, .gtid = "u:5"};

static void make(const char *dead, bool is_compressed)
{
    const struct misfit_settings set = {"conn", 200000, is_compressed, dead};
    misfits_free(&m);
    m = misfits_new(&set);
    assert_int_equal(misfits_open_with(m), SINK_BATCH_BYTES);
}

static int with_dead_letters(void **state)
{
    (void)state;
    make("dead", false);
    return 0;
}

static int end(void **state)
{
    (void)state;
    misfits_free(&m);
    return 0;
}

static struct sink_record record(const char *topic, size_t bytes)
{
    return (struct sink_record){
        .topic = topic, .has_key = true, .has_value = true, .key = view_of("{\"id\":1}"), .value = {wide, bytes - 8}};
}

static bool has(const char *topic, size_t bytes)
{
    const struct sink_record rec = record(topic, bytes);
    return misfits_has(m, &rec);
}

/* Until refused records are alone in their batches. */
static void narrow(void)
{
    assert_true(misfits_refused(m, "t", 500));
    assert_true(misfits_want_producer(m));
    assert_int_equal(misfits_open_with(m), 16384);
    assert_false(misfits_want_producer(m));
}

static void batches_get_smaller_before_a_record_is_blamed(void **state)
{
    (void)state;
    narrow();
    assert_false(has("t", 500));
    assert_null(misfits_unasked(m));
    assert_true(misfits_refused(m, "t", 600)); /* may have had company still */
    assert_int_equal(misfits_open_with(m), 1);
    assert_true(misfits_refused(m, "t", 600));
    assert_true(has("t", 600));
    assert_false(has("t", 599));
    assert_false(has("other", 600));
}

static void a_record_that_was_known_is_not_tried_for_ever(void **state)
{
    (void)state;
    narrow();
    assert_true(misfits_refused(m, "offsets", 50000));
    assert_false(misfits_refused(m, "offsets", 50000));
    assert_true(misfits_refused(m, "offsets", 40000));
}

static void the_limit_of_a_topic_counts_where_nothing_is_compressed(void **state)
{
    (void)state;
    for (int is_compressed = 0; is_compressed < 2; is_compressed++) {
        make(NULL, is_compressed);
        narrow();
        assert_true(misfits_refused(m, "t", 150000));
        assert_string_equal(misfits_unasked(m), "t");
        misfits_answer(m, "t", 100000);
        assert_null(misfits_unasked(m));
        assert_true(has("t", 100001) == !is_compressed);
        assert_true(has("t", 150000));
    }
}

static const char *header(const struct sink_record *rec, const char *name)
{
    for (size_t i = 0; i < rec->n_more; i++)
        if (strcmp(rec->more[i].name, name) == 0)
            return rec->more[i].value;
    return "";
}

static void a_dead_letter_says_where_it_comes_from(void **state)
{
    (void)state;
    struct fail why;
    struct sink_record letter;
    const struct sink_record rec = record("t", 199999);
    narrow();
    assert_true(misfits_refused(m, "t", 199999));
    misfits_answer(m, "t", 0);
    assert_true(misfits_set_aside(m, &rec, &place, &letter, &why));
    assert_string_equal(letter.topic, "dead");
    assert_true(letter.has_value);
    assert_string_equal(header(&letter, "__connect.errors.topic"), "t");
    assert_string_equal(header(&letter, "__connect.errors.connector.name"), "conn");
    assert_string_equal(header(&letter, "tidemark.table"), "shop.orders");
    assert_string_equal(header(&letter, "tidemark.file"), "binlog.000007");
    assert_string_equal(header(&letter, "tidemark.pos"), "4711");
    assert_string_equal(header(&letter, "tidemark.event"), "3");
    assert_string_equal(header(&letter, "tidemark.row"), "9");
    assert_string_equal(header(&letter, "tidemark.gtid"), "u:5");
    assert_string_equal(header(&letter, "tidemark.size"), "199999");
    assert_string_equal(header(&letter, "tidemark.limit"), "");
}

static void a_dead_letter_that_would_not_fit_has_no_value(void **state)
{
    (void)state;
    struct fail why;
    struct sink_record letter;
    const struct sink_record rec = record("t", 250000);
    assert_true(has("t", 250000));
    assert_true(misfits_set_aside(m, &rec, &place, &letter, &why));
    assert_false(letter.has_value);
    assert_int_equal(letter.value.n, 0);
    assert_string_equal(header(&letter, "tidemark.limit"), "200000");
    narrow();
    assert_int_equal(misfits_refused(m, "t", 5), true);
    misfits_open_with(m);
    assert_true(misfits_refused(m, "dead", 8)); /* not even its key */
    assert_false(misfits_set_aside(m, &rec, &place, &letter, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_non_null(strstr(why.text, "dead-letter topic dead does not take its key alone"));
}

static void without_dead_letters_it_is_named_whole(void **state)
{
    (void)state;
    struct fail why;
    struct sink_record letter;
    const struct sink_record rec = record("t", 250000);
    make(NULL, false);
    assert_false(misfits_set_aside(m, &rec, &place, &letter, &why));
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_DATA);
    static const char *const parts[] = {"table shop.orders",
                                        " to t: ",
                                        "250000 bytes",
                                        "the limit is 200000",
                                        "file=binlog.000007 pos=4711 event=3 row=9 gtid=u:5",
                                        "max.message.bytes",
                                        "errors.deadletterqueue.topic.name"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(why.text, parts[i]) == NULL)
            fail_msg("%s is not in: %s", parts[i], why.text);
    assert_null(strstr(why.text, "{\"id\":1}")); /* a row's data has no place in a log */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, with_dead_letters, end)
    const struct CMUnitTest tests[] = {
        TEST(batches_get_smaller_before_a_record_is_blamed),
        TEST(a_record_that_was_known_is_not_tried_for_ever),
        TEST(the_limit_of_a_topic_counts_where_nothing_is_compressed),
        TEST(a_dead_letter_says_where_it_comes_from),
        TEST(a_dead_letter_that_would_not_fit_has_no_value),
        TEST(without_dead_letters_it_is_named_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
