# SPDX-License-Identifier: Apache-2.0
"""ceiling: the limit that a rate is a share of.

It is the rate at which test/bench/ceiling.c gets the same records into the same broker, with the same compression, the same
number of partitions, and transactions: keys, values and headers lie ready in memory, nothing is read, decoded, decided or
rendered. What is left is librdkafka and the broker. It is measured in the same run, right after the program, by the same
append times; specimens of the program's own records are repeated, so that they compress as those did.
"""
import struct
import subprocess

from harness.scratch import CHECKOUT

from bench.measure import ends, rate, read

PROGRAM = CHECKOUT / "build" / "release" / "ceiling"
MOST = 1_000_000


def piece(data):
    """Bytes with their length before them; None has the length -1."""
    return struct.pack("<i", -1) if data is None else struct.pack("<i", len(data)) + data


def encode(specimens, topics):
    """The records as ceiling.c reads them; topics: the names that theirs are to be replaced by."""
    names = sorted(set(topics.values()))
    out = [struct.pack("<i", len(names)), *(piece(name.encode()) for name in names), struct.pack("<i", len(specimens))]
    for message in specimens:
        headers = message.headers() or []
        out += [struct.pack("<i", names.index(topics[message.topic()])), piece(message.key()), piece(message.value()),
                struct.pack("<i", len(headers)), *(piece(name.encode()) + piece(value) for name, value in headers)]
    return b"".join(out)


def measure(bench, setup, specimens, records):
    """Records a second."""
    kafka, folder = bench.kafka, bench.scratch.folder("ceiling")
    topics = {topic: f"ceiling.{topic}" for topic in {message.topic() for message in specimens}}
    for topic in topics.values():
        kafka.create_topic(topic, partitions=setup.partitions)
    try:
        (folder / "records").write_bytes(encode(specimens, topics))
        base, n = ends(kafka, topics.values()), min(records, MOST)
        run = subprocess.run([PROGRAM, kafka.proxied if setup.wired else kafka.bootstrap, folder / "records", str(n),
                              setup.compression or "none", str(setup.partitions * len(topics))], capture_output=True, text=True)
        if run.returncode != 0:
            raise AssertionError(f"{PROGRAM} ended with {run.returncode}: {run.stderr}")
        seen = read(kafka, base)
    finally:
        for topic in topics.values():
            kafka.delete_topic(topic)
    if seen.records != n:
        raise AssertionError(f"{PROGRAM}: {seen.records} committed records instead of {n}")
    return rate(seen)
