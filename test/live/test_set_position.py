# SPDX-License-Identifier: Apache-2.0
"""set-binlog-position: the stream goes on at another place, once, or the signal is refused and nothing changes."""
import re

import pytest

from harness import wait_for
from snapshot_run import Run, ids


class Rows:
    """A run over a table t(id, v), each row a transaction of its own; where the log stood behind each."""

    def __init__(self, mysql, *rest, **more):
        self.run, self.mysql, self.places, self.gtids = Run(mysql, *rest, **more), mysql, {}, {}
        self.run.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)")

    def insert(self, *numbers):
        for number in numbers:
            self.run.sql(f"INSERT INTO t VALUES ({number}, 0)")
            self.places[number], self.gtids[number] = self.mysql.position(), self.mysql.gtid_executed()

    def told(self, count):
        return ids(self.run.wait_rows("t", count, op="c"))

    def place(self, by, number):
        """data of the signal that goes behind a row."""
        file, pos = self.places[number]
        return {"gtid_set": self.gtids[number]} if by == "gtids" else {"binlog_filename": file, "binlog_position": pos}

    def move(self, id, **data):
        """The signal as Debezium's users write it, with underscores in its names."""
        self.run.send({"id": id, "type": "set-binlog-position", "data": data})


@pytest.fixture
def rows(mysql, kafka, tidemark, names):
    return lambda source=mysql, **more: Rows(source, kafka, tidemark, names, **more)


@pytest.mark.parametrize("by", ["gtids", "position"])
def test_stream_goes_back_and_on_from_there(rows, by):
    r = rows()
    r.insert(1, 2, 3)
    assert r.told(3) == [1, 2, 3]
    r.move("back", **r.place(by, 1))
    assert r.told(5) == [1, 2, 3, 2, 3]
    r.run.wait_outcome("back")
    r.insert(4)
    assert r.told(6)[5:] == [4]
    r.run.program.wait_for_log("set-binlog-position: the stream goes from file=.* to file=")
    assert r.gtids[3] in r.run.state()["tidemark_previous"] or r.places[3][0] in r.run.state()["tidemark_previous"]


def test_stream_goes_forward_over_what_is_never_told(rows):
    r = rows()
    r.insert(1)
    r.told(1)
    r.run.program.stop()
    r.insert(2, 3)
    r.move("on", **r.place("gtids", 3))
    r.run.start()
    r.run.wait_outcome("on")
    r.insert(4)
    assert r.told(2)[-1] == 4
    assert set(r.told(2)) <= {1, 2, 3, 4} and r.run.state()["gtids"] == r.gtids[4]


def test_signal_is_executed_once_over_kills_and_with_those_behind_it(rows):
    r = rows()
    r.insert(1, 2)
    r.told(2)
    r.move("back", **r.place("gtids", 1))
    r.run.ask("log", "behind", message="read behind the move")
    r.run.snapshot("t", id="read", wait=False)
    r.run.wait_outcome("behind")
    r.run.wait_outcome("read")
    assert ids(r.run.rows("t")) in ([1], [1, 2])  # 2 comes by the stream when its chunk is open by then
    for _ in range(2):
        r.run.program.kill()
        r.run.start()
    r.insert(3)
    assert r.told(4) == [1, 2, 2, 3]
    assert [signal["id"] for signal in r.run.progress()["signals"]] == ["back", "behind", "read"]


def test_place_that_is_not_there_is_refused_and_changes_nothing(rows):
    r = rows(notification_enabled_channels="log")
    r.insert(1, 2)
    file, pos = r.places[2]
    begin = r.places[1][1]
    nobody = "11111111-2222-3333-4444-555555555555:1-9"
    bad = [({"gtid_set": f"{r.gtids[1]},{nobody}"}, f"has not executed {nobody}"),
           ({"gtid_set": "no-set"}, "read data.gtid_set"),
           ({"binlog_filename": "binlog.999999", "binlog_position": 4}, "has no log file binlog.999999; its files go from"),
           ({"binlog_filename": "nothing", "binlog_position": 4}, "has no log file nothing"),
           ({"binlog_filename": file, "binlog_position": 10 ** 9}, "is not in the log"),
           ({"binlog_filename": file, "binlog_position": pos - 1}, f"is no place between transactions.* begins at {begin}"),
           ({"binlog_filename": file}, "either binlog_filename and binlog_position, or gtid_set"),
           ({"binlog_filename": file, "binlog_position": 4, "gtid_set": ""}, "either binlog_filename")]
    for number, (data, reason) in enumerate(bad):
        r.move(f"bad{number}", **data)
        why = r.run.wait_outcome(f"bad{number}", "refused")["why"]
        assert re.search(reason, why), (data, why)
    r.insert(3)
    assert r.told(3) == [1, 2, 3]
    r.run.program.wait_for_log(r"type='ABORTED'.*has no log file binlog.999999.*id='bad2'")
    assert "running -> restarting" not in r.run.program.log_text()


def test_purged_transactions_and_unknown_shapes_are_refused(rows, new_mysql):
    r = rows(new_mysql(), start=False)
    r.insert(1)
    r.run.sql("FLUSH BINARY LOGS")
    r.insert(2)
    r.run.sql("ALTER TABLE t ADD COLUMN w INT")
    r.run.start()
    r.move("old-shape", **r.place("gtids", 1))
    assert "a statement changed the table between" in r.run.wait_outcome("old-shape", "refused")["why"]
    r.mysql.sql(f"PURGE BINARY LOGS TO '{r.places[2][0]}'")
    r.move("purged", gtid_set=r.gtids[1].split(":")[0] + ":1")
    assert "has purged from its log what the set leaves out" in r.run.wait_outcome("purged", "refused")["why"]
    r.run.sql("INSERT INTO t VALUES (9,9,9)")
    r.run.wait_rows_with(lambda row: row["id"] == 9, "t")


def test_place_before_an_alter_is_told_with_the_columns_of_then(rows):
    r = rows()
    r.insert(1, 2)
    r.run.sql("ALTER TABLE t ADD COLUMN w INT; INSERT INTO t VALUES (3,0,7)")
    r.told(3)
    r.move("back", **r.place("position", 1))
    r.told(5)
    assert r.run.rows("t", "c")[3:] == [{"id": 2, "v": 0}, {"id": 3, "v": 0, "w": 7}]


def test_source_without_gtids_is_moved_by_position(rows, plain_mysql):
    r = rows(plain_mysql)
    r.insert(1, 2)
    r.told(2)
    r.move("sets", gtid_set="11111111-2222-3333-4444-555555555555:1-9")
    assert "gtid_mode is not ON" in r.run.wait_outcome("sets", "refused")["why"]
    r.move("back", **r.place("position", 1))
    assert r.told(3) == [1, 2, 2]
    r.run.wait_outcome("back")


@pytest.mark.parametrize("kind", ["initial", "blocking"])
def test_place_is_not_moved_under_a_snapshot_that_stands_on_it(mysql, kafka, tidemark, names, kind):
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY)")
    mysql.many(f"INSERT INTO {names.database}.t VALUES (%s)", [(number,) for number in range(200)])
    run = Run(mysql, kafka, tidemark, names, snapshot_mode="initial" if kind == "initial" else "no_data",
              incremental_snapshot_chunk_size=10, tidemark_snapshot_rows_per_second=50)
    if kind == "blocking":
        run.snapshot("t", type="BLOCKING", wait=False)
    run.wait_rows("t", 10)
    run.send({"id": "move", "type": "set-binlog-position", "data": {"gtid_set": mysql.gtid_executed().replace("\n", "")}})
    assert "while an initial or blocking snapshot runs" in run.wait_outcome("move", "refused")["why"]
    assert len(run.wait_rows("t", 200)) == 200
