# SPDX-License-Identifier: Apache-2.0
"""backlog: work of many records that is done as fast as it goes: what waits in the log, or in tables.

Each is called with the bench and a contender's class, does one run of it, and returns the figures.
"""
import time

from bench import load
from bench.figures import percentile
from bench.measure import Arrivals, Growth, Samples, read
from bench.trial import TIMEOUT_S, Trial

CATCH_UP, CATCH_UP_SCHEMAS, CATCH_UP_DEBEZIUM = 5_000_000, 1_000_000, 1_000_000
UPDATES = 300_000
WIDE, LARGE, MIXED = 100_000, 20_000, 500_000
REMOTE = 1_000_000
SNAPSHOT, SNAPSHOT_LOADED = 2_000_000, 1_000_000
LOAD_RATE, PROBE_RATE = 1000, 100
WINDOW_S = 0.5  # by so much the work on a chunk may begin before its first row leaves

READ_OF_A_TABLE = b'"op":"r"'
ALL_TOLD = b'"COMPLETED","aggregate_type":"Incremental'


# ---- what waits in the log

def catch_up(bench, make, rows=CATCH_UP, **setup):
    n = bench.size(rows if make.short == "tidemark" else min(rows, CATCH_UP_DEBEZIUM))
    with Trial(bench, make, ["orders"], **setup) as trial:
        trial.give_position()
        load.insert(bench.mysql, n)
        return trial.drain(n)


def updates(bench, make):
    """Single-row transactions: updates, and a delete with its tombstone for each tenth."""
    n = bench.size(UPDATES)
    with Trial(bench, make, ["orders"]) as trial:
        load.insert(bench.mysql, n)
        trial.give_position()
        load.update(bench.mysql, n)
        return trial.drain(n + n // 10 * 2, keys=n)


def wide(bench, make):
    n = bench.size(WIDE)
    with Trial(bench, make, ["wide"]) as trial:
        bench.mysql.sql(load.WIDE)
        trial.give_position()
        load.insert_wide(bench.mysql, n)
        return trial.drain(n)


def large(bench, make):
    n = bench.size(LARGE)
    with Trial(bench, make, ["large"]) as trial:
        bench.mysql.sql(load.LARGE)
        trial.give_position()
        load.insert_large(bench.mysql, n)
        return trial.drain(n)


def mixed(bench, make):
    n = bench.size(MIXED)
    with Trial(bench, make, load.mixed_tables()) as trial:
        load.make_tables(bench.mysql, load.mixed_tables())
        trial.give_position()
        load.insert_mixed(bench.mysql, n)
        return trial.drain(n)


# ---- what is in tables

def initial(bench, make, **setup):
    """The first start of all: the rows that are there, read before or beside the stream, whichever way the program has."""
    n = bench.size(SNAPSHOT)
    with Trial(bench, make, ["orders"], snapshot="initial", **setup) as trial:
        load.insert(bench.mysql, n)
        return trial.drain(n)


def snapshot(bench, make):
    """An incremental snapshot of a table nobody writes to; the first record counts from the signal."""
    n = bench.size(SNAPSHOT)
    with Trial(bench, make, ["orders"], signals=True) as trial:
        load.insert(bench.mysql, n - 1)
        trial.start()  # which writes one more
        return trial.drain(n, begin=lambda: _ask(trial))


def _ask(trial):
    trial.program.signal(trial.kafka, "execute-snapshot", {"data-collections": ["bench.orders"], "type": "incremental"})


def snapshot_loaded(bench, make):
    """The same while the table is written to. The rate is that of the rows read; beside them single rows of another
    table go through the same stream, and how late they come is that of the stream."""
    n, kafka = bench.size(SNAPSHOT_LOADED), bench.kafka
    with Trial(bench, make, ["orders", "probe"], signals=True) as trial:
        bench.mysql.sql(load.PROBE)
        load.insert(bench.mysql, n - 1)
        trial.start()
        growth, samples, notes = Growth(kafka, trial.topics), Samples(trial.program), kafka.reader(f"{trial.prefix}-notes")
        probes = load.Probes(bench.mysql, PROBE_RATE)
        looks = {isolation: Arrivals(kafka, f"{trial.prefix}.bench.probe", f"read_{isolation}")
                 for isolation in ("uncommitted", "committed")}
        with notes, load.Steady(bench.mysql, LOAD_RATE) as steady, probes:
            started = time.time()
            _ask(trial)
            samples.take_until(lambda: _is_told(notes), TIMEOUT_S, lambda: f"the end of the snapshot; {len(notes.records)} notes")
        samples.take_until(lambda: growth.rests_with(0), TIMEOUT_S, lambda: "the rest of the load")
        peak = trial.program.peak_rss()
        trial.program.stop()
        seen = read(kafka, growth.base, READ_OF_A_TABLE)
        trial.hold("keys", sum(topic == trial.orders for topic, _ in seen.keys), n)
        figures = trial.figures(seen, samples, started, peak)
        figures["load/s"] = steady.reached
        for isolation, look in looks.items():
            late = probes.lateness(look.stop(), seen.first - WINDOW_S, seen.last)
            figures[f"{isolation} p99 ms"] = percentile(late, 99)
        return figures


def _is_told(notes):
    notes.read_to_end()
    return any(ALL_TOLD in record.value for record in notes.records)
