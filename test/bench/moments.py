# SPDX-License-Identifier: Apache-2.0
"""moments: work of few records, of which time matters, or none at all.

Each is called with the bench and a contender's class, does one run of it, and returns the figures.
"""
import time

from harness import wait_for

from bench import load
from bench.figures import percentile
from bench.measure import Arrivals, usage
from bench.trial import Trial

LATENCY_S, LATENCY_RATE = 20, 100
WARM_S = 60  # in which the broker's compiler comes to rest
IDLE_S = 20


def latency(bench, make):
    """Single inserts at a steady rate: from before the INSERT until a consumer has the record."""
    seconds, warm = (max(3, part * bench.options.scale) for part in (LATENCY_S, WARM_S))
    with Trial(bench, make, ["probe"]) as trial:
        bench.mysql.sql(load.PROBE)
        trial.start()
        looks = {isolation: Arrivals(bench.kafka, trial.topics[0], f"read_{isolation}")
                 for isolation in ("uncommitted", "committed")}
        probes = load.Probes(bench.mysql, LATENCY_RATE)
        with probes:
            time.sleep(warm)
            broker, own, start = bench.kafka.cpu_seconds(), trial.program.cpu_seconds(), time.time()
            time.sleep(seconds)
            took = time.time() - start
        figures = {"% of a core": (trial.program.cpu_seconds() - own) / took * 100,
                   "broker's %": (bench.kafka.cpu_seconds() - broker) / took * 100}
        for isolation, look in looks.items():
            wait_for(lambda: len(look.seen) >= len(probes.sent), 30, f"the records to be seen {isolation}")
            late = probes.lateness(look.stop(), start, start + took)
            figures.update({f"{isolation} p50 ms": percentile(late, 50), f"{isolation} p99 ms": percentile(late, 99)})
        trial.program.stop()
        return figures


def start(bench, make, n):
    """From the program's start, after a clean stop, until a consumer has the row that waited. n tables are captured."""
    with Trial(bench, make, ["orders"]) as trial:
        load.make_tables(bench.mysql, [f"start{i}" for i in range(n - 1)])
        trial.give_position()
        bench.mysql.sql(load.ONE)
        look = Arrivals(bench.kafka, trial.orders, "read_committed")
        began = time.time()
        trial.program.start()
        wait_for(lambda: look.seen, 300, "the first record")
        first = min(look.stop().values()) - began
        trial.program.stop()
        return {"first record s": first}


def idle(bench, make):
    """A while after its start, with nothing to do, and ten tables."""
    with Trial(bench, make, ["orders"]) as trial:
        load.make_tables(bench.mysql, [f"idle{i}" for i in range(9)])
        trial.give_position()
        trial.program.start()
        trial.program.wait_streaming()
        time.sleep(5)
        figures = usage(trial.program, IDLE_S)
        trial.program.stop()
        return figures
