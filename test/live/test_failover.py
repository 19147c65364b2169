# SPDX-License-Identifier: Apache-2.0
"""A switch to another server of the same topology: other uuid, other files and positions, transactions cut otherwise.

Two replicas of one source: the second has files of another name, small row events, and commits in another order.
"""
import re
import time

import pytest

from conftest import available
from harness import MySql, wait_for
from harness.replay import payload, stored_offsets
from snapshot_run import Run
from stream_run import Stream

FOREIGN = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"


@pytest.fixture(scope="module")
def topology(scratch):
    """source, one, two."""
    source = available(lambda: MySql(scratch, "failover-source", {"innodb-buffer-pool-size": "32M"}))
    source.start().create_user()
    small = {"innodb-buffer-pool-size": "32M"}
    one = source.make_replica(scratch, "failover-one", small)
    two = source.make_replica(scratch, "failover-two", {
        **small, "log-bin": "other", "binlog-row-event-max-size": 256, "replica-preserve-commit-order": "OFF"})
    one.sql("FLUSH BINARY LOGS; " * 12)  # the same place has higher numbers here
    yield source, one, two
    for server in (two, one, source):
        server.kill()


@pytest.fixture
def run(topology, kafka, tidemark, names):
    """A table t on the source, followed on replica one."""
    source, one, two = topology
    made = []

    def make(**more):
        source.sql(f"CREATE DATABASE {names.database}")
        one.wait_for_source()
        source.sql(f"DROP DATABASE {names.database}")
        made.append(Stream(source, kafka, tidemark, names, **{
            "database.hostname": one.host, "database.port": one.port, "database.ssl.mode": "disabled", **more}))
        return made[-1]
    yield make
    for server in (one, two):
        server.sql("START REPLICA")
    source.sql(f"DROP DATABASE IF EXISTS {names.database}")
    for server in (one, two):
        server.wait_for_source()


def last_of(server):
    """The number of its newest transaction."""
    return int(re.search(rf"{server.server_uuid()}:\d+-(\d+)", server.gtid_executed())[1])


def settled_on(run, server):
    server.wait_for_source()
    return run.settled(ordered=False)


def test_the_other_replica_goes_on_from_the_gtids(topology, run, kafka):
    """The set has holes, and what was written while nobody read is there once."""
    source, one, two = topology
    stream = run()
    for number in (7, 1, 4):
        stream.sql(f"SET GTID_NEXT = '{FOREIGN}:{number}'; INSERT INTO t (id, v) VALUES ({number + 1000}, 0); "
                   "SET GTID_NEXT = AUTOMATIC")
    stream.wait(stream.insert(5)[-1])
    stream.program.stop()
    assert f"{FOREIGN}:1:4:7" in stored_offsets(kafka, stream.program)[-1]["gtids"]
    for number in (2, 6):
        stream.sql(f"SET GTID_NEXT = '{FOREIGN}:{number}'; UPDATE t SET v = v + 1; SET GTID_NEXT = AUTOMATIC")
    two.sql("FLUSH BINARY LOGS")
    stream.insert(5)
    two.wait_for_source()
    stream.program.write(database_port=two.port).start_ready()
    stream.insert(5)
    settled_on(stream, two)
    assert "lags behind" not in stream.program.log_text()
    stream.program.stop()
    stored = stored_offsets(kafka, stream.program)[-1]
    assert stored["file"].startswith("other.") and stored["tidemark_server_uuid"] == two.server_uuid()
    assert f"{FOREIGN}:1-2:4:6-7" in stored["gtids"]


@pytest.mark.parametrize("how", [pytest.param("restart", marks=pytest.mark.long), "wire"])
def test_a_transaction_that_was_half_told_is_gone_on_with(topology, run, kafka, new_proxy, how):
    """By the number of its rows: events are cut otherwise there, and other transactions may stand before it."""
    source, one, two = topology
    wire = new_proxy((one.host, one.port))
    stream = run(**{"database.hostname": wire.host, "database.port": wire.port, "max.queue.size.in.bytes": 1 << 20,
                    "tidemark.commit.interval.ms": 20, "errors.retry.delay.initial.ms": 50})
    stream.sql("CREATE TABLE other (id INT PRIMARY KEY, v INT)")
    one.wait_for_source()
    stream.wait(stream.insert(3)[-1])
    wire.bytes_per_second = 60_000
    rows = "WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i, 1 FROM n"
    stream.sql("SET SESSION cte_max_recursion_depth = 100000; BEGIN; INSERT INTO other " + rows.format(300) + "; "
               "INSERT INTO t (id, v) " + rows.format(6000) + "; UPDATE t SET v = v + 1; DELETE FROM t WHERE id % 3 = 0; COMMIT")
    stream.next = 100_000
    two.wait_for_source()
    topic = stream.program.properties["offset.storage.topic"]
    kafka.consume(topic, until=lambda records: records and b"tidemark_inside_rows" in records[-1].value)
    if how == "restart":
        stream.program.kill()
        value = stored_offsets(kafka, stream.program)[-1]
        assert value["tidemark_inside_rows"] > 0 and value["event"] > 1
        stream.program.write(database_hostname=two.host, database_port=two.port).start()
    else:
        wire.target = (two.host, two.port)
        wire.bytes_per_second = None
        wire.cut()
        stream.program.wait_for_log(r"warn  reader: .* is another server now: ", 30)
    settled_on(stream, two)
    assert "told again" not in stream.program.log_text()


@pytest.mark.long
def test_a_transaction_with_fewer_rows_than_were_told_is_refused(topology, run, kafka, new_proxy, names):
    """The other server has not the table that was told: nothing is guessed."""
    source, one, two = topology
    wire = new_proxy((one.host, one.port))
    stream = run(**{"database.hostname": wire.host, "database.port": wire.port, "max.queue.size.in.bytes": 1 << 20,
                    "tidemark.commit.interval.ms": 20})
    wire.bytes_per_second = 60_000
    stream.sql("SET SESSION cte_max_recursion_depth = 100000; INSERT INTO t (id, v) WITH RECURSIVE n (i) AS (SELECT 10 UNION "
               "ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT i, 1 FROM n")
    two.wait_for_source()
    topic = stream.program.properties["offset.storage.topic"]
    kafka.consume(topic, until=lambda records: records and b"tidemark_inside_rows" in records[-1].value)
    stream.program.kill()
    before = stored_offsets(kafka, stream.program)[-1]
    stream.program.write(database_hostname=two.host, database_port=two.port,
                         table_exclude_list=f"{names.database}.t").start().wait_exit(30, code=6)
    assert re.search(r"rows of transaction \S+ were told from another server's log, this one has only 0 of them; hint: ",
                     stream.program.log_text())
    half = ("gtids", "tidemark_inside_gtid", "tidemark_inside_rows")
    after = stored_offsets(kafka, stream.program)[-1]
    assert [after[name] for name in half] == [before[name] for name in half]
    stream.next = 100_000
    stream.program.write(table_exclude_list=None).start()
    settled_on(stream, two)


def check_no_going_back(records):
    """Each row that was read is what the stream had told of its key there; each update follows the row before it."""
    held = {}
    for record in records:
        value = payload(record.value)
        if value is None:
            continue
        key, row = payload(record.key)["id"], value["after"]
        if value["op"] == "r":
            assert held.get(key, row["v"]) == row["v"], f"{key} was read as {row['v']} where the stream has {held[key]}"
        elif value["op"] == "u" and key in held:
            assert value["before"]["v"] == held[key], f"{key}: {value['before']} follows {held[key]}"
        held[key] = row["v"]
    return held


@pytest.fixture
def snapshots(topology, kafka, tidemark, names):
    """A Run with rows in a table t, following replica one; its program is stopped."""
    source, one, two = topology
    source.sql(f"CREATE DATABASE {names.database}; USE {names.database}; CREATE TABLE t (id INT PRIMARY KEY, v INT)")
    for server in (one, two):
        server.wait_for_source()
    made = Run(one, kafka, tidemark, names)
    made.sql("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 0)")
    made.wait_rows("t", 4, op="c")
    yield made
    two.sql("START REPLICA")
    source.sql(f"DROP DATABASE {names.database}")
    two.wait_for_source()


def test_a_replica_that_lags_behind_what_was_told_is_named_and_waited_for(topology, snapshots):
    source, one, two = topology
    run = snapshots
    two.wait_for_source()
    two.sql("STOP REPLICA")
    for _ in range(3):
        run.sql("UPDATE t SET v = v + 1")
    wait_for(lambda: len(run.rows("t", "u")) == 12, 30, "the updates")
    run.program.stop()
    run.program.write(database_port=two.port)
    run.start()
    told = run.program.wait_for_log(r"warn  lack: .* lags behind what was told already: it has not executed 3 of those "
                                    r"transactions yet: (\S+);", 20)
    last = last_of(source)
    assert re.fullmatch(rf"{source.server_uuid()}:{last - 2}-{last}", told[1]), (told[1], source.gtid_executed())
    id = run.snapshot("t", wait=False)
    wait_for(lambda: run.outcome(id), 20, "the signal to be taken up")
    time.sleep(0.5)  # what would be wrong now has its time
    assert run.outcome(id)["outcome"] == "running" and not run.rows("t", "r")
    two.sql("START REPLICA")
    run.wait_outcome(id)
    run.sql("UPDATE t SET v = v + 1")
    wait_for(lambda: len(run.rows("t", "u")) == 16, 30, "the updates")
    assert check_no_going_back(run.read(run.topic("t"))) == {1: 4, 2: 4, 3: 4, 4: 4}
    assert len(run.rows("t", "r")) == 4


def test_a_window_never_closes_by_the_place_of_the_other_server(topology, snapshots, new_proxy):
    """Its files have lower numbers than those where the stream stood: by them all would lie behind."""
    source, one, two = topology
    run = snapshots
    run.program.stop()
    run.sql("UPDATE t SET v = v + 1")
    run.sql("UPDATE t SET v = v + 1 WHERE id > 2")
    two.wait_for_source()
    wire = new_proxy((two.host, two.port))
    wire.hold_dump = 1.0  # the windows would have the time to close
    id = run.snapshot("t", wait=False)
    run.program.write(database_port=wire.port, database_ssl_mode="disabled")
    run.start()
    run.wait_outcome(id)
    assert check_no_going_back(run.read(run.topic("t"))) == {1: 1, 2: 1, 3: 2, 4: 2}
    assert len(run.rows("t", "u")) == 6


def test_a_blocking_snapshot_goes_on_with_the_other_server(topology, snapshots, new_proxy):
    """A chunk from the first one lets the stream go on to the switch; where it stands behind that is told only later."""
    source, one, two = topology
    run = snapshots
    run.program.stop()
    wire = new_proxy((one.host, one.port))
    run.program.write(database_port=wire.port, database_ssl_mode="disabled", incremental_snapshot_chunk_size=1,
                      tidemark_snapshot_rows_per_second=1)
    run.start()
    id = run.snapshot("t", wait=False, type="BLOCKING")
    run.wait_rows("t", 1)
    two.wait_for_source()
    wire.target, wire.hold_dump = (two.host, two.port), 2.0
    wire.cut_dumps()
    run.program.wait_for_log("is another server now", 20)
    run.sql("UPDATE t SET v = 1 WHERE id = 4")
    run.wait_outcome(id)
    assert check_no_going_back(run.read(run.topic("t"))) == {1: 0, 2: 0, 3: 0, 4: 1}


def test_what_the_other_server_has_purged_is_named(topology, run, kafka):
    source, one, two = topology
    stream = run()
    stream.wait(stream.insert()[0])
    stream.program.stop()
    before = stored_offsets(kafka, stream.program)[-1]
    stream.insert()
    stream.insert()
    last = last_of(source)
    two.wait_for_source()
    two.sql("FLUSH BINARY LOGS")
    two.sql(f"PURGE BINARY LOGS TO '{two.binlogs()[-1][0]}'")
    stream.insert()
    stream.program.write(database_port=two.port).start().wait_exit(30, code=6)
    assert f"missing are {source.server_uuid()}:{last - 1}-{last}, " in stream.program.log_text()
    assert stored_offsets(kafka, stream.program)[-1] == before
    stream.program.write(database_port=one.port).start_ready()
    settled_on(stream, one)
