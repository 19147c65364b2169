/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of servers from 5.7 to 9.7: what kind each is, what a program can react to, what a person is told. */
#include "binlog/source.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

static const struct source_settings settings = {.host = "db1", .port = 3306, .password = "very secret"};

static struct fail explain(unsigned number, const char *text)
{
    struct fail why = {0};
    assert_false(source_explain(&settings, number, text, "read the log", &why));
    assert_int_equal(strncmp(why.text, "read the log at db1:3306: ", 26), 0);
    assert_null(strstr(why.text, settings.password));
    return why;
}

static void dump_errors_are_told_apart_by_their_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum fail_kind kind;
        enum fail_area area;
        int code;
    } known[] = {
        {"Cannot replicate because the source purged required binary logs. Replicate the missing transactions from "
         "elsewhere, or provision a new replica from backup.",
         FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_PURGED},
        {"Cannot replicate because the master purged required binary logs. Replicate the missing transactions from "
         "elsewhere",
         FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_PURGED},
        {"The slave is connecting using CHANGE MASTER TO MASTER_AUTO_POSITION = 1, but the master has purged binary "
         "logs containing GTIDs that the slave requires.",
         FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_PURGED},
        {"Could not find first log file name in binary log index file", FAIL_STOP, FAIL_AREA_DATA,
         SOURCE_REFUSED_NO_FILE},
        {"Client requested source to start replication from position > file size", FAIL_STOP, FAIL_AREA_DATA,
         SOURCE_REFUSED_POSITION},
        {"Client requested master to start replication from position > file size", FAIL_STOP, FAIL_AREA_DATA,
         SOURCE_REFUSED_POSITION},
        {"Client requested source to start replication from position < 4", FAIL_STOP, FAIL_AREA_DATA,
         SOURCE_REFUSED_POSITION},
        {"log event entry exceeded max_allowed_packet; Increase max_allowed_packet on source", FAIL_STOP,
         FAIL_AREA_DATA, SOURCE_REFUSED_POSITION},
        {"bogus data in log event", FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_POSITION},
        {"binlog truncated in the middle of event; consider out of disk space on source", FAIL_STOP, FAIL_AREA_DATA,
         SOURCE_REFUSED_POSITION},
        {"Replica has more GTIDs than the source has, using the source's SERVER_UUID. This may indicate that",
         FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_AHEAD},
        {"Slave has more GTIDs than the master has, using the master's SERVER_UUID.", FAIL_STOP, FAIL_AREA_DATA,
         SOURCE_REFUSED_AHEAD},
        {"The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of "
         "ON.",
         FAIL_STOP, FAIL_AREA_SOURCE, SOURCE_REFUSED_GTID_OFF},
        {"Cannot replicate anonymous transaction when @@GLOBAL.GTID_MODE = ON, at file ./binlog.000023, position 316.",
         FAIL_STOP, FAIL_AREA_DATA, SOURCE_REFUSED_GTID_OFF},
        {"Binary log is not open", FAIL_STOP, FAIL_AREA_SOURCE, SOURCE_REFUSED_LOG_OFF},
        {"A replica with the same server_uuid/server_id as this replica has connected to the source; the first event",
         FAIL_STOP, FAIL_AREA_FENCED, SOURCE_REFUSED_TAKEN},
        {"A slave with the same server_uuid/server_id as this slave has connected to the master;", FAIL_STOP,
         FAIL_AREA_FENCED, SOURCE_REFUSED_TAKEN},
        {"could not find next log; the first event 'binlog.000001' at 4", FAIL_RETRY, FAIL_AREA_SOURCE, 1236},
        {"Misconfigured source - source server_id is 0", FAIL_STOP, FAIL_AREA_SOURCE, 1236},
        {"Replica can not handle replication events with the checksum that source is configured to log;", FAIL_STOP,
         FAIL_AREA_SOURCE, 1236},
        {"something nobody has seen yet", FAIL_RETRY, FAIL_AREA_SOURCE, 1236},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct fail why = explain(1236, known[i].text);
        if (why.kind != known[i].kind || why.area != known[i].area || why.code != known[i].code)
            fail_msg("%s: %s", known[i].text, why.text);
        assert_non_null(strstr(why.text, "1236"));
    }
}

static void errors_that_pass_are_tried_again(void **state)
{
    (void)state;
    const unsigned passing[] = {1040, 1053, 1205, 1213, 2002, 2003, 2001, 2004, 2005, 2006,
                                2008, 2012, 2013, 2014, 2027, 2055, 2057, 1158, 4031};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        assert_int_equal(explain(passing[i], "text").kind, FAIL_RETRY);
    assert_int_equal(explain(0, "").kind, FAIL_RETRY);
}

static void errors_that_need_somebody_stop_with_a_hint(void **state)
{
    (void)state;
    const unsigned final[] = {1044, 1045, 1129, 1130, 1142, 1143, 1227, 1401, 1862, 2000, 2009,
                              2019, 2020, 2029, 2030, 2031, 2033, 2034, 2035, 2036, 2047, 2054,
                              2058, 2059, 2061, 2064, 2067, 2072, 2074, 3118, 3159, 3955};
    for (size_t i = 0; i < sizeof final / sizeof *final; i++) {
        struct fail why = explain(final[i], "text");
        assert_int_equal(why.kind, FAIL_STOP);
        assert_int_equal(why.area, FAIL_AREA_SOURCE);
        assert_int_equal(why.code, final[i]);
        assert_non_null(strstr(why.text, "; hint: "));
    }
    assert_non_null(strstr(explain(2000, "Unknown MySQL error").text, "database.ssl.mode=required"));
    assert_int_equal(explain(1064, "You have an error in your SQL syntax").kind, FAIL_STOP);
    assert_int_equal(explain(9999, "a new one").kind, FAIL_STOP);
}

static void missing_table_is_told_as_one_bad_input(void **state)
{
    (void)state;
    assert_int_equal(explain(1146, "Table 'a.b' doesn't exist").kind, FAIL_REFUSE);
    assert_int_equal(explain(1049, "Unknown database 'a'").kind, FAIL_REFUSE);
}

static void tls_errors_stop_unless_the_wire_broke(void **state)
{
    (void)state;
    struct fail why = explain(2026, "SSL connection error: error:0A000086:SSL routines::certificate verify failed");
    assert_int_equal(why.kind, FAIL_STOP);
    assert_non_null(strstr(why.text, "database.ssl.truststore"));
    why = explain(2026, "SSL connection error: SSL is required but the server doesn't support it");
    assert_int_equal(why.kind, FAIL_STOP);
    assert_non_null(strstr(why.text, "offers no TLS"));
    why = explain(2026, "SSL connection error: error:0A00042E:SSL routines::tlsv1 alert protocol version");
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(explain(2026, "SSL connection error: unexpected eof while reading").kind, FAIL_RETRY);
}

static void quoted_text_is_one_literal(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out);
    source_query_quote((struct view){(const uint8_t *)"it's a\\b\0c", 10}, &out);
    assert_true(view_is(buf_view(&out), "'it\\'s a\\\\b\\0c'"));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dump_errors_are_told_apart_by_their_text),
        cmocka_unit_test(errors_that_pass_are_tried_again),
        cmocka_unit_test(errors_that_need_somebody_stop_with_a_hint),
        cmocka_unit_test(missing_table_is_told_as_one_bad_input),
        cmocka_unit_test(tls_errors_stop_unless_the_wire_broke),
        cmocka_unit_test(quoted_text_is_one_literal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
