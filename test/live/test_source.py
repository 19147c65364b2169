# SPDX-License-Identifier: Apache-2.0
"""The connection to MySQL: what it refuses and why, every way its dump starts and ends, TLS, waking, silence."""
import os
import random
import re
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

import pymysql
import pytest

from harness import wait_for

TOOL = Path(os.environ.get("TIDEMARK_BIN", "build/debug/tidemark")).parent / "tool_source_side"
AREAS = {"config": 2, "source": 3, "fenced": 5, "data": 6, "system": 7}
PURGED, NO_FILE, POSITION, AHEAD, GTID_OFF, LOG_OFF, TAKEN, FAR, WOKEN = range(100001, 100010)


class Result:
    def __init__(self, run):
        self.code, self.text = run.returncode, run.stdout
        failed = re.search(r"^fail (\w+) (\d+) (-?\d+) (.*)$", self.text, re.M)
        self.kind, self.area, self.number, self.why = (failed[1], int(failed[2]), int(failed[3]), failed[4]) if failed else (None,) * 4

    def __getitem__(self, name):
        return re.search(rf"^{name}=(.*)$", self.text, re.M)[1]

    def events(self):
        return re.findall(r"^([A-Z_0-9]+) \d+ \d+$", self.text, re.M)

    def ended(self, kind, area, number, words=""):
        assert (self.kind, self.area, self.number) == (kind, AREAS[area], number), self.text[-1500:]
        assert words in self.why, self.why
        return self

    def passed(self):
        assert self.code == 0, self.text[-1500:]
        return self


def arguments(server, more):
    settings = {"host": server.host, "port": server.port, "user": getattr(server, "user_name", None),
                "password": getattr(server, "user_password", None), **more}
    return [f"{key}={value}" for key, value in settings.items() if value is not None]


@pytest.fixture
def side():
    """side(server, "check", key=value…) runs the tool to its end."""
    if not TOOL.exists():
        pytest.fail(f"{TOOL} is not built")

    def run(server, *command, timeout=60, **more):
        given = [str(TOOL), *command, *arguments(server, more)]
        return Result(subprocess.run(given, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout))
    return run


@pytest.fixture
def follow():
    """follow(server, key=value…) starts a dump that goes on until the test has seen enough."""
    started = []

    def start(server, **more):
        process = subprocess.Popen([str(TOOL), "dump", *arguments(server, more)], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        started.append(process)
        process.lines = []
        process.reader = threading.Thread(target=lambda: process.lines.extend(iter(process.stdout.readline, "")), daemon=True)
        process.reader.start()
        process.wait_for_line = lambda word, n=1: wait_for(
            lambda: sum(word in line for line in process.lines) >= n, 30, lambda: f"{n} of {word} in {process.lines[-5:]}")

        def result():
            process.wait(60)
            process.reader.join(60)
            return Result(subprocess.CompletedProcess([], process.returncode, "".join(process.lines)))
        process.result = result
        return process
    yield start
    for process in started:
        process.kill()
        process.wait()


# ---- settings and rights

def test_server_with_least_rights_is_fine(side, mysql):
    told = side(mysql, "check").passed()
    assert told["version"] == mysql.one("SELECT CONCAT(SUBSTRING_INDEX(VERSION(), '.', 1), LPAD(SUBSTRING_INDEX(SUBSTRING_INDEX("
                                        "VERSION(), '.', 2), '.', -1), 2, '0'), LPAD(0 + SUBSTRING_INDEX(VERSION(), '.', -1), 2, '0'))")
    assert told["uuid"] == mysql.server_uuid()
    assert told["gtid_mode"] == "3" and told["is_replica"] == "0" and told["recover_xa"] == "0" and told["checksum"] == "1"
    assert told["charset"] == mysql.one("SELECT @@character_set_server")


def test_each_setting_that_loses_changes_is_refused(side, new_mysql):
    server = new_mysql()
    for variable, bad, good in [("binlog_format", "STATEMENT", "ROW"), ("binlog_format", "MIXED", "ROW"),
                                ("binlog_row_image", "MINIMAL", "FULL"), ("binlog_row_image", "NOBLOB", "FULL")]:
        server.sql(f"SET GLOBAL {variable} = {bad}")
        side(server, "check").ended("stop", "source", 0, f"{variable} is {bad}; hint: set {variable}={good}")
        server.sql(f"SET GLOBAL {variable} = {good}")
    server.sql("SET GLOBAL binlog_row_metadata = FULL; SET GLOBAL binlog_row_value_options = PARTIAL_JSON;"
               "SET GLOBAL binlog_transaction_compression = ON; SET GLOBAL binlog_checksum = NONE;"
               "SET GLOBAL sql_select_limit = 3; SET GLOBAL max_join_size = 3")  # of others' sessions
    told = side(server, "check").passed()
    assert (told["full"], told["partial_json"], told["compression"], told["checksum"]) == ("1", "1", "1", "0")

    server.restart(binlog_ignore_db="quiet")
    assert "binlog_do_db= binlog_ignore_db=quiet" in side(server, "check").passed().text
    own = server.one("SELECT @@server_id")
    side(server, "check", server_id=own).ended("stop", "config", 0, f"database.server.id={own} is the server's own")

    server.restart(skip_log_bin="ON", log_bin=None, gtid_mode="OFF", enforce_gtid_consistency="OFF")
    side(server, "check").ended("stop", "source", 0, "log_bin is OFF")
    side(server, "dump", file="binlog.000001").ended("stop", "source", LOG_OFF, "no binary log")


def test_replica_must_log_what_it_receives(side, new_mysql):
    source = new_mysql()
    replica = new_mysql(replica_of=source)
    assert side(replica, "check").passed()["is_replica"] == "1"
    side(source, "check", server_id=replica.options["server-id"]).ended("stop", "config", 0, "that of a replica that is connected")
    replica.restart(log_replica_updates="OFF")
    side(replica, "check").ended("stop", "source", 0, "log_replica_updates is OFF")


def test_each_missing_right_is_named(side, mysql):
    rights = ["SELECT", "REPLICATION SLAVE", "REPLICATION CLIENT"]
    for missing in rights:
        user = "lacks_" + missing.lower().replace(" ", "_")
        mysql.sql(f"CREATE USER '{user}'@'%' IDENTIFIED BY 'p'; GRANT {', '.join(r for r in rights if r != missing)} ON *.* TO '{user}'@'%'")
        side(mysql, "check", user=user, password="p").ended("stop", "source", 0, f"the user lacks {missing};")
    side(mysql, "dump", user="lacks_replication_slave", password="p", gtids="").ended("stop", "source", 1227, "hint: grant the user")


def test_rights_are_found_wherever_they_come_from(side, mysql):
    mysql.sql("CREATE DATABASE IF NOT EXISTS `on a, b`; CREATE TABLE IF NOT EXISTS `on a, b`.t (`x on *.*, y` INT PRIMARY KEY);"
              "CREATE ROLE follower; GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO follower;"
              "CREATE USER with_role@'%' IDENTIFIED BY 'p' DEFAULT ROLE follower; GRANT SELECT (`x on *.*, y`) ON `on a, b`.t TO with_role@'%';"
              "CREATE USER all_rights@'%' IDENTIFIED BY 'p'; GRANT ALL ON *.* TO all_rights@'%'")
    assert side(mysql, "check", user="with_role", password="p").passed()["recover_xa"] == "0"
    assert side(mysql, "check", user="all_rights", password="p").passed()["recover_xa"] == "1"
    mysql.sql("SET DEFAULT ROLE NONE TO with_role@'%'")
    side(mysql, "check", user="with_role", password="p").ended("stop", "source", 0, "lacks REPLICATION SLAVE REPLICATION CLIENT")


def test_session_cannot_write(side, mysql, names):
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (i INT PRIMARY KEY); GRANT INSERT ON {names.database}.* TO tidemark@'%'")
    side(mysql, "query", f"INSERT INTO {names.database}.t VALUES (1)").ended("stop", "source", 1792, "READ ONLY")
    told = side(mysql, "query", "SELECT @@sql_mode, @@time_zone, @@character_set_client, @@show_gipk_in_create_table_and_information_schema, NULL, @x",
                initial="SET @x = 'it''s'").passed()
    assert told.text.split("\n")[0] == "\t+00:00\tutf8mb4\t1\tNULL\tit's"
    side(mysql, "query", "SELECT 1", initial="SET nonsense").ended("stop", "source", 1064, "database.initial.statements, statement 1")


def test_state_of_the_log_is_read(side, new_mysql, names):
    server = new_mysql()
    server.sql("GRANT XA_RECOVER_ADMIN ON *.* TO tidemark@'%'; CREATE DATABASE x; CREATE TABLE x.t (i INT PRIMARY KEY); FLUSH BINARY LOGS")
    for xid in ("'ab','q',7", "X'00ff27'"):
        with server.connect() as session, session.cursor() as cursor:
            for statement in (f"XA START {xid}", f"INSERT INTO x.t VALUES ({len(xid)})", f"XA END {xid}", f"XA PREPARE {xid}"):
                cursor.execute(statement)
    server.sql("PURGE BINARY LOGS TO 'binlog.000002'")
    told = side(server, "read").passed()
    file, position = server.position()
    assert told["end"] == f"{file}:{position}"
    assert told["executed"] == server.gtid_executed() and told["purged"] == server.one("SELECT @@gtid_purged")
    assert told["uuid"] == server.server_uuid()
    assert sorted(re.findall("^xa=(.*)$", told.text, re.M)) == ["X'00ff27',X'',1", "X'6162',X'71',7"]
    assert re.findall("^log=(.*)$", told.text, re.M) == [f"{name}:{size}" for name, size in server.binlogs()]


def test_gtid_texts_are_read_as_the_server_reads_them(side, mysql):
    """Random texts that are nearly sets: both take them and mean the same, or both refuse them."""
    seed = int(os.environ.get("SEED", time.time()))
    print(f"SEED={seed}")
    dice = random.Random(seed)
    uuids = ["3e11fa47-71ca-11e1-9e33-c80aa9429562", "FFFFFFFF-71CA-11E1-9E33-C80AA9429562", "{3e11fa47-71ca-11e1-9e33-c80aa9429562}",
             "3e11fa4771ca11e19e33c80aa9429562", "3e11fa47-71ca-11e1-9e33-c80aa942956", "3e11fa4771ca-11e1-9e33-c80aa9429562"]
    pieces = ["1", "5-9", "007", "9-5", "0", "3-", "-3", "tag", "Tag_9", "9tag", "a" * 32, "a" * 33, "9223372036854775806",
              "9223372036854775807", "1-9223372036854775806", "1-9223372036854775807", " 12 - 14 ", "", "2 3", "x:4", "tag:1:tag:2", "tag:"]
    blanks = ["", "", "", " ", "\n", "\t "]

    def text():
        members = []
        for _ in range(dice.choice([0, 1, 1, 1, 2, 3])):
            good = dice.random() < 0.8
            uuid = uuids[dice.randrange(4)] if good else dice.choice(uuids)
            chosen = [dice.choice(pieces[:3] + pieces[7:9] + pieces[20:21] if good else pieces) for _ in range(dice.choice([0, 1, 1, 2, 3]))]
            members.append(dice.choice(blanks) + ":".join([uuid, *chosen]) + dice.choice(blanks))
        return dice.choice(["", "", ",", ",,"]) + dice.choice([",", ",", ", ", " ,,"]).join(members)

    taken = 0
    with mysql.connect() as session, session.cursor() as cursor:
        for one in sorted({text() for _ in range(400)}):
            try:
                cursor.execute("SELECT GTID_SUBTRACT(%s, '')", (one,))
                expected = cursor.fetchone()[0].replace("\n", "")
                taken += 1
            except pymysql.err.MySQLError:
                expected = None
            told = side(mysql, "gtids", one)
            assert (told["gtids"] if told.code == 0 else None) == expected, (one, told.text)
    assert taken > 100


# ---- the dump: where it starts

@pytest.fixture
def logged(new_mysql):
    """A server with three log files: .1 makes x.t, .2 and .3 fill it."""
    server = new_mysql()
    server.sql("CREATE DATABASE x; CREATE TABLE x.t (i INT PRIMARY KEY, b LONGBLOB); FLUSH BINARY LOGS")
    server.sql("INSERT INTO x.t (i) VALUES (1); FLUSH BINARY LOGS; INSERT INTO x.t (i) VALUES (2)")
    return server


def test_dump_starts_in_all_four_ways(side, logged):
    uuid, executed = logged.server_uuid(), logged.gtid_executed()
    last = int(executed.rsplit("-", 1)[1])
    file, position = logged.position()
    all_but_last = f"{uuid}:1-{last - 1}"
    by_file = side(logged, "dump", file=file, pos=4, until="XID").passed().events()
    assert by_file == ["ROTATE", "FORMAT_DESCRIPTION", "PREVIOUS_GTIDS", "GTID", "QUERY", "TABLE_MAP", "WRITE_ROWS", "XID"]
    assert side(logged, "dump", gtids=all_but_last, until="XID").passed().events() == by_file
    begin = re.search(r"^PREVIOUS_GTIDS \d+ (\d+)$", side(logged, "dump", file=file, count=3).text, re.M)[1]
    middle = ["ROTATE", "FORMAT_DESCRIPTION", *by_file[3:]]
    assert side(logged, "dump", file=file, pos=begin, until="XID").passed().events() == middle
    assert side(logged, "dump", gtids=all_but_last, file=file, pos=begin, uuid=uuid, until="XID").passed().events() == middle
    assert side(logged, "dump", gtids="", until="TABLE_MAP").passed().events()[:4] == ["ROTATE", "FORMAT_DESCRIPTION", "PREVIOUS_GTIDS", "GTID"]


def test_position_is_dropped_where_it_would_hide_a_gap(side, logged):
    uuid, executed = logged.server_uuid(), logged.gtid_executed()
    file, position = logged.position()
    other = "00000000-0000-0000-0000-000000000009"
    for gtids, of in [(executed, other), (executed, None), (f"{executed},{other}:1", uuid), (f"{uuid}:1-99", uuid)]:
        told = side(logged, "dump", gtids=gtids, file=file, pos=position, uuid=of, count=1, heartbeat_ms=200)
        assert "can't be used there" in told.text
        if "1-99" in gtids:
            told.ended("stop", "data", AHEAD, "transactions that the server does not know")
        else:
            told.passed()
    logged.sql("PURGE BINARY LOGS TO 'binlog.000003'")
    told = side(logged, "dump", gtids=f"{uuid}:1", file=file, pos=position, uuid=uuid, count=1)
    assert "can't be used there" in told.text
    told.ended("stop", "data", PURGED, "was purged; hint: take a new snapshot")


def test_each_refusal_of_a_position_is_told_apart(side, logged):
    file, position = logged.position()
    side(logged, "dump", file="binlog.000077").ended("stop", "data", NO_FILE, "no log file of that name")
    side(logged, "dump", file=file, pos=position + 1000).ended("stop", "data", POSITION, "behind the end of its file")
    for back in (9, 30, 60, 100):
        side(logged, "dump", file=file, pos=position - back, heartbeat_ms=200, count=3).ended("stop", "data", POSITION, "no event starts at the position")
    side(logged, "dump", file=file, pos=2**32).ended("refuse", "data", FAR, "behind 4 GiB")
    logged.sql("PURGE BINARY LOGS TO 'binlog.000002'")
    side(logged, "dump", file="binlog.000001").ended("stop", "data", NO_FILE, "it was purged")
    side(logged, "dump", gtids="").ended("stop", "data", PURGED)
    side(logged, "dump", gtids=f"{logged.server_uuid()}:1-500").ended("stop", "data", AHEAD)
    logged.sql("SET GLOBAL gtid_mode = ON_PERMISSIVE")
    side(logged, "dump", gtids=logged.gtid_executed()).ended("stop", "source", GTID_OFF, "set gtid_mode=ON")


# ---- and how it ends

def test_dump_ends_of_each_kind_are_told_apart(side, follow, logged):
    def ending(action, **more):
        running = follow(logged, gtids=logged.gtid_executed(), **{"heartbeat_ms": 200, "name": action, **more})
        running.wait_for_line("HEARTBEAT_V2")
        thread = logged.one("SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%%'")
        if action.startswith("KILL"):
            logged.sql(f"{action} {thread}")
        return running

    ending("KILL QUERY").result().ended("retry", "source", 0, "the server ended the stream")
    ending("KILL").result().ended("retry", "source", 2013, "Lost connection")
    first = ending("same name")
    second = follow(logged, gtids="", name="same name", heartbeat_ms=200)
    first.result().ended("stop", "fenced", TAKEN, "another instance of this connector")
    third = follow(logged, gtids="", name="another name", heartbeat_ms=200)
    third.wait_for_line("HEARTBEAT_V2", 2)
    assert second.poll() is None
    second.kill()
    third.kill()
    resetting = follow(logged, gtids=logged.gtid_executed(), heartbeat_ms=200)
    resetting.wait_for_line("HEARTBEAT_V2")
    logged.sql("RESET BINARY LOGS AND GTIDS")
    resetting.result().ended("retry", "source", 1236, "deleted while they were read")
    stopping = follow(logged, gtids="", heartbeat_ms=200)
    stopping.wait_for_line("HEARTBEAT_V2")
    logged.stop()
    assert stopping.result().kind == "retry"
    side(logged, "check").ended("retry", "source", 2003, "nothing answers there")


def test_silence_ends_the_dump_after_two_and_a_half_heartbeats(follow, mysql, new_proxy):
    wire = new_proxy((mysql.host, mysql.port))
    wire.user_name, wire.user_password = mysql.user_name, mysql.user_password
    running = follow(wire, gtids=mysql.gtid_executed(), heartbeat_ms=1000)
    running.wait_for_line("HEARTBEAT_V2", 3)
    wire.freeze()
    frozen = time.monotonic()
    running.result().ended("retry", "source", 2013)
    assert 1.5 < time.monotonic() - frozen < 6
    wire.thaw()


def test_paused_reader_is_not_dropped(follow, new_mysql):
    server = new_mysql({"net-write-timeout": 2})
    server.sql("CREATE DATABASE x; CREATE TABLE x.t (i INT PRIMARY KEY AUTO_INCREMENT, b LONGBLOB)")
    running = follow(server, gtids=server.gtid_executed(), heartbeat_ms=60000, until="STOP")
    running.wait_for_line("PREVIOUS_GTIDS")
    os.kill(running.pid, 19)
    for _ in range(8):
        server.sql("INSERT INTO x.t (b) VALUES (REPEAT('x', 4000000))")
    time.sleep(6)  # three times the server's patience
    os.kill(running.pid, 18)
    running.wait_for_line("XID", 8)


def test_events_of_40_mib_pass(side, logged):
    before = logged.gtid_executed()
    logged.sql("SET GLOBAL max_allowed_packet = 64 << 20")
    logged.sql("INSERT INTO x.t VALUES (40, REPEAT('x', 40 << 20))")
    told = side(logged, "dump", gtids=before, until="XID").passed()
    assert re.search(r"^WRITE_ROWS 4194\d+ ", told.text, re.M)
    assert int(told["buffer"]) > 40 << 20


# ---- waking

def test_woken_source_returns_at_once(side, mysql, new_proxy):
    told = side(mysql, "wake", "dump", "700", gtids=mysql.gtid_executed(), heartbeat_ms=60000).ended("retry", "source", WOKEN)
    assert int(told["woken_ms"]) < 500
    told = side(mysql, "wake", "dump", "700", gtids=mysql.gtid_executed(), heartbeat_ms=60000, tls="disabled")
    assert int(told["woken_ms"]) < 500
    wire = new_proxy((mysql.host, mysql.port))
    wire.freeze()
    told = side(wire, "wake", "check", "700").ended("retry", "source", WOKEN)  # it hangs in the handshake
    assert int(told["woken_ms"]) < 500
    wire.thaw()
    told = side(mysql, "wake", "check", "700", host="10.255.255.1")  # nobody there, or no way there
    assert int(told["woken_ms"]) < 500


# ---- TLS and passwords

@pytest.fixture
def stores(mysql, scratch):
    """Certificates of the server's own authority, as files of every form."""
    folder = scratch.folder("stores")
    for name in ("ca.pem", "client-cert.pem", "client-key.pem"):  # the server ends them with a zero byte
        (folder / name).write_bytes((mysql.data / name).read_bytes().rstrip(b"\0"))
    (folder / "client.pem").write_bytes((folder / "client-cert.pem").read_bytes() + (folder / "client-key.pem").read_bytes())
    openssl = lambda *words: subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    openssl("pkcs12", "-export", "-nokeys", "-in", "ca.pem", "-out", "ca.p12", "-passout", "pass:one")
    openssl("pkcs12", "-export", "-in", "client-cert.pem", "-inkey", "client-key.pem", "-out", "client.p12", "-passout", "pass:two")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other", "-keyout", "other-key.pem", "-out", "other.pem")
    (folder / "old.jks").write_bytes(b"\xfe\xed\xfe\xed" + bytes(40))
    return folder


def test_tls_modes_and_stores(side, mysql, stores):
    def cipher(**more):
        return side(mysql, "query", "SHOW SESSION STATUS LIKE 'Ssl_cipher'", **more)

    assert cipher(tls="disabled").passed().text == "Ssl_cipher\t\n"
    for mode in ("preferred", "required"):
        assert "_" in cipher(tls=mode).passed().text.split("\t")[1]
    for store, password in (("ca.pem", None), ("ca.p12", "one")):
        for mode in ("preferred", "required", "verify_ca"):
            cipher(tls=mode, truststore=stores / store, truststore_password=password).passed()
    verify = "hint: the server's certificate is not signed by an authority in database.ssl.truststore"
    for mode in ("preferred", "required", "verify_ca"):  # a truststore is always looked at
        cipher(tls=mode, truststore=stores / "other.pem").ended("stop", "source", 2026, verify)
    cipher(tls="verify_ca").ended("stop", "source", 2026, verify)  # whom this machine trusts
    cipher(tls="verify_identity", truststore=stores / "ca.pem").ended("stop", "source", 2026, "another name than database.hostname")
    cipher(tls="verify_ca", truststore=stores / "ca.p12", truststore_password="wrong").ended("stop", "config", 0, "the password is wrong")
    cipher(tls="verify_ca", truststore=stores / "old.jks").ended("stop", "config", 0, "keytool -importkeystore")
    cipher(tls="verify_ca", truststore=stores / "nothing.pem").ended("stop", "config", 0, "nothing.pem")
    cipher(tls="disabled", truststore=stores / "nothing.pem").passed()


def test_client_certificates(side, mysql, stores):
    mysql.sql("CREATE USER IF NOT EXISTS by_certificate@'%' IDENTIFIED BY 'p' REQUIRE X509; CREATE USER IF NOT EXISTS by_tls@'%' IDENTIFIED BY 'p' REQUIRE SSL")
    as_user = {"user": "by_certificate", "password": "p", "tls": "required"}
    side(mysql, "query", "SELECT 1", **as_user, keystore=stores / "client.p12", keystore_password="two").passed()
    side(mysql, "query", "SELECT 1", **as_user, keystore=stores / "client.pem").passed()
    side(mysql, "query", "SELECT 1", **as_user).ended("stop", "source", 1045)
    side(mysql, "query", "SELECT 1", user="by_tls", password="p", tls="preferred").passed()
    side(mysql, "query", "SELECT 1", user="by_tls", password="p", tls="disabled").ended("stop", "source", 1045)


def test_passwords_pass_without_tls_also_when_the_server_has_forgotten_them(side, mysql):
    long = "é" * 60
    for user, plugin, password in (("empty_one", "caching_sha2_password", ""), ("long_one", "caching_sha2_password", long), ("sha256_one", "sha256_password", "p")):
        mysql.sql(f"CREATE USER IF NOT EXISTS '{user}'@'%%' IDENTIFIED WITH {plugin} BY %s", (password,))
        for mode in ("disabled", "required"):
            mysql.sql("FLUSH PRIVILEGES")
            side(mysql, "query", "SELECT 1", user=user, password=password, tls=mode).passed()
    told = side(mysql, "check", password="secret that is wrong").ended("stop", "source", 1045, "hint: database.user or database.password")
    assert "secret that is wrong" not in told.text


def test_password_that_is_too_long_without_tls_says_so(side, mysql):
    user, password = mysql.make_user("lengthy", "x" * 250)
    side(mysql, "check", user=user, password=password, tls="disabled").ended("stop", "source", 2000, "database.ssl.mode=required")
    side(mysql, "check", user=user, password=password, tls="required").passed()


def test_server_without_tls(side, new_mysql, stores):
    server = new_mysql({"ssl-cert": stores / "nothing.pem", "auto-generate-certs": "OFF", "tls-version": ""})
    side(server, "check", tls="preferred").passed()
    side(server, "check", tls="required").ended("stop", "source", 2026, "the server offers no TLS")


def test_blocked_host_and_too_many_connections(side, new_mysql):
    server = new_mysql()
    server.sql("SET GLOBAL max_connections = 1")
    held = server.connect()
    side(server, "check").ended("retry", "source", 1040, "max_connections")
    held.close()
    server.sql("SET GLOBAL max_connections = 20; ALTER USER tidemark@'%' ACCOUNT LOCK")
    side(server, "check").ended("stop", "source", 3118, "ACCOUNT UNLOCK")
    server.sql("ALTER USER tidemark@'%' ACCOUNT UNLOCK PASSWORD EXPIRE")
    assert side(server, "check").kind == "stop"


# ---- other servers

@pytest.fixture
def impostor():
    """impostor(version) greets as a server of that version and takes any password."""
    listeners = []

    def make(version):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def packet(number, body):
            return struct.pack("<I", len(body))[:3] + bytes([number]) + body

        def serve():
            try:
                end, _ = listener.accept()
                capabilities = 0x0008a285  # 4.1 protocol, plugin authentication, no TLS
                end.sendall(packet(0, b"\x0a" + version.encode() + b"\0" + struct.pack("<I", 9) + b"12345678\0" + struct.pack("<H", capabilities & 0xffff)
                                   + b"\xff\x02\0" + struct.pack("<H", capabilities >> 16) + bytes([21]) + bytes(10) + b"123456789012\0" + b"caching_sha2_password\0"))
                end.recv(65536)
                end.sendall(packet(2, b"\0\0\0\x02\0\0\0"))
                end.recv(65536)
                end.close()
            except OSError:
                pass
        threading.Thread(target=serve, daemon=True).start()
        host, port = listener.getsockname()
        return type("Impostor", (), {"host": host, "port": port, "user_name": "u", "user_password": ""})
    yield make
    for listener in listeners:
        listener.close()


@pytest.mark.parametrize("version, words", [
    ("5.5.5-10.11.6-MariaDB-log", "this is MariaDB"), ("8.0.11-TiDB-v7.5.0", "this is TiDB"), ("5.7.44-log", "MySQL 5.7.44-log is too old")])
def test_other_servers_are_refused_by_name(side, impostor, version, words):
    side(impostor(version), "check", tls="preferred").ended("stop", "source", 0, words)
