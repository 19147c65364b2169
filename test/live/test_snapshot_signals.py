# SPDX-License-Identifier: Apache-2.0
"""Signals: executed once, refused with a reason, stopped, queued; what a filter may and may not."""
import json
import re

import pytest

from harness import wait_for
from snapshot_run import Run, ids


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    def make(rows=10, **more):
        r = Run(mysql, kafka, tidemark, names, **more)
        r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT)")
        if rows:
            r.fill("gauge", ((i, i % 7) for i in range(1, rows + 1)))
        return r
    return make


def test_signal_is_executed_once_over_restarts(run):
    """R002"""
    r = run(rows=100)
    r.snapshot("gauge", id="s1")
    assert ids(r.rows("gauge")) == list(range(1, 101))
    for _ in range(3):
        r.program.stop()
        r.start()
    r.program.stop()
    r.snapshot("gauge", id="s2", wait=False)
    r.start()
    r.wait_outcome("s2")
    assert ids(r.rows("gauge")) == list(range(1, 101)) * 2
    r.program.stop()
    r.start()
    r.sql("INSERT INTO gauge VALUES (1000, 0)")
    r.wait_rows("gauge", 101, op="c")
    assert len(r.rows("gauge")) == 200


BAD = [
    ("not json", "the value is not JSON"),
    ('{"id":"x"}', "type is missing"),
    ('{"id":"x","type":"execute-snapshot"}', "data-collections is missing"),
    ('{"id":"x","type":"no-such","data":{}}', 'type "no-such" is not known'),
    ('{"id":"x","type":"execute-snapshot","data":{"data-collections":"tide.gauge"}}', "is not an array"),
    ('{"id":"x","type":"execute-snapshot","data":{"data-collections":[7]}}', "not a string"),
    ('{"id":"x","type":"execute-snapshot","data":{"data-collections":[]}}', "is empty"),
    ('{"id":"x","type":"execute-snapshot","data":{"data-collections":["("]}}', "pattern"),
    ('{"id":"x","type":"execute-snapshot","data":7}', "data is not an object"),
    ("[1,2]", "not a JSON object"),
    ('{"id":"x","type":"log","data":{}}', "message is missing"),
]


def test_malformed_signals_are_answered_and_change_nothing(run):
    """R004"""
    r = run()
    for value, _ in BAD:
        r.send(value)
    r.kafka.produce(r.signals, None, key=r.prefix, partition=0)
    id = r.snapshot("gauge", id="ok", wait=False)
    r.wait_outcome(id)
    assert ids(r.rows("gauge")) == list(range(1, 11))
    log = r.program.log_text()
    for offset, (value, reason) in enumerate(BAD):
        assert re.search(rf"signal at offset {offset} is refused: .*{re.escape(reason)}", log), (value, log[-3000:])
    refused = [signal for signal in r.progress()["signals"] if signal["outcome"] == "refused"]
    assert len(refused) == len(BAD) and all(signal["why"] for signal in refused)
    r.program.stop()
    r.start()
    r.sql("INSERT INTO gauge VALUES (1000, 0)")
    r.wait_rows("gauge", 11, op="c")
    assert len(r.rows("gauge")) == 10 and "is refused" not in r.program.log_text().split("tidemark 0")[-1]


def test_signal_with_another_key_is_passed_by_and_both_keys_are_told(run):
    """R005"""
    r = run()
    value = json.dumps({"id": "k", "type": "execute-snapshot", "data": {"data-collections": [f"{r.database}.gauge"]}})
    r.kafka.produce(r.signals, value, key=None, partition=0)
    r.kafka.produce(r.signals, value, key="other", partition=0)
    r.send(value)
    r.wait_outcome("k")
    assert len(r.rows("gauge")) == 10
    log = r.program.log_text()
    assert re.search(rf'offset 0 is passed by: its key is null, signals for this connector have the key "{r.prefix}"', log)
    assert re.search(rf'offset 1 is passed by: its key is "other", signals for this connector have the key "{r.prefix}"', log)


def test_missing_data_is_enough_for_pause_resume_and_stop(run):
    r = run()
    for kind in ("pause-snapshot", "resume-snapshot", "stop-snapshot"):
        r.send({"id": kind, "type": kind})
    for kind in ("pause-snapshot", "resume-snapshot", "stop-snapshot"):
        r.wait_outcome(kind)


def test_message_is_logged_with_the_position(run):
    r = run()
    r.ask("log", message="here {} now")
    r.program.wait_for_log(r'signal says: here \{.*"file":"binlog\.\d+".*\} now')


def test_stopped_snapshot_ends_and_tells_its_tables(run):
    r = run(rows=2000, incremental_snapshot_chunk_size=100, tidemark_snapshot_rows_per_second=200,
            notification_enabled_channels="log")
    id = r.snapshot("gauge", wait=False)
    r.wait_rows("gauge", 100)
    r.ask("stop-snapshot", "halt", data_collections=[f"{r.database}.gauge"])
    r.wait_outcome("halt")
    r.wait_outcome(id, "stopped")
    assert r.progress()["tables"] == []
    count = len(r.rows("gauge"))
    assert 100 <= count < 2000
    r.program.wait_for_log(rf"type='ABORTED'.*data_collections={r.database}.gauge")
    assert r.snapshot("gauge")
    assert ids(r.rows("gauge"))[count:] == list(range(1, 2001))


def test_one_table_of_several_is_stopped(run):
    r = run(rows=400, incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=200)
    r.sql("CREATE TABLE other (id INT PRIMARY KEY); INSERT INTO other VALUES (1), (2)")
    id = r.snapshot("gauge", "other", wait=False)
    r.wait_rows("gauge", 50)
    r.ask("stop-snapshot", "halt", data_collections=[rf"{r.database}\.gauge"])
    r.wait_rows("other", 2)
    r.wait_outcome(id, "stopped")
    assert len(r.rows("gauge")) < 400


FILTERS = [
    ("v = 3) OR (1 = 1", "breaks out of its parentheses"),
    ("v = 'x", "a quote in it is not closed"),
    ("v = 3 /* x", "a comment in it is not closed"),
    ("v = 3; DROP TABLE gauge", "a second statement"),
    ("(v = 3", "a parenthesis in it is not closed"),
    ("v = ?", "a question mark"),
    ("v IN (SELECT v FROM gauge FOR SHARE)", "it locks what it reads"),
    ("GET_LOCK('x', 1)", "lock"),
    ("v = 3 /*! OR 1 */", "an executable comment"),
]


def test_filter_that_does_more_than_choose_is_refused_at_once(run):
    r = run()
    for number, (filter, reason) in enumerate(FILTERS):
        r.snapshot("gauge", id=f"f{number}", wait=False, additional_conditions=[{"data-collection": ".*gauge", "filter": filter}])
        why = r.wait_outcome(f"f{number}", "refused")["why"]
        assert reason in why, (filter, why)
    assert r.rows("gauge") == []
    r.snapshot("gauge")
    assert len(r.rows("gauge")) == 10


SQL_FAULTS = [("no_such = 3", "no_such"), ("v = = 3", "error 1064"), ("v = (SELECT v FROM mysql.no_such_table)", "no_such_table"),
              ("1 = (SELECT 1 UNION SELECT 2)", "1242")]


def test_filter_that_the_server_refuses_fails_its_table_only(run):
    r = run()
    r.sql("CREATE TABLE other (id INT PRIMARY KEY); INSERT INTO other VALUES (1), (2)")
    for number, (filter, reason) in enumerate(SQL_FAULTS):
        r.snapshot("gauge", "other", id=f"f{number}", wait=False,
                   additional_conditions=[{"data-collection": ".*gauge", "filter": filter}])
        wait_for(lambda: r.outcome(f"f{number}") and not r.progress()["tables"], what="the end")
        r.program.wait_for_log(f"with the filter {re.escape(filter)}.*{reason}")
        r.wait_rows("other", 2 * (number + 1))
    assert r.rows("gauge") == []


def test_filter_that_never_ends_is_ended(run):
    r = run(database_query_timeout_ms=1000)
    id = r.snapshot("gauge", wait=False, additional_conditions=[{"data-collection": ".*gauge", "filter": "SLEEP(100) = 0"}])
    wait_for(lambda: r.outcome(id) and not r.progress()["tables"], what="the end")
    r.program.wait_for_log("took longer than database.query.timeout.ms")
    assert r.rows("gauge") == []


def test_filter_is_applied_and_may_end_in_a_comment(run):
    r = run(rows=70, incremental_snapshot_chunk_size=3)
    r.snapshot("gauge", additional_conditions=[{"data-collection": ".*gauge", "filter": "v = 3 OR v = 4 -- note"}])
    assert ids(r.rows("gauge")) == [i for i in range(1, 71) if i % 7 in (3, 4)]
    r.snapshot("gauge", additional_condition="v = 5")
    assert ids(r.rows("gauge"))[20:] == [i for i in range(1, 71) if i % 7 == 5]


def test_unknown_and_uncaptured_tables_are_told(run):
    r = run(table_exclude_list=".*hidden")
    r.sql("CREATE TABLE hidden (id INT PRIMARY KEY); INSERT INTO hidden VALUES (1)")
    r.snapshot("nothere", "hidden", "gauge", wait=False)
    r.wait_rows("gauge", 10)
    r.program.wait_for_log(r"nothere: there is no such table")
    r.program.wait_for_log(r"hidden: the table is not captured")


def test_a_name_means_that_table_alone(run):
    r = run()
    r.sql("CREATE TABLE GAUGE (id INT PRIMARY KEY); INSERT INTO GAUGE VALUES (1);"
          "CREATE TABLE `gauge(1` (id INT PRIMARY KEY); INSERT INTO `gauge(1` VALUES (2)")
    r.wait_rows("GAUGE", 1, op="c")
    r.snapshot("gauge")
    assert len(r.rows("gauge")) == 10 and r.rows("GAUGE") == []
    r.snapshot("gauge(1")
    r.snapshot("G.*")
    assert ids(r.rows("GAUGE")) == [1] and len(r.rows("gauge")) == 20 and ids(r.rows("gauge_1")) == [2, 2]


def test_a_condition_is_for_the_tables_it_names(run):
    r = run(rows=20)
    r.sql("CREATE TABLE GAUGE (id INT PRIMARY KEY); INSERT INTO GAUGE VALUES (1), (2);"
          "CREATE TABLE `a+b` (id INT PRIMARY KEY); INSERT INTO `a+b` VALUES (1), (2), (3)")
    r.wait_rows("a_b", 3, op="c")
    r.snapshot("gauge", "GAUGE", "a+b", additional_conditions=[{"data-collection": f"{r.database}.a+b", "filter": "id > 2"},
                                                               {"data-collection": f"{r.database}.gauge", "filter": "id > 15"}])
    assert ids(r.rows("gauge")) == [16, 17, 18, 19, 20] and ids(r.rows("GAUGE")) == [1, 2] and ids(r.rows("a_b")) == [3]
    r.snapshot("gauge", id="typo", wait=False, additional_conditions=[{"data-collection": f"{r.database}.guage", "filter": "id > 15"}])
    assert "is for none of the tables" in r.wait_outcome("typo", "refused")["why"]
    assert len(r.rows("gauge")) == 5


def test_the_older_single_condition_is_for_all_tables(run):
    r = run(rows=30)
    r.sql("CREATE TABLE other (id INT PRIMARY KEY)")
    r.fill("other", ((i,) for i in range(1, 31)))
    r.snapshot("gauge", "other", additional_condition="id > 25")
    assert ids(r.rows("gauge")) == ids(r.rows("other")) == [26, 27, 28, 29, 30]


def test_a_name_in_quotes_means_that_table(run):
    r = run(rows=0)
    r.sql("CREATE TABLE `a,b` (id INT PRIMARY KEY); INSERT INTO `a,b` VALUES (1)")
    done = r.program.run("signal", "execute-snapshot", r.program, "--tables", f"`{r.database}`.`a,b`,{r.database}\\.t{{1,2}}", "--id", "q")
    assert done.strip() == "q"
    assert r.wait_ended("q")["outcome"] == "refused"  # for the second: there is no such table
    assert ids(r.rows("a_b")) == [1]


def test_a_table_is_stopped_by_the_name_that_started_it(run):
    r = run(rows=0, incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=200)
    r.sql("CREATE TABLE `we$ird` (id INT PRIMARY KEY)")
    r.fill("`we$ird`", ((i,) for i in range(400)))
    r.wait_rows("we_ird", 400, op="c")
    id = r.snapshot("we$ird", wait=False)
    r.wait_rows("we_ird", 50)
    r.ask("stop-snapshot", "other", data_collections=[f"{r.database}.gauge"])
    r.wait_outcome("other")
    r.program.wait_for_log("nothing was stopped")
    r.ask("stop-snapshot", "halt", data_collections=[f"{r.database}.we$ird"])
    r.wait_outcome(id, "stopped")
    assert len(r.rows("we_ird")) < 400


def test_a_pause_ends_with_what_was_paused(run):
    r = run(rows=400, incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=200)
    id = r.snapshot("gauge", wait=False)
    r.wait_rows("gauge", 50)
    r.ask("pause-snapshot")
    r.ask("stop-snapshot")
    r.wait_outcome(id, "stopped")
    count = len(r.rows("gauge"))
    r.snapshot("gauge")
    assert len(r.rows("gauge")) == count + 400


def test_signal_is_executed_within_a_moment(run):
    r = run()
    reader = r.reader(r.topic("gauge"))
    r.wait_rows("gauge", 10, op="c")
    import time
    start = time.monotonic()
    r.snapshot("gauge", wait=False)
    reader.read_until(lambda records: len(records) >= 20, 10)
    assert time.monotonic() - start < (5 if r.program.is_sanitized else 1)
