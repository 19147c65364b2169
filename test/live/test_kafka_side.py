# SPDX-License-Identifier: Apache-2.0
"""The producer, the committer and the stored state against a real broker: killed, fenced, cut off, frozen."""
import os
import re
import signal
import time
from pathlib import Path

import pytest

from harness import Process, wait_for

TOOL = Path(os.environ.get("TIDEMARK_BIN", "build/debug/tidemark")).parent / "tool_kafka_side"


@pytest.fixture
def side(scratch, names):
    """side(kafka, "write", …) starts the tool."""
    started = []

    def make(kafka, command, *args):
        if not TOOL.exists():
            pytest.fail(f"{TOOL} is not built")
        name = f"{names.short}-side-{len(started)}"
        bootstrap = kafka if isinstance(kafka, str) else kafka.bootstrap
        process = Process(name, [TOOL, command, bootstrap, *args], scratch.folder(name) / "log")
        started.append(process)
        return process.start()
    yield make
    for process in started:
        process.kill()


def numbers(records, topic):
    return [int(record.value) for record in records if record.topic == topic]


def written(process):
    """The last number that the tool said it has committed."""
    found = re.findall(r"^(?:at|from) (\d+)$", process.log_text(), re.M)
    return int(found[-1]) if found else 0


def test_killed_writer_goes_on_where_it_was(side, kafka, names):
    topic, count = names.prefix, 60000
    for kill in range(8):
        process = side(kafka, "write", topic, topic, count, 500, 60000, "exact")
        process.wait_for_log(r"^from \d+$")
        start = written(process)
        wait_for(lambda: written(process) >= start + 3000, what="3000 numbers")
        process.kill()
    process = side(kafka, "write", topic, topic, count, 500, 60000, "exact")
    assert process.wait() == 0
    assert numbers(kafka.consume(topic), topic) == list(range(1, count + 1))
    assert len(kafka.consume(topic, isolation="read_uncommitted")) >= count
    assert kafka.topic_config(f"{topic}-offsets")["cleanup.policy"] == "compact"


def test_killed_writer_without_transactions_misses_nothing(side, kafka, names):
    topic, count = names.prefix, 30000
    for kill in range(4):
        process = side(kafka, "write", topic, topic, count, 500, 60000, "plain")
        process.wait_for_log(r"^from \d+$")
        start = written(process)
        wait_for(lambda: written(process) >= start + 3000, what="3000 numbers")
        process.kill()
    process = side(kafka, "write", topic, topic, count, 500, 60000, "plain")
    assert process.wait() == 0
    seen = numbers(kafka.consume(topic), topic)
    assert sorted(set(seen)) == list(range(1, count + 1))
    first = {number: place for place, number in reversed(list(enumerate(seen)))}
    assert sorted(first, key=first.get) == list(range(1, count + 1))


def test_second_instance_fences_the_first(side, kafka, names):
    topic = names.prefix
    first = side(kafka, "write", topic, topic, 10**9, 100, 60000, "exact")
    first.wait_for_log(r"^at \d+$")
    second = side(kafka, "write", topic, topic, 10**9, 100, 60000, "exact")
    second.wait_for_log(r"^at \d+$")
    assert first.wait(10) == 5
    assert "another instance" in first.log_text()
    assert second.stop(5) == 0
    seen = numbers(kafka.consume(topic), topic)
    assert seen == list(range(1, len(seen) + 1))


def test_broker_restart_is_survived(side, new_kafka, names):
    kafka, topic, count = new_kafka(), names.prefix, 10**9
    process = side(kafka, "write", topic, topic, count, 500, 60000, "exact")
    process.wait_for_log(r"^at \d+$")
    for way in (kafka.stop, kafka.kill):
        before = written(process)
        way()
        kafka.start()
        wait_for(lambda: written(process) > before + 2000, 60, lambda: f"numbers again; {process.tail()}")
    assert process.stop(5) == 0
    seen = numbers(kafka.consume(topic), topic)
    assert seen == list(range(1, written(process) + 1))


def test_stop_takes_seconds_when_the_broker_is_dead(side, new_kafka, names):
    kafka, topic = new_kafka(), names.prefix
    process = side(kafka, "write", topic, topic, 10**9, 500, 60000, "exact")
    process.wait_for_log(r"^at \d+$")
    kafka.freeze()
    time.sleep(1)
    started = time.monotonic()
    process.popen.send_signal(signal.SIGTERM)
    process.wait(8)
    assert time.monotonic() - started < 5
    assert process.popen.returncode == 4
    kafka.thaw()


def test_overdue_transaction_is_not_taken_for_a_rival(side, kafka, names):
    """The broker ends a transaction that is open for too long, by the same means as it fences."""
    process = side(kafka, "overdue", names.prefix, names.prefix, 1500)
    assert process.wait(30) == 0
    assert "longer than its timeout" in process.log_text()
    assert kafka.consume(names.prefix) == []


def test_long_pauses_of_the_process_are_survived(side, kafka, names):
    """Records time out, transactions are ended by the broker, wherever the pause happens to fall."""
    topic = names.prefix
    process = side(kafka, "write", topic, topic, 10**9, 2000, 2000, "exact")
    process.wait_for_log(r"^at \d+$")
    for _ in range(2):
        process.freeze()
        time.sleep(5)
        process.thaw()
        before = written(process)
        wait_for(lambda: written(process) > before + 10000, 60, lambda: f"numbers again; {process.tail()}")
    assert process.stop(5) == 0
    seen = numbers(kafka.consume(topic), topic)
    assert seen == list(range(1, written(process) + 1))


# ---- state topics


def test_state_topic_is_made_compacted_with_one_partition(side, kafka, names):
    topic = names.prefix
    assert side(kafka, "prepare", topic).wait() == 0
    assert kafka.topics()[topic] == 1
    assert kafka.topic_config(topic)["cleanup.policy"] == "compact"
    assert side(kafka, "prepare", topic).wait() == 0  # it is there already
    process = side(kafka, "read", topic, 5000)
    assert process.wait() == 0
    assert "\t" not in process.log_text()


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_state_topic_that_forgets_is_refused(side, kafka, names, policy):
    topic = names.prefix
    kafka.create_topic(topic, cleanup_policy=policy)
    process = side(kafka, "prepare", topic)
    assert process.wait() == 4
    assert topic in process.log_text() and "--add-config cleanup.policy=compact" in process.log_text()
    kafka.alter_topic(topic, cleanup_policy="compact")
    assert side(kafka, "prepare", topic).wait() == 0


def test_state_is_read_from_all_partitions_to_their_ends(side, kafka, names):
    topic = names.prefix
    kafka.create_topic(topic, partitions=4, cleanup_policy="compact")
    for number in range(8):
        kafka.produce(topic, f"v{number}", key=f"k{number}", partition=number % 3)
    kafka.produce(topic, None, key="k0", partition=0)
    process = side(kafka, "read", topic, 5000)
    assert process.wait() == 0
    pairs = re.findall(r"^(k\d)\t(\S+)$", process.log_text(), re.M)
    assert sorted(pairs) == sorted([(f"k{n}", f"v{n}") for n in range(8)] + [("k0", "-")])


def test_state_behind_an_aborted_tail_is_read(side, kafka, names):
    topic = names.prefix
    kafka.create_topic(topic, cleanup_policy="compact")
    kafka.produce(topic, "good", key="k")
    holder = side(kafka, "hold", names.prefix, topic)
    holder.wait_for_log("^held$")
    holder.kill()
    successor = side(kafka, "hold", names.prefix, topic)  # aborts what the first one left
    successor.wait_for_log("^held$")
    reader = side(kafka, "read", topic, 60000)
    time.sleep(1)
    assert reader.is_running()  # the successor's own record is undecided
    assert successor.stop() == 0
    successor.kill()
    kafka_end = wait_for(lambda: _decided(kafka, topic, names.prefix), what="the transaction to be decided")
    assert kafka_end > 2
    assert reader.wait(30) == 0
    assert re.findall(r"^(\S+)\t(\S+)$", reader.log_text(), re.M) == [("k", "good")]


def _decided(kafka, topic, name):
    """Ends the open transaction by taking its id, and returns the end of the topic."""
    from confluent_kafka import Producer
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": name, "log_level": 0})
    producer.init_transactions(30)
    return kafka.end_offsets(topic)[0]


def test_state_held_back_for_ever_is_an_error_in_words(side, kafka, names):
    topic = names.prefix
    kafka.create_topic(topic, cleanup_policy="compact")
    holder = side(kafka, "hold", names.prefix, topic)
    holder.wait_for_log("^held$")
    reader = side(kafka, "read", topic, 2000)
    assert reader.wait(20) == 4
    assert "a transaction of another producer is open" in reader.log_text()
    reader = side(kafka, "read", topic, 60000)
    time.sleep(1)
    assert reader.stop(3) == 4  # a stop is heard while it waits
    holder.kill()
    _decided(kafka, topic, names.prefix)
    assert side(kafka, "read", topic, 5000).wait() == 0
