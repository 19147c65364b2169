# SPDX-License-Identifier: Apache-2.0
"""What is stored for a restart: its form, that it is gone on from, and what is said when it can't be."""
import json
import re
import time

import pytest

from harness import wait_for
from harness.replay import decode, decode_all, payload, stored_offsets

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}


@pytest.fixture
def table(request, names):
    """table(server): a database with a table t (id) on it, dropped at the end."""
    servers = []

    def make(server):
        server.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY)")
        servers.append(server)

        def insert(*ids):
            for number in ids:
                server.sql(f"INSERT INTO {names.database}.t VALUES ({number})")
        return insert
    yield make
    for server in servers:
        if server.is_running():
            server.sql(f"DROP DATABASE {names.database}")


@pytest.fixture
def follow(tidemark, names):
    def make(server, kafka, **more):
        return tidemark(server, kafka, database_include_list=names.database, also={**PLAIN, **more})
    return make


def ids(kafka, names, until=None, **how):
    """The rows of t that were told."""
    if until is not None:
        how["until"] = lambda records: records and payload(records[-1].key)["id"] == until
    return [payload(record.key)["id"] for record in kafka.consume(f"{names.prefix}.{names.database}.t", **how)]


# ---- its form


def java_order(members):
    """The order in which a java.util.HashMap of 16 buckets gives them, members of one bucket as they came."""
    def bucket(text):
        code = 0
        for letter in text:
            code = (code * 31 + ord(letter)) & 0xffffffff
        return (code ^ code >> 16) & 15
    return sorted(members, key=bucket)


def test_a_stored_offset_is_the_connectors_byte_for_byte(mysql, kafka, table, follow, names):
    insert = table(mysql)
    program = follow(mysql, kafka, name=f"{names.prefix} \"na/me\"").start_ready()
    insert(1, 2)
    ids(kafka, names, until=2)
    program.stop()
    topic = program.properties["offset.storage.topic"]
    assert kafka.topic_config(topic)["cleanup.policy"] == "compact"
    assert kafka.topics()[topic] == 1
    record = kafka.consume(topic)[-1]
    assert record.key == b'["%s \\"na/me\\"",{"server":"%s"}]' % (names.prefix.encode(), names.prefix.encode())
    value = json.loads(record.value)
    assert record.value == json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    theirs = [name for name in value if not name.startswith("tidemark_")]
    assert list(value)[:len(theirs)] == theirs == java_order(theirs)
    file, pos = mysql.position()
    committed = mysql.sql("SHOW BINLOG EVENTS IN %s", (file,))[-1]
    assert committed[2] == "Xid" and committed[4] == pos
    assert value["ts_sec"] == pytest.approx(time.time(), abs=60)
    assert {name: value[name] for name in theirs} == {
        "ts_sec": value["ts_sec"], "file": file, "pos": pos, "gtids": mysql.gtid_executed(),
        "server_id": mysql.one("SELECT @@server_id")}
    assert all(isinstance(member, (str, int, bool)) for member in value.values()), "Connect refuses nested values"
    assert value["tidemark_server_uuid"] == mysql.server_uuid()


def test_an_offset_inside_a_transaction_counts_events_and_rows(mysql, kafka, table, follow, new_proxy, names):
    table(mysql)
    wire = new_proxy((mysql.host, mysql.port))
    program = follow(mysql, kafka, **{"database.hostname": wire.host, "database.port": wire.port, "database.ssl.mode": "disabled",
                                      "max.queue.size.in.bytes": 1 << 20, "tidemark.commit.interval.ms": 20}).start_ready()
    before = mysql.gtid_executed()
    wire.bytes_per_second = 60_000
    mysql.sql("SET SESSION cte_max_recursion_depth = 100000; INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 "
              "FROM n WHERE i < 20000) SELECT i FROM n", database=names.database)
    topic = program.properties["offset.storage.topic"]
    inside = lambda records: records and "event" in json.loads(records[-1].value)
    kafka.consume(topic, until=inside)
    program.kill()
    wire.bytes_per_second = None
    value = stored_offsets(kafka, program)[-1]
    told = len(ids(kafka, names))
    assert 0 < told < 20000 and value["gtids"] == before
    events = mysql.sql("SHOW BINLOG EVENTS IN %s FROM %s LIMIT 5000", (value["file"], value["pos"]))
    assert events[0][2] == "Query" and "BEGIN" in events[0][5]
    done = events[:value["event"]]
    rows_of_full_events = sum(event[2] == "Write_rows" for event in done)
    last = decode(kafka.consume(f"{names.prefix}.{names.database}.t")[-1]).source
    under_way = events[value["event"]] if value.get("row") else done[-1]
    assert under_way[2] == "Write_rows" and under_way[1] == last["pos"]
    assert value.get("row", last["row"] + 1) == last["row"] + 1
    assert rows_of_full_events > 0 or value.get("row")
    program.start()
    assert ids(kafka, names, until=20000) == list(range(1, 20001))


def test_a_position_that_moves_without_records_is_stored(mysql, kafka, table, follow, names):
    """So that it never ages until it is purged: from time to time, and at the end."""
    table(mysql)
    program = follow(mysql, kafka, **{"tidemark.offset.interval.ms": 300}).start_ready()

    def stored():
        values = stored_offsets(kafka, program)
        return values and values[-1]["gtids"]
    mysql.sql("FLUSH PRIVILEGES")
    wait_for(lambda: stored() == mysql.gtid_executed(), 10, "the position to be stored")
    count = len(stored_offsets(kafka, program))
    start = time.monotonic()
    wait_for(lambda: time.monotonic() > start + 1, what="a second without events")
    assert len(stored_offsets(kafka, program)) == count, "an idle position is not stored again"
    mysql.sql("FLUSH PRIVILEGES")
    program.stop()
    assert stored() == mysql.gtid_executed()


# ---- going on


@pytest.mark.parametrize("how", ["stop", "kill"])
@pytest.mark.parametrize("store", ["topic", "file"])
def test_a_restart_goes_on_where_it_was(mysql, kafka, table, follow, scratch, names, how, store):
    insert = table(mysql)
    file = scratch.folder("offsets") / "offsets.json"
    program = follow(mysql, kafka, **({"offset.storage.file.filename": file, "offset.storage.topic": None} if store == "file" else {})).start_ready()
    insert(1, 2)
    assert ids(kafka, names, until=2) == [1, 2]
    getattr(program, how)()
    insert(3)
    mysql.sql(f"ALTER TABLE {names.database}.t ADD v INT; INSERT INTO {names.database}.t VALUES (4, 4)")
    program.start()
    mysql.sql(f"INSERT INTO {names.database}.t VALUES (5, 5)")
    told = ids(kafka, names, until=5)
    assert (told if store == "topic" or how == "stop" else list(dict.fromkeys(told))) == [1, 2, 3, 4, 5]
    program.stop()
    assert file.exists() == (store == "file")


def test_another_prefix_or_name_is_another_life(mysql, kafka, table, follow, names):
    insert = table(mysql)
    program = follow(mysql, kafka).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    program.stop()
    insert(2)
    program.write(name=f"{names.prefix}-second").start_ready()
    insert(3)
    assert ids(kafka, names, until=3) == [1, 3]


def test_an_offsets_topic_that_is_not_compacted_is_refused(mysql, kafka, table, follow, names):
    table(mysql)
    program = follow(mysql, kafka)
    topic = program.properties["offset.storage.topic"]
    kafka.create_topic(topic, cleanup_policy="delete")
    program.start().wait_exit(code=4)
    assert topic in program.log_text() and "cleanup.policy" in program.log_text()


def test_a_second_instance_fences_the_first(mysql, kafka, table, follow, names):
    insert = table(mysql)
    first = follow(mysql, kafka).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    second = follow(mysql, kafka).start_ready()
    insert(2)
    ids(kafka, names, until=2)
    first.wait_exit(code=5)
    assert re.search(r"(?i)another instance|taken over|fenced", first.log_text()), first.log_text()
    insert(3)
    assert ids(kafka, names, until=3) == [1, 2, 3]
    second.stop()


def test_offsets_of_debezium_are_gone_on_from(mysql, kafka, table, follow, names):
    """As the connector stores them: at a boundary, and amid a transaction."""
    insert = table(mysql)
    file, pos = mysql.position()
    gtids = mysql.gtid_executed()
    insert(1)
    mysql.sql(f"INSERT INTO {names.database}.t VALUES (2), (3), (4)")
    begin = [event[1] for event in mysql.sql("SHOW BINLOG EVENTS IN %s FROM %s", (file, pos)) if event[2] == "Query"][1]
    uuid, last = mysql.gtid_executed().rsplit(":", 1)[0], int(mysql.gtid_executed().rsplit("-", 1)[1])
    for number, (offset, expected) in enumerate([
            ({"ts_sec": 1700000000, "file": file, "pos": pos, "gtids": gtids, "server_id": 1}, [1, 2, 3, 4]),
            ({"ts_sec": 1700000000, "file": file, "pos": begin, "gtids": f"{uuid}:1-{last - 1}", "row": 2, "server_id": 1,
              "event": 2}, [4])]):
        prefix = f"{names.prefix}_{number}"
        kafka.create_topic(f"{prefix}-offsets", cleanup_policy="compact")
        kafka.produce(f"{prefix}-offsets", json.dumps(offset, separators=(",", ":")), key=f'["{prefix}",{{"server":"{prefix}"}}]')
        program = follow(mysql, kafka, **{"name": prefix, "topic.prefix": prefix, "offset.storage.topic": f"{prefix}-offsets"})
        program.start()
        records = kafka.consume(f"{prefix}.{names.database}.t", until=lambda found: found and payload(found[-1].key) == {"id": 4})
        assert [payload(record.key)["id"] for record in records] == expected
        program.stop()


def test_a_place_behind_the_end_of_its_transaction_is_refused_until_it_is_set(mysql, kafka, table, follow, names):
    insert = table(mysql)
    offset = {"file": mysql.position()[0], "pos": mysql.position()[1], "gtids": mysql.gtid_executed(), "event": 300}
    kafka.create_topic(f"{names.prefix}-offsets", cleanup_policy="compact")
    kafka.produce(f"{names.prefix}-offsets", json.dumps(offset), key=f'["{names.prefix}",{{"server":"{names.prefix}"}}]')
    insert(1)
    program = follow(mysql, kafka)
    program.start()
    program.wait_exit(30, code=6)
    assert "go on behind event 300 of transaction" in program.log_text()
    program.run("offsets", "set", program, "--gtid", offset["gtids"])
    program.start()
    records = kafka.consume(f"{names.prefix}.{names.database}.t", until=1)
    assert payload(records[0].key) == {"id": 1}
    program.stop()


# ---- GTIDs, files, purges


def test_a_start_after_a_purge_then_a_restart(rough_mysql, kafka, table, follow, names):
    """R052: the stored set includes what was purged."""
    insert = table(rough_mysql)
    rough_mysql.sql("FLUSH BINARY LOGS")
    rough_mysql.sql(f"PURGE BINARY LOGS TO '{rough_mysql.position()[0]}'")
    assert rough_mysql.one("SELECT @@global.gtid_purged") != ""
    program = follow(rough_mysql, kafka).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    program.stop()
    insert(2)
    program.start()
    assert ids(kafka, names, until=2) == [1, 2]
    program.stop()
    assert stored_offsets(kafka, program)[-1]["gtids"].split(":")[1].startswith("1-")


def test_a_position_that_was_purged_is_told_with_what_is_missing(rough_mysql, kafka, table, follow, names):
    """R053"""
    insert = table(rough_mysql)
    program = follow(rough_mysql, kafka).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    program.stop()
    before = stored_offsets(kafka, program)[-1]
    insert(*range(2, 12))
    rough_mysql.sql("FLUSH BINARY LOGS")
    insert(12)
    rough_mysql.sql(f"PURGE BINARY LOGS TO '{rough_mysql.position()[0]}'")
    start = time.monotonic()
    program.start().wait_exit(timeout=20, code=6)
    assert time.monotonic() - start < 10
    text = program.log_text()
    uuid = rough_mysql.server_uuid()
    first = int(re.search(rf"{uuid}:1-(\d+)", before["gtids"])[1]) + 1
    assert before["gtids"] in text, "the stored position"
    assert f"{uuid}:{first}-{first + 9}" in text, f"what is missing: {text}"
    assert rough_mysql.one("SELECT @@global.gtid_purged").replace("\n", "") in text, "what the server has no longer"
    assert "hint" in text
    assert stored_offsets(kafka, program)[-1] == before
    assert ids(kafka, names) == [1]
    program.start().wait_exit(timeout=20, code=6)


def test_a_purge_while_the_wire_is_cut(rough_mysql, kafka, table, follow, new_proxy, names):
    insert = table(rough_mysql)
    wire = new_proxy((rough_mysql.host, rough_mysql.port))
    program = follow(rough_mysql, kafka, **{"database.hostname": wire.host, "database.port": wire.port,
                                            "database.ssl.mode": "disabled"}).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    wire.refuse()
    wire.cut()
    insert(2, 3)
    wait_for(lambda: not rough_mysql.sql("SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%' AND "
                                         "user = 'tidemark'"), what="the dump to end")
    rough_mysql.sql("FLUSH BINARY LOGS")
    rough_mysql.sql(f"PURGE BINARY LOGS TO '{rough_mysql.position()[0]}'")
    wire.refuse(False)
    program.wait_exit(timeout=60, code=6)
    assert "purged" in program.log_text()
    assert ids(kafka, names) == [1]


def test_without_gtids_file_and_position_count(plain_mysql, kafka, table, follow, names):
    insert = table(plain_mysql)
    program = follow(plain_mysql, kafka).start_ready()
    insert(1)
    plain_mysql.sql("FLUSH BINARY LOGS")
    insert(2)
    ids(kafka, names, until=2)
    program.stop()
    value = stored_offsets(kafka, program)[-1]
    assert "gtids" not in value and (value["file"], value["pos"]) == plain_mysql.position()
    insert(3)
    program.start()
    ids(kafka, names, until=3)
    program.kill()
    plain_mysql.kill()
    plain_mysql.start()
    insert(4)
    program.start()
    insert(5)
    assert ids(kafka, names, until=5) == [1, 2, 3, 4, 5]
    change = decode_all(kafka.consume(f"{names.prefix}.{names.database}.t"))[-1]
    assert change.source["gtid"] is None
    assert change.source["ts_ms"] % 1000 == 0 and change.source["ts_ms"] / 1000 == pytest.approx(time.time(), abs=60)


def test_without_gtids_a_restart_amid_a_transaction(plain_mysql, kafka, table, follow, new_proxy, names):
    table(plain_mysql)
    wire = new_proxy((plain_mysql.host, plain_mysql.port))
    program = follow(plain_mysql, kafka, **{"database.hostname": wire.host, "database.port": wire.port,
                                            "database.ssl.mode": "disabled"}).start_ready()
    wire.stop_dump_after = 30_000
    plain_mysql.sql("SET SESSION cte_max_recursion_depth = 100000; INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
                    "SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n", database=names.database)
    told = []
    for allowed in (30_000, 60_000):
        wire.stop_dump_after = allowed
        kafka.consume(f"{names.prefix}.{names.database}.t", until=len(told) + 1)
        program.kill()
        told = ids(kafka, names)
        assert len(told) < 20000
        program.start()
    wire.stop_dump_after = None
    assert ids(kafka, names, until=20000) == list(range(1, 20001))


def test_without_gtids_a_purged_file_is_named(plain_mysql, kafka, table, follow, names):
    insert = table(plain_mysql)
    program = follow(plain_mysql, kafka).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    program.stop()
    before = stored_offsets(kafka, program)[-1]
    insert(2)
    plain_mysql.sql("FLUSH BINARY LOGS")
    plain_mysql.sql(f"PURGE BINARY LOGS TO '{plain_mysql.position()[0]}'")
    program.start().wait_exit(timeout=20, code=6)
    text = program.log_text()
    assert before["file"] in text and plain_mysql.position()[0] in text, text
    assert "hint" in text and stored_offsets(kafka, program)[-1] == before


@pytest.mark.long
def test_file_numbers_beyond_six_digits(new_mysql, kafka, table, follow, names):
    """R058: 999999 comes before 1000000; and a server whose log has another name."""
    server = new_mysql({"gtid-mode": "OFF", "enforce-gtid-consistency": "OFF"})
    server.sql("RESET BINARY LOGS AND GTIDS TO 999998")
    insert = table(server)
    program = follow(server, kafka).start_ready()
    for number in range(1, 5):
        if number == 4:
            program.stop()
            server.sql(f"ALTER TABLE {names.database}.t ADD v INT DEFAULT 7")
            program.start()
        server.sql(f"INSERT INTO {names.database}.t (id) VALUES ({number}); FLUSH BINARY LOGS")
    changes = decode_all(kafka.consume(f"{names.prefix}.{names.database}.t", until=4))
    assert [change.key["id"] for change in changes] == [1, 2, 3, 4]
    assert [int(change.source["file"].split(".")[1]) for change in changes] == [999998, 999999, 1000000, 1000001]
    assert changes[3].after == {"id": 4, "v": 7}
    program.stop()
    before = stored_offsets(kafka, program)[-1]
    server.kill()
    server.start(log_bin="other-base")
    server.sql(f"INSERT INTO {names.database}.t (id) VALUES (5)")
    program.start().wait_exit(timeout=20, code=6)
    assert before["file"] in program.log_text()


@pytest.mark.long
def test_with_gtids_a_log_of_another_name_is_gone_on_with(new_mysql, kafka, table, follow, names):
    server = new_mysql()
    insert = table(server)
    program = follow(server, kafka).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    program.stop()
    server.kill()
    server.start(log_bin="other-base")
    insert(2)
    program.start()
    assert ids(kafka, names, until=2) == [1, 2]


@pytest.mark.parametrize("mode", ["no_data", "when_needed"])
def test_a_log_that_began_anew_is_noticed(new_mysql, kafka, names, follow, mode):
    """RESET BINARY LOGS AND GTIDS: the server numbers other transactions as those that were told."""
    server = new_mysql()
    server.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY, v LONGTEXT)")
    program = follow(server, kafka, **{"snapshot.mode": "no_data"}).start_ready()
    server.sql(f"INSERT INTO {names.database}.t VALUES (1, REPEAT('x', 100000))")
    ids(kafka, names, until=1)
    program.stop()
    server.sql("RESET BINARY LOGS AND GTIDS")
    for number in range(2, 20):
        server.sql(f"INSERT INTO {names.database}.t VALUES ({number}, '')")
    program.write(snapshot_mode=mode).start()
    if mode == "no_data":
        program.wait_exit(timeout=20, code=6)
        assert "has begun anew" in program.log_text() and "hint" in program.log_text()
        return
    assert ids(kafka, names, until=19) == [1, *range(1, 20)]
    program.stop()


@pytest.mark.parametrize("mode", ["no_data", "when_needed"])
def test_a_log_that_begins_anew_is_noticed_while_it_is_read(new_mysql, kafka, table, names, follow, mode):
    """The server says nothing of it to who is reading."""
    server = new_mysql()
    insert = table(server)
    program = follow(server, kafka, **{"snapshot.mode": "no_data", "tidemark.lookout.interval.ms": 500}).start_ready()
    program.stop()
    program.write(snapshot_mode=mode).start_ready()
    insert(1, 2, 3)
    ids(kafka, names, until=3)
    server.sql("RESET BINARY LOGS AND GTIDS")
    insert(4)
    program.wait_for_log("has begun anew|does not know", 20)
    if mode == "no_data":
        program.wait_exit(timeout=20, code=6)
        return
    assert ids(kafka, names, until=4)[-4:] == [1, 2, 3, 4]
    insert(5)
    assert ids(kafka, names, until=5)[-5:] == [1, 2, 3, 4, 5]
    program.stop()


@pytest.mark.parametrize("gtid_mode", ["ON", "OFF"])
@pytest.mark.parametrize("mode", ["no_data", "when_needed"])
def test_another_log_is_noticed_where_the_position_is_a_place_in_it_too(new_mysql, kafka, table, names, follow, gtid_mode, mode):
    server = new_mysql({"gtid-mode": gtid_mode, "enforce-gtid-consistency": "ON"})
    insert = table(server)
    reset = "RESET BINARY LOGS AND GTIDS"
    server.sql(reset)
    program = follow(server, kafka, **{"snapshot.mode": "no_data", "tidemark.snapshot.for.share": gtid_mode == "OFF"}).start_ready()
    insert(1, 2)
    ids(kafka, names, until=2)
    program.stop()
    end = server.position()
    time.sleep(1)  # a file is known by the second in which it was made
    server.sql(reset)
    insert(3, 4)
    assert server.position() == end
    insert(5)
    program.write(snapshot_mode=mode).start()
    program.wait_for_log("has begun anew: .*another|has begun anew: .*not the one", 20)
    if mode == "no_data":
        program.wait_exit(timeout=20, code=6)
        return
    assert ids(kafka, names, until=5) == [1, 2, 1, 2, 3, 4, 5]
    program.stop()


def test_gtids_that_are_switched_on_later_are_taken_up_by_the_next_start(new_mysql, kafka, table, names, follow):
    server = new_mysql({"gtid-mode": "OFF", "enforce-gtid-consistency": "ON"})
    insert = table(server)
    program = follow(server, kafka, **{"snapshot.mode": "no_data"}).start_ready()
    insert(1)
    for mode in ("OFF_PERMISSIVE", "ON_PERMISSIVE"):
        server.sql(f"SET GLOBAL gtid_mode = {mode}")
    insert(2)
    server.sql("SET GLOBAL gtid_mode = ON")
    insert(3)
    ids(kafka, names, until=3)
    program.stop()
    assert "gtids" not in stored_offsets(kafka, program)[-1]
    server.sql(f"ALTER TABLE {names.database}.t ADD COLUMN v INT INVISIBLE DEFAULT 7")
    insert(4)
    program.start()
    ids(kafka, names, until=4)
    program.wait_for_log("has GTIDs now")
    insert(5)
    ids(kafka, names, until=5)
    program.stop()
    assert stored_offsets(kafka, program)[-1]["gtids"] == server.gtid_executed()
    insert(6)
    program.start()
    assert ids(kafka, names, until=6) == [1, 2, 3, 4, 5, 6]
    program.stop()
    assert "has GTIDs now" not in program.log_text()


def test_a_replica_of_the_same_source_is_gone_on_with(new_mysql, kafka, table, follow, names):
    """By GTIDs, amid other files and positions; also one that lags behind what was told, once it has caught up."""
    source = new_mysql()
    insert = table(source)
    replica = new_mysql(replica_of=source)
    program = follow(source, kafka).start_ready()
    insert(1, 2)
    ids(kafka, names, until=2)
    program.stop()
    insert(3)
    program.write(database_port=replica.port).start()
    insert(4)
    assert ids(kafka, names, until=4) == [1, 2, 3, 4]
    program.stop()
    replica.sql("STOP REPLICA")
    insert(5)
    program.write(database_port=source.port).start()
    ids(kafka, names, until=5)
    program.stop()
    program.write(database_port=replica.port).start_ready()
    replica.sql("START REPLICA")
    insert(6)
    assert ids(kafka, names, until=6) == [1, 2, 3, 4, 5, 6]


def test_a_server_that_lost_what_was_told_is_refused(new_mysql, kafka, table, follow, names):
    """Its next transactions would bear GTIDs that count as told."""
    server = new_mysql()
    insert = table(server)
    program = follow(server, kafka).start_ready()
    insert(1, 2)
    ids(kafka, names, until=2)
    program.stop()
    before = stored_offsets(kafka, program)[-1]
    server.sql("RESET BINARY LOGS AND GTIDS")
    insert(3)
    program.start().wait_exit(timeout=20, code=6)
    assert "does not know" in program.log_text() and "hint" in program.log_text()
    assert stored_offsets(kafka, program)[-1] == before


# ---- the server's settings


@pytest.mark.parametrize("setting, bad, good", [
    ("binlog_format", "STATEMENT", "ROW"), ("binlog_format", "MIXED", "ROW"), ("binlog_row_image", "MINIMAL", "FULL"),
    ("binlog_row_image", "NOBLOB", "FULL")])
def test_a_setting_that_loses_rows_is_refused(rough_mysql, kafka, table, follow, setting, bad, good):
    table(rough_mysql)
    rough_mysql.sql(f"SET GLOBAL {setting} = {bad}")
    try:
        program = follow(rough_mysql, kafka).start()
        program.wait_exit(code=3)
        assert re.search(rf"{setting}.*{bad}.*{good}", program.log_text()), program.log_text()
    finally:
        rough_mysql.sql(f"SET GLOBAL {setting} = {good}")


def test_a_server_without_a_log_is_refused(new_mysql, kafka, table, follow):
    server = new_mysql({"log-bin": None, "skip-log-bin": "", "gtid-mode": "OFF", "enforce-gtid-consistency": "OFF"})
    table(server)
    program = follow(server, kafka).start()
    program.wait_exit(code=3)
    assert "log_bin" in program.log_text()


@pytest.mark.long
def test_a_replica_that_does_not_log_is_refused(new_mysql, kafka, table, follow):
    source = new_mysql()
    table(source)
    replica = new_mysql({"log-replica-updates": "OFF"}, replica_of=source)
    program = follow(replica, kafka).start()
    program.wait_exit(code=3)
    assert "log_replica_updates" in program.log_text()


@pytest.mark.parametrize("mode", ["OFF", "ON_PERMISSIVE"])
def test_a_gtid_mode_below_the_stored_one_is_refused(rough_mysql, kafka, table, follow, names, mode):
    insert = table(rough_mysql)
    program = follow(rough_mysql, kafka).start_ready()
    insert(1)
    ids(kafka, names, until=1)
    program.stop()
    before = stored_offsets(kafka, program)[-1]
    steps = ["ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF"]
    steps = steps[:steps.index(mode) + 1]
    try:
        for step in steps:
            rough_mysql.sql(f"SET GLOBAL gtid_mode = {step}")
        program.start().wait_exit(code=3)
        assert "gtid_mode" in program.log_text() and stored_offsets(kafka, program)[-1] == before
    finally:
        for step in [*reversed(steps[:-1]), "ON"]:
            rough_mysql.sql(f"SET GLOBAL gtid_mode = {step}")
    insert(2)
    program.start()
    assert ids(kafka, names, until=2) == [1, 2]


def test_a_server_id_that_is_taken_is_refused(mysql, kafka, table, follow):
    table(mysql)
    program = follow(mysql, kafka, **{"database.server.id": mysql.one("SELECT @@server_id")}).start()
    program.wait_exit(code=2)
    assert "database.server.id" in program.log_text()


# ---- the command that shows them


def test_offsets_show(mysql, kafka, table, follow, names):
    insert = table(mysql)
    program = follow(mysql, kafka)
    assert "none" in program.run("offsets", "show", program, code=1)
    program.start_ready()
    insert(1)
    ids(kafka, names, until=1)
    program.stop()
    stored = stored_offsets(kafka, program)[-1]
    insert(2, 3)
    text = program.run("offsets", "show", program)
    assert stored["file"] in text and str(stored["pos"]) in text and stored["gtids"] in text
    shown = json.loads(program.run("offsets", "show", program, "--json"))
    assert shown["stored"]["position"] == {"file": stored["file"], "pos": stored["pos"]}
    assert shown["stored"]["gtids"] == stored["gtids"]
    assert 0 <= shown["stored"]["age_sec"] < 60
    file, pos = mysql.position()
    assert shown["server"]["end"] == {"file": file, "pos": pos}
    assert shown["lag_transactions"] == 2
    if file == stored["file"]:
        assert shown["lag_bytes"] == pos - stored["pos"]
    mysql.sql("FLUSH BINARY LOGS")
    insert(4)
    assert json.loads(program.run("offsets", "show", program, "--json"))["lag_transactions"] == 3
    assert mysql.user_password not in text
    program.start()
    ids(kafka, names, until=4)
    wait_for(lambda: json.loads(program.run("offsets", "show", program, "--json"))["lag_transactions"] == 0, what="no lag")
    insert(5)
    assert ids(kafka, names, until=5) == [1, 2, 3, 4, 5], "showing does not disturb"
