# SPDX-License-Identifier: Apache-2.0
"""measure: how fast records came, what the program used for it, whether they are all there; and how late single ones came.

Rates are taken from the broker's append times of the first and the last record, as a read_committed consumer sees
them; it reads when the measured part is over and the program has ended, so that it takes no processor from it. CPU time is
sampled while the work runs and taken between the same two moments.

Figures are a dictionary from a column's name to a number.
"""
import threading
import time
from dataclasses import dataclass, field

from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import OffsetSpec

from harness import wait_for

SAMPLE_S = 0.1
QUIET_S = 2.0
SPECIMENS = 2000


YOUNG = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE)  # what a topic says that was just made


def ends(kafka, topics, isolation=IsolationLevel.READ_UNCOMMITTED):
    """{(topic, partition): offset after the last record, of those that are committed or of all}, by one request."""
    have = kafka.topics()
    asked = {TopicPartition(topic, number): OffsetSpec.latest() for topic in topics for number in range(have[topic])}

    def answered():
        answers = kafka.admin().list_offsets(asked, isolation_level=isolation)
        try:
            return {(where.topic, where.partition): answer.result(30).offset for where, answer in answers.items()}
        except KafkaException as why:
            if why.args[0].code() not in YOUNG:
                raise
    return wait_for(answered, what="the ends of the topics")


# ---- while it runs

class Samples:
    """CPU seconds of a program, moment by moment."""

    def __init__(self, program):
        self._program, self._samples = program, []

    def take(self):
        if not self._program.is_running():
            raise AssertionError(f"{self._program.name} ended; {self._program.tail()}")
        self._samples.append((time.time(), self._program.cpu_seconds()))

    def take_until(self, done, timeout, what):
        """Samples until done() is true."""
        start = time.monotonic()
        while True:
            self.take()
            if done():
                return
            if time.monotonic() - start > timeout:
                raise TimeoutError(f"{self._program.name}: waited {timeout} s for {what()}; {self._program.tail()}")
            time.sleep(SAMPLE_S)

    def at(self, moment):
        """CPU seconds at that moment, between the samples around it."""
        before = self._samples[0]
        for sample in self._samples:
            if sample[0] >= moment:
                span = sample[0] - before[0]
                part = (moment - before[0]) / span if span > 0 else 0
                return before[1] + (sample[1] - before[1]) * max(0.0, min(1.0, part))
            before = sample
        return before[1]


class Growth:
    """How many offsets topics have grown by since the beginning, and for how long they have been at rest."""

    def __init__(self, kafka, topics):
        self._kafka, self._topics = kafka, topics
        self.base = ends(kafka, topics)
        self.grown, self._moved = 0, time.monotonic()

    def look(self):
        grown = sum(ends(self._kafka, self._topics).values()) - sum(self.base.values())
        if grown != self.grown:
            self.grown, self._moved = grown, time.monotonic()
        return self.grown

    def rests_with(self, records):
        """That many offsets or more, and no further one for a while: markers of transactions count, too."""
        return self.look() >= records and time.monotonic() - self._moved > QUIET_S


# ---- afterwards

@dataclass
class Seen:
    """What a read_committed consumer saw."""
    first: float = None  # append times, seconds
    last: float = None
    records: int = 0  # of the kind that was asked for
    keys: set = field(default_factory=set)  # (topic, key) of all records
    specimens: list = field(default_factory=list)  # the first records, as messages


def consumer(kafka, offsets, isolation):
    """Of the partitions in offsets, {(topic, partition): offset}, from there on."""
    made = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "bench", "enable.auto.commit": False,
                     "isolation.level": isolation, "enable.partition.eof": True, "fetch.wait.max.ms": 20,
                     "fetch.error.backoff.ms": 5, "fetch.message.max.bytes": 8 << 20, "log_level": 0})
    made.assign([TopicPartition(topic, partition, offset) for (topic, partition), offset in offsets.items()])
    return made


def _wait_for_markers(kafka, topics):
    """A commit is answered before all partitions know of it."""
    wait_for(lambda: ends(kafka, topics) == ends(kafka, topics, IsolationLevel.READ_COMMITTED), 60, "the last commit's markers")


def read(kafka, base, kind=None):
    """Seen from the offsets `base` to the end. kind: bytes that a value holds when its record counts; None counts all."""
    _wait_for_markers(kafka, {topic for topic, _ in base})
    reader, seen, open_ends = consumer(kafka, base, "read_committed"), Seen(), set(base)
    while open_ends:
        for message in reader.consume(5000, 1):
            if message.error():
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise AssertionError(message.error())
                open_ends.discard((message.topic(), message.partition()))
                continue
            seen.keys.add((message.topic(), message.key()))
            if kind is not None and kind not in (message.value() or b""):
                continue
            appended = message.timestamp()[1] / 1000
            seen.first = appended if seen.first is None else min(seen.first, appended)
            seen.last = appended if seen.last is None else max(seen.last, appended)
            seen.records += 1
            if len(seen.specimens) < SPECIMENS:
                seen.specimens.append(message)
    reader.close()
    return seen


def rate(seen):
    """Records a second between the first and the last."""
    return seen.records / max(seen.last - seen.first, 0.001)


# ---- single records

class Arrivals(threading.Thread):
    """When each record was seen: key -> time. Until stop()."""

    def __init__(self, kafka, topic, isolation):
        super().__init__(daemon=True)
        self.seen, self._stop = {}, threading.Event()
        self._consumer = consumer(kafka, ends(kafka, [topic]), isolation)
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


def usage(program, seconds):
    """Share of a core over that time, in percent, and the memory at its end."""
    before, start = program.cpu_seconds(), time.time()
    time.sleep(seconds)
    return {"% of a core": (program.cpu_seconds() - before) / (time.time() - start) * 100, "MiB": program.rss() / 2**20}
