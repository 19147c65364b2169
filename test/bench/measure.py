# SPDX-License-Identifier: Apache-2.0
"""measure: one drain: how fast records came, what the program used for it, and whether they are all there.

The rate is taken from the broker's append times of the first and the last record, as a read_committed consumer sees
them; it reads after the drain, so that it takes no processor from it. CPU time is sampled while the drain runs and taken
between the same two moments.
"""
import json
import time
from dataclasses import asdict, dataclass

SAMPLE_S = 0.05
QUIET_S = 1.0


@dataclass
class Figures:
    records: int
    rate: float         # records a second
    cpu_us: float       # of the program, for a record
    peak_mib: float
    first_s: float      # from the program's start to the first record's append

    def as_dict(self):
        return {key: round(value, 2) for key, value in asdict(self).items()}


def _end(kafka, topic):
    return sum(kafka.end_offsets(topic, "read_uncommitted").values())


def _samples(program, kafka, topic, base, records, timeout):
    """(time, CPU seconds) until the topic has grown by at least so many records and rests."""
    samples, last, moved, start = [], base, time.time(), time.time()
    while True:
        now = time.time()
        samples.append((now, program.cpu_seconds()))
        end = _end(kafka, topic)
        if end != last:
            last, moved = end, now
        if last - base >= records and now - moved > QUIET_S:
            return samples
        if now - start > timeout:
            raise TimeoutError(f"{program.name}: {last - base} of {records} records after {timeout} s; {program.tail()}")
        time.sleep(SAMPLE_S)


def _cpu_at(samples, moment):
    before = samples[0]
    for sample in samples:
        if sample[0] >= moment:
            span = sample[0] - before[0]
            part = (moment - before[0]) / span if span > 0 else 0
            return before[1] + (sample[1] - before[1]) * max(0.0, min(1.0, part))
        before = sample
    return before[1]


def drain(program, kafka, topic, records, timeout=600, skip=0, keys=None):
    """Starts the program and measures until `records` committed records are there behind the first `skip`. keys: how many
    different keys they must have."""
    base = _end(kafka, topic)
    started = time.time()
    program.start()
    samples = _samples(program, kafka, topic, base, records, timeout)
    peak = program.peak_rss() / 2**20
    program.stop()
    first, last, n, seen = None, None, 0, set()
    with kafka.reader(topic) as reader:
        for record in reader.read_to_end(timeout=600)[skip:]:
            first = record.timestamp if first is None else first
            last = record.timestamp
            n += 1
            seen.add(record.key)
    if n != records:
        raise AssertionError(f"{program.name}: {n} committed records instead of {records}")
    if keys is not None and len(seen) != keys:
        raise AssertionError(f"{program.name}: {len(seen)} keys instead of {keys}")
    span = max(last - first, 1) / 1000
    cpu = _cpu_at(samples, last / 1000) - _cpu_at(samples, first / 1000)
    return Figures(n, n / span, cpu / n * 1e6, peak, first / 1000 - started)


def print_json(path, machine, rows):
    path.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")
