# SPDX-License-Identifier: Apache-2.0
"""What happens on the way passes through: restarts, rotations, broken and silent wires, odd and huge transactions."""
import json
import time

import pytest

from harness import Proxy, wait_for
from harness.replay import decode, decode_all

from stream_run import PLAIN, Stream

MIB = 1024 * 1024


@pytest.fixture
def rough(rough_mysql, kafka, tidemark, names):
    """rough(key=value…): a stream from a server that may be treated roughly."""
    def make(wire=None, broker=None, table=None, **more):
        if wire:
            more = {"database.hostname": wire.host, "database.port": wire.port, "database.ssl.mode": "disabled", **more}
        table = {"table": table} if table else {}
        return Stream(rough_mysql, broker or kafka, tidemark, names, **table, **more)
    yield make
    if rough_mysql.is_running():
        rough_mysql.sql(f"DROP DATABASE IF EXISTS {names.database}")


# ---- the server


@pytest.mark.parametrize("end", ["kill", pytest.param("stop", marks=pytest.mark.long)])
def test_a_server_restart(rough_mysql, rough, end):
    stream = rough()
    stream.insert(10)
    getattr(rough_mysql, end)()
    rough_mysql.start()
    stream.insert(10)
    changes = stream.settled()
    assert [change.key["id"] for change in changes] == list(range(1, 22))
    assert len({change.source["file"] for change in changes}) == 2
    stream.program.stop()


def test_a_server_that_is_away_for_a_while_and_while_tidemark_starts(rough_mysql, rough):
    stream = rough()
    stream.insert(5)
    stream.wait(5)
    rough_mysql.kill()
    stream.program.wait_for_log(r"warn  reader: .*127\.0\.0\.1.*trying again")
    rough_mysql.start()
    stream.insert(5)
    stream.wait(10)
    stream.program.stop()
    rough_mysql.kill()
    stream.program.start().wait_for_log(r"warn  reader: .*127\.0\.0\.1.*trying again")
    rough_mysql.start()
    stream.insert(5)
    assert [change.key["id"] for change in stream.settled()] == list(range(1, 17))


def test_rotations_and_flushes(rough_mysql, rough):
    stream = rough()
    for turn in range(4):
        stream.insert(20)
        rough_mysql.sql(("FLUSH LOGS", "FLUSH BINARY LOGS")[turn % 2])
    rough_mysql.sql("SET GLOBAL max_binlog_size = 4096")
    try:
        for _ in range(10):
            stream.insert(200)
    finally:
        rough_mysql.sql("SET GLOBAL max_binlog_size = DEFAULT")
    changes = stream.settled()
    assert len(changes) == 4 * 20 + 10 * 200 + 1
    assert len({change.source["file"] for change in changes}) > 8
    stream.program.kill()
    rough_mysql.sql("FLUSH BINARY LOGS")
    stream.insert(3)
    rough_mysql.sql("FLUSH BINARY LOGS")
    stream.program.start()
    assert len(stream.settled()) == len(changes) + 4


def test_checksums_are_switched(rough_mysql, rough):
    """R061: each switch rotates; rows before and after each come."""
    stream = rough()
    try:
        for checksum in ("NONE", "CRC32", "NONE"):
            stream.insert()
            rough_mysql.sql(f"SET GLOBAL binlog_checksum = {checksum}")
            stream.insert()
            rough_mysql.sql("FLUSH BINARY LOGS")
            stream.insert()
        stream.wait(stream.next - 1)
        stream.program.stop()
        stream.insert()
        stream.program.start()
        assert len(stream.settled()) == 11
    finally:
        rough_mysql.sql("SET GLOBAL binlog_checksum = CRC32")


class FlippingProxy(Proxy):
    """Flips one byte within the first piece that holds the text, once."""
    text = None

    def _send(self, sink, data):
        if self.text and self.text in data:
            at = data.index(self.text) + 3
            data, self.text = data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1:], None
        super()._send(sink, data)


def test_a_flipped_byte_is_noticed_and_read_again(rough_mysql, rough):
    wire = FlippingProxy((rough_mysql.host, rough_mysql.port)).start()
    try:
        stream = rough(wire=wire)
        stream.insert(5)
        stream.wait(5)
        wire.text = b"precious"
        stream.sql("INSERT INTO t VALUES (6, 1, 'precious')")
        stream.next = 7
        stream.program.wait_for_log(r"(?i)checksum")
        changes = stream.settled()
        assert [change.after["pad"] for change in changes[4:]] == [None, "precious", None] and len(changes) == 7
    finally:
        wire.close()


def test_a_damaged_file_ends_the_run_before_the_damage(rough_mysql, rough):
    stream = rough()
    stream.insert(5)
    stream.wait(5)
    stream.program.stop()
    stream.sql("INSERT INTO t VALUES (6, 1, 'precious')")
    stream.next = 7
    path = rough_mysql.data / rough_mysql.position()[0]
    rough_mysql.sql("FLUSH BINARY LOGS")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"precious", b"previous"))
    stream.program.start().wait_exit(code=6)
    assert path.name in stream.program.log_text() and "checksum" in stream.program.log_text()
    path.write_bytes(whole)
    stream.program.start()
    assert [change.key["id"] for change in stream.settled()] == list(range(1, 8))


@pytest.mark.parametrize("is_on", [False, True], ids=["plain", "compressed"])
def test_the_wire_is_cut_amid_a_transaction(rough_mysql, rough, new_proxy, is_on):
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    stream = rough(wire=wire)
    stream.insert(1)
    stream.wait(1)
    wire.bytes_per_second = 600_000
    with rough_mysql.connect(database=stream.database, autocommit=False) as session, session.cursor() as cursor:
        cursor.execute(f"SET SESSION binlog_transaction_compression = {is_on}")
        cursor.execute("INSERT INTO t SELECT 1 + ROW_NUMBER() OVER (), 0, HEX(RANDOM_BYTES(60)) FROM information_schema.columns a, "
                       "information_schema.columns b LIMIT 5000")
        session.commit()
    stream.next = 5002
    for share in (0.1, 0.3, 0.8):
        target = int(5000 * share)
        if is_on:
            seen = wire.bytes_from_target
            wait_for(lambda: wire.bytes_from_target > seen + 60_000)
        else:
            stream.kafka.consume(stream.topic, isolation="read_uncommitted", until=target)
        wire.cut()
    wire.bytes_per_second = None
    assert len(stream.settled(ordered=not is_on)) == 5002


def test_a_silent_wire_is_given_up_and_made_again(rough_mysql, rough, new_proxy):
    """R064, R071: both ways blocked, nothing closed. Noticed within 2.5 heartbeats, tried again with longer and longer waits."""
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    stream = rough(wire=wire, **{"connect.keep.alive.interval.ms": 2000, "connect.timeout.ms": 2000})
    stream.insert(1)
    stream.wait(1)
    mark, accepted = stream.program.log_mark(), wire.accepted
    wire.freeze()
    stream.insert(100)
    stream.program.wait_for_log(r"warn  reader: .*127\.0\.0\.1", timeout=15, after=mark)
    wait_for(lambda: wire.accepted > accepted, 15, "a new connection")
    wait_for(lambda: wire.accepted > accepted + 2, 30, "more of them")
    assert wire.accepted - accepted < 10, "no tight loop"
    wire.thaw()
    assert [change.key["id"] for change in stream.settled(timeout=90)] == list(range(1, 103))


def test_an_idle_wire_is_kept(rough_mysql, rough, new_proxy):
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    stream = rough(wire=wire, **{"connect.keep.alive.interval.ms": 500})
    stream.insert(1)
    stream.wait(1)
    accepted, start, received = wire.accepted, time.monotonic(), wire.bytes_from_target
    wait_for(lambda: time.monotonic() > start + 2, what="two silent seconds to pass")
    assert wire.bytes_from_target > received, "heartbeats"
    assert len(stream.settled()) == 2
    assert wire.accepted == accepted


# ---- the broker


@pytest.mark.parametrize("end", ["stop", pytest.param("kill", marks=pytest.mark.long)])
def test_a_broker_restart(rough_mysql, rough_kafka, rough, end):
    stream = rough(broker=rough_kafka)
    stream.insert(10)
    stream.wait(10)
    getattr(rough_kafka, end)()
    stream.insert(10)
    rough_kafka.start()
    stream.insert(10)
    assert [change.key["id"] for change in stream.settled()] == list(range(1, 32))


def test_a_silent_broker(rough_mysql, rough_kafka, rough):
    stream = rough(broker=rough_kafka, **{"bootstrap.servers": rough_kafka.proxied})
    stream.insert(10)
    stream.wait(10)
    rough_kafka.proxy.freeze()
    try:
        stream.insert(1000)
        start = time.monotonic()
        wait_for(lambda: time.monotonic() > start + 3, what="three seconds of silence")
    finally:
        rough_kafka.proxy.thaw()
    stream.insert(10)
    assert [change.key["id"] for change in stream.settled(timeout=120)] == list(range(1, 1022))


# ---- transactions


def test_compressed_transactions(rough_mysql, rough):
    stream = rough()
    with rough_mysql.connect(database=stream.database, autocommit=False) as session, session.cursor() as cursor:
        cursor.execute("SET SESSION binlog_transaction_compression = ON")
        cursor.execute("INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
                       "SELECT i, 0, REPEAT('x', 1000) FROM n")
        cursor.execute("UPDATE t SET v = v + 1; UPDATE t SET id = id + 1000 WHERE id > 890; DELETE FROM t WHERE id < 11")
        while cursor.nextset():
            pass
        session.commit()
    events = rough_mysql.sql(f"SHOW BINLOG EVENTS IN '{rough_mysql.position()[0]}'")
    assert "Transaction_payload" in {event[2] for event in events}
    stream.next = 5000
    changes = stream.settled(ordered=False, version="v")
    assert len(changes) == 900 + 900 + 30 + 20 + 1
    assert len({(change.source["gtid"], change.source["pos"]) for change in changes[:-1] if change.op}) == 1
    payload_at = changes[0].source["pos"]
    assert {event[1]: event[2] for event in events}[payload_at] == "Transaction_payload"


@pytest.mark.parametrize("mib", [20, pytest.param(200, marks=pytest.mark.long)])
def test_a_transaction_of_many_megabytes(rough_mysql, rough, mib):
    """Passes through in little memory, in records of 4 kB."""
    count = mib * 256
    stream = rough(table="CREATE TABLE t (id INT PRIMARY KEY, v INT, pad TEXT)")
    before = stream.program.peak_rss()
    rough_mysql.sql("SET SESSION cte_max_recursion_depth = 100000; "
                    f"INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
                    "SELECT i, 0, REPEAT(CHAR(97 + i % 26), 4096) FROM n", database=stream.database)
    assert sum(size for _, size in rough_mysql.binlogs()) > mib * MIB
    seen = 0
    with stream.kafka.reader(stream.topic) as reader:
        while seen < count:
            for record in reader.read_until(len, 60):
                seen += 1
                assert record.key == b'{"id":%d}' % seen
                assert record.value.count(b"%c" % (97 + seen % 26)) >= 4096
            reader.records.clear()
    if not stream.program.is_sanitized:
        assert stream.program.peak_rss() < 64 * MIB, (before, stream.program.peak_rss())


@pytest.mark.parametrize("sizes", [(100, 16777199, 16777215, 16777216, 1), pytest.param(
    (16777215, 16777199, 20 * MIB, 20 * MIB + 1, 1), marks=pytest.mark.long), pytest.param(
    (16777215, 16777199, 40_000_000, 40_000_001, 1), marks=pytest.mark.long)], ids=["16", "20", "40"])
def test_rows_of_many_megabytes(rough_mysql, rough_kafka, rough, sizes):
    """R065: events in several packets. A row larger than the byte budget passes alone."""
    table = "CREATE TABLE t (id INT PRIMARY KEY, v INT, pad LONGBLOB)"
    rough_mysql.sql(f"SET GLOBAL max_allowed_packet = {256 * MIB}")
    stream = rough(broker=rough_kafka, table=table, **{"max.queue.size.in.bytes": 8 * MIB,
                                                       "producer.override.max.request.size": 130 * MIB})
    rough_kafka.create_topic(stream.topic, max_message_bytes=130 * MIB)
    stream.sql(f"INSERT INTO t VALUES (1, 0, REPEAT('a', {sizes[0]})), (2, 0, REPEAT('b', {sizes[1]})), (3, 0, REPEAT('c', {sizes[2]}))")
    stream.sql("UPDATE t SET pad = CONCAT(pad, '!') WHERE id = 3; INSERT INTO t VALUES (4, 0, 'z')")
    changes = decode_all(rough_kafka.consume(stream.topic, until=5, timeout=120))
    assert [(change.op, change.key["id"]) for change in changes] == [("c", 1), ("c", 2), ("c", 3), ("u", 3), ("c", 4)]
    assert [len(change.after["pad"]) for change in changes] == [(size + 2) // 3 * 4 for size in sizes]
    assert changes[2].after["pad"].startswith("Y2Nj" * (sizes[2] // 3))
    if not stream.program.is_sanitized:
        largest = sizes[2] + sizes[3] + 1024  # both images of the update
        assert stream.program.peak_rss() < 64 * MIB + 3 * largest


def test_tagged_gtids(rough_mysql, rough):
    """R056"""
    stream = rough()
    uuid = rough_mysql.server_uuid()

    def insert(number, gtid_next):
        rough_mysql.sql(f"SET SESSION gtid_next = '{gtid_next}'; INSERT INTO t (id, v) VALUES ({number}, 0); "
                        "SET SESSION gtid_next = 'AUTOMATIC'", database=stream.database)
    insert(1, "AUTOMATIC:blue")
    insert(2, "AUTOMATIC")
    insert(3, "AUTOMATIC:red_2")
    stream.wait(3)
    stream.program.stop()
    insert(4, "AUTOMATIC:blue")
    stream.program.start()
    stream.next = 5
    changes = stream.settled()
    assert [change.key["id"] for change in changes] == [1, 2, 3, 4, 5]
    gtids = [change.source["gtid"] for change in changes]
    assert [gtids[0], gtids[2], gtids[3]] == [f"{uuid}:blue:1", f"{uuid}:red_2:1", f"{uuid}:blue:2"]
    assert gtids[1].rsplit(":", 1)[0] == uuid
    stream.program.stop()
    stored = json.loads(stream.kafka.consume(stream.program.properties["offset.storage.topic"])[-1].value)["gtids"]
    assert stored == rough_mysql.gtid_executed()
    assert stored.startswith(f"{uuid}:1-") and stored.endswith(":blue:1-2:red_2:1")


@pytest.mark.parametrize("direct", [0, pytest.param(1, marks=pytest.mark.long)])
def test_rows_of_an_engine_without_transactions_outlive_a_rollback(plain_mysql, kafka, tidemark, names, direct):
    """With GTIDs a server refuses to mix engines in one transaction."""
    stream = Stream(plain_mysql, kafka, tidemark, names)
    stream.sql(f"""SET binlog_direct_non_transactional_updates = {direct}; CREATE TABLE m (id INT PRIMARY KEY) ENGINE = MyISAM;
        START TRANSACTION; INSERT INTO t (id) VALUES (1); INSERT INTO m VALUES (1); INSERT INTO t (id) VALUES (2); ROLLBACK;
        START TRANSACTION; INSERT INTO t (id) VALUES (3); SAVEPOINT `it's`; INSERT INTO m VALUES (3); INSERT INTO t (id) VALUES (4);
        ROLLBACK TO `it's`; INSERT INTO t (id) VALUES (5); COMMIT""")
    stream.next = 6
    assert [(change.op, change.key["id"]) for change in stream.settled()] == [("c", 3), ("c", 5), ("c", 6)]
    told = decode_all(stream.kafka.consume(stream.topic[:-1] + "m"))
    assert [(change.op, change.key["id"]) for change in told] == [("c", 1), ("c", 3)]
    assert [row[0] for row in stream.sql("SELECT id FROM m ORDER BY id")] == [1, 3]
    stream.program.stop()


def test_xa_transactions_are_told_when_they_commit(rough_mysql, rough):
    """R059, with restarts between prepare and end, and one killed."""
    stream = rough()

    def prepare(name, *statements):
        with rough_mysql.connect(database=stream.database) as session, session.cursor() as cursor:
            for statement in (f"XA START '{name}'", *statements, f"XA END '{name}'", f"XA PREPARE '{name}'"):
                cursor.execute(statement)
    prepare("g1", "INSERT INTO t (id, v) VALUES (1, 1)")
    stream.sql("INSERT INTO t (id, v) VALUES (10, 0)")
    stream.wait(10)
    stream.program.stop()
    stream.program.start()
    stream.sql("XA ROLLBACK 'g1'")
    prepare("g2", "INSERT INTO t (id, v) VALUES (2, 2), (20, 2)", "UPDATE t SET v = 3 WHERE id = 2")
    stream.sql("INSERT INTO t (id, v) VALUES (3, 3)")
    stream.wait(3)
    stream.program.kill()
    stream.program.start()
    stream.sql("INSERT INTO t (id, v) VALUES (4, 4)")
    stream.wait(4)
    rough_mysql.sql("FLUSH BINARY LOGS; XA COMMIT 'g2'")
    stream.sql("XA START 'g3'; INSERT INTO t (id, v) VALUES (5, 5); XA END 'g3'; XA COMMIT 'g3' ONE PHASE")
    prepare("g4", "INSERT INTO t (id, v) VALUES (6, 6)")
    stream.sql("XA COMMIT 'g4'")
    stream.next = 100
    changes = stream.settled(ordered=False)
    assert [(change.op, change.key["id"]) for change in changes] == [
        ("c", 10), ("c", 3), ("c", 4), ("c", 2), ("c", 20), ("u", 2), ("c", 5), ("c", 6), ("c", 100)]
    stream.program.stop()
    stream.program.start()
    assert len(stream.settled(ordered=False)) == len(changes) + 1


def test_an_xa_commit_without_its_rows_is_not_passed_over(rough_mysql, kafka, tidemark, names):
    """What was prepared before the first start commits with rows that never came: said at the start or at the commit."""
    rough_mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY, v INT)")
    with rough_mysql.connect(database=names.database) as session, session.cursor() as cursor:
        for statement in ("XA START 'old'", "INSERT INTO t VALUES (1, 1)", "XA END 'old'", "XA PREPARE 'old'"):
            cursor.execute(statement)
    program = tidemark(rough_mysql, kafka, database_include_list=names.database, also=PLAIN).start_ready()
    rough_mysql.sql(f"XA COMMIT 'old'; INSERT INTO {names.database}.t VALUES (2, 2)")
    assert decode(kafka.consume(f"{names.prefix}.{names.database}.t", until=1)[0]).key == {"id": 2}
    assert "XA" in program.log_text()
    rough_mysql.sql(f"DROP DATABASE {names.database}")


@pytest.mark.parametrize("mode", ["fail", "warn"])
def test_a_statement_in_place_of_rows(rough_mysql, kafka, rough, mode):
    """R062: on a table that is not captured it is passed over, on one that is the change is lost: that is not hidden."""
    stream = rough(**{"event.processing.failure.handling.mode": mode, "table.include.list": r".*\.t"})
    stream.sql("CREATE TABLE checks (n INT); SET SESSION binlog_format = STATEMENT; INSERT INTO checks SELECT COUNT(*) FROM t")
    stream.insert(1)
    stream.wait(1)
    stream.sql("SET SESSION binlog_format = STATEMENT; INSERT INTO t (id, v) VALUES (2, 1); "
               "SET SESSION binlog_format = ROW; INSERT INTO t (id, v) VALUES (3, 1)")
    if mode == "fail":
        stream.program.wait_exit(code=6)
        text = stream.program.log_text()
        assert f"{stream.database}.t" in text and "INSERT INTO t" in text and rough_mysql.position()[0] in text
        stream.program.write(event_processing_failure_handling_mode="warn").start()
    changes = decode_all(stream.wait(3))
    assert [change.key["id"] for change in changes] == [1, 3]
    assert "INSERT INTO t" in stream.program.log_text()


@pytest.mark.parametrize("mode", ["fail", "skip"])
def test_a_row_with_a_short_image(rough_mysql, kafka, rough, mode):
    stream = rough(**{"event.processing.failure.handling.mode": mode})
    stream.insert(1)
    stream.wait(1)
    stream.sql("SET SESSION binlog_row_image = MINIMAL; UPDATE t SET v = 5 WHERE id = 1")
    stream.next = 2
    last = stream.insert()[0]
    if mode == "fail":
        stream.program.wait_exit(code=6)
        assert f"{stream.database}.t" in stream.program.log_text() and "binlog_row_image" in stream.program.log_text()
        assert [change.key["id"] for change in decode_all(kafka.consume(stream.topic))] == [1]
        stream.program.write(event_processing_failure_handling_mode="skip").start()
    assert [(change.op, change.key["id"]) for change in decode_all(stream.wait(last))] == [("c", 1), ("c", 2)]


def start_among_tables(server, kafka, tidemark, names, databases, tables):
    """R070: a first start, a restart, and one after scratch tables came and went; three tables are captured."""
    for number in range(databases):
        server.sql(f"CREATE DATABASE {names.database}_{number}")
        columns = ", ".join(f"c{column} VARCHAR(50)" for column in range(30))
        server.sql(";".join(f"CREATE TABLE t{table} (id INT PRIMARY KEY, {columns})" for table in range(tables)),
                   database=f"{names.database}_{number}")
    program = tidemark(server, kafka, also={**PLAIN, "table.include.list": ",".join(
        rf"{names.database}_{number}\.t0" for number in range(3))})

    def start(number):
        began = time.monotonic()
        program.start_ready()
        took = time.monotonic() - began
        server.sql(f"INSERT INTO {names.database}_2.t0 (id) VALUES ({number})")
        kafka.consume(f"{names.prefix}.{names.database}_2.t0", until=number)
        if not program.is_sanitized:
            assert program.peak_rss() < 64 * MIB
        program.stop()
        return took
    took = [start(1), start(2)]
    server.sql("; ".join(f"CREATE TABLE scratch{number} (id INT); DROP TABLE scratch{number}" for number in range(tables)),
               database=f"{names.database}_0")
    took.append(start(3))
    shapes = kafka.consume(f"{program.properties['offset.storage.topic']}-shapes")
    assert len(shapes) == 3, "the shapes of tables that are not captured are not stored"
    return took


def test_a_start_among_many_tables(rough_mysql, kafka, tidemark, names):
    assert max(start_among_tables(rough_mysql, kafka, tidemark, names, databases=5, tables=60)) < 10


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_start_among_15000_tables(new_mysql, kafka, tidemark, names):
    assert max(start_among_tables(new_mysql(), kafka, tidemark, names, databases=300, tables=50)) < 10


@pytest.mark.long
@pytest.mark.parametrize("is_on", [False, True], ids=["plain", "compressed"])
def test_a_transaction_of_millions_of_rows(rough_mysql, rough_kafka, rough, is_on):
    """R067: more than 1 GiB of events, a slow broker, little memory, a server that gives up slow readers."""
    stream = rough(broker=rough_kafka, table="CREATE TABLE t (id INT PRIMARY KEY, t VARCHAR(500))",
                   **{"bootstrap.servers": rough_kafka.proxied, "producer.override.compression.type": "lz4"})
    count = 1_000_000
    rough_mysql.sql("SET SESSION sql_log_bin = 0, cte_max_recursion_depth = 10000000; "
                    f"INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
                    "SELECT i, REPEAT(HEX(i), 50) FROM n", database=stream.database)
    rough_mysql.sql("SET GLOBAL net_write_timeout = 10")
    try:
        rough_kafka.proxy.bytes_per_second = 10_000_000
        rough_mysql.sql(f"SET SESSION binlog_transaction_compression = {is_on}; UPDATE t SET t = CONCAT(t, 'x')",
                        database=stream.database)
        seen = 0
        with rough_kafka.reader(stream.topic) as reader:
            while seen < count:
                for record in reader.read_until(len, 300):
                    seen += 1
                    assert record.key == b'{"id":%d}' % seen
                reader.records.clear()
        changes = decode_all(rough_kafka.consume(stream.topic, until=1))
        source = changes[0].source
        event = rough_mysql.sql("SHOW BINLOG EVENTS IN %s FROM %s LIMIT 1", (source["file"], source["pos"]))[0]
        assert (event[2] == "Transaction_payload") == is_on
        if not stream.program.is_sanitized:  # a compressed transaction is one event
            assert stream.program.peak_rss() < 64 * MIB + 3 * (event[4] - event[1])
    finally:
        rough_kafka.proxy.bytes_per_second = None
        rough_mysql.sql("SET GLOBAL net_write_timeout = DEFAULT")
