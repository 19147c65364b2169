# SPDX-License-Identifier: Apache-2.0
"""The replayer objects to whatever a stream must not do: else the tests that rest on it could not fail."""
import datetime
import decimal
import json

import pytest

from harness import Record
from harness.replay import Replay, as_record, decode

RUN = ("__debezium.context.runId", b"1")


def record(op, key, before=None, after=None, pos=0, row=0, header=None):
    def text(value):
        return None if value is None else json.dumps(value).encode()
    value = {"before": before, "after": after, "op": op, "source": {"file": "log.000002", "pos": pos, "row": row}, "ts_ms": 1}
    return Record("p.d.t", 0, 0, 0, text(key and {"id": key}), text(value if op else None), ([header] if header else []) + [RUN])


def life():
    """A row inserted, changed twice, given another key, deleted."""
    one, two, three = ({"id": 1, "v": v} for v in range(3))
    new = ("__debezium.newkey", b'{"id":2}')
    old = ("__debezium.oldkey", b'{"id":1}')
    return [record("c", 1, None, one, pos=1), record("u", 1, one, two, pos=2), record("u", 1, two, three, pos=2, row=1),
            record("d", 1, three, None, pos=3, header=new), record(None, 1, header=new),
            record("c", 2, None, {"id": 2, "v": 2}, pos=3, header=old),
            record("d", 2, {"id": 2, "v": 2}, None, pos=4), record(None, 2)]


def test_a_whole_life_is_accepted():
    replay = Replay(version="v").apply(life()).end()
    assert (replay.changes, replay.tables, sum(replay.counts.values())) == (5, {"p.d.t": {}}, 8)


@pytest.mark.parametrize("missing", range(8))
def test_each_record_that_is_missing_shows(missing):
    with pytest.raises(AssertionError):
        Replay(version="v").apply(life()[:missing] + life()[missing + 1:]).end()


@pytest.mark.parametrize("doubled", range(8))
def test_each_record_that_comes_twice_shows_unless_repeats_are_allowed(doubled):
    records = life()[:doubled + 1] + life()[doubled:]
    with pytest.raises(AssertionError):
        Replay().apply(records).end()


@pytest.mark.parametrize("back", [0, 1, 2, 3, 5])
def test_going_back_is_allowed_where_repeats_are(back):
    """Not to the tombstone: it never comes without its delete."""
    replay = Replay(repeats=True).apply(life()[:6] + life()[back:]).end()
    assert (replay.changes, replay.repeated) == (5, 6 - back)


def test_wrong_order_and_wrong_images_show():
    swapped = life()
    swapped[1], swapped[2] = swapped[2], swapped[1]
    with pytest.raises(AssertionError, match="the row was another"):
        Replay(ordered=False).apply(swapped)
    with pytest.raises(AssertionError, match="places do not rise"):
        Replay().apply([record("c", 1, None, {"id": 1}, pos=5), record("c", 2, None, {"id": 2}, pos=4)])
    with pytest.raises(AssertionError):
        Replay(version="v").apply([record("c", 1, None, {"id": 1, "v": 0}, pos=1),
                                   record("u", 1, {"id": 1, "v": 0}, {"id": 1, "v": 2}, pos=2)])


def test_values_are_as_the_default_modes_write_them():
    assert [as_record(decimal.Decimal(text)) for text in ("19.99", "-1.00", "5.00", "0", "1.28")] == [
        "B88=", "nA==", "AfQ=", "AA==", "AIA="]
    assert as_record(datetime.datetime(1970, 1, 2, 0, 0, 0, 5000)) == 86400005
    assert as_record(datetime.date(1969, 12, 31)) == -1
    assert as_record(-datetime.timedelta(seconds=1)) == -1000000
    assert as_record(b"\x00") == "AA=="


def test_a_record_is_read_with_and_without_schema():
    plain = record("c", 1, None, {"id": 1})
    schema = plain._replace(key=b'{"schema":{},"payload":{"id":1}}', value=b'{"schema":{},"payload":%s}' % plain.value)
    assert decode(plain) == decode(schema) and decode(plain).op == "c"
