# SPDX-License-Identifier: Apache-2.0
"""replay: reads a topic's records as changes, applies them to tables of its own, and objects to whatever can't be true.

Each change is held against the row as it stands: an insert needs an absent key, an update and a delete need the very row
they say was there before. So a change that is missing, doubled or out of order shows at the next change of its row, or at the
end, when the tables are compared with those of the server.

  decode(record)        one record as a Change, whether or not it carries schemas
  Replay(…).apply(…)    changes onto tables, with all objections; assert_equals compares with the server
  stored_offsets(…)     what the topic of offsets says
"""
import base64
import datetime
import decimal
import json
from collections import Counter, namedtuple

Change = namedtuple("Change", "topic partition offset key op before after source ts_ms headers")
Change.__doc__ = "A record decoded: op is None for a tombstone, headers a dictionary of texts, key and rows dictionaries."


def payload(data):
    """The value of a JSON record without its schema, or None."""
    if data is None:
        return None
    value = json.loads(data)
    return value["payload"] if isinstance(value, dict) and value.keys() == {"schema", "payload"} else value


def decode(record):
    value = payload(record.value) or {}
    headers = {name: text.decode() for name, text in record.headers}
    return Change(record.topic, record.partition, record.offset, payload(record.key), value.get("op"), value.get("before"),
                  value.get("after"), value.get("source"), value.get("ts_ms"), headers)


def decode_all(records):
    return [decode(record) for record in records]


def place(source):
    """A source block as a place that compares as the log's order does."""
    return int(source["file"].rsplit(".", 1)[1]), source["pos"], source["row"]


class Replay:
    """Tables as the topic tells them: {topic: {key: row}}, where a key is its JSON text.

    repeats    records may come again (at least once): the first of each counts, the others are passed over and counted
    tombstones each delete is followed by one
    ordered    places in the log rise within a partition (not so for XA transactions, compressed ones, other servers)
    version    the column that each update raises by one
    """

    def __init__(self, repeats=False, tombstones=True, ordered=True, version=None):
        self.repeats = repeats
        self.tombstones = tombstones
        self.ordered = ordered
        self.version = version
        self.tables = {}
        self.counts = Counter()  # (topic, op) -> how many records
        self.changes = 0  # rows changed: a changed key is one
        self.repeated = 0
        self._seen = set()
        self._read = {}  # (topic, partition) -> the record read last, also a repeated one
        self._last = {}  # (topic, partition) -> the record applied last
        self._placed = {}  # the same without tombstones

    def apply(self, records):
        for record in records:
            self._take(decode(record))
        return self

    def end(self):
        """No more records come: nothing may be half told."""
        for change in self._last.values():
            assert not (self.tombstones and change.op == "d"), f"no tombstone follows {change}"
        return self

    def _take(self, change):
        where = change.topic, change.partition
        previous, self._read[where] = self._read.get(where), change
        if change.op is None:
            assert previous and previous.op == "d" and (previous.key, previous.headers) == (change.key, change.headers), \
                f"a tombstone does not follow its delete: {previous}, {change}"
        if self.repeats:
            source = (previous if change.op is None else change).source
            identity = change.topic, source["file"], source["pos"], source["row"], change.op
            if identity in self._seen:
                self.repeated += 1
                return
            self._seen.add(identity)
        last, self._last[where] = self._last.get(where), change
        self.counts[change.topic, change.op] += 1
        if change.op is None:
            assert self.tombstones, f"a tombstone: {change}"
            return
        assert not (self.tombstones and last and last.op == "d"), f"no tombstone between {last} and {change}"
        if self.ordered:
            self._check_order(self._placed.get(where), change)
            self._placed[where] = change
        self._change(change)

    def _check_order(self, last, change):
        if last is not None:
            is_second_half = is_changed_key(change) and change.op == "c"
            rises = place(last.source) <= place(change.source) if is_second_half else place(last.source) < place(change.source)
            assert rises, f"places do not rise: {last}, {change}"

    def _change(self, change):
        table = self.tables.setdefault(change.topic, {})
        if change.op == "t":
            table.clear()
            return
        key = json.dumps(change.key, sort_keys=True)
        row = table.get(key)
        if change.op == "c":
            assert row is None, f"inserted twice: {change}, there is {row}"
            assert change.before is None, change
        else:
            assert row is not None, f"not there: {change}"
            assert same_row(row, change.before), f"the row was another before: {change}, there is {row}"
        if change.op == "d":
            assert change.after is None, change
            del table[key]
        else:
            assert change.op in ("c", "u"), f"an unknown op: {change}"
            table[key] = change.after
        if change.op == "u" and self.version:
            assert change.after[self.version] == change.before[self.version] + 1, change
        self.changes += not (change.op == "c" and is_changed_key(change))

    def assert_equals(self, mysql, prefix, database, *tables):
        """The tables are those of the server now."""
        for table in tables:
            expected = table_rows(mysql, database, table)
            actual = self.tables.get(f"{prefix}.{database}.{table}", {})
            missing = sorted(expected.keys() - actual.keys())
            extra = sorted(actual.keys() - expected.keys())
            other = [key for key in expected.keys() & actual.keys() if expected[key] != actual[key]]
            assert not (missing or extra or other), (
                f"{table} has {len(expected)} rows, the topic {len(actual)}; missing {len(missing)}: {missing[:5]}, extra "
                f"{len(extra)}: {extra[:5]}, different {len(other)}: {[(expected[key], actual[key]) for key in other[:3]]}")


def is_changed_key(change):
    return not {"__debezium.newkey", "__debezium.oldkey"}.isdisjoint(change.headers)


def same_row(row, before):
    """A column that was added or dropped since does not count."""
    return before is not None and all(row[name] == before[name] for name in row.keys() & before.keys())


def table_rows(mysql, database, table):
    """A table as its topic should tell it: {key: row}."""
    key = [row[0] for row in mysql.sql(
        "SELECT column_name FROM information_schema.key_column_usage WHERE constraint_name = 'PRIMARY' AND table_schema = %s "
        "AND table_name = %s ORDER BY ordinal_position", (database, table))]
    rows = ({name: as_record(value) for name, value in row.items()}
            for row in mysql.dicts(f"SELECT * FROM `{database}`.`{table}`"))
    return {json.dumps({name: row[name] for name in key}, sort_keys=True): row for row in rows}


def as_record(value):
    """A value of a SELECT as the default modes write it; not for TIMESTAMP, BIT, and DATETIME finer than ms."""
    if isinstance(value, decimal.Decimal):
        sign, digits, exponent = value.as_tuple()
        unscaled = int("".join(map(str, digits))) * (-1 if sign else 1)
        size = ((unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8) + 1
        return base64.b64encode(unscaled.to_bytes(size, "big", signed=True)).decode()
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(milliseconds=1)
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(microseconds=1)
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def stored_offsets(kafka, program):
    """The values that were stored for a program so far, oldest first; {} is a deleted one."""
    topic = program.properties["offset.storage.topic"]
    name, prefix = program.properties["name"], program.properties["topic.prefix"]
    records = kafka.consume(topic)
    return [json.loads(record.value or "{}") for record in records
            if json.loads(record.key) == [name, {"server": prefix}]]
