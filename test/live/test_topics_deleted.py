# SPDX-License-Identifier: Apache-2.0
"""Topics that are deleted under a running instance, or while it is down: what is gone on with, what is told, what ends the run."""
import json

from confluent_kafka import Consumer, TopicPartition
import pytest

from harness import wait_for
from snapshot_run import Run, ids


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    def make(broker=kafka, **more):
        return Run(mysql, broker, tidemark, names, **more)
    return make


def delete(broker, topic):
    broker.admin().delete_topics([topic])[topic].result()
    wait_for(lambda: topic not in broker.topics(), 20, f"{topic} to be gone")


# ---- topics of tables


@pytest.mark.parametrize("once", ("requested", "disabled"))
def test_a_topic_deleted_under_a_running_instance_is_made_anew(run, kafka, once):
    r = run(exactly_once_support=once)
    r.sql("CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE u (id INT PRIMARY KEY); INSERT INTO t VALUES (1)")
    r.wait_rows("t", 1, op="c")
    for number, beside in ((2, "INSERT INTO u VALUES (2)"), (4, "INSERT INTO u VALUES (4)"), (6, "DO 1")):
        delete(kafka, r.topic("t"))
        r._readers.clear(), r._parsed.clear()
        r.sql(f"BEGIN; {beside}; INSERT INTO t VALUES ({number}); COMMIT; INSERT INTO t VALUES ({number + 1})")
        wait_for(lambda: r.topic("t") in kafka.topics(), 60, lambda: f"the topic; {r.program.tail(20)}")
        r.wait_rows("t", 2, op="c", timeout=60)
        assert ids(r.rows("t", op="c")) == [number, number + 1]
    assert sorted(set(ids(r.rows("u", op="c")))) == [2, 4]
    assert once == "disabled" or ids(r.rows("u", op="c")) == [2, 4]
    r.program.stop()


def test_a_deleted_topic_of_positions_ends_the_run(run, kafka):
    r = run()
    r.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)")
    r.wait_rows("t", 1, op="c")
    delete(kafka, f"{r.prefix}-offsets")
    r.sql("INSERT INTO t VALUES (2)")
    assert r.program.wait_exit(60) in (4, 6)
    assert f"{r.prefix}-offsets" in [line for line in r.program.log_text().splitlines() if " error connector: " in line][-1]


# ---- the topic of signals


def ask_twice(r):
    r.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)")
    for number in range(2):
        r.snapshot("t", id=f"before {number}")
    wait_for(lambda: r.state().get("tidemark_signal_topic"), 30, "the topic's id to be stored")


def ask_again(r, names):
    for name in names:
        r.snapshot("t", id=name, wait=False)


def check_executed_once(r, names):
    for name in names:
        r.wait_ended(name)
    recorded = [signal["id"] for signal in r.progress()["signals"]]
    assert recorded == ["before 0", "before 1", *names]
    assert r.state()["tidemark_signal_offset"] == 3


def test_a_signal_topic_made_again_under_a_running_instance_is_read_from_its_beginning(run, kafka):
    """Its offsets reach behind the stored place: without a look at the topic's id the first two would be passed by."""
    r = run()
    ask_twice(r)
    again = ("after 0", "after 1", "after 2")
    delete(kafka, r.signals)
    ask_again(r, again)
    check_executed_once(r, again)
    r.program.wait_for_log(r"warn  consumer: the signal topic \S+ (is another one than before|ends before offset)")
    r.program.stop()
    r.start()  # and no signal comes twice
    r.snapshot("t", id="last")
    assert [signal["id"] for signal in r.progress()["signals"]][-2:] == ["after 2", "last"]


def test_a_signal_topic_made_again_while_nobody_ran_is_read_from_its_beginning(run, kafka):
    r = run()
    ask_twice(r)
    r.program.stop()
    again = ("after 0", "after 1", "after 2")
    delete(kafka, r.signals)
    ask_again(r, again)
    r.start()
    check_executed_once(r, again)
    r.program.wait_for_log(r"warn  consumer: the signal topic \S+ is another one than before")


def test_without_a_known_id_a_place_behind_the_end_shows_another_topic(run, kafka):
    r = run()
    ask_twice(r)
    r.program.stop()
    value = {name: part for name, part in r.state().items() if name != "tidemark_signal_topic"}
    kafka.produce(f"{r.prefix}-offsets", json.dumps(value), key=json.dumps([r.prefix, {"server": r.prefix}], separators=(",", ":")))
    delete(kafka, r.signals)
    ask_again(r, ["after"])
    r.start()
    r.wait_ended("after")
    r.program.wait_for_log(r"warn  consumer: the signal topic \S+ ends before offset 2")
    assert r.state()["tidemark_signal_offset"] == 1


# ---- the group of signal.kafka.groupId


def committed(kafka, group, topic):
    client = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": group})
    try:
        return client.committed([TopicPartition(topic, 0)], timeout=10)[0].offset
    finally:
        client.close()


def test_the_place_in_the_signal_topic_is_committed_to_the_users_group_at_a_stop(run, kafka, names):
    group = f"{names.prefix}-group"
    r = run(signal_kafka_groupId=group)
    ask_twice(r)
    r.program.kill()
    assert committed(kafka, group, r.signals) < 0
    r.start()
    r.program.stop()
    assert committed(kafka, group, r.signals) == 2
