# SPDX-License-Identifier: Apache-2.0
"""Faults made on purpose: what hangs is told and made anew, what breaks is tried again, what can't be mended ends the run.

The position and purged logs are test_offsets', wires that break test_passes_through's, kills amid rows test_exactly_once's.
"""
import re
import signal
import time

import pytest

from harness import wait_for

from stream_run import PLAIN, Stream


@pytest.fixture
def stream(rough_mysql, kafka, tidemark, names):
    """stream(key=value…): a table of a server that may be treated roughly, followed; wire and broker as given."""
    def make(wire=None, broker=None, mysql=rough_mysql, **more):
        if wire:
            more = {"database.hostname": wire.host, "database.port": wire.port, "database.ssl.mode": "disabled", **more}
        return Stream(mysql, broker or kafka, tidemark, names, **more)
    yield make
    if rough_mysql.is_running():
        rough_mysql.sql(f"DROP DATABASE IF EXISTS {names.database}")


def needs_fault_points(program):
    if not program.has_fault_points:
        pytest.skip("this build has no fault points (base/fault.h)")


def ids(changes):
    return [change.key["id"] for change in changes]


# ---- what hangs


def test_a_silent_server_is_told_of_and_left(rough_mysql, stream, new_proxy):
    """R064. Told after a quarter of the deadline; cut after the keep-alive interval; gone on with when the wire is back."""
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    run = stream(wire=wire, **{"connect.keep.alive.interval.ms": 6000, "connect.timeout.ms": 2000,
                               "tidemark.liveness.timeout.ms": 8000})
    run.wait(run.insert()[0])
    started, mark = time.monotonic(), run.program.log_mark()
    wire.freeze()
    run.insert(100)
    run.program.wait_for_log(r"warn  liveness: nothing has moved for \d s: the log of .*listening", 6, after=mark)
    run.program.wait_for_log(r"warn  reader: .*nothing was heard for \d+ ms", 10, after=mark)
    assert time.monotonic() - started < 12
    wire.thaw()
    assert ids(run.settled(timeout=60)) == list(range(1, 103))
    run.program.wait_for_log(r"info  liveness: it goes on: the log", 10, after=mark)


def test_a_stopped_server_is_left_and_found_again(rough_mysql, stream):
    """A server that is frozen keeps its connections open: only its heartbeats are missing."""
    run = stream(**{"connect.keep.alive.interval.ms": 3000, "connect.timeout.ms": 2000})
    run.wait(run.insert()[0])
    mark = run.program.log_mark()
    rough_mysql.freeze()
    try:
        run.program.wait_for_log(r"warn  reader: .*nothing was heard for", 10, after=mark)
    finally:
        rough_mysql.thaw()
    assert ids(run.settled(timeout=60)) == [1, 2]


def test_a_slow_seek_gets_more_time_each_time(rough_mysql, stream, new_proxy):
    """R071: the first event comes later than the connection may be silent."""
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    run = stream(wire=wire, **{"connect.keep.alive.interval.ms": 1500})
    run.wait(run.insert()[0])
    mark = run.program.log_mark()
    wire.hold_dump = 5.0  # seconds between the request for the log and its first event
    wire.cut()
    run.insert()
    run.program.wait_for_log(r"did not find the place in its log within 1500 ms; next time it has twice as long", 10, after=mark)
    run.program.wait_for_log(r"within 3000 ms", 15, after=mark)
    run.wait(2, timeout=30)
    wire.hold_dump = None
    assert ids(run.settled()) == [1, 2, 3]
    assert len(re.findall("did not find the place", run.program.log_text())) == 2


def test_a_silent_broker_is_told_of(rough_kafka, stream):
    run = stream(broker=rough_kafka, **{"bootstrap.servers": rough_kafka.proxied, "tidemark.liveness.timeout.ms": 8000})
    run.wait(run.insert()[0])
    mark = run.program.log_mark()
    rough_kafka.proxy.freeze()
    try:
        run.insert(10)
        run.program.wait_for_log(r"warn  liveness: nothing has moved for \d s: Kafka has not acknowledged", 10, after=mark)
    finally:
        rough_kafka.proxy.thaw()
    assert ids(run.settled(timeout=120)) == list(range(1, 13))
    run.program.wait_for_log(r"info  liveness: it goes on: Kafka", 10, after=mark)


def test_a_client_that_gets_nothing_done_is_made_anew(rough_kafka, stream):
    """Silent for longer than the transaction's timeout and the deadline: the producer is replaced, and nothing is doubled."""
    run = stream(broker=rough_kafka, **{
        "bootstrap.servers": rough_kafka.proxied, "tidemark.liveness.timeout.ms": 4000,
        "producer.override.transaction.timeout.ms": 3000})
    run.wait(run.insert()[0])
    for _ in range(2):
        mark = run.program.log_mark()
        rough_kafka.proxy.freeze()
        run.insert(500)
        run.program.wait_for_log(r"connector: running -> restarting", 40, after=mark)
        rough_kafka.proxy.thaw()
        run.program.wait_for_log(r"connector: restarting -> running", 60, after=mark)
    assert ids(run.settled(timeout=60)) == list(range(1, 1003))


def test_a_process_that_was_stopped_goes_on(rough_mysql, stream):
    """The watchdog and the deadlines count only what the process itself has lived through."""
    run = stream(**{"connect.keep.alive.interval.ms": 2000, "tidemark.liveness.timeout.ms": 4000})
    run.wait(run.insert()[0])
    run.program.freeze()
    run.insert(10)
    time.sleep(7)
    run.program.thaw()
    assert ids(run.settled()) == list(range(1, 13))
    assert "nothing has moved" not in run.program.log_text()


def test_a_loop_that_hangs_ends_the_process(stream):
    """The watchdog leaves with code 7; the next start goes on."""
    run = stream(**{"tidemark.liveness.timeout.ms": 4000})
    needs_fault_points(run.program)
    run.wait(run.insert()[0])
    run.program.stop()
    run.program.start_with({"TIDEMARK_HANG_AT": "turn:20"})
    run.insert()
    assert run.program.wait(30) == 7
    assert re.search(r"^tidemark: the loop has stood still for \d s \(running\): leaving", run.program.log_text(), re.M)
    run.program.start()
    assert ids(run.settled()) == [1, 2, 3]


# ---- what the server is about to delete

HOUR = 3600


@pytest.fixture
def expiring(new_mysql, kafka, tidemark, names):
    """A server that keeps its log for ten hours, followed by a program that looks at it twice a second."""
    server = new_mysql({"binlog-expire-logs-seconds": 10 * HOUR})
    return Stream(server, kafka, tidemark, names, **{"tidemark.lookout.interval.ms": 500})


def aged(mysql, statements, database, age):
    """Runs statements in one session, logged as if they had been committed so many seconds ago."""
    mysql.sql(f"SET @@session.original_commit_timestamp = {int((time.time() - age) * 1000000)}; {statements}", database=database)


def test_an_open_xa_transaction_is_told_of_before_its_log_goes(expiring):
    run, server = expiring, expiring.mysql
    aged(server, "XA START 'old'; INSERT INTO t (id, v) VALUES (1000, 0); XA END 'old'; XA PREPARE 'old'", run.database, 5.5 * HOUR)
    server.sql("FLUSH BINARY LOGS")
    run.wait(run.insert()[0])
    told = run.program.wait_for_log(r"warn  lookout: .* may delete the log that we still need in (\S+) hours: (.*)", 20)
    assert told[1] == "4.5" and "XA transaction X'6f6c64',X'',1 is prepared" in told[2] and "commit or roll back" in told[2]
    mark = run.program.log_mark()
    run.sql("XA COMMIT 'old'")
    run.wait(1000)
    run.program.wait_for_log(r"info  lookout: .* has the log that we need", 20, after=mark)


def test_a_position_that_ages_is_told_of_until_its_log_is_gone(expiring, names):
    """A reader that is held up: Kafka does not matter, the server does."""
    run, server = expiring, expiring.mysql
    aged(server, "INSERT INTO t (id, v) VALUES (900, 0)", run.database, 9.8 * HOUR)
    run.wait(900)
    run.program.wait_for_log("pump: ready")
    run.program.stop()
    server.sql("FLUSH BINARY LOGS")
    run.insert()
    run.program.start_with({"TIDEMARK_HANG_AT": "committer:1"})
    needs_fault_points(run.program)
    told = run.program.wait_for_log(r"warn  lookout: .* may delete the log that we still need in (\S+) hours", 20)
    assert told[1] == "0.2"
    behind = run.program.wait_for_log(r"info  lookout: behind \S+ by bytes=(\d+) seconds=(\d+)", 20)
    assert int(behind[1]) > 100 and abs(int(behind[2]) - 9.8 * HOUR) < 60
    newest = server.binlogs()[-1][0]
    server.sql("FLUSH BINARY LOGS; FLUSH BINARY LOGS")
    server.sql(f"PURGE BINARY LOGS TO '{server.binlogs()[-1][0]}'")
    lost = run.program.wait_for_log(r"error lookout: .* no longer has the log that a restart would need: (.*)", 20)
    assert "its log begins with file=" in lost[1] and newest not in lost[1]
