# SPDX-License-Identifier: Apache-2.0
"""The harness itself: what the other tests rely on holds."""
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pymysql
import pytest
from confluent_kafka import Producer

from harness import Scratch, properties_text, wait_for
from harness.scratch import _sweep as sweep

TEST = Path(__file__).resolve().parents[1]


def test_server_answers_with_the_settings_the_others_need(mysql):
    version = mysql.one("SELECT VERSION()")
    assert tuple(map(int, version.split("-")[0].split("."))) >= (9, 7)
    settings = mysql.sql("SELECT @@log_bin, @@binlog_format, @@binlog_row_image, @@gtid_mode, @@server_id > 100")[0]
    assert settings == (1, "ROW", "FULL", "ON", 1)
    assert (mysql.data / "ca.pem").exists()


def test_user_has_exactly_three_rights(mysql):
    name, password = mysql.make_user("three_rights")  # the shared one may have been given more by another test
    grants = mysql.sql("SHOW GRANTS FOR three_rights")
    assert grants == [("GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `three_rights`@`%`",)]
    with mysql.connect(name, password) as connection:
        with pytest.raises(pymysql.err.OperationalError), connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE not_mine")


def test_server_survives_kill_and_keeps_what_was_committed(new_mysql):
    server = new_mysql({"innodb-buffer-pool-size": "64M"})
    server.sql("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY)")
    server.many("INSERT INTO d.t VALUES (%s)", [(number,) for number in range(1000)])
    gtid, uuid = server.gtid_executed(), server.server_uuid()
    server.kill()
    server.start()
    assert server.one("SELECT COUNT(*) FROM d.t") == 1000
    assert (server.gtid_executed(), server.server_uuid()) == (gtid, uuid)
    server.freeze()
    with pytest.raises(pymysql.err.OperationalError):
        server.connect(connect_timeout=1, read_timeout=1)
    server.thaw()
    assert server.one("SELECT 1") == 1
    assert server.stop() == 0


def test_replica_follows_and_refuses_writes(new_mysql):
    source = new_mysql()
    source.sql("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY)")
    replica = new_mysql(replica_of=source, general_log=True, workers=2)
    source.sql("INSERT INTO d.t VALUES (1), (2)")
    replica.wait_for_source()
    assert replica.one("SELECT COUNT(*) FROM d.t") == 2
    assert replica.server_uuid() != source.server_uuid()
    assert replica.one("SELECT @@replica_parallel_workers") == 2
    with pytest.raises(pymysql.err.OperationalError, match="super-read-only"):
        replica.sql("INSERT INTO d.t VALUES (3)")
    with replica.connect(replica.user_name, replica.user_password) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 'seen by the statement log'")
    assert ("Query", "SELECT 'seen by the statement log'") in replica.statements("tidemark")
    replica.restart()
    source.sql("INSERT INTO d.t VALUES (4)")
    replica.wait_for_source()
    assert replica.one("SELECT COUNT(*) FROM d.t") == 3


def test_broker_gives_back_records_and_hides_aborted_ones(kafka, names):
    topic = f"{names.prefix}.records"
    kafka.create_topic(topic, partitions=2, cleanup_policy="compact")
    assert kafka.topic_config(topic)["cleanup.policy"] == "compact"
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": topic})
    producer.init_transactions()
    for outcome in ("committed", "aborted"):
        producer.begin_transaction()
        producer.produce(topic, value=outcome, key=b"k", headers=[("h", b"1")], partition=1)
        producer.flush()
        producer.commit_transaction() if outcome == "committed" else producer.abort_transaction()
    records = kafka.consume(topic)
    assert [(r.partition, r.offset, r.key, r.value, r.headers) for r in records] == [(1, 0, b"k", b"committed", [("h", b"1")])]
    assert [r.value for r in kafka.consume(topic, isolation="read_uncommitted")] == [b"committed", b"aborted"]
    assert kafka.end_offsets(topic) == {0: 0, 1: 4}
    kafka.produce(topic, None, key="k", partition=0)
    assert {r.partition: r.value for r in kafka.consume(topic, until=2)} == {0: None, 1: b"committed"}
    kafka.delete_topic(topic)
    assert kafka.consume(topic) == []


def test_reader_takes_up_a_topic_that_comes_later(kafka, names):
    with kafka.reader(names.prefix) as reader:
        assert reader.read_to_end() == []
        kafka.produce(names.prefix, "x")
        assert [r.value for r in reader.read_until(len)] == [b"x"]
    with pytest.raises(TimeoutError, match="waited 0.1 s for 2 records"):
        kafka.consume(names.prefix, until=2, timeout=0.1)


def test_broker_keeps_records_over_kill_and_restart(new_kafka):
    broker = new_kafka(proxied=True)
    broker.produce("kept", "1")
    broker.kill()
    broker.start()
    broker.produce("kept", "2", **{"bootstrap.servers": broker.proxied})
    assert broker.proxy.accepted > 0
    broker.freeze()
    broker.thaw()
    broker.restart()
    assert [r.value for r in broker.consume("kept", until=2)] == [b"1", b"2"]


def test_proxy_delays_throttles_freezes_and_cuts(new_proxy):
    with socket.create_server(("127.0.0.1", 0)) as server:
        proxy = new_proxy(server.getsockname())
        near = socket.create_connection((proxy.host, proxy.port), timeout=5)
        far, _ = server.accept()
        far.settimeout(5)
        near.sendall(b"there")
        assert far.recv(10) == b"there"
        proxy.delay = 0.2
        start = time.monotonic()
        far.sendall(b"back")
        assert near.recv(10) == b"back"
        assert time.monotonic() - start >= 0.2
        sent = random.Random(1).randbytes(300_000)  # several pieces, under way together
        far.sendall(sent)
        assert received_from(near, len(sent)) == sent
        proxy.delay = 0
        proxy.bytes_per_second = 100_000
        start = time.monotonic()
        far.sendall(b"x" * 30_000)
        received_from(near, 30_000)
        assert time.monotonic() - start >= 0.2
        proxy.bytes_per_second = None
        proxy.freeze()
        far.sendall(b"later")
        near.settimeout(0.2)
        with pytest.raises(TimeoutError):
            near.recv(10)
        proxy.thaw()
        near.settimeout(5)
        assert near.recv(10) == b"later"
        proxy.cut()
        assert is_over(near) and is_over(far)
        wait_for(lambda: proxy.connections() == 0)
        proxy.refuse()
        with pytest.raises(ConnectionResetError):
            socket.create_connection((proxy.host, proxy.port), timeout=5).recv(1)


def received_from(end, n):
    data = b""
    while len(data) < n:
        data += end.recv(65536)
    return data


def is_over(end):
    try:
        return end.recv(1) == b""
    except ConnectionResetError:
        return True


def test_processes_end_with_the_run_that_started_them(tmp_path):
    """Also a server that runs as another user: a killed run leaves nothing behind."""
    program = f"""
import sys, time
sys.path.insert(0, {str(TEST)!r})
from harness import MySql, Scratch
scratch = Scratch("orphan")
server = MySql(scratch).start()
print(server.pid, scratch.path, flush=True)
time.sleep(100)
"""
    with subprocess.Popen([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, text=True) as run:
        pid, folder = run.stdout.readline().split()
        assert Path(f"/proc/{pid}").exists()
        assert Path(f"/proc/{pid}").stat().st_uid != 0 or os.getuid() != 0
        run.send_signal(signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0], 30,
             "the server to end")
    subprocess.run(["rm", "-rf", folder], check=True)


def test_scratch_is_removed_unless_kept():
    scratch = Scratch("self")
    assert scratch.folder("a") != scratch.folder("a")
    assert scratch.close() is None and not scratch.path.exists()


def test_scratch_left_by_a_dead_run_goes_after_a_day(tmp_path):
    for name, days in (("tidemark-run-new", 0.5), ("tidemark-run-old", 2), ("tidemark-other", 2)):
        (tmp_path / name).mkdir()
        if name != "tidemark-other":
            (tmp_path / name / ".lock").touch()
            os.utime(tmp_path / name / ".lock", (time.time() - days * 86400,) * 2)
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tidemark-other", "tidemark-run-new"]


def test_properties_are_escaped():
    assert properties_text({"a": "x\\.y", "b": None, "c": True, "d": " e"}) == "a=x\\\\.y\nc=true\nd=\\ e\n"
