/* SPDX-License-Identifier: Apache-2.0 */
/* offsets_place: times as people and programs write them. Places themselves need a server: the live tests have them. */
#include "connector/offsets_place.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

static void check_time(const char *text, int64_t expected_us)
{
    int64_t us;
    struct fail why;
    if (!place_read_time(view_of(text), &us, &why))
        fail_msg("%s", why.text);
    if (us != expected_us)
        fail_msg("%s: %lld is not %lld", text, (long long)us, (long long)expected_us);
}

static void place_reads_times(void **state)
{
    (void)state;
    check_time("1970-01-01T00:00:00Z", 0);
    check_time("2026-11-30T17:33:11Z", 1796059991000000);
    check_time("2026-11-30 17:33:11Z", 1796059991000000);
    check_time("2026-11-30T17:33:11.5Z", 1796059991500000);
    check_time("2026-11-30T17:33:11.123456789Z", 1796059991123456);
    check_time("2026-11-30T19:33:11+02:00", 1796059991000000);
    check_time("2026-11-30T12:03:11.25-05:30", 1796059991250000);
    check_time("1796059991000", 1796059991000000);
    check_time("0", 0);
}

static void place_refuses_what_is_no_time(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "now",
                                        "2026-11-30",
                                        "2026-11-30T17:33:11",
                                        "2026-02-30T17:33:11Z",
                                        "2026-11-30T24:00:00Z",
                                        "2026-11-30T17:33:60Z",
                                        "2026-11-30T17:33:11+2",
                                        "2026-11-30T17:33:11+99:00",
                                        "2026-11-30T17:33:11Zz",
                                        "-5",
                                        "17:33",
                                        "2026-1-30T17:33:11Z",
                                        "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t us;
        struct fail why = {0};
        if (place_read_time(view_of(wrong[i]), &us, &why))
            fail_msg("%s is taken as %lld", wrong[i], (long long)us);
        assert_int_equal(why.area, FAIL_AREA_CONFIG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(place_reads_times),
        cmocka_unit_test(place_refuses_what_is_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
