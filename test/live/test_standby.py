# SPDX-License-Identifier: Apache-2.0
"""Several instances of one name: one runs, the others wait; whatever happens to it, the rows go on, each once."""
import random
import time

import pytest

from stream_run import PLAIN
from test_exactly_once import BYTES_PER_SECOND, Told, Writer

SESSION = 2000  # ms
RUNS = r"connector: starting -> running"
WAITS = r"lease: another instance of this name runs: waiting"
STANDBY = {"tidemark.standby": True, "tidemark.standby.session.timeout.ms": SESSION}


@pytest.fixture(scope="module")
def broker(scratch):
    """With a wire for each of two instances, and sessions that may be short."""
    from conftest import available
    from harness import Kafka
    broker = available(lambda: Kafka(scratch, "standby-kafka", {"group.min.session.timeout.ms": 1000}, proxied=2))
    broker.start()
    yield broker
    broker.close()


@pytest.fixture
def instance(mysql, broker, tidemark, names):
    """instance(0) and instance(1): two of one name, each with a wire of its own to the broker."""
    mysql.sql(f"CREATE DATABASE {names.database}")

    def make(number, **more):
        return tidemark(mysql, broker, database_include_list=names.database, also={
            **PLAIN, **STANDBY, "bootstrap.servers": broker.wired[number], "database.server.id": 8000 + number, **more})
    yield make
    for wire in broker.wires:
        wire.thaw()
        wire.refuse(False)
    mysql.sql(f"DROP DATABASE {names.database}")


class Pair:
    """Two instances, of which one runs."""

    def __init__(self, instance, **more):
        self.both = [instance(0, **more), instance(1, **more)]
        self.running, self.waiting = self.both
        self.running.start().wait_for_log(RUNS, 60)
        self.waiting.start().wait_for_log(WAITS, 60)
        self.mark = 0  # of the waiting one's log

    def took_over(self, within):
        """The waiting one has come to run since the last takeover; the time that took."""
        started = time.monotonic()
        self.waiting.wait_for_log(RUNS, within, after=self.mark)
        self.mark = self.running.log_mark()
        self.running, self.waiting = self.waiting, self.running
        return time.monotonic() - started

    def number(self, program):
        return self.both.index(program)


def test_the_waiting_one_takes_over_when_the_other_is_stopped(mysql, broker, instance, names):
    pair = Pair(instance)
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)", database=names.database)
    broker.consume(f"{names.prefix}.{names.database}.t", until=1)
    assert "connected to" not in pair.waiting.log_text() and "standby: ready" in pair.waiting.log_text()
    first = pair.running
    first.stop()
    assert pair.took_over(5) < 5
    mysql.sql("INSERT INTO t VALUES (2)", database=names.database)
    records = broker.consume(f"{names.prefix}.{names.database}.t", until=2)
    assert len(records) == 2
    first.start().wait_for_log(WAITS, 60)
    stopped = time.monotonic()
    first.stop(5)
    assert time.monotonic() - stopped < 4 and "stopped while waiting" in first.log_text()
    pair.running.stop()


def test_one_that_joins_takes_nothing_away(mysql, broker, instance, names):
    pair = Pair(instance)
    for _ in range(5):
        pair.waiting.stop()
        pair.waiting.start().wait_for_log(WAITS, 60)
    assert "no longer ours" not in pair.running.log_text()
    assert pair.running.log_text().count("the lease is ours") == 1


def test_one_without_standby_fences_and_is_waited_for(mysql, broker, instance, names):
    """Who forgot the setting wins, once; the others say so and wait until it has ended."""
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY)", database=names.database)
    one, other = instance(0), instance(1, **{"tidemark.standby": None})
    other.start().wait_for_log(RUNS, 60)
    one.start().wait_for_log("an instance of this name runs without tidemark.standby=true: waiting", 60)
    mysql.sql("INSERT INTO t VALUES (1)", database=names.database)
    broker.consume(f"{names.prefix}.{names.database}.t", until=1)
    other.stop()
    one.wait_for_log(RUNS, 30)
    mysql.sql("INSERT INTO t VALUES (2)", database=names.database)
    assert len(broker.consume(f"{names.prefix}.{names.database}.t", until=2)) == 2
    mark = one.log_mark()
    other.start().wait_for_log(RUNS, 60)
    mysql.sql("INSERT INTO t VALUES (3)", database=names.database)
    assert len(broker.consume(f"{names.prefix}.{names.database}.t", until=3)) == 3
    one.wait_for_log("standby: this instance waits again|connector: running -> stopping", 60, after=mark)
    assert one.is_running()


def test_a_file_of_offsets_is_refused(mysql, broker, instance, scratch):
    program = instance(0, **{"offset.storage.topic": None, "offset.storage.file.filename": "offsets"})
    program.start()
    program.wait_exit(20, code=2)
    assert "several instances can't share a file" in program.log_text()


# ---- forced takeovers


def kill(broker, pair):
    """SIGKILL: nothing is said any more."""
    program = pair.running
    program.kill()
    pair.took_over(SESSION / 1000 + 20)
    program.start().wait_for_log(WAITS, 60)
    pair.mark = 0


def stop_and_go_on(broker, pair):
    """Stopped for longer than its session, amid whatever it does; it wakes up when another has taken over."""
    program = pair.running
    program.freeze()
    pair.took_over(SESSION / 1000 + 20)
    mark = program.log_mark()
    program.thaw()
    program.wait_for_log(r"standby: this instance waits again", 60, after=mark)
    program.wait_for_log(r"standby: ready", 60, after=mark)


def cut_off(broker, pair):
    """The network between it and Kafka is gone, and comes back later."""
    program = pair.running
    wire = broker.wires[pair.number(program)]
    mark = program.log_mark()
    wire.refuse()
    wire.cut()
    pair.took_over(SESSION / 1000 + 30)
    wire.refuse(False)
    program.wait_for_log(r"standby: this instance waits again", 60, after=mark)


def freeze_wire(broker, pair):
    """Nothing passes, and nothing is closed."""
    program = pair.running
    wire = broker.wires[pair.number(program)]
    mark = program.log_mark()
    wire.freeze()
    pair.took_over(SESSION / 1000 + 30)
    wire.thaw()
    program.wait_for_log(r"standby: this instance waits again", 90, after=mark)


def take_over_and_compare(mysql, broker, instance, names, wire, ways, rows):
    wired = {"database.hostname": wire.host, "database.port": wire.port, "database.ssl.mode": "disabled"}
    with Writer(mysql, names.database, rows, 1) as writer:
        pair = Pair(instance, **wired)
        with Told(mysql, broker, pair.running, names.database) as told:
            pair.running.wait_for_log("pump: ready", 60)
            wire.bytes_per_second = BYTES_PER_SECOND // 2
            writer.start()
            for number, way in enumerate(ways, 1):
                enough = told.records + 1500
                told.until(lambda: told.records >= enough, f"1500 new records before takeover {number}, {way.__name__}")
                way(broker, pair)
            wire.bytes_per_second = None
            writer.join()
            told.until(lambda: told.changes >= writer.changes, f"{writer.changes} changes")
            pair.running.stop()
            pair.waiting.kill()
            told.assert_complete(writer.changes)


def test_three_forced_takeovers_lose_and_repeat_nothing(mysql, broker, instance, names, new_proxy):
    wire = new_proxy((mysql.host, mysql.port))
    take_over_and_compare(mysql, broker, instance, names, wire, [kill, stop_and_go_on, cut_off], 15_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_ten_forced_takeovers_lose_and_repeat_nothing(mysql, broker, instance, names, new_proxy, seed):
    ways = [kill, stop_and_go_on, cut_off, freeze_wire] * 2 + [kill, stop_and_go_on]
    random.Random(seed).shuffle(ways)
    wire = new_proxy((mysql.host, mysql.port))
    take_over_and_compare(mysql, broker, instance, names, wire, ways, 60_000)
