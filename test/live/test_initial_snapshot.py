# SPDX-License-Identifier: Apache-2.0
"""The snapshot of a first start: all rows that are there, beside a stream that goes on."""
import json

import pytest

from harness import wait_for
from snapshot_run import Run, ids


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    def make(mode="initial", **more):
        return Run(mysql, kafka, tidemark, names, start=False, snapshot_mode=mode, **more)
    return make


def wait_done(r, timeout=60):
    """Until the initial snapshot is stored as ended."""
    wait_for(lambda: r.state() and "snapshot" not in r.state(), timeout,
             lambda: f"the initial snapshot to end; {r.state()}; {r.program.tail(30)}")
    r._settle()


def marks(r, table):
    return [value["source"]["snapshot"] for _, value in r.records(table) if value and value["op"] == "r"]


def test_all_rows_come_with_their_markers(run):
    r = run()
    r.sql("CREATE TABLE a (id INT PRIMARY KEY, v INT); INSERT INTO a VALUES (1,1),(2,2),(3,3);"
          "CREATE TABLE b (id INT PRIMARY KEY, v INT); INSERT INTO b VALUES (7,7);"
          "CREATE TABLE c (v INT); INSERT INTO c VALUES (5),(5),(6)")
    r.start()
    wait_done(r)
    assert ids(r.rows("a")) == [1, 2, 3] and ids(r.rows("b")) == [7]
    assert [row["v"] for row in r.rows("c")] == [5, 5, 6]
    assert marks(r, "a") == ["first", "true", "last_in_data_collection"]
    assert marks(r, "b") == ["last_in_data_collection"]
    assert marks(r, "c") == ["first_in_data_collection", "true", "last"]
    r.sql("INSERT INTO c VALUES (6)")
    assert r.wait_rows("c", 1, op="c") == [{"v": 6}]
    assert "tidemark_snapshots" not in r.state() or json.loads(r.state()["tidemark_snapshots"])["tables"] == []
