# SPDX-License-Identifier: Apache-2.0
"""Topics that are deleted under a running instance, or while it is down: what is gone on with, what is told, what ends the run."""
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
    for number in (2, 4):
        delete(kafka, r.topic("t"))
        r._readers.clear(), r._parsed.clear()
        r.sql(f"BEGIN; INSERT INTO u VALUES ({number}); INSERT INTO t VALUES ({number}); COMMIT; INSERT INTO t VALUES ({number + 1})")
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
