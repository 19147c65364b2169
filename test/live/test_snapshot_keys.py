# SPDX-License-Identifier: Apache-2.0
"""Chunks in key order: composite keys, collations, unsigned numbers, chunk sizes down to one row."""
import base64

import pytest

from snapshot_run import Run


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    return lambda **more: Run(mysql, kafka, tidemark, names, **more)


def test_composite_key_is_read_in_order_without_loss(run):
    r = run(incremental_snapshot_chunk_size=2)
    r.sql("CREATE TABLE berth (harbour INT, slot INT, note VARCHAR(9), PRIMARY KEY (harbour,slot));"
          "INSERT INTO berth VALUES (1,1,'a'),(1,2,'b'),(1,3,'c'),(2,1,'d'),(2,2,'e'),(3,1,'f')")
    r.snapshot("berth")
    assert [(row["harbour"], row["slot"], row["note"]) for row in r.rows("berth")] == \
        [(1, 1, "a"), (1, 2, "b"), (1, 3, "c"), (2, 1, "d"), (2, 2, "e"), (3, 1, "f")]
