# SPDX-License-Identifier: Apache-2.0
"""large_beside: an incremental snapshot of ten million rows beside 500 transactions a second.

The writers change, delete and insert rows of the very table, and each transaction leaves a row with its moment in another; how
late the stream is, is that row's append time at the broker after it. A consumer then applies the topic in order: what was
read must be what the stream has at that place, and the end must be the table.
"""
import random
import re
import threading
import time
from array import array

from harness.replay import payload

from .ground import MIB, hold_memory

ROWS, RATE, WRITERS = 10_000_000, 500, 4
MOST_LATE_S = 1.0
NOT_READ, DELETED = -1, -2
THE_END = 0  # the key of the last row
VALUE = re.compile(rb'"before":(?:null|\{"id":\d+,"v":(\d+)[^}]*\}),"after":(?:null|\{"id":\d+,"v":(\d+)[^}]*\}).*"op":"(.)"')


def fill(source, rows):
    """Not in the log: these rows are the snapshot's alone."""
    source.sql("SET GLOBAL innodb_buffer_pool_size = 1 << 30; SET GLOBAL innodb_flush_log_at_trx_commit = 0;"
               "CREATE DATABASE large; USE large; CREATE TABLE beside (id INT PRIMARY KEY, v INT NOT NULL, pad VARCHAR(40));"
               "CREATE TABLE moments (id INT AUTO_INCREMENT PRIMARY KEY, at BIGINT NOT NULL)")
    with source.connect(database="large") as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_log_bin = 0")
        for first in range(0, rows, 200_000):
            cursor.execute("INSERT INTO beside WITH RECURSIVE n (i) AS (SELECT %s UNION ALL SELECT i + 1 FROM n WHERE i < %s) "
                           "SELECT i, 0, CONCAT('the row of number ', i) FROM n", (first + 1, min(first + 200_000, rows)))


class Writers:
    """Transactions at a steady rate, from several sessions, until the end of the block."""

    def __init__(self, source, rows):
        self.source, self.rows = source, rows
        self.done, self.transactions, self.faults = threading.Event(), [0] * WRITERS, []
        self.threads = [threading.Thread(target=self._guarded, args=(number,)) for number in range(WRITERS)]

    def __enter__(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()
        self.rate = sum(self.transactions) / (time.monotonic() - self.began)

    def _guarded(self, number):
        try:
            self._write(number)
        except Exception as why:
            self.faults.append(why)

    def _write(self, number):
        rng, pause = random.Random(number), WRITERS / RATE
        with self.source.connect(database="large", autocommit=False) as connection, connection.cursor() as cursor:
            began = time.monotonic()
            while not self.done.is_set():
                # Each writer has its own rows, so none waits for another's locks.
                id = rng.randrange(self.rows // WRITERS) * WRITERS + number + 1
                kind = rng.random()
                if kind < 0.8:
                    cursor.execute("UPDATE beside SET v = v + 1 WHERE id = %s", (id,))
                elif kind < 0.9:
                    cursor.execute("DELETE FROM beside WHERE id = %s", (id,))
                else:
                    cursor.execute("REPLACE INTO beside VALUES (%s, %s, 'new')", (id, rng.randrange(1 << 20)))
                cursor.execute("INSERT INTO moments (at) VALUES (%s)", (time.time_ns() // 1_000_000,))
                connection.commit()
                self.transactions[number] += 1
                time.sleep(max(0.0, began + self.transactions[number] * pause - time.monotonic()))


def apply_topic(broker, rows):
    """Key -> value after the last record, by a consumer that holds each record against those before it; how many were read."""
    state, read = array("q", [NOT_READ]) * (rows + 1), 0
    with broker.reader("large.large.beside") as reader:
        while state[THE_END] == NOT_READ:
            for record in reader.read_until(len, 120):
                if record.value is None:
                    continue
                id = int(record.key[6:-1])
                before, after, op = VALUE.search(record.value).groups()
                if op == b"r":
                    read += 1
                    assert state[id] in (NOT_READ, int(after)), f"row {id} was read as {after}, the stream has {state[id]}"
                elif before is not None:
                    assert state[id] in (NOT_READ, int(before)), f"{op} of row {id} follows {before}, not {state[id]}"
                else:
                    assert state[id] in (NOT_READ, DELETED), f"row {id} was there as {state[id]} when it was inserted"
                state[id] = DELETED if op == b"d" else int(after)
            reader.records.clear()
    return state, read


def hold_table(source, state, rows):
    """The table is what the consumer has."""
    there = 0
    for first in range(0, rows + 1, 500_000):
        for id, v in source.sql("SELECT id, v FROM beside WHERE id BETWEEN %s AND %s", (first, first + 499_999), database="large"):
            assert state[id] == v, f"row {id} is {v} in the table and {state[id]} at the end of the topic"
            there += 1
    left = sum(value >= 0 for value in state)
    assert there == left, f"{left} rows are left in the topic, {there} in the table"


def late(broker, transactions):
    """Seconds from just before each commit to the append of its row, sorted."""
    records = broker.consume("large.large.moments", until=transactions, timeout=300)
    return sorted(record.timestamp / 1000 - payload(record.value)["after"]["at"] / 1000 for record in records)


def beside(ground, rows=ROWS):
    """The stream stays in time, and the topic ends equal to the table."""
    source, broker = ground.source, ground.broker
    began = time.monotonic()
    fill(source, rows)
    print(f"  {rows} rows made in {time.monotonic() - began:.0f} s", flush=True)
    for topic in ("large.large.beside", "large.large.moments"):
        broker.create_topic(topic, **{"message.timestamp.type": "LogAppendTime"})
    program = ground.follow(database_include_list="large", incremental_snapshot_chunk_size=1024).start_ready()
    with Writers(source, rows) as writers:
        time.sleep(5)
        began = time.monotonic()
        program.run("signal", "execute-snapshot", program, "--tables", r"large\.beside", "--wait", timeout=3600)
        took = time.monotonic() - began
        time.sleep(5)
    assert not writers.faults, writers.faults
    print(f"  read in {took:.0f} s, {rows / took:.0f} rows/s, beside {writers.rate:.0f} transactions/s", flush=True)
    assert writers.rate > RATE * 0.9, "the load was not there"
    transactions = sum(writers.transactions)
    source.sql(f"INSERT INTO beside VALUES ({THE_END}, 0, 'the end')", database="large")
    times = late(broker, transactions)
    hold_memory(program, 64 * MIB, "beside the load")
    program.stop()
    print(f"  the stream was late by {times[len(times) // 2] * 1000:.0f} ms in the middle, {times[len(times) * 99 // 100] * 1000:.0f} ms "
          f"at 99 %, {times[-1] * 1000:.0f} ms at most", flush=True)
    state, read = apply_topic(broker, rows)
    hold_table(source, state, rows)
    print(f"  {read} rows were read, {transactions} changes streamed; applied in order they are the table", flush=True)
    assert times[-1] < MOST_LATE_S, f"the stream was {times[-1]:.2f} s late"
