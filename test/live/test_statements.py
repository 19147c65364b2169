# SPDX-License-Identifier: Apache-2.0
"""No statement that the server takes stops the stream, and rows written after each of them arrive right."""
import random

import pymysql
import pytest

from ddl_histories import statements_of_every_kind
from followed import Keeper
from harness.replay import decode
from random_rows import Table, quoted

NOT_NOW = (1099, 1100, 1192, 1205, 1213, 1223, 1290, 1814, 3572, 3989)  # locked by another session, read only, discarded


@pytest.fixture
def keeper(new_mysql, kafka, scratch):
    server = new_mysql({"innodb-flush-log-at-trx-commit": "0"})
    keeper = Keeper(server, kafka, scratch, "statements")
    yield keeper
    keeper.close()


class Writer:
    """Writes a row into each table that a statement has touched and into some other, empty ones; remembers what the server says."""

    def __init__(self, server, seed):
        self.random = random.Random(seed)
        self.session = server.connect(charset="utf8mb4")
        self.expected = []  # (database, table, Table, texts, after which statement)
        self.shapes, self.late = {}, set()
        self.execute("SET sql_mode = '', time_zone = '+00:00', foreign_key_checks = 0, unique_checks = 0, lock_wait_timeout = 1, "
                     "innodb_lock_wait_timeout = 1, group_concat_max_len = 1000000")

    def execute(self, statement):
        with self.session.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def touched(self):
        """Tables whose columns or keys are others than at the last call."""
        shapes = {(db, table): shape for db, table, shape in self.execute(
            "SELECT c.table_schema, c.table_name, GROUP_CONCAT(c.column_name, c.column_type, c.is_nullable, IFNULL(c.collation_name, ''), "
            "IFNULL(c.column_default, 'N'), c.column_key, c.extra ORDER BY c.ordinal_position) FROM information_schema.columns c "
            "JOIN information_schema.tables t USING (table_schema, table_name) WHERE c.table_schema LIKE 'st%' AND t.table_type = 'BASE TABLE' "
            "AND t.engine IN ('InnoDB', 'MyISAM', 'MEMORY') GROUP BY 1, 2")}
        changed = {name for name, shape in shapes.items() if self.shapes.get(name) != shape}
        self.shapes = shapes
        return changed

    def write(self, statement):
        touched = self.touched() | (self.late & self.shapes.keys())
        others = self.random.sample(sorted(self.shapes), min(2, len(self.shapes)))
        written = 0
        for name in sorted(touched) + others:
            try:
                written += self.put(name, statement)
                self.late.discard(name)
            except pymysql.err.MySQLError as why:
                if why.args[0] not in NOT_NOW:
                    raise AssertionError(f"{name} after {statement}") from why
                self.late.add(name)
        return written

    def put(self, name, statement):
        table = Table(self.session, *name)
        if self.execute(f"SELECT 1 FROM {quoted(*name)} LIMIT 1"):
            return False  # rows of the statements' own: which one is ours could not be told
        for _ in range(4):
            texts = table.put(self.random)
            if texts:
                self.expected.append((*name, table, texts, statement))
            self.execute(f"DELETE FROM {quoted(*name)}")
            if texts:
                return True
        return False


@pytest.mark.timeout(600)
def test_rows_after_statements_of_every_kind_arrive_right(keeper, seed):
    sea = keeper.running(database_include_list="statements.*,st.*", value_converter_replace_null_with_default=False)
    writer = Writer(sea.mysql, seed)
    session = sea.mysql.connect(charset="utf8mb4")
    count = 0
    for count, statement in enumerate(statements_of_every_kind(), 1):
        with session.cursor() as cursor:
            cursor.execute(statement.encode())
            while cursor.nextset():
                pass
        writer.write(statement)
    assert count >= 300
    assert len(writer.expected) > count, "most statements are followed by rows"
    check(sea, writer.expected)


def check(sea, expected):
    """The expected rows are told, in their order; of each table there may be others between them."""
    sea.settle(300)
    topics = [topic for topic in sea.kafka.topics() if topic.startswith(f"{sea.prefix}.")]
    told = {}
    for record in sea.kafka.consume(*topics):
        change = decode(record)
        if change.op == "c":
            told.setdefault((change.source["db"], change.source["table"]), []).append(change.after)
    for database, name, table, texts, statement in expected:
        rows = told.get((database, name), [])
        wrong = "there is no row left"
        while rows and wrong:
            wrong = table.difference(texts, rows.pop(0))
        assert not wrong, f"{database}.{name} after {statement}\n{wrong}"
