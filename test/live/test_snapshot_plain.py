# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a source without GTIDs: refused unless allowed, then read FOR SHARE, also beside long locks and over kills."""
import threading
import time

import pytest

from snapshot_run import Run, ids


@pytest.fixture
def run(plain_mysql, kafka, tidemark, names):
    return lambda **more: Run(plain_mysql, kafka, tidemark, names, tidemark_snapshot_for_share="true", **more)


def test_it_is_refused_unless_it_is_allowed(plain_mysql, kafka, tidemark, names):
    r = Run(plain_mysql, kafka, tidemark, names)
    r.sql("CREATE TABLE t (id INT PRIMARY KEY)")
    id = r.snapshot("t", wait=False)
    assert "tidemark.snapshot.for.share=true allows it" in r.wait_outcome(id, "refused")["why"]


def test_rows_that_are_locked_for_long_are_read_when_their_locks_end(run, plain_mysql):
    r = run(incremental_snapshot_chunk_size=2, tidemark_log_level="debug")
    r.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1,1),(2,1),(3,1),(4,1),(5,1)")
    with plain_mysql.connect(database=r.database, autocommit=False) as holder, holder.cursor() as cursor:
        cursor.execute("UPDATE t SET v=2 WHERE id=3")
        id = r.snapshot("t", wait=False)
        r.wait_rows("t", 2)
        r.program.wait_for_log("chunk is read again: .*Lock wait timeout exceeded")
        r.sql("UPDATE t SET v=3 WHERE id=1")  # what is read already is not locked by it
        r.program.wait_for_log(f"the snapshot of {r.database}.t waits: .*Lock wait timeout exceeded")
        assert ids(r.rows("t")) == [1, 2]
        holder.commit()
    r.wait_outcome(id)
    r.program.wait_for_log(f"the snapshot of {r.database}.t goes on")
    assert {row["id"]: row["v"] for row in r.table("t").values()} == {1: 3, 2: 1, 3: 2, 4: 1, 5: 1}
    assert set(ids(r.rows("t"))) | {3} == {1, 2, 3, 4, 5}


def test_it_goes_on_behind_its_last_chunk_over_kills_and_writers(run, plain_mysql):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=1500)
    r.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
    r.fill("t", ((i, 0) for i in range(2000)))
    done = threading.Event()

    def write():
        with plain_mysql.connect(database=r.database) as connection, connection.cursor() as cursor:
            for number in range(10 ** 9):
                if done.is_set():
                    return
                cursor.execute("UPDATE t SET v=v+1 WHERE id=%s", (number * 37 % 2000,))
                cursor.execute("DELETE FROM t WHERE id=%s", (number * 91 % 2000,))
                time.sleep(0.002)
    writer = threading.Thread(target=write)
    writer.start()
    id = r.snapshot("t", wait=False)
    for count in (200, 600):
        r.wait_rows("t", count)
        r.program.kill()
        r.start()
    r.wait_outcome(id)
    done.set()
    writer.join()
    r.sql("INSERT INTO t VALUES (100000, 1)")
    r.wait_rows_with(lambda row: row["id"] == 100000, "t")
    assert {row["id"]: row["v"] for row in r.table("t").values()} == dict(r.sql("SELECT id, v FROM t"))
    assert len(ids(r.rows("t"))) == len(set(ids(r.rows("t")))), "a finished chunk was read again"
