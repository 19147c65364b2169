# SPDX-License-Identifier: Apache-2.0
"""Tools that change a big table online make a copy beside it and swap the names: the table is followed, the helpers are not told."""
import threading

import pytest

from followed import MARK, Keeper
from harness.replay import Replay, decode, decode_all
from stream_run import PLAIN

CHUNK = 10


@pytest.fixture
def follow(mysql, kafka, scratch, names):
    """A program that captures the real table only."""
    keeper = Keeper(mysql, kafka, scratch, names.prefix)
    yield lambda: keeper.running(table_include_list=rf".*\.(customers|{MARK})",
                                 before="CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(20), v INT); "
                                        "INSERT INTO customers VALUES " + ",".join(f"({n}, 'name {n}', 0)" for n in range(1,
                                            101)))
    keeper.close()


class Customers:
    """Writes rows all the time, by one session, from the first row of its own (1000) on."""

    def __init__(self, sea):
        self.sea, self.ended, self.failed, self.count = sea, threading.Event(), None, 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            with self.sea.mysql.connect(database=self.sea.database) as session, session.cursor() as cursor:
                while not self.ended.is_set():
                    n = 1000 + self.count
                    cursor.execute("INSERT INTO customers (id, name, v) VALUES (%s, %s, 0)", (n, f"name {n}"))
                    cursor.execute("UPDATE customers SET v = v + 1 WHERE id = %s", (n,))
                    if n % 3 == 0:
                        cursor.execute("DELETE FROM customers WHERE id = %s", (n,))
                    self.count += 1
        except Exception as why:  # told by stop(), on the test's thread
            self.failed = why

    def stop(self):
        self.ended.set()
        self.thread.join()
        assert not self.failed, self.failed
        assert self.count > 5


def gh_ost(sea, writer):
    """Copies by chunks; another session would apply the log's changes, here the table is locked for the rest of them."""
    sea.sql("""CREATE TABLE _customers_gho LIKE customers; ALTER TABLE _customers_gho ADD w INT NOT NULL DEFAULT 5 AFTER id,
            MODIFY v BIGINT;
        CREATE TABLE _customers_ghc (id BIGINT AUTO_INCREMENT,
            last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
            hint VARCHAR(64) CHARSET ascii NOT NULL, value VARCHAR(4096) CHARSET ascii NOT NULL, PRIMARY KEY (id),
                UNIQUE KEY hint_uidx (hint));
        INSERT /* gh-ost */ INTO _customers_ghc (hint, value) VALUES ('state', 'Migrated')""")
    for start in range(0, 100, CHUNK):
        sea.sql(f"INSERT /* gh-ost */ IGNORE INTO _customers_gho (id, name, v) (SELECT id, name, v FROM customers FORCE INDEX (PRIMARY) "
                f"WHERE id > {start} AND id <= {start + CHUNK} LOCK IN SHARE MODE)")
    sea.sql("""CREATE TABLE _customers_del (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB COMMENT='ghost-cut-over-sentry';
        LOCK /* gh-ost */ TABLES customers WRITE, _customers_gho WRITE, _customers_del WRITE;
        REPLACE INTO _customers_gho (id, name, v) SELECT id, name, v FROM customers WHERE id > 100; DROP TABLE _customers_del;
        RENAME /* gh-ost */ TABLE customers TO _customers_del, _customers_gho TO customers; UNLOCK TABLES""")
    writer.stop()
    sea.sql("DROP TABLE _customers_ghc; DROP TABLE _customers_del")


def pt_online_schema_change(sea, writer):
    """Triggers keep the copy, and rows of both tables come in the same transactions."""
    database = sea.database
    sea.sql(f"""CREATE TABLE `{database}`.`_customers_new` (`id` int NOT NULL, `name` varchar(20) DEFAULT NULL,
            `v` int DEFAULT NULL,
            PRIMARY KEY (`id`)) ENGINE=InnoDB;
        ALTER TABLE `{database}`.`_customers_new` ADD w INT NOT NULL DEFAULT 5 AFTER id, MODIFY v BIGINT;
        CREATE TRIGGER `pt_osc_del` AFTER DELETE ON `{database}`.`customers` FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 begin end;
            DELETE IGNORE FROM `{database}`.`_customers_new` WHERE `{database}`.`_customers_new`.`id` <=> OLD.`id`; END;
        CREATE TRIGGER `pt_osc_upd` AFTER UPDATE ON `{database}`.`customers` FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 begin end;
            DELETE IGNORE FROM `{database}`.`_customers_new` WHERE !(OLD.`id` <=> NEW.`id`) AND `{database}`.`_customers_new`.`id` <=> OLD.`id`;
            REPLACE INTO `{database}`.`_customers_new` (`id`, `name`, `v`) VALUES (NEW.`id`, NEW.`name`, NEW.`v`); END;
        CREATE TRIGGER `pt_osc_ins` AFTER INSERT ON `{database}`.`customers` FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 begin end;
            REPLACE INTO `{database}`.`_customers_new` (`id`, `name`, `v`) VALUES (NEW.`id`, NEW.`name`, NEW.`v`); END""")
    for start, end in [*((start, start + CHUNK) for start in range(0, 100, CHUNK)), (100, 1000000)]:
        sea.sql(f"INSERT LOW_PRIORITY IGNORE INTO `{database}`.`_customers_new` (`id`, `name`, `v`) SELECT `id`, `name`, `v` FROM "
                f"`{database}`.`customers` FORCE INDEX(`PRIMARY`) WHERE ((`id` > '{start}')) AND ((`id` <= '{end}')) "
                "LOCK IN SHARE MODE /*pt-online-schema-change copy nibble*/")
    sea.sql(f"""ANALYZE TABLE `{database}`.`_customers_new` /* pt-online-schema-change */;
        RENAME TABLE `{database}`.`customers` TO `{database}`.`_customers_old`,
            `{database}`.`_customers_new` TO `{database}`.`customers`;
        DROP TABLE IF EXISTS `_customers_old`; DROP TRIGGER IF EXISTS `{database}`.`pt_osc_del`;
        DROP TRIGGER IF EXISTS `{database}`.`pt_osc_upd`; DROP TRIGGER IF EXISTS `{database}`.`pt_osc_ins`""")
    writer.stop()


@pytest.mark.parametrize("change", [gh_ost, pt_online_schema_change])
@pytest.mark.parametrize("restarts", [False, True])
def test_a_table_changed_by_a_tool_is_followed_and_its_helpers_are_not_told(follow, change, restarts):
    """Each change once, before the swap in the old shape and after it in the new one; with restarts, also amid the migration."""
    sea = follow()
    writer = Customers(sea)
    if restarts:
        sea.restart()
        sea.program.stop()
    change(sea, writer)
    if restarts:
        sea.start()
    sea.sql("INSERT INTO customers VALUES (7001, 6, 'last', 7); UPDATE customers SET w = 9 WHERE id = 1; "
            "UPDATE customers SET name = 'x' WHERE id = 1000; "
            "DELETE FROM customers WHERE id = 2")
    records = sea.raw("customers")
    replay = Replay()
    replay.tables[sea.topic("customers")] = {f'{{"id": {n}}}': {"id": n, "name": f"name {n}", "v": 0} for n in range(1, 101)}
    replay.apply(records).end()
    for row in replay.tables[sea.topic("customers")].values():
        row.setdefault("w", 5)  # rows told before the swap have got it there
    replay.assert_equals(sea.mysql, sea.prefix, sea.database, "customers")
    told = [change.after or change.before for change in decode_all(records) if change.op]
    widths = [list(row) for row in told]
    assert set(map(tuple, widths)) <= {("id", "name", "v"), ("id", "w", "name", "v")}
    assert widths == sorted(widths, key=len), "first the old shape, then the new one"
    topics = {topic for topic in sea.kafka.topics() if topic.startswith(f"{sea.prefix}.{sea.database}.")}
    assert topics == {sea.topic("customers"), sea.topic(MARK)}


# ---- tables that were there and not followed when they took the name of one that is


def renamed_while_frozen(mysql, kafka, tidemark, names, statements):
    """The program reads the rename when all statements have long been executed."""
    mysql.sql(f"CREATE DATABASE {names.database}; USE {names.database}; CREATE TABLE aside (id INT PRIMARY KEY, a INT, b INT);"
              "CREATE TABLE more (id INT PRIMARY KEY)")
    program = tidemark(mysql, kafka, also={**PLAIN, "table.include.list": rf"{names.database}\.kept"}).start_ready()
    program.freeze()
    mysql.sql(statements, database=names.database)
    program.thaw()
    return program


def test_what_was_not_followed_is_told_from_its_rename_on(mysql, kafka, tidemark, names):
    program = renamed_while_frozen(mysql, kafka, tidemark, names, """
        INSERT INTO aside VALUES (1, 1, 1); ALTER TABLE aside ADD c INT; RENAME TABLE aside TO kept; INSERT INTO kept VALUES (2, 3, 4, 5);
        ALTER TABLE more ADD x INT; INSERT INTO kept VALUES (3, 4, 5, 6)""")
    records = kafka.consume(f"{names.prefix}.{names.database}.kept", until=2)
    assert [decode(record).after for record in records] == [{"id": 2, "a": 3, "b": 4, "c": 5}, {"id": 3, "a": 4, "b": 5, "c": 6}]
    assert "the server ended the stream" not in program.log_text()
    program.stop()


def test_what_was_not_followed_and_changed_again_is_not_guessed(mysql, kafka, tidemark, names):
    """The columns that the server has now would fit, each with the other's values."""
    program = renamed_while_frozen(mysql, kafka, tidemark, names, """
        RENAME TABLE aside TO kept; INSERT INTO kept VALUES (2, 3, 4); ALTER TABLE kept MODIFY b INT AFTER id""")
    program.wait_exit(code=6)
    assert "read from the server later than this place in the log" in program.log_text()


def test_a_table_that_was_made_while_nobody_looked_is_told_from_its_first_row(mysql, kafka, tidemark, names):
    """Whether IF NOT EXISTS made it, the log does not say; that nothing changed it since, it does."""
    mysql.sql(f"CREATE DATABASE {names.database}")
    program = tidemark(mysql, kafka, also={**PLAIN, "database.include.list": names.database}).start_ready()
    program.kill()
    mysql.sql("CREATE TABLE IF NOT EXISTS late (id INT PRIMARY KEY, a INT); INSERT INTO late VALUES (1, 2);"
              "CREATE TABLE IF NOT EXISTS late (id INT PRIMARY KEY, other INT); INSERT INTO late VALUES (2, 3)", database=names.database)
    program.start()
    records = kafka.consume(f"{names.prefix}.{names.database}.late", until=2)
    assert [decode(record).after for record in records] == [{"id": 1, "a": 2}, {"id": 2, "a": 3}]
    program.stop()
