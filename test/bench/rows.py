# SPDX-License-Identifier: Apache-2.0
"""rows: what is measured: each row gives both programs the same work and returns the figures of one of them.

A row is called with the bench (servers, options) and the program's class, once a run. Sizes are those of the options.
"""
import json
import time

from harness import wait_for

from bench import load
from bench.measure import Arrivals, drain, percentile, usage

LATENCY_S, LATENCY_RATE = 20, 100
IDLE_S = 20


def _program(bench, make, tables, **more):
    """A program of its own prefix, with its topics, that has a position: it was started and is stopped."""
    prefix = f"{make.short}-{int(time.time() * 1000)}"
    program = make(bench.scratch, bench.mysql, bench.kafka, prefix, **more)
    topics = [f"{prefix}.bench.{table}" for table in tables]
    for topic in topics:
        bench.kafka.create_topic(topic)
    program.start()
    program.wait_streaming()
    bench.mysql.sql(load.ONE)
    bench.kafka.consume(f"{prefix}.bench.orders", until=lambda records: len(records) > 0, timeout=120)
    program.stop()
    return program, topics


def _clean(bench, topics):
    for topic in topics:
        bench.kafka.delete_topic(topic)


def _backlog(bench, make, tables, records, fill, keys=None, **more):
    """Drains what `fill` wrote while the program was away."""
    program, topics = _program(bench, make, tables, **more)
    fill()
    figures = drain(program, bench.kafka, topics, records, keys=keys)
    _clean(bench, topics)
    return figures


def catch_up(bench, make, **more):
    n = bench.options.rows if make.short == "tidemark" else bench.options.debezium_rows
    return _backlog(bench, make, ["orders"], n, lambda: load.insert(bench.mysql, n), keys=n, **more)


def updates(bench, make):
    """Single-row transactions: updates, and a delete with its tombstone for each tenth."""
    n = bench.options.update_transactions
    bench.mysql.sql("TRUNCATE bench.orders")
    load.insert(bench.mysql, n)
    return _backlog(bench, make, ["orders"], n + n // 10 * 2, lambda: load.update(bench.mysql, n))


def wide(bench, make):
    n = bench.options.rows // 10
    bench.mysql.sql(load.WIDE)
    return _backlog(bench, make, ["wide", "orders"], n, lambda: load.insert_wide(bench.mysql, n), keys=n)


def large(bench, make):
    n = bench.options.rows // 50
    bench.mysql.sql(load.LARGE)
    return _backlog(bench, make, ["large", "orders"], n, lambda: load.insert_large(bench.mysql, n), keys=n)


def mixed(bench, make):
    n = bench.options.rows // 2
    load.make_tables(bench.mysql, load.mixed_tables())
    return _backlog(bench, make, load.mixed_tables() + ["orders"], n, lambda: load.insert_mixed(bench.mysql, n), keys=n)


def snapshot(bench, make):
    """An incremental snapshot of a table nobody writes to; the first record counts from the signal."""
    n = bench.options.snapshot_rows
    program, topics = _program(bench, make, ["orders"])
    bench.mysql.sql("TRUNCATE bench.orders")
    load.insert(bench.mysql, n)
    program.start()
    program.wait_streaming()
    wait_for(lambda: _rests(bench, topics), 600, "the rows of the load to be streamed")
    figures = drain(program, bench.kafka, topics, n, keys=n, begin=lambda: program.signal(
        bench.kafka, "execute-snapshot", {"data-collections": ["bench.orders"], "type": "incremental"}))
    _clean(bench, topics)
    return figures


def _rests(bench, topics):
    """No record came for two seconds."""
    before = sum(sum(bench.kafka.end_offsets(topic).values()) for topic in topics)
    time.sleep(2)
    return sum(sum(bench.kafka.end_offsets(topic).values()) for topic in topics) == before


def latency(bench, make):
    """Single inserts at a steady rate: from before the INSERT until a consumer has the record."""
    program, (topic,) = _program(bench, make, ["orders"])
    program.start()
    program.wait_streaming()
    looks = {name: Arrivals(bench.kafka, topic, isolation) for name, isolation in
             (("uncommitted", "read_uncommitted"), ("committed", "read_committed"))}
    connection = bench.mysql.connect(autocommit=True)
    sent, broker, own, start = {}, bench.kafka.cpu_seconds(), program.cpu_seconds(), time.time()
    with connection.cursor() as cursor:
        for i in range(LATENCY_S * LATENCY_RATE):
            time.sleep(max(0, start + i / LATENCY_RATE - time.time()))
            now = time.time()
            cursor.execute(load.ONE)
            sent[cursor.lastrowid] = now
    connection.close()
    took = time.time() - start
    figures = {"% of a core": (program.cpu_seconds() - own) / took * 100,
               "broker's %": (bench.kafka.cpu_seconds() - broker) / took * 100}
    time.sleep(3)
    for name, look in looks.items():
        seen = {json.loads(key)["id"]: at for key, at in look.stop().items()}
        late = [(seen[id] - at) * 1000 for id, at in sent.items() if id in seen]
        if len(late) < len(sent):
            raise AssertionError(f"{program.name}: {len(late)} of {len(sent)} records were seen {name}")
        figures.update({f"{name} p50 ms": percentile(late, 50), f"{name} p99 ms": percentile(late, 99)})
    program.stop()
    _clean(bench, [topic])
    return figures


def _start(bench, make, n):
    """From the program's start, after a clean stop, until a consumer has the row that waited."""
    tables = [f"start{i}" for i in range(n - 1)]
    load.make_tables(bench.mysql, tables)
    program, (topic,) = _program(bench, make, ["orders"])
    bench.mysql.sql(load.ONE)
    look = Arrivals(bench.kafka, topic, "read_committed")
    start = time.time()
    program.start()
    wait_for(lambda: look.seen, 300, "the first record")
    first = min(look.stop().values()) - start
    program.stop()
    load.drop_tables(bench.mysql, tables or ["none"])
    _clean(bench, [topic])
    return {"first record s": first}


def idle(bench, make):
    """A while after its start, with nothing to do."""
    program, topics = _program(bench, make, ["orders"])
    program.start()
    program.wait_streaming()
    time.sleep(5)
    figures = usage(program, IDLE_S)
    program.stop()
    _clean(bench, topics)
    return figures


ROWS = {
    "catch-up": catch_up,
    "catch-up-schemas": lambda bench, make: catch_up(bench, make, schemas=True),
    "catch-up-lz4": lambda bench, make: catch_up(bench, make, compression="lz4"),
    "updates": updates,
    "wide": wide,
    "large": large,
    "mixed": mixed,
    "snapshot": snapshot,
    "latency": latency,
    "start-10": lambda bench, make: _start(bench, make, 10),
    "start-1000": lambda bench, make: _start(bench, make, 1000),
    "idle": idle,
}
