# SPDX-License-Identifier: Apache-2.0
"""Long queues of tables that wait to be read: stored once and not with each commit, and bounded."""
import json
import re

import pytest

from snapshot_run import Run, ids

COUNT = 120  # tables: more than go with the offset
FULL = [*range(0, COUNT, 17)]  # those that have rows: each is a topic


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    return lambda **more: Run(mysql, kafka, tidemark, names, **more)


def make_tables(r):
    r.sql("".join(f"CREATE TABLE t{i:03} (id INT PRIMARY KEY);" for i in range(COUNT)) +
          "".join(f"INSERT INTO t{i:03} VALUES (1),(2);" for i in FULL))


@pytest.mark.parametrize("store", ["topic", "file"])
def test_a_long_queue_is_stored_once_and_comes_back_after_each_kill(run, store):
    r = run(store=store, tidemark_snapshot_rows_per_second=20, incremental_snapshot_chunk_size=2)
    make_tables(r)
    id = r.snapshot("t[0-9]+", wait=False)
    for i in FULL[:2]:
        r.wait_rows(f"t{i:03}", 1)
        r.program.kill()
        left = [table["table"] for table in r.progress()["tables"]]
        assert left == [f"t{n:03}" for n in range(COUNT - len(left), COUNT)] and COUNT - 40 < len(left) < COUNT
        assert len(json.loads(r.state()["tidemark_snapshots"])["tables"]) < 5
        r.start()
    status = json.loads(r.program.run("status", r.program, "--json"))
    assert status["snapshots"]["tables"][-1]["table"] == f"t{COUNT - 1:03}"
    r.program.stop()
    exported = json.loads(r.program.run("offsets", "export", r.program, "--fence"))["offsets"][0]["offset"]
    told = json.loads(exported["incremental_snapshot_collections"])
    assert told[-1]["incremental_snapshot_collections_id"] == f"{r.database}.t{COUNT - 1:03}"
    r.program.write(tidemark_snapshot_rows_per_second=None)
    r.start()
    r.wait_outcome(id)
    for i in FULL:
        read = ids(r.rows(f"t{i:03}"))
        assert read == [1, 2] if store == "topic" else set(read) == {1, 2}, i
    if store == "topic":
        lists = [key for key, _ in r._stored("shapes") if key[2] == "waiting"]
        assert len(lists) == 1, "the list was written again, though it did not change"
        assert max(len(record.value) for record in r.read(f"{r.prefix}-offsets") if record.value) < 9000


def test_a_table_that_is_stopped_amid_a_long_queue_stays_out_after_a_kill(run):
    r = run(tidemark_snapshot_rows_per_second=2, incremental_snapshot_chunk_size=2)
    make_tables(r)
    id = r.snapshot("t[0-9]+", wait=False)
    r.wait_rows("t000", 1)
    r.ask("stop-snapshot", "s", data_collections=[rf"{r.database}\.t(05.|11[2-9])"])
    r.wait_outcome("s")
    r.program.kill()
    r.program.write(tidemark_snapshot_rows_per_second=None)
    r.start()
    assert r.wait_ended(id)["outcome"] == "stopped"
    assert [i for i in FULL if r.rows(f"t{i:03}")] == [i for i in FULL if i // 10 != 5 and i < 112]


def test_a_long_initial_snapshot_goes_on_after_a_kill(run):
    r = run(start=False, snapshot_mode="initial", tidemark_snapshot_rows_per_second=20, incremental_snapshot_chunk_size=2)
    make_tables(r)
    r.start()
    r.wait_rows("t017", 2)
    r.program.kill()
    assert r.state()["snapshot"] == "INITIAL"
    r.program.write(tidemark_snapshot_rows_per_second=None)
    r.start()
    last = FULL[-1]
    r.wait_rows(f"t{last:03}", 2, timeout=60)
    assert all(ids(r.rows(f"t{i:03}")) == [1, 2] for i in FULL)
    marks = [value["source"]["snapshot"] for i in (0, last) for _, value in r.records(f"t{i:03}")]
    assert marks == ["first", "last_in_data_collection", "first_in_data_collection", "last"]


def test_a_queue_that_was_lost_is_told_of_and_can_be_left(run, kafka):
    r = run(tidemark_snapshot_rows_per_second=2, incremental_snapshot_chunk_size=2)
    make_tables(r)
    r.snapshot("t[0-9]+", wait=False)
    r.wait_rows("t000", 1)
    r.program.stop()
    kafka.delete_topic(f"{r.prefix}-offsets-shapes")
    r.program.start()
    r.program.wait_exit(code=6)
    assert "that list is not whole in the topic or file of shapes; hint: snapshot.mode=recovery goes on without them" in r.program.log_text()
    r.program.write(snapshot_mode="recovery", tidemark_snapshot_rows_per_second=None)
    r.program.start()
    r.sql("INSERT INTO t017 VALUES (3)")
    assert ids(r.wait_rows("t017", 3, op="c")) == [1, 2, 3]
    assert "waiting" not in json.loads(r.state()["tidemark_snapshots"]) and r.rows("t119") == []
    r.snapshot("t119")
    assert ids(r.rows("t119")) == [1, 2]


def test_what_would_not_fit_into_a_record_is_refused_with_the_reason(run):
    r = run()
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1)")
    gauge = f"{r.database}.gauge"
    condition = "id > 0 OR id IN (" + ",".join(["1000"] * 1600) + ")"
    for id, data, reason in (
            ("name", {"data_collections": [f"{r.database}.{'n' * 300}"]}, "a table's name has 300 bytes, 256 is the most"),
            ("long", {"data_collections": [gauge], "additional_conditions": [{"data-collection": gauge, "filter": condition + " OR id = 1" * 900}]},
             "a condition has .* bytes, 8192 is the most"),
            ("many", {"data_collections": [f"{r.database}.u{i}" for i in range(2100)],
                      "additional_conditions": [{"data-collection": ".*", "filter": condition}]}, "ask for fewer at once")):
        r.ask("execute-snapshot", id, **data)
        assert re.search(reason, r.wait_outcome(id, "refused")["why"]), id
    r.ask("log", "ä" * 200, message="not told")
    assert r.wait_outcome("ä" * 127, "refused")["why"].endswith("its id has 400 bytes, 255 is the most")
    assert r.progress()["tables"] == [] and "not told" not in r.program.log_text()
    r.snapshot("gauge")
