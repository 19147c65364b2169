# SPDX-License-Identifier: Apache-2.0
"""Chunks in key order: composite keys, collations, unsigned numbers, chunk sizes down to one row."""
import pytest

from harness import wait_for
from snapshot_run import Run, ids


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    return lambda **more: Run(mysql, kafka, tidemark, names, **more)


def test_composite_key_is_read_in_order_without_loss(run):
    """R007"""
    r = run(incremental_snapshot_chunk_size=2)
    r.sql("CREATE TABLE berth (harbour INT, slot INT, note VARCHAR(9), PRIMARY KEY (harbour,slot));"
          "INSERT INTO berth VALUES (1,1,'a'),(1,2,'b'),(1,3,'c'),(2,1,'d'),(2,2,'e'),(3,1,'f')")
    r.snapshot("berth")
    assert [(row["harbour"], row["slot"], row["note"]) for row in r.rows("berth")] == \
        [(1, 1, "a"), (1, 2, "b"), (1, 3, "c"), (2, 1, "d"), (2, 2, "e"), (3, 1, "f")]


def test_case_insensitive_key_keeps_its_spelling_and_the_servers_order(run):
    """R016"""
    r = run(incremental_snapshot_chunk_size=2, tidemark_snapshot_rows_per_second=4)
    r.sql("CREATE TABLE code (k VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, v INT);"
          "INSERT INTO code VALUES ('0000',1),('1111',2),('2222',3),('aaaa',4),('bbbb',5),('cccc',6),('ZZZZ',7),('été',8),('x ',9)")
    id = r.snapshot("code", wait=False)
    r.wait_rows("code", 2)
    r.sql("UPDATE code SET v=70 WHERE k='zzzz'")
    r.wait_outcome(id)
    order = [row[0] for row in r.sql("SELECT k FROM code ORDER BY k")]
    read = [row["k"] for row in r.rows("code")]
    assert read == [k for k in order if k in read]
    assert set(read) | {row["k"] for row in r.rows("code", "u")} == set(order)
    assert len(read) == len(set(read)) and len(read) >= 8
    assert "x " in order and "x " in read
    last = [value["after"]["v"] for key, value in r.records("code") if value and value["after"]["k"] == "ZZZZ"]
    assert last[-1] == 70


@pytest.mark.parametrize("mode,last", [("precise", "AP//////////"), ("long", -1)])
def test_unsigned_key_is_read_beyond_the_middle(run, mode, last):
    """R017"""
    r = run(incremental_snapshot_chunk_size=1, bigint_unsigned_handling_mode=mode)
    r.sql("CREATE TABLE big (id BIGINT UNSIGNED PRIMARY KEY);"
          "INSERT INTO big VALUES (1),(9223372036854775807),(9223372036854775808),(18446744073709551615)")
    r.snapshot("big")
    assert len(r.rows("big")) == 4
    assert ids(r.rows("big"))[-1] == last
    if mode == "long":
        assert ids(r.rows("big")) == [1, 9223372036854775807, -9223372036854775808, -1]


@pytest.mark.parametrize("first,value", [("BIGINT UNSIGNED", "0"), ("BIGINT UNSIGNED", "18446744073709551615"),
                                         ("BIGINT", "-9223372036854775808"), ("BIGINT", "9223372036854775807"), ("INT UNSIGNED", "0"),
                                         ("ENUM('a','b')", "'a'"), ("ENUM('a','b')", "'b'"), ("ENUM('a')", "'a'"), ("BIT(1)", "b'1'")])
def test_first_part_at_the_end_of_its_type_is_no_reason_to_sort(run, first, value):
    """As a tenant that is 0 for all rows; what would be sorted for each chunk is refused."""
    r = run(incremental_snapshot_chunk_size=3)
    for table, way in (("up", ""), ("down", "DESC")):
        r.sql(f"CREATE TABLE {table} (tenant {first}, id INT, PRIMARY KEY (tenant {way}, id))")
        r.sql(f"INSERT INTO {table} VALUES " + ",".join(f"({value}, {id})" for id in range(10)))
    r.wait_rows("down", 10, op="c")
    r.snapshot("up", "down")
    assert ids(r.rows("up")) == ids(r.rows("down")) == list(range(10))


def test_surrogate_key_pages_over_duplicates_and_nulls(run):
    r = run(incremental_snapshot_chunk_size=1)
    r.sql("CREATE TABLE t (id INT PRIMARY KEY, s INT NULL, KEY by_s (s));"
          "INSERT INTO t VALUES (1,5),(2,NULL),(3,5),(4,NULL),(5,1),(6,5)")
    r.snapshot("t", surrogate_key="s")
    assert ids(r.rows("t")) == [2, 4, 5, 1, 3, 6]


def test_table_that_cannot_be_read_in_key_order_is_skipped_with_the_reason(run, kafka):
    topic = "notes-" + __name__
    r = run(notification_enabled_channels="sink,log", notification_sink_topic_name=topic)
    r.sql("CREATE TABLE nokey (a INT); INSERT INTO nokey VALUES (1);"
          "CREATE TABLE byset (s SET('a','b') PRIMARY KEY); INSERT INTO byset VALUES ('a');"
          "CREATE TABLE good (id INT PRIMARY KEY); INSERT INTO good VALUES (1)")
    id = r.snapshot("nokey", "byset", "good", wait=False)
    assert "NOT NULL" in r.wait_outcome(id, "refused")["why"]
    assert ids(r.rows("good")) == [1] and not r.rows("nokey") and not r.rows("byset")
    r.program.wait_for_log("byset can't be read in key order: the server compares SET values otherwise")
    r.program.wait_for_log("NO_PRIMARY_KEY")


def test_largest_key_is_fixed_at_the_start(run):
    """Rows that come behind it are told by the log alone."""
    r = run(incremental_snapshot_chunk_size=10, tidemark_snapshot_rows_per_second=20)
    r.sql("CREATE TABLE t (id INT PRIMARY KEY)")
    r.fill("t", ((i,) for i in range(100)))
    r.wait_rows("t", 100, op="c")  # what is streamed in a window is not read
    id = r.snapshot("t", wait=False)
    r.wait_rows("t", 10)
    r.fill("t", ((i,) for i in range(1000, 1100)))
    r.wait_outcome(id)
    assert ids(r.rows("t")) == list(range(100))
    wait_for(lambda: len(r.rows("t", "c")) == 200, what="the inserts")
