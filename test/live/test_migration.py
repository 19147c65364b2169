# SPDX-License-Identifier: Apache-2.0
"""From Debezium to tidemark and back, in the midst of a stream and of an incremental snapshot, with DDL before and after.

A real Debezium 3.6.1 in a real Kafka Connect: both write to the same topics, so that each row that was changed must stand
there once, and each row of the table that is read again once.
"""
import json
import threading
from collections import Counter

import pytest

from conftest import available
from harness import Debezium, wait_for

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
ROWS = 20_000  # of the table that is read again


class Shop:
    """orders is written to all the time, and altered; big is read again."""

    def __init__(self, mysql, kafka, names):
        self.mysql, self.kafka, self.database, self.prefix = mysql, kafka, names.database, names.prefix
        self.next, self.written = 1, []
        self.lock = threading.Lock()
        mysql.sql(f"CREATE DATABASE {self.database}")
        self.sql("CREATE TABLE orders (id INT PRIMARY KEY, v VARCHAR(20)); "
                 "CREATE TABLE big (a VARCHAR(20), b BIGINT UNSIGNED, v INT, PRIMARY KEY (a, b))")
        mysql.many("INSERT INTO big VALUES (%s, %s, 0)", [(f"größe {number % 7}", 10**12 + number) for number in range(ROWS)],
                   self.database)

    def sql(self, text):
        self.mysql.sql(text, database=self.database)

    def write(self, count=20):
        """New orders, two in a transaction, the second with the last column that there is."""
        with self.lock:
            for _ in range(count):
                first, self.next = self.next, self.next + 2
                self.sql(f"START TRANSACTION; INSERT INTO orders (id) VALUES ({first}), ({first + 1}); COMMIT")
                self.written += [first, first + 1]

    def records(self, table):
        return [json.loads(record.value) for record in self.kafka.consume(f"{self.prefix}.{self.database}.{table}") if record.value]

    def orders(self):
        """How often each order was told as new."""
        return Counter(record["after"]["id"] for record in self.records("orders") if record["op"] == "c")

    def read_again(self):
        return Counter((record["after"]["a"], record["after"]["b"]) for record in self.records("big") if record["op"] == "r")

    def wait_orders(self, last=None):
        last = last or self.written[-1]
        wait_for(lambda: self.orders()[last], 120, f"order {last}", every=0.3)

    def assert_each_order_once(self):
        told = self.orders()
        assert not [number for number in self.written if told[number] != 1], \
            {number: told[number] for number in self.written if told[number] != 1}
        assert sorted(told) == self.written


class Writing:
    """Writes orders in the background, so that Debezium's windows close."""

    def __init__(self, shop):
        self.shop, self.ends = shop, threading.Event()
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    def _run(self):
        while not self.ends.wait(0.1):
            self.shop.write(1)


@pytest.fixture
def shop(mysql, kafka, names):
    yield Shop(mysql, kafka, names)
    mysql.sql(f"DROP DATABASE {names.database}")


@pytest.fixture
def debezium(scratch, mysql, kafka, names, shop):
    program = available(lambda: Debezium(scratch, mysql, kafka, names.prefix, database_include_list=names.database,
                                         incremental_snapshot_chunk_size="50", include_schema_changes="false"))
    program.start()
    yield program
    program.kill()


@pytest.fixture
def follow(mysql, kafka, tidemark, names):
    def make(**more):
        return tidemark(mysql, kafka, database_include_list=names.database, also={
            **PLAIN, "signal.kafka.topic": f"{names.prefix}-signal", "incremental.snapshot.chunk.size": 100,
            "offset.storage.topic": f"{names.prefix}-offsets", **more})
    return make


def read_progress(offset):
    return offset and offset.get("incremental_snapshot_primary_key")


def commands(program, *arguments):
    return program.run("offsets", arguments[0], program, *arguments[1:])


def test_there_and_back_again(shop, debezium, follow, kafka, names):
    debezium.connect()
    shop.write()
    shop.sql("ALTER TABLE orders ADD w INT DEFAULT 1 AFTER id")
    shop.write()
    shop.wait_orders()

    # Debezium stops in the midst of stream and snapshot.
    slow = {"data-collection": f"{shop.database}.big", "filter": "SLEEP(0.001) = 0"}
    with Writing(shop):
        debezium.signal("execute-snapshot", {"data-collections": [f"{shop.database}.big"], "type": "incremental",
                                             "additional-conditions": [slow]}, id="there")
        wait_for(lambda: len(shop.read_again()) > ROWS // 10, 120, "a part of the table", every=0.5)
        debezium.stop_connector()
    offset = debezium.offset()
    assert read_progress(offset) and "event" in offset
    before = shop.read_again()
    assert 0 < len(before) < ROWS
    shop.sql("ALTER TABLE orders DROP w, ADD x INT DEFAULT 2 FIRST")
    shop.write()

    # tidemark goes on.
    program = follow(**{"tidemark.snapshot.rows.per.second": 500})
    said = commands(program, "import", "--from-topic", debezium.offsets_topic, "--history-topic", debezium.history_topic)
    assert "1 proven by the log, 1 from the schema history, 0 unknown" in said, said
    assert "an incremental snapshot is under way" in said
    program.start_ready()
    wait_for(lambda: f"{shop.database}.big is read on behind" in program.log_text(), 60, "the table to be gone on with")
    shop.write()
    shop.wait_orders()
    shop.assert_each_order_once()
    assert list(shop.records("orders")[-1]["after"]) == ["x", "id", "v"]

    # It stops in the midst as well, and Debezium goes on with its schema history.
    wait_for(lambda: len(shop.read_again()) > len(before) + ROWS // 10, 120, "more of the table", every=0.5)
    program.stop()
    middle = shop.read_again()
    assert len(before) < len(middle) < ROWS
    assert max(middle.values()) == 1, "a row was read twice"
    shop.sql("ALTER TABLE orders ADD y INT DEFAULT 3")
    shop.write()
    body = json.loads(commands(program, "export", "--history-topic", debezium.history_topic))
    assert read_progress(body["offsets"][0]["offset"])
    debezium.set_offsets(body)
    debezium.resume_connector()
    with Writing(shop):
        wait_for(lambda: len(shop.read_again()) == ROWS, 300, "the rest of the table", every=1)
    shop.wait_orders()
    shop.assert_each_order_once()
    assert shop.read_again() == Counter({key: 1 for key in shop.read_again()})
    last = shop.records("orders")[-1]
    assert last["after"]["y"] == 3 and last["after"]["x"] == 2

    # And there again, with the position in Connect's own topic.
    debezium.stop_connector()
    shop.write()
    commands(program, "import", "--from-topic", debezium.offsets_topic)
    program.start_ready()
    shop.write()
    shop.wait_orders()
    program.stop()
    shop.assert_each_order_once()


def test_debezium_recovers_without_a_schema_history(shop, debezium, follow, kafka, names):
    """What export says when no schema history is written: snapshot.mode=recovery."""
    program = follow()
    program.start_ready()
    shop.write()
    shop.sql("ALTER TABLE orders ADD w INT DEFAULT 1")
    shop.write()
    shop.wait_orders()
    program.stop()
    shop.write()
    commands(program, "export", "--to-topic", debezium.offsets_topic)
    debezium.kill()
    debezium.start()
    debezium.connect(snapshot_mode="recovery")
    shop.write()
    shop.wait_orders()
    debezium.stop_connector()
    shop.assert_each_order_once()


@pytest.mark.parametrize("kind,values", [
    ("INT UNSIGNED", "4294966000 + n"), ("DECIMAL(30,3)", "123456789012345678901.5 + n"), ("VARBINARY(8)", "CAST(CONCAT('k', LPAD(n, 4, '0')) AS BINARY)"),
    ("CHAR(10) CHARACTER SET latin1", "CONCAT('é', LPAD(n, 4, '0'))"), ("DATE", "'2001-01-01' + INTERVAL n DAY"),
    ("TIME(6)", "SEC_TO_TIME(n - 200.25)"), ("TIMESTAMP(3)", "'2026-03-01 00:00:00.25' + INTERVAL n HOUR"), ("YEAR", "1901 + n DIV 4"),
    ("DOUBLE", "n / 3"), ("DATETIME(3)", "'2026-03-01 00:00:00.25' + INTERVAL n HOUR")])
def test_a_snapshot_goes_on_behind_a_key_of_each_kind(shop, debezium, follow, kind, values):
    """But BIT and ENUM: Debezium's own queries find nothing behind its first chunk of those."""
    rows = 400
    shop.sql(f"CREATE TABLE kinds (k {kind}, n INT, PRIMARY KEY (k, n)); SET time_zone = '+03:00'; SET cte_max_recursion_depth = 10000; "
             f"INSERT INTO kinds WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < {rows - 1}) SELECT {values}, n FROM s")
    debezium.connect(incremental_snapshot_chunk_size="20")

    def read_again():
        return Counter(record["after"]["n"] for record in shop.records("kinds") if record["op"] == "r")

    slow = {"data-collection": f"{shop.database}.kinds", "filter": "SLEEP(0.05) = 0"}  # so that there is time to stop amid it
    with Writing(shop):
        debezium.signal("execute-snapshot", {"data-collections": [f"{shop.database}.kinds"], "type": "incremental",
                                             "additional-conditions": [slow]}, id="kinds")
        wait_for(read_again, 120, "a part of the table", every=0.2)
        debezium.stop_connector()
    before = read_again()
    assert read_progress(debezium.offset()) and len(before) < rows
    program = follow()
    commands(program, "import", "--from-topic", debezium.offsets_topic)
    program.start_ready()
    wait_for(lambda: len(read_again()) == rows, 120, "the rest", every=0.3)
    program.stop()
    told = program.log_text()
    is_carried = not kind.startswith("DATETIME")
    assert ("kinds is read on behind" in told) == is_carried, told[-3000:]
    assert ("kinds is read again from its start" in told) != is_carried
    if is_carried:
        own = read_again() - before  # Debezium itself reads its first chunk of negative times over and over
        assert set(own.values()) == {1} and not set(own) & set(before)
    shop.wait_orders()
    shop.assert_each_order_once()
