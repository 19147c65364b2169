# SPDX-License-Identifier: Apache-2.0
"""What is changed in the tables arrives as records of the Debezium MySQL connector: keys, values, schemas, headers, order."""
import itertools
import json
import re
import threading
import uuid

import pytest

from harness import wait_for
from harness.replay import Replay, decode, decode_all, payload

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
CONTEXT = ["__debezium.context.connectorLogicalName", "__debezium.context.taskId", "__debezium.context.connectorName",
           "__debezium.context.runId"]


@pytest.fixture
def database(mysql, names):
    """An empty database of this test's own, dropped at its end."""
    mysql.sql(f"CREATE DATABASE {names.database}")
    yield names.database
    mysql.sql(f"DROP DATABASE {names.database}")


@pytest.fixture
def started(mysql, kafka, tidemark, database, names):
    """started(key=value…, also={…}): a program that follows the test's database, without schemas, and streams."""
    def start(also=None, **more):
        if not any(key.endswith("_list") for key in more):
            more["database_include_list"] = database
        return tidemark(mysql, kafka, also={**PLAIN, **(also or {})}, **more).start_ready()
    return start


# ---- values


def test_common_types_are_written_as_debezium_writes_them(mysql, kafka, started, database, names):
    mysql.sql("""CREATE TABLE t (id INT PRIMARY KEY, tiny TINYINT UNSIGNED, small SMALLINT, medium MEDIUMINT, big BIGINT,
        ubig BIGINT UNSIGNED, uint INT UNSIGNED, price DECIMAL(10,2), f FLOAT, d DOUBLE, name VARCHAR(50), c CHAR(5), txt TEXT,
        bin BINARY(4), vb VARBINARY(10), bl BLOB, day DATE, tm TIME(3), dt DATETIME, dt6 DATETIME(6), ts TIMESTAMP(3) NULL,
        y YEAR, e ENUM('small', 'large'), s SET('a', 'b', 'c'), j JSON, b1 BIT, b10 BIT(10), none INT)""", database=database)
    started()
    mysql.sql("""SET time_zone = '+02:00'; INSERT INTO t VALUES (1, 200, -300, 8388607, -9223372036854775808,
        18446744073709551615, 4294967295, 19.99, 1.5, 1e-7, 'žluť 🐳', 'ab', 'one\\n"two"\\\\', x'0102', x'ff00', 'blob',
        '2024-02-29', '-12:34:56.789', '2024-02-29 12:34:56', '2024-02-29 12:34:56.123456', '2024-02-29 14:34:56.120',
        2024, 'large', 'c,a', '{"bb": [1, 2.5, "x"], "a": null}', 1, b'1000000001', NULL)""", database=database)
    record = kafka.consume(f"{names.prefix}.{database}.t", until=1)[0]
    expected = {
        "id": 1, "tiny": 200, "small": -300, "medium": 8388607, "big": -9223372036854775808, "ubig": -1, "uint": 4294967295,
        "price": "B88=", "f": 1.5, "d": 1e-7, "name": "žluť 🐳", "c": "ab", "txt": 'one\n"two"\\', "bin": "AQIAAA==",
        "vb": "/wA=", "bl": "YmxvYg==", "day": 19782, "tm": -45296789000, "dt": 1709210096000, "dt6": 1709210096123456,
        "ts": "2024-02-29T12:34:56.120Z", "y": 2024, "e": "large", "s": "a,c", "j": '{"a":null,"bb":[1,2.5,"x"]}',
        "b1": True, "b10": "AQI=", "none": None}
    after = json.loads(record.value)["after"]
    assert after == expected
    assert list(after) == list(expected), "columns in the table's order"
    assert record.key == b'{"id":1}'
    text = record.value.decode()
    assert r'"name":"žluť \uD83D\uDC33"' in text and '"d":1.0E-7' in text, text
    assert text.startswith('{"before":null,"after":{"id":1,') and "\n" not in text and '": ' not in text


def test_numbers_at_their_limits_and_null_in_every_column(mysql, kafka, started, database, names):
    """Each type's ends; a row of NULLs; a default takes the place of NULL, as the converter's switch says."""
    mysql.sql("""CREATE TABLE t (id BIGINT PRIMARY KEY, a TINYINT, b SMALLINT UNSIGNED, c MEDIUMINT UNSIGNED, d DECIMAL(30,10),
        e DOUBLE, f VARCHAR(20), g DATETIME(3), h INT DEFAULT 7)""", database=database)
    rows = [(-9223372036854775808, -128, 0, 0, "-99999999999999999999.9999999999", -1.7976931348623157e308, "", "1000-01-01", 1),
            (9223372036854775807, 127, 65535, 16777215, "99999999999999999999.9999999999", 5e-324, " x ", "9999-12-31 23:59:59.999", 2),
            (0, None, None, None, None, None, None, None, None)]
    program = started()
    mysql.many("INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", rows, database=database)
    topic = f"{names.prefix}.{database}.t"
    replay = Replay().apply(kafka.consume(topic, until=3))
    assert replay.tables[topic]['{"id": 0}'] == {**dict.fromkeys("abcdefg"), "id": 0, "h": 7}
    program.stop()
    program.write(**{"value.converter.replace.null.with.default": False}).start_ready()
    mysql.sql("UPDATE t SET a = 1 WHERE id = 0", database=database)
    replay.apply([]).tables[topic]['{"id": 0}']["h"] = None
    replay.apply(kafka.consume(topic, until=4)[3:]).end().assert_equals(mysql, names.prefix, database, "t")


def test_key_and_value_carry_their_schemas(mysql, kafka, tidemark, database, names):
    mysql.sql("CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(20), price DECIMAL(10,2), "
              "state ENUM('new', 'paid') NOT NULL DEFAULT 'new')", database=database)
    tidemark(mysql, kafka, database_include_list=database).start_ready()
    mysql.sql("INSERT INTO orders VALUES (1001, 'lamp', 19.99, 'paid')", database=database)
    topic = f"{names.prefix}.{database}.orders"
    record = kafka.consume(topic, until=1)[0]
    assert record.key.decode() == ('{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],'
                                   f'"optional":false,"name":"{topic}.Key"}},"payload":{{"id":1001}}}}')
    value = json.loads(record.value)
    assert list(value) == ["schema", "payload"]
    assert value["payload"]["after"] == {"id": 1001, "name": "lamp", "price": "B88=", "state": "paid"}
    expected = envelope_schema(topic, [
        {"type": "int32", "optional": False, "field": "id"},
        {"type": "string", "optional": True, "field": "name"},
        {"type": "bytes", "optional": True, "name": "org.apache.kafka.connect.data.Decimal", "version": 1,
         "parameters": {"scale": "2", "connect.decimal.precision": "10"}, "field": "price"},
        {"type": "string", "optional": False, "name": "io.debezium.data.Enum", "version": 1,
         "parameters": {"allowed": "new,paid"}, "default": "new", "field": "state"}])
    text = json.dumps(expected, separators=(",", ":"), ensure_ascii=False)
    assert record.value.decode().startswith('{"schema":' + text + ',"payload":{"before":null,"after":{"id":1001,')
    mysql.sql("DELETE FROM orders", database=database)
    deleted, tombstone = kafka.consume(topic, until=3)[1:]
    assert (deleted.key, tombstone.key) == (record.key, record.key)
    assert tombstone.value is None


def envelope_schema(topic, columns):
    def field(kind, optional, name):
        return {"type": kind, "optional": optional, "field": name}
    row = {"type": "struct", "fields": columns, "optional": True, "name": f"{topic}.Value"}
    source = [
        field("string", False, "version"), field("string", False, "connector"), field("string", False, "name"),
        field("int64", False, "ts_ms"),
        {"type": "string", "optional": True, "name": "io.debezium.data.Enum", "version": 1,
         "parameters": {"allowed": "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"},
         "default": "false", "field": "snapshot"},
        field("string", False, "db"), field("string", True, "sequence"), field("int64", True, "ts_us"),
        field("int64", True, "ts_ns"), field("string", True, "table"), field("int64", False, "server_id"),
        field("string", True, "gtid"), field("string", False, "file"), field("int64", False, "pos"),
        field("int32", False, "row"), field("int64", True, "thread"), field("string", True, "query")]
    return {"type": "struct", "fields": [
        {**row, "field": "before"}, {**row, "field": "after"},
        {"type": "struct", "fields": source, "optional": False, "name": "io.debezium.connector.mysql.Source", "version": 1,
         "field": "source"},
        {"type": "struct", "fields": [field("string", False, "id"), field("int64", False, "total_order"),
                                      field("int64", False, "data_collection_order")],
         "optional": True, "name": "event.block", "version": 1, "field": "transaction"},
        field("string", False, "op"), field("int64", True, "ts_ms"), field("int64", True, "ts_us"),
        field("int64", True, "ts_ns")], "optional": False, "name": f"{topic}.Envelope", "version": 2}


# ---- envelope, source, headers


def test_source_names_the_very_event(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)", database=database)
    started()
    with mysql.connect(database=database, autocommit=False) as session, session.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID(), UNIX_TIMESTAMP(NOW(3)) * 1000")
        thread, before_ms = cursor.fetchone()
        cursor.execute("INSERT INTO t VALUES (1, 10), (2, 20)")
        cursor.execute("UPDATE t SET v = 11 WHERE id = 1")
        session.commit()
        cursor.execute("SELECT UNIX_TIMESTAMP(NOW(3)) * 1000")
        after_ms = cursor.fetchone()[0]
    topic = f"{names.prefix}.{database}.t"
    records = kafka.consume(topic, until=3)
    changes = decode_all(records)
    events = {row[1]: row for row in mysql.sql(f"SHOW BINLOG EVENTS IN '{changes[0].source['file']}'")}
    assert [events[change.source["pos"]][2] for change in changes] == ["Write_rows", "Write_rows", "Update_rows"]
    assert [change.source["row"] for change in changes] == [0, 1, 0]
    assert [(change.op, change.before, change.after) for change in changes] == [
        ("c", None, {"id": 1, "v": 10}), ("c", None, {"id": 2, "v": 20}), ("u", {"id": 1, "v": 10}, {"id": 1, "v": 11})]
    source = changes[0].source
    gtids = {event[5].split("'")[1] for event in events.values() if event[2] == "Gtid"}
    assert {change.source["gtid"] for change in changes} == {source["gtid"]} <= gtids
    assert before_ms - 1 <= source["ts_ms"] <= after_ms + 1
    assert (source["ts_us"] // 1000, source["ts_ns"] // 1000) == (source["ts_ms"], source["ts_us"])
    assert {name: value for name, value in source.items() if not name.startswith("ts_")} == {
        "version": "3.6.1.Final", "connector": "mysql", "name": names.prefix, "snapshot": "false", "db": database,
        "sequence": None, "table": "t", "server_id": mysql.one("SELECT @@server_id"), "gtid": source["gtid"],
        "file": source["file"], "pos": source["pos"], "row": 0, "thread": thread, "query": None}
    assert list(source) == ["version", "connector", "name", "ts_ms", "snapshot", "db", "sequence", "ts_us", "ts_ns", "table",
                            "server_id", "gtid", "file", "pos", "row", "thread", "query"]
    value = json.loads(records[0].value)
    assert list(value) == ["before", "after", "source", "transaction", "op", "ts_ms", "ts_us", "ts_ns"]
    assert value["transaction"] is None
    assert source["ts_ms"] <= value["ts_ms"] <= records[0].timestamp + 1000
    assert (value["ts_us"] // 1000, value["ts_ns"] // 1000) == (value["ts_ms"], value["ts_us"])


def test_a_statement_is_told_where_it_is_asked_for_and_logged(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY)", database=database)
    program = started(include_query=True)
    statement = "INSERT /* why */ INTO t VALUES (1)"
    mysql.sql(f"SET SESSION binlog_rows_query_log_events = ON; {statement}", database=database)
    mysql.sql("INSERT INTO t VALUES (2)", database=database)
    topic = f"{names.prefix}.{database}.t"
    assert [change.source["query"] for change in decode_all(kafka.consume(topic, until=2))] == [statement, None]
    program.stop()
    program.write(include_query=False).start_ready()
    mysql.sql("SET SESSION binlog_rows_query_log_events = ON; INSERT INTO t VALUES (3)", database=database)
    assert decode(kafka.consume(topic, until=3)[2]).source["query"] is None


def test_headers_name_the_run(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)", database=database)
    program = started()
    mysql.sql("INSERT INTO t VALUES (1, 1); DELETE FROM t", database=database)
    topic = f"{names.prefix}.{database}.t"
    records = kafka.consume(topic, until=3)
    for record in records:
        assert [name for name, _ in record.headers] == CONTEXT
        assert [value for _, value in record.headers[:3]] == [names.prefix.encode(), b"0", b"mysql"]
    run = {record.headers[3][1].decode() for record in records}
    assert len(run) == 1 and str(uuid.UUID(*run)) in run
    program.stop()
    program.start_ready()
    mysql.sql("INSERT INTO t VALUES (2, 1)", database=database)
    again = kafka.consume(topic, until=4)[3].headers[3][1].decode()
    assert str(uuid.UUID(again)) == again and again not in run
    program.stop()
    program.write(extended_headers_enabled=False).start_ready()
    mysql.sql("INSERT INTO t VALUES (3, 1); UPDATE t SET id = 4 WHERE id = 3", database=database)
    assert [record.headers for record in kafka.consume(topic, until=8)[4:]] == [
        [], [("__debezium.newkey", b'{"id":4}')], [("__debezium.newkey", b'{"id":4}')], [("__debezium.oldkey", b'{"id":3}')]]


# ---- keys


def test_a_changed_key_is_a_delete_a_tombstone_and_an_insert(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (b VARCHAR(10), a INT, v INT, PRIMARY KEY (b, a))", database=database)
    started()
    mysql.sql("INSERT INTO t VALUES ('x\"', 1, 5); UPDATE t SET a = 2, v = 6", database=database)
    _, deleted, tombstone, inserted = kafka.consume(f"{names.prefix}.{database}.t", until=4)
    old, new = b'{"b":"x\\"","a":1}', b'{"b":"x\\"","a":2}'
    assert [record.key for record in (deleted, tombstone, inserted)] == [old, old, new]
    assert tombstone.value is None
    first, second = decode(deleted), decode(inserted)
    assert (first.op, first.before, first.after) == ("d", {"b": 'x"', "a": 1, "v": 5}, None)
    assert (second.op, second.before, second.after) == ("c", None, {"b": 'x"', "a": 2, "v": 6})
    assert first.source == second.source
    assert [name for name, _ in deleted.headers] == ["__debezium.newkey", *CONTEXT]
    assert deleted.headers == tombstone.headers
    assert [name for name, _ in inserted.headers] == ["__debezium.oldkey", *CONTEXT]
    assert (deleted.headers[0][1], inserted.headers[0][1]) == (new, old)


def test_keys_come_from_the_primary_key_a_unique_key_a_setting_or_not_at_all(mysql, kafka, started, database, names):
    mysql.sql("""CREATE TABLE by_unique (a INT, b INT NOT NULL, c INT NOT NULL, UNIQUE (a), UNIQUE (c, b));
                 CREATE TABLE keyless (a INT, b INT);
                 CREATE TABLE chosen (a INT PRIMARY KEY, b INT, c INT)""", database=database)
    started(message_key_columns=f"{database}.chosen:c,b")
    mysql.sql("""INSERT INTO by_unique VALUES (1, 2, 3); INSERT INTO keyless VALUES (1, 2); INSERT INTO chosen VALUES (1, 2, 3);
                 DELETE FROM keyless""", database=database)
    keys = {table: [record.key for record in kafka.consume(f"{names.prefix}.{database}.{table}", until=count)]
            for table, count in (("by_unique", 1), ("keyless", 3), ("chosen", 1))}
    assert keys == {"by_unique": [b'{"c":3,"b":2}'], "keyless": [None] * 3, "chosen": [b'{"c":3,"b":2}']}
    assert kafka.consume(f"{names.prefix}.{database}.keyless")[2].value is None, "a tombstone without a key"


def test_a_key_is_in_the_partition_of_the_java_client(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (id VARCHAR(40) PRIMARY KEY)", database=database)
    topic = f"{names.prefix}.{database}.t"
    kafka.create_topic(topic, partitions=7)
    started()
    mysql.many("INSERT INTO t VALUES (%s)", [("k" * (number % 9) + f"é{number}",) for number in range(300)], database=database)
    records = kafka.consume(topic, until=300)
    assert {record.partition for record in records} == set(range(7))
    for record in records:
        assert record.partition == (murmur2(record.key) & 0x7fffffff) % 7, record


def murmur2(data):
    """As org.apache.kafka.common.utils.Utils has it."""
    m, mask = 0x5bd1e995, 0xffffffff
    h = 0x9747b28c ^ len(data)
    for at in range(0, len(data) // 4 * 4, 4):
        k = int.from_bytes(data[at:at + 4], "little") * m & mask
        h = (h * m & mask) ^ ((k ^ k >> 24) * m & mask)
    rest = data[len(data) // 4 * 4:]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def test_order_is_that_of_the_log(mysql, kafka, started, database, names):
    """Many sessions, many tables, one partition: the records of each table rise, and add up to it."""
    tables = ["t0", "t1", "t2"]
    mysql.sql(";".join(f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT)" for table in tables), database=database)
    started()

    def write(number):
        with mysql.connect(database=database) as session, session.cursor() as cursor:
            for turn in range(40):
                for table in tables:
                    key = number * 1000 + turn
                    cursor.execute(f"BEGIN; INSERT INTO {table} VALUES ({key}, 0), ({key + 100000}, 0); "
                                   f"UPDATE {table} SET v = v + 1 WHERE id = {key}; "
                                   f"{'DELETE FROM' if turn % 2 else 'UPDATE'} {table} "
                                   f"{'' if turn % 2 else f'SET id = id + 500000'} WHERE id = {key}; COMMIT")
                    while cursor.nextset():
                        pass
    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    [writer.start() for writer in writers]
    [writer.join() for writer in writers]
    # two inserts, an update, and for each second turn a delete with its tombstone or a key change of three records
    count = 3 * 4 * (40 * 3 + 20 * 2 + 20 * 3)
    replay = Replay(version="v").apply(kafka.consume(*(f"{names.prefix}.{database}.{table}" for table in tables), until=count))
    replay.end().assert_equals(mysql, names.prefix, database, *tables)
    assert replay.changes == 3 * 4 * 40 * 4


def test_a_change_does_not_wait_for_others(mysql, kafka, started, database, names):
    """Each is committed when nothing follows it, also a transaction of several rows and tables, long before the interval."""
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE u (id INT PRIMARY KEY)", database=database)
    started(also={"tidemark.commit.interval.ms": 60000})
    topics = [f"{names.prefix}.{database}.{table}" for table in "tu"]
    for n in range(1, 6):
        mysql.sql(f"BEGIN; INSERT INTO t VALUES ({n}); INSERT INTO u VALUES ({n}); COMMIT", database=database)
        records = kafka.consume(*topics, until=2 * n, timeout=30)
        assert sorted(record.key for record in records) == sorted(2 * [b'{"id":%d}' % i for i in range(1, n + 1)])


# ---- settings that leave something out


def test_tombstones_can_be_left_out(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY)", database=database)
    started(tombstones_on_delete=False)
    mysql.sql("INSERT INTO t VALUES (1), (2); UPDATE t SET id = 3 WHERE id = 1; DELETE FROM t WHERE id = 2; "
              "INSERT INTO t VALUES (9)", database=database)
    changes = decode_all(kafka.consume(f"{names.prefix}.{database}.t", until=6))
    assert [(change.op, change.key["id"]) for change in changes] == [("c", 1), ("c", 2), ("d", 1), ("c", 3), ("d", 2), ("c", 9)]


@pytest.mark.parametrize("skipped, expected", [
    ("u", [("c", 1), ("c", 2), ("d", 2), (None, 2), ("t", None), ("c", 9)]),
    ("d,c", [("u", 1), ("d", 1), (None, 1), ("c", 3), ("t", None)]),
    ("none", [("c", 1), ("c", 2), ("u", 1), ("d", 1), (None, 1), ("c", 3), ("d", 2), (None, 2), ("t", None), ("c", 9)]),
    (None, [("c", 1), ("c", 2), ("u", 1), ("d", 1), (None, 1), ("c", 3), ("d", 2), (None, 2), ("c", 9)]),
])
def test_operations_can_be_skipped(mysql, kafka, started, database, names, skipped, expected):
    """A changed key stays a delete and an insert, unless updates are skipped."""
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); CREATE TABLE last (id INT PRIMARY KEY)", database=database)
    started(skipped_operations=skipped)
    mysql.sql("INSERT INTO t VALUES (1, 0), (2, 0); UPDATE t SET v = 1 WHERE id = 1; UPDATE t SET id = 3 WHERE id = 1; "
              "DELETE FROM t WHERE id = 2; TRUNCATE t; INSERT INTO t VALUES (9, 0); UPDATE t SET v = 9; DELETE FROM t; "
              "TRUNCATE last; INSERT INTO last VALUES (1); UPDATE last SET id = 2; DELETE FROM last", database=database)
    of_last = {"u": 4, "d,c": 4, "none": 7, None: 6}[skipped]
    kafka.consume(f"{names.prefix}.{database}.last", until=of_last)
    changes = decode_all(kafka.consume(f"{names.prefix}.{database}.t"))
    of_nine = {"u": [("d", 9), (None, 9)], "d,c": [("u", 9)]}.get(skipped, [("u", 9), ("d", 9), (None, 9)])
    assert [(change.op, change.key and change.key["id"]) for change in changes] == expected + of_nine
    truncated = [change for change in changes if change.op == "t"]
    assert all((change.before, change.after, change.key) == (None, None, None) for change in truncated)


def test_filters_choose_databases_tables_and_columns(mysql, kafka, started, database, names):
    other = f"{database}_2"
    mysql.sql(f"CREATE DATABASE {other}")
    try:
        tables = [f"{database}.orders", f"{database}.order_items", f"{database}.Orders_old", f"{other}.orders"]
        mysql.sql(";".join(f"CREATE TABLE {table} (id INT PRIMARY KEY, secret INT, note VARCHAR(9))" for table in tables))
        started(database_include_list=rf"{database}(_2)?", table_include_list=rf"{database}\.ORDER.*,.*_2\.orders",
                also={"column.exclude.list": rf"{database}\.orders\.secret,{other}\.orders\.(note|secret)"})
        mysql.sql(";".join(f"INSERT INTO {table} VALUES (1, 2, 'three')" for table in tables))
        mysql.sql(f"INSERT INTO {other}.orders VALUES (2, 2, 'three')")
        told = {f"{names.prefix}.{table}": count for table, count in zip(tables, (1, 1, 1, 2))}
        records = {topic: decode_all(kafka.consume(topic, until=count))[-1].after for topic, count in told.items()}
        assert list(records.values()) == [{"id": 1, "note": "three"}, {"id": 1, "secret": 2, "note": "three"},
                                          {"id": 1, "secret": 2, "note": "three"}, {"id": 2}]
    finally:
        mysql.sql(f"DROP DATABASE {other}")


def test_excluded_tables_and_databases_are_not_told(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY); CREATE TABLE z (id INT PRIMARY KEY)",
              database=database)
    started(database_exclude_list="mysql", table_exclude_list=rf"{database}\.(b|c)")
    mysql.sql("INSERT INTO b VALUES (1); CREATE TABLE c (id INT PRIMARY KEY, odd GEOMETRY); INSERT INTO c VALUES (1, NULL); "
              "INSERT INTO a VALUES (1); INSERT INTO z VALUES (1)", database=database)
    kafka.consume(f"{names.prefix}.{database}.z", until=1)
    mine = {topic for topic in kafka.topics() if topic.startswith(f"{names.prefix}.{database}.")}
    assert mine == {f"{names.prefix}.{database}.a", f"{names.prefix}.{database}.z"}


def test_names_outside_kafkas_alphabet_are_made_fit(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE `a$b ü` (`id col` INT PRIMARY KEY, `sélect` INT)", database=database)
    started()
    mysql.sql("INSERT INTO `a$b ü` VALUES (1, 2)", database=database)
    change = decode(kafka.consume(f"{names.prefix}.{database}.a_b__", until=1)[0])
    assert (change.key, change.after, change.source["table"]) == ({"id col": 1}, {"id col": 1, "sélect": 2}, "a$b ü")


# ---- tables that change


def test_rows_follow_the_shape_of_their_table(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY, a INT)", database=database)
    program = started()
    steps = [
        ("INSERT INTO t VALUES (1, 10)", {"id": 1, "a": 10}),
        ("ALTER TABLE t ADD b VARCHAR(10), ADD c INT FIRST; INSERT INTO t VALUES (3, 2, 10, 'x')",
         {"c": 3, "id": 2, "a": 10, "b": "x"}),
        ("ALTER TABLE t DROP a; INSERT INTO t VALUES (3, 3, 'y')", {"c": 3, "id": 3, "b": "y"}),
        ("ALTER TABLE t RENAME COLUMN b TO bb, MODIFY c BIGINT AFTER id; INSERT INTO t VALUES (4, 5000000000, 'z')",
         {"id": 4, "c": 5000000000, "bb": "z"}),
        ("DELETE FROM t WHERE id = 4; INSERT INTO t VALUES (5, 5, '1.5'); UPDATE t SET bb = 3; "
         "ALTER TABLE t CHANGE bb d DECIMAL(5,1)", None),
        ("ALTER TABLE t MODIFY id VARCHAR(10); INSERT INTO t VALUES ('five', 1, 2.5)", {"id": "five", "c": 1, "d": "GQ=="}),
        ("DROP TABLE t; CREATE TABLE t (x INT, id INT PRIMARY KEY); INSERT INTO t VALUES (7, 8)", {"x": 7, "id": 8}),
        ("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (x); INSERT INTO t VALUES (9, 8)", {"x": 9, "id": 8}),
        ("CREATE OR REPLACE VIEW v AS SELECT * FROM t; DROP VIEW v; CREATE INDEX i ON t (id); ANALYZE TABLE t; "
         "INSERT INTO t VALUES (10, 8)", {"x": 10, "id": 8}),
    ]
    topic = f"{names.prefix}.{database}.t"
    with kafka.reader(topic) as reader:
        for statements, after in steps:
            mysql.sql(statements, database=database)
            if after:
                found = reader.read_until(lambda records: records and decode(records[-1]).after == after, 30, after)
                assert list(decode(found[-1]).after) == list(after), "columns in the table's order"
    program.stop()
    program.start_ready()
    mysql.sql("INSERT INTO t VALUES (11, 8)", database=database)
    record = kafka.consume(topic, until=lambda records: records and payload(records[-1].key) == {"x": 11})[-1]
    assert decode(record).after == {"x": 11, "id": 8}


def test_tables_that_come_go_and_change_names(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE first (id INT PRIMARY KEY, a INT)", database=database)
    started(table_include_list=rf"{database}\.(first|second|swap.|like_.|from_.|multi.)")
    mysql.sql("""
        INSERT INTO first VALUES (1, 1); RENAME TABLE first TO second; INSERT INTO second VALUES (2, 2);
        ALTER TABLE second RENAME TO outside; INSERT INTO outside VALUES (3, 3); ALTER TABLE outside ADD b INT;
        RENAME TABLE outside TO first; INSERT INTO first VALUES (4, 4, 4);
        CREATE TABLE swap1 (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE swap2 (id INT PRIMARY KEY, b INT, a INT);
        INSERT INTO swap1 VALUES (1, 10, 20); INSERT INTO swap2 VALUES (2, 20, 10);
        RENAME TABLE swap1 TO tmp, swap2 TO swap1, tmp TO swap2;
        INSERT INTO swap1 VALUES (3, 20, 10); INSERT INTO swap2 VALUES (4, 10, 20);
        CREATE TABLE like_1 LIKE swap1; INSERT INTO like_1 VALUES (5, 20, 10);
        CREATE TABLE from_1 (PRIMARY KEY (id)) AS SELECT id, a, b, 'x' AS c FROM swap2; INSERT INTO from_1 VALUES (9, 10, 20, 'y');
        CREATE TABLE multi1 (id INT PRIMARY KEY); CREATE TABLE multi2 (id INT PRIMARY KEY); DROP TABLE multi1, multi2;
        CREATE TABLE multi2 (id VARCHAR(9) PRIMARY KEY); INSERT INTO multi2 VALUES ('end');
        """, database=database)
    expected = {
        "first": [{"id": 1, "a": 1}, {"id": 4, "a": 4, "b": 4}], "second": [{"id": 2, "a": 2}],
        "swap1": [{"id": 1, "a": 10, "b": 20}, {"id": 3, "b": 20, "a": 10}],
        "swap2": [{"id": 2, "b": 20, "a": 10}, {"id": 4, "a": 10, "b": 20}], "like_1": [{"id": 5, "b": 20, "a": 10}],
        "from_1": [{"id": 1, "a": 10, "b": 20, "c": "x"}, {"id": 4, "a": 10, "b": 20, "c": "x"}, {"id": 9, "a": 10, "b": 20, "c": "y"}],
        "multi2": [{"id": "end"}]}
    for table, rows in reversed(expected.items()):
        changes = decode_all(kafka.consume(f"{names.prefix}.{database}.{table}", until=len(rows)))
        assert [change.after for change in changes] == rows, table
    mine = {topic for topic in kafka.topics() if topic.startswith(f"{names.prefix}.{database}.")}
    assert mine == {f"{names.prefix}.{database}.{table}" for table in expected}


def test_statements_with_quoted_names_and_comments_are_followed(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE `select` (id INT PRIMARY KEY)", database=database)
    started()
    mysql.sql(f"""
        /* note */ ALTER /*!50000 TABLE */ `{database}`.`select` ADD `from` VARCHAR(20) DEFAULT 'it''s; "quoted" -- no' COMMENT 'x;y';
        INSERT INTO `select` (id) VALUES (1);
        SET SESSION sql_mode = 'ANSI_QUOTES'; ALTER TABLE "select" ADD "where" INT; INSERT INTO "select" VALUES (2, 'a', 3);
        """, database=database)
    changes = decode_all(kafka.consume(f"{names.prefix}.{database}.select", until=2))
    assert [change.after for change in changes] == [{"id": 1, "from": "it's; \"quoted\" -- no"}, {"id": 2, "from": "a", "where": 3}]


# ---- the first start


def test_a_first_start_tells_what_comes_after_it(mysql, kafka, started, database, names):
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1), (2, 2)", database=database)
    started()
    mysql.sql("UPDATE t SET v = 3 WHERE id = 1; INSERT INTO t VALUES (3, 3)", database=database)
    changes = decode_all(kafka.consume(f"{names.prefix}.{database}.t", until=2))
    assert [(change.op, change.before, change.after) for change in changes] == [
        ("u", {"id": 1, "v": 1}, {"id": 1, "v": 3}), ("c", None, {"id": 3, "v": 3})]


def test_a_first_start_amid_rows_and_statements(mysql, kafka, tidemark, database, names):
    """First starts while rows come and two columns of one type change places: every start tells the rows from some
    one on without a gap, those after it said that it is ready in any case, and never mixes up the columns."""
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE u (id INT PRIMARY KEY, a INT)", database=database)
    stop = threading.Event()
    numbers = itertools.count(1)
    last = [0]

    def write():
        with mysql.connect(database=database) as session, session.cursor() as cursor:
            while not stop.is_set():
                number = next(numbers)
                cursor.execute("INSERT INTO t (id, a, b) VALUES (%s, %s, %s)", (number, number, -number))
                last[0] = number
                if number % 20 == 0:
                    cursor.execute(f"ALTER TABLE t MODIFY a INT {('FIRST', 'AFTER b')[number // 20 % 2]}")
                if number % 50 == 0:
                    cursor.execute(f"ALTER TABLE t {('DROP c', 'ADD c INT')[number // 50 % 2]}")
                if number % 30 == 0:
                    cursor.execute("DROP TABLE u; CREATE TABLE u (id INT PRIMARY KEY, a INT)")
                    while cursor.nextset():
                        pass
    writer = threading.Thread(target=write)
    writer.start()
    programs = []
    try:
        for turn in range(3):
            program = tidemark(mysql, kafka, prefix=f"{names.prefix}_{turn}", database_include_list=database, also={
                **PLAIN, "database.server.id": 6000 + turn})
            program.start_ready()
            programs.append((program, last[0] + 2))  # one may be under way
        wait_for(lambda: last[0] > programs[-1][1] + 50)
    finally:
        stop.set()
        writer.join()
    for program, promised in programs:
        records = kafka.consume(f"{program.properties['topic.prefix']}.{database}.t",
                                until=lambda found: found and payload(found[-1].key)["id"] == last[0])
        rows = [decode(record).after for record in records]
        told = [row["id"] for row in rows]
        assert told == list(range(told[0], last[0] + 1)) and told[0] <= promised
        assert all((row["a"], row["b"]) == (row["id"], -row["id"]) for row in rows)
        program.stop()


def test_settings_that_are_wrong_are_refused_by_name(mysql, kafka, tidemark, names):
    for key, value, text in (("snapshot.mode", "never", r"snapshot\.mode=never.*no_data"),
                             ("tombstones.on.delete", "perhaps", r"tombstones\.on\.delete.*perhaps.*true"),
                             ("skipped.operations", "x", r"skipped\.operations.*x"),
                             ("table.include.list", "a(", r"table\.include\.list.*a\(")):
        program = tidemark(mysql, kafka, also={key: value}).start()
        assert program.wait_exit(code=2) and re.search(text, program.log_text()), (key, program.log_text())
    program = tidemark(mysql, kafka, database_include_list="nothing_here", also={"no.such.key": 1, "nor.this": 2}).start_ready()
    assert len(re.findall(r"(?m)^.*no\.such\.key.*nor\.this", program.log_text())) == 1


def test_a_start_that_captures_nothing_says_so(mysql, kafka, tidemark, names):
    """A pattern is held against the whole of db.table."""
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.gauge (id INT PRIMARY KEY)")
    program = tidemark(mysql, kafka, database_include_list=names.database, table_include_list="gauge")
    program.start_ready()
    assert "is captured: none that is there" in program.log_text()
    told = json.loads(kafka.consume(names.prefix, until=1)[0].value)["payload"]
    assert told["ddl"].startswith("SET character_set_server=") and told["source"]["snapshot"] == "last"
    program.stop()
