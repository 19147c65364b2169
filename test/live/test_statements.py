# SPDX-License-Identifier: Apache-2.0
"""Statements that users of such connectors saw go wrong: the rows behind them arrive by the right columns and keys."""
import pytest

from harness.replay import decode_all

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}


@pytest.fixture
def database(mysql, names):
    """With a table, since a program that finds none has nothing to store at its start, and says later that it is ready."""
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.there (id INT PRIMARY KEY)")
    yield names.database
    mysql.sql(f"DROP DATABASE IF EXISTS {names.database}")


class Follower:
    """A program that follows one database; changes of its tables as they come, restarted between statements if wanted."""

    def __init__(self, mysql, kafka, program, prefix, database):
        self.mysql, self.kafka, self.program, self.prefix, self.database = mysql, kafka, program, prefix, database

    def sql(self, *statements, restart=False):
        for statement in statements:
            self.mysql.sql(statement, database=self.database)
            if restart:
                self.program.stop()
                self.program.start_ready()

    def changes(self, table, n, database=None):
        return decode_all(self.kafka.consume(f"{self.prefix}.{database or self.database}.{table}", until=n))

    def rows(self, table, n, database=None):
        """What was inserted."""
        return [change.after for change in self.changes(table, n, database)]

    def topics(self):
        start = f"{self.prefix}.{self.database}."
        return {topic[len(start):] for topic in self.kafka.topics() if topic.startswith(start)}


@pytest.fixture
def follow(mysql, kafka, tidemark, database, names):
    def start(also=None, **more):
        more.setdefault("database_include_list", database)
        program = tidemark(mysql, kafka, also={**PLAIN, **(also or {})}, **more).start_ready()
        return Follower(mysql, kafka, program, names.prefix, database)
    return start


def test_clauses_in_version_comments(follow):
    stream = follow()
    stream.sql("""CREATE TABLE /*!50000 IF NOT EXISTS */ ec (id INT PRIMARY KEY, a INT /*!80000 , b INT DEFAULT 4 */
        /*!99999 , never INT */ ) /*!50100 ENGINE=InnoDB */ /* plain */""",
               "CREATE TABLE /*!50000 IF NOT EXISTS */ ec (other INT)", "INSERT INTO ec (id, a) VALUES (1, 2)")
    assert stream.rows("ec", 1) == [{"id": 1, "a": 2, "b": 4}]


def test_hidden_columns_and_functional_indexes(follow):
    stream = follow()
    stream.sql("""CREATE TABLE hid (id INT PRIMARY KEY, secret INT INVISIBLE DEFAULT 3, v INT,
            g INT GENERATED ALWAYS AS (v*2) VIRTUAL, s INT GENERATED ALWAYS AS (v+1) STORED, KEY fx ((v*10)),
            KEY fd ((CAST(v AS CHAR(9))) DESC))""", "INSERT INTO hid (id, v) VALUES (1, 5)",
               "ALTER TABLE hid ALTER COLUMN secret SET VISIBLE, ADD w INT INVISIBLE AFTER id", "INSERT INTO hid (id, v) VALUES (2, 6)")
    assert stream.rows("hid", 2) == [{"id": 1, "secret": 3, "v": 5, "g": 10, "s": 6},
                                     {"id": 2, "w": None, "secret": 3, "v": 6, "g": 12, "s": 7}]


def test_keywords_as_names(follow):
    stream = follow()
    stream.sql("""CREATE TABLE kw (id INT PRIMARY KEY, sequence INT, encrypted INT, returning INT, geometry INT, national INT,
            buckets INT, `rank` INT, `order` INT, value INT, `key` INT, txt VARCHAR(20) DEFAULT 'FROM RANK')""",
               "INSERT INTO kw (id, sequence, `rank`) VALUES (1, 2, 3)",
               "ALTER TABLE kw ADD COLUMN visible INT, ADD COLUMN instant INT, CHANGE `rank` `system` INT",
               "INSERT INTO kw (id, `system`) VALUES (2, 9)")
    first, second = stream.rows("kw", 2)
    assert {name: value for name, value in first.items() if value is not None} == \
        {"id": 1, "sequence": 2, "rank": 3, "txt": "FROM RANK"}
    assert list(second) == ["id", "sequence", "encrypted", "returning", "geometry", "national", "buckets", "system", "order",
                            "value", "key", "txt", "visible", "instant"]
    assert (second["system"], second["visible"], second["instant"]) == (9, None, None)


@pytest.mark.parametrize("restart", [False, True], ids=["", "restarted"])
def test_tables_swap_their_names(follow, restart):
    stream = follow()
    stream.sql("CREATE TABLE a (id INT PRIMARY KEY, x INT); CREATE TABLE b (id INT PRIMARY KEY, y VARCHAR(9), z INT)",
               "RENAME TABLE a TO tmp, b TO a, tmp TO b", restart=restart)
    stream.sql("INSERT INTO a VALUES (1, 'one', 11); INSERT INTO b VALUES (2, 22)", "ALTER TABLE b RENAME AS c",
               "INSERT INTO c VALUES (3, 33)", restart=restart)
    assert stream.rows("a", 1) == [{"id": 1, "y": "one", "z": 11}]
    assert stream.rows("b", 1) == [{"id": 2, "x": 22}]
    assert stream.rows("c", 1) == [{"id": 3, "x": 33}]


def test_a_column_without_not_null_may_be_null(follow):
    stream = follow({"value.converter.schemas.enable": True})
    stream.sql("""CREATE TABLE nn (id INT PRIMARY KEY, d DATE NOT NULL, n INT NOT NULL DEFAULT 5,
            t TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)""", "ALTER TABLE nn CHANGE d d DATE DEFAULT NULL, MODIFY n INT",
               "INSERT INTO nn (id) VALUES (1)", "UPDATE nn SET n = 0; ALTER TABLE nn MODIFY n INT NOT NULL DEFAULT 0",
               "INSERT INTO nn (id) VALUES (2)")
    first, _, second = stream.changes("nn", 3)
    assert (first.after["d"], first.after["n"], second.after["n"]) == (None, None, 0)
    records = stream.kafka.consume(f"{stream.prefix}.{stream.database}.nn", until=3)
    assert b'{"type":"int32","optional":true,"name":"io.debezium.time.Date","version":1,"field":"d"},' \
        b'{"type":"int32","optional":true,"field":"n"}' in records[0].value
    assert b'{"type":"int32","optional":false,"default":0,"field":"n"}' in records[2].value


def test_odd_names(follow, mysql, names):
    odd = f"{names.database[:40]}-1"
    mysql.sql(f"CREATE DATABASE `{odd}`; CREATE TABLE `{odd}`.there (id INT PRIMARY KEY)")
    try:
        stream = follow(database_include_list=odd.replace("-", "\\-"))
        stream.sql(f"CREATE TABLE `{odd}`.`we``ird.t$\\` (`i d` INT PRIMARY KEY, `c``1` INT, `潮` INT, `\"q\"` INT)",
                   f"INSERT INTO `{odd}`.`we``ird.t$\\` VALUES (1, 2, 3, 4)", f"ALTER TABLE `{odd}`.`we``ird.t$\\` DROP `c``1`",
                   f"INSERT INTO `{odd}`.`we``ird.t$\\` VALUES (5, 6, 7)")
        first, second = stream.changes("we_ird.t__", 2, database=odd)
        assert first.after == {"i d": 1, "c`1": 2, "潮": 3, '"q"': 4}
        assert second.after == {"i d": 5, "潮": 6, '"q"': 7}
        assert (first.source["db"], first.source["table"]) == (odd, "we`ird.t$\\")
    finally:
        mysql.sql(f"DROP DATABASE `{odd}`")


def test_tables_that_share_a_topic_are_told(follow):
    stream = follow()
    stream.sql("CREATE TABLE `a$b` (id INT PRIMARY KEY); CREATE TABLE a_b (id INT PRIMARY KEY)",
               "INSERT INTO `a$b` VALUES (1); INSERT INTO a_b VALUES (2)")
    first, second = stream.changes("a_b", 2)
    assert (first.source["table"], second.source["table"]) == ("a$b", "a_b")
    assert "share a topic" in stream.program.log_text()


def test_create_like_select_and_temporary(follow):
    stream = follow()
    stream.sql("""CREATE TABLE src (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET latin1 DEFAULT 'é');
        INSERT INTO src VALUES (1, DEFAULT)""", "CREATE TABLE l LIKE src; INSERT INTO l VALUES (2, DEFAULT)",
               "CREATE TABLE s (PRIMARY KEY (id)) AS SELECT id, v, id*2 AS w FROM src",
               "CREATE TEMPORARY TABLE tmp1 (x INT); INSERT INTO tmp1 VALUES (1); DROP TEMPORARY TABLE tmp1")
    like, = stream.changes("l", 1)
    assert (like.key, like.after) == ({"id": 2}, {"id": 2, "v": "é"})
    made, = stream.changes("s", 1)
    assert (made.key, made.after) == ({"id": 1}, {"id": 1, "v": "é", "w": 2})
    assert "tmp1" not in stream.topics()


def test_the_primary_key_changes(follow):
    stream = follow()
    stream.sql("CREATE TABLE pk (id INT PRIMARY KEY, k INT NOT NULL, v INT); INSERT INTO pk VALUES (1, 10, 0)",
               "ALTER TABLE pk RENAME COLUMN id TO no; INSERT INTO pk VALUES (2, 20, 0)",
               "ALTER TABLE pk DROP PRIMARY KEY; INSERT INTO pk VALUES (3, 30, 0)",
               "ALTER TABLE pk ADD CONSTRAINT pk_name PRIMARY KEY (k, no); INSERT INTO pk VALUES (4, 40, 0)",
               "UPDATE pk SET k = 41 WHERE no = 4")
    changes = stream.changes("pk", 7)
    assert [change.key for change in changes[:3]] == [{"id": 1}, {"no": 2}, None]
    assert changes[3].key == {"no": 4, "k": 40} and set(changes[3].key) == {"no", "k"}
    delete, tombstone, create = changes[4:]
    assert (delete.op, delete.key, create.op, create.key) == ("d", {"k": 40, "no": 4}, "c", {"k": 41, "no": 4})
    assert tombstone.op is None and tombstone.key == delete.key
    assert "__debezium.newkey" in delete.headers and "__debezium.oldkey" in create.headers


@pytest.mark.parametrize("restart", [False, True], ids=["", "restarted"])
def test_charsets_come_from_the_database_and_from_collations(follow, mysql, names, restart):
    harbour = f"{names.database[:40]}_h"
    mysql.sql(f"CREATE DATABASE {harbour} CHARACTER SET utf8mb4; CREATE TABLE {harbour}.there (id INT PRIMARY KEY)")
    try:
        stream = follow(database_include_list=harbour)
        stream.database = harbour
        stream.sql(f"USE {harbour}; ALTER DATABASE CHARACTER SET latin1",
                   """CREATE TABLE n (id INT PRIMARY KEY, v VARCHAR(9), w VARCHAR(9) COLLATE cp1251_general_ci,
                      x VARCHAR(9) COLLATE latin1_bin)""", "INSERT INTO n VALUES (1, 'é', 'Ж', 'ü')",
                   "ALTER TABLE n ADD y VARCHAR(9), DEFAULT CHARACTER SET utf8mb4", "INSERT INTO n VALUES (2, 'é', 'Ж', 'ü', 'é')",
                   "ALTER TABLE n ADD q VARCHAR(9)", "INSERT INTO n VALUES (3, 'é', 'Ж', 'ü', 'é', '☃')", restart=restart)
        row = {"v": "é", "w": "Ж", "x": "ü"}
        assert stream.rows("n", 3) == [{"id": 1, **row}, {"id": 2, **row, "y": "é"}, {"id": 3, **row, "y": "é", "q": "☃"}]
    finally:
        mysql.sql(f"DROP DATABASE {harbour}")


def test_partition_statements(follow):
    stream = follow()
    stream.sql("""CREATE TABLE pt (id INT, d DATE NOT NULL, PRIMARY KEY (id, d)) PARTITION BY RANGE COLUMNS(d)
            SUBPARTITION BY HASH(id) SUBPARTITIONS 2 (PARTITION p0 VALUES LESS THAN ('2024-01-01'),
            PARTITION pm VALUES LESS THAN (MAXVALUE))""",
               "CREATE TABLE px (id INT, d DATE NOT NULL, PRIMARY KEY (id, d)) PARTITION BY HASH(id) PARTITIONS 2",
               "CREATE TABLE ex LIKE px; ALTER TABLE ex REMOVE PARTITIONING",
               "ALTER TABLE px EXCHANGE PARTITION p0 WITH TABLE ex WITHOUT VALIDATION",
               """ALTER TABLE pt REORGANIZE PARTITION pm INTO (PARTITION p1 VALUES LESS THAN ('2025-01-01'),
            PARTITION pm VALUES LESS THAN (MAXVALUE))""", "ALTER TABLE pt TRUNCATE PARTITION p0", "ALTER TABLE pt DROP PARTITION p0",
               "ALTER TABLE pt ADD v INT", "INSERT INTO pt VALUES (1, '2024-06-01', 5)")
    assert stream.rows("pt", 1) == [{"id": 1, "d": 19875, "v": 5}]
    assert "came or went" in stream.program.log_text()
