# SPDX-License-Identifier: Apache-2.0
"""Snapshots and the shape of tables: excluded columns, DDL and TRUNCATE while a table is read, tables included later."""
import shutil
from pathlib import Path

import pytest

from harness import wait_for
from snapshot_run import Run, ids


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    return lambda **more: Run(mysql, kafka, tidemark, names, **more)


def test_excluded_column_is_not_even_selected(new_mysql, kafka, tidemark, names):
    """R010"""
    server = new_mysql(general_log=True)
    r = Run(server, kafka, tidemark, names, column_exclude_list=f"{names.database}.member.pin", value_converter_schemas_enable="true")
    r.sql("CREATE TABLE member (id INT PRIMARY KEY, name VARCHAR(20), pin CHAR(4)); INSERT INTO member VALUES (1,'Ada','1234')")
    r.snapshot("member")
    created, read = [value for _, value in r.records("member")]
    assert created["payload"]["op"] == "c" and read["payload"]["op"] == "r"
    assert created["payload"]["after"] == read["payload"]["after"] == {"id": 1, "name": "Ada"}
    assert created["schema"] == read["schema"]
    selects = [text for _, text in server.statements("tidemark") if "FORCE INDEX" in text]
    assert selects and not any("pin" in text for text in selects)


def test_columns_may_change_while_a_table_is_read(run):
    """R011"""
    r = run(incremental_snapshot_chunk_size=100, tidemark_snapshot_rows_per_second=500)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, a INT, b VARCHAR(9))")
    r.fill("gauge", ((i, i, "x") for i in range(1, 4001)))
    r.wait_rows("gauge", 4000, op="c")
    id = r.snapshot("gauge", wait=False)
    r.wait_rows("gauge", 200)
    r.sql("ALTER TABLE gauge ADD COLUMN depth INT NOT NULL DEFAULT 7 AFTER id;"
          "ALTER TABLE gauge DROP COLUMN a; UPDATE gauge SET b='y' WHERE id<=10")
    r.wait_outcome(id)
    assert ids(r.rows("gauge")) == list(range(1, 4001))
    place = {"old": 0, "both": 0, "new": 0}
    for _, value in r.records("gauge")[4000:]:
        row = value["after"]
        kind = {("id", "a", "b"): "old", ("id", "depth", "a", "b"): "both", ("id", "depth", "b"): "new"}[tuple(row)]
        place[kind] += 1
        assert place["new"] == 0 or kind == "new"
        assert row.get("a", row["id"]) == row["id"] and row["b"] in ("x", "y") and row.get("depth", 7) == 7
    assert place["old"] >= 200 and place["new"] > 10
    assert all(row["b"] == "y" for row in r.table("gauge").values() if row["id"] <= 10)


def test_truncate_and_refill_while_a_table_is_read(run):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=500, skipped_operations="none")
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT)")
    r.fill("gauge", ((i, 1) for i in range(2000)))
    id = r.snapshot("gauge", wait=False)
    r.wait_rows("gauge", 200)
    r.sql("TRUNCATE gauge; INSERT INTO gauge VALUES (3,2),(1500,2)")
    r.wait_outcome(id)
    assert sorted(row["id"] for row in r.table("gauge").values()) == [3, 1500]


def test_changed_key_is_read_from_its_start(run):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=200)
    r.sql("CREATE TABLE gauge (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (a))")
    r.fill("gauge", ((i, 3000 - i) for i in range(1000)))
    r.wait_rows("gauge", 1000, op="c")
    id = r.snapshot("gauge", wait=False)
    r.wait_rows("gauge", 200)
    r.sql("ALTER TABLE gauge DROP PRIMARY KEY, ADD PRIMARY KEY (b)")
    r.wait_outcome(id)
    assert "its key has changed" in r.program.log_text()
    after = [value["after"] for key, value in r.records("gauge") if value["op"] == "r" and "b" in key]
    assert sorted(row["a"] for row in after) == list(range(1000))


def test_dropped_table_ends_its_snapshot(run):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=500)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); CREATE TABLE other (id INT PRIMARY KEY); INSERT INTO other VALUES (1)")
    r.fill("gauge", ((i,) for i in range(1000)))
    r.snapshot("gauge", "other", wait=False)
    r.wait_rows("gauge", 100)
    r.sql("DROP TABLE gauge")
    r.wait_rows("other", 1)
    wait_for(lambda: r.progress()["tables"] == [], what="the queue to end")


def test_table_included_later_is_known_and_can_be_read(run):
    """R014"""
    r = run(start=False, table_include_list=r"(?!x)x")
    r.program.write(table_include_list=f"{r.database}.a")
    r.sql("CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1)")
    r.start()
    r.sql("CREATE TABLE b (id INT PRIMARY KEY, v VARCHAR(9)); INSERT INTO a VALUES (2)")
    r.fill("b", ((i, "o") for i in range(1000)))
    r.sql("ALTER TABLE b ADD COLUMN w INT DEFAULT 5")
    r.wait_rows("a", 1, op="c")
    r.program.stop()
    r.program.write(table_include_list=f"{r.database}.a,{r.database}.b")
    r.start()
    r.sql("INSERT INTO b VALUES (2000,'n',6)")
    assert r.wait_rows("b", 1, op="c") == [{"id": 2000, "v": "n", "w": 6}]
    r.snapshot("b")
    assert ids(r.rows("b")) == [*range(1000), 2000]
    assert all(row["w"] == (6 if row["id"] == 2000 else 5) for row in r.rows("b"))
    assert r.rows("a") == []


@pytest.fixture
def partitions(run):
    """A table of two partitions of 1000 rows, v=1, and one with 1000 other rows for the first, v=7; both are told."""
    def make(rows_per_second=1000):
        r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=rows_per_second)
        r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id)"
              " (PARTITION a VALUES LESS THAN (1000), PARTITION b VALUES LESS THAN (2000));"
              "CREATE TABLE other (id INT PRIMARY KEY, v INT)")
        r.fill("gauge", ((i, 1) for i in range(2000)))
        r.fill("other", ((i, 7) for i in range(1000)))
        r.wait_rows("gauge", 2000, op="c")
        r.wait_rows("other", 1000, op="c")
        return r
    return make


@pytest.mark.parametrize("statement,expected", [
    ("ALTER TABLE gauge EXCHANGE PARTITION a WITH TABLE other", [(i, 7 if i < 1000 else 1) for i in range(2000)]),
    ("ALTER TABLE gauge TRUNCATE PARTITION a", [(i, 1) for i in range(1000, 2000)]),
    ("ALTER TABLE gauge DROP PARTITION a", [(i, 1) for i in range(1000, 2000)]),
    ("RENAME TABLE gauge TO was, other TO gauge", [(i, 7) for i in range(1000)]),
], ids=["exchange", "truncate", "drop", "rename"])
def test_rows_that_came_or_went_without_events_are_read_again_with_all_others(partitions, statement, expected):
    r = partitions()
    id = r.snapshot("gauge", wait=False)
    r.wait_rows("gauge", 100)
    r.sql(statement)
    r.wait_outcome(id)
    rows = [(row["id"], row["v"]) for row in r.rows("gauge")]
    assert rows[-len(expected):] == expected
    before = rows[:-len(expected)]
    assert before == [(i, 1) for i in range(len(before))] and 100 <= len(before) < 2000
    r.program.wait_for_log(f"{r.database}.gauge: its rows are others now, it is read from the start")


def test_both_tables_of_an_exchanged_partition_are_read_again(partitions):
    r = partitions(rows_per_second=100)
    r.sql("DELETE FROM other WHERE id >= 500")
    first, second = r.snapshot("other", wait=False), r.snapshot("gauge", wait=False)
    r.wait_rows("other", 100)
    r.ask("pause-snapshot", "pause")
    r.wait_outcome("pause")
    r.sql("ALTER TABLE gauge EXCHANGE PARTITION a WITH TABLE other")
    r.program.wait_for_log(r"rows of .*\.other came or went by a statement, of which the log does not hold the rows")
    r.program.stop()
    r.program.write(tidemark_snapshot_rows_per_second=None)
    r.start()
    r.ask("resume-snapshot")
    r.wait_outcome(first)
    r.wait_outcome(second)
    assert [(row["id"], row["v"]) for row in r.rows("other")][-1000:] == [(i, 1) for i in range(1000)]
    assert {(row["id"], row["v"]) for row in r.rows("gauge")} == {(i, 7) for i in range(500)} | {(i, 1) for i in range(1000, 2000)}


def import_rows(r, source, target):
    """The rows of one table become those of the other, as the files they are."""
    folder = Path(r.mysql.data) / r.database
    owner = (folder / f"{source}.ibd").stat()
    r.sql(f"ALTER TABLE {target} DISCARD TABLESPACE")
    with r.mysql.connect(database=r.database) as connection, connection.cursor() as cursor:
        cursor.execute(f"FLUSH TABLES {source} FOR EXPORT")
        for kind in ("cfg", "ibd"):
            shutil.copy(folder / f"{source}.{kind}", folder / f"{target}.{kind}")
            shutil.chown(folder / f"{target}.{kind}", owner.st_uid, owner.st_gid)
        cursor.execute("UNLOCK TABLES")
    r.program.wait_for_log("DISCARD TABLESPACE; hint: have the table read again")
    r.sql(f"ALTER TABLE {target} IMPORT TABLESPACE")


@pytest.mark.parametrize("kind", ["INCREMENTAL", "BLOCKING"])
def test_a_table_whose_tablespace_is_imported_while_it_is_read(run, kind):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=1000)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT); CREATE TABLE other (id INT PRIMARY KEY, v INT)")
    r.fill("gauge", ((i, 1) for i in range(1000)))
    r.fill("other", ((i, 7) for i in range(500)))
    r.wait_rows("other", 500, op="c")
    id = r.snapshot("gauge", wait=False, type=kind)
    r.wait_rows("gauge", 100)
    import_rows(r, "other", "gauge")
    r.wait_outcome(id)
    rows = [(row["id"], row["v"]) for row in r.rows("gauge")]
    assert rows[-500:] == [(i, 7) for i in range(500)]
    assert set(rows[:-500]) <= {(i, 1) for i in range(1000)}
    r.program.wait_for_log(r"rows of .*\.gauge came or went by a statement.*IMPORT TABLESPACE; hint: have the table read again")


def test_partitions_that_are_cut_anew_while_a_table_is_read(run):
    """No row comes or goes by it, and none is missed."""
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=1000)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS 4")
    r.fill("gauge", ((i, 1) for i in range(800)))
    id = r.snapshot("gauge", wait=False)
    r.wait_rows("gauge", 100)
    r.sql("ALTER TABLE gauge COALESCE PARTITION 2; UPDATE gauge SET v = 2 WHERE id IN (3, 700);"
          "ALTER TABLE gauge PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (500), PARTITION b VALUES LESS THAN MAXVALUE);"
          "ALTER TABLE gauge REORGANIZE PARTITION b INTO (PARTITION b VALUES LESS THAN (700), PARTITION c VALUES LESS THAN MAXVALUE);"
          "DELETE FROM gauge WHERE id = 701; ALTER TABLE gauge REMOVE PARTITIONING")
    r.wait_outcome(id)
    assert ids(sorted(r.table("gauge").values(), key=lambda row: row["id"])) == [i for i in range(800) if i != 701]
    assert {row["id"] for row in r.table("gauge").values() if row["v"] == 2} == {3, 700}
