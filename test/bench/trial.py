# SPDX-License-Identifier: Apache-2.0
"""trial: one program at one piece of work, with a database, topics and a log of its own that go with it."""
import argparse
import time
from dataclasses import dataclass

from harness import Kafka, MySql, Scratch

from bench import ceiling, load
from bench.contender import Setup
from bench.measure import Growth, Samples, rate, read

TIMEOUT_S = 1800


@dataclass
class Bench:
    """What a run has: servers, and options as __main__ reads them."""
    scratch: Scratch
    mysql: MySql
    kafka: Kafka
    options: argparse.Namespace

    def size(self, number):
        """As many as --scale says, and some at least."""
        return max(100, round(number * self.options.scale))


class Trial:
    """with Trial(bench, make, tables, …) as trial: the program is made, not started; at the end it is gone, and so are its
    topics and the database. Tables other than orders are the caller's to make, before the program starts."""

    def __init__(self, bench, make, tables, **setup):
        self.bench, self.mysql, self.kafka, self.setup = bench, bench.mysql, bench.kafka, Setup(**setup)
        self.prefix = f"{make.short}-{int(time.time() * 1000)}"
        self.topics = [f"{self.prefix}.bench.{table}" for table in tables]
        self.orders = f"{self.prefix}.bench.orders"
        self._make = make

    def __enter__(self):
        load.reset(self.mysql)
        for topic in {*self.topics, self.orders}:
            self.kafka.create_topic(topic, partitions=self.setup.partitions)
        if self.setup.signals:
            self.kafka.create_topic(f"{self.prefix}-signal")
        self.program = self._make(self.bench.scratch, self.mysql, self.kafka, self.prefix, self.setup)
        return self

    def __exit__(self, *_):
        self.program.kill()
        for topic in self.kafka.topics():
            if topic.startswith(self.prefix):
                self.kafka.delete_topic(topic)
        load.reset(self.mysql)

    # ---- before it counts

    def start(self):
        """Starts the program and returns when the first row, which is written here, has come."""
        self.program.start()
        self.program.wait_streaming()
        self.mysql.sql(load.ONE)
        self.kafka.consume(self.orders, until=1, timeout=120)

    def give_position(self):
        """The program has a stored position, and does not run."""
        self.start()
        self.program.stop()

    # ---- the measured part

    def drain(self, records, begin=None, keys=None):
        """Figures of the work that starts with the program, or with what `begin` starts, and ends with so many committed
        records of so many different keys (None: as many). The program has ended then."""
        growth, samples = Growth(self.kafka, self.topics), Samples(self.program)
        started = time.time()
        (begin or self.program.start)()
        samples.take_until(lambda: growth.rests_with(records), TIMEOUT_S, lambda: f"{records} records, there are {growth.grown}")
        peak = self.program.peak_rss()
        self.program.stop()
        seen = read(self.kafka, growth.base)
        self.hold("committed records", seen.records, records)
        self.hold("keys", len(seen.keys), records if keys is None else keys)
        return self.figures(seen, samples, started, peak)

    def hold(self, what, n, wanted):
        if n != wanted:
            raise AssertionError(f"{self.program.name}: {n} {what} instead of {wanted}; {self.program.tail()}")

    def figures(self, seen, samples, started, peak):
        """seen: what counted; the limit is measured with the same records."""
        cpu = samples.at(seen.last) - samples.at(seen.first)
        figures = {"records": seen.records, "records/s": rate(seen), "µs CPU/record": cpu / seen.records * 1e6,
                   "peak MiB": peak / 2**20, "first record s": seen.first - started}
        if self._make.short == "tidemark" and self.bench.options.limit:
            figures["limit/s"] = ceiling.measure(self.bench, self.setup, seen.specimens, seen.records)
            figures["% of the limit"] = figures["records/s"] / figures["limit/s"] * 100
        return figures
