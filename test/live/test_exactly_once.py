# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost and nothing comes twice, however often tidemark is killed while rows flow.

The log comes through a slow wire, so that there is a stream to be killed in; the writer runs ahead of it.
"""
import random
import threading

import pytest

from harness.replay import Replay, table_rows

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
TABLES = ["orders", "pairs", "words", "bulk"]
SCHEMA = """
    CREATE TABLE orders (id INT PRIMARY KEY, v INT NOT NULL, note VARCHAR(60), price DECIMAL(12,2));
    CREATE TABLE pairs (a INT, b INT, v INT NOT NULL, note VARCHAR(60), PRIMARY KEY (b, a));
    CREATE TABLE words (word VARCHAR(30) PRIMARY KEY, v INT NOT NULL, seen DATETIME(3));
    CREATE TABLE bulk (id INT PRIMARY KEY, v INT NOT NULL, pad VARCHAR(60) DEFAULT '----------------------------------------')"""
BIG = 20_000  # rows changed by the one big transaction
NEW_RECORDS = 2_000  # at least so many before each kill
STILL_TO_COME = 10_000
BYTES_PER_SECOND = 450_000  # of the log, while there are kills to come


class Writer:
    """Batches of 500 rows: inserted, half of them updated, some deleted and some given other keys, all in transactions of
    several tables and sizes; in the midst of the batches one transaction of 20,000 changes. Counts what it changed."""

    def __init__(self, mysql, database, rows, seed):
        self.mysql, self.database, self.batches, self.random = mysql, database, rows // 500, random.Random(seed)
        self.changes = 0
        self.error = None
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.mysql.sql(SCHEMA, database=self.database)
        rows = [(number,) for number in range(BIG // 2)]
        self.mysql.many("INSERT INTO bulk (id, v) VALUES (%s, 0)", rows, database=self.database)
        return self

    def __exit__(self, *_):
        if self.thread.ident:
            self.thread.join()

    def start(self):
        self.thread.start()

    def join(self):
        self.thread.join()
        assert self.error is None, self.error

    def _run(self):
        try:
            with self.mysql.connect(database=self.database, autocommit=False) as session, session.cursor() as cursor:
                for batch in range(self.batches):
                    self._batch(session, cursor, batch)
                    if batch == self.batches // 2:
                        self._big(session, cursor)
        except Exception as error:
            self.error = error

    def _do(self, cursor, sql):
        self.changes += cursor.execute(sql)

    def _batch(self, session, cursor, batch):
        first = batch * 500
        ids = range(first, first + 500)
        thirds = [ids[start::3] for start in range(3)]

        def values(form, chosen):
            return ", ".join(form.format(id=number, cents=number * 7 % 100000) for number in chosen)
        orders = "INSERT INTO orders VALUES " + values("({id}, 0, 'order {id}', {cents} / 100)", thirds[0])
        pairs = "INSERT INTO pairs VALUES " + values("({id}, {id} % 10, 0, 'pair \"{id}\"')", thirds[1])
        words = "INSERT INTO words VALUES " + values("('word {id}', 0, '2026-01-01 00:00:00.123' + INTERVAL {id} SECOND)", thirds[2])
        middle, last = first + 250, first + 499
        works = [orders, pairs, words,
                 f"UPDATE orders SET v = v + 1, price = price + 0.01 WHERE id BETWEEN {first} AND {middle}",
                 f"UPDATE pairs SET v = v + 1 WHERE a BETWEEN {first} AND {middle}",
                 f"UPDATE words SET v = v + 1, seen = NULL WHERE word IN ({values(chr(39) + 'word {id}' + chr(39), thirds[2][:80])})",
                 f"UPDATE orders SET id = id + 10000000 WHERE id BETWEEN {middle} AND {last} AND id % 10 = 0",
                 f"UPDATE pairs SET b = b + 100 WHERE a BETWEEN {middle} AND {last} AND a % 7 = 0",
                 f"DELETE FROM orders WHERE id BETWEEN {first} AND {last} AND id % 9 = 0",
                 f"DELETE FROM pairs WHERE a BETWEEN {first} AND {last} AND a % 11 = 0",
                 f"DELETE FROM words WHERE word = 'word {thirds[2][-1]}'"]
        for work in works:
            self._do(cursor, work)
            if self.random.random() < 0.4:
                session.commit()
        session.commit()

    def _big(self, session, cursor):
        self._do(cursor, "UPDATE bulk SET v = v + 1")
        self._do(cursor, "DELETE FROM bulk WHERE id % 2 = 0")
        self._do(cursor, f"INSERT INTO bulk (id, v) SELECT id + {BIG}, 0 FROM bulk")
        session.commit()


class Told:
    """What a consumer of committed records was told so far, applied to tables."""

    def __init__(self, mysql, kafka, program, database, repeats=False):
        self.mysql, self.database = mysql, database
        self.prefix = program.properties["topic.prefix"]
        self.replay = Replay(repeats=repeats, version="v")
        self.replay.tables[f"{self.prefix}.{database}.bulk"] = table_rows(mysql, database, "bulk")  # it was there before
        self.reader = kafka.reader(*(f"{self.prefix}.{database}.{table}" for table in TABLES))
        self._read = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.reader.close()

    @property
    def changes(self):
        return self.replay.changes

    @property
    def records(self):
        """Without those that came again."""
        return sum(self.replay.counts.values())

    def of_big(self):
        return sum(self.replay.counts[f"{self.prefix}.{self.database}.bulk", op] for op in "cud")

    def _take(self, records):
        self.replay.apply(records[self._read:])
        self._read = len(records)

    def until(self, condition, what):
        def is_met(records):
            self._take(records)
            return condition()
        self.reader.read_until(is_met, 120, what)

    def to_end(self):
        self._take(self.reader.read_to_end())

    def assert_complete(self, changes):
        self.to_end()
        self.replay.end().assert_equals(self.mysql, self.prefix, self.database, *TABLES)
        assert self.changes == changes


def kill_and_compare(mysql, kafka, program, database, wire, rows, kills, repeats=False, seed=1):
    """Kills the program at each of `kills` ("flow": while rows flow; "inside": amid the big transaction), and holds what
    was told against the tables."""
    done_at_kill = []
    with Writer(mysql, database, rows, seed) as writer, Told(mysql, kafka, program, database, repeats) as told:
        program.start_ready()
        wire.bytes_per_second = BYTES_PER_SECOND
        writer.start()
        for number, kill in enumerate(kills, 1):
            enough = told.records + NEW_RECORDS
            told.until(lambda: told.records >= enough and (kill == "flow" or 0 < told.of_big() < BIG),
                       f"{NEW_RECORDS} new records before kill {number}")
            program.kill()
            told.to_end()
            done_at_kill.append(told.changes)
            assert kill == "flow" or told.of_big() < BIG, f"kill {number} was not inside the big transaction"
            program.start()
        wire.bytes_per_second = None
        writer.join()
        assert writer.changes - done_at_kill[-1] >= STILL_TO_COME, (writer.changes, done_at_kill)
        told.until(lambda: told.changes >= writer.changes, f"{writer.changes} changes")
        program.stop()
        told.assert_complete(writer.changes)


@pytest.fixture
def setting(mysql, kafka, tidemark, names, new_proxy):
    """A program behind a wire of its own, and a database."""
    mysql.sql(f"CREATE DATABASE {names.database}")
    wire = new_proxy((mysql.host, mysql.port))

    def make(**more):
        program = tidemark(mysql, kafka, database_include_list=names.database, also={
            **PLAIN, "database.hostname": wire.host, "database.port": wire.port, "database.ssl.mode": "disabled", **more})
        return program, wire
    yield make
    mysql.sql(f"DROP DATABASE {names.database}")


def test_each_change_is_told_once_though_killed(mysql, kafka, setting, names):
    """R055, amid the big transaction."""
    program, wire = setting()
    kill_and_compare(mysql, kafka, program, names.database, wire, 20_000, ["flow", "inside", "inside", "flow"])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 4))
def test_each_of_100000_rows_is_told_once_though_killed_ten_times(mysql, kafka, setting, names, seed):
    program, wire = setting()
    kill_and_compare(mysql, kafka, program, names.database, wire, 100_000,
                     ["flow"] * 3 + ["inside"] * 3 + ["flow"] * 4, seed=seed)


WITHOUT = {"no transactions": {"exactly.once.support": "disabled"}, "file": {"offset.storage.file.filename": "offsets", "offset.storage.topic": None}}


@pytest.mark.parametrize("how", WITHOUT)
def test_nothing_is_missing_without_transactions(mysql, kafka, setting, names, how):
    program, wire = setting(**WITHOUT[how])
    in_folder(program)
    kill_and_compare(mysql, kafka, program, names.database, wire, 12_000, ["flow", "inside"], repeats=True)


@pytest.mark.long
@pytest.mark.parametrize("how", WITHOUT)
def test_nothing_of_100000_rows_is_missing_without_transactions(mysql, kafka, setting, names, how):
    program, wire = setting(**WITHOUT[how])
    in_folder(program)
    kill_and_compare(mysql, kafka, program, names.database, wire, 100_000, ["flow"] * 3 + ["inside"] * 3 + ["flow"] * 4,
                     repeats=True)


def in_folder(program):
    """The file of offsets stands in the program's own folder."""
    if "offset.storage.file.filename" in program.properties:
        program.write(offset_storage_file_filename=program.folder / "offsets")


@pytest.mark.long
def test_a_killed_broker_leaves_no_gap_and_no_repeat(mysql, rough_kafka, tidemark, names, new_proxy):
    """The same with the broker killed, restarted and cut off instead of tidemark, which goes on by itself."""
    mysql.sql(f"CREATE DATABASE {names.database}")
    wire = new_proxy((mysql.host, mysql.port))
    program = tidemark(mysql, rough_kafka, database_include_list=names.database, also={
        **PLAIN, "database.hostname": wire.host, "database.port": wire.port, "database.ssl.mode": "disabled",
        "bootstrap.servers": rough_kafka.proxied})
    with Writer(mysql, names.database, 15_000, 1) as writer, Told(mysql, rough_kafka, program, names.database) as told:
        program.start_ready()
        wire.bytes_per_second = BYTES_PER_SECOND // 2
        writer.start()
        for trouble in (rough_kafka.proxy.cut, rough_kafka.kill, rough_kafka.stop):
            enough = told.records + NEW_RECORDS
            told.until(lambda: told.records >= enough, f"{NEW_RECORDS} new records")
            trouble()
            if not rough_kafka.is_running():
                rough_kafka.start()
        wire.bytes_per_second = None
        writer.join()
        told.until(lambda: told.changes >= writer.changes, f"{writer.changes} changes")
        program.stop()
        told.assert_complete(writer.changes)
    mysql.sql(f"DROP DATABASE {names.database}")
