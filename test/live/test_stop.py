# SPDX-License-Identifier: Apache-2.0
"""SIGTERM and SIGINT: what is in flight is committed, the exit code is 0, and it takes less than 5 s, whoever is dead."""
import signal
import time

import pytest

from harness import wait_for
from harness.replay import payload

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
LIMIT = 5.0


@pytest.fixture
def follow(tidemark, names):
    """follow(mysql, kafka, …): a database with a table t (id), and a program that follows it, not started."""
    servers = []

    def make(server, kafka, **more):
        server.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY, pad VARCHAR(200))")
        servers.append(server)
        return tidemark(server, kafka, database_include_list=names.database, also={**PLAIN, **more})
    yield make
    for server in servers:
        if server.is_running():
            server.thaw()
            server.sql(f"DROP DATABASE {names.database}")


def stop_by(program, sig):
    start = time.monotonic()
    program.popen.send_signal(sig)
    code = program.wait(30)
    took = time.monotonic() - start
    program.assert_clean()
    assert code == 0, f"ended with {code}; {program.tail(30)}"
    assert took < LIMIT, f"{took:.1f} s; {program.tail(30)}"
    return took


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_commits_what_is_in_flight(mysql, kafka, follow, names, sig):
    program = follow(mysql, kafka).start_ready()
    stop_by(program, sig)
    program.write(tidemark_commit_interval_ms=60000, tidemark_commit_dry_ms=60000).start_ready()
    mysql.sql("SET SESSION cte_max_recursion_depth = 100000; INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 "
              "FROM n WHERE i < 2000) SELECT i, 'x' FROM n", database=names.database)
    topic = f"{names.prefix}.{names.database}.t"
    kafka.consume(topic, isolation="read_uncommitted", until=1)
    assert kafka.consume(topic) == []
    took = stop_by(program, sig)
    assert took < 2 or program.is_sanitized
    told = [payload(record.key)["id"] for record in kafka.consume(topic)]
    assert told == list(range(1, len(told) + 1)) and told
    program.write(tidemark_commit_dry_ms=None, tidemark_commit_interval_ms=None).start_ready()
    assert [payload(record.key)["id"] for record in kafka.consume(topic, until=2000)] == list(range(1, 2001))
    stop_by(program, sig)


def test_a_stop_amid_a_flood(mysql, kafka, follow, names):
    """A transaction of many megabytes on its way: it is left where it is, and gone on with."""
    program = follow(mysql, kafka).start_ready()
    mysql.sql("SET SESSION cte_max_recursion_depth = 1000000; INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 "
              "FROM n WHERE i < 100000) SELECT i, REPEAT('x', 200) FROM n", database=names.database)
    topic = f"{names.prefix}.{names.database}.t"
    kafka.consume(topic, until=100)
    stop_by(program, signal.SIGTERM)
    program.start()
    records = kafka.consume(topic, until=100000)
    assert [payload(record.key)["id"] for record in records] == list(range(1, 100001))
    stop_by(program, signal.SIGTERM)


def test_a_stop_with_the_server_frozen(rough_mysql, kafka, follow, names):
    program = follow(rough_mysql, kafka).start_ready()
    rough_mysql.sql(f"INSERT INTO {names.database}.t VALUES (1, '')")
    kafka.consume(f"{names.prefix}.{names.database}.t", until=1)
    rough_mysql.freeze()
    stop_by(program, signal.SIGTERM)


def test_a_stop_with_the_server_gone(rough_mysql, kafka, follow, names):
    program = follow(rough_mysql, kafka).start_ready()
    mark = program.log_mark()
    rough_mysql.kill()
    try:
        program.wait_for_log(r"warn  reader", after=mark)
        stop_by(program, signal.SIGTERM)
    finally:
        rough_mysql.start()


@pytest.mark.parametrize("how, support", [("freeze", "requested"), ("kill", "disabled"), pytest.param(
    "kill", "requested", marks=pytest.mark.long), pytest.param("freeze", "disabled", marks=pytest.mark.long)])
def test_a_stop_with_the_broker_dead(mysql, rough_kafka, follow, names, support, how):
    program = follow(mysql, rough_kafka, **{"exactly.once.support": support}).start_ready()
    mysql.sql(f"INSERT INTO {names.database}.t VALUES (1, '')")
    topic = f"{names.prefix}.{names.database}.t"
    rough_kafka.consume(topic, until=1)
    getattr(rough_kafka, how)()
    try:
        mysql.sql(";".join(f"INSERT INTO t VALUES ({number}, '')" for number in range(2, 500)), database=names.database)
        stop_by(program, signal.SIGTERM)
    finally:
        rough_kafka.thaw() if how == "freeze" else rough_kafka.start()
        rough_kafka.wait_ready()
    program.start()
    told = [payload(record.key)["id"] for record in rough_kafka.consume(topic, timeout=90, until=lambda records: any(
        payload(record.key)["id"] == 499 for record in records[-1:]))]
    assert (told if support == "requested" else list(dict.fromkeys(told))) == list(range(1, 500))
    stop_by(program, signal.SIGTERM)


@pytest.mark.parametrize("who", ["server", "broker"])
@pytest.mark.parametrize("how", ["frozen", "absent"])
def test_a_stop_during_the_start(rough_mysql, rough_kafka, follow, new_proxy, who, how):
    wires = {"server": new_proxy((rough_mysql.host, rough_mysql.port)), "broker": rough_kafka.proxy}
    wire = wires[who]
    program = follow(rough_mysql, rough_kafka, **{
        "database.hostname": wires["server"].host, "database.port": wires["server"].port, "bootstrap.servers": rough_kafka.proxied})
    accepted = wire.accepted
    wire.freeze() if how == "frozen" else wire.refuse()
    try:
        program.start()
        if how == "frozen":
            wait_for(lambda: wire.accepted > accepted, what="a connection")
        else:
            program.wait_for_log(r"(?i)(warn|error|fail|refused|disconnect)")
        stop_by(program, signal.SIGTERM)
    finally:
        wire.thaw()
        wire.refuse(False)


def test_a_stop_at_any_moment_of_the_start(mysql, kafka, follow):
    """Twelve moments in the first half second."""
    program = follow(mysql, kafka)
    for turn in range(12):
        program.start()
        began = time.monotonic()
        wait_for(lambda: time.monotonic() > began + turn * 0.04 and handles(program), what="a moment", every=0.005)
        stop_by(program, signal.SIGTERM)


def handles(program):
    """Whether it catches SIGTERM already: before main it is the system's that ends it."""
    with open(f"/proc/{program.pid}/status") as file:
        caught = next(int(line.split()[1], 16) for line in file if line.startswith("SigCgt"))
    return caught >> (signal.SIGTERM - 1) & 1


def test_a_second_signal_changes_nothing(mysql, kafka, follow):
    program = follow(mysql, kafka).start_ready()
    program.popen.send_signal(signal.SIGINT)
    program.popen.send_signal(signal.SIGTERM)
    stop_by(program, signal.SIGINT)
