# SPDX-License-Identifier: Apache-2.0
"""Rows wider than Kafka takes: named with all that is needed to mend it, or set aside; and batches that a topic is too small for."""
import re

import pytest

from harness.replay import decode_all, payload
from snapshot_run import Run
from stream_run import Stream

LIMIT = 100_000
KIB = 1024


@pytest.fixture
def stream(mysql, kafka, tidemark, names):
    """stream(limit=…, key=value…): a table t followed, its topic made with that limit."""
    def make(limit=LIMIT, **more):
        if limit:
            kafka.create_topic(f"{names.prefix}.{names.database}.t", max_message_bytes=limit)
        return Stream(mysql, kafka, tidemark, names, **more)
    yield make
    mysql.sql(f"DROP DATABASE IF EXISTS {names.database}")


def wide(run, *sizes):
    """A transaction with a row of each size."""
    values = ", ".join(f"({run.next + i}, 0, REPEAT('x', {size}))" for i, size in enumerate(sizes))
    run.next += len(sizes)
    run.sql(f"INSERT INTO t VALUES {values}")


def ids(changes):
    return [change.key["id"] for change in changes if change.op]


def letters(kafka, topic, count):
    records = kafka.consume(topic, until=count, timeout=60)
    return [(payload(record.key)["id"], record.value, {name: text.decode() for name, text in record.headers}) for record in records]


def test_a_row_wider_than_its_topic_ends_the_run_and_is_named(stream, kafka, mysql, names):
    """With table, both sizes, its place, and what to raise; that done, the next start goes on."""
    run = stream()
    run.wait(run.insert()[0])
    wide(run, 10, 200_000)
    run.program.wait_exit(60, code=6)
    told = re.findall(r"^\S+ error connector: .*$", run.program.log_text(), re.M)[-1]
    for part in (f"of table {names.database}.t", run.topic, f"limit is {LIMIT} (max.message.bytes)",
                 f"file={mysql.position()[0]} pos=", " event=3 row=0 ", mysql.gtid_executed()[:36],
                 "errors.deadletterqueue.topic.name"):
        assert part in told, (part, told)
    assert '"id"' not in told
    size = int(re.search(r"it has (\d+) bytes", told)[1])
    assert 200_000 < size < 201_000
    kafka.alter_topic(run.topic, max_message_bytes=1_000_000)
    run.program.start()
    assert ids(run.settled()) == [1, 2, 3, 4]


def test_a_row_wider_than_the_producer_sends_ends_the_run_at_once(stream):
    run = stream(limit=None)
    run.wait(run.insert()[0])
    wide(run, 3_000_000)
    run.program.wait_exit(60, code=6)
    assert re.search(r"the limit is 1048576 \(producer.override.max.request.size\)", run.program.log_text())
    assert "restarting" not in run.program.log_text()
    run.program.write(producer_override_max_request_size=10 << 20).start()
    run.kafka.alter_topic(run.topic, max_message_bytes=10 << 20)
    assert ids(run.settled()) == [1, 2, 3]


@pytest.mark.parametrize("how", ["exactly once", pytest.param("at least once", marks=pytest.mark.long)])
def test_rows_that_are_too_wide_go_to_the_dead_letters(stream, kafka, names, how):
    """Each once, in the transaction of its neighbours, with its value where that fits; the others stay in order."""
    dead = f"{names.prefix}-dead"
    kafka.create_topic(dead, max_message_bytes=300_000)
    run = stream(**{"errors.tolerance": "all", "errors.deadletterqueue.topic.name": dead,
                    **({"exactly.once.support": "disabled"} if how == "at least once" else {})})
    run.wait(run.insert()[0])
    wide(run, 10, 200_000, 20, 2_000_000, 150_000, 30)
    run.sql("UPDATE t SET pad = 'narrow' WHERE id = 3")  # the row before it is too wide still
    last = run.insert()[0]
    told = decode_all(run.wait(last))
    seen = list(dict.fromkeys(ids(told)))
    assert seen == [1, 2, 4, 7, last]
    got = letters(kafka, dead, 4)
    if how == "exactly once":
        assert len(told) == len(seen) and [id for id, _, _ in got] == [3, 5, 6, 3]
    by_id = {id: (value, headers) for id, value, headers in got if payload(value or "{}").get("op") != "u"}
    assert payload(by_id[3][0])["after"]["pad"] == "x" * 200_000 and by_id[5][0] is None
    headers = by_id[5][1]
    assert headers["__connect.errors.topic"] == run.topic and headers["__connect.errors.connector.name"] == names.prefix
    assert headers["tidemark.table"] == f"{names.database}.t" and int(headers["tidemark.size"]) > 2_000_000
    assert headers["tidemark.limit"] == "1048576" and by_id[3][1]["tidemark.limit"] == str(LIMIT)
    assert headers["tidemark.gtid"] == payload(by_id[3][0])["source"]["gtid"]
    assert headers["tidemark.file"] == payload(by_id[3][0])["source"]["file"] and int(headers["tidemark.pos"]) > 4
    assert "max.request.size" in headers["__connect.errors.exception.message"]
    assert headers["__debezium.context.connectorName"] == "mysql"
    assert len(re.findall(r"warn  misfits: .*went to the dead-letter topic", run.program.log_text())) >= 4
    run.program.stop()


@pytest.mark.long
def test_rows_of_a_snapshot_go_there_too(mysql, kafka, tidemark, names):
    dead = f"{names.prefix}-dead"
    kafka.create_topic(f"{names.prefix}.{names.database}.t", max_message_bytes=LIMIT)
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY, pad LONGTEXT); "
              f"INSERT INTO {names.database}.t VALUES (1, 'a'), (2, REPEAT('b', 200000)), (3, 'c')")
    run = Run(mysql, kafka, tidemark, names, errors_tolerance="all", errors_deadletterqueue_topic_name=dead)
    run.snapshot("t")
    assert [row["id"] for row in run.rows("t")] == [1, 3]
    (id, value, headers), = letters(kafka, dead, 1)
    assert id == 2 and payload(value)["after"]["pad"] == "b" * 200_000 and headers["tidemark.table"] == f"{names.database}.t"
    assert "tidemark.gtid" not in headers and "tidemark.event" not in headers
    mysql.sql(f"DROP DATABASE {names.database}")


def test_a_topic_of_small_batches_is_sent_small_batches(stream):
    """Rows that fit one by one, but not together: nothing is lost, nothing ends."""
    run = stream(limit=40 * KIB)
    rows = [10_000] * 30
    wide(run, *rows)
    assert ids(run.settled()) == list(range(1, 32))
    assert "batches have at most 16384 bytes" in run.program.log_text()
