# SPDX-License-Identifier: Apache-2.0
"""What is streamed before it is visible never comes back as it was before: a source that waits for an acknowledgement."""
import threading

import pytest

from snapshot_run import Run

SEMISYNC = ("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so';"
            "SET GLOBAL rpl_semi_sync_source_enabled=1, GLOBAL rpl_semi_sync_source_wait_no_replica=1,"
            " GLOBAL rpl_semi_sync_source_timeout=6000")


@pytest.mark.parametrize("gtids", ["ON", "OFF"])
def test_row_streamed_before_it_is_visible_keeps_its_newest_value(new_mysql, kafka, tidemark, names, gtids):
    """X002. Without GTIDs it is the lock on the row that is waited for."""
    server = new_mysql({"gtid-mode": gtids, "enforce-gtid-consistency": gtids})
    r = Run(server, kafka, tidemark, names, tidemark_snapshot_for_share="false" if gtids == "ON" else "true")
    r.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1,10),(2,10)")
    r.wait_rows("t", 2, op="c")
    server.sql(SEMISYNC)
    writer = threading.Thread(target=lambda: r.sql("UPDATE t SET v=99 WHERE id=1"))
    writer.start()
    r.wait_rows("t", 1, op="u", timeout=5)
    assert server.one("SELECT v FROM t WHERE id=1", database=r.database) == 10, "the update is visible already"
    id = r.snapshot("t", wait=False)
    writer.join()
    r.wait_outcome(id)
    values = [(value["after"]["id"], value["op"], value["after"]["v"]) for _, value in r.records("t")]
    assert [v for row, _, v in values if row == 1][-1] == 99, values
    assert (2, "r", 10) in values
