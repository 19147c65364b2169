# SPDX-License-Identifier: Apache-2.0
"""Blocking snapshots: tables read again with the stream waiting, in the same windows and with the marks of a first start."""
import json
import threading

import pytest

from harness import wait_for
from snapshot_run import Run, ids


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    return lambda **more: Run(mysql, kafka, tidemark, names, **more)


def read_marks(r, table):
    return [value["source"]["snapshot"] for _, value in r.records(table) if value and value["op"] == "r"]


def test_tables_are_read_with_the_marks_of_a_first_start(run, names):
    r = run(notification_enabled_channels="sink", notification_sink_topic_name=f"{names.prefix}.notes")
    r.sql("CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1),(2),(3);"
          "CREATE TABLE b (v INT); INSERT INTO b VALUES (5),(5)")
    r.snapshot("a", "b", type="BLOCKING")
    assert ids(r.rows("a")) == [1, 2, 3] and [row["v"] for row in r.rows("b")] == [5, 5]
    assert read_marks(r, "a") == ["first", "true", "last_in_data_collection"]
    assert read_marks(r, "b") == ["first_in_data_collection", "last"]
    notes = [json.loads(record.value) for record in r.read(f"{r.prefix}.notes")]
    told = [note["type"] for note in notes if note["aggregate_type"] == "Initial Snapshot"]
    assert told[-6:] == ["STARTED", "IN_PROGRESS", "TABLE_SCAN_COMPLETED", "IN_PROGRESS", "TABLE_SCAN_COMPLETED", "COMPLETED"]
    assert not any(note["aggregate_type"] == "Incremental Snapshot" for note in notes)
    assert "snapshot" not in r.state()
    r.sql("INSERT INTO b VALUES (6)")
    assert r.wait_rows("b", 3, op="c")[-1] == {"v": 6}


def test_the_stream_waits_and_then_goes_on_where_it_was(run):
    """Between two chunks nothing is streamed, in one all up to its end: changes come behind the rows they are newer than."""
    r = run(incremental_snapshot_chunk_size=100, tidemark_snapshot_rows_per_second=1000)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT); CREATE TABLE beat (n INT PRIMARY KEY, v INT); INSERT INTO beat VALUES (1, 0)")
    r.fill("gauge", ((i, 0) for i in range(2000)))
    done = threading.Event()

    def beat():
        with r.mysql.connect(database=r.database, autocommit=True) as connection, connection.cursor() as cursor:
            while not done.wait(0.003):
                cursor.execute("UPDATE beat SET v = v + 1; ")
                cursor.execute("UPDATE gauge SET v = v + 1 WHERE id = v * 37 % 2000 OR id IN (5, 1995)")

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        r.snapshot("gauge", type="BLOCKING")
    finally:
        done.set()
        thread.join()
    r.sql("INSERT INTO gauge VALUES (99999, 1)")
    r.wait_rows_with(lambda row: row["id"] == 99999, "gauge")
    held = {row["id"]: row["v"] for row in r.table("gauge").values()}
    assert held == dict(r.sql("SELECT id, v FROM gauge"))
    places = [(value["source"]["file"], value["source"]["pos"]) for _, value in r.records("gauge") if value]
    assert places == sorted(places), "the topic goes back in the log"


def test_nothing_is_streamed_between_two_chunks(run):
    """The change comes with the second chunk, though it was there right behind the first."""
    r = run(incremental_snapshot_chunk_size=100, tidemark_snapshot_rows_per_second=50)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); CREATE TABLE other (id INT PRIMARY KEY)")
    r.fill("gauge", ((i,) for i in range(200)))
    id = r.snapshot("gauge", wait=False, type="BLOCKING")
    r.wait_rows("gauge", 100)
    r.sql("INSERT INTO other VALUES (1)")
    r.wait_rows("other", 1, op="c")
    r.wait_outcome(id)
    read = [record for record in r.read(r.topic("gauge")) if b'"op":"r"' in record.value]
    change = r.read(r.topic("other"))[0].timestamp
    assert read[100].timestamp - change < change - read[99].timestamp


def test_what_is_under_way_goes_on_after_a_kill_and_can_be_stopped(run):
    r = run(incremental_snapshot_chunk_size=100, tidemark_snapshot_rows_per_second=1500)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY)")
    r.fill("gauge", ((i,) for i in range(3000)))
    id = r.snapshot("gauge", wait=False, type="BLOCKING")
    r.wait_rows("gauge", 500)
    r.program.kill()
    assert r.progress()["tables"][0]["kind"] == "blocking"
    r.start()
    r.wait_rows("gauge", 1000)
    r.ask("stop-snapshot", "s")
    assert r.wait_ended(id)["outcome"] == "stopped"
    read = ids(r.rows("gauge"))
    assert read == list(range(len(read))) and 1000 <= len(read) < 3000
    r.sql("INSERT INTO gauge VALUES (5000)")
    r.wait_rows_with(lambda row: row["id"] == 5000, "gauge")


def test_a_stop_of_one_kind_leaves_the_other_alone(run):
    r = run(incremental_snapshot_chunk_size=10, tidemark_snapshot_rows_per_second=50, notification_enabled_channels="log")
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); CREATE TABLE other (id INT PRIMARY KEY)")
    r.fill("gauge", ((i,) for i in range(300)))
    r.fill("other", ((i,) for i in range(300)))
    blocking = r.snapshot("gauge", wait=False, type="BLOCKING")
    incremental = r.snapshot("other", wait=False)
    r.wait_rows("gauge", 10)
    r.ask("stop-snapshot", "by-kind", type="INCREMENTAL")
    assert r.wait_ended(incremental)["outcome"] == "stopped"
    assert [(t["table"], t["kind"]) for t in r.progress()["tables"]] == [("gauge", "blocking")]
    r.program.wait_for_log(rf"aggregateType='Incremental Snapshot', type='ABORTED'.*data_collections={r.database}.other}}")
    r.snapshot("other", id="again", wait=False)
    r.ask("stop-snapshot", "by-kind-2", type="blocking")
    assert r.wait_ended(blocking)["outcome"] == "stopped"
    r.program.wait_for_log(rf"aggregateType='Initial Snapshot', type='ABORTED'.*data_collections={r.database}.gauge}}, id='by-kind-2'")
    assert r.outcome("again")["outcome"] == "running"
    r.ask("stop-snapshot", "all")
    assert r.wait_ended("again")["outcome"] == "stopped"


def test_what_is_stopped_amid_a_view_leaves_nothing_open_on_the_server(run):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=500)
    r.sql("CREATE TABLE bag (v INT)")
    r.fill("bag", ((i,) for i in range(5000)))
    id = r.snapshot("bag", wait=False, type="BLOCKING")
    r.wait_rows("bag", 100)
    r.ask("stop-snapshot", "s")
    assert r.wait_ended(id)["outcome"] == "stopped"
    r.sql("SET SESSION lock_wait_timeout = 10; ALTER TABLE bag ADD w INT; INSERT INTO bag VALUES (1, 2)")
    r.wait_rows_with(lambda row: row == {"v": 1, "w": 2}, "bag")


def test_conditions_are_refused_with_the_reason(run):
    r = run()
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY)")
    r.ask("execute-snapshot", "x", type="BLOCKING", data_collections=[rf"{r.database}\.gauge"],
          additional_conditions=[{"data-collection": f"{r.database}.gauge", "filter": "SELECT * FROM gauge"}])
    assert "neither additional-conditions" in r.wait_outcome("x", "refused")["why"]
    assert r.rows("gauge") == []


def test_the_command_asks_for_it(run):
    r = run()
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1)")
    r.program.run("signal", "execute-snapshot", r.program, "--tables", rf"{r.database}\.gauge", "--blocking", "--wait")
    wait_for(lambda: read_marks(r, "gauge") == ["last"], what="the row")
