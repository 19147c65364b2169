# SPDX-License-Identifier: Apache-2.0
"""measure: how fast records came, what the program used for it, whether they are all there; and how late single ones came.

Rates are taken from the broker's append times of the first and the last record, as a read_committed consumer sees
them; it reads after the drain, so that it takes no processor from it. CPU time is sampled while the drain runs and taken
between the same two moments.

Figures are a dictionary from the column's name to a number. MORE_IS_BETTER names the columns where it is.
"""
import json
import threading
import time

from confluent_kafka import Consumer, KafkaError, TopicPartition

SAMPLE_S = 0.05
QUIET_S = 1.0
MORE_IS_BETTER = {"records/s"}


def _end(kafka, topics):
    return sum(sum(kafka.end_offsets(topic, "read_uncommitted").values()) for topic in topics)


def _samples(program, kafka, topics, base, records, timeout):
    """(time, CPU seconds) until the topics have grown by at least so many records and rest."""
    samples, last, moved, start = [], base, time.time(), time.time()
    while True:
        now = time.time()
        samples.append((now, program.cpu_seconds()))
        end = _end(kafka, topics)
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


def _consumer(kafka, topics, isolation, offset):
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "bench", "enable.auto.commit": False,
                         "isolation.level": isolation, "enable.partition.eof": True, "fetch.wait.max.ms": 20,
                         "fetch.error.backoff.ms": 5})
    consumer.assign([TopicPartition(topic, partition, offset(topic, partition))
                     for topic in topics for partition in kafka.end_offsets(topic)])
    return consumer


def _look(kafka, topics, since_ms):
    """(first append, last append, number, different keys) of the committed records appended since then. Nothing is kept."""
    consumer = _consumer(kafka, topics, "read_committed", lambda *_: 0)
    first, last, n, keys, open_ends = None, None, 0, set(), {(t, p) for t in topics for p in kafka.end_offsets(t)}
    while open_ends:
        for message in consumer.consume(5000, 1):
            if message.error():
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise AssertionError(message.error())
                open_ends.discard((message.topic(), message.partition()))
                continue
            appended = message.timestamp()[1]
            if appended < since_ms:
                continue
            first = appended if first is None else min(first, appended)
            last = appended if last is None else max(last, appended)
            n += 1
            keys.add((message.topic(), message.key()))
    consumer.close()
    return first, last, n, len(keys)


def drain(program, kafka, topics, records, begin=None, keys=None, timeout=900):
    """Starts the program, or what `begin` starts, and measures until so many committed records have come. keys: how many
    different keys they must have. Stops the program."""
    base = _end(kafka, topics)
    started = time.time()
    (begin or program.start)()
    samples = _samples(program, kafka, topics, base, records, timeout)
    peak = program.peak_rss() / 2**20
    program.stop()
    first, last, n, n_keys = _look(kafka, topics, started * 1000)
    if n != records:
        raise AssertionError(f"{program.name}: {n} committed records instead of {records}")
    if keys is not None and n_keys != keys:
        raise AssertionError(f"{program.name}: {n_keys} keys instead of {keys}")
    span = max(last - first, 1) / 1000
    cpu = _cpu_at(samples, last / 1000) - _cpu_at(samples, first / 1000)
    return {"records": n, "records/s": n / span, "µs CPU/record": cpu / n * 1e6, "peak MiB": peak,
            "first record s": first / 1000 - started}


# ---- single records

class Arrivals(threading.Thread):
    """When each record was seen: key -> time. Until stop()."""

    def __init__(self, kafka, topic, isolation):
        super().__init__(daemon=True)
        self.seen, self._stop = {}, threading.Event()
        ends = kafka.end_offsets(topic)
        self._consumer = _consumer(kafka, [topic], isolation, lambda _, partition: ends[partition])
        self.start()

    def run(self):
        while not self._stop.is_set():
            message = self._consumer.poll(0.1)
            if message is not None and not message.error():
                self.seen.setdefault(message.key(), time.time())

    def stop(self):
        self._stop.set()
        self.join()
        self._consumer.close()
        return self.seen


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * percent / 100))]


def usage(program, seconds):
    """Share of a core over that time, in percent, and the memory at its end."""
    before, start = program.cpu_seconds(), time.time()
    time.sleep(seconds)
    return {"% of a core": (program.cpu_seconds() - before) / (time.time() - start) * 100, "MiB": program.rss() / 2**20}


def print_json(path, machine, rows):
    path.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")
