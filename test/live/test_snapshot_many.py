# SPDX-License-Identifier: Apache-2.0
"""Many tables by one signal; a snapshot asked for again and again while its table is written to."""
import json
import random
import threading
import time

import pytest

from harness import wait_for
from snapshot_run import Run, ids


def left_of(r, progress):
    """How many tables were left."""
    waiting = progress.get("waiting")
    return len(progress["tables"]) + (len(r.waiting_list(waiting["list"])) - waiting["from"] if waiting else 0)


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(600)])])
def test_tables_of_one_signal_are_each_read_once(new_mysql, kafka, tidemark, names, count):
    """R008"""
    server = new_mysql({"innodb-file-per-table": "OFF"})
    server.sql(f"CREATE DATABASE `{names.database}`")
    for first in range(0, count, 100):
        server.sql("".join(f"CREATE TABLE t{i} (id INT PRIMARY KEY); INSERT INTO t{i} VALUES (1),(2),(3);"
                           for i in range(first, first + 100)), database=names.database)
    r = Run(server, kafka, tidemark, names, incremental_snapshot_chunk_size=2)
    id = r.snapshot("t[0-9]+", wait=False, id="s1")
    r.wait_outcome(id, timeout=500)
    log = [line for line in r.program.log_text().splitlines() if "SUCCEEDED, 3 rows read, 3 sent" in line]
    assert len(log) == count
    assert len({line.split("snapshots: ")[1].split(":")[0] for line in log}) == count
    queues = [left_of(r, json.loads(json.loads(record.value)["tidemark_snapshots"]))
              for record in r.read(f"{r.prefix}-offsets") if b"tidemark_snapshots" in (record.value or b"")]
    left = queues[queues.index(max(queues)):]
    assert left == sorted(left, reverse=True) and left[-1] == 0


@pytest.mark.parametrize("chunk", [1, 100, 1024])
def test_snapshots_under_load_complete_and_agree_with_the_table(mysql, kafka, tidemark, names, chunk):
    """X001"""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    rng = random.Random(seed)
    r = Run(mysql, kafka, tidemark, names, incremental_snapshot_chunk_size=chunk)
    count = 300 if chunk == 1 else 5000
    r.sql("CREATE TABLE orders (id INT PRIMARY KEY, v INT)")
    r.fill("orders", ((i, 0) for i in range(count)))
    done = threading.Event()

    def load():
        load_rng = random.Random(seed + 1)
        with mysql.connect(database=r.database) as connection, connection.cursor() as cursor:
            while not done.is_set():
                id = load_rng.randrange(count)
                cursor.execute(load_rng.choice(["UPDATE orders SET v=v+1 WHERE id=%s", "REPLACE INTO orders VALUES (%s, 0)",
                                                "DELETE FROM orders WHERE id=%s"]), (id,))
    writer = threading.Thread(target=load)
    writer.start()
    try:
        for round in range(4):
            first = r.snapshot("orders", wait=False)
            for _ in range(rng.randrange(3)):
                time.sleep(rng.random() / 5)
                r.ask(rng.choice(["pause-snapshot", "resume-snapshot", "stop-snapshot"]))
            second = r.snapshot("orders", wait=False)
            r.ask("resume-snapshot")
            for id in (first, second):
                record = r.wait_ended(id)
                assert record["outcome"] in ("done", "stopped"), record
    finally:
        done.set()
        writer.join()
    r.sql("INSERT INTO orders VALUES (1000000, 1)")
    r.wait_rows_with(lambda row: row["id"] == 1000000, "orders")
    table = {row[0]: row[1] for row in r.sql("SELECT id, v FROM orders")}
    assert {row["id"]: row["v"] for row in r.table("orders").values()} == table


def test_a_table_is_read_on_while_nothing_can_be_sent(mysql, rough_kafka, tidemark, names):
    """Kafka stands still: some chunks are read ahead, no more than that, and all come once when it goes on."""
    def executed():
        return int(mysql.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")[0][1])

    r = Run(mysql, rough_kafka, tidemark, names, incremental_snapshot_chunk_size=100, tidemark_snapshot_rows_per_second=400)
    r.sql("CREATE TABLE t (id INT PRIMARY KEY)")
    r.fill("t", ((i,) for i in range(1200)))
    id = r.snapshot("t", wait=False)
    r.wait_rows("t", 300)
    rough_kafka.freeze()
    try:
        before = executed()
        wait_for(lambda: executed() >= before + 3, 10, "chunks that are read ahead")
        time.sleep(1)
        assert executed() < before + 6
    finally:
        rough_kafka.thaw()
    r.wait_outcome(id)
    assert sorted(ids(r.rows("t"))) == list(range(1200))
