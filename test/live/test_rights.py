# SPDX-License-Identifier: Apache-2.0
"""Three rights are enough, on a replica nobody may write to, and nothing that is said to the server writes or locks."""
import pytest

from harness.replay import Replay
from statement_log import assert_untouched

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}


def test_three_rights_on_a_replica_are_enough(new_mysql, kafka, tidemark, names):
    source = new_mysql()
    source.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY, v INT);"
               f"CREATE TABLE {names.database}.keyless (v INT); INSERT INTO {names.database}.keyless VALUES (1),(1)")
    replica = new_mysql(replica_of=source, general_log=True)
    assert replica.sql("SELECT @@super_read_only, @@read_only") == [(1, 1)]
    assert replica.sql("SHOW GRANTS FOR tidemark") == [
        ("GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `tidemark`@`%`",)]
    program = tidemark(replica, kafka, database_include_list=names.database,
                       also={**PLAIN, "snapshot.mode": "initial"}).start_ready()
    program.wait_for_log("the initial snapshot has ended")
    source.sql("INSERT INTO t VALUES (1, 1), (2, 2); UPDATE t SET v = 5 WHERE id = 1; ALTER TABLE t ADD w INT; "
               "INSERT INTO t VALUES (3, 3, 3); CREATE TABLE u (id INT PRIMARY KEY); INSERT INTO u VALUES (1); "
               "XA START 'x'; INSERT INTO t VALUES (4, 4, 4); XA END 'x'; XA PREPARE 'x'", database=names.database)
    topic = f"{names.prefix}.{names.database}.t"
    kafka.consume(topic, until=4)
    program.stop()
    source.sql("XA COMMIT 'x'; INSERT INTO t VALUES (5, 5, 5)", database=names.database)
    program.start()
    source.sql("UPDATE t SET w = id", database=names.database)
    records = kafka.consume(topic, until=8)
    Replay(ordered=False).apply(records).end().assert_equals(replica, names.prefix, names.database, "t")
    program.stop()

    said = replica.statements("tidemark")
    assert sum(command.startswith("Binlog Dump") for command, _ in said) == 2
    assert len(assert_untouched(said)) > 5


@pytest.mark.parametrize("missing", ["SELECT", "REPLICATION SLAVE", "REPLICATION CLIENT"])
def test_a_right_that_is_missing_is_named(mysql, kafka, tidemark, names, missing):
    rights = {"SELECT", "REPLICATION SLAVE", "REPLICATION CLIENT"} - {missing}
    user = names.short[:12] + missing[-5:].strip().lower()
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY);"
              f"CREATE USER '{user}' IDENTIFIED BY 'pw for {user}'; GRANT {', '.join(rights)} ON *.* TO '{user}'")
    try:
        program = tidemark(mysql, kafka, database_include_list=names.database,
                           also={"database.user": user, "database.password": f"pw for {user}"}).start()
        program.wait_exit(code=3)
        assert missing in program.log_text(), program.log_text()
        assert "GRANT" in program.log_text(), program.log_text()
    finally:
        mysql.sql(f"DROP USER '{user}'; DROP DATABASE {names.database}")


def test_rights_on_the_captured_database_alone_are_enough(mysql, kafka, tidemark, names):
    user = names.short
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY);"
              f"CREATE USER '{user}' IDENTIFIED BY 'pw for {user}'; GRANT SELECT ON {names.database}.* TO '{user}';"
              f"GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '{user}'")
    tidemark(mysql, kafka, database_include_list=names.database,
             also={"database.user": user, "database.password": f"pw for {user}"}).start_ready()
    mysql.sql(f"INSERT INTO {names.database}.t VALUES (1)")
    kafka.consume(f"{names.prefix}.{names.database}.t", until=1)
    mysql.sql(f"DROP USER '{user}'; DROP DATABASE {names.database}")


def test_a_view_that_is_dropped_while_it_is_asked_about_is_passed_by(mysql, kafka, tidemark, names, new_proxy):
    """Views are refused without the right SHOW VIEW, which nobody needs for tables; this one is gone when that is looked into."""
    wire = new_proxy((mysql.host, mysql.port))
    mysql.sql(f"CREATE DATABASE {names.database}; USE {names.database}; CREATE TABLE t (id INT PRIMARY KEY); "
              "CREATE VIEW seen AS SELECT * FROM t")
    program = tidemark(mysql, kafka, database_include_list=names.database, database_hostname=wire.host, database_port=wire.port,
                       database_ssl_mode="disabled", also=PLAIN).start_ready()
    wire.before = (b"SELECT table_type", lambda: mysql.sql("DROP VIEW gone", database=names.database))
    mysql.sql("RENAME TABLE seen TO gone; INSERT INTO t VALUES (1)", database=names.database)
    kafka.consume(f"{names.prefix}.{names.database}.t", until=1)
    assert wire.before is None, "it was never asked about"
    program.stop()
    mysql.sql(f"DROP DATABASE {names.database}")


def test_what_can_not_be_seen_is_told_at_the_start(new_mysql, kafka, tidemark, names):
    """Tables without SELECT, parts of a list that mean nothing, and rows that a foreign key changes out of the log's sight."""
    server = new_mysql({"innodb-native-foreign-keys": "ON"})
    db = names.database
    server.sql(f"CREATE DATABASE {db}; CREATE TABLE {db}.a (id INT PRIMARY KEY); CREATE TABLE {db}.b (id INT PRIMARY KEY);"
               f"CREATE TABLE {db}.child (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES {db}.a (id) ON DELETE CASCADE);"
               f"CREATE TABLE {db}.kept (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES {db}.a (id) ON DELETE RESTRICT);"
               "CREATE USER few IDENTIFIED BY 'pw'; GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO few;" +
               "".join(f"GRANT SELECT ON {db}.{table} TO few;" for table in ("a", "child", "kept")))
    program = tidemark(server, kafka, table_include_list=f"{db}.a,{db}.b,{db}.child,{db}.kept",
                       also={**PLAIN, "database.user": "few", "database.password": "pw"}).start_ready()
    said = [line for line in program.log_text().splitlines() if " warn " in line]
    assert any(f"is meant by {db}.b" in line for line in said) and not any(f"is meant by {db}.a" in line for line in said)
    assert any("SELECT on single tables" in line for line in said)
    assert any(f"rows of {db}.child are changed by foreign keys" in line for line in said)
    server.sql(f"INSERT INTO {db}.b VALUES (1)")
    program.wait_exit(code=6)
    assert "had no SELECT on it" in program.log_text()
    server.sql(f"GRANT SELECT ON {db}.b TO few")
    program.start()
    assert len(kafka.consume(f"{names.prefix}.{db}.b", until=1)) == 1
    program.stop()


def test_a_server_that_logs_all_and_shows_all_is_not_warned_of(mysql, kafka, tidemark, names):
    db = names.database
    mysql.sql(f"CREATE DATABASE {db}; CREATE TABLE {db}.a (id INT PRIMARY KEY);"
              f"CREATE TABLE {db}.child (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES {db}.a (id) ON DELETE CASCADE)")
    program = tidemark(mysql, kafka, table_include_list=rf"{db}[.](a|child)").start_ready()
    assert not any(word in program.log_text() for word in ("is meant by", "single tables", "foreign keys"))
    program.stop()
    mysql.sql(f"DROP DATABASE {db}")
