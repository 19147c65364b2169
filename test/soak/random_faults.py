# SPDX-License-Identifier: Apache-2.0
"""random_faults: rounds of writers, statements, snapshots by signal and faults of every kind; after each the topics are held
against the tables, row by row, as heart.py says.

A source and a replica of it, a broker, a program that follows either through a wire; each round has a database of its own,
and the servers stay.
"""
import random
import time
from collections import Counter
from types import SimpleNamespace

from harness import Kafka, MySql, Proxy, Scratch, Tidemark
from heart import Heart

from soak.faults import Faults

ROUND_SECONDS = 60
SETTINGS = {"binlog-order-commits": "OFF", "innodb-buffer-pool-size": "64M", "max-binlog-size": "4M"}
PROGRAM = {"connect_keep_alive_interval_ms": 3000, "connect_timeout_ms": 2000, "tidemark_liveness_timeout_ms": 8000,
           "producer_override_transaction_timeout_ms": 10000, "errors_retry_delay_max_ms": 1000}


class Soak:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.scratch = Scratch("soak")
        self.made, self.rounds, self.checked, self.rows, self.snapshots = Counter(), 0, 0, 0, 0
        self.source = MySql(self.scratch, "source", SETTINGS).start().create_user()
        self.replica = self.source.make_replica(self.scratch, "replica", {
            **SETTINGS, "log-bin": "other", "binlog-row-event-max-size": 512, "replica-preserve-commit-order": "OFF"}, workers=8)
        self.broker = Kafka(self.scratch, "kafka", proxied=True).start()

    def close(self, keep):
        for server in (self.replica, self.source):
            server.kill()
        self.broker.close()
        self.scratch.keep = self.scratch.keep or keep
        return self.scratch.close()

    def round(self, seconds):
        """One round; raises where something is wrong."""
        seed = self.rng.randrange(1 << 24)
        print(f"round {self.rounds + 1}: seed {seed}, {seconds:.0f} s", flush=True)
        wire = Proxy(("127.0.0.1", self.source.port)).start()
        faults = Faults(seed, (self.source, self.replica), self.broker, wire)
        programs = []

        def make(mysql, kafka, prefix, **more):
            programs.append(Tidemark(self.scratch, Tidemark.base(mysql, kafka, prefix, **more), f"round-{self.rounds + 1}"))
            return programs[-1]
        try:
            names = SimpleNamespace(database="soak", prefix="soak", short="soak")
            heart = Heart(seed, self.source, self.broker, make, names, wire, is_rough=True,
                          bootstrap_servers=self.broker.proxied, **PROGRAM)
            self.replica.wait_for_source()
            heart.go(seconds, kills=False, between=faults)
            heart.run.program.stop()
            self.source.sql(f"DROP DATABASE `{heart.database}`")
        finally:
            for program in programs:
                program.kill()
            wire.close()
            self.made += faults.made
        self.rounds += 1
        self.checked += heart.checked
        self.snapshots += sum(heart.asked.values())

    def summary(self):
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.made.items()))
        return (f"{self.rounds} rounds, {self.checked} records checked, {self.snapshots} tables read by snapshots, "
                f"{sum(self.made.values())} faults: {kinds}")


def run(minutes, seed):
    """True when all was well."""
    print(f"soak of {minutes:g} minutes, --seed {seed}", flush=True)
    soak = Soak(seed)
    until = time.monotonic() + minutes * 60
    fault = None
    try:
        while fault is None and (left := until - time.monotonic()) > 5:
            try:
                soak.round(min(ROUND_SECONDS, left))
            except (AssertionError, TimeoutError) as why:
                fault = why
    finally:
        kept = soak.close(keep=fault is not None)
    print(soak.summary())
    print("nothing lost, nothing twice, no row went back in time" if fault is None else f"FAILED: {fault}\nfiles: {kept}")
    return fault is None
