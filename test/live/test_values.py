# SPDX-License-Identifier: Apache-2.0
"""Values that users of such connectors saw go wrong, as they arrive in the records here."""
import json

import pytest

from harness.replay import decode_all

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}


@pytest.fixture
def database(mysql, names):
    """With a table, since a program that finds none has nothing to store at its start, and says later that it is ready."""
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.there (id INT PRIMARY KEY)")
    yield names.database
    mysql.sql(f"DROP DATABASE {names.database}")


@pytest.fixture
def follow(mysql, kafka, tidemark, database, names):
    """follow(sql, table, n, key=value…): the first n changes of a table that the statements make; also={…} as properties."""
    def run(sql, table, n, also=None, before=None):
        if before:
            mysql.sql(before, database=database)
        tidemark(mysql, kafka, also={**PLAIN, "database.include.list": database, **(also or {})}).start_ready()
        mysql.sql(sql, database=database)
        return decode_all(kafka.consume(f"{names.prefix}.{database}.{table}", until=n))
    return run


def field(record, name):
    """The schema of a field of the row."""
    after = next(part for part in json.loads(record.value)["schema"]["fields"] if part["field"] == "after")
    return next(part for part in after["fields"] if part["field"] == name)


def test_zero_dates(follow):
    changes = follow("""SET sql_mode = '';
        CREATE TABLE z (id INT PRIMARY KEY, dn DATE NULL, d DATE NOT NULL, tn DATETIME NULL, t DATETIME NOT NULL,
            sn TIMESTAMP NULL, s TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
        SET time_zone = '+00:00';
        INSERT INTO z VALUES (1, '0000-00-00', '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00',
            '0000-00-00 00:00:00', '0000-00-00 00:00:00');
        INSERT INTO z VALUES (2, '2024-00-15', '2024-05-00', '0000-05-05 01:02:03', '2024-01-01', NULL, '2024-01-01')""", "z", 2)
    assert changes[0].after == {"id": 1, "dn": None, "d": 0, "tn": None, "t": 0, "sn": None, "s": "1970-01-01T00:00:00Z"}
    assert changes[1].after == {"id": 2, "dn": None, "d": 0, "tn": None, "t": 1704067200000, "sn": None,
                                "s": "2024-01-01T00:00:00Z"}


def test_timestamps_keep_the_digits_of_their_type(follow):
    changes = follow("""CREATE TABLE ts (id INT PRIMARY KEY, a TIMESTAMP NULL, b TIMESTAMP(3) NULL, c TIMESTAMP(6) NULL);
        SET time_zone = '+05:30';
        INSERT INTO ts VALUES (1, '2023-01-11 06:04:10', '2023-01-11 06:04:10.000', '2023-01-11 06:04:10.100000')""", "ts", 1)
    assert changes[0].after == {"id": 1, "a": "2023-01-11T00:34:10Z", "b": "2023-01-11T00:34:10.000Z",
                                "c": "2023-01-11T00:34:10.100000Z"}


def test_old_charsets(follow):
    changes = follow("""CREATE TABLE cs (id INT PRIMARY KEY, l VARCHAR(20) CHARACTER SET latin1, g VARCHAR(20) CHARACTER SET gbk,
            u VARCHAR(20) CHARACTER SET utf16, m VARCHAR(20) CHARACTER SET utf8mb4, k TEXT CHARACTER SET sjis,
            b VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin);
        INSERT INTO cs VALUES (1, 'café €', '中文', 'ЖΩ', '🌊', '潮', 'bin'); UPDATE cs SET m = CONCAT(m, '!')""", "cs", 2)
    row = {"id": 1, "l": "café €", "g": "中文", "u": "ЖΩ", "m": "🌊", "k": "潮", "b": "bin"}
    assert changes[0].after == row and changes[1].before == row
    assert changes[1].after == {**row, "m": "🌊!"}


UNSIGNED = """(id INT PRIMARY KEY, a TINYINT UNSIGNED, b SMALLINT UNSIGNED, c MEDIUMINT UNSIGNED, d INT UNSIGNED,
    e INTEGER UNSIGNED, f SMALLINT ZEROFILL, g INT ZEROFILL, h INT4 UNSIGNED)"""


def test_unsigned_and_zerofill_have_room(mysql, kafka, tidemark, database, names):
    mysql.sql(f"CREATE TABLE before_start {UNSIGNED}", database=database)
    tidemark(mysql, kafka, database_include_list=database).start_ready()
    mysql.sql(f"CREATE TABLE while_streaming {UNSIGNED}", database=database)
    for table in ("before_start", "while_streaming"):
        mysql.sql(f"INSERT INTO {table} VALUES (1, 255, 65535, 16777215, 4294967295, 4294967295, 65535, 4294967295, 4294967295)",
                  database=database)
        record = kafka.consume(f"{names.prefix}.{database}.{table}", until=1)[0]
        assert decode_all([record])[0].after == {"id": 1, "a": 255, "b": 65535, "c": 16777215, "d": 4294967295, "e": 4294967295,
                                                 "f": 65535, "g": 4294967295, "h": 4294967295}
        types = {name: field(record, name)["type"] for name in "abcdefgh"}
        assert types == {"a": "int16", "b": "int32", "c": "int32", "d": "int64", "e": "int64", "f": "int32", "g": "int64", "h": "int64"}


DECIMALS = """CREATE TABLE dec1 (id INT PRIMARY KEY, a DECIMAL(30,10), b DECIMAL(10,0), c DECIMAL(10,2) NOT NULL DEFAULT 1, d DECIMAL(65,0));
    INSERT INTO dec1 (id, a, b, d) VALUES (1, 0.0000000001, 1000000, REPEAT('9', 65));
    INSERT INTO dec1 VALUES (2, -123.45, -5, 0.5, 0)"""


def test_decimals_as_strings_are_plain(follow):
    changes = follow(DECIMALS, "dec1", 2, {"decimal.handling.mode": "string"})
    assert changes[0].after == {"id": 1, "a": "0.0000000001", "b": "1000000", "c": "1.00", "d": "9" * 65}
    assert changes[1].after["a"] == "-123.4500000000"


def test_decimals_as_bytes_have_the_columns_scale(follow, mysql, kafka, tidemark, database, names):
    tidemark(mysql, kafka, database_include_list=database).start_ready()
    mysql.sql(DECIMALS, database=database)
    record = kafka.consume(f"{names.prefix}.{database}.dec1", until=1)[0]
    after = decode_all([record])[0].after
    assert after == {"id": 1, "a": "AQ==", "b": "D0JA", "c": "ZA==", "d": "APMWJxx/w5CKi+9GTjlF73olNgn//////////w=="}
    assert field(record, "a")["parameters"]["scale"] == "10"
    assert field(record, "c") == {"type": "bytes", "optional": False, "name": "org.apache.kafka.connect.data.Decimal", "version": 1,
                                  "parameters": {"scale": "2", "connect.decimal.precision": "10"}, "default": "ZA==", "field": "c"}


@pytest.mark.parametrize("length", [16, 70000], ids=["small", "large"])
def test_documents_with_gaps(follow, length):
    start = {"alpha": "a" * length, "beta": {"k": 1, "l": [1, 2, 3]}, "gamma": "g" * length, "delta": 5}
    changes = follow(f"""SET SESSION binlog_row_value_options = '';
        CREATE TABLE jh (id INT PRIMARY KEY, doc JSON); INSERT INTO jh VALUES (1, '{json.dumps(start)}');
        UPDATE jh SET doc = JSON_REMOVE(doc, '$.gamma'); UPDATE jh SET doc = JSON_SET(doc, '$.alpha', 'b');
        UPDATE jh SET doc = JSON_REPLACE(doc, '$.beta.l[1]', 22); UPDATE jh SET doc = JSON_REMOVE(doc, '$.beta.k')""", "jh", 5)
    documents = [start]
    documents.append({name: value for name, value in start.items() if name != "gamma"})
    documents.append({**documents[-1], "alpha": "b"})
    documents.append({**documents[-1], "beta": {"k": 1, "l": [1, 22, 3]}})
    documents.append({**documents[-1], "beta": {"l": [1, 22, 3]}})
    assert [json.loads(change.after["doc"]) for change in changes] == documents
    assert [json.loads(change.before["doc"]) for change in changes[1:]] == documents[:-1]


PARTIAL = """SET SESSION binlog_row_value_options = 'PARTIAL_JSON';
    INSERT INTO pj VALUES (1, '{"a":"aaaaaaaaaaaaaaaaaaaa","b":[1,2]}', 1);
    UPDATE pj SET doc = JSON_SET(doc, '$.a', 'bb'), v = 2 WHERE id = 1;
    UPDATE pj SET doc = JSON_ARRAY_INSERT(doc, '$.b[0]', 0) WHERE id = 1; DELETE FROM pj"""
PARTIAL_TABLE = "CREATE TABLE pj (id INT PRIMARY KEY, doc JSON, v INT)"


def test_partial_updates_of_documents_are_whole(follow):
    insert, first, second, delete, _ = follow(PARTIAL, "pj", 5, before=PARTIAL_TABLE)
    assert insert.op == "c"
    assert (first.op, json.loads(first.after["doc"]), first.after["v"]) == ("u", {"a": "bb", "b": [1, 2]}, 2)
    assert json.loads(second.after["doc"]) == {"a": "bb", "b": [0, 1, 2]}
    assert (delete.op, json.loads(delete.before["doc"])) == ("d", {"a": "bb", "b": [0, 1, 2]})


def test_partial_updates_in_short_rows_stop_the_stream(mysql, kafka, tidemark, database):
    mysql.sql(PARTIAL_TABLE, database=database)
    program = tidemark(mysql, kafka, database_include_list=database).start_ready()
    mysql.sql(f"SET SESSION binlog_row_image = MINIMAL; {PARTIAL}", database=database)
    program.wait_exit(code=6)
    log = program.log_text()
    assert f"{database}.pj" in log and ("binlog_row_value_options" in log or "binlog_row_image" in log), program.tail()


def test_sets_and_bits(follow):
    members = ",".join(f"'m{i}'" for i in range(1, 65))
    changes = follow(f"""CREATE TABLE sb (id INT PRIMARY KEY, b BIT, c BIT(16), d BIT(64), s SET('a','b','c'), w SET({members}));
        INSERT INTO sb VALUES (1, b'1', b'0000001000000101', 0x8000000000000001, 'c,a', 'm64,m1'), (2, b'0', 0, 0, '', '')""", "sb", 2)
    assert changes[0].after == {"id": 1, "b": True, "c": "BQI=", "d": "AQAAAAAAAIA=", "s": "a,c", "w": "m1,m64"}
    assert changes[1].after == {"id": 2, "b": False, "c": "AAA=", "d": "AAAAAAAAAAA=", "s": "", "w": ""}


@pytest.mark.parametrize("mode", ["bytes", "base64", "hex"])
def test_binary_is_padded_in_each_mode(follow, mode):
    change, = follow("""CREATE TABLE bi (id BINARY(4) PRIMARY KEY, u BINARY(16), v VARBINARY(8), x BLOB);
        INSERT INTO bi VALUES (x'AB', x'651AED08390F4893B2F136923E7B7400', x'0100', x'00')""", "bi", 1, {"binary.handling.mode": mode})
    if mode == "hex":
        expected = {"id": "ab000000", "u": "651aed08390f4893b2f136923e7b7400", "v": "0100", "x": "00"}
    else:
        expected = {"id": "qwAAAA==", "u": "ZRrtCDkPSJOy8TaSPnt0AA==", "v": "AQA=", "x": "AA=="}
    assert change.after == expected
    assert change.key == {"id": expected["id"]}


DEFAULTS = """(id INT PRIMARY KEY, a BIGINT UNSIGNED NOT NULL DEFAULT _utf8mb4'0', b DECIMAL(10,2) DEFAULT "1.5",
    c TINYINT UNSIGNED DEFAULT '28', d TINYINT(1) NOT NULL DEFAULT TRUE, e DATETIME DEFAULT '2020-01-01', f VARCHAR(9) DEFAULT ' x ',
    g CHAR(36) DEFAULT (UUID()), h INT DEFAULT -7, i DATE NOT NULL DEFAULT '2018-06-26')"""


def test_defaults_are_the_same_read_and_streamed(mysql, kafka, tidemark, database, names):
    mysql.sql(f"CREATE TABLE before_start {DEFAULTS}", database=database)
    tidemark(mysql, kafka, database_include_list=database).start_ready()
    mysql.sql(f"CREATE TABLE while_streaming {DEFAULTS}", database=database)
    schemas = []
    for table in ("before_start", "while_streaming"):
        mysql.sql(f"INSERT INTO {table} (id) VALUES (1)", database=database)
        record = kafka.consume(f"{names.prefix}.{database}.{table}", until=1)[0]
        schemas.append([field(record, name) for name in "abcdefghi"])
        after = decode_all([record])[0].after
        assert len(after.pop("g")) == 36
        assert after == {"id": 1, "a": 0, "b": "AJY=", "c": 28, "d": 1, "e": 1577836800000, "f": " x ", "h": -7, "i": 17708}
    assert schemas[0] == schemas[1]
    assert [part.get("default") for part in schemas[0]] == [0, "AJY=", 28, 1, 1577836800000, " x ", None, -7, 17708]


def test_year_zero_and_vectors(follow):
    changes = follow("""CREATE TABLE yv (id INT PRIMARY KEY, y YEAR, v VECTOR(3));
        INSERT INTO yv VALUES (1, 0000, STRING_TO_VECTOR('[1.5,-2,0.25]')), (2, 1901, NULL), (3, 2155, NULL), (4, NULL, NULL)""", "yv", 4)
    assert [change.after["y"] for change in changes] == [0, 1901, 2155, None]
    assert [change.after["v"] for change in changes] == [[1.5, -2.0, 0.25], None, None, None]


def test_isostring_and_nanoseconds(follow):
    sql = """CREATE TABLE t (id INT PRIMARY KEY, d DATE, t TIME(3), m DATETIME(6), s TIMESTAMP(6) NULL);
        SET time_zone = '+00:00';
        INSERT INTO t VALUES (1, '2026-08-04', '04:05:11.789', '2026-08-04 09:50:22.5', '2026-08-04 09:50:22.5'),
            (2, '1600-01-01', '-01:00:00', '1600-01-01', NULL)"""
    first, second = follow(sql, "t", 2, {"time.precision.mode": "isostring"})
    assert first.after == {"id": 1, "d": "2026-08-04Z", "t": "04:05:11.789Z", "m": "2026-08-04T09:50:22.5Z",
                           "s": "2026-08-04T09:50:22.500000Z"}
    assert second.after == {"id": 2, "d": "1600-01-01Z", "t": None, "m": "1600-01-01T00:00:00Z", "s": None}


def test_nanoseconds_end_where_64_bits_end(follow):
    first, second = follow("""CREATE TABLE t (id INT PRIMARY KEY, t TIME(3), m DATETIME(6));
        INSERT INTO t VALUES (1, '-04:05:11.789', '2026-08-04 09:50:22.5'), (2, '01:00:00', '1600-01-01')""", "t", 2,
        {"time.precision.mode": "nanoseconds"})
    assert first.after == {"id": 1, "t": -14711789000000, "m": 1785837022500000000}
    assert second.after == {"id": 2, "t": 3600000000000, "m": None}


def test_values_without_a_form_stop_when_told_so(mysql, kafka, tidemark, database):
    mysql.sql("CREATE TABLE t (id INT PRIMARY KEY, t TIME)", database=database)
    program = tidemark(mysql, kafka, database_include_list=database,
                       also={"time.precision.mode": "connect", "event.converting.failure.handling.mode": "fail"}).start_ready()
    mysql.sql("INSERT INTO t VALUES (1, '-01:00:00')", database=database)
    program.wait_exit(code=6)
    assert f"{database}.t.t" in program.log_text(), program.tail()


def test_unsigned_big_integers(follow):
    sql = "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY); INSERT INTO t VALUES (18446744073709551615)"
    change, = follow(sql, "t", 1, {"bigint.unsigned.handling.mode": "precise"})
    assert change.key == change.after == {"id": "AP//////////"}
