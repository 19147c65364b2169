# SPDX-License-Identifier: Apache-2.0
"""The record of a row is the same, byte for byte, whether the row came from the log or from a SELECT; and it is what the server says.

Random tables with columns of all types, created while streaming, changed, filled with random rows. TIDEMARK_SEED repeats a run.
"""
import random
import time

import pymysql
import pytest

from ddl_histories import Statements
from followed import Keeper
from harness.replay import decode
from random_rows import SAMPLES, Table, literal

SETTINGS = [{}, {"decimal_handling_mode": "string", "time_precision_mode": "isostring", "binary_handling_mode": "hex"},
            {"decimal_handling_mode": "double", "time_precision_mode": "connect", "bigint_unsigned_handling_mode": "precise"},
            {"time_precision_mode": "nanoseconds", "binary_handling_mode": "base64"}, {"time_precision_mode": "microseconds"}]
KEYS = ["INT", "BIGINT UNSIGNED", "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin", "BINARY(5)", "DATE", "DECIMAL(9,3)", "SMALLINT ZEROFILL"]


@pytest.fixture
def keeper(mysql, kafka, scratch):
    keeper = Keeper(mysql, kafka, scratch, "paths")
    yield keeper
    keeper.close()


CHARSETS = sorted(set(SAMPLES) - {"gb18030"})  # a snapshot does not read that one's keys in order


def columns(r):
    """Definitions of which the server may refuse some."""
    make = Statements(r, ["unused"])
    for number in range(r.randint(3, 15)):
        kind = r.choice([make.type, make.type, lambda: f"VARCHAR(30) CHARACTER SET {r.choice(CHARSETS)}",
                         lambda: f"{r.choice(['TEXT', 'CHAR(20)'])} CHARACTER SET {r.choice(CHARSETS)}"])()
        yield f"c{number} {kind} {r.choice(['', '', 'NULL', 'NOT NULL', 'INVISIBLE'])}"


def execute(cursor, statement):
    """True when the server takes it."""
    try:
        cursor.execute(statement)
        return True
    except pymysql.err.MySQLError:
        return False


def make_table(r, cursor, name):
    """A table with a key and columns of any types, in any order."""
    key = [f"k{n} {r.choice(KEYS)} NOT NULL" for n in range(r.choice([1, 1, 2]))]
    cursor.execute(f"CREATE TABLE {name} ({', '.join(key)}, PRIMARY KEY ({', '.join(part.split()[0] for part in key)})) "
                   f"CHARACTER SET {r.choice(CHARSETS)}")
    taken = [execute(cursor, f"ALTER TABLE {name} ADD {column} {r.choice(['', '', 'FIRST', 'AFTER k0'])}") for column in columns(r)]
    return any(taken)


def fill(r, sea, name):
    """A table with rows; its Table and the server's texts of what is in it at the end."""
    session = sea.mysql.connect(database=sea.database)
    with session, session.cursor() as cursor:
        cursor.execute(f"SET sql_mode = '', time_zone = '+00:00', binlog_row_value_options = '{r.choice(['', 'PARTIAL_JSON'])}', "
                       f"binlog_transaction_compression = {r.choice(['ON', 'OFF'])}")
        make_table(r, cursor, name)
        table = Table(session, sea.database, name)
        for _ in range(r.randint(2, 12)):
            table.put(r)
        for column in table.written:
            if not column["name"].startswith("k"):
                execute(cursor, f"UPDATE IGNORE {name} SET {column['name']} = {literal(r, column)} WHERE RAND() < 0.2")
        cursor.execute(f"ALTER TABLE {name} ADD told INT NOT NULL; UPDATE {name} SET told = 1")  # all rows again, in the last shape
        cursor.nextset()
        table = Table(session, sea.database, name)
        return table, table.rows()


def check_server(sea, table, texts):
    """The last record of each row, which is the one that tells `told`, says what the server says (default modes)."""
    changes = [decode(record) for record in sea.kafka.consume(sea.topic(table.table))]
    left = [change.after for change in changes if change.op == "u" and change.after.get("told") == 1]
    assert len(left) == len(texts)
    for row in texts:
        found = [after for after in left if table.difference(row, after) is None]
        assert found, f"{table.name}: no record says {row}: {[table.difference(row, after) for after in left]}"
        left.remove(found[0])


def run(keeper, seconds, seed):
    r = random.Random(seed)
    end = time.monotonic() + seconds
    number = rows = 0
    while time.monotonic() < end:
        settings = r.choice(SETTINGS)
        sea = keeper.running(value_converter_replace_null_with_default=False, **settings)
        made = [fill(r, sea, f"t{number + more}") for more in range(8)]
        number += len(made)
        rows += sum(len(texts) for _, texts in made)
        sea.assert_snapshot_equal(*(table.table for table, _ in made))
        if not settings:
            for table, texts in made:
                check_server(sea, table, texts)
    print(f"seed {seed}: {number} tables, {rows} rows compared")
    assert rows > 20


def test_streamed_and_read_rows_give_the_same_bytes(keeper, seed):
    run(keeper, 15, seed)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_streamed_and_read_rows_give_the_same_bytes_for_long(keeper, seed):
    run(keeper, 900, seed)
