/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/temporal.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

static struct cell_date date(unsigned year, unsigned month, unsigned day)
{
    return (struct cell_date){.year = (uint16_t)year, .month = (uint8_t)month, .day = (uint8_t)day};
}

static void epoch_days_are_those_of_the_proleptic_calendar(void **state)
{
    (void)state;
    static const struct {
        unsigned year, month, day;
        int64_t days;
    } known[] = {
        {1970, 1, 1, 0},      {1969, 12, 31, -1},      {2000, 2, 29, 11016},    {2000, 3, 1, 11017},
        {1, 1, 1, -719162},   {9999, 12, 31, 2932896}, {1582, 10, 15, -141427}, {0, 1, 1, -719528},
        {0, 12, 31, -719163}, {2026, 8, 4, 20669},     {1000, 1, 1, -354285},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct cell_date d = date(known[i].year, known[i].month, known[i].day);
        assert_true(temporal_epoch_days(&d) == known[i].days);
    }
}

static void every_day_follows_the_day_before_it(void **state)
{
    (void)state;
    int64_t days = -719528;
    for (unsigned year = 0; year <= 9999; year++) {
        for (unsigned month = 1; month <= 12; month++) {
            for (unsigned day = 1; day <= 31; day++) {
                struct cell_date d = date(year, month, day);
                if (!temporal_day_exists(&d))
                    continue;
                assert_true(temporal_epoch_days(&d) == days);
                struct cell_date back = temporal_of_micros(days * TEMPORAL_DAY_US + TEMPORAL_DAY_US - 1);
                assert_true(back.year == year && back.month == month && back.day == day);
                assert_true(back.hour == 23 && back.minute == 59 && back.second == 59 && back.micro == 999999);
                days++;
            }
        }
    }
    assert_true(days == 2932897);
}

static void days_that_do_not_exist_are_told(void **state)
{
    (void)state;
    static const struct {
        unsigned year, month, day;
        bool exists;
    } known[] = {
        {2021, 2, 31, false}, {2021, 2, 29, false}, {2024, 2, 29, true},  {1900, 2, 29, false}, {2000, 2, 29, true},
        {2021, 4, 31, false}, {2021, 0, 1, false},  {2021, 13, 1, false}, {2021, 1, 0, false},  {2021, 12, 31, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct cell_date d = date(known[i].year, known[i].month, known[i].day);
        assert_int_equal(temporal_day_exists(&d), known[i].exists);
    }
}

static void zero_parts_are_told(void **state)
{
    (void)state;
    struct cell_date whole = date(2024, 1, 1), year = date(0, 5, 5), month = date(2024, 0, 15), day = date(2024, 5, 0);
    assert_false(temporal_has_zero_part(&whole));
    assert_true(temporal_has_zero_part(&year));
    assert_true(temporal_has_zero_part(&month));
    assert_true(temporal_has_zero_part(&day));
}

static void nanoseconds_end_where_64_bits_end(void **state)
{
    (void)state;
    int64_t nanos;
    struct cell_date d = {2262, 4, 11, 23, 47, 16, 854775};
    assert_true(temporal_epoch_nanos(&d, &nanos));
    assert_true(nanos == INT64_C(9223372036854775000));
    d.micro++;
    assert_false(temporal_epoch_nanos(&d, &nanos));
    d = (struct cell_date){1677, 9, 21, 0, 12, 43, 145225};
    assert_true(temporal_epoch_nanos(&d, &nanos));
    assert_true(nanos == INT64_C(-9223372036854775000));
    d.micro--;
    assert_false(temporal_epoch_nanos(&d, &nanos));
}

static void readings_become_moments(void **state)
{
    (void)state;
    struct cell_date d = {2023, 1, 11, 0, 34, 10, 100000};
    assert_true(temporal_epoch_micros(&d) == INT64_C(1673397250100000));
    d = (struct cell_date){1969, 12, 31, 23, 59, 59, 999999};
    assert_true(temporal_epoch_micros(&d) == -1);
    struct cell_date back = temporal_of_micros(-1);
    assert_memory_equal(&back.micro, &d.micro, sizeof d.micro);
    assert_int_equal(back.year, 1969);
}

static void expect_fraction(uint32_t micro, unsigned fsp, const char *fixed, const char *fewest)
{
    struct buf out;
    buf_init(&out);
    temporal_put_fraction(&out, micro, fsp);
    assert_true(view_is(buf_view(&out), fixed));
    buf_clear(&out);
    temporal_put_short_fraction(&out, micro);
    assert_true(view_is(buf_view(&out), fewest));
    buf_fini(&out);
}

static void fractions_print_fixed_or_short(void **state)
{
    (void)state;
    expect_fraction(0, 0, "", "");
    expect_fraction(0, 3, ".000", "");
    expect_fraction(120000, 6, ".120000", ".12");
    expect_fraction(500000, 1, ".5", ".5");
    expect_fraction(1, 6, ".000001", ".000001");
}

static void clocks_print_hours_beyond_99(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out);
    temporal_put_clock(&out, 838, 59, 7);
    temporal_put_clock(&out, 4, 5, 0);
    assert_true(view_is(buf_view(&out), "838:59:0704:05:00"));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epoch_days_are_those_of_the_proleptic_calendar),
        cmocka_unit_test(every_day_follows_the_day_before_it),
        cmocka_unit_test(days_that_do_not_exist_are_told),
        cmocka_unit_test(zero_parts_are_told),
        cmocka_unit_test(nanoseconds_end_where_64_bits_end),
        cmocka_unit_test(readings_become_moments),
        cmocka_unit_test(fractions_print_fixed_or_short),
        cmocka_unit_test(clocks_print_hours_beyond_99),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
