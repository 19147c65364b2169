# SPDX-License-Identifier: Apache-2.0
"""Faults made on purpose: what hangs is told and made anew, what breaks is tried again, what can't be mended ends the run.

The position and purged logs are test_offsets', wires that break test_passes_through's, kills amid rows test_exactly_once's.
"""
import re
import signal
import time

import pytest

from harness import wait_for
from harness.replay import decode_all

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


def test_an_event_that_comes_slowly_is_no_silence(rough_mysql, stream, new_proxy, names):
    """R067. An event is there when its last byte is: it may take longer than the connection may be silent."""
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    run = stream(wire=wire, **{"connect.keep.alive.interval.ms": 1500, "tidemark.liveness.timeout.ms": 6000,
                               "column.exclude.list": rf"{names.database}\.t\.pad"})
    run.wait(run.insert()[0])
    mark, accepted = run.program.log_mark(), wire.accepted
    wire.bytes_per_second = 2 << 20
    run.sql("INSERT INTO t VALUES (2, 0, REPEAT('x', 12 << 20))")
    run.next = 3
    started = time.monotonic()
    records = run.wait(2)
    assert time.monotonic() - started > 3
    assert ids(decode_all(records)) == [1, 2]
    assert wire.accepted == accepted and "nothing" not in run.program.log_text()[mark:]


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


def test_waiting_for_a_silent_broker_takes_no_processor(rough_kafka, stream):
    """What a snapshot has read and signals that came can't be taken during a commit; the loop sleeps all the same."""
    run = stream(broker=rough_kafka, **{"bootstrap.servers": rough_kafka.proxied, "incremental.snapshot.chunk.size": 10,
                                        "tidemark.snapshot.rows.per.second": 200, "tidemark.liveness.timeout.ms": 8000})
    run.wait(run.insert(2000)[-1])
    run.program.run("signal", "execute-snapshot", run.program, "--tables", rf"{run.database}\.t")
    rough_kafka.consume(run.topic, until=lambda records: any(b'"op":"r"' in record.value for record in records))
    rough_kafka.proxy.freeze()
    try:
        last = run.insert(10)[-1]
        run.program.wait_for_log(r"warn  liveness: nothing has moved for \d s: Kafka has not acknowledged", 10)
        before = run.program.cpu_seconds()
        time.sleep(3)
        assert run.program.cpu_seconds() - before < 1
    finally:
        rough_kafka.proxy.thaw()
    run.wait(last, timeout=120)


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


# ---- killed at named points

EXACT = ["before-begin", "after-begin", "before-produce", "after-produce", "before-shape", "before-offset", "after-offset",
         "before-commit", "after-commit"]
FILE = {"offset.storage.file.filename": "offsets", "offset.storage.topic": None}
PLAINLY = {"exactly.once.support": "disabled"}


def kill_at(run, point, times):
    """Runs until it is killed at that point for the Nth time, while rows and a statement come."""
    run.program.start_with({"TIDEMARK_KILL_AT": f"{point}:{times}"})
    for _ in range(400):
        if not run.program.is_running():
            break
        run.insert(3)
        if run.next % 10 == 0:
            run.sql(f"ALTER TABLE t MODIFY v {'BIGINT' if run.next % 20 else 'INT'}")
        time.sleep(0.02)
    assert run.program.wait(1) == -signal.SIGKILL, f"it was not killed at {point}"


@pytest.mark.parametrize("point", EXACT)
def test_killed_at_a_named_point_it_loses_and_repeats_nothing(stream, point):
    run = stream()
    needs_fault_points(run.program)
    run.wait(run.insert()[0])
    run.program.stop()
    for times in (1, 2, 7):
        kill_at(run, point, times)
    run.program.start()
    run.settled()


@pytest.mark.parametrize("how, point", [
    ("file", "before-store"), ("file", "after-store"), ("file", "after-produce"), ("plain", "before-offset"),
    ("plain", "after-offset"), ("plain", "after-produce")])
def test_killed_at_a_named_point_it_loses_nothing_without_transactions(stream, how, point, scratch, names):
    run = stream(**({**FILE, "offset.storage.file.filename": scratch.folder(names.short) / "offsets"} if how == "file" else PLAINLY))
    needs_fault_points(run.program)
    run.wait(run.insert()[0])
    run.program.stop()
    for times in (1, 4):
        kill_at(run, point, times)
    run.program.start()
    run.settled(repeats=True)


# ---- Kafka refuses


@pytest.fixture(scope="module")
def strict_kafka(scratch):
    """A broker that allows a user named tide only what it is told to."""
    from conftest import available
    from harness import Kafka
    broker = available(lambda: Kafka(scratch, "strict-kafka", users={"tide": "mark"}))
    broker.start()
    yield broker
    broker.close()


def as_tide(broker):
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="tide" password="mark";'
    return {"bootstrap.servers": broker.secured, "producer.override.security.protocol": "SASL_PLAINTEXT",
            "producer.override.sasl.mechanism": "PLAIN", "producer.override.sasl.jaas.config": login}


def allow_state(broker, prefix):
    """All that a run needs but its table's topic."""
    for topic in (f"{prefix}-offsets", f"{prefix}-offsets-shapes"):
        broker.create_topic(topic, cleanup_policy="compact")
        broker.allow("tide", "TOPIC", topic, "DESCRIBE", "READ", "WRITE", "DESCRIBE_CONFIGS")
    broker.create_topic(f"{prefix}-signal")
    broker.allow("tide", "TOPIC", f"{prefix}-signal", "DESCRIBE", "READ")
    broker.create_topic(prefix)
    broker.allow("tide", "TOPIC", prefix, "DESCRIBE", "WRITE")
    broker.allow("tide", "TRANSACTIONAL_ID", f"tidemark-{prefix}", "DESCRIBE", "WRITE")
    broker.allow("tide", "GROUP", f"tidemark-{prefix}", "READ")


@pytest.mark.parametrize("missing", ["transactional id", "offsets"])
@pytest.mark.long
def test_each_right_that_is_missing_at_the_start_is_named(rough_mysql, strict_kafka, stream, tidemark, names, missing):
    allow_state(strict_kafka, names.prefix)
    if missing == "offsets":
        strict_kafka.forbid("tide", "TOPIC", f"{names.prefix}-offsets", "READ", "DESCRIBE", "WRITE", "DESCRIBE_CONFIGS")
    else:
        strict_kafka.forbid("tide", "TRANSACTIONAL_ID", f"tidemark-{names.prefix}", "WRITE", "DESCRIBE")
    program = tidemark(rough_mysql, strict_kafka, database_include_list=names.database, also={
        **PLAIN, **as_tide(strict_kafka), "exactly.once.support": "required"})
    program.start()
    program.wait_exit(60, code=4)
    last = re.findall(r"^\S+ error .*$", program.log_text(), re.M)[-1]
    assert {"offsets": "state topics", "transactional id": "transactional id"}[missing] in last and "hint: " in last, last


def test_signals_are_read_with_the_login_of_all_clients(mysql, strict_kafka, tidemark, names):
    mysql.sql(f"CREATE DATABASE {names.database}")
    allow_state(strict_kafka, names.prefix)
    strict_kafka.allow("tide", "TOPIC", f"{names.prefix}-signal", "WRITE")
    program = tidemark(mysql, strict_kafka, database_include_list=names.database, also={**PLAIN, **as_tide(strict_kafka)})
    assert f"the topic {names.prefix}-signal is there" in program.run("check", program, "--online")
    program.start_ready()
    program.run("signal", "log", program, "--message", "hello")
    program.wait_for_log("signal says: hello")
    program.stop()


def test_signals_may_be_on_another_cluster(mysql, kafka, strict_kafka, tidemark, names):
    mysql.sql(f"CREATE DATABASE {names.database}")
    topic = f"{names.prefix}-signal"
    strict_kafka.create_topic(topic)
    strict_kafka.produce(topic, '{"id":"old","type":"log","data":{"message":"old"}}', key=names.prefix)
    program = tidemark(mysql, kafka, database_include_list=names.database, also={
        **PLAIN, "signal.kafka.bootstrap.servers": strict_kafka.bootstrap})
    program.start_ready()
    program.run("signal", "log", program, "--message", "new")
    program.wait_for_log("signal says: new")
    assert "signal says: old" not in program.log_text() and topic not in kafka.topics()
    program.stop()


@pytest.mark.parametrize("missing, exactly_once", [("WRITE", "required"), ("WRITE", "disabled"), ("DESCRIBE", "required"),
                                                   ("CREATE", "required")])
def test_a_right_that_is_missing_on_a_data_topic_is_named(mysql, strict_kafka, tidemark, names, missing, exactly_once):
    topic = f"{names.prefix}.{names.database}.t"
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY)")
    allow_state(strict_kafka, names.prefix)
    if missing == "CREATE":
        strict_kafka.allow("tide", "TOPIC", topic, "WRITE")
    else:
        strict_kafka.create_topic(topic)
    if missing == "WRITE":
        strict_kafka.allow("tide", "TOPIC", topic, "DESCRIBE")
    program = tidemark(mysql, strict_kafka, database_include_list=names.database, also={
        **PLAIN, **as_tide(strict_kafka), "exactly.once.support": exactly_once}).start_ready()
    mysql.sql(f"INSERT INTO {names.database}.t VALUES (1)")
    program.wait_exit(30, code=4)
    told = re.findall(r"^\S+ error connector: .*$", program.log_text(), re.M)
    assert len(told) == 1 and f"no right to {missing} " in told[0] and f"topic {topic}: " in told[0] and "hint: " in told[0], told
    strict_kafka.allow("tide", "TOPIC", topic, "CREATE", "DESCRIBE", "WRITE")
    program.start()
    assert len(strict_kafka.consume(topic, until=1)) == 1
    program.stop()
    mysql.sql(f"DROP DATABASE {names.database}")


# ---- this machine, and the broker's, has no room


@pytest.mark.long
def test_a_broker_out_of_disk_is_waited_for(rough_mysql, new_kafka, scratch, stream):
    """Its log folder is full: it goes away. With more room it comes back, and the rows with it."""
    import shutil
    broker = new_kafka({"log.segment.bytes": 1 << 20, "log.index.size.max.bytes": 4096, "log.cleaner.enable": "false",
                        "transaction.state.log.segment.bytes": 1 << 20, "offsets.topic.segment.bytes": 1 << 20}, start=False)
    disk = scratch.small_disk("kafka-disk", 24 * 1024)
    shutil.copytree(broker.folder / "data", disk / "data")
    broker.settings["log.dirs"] = disk / "data"
    broker.start()
    run = stream(broker=broker)
    run.wait(run.insert()[0])
    for _ in range(60):
        run.sql(f"INSERT INTO t VALUES ({run.next}, 0, REPEAT('x', 900000))")
        run.next += 1
    broker.wait(60)
    assert run.program.is_running()
    scratch.resize_disk(disk, 400 * 1024)
    broker.start()
    assert ids(run.settled(timeout=120)) == list(range(1, 63))
    run.program.stop()


@pytest.mark.long
def test_a_full_disk_under_the_file_store_is_waited_for(rough_mysql, scratch, stream):
    disk = scratch.small_disk("offsets-disk", 64)
    run = stream(**{**FILE, "offset.storage.file.filename": disk / "offsets"})
    run.wait(run.insert()[0])
    filler = disk / "filler"
    with open(filler, "wb", buffering=0) as file:
        with pytest.raises(OSError):
            while True:
                file.write(b"x" * 4096)
    run.insert(3)
    run.program.wait_for_log(r"warn  commit: .*No space left on device", 30)
    run.insert(3)
    filler.unlink()
    assert ids(run.settled()) == list(range(1, 9))
    run.program.stop()
    run.insert()
    run.program.start()
    assert ids(run.settled(repeats=True))[-2:] == [9, 10]


@pytest.mark.long
def test_descriptors_that_run_out_are_told_of_and_waited_for(rough_mysql, stream, new_proxy):
    """No new connection can be made; with more descriptors it goes on."""
    import resource
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    run = stream(wire=wire)
    run.wait(run.insert()[0])
    mark = run.program.log_mark()
    before = resource.prlimit(run.program.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(run.program.pid, resource.RLIMIT_NOFILE, (3, before[1]))
    wire.cut()
    run.insert(10)
    run.program.wait_for_log(r"warn  reader: .*(Too many open files|socket)", 30, after=mark)
    resource.prlimit(run.program.pid, resource.RLIMIT_NOFILE, before)
    assert ids(run.settled()) == list(range(1, 13))


@pytest.mark.long
def test_too_few_descriptors_at_the_start_end_it_with_a_sentence(rough_mysql, kafka, stream):
    run = stream()
    run.program.stop()
    command, run.program.command = run.program.command, ["prlimit", "--nofile=5", *run.program.command]
    run.program.start()
    run.program.wait_exit(60, code=7)
    assert re.search(r"error .*Too many open files", run.program.log_text())
    run.program.command = command
    run.program.start()
    run.settled()


# ---- the network


@pytest.mark.long
def test_a_server_that_lost_power_is_noticed_without_heartbeats(rough_mysql, stream, new_proxy):
    """R064: nothing was closed, nobody answers. The kernel asks after ten seconds; heartbeats are off here."""
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    run = stream(wire=wire, **{"connect.keep.alive": False})
    run.wait(run.insert()[0])
    mark = run.program.log_mark()
    try:
        wire.vanish()
    except OSError:
        pytest.skip("a socket can't be repaired here")
    run.insert(10)
    run.program.wait_for_log(r"warn  reader: ", 40, after=mark)
    assert ids(run.settled()) == list(range(1, 13))


@pytest.mark.parametrize("traffic", ["idle", pytest.param("rows", marks=pytest.mark.long)])
def test_two_instances_without_standby(kafka, stream, traffic):
    """The second fences the first, which leaves with code 5 and says what to do, though nothing may be there to be sent."""
    run = stream(**{"tidemark.offset.interval.ms": 1000})
    run.wait(run.insert()[0])
    from harness import Process
    second = Process("second", run.program.command, run.program.folder / "log-2", env=run.program.env, cwd=run.program.folder)
    second.start().wait_for_log("going on from", 60)
    try:
        if traffic == "rows":
            run.insert(3)
        run.program.wait_exit(30, code=5)
        told = re.findall(r"^\S+ error connector: .*$", run.program.log_text(), re.M)[-1]
        assert re.search("another instance (with this name has started|of this connector reads)", told) and "hint: " in told
        assert ids(run.settled()) == ([1, 2, 3, 4, 5] if traffic == "rows" else [1, 2])
        time.sleep(2.5)  # what is left is not disturbed by the other's leaving
        assert second.is_running()
    finally:
        second.stop()
