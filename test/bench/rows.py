# SPDX-License-Identifier: Apache-2.0
"""rows: what is measured, against whom, and what is asked of it. `must` is a promise, `aim` what is tried for."""
from dataclasses import dataclass
from functools import partial
from typing import Callable

from bench import backlog, moments
from bench.figures import Bar


@dataclass(frozen=True)
class Row:
    what: str
    work: Callable  # (bench, a contender's class) -> figures
    chief: str  # the figure that the chart shows
    bars: tuple = ()
    against: tuple = ("debezium",)


def _rate(must, aim, against="debezium"):
    return Bar("records/s", must, aim, against)


ROWS = {
    "catch-up": Row("inserts wait in the log; JSON without schemas", backlog.catch_up, "records/s",
                    (_rate(10, 12), Bar("µs CPU/record", 25, 35, "debezium"), Bar("peak MiB", 64, 48))),
    "catch-up-lz4": Row("the same with lz4", partial(backlog.catch_up, compression="lz4"), "records/s",
                        (_rate(8, 12, "tuned"), Bar("µs CPU/record", 15, 15, "tuned")), ("debezium", "tuned")),
    "schemas": Row("inserts wait in the log; a schema in each record",
                   partial(backlog.catch_up, rows=backlog.CATCH_UP_SCHEMAS, schemas=True), "records/s", (_rate(5, 8),)),
    "schemas-lz4": Row("the same with lz4", partial(backlog.catch_up, schemas=True, compression="lz4"), "records/s",
                       (_rate(4, 5, "tuned"),), ("debezium", "tuned")),
    "updates": Row("single-row updates, and a delete after each tenth", backlog.updates, "records/s", (_rate(15, 25),)),
    "wide": Row("inserts into a table of 100 columns", backlog.wide, "records/s", (_rate(10, 15),)),
    "large": Row("inserts of 10 kB of JSON, 10 kB of text, 10 kB of bytes", backlog.large, "records/s", (_rate(10, 15),)),
    "mixed": Row("inserts into 64 tables in turn", backlog.mixed, "records/s", (_rate(10, 15),)),
    "snapshot": Row("incremental snapshot, nothing else is written", backlog.snapshot, "records/s",
                    (_rate(8, 12), Bar("first record s", 1, 0.2))),
    "snapshot-loaded": Row("incremental snapshot beside 1,000 transactions a second", backlog.snapshot_loaded, "records/s",
                           (_rate(10, 15), Bar("uncommitted p99 ms", 200, 100), Bar("committed p99 ms", 200, 100))),
    "initial": Row("initial snapshot; a schema in each record", partial(backlog.initial, schemas=True), "records/s",
                   (_rate(5, 8),)),
    "initial-lz4": Row("the same with lz4", partial(backlog.initial, schemas=True, compression="lz4"), "records/s",
                       (_rate(10, 15),)),
    "latency": Row("100 single inserts a second", moments.latency, "committed p99 ms",
                   (Bar("uncommitted p50 ms", 10, 5), Bar("uncommitted p99 ms", 25, 12.5),
                    Bar("committed p50 ms", 20, 10), Bar("committed p99 ms", 40, 20))),
    "start-10": Row("start to first record, 10 tables", partial(moments.start, n=10), "first record s",
                    (Bar("first record s", 1, 0.5),)),
    "start-1000": Row("start to first record, 1,000 tables", partial(moments.start, n=1000), "first record s",
                      (Bar("first record s", 2, 1),)),
    "idle": Row("ten tables, nothing is written", moments.idle, "MiB", (Bar("% of a core", 0.3, 0.3), Bar("MiB", 24, 16))),
    "remote": Row("as catch-up, the broker 10 ms away", partial(backlog.catch_up, rows=backlog.REMOTE, wired=True), "records/s"),
    "remote-6": Row("the same, topics of six partitions",
                    partial(backlog.catch_up, rows=backlog.REMOTE, wired=True, partitions=6), "records/s"),
}
