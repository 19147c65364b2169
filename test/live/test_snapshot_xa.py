# SPDX-License-Identifier: Apache-2.0
"""XA transactions that were prepared before the first start: their rows are in no part of the log that is told, so no table is
read before they have ended; and where they can't be known, one that commits after tables were read is never passed over."""
import time

import pytest

from harness import wait_for
from snapshot_run import Run, ids

XID = "X'6f6c64',X'',1"  # 'old'
RIGHTS = "SELECT, REPLICATION SLAVE, REPLICATION CLIENT, XA_RECOVER_ADMIN"


@pytest.fixture
def server(new_mysql):
    return new_mysql()


@pytest.fixture
def prepared(server, kafka, tidemark, names):
    """A table of which an XA transaction has deleted row 1, changed row 2 and made row 9; then a run that was never started."""
    def make(knows=True, statements=("DELETE FROM t WHERE id=1", "UPDATE t SET v=99 WHERE id=2", "INSERT INTO t VALUES (9,9)"), **more):
        if knows:
            server.user_name, server.user_password = server.make_user("knowing", grants=RIGHTS)
        r = Run(server, kafka, tidemark, names, start=False, skipped_operations="none", **more)
        r.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1,1),(2,1),(3,1)")
        with server.connect(database=r.database) as connection, connection.cursor() as cursor:
            for statement in ("XA START 'old'", *statements, "XA END 'old'", "XA PREPARE 'old'"):
                cursor.execute(statement)
        return r
    return make


def end(r, how):
    """Its session has gone: any other may end it."""
    r.sql(f"XA {how} 'old'")


@pytest.mark.parametrize("how,rows", [("COMMIT", {2: 99, 3: 1, 9: 9}), ("ROLLBACK", {1: 1, 2: 1, 3: 1})])
def test_no_table_is_read_before_it_has_ended(prepared, how, rows):
    r = prepared(tidemark_log_level="debug")
    r.start()
    id = r.snapshot("t", wait=False)
    waiting = f"chunk is read again: .*can't be read yet: XA transaction {XID}, prepared before the first start, is still open"
    r.program.wait_for_log(waiting)
    r.sql("INSERT INTO t VALUES (4,1); DELETE FROM t WHERE id=4")
    r.wait_rows("t", 1, op="d")
    r.program.kill()
    r.start()
    assert f'["{XID}"]' == r.state()["tidemark_xa_before"]
    assert f"xa before      {XID}" in r.program.run("offsets", "show", r.program)
    r.program.wait_for_log(waiting)
    assert r.rows("t") == []
    end(r, how)
    r.wait_outcome(id)
    assert {row["id"]: row["v"] for row in r.table("t").values()} == rows
    assert ids(r.rows("t")) == sorted(rows)
    wait_for(lambda: "tidemark_xa_before" not in r.state(), what="its name to leave the state")


def test_long_wait_is_told_with_its_name(prepared):
    r = prepared()
    r.start()
    id = r.snapshot("t", wait=False)
    start = time.monotonic()
    r.program.wait_for_log(f"the snapshot of {r.database}.t waits: .*XA transaction {XID}")
    assert 8 < time.monotonic() - start < 20
    end(r, "COMMIT")
    r.wait_outcome(id)
    r.program.wait_for_log(f"the snapshot of {r.database}.t goes on")


def test_one_that_changed_nothing_holds_up_nothing(prepared):
    """Its end leaves no event in the log."""
    r = prepared(statements=("SELECT * FROM t WHERE id=1 FOR SHARE",))
    r.start()
    id = r.snapshot("t", wait=False)
    end(r, "COMMIT")
    r.wait_outcome(id)
    assert ids(r.rows("t")) == [1, 2, 3]


def test_unknown_one_that_commits_after_tables_were_read_ends_the_program(prepared):
    r = prepared(knows=False)
    r.start()
    r.program.wait_for_log("start: without the right XA_RECOVER_ADMIN it can't be known")
    r.snapshot("t")
    assert ids(r.rows("t")) == [1, 2, 3]
    r.program.kill()
    r.start()
    end(r, "COMMIT")
    assert r.program.popen.wait(30) == 6
    assert f"XA transaction {XID} is committed at binlog." in r.program.log_text()
    assert "offsets skip" in r.program.log_text()
    r.program.start()
    assert r.program.popen.wait(30) == 6
    r.program.run("offsets", "skip", r.program, "--fence")  # a killed one counts as running for a while
    r.start()
    r.snapshot("t")
    assert ids(r.rows("t")) == [1, 2, 3, 2, 3, 9]


def test_unknown_one_that_ends_before_any_table_was_read_is_told_and_passed(prepared):
    r = prepared(knows=False)
    r.start()
    end(r, "COMMIT")
    r.program.wait_for_log(f"XA transaction {XID} was committed, but was prepared before the stream began: its rows are not told")
    r.snapshot("t")
    assert ids(r.rows("t")) == [2, 3, 9]


def test_unknown_one_that_is_rolled_back_is_passed(prepared):
    r = prepared(knows=False)
    r.start()
    r.snapshot("t")
    end(r, "ROLLBACK")
    r.sql("INSERT INTO t VALUES (4,1)")
    assert ids(r.wait_rows("t", 1, op="c")) == [4]
