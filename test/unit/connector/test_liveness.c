/* SPDX-License-Identifier: Apache-2.0 */
/* liveness and lookout: what hangs, and what the server will delete, judged on made-up times. */
#include "connector/liveness.h"
#include "connector/lookout.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum { DEADLINE_MS = 60000 };

/* One look a second at something that waits; the last look's answer. */
static int64_t wait_from(struct liveness *l, int64_t *now_ms, int seconds, uint64_t progress)
{
    int64_t for_ms = 0;
    for (int i = 0; i < seconds; i++, *now_ms += 1000)
        for_ms = liveness_look(l, LIVENESS_KAFKA, true, progress, *now_ms, "something");
    return for_ms;
}

static void standstill_is_counted_from_the_last_progress(void **state)
{
    (void)state;
    struct liveness l;
    int64_t now = 1000000;
    liveness_init(&l, DEADLINE_MS);
    assert_int_equal(wait_from(&l, &now, 11, 1), 10000);
    assert_false(l.parts[LIVENESS_KAFKA].is_told);
    assert_int_equal(wait_from(&l, &now, 11, 2), 10000);
    assert_int_equal(wait_from(&l, &now, 5, 2), 15000);
    assert_true(l.parts[LIVENESS_KAFKA].is_told);
    assert_int_equal(wait_from(&l, &now, 1, 3), 0);
    assert_false(l.parts[LIVENESS_KAFKA].is_told);
}

static void what_does_not_wait_does_not_hang(void **state)
{
    (void)state;
    struct liveness l;
    liveness_init(&l, DEADLINE_MS);
    for (int64_t now = 1; now < 1000000; now += 1000)
        assert_int_equal(liveness_look(&l, LIVENESS_LOG, false, 7, now, "the log"), 0);
    assert_false(l.parts[LIVENESS_LOG].is_told);
}

static void own_sleep_is_no_standstill_of_others(void **state)
{
    (void)state;
    struct liveness l;
    int64_t now = 1000;
    liveness_init(&l, DEADLINE_MS);
    wait_from(&l, &now, 3, 1);
    now += 3600000; /* stopped for an hour */
    assert_int_equal(wait_from(&l, &now, 1, 1), 0);
    assert_int_equal(wait_from(&l, &now, 3, 1), 3000);
    assert_false(l.parts[LIVENESS_KAFKA].is_told);
}

/* ---- the lookout ---- */

#define U "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#define SERVER "aaaaaaaa-71ca-11e1-9e33-c80aa9429562"

enum { NOW = 1800000000, EXPIRE = 100000 };

static struct outlook outlook; /* of a server with the files b.000005 to b.000009 */

static enum lookout_danger judge(const char *file, int64_t age_sec, const char *gtids, const char *xid)
{
    struct offset_state st;
    struct lookout_need need;
    struct fail why;
    offset_state_init(&st);
    snprintf(st.server_uuid, sizeof st.server_uuid, "%s", SERVER);
    snprintf(st.pos.file, sizeof st.pos.file, "%s", xid == NULL ? file : "b.000009");
    st.ts_sec = NOW - (xid == NULL ? age_sec : 0);
    if (xid != NULL) {
        struct log_position pos = {.offset = 4};
        snprintf(pos.file, sizeof pos.file, "%s", file);
        offset_state_add_xa(&st, view_of(xid), &(struct gtid){.n = 0}, &pos, NOW - age_sec);
    }
    st.has_gtids = gtids != NULL;
    if (gtids != NULL)
        assert_true(gtid_set_read(&st.gtids, view_of(gtids), &why));
    lookout_need_of(&st, &need);
    struct log_position place = need.pos;
    outlook.has_file = strcmp(place.file, "b.000005") >= 0;
    enum lookout_danger danger = lookout_judge(&need, &outlook);
    lookout_need_fini(&need);
    offset_state_fini(&st);
    return danger;
}

static int set_up(void **state)
{
    (void)state;
    struct fail why;
    outlook_init(&outlook);
    snprintf(outlook.server_uuid, sizeof outlook.server_uuid, "%s", SERVER);
    snprintf(outlook.oldest, sizeof outlook.oldest, "b.000005");
    snprintf(outlook.newest, sizeof outlook.newest, "b.000009");
    outlook.now_sec = NOW;
    outlook.expire_sec = EXPIRE;
    return gtid_set_read(&outlook.purged, view_of(U ":1-10"), &why) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    outlook_fini(&outlook);
    return 0;
}

static void danger_grows_with_the_age_of_what_is_needed(void **state)
{
    (void)state;
    assert_int_equal(judge("b.000006", EXPIRE / 3, NULL, NULL), LOOKOUT_SAFE);
    assert_int_equal(judge("b.000006", EXPIRE / 2, NULL, NULL), LOOKOUT_HALF);
    assert_int_equal(judge("b.000006", EXPIRE / 10 * 8, NULL, NULL), LOOKOUT_FOUR_FIFTHS);
    assert_int_equal(judge("b.000006", EXPIRE / 100 * 95, NULL, NULL), LOOKOUT_CLOSE);
    assert_int_equal(judge("b.000006", EXPIRE * 2, NULL, NULL), LOOKOUT_CLOSE);
}

static void newest_file_is_never_deleted(void **state)
{
    (void)state;
    assert_int_equal(judge("b.000009", EXPIRE * 5, NULL, NULL), LOOKOUT_SAFE);
}

static void server_that_deletes_nothing_is_no_danger(void **state)
{
    (void)state;
    outlook.expire_sec = 0;
    assert_int_equal(judge("b.000005", EXPIRE * 5, NULL, NULL), LOOKOUT_SAFE);
}

static void log_that_is_gone_is_lost(void **state)
{
    (void)state;
    assert_int_equal(judge("b.000004", 10, NULL, NULL), LOOKOUT_LOST);
    assert_int_equal(judge("b.000004", 10, U ":1-12", NULL), LOOKOUT_SAFE); /* all that was purged was told */
    assert_int_equal(judge("b.000006", 10, U ":1-9", NULL), LOOKOUT_LOST);
}

static void open_xa_transaction_holds_the_place_back(void **state)
{
    (void)state;
    assert_int_equal(judge("b.000006", EXPIRE / 10 * 9, U ":1-12", "X'61',X'',1"), LOOKOUT_FOUR_FIFTHS);
    assert_int_equal(judge("b.000004", EXPIRE, NULL, "X'61',X'',1"), LOOKOUT_LOST);
}

static void files_of_another_server_say_nothing(void **state)
{
    (void)state;
    snprintf(outlook.server_uuid, sizeof outlook.server_uuid, "%s", U);
    assert_int_equal(judge("b.000004", EXPIRE * 2, U ":1-12", NULL), LOOKOUT_SAFE);
    assert_int_equal(judge("b.000006", EXPIRE * 2, U ":1-12", NULL), LOOKOUT_SAFE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standstill_is_counted_from_the_last_progress),
        cmocka_unit_test(what_does_not_wait_does_not_hang),
        cmocka_unit_test(own_sleep_is_no_standstill_of_others),
        cmocka_unit_test_setup_teardown(danger_grows_with_the_age_of_what_is_needed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(newest_file_is_never_deleted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(server_that_deletes_nothing_is_no_danger, set_up, tear_down),
        cmocka_unit_test_setup_teardown(log_that_is_gone_is_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open_xa_transaction_holds_the_place_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_of_another_server_say_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
