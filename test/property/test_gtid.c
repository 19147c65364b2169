/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algebra of GTID sets against a model too simple to be wrong: one flag per source, tag and number.
 *
 * Sources and numbers are few, so that intervals touch, split and vanish all the time. The seed is printed;
 * SEED=n repeats a run, ROUNDS=n makes it longer.
 */
#include "binlog/gtid.h"
#include "test/support/random.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 6, NUMBERS = 40 };

struct model {
    bool has[SOURCES][NUMBERS]; /* number n is at n - 1 */
};

struct pair {
    struct gtid_set set;
    struct model model;
};

static struct gtid gtid_of(int source, int number)
{
    static const char *tags[] = {"", "b", "ab"};
    struct gtid g = {.n = number + 1};
    memset(g.uuid, source % 2 == 0 ? 0x11 : 0xee, sizeof g.uuid);
    strcpy(g.tag, tags[source / 2]);
    return g;
}

static void check_pair(const struct pair *p)
{
    uint64_t n = 0;
    for (int s = 0; s < SOURCES; s++) {
        for (int i = 0; i < NUMBERS; i++) {
            struct gtid g = gtid_of(s, i);
            assert_int_equal(gtid_set_has(&p->set, &g), p->model.has[s][i]);
            n += p->model.has[s][i];
        }
    }
    assert_int_equal(gtid_set_count(&p->set), n);
    assert_int_equal(gtid_set_is_empty(&p->set), n == 0);
    for (uint32_t s = 0; s < p->set.n_sources; s++) {
        const struct gtid_source *source = &p->set.sources[s];
        assert_true(source->n_intervals > 0);
        for (uint32_t i = 0; i < source->n_intervals; i++) {
            assert_true(source->intervals[i].first < source->intervals[i].end);
            assert_true(i == 0 || source->intervals[i - 1].end < source->intervals[i].first);
        }
    }
}

static void add_some(struct pair *p)
{
    int s = (int)random_below(SOURCES);
    int from = (int)random_below(NUMBERS);
    int to = from + (int)random_below(6);
    for (int i = from; i <= to && i < NUMBERS; i++) {
        struct gtid g = gtid_of(s, i);
        gtid_set_add(&p->set, &g);
        p->model.has[s][i] = true;
    }
}

static void add_range(struct pair *p)
{
    int s = (int)random_below(SOURCES);
    int from = (int)random_below(NUMBERS);
    int to = from + 1 + (int)random_below((uint32_t)(NUMBERS - from));
    struct gtid g = gtid_of(s, from);
    gtid_set_add_range(&p->set, g.uuid, g.tag, (struct gtid_interval){from + 1, to + 1});
    for (int i = from; i < to; i++)
        p->model.has[s][i] = true;
}

static void remove_some(struct pair *p)
{
    int s = (int)random_below(SOURCES);
    for (int k = 0; k < 3; k++) {
        int i = (int)random_below(NUMBERS);
        struct gtid g = gtid_of(s, i);
        gtid_set_remove(&p->set, &g);
        p->model.has[s][i] = false;
    }
}

static void check_two(const struct pair *a, const struct pair *b)
{
    bool contains = true;
    bool equal = true;
    for (int s = 0; s < SOURCES; s++) {
        for (int i = 0; i < NUMBERS; i++) {
            contains = contains && (a->model.has[s][i] || !b->model.has[s][i]);
            equal = equal && a->model.has[s][i] == b->model.has[s][i];
        }
    }
    assert_int_equal(gtid_set_contains(&a->set, &b->set), contains);
    assert_int_equal(gtid_set_equal(&a->set, &b->set), equal);
}

static void combine(struct pair *a, const struct pair *b, bool is_union)
{
    if (is_union)
        gtid_set_union(&a->set, &b->set);
    else
        gtid_set_minus(&a->set, &b->set);
    for (int s = 0; s < SOURCES; s++)
        for (int i = 0; i < NUMBERS; i++)
            a->model.has[s][i] =
                is_union ? a->model.has[s][i] || b->model.has[s][i] : a->model.has[s][i] && !b->model.has[s][i];
}

/* Whatever is written is read back as the same set, in both forms. */
static void check_round_trip(const struct pair *p)
{
    struct gtid_set back;
    struct buf out;
    struct fail why = {0};
    gtid_set_init(&back);
    buf_init(&out);
    gtid_set_print(&p->set, &out);
    assert_true(gtid_set_read(&back, buf_view(&out), &why));
    assert_true(gtid_set_equal(&back, &p->set));
    buf_clear(&out);
    gtid_set_encode(&p->set, &out);
    assert_true(gtid_set_decode(&back, buf_view(&out), &why));
    assert_true(gtid_set_equal(&back, &p->set));
    buf_fini(&out);
    gtid_set_fini(&back);
}

static void do_one(struct pair *a, struct pair *b)
{
    switch (random_below(8)) {
    case 0:
    case 1:
    case 2:
        add_some(a);
        break;
    case 3:
        add_range(a);
        break;
    case 4:
        remove_some(a);
        break;
    case 5:
        combine(a, b, true);
        break;
    case 6:
        combine(a, b, false);
        break;
    default:
        gtid_set_copy(&b->set, &a->set);
        b->model = a->model;
        break;
    }
}

static void gtid_sets_obey_their_model(void **state)
{
    (void)state;
    int rounds = random_begin(20000);
    struct pair pairs[2] = {0};
    for (int i = 0; i < rounds; i++) {
        int which = (int)random_below(2);
        do_one(&pairs[which], &pairs[1 - which]);
        check_pair(&pairs[which]);
        check_two(&pairs[which], &pairs[1 - which]);
        check_two(&pairs[1 - which], &pairs[which]);
        if (i % 16 == 0)
            check_round_trip(&pairs[which]);
        if (i % 1000 == 999) { /* start anew: sets tend to fill up */
            gtid_set_fini(&pairs[0].set);
            memset(&pairs[0].model, 0, sizeof pairs[0].model);
        }
    }
    gtid_set_fini(&pairs[0].set);
    gtid_set_fini(&pairs[1].set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gtid_sets_obey_their_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
